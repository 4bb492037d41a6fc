/*  jitter - by how much a frame is later than the delay of its link: seeded distributions (DU-6).
 *
 *  The time is added to the delay, so it is never negative: no frame is earlier than the link's
 *  delay, which the clock's lookahead needs. `mean` is the mean of each distribution, and each is
 *  bounded, so that memory for what is in flight can be computed (ours):
 *
 *      uniform        0 to 2 mean
 *      normal         standard deviation mean / 3, cut off at 0 and 2 mean
 *      pareto         what exceeds the least value of a Pareto distribution of shape 3, cut off at
 *                     its 99.9 % quantile, 18 mean: often little, at times much
 *      paretonormal   a quarter of a pareto value and three quarters of a normal one, as in Linux's
 *                     netem
 *
 *  Integers only: the same seed gives the same times on every machine. */
#ifndef HEDDLE_NODES_LINK_JITTER_H
#define HEDDLE_NODES_LINK_JITTER_H

#include "nodes/base/random.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"

/** jitter_draw() - a time of the distribution @shape with mean @mean_ps, at most
 *  LINK_JITTER_PS_MAX. One to four random numbers. */
node_time_t jitter_draw(struct random *random, enum jitter_shape shape, node_time_t mean_ps);

/** jitter_max_ps() - the largest time that jitter_draw() returns. Pure. */
node_time_t jitter_max_ps(enum jitter_shape shape, node_time_t mean_ps);

/** jitter_delay_max_ps() - the longest time for which a frame that leaves @port travels. Pure. */
static inline node_time_t jitter_delay_max_ps(const struct port_config *port)
{
	return port->delay_ps + jitter_max_ps(port->jitter_shape, port->jitter_ps);
}

#endif
