/*  live_link - requests that list and change the links of a running fabric (TB-4). Form:
 *  live_query.h. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_LINK_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_LINK_H

#include "orchestrator/live/live_query.h"

/** live_links() - every link. The others change the link at a node and port, and answer its new
 *  state. */
live_query_fn live_links, live_link_set, live_link_down, live_link_up;

/** live_link_of() - the settings of a link, from the port at one of its ends. */
static inline struct live_link live_link_of(const struct port_config *port)
{
	return (struct live_link){ .rate_bps = port->rate_bps,
				   .delay_ps = port->delay_ps,
				   .loss_ppb = port->loss_ppb,
				   .bit_error_e15 = port->bit_error_e15 };
}

/** live_link_put() - the opposite. */
static inline void live_link_put(const struct live_link *link, struct port_config *port)
{
	port->rate_bps = link->rate_bps;
	port->delay_ps = link->delay_ps;
	port->loss_ppb = link->loss_ppb;
	port->bit_error_e15 = link->bit_error_e15;
}

/** live_link_describe() - link @index as JSON. */
json_t *live_link_describe(const struct live *live, uint32_t index);

/** live_link_find() - the link at the request's node and port; -1 with *@refusal. */
int64_t live_link_find(const struct live_query *query, json_t **refusal);

/** live_link_read() - reads rate, delay, loss and bit errors of the request into @link. @given is
 *  increased by the number of keys.
 *  Return: NULL, or the refusal. */
json_t *live_link_read(const struct live_query *query, struct live_link *link, unsigned *given);

#endif
