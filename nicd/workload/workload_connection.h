/*  workload_connection - which of a workload's connections to a destination the next message takes.
 *
 *  A closed loop keeps `window` messages in flight on each connection: the next message takes the
 *  connection of one that has ended. So all connections are used, and a slow one does not take
 *  messages of others. All other arrivals use the connections of a destination in turn. */
#ifndef HEDDLE_NICD_WORKLOAD_WORKLOAD_CONNECTION_H
#define HEDDLE_NICD_WORKLOAD_WORKLOAD_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"

struct workload_slack {
	uint32_t idle; /* messages that the connection may start */
	uint32_t next; /* connection after it in the list of those that may start some */
};

struct workload_connections {
	uint32_t count; /* to each destination */
	uint32_t first, last;
	struct workload_slack *slack; /* closed loop: by connection, listed as they became free */
	uint32_t *turns;              /* else, by place of the destination: the next connection */
};

/** workload_connections_init() - as @config says.  Return: 0 or -ENOMEM. */
int workload_connections_init(struct workload_connections *connections,
			      const struct workload_config *config);
void workload_connections_fini(struct workload_connections *connections);

/** workload_connection_take() - a message to the destination at @place starts. A closed loop starts
 *  one only if a connection has fewer than `window` in flight.   Return: its connection. O(1). */
uint32_t workload_connection_take(struct workload_connections *connections, uint32_t place);

/** workload_connection_give() - a message of @connection has ended. O(1). */
void workload_connection_give(struct workload_connections *connections, uint32_t connection);

#endif
