#include "orchestrator/fabric/fault_player.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE_WINDOWS 20u /* at most so many windows before a fault are its reference */
#define RECOVERED_PERMILLE 900u
#define RECOVERED_WINDOWS 5u /* that follow with enough; fewer can be chance */

int fault_player_init(struct fault_player *player, const struct plan *plan,
		      const struct fault_fabric *fabric)
{
	struct link_drain_fabric link_drain;

	*player = (struct fault_player){ .plan = plan,
					 .fabric = *fabric,
					 .look_at = NODE_TIME_NEVER };
	if (!plan->faults.count)
		return 0;
	if (plan->faults.window_ps)
		player->window_max = (uint32_t)(plan->duration_ps / plan->faults.window_ps) + 1;
	player->down = calloc(plan->link_count, sizeof(*player->down));
	player->delivered = calloc(player->window_max, sizeof(*player->delivered));
	player->records = calloc(plan->faults.count, sizeof(*player->records));
	if (!player->down || !player->delivered || !player->records)
		return -ENOMEM;
	link_drain = (struct link_drain_fabric){ .owner = fabric->owner,
						 .report_left = fabric->report_left,
						 .page = fabric->page };
	return link_drain_init(&player->link_drain, plan, &link_drain);
}

void fault_player_fini(struct fault_player *player)
{
	free(player->down);
	free(player->delivered);
	free(player->records);
	link_drain_fini(&player->link_drain);
	*player = (struct fault_player){ 0 };
}

static node_time_t action_at(const struct fault_player *player)
{
	const struct plan_faults *faults = &player->plan->faults;

	return player->action < faults->action_count ? faults->actions[player->action].at_ps
						     : NODE_TIME_NEVER;
}

static node_time_t window_at(const struct fault_player *player)
{
	return player->window_count < player->window_max
		       ? player->window_count * player->plan->faults.window_ps
		       : NODE_TIME_NEVER;
}

node_time_t fault_player_next_at(const struct fault_player *player)
{
	return node_time_min(player->look_at, node_time_min(action_at(player), window_at(player)));
}

bool fault_player_acts_now(const struct fault_player *player)
{
	node_time_t now = fault_player_next_at(player);

	return now != NODE_TIME_NEVER && (action_at(player) == now || player->look_at == now);
}

bool fault_player_cut_off(const struct fault_player *player, uint32_t node)
{
	const struct node_config *config = &player->plan->nodes[node];

	for (uint32_t port = 0; port < config->port_count; port++)
		if (!player->down || !player->down[config->ports[port].link_index])
			return false;
	return true;
}

/* ---- counting ---- */

static uint64_t delivered_bytes(const struct fault_player *player)
{
	uint64_t bytes = 0;

	for (uint32_t i = player->plan->switch_count; i < player->plan->node_count; i++)
		bytes += player->fabric.page(player->fabric.owner, i)->delivered_bytes;
	return bytes;
}

static uint64_t drops(const struct fault_player *player, enum drop_reason reason)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < player->plan->node_count; i++) {
		const struct stats_page *page = player->fabric.page(player->fabric.owner, i);

		count += page ? page->drops[reason] : 0;
	}
	return count;
}

static uint64_t astray(const struct fault_player *player)
{
	return drops(player, DROP_LINK_DOWN) + drops(player, DROP_NO_ROUTE);
}

/* ---- acting ---- */

static int link_fails(struct fault_player *player, uint32_t link, node_time_t now)
{
	if (player->fabric.report_left)
		link_drain_begin(&player->link_drain, link, false, false, now);
	return player->fabric.link_down(player->fabric.owner, link);
}

/* takes all links of @fault down, or up unless another fault of theirs is present */
static int links_change(struct fault_player *player, const struct plan_fault *fault, bool fail,
			node_time_t now)
{
	int error = 0;

	for (uint32_t i = 0; i < player->plan->link_count && !error; i++) {
		if (!plan_fault_concerns(player->plan, fault, i))
			continue;
		if (fail && !player->down[i]++)
			error = link_fails(player, i, now);
		else if (!fail && player->down[i] && !--player->down[i])
			error = player->fabric.link_up(player->fabric.owner, i);
	}
	return error;
}

