/*  plan_buffer - the switches' input buffers: the level at which STOP is sent, and the reserve
 *  above it for the data that arrives until the sender has stopped (nodes/link/link.h). So no
 *  buffer ever overflows. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_BUFFER_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_BUFFER_H

#include "orchestrator/plan/plan.h"

/** plan_buffer_reserve_units() - the most data units that can arrive from @sender after the buffer
 *  of a class at @receiver has risen above the STOP level, under the virtual clock.
 *  @port either end of their link. */
uint64_t plan_buffer_reserve_units(const struct node_config *sender,
				   const struct node_config *receiver,
				   const struct port_config *port);

/** plan_buffers_make() - under the virtual clock fills buffer_units and stop_units of the switches'
 *  ports. The scenario's buffer is that of a traffic class. Its virtual lanes share it evenly, but
 *  each has at least what it needs: the reserve and two packets. With credits (kind port-group)
 *  there is no reserve, as a sender sends only what the buffer can hold. An output queue must hold
 *  a packet. A NIC accepts everything: its memory is not part of the model.
 *  Under the real clock it only checks that the buffer holds two packets; plan_buffer_make_real()
 *  fills the rest. Of a fabric of kind roce it changes nothing: plan_roce.h.
 *  Return: 0; -EINVAL, reported to @errors. */
int plan_buffers_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors);

/** plan_peer_buffers_fill() - in a fabric of kind port-group fills peer_units of all ports from the
 *  buffers of their peers, which are filled already (PG-9). For veth links it is 0: a frame could
 *  arrive before the receiver has opened its end, so the sender waits for a credit word.
 *  plan_buffers_make() calls it; call it again after a change of buffers. O(ports). */
void plan_peer_buffers_fill(struct plan *plan);

/** plan_buffer_make_real() - fills flight_units, stop_units and buffer_units of @node's @port under
 *  the real clock. There the time until a sender stops is unknown, so the reserve is the data that
 *  may be in flight (nodes/link/link.h) and the sender's output queue. Both are added to the
 *  scenario's buffer. Rate, delay and MTU of @port are filled already. */
void plan_buffer_make_real(const struct scenario *scenario, const struct node_config *node,
			   struct port_config *port);

#endif
