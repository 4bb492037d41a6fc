/*  cmd_faults - `heddle faults`: the faults and pauses of the scenario of a running fabric (FC-26,
 *  DU-6, DU-8). */
#include "orchestrator/operate/cmd_faults.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/base/human.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"

static const struct command_words words = {
	"faults",
	"usage: heddle faults [-f FABRIC] [--json]                list the faults\n"
	"       heddle faults [-f FABRIC] [--json] start | stop\n"
	"The faults of the scenario. They happen at their times, which count from the start of\n"
	"the fabric or, with 'heddle up --hold', from 'start'. After the last fault, 'start'\n"
	"repeats all of them and the scenario's pauses. 'stop' ends both; what they have taken\n"
	"down returns.\n",
	"exit status: 0 fine, 1 it cannot be done, 2 wrong usage or no such fabric, 4 no answer\n",
	.options = client_options,
	.option_count = 2,
	OPERANDS("word", 0, 1),
};

static const char *moment(const json_t *fault, const char *key, char *text)
{
	return json_is_null(json_object_get(fault, key)) ? "-" : client_time(fault, key, text);
}

static void fault_print(const json_t *fault)
{
	char at[HUMAN_TEXT_MAX], until[HUMAN_TEXT_MAX];

	printf("%5d  %-36s  %-8s  %9s  %9s  %7lld  %7lld\n", (int)member_number(fault, "fault"),
	       member_text(fault, "what"), member_text(fault, "state"), moment(fault, "at_ns", at),
	       moment(fault, "until_ns", until), (long long)member_number(fault, "lost_packets"),
	       (long long)member_number(fault, "astray_packets"));
}

/* why `ps` has more: it counts also what comes after the tables have followed */
static void drops_print(const json_t *answer)
{
	const json_t *drops = json_object_get(answer, "drops"), *count;
	const char *reason, *comma = " ";

	fputs("lost: on the link, or queued for it, when it failed; astray: without a route from "
	      "then until\ntables followed. All drops of these reasons since the start of the "
	      "fabric, also after that:\n",
	      stdout);
	json_object_foreach ((json_t *)drops, reason, count) {
		if (!json_integer_value(count))
			continue;
		printf("%s%lld %s", comma, (long long)json_integer_value(count), reason);
		comma = ", ";
	}
	puts(*comma == ' ' ? " none" : "");
}

static void faults_print(const json_t *answer)
{
	const json_t *faults = json_object_get(answer, "faults"), *fault;
	char time[HUMAN_TEXT_MAX];
	size_t i;

	printf("%zu fault%s, %d pause%s; ", json_array_size(faults),
	       json_array_size(faults) == 1 ? "" : "s", (int)member_number(answer, "pauses"),
	       member_number(answer, "pauses") == 1 ? "" : "s");
	if (json_is_null(json_object_get(answer, "time_ns")))
		puts("they wait for 'heddle faults start'");
	else
		printf("the time line is at %s\n", client_time(answer, "time_ns", time));
	if (!json_array_size(faults))
		return;
	printf("%5s  %-36s  %-8s  %9s  %9s  %7s  %7s\n", "fault", "what", "state", "at", "until",
	       "lost", "astray");
	json_array_foreach (faults, i, fault)
		fault_print(fault);
	drops_print(answer);
}

int cmd_faults(int argc, char **argv)
{
	struct client_words client_words = { 0 };
	const char *ask = "faults";
	int count, status = options_read(&words, argc, argv, &client_words, &count);

	if (status >= 0)
		return status;
	if (count && strcmp(argv[1], "start") != 0 && strcmp(argv[1], "stop") != 0)
		return options_wrong("faults", "expected 'start' or 'stop', not '%s'", argv[1]);
	if (count)
		ask = strcmp(argv[1], "start") ? "faults-stop" : "faults-start";
	return client_ask_and_show("faults", client_words.fabric, json_pack("{s:s}", "ask", ask),
				   client_words.json, faults_print);
}
