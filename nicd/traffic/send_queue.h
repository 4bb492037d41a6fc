/*  send_queue - messages of a NIC that wait, a queue for each flow. The flows of a traffic class
 *  share it by deficit round robin (drr.h).
 *
 *  A flow is a (workload, destination, connection). Its slot is its index in the statistics page,
 *  and its packets carry the slot. Messages of a flow are sent one after the other, in the order of
 *  send_queue_put(). A packet is made when it is sent, with headers from the template of its flow.
 *  The state of a flow is one cache line.
 *
 *  Flows with a transport are opened here for their slot, but their messages are in transport.h,
 *  which keeps them until they are acknowledged.
 *
 *  Memory: flows_max flows, and messages_max waiting messages besides the one that each flow sends,
 *  allocated in _init, never later. send_queue_full() is a normal state: messages start later.
 *  Place: called by dataplane.c and nic_*.c; uses neither link nor time. */
#ifndef HEDDLE_NICD_TRAFFIC_SEND_QUEUE_H
#define HEDDLE_NICD_TRAFFIC_SEND_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/traffic/drr.h"
#include "nicd/traffic/flow_packet.h"
#include "nicd/traffic/index_pool.h"
#include "nicd/traffic/message.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/wire/flow_name.h"
#include "nodes/wire/frame.h"

#define SEND_NONE UINT32_MAX

/* what each packet needs of its flow: one cache line */
struct send_flow {
	/* of the present message: not sent yet; 0: the flow has nothing to send */
	uint64_t left_bytes;
	uint64_t message_bytes; /* of that message */
	node_time_t start_ps;   /* when that message was due */
	/* numbers of the next packet, and of that message; modulo 2^32 */
	uint32_t packet, message;
	struct index_list waiting; /* messages after it */
	struct drr_flow turn;      /* of a parked flow: its place in the list of such */
	struct message_shape shape;
	/* frame length that the template is written for; 0: none yet */
	uint32_t template_frame_bytes;
	uint8_t traffic_class;
	uint8_t spare[3];
};

struct send_message {
	uint64_t bytes;
	node_time_t start_ps;
};

/* flows that may not send now, in the order in which they were parked */
struct send_parked {
	uint32_t first, last; /* first == SEND_NONE: none */
};

struct send_queue {
	struct drr drr; /* drr.ready: set of classes that have something to send */
	uint32_t host_index;
	uint32_t flow_count, flows_max;
	struct send_flow *flows;
	struct flow_spec *specs;
	struct flow_name *names; /* all match fields, as an edge port reads them */
	uint8_t (*templates)[FRAME_HEADERS_MAX];
	struct send_message *messages; /* by entry of the pool: those that wait */
	uint64_t *waiting_bytes;       /* by slot: of these */
	struct index_pool pool;
};

/** send_queue_init() - an empty queue of host @host_index. @flows_max, @messages_max limits.
 *  Return: 0 or -ENOMEM. */
int send_queue_init(struct send_queue *queue, uint32_t host_index, uint32_t flows_max,
		    uint32_t messages_max);
void send_queue_fini(struct send_queue *queue);

/** send_queue_open() - a new flow. @spec copied; its shape's largest frame is below 64 KiB.
 *  Return: its slot, counted from 0 in the order of opening; SEND_NONE when there are flows_max.
 *  O(1). */
uint32_t send_queue_open(struct send_queue *queue, const struct flow_spec *spec);

/** send_queue_full() - true if messages_max messages wait: no send_queue_put() now. */
static inline bool send_queue_full(const struct send_queue *queue)
{
	return index_pool_full(&queue->pool);
}

/** send_queue_put() - message of @bytes (>= 1) for the flow in @slot, due at @start_ps. The queue
 *  is not send_queue_full(). O(1). */
void send_queue_put(struct send_queue *queue, uint32_t slot, uint64_t bytes, node_time_t start_ps);

/** send_queue_next() - the next packet of @traffic_class, which must be in queue->drr.ready;
 *  nothing changes. O(1). */
struct flow_packet send_queue_next(const struct send_queue *queue, uint32_t traffic_class);

/** send_queue_write() - writes captured_bytes of @packet, just returned by send_queue_next(), to
 *  @bytes. */
void send_queue_write(struct send_queue *queue, const struct flow_packet *packet, uint8_t *bytes);

/** send_queue_sent() - @packet, just returned by send_queue_next(), was sent, even if the link has
 *  lost it. O(1). */
void send_queue_sent(struct send_queue *queue, const struct flow_packet *packet);

static inline struct drr_flows send_queue_turns(const struct send_queue *queue)
{
	return (struct drr_flows){ &queue->flows->turn, sizeof(*queue->flows) };
}

/** send_queue_head() - the flow whose packet @traffic_class, which must be in queue->drr.ready,
 *  would send next. O(1). */
static inline uint32_t send_queue_head(const struct send_queue *queue, uint32_t traffic_class)
{
	return drr_head(&queue->drr, send_queue_turns(queue), traffic_class);
}

/** send_queue_park() - moves send_queue_head() of @traffic_class from the ring of the class to the
 *  end of @parked. The flow keeps its messages, and takes further ones, but sends nothing until
 *  send_queue_unpark(). O(1). */
void send_queue_park(struct send_queue *queue, uint32_t traffic_class, struct send_parked *parked);

/** send_queue_unpark() - the first flow in @parked goes to the end of its class's ring.
 *  Return: false: there is none. O(1). */
bool send_queue_unpark(struct send_queue *queue, struct send_parked *parked);

/** send_queue_bytes() - bytes of messages of the flow in @slot that are not sent yet. O(1). */
static inline uint64_t send_queue_bytes(const struct send_queue *queue, uint32_t slot)
{
	return queue->flows[slot].left_bytes + queue->waiting_bytes[slot];
}

/** send_queue_waiting() - messages of the flow in @slot that are not completely sent. O(messages),
 *  for `show`. */
uint32_t send_queue_waiting(const struct send_queue *queue, uint32_t slot);

#endif
