#include "nodes/link/link_guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/stats/trace.h"

int link_guard_init(struct link *link)
{
	link->guard.log = calloc(LINK_LOG_MAX, sizeof(*link->guard.log));
	link->guard.ack_log = calloc(LINK_LOG_MAX, sizeof(*link->guard.ack_log));
	link->guard.missing = calloc(LINK_LOG_MAX / 64, sizeof(*link->guard.missing));
	return link->guard.log && link->guard.ack_log && link->guard.missing ? 0 : -ENOMEM;
}

void link_guard_fini(struct link *link)
{
	free(link->guard.log);
	free(link->guard.ack_log);
	free(link->guard.missing);
}

void link_guard_up(struct link *link)
{
	memset(link->guard.missing, 0, LINK_LOG_MAX / 8);
	link->guard.missing_count = 0;
}

/* it is known what became of the oldest frame: reports it to the owner and forgets it */
static void settle(struct link *link, bool lost, node_time_t now)
{
	uint32_t sequence = link->guard.log_first;
	struct link_log_entry *entry = &link->guard.log[sequence % LINK_LOG_MAX];
	const struct link_listener *listener = &link->listener;

	ENSURE(link->tx.sequence - sequence, <=, LINK_LOG_MAX);
	if (entry->kind == RECORD_PACKET) {
		link->flight.arrived_units += entry->units;
		if (lost && link->credits)
			link->credit.total_due |= (uint8_t)(1u << entry->traffic_class);
		if (lost && listener->on_lost)
			listener->on_lost(listener->owner, link, entry, now);
		if (!lost && listener->on_seen)
			listener->on_seen(listener->owner, link, entry, now);
	} else if (entry->kind == RECORD_ACKS && lost && listener->on_ack_lost) {
		listener->on_ack_lost(listener->owner, link,
				      link->guard.ack_log[sequence % LINK_LOG_MAX],
				      entry->ack_bytes, now);
	}
	entry->kind = RECORD_PAD;
	link->guard.log_first++;
}

void link_guard_down(struct link *link, node_time_t now)
{
	while (link->guard.log_first != link->tx.sequence)
		settle(link, true, now);
}

/* ---- sending ---- */

bool link_guard_on_seen(struct link *link, uint32_t sequence, node_time_t now)
{
	if (sequence - link->guard.log_first > link->tx.sequence - link->guard.log_first)
		return false;
	while (link->guard.log_first != sequence)
		settle(link, link->guard.log[link->guard.log_first % LINK_LOG_MAX].lost, now);
	return true;
}

bool link_guard_on_missing(struct link *link, uint32_t sequence)
{
	if (sequence - link->guard.log_first >= link->tx.sequence - link->guard.log_first)
		return false;
	link->guard.log[sequence % LINK_LOG_MAX].lost = true;
	return true;
}

/* ---- receiving ---- */

/* frames before @sequence that have not arrived never will: the ring keeps order */
static void note_missing(struct link *link, uint32_t sequence)
{
	for (; link->rx.sequence_expected != sequence; link->rx.sequence_expected++)
		link_guard_mark_missing(link, link->rx.sequence_expected);
}

bool link_guard_unexpected(struct link *link, uint32_t sequence)
{
	uint32_t ahead = sequence - link->rx.sequence_expected;

	if (ahead <= LINK_LOG_MAX) {
		note_missing(link, sequence);
		return true;
	}
	trace_drop(link->page, DROP_BAD_RECORD, link->port, 0, NULL, link->page->now_ps);
	if (-ahead < LINK_LOG_MAX)
		link_guard_mark_missing(link, sequence);
	return false;
}

void link_guard_on_sync(struct link *link, uint32_t sequence)
{
	if (sequence - link->rx.sequence_expected <= LINK_LOG_MAX) {
		note_missing(link, sequence);
	} else {
		trace_drop(link->page, DROP_BAD_RECORD, link->port, 0, NULL, link->page->now_ps);
		link_guard_up(link);
		link->rx.sequence_expected = link->guard.seen_told = sequence;
	}
	link->guard.seen_due = true;
}

void link_guard_mark_missing(struct link *link, uint32_t sequence)
{
	uint64_t *word = &link->guard.missing[sequence % LINK_LOG_MAX / 64];

	link->guard.missing_count += !(*word & 1ull << sequence % 64);
	ENSURE(link->guard.missing_count, <=, LINK_LOG_MAX);
	*word |= 1ull << sequence % 64;
	if ((int32_t)(sequence - link->guard.seen_told) < 0)
		link->guard.seen_told = sequence; /* again from here on */
	link->guard.seen_due = true;
}

bool link_guard_next_missing(struct link *link, uint32_t *sequence)
{
	for (; link->guard.missing_count && link->guard.seen_told != link->rx.sequence_expected;
	     link->guard.seen_told++) {
		uint64_t *word = &link->guard.missing[link->guard.seen_told % LINK_LOG_MAX / 64];
		uint64_t bit = 1ull << link->guard.seen_told % 64;

		if (!(*word & bit))
			continue;
		*word &= ~bit;
		link->guard.missing_count--;
		*sequence = link->guard.seen_told++;
		return true;
	}
	link->guard.seen_told = link->rx.sequence_expected;
	return false;
}
