/*  fabric_real - changes of a fabric while the real clock runs: links change, fail and return,
 *  nodes are restarted, nodes and links join and leave (TB-4, TB-8, TB-22).
 *
 *  A link that returns is a new link: new rings, new sequences at both ends, no class paused. So
 *  nothing of the old link can be confused with it. Ends whose node is dead are skipped. If a node
 *  fails to carry out a change, fabric->failure has the reason. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_REAL_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_REAL_H

#include "orchestrator/fabric/fabric.h"

/** fabric_real_now() - fabric time; 0 before it has begun. */
node_time_t fabric_real_now(const struct fabric *fabric);

/** fabric_real_wait() - waits until fabric time @until_ps, or until no event is left
 *  (fabric_over()), at most @timeout_ms.
 *  Return: FABRIC_STOPPED: one of both has happened, and the clock still runs; else as
 *  fabric_wait(). */
enum fabric_state fabric_real_wait(struct fabric *fabric, node_time_t until_ps,
				   uint32_t timeout_ms);

/** fabric_tell() - fabric_ask() for requests without data in the answer. If the node does not
 *  answer, or refuses, fabric->failure has the reason. @message as there, but freed here.
 *  Return: 0 or -errno. */
int fabric_tell(struct fabric *fabric, uint32_t node, struct control_message *message);

/** fabric_link_set() - changes the properties of @link that can change while it runs: to @to_b from
 *  node a to node b, to @to_a in the other direction. For a link that is down, or has a dead end,
 *  they hold from its return on.
 *  A link that could not lose frames before is replaced by a guarded one (nodes/link/link.h), and
 *  frames on it are lost.
 *  Return: 0; -errno of the first end that failed: nothing has changed at either end. */
int fabric_link_set(struct fabric *fabric, uint32_t link, const struct link_config *to_b,
		    const struct link_config *to_a);

/** fabric_link_down(), fabric_link_up() - both ends of link @link. A link that is down in the plan,
 *  or has a dead end, does not come up.
 *  Return: 0; -errno of the first end that failed; then fabric_link_up() leaves the link down. */
int fabric_link_down(struct fabric *fabric, uint32_t link);
int fabric_link_up(struct fabric *fabric, uint32_t link);

/** fabric_drain_init() - at the start.
 *  Return: 0 or -ENOMEM. */
int fabric_drain_init(struct fabric *fabric);

/** fabric_drain_step() - if it is due, reports to switches with failed links which channels are
 *  left in the fabric (link_drain.h). fabric_real_wait() calls it too.
 *  Return: ns until the next call; UINT64_MAX: none is needed. */
uint64_t fabric_drain_step(struct fabric *fabric);

/** fabric_node_isolate() - @node is dead: takes its links down at its neighbours.
 *  Return: 0 or -errno. */
int fabric_node_isolate(struct fabric *fabric, uint32_t node);

/** fabric_node_restart() - starts @node, dead or new (plan_spare.h), with new links to its
 *  neighbours.
 *  Return: 0; -EEXIST: it runs; else -errno, usually with the reason in fabric->failure, and it is
 *  dead. */
int fabric_node_restart(struct fabric *fabric, uint32_t node);

/** fabric_link_remove() - makes both ends of @link vacant; call plan_spare_link_remove()
 *  afterwards.
 *  Return: 0 or -errno, of the first end that failed. */
int fabric_link_remove(struct fabric *fabric, uint32_t link);

/** fabric_node_remove() - kills @node. Call fabric_link_remove() for its links next, then
 *  plan_spare_node_remove(). */
void fabric_node_remove(struct fabric *fabric, uint32_t node);

#endif
