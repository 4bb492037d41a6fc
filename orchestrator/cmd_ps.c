/*  cmd_ps - `heddle ps`: which fabrics run, what they cost, and whether they are faithful (TB-8, TB-10, TB-22).
 *
 *  The share of a core is what was used between two looks, LOOK_MS apart; the daemon only tells times used so far.     */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/client.h"
#include "orchestrator/commands.h"
#include "orchestrator/human.h"
#include "orchestrator/runtime_dir.h"

#define LOOK_MS 200u

static const char usage[] =
	"usage: heddle ps [NAME] [--json]\n"
	"Lists the running fabrics; with a NAME also every node of that one: its state, what it costs, packets\n"
	"and how late it handles events. A fabric is faithful as long as 99 % of the events of every node are\n"
	"handled in time, give or take a millisecond.\n"
	"\n"
	"  --json    the same for programs, always with all nodes\n"
	"\n"
	"exit status: 0, also if nothing runs; 2 wrong usage or no fabric NAME, 4 a fabric does not answer\n";

static int look(const char *name, json_t **answer)
{
	struct client client;
	int status = client_open(&client, "ps", name);

	*answer = NULL;
	if (!status)
		status = client_ask(&client, json_pack("{s:s}", "ask", "ps"), answer, NULL, NULL);
	client_close(&client);
	return status;
}

/* puts into @later what part of a core was used since @before */
static void share_put(json_t *later, const json_t *before, double passed_ns)
{
	double used_ns = (double)(client_number(later, "cpu_ns") - client_number(before, "cpu_ns"));

	json_object_set_new(later, "cpu_percent",
			    json_real(passed_ns > 0 && used_ns > 0 ? 100.0 * used_ns / passed_ns : 0.0));
}

static void shares_put(json_t *later, const json_t *before)
{
	double passed_ns = (double)(client_number(later, "uptime_ns") - client_number(before, "uptime_ns"));
	json_t *nodes = json_object_get(later, "nodes"), *node;
	const json_t *nodes_before = json_object_get(before, "nodes");
	size_t i;

	share_put(later, before, passed_ns);
	json_array_foreach(nodes, i, node) share_put(node, json_array_get(nodes_before, i), passed_ns);
}

/* ---- text ---- */

static const char *time_text(const json_t *object, const char *key, char *text)
{
	return human_time((node_time_t)client_number(object, key) * NODE_NS, text);
}

static double percent(const json_t *object)
{
	return json_real_value(json_object_get(object, "cpu_percent"));
}

static void fabric_print(const json_t *fabric)
{
	char memory[HUMAN_TEXT_MAX], uptime[HUMAN_TEXT_MAX], p50[HUMAN_TEXT_MAX], p99[HUMAN_TEXT_MAX],
		max[HUMAN_TEXT_MAX], allowed[HUMAN_TEXT_MAX];
	bool faithful = json_is_true(json_object_get(fabric, "faithful"));

	printf("fabric     %s, from %s\n", client_text(fabric, "fabric"), client_text(fabric, "file"));
	printf("running    since %s (%s), daemon %d\n", client_text(fabric, "since"),
	       time_text(fabric, "uptime_ns", uptime), (int)client_number(fabric, "pid"));
	printf("nodes      %d hosts, %d switches, %d links", (int)client_number(fabric, "hosts"),
	       (int)client_number(fabric, "switches"), (int)client_number(fabric, "links"));
	if (client_number(fabric, "dead"))
		printf("; %d DEAD: 'heddle ps %s' says why", (int)client_number(fabric, "dead"),
		       client_text(fabric, "fabric"));
	printf("\ncost       %.1f %% of a core, %s of memory\n", percent(fabric),
	       human_bytes((uint64_t)client_number(fabric, "memory_bytes"), memory));
	if (!client_text(fabric, "latest_node")[0]) {
		printf("fidelity   %s: %s\n", faithful ? "faithful" : "NOT FAITHFUL",
		       faithful ? "too little has happened to say more" : "a node has destroyed its statistics");
		return;
	}
	printf("fidelity   %s: the latest node, %s, handles events late by p50 %s, p99 %s, max %s (p99 %s allowed)\n",
	       faithful ? "faithful" : "NOT FAITHFUL", client_text(fabric, "latest_node"),
	       time_text(fabric, "lateness_p50_ns", p50), time_text(fabric, "lateness_p99_ns", p99),
	       time_text(fabric, "lateness_max_ns", max), time_text(fabric, "lateness_p99_ns_allowed", allowed));
}

