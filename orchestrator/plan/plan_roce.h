/*  plan_roce - the part of a plan that only a fabric of kind roce has: thresholds and headroom
 *  (RC-1 ... RC-11).
 *
 *  The scenario's values are used. The others are derived:
 *    headroom    what may arrive after XOFF was decided (nodes/link/pfc.h), and the frame for which
 *                the shared buffer was full. The peer reacts after the latency of both ends.
 *    alpha       1/8 of a lossless class, 1 of a lossy one; none if the class has a fixed level
 *    xon-offset  two frames
 *  Under the real clock the lateness of a peer is unknown. There links of shared memory limit the
 *  data in flight to flight_units (nodes/link/link.h), the headroom is larger by twice that, and
 *  all headrooms are added to the scenario's buffer. A frame may still overflow it if a peer is
 *  later than that, or over a veth link, whose kernel queues are not counted. Such drops have a
 *  counter of their own. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_ROCE_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_ROCE_H

#include "orchestrator/plan/plan.h"

/** plan_roce_make() - fills fabric and roce of every node, and headroom of the switches. Links and
 *  routes are filled already. Of another kind of fabric it changes nothing.
 *  Return: 0; -EINVAL, reported to @errors at the place of the value. */
int plan_roce_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		   struct scenario_errors *errors);

/** plan_roce_headroom_bytes() - the headroom of one lossless class at @receiver's @port, whose peer
 *  is @sender, under the virtual clock. */
uint64_t plan_roce_headroom_bytes(const struct node_config *sender,
				  const struct node_config *receiver,
				  const struct port_config *port);

/** plan_roce_port_make_real() - fills flight_units and headroom_bytes of @node's @port under the
 *  real clock. The rest of @port is filled already. */
void plan_roce_port_make_real(const struct scenario *scenario, const struct plan *plan,
			      const struct node_config *node, struct port_config *port);

/** plan_roce_buffers_check_real() - checks that all buffers are within their limit.
 *  @spare  every switch counts with as many ports as it can have
 *  Return: 0; -EINVAL, reported to @errors. */
int plan_roce_buffers_check_real(const struct scenario *scenario, const struct plan *plan,
				 bool spare, struct scenario_errors *errors);

/** plan_roce_buffer_make() - computes the buffer of switch @node under the real clock:
 *  plan->roce_shared_bytes and the headroom of all its ports, vacant ones included. */
void plan_roce_buffer_make(const struct plan *plan, struct node_config *node);

/** plan_roce_lossless() - the number of classes with headroom. */
uint32_t plan_roce_lossless(const struct node_config *node);

/** plan_roce_headroom_sum() - the headroom of all ports and classes of @node. Bytes. */
uint64_t plan_roce_headroom_sum(const struct node_config *node);

#endif
