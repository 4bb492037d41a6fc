#include "orchestrator/live/live_fault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/base/monotonic.h"
#include "nodes/clock/fabric_time.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/fabric/fabric_fault.h"
#include "orchestrator/fabric/fabric_real.h"

#define GONE UINT32_MAX /* the link or the switch of a fault: it was removed */

/* ---- the fabric, as struct fault_fabric has it ---- */

static int link_take_down(void *owner, uint32_t index)
{
	struct live *live = owner;
	struct plan_link *link = &live->plan->links[index];

	if (link->vacant || link->down)
		return 0;
	link->down = true;
	live->faults.taken[index] = true;
	return fabric_link_down(&live->fabric, index);
}

static int link_bring_up(void *owner, uint32_t index)
{
	struct live *live = owner;
	struct plan_link *link = &live->plan->links[index];
	bool taken = live->faults.taken[index];

	live->faults.taken[index] = false;
	if (!taken || link->vacant || !link->down)
		return 0;
	link->down = false;
	return fabric_link_up(&live->fabric, index);
}

static int sweep(void *owner)
{
	return manager_pair_sweep(&((struct live *)owner)->managers);
}

static int manager_kill(void *owner)
{
	manager_pair_kill(&((struct live *)owner)->managers);
	return 0;
}

static const struct stats_page *page_of(void *owner, uint32_t node)
{
	struct live *live = owner;

	return fabric_page_of(&live->fabric, node);
}

static int schedule_make(struct live *live)
{
	const struct fault_fabric fabric = { .owner = live,
					     .link_down = link_take_down,
					     .link_up = link_bring_up,
					     .manage = sweep,
					     .manager_dies = manager_kill,
					     .page = page_of };

	return fault_schedule_init(&live->faults.schedule, live->plan, &fabric);
}

int live_faults_init(struct live *live)
{
	live->faults.from_ps = live->plan->faults.held ? NODE_TIME_NEVER : 0;
	live->faults.taken = calloc(live->plan->link_count, sizeof(*live->faults.taken));
	return live->faults.taken ? schedule_make(live) : -ENOMEM;
}

void live_faults_fini(struct live *live)
{
	fault_schedule_fini(&live->faults.schedule);
	free(live->faults.taken);
	live->faults.taken = NULL;
}

/* what has happened of the @index-th fault: its actions are in order of time */
static const char *state_of(const struct live *live, uint32_t index)
{
	const struct plan_faults *faults = &live->plan->faults;
	const char *state = live->faults.from_ps == NODE_TIME_NEVER ? "waits" : "planned";

	for (uint32_t i = 0; i < live->faults.schedule.action; i++) {
		const struct plan_action *action = &faults->actions[i];

		if (action->fault == index && action->kind == ACTION_FAIL)
			state = faults->list[index].kind == FAULT_MANAGER ? "over" : "present";
		else if (action->fault == index && action->kind == ACTION_RETURN)
			state = "over";
	}
	return state;
}

/* ---- what joins and leaves ---- */

void live_faults_link_joins(struct live *live, uint32_t link)
{
	const struct plan_faults *faults = &live->plan->faults;
	uint32_t present = 0; /* what an earlier link left at this place does not count */

	if (!live->faults.schedule.down)
		return;
	for (uint32_t i = 0; i < faults->count; i++)
		present += !strcmp(state_of(live, i), "present") &&
			   plan_fault_concerns(live->plan, &faults->list[i], link);
	live->faults.schedule.down[link] = present;
}

void live_faults_link_gone(struct live *live, uint32_t link)
{
	struct plan_faults *faults = &live->plan->faults;

	if (live->faults.taken)
		live->faults.taken[link] = false;
	for (uint32_t i = 0; i < faults->count; i++)
		if (faults->list[i].kind == FAULT_LINK && faults->list[i].link == link)
			faults->list[i].link = GONE;
}

void live_faults_node_gone(struct live *live, uint32_t node)
{
	struct plan_faults *faults = &live->plan->faults;

	for (uint32_t i = 0; i < faults->count; i++)
		if (faults->list[i].kind == FAULT_SWITCH && faults->list[i].node == node)
			faults->list[i].node = GONE;
}

/* ---- the time line ---- */

/* fabric time of what is due next */
static node_time_t next_at(const struct live *live)
{
	node_time_t at = fault_schedule_next_at(&live->faults.schedule);

	if (live->faults.from_ps == NODE_TIME_NEVER || at == NODE_TIME_NEVER)
		return NODE_TIME_NEVER;
	return live->faults.from_ps + at;
}

static void actions_note(const struct live *live, uint32_t from)
{
	const struct plan_faults *faults = &live->plan->faults;

	for (uint32_t i = from; i < live->faults.schedule.action; i++) {
		const struct plan_action *action = &faults->actions[i];

		if (action->kind != ACTION_TABLES)
			live_note("fault %" PRIu32 ": %s %s", action->fault + 1,
				  faults->list[action->fault].name,
				  action->kind == ACTION_FAIL ? "fails" : "returns");
	}
}

uint64_t live_faults_step(struct live *live)
{
	node_time_t now = fabric_real_now(&live->fabric), next;

	while ((next = next_at(live)) <= now) {
		uint32_t from = live->faults.schedule.action;
		int error;

		/* that of the last request is over */
		live->fabric.patience_until_ns = monotonic_ns() + FABRIC_ANSWER_MS * 1000000ull;
		error = fault_schedule_step(&live->faults.schedule);

		actions_note(live, from);
		if (error)
			live_note("a fault could not take effect: %s", live_reason(live, error));
	}
	if (next == NODE_TIME_NEVER)
		return UINT64_MAX;
	return fabric_time_takes(live->fabric.page, next - now) / NODE_NS + 1;
}

