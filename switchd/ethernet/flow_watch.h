/*  flow_watch - the RoCE flows that a switch remembers: when their last CNP passed, and how to make
 *  one (RC-8 ... RC-10).
 *
 *  A flow is a pair of addresses and the UDP source port, from the sender of data to its receiver.
 *  Both ends use the same port. So an ACK or CNP belongs to the flow with its addresses exchanged.
 *  The sender's queue pair is learned from it; data frames do not name it. A line has what a CNP
 *  needs: MAC and IP addresses and port of the flow, and that queue pair. Flows of a pair that
 *  share a port count as one, with the queue pair of the last reply.
 *  If replies take another path (ECMP; never past either edge switch), the switch learns no queue
 *  pair and makes no CNPs for the flow. It could not know either whether there were any.
 *  Memory: flows_max lines in sets of eight, allocated in init; pages become real when they are
 *  used. A full set forgets the flow that has been silent for longest, but none that has been
 *  signalled to pause. If all have been, the new flow is not watched. Both are counted. Stages of
 *  ethernet find lines; roce_queue.c, path_signal.c and path_pause.c change them. The caller passes
 *  the time. */
#ifndef HEDDLE_SWITCHD_ETHERNET_FLOW_WATCH_H
#define HEDDLE_SWITCHD_ETHERNET_FLOW_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/roce_frame.h"
#include "switchd/ethernet/flow_timer.h"

#define FLOW_WATCH_WAYS 8u
#define FLOW_QUEUE_PAIR_UNKNOWN UINT32_MAX

struct flow_key {
	uint8_t source_ip[16], destination_ip[16];
	uint16_t source_port, ip_version; /* no padding: compared and hashed as bytes */
};

struct flow_line {
	struct flow_key key;
	uint32_t queue_pair; /* of the sender; FLOW_QUEUE_PAIR_UNKNOWN */
	uint8_t source_mac[6], destination_mac[6];
	uint8_t port, traffic_class; /* the output queue that its last packet went to */
	bool pinned;                 /* signalled to pause: not forgotten (path_signal.c) */
	node_time_t first_ps;        /* first packet */
	node_time_t seen_ps;         /* last packet */
	node_time_t cnp_ps;          /* last CNP that passed or was made here; 0: none was */
	struct flow_timer timer;     /* until it lacks the next one (roce_queue.c) */
	uint64_t cnps_seen, cnps_supplemented;
	node_time_t signalled_ps; /* pinned: its last signal */
	/* pinned: the next in its queue's list: index + 1, 0 is the end (path_signal.c) */
	uint32_t younger;
	uint32_t hold; /* whether its device is paused for it (path_pause.c) */
};

struct flow_watch {
	uint64_t *hashes; /* of the lines, a set after the other; 0: free */
	struct flow_line *lines;
	uint32_t sets, ways;
	uint32_t used;
	uint64_t forgotten; /* lines that were replaced */
	uint64_t unwatched; /* times that a flow got no line */
};

/** flow_watch_init() - memory for @flows_max flows (>= 1), rounded down to whole sets. Return: 0 or
 *  -ENOMEM. */
int flow_watch_init(struct flow_watch *watch, uint32_t flows_max);
void flow_watch_fini(struct flow_watch *watch);

/** flow_watch_data() - the line of the flow that a data frame with @fields belongs to, made if
 *  there is none.
 *  @now  its seen_ps then.   Return: NULL if all lines of its set must stay. O(1). */
struct flow_line *flow_watch_data(struct flow_watch *watch, const struct frame_fields *fields,
				  node_time_t now);

/** flow_watch_reply() - the line of the flow that an ACK, NAK or CNP with @fields answers; NULL:
 *  not watched. O(1). */
struct flow_line *flow_watch_reply(struct flow_watch *watch, const struct frame_fields *fields);

/** flow_line_cnp() - a CNP to the flow's sender, as from its receiver. @signal ROCE_SIGNAL_*. A
 *  signal needs no queue pair: the switch that it is for takes it out; 0 stands for an unknown
 *  one. */
struct roce_reply flow_line_cnp(const struct flow_line *line, uint32_t cnp_class, uint8_t signal);

#endif
