/*  ifct - the input flow channel table: one entry and one queue per flow of an input port (FC-6,
 *  FC-7, FC-14, FC-17).
 *
 *  Indexed by the flow_id that arrives with the packet. Both extents follow from three positions on
 *  the flow's own scale:
 *      ack_flow <= data_flow <= next_data_flow
 *      queue_extent = next_data_flow - data_flow   waits here
 *      flow_extent  = data_flow - ack_flow         sent from here, not acknowledged
 *  Positions count data units modulo 2^32; a header carries the low 16 bits. They are a link's own:
 *  the sender of every link numbers what it puts on it (ofct.h), from 0 when the link comes up, so
 *  a hole can only have arisen on this link. On a hole all three positions advance over it
 *  together: no extent changes, and the loss is reported upstream in a LOSS ACK. A
 *  channel is free when both extents are 0; the next packet then sets it up again and may take
 *  another path. Positions run on while it is free, so the loss of a flow's first packet leaves a
 *  hole as well.
 *  Each flow has its own list of packets, so a blocked flow delays no other one (FC-11). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_IFCT_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_IFCT_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/table.h"
#include "switchd/common/packet.h"

#define FLOW_REF_NONE UINT32_MAX
#define FLOW_REF_ID_BITS 11u

/* a flow of this switch: input port and flow_id there */
static inline uint32_t flow_ref(uint32_t in_port, uint32_t flow_id)
{
	return in_port << FLOW_REF_ID_BITS | flow_id;
}

static inline uint32_t flow_ref_port(uint32_t ref)
{
	return ref >> FLOW_REF_ID_BITS;
}

static inline uint32_t flow_ref_id(uint32_t ref)
{
	return ref & ((1u << FLOW_REF_ID_BITS) - 1);
}

/* Where the state of a flow is:
 *      wait              what its first packet waits for; each cause has its list, and ends as said
 *      fc_state          whether it may send at all (FC-6)
 *      tree_line.state   unordered classes: one path, or a tree of paths (dataplane.h)
 *      redirect_line     where a redirect leads, and that the flow selects an output again
 *      marked            an event concerns it: dataplane.c handles the marks after the event
 * flow_wait_reason() finds the cause for the next packet, flow_wait() enters it. */
enum ifct_wait {
	IFCT_NOT_WAITING,     /* queue empty; a packet arrives: flow_queue() */
	IFCT_REQUESTING,      /* in the arbiter of its output: crossbar_grant() */
	IFCT_WAITING_CHANNEL, /* its output has no free channel (FC-9): crossbar_channel_freed() */
	/* its own limits, no credit, or a redirect; an ACK of its own: resume_flow() */
	IFCT_BLOCKED,
	IFCT_ASLEEP, /* its wake-up time: resume_wake() */
	/* without credit, and the peer has no buffer for such flows: resume_lane() */
	IFCT_STOPPED,
	IFCT_PORT_LIMIT, /* its input port has too much in flight (EC-9): resume_port() */
};

/* flow-control state (FC-6) */
enum fc_state {
	RUNNING,
	BLOCK_FOR_REDIRECT, /* until nothing of it is downstream; then it moves (FC-25) */
	BLOCK_UNTIL_EMPTY,  /* until nothing of it is in flight (EC-8) */
};

struct ifct_entry {
	_Alignas(64) struct packet_queue queue;
	uint32_t next_data_flow, data_flow, ack_flow; /* units, modulo 2^32 */
	/* next flow in the arbiter's or the waiting list */
	uint32_t next_ref;
	/* arbiter: what it may still send in this turn */
	int32_t deficit_bytes;
	uint16_t fabric_address; /* destination */
	/* fabric address of the switch that it goes to first; 0: straight to its destination */
	uint16_t via;
	uint8_t egress_port;
	uint8_t traffic_class;
	uint8_t follow_port;       /* output port while flow_extent != 0 (FC-15) */
	uint8_t in_lane : 4;       /* virtual lanes that its packets come in on, */
	uint8_t out_lane : 4;      /* and go out on while flow_extent != 0 */
	uint8_t wait : 4;          /* enum ifct_wait */
	uint8_t fc_state : 2;      /* enum fc_state */
	bool active : 1, turn : 1; /* turn: the arbiter has given it this round's quantum */
	bool marked : 1;           /* in the ring of marks.h; outlives the channel */
	uint8_t ep_congestion;     /* the ECA received last (EC-5) */
	uint8_t setting : 5;       /* which of the settings is in force */
	/* upstream metering: we give credit; downstream metering: we need credit (EC-12) */
	bool um : 1, dm : 1;
	int32_t headroom; /* dm: units that may be sent; < 0: debt (EC-12) */
	/* um: queue_extent, data in flight and headroom upstream, together (headroom.h) */
	int32_t committed_units;
	node_time_t wake_up_ps; /* no packet is granted before */
};

_Static_assert(sizeof(struct ifct_entry) == 64, "a flow's state at an input is one cache line");

struct ifct {
	TABLE(struct ifct_entry) entries;
	uint32_t channels;
	uint32_t used, used_max;
};

/** ifct_init() - a table of @channels entries, all free; the near ones in @arena (table.h).
 *  Return: 0 or -ENOMEM. */
int ifct_init(struct ifct *ifct, uint32_t channels, struct table_arena *arena);
void ifct_fini(struct ifct *ifct);

static inline uint32_t ifct_queue_extent(const struct ifct_entry *entry)
{
	return entry->next_data_flow - entry->data_flow;
}

static inline uint32_t ifct_flow_extent(const struct ifct_entry *entry)
{
	return entry->data_flow - entry->ack_flow;
}

static inline uint32_t ifct_total_extent(const struct ifct_entry *entry)
{
	return entry->next_data_flow - entry->ack_flow;
}

/** ifct_arrive() - @packet, of channel packet->flow_id, has arrived with @position in its header:
 *  sets the channel up if it is free. O(1).
 *  @hole_units  filled with the units missing in front of it, mostly 0.
 *  Return: the entry; NULL if the packet contradicts the channel (another virtual lane or
 *  destination, a position before the expected one). The caller queues the packet with
 *  ifct_push(). */
struct ifct_entry *ifct_arrive(struct ifct *ifct, const struct packet *packet, uint16_t position,
			       uint32_t *hole_units);

/** ifct_skip() - a packet of @units at @position has arrived but cannot be queued: the next one is
 *  expected after it, whether the channel is in use or free.
 *  Return: the units missing in front of it. */
uint32_t ifct_skip(struct ifct *ifct, uint32_t flow_id, uint16_t position, uint32_t units);

/** ifct_push() - queues @packet; takes it.  Return: was the queue empty? */
bool ifct_push(struct ifct_entry *entry, struct packet *packet);

/** ifct_pop() - takes the flow's first packet out; the caller owns it. The queue must not be empty.
 */
struct packet *ifct_pop(struct ifct_entry *entry);

/** ifct_on_ack() - @units of flow @flow_id were delivered or lost downstream.
 *  Return: false if the flow is not waiting for so many (nothing is changed). */
bool ifct_on_ack(struct ifct *ifct, uint32_t flow_id, uint32_t units);

/** ifct_release() - the channel of @flow_id, in use and with both extents 0, is free again. */
void ifct_release(struct ifct *ifct, uint32_t flow_id);

/** ifct_restart() - a new link: all positions are 0 again, as at its other end. No channel is in
 *  use. O(channels). */
void ifct_restart(struct ifct *ifct);

#endif
