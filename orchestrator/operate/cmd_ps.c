/*  cmd_ps - `heddle ps`: running fabrics, their cost and fidelity (TB-8, TB-10, TB-22).
 *
 *  The daemon only reports counters since the start. So cost and lateness are since the start, or
 *  with --since the difference to an earlier output. */
#include "orchestrator/operate/cmd_ps.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/base/human.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"
#include "orchestrator/operate/observe.h"

struct request {
	const char *name, *since; /* NULL: not given */
	bool json;
};

#define AT(member) offsetof(struct request, member)

static const struct option_row options[] = {
	OPTION_TEXT("--since", "FILE", AT(since),
		    "cost, lateness and verdict since FILE was made by 'heddle ps --json > FILE',\n"
		    "instead of since the start"),
	OPTION_FLAG("--json", AT(json),
		    "the same for programs, always with all nodes, their ports and all counters"),
};

static const struct command_words words = {
	"ps",
	"usage: heddle ps [NAME] [--since FILE] [--json]\n"
	"Lists the running fabrics and their fidelity; with a NAME also every node of that fabric: "
	"its\n"
	"state, cost, packets and lateness, all since the start ('heddle top': now). 'dropped' "
	"counts\n"
	"lost frames of any kind, also ACKs, but not multicast reports without a listener.\n",
	"The verdict, since the start and of the last minute, is one of\n"
	"  valid            the delays of the links absorbed the lateness of every node\n"
	"  valid for rates  a hop may have added a delay, below 100 ms: in 99 % of a node's turns, "
	"and of\n"
	"                   the time, no more than stated\n"
	"  NOT VALID        figures do not count: for 1 % of the time in which a node had traffic, "
	"or more,\n"
	"                   data may have waited because it was later than its buffers last; or "
	"100 ms and\n"
	"                   more were added at a hop, so programs may have retransmitted what was "
	"not lost\n"
	"\n"
	"exit status: 0, also if nothing runs; 2 wrong usage or no fabric NAME, 4 a fabric does "
	"not answer\n",
	OPTIONS(options),
	OPERANDS("name", 0, 1),
};

/* ---- text ---- */

static double percent(const json_t *object)
{
	return json_real_value(json_object_get(object, "cpu_percent"));
}

static void manager_print(const json_t *manager)
{
	char swept[HUMAN_TEXT_MAX], changed[HUMAN_TEXT_MAX], took[HUMAN_TEXT_MAX];

	if (!manager)
		return;
	printf("manager    pid %d active, ", (int)member_number(manager, "active"));
	if (member_number(manager, "standby"))
		printf("pid %d standby", (int)member_number(manager, "standby"));
	else
		printf("no standby");
	printf("; swept %s ago in %s: %d switches, %d links between them, %d hosts\n",
	       client_time(manager, "swept_ago_ns", swept), client_time(manager, "took_ns", took),
	       (int)member_number(manager, "switches"), (int)member_number(manager, "links"),
	       (int)member_number(manager, "hosts"));
	if (member_number(manager, "changed_blocks"))
		printf("tables     changed %s ago: %d blocks in %d switches\n",
		       client_time(manager, "changed_ago_ns", changed),
		       (int)member_number(manager, "changed_blocks"),
		       (int)member_number(manager, "changed_switches"));
	if (member_text(manager, "trouble")[0])
		printf("           TROUBLE: %s\n", member_text(manager, "trouble"));
}

/* a line for each machine of several: what runs there, and the tunnel to it */
static void machines_print(const json_t *fabric)
{
	const json_t *machines = json_object_get(fabric, "machines"), *machine;
	size_t i;

	if (member_text(fabric, "tunnel_fate")[0])
		printf("tunnel     DEAD (%s): links to other machines are down; end the fabric and "
		       "start it again\n",
		       member_text(fabric, "tunnel_fate"));
	json_array_foreach (machines, i, machine) {
		char time[HUMAN_TEXT_MAX];
		double records = (double)member_number(machine, "received_frames");
		size_t hosts = json_array_size(json_object_get(machine, "hosts"));
		size_t links = json_array_size(json_object_get(machine, "links"));

		printf("%-10s %-8s %zu host%s, ", i ? "" : "machines", member_text(machine, "name"),
		       hosts, hosts == 1 ? "" : "s");
		if (json_is_true(json_object_get(machine, "here"))) {
			printf("this one\n");
			continue;
		}
		printf("%zu link%s to it: %s at %s; round trip %s, %lld B datagrams, lost %lld, "
		       "late %.3g %% of %lld frames\n",
		       links, links == 1 ? "" : "s", member_text(machine, "state"),
		       member_text(machine, "address"), client_time(machine, "round_trip_ns", time),
		       (long long)member_number(machine, "datagram_bytes"),
		       (long long)member_number(machine, "lost_frames"),
		       records > 0 ? 100 * (double)member_number(machine, "late_frames") / records
				   : 0.0,
		       (long long)records);
	}
}

