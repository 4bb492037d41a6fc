/*  datapath_show - tables and parameters of the NIC (nic.h). */
#include "nicd/datapath/datapath_show.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/stats/trace.h"

/* ---- show ---- */

/* messages of the flow in @slot that are not completely sent, or with a transport acknowledged */
static uint32_t waiting(const struct nic *nic, uint32_t slot)
{
	return nic->roce && nic->transport.flows[slot].transport != TRANSPORT_NONE
		       ? transport_waiting(&nic->transport, slot)
		       : send_queue_waiting(&nic->queue, slot);
}

static void show_flows(struct nic *nic, FILE *out)
{
	fprintf(out, "%5s %-16s %11s %-12s %9s %11s %15s %8s %13s\n", "slot", "workload",
		"destination", "class", "messages", "packets", "bytes", "waiting", "reported_lost");
	for (uint32_t slot = 0; slot < nic->queue.flow_count; slot++) {
		const struct flow_tx_stats *flow = stats_flow_tx(nic->stats, slot);
		uint32_t w = nic->queue.specs[slot].workload;

		fprintf(out,
			"%5" PRIu32 " %-16s %11" PRIu32 " %-12s %9" PRIu64 " %11" PRIu64
			" %15" PRIu64 " %8" PRIu32 " %13" PRIu64 "\n",
			slot, nic->config->nic.workloads[w].name, flow->destination,
			nic->config->classes[flow->traffic_class].name, flow->messages,
			flow->packets, flow->bytes, waiting(nic, slot), flow->reported_lost);
	}
}

static const char *queue_pair_state(const struct transport_flow *flow, node_time_t now)
{
	if (flow->in_error)
		return "error";
	if (flow->acknowledged == flow->end)
		return "idle";
	if (flow->next == flow->end || flow->next - flow->acknowledged >= flow->window_packets)
		return "waits"; /* for ACKs */
	return flow->pace_at_ps > now ? "paced" : "ready";
}

static void show_queue_pair(struct nic *nic, uint32_t slot, node_time_t now, FILE *out)
{
	const struct transport_flow *pair = &nic->transport.flows[slot];
	const struct flow_tx_stats *flow = stats_flow_tx(nic->stats, slot);
	const struct congestion *congestion = &nic->transport.rules[TRANSPORT_RC].congestion;

	fprintf(out,
		"%5" PRIu32 " %-16s %11" PRIu32 " %10" PRIu32 " %-5s %12" PRIu64 " %9" PRIu64
		" %9" PRIu64 " %8" PRIu32 " %9" PRIu64 " %7" PRIu64 " %8" PRIu64 " %9" PRIu64
		" %12" PRIu64,
		slot, nic->config->nic.workloads[nic->transport.specs[slot].workload].name,
		flow->destination, flow->connection, queue_pair_state(pair, now),
		pair->acknowledged, pair->next - pair->acknowledged, pair->end - pair->next,
		transport_waiting(&nic->transport, slot), flow->resent, flow->naks, flow->timeouts,
		flow->cnps, flow->rate_bps);
	if (congestion->control && congestion->control->show)
		congestion->control->show(congestion->shared, congestion_flow(congestion, slot),
					  node_time_max(now, nic->now_ps), out);
	fputc('\n', out);
}

/* in_flight: packets sent and not acknowledged; left: packets to send; waiting: messages not
 * complete */
static void show_queue_pairs(struct nic *nic, node_time_t now, FILE *out)
{
	const struct congestion_control *control =
		nic->transport.rules[TRANSPORT_RC].congestion.control;

	fprintf(out, "%5s %-16s %11s %10s %-5s %12s %9s %9s %8s %9s %7s %8s %9s %12s%s\n", "slot",
		"workload", "destination", "connection", "state", "acknowledged", "in_flight",
		"left", "waiting", "resent", "naks", "timeouts", "cnps", "rate_bps",
		control && control->columns ? control->columns : "");
	for (uint32_t slot = 0; slot < nic->queue.flow_count; slot++)
		if (transport_is_open(&nic->transport, slot, TRANSPORT_RC))
			show_queue_pair(nic, slot, now, out);
	fprintf(out,
		"incomplete messages: %" PRIu32 ", at most %" PRIu32 " so far, limit %" PRIu32
		"; discarded: %" PRIu64 "\n",
		nic->transport.pool.count, nic->transport.pool.count_max, nic->transport.pool.max,
		nic->transport.discarded);
}

