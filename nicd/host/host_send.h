/*  host_send - what the attached host has to send: the next frame of each of its queues, and its
 *  traffic class.
 *
 *  The first frame of a queue is its head. Its class, length and cutting are determined once. It
 *  then gives one frame after the other, until the next one becomes the head. Frames that cannot be
 *  sent are dropped and counted here, before they are injected: malformed, or longer than the MTU
 *  after cutting (oversize).
 *
 *  Place: between host_if and the link. No I/O, no allocation. */
#ifndef HEDDLE_NICD_HOST_HOST_SEND_H
#define HEDDLE_NICD_HOST_HOST_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/gates/fgfc_gate.h"
#include "nicd/host/host_if.h"
#include "nicd/host/host_offload.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/stats/stats.h"
#include "nodes/wire/class_map.h"
#include "nodes/wire/flow_name.h"

struct host_head {
	struct host_cut cut;
	node_time_t at_ps;    /* not sent before */
	uint32_t frame_bytes; /* of the next frame, without FCS */
	uint32_t traffic_class;
	struct flow_name name; /* whole */
	struct fgfc_look look; /* for it */
};

struct host_send {
	struct host_if *host;
	const struct port_config *port;
	struct stats_page *stats;
	struct class_map classes;
	uint32_t ready; /* set of queues that have a head */
	struct host_head heads[NIC_HOST_QUEUES_MAX];
};

/** host_send_init() - for frames of @host. All borrowed; the MTU of @config may change. */
void host_send_init(struct host_send *send, struct host_if *host, const struct node_config *config,
		    struct stats_page *stats);

/** host_send_refill() - after host_if_receive(): queues without a head get one, if they have a
 *  frame. @now for the trace. */
void host_send_refill(struct host_send *send, node_time_t now);

/** host_send_take() - dequeues the head of @queue, which is ready; the next frame becomes the head.
 *  Return: its slot, as host_if_take(). The caller has copied what it needs of heads[queue]. */
uint32_t host_send_take(struct host_send *send, uint32_t queue, node_time_t now);

/** host_send_next() - writes the next frame of @queue, which is ready, to @bytes (NULL: the link
 *  has lost it). The one after it is then the next. */
void host_send_next(struct host_send *send, uint32_t queue, uint8_t *bytes, node_time_t now);

#endif
