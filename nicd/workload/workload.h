/*  workload - the traffic a NIC generates: any number of workloads, each of them sizes, arrivals
 *  and destinations.
 *
 *  A workload makes independent choices: size (workload_size), start (workload_arrival),
 *  destination (workload_destination) and connection (workload_connection, not random). Each has a
 *  random sequence of its own, so a change of one does not shift the others. This file combines
 *  them and keeps the order in which workloads are due. Of two that are due at the same time, the
 *  one with the lower number comes first.
 *
 *  Backlog. An open loop continues however slowly its messages drain. Messages that are not sent
 *  yet wait in the send queue. While that is full, no message starts. Then the arrivals of the
 *  meantime are taken, each with the time at which it was due. So arrivals are deferred, not lost,
 *  and a completion time counts from when the message was due. Deferred arrivals are counted.
 *  Place: called by dataplane.c; reads no clock, sends nothing. */
#ifndef HEDDLE_NICD_WORKLOAD_WORKLOAD_H
#define HEDDLE_NICD_WORKLOAD_WORKLOAD_H

#include <stdint.h>

#include "nicd/traffic/message.h"
#include "nicd/workload/workload_arrival.h"
#include "nicd/workload/workload_connection.h"
#include "nicd/workload/workload_destination.h"
#include "nicd/workload/workload_size.h"
#include "nodes/base/event_tree.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"

struct workload {
	const struct workload_config *config; /* borrowed */
	struct message_shape shape;
	struct workload_size size;
	struct workload_arrival arrival;
	struct workload_destination destination;
	struct workload_connections connections;
	uint64_t mean_ubytes; /* link bytes of a message on average, gaps included, in millionths */
	uint32_t load_permille;
	uint64_t started, sent; /* messages */
	uint64_t deferred;      /* messages that started after they were due */
};

struct workload_set {
	uint32_t count;
	struct workload *workloads;
	struct event_tree timers; /* source = workload */
	uint64_t rate_bps;
};

/* a message that starts */
struct workload_message {
	uint32_t workload;
	uint32_t place; /* of its destination in the workload's list */
	uint32_t connection;
	uint64_t bytes;
	node_time_t start_ps; /* when it was due */
};

/** workload_set_init() - the workloads of @config, which outlives the set.
 *  @rate_bps of the NIC's link, which needs @around_bytes for each packet beside its frame and FCS:
 *  the gap, and a local route header.   Return: 0 or -ENOMEM. */
int workload_set_init(struct workload_set *set, const struct nic_config *config, uint64_t rate_bps,
		      uint32_t around_bytes);
void workload_set_fini(struct workload_set *set);

/** workload_next_at() - when the next message is due, possibly long ago; NODE_TIME_NEVER: none is.
 *  O(1). */
static inline node_time_t workload_next_at(const struct workload_set *set)
{
	return event_tree_next_at(&set->timers);
}

/** workload_step() - starts the message that is due first, at @now >= workload_next_at().
 *  O(log workloads + points). */
void workload_step(struct workload_set *set, node_time_t now, struct workload_message *message);

/** workload_on_sent() - a message of workload @index on @connection is completely sent at @at, or
 *  with a transport acknowledged. O(log workloads). */
void workload_on_sent(struct workload_set *set, uint32_t index, uint32_t connection,
		      node_time_t at);

/** workload_load() - from the next gap on, workload @index offers @load_permille of the link.
 *  Return: 0; -EINVAL if its arrivals have no load (closed, burst), or load_permille is 0 or above
 *  1000. */
int workload_load(struct workload_set *set, uint32_t index, uint32_t load_permille);

/** workload_run_from() - workload @index begins again at @from; NODE_TIME_NEVER: it stops, and
 *  only what has started is sent. O(log workloads). */
void workload_run_from(struct workload_set *set, uint32_t index, node_time_t from);

#endif
