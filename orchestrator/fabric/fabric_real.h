/*  fabric_real - what can be done to a fabric while the real clock runs: wait, links that change,
 *  fail and return, nodes that are started again, nodes and links that join and leave (TB-4, TB-8,
 *  TB-22).
 *
 *  A link that returns is a new link: new rings, sequences at both ends, nobody stopped, so nothing
 *  of the old one can be mistaken for it. Ends whose node is dead are left out. When a node does
 *  not do what it is told, fabric->failure says so. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_REAL_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_REAL_H

#include "orchestrator/fabric/fabric.h"

/** fabric_real_now() - fabric time; 0 before it has begun. */
node_time_t fabric_real_now(const struct fabric *fabric);

/** fabric_real_wait() - waits until fabric time @until_ps, or until nothing will ever happen again
 *  (fabric_over()), at most
 *  @timeout_ms. Return: FABRIC_STOPPED: one of them, although the clock goes on; else as
 *  fabric_wait(). */
enum fabric_state fabric_real_wait(struct fabric *fabric, node_time_t until_ps,
				   uint32_t timeout_ms);

/** fabric_tell() - fabric_ask(), and the answer is the outcome: whoever does not answer, or
 *  refuses, is in fabric->failure. Under the virtual clock while it stands. @message as there;
 *  nothing of it is to be freed later. Return: 0 or -errno. */
int fabric_tell(struct fabric *fabric, uint32_t node, struct control_message *message);

/** fabric_link_set() - rate, delay, loss and bit errors of @settings hold for both directions of
 *  @link from now on; on a link that is down, or whose end is dead, when it returns. A link that
 *  could not lose frames before is made anew with a guard
 *  (nodes/link/link.h): what is on it then is lost. Return: 0; -errno of the first end that failed,
 *  and both are as before. */
int fabric_link_set(struct fabric *fabric, uint32_t link, const struct port_config *settings);

/** fabric_link_down(), fabric_link_up() - both ends of link @link. One that the plan has as down,
 *  or whose end is dead, does not come up. Return: 0; -errno of the first end that failed,
 *  fabric_link_up() leaves the link down then. */
int fabric_link_down(struct fabric *fabric, uint32_t link);
int fabric_link_up(struct fabric *fabric, uint32_t link);

/** fabric_real_settling() - at the start: nothing has failed.  Return: 0 or -ENOMEM. */
int fabric_real_settling(struct fabric *fabric);

/** fabric_real_settle() - tells switches whose links have failed what is left of what went over
 *  them (link_drain.h), if it is time to.
 *  fabric_real_wait() does it, too. Return: when to call it again, in ns from now; UINT64_MAX: no
 *  need. */
uint64_t fabric_real_settle(struct fabric *fabric);

/** fabric_node_isolate() - @node is dead: its links go down at its neighbours. Return: 0 or
 *  -errno. */
int fabric_node_isolate(struct fabric *fabric, uint32_t node);

/** fabric_node_restart() - starts @node, dead or new (plan_spare.h), with new links to its
 *  neighbours.
 *  Return: 0; -EEXIST: it runs; else -errno, mostly with the reason in fabric->failure, and it is
 *  dead as before. */
int fabric_node_restart(struct fabric *fabric, uint32_t node);

/** fabric_link_remove() - both ends of @link are vacant from now on; the plan is told by
 *  plan_spare_link_remove(), afterwards.
 *  Return: 0 or -errno, of the first end that failed. */
int fabric_link_remove(struct fabric *fabric, uint32_t link);

/** fabric_node_remove() - ends @node, whatever it does. Its links are the next to go:
 *  fabric_link_remove(); then the plan is told by plan_spare_node_remove(). */
void fabric_node_remove(struct fabric *fabric, uint32_t node);

#endif
