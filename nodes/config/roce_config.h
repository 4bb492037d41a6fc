/*  roce_config - what the nodes of a fabric of kind roce are told beside the rest of node_config
 *  (RC-1 ... RC-11).
 *
 *  The same for all nodes: switches and NICs take from it what is theirs. Only what follows from a
 *  link (PFC headroom) stands in port_config. Plain data; every number is within its limits
 *  although its mechanism may be off. */
#ifndef HEDDLE_NODES_CONFIG_ROCE_CONFIG_H
#define HEDDLE_NODES_CONFIG_ROCE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"

/* traffic class c is 802.1p priority c, DSCP 8 c, PFC priority c */
#define ROCE_CLASSES_MAX 8u
#define ROCE_BYTES_MAX (1ull << 32) /* of a buffer or a level in it */
#define ROCE_QUEUE_PAIRS_MAX 65536u /* of a NIC */
#define ROCE_SWITCH_FLOWS_MAX (1u << 20)

/* what a switch does with a traffic class */
struct roce_class_config {
	bool lossless; /* with pfc: its sender is held instead of its packets dropped */
	bool ecn;      /* ECN-capable packets are marked (RC-1) ... */
	/* ... when they leave the queue, by what they leave in it; else when they join it ... */
	bool mark_at_dequeue;
	/* ... from this length of an output queue on, all above that: kmin <= kmax */
	uint64_t kmin_bytes, kmax_bytes;
	/* at a port of this rate, in proportion at others (roce_level_bytes()); 0: at every port */
	uint64_t kmin_per_bps, kmax_per_bps;
	uint32_t pmax_ppm;        /* the share that is marked at kmax, 0..1000000 */
	uint64_t queue_bytes_max; /* of an output queue; 0: only the buffer limits it */
	/* Dynamic threshold: an output queue (lossy class) or what came in over one port (lossless
	 * class) may hold so many thousandths of the shared buffer that is free now [Choudhury and
	 * Hahne 1998]; 0: no such limit. */
	uint32_t alpha_permille;
	/* lossless: of one input port, beyond which its sender is stopped; 0: only alpha says so */
	uint64_t xoff_bytes;
	uint64_t xon_offset_bytes; /* and let go on so far below */
	/* the three states, supplementing and signals are about this class (RC-7 ... RC-9) */
	bool watched;
};

/* RC-7, in the order of their severity */
enum roce_state { ROCE_ECN_NORMAL, ROCE_ECN_FAILED, ROCE_CNP_FAILED, ROCE_STATES };

/* RC-10: what the first switch tells the device */
enum path_pause_form {
	PATH_PAUSE_TARGET, /* PFC for the class of the congested queue */
	PATH_PAUSE_ALL,    /* PFC for all priorities */
	/* PFC that names no priority: the device decides: all lossless classes (pfc.h) */
	PATH_PAUSE_NONE,
	PATH_PAUSE_PORT, /* 802.3x PAUSE */
	PATH_PAUSE_FORMS
};

/* DCQCN's reaction and notification points (RC-2, RC-3); names of the paper [Zhu et al., SIGCOMM
 * 2015] */
struct dcqcn_config {
	bool enabled;
	uint32_t g_ppb;             /* g in 10^-9, 1..10^9 */
	uint32_t alpha_initial_ppm; /* 0..1000000 */
	/* alpha is updated before it cuts the rate, not after (a variant) */
	bool alpha_first;
	node_time_t alpha_timer_ps;    /* > 0 */
	node_time_t increase_timer_ps; /* > 0 */
	uint64_t byte_counter_bytes;   /* 0: there is no byte counter */
	uint32_t fast_recovery;        /* F, >= 1 */
	/* hyper increase needs T > F only, and adds R_HAI (a variant) */
	bool hyper_by_timer;
	uint64_t ai_bps, hai_bps; /* R_AI, R_HAI */
	uint64_t rate_min_bps;    /* the lowest rate that a NIC can hold, >= 1 Mb/s */
	/* of a new queue pair, >= rate_min_bps; 0: that of the link */
	uint64_t rate_initial_bps;
	/* CNPs within so long after a cut do not cut again, nor touch alpha (a variant); 0: each
	 * does */
	node_time_t cut_interval_ps;
	/* CNPs are noted, and act at ticks: alpha's each alpha_timer_ps, cuts each cut_interval_ps,
	 * > 0 then (a variant) */
	bool react_on_tick;
	/* R_T = R_C on every cut; else only if the rate has been raised since the last (a variant)
	 * */
	bool clamp_target;
	/* NP: at most one CNP a flow in so long; 0: one for each marked packet */
	node_time_t cnp_interval_ps;
};

