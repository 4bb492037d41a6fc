/*  plan_buffer - the switches' input buffers: at which level stop is said, and what room there is
 *  beyond it for what still comes until the sender obeys (nodes/link/link.h). So no buffer ever
 *  overflows. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_BUFFER_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_BUFFER_H

#include "orchestrator/plan/plan.h"

/** plan_buffer_reserve_units() - data units that can still come from @sender, at the worst, after
 *  @receiver has found its buffer of a class above the level of stop, under the virtual clock.
 *  @port either end of their link. */
uint64_t plan_buffer_reserve_units(const struct node_config *sender,
				   const struct node_config *receiver,
				   const struct port_config *port);

/** plan_buffers_make() - under the virtual clock fills buffer_units and stop_units of the switches'
 *  ports: the reserve is a part of the scenario's buffer, which must hold two packets besides.
 *  Under the real clock only the latter is checked; for the rest see below. A NIC takes everything:
 *  its memory is not part of the model. An output queue must hold a packet. The scenario's buffer
 *  is that of a traffic class; its virtual lanes share it evenly, but each has what it needs. With
 *  credits (kind port-group) nothing comes that there is no room for: no reserve. Nothing to do
 *  with a fabric of kind roce: plan_roce.h.
 *  Return: 0; -EINVAL, reported to @errors. */
int plan_buffers_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors);

/** plan_buffers_tell() - in a fabric of kind port-group fills peer_units of all ports, from the
 *  buffers of their peers, which are there (PG-9). Not for veth links: a frame could come before
 *  its receiver has opened the other end, while a word of the receiver's says that it has.
 *  plan_buffers_make() calls it; to be called again when buffers have changed. O(ports). */
void plan_buffers_tell(struct plan *plan);

/** plan_buffer_make_real() - fills flight_units, stop_units and buffer_units of @node's @port under
 *  the real clock, where nobody knows how late a sender hears: the reserve is what may be under way
 *  (nodes/link/link.h), and the sender's output queue. Both come on top of the scenario's buffer.
 *  Rate, delay and MTU are there. */
void plan_buffer_make_real(const struct scenario *scenario, const struct node_config *node,
			   struct port_config *port);

#endif
