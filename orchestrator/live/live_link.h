/*  live_link - requests about the links of a running fabric: how they are, and changes of that
 *  (TB-4). Form: live_query.h. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_LINK_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_LINK_H

#include "orchestrator/live/live_query.h"

/** live_links() - every link as it is now; the others change one, named by node and port, and
 *  answer how it is then. */
live_query_fn live_links, live_link_set, live_link_down, live_link_up;

/** live_link_of() - as the port at one of its ends is configured. */
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
int64_t live_link_find(const struct live_query *asking, json_t **refusal);

/** live_link_read() - puts what the request says of rate, delay, loss and bit errors into @link.
 *  @given  rises by how many of them it says.   Return: NULL, or the refusal. */
json_t *live_link_read(const struct live_query *asking, struct live_link *link, unsigned *given);

#endif
