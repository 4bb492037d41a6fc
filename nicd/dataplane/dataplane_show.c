/*  dataplane_show - tables and parameters of the NIC (nic.h). */
#include "nicd/dataplane/dataplane_show.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/dataplane/nic_gate.h"
#include "nicd/dataplane/nic_sample.h"
#include "nodes/base/array.h"
#include "nodes/link/link_send.h"
#include "nodes/stats/trace.h"

/* ---- show ---- */

/* messages of the flow in @slot that are not completely sent, or with a transport acknowledged */
static uint32_t waiting(const struct nic *nic, uint32_t slot)
{
	return nic->roce && nic->transport.flows[slot].transport != TRANSPORT_NONE
		       ? transport_waiting(&nic->transport, slot)
		       : send_queue_waiting(&nic->queue, slot);
}

/* the cell of a moment; empty: never */
static void put_time(node_time_t at, FILE *out)
{
	if (at != NODE_TIME_NEVER)
		fprintf(out, "%" PRIu64, at);
}

/* what a flow has, and why it does not send */
struct flow_state {
	uint64_t waiting_bytes, unacked_bytes;
	uint64_t rate_bps; /* that it may have */
	const char *held_by;
};

/* what keeps the link from sending a packet of a flow with @waiting_bytes; NULL: nothing */
static const char *link_holds(const struct nic *nic, const struct flow_spec *spec,
			      uint64_t waiting_bytes, node_time_t now)
{
	uint32_t traffic_class = spec->traffic_class;
	uint32_t lane = traffic_class * node_lanes(nic->config, PORT_EDGE);
	uint32_t bytes = message_frame_bytes(&spec->shape,
					     message_payload_bytes(&spec->shape, waiting_bytes));

	if (nic->roce)
		return pfc_gate_paused(&nic->pfc.gate, now) >> traffic_class & 1 ? "pfc" : NULL;
	if (link_stopped(nic->link, lane))
		return "stop";
	return nic->link->credits && link_credit(nic->link, lane) < units_of_bytes(bytes) ? "credit"
											  : NULL;
}

static const char *transport_holds(const struct transport_flow *flow, node_time_t now)
{
	if (flow->in_error)
		return "error";
	if (flow->next - flow->acknowledged >= flow->window_packets)
		return "window";
	return flow->pace_at_ps > now ? "rate" : NULL;
}

static const char *gate_holds(const struct nic *nic, uint32_t slot, node_time_t now)
{
	uint32_t key = nic_gate_of_flow(nic, slot);

	if (key == GATE_KEY_NONE || gate_may_send(&nic->gate, key, now))
		return NULL;
	return nic->gate.kind == GATE_FGFC ? "fgfc" : "rate";
}

static struct flow_state flow_state(const struct nic *nic, uint32_t slot, node_time_t now)
{
	struct flow_state state = { .rate_bps = nic->link->rate_bps, .held_by = "-" };
	const char *held_by;

	if (nic->queue.specs[slot].transport == TRANSPORT_NONE) {
		state.waiting_bytes = send_queue_bytes(&nic->queue, slot);
		state.rate_bps = nic_sample_rate_bps(nic, slot);
		held_by = gate_holds(nic, slot, now);
	} else {
		struct transport_sample sample = transport_sample(&nic->transport, slot, now);

		state.waiting_bytes = sample.queued_bytes;
		state.unacked_bytes = sample.unacked_bytes;
		if (sample.control.rate_bps && sample.control.rate_bps < state.rate_bps)
			state.rate_bps = sample.control.rate_bps;
		held_by = transport_holds(&nic->transport.flows[slot], now);
	}
	if (!held_by)
		held_by = link_holds(nic, &nic->queue.specs[slot], state.waiting_bytes, now);
	if (state.waiting_bytes)
		state.held_by = held_by ? held_by : "turn";
	return state;
}

static void show_flows(struct nic *nic, node_time_t now, FILE *out)
{
	fputs("slot\tworkload:text\tdestination:host\tclass:"
	      "text\tmessages\tpackets\tbytes\twaiting\t"
	      "waiting_bytes\tunacknowledged_bytes\tallowed_rate_bps\theld_by:text\t"
	      "reported_lost\n",
	      out);
	for (uint32_t slot = 0; slot < nic->queue.flow_count; slot++) {
		const struct flow_tx_stats *flow = stats_flow_tx(nic->stats, slot);
		struct flow_state state = flow_state(nic, slot, now);
		uint32_t w = nic->queue.specs[slot].workload;

		fprintf(out,
			"%" PRIu32 "\t%s\t%" PRIu32 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
			"\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%" PRIu64 "\n",
			slot, nic->config->nic.workloads[w].name, flow->destination,
			nic->config->classes[flow->traffic_class].name, flow->messages,
			flow->packets, flow->bytes, waiting(nic, slot), state.waiting_bytes,
			state.unacked_bytes, state.rate_bps, state.held_by, flow->reported_lost);
	}
}

