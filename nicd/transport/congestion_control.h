/*  congestion_control - the interface between a transport and the control that decides how fast,
 *  and how much, a flow sends (RC-3, RC-6).
 *
 *  A congestion control is a table of functions and the sizes of its states. It is selected by
 *  name. The transport calls it for what happens to a flow:
 *
 *      open      the flow exists
 *      on_sent   a packet was sent
 *      on_ack    packets were acknowledged: how many, the round-trip time, the ECN echo
 *      on_cnp    a congestion notification packet arrived
 *      on_loss   packets were lost: the receiver reported a gap, or a timeout
 *      on_timer  the time that the control has set is reached
 *
 *  The control writes its decision to the flow's state: a rate, a window, or both. The transport
 *  applies it after each of these events. A function that is NULL is not called. Functions neither
 *  allocate, nor do I/O, nor call back; each is O(1) or O(log time). `now` never goes back.
 *
 *  Rate. After a packet of n bytes the next one is sent n / rate_bps later, at the rate of that
 *  moment. A packet that was late by less than that does not delay the next one, so a flow that
 *  shares its link has its rate on average (ours). A rate of 0, or of the link or more, does not
 *  pace. Window. At most so many packets are unacknowledged, retransmitted ones included. If it
 *  falls below the packets in flight and none of them requests an ACK, one more packet is sent,
 *  which requests one.
 *
 *  RTT. From the moment at which a packet is handed to the link until its ACK has arrived, for
 *  packets that asked for an ACK (roce.queue-pair.ack: every 16th by default, the last of a
 *  message, and the one that fills the window). An ACK that covers several gives the RTT of the
 *  last one. No retransmitted packet gives one, and no packet that was in flight when a loss was
 *  found: its ACK may be that of either copy [Karn and Partridge, SIGCOMM 1987]. At most
 *  RTT_PROBES packets of a flow are timed at once (rtt_probe.h); ACKs of others have no RTT.
 *
 *  States. One per NIC and control, `shared`: what follows from the configuration. One per flow,
 *  which begins with struct congestion_flow. Both are zeroed memory of the sizes in the table,
 *  allocated in _init, never later.
 *  Place: called by transport.c only. docs/contributing.md has the steps to add one. */
#ifndef HEDDLE_NICD_TRANSPORT_CONGESTION_CONTROL_H
#define HEDDLE_NICD_TRANSPORT_CONGESTION_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nicd/transport/rtt_probe.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"

/* the beginning of a flow's state */
struct congestion_flow {
	/* by the control: what holds from now on */
	uint64_t rate_bps;         /* packets are paced at it; 0: not paced */
	node_time_t not_before_ps; /* beside the rate: no packet before; 0: at once */
	/* on_timer() is called once it has come, while a message of the flow is incomplete;
	 * NODE_TIME_NEVER: not. Above `now` after each call */
	node_time_t timer_ps;
	uint32_t window_packets; /* unacknowledged at most, >= 1 */
	/* by the transport, before open(); window_packets and timer_ps begin as no limit */
	uint32_t window_packets_max; /* larger windows are cut to it: roce.queue-pair.window */
	uint32_t packet_bytes;       /* payload of a full packet */
	uint32_t frame_bytes;        /* length of a full packet on the link, FCS and gap included */
	uint32_t slot;               /* index of the flow in the statistics */
	/* by the transport, always: the rate allows the next packet from then on */
	node_time_t paced_ps;
};

/* an ACK that acknowledged something */
struct congestion_ack {
	uint32_t packets;   /* newly acknowledged, >= 1 */
	uint64_t bytes;     /* their payload */
	uint32_t in_flight; /* packets sent and not acknowledged, after this ACK */
	node_time_t rtt_ps; /* 0: this ACK gives none */
	uint32_t hops;      /* switches that the ACK passed; 0: not known */
	bool echo;          /* a packet since the ACK before had an ECN mark; needs `echo`, below */
};

/* what the next increase of a rate is: nodes/stats/series.def has the names */
enum congestion_stage {
	CONGESTION_NO_STAGE, /* the rate is that of the link, or the control has no stages */
	CONGESTION_FAST_RECOVERY,
	CONGESTION_ADDITIVE,
	CONGESTION_HYPER,
};

