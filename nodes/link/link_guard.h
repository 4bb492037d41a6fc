/*  link_guard - the guard of a link that can lose frames (link.h): what its sender remembers of
 *  frames in flight, and which frames its receiver reports as missing (FC-17).
 *
 *  A part of link.c, which sends and receives; for guarded links alone. The state is in struct
 *  link. Sequences that a peer sends may be any number (TB-23). */
#ifndef HEDDLE_NODES_LINK_LINK_GUARD_H
#define HEDDLE_NODES_LINK_LINK_GUARD_H

#include "nodes/link/link.h"

/** link_guard_init() - allocates the log. Return: 0 or -ENOMEM; then link_guard_fini() as well. */
int link_guard_init(struct link *link);
void link_guard_fini(struct link *link);

/** link_guard_up() - a new link: no frame is missing. The caller resets the sequences. */
void link_guard_up(struct link *link);

/** link_guard_down() - every frame that is remembered is lost: reports it to the listener. */
void link_guard_down(struct link *link, node_time_t now);

/* ---- sending ---- */

/** link_guard_on_sent() - frame link->tx.sequence is sent: remembers @entry. The log has space
 *  (link_may_send()). */
static inline void link_guard_on_sent(struct link *link, struct link_log_entry entry)
{
	ENSURE(link->tx.sequence - link->guard.log_first, <, LINK_LOG_MAX);
	link->guard.log[link->tx.sequence % LINK_LOG_MAX] = entry;
	link->guard.sync_due = true;
}

/** link_guard_on_seen() - the peer sent SEEN: reports what became of every frame before @sequence
 *  to the listener. Return: false if @sequence is impossible. */
bool link_guard_on_seen(struct link *link, uint32_t sequence, node_time_t now);

/** link_guard_on_missing() - the peer sent MISSING for frame @sequence. Return: as on_seen. */
bool link_guard_on_missing(struct link *link, uint32_t sequence);

/* ---- receiving ---- */

/** link_guard_unexpected() - a frame arrived whose @sequence is not the expected one: true if the
 *  peer can have sent it now, and those between are lost. On a veth link another process may send
 *  one, or an old one again: it is counted as a bad record. If it is the peer's but a false one has
 *  overtaken it, it is reported as missing. */
bool link_guard_unexpected(struct link *link, uint32_t sequence);

/** link_guard_in_sequence() - true if the peer can have sent frame @sequence now. */
static inline bool link_guard_in_sequence(struct link *link, uint32_t sequence)
{
	return sequence == link->rx.sequence_expected || link_guard_unexpected(link, sequence);
}

/** link_guard_on_sync() - the peer sent SYNC, with the @sequence of its next frame. If that is
 *  impossible, frames that it did not send have come between, and its number is used. */
void link_guard_on_sync(struct link *link, uint32_t sequence);

/** link_guard_mark_missing() - frame @sequence counts as lost: it is reported to the peer. */
void link_guard_mark_missing(struct link *link, uint32_t sequence);

/** link_guard_next_missing() - takes the next frame to be reported to the peer as missing. Return:
 *  false if there is none: all frames before link->rx.sequence_expected are reported. */
bool link_guard_next_missing(struct link *link, uint32_t *sequence);

#endif
