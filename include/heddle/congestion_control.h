/*  heddle/congestion_control.h - a congestion control of your own, as a shared library.
 *
 *  A library defines one object, `const struct heddle_control heddle_control`, with the functions
 *  that Heddle calls for each flow (a queue pair of a NIC). They decide how fast the flow sends:
 *
 *      cc -O2 -shared -fPIC -o my_control.so my_control.c
 *      heddle run topologies/score/incast.yaml --cc my_control.so
 *
 *  Functions. A function that is NULL is not called. Each is given the flow: what holds now, the
 *  decisions so far, and the state of the flow. It changes the decisions and the state, and
 *  returns. It neither calls back nor blocks, opens no file and starts no thread. `fprintf(stderr,
 *  ...)` works, `printf` ends the run. Anything random must come from a generator in the state,
 *  with a fixed seed: the same inputs must lead to the same decisions.
 *
 *  Decisions. Both hold at the same time, until they are changed.
 *      rate_bps        packets are paced at it. HEDDLE_RATE_MIN_BPS to line_bps; line_bps does not
 *                      pace. It is line_bps at first.
 *      window_packets  at most so many packets are unacknowledged. 1 to HEDDLE_WINDOW_MAX; what is
 *                      above window_max_packets counts as window_max_packets, as it is at first.
 *      timer_ns        on_timer is called at this time, once, while the flow has something to
 *                      send or unacknowledged. After now_ns, or HEDDLE_NEVER, as it is at first.
 *  Anything else ends the run with an error that names the function, the flow and the time. So do
 *  a crash, a function that needs more than a second of CPU time, and bytes that are written
 *  beyond the state.
 *
 *  Times are in nanoseconds from the start of the run, rates in bit/s of whole frames on the link.
 *  All numbers are of the sending NIC. See docs/own-congestion-control.md. */
#ifndef HEDDLE_CONGESTION_CONTROL_H
#define HEDDLE_CONGESTION_CONTROL_H

#include <stdint.h>

/* of this interface. A library of another version is refused */
#define HEDDLE_CONTROL_VERSION 1u

#define HEDDLE_RATE_MIN_BPS 1000u
#define HEDDLE_WINDOW_MAX 8388607u /* 2^23 - 1: packet numbers have 24 bits */
#define HEDDLE_NEVER UINT64_MAX
#define HEDDLE_STATE_BYTES_MAX (1u << 16)

struct heddle_flow {
	/* what holds now; what a function writes here has no effect */
	uint64_t now_ns;
	uint64_t line_bps;     /* rate of the link */
	uint32_t packet_bytes; /* payload of a full packet */
	uint32_t frame_bytes;  /* the same on the link: with headers, preamble and gap */
	/* roce.queue-pair.window of the scenario (bytes; default 0: no limit) in packets, at least
	 * 1; without a limit HEDDLE_WINDOW_MAX */
	uint32_t window_max_packets;
	uint32_t index; /* of the flow at this NIC, from 0 */

	/* the decisions */
	uint64_t rate_bps;
	uint64_t timer_ns;
	uint32_t window_packets;

	uint32_t reserved;
	void *state; /* state_bytes of the control for this flow; zero before open() */
};

/* an ACK: it acknowledges all packets up to one of them */
struct heddle_ack {
	uint64_t rtt_ns;            /* round trip of the last one; 0: not known, as after a loss */
	uint64_t bytes;             /* payload that it acknowledges for the first time */
	uint32_t packets;           /* the same in packets, 1 or more */
	uint32_t in_flight_packets; /* sent and not acknowledged, after this ACK */
	uint32_t hops;              /* switches that the ACK passed; 0: not known */
	uint32_t echo;              /* 1: a packet since the last ACK had an ECN mark; else 0 */
};

struct heddle_control {
	uint32_t version;     /* HEDDLE_CONTROL_VERSION */
	uint32_t state_bytes; /* of a flow, 0 to HEDDLE_STATE_BYTES_MAX */

	void (*open)(struct heddle_flow *flow); /* before the first packet */
	void (*on_ack)(struct heddle_flow *flow, const struct heddle_ack *ack);
	/* The receiver got a packet with an ECN mark. With this function receivers send such a
	 * packet (CNP) at once, and then none for the flow for roce.dcqcn.cnp-interval (50 us) */
	void (*on_cnp)(struct heddle_flow *flow);
	/* Packets were lost; all that is unacknowledged is sent again. @timeout 1: no ACK came for
	 * roce.queue-pair.timeout; 0: the receiver reported a gap */
	void (*on_loss)(struct heddle_flow *flow, uint32_t timeout);
	void (*on_timer)(struct heddle_flow *flow);
	/* a packet was sent, with so many bytes on the link; @again 1: not for the first time */
	void (*on_sent)(struct heddle_flow *flow, uint32_t wire_bytes, uint32_t again);
};

/* what the library defines */
extern const struct heddle_control heddle_control;

#endif