static void nodes_print(const json_t *fabric)
{
	const json_t *nodes = json_object_get(fabric, "nodes"), *node;
	size_t i;

	printf("\n%-6s  %-12s  %8s  %-8s  %6s  %10s  %11s  %11s  %8s  %10s  %10s  %10s\n", "kind", "name", "pid",
	       "state", "cpu %", "memory", "sent", "received", "dropped", "late p50", "p99", "max");
	json_array_foreach(nodes, i, node)
	{
		char memory[HUMAN_TEXT_MAX], p50[HUMAN_TEXT_MAX], p99[HUMAN_TEXT_MAX], max[HUMAN_TEXT_MAX];
		const char *fate = client_text(node, "fate");

		printf("%-6s  %-12s  %8d  %-8s  %6.1f  %10s  %11lld  %11lld  %8lld  %10s  %10s  %10s%s%s\n",
		       client_text(node, "kind"), client_text(node, "name"), (int)client_number(node, "pid"),
		       client_text(node, "state"), percent(node),
		       human_bytes((uint64_t)client_number(node, "memory_bytes"), memory),
		       (long long)client_number(node, "sent_packets"),
		       (long long)client_number(node, "received_packets"),
		       (long long)client_number(node, "dropped_packets"), time_text(node, "lateness_p50_ns", p50),
		       time_text(node, "lateness_p99_ns", p99), time_text(node, "lateness_max_ns", max),
		       fate[0] ? "  " : "", fate);
	}
}

/* ---- command ---- */

/* looks twice at each of @names; the later answers go to @fabrics, one that has just ended is left out */
static int fabrics_look(char (*names)[NODE_NAME_MAX], int count, json_t *fabrics)
{
	json_t *before = json_array(), *answer;
	int status = CLIENT_FINE;

	for (int i = 0; i < count && !status; i++) {
		status = look(names[i], &answer);
		json_array_append_new(before, answer ? answer : json_null());
	}
	if (!status && count)
		usleep(LOOK_MS * 1000);
	for (int i = 0; i < count && !status; i++) {
		status = look(names[i], &answer);
		if (!answer)
			break;
		shares_put(answer, json_array_get(before, (size_t)i));
		json_array_append_new(fabrics, answer);
	}
	json_decref(before);
	return status;
}

static int fabrics_show(char (*names)[NODE_NAME_MAX], int count, bool with_nodes, bool as_json)
{
	json_t *fabrics = json_array(), *fabric;
	int status = fabrics_look(names, count, fabrics);
	size_t i;

	if (!status && as_json) {
		client_json_print(fabrics);
	} else if (!status) {
		json_array_foreach(fabrics, i, fabric)
		{
			if (i)
				putchar('\n');
			fabric_print(fabric);
			if (with_nodes)
				nodes_print(fabric);
		}
		if (!count)
			printf("no fabric runs; start one with 'heddle up SCENARIO'\n");
	}
	json_decref(fabrics);
	return status;
}

int cmd_ps(int argc, char **argv)
{
	char(*names)[NODE_NAME_MAX] = NULL, why[512];
	const char *name = NULL;
	bool as_json = false;
	int base_fd, count = 0, status;

	for (int at = 1; at < argc; at++) {
		if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h")) {
			fputs(usage, stdout);
			return CLIENT_FINE;
		}
		if (!strcmp(argv[at], "--json"))
			as_json = true;
		else if (argv[at][0] == '-')
			return client_wrong("ps", "there is no option %s; 'heddle ps --help' explains", argv[at]);
		else if (name)
			return client_wrong("ps", "two names, '%s' and '%s'; give one, or none for all", name,
					    argv[at]);
		else
			name = argv[at];
	}
	if (name && strlen(name) < NODE_NAME_MAX) {
		char one[1][NODE_NAME_MAX];

		memcpy(one[0], name, strlen(name) + 1);
		return fabrics_show(one, 1, true, as_json); /* complains if it does not run */
	}
	if (name)
		return client_wrong("ps", "no fabric '%s' runs", name);
	base_fd = runtime_open(false, why, sizeof(why));
	if (base_fd < 0 && base_fd != -ENOENT)
		return client_wrong("ps", "%s", why);
	if (base_fd >= 0)
		count = runtime_names(base_fd, &names);
	status = count < 0 ? client_wrong("ps", "cannot read the runtime directory: %s", strerror(-count))
			   : fabrics_show(names, count, false, as_json);
	free(names);
	if (base_fd >= 0)
		close(base_fd);
	return status;
}
