#include "orchestrator/live_describe.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nodes/stats.h"
#include "orchestrator/plan_room.h"
#include "orchestrator/wall_time.h"

static uint64_t cpu_ns_of(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (!pid || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* what @pid takes of the memory: shared pages in parts (PSS) if the kernel tells, else whole (RSS) */
static uint64_t memory_bytes_of(pid_t pid)
{
	unsigned long long value = 0;
	char path[64], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	file = pid ? fopen(path, "re") : NULL;
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "Pss: %llu kB", &value) == 1;
	if (file)
		fclose(file);
	if (found || !pid)
		return value * 1024;
	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%*u %llu", &value) != 1)
		value = 0;
	if (file)
		fclose(file);
	return value * (uint64_t)sysconf(_SC_PAGESIZE);
}

struct node_sums {
	uint64_t cpu_ns, memory_bytes;
	uint64_t worst_p99_ns;
	uint32_t worst; /* the node that is latest */
	uint32_t judged, dead, unreadable;
};

/* its counters; false if it has destroyed its page */
static bool page_describe(const struct live *live, uint32_t node, json_t *object, struct node_sums *sums)
{
	const struct fabric_node *state = &live->fabric.nodes[node];
	uint64_t sent = 0, received = 0, dropped = 0, p99_ns;
	json_t *drops = json_object();

	if (stats_check(state->stats, state->stats_size)) {
		json_decref(drops);
		return false;
	}
	for (uint32_t port = 0; port < live->plan->nodes[node].port_count; port++) {
		sent += stats_port(state->stats, port)->tx_packets;
		received += stats_port(state->stats, port)->rx_packets;
	}
	for (int reason = 0; reason < DROP_REASONS; reason++) {
		uint64_t count = state->stats->drops[reason];

		dropped += count;
		if (count)
			json_object_set_new(drops, stats_drop_name[reason], json_integer((json_int_t)count));
	}
	p99_ns = stats_lateness_quantile(&state->stats->lateness, LIVE_LATENESS_PERMILLE);
	if (state->stats->lateness.events >= LIVE_LATENESS_EVENTS_MIN &&
	    (!sums->judged++ || p99_ns > sums->worst_p99_ns)) {
		sums->worst_p99_ns = p99_ns;
		sums->worst = node;
	}
	json_object_set_new(object, "sent_packets", json_integer((json_int_t)sent));
	json_object_set_new(object, "received_packets", json_integer((json_int_t)received));
	json_object_set_new(object, "dropped_packets", json_integer((json_int_t)dropped));
	json_object_set_new(object, "drops", drops);
	json_object_set_new(object, "lateness_p50_ns",
			    json_integer((json_int_t)stats_lateness_quantile(&state->stats->lateness, 500)));
	json_object_set_new(object, "lateness_p99_ns", json_integer((json_int_t)p99_ns));
	json_object_set_new(object, "lateness_max_ns", json_integer((json_int_t)state->stats->lateness.max_ns));
	return true;
}

static const char *state_name(const struct fabric_node *state)
{
	return !state->pid ? "dead" : state->stopped_ns ? "stopped" : "running";
}

static json_t *node_describe(const struct live *live, uint32_t node, struct node_sums *sums)
{
	const struct fabric_node *state = &live->fabric.nodes[node];
	uint64_t cpu_ns = cpu_ns_of(state->pid), memory_bytes = memory_bytes_of(state->pid);
	json_t *object = json_pack("{s:s, s:s, s:i, s:s, s:s, s:I, s:I}", "kind",
				   live->plan->nodes[node].kind == NODE_SWITCH ? "switch" : "nic", "name",
				   live->plan->nodes[node].name, "pid", (int)state->pid_shown, "state",
				   state_name(state), "fate", state->pid ? "" : state->fate, "cpu_ns",
				   (json_int_t)cpu_ns, "memory_bytes", (json_int_t)memory_bytes);

	sums->cpu_ns += cpu_ns;
	sums->memory_bytes += memory_bytes;
	sums->dead += !state->pid;
	if (!page_describe(live, node, object, sums))
		sums->unreadable++;
	return object;
}

static void fidelity_describe(const struct live *live, const struct node_sums *sums, json_t *body)
{
	const struct fabric_node *worst = &live->fabric.nodes[sums->worst];
	const struct lateness_stats *lateness = &worst->stats->lateness;

	json_object_set_new(body, "faithful",
			    json_boolean(!sums->unreadable && sums->worst_p99_ns <= LIVE_LATENESS_NS_MAX));
	json_object_set_new(body, "lateness_p99_ns_allowed", json_integer(LIVE_LATENESS_NS_MAX));
	if (!sums->judged || stats_check(worst->stats, worst->stats_size))
		return;
	json_object_set_new(body, "latest_node", json_string(live->plan->nodes[sums->worst].name));
	json_object_set_new(body, "lateness_p50_ns", json_integer((json_int_t)stats_lateness_quantile(lateness, 500)));
	json_object_set_new(body, "lateness_p99_ns", json_integer((json_int_t)sums->worst_p99_ns));
	json_object_set_new(body, "lateness_max_ns", json_integer((json_int_t)lateness->max_ns));
}

json_t *live_describe(struct asking *asking)
{
	const struct live *live = asking->live;
	const struct plan *plan = live->plan;
	struct node_sums sums = { .cpu_ns = cpu_ns_of(getpid()), .memory_bytes = memory_bytes_of(getpid()) };
	struct plan_counts counts = plan_room_counts(plan);
	json_t *nodes = json_array(), *body;
	char since[32];

	for (uint32_t i = 0; i < plan->node_count; i++)
		if (!plan_vacant(plan, i))
			json_array_append_new(nodes, node_describe(live, i, &sums));
	strftime(since, sizeof(since), "%Y-%m-%dT%H:%M:%SZ", gmtime(&live->since_s));
	body = json_pack("{s:s, s:s, s:s, s:i, s:s, s:I, s:i, s:i, s:i, s:i, s:I, s:I}", "fabric", live->place.name,
			 "scenario", plan->scenario, "file", plan->file, "pid", (int)getpid(), "since", since,
			 "uptime_ns", (json_int_t)(wall_ns() - live->since_ns), "hosts", (int)counts.hosts, "switches",
			 (int)counts.switches, "links", (int)counts.links, "dead", (int)sums.dead, "cpu_ns",
			 (json_int_t)sums.cpu_ns, "memory_bytes", (json_int_t)sums.memory_bytes);
	if (body)
		fidelity_describe(live, &sums, body);
	json_object_set_new(body, "nodes", nodes);
	return body;
}
