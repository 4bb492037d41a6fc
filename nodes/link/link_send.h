/*  link_send - the sending half of a link: whether a frame may be sent, credit, data frames, ACK
 *  frames, control words.
 *
 *  All is written to the ring at once and published by link_flush(), once for each event of the
 *  node. Cost: O(1) for each frame, no system call, no allocation. The receiving half and what both
 *  share are in link.h. */
#ifndef HEDDLE_NODES_LINK_LINK_SEND_H
#define HEDDLE_NODES_LINK_LINK_SEND_H

#include "nodes/link/link.h"

/** link_unstarve() - (real clock) true if the link was starved and its ring has space again: the
 *  owner should try once more. */
bool link_unstarve(struct link *link);

/* ---- sending; only when now >= link->tx.busy_until_ps ---- */

/* (real clock) true if any record fits into the ring; if not, the link is starved. */
bool link_ring_has_room(struct link *link);

/* (real clock) true if more data may be in flight; if not, the link is starved. */
bool link_flight_has_room(struct link *link);

/** link_may_send() - true if an ACK frame may be sent: it fits into the ring and the guard's
 *  log. */
static inline bool link_may_send(struct link *link)
{
	if (link->down || (link->real && !link_ring_has_room(link)))
		return false;
	return !link->guarded || link->tx.sequence - link->guard.log_first < LINK_LOG_MAX;
}

/** link_may_send_packet() - the same for a data frame. */
static inline bool link_may_send_packet(struct link *link)
{
	return link_may_send(link) && (!link->flight.limit_units || link_flight_has_room(link));
}

/** link_may_send_words() - true if control words may be sent: under the real clock they need space
 *  in the ring, like all records. */
static inline bool link_may_send_words(struct link *link)
{
	return !link->real || link_ring_has_room(link);
}

/** link_stopped() - true if the peer stopped @traffic_class. What the owner does then depends on
 *  its kind of port. */
static inline bool link_stopped(const struct link *link, uint32_t traffic_class)
{
	return link->stop.by_peer >> traffic_class & 1;
}

/** link_credit() - data units that may be sent on @lane now; 0 without credits, and after a peer
 *  that broke the rules. */
static inline uint32_t link_credit(const struct link *link, uint32_t lane)
{
	int32_t units = link->credits ? credit_available(&link->credit, lane) : 0;

	return units > 0 ? (uint32_t)units : 0;
}

/** link_has_credit() - true if a packet of @units may be sent on @lane; always without credits. If
 *  not, listener.on_stop(..., false) follows when there is more. Until then the wait counts once
 *  (port_stats.credit_waits); more that is still too little begins another one. Its time counts
 *  from when the link is free. */
static inline bool link_has_credit(struct link *link, uint32_t lane, uint32_t units,
				   node_time_t now)
{
	node_time_t from_ps = node_time_max(node_time_max(now, link->tx.busy_until_ps), 1);
	uint8_t bit = (uint8_t)(1u << lane);

	if (!link->credits || credit_available(&link->credit, lane) >= (int32_t)units)
		return true;
	link->stats->credit_waits += !(link->credit.lacking & bit);
	link->credit.lacking |= bit;
	if (!link->stats->credit_since_ps)
		link->stats->credit_since_ps = from_ps;
	return false;
}

/** link_send_packet() - puts a data frame on the link.
 *  @wire_bytes length on the link with FCS. @captured_bytes what the caller writes into the record.
 *  @frame_bytes the inner frame, for the count of losses. @tag comes back in link_log_entry when it
 *  is lost.
 *  Return: where to write the captured bytes, at once and completely; NULL if the frame is lost on
 *  the link (it was counted) and not captured: nothing to write. The caller has checked
 *  link_may_send_packet() for this packet.
 *  A ring cannot be full under the virtual clock (it is sized for it); if it is, the frame is lost
 *  and counted. */
uint8_t *link_send_packet(struct link *link, node_time_t now, uint32_t wire_bytes,
			  uint32_t captured_bytes, uint32_t frame_bytes, uint32_t traffic_class,
			  uint32_t tag);

/** link_send_acks() - puts an ACK frame on the link. @wire_bytes with FCS. @bytes copied, <=
 *  LINK_ACK_BYTES_MAX. */
void link_send_acks(struct link *link, node_time_t now, const uint8_t *bytes,
		    uint32_t captured_bytes, uint32_t wire_bytes);

/** link_ask_at() - when to call link_send_words() with @idle, to request a word that may be lost:
 *  XON, credit, or the report of frames in flight; NODE_TIME_NEVER: nothing is waited for. */
static inline node_time_t link_ask_at(const struct link *link)
{
	bool waits = link->stop.by_peer || link->guard.log_first != link->tx.sequence ||
		     link->credit.lacking;

	return link->guarded && link->real && waits ? link->guard.ask_at_ps : NODE_TIME_NEVER;
}

/** link_send_fgfc() - puts an FGFC frame on the link, like an ACK frame: link_may_send() before it.
 *  Its loss is not reported (EC-16: it must not matter). @bytes copied; @frame_bytes of them,
 *  without FCS. */
void link_send_fgfc(struct link *link, node_time_t now, const uint8_t *bytes, uint32_t frame_bytes);

/** link_send_pause() - the same for a PFC or PAUSE frame (RC-5): never in a class, nor in a buffer.
 *  It is sent when the link is free, or after the frame that is being sent. */
void link_send_pause(struct link *link, node_time_t now, const uint8_t *bytes,
		     uint32_t frame_bytes);

/** link_words_due() - true if the link has control words of its own to send. */
static inline bool link_words_due(const struct link *link)
{
	return link->stop.wanted != link->stop.told || link->guard.seen_due ||
	       link->credit.grant_due || link->credit.total_due;
}

/** link_send_words() - sends all that are due. @idle the caller has nothing else to send now (a
 *  guarded link then sends its count). */
void link_send_words(struct link *link, node_time_t now, bool idle);

/** link_flush() - publishes what was sent. @packet set to whether a packet was among it. Return:
 *  earliest arrival, or NODE_TIME_NEVER. */
node_time_t link_flush(struct link *link, bool *packet);

#endif
