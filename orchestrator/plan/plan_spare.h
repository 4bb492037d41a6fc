/*  plan_spare - room in the plan of a running fabric, for switches, hosts and links that join it,
 *  and leave (TB-22).
 *
 *  Under the real clock a plan has vacant places: nodes without a name, links that are `vacant`,
 *  and on every switch ports with nothing plugged in. What joins takes the first free place of its
 *  kind, what leaves gives its place back; nothing else ever moves, so indices, addresses and
 *  descriptors of all others stay as they are. A place costs a slot on the clock page and untouched
 *  memory.
 *  These functions change the plan only; who calls them makes the fabric follow (fabric_real.h), or
 *  takes the change back. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_SPARE_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_SPARE_H

#include "orchestrator/plan/plan.h"

/* these at most, less if that were more than there can be */
#define PLAN_ROOM_SWITCHES 64u
#define PLAN_ROOM_HOSTS 256u
#define PLAN_ROOM_LINKS 1024u
#define PLAN_ROOM_PORTS 16u /* on each switch that the scenario has */

/** plan_spare_make() - widens @plan, of plan_make_real(). Return: 0; -ENOMEM, then plan_free()
 *  it. */
int plan_spare_make(struct plan *plan);

/** plan_spare_switch(), plan_spare_host() - a new node, set up like the first one of its kind; it
 *  has no link yet, so plan_spare_link() comes next. Tables of the plan stay as they were: the
 *  fabric manager writes those of the fabric (fabric_manager.h).
 *  @name a valid name that no other node has. Return: its place; -ENOSPC: all are taken;
 *  -ENOMEM. */
int64_t plan_spare_switch(struct plan *plan, const char *name);
int64_t plan_spare_host(struct plan *plan, const char *name);

/** plan_spare_template() - what a link between @node_a and @node_b is like if nothing is said: like
 *  the first link of its kind, edge or fabric, that one of the two has, else any. As a port of
 *  @node_a, who may be vacant. */
struct port_config plan_spare_template(const struct plan *plan, uint32_t node_a, uint32_t node_b);

/** plan_spare_link() - a new link between @node_a and @node_b, at their first vacant ports that fit
 *  together.
 *  @like rate, delay, losses and medium are taken from it, and the MTU, as far as both ports carry
 *  it.
 *  Return: its place; -ENOSPC: no place is left for it; -EMLINK: there are no such ports. */
int64_t plan_spare_link(struct plan *plan, uint32_t node_a, uint32_t node_b,
			const struct port_config *like);

/** plan_spare_link_remove() - @link leaves: both its ports are vacant. plan_spare_node_remove() -
 *  node @node leaves, with all its links. */
void plan_spare_link_remove(struct plan *plan, uint32_t link);
void plan_spare_node_remove(struct plan *plan, uint32_t node);

/** plan_spare_counts() - what is there, without vacant places. */
struct plan_counts {
	uint32_t switches, hosts, links;
};
struct plan_counts plan_spare_counts(const struct plan *plan);

#endif
