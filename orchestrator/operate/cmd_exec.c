/*  cmd_exec - `heddle exec` and `heddle shell`: a program in a host of a running fabric, or in many
 *  (TB-10, TB-15, DU-4).
 *
 *  The daemon sends descriptors of the host's namespaces and is not needed any more: the program is
 *  a child of this process, in its terminal, with its environment. */
#include "orchestrator/operate/cmd_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/utf8.h"
#include "orchestrator/command/client.h"
#include "orchestrator/operate/exec_many.h"
#include "orchestrator/operate/host_run.h"

struct exec_request {
	const char *fabric;
	const char *user; /* NULL: root of the host */
	const char *glob; /* of hosts; NULL: --all, or one host */
	bool all, shell, json;
};

#define AT(member) offsetof(struct exec_request, member)

static const struct option_row exec_rows[] = {
	CLIENT_FABRIC(AT(fabric)),
	{ "--user", 'u', "USER",
	  "as this user of the machine, with its groups; not root of the host", AT(user), NULL,
	  NULL, NULL, NULL },
	OPTION_FLAG("--all", AT(all),
		    "in every host at once, without standard input; each line of "
		    "output has its host, and '?' for a NUL"),
	OPTION_TEXT("--hosts", "GLOB", AT(glob), "... in those whose names match, e.g. 'h[1-4]'"),
	OPTION_FLAG("--json", AT(json), "of many hosts: status and outputs of each, for programs"),
	OPTION_FLAG("--rsh", AT(shell),
		    "as ssh: the words after HOST are joined by spaces, for /bin/sh; e.g. as\n"
		    "agent of a launcher"),
};

static const struct command_words exec_words = {
	"exec",
	"usage: heddle exec [-f FABRIC] HOST -- PROGRAM [ARGUMENT]...\n"
	"       heddle exec [-f FABRIC] --all | --hosts GLOB -- PROGRAM [ARGUMENT]...\n"
	"Runs a program in a host of a running fabric, e.g. heddle exec h1 -- ping -c 3 h6\n"
	"It has the host's network and host name, and the files of this machine; in its "
	"environment\n"
	"HEDDLE_FABRIC and HEDDLE_HOST, so that 'heddle' finds its fabric there.\n"
	"HOST may be a switch: the program then has the ends of all links with 'medium: veth', "
	"named\n"
	"NODE.NEIGHBOUR, e.g. heddle exec s1 -- tcpdump -i s1.s2   ('ip -br link' lists them)\n",
	"exit status: the program's; 128 + signal if one ended it; 126 it could not be started,\n"
	"2 wrong usage or no such fabric, 1 no such host. Of many: 0, or that of the first host,\n"
	"in the order of the fabric, whose program did not end with 0\n",
	OPTIONS(exec_rows),
	.program = true,
};

static const struct command_words shell_words = {
	"shell",
	"usage: heddle shell [-f FABRIC] HOST\n"
	"A shell ($SHELL if the host has it, else /bin/sh) in a host of a running fabric.\n",
	"exit status: as of 'heddle exec'\n",
	NULL,
	0,
	0,
	client_options,
	1,
	NULL,
	false
};

/* ---- many hosts ---- */

/* what the program of a host wrote, for --json */
struct kept_output {
	char *text;
	size_t length;
	FILE *stream;
};

struct many_report {
	const struct host_names *hosts;
	int *statuses;
	int width;
	struct kept_output (*kept)[2]; /* of each host: standard output, error; NULL: printed */
};

static void many_line(size_t host, const char *line, bool error, void *context)
{
	const struct many_report *report = context;
	struct kept_output *kept = report->kept ? &report->kept[host][error] : NULL;

	if (kept && !kept->stream)
		kept->stream = open_memstream(&kept->text, &kept->length);
	if (kept && kept->stream)
		fprintf(kept->stream, "%s\n", line);
	if (kept)
		return;
	fprintf(error ? stderr : stdout, "%-*s | %s\n", report->width, report->hosts->names[host],
		line);
	fflush(error ? stderr : stdout);
}

static void many_ended(size_t host, int status, void *context)
{
	struct many_report *report = context;

	report->statuses[host] = status;
}

/* the text that was kept; its stream is closed */
static json_t *kept_json(struct kept_output *kept)
{
	json_t *text;

	if (kept->stream)
		fclose(kept->stream);
	if (kept->text)
		utf8_mend(kept->text);
	text = json_string(kept->text ? kept->text : "");
	free(kept->text);
	return text;
}

/* Return: the status of the first program that failed, or 0 */
static int many_json_print(const struct many_report *report)
{
	json_t *list = json_array();
	int first = 0;

	for (size_t i = 0; i < report->hosts->count; i++) {
		first = first ? first : report->statuses[i];
		json_array_append_new(list, json_pack("{s:s, s:i, s:o, s:o}", "host",
						      report->hosts->names[i], "status",
						      report->statuses[i], "stdout",
						      kept_json(&report->kept[i][0]), "stderr",
						      kept_json(&report->kept[i][1])));
	}
	client_json_print(list);
	json_decref(list);
	return first;
}

