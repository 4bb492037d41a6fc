#include "nicd/workload/workload_connection.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/base/ensure.h"

#define LIST_END UINT32_MAX

static void slack_init(struct workload_connections *connections, uint32_t window)
{
	for (uint32_t i = 0; i < connections->count; i++)
		connections->slack[i] = (struct workload_slack){ .idle = window, .next = i + 1 };
	connections->slack[connections->count - 1].next = LIST_END;
	connections->last = connections->count - 1;
}

int workload_connections_init(struct workload_connections *connections,
			      const struct workload_config *config)
{
	bool closed = config->arrival == ARRIVAL_CLOSED;

	*connections = (struct workload_connections){ .count = config->connections };
	if (closed)
		connections->slack = calloc(connections->count, sizeof(*connections->slack));
	else
		connections->turns = calloc(config->destination_count, sizeof(*connections->turns));
	if (!connections->slack && !connections->turns)
		return -ENOMEM;
	if (closed)
		slack_init(connections, config->window);
	return 0;
}

void workload_connections_fini(struct workload_connections *connections)
{
	free(connections->slack);
	free(connections->turns);
	*connections = (struct workload_connections){ 0 };
}

static void list_join(struct workload_connections *connections, uint32_t connection)
{
	connections->slack[connection].next = LIST_END;
	if (connections->first == LIST_END)
		connections->first = connection;
	else
		connections->slack[connections->last].next = connection;
	connections->last = connection;
}

/* the first of the list; it goes to the end if it may start another message */
static uint32_t slack_take(struct workload_connections *connections)
{
	uint32_t connection = connections->first;

	ENSURE(connection, <, connections->count);
	ENSURE(connections->slack[connection].idle, !=, 0u);
	connections->first = connections->slack[connection].next;
	if (--connections->slack[connection].idle)
		list_join(connections, connection);
	return connection;
}

uint32_t workload_connection_take(struct workload_connections *connections, uint32_t place)
{
	uint32_t turn;

	if (connections->slack)
		return slack_take(connections);
	turn = connections->turns[place];
	connections->turns[place] = turn + 1 < connections->count ? turn + 1 : 0;
	return turn;
}

void workload_connection_give(struct workload_connections *connections, uint32_t connection)
{
	if (connections->slack && !connections->slack[connection].idle++)
		list_join(connections, connection);
}
