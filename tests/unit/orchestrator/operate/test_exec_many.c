/*  orchestrator/operate/exec_many, cmd_exec: one program in many hosts: its lines, its end, and
 *  what is said of those that fail (DU-4). */
#include "orchestrator/operate/exec_many.h"

#include <errno.h>

#include "orchestrator/command/client.h"
#include "orchestrator/operate/cmd_exec.h"
#include "orchestrator/operate/cmd_outside.h"
#include "tests/descriptors.h"
#include "tests/unit/orchestrator/operate/exec_daemon.h"

static void setup(void)
{
	testing_input();
	daemon_setup();
	exec_runs();
}

static void teardown(void)
{
	exec_ends();
	daemon_teardown();
}

TEST_GROUP(exec_many, .setup = setup, .teardown = teardown);

static void has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in:\n%.2000s", part, text);
}

/* ---- lines ---- */

/* the name of the host before each, as wide as the longest one */
TEST(exec_many__lines_of_hosts)
{
	ck_assert_int_eq(
		command_run(cmd_exec,
			    "exec|--all|--|sh|-c|echo of $HEDDLE_HOST $HEDDLE_FABRIC; cat; "
			    "echo; echo no >&2; printf end"),
		0);
	has(printed, "A    | of A lab\n");
	has(printed, "long | of long lab\n");
	has(printed, "B    | \n");
	has(printed, "B    | end\n");
	has(said, "long | no\n");
	ck_assert_uint_eq(strlen(printed),
			  strlen("long | of A lablong | of B lablong | of long lab") +
				  3 * strlen("\nlong | \nlong | end\n"));
	ck_assert_uint_eq(strlen(said), 3 * strlen("long | no\n"));
}

static const struct {
	const char *script;
	size_t spaces;    /* at the begin of what is printed */
	const char *text; /* after them */
} lines[] = {
	{ "printf 'a\\0b\\n\\nc'", 0, "a?b\n\nc\n" },
	{ "printf '%4094s\\ny\\n' x", 4093, "x\ny\n" },
	{ "printf '%4095s\\ny\\n' x", 4094, "x\ny\n" },
	{ "printf '%4096s\\ny\\n' x", 4095, "\nx\ny\n" },
	{ "printf '%4095s' x", 4094, "x\n" },
	{ "printf '\\377'", 0, "?\n" },
	{ "exec >&- 2>&-; exit 0", 0, "" },
};

/* those of more than 4095 bytes are cut into several */
TEST_RANGE(exec_many__long_lines, 0, (int)(sizeof(lines) / sizeof(lines[0])))
{
	char line[256], expected[5000] = "";
	json_t *list;

	snprintf(line, sizeof(line), "exec|--hosts|B|--json|--|sh|-c|%s", lines[_i].script);
	ck_assert_int_eq(command_run(cmd_exec, line), 0);
	list = json_loads(printed, 0, NULL);
	snprintf(expected, sizeof(expected), "%*s%s", (int)lines[_i].spaces, "", lines[_i].text);
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 0), "stdout")),
			 expected);
	json_decref(list);
}

/* ---- ends ---- */

TEST(exec_many__first_that_fails)
{
	ck_assert_int_eq(command_run(cmd_exec, "exec|--all|--|sh|-c|case $HEDDLE_HOST in B) exit "
					       "5;; long) kill -9 $$;; esac; exit 0"),
			 5);
	ck_assert_str_eq(printed, "");
	ck_assert_str_eq(said, "heddle exec: failed in 2 of 3 hosts: B (5) long (137)\n");
	ck_assert_int_eq(command_run(cmd_exec, "exec|--all|--json|--|sh|-c|test $HEDDLE_HOST = A"),
			 1);
	ck_assert_str_eq(said, "");
	has(printed, "[\n  {\n    \"host\": \"A\",\n    \"status\": 0,\n    \"stdout\": \"\",\n    "
		     "\"stderr\": \"\"\n  },\n  {\n    \"host\": \"B\",\n    \"status\": 1,\n");
}

