/*  plan_roce - the part of a plan that a fabric of kind roce has besides: thresholds, headroom,
 *  where floods go (RC-1 ... RC-11).
 *
 *  What a scenario says stands; the rest is derived:
 *    headroom what may still come after XOFF was decided (nodes/link/pfc.h), and the frame that
 *    found the shared buffer full. How
 *               late the neighbour obeys is the latency of both ends.
 *    alpha 1/8 of a lossless class, 1 of a lossy one, unless it has a level of its own; xon-offset
 *    two frames.
 *    flood tree breadth first from the first switch, over the lowest ports.
 *  Under the real clock nobody knows how late a neighbour is. There links between rings hold
 *  flight_units back (nodes/link/link.h), the headroom has room for twice that, and all headrooms
 *  come on top of the scenario's buffer. What is late beyond that, or comes over a veth link, whose
 *  kernel queues nobody counts, may overflow: that is counted as a drop of its own. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_ROCE_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_ROCE_H

#include "orchestrator/plan/plan.h"

/** plan_roce_make() - fills fabric and roce of every node, headroom and flood_ports of the
 *  switches. Links and routes are there. Nothing to do with another kind of fabric.
 *  Return: 0; -EINVAL, reported to @errors where it was said; -ENOMEM. */
int plan_roce_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		   struct scenario_errors *errors);

/** plan_roce_headroom_bytes() - of one lossless class at @receiver's @port, whose neighbour is
 *  @sender, under the virtual clock. */
uint64_t plan_roce_headroom_bytes(const struct node_config *sender,
				  const struct node_config *receiver,
				  const struct port_config *port);

/** plan_roce_port_make_real() - flight_units and headroom_bytes of @node's @port under the real
 *  clock; the rest of it is there. */
void plan_roce_port_make_real(const struct scenario *scenario, const struct plan *plan,
			      const struct node_config *node, struct port_config *port);

/** plan_roce_buffers_check_real() - are all buffers within their limit, with @room for as many
 *  ports as a switch can have?
 *  Return: 0; -EINVAL, reported to @errors. */
int plan_roce_buffers_check_real(const struct scenario *scenario, const struct plan *plan,
				 bool room, struct scenario_errors *errors);

/** plan_roce_buffer_make() - under the real clock @node's buffer, a switch's:
 *  plan->roce_shared_bytes, and the headroom of all its ports, the vacant ones included. */
void plan_roce_buffer_make(const struct plan *plan, struct node_config *node);

/** plan_roce_lossless() - how many classes have a headroom at every port. */
uint32_t plan_roce_lossless(const struct node_config *node);

/** plan_roce_headroom_sum() - the part of @node's buffer that is headroom. */
uint64_t plan_roce_headroom_sum(const struct node_config *node);

#endif