/* held: paused by the switch; stops: this NIC pauses the switch */
static void show_pfc(struct nic *nic, node_time_t now, FILE *out)
{
	uint32_t held = pfc_gate_held(&nic->pfc.gate, now);

	fprintf(out, "%-12s %-8s %-4s %16s %16s %-5s %6s\n", "class", "lossless", "held",
		"until_ps", "paused_ps", "stops", "stuck");
	for (uint32_t c = 0; c < nic->config->class_count; c++) {
		const struct class_stats *stats = stats_class(nic->stats, 0, c);
		node_time_t going_on_ps = nic->pfc.waiting >> c & 1 ? now - nic->pfc.noted_ps : 0;
		node_time_t until = pfc_gate_next_at(&nic->pfc.gate, 1u << c, now);

		fprintf(out, "%-12s %-8s %-4s %16" PRIu64 " %16" PRIu64 " %-5s %6" PRIu64 "\n",
			nic->config->classes[c].name,
			nic->config->roce.classes[c].lossless ? "yes" : "no",
			held >> c & 1 ? "yes" : "no", until == NODE_TIME_NEVER ? 0 : until,
			stats->paused_ps + going_on_ps,
			nic->pfc.teller.wanted >> c & 1 ? "yes" : "no", stats->stuck);
	}
	fprintf(out, "frames sent: %" PRIu64 ", received: %" PRIu64 "\n",
		nic->link->stats->pauses_sent, nic->link->stats->pauses_received);
}

static void show_received(struct nic *nic, FILE *out)
{
	fprintf(out, "%5s %8s %11s %9s %9s %11s %15s %9s %9s %16s\n", "slot", "source",
		"source_slot", "workload", "messages", "packets", "bytes", "lost", "reordered",
		"last_ps");
	for (uint32_t slot = 0; slot < nic->stats->flow_rx_count; slot++) {
		const struct flow_rx_stats *flow = stats_flow_rx(nic->stats, slot);

		fprintf(out,
			"%5" PRIu32 " %8" PRIu32 " %11" PRIu32 " %9" PRIu32 " %9" PRIu64
			" %11" PRIu64 " %15" PRIu64 " %9" PRIu64 " %9" PRIu64 " %16" PRIu64 "\n",
			slot, flow->source, flow->source_slot, flow->workload_index, flow->messages,
			flow->packets, flow->bytes, flow->lost, flow->reordered, flow->last_ps);
	}
}

static void show_time(FILE *out, node_time_t at)
{
	if (at == NODE_TIME_NEVER)
		fprintf(out, " %16s\n", "-");
	else
		fprintf(out, " %16" PRIu64 "\n", at);
}

static void show_workloads(struct nic *nic, FILE *out)
{
	static const char *const arrivals[] = { "closed", "paced", "poisson", "burst" };

	_Static_assert(COUNT_OF(arrivals) == ARRIVAL_KINDS, "one name per kind");
	fprintf(out, "%-16s %-8s %9s %9s %9s %9s %9s %16s\n", "workload", "arrivals", "permille",
		"started", "sent", "in_flight", "deferred", "next_ps");
	for (uint32_t w = 0; w < nic->workloads.count; w++) {
		const struct workload *workload = &nic->workloads.workloads[w];

		fprintf(out,
			"%-16s %-8s %9" PRIu32 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64,
			workload->config->name, arrivals[workload->config->arrival],
			workload->load_permille, workload->started, workload->sent,
			workload->started - workload->sent, workload->deferred);
		show_time(out, workload->arrival.due_ps);
	}
	fprintf(out,
		"waiting messages: %" PRIu32 ", at most %" PRIu32 " so far, limit %" PRIu32 "\n",
		nic->queue.pool.count, nic->queue.pool.count_max, nic->queue.pool.max);
}

