#include "nodes/node/pace_group.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "nodes/clock/clock_scan.h"
#include "nodes/clock/fabric_time.h"
#include "nodes/clock/places.h"

#define LINE 64u

/* fabric time that passes in @machine_ps */
static node_time_t span(const struct pace_group *group, node_time_t machine_ps)
{
	return fabric_time_of(group->paces[0]->clock->page, machine_ps);
}

/* times by place, nothing due, as clock_scan.h has them */
static _Atomic node_time_t *times_alloc(uint32_t places)
{
	_Atomic node_time_t *times = aligned_alloc(LINE, places * sizeof(*times));

	for (uint32_t i = 0; times && i < places; i++)
		atomic_init(&times[i], NODE_TIME_NEVER);
	return times;
}

int pace_group_init(struct pace_group *group, uint32_t count, struct event_loop *loop, int core,
		    node_time_t awake_ps)
{
	*group = (struct pace_group){ .count = count,
				      .loop = loop,
				      .acks_since = NODE_TIME_NEVER,
				      .awake_ps = awake_ps ? awake_ps : PACE_AWAKE_PS,
				      .polls = awake_ps };
	group->paces = calloc(count, sizeof(*group->paces));
	group->left = calloc(count, sizeof(*group->left));
	group->due = calloc(count, sizeof(*group->due));
	group->border = calloc(count, sizeof(*group->border));
	group->next_at = times_alloc(places_of(count));
	group->acks_at = times_alloc(places_of(count));
	if (!group->paces || !group->left || !group->due || !group->border || !group->next_at ||
	    !group->acks_at)
		return -ENOMEM;
	home_core_init(&group->home, core);
	return 0;
}

void pace_group_fini(struct pace_group *group)
{
	free(group->paces);
	free(group->left);
	free(group->due);
	free(group->border);
	free(group->next_at);
	free(group->acks_at);
	*group = (struct pace_group){ 0 };
}

void pace_group_join(struct pace_group *group, uint32_t place, struct pace *pace)
{
	group->paces[place] = pace;
	pace->group = group;
	pace->place = place;
	pace->home = &group->home;
	pace_group_stir(group, place);
}

void pace_group_leave(struct pace_group *group, uint32_t place)
{
	group->left[place] = true;
	group->border_stale = true;
}

/* the place of node @index of the plan; count: it is not here */
static uint32_t place_of(const struct pace_group *group, uint32_t index)
{
	uint32_t place = 0;

	while (place < group->count && (group->left[place] || !group->paces[place] ||
					group->paces[place]->config->index != index))
		place++;
	return place;
}

void pace_group_plug(struct pace_group *group, struct pace *pace, uint32_t port)
{
	uint32_t peer = place_of(group, pace->config->ports[port].peer_index);

	group->border_stale = true;
	pace->inside &= ~(1ull << port);
	if (peer == group->count || pace->carriers[port])
		return;
	pace->inside |= 1ull << port;
	pace->peer_place[port] = peer;
}

void pace_group_owe(struct pace_group *group, uint32_t place, node_time_t due)
{
	if (due < atomic_load_explicit(&group->acks_at[place], memory_order_relaxed))
		atomic_store_explicit(&group->acks_at[place], due, memory_order_relaxed);
	if (group->acks_since == NODE_TIME_NEVER)
		group->acks_since = group->busy_ps;
}

/* ACKs become due like anything else.  Return: when something is due at any node */
static node_time_t acks_merge(struct pace_group *group)
{
	group->acks_since = NODE_TIME_NEVER;
	return clock_scan_merge(group->next_at, group->acks_at, group->count);
}

/* ---- rounds ---- */

uint32_t pace_group_round(struct pace_group *group)
{
	node_time_t now = pace_now(group->paces[0]);
	uint32_t count;

	if (group->acks_since != NODE_TIME_NEVER &&
	    now > group->acks_since + span(group, PACE_GROUP_ACKS_PS))
		acks_merge(group);
	count = clock_scan_list(group->next_at, group->count, now + 1, group->due);
	if (!count && group->acks_since != NODE_TIME_NEVER) {
		acks_merge(group);
		count = clock_scan_list(group->next_at, group->count, now + 1, group->due);
	}
	if (count)
		group->busy_ps = now;
	return count;
}

void pace_group_turn(struct pace_group *group, uint32_t place)
{
	struct pace *pace = group->paces[place];

	atomic_store_explicit(&group->next_at[place], NODE_TIME_NEVER, memory_order_relaxed);
	if (group->left[place])
		return;
	pace_turn(pace);
	pace_group_notify(group, place, pace->next_ps);
}

/* ---- waiting ---- */

static void border_find(struct pace_group *group)
{
	group->border_stale = false;
	group->border_count = 0;
	for (uint32_t i = 0; i < group->count; i++)
		if (group->paces[i]->plugged & ~group->paces[i]->inside)
			group->border[group->border_count++] = i;
}