/* a program that has closed its outputs is waited for */
TEST(exec_many__without_outputs)
{
	ck_assert_int_eq(
		command_run(cmd_exec, "exec|--hosts|A|--|sh|-c|exec >&- 2>&-; sleep 0.1; exit 4"),
		4);
	ck_assert_str_eq(said, "heddle exec: failed in 1 of 1 hosts: A (4)\n");
}

/* more than are served at a time: all have a turn */
TEST_RANGE(exec_many__more_than_at_a_time, EXEC_MANY_AT_A_TIME, EXEC_MANY_AT_A_TIME + 2)
{
	char *text = malloc(4096), name[64];
	unsigned found = 0;

	strcpy(text, "{\"hosts\": [{\"name\": \"h\"}");
	for (int i = 1; i < _i; i++)
		strcat(text, ", {\"name\": \"h\"}");
	strcat(text, "]}\n");
	hosts_answer = text;
	ck_assert_int_eq(command_run(cmd_exec, "exec|--all|--|sh|-c|echo x; exit 1"), 1);
	for (const char *at = printed; (at = strstr(at, "h | x\n")); at++)
		found++;
	ck_assert_uint_eq(found, (unsigned)_i);
	snprintf(name, sizeof(name), "heddle exec: failed in %d of %d hosts: h (1)", _i, _i);
	has(said, name);
	free(text);
}

static void no_line(size_t host, const char *line, bool error, void *context)
{
	(void)host;
	(void)line;
	(void)error;
	(void)context;
	ck_abort_msg("a line");
}

static void no_end(size_t host, int status, void *context)
{
	(void)host;
	(void)status;
	(void)context;
	ck_abort_msg("an end");
}

TEST_RANGE(exec_many__too_few_descriptors, 0, 4)
{
	char names[2][NODE_NAME_MAX] = { "A", "B" };
	const struct host_names hosts = { .fabric = "lab", .names = names, .count = 2 };
	char *const argv[] = { "true", NULL };
	const struct exec_many many = { "exec", &hosts, NULL, argv, no_line, no_end, NULL };
	uint32_t before = descriptors();

	descriptors_left((uint32_t)_i);
	said_begin();
	ck_assert_int_eq(exec_many(&many), CLIENT_USAGE);
	ck_assert_str_eq(said_end(), "heddle exec: no process for host A: Too many open files\n");
	ck_assert_uint_eq(descriptors(), before);
}

/* ---- which hosts ---- */

TEST(host_names_ask__none)
{
	ck_assert_int_eq(command_run(cmd_exec, "exec|--hosts|X*|--|true"), CLIENT_USAGE);
	ck_assert_str_eq(said, "heddle exec: no host of fabric lab is called like 'X*'\n");
	hosts_answer = "{\"hosts\": []}\n";
	ck_assert_int_eq(command_run(cmd_exec, "exec|--all|--|true"), CLIENT_USAGE);
	ck_assert_str_eq(said, "heddle exec: fabric lab has no hosts\n");
}

/* ---- a host's resolver ---- */

/* it cannot be written: the connection stands, and what is missing is said */
TEST_RANGE(cmd_outside__resolver_as_before, 0, 2)
{
	other_answer = _i ? "{\"text\": \"done\", \"host\": \"web\", \"state\": \"on\"}\n"
			  : "{\"text\": \"done\", \"host\": \"web\", \"state\": \"off\"}\n";
	exec_answer = "{\"namespaces\": []}\n";
	exec_paths[0] = NULL;
	ck_assert_int_eq(command_run(cmd_outside, _i ? "outside|web|on" : "outside|web|off"), 0);
	ck_assert_str_eq(printed, "done\n");
	has(said, _i ? "heddle outside: /etc/resolv.conf of web is as before: names outside need "
		       "the line 'nameserver 198.19.255.3' there\n"
		     : "heddle outside: /etc/resolv.conf of web is as before: it may name the "
		       "resolver of the connection\n");
	ck_assert_int_eq(command_run(cmd_outside, "outside|--json|web|on"), 0);
	has(printed, "\"text\": \"done\"");
}