static void faults_print(const json_t *faults)
{
	const json_t *fault;
	size_t i, present = 0, over = 0;

	if (!faults)
		return;
	json_array_foreach (faults, i, fault) {
		present += !strcmp(member_text(fault, "state"), "present");
		over += !strcmp(member_text(fault, "state"), "over");
	}
	printf("faults     %zu of %zu have happened, %zu of them present ('heddle faults')\n",
	       present + over, json_array_size(faults), present);
}

#define PROGRAMS_SHOWN_MAX 16u

/* the first line of @command with a word in it, and "..." if more follow */
static void command_print(const char *command)
{
	const char *from = command + strspn(command, " \t\n");
	size_t length = strcspn(from, "\n"), more = strspn(from + length, " \t\n");

	printf("%.*s%s\n", (int)length, from, from[length + more] ? " ..." : "");
}

/* a line for each start command */
static void programs_print(const json_t *fabric)
{
	const json_t *programs = json_object_get(fabric, "programs"), *program;
	size_t count = json_array_size(programs), i;

	json_array_foreach (programs, i, program) {
		if (i == PROGRAMS_SHOWN_MAX) {
			printf("           ... and %zu more\n", count - i);
			return;
		}
		printf("%-10s %-12s %s: ", i ? "" : "programs", member_text(program, "host"),
		       member_text(program, "fate"));
		command_print(member_text(program, "command"));
	}
}

static void fabric_print(const json_t *fabric)
{
	char memory[HUMAN_TEXT_MAX], uptime[HUMAN_TEXT_MAX];

	printf("fabric     %s, from %s\n", member_text(fabric, "fabric"),
	       member_text(fabric, "file"));
	printf("running    since %s (%s), daemon %d\n", member_text(fabric, "since"),
	       client_time(fabric, "uptime_ns", uptime), (int)member_number(fabric, "pid"));
	if (member_number(fabric, "dilation") > 1)
		printf("time       dilated %d times: times and rates are the fabric's, cost is the "
		       "machine's\n",
		       (int)member_number(fabric, "dilation"));
	printf("nodes      %d hosts, %d switches, %d links",
	       (int)member_number(fabric, "hosts_count"), (int)member_number(fabric, "switches"),
	       (int)member_number(fabric, "links"));
	if (member_number(fabric, "dead"))
		printf("; %d DEAD: 'heddle ps %s' has the reason, 'heddle start NODE' restarts one",
		       (int)member_number(fabric, "dead"), member_text(fabric, "fabric"));
	if (json_is_true(json_object_get(fabric, "init_dead")))
		printf("\nprograms   DEAD: the hosts' init process was killed; end the fabric and "
		       "start it again");
	printf("\ncost       %.1f %% of a core, %s of memory\n", percent(fabric),
	       human_bytes((uint64_t)member_number(fabric, "memory_bytes"), memory));
	if (member_number(fabric, "workers"))
		printf("packed     into %d worker%s; what one costs is in the row of its first "
		       "node\n",
		       (int)member_number(fabric, "workers"),
		       member_number(fabric, "workers") == 1 ? "" : "s");
	machines_print(fabric);
	manager_print(json_object_get(fabric, "manager"));
	faults_print(json_object_get(fabric, "faults"));
	programs_print(fabric);
	observe_deadlocks_print(fabric, stdout);
	observe_fidelity_print(fabric, stdout);
}