/* flows that the edge switch has paused (FGFC); until 0: the pause is over, but older frames of the
 * host wait. waiting_bytes: of an attached host; `flows` has the queues of generated flows */
static void show_fgfc(struct nic *nic, FILE *out)
{
	const struct fgfc_gate *gate = &nic->gate.fgfc;

	fprintf(out, "%5s %12s %10s %13s %16s  %s\n", "entry", "credit_units", "sent_units",
		"waiting_bytes", "until_ps", "flow");
	for (uint32_t i = 0; i < gate->fresh; i++) {
		const struct fgfc_entry *entry = &gate->entries[i];

		if (!entry->used)
			continue;
		fprintf(out,
			"%5" PRIu32 " %12" PRId64 " %10" PRIu64 " %13" PRIu32 " %16" PRIu64 "  ", i,
			entry->credit_units, entry->sent_units,
			nic->host_hold.queues ? nic->host_hold.queues[i].bytes : 0,
			entry->held ? entry->until_ps : 0);
		flow_name_print(&entry->name, out);
		flow_name_mask_print(&entry->name, &gate->masks[entry->set], out);
		fputc('\n', out);
	}
	fprintf(out, "paused: %" PRIu32 ", limit %" PRIu32 "\n", gate->held, gate->entries_max);
}

int nic_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out)
{
	struct nic *nic = dataplane;

	if (port > 0 || port < -1)
		return -EINVAL;
	now = node_time_max(now, nic->now_ps);
	if (!strcmp(table, "flows")) {
		show_flows(nic, out);
	} else if (!strcmp(table, "received")) {
		show_received(nic, out);
	} else if (!strcmp(table, "workloads")) {
		show_workloads(nic, out);
	} else if (!strcmp(table, "fgfc")) {
		show_fgfc(nic, out);
	} else if (nic->roce && !strcmp(table, "queue-pairs")) {
		show_queue_pairs(nic, now, out);
	} else if (nic->roce && !strcmp(table, "pfc")) {
		show_pfc(nic, now, out);
	} else {
		fprintf(out, "flows received workloads fgfc%s\n",
			nic->roce ? " queue-pairs pfc" : "");
		return -ENOENT;
	}
	return 0;
}

/* ---- set ---- */

/* the workload that "workload.NAME.load" names; count: none */
static uint32_t workload_of_parameter(const struct nic *nic, const char *name)
{
	uint32_t w;

	for (w = 0; w < nic->workloads.count; w++) {
		char parameter[NODE_NAME_MAX + 16];

		snprintf(parameter, sizeof(parameter), "workload.%s.load",
			 nic->config->nic.workloads[w].name);
		if (!strcmp(parameter, name))
			break;
	}
	return w;
}

/* a whole number without sign; false if it is none or too large */
static bool number_read(const char *text, uint32_t *number)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

int nic_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	struct nic *nic = dataplane;
	uint32_t w = workload_of_parameter(nic, name);
	uint32_t permille;

	if (w == nic->workloads.count) {
		for (w = 0; w < nic->workloads.count; w++)
			fprintf(out, "workload.%s.load\n", nic->config->nic.workloads[w].name);
		return -ENOENT;
	}
	if (!number_read(value, &permille) || workload_load(&nic->workloads, w, permille)) {
		fprintf(out,
			"%s takes a number of permille from 1 to 10000, and only paced and Poisson "
			"arrivals have it\n",
			name);
		return -EINVAL;
	}
	trace(nic->stats, (struct trace_entry){ .at_ps = nic->now_ps,
						.kind = TRACE_PARAMETER_SET,
						.value = permille });
	return 0;
}
