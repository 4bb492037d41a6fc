/*  nic_gate - flows that may not send wait here, so that others of their class can send (gate.h).
 *
 *  Generated flows. When a flow has the turn and may not send, it leaves its class's ring and is
 *  parked at a place of its key. It returns when the key opens. So a flow that waits costs nothing,
 *  and the flows that a frame names need not be known when it arrives. Flows of one key return in
 *  the order in which they left.
 *
 *  Frames of an attached host. The head of a socket's queue that may not be sent moves to the queue
 *  of its place (host_hold.h), and so do newer ones of its flow until that queue is empty. Only
 *  then the key of an ended pause is freed, so frames of a flow keep their order.
 *
 *  Flows with a transport leave their ring and return on their own (transport.h).
 *
 *  Programs of the host get each good FGFC frame as it is: a packet socket for that EtherType
 *  receives which flow is paused, for how long, and with what credit. Other programs see a frame of
 *  an unknown protocol. */
#include "nicd/dataplane/nic_gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/dataplane/nic_lid.h"
#include "nodes/stats/trace.h"

int nic_gate_init(struct nic *nic)
{
	uint32_t flows_max = nic->by_lid ? nic->queue.flows_max : 0, places;

	nic->looks = calloc(nic->queue.flows_max, sizeof(*nic->looks));
	nic->to_lid.first = calloc(nic->by_lid ? RATE_LIDS : 1, sizeof(*nic->to_lid.first));
	nic->to_lid.next = calloc(flows_max, sizeof(*nic->to_lid.next));
	if (gate_init(&nic->gate, nic->config) || !nic->looks || !nic->to_lid.first ||
	    !nic->to_lid.next)
		return -ENOMEM;
	places = gate_places(&nic->gate);
	nic->parked = malloc((places + 1) * sizeof(*nic->parked));
	if (!nic->parked)
		return -ENOMEM;
	for (uint32_t i = 0; i < places; i++)
		nic->parked[i] = (struct send_parked){ .first = SEND_NONE, .last = SEND_NONE };
	return host_hold_init(&nic->host_hold, &nic->host, places);
}

void nic_gate_fini(struct nic *nic)
{
	free(nic->looks);
	free(nic->to_lid.first);
	free(nic->to_lid.next);
	free(nic->parked);
	host_hold_fini(&nic->host_hold);
	gate_fini(&nic->gate);
}

/* ---- rates of flows, for statistics (port-group) ---- */

/* flows to the destination of agent @key have the rate that it has now */
static void note_rate(struct nic *nic, uint32_t key, bool becn)
{
	const struct rate_agent *agent = &nic->gate.rate.agents[key];
	uint64_t bps = rate_agent_bps(&nic->config->port_group, nic->link->rate_bps, agent->index);

	for (uint32_t next = nic->to_lid.first[agent->lid]; next;
	     next = nic->to_lid.next[next - 1]) {
		struct flow_tx_stats *flow = stats_flow_tx(nic->stats, next - 1);

		flow->cnps += becn;
		flow->rate_bps = bps;
		if (!flow->rate_min_bps || bps < flow->rate_min_bps)
			flow->rate_min_bps = bps;
	}
}

void nic_gate_open_flow(struct nic *nic, uint32_t slot)
{
	uint32_t lid, key;

	if (!nic->by_lid)
		return;
	lid = lid_of_host(nic->queue.specs[slot].destination);
	nic->to_lid.next[slot] = nic->to_lid.first[lid];
	nic->to_lid.first[lid] = slot + 1;
	key = nic_gate_of_flow(nic, slot);
	if (key != GATE_KEY_NONE)
		note_rate(nic, key, false);
}

/* ---- heads ---- */

static void park_heads(struct nic *nic, uint32_t traffic_class)
{
	while (nic->queue.drr.ready & 1u << traffic_class) {
		uint32_t key = nic_gate_of_flow(nic, send_queue_head(&nic->queue, traffic_class));

		if (key == GATE_KEY_NONE || gate_may_send(&nic->gate, key, nic->now_ps))
			return;
		send_queue_park(&nic->queue, traffic_class,
				&nic->parked[gate_place(&nic->gate, key, traffic_class)]);
		gate_wait(&nic->gate, key);
	}
}

uint32_t nic_gate_of_head(struct nic *nic, uint32_t queue)
{
	struct host_head *head = &nic->host_send.heads[queue];
	struct gate_flow flow = { .name = &head->name, .look = &head->look };

	if (!gate_used(&nic->gate))
		return GATE_KEY_NONE;
	if (nic->by_lid)
		flow.lid = nic_lid_of_mac(nic, head->name.destination_mac);
	return gate_find(&nic->gate, &flow);
}

/* The head of the host's @queue, with its remaining segments, moves to the queue of @place; it is
 * dropped if that is full. */
static void set_aside(struct nic *nic, uint32_t queue, uint32_t place)
{
	struct host_head head = nic->host_send.heads[queue];
	uint32_t slot = host_send_take(&nic->host_send, queue, nic->now_ps);
	uint32_t frame_bytes = nic->host.frames[slot].frame_bytes;

	if (host_hold_put(&nic->host_hold, place, slot, &head))
		return;
	host_if_give(&nic->host, slot);
	trace_drop(nic->stats, DROP_FGFC_QUEUE, 0, frame_bytes, NULL, nic->now_ps);
}

/* Moves heads of the host's @queue that may not be sent now to their places. Only heads that are
 * due: a late NIC has read later ones too. A head also waits if its key is open but older frames of
 * the key wait. */
