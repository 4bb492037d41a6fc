#include "orchestrator/fabric/fault_schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE_WINDOWS 20u /* at most so many windows before a fault are its reference */
#define RECOVERED_PERMILLE 900u
#define RECOVERED_WINDOWS 5u /* that follow with enough; fewer can be chance */

int fault_schedule_init(struct fault_schedule *schedule, const struct plan *plan,
			const struct fault_fabric *fabric)
{
	struct link_drain_fabric link_drain;

	*schedule = (struct fault_schedule){ .plan = plan,
					     .fabric = *fabric,
					     .look_at = NODE_TIME_NEVER };
	if (!plan->faults.count)
		return 0;
	if (plan->faults.window_ps)
		schedule->window_max = (uint32_t)(plan->duration_ps / plan->faults.window_ps) + 1;
	schedule->down = calloc(plan->link_count, sizeof(*schedule->down));
	schedule->delivered = calloc(schedule->window_max, sizeof(*schedule->delivered));
	schedule->records = calloc(plan->faults.count, sizeof(*schedule->records));
	if (!schedule->down || !schedule->delivered || !schedule->records)
		return -ENOMEM;
	link_drain = (struct link_drain_fabric){ .owner = fabric->owner,
						 .report_left = fabric->report_left,
						 .page = fabric->page };
	return link_drain_init(&schedule->link_drain, plan, &link_drain);
}

void fault_schedule_fini(struct fault_schedule *schedule)
{
	free(schedule->down);
	free(schedule->delivered);
	free(schedule->records);
	link_drain_fini(&schedule->link_drain);
	*schedule = (struct fault_schedule){ 0 };
}

static node_time_t action_at(const struct fault_schedule *schedule)
{
	const struct plan_faults *faults = &schedule->plan->faults;

	return schedule->action < faults->action_count ? faults->actions[schedule->action].at_ps
						       : NODE_TIME_NEVER;
}

static node_time_t window_at(const struct fault_schedule *schedule)
{
	return schedule->window_count < schedule->window_max
		       ? schedule->window_count * schedule->plan->faults.window_ps
		       : NODE_TIME_NEVER;
}

node_time_t fault_schedule_next_at(const struct fault_schedule *schedule)
{
	return node_time_min(schedule->look_at,
			     node_time_min(action_at(schedule), window_at(schedule)));
}

bool fault_schedule_acts_now(const struct fault_schedule *schedule)
{
	node_time_t now = fault_schedule_next_at(schedule);

	return now != NODE_TIME_NEVER && (action_at(schedule) == now || schedule->look_at == now);
}

bool fault_schedule_cut_off(const struct fault_schedule *schedule, uint32_t node)
{
	const struct node_config *config = &schedule->plan->nodes[node];

	for (uint32_t port = 0; port < config->port_count; port++)
		if (!schedule->down || !schedule->down[config->ports[port].link_index])
			return false;
	return true;
}

/* ---- counting ---- */

static uint64_t delivered_bytes(const struct fault_schedule *schedule)
{
	uint64_t bytes = 0;

	for (uint32_t i = schedule->plan->switch_count; i < schedule->plan->node_count; i++)
		bytes += schedule->fabric.page(schedule->fabric.owner, i)->delivered_bytes;
	return bytes;
}

static uint64_t drops(const struct fault_schedule *schedule, enum drop_reason reason)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < schedule->plan->node_count; i++) {
		const struct stats_page *page = schedule->fabric.page(schedule->fabric.owner, i);

		count += page ? page->drops[reason] : 0;
	}
	return count;
}

static uint64_t astray(const struct fault_schedule *schedule)
{
	return drops(schedule, DROP_LINK_DOWN) + drops(schedule, DROP_NO_ROUTE);
}

/* ---- acting ---- */

static int link_fails(struct fault_schedule *schedule, uint32_t link, node_time_t now)
{
	if (schedule->fabric.report_left)
		link_drain_begin(&schedule->link_drain, link, false, false, now);
	return schedule->fabric.link_down(schedule->fabric.owner, link);
}

/* takes all links of @fault down, or up unless another fault of theirs is present */
static int links_change(struct fault_schedule *schedule, const struct plan_fault *fault, bool fail,
			node_time_t now)
{
	int error = 0;

	for (uint32_t i = 0; i < schedule->plan->link_count && !error; i++) {
		if (!plan_fault_concerns(schedule->plan, fault, i))
			continue;
		if (fail && !schedule->down[i]++)
			error = link_fails(schedule, i, now);
		else if (!fail && schedule->down[i] && !--schedule->down[i])
			error = schedule->fabric.link_up(schedule->fabric.owner, i);
	}
	return error;
}

static int act(struct fault_schedule *schedule, const struct plan_action *action)
{
	const struct plan_fault *fault = &schedule->plan->faults.list[action->fault];
	struct fault_record *record = &schedule->records[action->fault];
	uint64_t before, no_way;
	int error;

	switch (action->kind) {
	case ACTION_RETURN:
		return links_change(schedule, fault, false, action->at_ps);
	case ACTION_FAIL:
		before = drops(schedule, DROP_LINK_DOWN);
		no_way = drops(schedule, DROP_NO_ROUTE);
		error = links_change(schedule, fault, true, action->at_ps);
		if (!error && fault->kind == FAULT_MANAGER && schedule->fabric.manager_dies)
			error = schedule->fabric.manager_dies(schedule->fabric.owner);
		record->lost = drops(schedule, DROP_LINK_DOWN) - before;
		/* packets without another route at this moment were not on the link */
		record->astray = before + record->lost + no_way;
		record->astray_until = astray(schedule);
		schedule->look_at =
			node_time_min(schedule->look_at,
				      link_drain_next_at(&schedule->link_drain, action->at_ps));
		return error;
	case ACTION_TABLES:
		if (action->at_ps == fault->tables_ps)
			record->astray_until = astray(schedule);
		return schedule->fabric.manage(schedule->fabric.owner);
	}
	return -EINVAL;
}

