#include "nodes/link/link_guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int link_guard_init(struct link *link)
{
	link->log = calloc(LINK_LOG_MAX, sizeof(*link->log));
	link->ack_log = calloc(LINK_LOG_MAX, sizeof(*link->ack_log));
	link->missing = calloc(LINK_LOG_MAX / 64, sizeof(*link->missing));
	return link->log && link->ack_log && link->missing ? 0 : -ENOMEM;
}

void link_guard_fini(struct link *link)
{
	free(link->log);
	free(link->ack_log);
	free(link->missing);
}

void link_guard_up(struct link *link)
{
	memset(link->missing, 0, LINK_LOG_MAX / 8);
	link->missing_count = 0;
}

/* it is known what became of the oldest frame: reports it to the owner and forgets it */
static void settle(struct link *link, bool lost, node_time_t now)
{
	uint32_t sequence = link->log_first;
	struct link_log_entry *entry = &link->log[sequence % LINK_LOG_MAX];
	const struct link_listener *listener = &link->listener;

	ENSURE(link->sequence - sequence, <=, LINK_LOG_MAX);
	link->arrived_units += entry->kind == RECORD_PACKET ? entry->units : 0;
	if (lost && entry->kind == RECORD_PACKET && link->credits)
		link->credit.total_due |= (uint8_t)(1u << entry->traffic_class);
	if (entry->kind == RECORD_PACKET && lost) {
		if (listener->on_lost)
			listener->on_lost(listener->owner, link, entry, now);
	} else if (entry->kind == RECORD_PACKET) {
		if (listener->on_seen)
			listener->on_seen(listener->owner, link, entry, now);
	} else if (entry->kind == RECORD_ACKS && lost && listener->on_ack_lost) {
		listener->on_ack_lost(listener->owner, link, link->ack_log[sequence % LINK_LOG_MAX],
				      entry->ack_bytes, now);
	}
	entry->kind = RECORD_PAD;
	link->log_first++;
}

void link_guard_down(struct link *link, node_time_t now)
{
	while (link->log_first != link->sequence)
		settle(link, true, now);
}

/* ---- sending ---- */

bool link_guard_on_seen(struct link *link, uint32_t sequence, node_time_t now)
{
	if (sequence - link->log_first > link->sequence - link->log_first)
		return false;
	while (link->log_first != sequence)
		settle(link, link->log[link->log_first % LINK_LOG_MAX].lost, now);
	return true;
}

bool link_guard_on_missing(struct link *link, uint32_t sequence)
{
	if (sequence - link->log_first >= link->sequence - link->log_first)
		return false;
	link->log[sequence % LINK_LOG_MAX].lost = true;
	return true;
}

/* ---- receiving ---- */

/* frames before @sequence that have not arrived never will: the ring keeps order */
static void note_missing(struct link *link, uint32_t sequence)
{
	for (; link->sequence_expected != sequence; link->sequence_expected++)
		link_guard_mark_missing(link, link->sequence_expected);
}

bool link_guard_unexpected(struct link *link, uint32_t sequence)
{
	uint32_t ahead = sequence - link->sequence_expected;

	if (ahead <= LINK_LOG_MAX) {
		note_missing(link, sequence);
		return true;
	}
	link->drops[DROP_BAD_RECORD]++;
	if (-ahead < LINK_LOG_MAX)
		link_guard_mark_missing(link, sequence);
	return false;
}

void link_guard_on_sync(struct link *link, uint32_t sequence)
{
	if (sequence - link->sequence_expected <= LINK_LOG_MAX) {
		note_missing(link, sequence);
	} else {
		link->drops[DROP_BAD_RECORD]++;
		link_guard_up(link);
		link->sequence_expected = link->seen_told = sequence;
	}
	link->seen_due = true;
}

void link_guard_mark_missing(struct link *link, uint32_t sequence)
{
	uint64_t *word = &link->missing[sequence % LINK_LOG_MAX / 64];

	link->missing_count += !(*word & 1ull << sequence % 64);
	ENSURE(link->missing_count, <=, LINK_LOG_MAX);
	*word |= 1ull << sequence % 64;
	if ((int32_t)(sequence - link->seen_told) < 0)
		link->seen_told = sequence; /* again from here on */
	link->seen_due = true;
}

bool link_guard_next_missing(struct link *link, uint32_t *sequence)
{
	for (; link->missing_count && link->seen_told != link->sequence_expected;
	     link->seen_told++) {
		uint64_t *word = &link->missing[link->seen_told % LINK_LOG_MAX / 64];
		uint64_t bit = 1ull << link->seen_told % 64;

		if (!(*word & bit))
			continue;
		*word &= ~bit;
		link->missing_count--;
		*sequence = link->seen_told++;
		return true;
	}
	link->seen_told = link->sequence_expected;
	return false;
}
