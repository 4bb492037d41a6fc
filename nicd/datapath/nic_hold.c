/*  nic_hold - what becomes of a flow that the gate holds (EC-17): it steps aside, so that the
 *  others of its class go on.
 *
 *  Generated flows. When the turn comes to a flow that may not send, it leaves its class's ring (it
 *  is parked) and returns when credit comes or its pause is over. So a held flow costs nothing
 *  while it waits, and which flows a frame means need not be known when it arrives. Flows that one
 *  entry names share its credit: they return in the order in which they left.
 *
 *  Frames of an attached host. The head of a socket's queue whose flow is held moves to the queue
 *  of the flow's entry (host_hold.h), and so do newer ones until nothing waits there any more; only
 *  then the entry of an ended flow is given up. Telling programs. The host gets each good FGFC
 *  frame as it is: a program in it with a packet socket for that EtherType hears which flow is
 *  held, for how long and with what credit; to everybody else it is a frame of a protocol that they
 *  do not speak. */
#include "nicd/datapath/nic_hold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "nodes/stats/trace.h"

int nic_hold_init(struct nic *nic, uint32_t entries_max)
{
	nic->parked = malloc((entries_max + 1) * sizeof(*nic->parked));
	if (!nic->parked)
		return -ENOMEM;
	for (uint32_t i = 0; i < entries_max; i++)
		nic->parked[i] = (struct send_parked){ .first = SEND_NONE, .last = SEND_NONE };
	return fgfc_gate_init(&nic->gate, nic->by_lid ? 0 : entries_max) ||
			       host_hold_init(&nic->host_hold, &nic->host, entries_max)
		       ? -ENOMEM
		       : 0;
}

void nic_hold_fini(struct nic *nic)
{
	free(nic->parked);
	host_hold_fini(&nic->host_hold);
	fgfc_gate_fini(&nic->gate);
}

/* ---- generated flows ---- */

static void unpark_all(struct nic *nic, uint32_t entry)
{
	while (send_queue_unpark(&nic->queue, &nic->parked[entry]))
		;
}

static void park_heads(struct nic *nic)
{
	for (uint32_t left = nic->gate.held ? nic->queue.drr.ready : 0; left; left &= left - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(left);

		while (nic->queue.drr.ready & 1u << c) {
			uint32_t slot = send_queue_head(&nic->queue, c);
			uint32_t entry = fgfc_gate_find(&nic->gate, &nic->queue.names[slot]);

			if (entry == FGFC_NONE || fgfc_gate_open(&nic->gate, entry))
				break;
			send_queue_park(&nic->queue, c, &nic->parked[entry]);
		}
	}
}

void nic_hold_sent(struct nic *nic, uint32_t slot, uint32_t frame_bytes)
{
	uint32_t entry;

	if (!nic->gate.held)
		return;
	entry = fgfc_gate_find(&nic->gate, &nic->queue.names[slot]);
	if (entry == FGFC_NONE)
		return;
	fgfc_gate_sent(&nic->gate, entry, units_of_bytes(frame_bytes));
	host_hold_open(&nic->host_hold, entry,
		       fgfc_gate_open(&nic->gate, entry)); /* frames of the host share its credit */
}

/* ---- frames of the host ---- */

/* is the head of @queue of a held flow?  @entry  filled */
static bool head_is_held(struct nic *nic, struct host_head *head, uint32_t *entry)
{
	if (head->passed && head->gate_changes == nic->gate.changes)
		return false;
	*entry = fgfc_gate_find(&nic->gate, &head->name);
	head->passed = *entry == FGFC_NONE;
	head->gate_changes = nic->gate.changes;
	return !head->passed;
}

void nic_hold_set_aside(struct nic *nic, uint32_t queue, uint32_t entry)
{
	struct host_head head = nic->host_send.heads[queue];
	uint32_t slot = host_send_take(&nic->host_send, queue, nic->now_ps);
	uint32_t frame_bytes = nic->host.frames[slot].frame_bytes;

	if (host_hold_put(&nic->host_hold, entry, slot, &head))
		return;
	host_if_give(&nic->host, slot);
	nic->stats->drops[DROP_FGFC_QUEUE]++;
	trace(nic->stats, nic->now_ps, TRACE_DROP, 0, DROP_FGFC_QUEUE, frame_bytes);
}

/* those that are there at this moment, as a NIC that comes late knows of more already */
static void set_heads_aside(struct nic *nic)
{
	for (uint32_t left = nic->host_send.ready; left; left &= left - 1) {
		uint32_t queue = (uint32_t)__builtin_ctz(left), entry;
		struct host_head *head = &nic->host_send.heads[queue];

		while (nic->host_send.ready & 1u << queue && head->at_ps <= nic->now_ps &&
		       head_is_held(nic, head, &entry))
			nic_hold_set_aside(nic, queue, entry);
	}
}

void nic_hold_heads(struct nic *nic)
{
	if (!nic->gate.used)
		return;
	park_heads(nic);
	set_heads_aside(nic);
}

/* the flow of @entry may send, or may not: after every change of its state, credit or frames */
static void settle(struct nic *nic, uint32_t entry)
{
	host_hold_open(&nic->host_hold, entry, fgfc_gate_open(&nic->gate, entry));
	if (!nic->gate.entries[entry].held && host_hold_empty(&nic->host_hold, entry))
		fgfc_gate_free(&nic->gate, entry);
}

void nic_hold_host_sent(struct nic *nic, uint32_t entry, uint32_t frame_bytes)
{
	fgfc_gate_sent(&nic->gate, entry, units_of_bytes(frame_bytes));
	settle(nic, entry);
}

/* ---- frames and timers ---- */

/* the flow is free: what was kept of it goes on */
static void release(struct nic *nic, uint32_t entry)
{
	trace(nic->stats, nic->now_ps, TRACE_FGFC_END, 0, entry,
	      (uint32_t)nic->gate.entries[entry].sent_units);
	unpark_all(nic, entry);
	settle(nic, entry);
}

static void on_frame(struct nic *nic, const struct fgfc_frame *frame)
{
	uint32_t entry, changes = nic->gate.changes;
	int error = fgfc_gate_on_frame(&nic->gate, frame, nic->now_ps, &entry);

	if (error == -ENOSPC) {
		nic->link->stats->fgfc_refused++;
		trace(nic->stats, nic->now_ps, TRACE_FGFC_REFUSED, 0, nic->gate.used,
		      frame->credit_units);
	}
	if (error)
		return;
	if (changes != nic->gate.changes)
		trace(nic->stats, nic->now_ps, TRACE_FGFC_HOLD, 0, entry, frame->credit_units);
	if (!nic->gate.entries[entry].held) {
		release(nic, entry);
		return;
	}
	if (fgfc_gate_open(&nic->gate, entry))
		unpark_all(nic, entry);
	settle(nic, entry);
}

void nic_hold_frame(struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes)
{
	uint8_t copy[FGFC_MASKED_BYTES];
	struct fgfc_frame frame;

	nic->link->stats->fgfc_frames++;
	if (captured_bytes > sizeof(copy)) {
		nic->stats->drops[DROP_MALFORMED]++;
		return;
	}
	memcpy(copy, bytes, captured_bytes);
	if (fgfc_frame_read(copy, captured_bytes, &frame)) {
		nic->stats->drops[DROP_MALFORMED]++;
		return;
	}
	host_if_tell(&nic->host, copy, captured_bytes);
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
