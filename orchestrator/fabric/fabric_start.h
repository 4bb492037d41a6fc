/*  fabric_start - one process per node, and what it is handed: see fabric.h. Called by fabric.c
 *  only. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_START_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_START_H

#include "orchestrator/fabric/fabric.h"

/** fabric_clock_make() - the clock page, laid out and mapped.  Return: 0 or -errno. */
int fabric_clock_make(struct fabric *fabric);

/** fabric_clock_begin() - real clock: fabric time 0 is a moment from now, for all nodes; they are
 *  ready. */
void fabric_clock_begin(struct fabric *fabric);

/** fabric_nodes_start() - starts every node and sends it its configuration.
 *  Return: 0; -EINTR if interrupted; else -errno, mostly with the reason in fabric->failure. */
int fabric_nodes_start(struct fabric *fabric);

/* ---- for fabric_real.c ---- */

/** fabric_port_descriptors() - what port @port of @node is handed under the real clock (control.h),
 *  added to @fds; made
 *  when the first of the link's ends asks. Borrowed until fabric_link_release(). Return: 0 or
 *  -errno. */
int fabric_port_descriptors(struct fabric *fabric, uint32_t node, uint32_t port, int *fds,
			    uint32_t *count);

/** fabric_link_release() - both ends of link @link hold what they were handed. */
void fabric_link_release(struct fabric *fabric, uint32_t link);

/** fabric_node_again() - starts the dead @node once more and waits until it is ready. Return: 0;
 *  -errno with the reason in fabric->failure, it may run all the same. */
int fabric_node_again(struct fabric *fabric, uint32_t node);

#endif
