#include "orchestrator/live/live_describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/fabric_time.h"
#include "nodes/process/process_look.h"
#include "nodes/stats/stats.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/fabric/fabric_ready.h"
#include "orchestrator/live/live_fault.h"
#include "orchestrator/live/live_host.h"
#include "orchestrator/live/live_program.h"
#include "orchestrator/live/live_roce.h"
#include "orchestrator/live/live_tunnel.h"
#include "orchestrator/plan/plan_spare.h"
#include "orchestrator/results/fidelity.h"
#include "orchestrator/results/statistics.h"

/* ---- cost ---- */

/* memory of @pid: shared pages in proportion (PSS) if the kernel reports that, else whole (RSS) */
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

/* ---- counters ---- */

/* is the node's page valid? Reading it is safe in any case */
static bool page_readable(const struct fabric_node *state)
{
	return !stats_view_check(&state->view);
}

uint64_t live_describe_peer_waited_ns(const struct fabric *fabric, const struct port_config *port)
{
	const struct fabric_node *peer = &fabric->nodes[port->peer_index];

	if (!page_readable(peer) || port->peer_port >= peer->stats->port_count)
		return 0;
	return stats_port(peer->stats, port->peer_port)->paused_ps / NODE_NS;
}

/* the counters of @group at a port that are not 0 */
static json_t *counters_describe(const struct port_stats *port, enum statistic_group group)
{
	json_t *object = json_object();

	statistics_json_put(&port_statistics, group, port, true, object);
	return object;
}

static json_t *port_describe(const struct live *live, const struct port_config *config,
			     uint32_t index, const struct port_stats *port)
{
	return json_pack("{s:i, s:s, s:i, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
			 "s:I, s:I, s:I, s:I, s:o, s:o}",
			 "port", (int)index, "peer", config->peer_name, "link",
			 (int)config->link_index, "rate_bps", (json_int_t)config->rate_bps, "down",
			 live->plan->links[config->link_index].down, "tx_packets",
			 (json_int_t)port->tx_packets, "tx_bytes", (json_int_t)port->tx_bytes,
			 "tx_busy_ns", (json_int_t)(port->tx_busy_ps / NODE_NS), "rx_packets",
			 (json_int_t)port->rx_packets, "rx_bytes", (json_int_t)port->rx_bytes,
			 "lost_packets", (json_int_t)port->lost_packets, "reordered",
			 (json_int_t)port->reordered, "duplicated", (json_int_t)port->duplicated,
			 "corrupted", (json_int_t)port->corrupted, "paused_ns",
			 (json_int_t)(port->paused_ps / NODE_NS), "queue_bytes",
			 (json_int_t)port->queue_bytes, "peers_waited_ns",
			 (json_int_t)live_describe_peer_waited_ns(&live->fabric, config),
			 "input_units_max", (json_int_t)port->input_units_max, "congestion",
			 counters_describe(port, STATISTIC_CONGESTION), "paths",
			 counters_describe(port, STATISTIC_PATHS));
}

static void traffic_describe(const struct live *live, const struct node_config *config,
			     struct stats_page *stats, json_t *object)
{
	json_t *ports = json_array();
	struct port_stats sum = { 0 };

	for (uint32_t p = 0; p < config->port_count; p++) {
		const struct port_stats *port = stats_port(stats, p);

		statistics_fold(&port_statistics, port, &sum);
		if (!config->ports[p].vacant) {
			json_array_append_new(ports,
					      port_describe(live, &config->ports[p], p, port));
			live_roce_port_put(config, stats, p,
					   json_array_get(ports, json_array_size(ports) - 1));
		}
	}
	member_put(object, "sent_packets", sum.tx_packets);
	member_put(object, "sent_bytes", sum.tx_bytes);
	member_put(object, "received_packets", sum.rx_packets);
	member_put(object, "received_bytes", sum.rx_bytes);
	member_put(object, "queue_bytes", sum.queue_bytes);
	json_object_set_new(object, "ports", ports);
	member_put(object, "limited", sum.limited);
	member_put(object, "metered", sum.metered);
	member_put(object, "fgfc_held", sum.fgfc_held);
	member_put(object, "eca_acks", sum.eca_acks);
	member_put(object, "stops", sum.stops);
}

