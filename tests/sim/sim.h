/*  sim - a whole fabric in one process: the same objects as switchd and nicd, rings in plain
 *  memory, one thread.
 *
 *  Built from the same plan as `heddle run` uses, driven by the same clock and window code, so its
 *  results must be the same bytes. After every so many windows the checkers test whether the
 *  accounts of the fabric balance (TB-25). */
#ifndef HEDDLE_TESTS_SIM_SIM_H
#define HEDDLE_TESTS_SIM_SIM_H

#include "nodes/base/ensure.h"
#include "nodes/clock/clock.h"
#include "nodes/node/node.h"
#include "nodes/node/window.h"
#include "orchestrator/fabric/fault_schedule.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/results/results.h"
#include "switchd/ethernet/ethernet.h"
#include "switchd/flow_channel/dataplane.h"
#include "switchd/port_group/lid_switch.h"

struct sim_node {
	const struct node_config *config;
	struct link *links;
	struct stats_page *stats;
	int series_fd; /* its samples, if the scenario takes some: all of them, as with --csv */
	const struct node_ops *ops;
	void *dataplane;
	struct node_window window;
	struct ensure_context ensure_context;
};

struct sim {
	struct plan plan;
	struct clock_page *page;
	struct clock clock;
	struct sim_node *nodes;
	struct ring_page **rings; /* two per link of the plan: a to b, b to a */
	uint32_t *wake, *taking_part;
	/* run the checkers every so many windows, more in a long run; 0: only at the end of
	 * sim_run() */
	uint32_t check_windows;
	uint64_t windows, check_at;
	struct fault_schedule faults;
	node_time_t limit_ps; /* up to where it was run last */
};

/** sim_open_file(), sim_open_text() - the fabric of a scenario, stopped at time 0.
 *  @settings "path=value" strings, NULL-terminated, or NULL. Aborts the test with the errors if it
 *  is refused. */
void sim_open_file(struct sim *sim, const char *path, const char *const *settings);
void sim_open_text(struct sim *sim, const char *text, const char *const *settings);

/** sim_open_real() - as sim_open_file(), of the plan of `heddle up`: a host can be attached to each
 *  NIC. The caller gives nodes their turns; sim_run() is not for it. */
void sim_open_real(struct sim *sim, const char *path, const char *const *settings);

/** sim_open_variant() - sim_open_file() with the variant @name of the scenario's `compare` on top
 *  of @settings. Aborts if there is none. */
void sim_open_variant(struct sim *sim, const char *path, const char *name,
		      const char *const *settings);

/** sim_open_prepared() - as sim_open_text(), of a plan that @prepare has changed. */
void sim_open_prepared(struct sim *sim, const char *text, const char *const *settings,
		       void (*prepare)(struct plan *plan, const void *data), const void *data);
void sim_close(struct sim *sim);

/** sim_run_until() - runs up to @limit, or until nothing more can happen; faults of the scenario
 *  happen meanwhile, at their times. */
void sim_run_until(struct sim *sim, node_time_t limit);

/** sim_run() - the whole scenario: its duration, then, if it says so, until the fabric is empty. */
void sim_run(struct sim *sim);

/** sim_run_on() - after sim_run(): runs on, @part_ps (of fabric time, above 0) at a time, until the
 *  fabric is empty or a whole part goes by in which no receiver takes a packet that it did not have
 *  yet. @part_ps must be longer than any pause of a sender that is merely slow.
 *  Return: is it empty? So what needs longer than run.drain-max can be told from what waits for
 *  ever (TB-25). Ends, as there are finitely many messages; a scenario without such a limit must
 *  not be given. */
bool sim_run_on(struct sim *sim, node_time_t part_ps);

/** sim_results() - as heddle run gathers them, expectations included; results_free() later. */
void sim_results(struct sim *sim, struct results *results);

/** sim_json() - the JSON result, malloc'd. */
char *sim_json(struct sim *sim);

/** sim_expectations_hold() - do all expectations of the scenario hold? Prints those that do not. */
bool sim_expectations_hold(struct sim *sim);

/** sim_link_down(), sim_link_up() - both ends of @link of the plan fail, or return, at the time
 *  where the clock stands. */
void sim_link_down(struct sim *sim, uint32_t link);
void sim_link_up(struct sim *sim, uint32_t link);

/** sim_switch(), sim_ethernet() - the switch @name of a fabric of flow channels, of one of kind
 *  roce. */
struct dataplane *sim_switch(struct sim *sim, const char *name);
struct ethernet *sim_ethernet(struct sim *sim, const char *name);
uint64_t sim_drops(const struct sim *sim, enum drop_reason reason);

/* ---- check.c, check_roce.c, check_lid.c: the books ---- */

/** sim_check() - aborts the test with a sentence if bytes, extents or channels do not add up, or a
 *  buffer holds too much. */
void sim_check(struct sim *sim);

/** sim_check_released() - is every flow channel free, every buffer empty, every link going? For an
 *  empty fabric. */
void sim_check_released(struct sim *sim);

/* the same of a fabric of kind roce */
void sim_check_roce(struct sim *sim);
void sim_check_released_roce(struct sim *sim);

/* of a fabric of kind port-group */
void sim_check_lid(struct sim *sim);
void sim_check_released_lid(struct sim *sim);

/** sim_check_bytes() - the part of both that is the same: no ring is broken, and no byte of any
 *  packet is missing or too many. */
void sim_check_bytes(struct sim *sim);

/** sim_fail() - aborts the test with the sentence, the scenario, the time and @where. */
__attribute__((format(printf, 3, 4), noreturn)) void
sim_fail(const struct sim *sim, const char *where, const char *format, ...);

#endif
