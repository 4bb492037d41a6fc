/*  nic_hold - what becomes of a flow that the gate holds (EC-17): it steps aside, so that the others of its class go on.
 *
 *  Generated flows. When the turn comes to a flow that may not send, it leaves its class's ring (it is parked) and returns
 *  when credit comes or its pause is over. So a held flow costs nothing while it waits, and which flows a frame means
 *  need not be known when it arrives. Flows that one entry names share its credit: they return in the order in which they left.   */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/nic.h"
#include "nodes/trace.h"
#include "nodes/units.h"

int nic_hold_init(struct nic *nic, uint32_t entries_max)
{
	nic->parked = malloc((entries_max + 1) * sizeof(*nic->parked));
	if (!nic->parked)
		return -ENOMEM;
	for (uint32_t i = 0; i < entries_max; i++)
		nic->parked[i] = (struct nic_parked){ .first = SEND_NONE, .last = SEND_NONE };
	return fgfc_gate_init(&nic->gate, entries_max);
}

void nic_hold_fini(struct nic *nic)
{
	free(nic->parked);
	fgfc_gate_fini(&nic->gate);
}

/* ---- generated flows ---- */

static void park(struct nic *nic, uint32_t entry, uint32_t traffic_class)
{
	struct nic_parked *parked = &nic->parked[entry];
	uint32_t slot = send_queue_head(&nic->queue, traffic_class);

	send_queue_park(&nic->queue, traffic_class);
	nic->queue.flows[slot].next = SEND_NONE;
	if (parked->first == SEND_NONE)
		parked->first = slot;
	else
		nic->queue.flows[parked->last].next = slot;
	parked->last = slot;
}

static void unpark_all(struct nic *nic, uint32_t entry)
{
	struct nic_parked *parked = &nic->parked[entry];

	while (parked->first != SEND_NONE) {
		uint32_t slot = parked->first;

		parked->first = nic->queue.flows[slot].next;
		send_queue_unpark(&nic->queue, slot);
	}
}

void nic_hold_heads(struct nic *nic)
{
	for (uint32_t left = nic->gate.held ? nic->queue.ready : 0; left; left &= left - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(left);

		while (nic->queue.ready & 1u << c) {
			uint32_t slot = send_queue_head(&nic->queue, c);
			uint32_t entry = fgfc_gate_find(&nic->gate, &nic->queue.names[slot]);

			if (entry == FGFC_NONE || fgfc_gate_open(&nic->gate, entry))
				break;
			park(nic, entry, c);
		}
	}
}

void nic_hold_sent(struct nic *nic, uint32_t slot, uint32_t frame_bytes)
{
	uint32_t entry;

	if (!nic->gate.held)
		return;
	entry = fgfc_gate_find(&nic->gate, &nic->queue.names[slot]);
	if (entry != FGFC_NONE)
		fgfc_gate_sent(&nic->gate, entry, units_of_bytes(frame_bytes));
}

/* ---- frames and timers ---- */

/* the flow is free: what was kept of it goes on */
static void release(struct nic *nic, uint32_t entry)
{
	trace(nic->stats, nic->now_ps, TRACE_FGFC_END, 0, entry, (uint32_t)nic->gate.entries[entry].sent_units);
	unpark_all(nic, entry);
	fgfc_gate_free(&nic->gate, entry);
}

static void on_frame(struct nic *nic, const struct fgfc_frame *frame)
{
	uint32_t entry, changes = nic->gate.changes;
	int error = fgfc_gate_on_frame(&nic->gate, frame, nic->now_ps, &entry);

	if (error == -ENOSPC) {
		nic->link->stats->fgfc_refused++;
		trace(nic->stats, nic->now_ps, TRACE_FGFC_REFUSED, 0, nic->gate.used, frame->credit_units);
	}
	if (error)
		return;
	if (!nic->gate.entries[entry].held)
		release(nic, entry);
	else if (fgfc_gate_open(&nic->gate, entry))
		unpark_all(nic, entry);
	if (changes != nic->gate.changes)
		trace(nic->stats, nic->now_ps, TRACE_FGFC_HOLD, 0, entry, frame->credit_units);
}

void nic_hold_frame(struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes)
{
	uint8_t copy[FGFC_FRAME_BYTES];
	struct fgfc_frame frame;

	nic->link->stats->fgfc_frames++;
	if (captured_bytes != sizeof(copy)) {
		nic->stats->drops[DROP_MALFORMED]++;
		return;
	}
	memcpy(copy, bytes, sizeof(copy));
	if (fgfc_frame_read(copy, sizeof(copy), &frame)) {
		nic->stats->drops[DROP_MALFORMED]++;
		return;
	}
	on_frame(nic, &frame);
	nic->link->stats->fgfc_held = nic->gate.held;
}

void nic_hold_step(struct nic *nic)
{
	uint32_t entry = fgfc_gate_step(&nic->gate, nic->now_ps);

	if (entry != FGFC_NONE)
		release(nic, entry);
	nic->link->stats->fgfc_held = nic->gate.held;
}