static int act(struct fault_player *player, const struct plan_action *action)
{
	const struct plan_fault *fault = &player->plan->faults.list[action->fault];
	struct fault_record *record = &player->records[action->fault];
	uint64_t before, no_way;
	int error;

	switch (action->kind) {
	case ACTION_RETURN:
		return links_change(player, fault, false, action->at_ps);
	case ACTION_FAIL:
		before = drops(player, DROP_LINK_DOWN);
		no_way = drops(player, DROP_NO_ROUTE);
		error = links_change(player, fault, true, action->at_ps);
		if (!error && fault->kind == FAULT_MANAGER && player->fabric.manager_dies)
			error = player->fabric.manager_dies(player->fabric.owner);
		record->lost = drops(player, DROP_LINK_DOWN) - before;
		/* packets without another route at this moment were not on the link */
		record->astray = before + record->lost + no_way;
		record->astray_until = astray(player);
		player->look_at = node_time_min(
			player->look_at, link_drain_next_at(&player->link_drain, action->at_ps));
		return error;
	case ACTION_TABLES:
		if (action->at_ps == fault->tables_ps)
			record->astray_until = astray(player);
		return player->fabric.manage(player->fabric.owner);
	}
	return -EINVAL;
}

int fault_player_step(struct fault_player *player)
{
	node_time_t now = fault_player_next_at(player);
	int error = 0;

	if (window_at(player) == now)
		player->delivered[player->window_count++] = delivered_bytes(player);
	while (!error && action_at(player) == now && now != NODE_TIME_NEVER)
		error = act(player, &player->plan->faults.actions[player->action++]);
	if (!error && player->look_at == now && now != NODE_TIME_NEVER) {
		error = link_drain_look(&player->link_drain, now);
		player->look_at = link_drain_next_at(&player->link_drain, now);
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

static uint64_t window_bytes(const struct fault_player *player, uint64_t window)
{
	return player->delivered[window + 1] - player->delivered[window];
}

/* the mean rate of the windows before @action, back to the previous change. Return: 0 if there is
 * none */
static uint64_t before_bps(const struct fault_player *player, uint32_t action)
{
	const struct plan *plan = player->plan;
	node_time_t window_ps = plan->faults.window_ps;
	uint64_t end = plan->faults.actions[action].at_ps / window_ps;
	uint64_t first = (last_change(plan, action) + window_ps - 1) / window_ps;

	if (end > first + BEFORE_WINDOWS)
		first = end - BEFORE_WINDOWS;
	if (end <= first || end >= player->window_count)
		return 0;
	return results_bps(player->delivered[end] - player->delivered[first],
			   (end - first) * window_ps);
}

/* Recovered at the end of the last window, before the next change, in which too little was
 * delivered, if enough windows follow; at once if there is none. */
static void recovery_find(const struct fault_player *player, uint32_t action,
			  struct result_fault *row)
{
	const struct plan *plan = player->plan;
	node_time_t window_ps = plan->faults.window_ps, at_ps = plan->faults.actions[action].at_ps;
	uint64_t last = next_change(plan, action) / window_ps, window;

	row->before_bps = before_bps(player, action);
	row->least_bps = row->before_bps;
	row->recovery_ps = row->before_bps ? 0 : NODE_TIME_NEVER;
	for (window = at_ps / window_ps;
	     row->before_bps && window < last && window + 1 < player->window_count; window++) {
		uint64_t rate_bps = results_bps(window_bytes(player, window), window_ps);

		row->least_bps = rate_bps < row->least_bps ? rate_bps : row->least_bps;
		if ((unsigned __int128)rate_bps * 1000 <
		    (unsigned __int128)row->before_bps * RECOVERED_PERMILLE)
			row->recovery_ps = window + RECOVERED_WINDOWS < last
						   ? (window + 1) * window_ps - at_ps
						   : NODE_TIME_NEVER;
	}
}

int fault_player_report(const struct fault_player *player, struct results *results)
{
	const struct plan_faults *faults = &player->plan->faults;

	results->faults = calloc(faults->count, sizeof(*results->faults));
	if (!results->faults)
		return -ENOMEM;
	results->fault_count = faults->count;
	for (uint32_t i = 0; i < faults->action_count; i++) {
		const struct plan_action *action = &faults->actions[i];
		const struct fault_record *record = &player->records[action->fault];
		struct result_fault *row = &results->faults[action->fault];

		if (action->kind == ACTION_TABLES || i >= player->action)
			continue;
		if (action->kind == ACTION_RETURN) {
			row->returned = true;
			continue;
		}
		row->failed = true;
		row->lost = record->lost;
		row->astray = record->astray_until - record->astray;
		recovery_find(player, i, row);
	}
	return 0;
}