/* ---- requests ---- */

static void time_put(json_t *object, const char *key, node_time_t time)
{
	json_object_set_new(object, key,
			    time == NODE_TIME_NEVER ? json_null()
						    : json_integer((json_int_t)(time / NODE_NS)));
}

static json_t *fault_describe(const struct live *live, uint32_t index)
{
	const struct plan_faults *faults = &live->plan->faults;
	const struct plan_fault *fault = &faults->list[index];
	const struct fault_record *record = &live->faults.schedule.records[index];
	json_t *object =
		json_pack("{s:i, s:s, s:s, s:I, s:I}", "fault", (int)index + 1, "what", fault->name,
			  "state", state_of(live, index), "lost_packets", (json_int_t)record->lost,
			  "astray_packets", (json_int_t)(record->astray_until - record->astray));

	if (object) {
		time_put(object, "at_ns", fault->at_ps);
		time_put(object, "until_ns", fault->until_ps);
	}
	return object;
}

json_t *live_faults_describe(const struct live *live)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < live->plan->faults.count; i++)
		json_array_append_new(list, fault_describe(live, i));
	return list;
}

static uint32_t pauses_count(const struct live *live)
{
	uint32_t count = 0;

	for (uint32_t i = live->plan->switch_count; i < live->plan->node_count; i++)
		count += live->plan->nodes[i].nic.pause_count;
	return count;
}

/* what faults can cost, of all nodes since the start of the fabric, as the drops of `ps` */
static json_t *drops_describe(struct live *live)
{
	static const enum drop_reason reasons[] = { DROP_LINK_DOWN, DROP_NO_ROUTE, DROP_BAD_LID };
	json_t *object = json_object();

	for (size_t r = 0; r < COUNT_OF(reasons); r++) {
		uint64_t count = 0;

		for (uint32_t i = 0; i < live->plan->node_count; i++) {
			const struct stats_page *page = fabric_page_of(&live->fabric, i);

			count += page ? page->drops[reasons[r]] : 0;
		}
		member_put(object, stats_drop_name[reasons[r]], count);
	}
	return object;
}

json_t *live_fault_list(struct live_query *query)
{
	struct live *live = query->live;
	node_time_t now = fabric_real_now(&live->fabric), from = live->faults.from_ps;
	json_t *object = json_pack("{s:s, s:i, s:o, s:o}", "fabric", live->place.name, "pauses",
				   (int)pauses_count(live), "faults", live_faults_describe(live),
				   "drops", drops_describe(live));

	if (object)
		time_put(object, "time_ns",
			 from == NODE_TIME_NEVER ? from
			 : now > from            ? now - from
						 : 0);
	return object;
}

/* the pauses of all NICs count from @from; a dead one has it from its configuration */
static int pauses_tell(struct live *live, node_time_t from)
{
	int error = 0, failed;

	for (uint32_t i = live->plan->switch_count; i < live->plan->node_count; i++) {
		struct nic_config *nic = &live->plan->nodes[i].nic;
		struct control_message message = { .kind = CONTROL_SET, .text = "pauses.from" };

		nic->pauses_from_ps = from;
		if (!nic->pause_count || !fabric_pid(&live->fabric, i))
			continue;
		snprintf(message.text2, sizeof(message.text2), "%" PRIu64, from);
		failed = fabric_tell(&live->fabric, i, &message);
		error = error ? error : failed;
	}
	return error;
}

/* what faults have taken down returns, and the schedule is at its start again */
static int rewind_all(struct live *live)
{
	int error = 0, failed;
	bool changed = false;

	for (uint32_t i = 0; i < live->plan->link_count; i++) {
		changed |= live->faults.taken[i];
		failed = link_bring_up(live, i);
		error = error ? error : failed;
	}
	if (changed && !error)
		error = sweep(live);
	fault_schedule_fini(&live->faults.schedule);
	failed = schedule_make(live);
	return error ? error : failed;
}

json_t *live_fault_start(struct live_query *query)
{
	struct live *live = query->live;
	node_time_t from = fabric_real_now(&live->fabric);
	int error;

	if (!live->plan->faults.count && !pauses_count(live))
		return live_refuse("the scenario has neither faults nor pauses");
	if (next_at(live) != NODE_TIME_NEVER)
		return live_refuse(
			"the faults have started already: 'heddle faults stop' ends them");
	error = rewind_all(live);
	if (!error) {
		error = pauses_tell(live, from);
		if (error) /* those that have begun end */
			pauses_tell(live, NODE_TIME_NEVER);
	}
	if (error)
		return live_refuse("the faults cannot be started: %s", live_reason(live, error));
	live->faults.from_ps = from;
	live_note("the faults and pauses start");
	return live_fault_list(query);
}

json_t *live_fault_stop(struct live_query *query)
{
	struct live *live = query->live;
	int error = rewind_all(live), failed = pauses_tell(live, NODE_TIME_NEVER);

	live->faults.from_ps = NODE_TIME_NEVER;
	error = error ? error : failed;
	live_note("the faults and pauses stop");
	return error ? live_refuse("not everything has returned: %s", live_reason(live, error))
		     : live_fault_list(query);
}
