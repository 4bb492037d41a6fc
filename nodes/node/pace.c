#include "nodes/node/pace.h"

#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/fabric_time.h"
#include "nodes/link/capture.h"
#include "nodes/link/link_send.h"
#include "nodes/node/pace_group.h"

/* event loop numbers: ports, host sockets, the doorbell */
#define NUMBER_HOST NODE_PORTS_MAX
#define NUMBER_DOORBELL (NODE_PORTS_MAX + NIC_HOST_QUEUES_MAX)

/* These are in the machine's time: they follow from what processes cost. span() converts them. */
#define STARVED_PS (20 * NODE_US) /* after a lack of buffer the next attempt is made */
/* the same, if its peer notifies it, which may come just after the last attempt */
#define UNTOLD_PS (500 * NODE_US)
#define REST_PS (10 * NODE_MS) /* nothing to do for longer than this is rest */
/* the most that a late node catches up with in one turn */
#define TURN_PS (500 * NODE_US)
#define HOST_WAIT_MAX_PS (500 * NODE_US)
#define HOST_ROUNDS 4u /* times that a turn receives from the host, as buffer becomes free */

_Static_assert(NUMBER_DOORBELL < EVENT_LOOP_FDS_MAX, "every descriptor has a number");

node_time_t pace_now(const struct pace *pace)
{
	return fabric_time_at(pace->clock->page, monotonic_ns());
}

/* fabric time that passes in @machine_ps */
static node_time_t span(const struct pace *pace, node_time_t machine_ps)
{
	return fabric_time_of(pace->clock->page, machine_ps);
}

/* CLOCK_MONOTONIC since the epoch at fabric time @at_ps */
static node_time_t machine_at(const struct pace *pace, node_time_t at_ps)
{
	return fabric_time_takes(pace->clock->page, at_ps);
}

int pace_init(struct pace *pace, const struct clock *clock, const struct node_config *config,
	      struct link *links, struct stats_page *stats, const struct node_ops *ops,
	      void *dataplane, struct event_loop *loop, uint32_t first_number, int doorbell)
{
	*pace = (struct pace){ .clock = clock,
			       .config = config,
			       .links = links,
			       .stats = stats,
			       .ops = ops,
			       .dataplane = dataplane,
			       .loop = loop,
			       .first_number = first_number,
			       .doorbell = doorbell,
			       .awake_ps = PACE_AWAKE_PS,
			       .next_ps = NODE_TIME_NEVER };
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		pace->peer_doorbell[port] = -1;
	return event_loop_watch(loop, first_number + NUMBER_DOORBELL, doorbell);
}

void pace_poll(struct pace *pace, node_time_t awake_ps)
{
	pace->polls = awake_ps;
	pace->awake_ps = awake_ps ? awake_ps : PACE_AWAKE_PS;
}

int pace_host(struct pace *pace, const int *fds, uint32_t count)
{
	int error = 0;

	for (uint32_t i = 0; i < count && !error; i++)
		error = event_loop_watch(pace->loop, pace->first_number + NUMBER_HOST + i, fds[i]);
	pace->host_count = count;
	pace->host_readable = (1u << count) - 1;
	return error;
}

int pace_plug(struct pace *pace, uint32_t port, int peer_doorbell, struct carrier *carrier,
	      int socket)
{
	pace->peer_doorbell[port] = peer_doorbell;
	pace->carriers[port] = carrier;
	pace->released[port] = 0;
	pace->broken &= ~(1ull << port);
	if (carrier) {
		int error = event_loop_watch(pace->loop, pace->first_number + port, socket);

		if (error)
			return error;
		pace->readable |= 1ull << port;
	}
	pace->plugged |= 1ull << port;
	if (pace->group)
		pace_group_plug(pace->group, pace, port);
	return 0;
}

void pace_unplug(struct pace *pace, uint32_t port)
{
	if (pace->carriers[port])
		event_loop_unwatch(pace->loop, pace->first_number + port);
	pace->plugged &= ~(1ull << port);
	pace->readable &= ~(1ull << port);
	pace->owed &= ~(1ull << port);
	pace->inside &= ~(1ull << port);
	pace->carriers[port] = NULL;
	pace->peer_doorbell[port] = -1;
}

void pace_leave(struct pace *pace)
{
	for (uint32_t i = 0; i < pace->host_count; i++)
		event_loop_unwatch(pace->loop, pace->first_number + NUMBER_HOST + i);
	event_loop_unwatch(pace->loop, pace->first_number + NUMBER_DOORBELL);
	pace->host_count = pace->host_readable = 0;
}

