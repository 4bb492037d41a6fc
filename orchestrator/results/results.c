#include "orchestrator/results/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan_ideal.h"
#include "orchestrator/results/results_fidelity.h"
#include "orchestrator/results/results_roce.h"
#include "orchestrator/results/results_symptom.h"

/* slot s of host h is flow place[first_flow[h] + s]: its own number until the flows are sorted,
 * then its place */
struct gathering {
	const struct plan *plan;
	struct stats_page *const *pages;
	struct results *results;
	uint32_t *first_flow; /* [host_count + 1] */
	uint32_t *place;      /* [flow_count] */
	/* nothing can happen any more and nothing is held: what was not received is lost */
	bool settled;
	/* frames lost on a link or dropped: an upper bound of the lost packets */
	uint64_t destroyed;
};

static int gather_flows(struct gathering *g);
static void sort_flows(struct gathering *g);
static int gather_messages(struct gathering *g);
static int gather_groups(struct gathering *g);
static int gather_ports(struct gathering *g);
static void gather_totals(struct gathering *g);

static struct stats_page *host_page(const struct gathering *g, uint32_t host)
{
	return g->pages[plan_host_node(g->plan, host)];
}

/* an array of at least one element, so that an empty one is not NULL */
static void *array_alloc(uint64_t count, size_t size)
{
	return calloc(count ? count : 1, size);
}

/* the length of the measured interval: a run may be ended early */
static node_time_t measured_ps(const struct plan *plan, const struct results *results)
{
	node_time_t end_ps = results->interrupted
				     ? node_time_min(results->end_ps, plan->duration_ps)
				     : plan->duration_ps;

	return end_ps > plan->warmup_ps ? end_ps - plan->warmup_ps : 0;
}

static uint64_t held_bytes(const struct gathering *g)
{
	uint64_t held = 0;

	for (uint32_t i = 0; i < g->plan->node_count; i++)
		held += g->pages[i]->inside_bytes;
	return held;
}

/* at NICs, not sent yet */
static uint64_t waiting_bytes(const struct gathering *g)
{
	uint64_t waiting = 0;

	for (uint32_t host = 0; host < g->plan->host_count; host++)
		waiting += stats_port(host_page(g, host), 0)->queue_bytes;
	return waiting;
}

static uint64_t destroyed_frames(const struct gathering *g)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < g->plan->node_count; i++) {
		for (uint32_t reason = 0; reason < DROP_REASONS; reason++)
			count += g->pages[i]->drops[reason];
		for (uint32_t port = 0; port < g->plan->nodes[i].port_count; port++)
			count += stats_port(g->pages[i], port)->lost_packets;
	}
	return count;
}

/* when the fabric stopped: an empty one with the last event of all */
static node_time_t stopped_ps(const struct plan *plan, struct stats_page *const *pages,
			      const struct results *results)
{
	node_time_t last_ps = 0;

	for (uint32_t i = 0; i < plan->node_count; i++)
		last_ps = node_time_max(last_ps, pages[i]->now_ps);
	return results->empty ? last_ps : results->end_ps;
}

int results_gather(const struct plan *plan, struct stats_page *const *pages,
		   struct results *results)
{
	struct gathering g = { .plan = plan, .pages = pages, .results = results };
	struct results kept = { .interrupted = results->interrupted,
				.empty = results->empty,
				.end_ps = stopped_ps(plan, pages, results),
				.measured_ps = measured_ps(plan, results) };
	int error;

	*results = kept;
	g.settled = results->empty && !held_bytes(&g);
	g.destroyed = destroyed_frames(&g);
	results->stalled = results->empty && (held_bytes(&g) || waiting_bytes(&g));
	error = gather_flows(&g)
		?: gather_messages(&g)
		?: gather_ports(&g)
		?: results_roce_gather(plan, pages, results)
		?: gather_groups(&g)
		?: results_fidelity_gather(plan, pages, results)
		?: results_symptom_gather(plan, pages, results);
	if (error)
		results_free(results);
	else
		gather_totals(&g);
	free(g.first_flow);
	free(g.place);
	return error;
}

void results_free(struct results *results)
{
	free(results->flows);
	free(results->messages);
	free(results->groups);
	free(results->ports);
	free(results->classes);
	pause_cycles_free(&results->deadlocks);
	free(results->faults);
	free(results->symptoms);
	free(results->expectations);
	free(results->fidelity.nodes);
	*results = (struct results){ 0 };
}