/* the headers of the flow's last frame; none before its first one */
static void show_headers(struct nic *nic, FILE *out)
{
	fputs("slot\tdestination:host\theaders:text\n", out);
	for (uint32_t slot = 0; slot < nic->queue.flow_count; slot++) {
		const struct flow_spec *spec = &nic->queue.specs[slot];
		bool queued = spec->transport == TRANSPORT_NONE;
		const uint8_t *bytes =
			queued ? nic->queue.templates[slot] : nic->transport.templates[slot];
		uint32_t written = queued ? nic->queue.flows[slot].template_frame_bytes
					  : nic->transport.flows[slot].template_frame_bytes;

		fprintf(out, "%" PRIu32 "\t%" PRIu32 "\t", slot, spec->destination);
		for (uint32_t i = 0; written && i < frame_headers_bytes(spec->shape.frame); i++)
			fprintf(out, "%02x", bytes[i]);
		fputc('\n', out);
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
		"%" PRIu32 "\t%s\t%" PRIu32 "\t%" PRIu32 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		"\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
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

	fprintf(out,
		"slot\tworkload:text\tdestination:host\tconnection\tstate:text\tacknowledged\t"
		"in_flight\tleft\twaiting\tresent\tnaks\ttimeouts\tcnps\trate_bps%s\n",
		control && control->columns ? control->columns : "");
	for (uint32_t slot = 0; slot < nic->queue.flow_count; slot++)
		if (transport_is_open(&nic->transport, slot, TRANSPORT_RC))
			show_queue_pair(nic, slot, now, out);
	fprintf(out,
		"=incomplete_messages\t%" PRIu32 "\n=incomplete_messages_max\t%" PRIu32
		"\n=limit\t%" PRIu32 "\n=discarded\t%" PRIu64 "\n",
		nic->transport.pool.count, nic->transport.pool.count_max, nic->transport.pool.max,
		nic->transport.discarded);
}

/* held: paused by the switch; stops: this NIC pauses the switch */
static void show_pfc(struct nic *nic, node_time_t now, FILE *out)
{
	uint32_t held = pfc_gate_paused(&nic->pfc.gate, now);

	fputs("class:text\tlossless:flag\theld:flag\tuntil_us:ps\tpaused_us:ps\tstops:"
	      "flag\tstuck\n",
	      out);
	for (uint32_t c = 0; c < nic->config->class_count; c++) {
		const struct class_stats *stats = stats_class(nic->stats, 0, c);
		node_time_t going_on_ps =
			nic->pfc.waiting >> c & 1 ? now - stats->paused_counted_ps : 0;
		node_time_t until = pfc_gate_next_at(&nic->pfc.gate, 1u << c, now);

		fprintf(out, "%s\t%d\t%d\t", nic->config->classes[c].name,
			nic->config->roce.classes[c].lossless, (int)(held >> c & 1));
		put_time(until, out);
		fprintf(out, "\t%" PRIu64 "\t%d\t%" PRIu64 "\n", stats->paused_ps + going_on_ps,
			(int)(nic->pfc.teller.wanted >> c & 1), stats->stuck);
	}
	fprintf(out, "=frames_sent\t%" PRIu64 "\n=frames_received\t%" PRIu64 "\n",
		nic->link->stats->pauses_sent, nic->link->stats->pauses_received);
}

static void show_received(struct nic *nic, FILE *out)
{
	fputs("slot\tsource:host\tsource_slot\tworkload:workload\tmessages\tpackets\tbytes\tlost\t"
	      "reordered\tlast_us:ps\n",
	      out);
	for (uint32_t slot = 0; slot < nic->stats->flow_rx_count; slot++) {
		const struct flow_rx_stats *flow = stats_flow_rx(nic->stats, slot);

		fprintf(out,
			"%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64
			"\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
			slot, flow->source, flow->source_slot, flow->workload_index, flow->messages,
			flow->packets, flow->bytes, flow->lost, flow->reordered, flow->last_ps);
	}
}

static void show_workloads(struct nic *nic, FILE *out)
{
	static const char *const arrivals[] = { "closed", "paced", "poisson", "burst" };

	_Static_assert(COUNT_OF(arrivals) == ARRIVAL_KINDS, "one name per kind");
	fputs("workload:text\tarrivals:text\tpermille\tstarted\tsent\tin_flight\tdeferred\tnext_us:"
	      "ps\n",
	      out);
	for (uint32_t w = 0; w < nic->workloads.count; w++) {
		const struct workload *workload = &nic->workloads.workloads[w];

		fprintf(out,
			"%s\t%s\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t",
			workload->config->name, arrivals[workload->config->arrival],
			workload->load_permille, workload->started, workload->sent,
			workload->started - workload->sent, workload->deferred);
		put_time(workload->arrival.due_ps, out);
		fputc('\n', out);
	}
	fprintf(out,
		"=waiting_messages\t%" PRIu32 "\n=waiting_messages_max\t%" PRIu32
		"\n=limit\t%" PRIu32 "\n",
		nic->queue.pool.count, nic->queue.pool.count_max, nic->queue.pool.max);
}

/* flows that the edge switch has paused (FGFC); until 0: the pause is over, but older frames of the
 * host wait. waiting_bytes: of an attached host; `flows` has the queues of generated flows */
static void show_fgfc(struct nic *nic, FILE *out)
{
	const struct fgfc_gate *gate = &nic->gate.fgfc;

	fputs("entry\tcredit_units\tsent_units\twaiting_bytes\tuntil_us:ps\tflow:flow\n", out);
	for (uint32_t i = 0; i < gate->fresh; i++) {
		const struct fgfc_entry *entry = &gate->entries[i];

		if (!entry->used)
			continue;
		fprintf(out, "%" PRIu32 "\t%" PRId64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\t", i,
			entry->credit_units, entry->sent_units,
			nic->host_hold.queues ? nic->host_hold.queues[i].bytes : 0,
			entry->held ? entry->until_ps : 0);
		flow_name_print(&entry->name, out);
		flow_name_mask_print(&entry->name, &gate->masks[entry->set], out);
		fputc('\n', out);
	}
	fprintf(out, "=paused\t%" PRIu32 "\n=limit\t%" PRIu32 "\n", gate->held, gate->entries_max);
}

int nic_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out)
{
	struct nic *nic = dataplane;

	if (port > 0 || port < -1)
		return -EINVAL;
	now = node_time_max(now, nic->now_ps);
	if (!strcmp(table, "flows")) {
		show_flows(nic, now, out);
	} else if (!strcmp(table, "headers")) {
		show_headers(nic, out);
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
		fprintf(out, "flows received workloads fgfc headers%s\n",
			nic->roce ? " queue-pairs pfc" : "");
		return -ENOENT;
	}
	return 0;
}

