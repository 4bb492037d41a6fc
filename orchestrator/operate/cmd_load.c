/*  cmd_load - `heddle load`: the workloads that run in a fabric beside real programs (TB-12,
 *  DU-8). */
#include "orchestrator/operate/cmd_load.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/base/human.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"

static const struct command_words words = {
	"load",
	"usage: heddle load [-f FABRIC] [--json]                     list the workloads\n"
	"       heddle load [-f FABRIC] [--json] start | stop [NAME]\n"
	"       heddle load [-f FABRIC] [--json] set NAME load=SHARE\n"
	"The workloads of the scenario. They run in the NICs of a running fabric, beside the\n"
	"programs in its hosts. Figures are those since the last start; completion times are\n"
	"those of the last 4096 messages that each NIC received. 'start' begins again, with\n"
	"'start', 'stop' and 'messages' of the workload; after 'stop' the messages that have\n"
	"started are still sent. Without a NAME all workloads are meant. 'set' changes the load\n"
	"of paced and Poisson arrivals.\n",
	"exit status: 0 fine, 1 it cannot be done, 2 wrong usage or no such fabric, 4 no answer\n",
	.options = client_options,
	.option_count = 2,
	OPERANDS("word", 0, 3),
};

static const char *time_or_dash(const json_t *times, const char *key, char *text)
{
	return member_number(times, "count") ? client_time(times, key, text) : "-";
}

static void load_print(const json_t *load)
{
	const json_t *times = json_object_get(load, "completion");
	char sent[HUMAN_TEXT_MAX], received[HUMAN_TEXT_MAX], rate[HUMAN_TEXT_MAX],
		ran_for[HUMAN_TEXT_MAX], p50[HUMAN_TEXT_MAX], p99[HUMAN_TEXT_MAX];

	printf("%-16s  %-8s  %9s  %10s  %10s  %6d  %10s  %8lld  %9s  %9s\n",
	       member_text(load, "name"), member_text(load, "state"),
	       client_time(load, "ran_ns", ran_for),
	       human_bytes((uint64_t)member_number(load, "sent_bytes"), sent),
	       human_bytes((uint64_t)member_number(load, "received_bytes"), received),
	       (int)member_number(load, "lost_packets"),
	       human_rate((uint64_t)member_number(load, "rate_bps"), rate),
	       (long long)member_number(load, "messages_complete"),
	       time_or_dash(times, "p50_ns", p50), time_or_dash(times, "p99_ns", p99));
}

static void loads_print(const json_t *answer)
{
	const json_t *loads = json_object_get(answer, "loads"), *load;
	size_t i;

	if (!json_array_size(loads)) {
		puts("the scenario has no workloads");
		return;
	}
	printf("%-16s  %-8s  %9s  %10s  %10s  %6s  %10s  %8s  %9s  %9s\n", "workload", "state",
	       "ran for", "sent", "received", "lost", "rate", "messages", "time p50", "time p99");
	json_array_foreach (loads, i, load)
		load_print(load);
}

/* the request for @words; NULL after an error message */
static json_t *load_request(int count, char **given)
{
	static const char *const keys[] = { "load", NULL };
	const char *verb = count ? given[0] : "";
	json_t *request = NULL;
	char ask[16];

	if (!count)
		return json_pack("{s:s}", "ask", "loads");
	snprintf(ask, sizeof(ask), "load-%.5s", verb);
	if (strcmp(verb, "set") ? (strcmp(verb, "start") && strcmp(verb, "stop")) || count > 2
				: count != 3)
		options_wrong("load", "expected 'start [NAME]', 'stop [NAME]' or 'set NAME "
				      "load=SHARE'; 'heddle load --help' explains");
	else if (!(request = json_pack("{s:s, s:s*}", "ask", ask, "name",
				       count > 1 ? given[1] : NULL)))
		options_wrong("load", "'%s' is not valid UTF-8", given[1]);
	if (count < 3 || !request)
		return request;
	if (!client_key_put("load", request, keys, given[2]))
		return request;
	json_decref(request);
	return NULL;
}

int cmd_load(int argc, char **argv)
{
	struct client_words client_words = { 0 };
	json_t *request;
	int count, status = options_read(&words, argc, argv, &client_words, &count);

	if (status >= 0)
		return status;
	request = load_request(count, argv + 1);
	return request ? client_ask_and_show("load", client_words.fabric, request,
					     client_words.json, loads_print)
		       : CLIENT_USAGE;
}
