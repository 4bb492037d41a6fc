/*  results - the results of a run, computed from its plan and the statistics pages of its nodes
 *  (TB-13).
 *
 *  Pure: no process, no clock, no file. `heddle run` passes the mapped pages of real processes, the
 *  in-process simulation of the tests passes the pages of its own nodes, and both get the same
 *  bytes from results_json.c. Every figure follows from integer counters; a ratio is one division
 *  at the end, so it is the same on every machine.
 *  A flow is one sending slot of one NIC. Its receiver is found by (source, slot), which its
 *  packets carry.
 *  Nothing on a page is trusted: a row of a flow that no sender knows is counted in
 *  `strange_rows`. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nodes/stats/stats.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/results/fidelity.h"
#include "orchestrator/results/pause_cycle.h"
#include "orchestrator/results/statistics.h"

/* mean (rounded down) and nearest-rank percentiles; valid if the count beside them is not 0 */
struct result_times {
	node_time_t mean_ps, p50_ps, p99_ps, p999_ps;
};

struct result_slowdowns {
	double mean, p50, p99, p999; /* 1: as fast as on an empty fabric */
};

/* fabric kind roce: reliable delivery and congestion control of a flow, a connection or queue
 * pair */
struct result_transport {
	TRANSPORT_STATISTICS(STATISTIC_FIELD, STATISTIC_FIELD, STATISTIC_FIELD)
};

struct result_flow {
	uint32_t workload, source, destination; /* indices in the plan: workload, hosts */
	uint32_t source_slot, traffic_class;
	uint64_t bytes, packets; /* received */
	uint64_t sent_bytes, sent_packets;
	/* over the measured interval; of whole frames, without FCS */
	uint64_t measured_bytes, goodput_bps;
	/* packets; lost = sent - received once the fabric is empty */
	uint64_t reordered, lost;
	/* packets in flight: sent, and neither received nor known to be lost; 0 once the fabric is
	 * empty */
	uint64_t under_way;
	node_time_t first_ps, last_ps; /* NODE_TIME_NEVER if nothing was received */
	uint64_t message_count;        /* complete */
	struct result_times fct;
	struct result_transport transport; /* fabric kind roce */
};

struct result_message {
	uint32_t flow; /* index in results.flows */
	uint64_t bytes;
	node_time_t start_ps, end_ps;
	double slowdown;
};

struct result_group {
	uint32_t workload;
	uint32_t flow_first, flow_count; /* its flows: results.flows[first .. first + count) */
	uint64_t goodput_bps;            /* of all its flows together */
	/* fairness of its flows' goodput, 1/count .. 1; 0 if there is none */
	double jain;
	uint64_t message_count;
	struct result_times fct;
	struct result_slowdowns slowdown;
};

struct result_port {
	uint32_t node, port;
	struct port_stats stats;
	double utilisation;      /* part of the measured interval in which the link was busy */
	double queue_bytes_mean; /* over the measured interval */
};

/* fabric kind roce: a traffic class of a port */
struct result_class {
	uint32_t node, port, traffic_class;
	struct class_stats stats;
	/* over the measured interval; the mean of no packet is 0 */
	double queue_bytes_mean, delay_ns_mean;
	uint64_t throughput_bps;
};

/* the lateness of a process (TB-8); real clock only */
struct result_lateness {
	struct fidelity node;
	uint64_t made_up_ns; /* by its links */
	uint64_t behind_ns;  /* the most that it was late by the clock */
	/* the port whose ring was full for longest, because its peer did not read ... */
	uint32_t full_port;
	node_time_t ring_full_ps; /* ... for so long */
	enum fidelity_verdict verdict;
	enum fidelity_reason reason;
	/* not carried in time: fidelity_uncarried_bytes(), of all ports */
	uint64_t uncarried_bytes;
};

/* was the machine fast enough for the scenario? Real clock only */
struct result_fidelity {
	struct result_lateness *nodes; /* one per node of the plan; NULL under the virtual clock */
	enum fidelity_verdict verdict; /* the worst of theirs */
	/* the most of theirs: what is late counts at each hop */
	uint64_t uncarried_bytes;
	uint32_t worst;   /* the node to be named in messages */
	uint32_t fullest; /* node whose ring was full for longest */
};

struct result_totals {
	uint64_t injected_bytes, delivered_bytes, lost_bytes;
	int64_t inside_bytes; /* injected - delivered - lost */
	uint64_t injected_packets, delivered_packets;
	/* what the nodes report to hold; equals inside_bytes once nothing is in flight */
	uint64_t held_bytes;
	uint64_t waiting_bytes;              /* at NICs, not yet injected */
	uint64_t lost, under_way, reordered; /* packets, of all flows */
	uint64_t channels;                   /* lines of EFCT, IFCT and OFCT still allocated */
	/* data units lost on links; of these, reported to the flow's source (FC-17) */
	uint64_t lost_units, reported_units;
	/* data units that were lost and not reported to their source; while data is in flight: at
	 * most */
	uint64_t unreported_units;
	uint64_t channel_waits, messages, messages_unlogged;
};

/* a fault and its consequences */
struct result_fault {
	bool failed, returned; /* the failure, the return has happened */
	/* packets that were on it, committed to it, or waited for it to their host */
	uint64_t lost;
	uint64_t astray;     /* packets without a route until tables followed */
	uint64_t before_bps; /* delivered before it; 0: unknown */
	uint64_t least_bps;  /* the least that a window after it delivered */
	/* until 90 % of the rate before was delivered again; NODE_TIME_NEVER: it was not, until
	 * five windows before the next fault */
	node_time_t recovery_ps;
};