/* Reports for multicast routers are dropped, since there is none. That is no loss. */
static bool unwanted(int reason)
{
	return reason == DROP_NO_LISTENER;
}

static void drops_describe(const struct stats_page *stats, json_t *object)
{
	uint64_t sums[2] = { 0 };
	json_t *drops = json_object();

	for (int reason = 0; reason < DROP_REASONS; reason++) {
		sums[unwanted(reason)] += stats->drops[reason];
		if (stats->drops[reason])
			member_put(drops, stats_drop_name[reason], stats->drops[reason]);
	}
	member_put(object, "dropped_packets", sums[false]);
	member_put(object, "unwanted_packets", sums[true]);
	json_object_set_new(object, "drops", drops);
}

/* ---- lateness ---- */

json_t *live_describe_lateness(const struct lateness_stats *lateness)
{
	json_t *counts = json_object();
	char end_ns[24];

	for (uint32_t b = 0; b < STATS_LATENESS_BUCKETS; b++) {
		snprintf(end_ns, sizeof(end_ns), "%llu",
			 (unsigned long long)stats_lateness_ns(b + 1) - 1);
		if (lateness->count[b])
			member_put(counts, end_ns, lateness->count[b]);
	}
	return counts;
}

/* the lateness that the links and rings of a node absorb, as they are now */
static void limits_describe(const struct live *live, const struct node_config *config,
			    json_t *object)
{
	struct fidelity_limits limits;

	fidelity_limits_init(&limits, config->kind);
	for (uint32_t p = 0; p < config->port_count; p++)
		if (!config->ports[p].vacant &&
		    !live->plan->links[config->ports[p].link_index].down)
			fidelity_limits_port(&limits, config, &config->ports[p]);
	if (limits.made_up_ns != UINT64_MAX)
		member_put(object, "links_absorb_ns", limits.made_up_ns);
	if (limits.bridged_ns != UINT64_MAX)
		member_put(object, "buffers_bridge_ns", limits.bridged_ns);
}

/* ---- nodes ---- */

/* fabric time since monotonic_ns() was @since_ns */
static json_int_t age_ns(const struct live *live, uint64_t since_ns)
{
	return (json_int_t)((monotonic_ns() - since_ns) / live->plan->dilation);
}

static const char *state_name(const struct fabric_node *process)
{
	return !process->pid ? "dead" : process->stopped_ns ? "stopped" : "running";
}

/* a program in the host has deleted the interface to the fabric: its NIC runs without a host */
static void unplugged_put(const struct live *live, uint32_t node, json_t *object)
{
	const struct host_net *host;

	if (live->plan->nodes[node].kind != NODE_NIC || !live->hosts)
		return;
	host = &live->hosts[node - live->plan->switch_count];
	if (host->net_fd >= 0 && host_net_unplugged(host))
		json_object_set_new(object, "unplugged", json_string(host->interface));
}

static json_t *node_describe(const struct live *live, uint32_t node)
{
	const struct fabric_node *state = &live->fabric.nodes[node],
				 *process = fabric_process(&live->fabric, node);
	const struct node_config *config = &live->plan->nodes[node];
	bool readable = page_readable(state);
	pid_t own = state->pid; /* what a worker costs is that of its first node */
	json_t *object = json_pack(
		"{s:s, s:s, s:i, s:s, s:I, s:s, s:I, s:I, s:b}", "kind", plan_kind_word(config),
		"name", config->name, "pid", (int)process->pid_shown, "state", state_name(process),
		"uptime_ns", age_ns(live, process->started_ns), "fate",
		process->pid ? "" : state->fate, "cpu_ns", (json_int_t)process_cpu_ns(own),
		"memory_bytes", (json_int_t)memory_bytes_of(own), "readable", readable);

	if (!object)
		return NULL;
	if (state->packed)
		json_object_set_new(object, "worker", json_integer(state->slot));
	unplugged_put(live, node, object);
	if (!readable)
		return object;
	traffic_describe(live, config, state->stats, object);
	live_roce_node_put(config, state->stats, object);
	drops_describe(state->stats, object);
	limits_describe(live, config, object);
	member_put(object, "active_ns", state->stats->active_ns);
	member_put(object, "lateness_max_ns", state->stats->lateness.max_ns);
	json_object_set_new(object, "lateness_counts",
			    live_describe_lateness(&state->stats->lateness));
	return object;
}

