/*  plan_spare - vacant places in the plan of a running fabric, for switches, hosts and links that
 *  join and leave (TB-22).
 *
 *  Under the real clock a plan has vacant places: nodes without a name, links that are `vacant`,
 *  and ports without a link on every switch. A new node, link or port takes the first vacant place
 *  of its kind; a removed one makes its place vacant. No other place changes, so indices, addresses
 *  and descriptors stay valid. A place costs a slot on the clock page and untouched memory.
 *  These functions change the plan only: the caller applies the change to the fabric
 *  (fabric_real.h), or reverts it. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_SPARE_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_SPARE_H

#include "orchestrator/plan/plan.h"

/* vacant places; fewer if nodes or ports would exceed their maximum */
#define PLAN_SPARE_SWITCHES 64u
#define PLAN_SPARE_HOSTS 256u
#define PLAN_SPARE_LINKS 1024u
#define PLAN_SPARE_PORTS 16u /* on each switch that the scenario has */

/** plan_spare_make() - adds the vacant places to @plan, which plan_make_real() made.
 *  Return: 0; -ENOMEM, then plan_free() it. */
int plan_spare_make(struct plan *plan);

/** plan_spare_switch(), plan_spare_host() - adds a node, configured like the first one of its kind.
 *  It has no link yet: plan_spare_link() adds one. The tables of the plan do not change: the fabric
 *  manager writes those of the fabric (fabric_manager.h).
 *  @name a valid name that no other node has.
 *  Return: its place; -ENOSPC: no place is vacant; -ENOMEM. */
int64_t plan_spare_switch(struct plan *plan, const char *name);
int64_t plan_spare_host(struct plan *plan, const char *name);

/** plan_spare_template() - the defaults of a new link between @node_a and @node_b. They are those
 *  of the first link of the same kind, edge or fabric, at one of the two nodes; without one, of the
 *  first link of that kind; without one, of any link.
 *  Return: a port of that link. */
struct port_config plan_spare_template(const struct plan *plan, uint32_t node_a, uint32_t node_b);

/** plan_spare_link() - adds a link between @node_a and @node_b, at their first vacant ports that
 *  fit together.
 *  @like the link's rate, delay, losses and medium; its MTU, limited to that of both ports.
 *  Return: its place; -ENOSPC: no place is vacant; -EMLINK: no vacant ports fit together. */
int64_t plan_spare_link(struct plan *plan, uint32_t node_a, uint32_t node_b,
			const struct port_config *like);

/** plan_spare_link_remove() - removes @link: both its ports become vacant.
 *  plan_spare_node_remove() - removes @node with all its links. */
void plan_spare_link_remove(struct plan *plan, uint32_t link);
void plan_spare_node_remove(struct plan *plan, uint32_t node);

/** plan_spare_counts() - the switches, hosts and links of @plan, without vacant places. */
struct plan_counts {
	uint32_t switches, hosts, links;
};
struct plan_counts plan_spare_counts(const struct plan *plan);

#endif