enum symptom_kind { SYMPTOM_NO_TABLES, SYMPTOM_NOTHING_DELIVERED, SYMPTOM_KINDS };

/* a sign of an error at @node: results_symptom.h */
struct result_symptom {
	enum symptom_kind kind;
	uint32_t node;   /* in the plan */
	uint64_t resent; /* packets, of a host */
};

struct result_expectation {
	const char *text; /* borrowed from the plan */
	bool known;       /* there is a value: without messages there is no percentile */
	bool ok;
	double value;
	double reached; /* how much of its bound, 0 to 1: expect.h */
	char shown[48]; /* the value for people, with its unit */
};

/* the cost of the run; from fabric.h, only for --timing */
struct result_host {
	double start_s, wall_s, end_s; /* starting the nodes, running, ending them */
	double cpu_s;                  /* user and system time of all processes */
	/* virtual clock: time of cores that other programs took from waiting nodes */
	double stolen_s;
	/* the same: how often the nodes were moved to fewer cores, or back */
	uint64_t moves;
	uint64_t packet_hops, windows, node_windows, wakes;
	uint64_t workers;          /* that ran the nodes; 0: each node was a process (SC-3) */
	uint64_t unfiltered_nodes; /* that run without the system call filter (TB-24) */
};

struct results {
	bool interrupted; /* the run was ended early */
	bool empty;       /* nothing was in flight at the end: totals must balance */
	/* where the fabric stopped: the last event if it is empty, else the clock's limit */
	node_time_t end_ps;
	node_time_t measured_ps;
	bool stalled; /* nothing can happen any more, although nodes hold data: run_stalled() */
	uint32_t flow_count;
	struct result_flow *flows; /* by workload, source, destination, class, slot */
	uint64_t message_count;
	struct result_message *messages; /* by flow, then start, then end */
	uint32_t group_count;
	struct result_group *groups; /* one per workload of the plan */
	struct result_group all;     /* all flows together */
	uint32_t port_count;
	struct result_port *ports; /* by node, port */
	/* fabric kind roce, else none */
	uint32_t class_count;
	struct result_class *classes;  /* by node, port, class */
	struct pause_cycles deadlocks; /* at the end */
	uint32_t fault_count;
	struct result_fault *faults; /* of the plan's; filled by fault_schedule_report() */
	uint32_t symptom_count;
	struct result_symptom *symptoms; /* switches first, each kind in the order of the plan */
	uint32_t expectation_count;
	struct result_expectation *expectations; /* filled by expect_evaluate() */
	uint64_t drops[DROP_REASONS];
	struct result_totals totals;
	struct result_fidelity fidelity;
	uint64_t data_hops;
	uint64_t strange_rows;
};

/** results_gather() - computes @results from @plan and @pages, one statistics page per node in the
 *  plan's order. The clock is stopped and the pages have passed stats_view_check().
 *  @results  set by the caller before: interrupted, empty, end_ps (where the clock stopped);
 *  everything else is filled. results_free() later.
 *  Return: 0 or -ENOMEM.  O(n log n) in flows and messages. */
int results_gather(const struct plan *plan, struct stats_page *const *pages,
		   struct results *results);
void results_free(struct results *results);

/** results_balanced() - true if injected = delivered + held + lost. Always true while frames are in
 *  flight, because then the sum is unknown (TB-25). */
bool results_balanced(const struct results *results);

/** results_port() - the row of port @port of node @node; it exists. */
const struct result_port *results_port(const struct plan *plan, const struct results *results,
				       uint32_t node, uint32_t port);

/** results_is_roce() - true for a fabric of kind roce. */
static inline bool results_is_roce(const struct plan *plan)
{
	return plan_fabric(plan) == FABRIC_ROCE;
}

/** results_has_paths() - true if paths are chosen by more than a fixed rule, or the fabric is of
 *  kind port-group. The choices of roce's hashes are not counted. */
static inline bool results_has_paths(const struct plan *plan)
{
	const struct node_config *node = &plan->nodes[0];
	bool unordered = false;

	for (uint32_t c = 0; c < node->class_count; c++)
		unordered |= node->classes[c].unordered;
	return plan_fabric(plan) == FABRIC_PORT_GROUP ||
	       (plan_fabric(plan) == FABRIC_FLOW_CHANNEL &&
		(unordered || node->switch_.routing.choice != ROUTING_STATIC ||
		 node->switch_.routing.redirect || node->switch_.routing.detour != DETOUR_NEVER));
}

/** results_undelivered() - true if @flow retransmitted packets and none has arrived: something
 *  stops all of them. */
static inline bool results_undelivered(const struct result_flow *flow)
{
	return flow->transport.resent && !flow->packets;
}

/** results_undelivered_count() - the number of such flows among the @count flows at @flows. */
uint32_t results_undelivered_count(const struct result_flow *flows, uint32_t count);

/** results_rank() - the index of the nearest-rank percentile @permille (1..1000) among @count (> 0)
 *  sorted values. */
uint64_t results_rank(uint64_t count, uint32_t permille);

/** results_bps() - the rate of @bytes in @interval_ps, b/s, rounded down; 0 if that is 0. */
uint64_t results_bps(uint64_t bytes, node_time_t interval_ps);

/** results_jain() - Jain's index of @count flows' measured bytes: (sum x)^2 / (count * sum x^2); 0
 *  if nothing flowed. */
double results_jain(const struct result_flow *flows, uint32_t count);

#endif
