/*  host_send - what the attached host has to send: the next frame of each of its queues, and the
 *  class it belongs to.
 *
 *  The frame in front of a queue is its head. It is looked at once: class, length, how it is cut;
 *  then it gives frame after frame, until the next one becomes the head. What cannot be sent at all
 *  is dropped and counted here, before it is injected: malformed, or in frames longer than the MTU
 *  (oversize).
 *
 *  Place: between host_if and the link. No I/O, no allocation. */
#ifndef HEDDLE_NICD_HOST_HOST_SEND_H
#define HEDDLE_NICD_HOST_HOST_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/host/host_if.h"
#include "nicd/host/host_offload.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/stats/stats.h"
#include "nodes/wire/flow_name.h"

struct host_head {
	struct host_cut cut;
	node_time_t at_ps;    /* not sent before */
	uint32_t frame_bytes; /* of the next frame, without FCS */
	uint32_t traffic_class;
	struct flow_name name; /* whole */
	uint32_t gate_changes; /* passed the gate when it had changed so often ... */
	bool passed;           /* ... if it has been looked up: nic_gate.c */
};

struct host_send {
	struct host_if *host;
	const struct port_config *port;
	struct stats_page *stats;
	uint32_t class_count;
	uint32_t ready; /* set of queues that have a head */
	struct host_head heads[NIC_HOST_QUEUES_MAX];
};

/** host_send_init() - sends what @host holds. All borrowed; the MTU is read from @config when it is
 *  needed. */
void host_send_init(struct host_send *send, struct host_if *host, const struct node_config *config,
		    struct stats_page *stats);

/** host_send_refill() - (after host_if_receive()) queues without a head get one, if there is a
 *  frame. @now for the trace. */
void host_send_refill(struct host_send *send, node_time_t now);

/** host_send_take() - the head of @queue, which is ready, goes elsewhere, and the frame behind it
 *  becomes the head.
 *  Return: its slot, as host_if_take(). The caller has copied from heads[queue] what it needs. */
uint32_t host_send_take(struct host_send *send, uint32_t queue, node_time_t now);

/** host_send_next() - writes the next frame of @queue, which is ready, to @bytes (NULL: it is lost
 *  on the link) and goes on to the one behind it. */
void host_send_next(struct host_send *send, uint32_t queue, uint8_t *bytes, node_time_t now);

#endif
