/*  orchestrator/operate/host_run, cmd_exec: what a program in a host is given, by namespaces or by
 *  request, and what is said if it cannot begin (TB-15, DU-3, DU-4, SC-8). */
#include "orchestrator/operate/host_run.h"

#include <errno.h>
#include <sys/mman.h>

#include "orchestrator/command/client.h"
#include "orchestrator/hosts/room_init.h"
#include "orchestrator/hosts/room_program.h"
#include "orchestrator/operate/cmd_exec.h"
#include "tests/descriptors.h"
#include "tests/unit/orchestrator/operate/exec_daemon.h"

static char out_path[128];

static void setup(void)
{
	testing_input();
	testing_leaves(); /* descriptors of the host: the process must end afterwards */
	daemon_setup();
	exec_runs();
	snprintf(out_path, sizeof(out_path), "%s/out", root);
	ck_assert_int_eq(chdir(root), 0);
}

static void teardown(void)
{
	exec_ends();
	unlink(out_path);
	ck_assert_int_eq(chdir("/"), 0);
	daemon_teardown();
}

TEST_GROUP(host_run, .setup = setup, .teardown = teardown);

/* what the program has written to `out` */
static const char *out(void)
{
	static char text[512];
	FILE *file = fopen(out_path, "re");

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return text;
}

static int runs(const char *line)
{
	return command_run(cmd_exec, line);
}

/* ---- by namespaces ---- */

TEST(host_run__environment)
{
	char expected[256];

	setenv("PATH", "/usr/bin:/bin", 1);
	unsetenv("LD_PRELOAD");
	ck_assert_int_eq(runs("exec|A|--|sh|-c|echo $HEDDLE_FABRIC $HEDDLE_HOST "
			      "$HEDDLE_RUNTIME_DIR ${HEDDLE_DILATION-none} >out; exit 3"),
			 3);
	snprintf(expected, sizeof(expected), "lab A %s none\n", run_folder);
	ck_assert_str_eq(out(), expected);
	ck_assert_str_eq(said, "");
	ck_assert_str_eq(asked, "{\"ask\":\"exec\",\"host\":\"A\"}\n");
	/* folders of root's programs as well */
	ck_assert_ptr_nonnull(strstr(getenv("PATH"), "/usr/sbin"));
}

TEST(host_run__dilated)
{
	exec_answer = "{\"namespaces\": [\"net\"], \"dilation\": \"3 4 5\", \"preload\": "
		      "\"/no/such.so\"}\n";
	setenv("LD_PRELOAD", "", 1);
	runs("exec|A|--|sh|-c|echo $HEDDLE_DILATION $LD_PRELOAD >out 2>&1");
	ck_assert_str_eq(out(), "3 4 5 /no/such.so\n");
}

TEST(host_run__limits)
{
	exec_answer = "{\"namespaces\": [\"net\"], \"limits\": {\"files\": 57, \"address_bytes\": "
		      "1024000000, \"processes\": 4321}}\n";
	ck_assert_int_eq(runs("exec|A|--|sh|-c|ulimit -n >out; ulimit -v >>out; grep processes "
			      "/proc/self/limits >>out"),
			 0);
	ck_assert_ptr_eq(strstr(out(), "57\n1000000\nMax processes             4321 "), out());
}

/* root in a host has the rights that a host needs, or all */
TEST_RANGE(host_run__rights, 0, 2)
{
	char all[512];

	if (geteuid()) {
		printf("skipped, needs root\n");
		return;
	}
	ck_assert_int_eq(system("grep CapEff /proc/self/status >out"), 0);
	strcpy(all, out());
	if (_i)
		exec_answer = "{\"namespaces\": [\"net\"], \"full_root\": true}\n";
	ck_assert_int_eq(runs("exec|A|--|sh|-c|grep CapEff /proc/self/status >out"), 0);
	ck_assert_int_eq(!strcmp(out(), all), _i);
}

static const struct {
	const char *name, *sentence;
} places[] = {
	{ "user", "entering the host's user namespace: Invalid argument" },
	{ "pid", "entering the host's pid namespace: Invalid argument" },
	{ "mount", "entering the host's mount namespace: Invalid argument" },
	{ "uts", "entering the host's UTS namespace: Invalid argument" },
	{ "net", "entering the host's network namespace: Invalid argument" },
};

/* each descriptor is what the answer calls it: /dev/null is no namespace */
TEST_RANGE(host_run__descriptors_by_name, 0, (int)(sizeof(places) / sizeof(places[0])))
{
	char answer[128], expected[128];

	snprintf(answer, sizeof(answer), "{\"namespaces\": [\"net\", \"%s\", 7]}\n",
		 places[_i].name);
	exec_answer = answer;
	exec_paths[1] = "/dev/null";
	ck_assert_int_eq(runs("exec|A|--|true"), 126);
	snprintf(expected, sizeof(expected), "heddle exec: %s\n", places[_i].sentence);
	ck_assert_str_eq(said, expected);
}