/* names the hosts whose programs failed.  Return: the status of the first one, or 0 */
static int many_conclude(const struct many_report *report)
{
	size_t failed = 0;
	int first = 0;

	for (size_t i = 0; i < report->hosts->count; i++) {
		first = first ? first : report->statuses[i];
		failed += report->statuses[i] != 0;
	}
	if (!failed)
		return 0;
	fprintf(stderr, "heddle exec: failed in %zu of %zu hosts:", failed, report->hosts->count);
	for (size_t i = 0; i < report->hosts->count; i++)
		if (report->statuses[i])
			fprintf(stderr, " %s (%d)", report->hosts->names[i], report->statuses[i]);
	fputc('\n', stderr);
	return first;
}

static int many_run(const struct exec_request *request, char *const argv[])
{
	struct many_report report = { 0 };
	struct host_names hosts;
	int status = host_names_ask("exec", request->fabric, request->glob, &hosts);

	if (status)
		return status;
	report.hosts = &hosts;
	report.statuses = calloc(hosts.count, sizeof(*report.statuses));
	if (request->json)
		report.kept = calloc(hosts.count, sizeof(*report.kept));
	for (size_t i = 0; i < hosts.count; i++) {
		int length = (int)strlen(hosts.names[i]);

		report.width = length > report.width ? length : report.width;
	}
	if (!report.statuses || (request->json && !report.kept)) {
		status = options_wrong("exec", "not enough memory");
	} else {
		const struct exec_many many = { "exec",    &hosts,     request->user, argv,
						many_line, many_ended, &report };

		status = exec_many(&many);
		if (!status)
			status = report.kept ? many_json_print(&report) : many_conclude(&report);
	}
	free(report.kept);
	free(report.statuses);
	host_names_free(&hosts);
	return status;
}

/* ---- commands ---- */

/* @words joined by spaces.  Return: malloc'd; NULL: no memory */
static char *words_join(char *const words[])
{
	size_t length = 1;
	char *text, *at;

	for (char *const *word = words; *word; word++)
		length += strlen(*word) + 1;
	text = malloc(length);
	if (!text)
		return NULL;
	*text = 0;
	at = text;
	for (char *const *word = words; *word; word++)
		at += sprintf(at, "%s%s", at > text ? " " : "", *word);
	return text;
}

static int exec_run(const struct exec_request *request, const char *host, char *const argv[])
{
	char shell[] = "/bin/sh", option[] = "-c";
	char *joined = request->shell ? words_join(argv) : NULL;
	char *const by_shell[] = { shell, option, joined, NULL };
	char *const *program = request->shell ? by_shell : argv;
	int status;

	if (request->shell && !joined)
		return options_wrong("exec", "not enough memory");
	status = host ? host_run("exec", request->fabric, host, request->user, program, 0)
		      : many_run(request, program);
	free(joined);
	return status;
}

int cmd_exec(int argc, char **argv)
{
	struct exec_request request = { 0 };
	int count, at = 1, status = options_read(&exec_words, argc, argv, &request, &count);
	const char *host = NULL;
	bool many;

	if (status >= 0)
		return status;
	many = request.all || request.glob;
	if (request.json && !many)
		return options_wrong("exec", "--json is for many hosts: --all or --hosts; of one "
					     "the program's output is printed as it is");
	if (request.all && request.glob)
		return options_wrong("exec", "--all and --hosts: give one");
	if (!many && (!count || !strcmp(argv[1], "--")))
		return options_wrong("exec", "missing HOST; 'heddle exec --help' explains");
	if (!many)
		host = argv[at++];
	if (at <= count && !strcmp(argv[at], "--"))
		at++;
	if (at > count)
		return options_wrong("exec",
				     "missing PROGRAM: expected 'heddle exec %s -- PROGRAM'%s%s%s",
				     many ? "--all" : host, many ? "" : ", or 'heddle shell ",
				     many ? "" : host, many ? "" : "'");
	return exec_run(&request, host, argv + at);
}

int cmd_shell(int argc, char **argv)
{
	struct client_words client = { 0 };
	const char *shell = getenv("SHELL");
	/* a host with a root file system of its own may have fewer shells */
	const char *const arguments[] = {
		"/bin/sh", "-c",  "! command -v \"$1\" >/dev/null || exec \"$1\"; exec /bin/sh",
		"sh",      shell, NULL
	};
	int count, status = options_read(&shell_words, argc, argv, &client, &count);

	if (status >= 0)
		return status;
	if (!count)
		return options_wrong("shell", "missing HOST; 'heddle shell --help' explains");
	if (count > 1)
		return options_wrong(
			"shell", "'%s' is one word too many; 'heddle exec' runs programs", argv[2]);
	return host_run("shell", client.fabric, argv[1], NULL, (char *const *)arguments, 0);
}
