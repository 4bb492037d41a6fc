/*  cmd_ping_all - `heddle ping-all`: does every host reach every other one? (DU-4)
 *
 *  Each host runs ping(8) for its peers one after the other, all hosts at once. What does not
 *  answer soon gets more time at the end. */
#include "orchestrator/operate/cmd_ping_all.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/screen.h"
#include "orchestrator/command/client.h"
#include "orchestrator/operate/exec_many.h"
#include "orchestrator/run/neighbour_advice.h"

#define FAILED_SHOWN 20u

/* For each of "$@" but the host itself a line: "PEER MILLISECONDS", or "PEER" without an answer.
 * Those that do not answer within a second are asked again, 16 at once: so they do not take their
 * time one after the other. A ping ends early at an error of an earlier search for the neighbour:
 * then there is another one. */
static char script[] =
	"most=$1; shift\n"
	"command -v ping >/dev/null || { echo 'ping is not installed' >&2; exit 127; }\n"
	"ask() { ping -n -c 1 -w \"$1\" \"$2\" 2>/dev/null | "
	"sed -n 's/.* time=\\([0-9.]*\\).*/\\1/p' | head -n 1; }\n"
	"again() {\n"
	"	left=$most end=$(($(date +%s) + most))\n"
	"	while :; do\n"
	"		ms=$(ask $left \"$1\")\n"
	"		left=$((end - $(date +%s)))\n"
	"		[ -n \"$ms\" ] || [ $left -le 0 ] && break\n"
	"		sleep 1\n"
	"	done\n"
	"	echo \"$1 $ms\"\n"
	"}\n"
	"count=$#\n"
	"while [ $count -gt 0 ]; do\n"
	"	peer=$1; shift; count=$((count - 1))\n"
	"	[ \"$peer\" = \"$HEDDLE_HOST\" ] && continue\n"
	"	ms=$(ask 1 \"$peer\")\n"
	"	if [ -n \"$ms\" ]; then echo \"$peer $ms\"; else set -- \"$@\" \"$peer\"; fi\n"
	"done\n"
	"for peer; do\n"
	"	again \"$peer\" &\n"
	"	count=$((count + 1))\n"
	"	[ $((count % 16)) = 0 ] && wait\n"
	"done\n"
	"wait\n";

struct ping_request {
	const char *fabric, *glob, *wait;
	bool json;
};

#define AT(member) offsetof(struct ping_request, member)

static const struct option_row rows[] = {
	CLIENT_FABRIC(AT(fabric)),
	OPTION_TEXT("--hosts", "GLOB", AT(glob), "only between hosts whose names match"),
	OPTION_TEXT("--wait", "SECONDS", AT(wait),
		    "for an answer (10); ping repeats its request each second"),
	OPTION_FLAG("--json", AT(json), "each pair, for programs"),
};

static const struct command_words words = {
	"ping-all",
	"usage: heddle ping-all [-f FABRIC] [options]\n"
	"Every host of a running fabric pings every other one.\n",
	"exit status: 0 all answer, 1 a pair does not, 2 wrong usage or no such fabric, 4 no "
	"answer\nof the fabric\n",
	OPTIONS(rows),
	OPERANDS("word", 0, 0),
};

struct ping_result {
	const struct host_names *hosts;
	json_t *pairs; /* {from, to, ms or null} */
	size_t answered, failed;
	double least_ms, most_ms;
	bool broken; /* ping could not be run */
	bool json, terminal;
};

/* ---- one pair ---- */

static void failed_put(const struct ping_result *result, const char *from, const char *to)
{
	if (result->json || result->failed > FAILED_SHOWN)
		return;
	if (result->failed == FAILED_SHOWN)
		printf("... and more\n");
	else
		printf("%s -> %s  no answer\n", from, to);
}

static void progress_put(const struct ping_result *result)
{
	size_t done = result->answered + result->failed;

	if (result->terminal && !(done % 64))
		fprintf(stderr, "\r%zu of %zu pairs", done,
			result->hosts->count * (result->hosts->count - 1));
}