/* the program joins the groups of its host's limits: "0" is the process that writes */
TEST_RANGE(host_run__groups_of_limits, 0, 2)
{
	FILE *file = fopen(out_path, "we");

	fclose(file);
	exec_answer = _i ? "{\"namespaces\": [\"net\", \"memory\"]}\n"
			 : "{\"namespaces\": [\"net\", \"processes\"]}\n";
	exec_paths[1] = out_path;
	ck_assert_int_eq(runs("exec|A|--|true"), 0);
	ck_assert_str_eq(out(), "0");
}

TEST(host_run__no_namespace)
{
	exec_answer = "{\"namespaces\": []}\n";
	exec_paths[0] = NULL;
	ck_assert_int_eq(runs("exec|A|--|true"), CLIENT_FAILED);
	ck_assert_str_eq(said, "heddle exec: fabric lab has not sent the namespaces of A\n");
}

TEST(host_run__refused)
{
	exec_answer = "{\"error\": \"there is no host A\"}\n";
	exec_paths[0] = NULL;
	ck_assert_int_eq(runs("exec|A|--|true"), CLIENT_REFUSED);
	ck_assert_str_eq(said, "heddle exec: there is no host A\n");
}

TEST(host_run__users)
{
	char expected[256], answer[256];

	ck_assert_int_eq(runs("exec|--user|no-such-user|A|--|true"), CLIENT_USAGE);
	ck_assert_str_eq(said, "heddle exec: this machine has no user 'no-such-user'\n");
	snprintf(answer, sizeof(answer), "{\"namespaces\": [\"net\"], \"rootfs\": \"%s\"}\n", root);
	exec_answer = answer;
	ck_assert_int_eq(runs("exec|--user|ann|A|--|true"), CLIENT_USAGE);
	snprintf(expected, sizeof(expected), "heddle exec: %s/etc/passwd has no user 'ann'\n",
		 root);
	ck_assert_str_eq(said, expected);
}

/* ---- by request ---- */

static struct room_status status;
static bool status_told, words_right;
static unsigned served_fds;

/* the host has the words of the program, and says how it ended */
static void room_answers(const int *fds, unsigned count)
{
	char words[8192] = "";
	ssize_t length = pread(fds[ROOM_START_WORDS], words, sizeof(words), 0);

	served_fds = count;
	words_right = length > 0 && memmem(words, (size_t)length, "no/such prog", 12) &&
		      memmem(words, (size_t)length, root, strlen(root)) &&
		      memmem(words, (size_t)length, "HEDDLE_HOST=A", 13);
	if (status_told)
		(void)!write(fds[ROOM_START_STATUS], &status, sizeof(status));
}

static const struct {
	bool told;
	struct room_status status;
	const char *line;
	int exit_status;
	const char *said;
} ends[] = {
	{ true, { ROOM_ENDED, 5 << 8, false }, "exec|A|--|no/such prog", 5, "" },
	{ true, { ROOM_ENDED, 9, false }, "exec|A|--|no/such prog", 128 + 9, "" },
	{ true,
	  { ROOM_NOT_STARTED, -ENOENT, false },
	  "exec|A|--|no/such prog",
	  126,
	  "heddle exec: cannot run no/such prog: No such file or directory\n" },
	{ true,
	  { ROOM_NOT_STARTED, -EINVAL, true },
	  "exec|--user|root|A|--|no/such prog",
	  126,
	  "heddle exec: cannot become user root (0): Invalid argument; the hosts of this fabric "
	  "have no such user: 'heddle up' says why\n" },
	{ false,
	  { ROOM_ENDED, 0, false },
	  "exec|A|--|no/such prog",
	  126,
	  "heddle exec: the host has ended\n" },
};

TEST_RANGE(host_run__by_request, 0, (int)(sizeof(ends) / sizeof(ends[0])))
{
	uint32_t before;

	exec_answer = "{\"by_request\": true}\n";
	exec_paths[0] = NULL;
	others_served = room_answers;
	status = ends[_i].status;
	status_told = ends[_i].told;
	before = descriptors();
	ck_assert_int_eq(runs(ends[_i].line), ends[_i].exit_status);
	while (descriptors() != before + 1) /* by which it ends; the daemon closes its own ones */
		usleep(1000);
	ck_assert_str_eq(said, ends[_i].said);
	ck_assert_str_eq(asked, "{\"ask\":\"exec\",\"host\":\"A\"}\n{\"ask\":\"run\",\"host\":"
				"\"A\"}\n");
	ck_assert_uint_eq(served_fds, ROOM_START_FDS);
	ck_assert(words_right);
}

TEST(host_run__by_request_refused)
{
	exec_answer = "{\"by_request\": true}\n";
	exec_paths[0] = NULL;
	other_answer = "{\"error\": \"too many programs\"}\n";
	ck_assert_int_eq(runs("exec|A|--|true"), CLIENT_REFUSED);
	ck_assert_str_eq(said, "heddle exec: too many programs\n");
}
