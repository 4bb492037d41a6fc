#include "nodes/link/link_word.h"

#include "nodes/link/link_guard.h"
#include "nodes/link/link_send.h"
#include "nodes/link/link_trace.h"
#include "nodes/stats/trace.h"

/* On a guarded link a new state is requested once more: another process may have sent the word. */
static void on_stop(struct link *link, uint8_t stopped, node_time_t now)
{
	const struct link_listener *listener = &link->listener;
	uint32_t changed = link->stop.by_peer ^ stopped;

	link->stop.by_peer = stopped;
	link->guard.ask_at_ps = now + LINK_ASK_PS;
	link->guard.sync_due |= link->guarded && changed;
	for (; changed && listener->on_stop; changed &= changed - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(changed);

		listener->on_stop(listener->owner, link, c, link_stopped(link, c), now);
	}
}

void link_word_wait_end(struct link *link, node_time_t now)
{
	struct port_stats *stats = link->stats;
	node_time_t waited_ps = stats->credit_since_ps && now > stats->credit_since_ps
					? now - stats->credit_since_ps
					: 0;

	stats->credit_wait_ps += waited_ps;
	stats->credit_since_ps = 0;
	if (waited_ps && trace_often(link->page))
		trace(link->page, (struct trace_entry){ .at_ps = now,
							.kind = TRACE_CREDIT_WAIT,
							.port = (uint8_t)link->port,
							.value = waited_ps });
}

static void on_credit(struct link *link, uint32_t lane, uint32_t limit_units, node_time_t now)
{
	const struct link_listener *listener = &link->listener;
	bool more = credit_on_limit(&link->credit, lane, limit_units);

	link->guard.ask_at_ps = now + LINK_ASK_PS;
	if (!link->credit.lacking)
		link_word_wait_end(link, now);
	if (more && listener->on_stop)
		listener->on_stop(listener->owner, link, lane, false, now);
}

/* a credit word.  Return: false if it is another one, or of no lane */
static bool on_credit_word(struct link *link, const struct record *header, node_time_t now)
{
	uint32_t value = (uint32_t)header->word, lane = header->traffic_class;

	if (!link->credits || lane >= link->lane_count)
		return false;
	if (header->word >> 32 == LINK_WORD_CREDIT) {
		if (link->packets)
			link_trace_credit(link, header, lane, now);
		on_credit(link, lane, value, now);
		return true;
	}
	return header->word >> 32 == LINK_WORD_SENT &&
	       credit_on_total(&link->credit, lane, value, link->rx.held_units[lane]);
}

bool link_word_on_received(struct link *link, const struct record *header, node_time_t now)
{
	uint32_t value = (uint32_t)header->word;

	switch (header->word >> 32) {
	case LINK_WORD_STOP:
		link->flight.stops_heard++;
		if (link->credits || value >> link->lane_count)
			return false;
		on_stop(link, (uint8_t)value, now);
		return true;
	case LINK_WORD_SEEN:
		return link->guarded && link_guard_on_seen(link, value, now);
	case LINK_WORD_MISSING:
		return link->guarded && link_guard_on_missing(link, value);
	case LINK_WORD_SYNC:
		if (!link->guarded)
			return false;
		if (link->credits)
			credit_say_limits(&link->credit);
		link_guard_on_sync(link, value);
		return true;
	default:
		return on_credit_word(link, header, now);
	}
}
