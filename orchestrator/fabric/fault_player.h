/*  fault_player - plays the time line of a plan's faults on a fabric that stands still at the right
 *  moments (FC-26, TB-4).
 *
 *  Who drives the fabric lets it run to fault_player_next_at() and calls fault_player_step() there:
 *  `heddle run` under both clocks over its control sockets (fabric_fault.c), the simulation of the
 *  tests directly. Everything that is worked out lives here, so both get the same bytes: which
 *  links are down, what tables follow, what was lost, how soon as much was delivered as before. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FAULT_PLAYER_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FAULT_PLAYER_H

#include "nodes/stats/stats.h"
#include "orchestrator/fabric/link_drain.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/results/results.h"

/* what is played on; the fabric stands (real clock: runs) while these are called. Return: 0 or
 * -errno. */
struct fault_fabric {
	void *owner;
	int (*link_down)(void *owner, uint32_t link);
	int (*link_up)(void *owner, uint32_t link);
	int (*settle)(void *owner, uint32_t node, uint32_t port,
		      const struct channel_set *left); /* link_drain.h; NULL: the fabric does it */
	/* what follows a fault: tables worked out from the plan, for each switch; or, if `manage`
	 * is not NULL, the fabric's manager finds out and writes them, which must come to the
	 * same */
	int (*tables)(void *owner, uint32_t node, const struct switch_config *tables);
	int (*manage)(void *owner);
	/* the active fabric manager, if that is a process; NULL: its tables are late instead */
	int (*manager_dies)(void *owner);
	const struct stats_page *(*page)(void *owner, uint32_t node);
};

/* what is known of a fault so far */
struct fault_record {
	uint64_t lost; /* as in struct result_fault */
	/* packets that found no way until tables followed; the count before and then */
	uint64_t astray, astray_until;
};

struct fault_player {
	const struct plan *plan;
	struct fault_fabric fabric;
	uint32_t action; /* the next one */
	uint32_t *down;  /* per link: how many faults of it last */
	struct link_drain link_drain;
	node_time_t look_at; /* link_drain_look() */
	uint64_t *delivered; /* bytes at the end of each window, one entry for the beginning */
	uint32_t window_count, window_max;
	struct fault_record *records;
};

/** fault_player_init() - @plan is borrowed. Return: 0 or -ENOMEM. fault_player_fini() in any
 *  case. */
int fault_player_init(struct fault_player *player, const struct plan *plan,
		      const struct fault_fabric *fabric);
void fault_player_fini(struct fault_player *player);

/** fault_player_next_at() - when the fabric has to stand still next; NODE_TIME_NEVER: no more. */
node_time_t fault_player_next_at(const struct fault_player *player);

/** fault_player_acts() - is there something left that changes the fabric, and not only is
 *  measured? */
bool fault_player_acts(const struct fault_player *player);

/** fault_player_acts_now() - does the next fault_player_step() ask nodes anything, and not only
 *  measure? */
bool fault_player_acts_now(const struct fault_player *player);

/** fault_player_step() - does what is due at fault_player_next_at(), where the fabric stands.
 *  Return: 0 or -errno. */
int fault_player_step(struct fault_player *player);

/** fault_player_cut_off() - does no link of @node carry anything now? */
bool fault_player_cut_off(const struct fault_player *player, uint32_t node);

/** fault_player_report() - fills results->faults.  Return: 0 or -ENOMEM. */
int fault_player_report(const struct fault_player *player, struct results *results);

#endif