/* ---- a turn ---- */

/* Takes in what waits outside. Was anything from the host? */
static bool take_in(struct pace *pace, node_time_t now)
{
	for (uint64_t left = pace->readable; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);

		if (!carrier_intake(pace->carriers[port], now))
			pace->readable &= ~(1ull << port);
	}
	return pace->host_readable &&
	       pace->ops->host_receive(pace->dataplane, &pace->host_readable, now);
}

/* the peer at @port has something to do at @due. The fence pairs with the one in may_sleep(). */
static void notify(const struct pace *pace, uint32_t port, node_time_t due)
{
	uint64_t one = 1;

	if (pace->inside >> port & 1) {
		pace_group_notify(pace->group, pace->peer_place[port], due);
		return;
	}
	atomic_thread_fence(memory_order_seq_cst);
	if (ring_rouse(&pace->links[port].tx.ring, due))
		(void)!write(pace->peer_doorbell[port], &one, sizeof(one));
}

/* wakes the peers at @ports to which ACKs were sent and nothing else since */
static void owed_ring(struct pace *pace, uint64_t ports)
{
	for (ports &= pace->owed; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);

		pace->owed &= ~(1ull << port);
		notify(pace, port, pace->owed_ps[port]);
	}
}

/* Packets wake their receiver at once; ACKs and words wake it after one yield of the core. A packet
 * is forwarded at once, perhaps by a process on this core; ACKs are less urgent. */
static void sent_tell(struct pace *pace, uint32_t port, node_time_t arrival, bool packet)
{
	uint64_t bit = 1ull << port;

	if (pace->inside & bit && !packet) {
		pace_group_owe(pace->group, pace->peer_place[port], arrival);
		return;
	}
	if (packet)
		notify(pace, port, arrival);
	else if (!(pace->owed & bit))
		pace->owed_ps[port] = arrival;
	pace->owed = packet ? pace->owed & ~bit : pace->owed | bit;
}

/* publishes what was sent, gives back what was read */
static void flush(struct pace *pace, node_time_t now)
{
	uint64_t owed = pace->owed;

	for (uint64_t left = pace->plugged; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);
		struct link *link = &pace->links[port];
		bool packet;
		node_time_t arrival = link_flush(link, &packet);

		if (arrival != NODE_TIME_NEVER && !pace->carriers[port])
			sent_tell(pace, port, node_time_max(arrival, now), packet);
		link_note_taken(link);
		if (link->rx.ring.head != pace->released[port]) {
			pace->released[port] = link->rx.ring.head;
			ring_release(&link->rx.ring);
			if (!pace->carriers[port] && ring_waited(&link->rx.ring))
				notify(pace, port, now);
		}
		if (link->capture)
			pace->next_ps = node_time_min(pace->next_ps,
						      capture_step(link->capture, pace->now_ps));
		if (pace->carriers[port])
			pace->next_ps = node_time_min(pace->next_ps,
						      carrier_outlet(pace->carriers[port], now));
		if (link->tx.starved) {
			ring_wait(&link->tx.ring);
			pace->next_ps = node_time_min(
				pace->next_ps,
				now + span(pace, pace->carriers[port] ? STARVED_PS : UNTOLD_PS));
		}
		pace->broken |= (uint64_t)link->rx.ring.broken << port;
	}
	owed_ring(pace, owed);
}

/* since when the neighbours that have woken this node knew of something; NODE_TIME_NEVER: none
 * did */
static node_time_t roused_at(const struct pace *pace)
{
	node_time_t rung = NODE_TIME_NEVER;

	for (uint64_t left = pace->plugged; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);

		if (!pace->carriers[port] && !(pace->inside >> port & 1))
			rung = node_time_min(rung, ring_roused(&pace->links[port].rx.ring));
	}
	return rung;
}

/* Looks what neighbours have sent. Since when has the first of what is due now been due: the event
 * known before, or one of what has come in since, which could not be known of before now_ps; later
 * than @now if nothing is. */
static node_time_t look(struct pace *pace, node_time_t now)
{
	node_time_t since = pace->now_ps, due = pace->next_ps;

	if (pace->slept) {
		node_time_t rung = roused_at(pace);

		since = rung == NODE_TIME_NEVER ? since : node_time_max(since, rung);
	}
	for (uint64_t left = pace->plugged; left; left &= left - 1) {
		struct link *link = &pace->links[__builtin_ctzll(left)];
		node_time_t head;

		if (link->tx.starved && !link->down)
			link->stats->ring_full_ps += now - pace->turned_ps;
		link_refresh(link, pace->now_ps);
		head = link_next_at(link);
		if (head <= now)
			due = node_time_min(due, node_time_max(head, since));
	}
	return due;
}