/* nodes to which other processes have sent something have a turn. Return: true if there is one */
static bool border_news(struct pace_group *group)
{
	bool news = false;

	for (uint32_t i = 0; i < group->border_count; i++) {
		if (!pace_ring_news(group->paces[group->border[i]]))
			continue;
		pace_group_stir(group, group->border[i]);
		news = true;
	}
	return news;
}

/* when something is due at any node, ACKs left out */
static node_time_t next_of(const struct pace_group *group)
{
	node_time_t next = NODE_TIME_NEVER;

	for (uint32_t i = 0; i < group->count; i++)
		next = node_time_min(
			next, atomic_load_explicit(&group->next_at[i], memory_order_relaxed));
	return next;
}

/* Stays awake as a node alone does.  Return: false: the group is to sleep until *@next */
static bool wait_awake(struct pace_group *group, node_time_t *next)
{
	node_time_t now = pace_now(group->paces[0]), before = now;

	*next = next_of(group);
	if (*next > now && group->acks_since != NODE_TIME_NEVER)
		*next = acks_merge(group);
	for (;;) {
		bool shared = now - before > span(group, PACE_SHARED_PS);

		if (now >= *next || border_news(group) || event_loop_has_news(group->loop))
			return true;
		if (((shared && !group->polls) ||
		     now > group->busy_ps + span(group, group->awake_ps)) &&
		    *next - now > span(group, PACE_NEAR_PS))
			return false;
		sched_yield();
		for (uint32_t i = 0; i < group->border_count; i++)
			pace_owed_ring(group->paces[group->border[i]]);
		before = now;
		now = pace_now(group->paces[0]);
	}
}

static void sleep_tell(struct pace_group *group, node_time_t until)
{
	for (uint32_t i = 0; i < group->border_count; i++)
		pace_sleep_tell(group->paces[group->border[i]], until);
}

static bool may_sleep(struct pace_group *group, node_time_t next)
{
	sleep_tell(group, next);
	atomic_thread_fence(memory_order_seq_cst);
	return !border_news(group) && !pace_ended(group->paces[0]);
}

/* what the event loop saw: its nodes have a turn */
static void take_ready(struct pace_group *group, const struct event_loop_ready *ready)
{
	for (uint32_t i = 0; i < ready->count; i++) {
		uint32_t place = ready->numbers[i] / EVENT_LOOP_FDS_MAX;

		pace_take_ready(group->paces[place], ready->numbers[i] % EVENT_LOOP_FDS_MAX);
		pace_group_stir(group, place);
	}
}

/* sleeps until @next, at most PACE_SLEEP_MAX_PS: see pace.c */
static unsigned group_sleep(struct pace_group *group, node_time_t next,
			    struct event_loop_ready *ready)
{
	const struct pace *any = group->paces[0];
	node_time_t until;
	unsigned what = 0;

	for (uint32_t i = 0; i < group->border_count; i++)
		pace_owed_ring(group->paces[group->border[i]]);
	if (!event_loop_tells_news_only(group->loop))
		for (uint32_t i = 0; i < group->count; i++)
			pace_mute_known(group->paces[i]);
	home_core_look(&group->home, fabric_time_takes(any->clock->page, pace_now(any)));
	until = node_time_min(next, pace_now(any) + span(group, PACE_SLEEP_MAX_PS));
	if (may_sleep(group, next))
		what = event_loop_sleep(group->loop,
					fabric_time_monotonic_ns(any->clock->page, until), ready);
	sleep_tell(group, 0);
	for (uint32_t i = 0; i < group->border_count; i++)
		group->paces[group->border[i]]->slept = true;
	return what;
}

bool pace_group_begun(struct pace_group *group, bool *control)
{
	const struct clock_page *page = group->paces[0]->clock->page;
	uint32_t state = atomic_load_explicit(&page->state, memory_order_acquire);
	struct event_loop_ready ready = { 0 };
	unsigned what;

	*control = false;
	if (state == CLOCK_ENDED || (state == CLOCK_RUNNING && pace_now(group->paces[0])))
		return true;
	what = event_loop_sleep(group->loop, state == CLOCK_RUNNING ? page->epoch_ns : UINT64_MAX,
				&ready);
	take_ready(group, &ready);
	*control = what & EVENT_LOOP_CONTROL;
	return false;
}

bool pace_group_wait(struct pace_group *group, bool *control)
{
	struct event_loop_ready ready = { 0 };
	node_time_t next, now;
	unsigned what = 0;

	*control = false;
	if (pace_ended(group->paces[0]))
		return false;
	if (group->border_stale)
		border_find(group);
	if (wait_awake(group, &next)) {
		now = pace_now(group->paces[0]);
		if (event_loop_has_news(group->loop) ||
		    now - group->looked_ps > span(group, PACE_LOOK_PS)) {
			group->looked_ps = now;
			what = event_loop_sleep(group->loop, 0, &ready);
		}
	} else {
		what = group_sleep(group, next, &ready);
		group->looked_ps = pace_now(group->paces[0]);
	}
	take_ready(group, &ready);
	*control = what & EVENT_LOOP_CONTROL;
	return true;
}