static void line_take(size_t host, const char *line, bool error, void *context)
{
	struct ping_result *result = context;
	const char *from = result->hosts->names[host], *space = strchr(line, ' ');
	char to[NODE_NAME_MAX], *end;
	double ms = space ? strtod(space + 1, &end) : 0;
	bool answered = space && space[1] && !*end;

	if (error || !space || (size_t)(space - line) >= sizeof(to)) {
		result->broken = true;
		options_wrong("ping-all", "%s: %s", from, line);
		return;
	}
	snprintf(to, sizeof(to), "%.*s", (int)(space - line), line);
	json_array_append_new(result->pairs,
			      json_pack("{s:s, s:s, s:o}", "from", from, "to", to, "ms",
					answered ? json_real(ms) : json_null()));
	if (!answered) {
		failed_put(result, from, to);
		result->failed++;
	} else {
		if (!result->answered || ms < result->least_ms)
			result->least_ms = ms;
		result->most_ms = ms > result->most_ms ? ms : result->most_ms;
		result->answered++;
	}
	progress_put(result);
}

static void ended_take(size_t host, int status, void *context)
{
	struct ping_result *result = context;

	(void)host;
	result->broken = result->broken || status;
}

/* ---- all ---- */

static int result_print(const struct ping_result *result)
{
	size_t pairs = result->answered + result->failed;

	if (result->terminal)
		fputs(SCREEN_LINE_CLEAR, stderr);
	if (result->json)
		client_json_print(result->pairs);
	else if (pairs)
		printf("%zu of %zu pairs answer", result->answered, pairs);
	if (!result->json && result->answered)
		printf(", the first time within %.3f to %.3f ms", result->least_ms,
		       result->most_ms);
	if (!result->json && pairs)
		putchar('\n');
	if (result->broken)
		return CLIENT_FAILED;
	return result->failed != 0;
}

static int hosts_ping(const struct ping_request *request, const struct host_names *hosts)
{
	char shell[] = "/bin/sh", option[] = "-c", name[] = "ping-all", ten[] = "10";
	char **argv = calloc(hosts->count + 6, sizeof(*argv));
	struct ping_result result = { .hosts = hosts,
				      .pairs = json_array(),
				      .json = request->json,
				      .terminal = isatty(STDERR_FILENO) };
	const struct exec_many many = { "ping-all", hosts,      NULL,   argv,
					line_take,  ended_take, &result };
	int status;

	if (!argv) {
		json_decref(result.pairs);
		return options_wrong("ping-all", "not enough memory");
	}
	argv[0] = shell;
	argv[1] = option;
	argv[2] = script;
	argv[3] = name;
	argv[4] = request->wait ? (char *)request->wait : ten;
	for (size_t i = 0; i < hosts->count; i++)
		argv[5 + i] = hosts->names[i];
	status = exec_many(&many);
	if (!status)
		status = result_print(&result);
	if (result.failed)
		neighbour_advice_print("ping-all", (uint64_t)hosts->count * (hosts->count - 1));
	json_decref(result.pairs);
	free(argv);
	return status;
}

int cmd_ping_all(int argc, char **argv)
{
	struct ping_request request = { 0 };
	struct host_names hosts;
	int count, status = options_read(&words, argc, argv, &request, &count);

	if (status >= 0)
		return status;
	if (count)
		return options_wrong("ping-all", "'%s' is one word too many", argv[1]);
	if (request.wait && (strspn(request.wait, "0123456789") != strlen(request.wait) ||
			     atoi(request.wait) < 1 || atoi(request.wait) > 60))
		return options_wrong("ping-all", "--wait takes 1 to 60 seconds, not '%s'",
				     request.wait);
	status = host_names_ask("ping-all", request.fabric, request.glob, &hosts);
	if (status)
		return status;
	status = hosts_ping(&request, &hosts);
	host_names_free(&hosts);
	return status;
}
