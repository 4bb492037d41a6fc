/*  live_link - requests that list and change the links of a running fabric (TB-4). Form:
 *  live_query.h. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_LINK_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_LINK_H

#include "orchestrator/live/live_query.h"

/** live_links() - every link. The others change the link at a node and port, and answer its new
 *  state. */
live_query_fn live_links, live_link_show, live_link_set, live_link_down, live_link_up;

/** live_link_describe() - link @index as JSON. */
json_t *live_link_describe(const struct live *live, uint32_t index);

/** live_link_find() - the link at the request's node and port; -1: it is refused. */
int64_t live_link_find(struct live_query *query);

/** live_link_read() - reads what of a link can change (the rows of link.def with .live) from the
 *  request into @structure, which has the rows of @table: a link, or a port of @kind. @given is
 *  increased by the number of keys.
 *  Return: NULL, or the refusal. */
json_t *live_link_read(const struct live_query *query, const struct parameter_table *table,
		       enum port_kind kind, void *structure, unsigned *given);

#endif