static void nodes_print(const json_t *fabric)
{
	const json_t *nodes = json_object_get(fabric, "nodes"), *node;
	size_t i;

	printf("\n%-6s  %-12s  %8s  %-8s  %6s  %10s  %11s  %11s  %8s  %10s  %10s  %10s\n", "kind",
	       "name", "pid", "state", "cpu %", "memory", "sent", "received", "dropped", "late p50",
	       "p99", "max");
	json_array_foreach (nodes, i, node) {
		char memory[HUMAN_TEXT_MAX], p50[HUMAN_TEXT_MAX], p99[HUMAN_TEXT_MAX],
			max[HUMAN_TEXT_MAX];
		const char *fate = member_text(node, "fate"),
			   *unplugged = member_text(node, "unplugged");

		printf("%-6s  %-12s  %8d  %-8s  %6.1f  %10s  %11lld  %11lld  %8lld  %10s  %10s  "
		       "%10s%s%s%s%s\n",
		       member_text(node, "kind"), member_text(node, "name"),
		       (int)member_number(node, "pid"), member_text(node, "state"), percent(node),
		       human_bytes((uint64_t)member_number(node, "memory_bytes"), memory),
		       (long long)member_number(node, "sent_packets"),
		       (long long)member_number(node, "received_packets"),
		       (long long)member_number(node, "dropped_packets"),
		       client_time(node, "lateness_p50_ns", p50),
		       client_time(node, "lateness_p99_ns", p99),
		       client_time(node, "lateness_max_ns", max), fate[0] ? "  " : "", fate,
		       unplugged[0] ? "  UNPLUGGED: a program in the host has deleted " : "",
		       unplugged);
	}
}

/* ---- command ---- */

/* the fabric of @answer in the file of --since; NULL after an error message */
static const json_t *since_find(const json_t *answer, const json_t *since, const char *file)
{
	const json_t *fabric;
	size_t i;

	json_array_foreach (since, i, fabric) {
		if (!strcmp(member_text(fabric, "fabric"), member_text(answer, "fabric")) &&
		    member_number(fabric, "pid") == member_number(answer, "pid"))
			return fabric;
	}
	options_wrong("ps",
		      "%s has no data of fabric %s as it runs now; make it with 'heddle ps --json "
		      "> FILE'",
		      file, member_text(answer, "fabric"));
	return NULL;
}

/* queries each of @names, with earlier data in @since (NULL: since its start). One that has just
 * ended is left out */
static int fabrics_ask(char (*names)[NODE_NAME_MAX], int count, const struct request *request,
		       const json_t *since, json_t *fabrics)
{
	int status = CLIENT_FINE;

	for (int i = 0; i < count; i++) {
		json_t *answer;
		int asked = client_fetch("ps", names[i], json_pack("{s:s}", "ask", "ps"), &answer);
		const json_t *before = NULL;

		status = status ? status : asked;
		if (!answer)
			continue;
		if (since && !(before = since_find(answer, since, request->since))) {
			json_decref(answer);
			return CLIENT_USAGE;
		}
		observe_cost(answer, before);
		observe_fidelity(answer, before);
		json_array_append_new(fabrics, answer);
	}
	return status;
}

static int fabrics_look(char (*names)[NODE_NAME_MAX], int count, const struct request *request,
			json_t *fabrics)
{
	json_error_t error;
	json_t *since = request->since ? json_load_file(request->since, 0, &error) : NULL;
	int status;

	if (request->since && !since)
		return options_wrong("ps", "--since %s: %s; make it with 'heddle ps --json > FILE'",
				     request->since, error.text);
	status = fabrics_ask(names, count, request, since, fabrics);
	json_decref(since);
	return status;
}

static int fabrics_show(char (*names)[NODE_NAME_MAX], int count, const struct request *request)
{
	json_t *fabrics = json_array(), *fabric;
	int status = fabrics_look(names, count, request, fabrics);
	/* one that starts or ends does not hide the others */
	bool shown = !status || json_array_size(fabrics);
	size_t i;

	if (shown && request->json) {
		client_json_print(fabrics);
	} else if (shown) {
		json_array_foreach (fabrics, i, fabric) {
			if (i)
				putchar('\n');
			fabric_print(fabric);
			if (request->name)
				nodes_print(fabric);
		}
		if (!count)
			printf("no fabric runs; start one with 'heddle up SCENARIO'\n");
	}
	json_decref(fabrics);
	return status;
}

/* the named fabric; an error if it does not run */
static int one_show(const struct request *request)
{
	char one[1][NODE_NAME_MAX];

	if (strlen(request->name) >= NODE_NAME_MAX)
		return options_wrong("ps", "no fabric '%s' runs", request->name);
	memcpy(one[0], request->name, strlen(request->name) + 1);
	return fabrics_show(one, 1, request);
}

static int all_show(const struct request *request)
{
	struct running running;
	int status = running_open(&running, "ps");

	if (status)
		return status;
	status = fabrics_show(running.names, running.count, request);
	running_close(&running);
	return status;
}

int cmd_ps(int argc, char **argv)
{
	struct request request = { 0 };
	int count, status = options_read(&words, argc, argv, &request, &count);

	if (status >= 0)
		return status;
	request.name = argv[1];
	return request.name ? one_show(&request) : all_show(&request);
}