static void lateness_note(struct pace *pace, node_time_t due, node_time_t now)
{
	if (due > now)
		return;
	/* a longer time without events is rest, unless the node was late by it */
	pace->stats->active_ns +=
		node_time_min(now - pace->busy_ps, node_time_max(REST_PS, now - due)) / NODE_NS;
	pace->busy_ps = now;
	stats_lateness_add(&pace->stats->lateness, (now - due) / NODE_NS);
	if (pace->home)
		home_core_note(pace->home, machine_at(pace, now - due), machine_at(pace, now));
}

/* A turn ends at @now, but not far after @due, the first event. Else, with more load than a node
 * can handle, each turn would be longer than the one before, without sending or receiving
 * meanwhile. The node stays late instead. */
static node_time_t turn_end(const struct pace *pace, node_time_t due, node_time_t now)
{
	node_time_t turn_ps = span(pace, TURN_PS);

	return due < now && now - due > turn_ps ? node_time_max(due + turn_ps, pace->now_ps) : now;
}

/* How long not to read from the host: not at all while there is free buffer. Without, because the
 * link takes nothing, longer each time: an attempt in vain costs as much as work. */
static node_time_t host_wait(struct pace *pace, bool taken)
{
	if (taken)
		pace->host_wait_ps = 0;
	else
		pace->host_wait_ps =
			node_time_min(node_time_max(2 * pace->host_wait_ps, span(pace, STARVED_PS)),
				      span(pace, HOST_WAIT_MAX_PS));
	return pace->host_wait_ps;
}

void pace_turn(struct pace *pace)
{
	node_time_t now = node_time_max(pace_now(pace), pace->now_ps), due, end;
	bool taken;

	taken = take_in(pace, now);
	due = look(pace, now);
	end = turn_end(pace, due, now);
	lateness_note(pace, due, now);
	pace->next_ps = pace->ops->run(pace->dataplane, end + 1);
	for (uint32_t round = 0; pace->host_readable && end == now && round < HOST_ROUNDS;
	     round++) {
		taken = pace->ops->host_receive(pace->dataplane, &pace->host_readable, now);
		pace->next_ps = pace->ops->run(pace->dataplane, end + 1);
	}
	pace->now_ps = end;
	flush(pace, now);
	if (pace->host_readable)
		pace->next_ps = node_time_min(pace->next_ps, now + host_wait(pace, taken));
	if (pace->readable)
		pace->next_ps = node_time_min(pace->next_ps, now + span(pace, STARVED_PS));
	if (pace->ops->host_deliver)
		pace->next_ps =
			node_time_min(pace->next_ps, pace->ops->host_deliver(pace->dataplane, now));
	pace->turned_ps = now;
	if ((now - end) / NODE_NS > pace->stats->behind_max_ns)
		pace->stats->behind_max_ns = (now - end) / NODE_NS;
	pace->slept = false;
}

/* ---- waiting ---- */

bool pace_ended(const struct pace *pace)
{
	return atomic_load_explicit(&pace->clock->page->state, memory_order_acquire) == CLOCK_ENDED;
}

bool pace_ring_news(const struct pace *pace)
{
	for (uint64_t left = pace->plugged & ~pace->inside; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);
		const struct link *link = &pace->links[port];

		if (!link->rx.ring.broken && !pace->carriers[port] &&
		    atomic_load_explicit(&link->rx.ring.page->tail, memory_order_relaxed) !=
			    link->rx.ring.tail_seen)
			return true;
	}
	return false;
}

void pace_owed_ring(struct pace *pace)
{
	owed_ring(pace, pace->owed);
}

/* Stays awake, yielding the core, while something was handled a moment ago or is due soon. Not if
 * another process uses the core: nodes that yield to each other would delay the one with work, and
 * the kernel schedules that better if the others sleep.
 * Return: true if there is something to do; false: the node is to sleep. */
static bool wait_awake(struct pace *pace)
{
	node_time_t now = pace_now(pace), before = now, shared_ps = span(pace, PACE_SHARED_PS);
	node_time_t awake_until = pace->busy_ps + span(pace, pace->awake_ps);

	for (;;) {
		bool shared = now - before > shared_ps;

		if (now >= pace->next_ps || pace_ring_news(pace) || event_loop_has_news(pace->loop))
			return true;
		if (((shared && !pace->polls) || now > awake_until) &&
		    pace->next_ps - now > span(pace, PACE_NEAR_PS))
			return false;
		sched_yield();
		pace_owed_ring(pace);
		before = now;
		now = pace_now(pace);
	}
}