static void set_heads_aside(struct nic *nic, uint32_t queue)
{
	const struct host_head *head = &nic->host_send.heads[queue];

	while (nic->host_send.ready & 1u << queue && head->at_ps <= nic->now_ps) {
		uint32_t key = nic_gate_of_head(nic, queue), place;

		if (key == GATE_KEY_NONE)
			return;
		place = gate_place(&nic->gate, key, head->traffic_class);
		if (gate_may_send(&nic->gate, key, nic->now_ps) &&
		    host_hold_empty(&nic->host_hold, place))
			return;
		set_aside(nic, queue, place);
		gate_wait(&nic->gate, key);
	}
}

void nic_gate_stop_heads(struct nic *nic)
{
	for (uint32_t left = nic->queue.drr.ready; left; left &= left - 1)
		park_heads(nic, (uint32_t)__builtin_ctz(left));
	for (uint32_t left = nic->host_send.ready; left; left &= left - 1)
		set_heads_aside(nic, (uint32_t)__builtin_ctz(left));
}

/* ---- changes of a key ---- */

/* After every change of @key: flows and frames that wait for it return if they may send, and a key
 * that has ended is freed. */
static void key_changed(struct nic *nic, uint32_t key)
{
	struct gate *gate = &nic->gate;
	bool open = gate_may_send(gate, key, nic->now_ps), all = gate_lets_all(gate, key);
	uint32_t place = key * gate->places_each, end = place + gate->places_each;
	bool waits = false;

	ENSURE(end, <=, gate_places(gate));
	for (; place < end; place++) {
		while (open && send_queue_unpark(&nic->queue, &nic->parked[place]) && all)
			;
		host_hold_open(&nic->host_hold, place, open);
		waits |= nic->parked[place].first != SEND_NONE ||
			 !host_hold_empty(&nic->host_hold, place);
	}
	if (waits && !open)
		gate_wait(gate, key);
	else if (!waits && gate_has_ended(gate, key))
		gate_free(gate, key);
}

void nic_gate_count_sent(struct nic *nic, uint32_t key, uint32_t frame_bytes)
{
	uint32_t wire_bytes = frame_bytes + FRAME_FCS_BYTES + nic->link->gap_bytes;

	if (nic->by_lid)
		wire_bytes += LID_HEADER_BYTES;
	gate_sent(&nic->gate, key, frame_bytes, link_frame_time_of(nic->link, wire_bytes),
		  nic->now_ps);
	/* an open key that stays open and limits its flows as before has nothing to release */
	if (!gate_may_send(&nic->gate, key, nic->now_ps) || gate_has_ended(&nic->gate, key))
		key_changed(nic, key);
}

static void fgfc_trace(struct nic *nic, enum trace_kind kind, uint32_t detail, uint64_t value)
{
	trace(nic->stats, (struct trace_entry){ .at_ps = nic->now_ps,
						.kind = (uint16_t)kind,
						.detail = detail,
						.value = value });
}

/* the pause of entry @key is over */
static void note_end(struct nic *nic, uint32_t key)
{
	fgfc_trace(nic, TRACE_FGFC_END, key, nic->gate.fgfc.entries[key].sent_units);
}

static void on_fgfc(struct nic *nic, const struct fgfc_frame *frame)
{
	struct fgfc_gate *gate = &nic->gate.fgfc;
	uint32_t key, changes = gate->changes;
	int error = fgfc_gate_on_frame(gate, frame, nic->now_ps, &key);

	if (error == -ENOSPC) {
		nic->link->stats->fgfc_refused++;
		fgfc_trace(nic, TRACE_FGFC_REFUSED, gate->used, frame->credit_units);
	}
	if (error)
		return;
	if (changes != gate->changes)
		fgfc_trace(nic, TRACE_FGFC_HOLD, key, frame->credit_units);
	if (!gate->entries[key].held)
		note_end(nic, key);
	key_changed(nic, key);
}

void nic_gate_on_fgfc(struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes)
{
	uint8_t copy[FGFC_MASKED_BYTES];
	struct fgfc_frame frame;

	nic->link->stats->fgfc_frames++;
	if (captured_bytes > sizeof(copy)) {
		trace_drop(nic->stats, DROP_MALFORMED, 0, 0, NULL, nic->now_ps);
		return;
	}
	memcpy(copy, bytes, captured_bytes);
	if (fgfc_frame_read(copy, captured_bytes, &frame)) {
		trace_drop(nic->stats, DROP_MALFORMED, 0, 0, NULL, nic->now_ps);
		return;
	}
	host_if_tell(&nic->host, copy, captured_bytes);
	on_fgfc(nic, &frame);
	nic->link->stats->fgfc_held = nic->gate.fgfc.held;
}

void nic_gate_on_becn(struct nic *nic, uint32_t lid)
{
	uint32_t key = rate_agents_on_becn(&nic->gate.rate, lid, nic->now_ps);

	nic->link->stats->cnps_received++;
	if (key != RATE_NONE)
		note_rate(nic, key, true);
}

void nic_gate_step(struct nic *nic)
{
	uint32_t key = gate_step(&nic->gate, nic->now_ps);

	if (nic->gate.kind == GATE_RATE)
		note_rate(nic, key, false);
	else
		note_end(nic, key);
	key_changed(nic, key);
	nic->link->stats->fgfc_held = nic->gate.fgfc.held;
}