/* reliable delivery of a queue pair */
struct queue_pair_config {
	/* an ACK is asked for at least every so many packets, and for the last of a message; >= 1
	 * */
	uint32_t ack_packets;
	uint64_t window_bytes;  /* unacknowledged at most; 0: no limit */
	node_time_t timeout_ps; /* without progress: all that is not acknowledged is sent again */
	uint32_t retries;       /* so many timeouts in a row, then the queue pair is in error */
};

/* the TCP-like class (RC-6) */
struct tcp_config {
	uint32_t initial_packets;    /* first window, 1..window_packets_max */
	uint32_t window_packets_max; /* 1..4096 */
	/* marked packets count like lost ones (RFC 3168); else only losses do */
	bool ecn;
	node_time_t rto_min_ps; /* > 0 */
};

struct roce_config {
	/* all nodes */
	bool pfc; /* PFC is generated and obeyed */
	/* in the place of PFC frames, PAUSE frames are generated: the whole port stops */
	bool pause;
	uint32_t cnp_class; /* CNPs and signals travel in it; ACKs in their data's */
	/* switches */
	/* of a switch, shared by all ports and classes; headroom is part of it */
	uint64_t buffer_bytes;
	struct roce_class_config classes[ROCE_CLASSES_MAX];
	bool supplement; /* RC-8 */
	/* the sources' rate-increase period: a flow without a CNP for so long gets one; > 0 */
	node_time_t increase_period_ps;
	/* a flow whose last packet left the queue so long ago feeds it no more */
	node_time_t idle_ps;
	/* of kmax: end of the reference range (RC-7), 1500 in S4; >= 1000 */
	uint32_t reference_permille;
	bool path_pause;             /* RC-9 ... RC-11 */
	enum roce_state path_target; /* from this state on: ROCE_ECN_FAILED or ROCE_CNP_FAILED */
	enum path_pause_form path_form;
	uint64_t path_high_bytes, path_low_bytes; /* THh > THl */
	uint64_t path_per_bps;                    /* at a port of this rate, as kmin_per_bps */
	/* that a switch remembers, to ROCE_SWITCH_FLOWS_MAX, >= 1 */
	uint32_t flows_max;
	/* a class that data waits for and that was paused so long without a break counts as stuck;
	 * > 0 */
	node_time_t watchdog_ps;
	/* NICs */
	struct dcqcn_config dcqcn;
	struct queue_pair_config queue_pair;
	struct tcp_config tcp;
};

#define ROCE_ALPHA_PERMILLE_MAX 1000000u
#define ROCE_CONNECTIONS_MAX ROCE_QUEUE_PAIRS_MAX /* of a workload to one destination */

/** roce_level_bytes() - a length of an output queue that is @bytes at a port of @per_bps, for a
 *  port of @rate_bps: in proportion to its rate, so that it takes as long to drain. @per_bps 0:
 *  @bytes at every rate. At a slower port not less than @least_bytes, or @bytes if that is less
 *  (ours: what is less than a packet cannot be told from an empty queue). At most ROCE_BYTES_MAX.
 *  (RC-1) */
uint64_t roce_level_bytes(uint64_t bytes, uint64_t per_bps, uint64_t rate_bps,
			  uint64_t least_bytes);

/** roce_marking_at() - kmin and kmax of @class at a port of @rate_bps, whose longest frame has
 *  @frame_bytes: of those that are scaled down kmin is one frame at least and kmax two. kmin > kmax
 *  is possible if they are for different rates. O(1). */
void roce_marking_at(const struct roce_class_config *class, uint64_t rate_bps, uint64_t frame_bytes,
		     uint64_t *kmin_bytes, uint64_t *kmax_bytes);

/** roce_class_at() - @class with kmin and kmax of such a port; kmin is lowered to kmax if need be.
 *  O(1). */
struct roce_class_config roce_class_at(const struct roce_class_config *class, uint64_t rate_bps,
				       uint64_t frame_bytes);

/** roce_config_check() - is @config within every limit stated above, for a fabric with @class_count
 *  traffic classes?
 *  Return: 0, or -EINVAL with a sentence in @why (@why_max bytes, always terminated). */
int roce_config_check(const struct roce_config *config, uint32_t class_count, char *why,
		      unsigned why_max);

#endif