void pace_sleep_tell(struct pace *pace, node_time_t until)
{
	for (uint64_t left = pace->plugged & ~pace->inside; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);

		if (!pace->carriers[port])
			ring_sleep(&pace->links[port].rx.ring, until);
	}
}

/* publishes, for peers and the orchestrator, that the node sleeps until @until; 0: it is awake */
static void sleep_tell(struct pace *pace, node_time_t until)
{
	pace_sleep_tell(pace, until);
	__atomic_store_n(&pace->stats->sleeps_ps, until, __ATOMIC_RELAXED);
}

/* Publishes that the node sleeps from now on, then checks once more for records; the fence pairs
 * with the one in notify().   Return: false: it must not sleep. */
static bool may_sleep(struct pace *pace)
{
	sleep_tell(pace, pace->next_ps);
	atomic_thread_fence(memory_order_seq_cst);
	return !pace_ring_news(pace) && !pace_ended(pace);
}

/* A loop that reports each write to the eventfd once needs no reset of its counter. */
static void doorbell_reset(const struct pace *pace)
{
	uint64_t rings;

	if (!event_loop_tells_news_only(pace->loop))
		(void)!read(pace->doorbell, &rings, sizeof(rings));
}

void pace_take_ready(struct pace *pace, uint32_t number)
{
	if (number == NUMBER_DOORBELL)
		doorbell_reset(pace);
	else if (number >= NUMBER_HOST)
		pace->host_readable |= 1u << (number - NUMBER_HOST);
	else
		pace->readable |= 1ull << number;
}

/* what the event loop saw */
static void take_ready(struct pace *pace, const struct event_loop_ready *ready)
{
	for (uint32_t i = 0; i < ready->count; i++)
		pace_take_ready(pace, ready->numbers[i] - pace->first_number);
}

void pace_mute_known(const struct pace *pace)
{
	for (uint64_t left = pace->plugged; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);

		if (pace->carriers[port])
			event_loop_mute(pace->loop, pace->first_number + port,
					pace->readable >> port & 1);
	}
	for (uint32_t i = 0; i < pace->host_count; i++)
		event_loop_mute(pace->loop, pace->first_number + NUMBER_HOST + i,
				pace->host_readable >> i & 1);
}

/* A peer can fail to wake this node: the words are in the ring, which it may overwrite, and a
 * holder of the doorbell can read it. Neither delays the node for longer than this (TB-23). */
static uint64_t deadline_ns(const struct pace *pace)
{
	node_time_t until =
		node_time_min(pace->next_ps, pace_now(pace) + span(pace, PACE_SLEEP_MAX_PS));

	return fabric_time_monotonic_ns(pace->clock->page, until);
}

bool pace_begun(struct pace *pace, bool *control)
{
	uint32_t state = atomic_load_explicit(&pace->clock->page->state, memory_order_acquire);
	struct event_loop_ready ready = { 0 };
	unsigned what;

	*control = false;
	if (state == CLOCK_ENDED || (state == CLOCK_RUNNING && pace_now(pace)))
		return true;
	what = event_loop_sleep(pace->loop,
				state == CLOCK_RUNNING ? pace->clock->page->epoch_ns : UINT64_MAX,
				&ready);
	take_ready(pace, &ready);
	*control = what & EVENT_LOOP_CONTROL;
	return false;
}

/* what the event loop has, without waiting */
static unsigned outside_look(struct pace *pace, struct event_loop_ready *ready)
{
	pace->looked_ps = pace->turned_ps;
	return event_loop_sleep(pace->loop, 0, ready);
}

bool pace_wait(struct pace *pace, bool *control)
{
	struct event_loop_ready ready = { 0 };
	unsigned what = 0;

	*control = false;
	if (pace_ended(pace))
		return false;
	if (wait_awake(pace)) {
		if (event_loop_has_news(pace->loop) ||
		    pace->turned_ps - pace->looked_ps > span(pace, PACE_LOOK_PS))
			what = outside_look(pace, &ready);
	} else {
		pace_owed_ring(pace);
		pace_mute_known(pace);
		if (pace->home)
			home_core_look(pace->home, machine_at(pace, pace->turned_ps));
		if (may_sleep(pace))
			what = event_loop_sleep(pace->loop, deadline_ns(pace), &ready);
		sleep_tell(pace, 0);
		pace->slept = true;
		pace->looked_ps = pace->turned_ps;
	}
	take_ready(pace, &ready);
	*control = what & EVENT_LOOP_CONTROL;
	return true;
}
