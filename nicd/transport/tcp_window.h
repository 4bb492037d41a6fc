/*  tcp_window - the sender's side of a TCP connection: how much may be in flight, what is sent
 *  again, and when (RC-6).
 *
 *      slow start            one packet more for each ACK of new data, up to `threshold` [RFC 5681]
 *      congestion avoidance  one packet more for each window that is acknowledged
 *      fast retransmit       at the third duplicate ACK: the first packet again, the window halved
 *      fast recovery         each further duplicate ACK releases a packet, a partial ACK the next
 *                            hole [RFC 6582, NewReno]
 *      timeout               a window of one packet, all from the first one on again, the time
 *                            doubled [RFC 6298; rto_min is added to the round trip, as in
 *                            Linux]
 *      ECN                   an ACK with ECE halves the window, at most once a window; CWR answers
 *                            [RFC 3168]
 *
 *  The window counts packets; those of a connection have one size but for the last ones of
 *  messages. There is no handshake: the first window goes at once, as on an open connection, and
 *  the first timeout is that after a handshake of rto_min (ours). One packet at a time is timed,
 *  and none across a retransmission [Karn]; the window does not grow while less than half of it is
 *  in use (ours, after RFC 7661). SACK is left out: a window that lost many packets needs a round
 *  trip for each, or a timeout. So only the first partial ACK restarts the timer (the "impatient"
 *  variant).
 *
 *  A pure state machine: knows neither link, nor frames, nor how packets are kept. Packets are
 *  numbered from 0 without end. Source: as named; the order of NewReno's steps is that of RFC 6582,
 *  section 3.2. */
#ifndef HEDDLE_NICD_TRANSPORT_TCP_WINDOW_H
#define HEDDLE_NICD_TRANSPORT_TCP_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/roce_config.h"

#define TCP_RTO_MAX (60 * NODE_S) /* RFC 6298, 2.5 */

struct tcp_window {
	uint64_t recover; /* after the last packet sent when a loss was found last */
	/* after the last packet sent when ECE halved the window last */
	uint64_t cut_until;
	uint64_t timed;           /* number of the packet that is timed */
	node_time_t timed_ps;     /* when it was sent; NODE_TIME_NEVER: none is */
	node_time_t smoothed_ps;  /* SRTT; 0: nothing was measured yet */
	node_time_t variation_ps; /* RTTVAR */
	uint64_t round_until;     /* after the last packet sent when this round trip began */
	/* most packets in flight in this round trip, in the one before */
	uint32_t used, used_before;
	uint32_t window_packets; /* cwnd, >= 1 */
	uint32_t threshold;      /* ssthresh, packets */
	/* congestion avoidance: packets acknowledged towards the next one more */
	uint32_t growth;
	uint32_t duplicates; /* ACKs in a row that acknowledged nothing */
	/* timeouts since a round trip was measured: the time is doubled so often */
	uint8_t backoff;
	bool timed_out;  /* and nothing was acknowledged since */
	bool recovering; /* in fast recovery */
	bool patience;   /* the timer was restarted by a partial ACK in this recovery */
	bool reduced;    /* CWR is to be said */
};

/* an ACK, as the sender sees it */
struct tcp_heard {
	uint64_t before; /* the first packet that was not acknowledged when it came */
	uint64_t packet; /* all before this one have arrived: before <= packet <= top */
	uint64_t top;    /* after the last packet that was ever sent */
	bool echo;       /* ECE */
};

/* what it leads to */
struct tcp_answer {
	/* the first packet that is not acknowledged is to be sent again, at once */
	bool resend;
	bool restart_timer; /* else it goes on, unless everything is acknowledged */
	bool reduced;       /* the window was cut because of ECE */
};

void tcp_window_init(struct tcp_window *window, const struct tcp_config *config);

/** tcp_window_sent() - @packet goes at @now; @again: not for the first time. */
void tcp_window_sent(struct tcp_window *window, uint64_t packet, bool again, node_time_t now);

/** tcp_window_ack() - an ACK has come at @now. Counts as a duplicate if it acknowledges nothing
 *  although something is in flight. */
struct tcp_answer tcp_window_ack(struct tcp_window *window, const struct tcp_config *config,
				 const struct tcp_heard *heard, node_time_t now);

/** tcp_window_timeout() - nothing came for tcp_window_rto_ps(): of the packets [@acknowledged,
 *  @top) the first and all later ones are to be sent again, as far as the window allows. */
void tcp_window_timeout(struct tcp_window *window, uint64_t acknowledged, uint64_t top);

/** tcp_window_rto_ps() - how long to wait for an ACK. Pure. */
node_time_t tcp_window_rto_ps(const struct tcp_window *window, const struct tcp_config *config);

/** tcp_window_packets() - so many may be in flight, 1 .. window_packets_max. Pure. */
static inline uint32_t tcp_window_packets(const struct tcp_window *window,
					  const struct tcp_config *config)
{
	return window->window_packets < config->window_packets_max ? window->window_packets
								   : config->window_packets_max;
}

#endif
