#include "nicd/workload/workload_connection.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/base/ensure.h"

#define NO_ONE UINT32_MAX

static void rooms_init(struct workload_connections *connections, uint32_t window)
{
	for (uint32_t i = 0; i < connections->count; i++)
		connections->rooms[i] = (struct workload_room){ .idle = window, .next = i + 1 };
	connections->rooms[connections->count - 1].next = NO_ONE;
	connections->last = connections->count - 1;
}

int workload_connections_init(struct workload_connections *connections,
			      const struct workload_config *config)
{
	bool closed = config->arrival == ARRIVAL_CLOSED;

	*connections = (struct workload_connections){ .count = workload_connections_of(config) };
	if (closed)
		connections->rooms = calloc(connections->count, sizeof(*connections->rooms));
	else
		connections->turns =
			calloc(config->destination_count + 1u, sizeof(*connections->turns));
	if (!connections->rooms && !connections->turns)
		return -ENOMEM;
	if (closed)
		rooms_init(connections, config->window);
	return 0;
}

void workload_connections_fini(struct workload_connections *connections)
{
	free(connections->rooms);
	free(connections->turns);
	*connections = (struct workload_connections){ 0 };
}

static void list_join(struct workload_connections *connections, uint32_t connection)
{
	connections->rooms[connection].next = NO_ONE;
	if (connections->first == NO_ONE)
		connections->first = connection;
	else
		connections->rooms[connections->last].next = connection;
	connections->last = connection;
}

/* the first of the list; if it has room for more, it goes to the end */
static uint32_t room_take(struct workload_connections *connections)
{
	uint32_t connection = connections->first;

	ENSURE(connection, <, connections->count);
	ENSURE(connections->rooms[connection].idle, !=, 0u);
	connections->first = connections->rooms[connection].next;
	if (--connections->rooms[connection].idle)
		list_join(connections, connection);
	return connection;
}

uint32_t workload_connection_take(struct workload_connections *connections, uint32_t place)
{
	uint32_t turn;

	if (connections->rooms)
		return room_take(connections);
	turn = connections->turns[place];
	connections->turns[place] = turn + 1 < connections->count ? turn + 1 : 0;
	return turn;
}

void workload_connection_give(struct workload_connections *connections, uint32_t connection)
{
	if (connections->rooms && !connections->rooms[connection].idle++)
		list_join(connections, connection);
}
