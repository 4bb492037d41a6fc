/*  workload_connection - which of a workload's connections to a destination the next message takes.
 *
 *  A closed loop keeps `window` messages under way on every connection: the message that ends makes
 *  room on its own. So all connections are used however many there are, and a slow one does not
 *  take the messages of others. All other arrivals take the connections of a destination in
 *  turn. */
#ifndef HEDDLE_NICD_WORKLOAD_WORKLOAD_CONNECTION_H
#define HEDDLE_NICD_WORKLOAD_WORKLOAD_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"

struct workload_room {
	uint32_t idle; /* messages that it may start */
	uint32_t next; /* connection behind it in the list of those that may */
};

struct workload_connections {
	uint32_t count; /* to each destination */
	uint32_t first, last;
	struct workload_room *rooms; /* closed loop: by connection, listed as they became free */
	uint32_t *turns;             /* else, by place of the destination: whose turn it is */
};

/** workload_connections_of() - connections to each destination that @config asks for. Pure. */
static inline uint32_t workload_connections_of(const struct workload_config *config)
{
	return config->connections ? config->connections : 1;
}

/** workload_connections_init() - as @config says.  Return: 0 or -ENOMEM. */
int workload_connections_init(struct workload_connections *connections,
			      const struct workload_config *config);
void workload_connections_fini(struct workload_connections *connections);

/** workload_connection_take() - a message to the destination at @place starts. Return: its
 *  connection. O(1). A closed loop has no more messages under way than all connections have room
 *  for. */
uint32_t workload_connection_take(struct workload_connections *connections, uint32_t place);

/** workload_connection_give() - a message of @connection has ended. O(1). */
void workload_connection_give(struct workload_connections *connections, uint32_t connection);

#endif