bool results_balanced(const struct results *results)
{
	return !results->empty ||
	       results->totals.inside_bytes == (int64_t)results->totals.held_bytes;
}

const struct result_port *results_port(const struct plan *plan, const struct results *results,
				       uint32_t node, uint32_t port)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < node; i++)
		first += plan->nodes[i].port_count;
	return &results->ports[first + port];
}

uint32_t results_undelivered_count(const struct result_flow *flows, uint32_t count)
{
	uint32_t undelivered = 0;

	for (uint32_t i = 0; i < count; i++)
		undelivered += results_undelivered(&flows[i]);
	return undelivered;
}

uint64_t results_rank(uint64_t count, uint32_t permille)
{
	uint64_t rank = (count * permille + 999) / 1000;

	return rank ? rank - 1 : 0;
}

uint64_t results_bps(uint64_t bytes, node_time_t interval_ps)
{
	return interval_ps ? (uint64_t)((unsigned __int128)bytes * 8 * NODE_S / interval_ps) : 0;
}

double results_jain(const struct result_flow *flows, uint32_t count)
{
	unsigned __int128 sum = 0, squares = 0;

	for (uint32_t i = 0; i < count; i++) {
		sum += flows[i].measured_bytes;
		squares += (unsigned __int128)flows[i].measured_bytes * flows[i].measured_bytes;
	}
	if (!squares)
		return 0;
	return (double)sum / (double)count * ((double)sum / (double)squares);
}

/* ---- flows ---- */

/* fills the sender's half of every flow */
static int gather_sent(struct gathering *g)
{
	uint64_t count = 0;

	g->first_flow = array_alloc((uint64_t)g->plan->host_count + 1, sizeof(*g->first_flow));
	if (!g->first_flow)
		return -ENOMEM;
	for (uint32_t host = 0; host < g->plan->host_count; host++) {
		g->first_flow[host] = (uint32_t)count;
		count += host_page(g, host)->flow_tx_count;
	}
	if (count > UINT32_MAX)
		return -ENOMEM;
	g->first_flow[g->plan->host_count] = (uint32_t)count;
	g->results->flow_count = (uint32_t)count;
	g->results->flows = array_alloc(count, sizeof(*g->results->flows));
	g->place = array_alloc(count, sizeof(*g->place));
	if (!g->results->flows || !g->place)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		g->place[i] = i;
	for (uint32_t host = 0; host < g->plan->host_count; host++) {
		for (uint32_t slot = 0; slot < host_page(g, host)->flow_tx_count; slot++) {
			const struct flow_tx_stats *tx = stats_flow_tx(host_page(g, host), slot);

			g->results->flows[g->first_flow[host] + slot] = (struct result_flow){
				.workload = tx->workload_index,
				.source = host,
				.destination = tx->destination,
				.source_slot = slot,
				.traffic_class = tx->traffic_class,
				.sent_bytes = tx->bytes,
				.sent_packets = tx->packets,
				.lost = g->settled && tx->packets > tx->resent
						? tx->packets - tx->resent
						: 0,
				.first_ps = NODE_TIME_NEVER,
				.last_ps = NODE_TIME_NEVER,
				.transport = results_roce_sent(tx),
			};
		}
	}
	return 0;
}

/* the index of the flow of row @rx at host @host; UINT32_MAX if no sender knows it */
static uint32_t flow_of_row(const struct gathering *g, const struct flow_rx_stats *rx,
			    uint32_t host)
{
	uint32_t index;

	if (rx->source >= g->plan->host_count ||
	    rx->source_slot >= g->first_flow[rx->source + 1] - g->first_flow[rx->source])
		return UINT32_MAX;
	index = g->place[g->first_flow[rx->source] + rx->source_slot];
	return g->results->flows[index].destination == host ? index : UINT32_MAX;
}

static void add_received(struct result_flow *flow, const struct flow_rx_stats *rx,
			 const struct gathering *g)
{
	flow->bytes += rx->bytes;
	flow->packets += rx->packets;
	flow->measured_bytes += rx->measured_bytes;
	flow->goodput_bps = results_bps(flow->measured_bytes, g->results->measured_ps);
	flow->reordered += rx->reordered;
	if (!g->settled) /* a gap; it may still close where packets overtake each other */
		flow->lost += rx->lost < g->destroyed ? rx->lost : g->destroyed;
	else
		flow->lost -= rx->packets < flow->lost ? rx->packets : flow->lost;
	flow->message_count += rx->messages;
	results_roce_received(&flow->transport, rx);
	flow->first_ps = node_time_min(flow->first_ps, rx->first_ps);
	flow->last_ps = flow->last_ps == NODE_TIME_NEVER
				? rx->last_ps
				: node_time_max(flow->last_ps, rx->last_ps);
}