/* ---- set ---- */

/* the workload that "workload.NAME.WHAT" names, with @what; count: none */
static uint32_t workload_of_parameter(const struct nic *nic, const char *name, const char *what)
{
	uint32_t w;

	for (w = 0; w < nic->workloads.count; w++) {
		char parameter[NODE_NAME_MAX + 16];

		snprintf(parameter, sizeof(parameter), "workload.%s.%s",
			 nic->config->nic.workloads[w].name, what);
		if (!strcmp(parameter, name))
			break;
	}
	return w;
}

/* a whole number without sign up to @max; false if it is none or too large */
static bool number_read(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end && *number <= max;
}

static void set_note(struct nic *nic, uint64_t value)
{
	trace(nic->stats, (struct trace_entry){ .at_ps = nic->now_ps,
						.kind = TRACE_PARAMETER_SET,
						.value = value });
}

static int set_load(struct nic *nic, uint32_t workload, const char *name, const char *value,
		    FILE *out)
{
	uint64_t permille;

	if (!number_read(value, UINT32_MAX, &permille) ||
	    workload_load(&nic->workloads, workload, (uint32_t)permille)) {
		fprintf(out,
			"%s takes a number of permille from 1 to 1000, and only paced and Poisson "
			"arrivals have it\n",
			name);
		return -EINVAL;
	}
	set_note(nic, permille);
	return 0;
}

/* @name is "pauses.from", or "workload.NAME.from" of @workload: fabric time in ps */
static int set_from(struct nic *nic, uint32_t workload, const char *name, const char *value,
		    FILE *out)
{
	uint64_t from;

	if (!number_read(value, UINT64_MAX, &from)) {
		fprintf(out, "%s takes a fabric time in picoseconds\n", name);
		return -EINVAL;
	}
	if (workload < nic->workloads.count) {
		workload_run_from(&nic->workloads, workload, from);
	} else {
		nic->pausing.from_ps = from;
		nic->pausing.at_ps = nic->now_ps;
	}
	set_note(nic, from);
	return 0;
}

int nic_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	struct nic *nic = dataplane;
	uint32_t load = workload_of_parameter(nic, name, "load");
	uint32_t from = workload_of_parameter(nic, name, "from");

	if (load < nic->workloads.count)
		return set_load(nic, load, name, value, out);
	if (from < nic->workloads.count || !strcmp(name, "pauses.from"))
		return set_from(nic, from, name, value, out);
	for (uint32_t w = 0; w < nic->workloads.count; w++)
		fprintf(out, "workload.%s.load\n", nic->config->nic.workloads[w].name);
	return -ENOENT;
}