int fault_schedule_step(struct fault_schedule *schedule)
{
	node_time_t now = fault_schedule_next_at(schedule);
	int error = 0;

	if (window_at(schedule) == now)
		schedule->delivered[schedule->window_count++] = delivered_bytes(schedule);
	while (!error && action_at(schedule) == now && now != NODE_TIME_NEVER)
		error = act(schedule, &schedule->plan->faults.actions[schedule->action++]);
	if (!error && schedule->look_at == now && now != NODE_TIME_NEVER) {
		error = link_drain_look(&schedule->link_drain, now);
		schedule->look_at = link_drain_next_at(&schedule->link_drain, now);
	}
	return error;
}

/* ---- report ---- */

/* when another fault failed or returned after the @from-th action; without one the end of the
 * run */
static node_time_t next_change(const struct plan *plan, uint32_t from)
{
	for (uint32_t i = from + 1; i < plan->faults.action_count; i++)
		if (plan->faults.actions[i].kind != ACTION_TABLES &&
		    plan->faults.actions[i].fault != plan->faults.actions[from].fault &&
		    plan->faults.actions[i].at_ps > plan->faults.actions[from].at_ps)
			return node_time_min(plan->faults.actions[i].at_ps, plan->duration_ps);
	return plan->duration_ps;
}

static node_time_t last_change(const struct plan *plan, uint32_t from)
{
	for (uint32_t i = from; i--;)
		if (plan->faults.actions[i].kind != ACTION_TABLES &&
		    plan->faults.actions[i].at_ps < plan->faults.actions[from].at_ps)
			return node_time_max(plan->faults.actions[i].at_ps, plan->warmup_ps);
	return plan->warmup_ps;
}

static uint64_t window_bytes(const struct fault_schedule *schedule, uint64_t window)
{
	return schedule->delivered[window + 1] - schedule->delivered[window];
}

/* the mean rate of the windows before @action, back to the previous change. Return: 0 if there is
 * none */
static uint64_t before_bps(const struct fault_schedule *schedule, uint32_t action)
{
	const struct plan *plan = schedule->plan;
	node_time_t window_ps = plan->faults.window_ps;
	uint64_t end = plan->faults.actions[action].at_ps / window_ps;
	uint64_t first = (last_change(plan, action) + window_ps - 1) / window_ps;

	if (end > first + BEFORE_WINDOWS)
		first = end - BEFORE_WINDOWS;
	if (end <= first || end >= schedule->window_count)
		return 0;
	return results_bps(schedule->delivered[end] - schedule->delivered[first],
			   (end - first) * window_ps);
}

/* Recovered at the end of the last window, before the next change, in which too little was
 * delivered, if enough windows follow; at once if there is none. */
static void recovery_find(const struct fault_schedule *schedule, uint32_t action,
			  struct result_fault *row)
{
	const struct plan *plan = schedule->plan;
	node_time_t window_ps = plan->faults.window_ps, at_ps = plan->faults.actions[action].at_ps;
	uint64_t last = next_change(plan, action) / window_ps, window;

	row->before_bps = before_bps(schedule, action);
	row->least_bps = row->before_bps;
	row->recovery_ps = row->before_bps ? 0 : NODE_TIME_NEVER;
	for (window = at_ps / window_ps;
	     row->before_bps && window < last && window + 1 < schedule->window_count; window++) {
		uint64_t rate_bps = results_bps(window_bytes(schedule, window), window_ps);

		row->least_bps = rate_bps < row->least_bps ? rate_bps : row->least_bps;
		if ((unsigned __int128)rate_bps * 1000 <
		    (unsigned __int128)row->before_bps * RECOVERED_PERMILLE)
			row->recovery_ps = window + RECOVERED_WINDOWS < last
						   ? (window + 1) * window_ps - at_ps
						   : NODE_TIME_NEVER;
	}
}

int fault_schedule_report(const struct fault_schedule *schedule, struct results *results)
{
	const struct plan_faults *faults = &schedule->plan->faults;

	results->faults = calloc(faults->count, sizeof(*results->faults));
	if (!results->faults)
		return -ENOMEM;
	results->fault_count = faults->count;
	for (uint32_t i = 0; i < faults->action_count; i++) {
		const struct plan_action *action = &faults->actions[i];
		const struct fault_record *record = &schedule->records[action->fault];
		struct result_fault *row = &results->faults[action->fault];

		if (action->kind == ACTION_TABLES || i >= schedule->action)
			continue;
		if (action->kind == ACTION_RETURN) {
			row->returned = true;
			continue;
		}
		row->failed = true;
		row->lost = record->lost;
		row->astray = record->astray_until - record->astray;
		recovery_find(schedule, i, row);
	}
	return 0;
}