static int gather_flows(struct gathering *g)
{
	int error = gather_sent(g);

	if (error)
		return error;
	for (uint32_t host = 0; host < g->plan->host_count; host++) {
		for (uint32_t row = 0; row < host_page(g, host)->flow_rx_count; row++) {
			const struct flow_rx_stats *rx = stats_flow_rx(host_page(g, host), row);
			uint32_t index = flow_of_row(g, rx, host);

			if (index == UINT32_MAX)
				g->results->strange_rows++;
			else if (rx->packets)
				add_received(&g->results->flows[index], rx, g);
		}
	}
	sort_flows(g);
	return 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_flows(const void *left, const void *right)
{
	const struct result_flow *a = left, *b = right;
	int order = compare(a->workload, b->workload);

	if (!order)
		order = compare(a->source, b->source);
	if (!order)
		order = compare(a->destination, b->destination);
	if (!order)
		order = compare(a->traffic_class, b->traffic_class);
	return order ? order : compare(a->source_slot, b->source_slot);
}

static void sort_flows(struct gathering *g)
{
	const struct results *results = g->results;

	qsort(results->flows, results->flow_count, sizeof(*results->flows), compare_flows);
	for (uint32_t i = 0; i < results->flow_count; i++)
		g->place[g->first_flow[results->flows[i].source] + results->flows[i].source_slot] =
			i;
}

/* ---- messages ---- */

static int compare_messages(const void *left, const void *right)
{
	const struct result_message *a = left, *b = right;
	int order = compare(a->flow, b->flow);

	if (!order)
		order = compare(a->start_ps, b->start_ps);
	if (!order)
		order = compare(a->end_ps, b->end_ps);
	return order ? order : compare(a->bytes, b->bytes);
}

/* turns the completion @logged at host @host into a row; false if it names no flow, or ends before
 * it starts */
static bool message_row(const struct gathering *g, const struct message_stats *logged,
			uint32_t host, struct result_message *row)
{
	const struct result_flow *flow;
	node_time_t ideal_ps;
	uint32_t index;

	if (logged->flow >= host_page(g, host)->flow_rx_count || logged->end_ps < logged->start_ps)
		return false;
	index = flow_of_row(g, stats_flow_rx(host_page(g, host), logged->flow), host);
	if (index == UINT32_MAX)
		return false;
	flow = &g->results->flows[index];
	if (flow->workload >= g->plan->workload_count)
		return false;
	ideal_ps = plan_ideal_ps(g->plan, flow->source, flow->destination, flow->workload,
				 logged->bytes);
	*row = (struct result_message){ .flow = index,
					.bytes = logged->bytes,
					.start_ps = logged->start_ps,
					.end_ps = logged->end_ps };
	row->slowdown =
		ideal_ps ? (double)(logged->end_ps - logged->start_ps) / (double)ideal_ps : 0;
	return true;
}

static int compare_times(const void *left, const void *right)
{
	return compare(*(const node_time_t *)left, *(const node_time_t *)right);
}

static int compare_ratios(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

static struct result_times times_of(node_time_t *times, uint64_t count)
{
	unsigned __int128 sum_ps = 0;

	if (!count)
		return (struct result_times){ 0 };
	qsort(times, count, sizeof(*times), compare_times);
	for (uint64_t i = 0; i < count; i++)
		sum_ps += times[i];
	return (struct result_times){ .mean_ps = (node_time_t)(sum_ps / count),
				      .p50_ps = times[results_rank(count, 500)],
				      .p99_ps = times[results_rank(count, 990)],
				      .p999_ps = times[results_rank(count, 999)] };
}

static struct result_slowdowns slowdowns_of(double *ratios, uint64_t count)
{
	double sum = 0;

	if (!count)
		return (struct result_slowdowns){ 0 };
	qsort(ratios, count, sizeof(*ratios), compare_ratios);
	/* in sorted order, so that the sum is the same everywhere */
	for (uint64_t i = 0; i < count; i++)
		sum += ratios[i];
	return (struct result_slowdowns){ .mean = sum / (double)count,
					  .p50 = ratios[results_rank(count, 500)],
					  .p99 = ratios[results_rank(count, 990)],
					  .p999 = ratios[results_rank(count, 999)] };
}

/* percentiles of every flow; messages are sorted by flow */
static int flow_times(struct results *results)
{
	node_time_t *times = array_alloc(results->message_count, sizeof(*times));
	uint64_t i = 0;

	if (!times)
		return -ENOMEM;
	while (i < results->message_count) {
		uint32_t flow = results->messages[i].flow;
		uint64_t count = 0;

		for (; i < results->message_count && results->messages[i].flow == flow; i++)
			times[count++] =
				results->messages[i].end_ps - results->messages[i].start_ps;
		results->flows[flow].fct = times_of(times, count);
	}
	free(times);
	return 0;
}

static int gather_messages(struct gathering *g)
{
	struct results *results = g->results;
	uint64_t count = 0;

	for (uint32_t host = 0; host < g->plan->host_count; host++)
		count += host_page(g, host)->message_count;
	results->messages = array_alloc(count, sizeof(*results->messages));
	if (!results->messages)
		return -ENOMEM;
	for (uint32_t host = 0; host < g->plan->host_count; host++) {
		for (uint64_t i = 0; i < host_page(g, host)->message_count; i++) {
			struct result_message *row = &results->messages[results->message_count];

			if (message_row(g, stats_message(host_page(g, host), i), host, row))
				results->message_count++;
			else
				results->strange_rows++;
		}
	}
	qsort(results->messages, results->message_count, sizeof(*results->messages),
	      compare_messages);
	return flow_times(results);
}

/* ---- groups ---- */

static int gather_group(struct results *results, struct result_group *group, uint64_t message_first,
			uint64_t message_count)
{
	node_time_t *times = array_alloc(message_count, sizeof(*times));
	double *ratios = array_alloc(message_count, sizeof(*ratios));
	uint64_t measured_bytes = 0;

	if (!times || !ratios) {
		free(times);
		free(ratios);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < group->flow_count; i++) {
		measured_bytes += results->flows[group->flow_first + i].measured_bytes;
		group->message_count += results->flows[group->flow_first + i].message_count;
	}
	for (uint64_t i = 0; i < message_count; i++) {
		const struct result_message *message = &results->messages[message_first + i];

		times[i] = message->end_ps - message->start_ps;
		ratios[i] = message->slowdown;
	}
	group->goodput_bps = results_bps(measured_bytes, results->measured_ps);
	group->jain = results_jain(&results->flows[group->flow_first], group->flow_count);
	group->fct = times_of(times, message_count);
	group->slowdown = slowdowns_of(ratios, message_count);
	free(times);
	free(ratios);
	return 0;
}

static int gather_groups(struct gathering *g)
{
	struct results *results = g->results;
	uint32_t flow = 0;
	uint64_t message = 0;
	int error = 0;

	results->group_count = g->plan->workload_count;
	results->groups = array_alloc(results->group_count, sizeof(*results->groups));
	if (!results->groups)
		return -ENOMEM;
	for (uint32_t i = 0; i < results->group_count && !error; i++) {
		struct result_group *group = &results->groups[i];
		uint64_t message_first = message;

		*group = (struct result_group){ .workload = i, .flow_first = flow };
		while (flow < results->flow_count && results->flows[flow].workload == i)
			flow++;
		group->flow_count = flow - group->flow_first;
		while (message < results->message_count && results->messages[message].flow < flow)
			message++;
		error = gather_group(results, group, message_first, message - message_first);
	}
	if (error)
		return error;
	results->all =
		(struct result_group){ .workload = UINT32_MAX, .flow_count = results->flow_count };
	return gather_group(results, &results->all, 0, results->message_count);
}

/* ---- ports and totals ---- */

/* waits for the peer and for credit that have not ended count up to the end of the run */
static void waits_close(struct port_stats *stats, node_time_t end_ps)
{
	if (stats->paused_since_ps && end_ps > stats->paused_since_ps)
		stats->paused_ps += end_ps - stats->paused_since_ps;
	if (stats->credit_since_ps && end_ps > stats->credit_since_ps)
		stats->credit_wait_ps += end_ps - stats->credit_since_ps;
}

static int gather_ports(struct gathering *g)
{
	struct results *results = g->results;
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->plan->node_count; i++)
		count += g->plan->nodes[i].port_count;
	results->ports = array_alloc(count, sizeof(*results->ports));
	if (!results->ports)
		return -ENOMEM;
	for (uint32_t node = 0; node < g->plan->node_count; node++) {
		for (uint32_t port = 0; port < g->plan->nodes[node].port_count; port++) {
			struct result_port *row = &results->ports[results->port_count++];

			*row = (struct result_port){ .node = node, .port = port };
			row->stats = *stats_port(g->pages[node], port);
			waits_close(&row->stats, results->end_ps);
			if (!results->measured_ps)
				continue;
			/* of an interrupted run: a frame counts as a whole when it begins */
			row->utilisation = (double)node_time_min(row->stats.tx_busy_measured_ps,
								 results->measured_ps) /
					   (double)results->measured_ps;
			row->queue_bytes_mean = (double)row->stats.queue_byte_ns_sum *
						(double)NODE_NS / (double)results->measured_ps;
		}
	}
	return 0;
}

/* packets in flight: sent, and neither received nor known to be lost */
static void gather_under_way(struct gathering *g)
{
	for (uint32_t host = 0; host < g->plan->host_count && !g->settled; host++)
		for (uint32_t slot = 0; slot < host_page(g, host)->flow_tx_count; slot++) {
			const struct flow_tx_stats *tx = stats_flow_tx(host_page(g, host), slot);
			struct result_flow *flow =
				&g->results->flows[g->place[g->first_flow[host] + slot]];
			uint64_t gone = tx->resent + flow->packets + flow->lost;

			flow->under_way = tx->packets > gone ? tx->packets - gone : 0;
		}
}

/* Data units of whose loss, by any cause, the source was not told: at a NIC those lost on its link
 * and not reported; in the fabric those that the ingress edge still counts as in flight although
 * nothing is. */
static uint64_t unreported_units(const struct gathering *g)
{
	const struct result_totals *totals = &g->results->totals;
	uint64_t units = 0;

	if (!g->settled)
		return totals->lost_units > totals->reported_units
			       ? totals->lost_units - totals->reported_units
			       : 0;
	for (uint32_t i = 0; i < g->results->port_count; i++) {
		const struct port_stats *port = &g->results->ports[i].stats;

		if (g->results->ports[i].node < g->plan->switch_count)
			units += port->extent_units;
		else if (port->lost_units > port->loss_report_units)
			units += port->lost_units - port->loss_report_units;
	}
	return units;
}

static void add_node(struct results *results, const struct stats_page *page)
{
	struct result_totals *totals = &results->totals;

	totals->injected_bytes +=
		page->injected_bytes + page->flooded_bytes - page->flood_originals_bytes;
	totals->injected_packets += page->injected_packets;
	totals->delivered_bytes += page->delivered_bytes;
	totals->delivered_packets += page->delivered_packets;
	totals->held_bytes += page->inside_bytes;
	totals->messages_unlogged += page->messages_unlogged;
	results->data_hops += page->data_hops;
	for (uint32_t reason = 0; reason < DROP_REASONS; reason++)
		results->drops[reason] += page->drops[reason];
}

static void add_port(struct result_totals *totals, const struct port_stats *port, bool nic)
{
	totals->lost_bytes += port->lost_bytes + port->dropped_bytes;
	totals->channels += port->efct_used + port->ifct_used + port->ofct_used;
	totals->lost_units += port->lost_units;
	totals->reported_units += port->loss_report_units;
	totals->channel_waits += port->channel_waits;
	if (nic)
		totals->waiting_bytes += port->queue_bytes;
}

static void gather_totals(struct gathering *g)
{
	struct results *results = g->results;
	struct result_totals *totals = &results->totals;
	uint64_t duplicated_bytes = 0; /* by links: they arrive, or are lost, too */

	for (uint32_t i = 0; i < g->plan->node_count; i++)
		add_node(results, g->pages[i]);
	for (uint32_t i = 0; i < results->port_count; i++) {
		add_port(totals, &results->ports[i].stats,
			 results->ports[i].node >= g->plan->switch_count);
		duplicated_bytes += results->ports[i].stats.duplicated_bytes;
	}
	gather_under_way(g);
	for (uint32_t i = 0; i < results->flow_count; i++) {
		totals->lost += results->flows[i].lost;
		totals->under_way += results->flows[i].under_way;
		totals->reordered += results->flows[i].reordered;
		totals->messages += results->flows[i].message_count;
	}
	/* each flow has no more gaps than frames were destroyed, and neither have all flows
	 * together */
	if (!g->settled && totals->lost > g->destroyed) {
		totals->under_way += totals->lost - g->destroyed;
		totals->lost = g->destroyed;
	}
	totals->unreported_units = unreported_units(g);
	totals->inside_bytes = (int64_t)(totals->injected_bytes + duplicated_bytes -
					 totals->delivered_bytes - totals->lost_bytes);
}