/* members of a fabric of kind roce only */
static void roce_put(const struct live *live, json_t *object)
{
	struct stats_page **pages = calloc(live->plan->node_count, sizeof(struct stats_page *));

	for (uint32_t i = 0; pages && i < live->plan->node_count; i++) {
		const struct fabric_node *state = &live->fabric.nodes[i];

		if (plan_here(live->plan, i) && page_readable(state))
			pages[i] = state->stats;
	}
	if (pages)
		live_roce_put(live->plan, pages, object);
	free(pages);
}

/* @key of all nodes, and @own */
static uint64_t sum_of(const json_t *nodes, const char *key, uint64_t own)
{
	const json_t *node;
	size_t i;

	json_array_foreach (nodes, i, node)
		own += (uint64_t)member_number(node, key);
	return own;
}

/* of the daemon, its managers, and the nodes that have ended */
static uint64_t own_cpu_ns(const struct live *live)
{
	uint64_t cpu_ns = process_cpu_ns(getpid()) + live->fabric.cpu_ns;

	for (uint32_t i = 0; i < MANAGER_PAIR; i++)
		cpu_ns += process_cpu_ns(live->managers.list[i].pid);
	if (live->tunnel.pid)
		cpu_ns += process_cpu_ns(live->tunnel.pid);
	return cpu_ns;
}

static uint64_t own_memory_bytes(const struct live *live)
{
	uint64_t bytes = memory_bytes_of(getpid());

	for (uint32_t i = 0; i < MANAGER_PAIR; i++)
		bytes += memory_bytes_of(live->managers.list[i].pid);
	return bytes + memory_bytes_of(live->tunnel.pid);
}

json_t *live_describe(struct live_query *query)
{
	const struct live *live = query->live;
	const struct plan *plan = live->plan;
	struct plan_counts counts = plan_spare_counts(plan);
	json_t *nodes = json_array(), *object, *minute_ago;
	uint64_t cpu_ns, memory_bytes;
	uint32_t dead = 0;
	char since[32];

	for (uint32_t i = 0; i < plan->node_count; i++) {
		if (!plan_here(plan, i))
			continue;
		dead += !fabric_pid(&live->fabric, i);
		json_array_append_new(nodes, node_describe(live, i));
	}
	cpu_ns = sum_of(nodes, "cpu_ns", own_cpu_ns(live));
	memory_bytes = sum_of(nodes, "memory_bytes", own_memory_bytes(live));
	strftime(since, sizeof(since), "%Y-%m-%dT%H:%M:%SZ", gmtime(&live->since_s));
	object = json_pack("{s:s, s:s, s:s, s:o, s:i, s:s, s:I, s:I, s:o, s:i, s:i, s:i, s:i, s:I, "
			   "s:I, s:b, s:o}",
			   "fabric", live->place.name, "kind",
			   scenario_fabric_name[plan_fabric(plan)], "scenario", plan->scenario,
			   "file", utf8_json(plan->file), "pid", (int)getpid(), "since", since,
			   "uptime_ns", age_ns(live, live->since_ns), "dilation",
			   (json_int_t)plan->dilation, "hosts", live_hosts_describe(live),
			   "hosts_count", (int)counts.hosts, "switches", (int)counts.switches,
			   "links", (int)counts.links, "dead", (int)dead, "cpu_ns",
			   (json_int_t)cpu_ns, "memory_bytes", (json_int_t)memory_bytes,
			   "init_dead", live->namespaces.init_fd < 0, "nodes", nodes);
	if (!object)
		return NULL;
	live_tunnel_put(live, object, nodes);
	json_object_set_new(object, "programs", live_programs_describe(query->live));
	roce_put(live, object);
	if (live->fabric.pack.worker_count)
		member_put(object, "workers", live->fabric.pack.worker_count);
	member_put(object, "unfiltered_nodes", fabric_unfiltered(&live->fabric));
	json_object_set_new(object, "manager", manager_pair_describe(&live->managers));
	minute_ago = live_history_describe(&live->history, plan, monotonic_ns() - live->since_ns);
	if (minute_ago)
		json_object_set_new(object, "minute_ago", minute_ago);
	if (plan->faults.count)
		json_object_set_new(object, "faults", live_faults_describe(live));
	return object;
}