/* the state of a flow beside its window */
struct congestion_sample {
	uint64_t rate_bps; /* 0: none */
	uint64_t target_bps;
	uint32_t alpha_ppm;
	enum congestion_stage stage;
};

struct congestion_control {
	const char *name; /* as in the scenario */
	/* sizes of its states; flow_bytes includes struct congestion_flow */
	uint32_t shared_bytes, flow_bytes;
	/* what it needs of both ends */
	bool cnps; /* receivers send CNPs for packets with an ECN mark (RC-2) */
	bool echo; /* ACKs repeat ECN marks (BECN of the BTH) */
	bool rtt;  /* round trips are measured */

	/* @config is borrowed and within its limits; @line_bps is the rate of the link */
	void (*init)(void *shared, const struct node_config *config, uint64_t line_bps);
	/* the link now has this rate */
	void (*line)(void *shared, uint64_t line_bps);

	void (*open)(const void *shared, struct congestion_flow *flow, node_time_t now);
	/* @wire_bytes with FCS and gap; @again: it was sent before */
	void (*on_sent)(const void *shared, struct congestion_flow *flow, uint32_t wire_bytes,
			bool again, node_time_t now);
	void (*on_ack)(const void *shared, struct congestion_flow *flow,
		       const struct congestion_ack *ack, node_time_t now);
	void (*on_cnp)(const void *shared, struct congestion_flow *flow, node_time_t now);
	/* all that is unacknowledged is sent again; @timeout: no ACK came for the flow's timeout,
	 * else the receiver reported a gap */
	void (*on_loss)(const void *shared, struct congestion_flow *flow, bool timeout,
			node_time_t now);
	void (*on_timer)(const void *shared, struct congestion_flow *flow, node_time_t now);

	/* for samples: the rate at @now, 0: none. NULL: rate_bps */
	uint64_t (*rate_bps)(const void *shared, const struct congestion_flow *flow,
			     node_time_t now);
	/* for samples. NULL: the rate only */
	void (*sample)(const void *shared, const struct congestion_flow *flow, node_time_t now,
		       struct congestion_sample *sample);
	/* for `show queue-pairs`: its columns, and their cells for a flow (show_text.h), each after
	 * a tab */
	const char *columns;
	void (*show)(const void *shared, const struct congestion_flow *flow, node_time_t now,
		     FILE *out);
};

/* a control and its states, for the flows of one transport; all zero: no control */
struct congestion {
	const struct congestion_control *control; /* NULL: none, no limits */
	void *shared;
	uint8_t *flows;           /* by slot */
	struct rtt_probe *probes; /* by slot; NULL: round trips are not measured */
	uint64_t line_bps;
};

/** congestion_init() - states of @control for @flows_max flows of the NIC that @config describes.
 *  @control, @config  borrowed; @control NULL: no control.   Return: 0 or -ENOMEM. */
int congestion_init(struct congestion *congestion, const struct congestion_control *control,
		    const struct node_config *config, uint64_t line_bps, uint32_t flows_max);
void congestion_fini(struct congestion *congestion);

/** congestion_line() - the link now has this rate. Flows take note with their next event. */
void congestion_line(struct congestion *congestion, uint64_t line_bps);

/** congestion_flow() - the state of the flow in @slot; there is a control. */
static inline struct congestion_flow *congestion_flow(const struct congestion *congestion,
						      uint32_t slot)
{
	return (struct congestion_flow *)(congestion->flows +
					  (size_t)slot * congestion->control->flow_bytes);
}

/** congestion_pace() - a packet of @wire_bytes of @flow was sent at @now: moves paced_ps on, unless
 *  the rate does not pace. */
void congestion_pace(const struct congestion *congestion, struct congestion_flow *flow,
		     uint32_t wire_bytes, node_time_t now);

/** congestion_ready_at() - the next packet of @flow is not sent before; 0: at once. */
static inline node_time_t congestion_ready_at(const struct congestion *congestion,
					      const struct congestion_flow *flow)
{
	bool paced = flow->rate_bps && flow->rate_bps < congestion->line_bps;

	return paced ? node_time_max(flow->paced_ps, flow->not_before_ps) : flow->not_before_ps;
}

/** congestion_control_of() - the control that @config selects for queue pairs, or NULL: none. */
const struct congestion_control *congestion_control_of(const struct node_config *config);

#endif
