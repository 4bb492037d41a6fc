/*  stats - the statistics page: a node writes plain counters, others map it read-only and never ask
 *  (TB-6, TB-13).
 *
 *  One memfd per node, made by the orchestrator, mapped by both. The node alone writes; nothing is
 *  locked: a counter is one aligned 64-bit store. Results are read after the last window, so they
 *  are exact; a progress line may read at any time. After a crash the page is still there: that is
 *  why the trace ring lives in it too.
 *  Layout: stats_page, then ports, their classes (fabric kind roce only), flows sent, flows
 *  received, messages, samples, trace, each at the offset named in the page. Sizes follow from the
 *  node_config alone, so that both sides agree without talking: a reader in another process never
 *  takes them from the node's memory, which may change at any time (stats_view.h).
 *  Memory: untouched parts of the page cost nothing. */
#ifndef HEDDLE_NODES_STATS_STATS_H
#define HEDDLE_NODES_STATS_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/channel_set.h"
#include "nodes/config/config.h"

#define STATS_MAGIC 0x48444c53u /* "HDLS" */
#define STATS_VERSION 11u
#ifdef __x86_64__
#define STATS_HEAD_BYTES 4096u
#else
#define STATS_HEAD_BYTES 65536u /* the largest page of memory that Linux has */
#endif
#define STATS_TRACE_MAX 1024u
/* four to an octave of nanoseconds, the last from 7.5 s on: stats_lateness_bucket() */
#define STATS_LATENESS_BUCKETS 128u

/* why a frame went no further; names in stats_drop_name[] */
enum drop_reason {
	DROP_LINK_LOSS,       /* lost on the link, as configured */
	DROP_MALFORMED,       /* frame could not be parsed */
	DROP_BAD_RECORD,      /* ring record breaks the rules (a broken peer) */
	DROP_NO_DESTINATION,  /* destination address unknown to the ingress edge */
	DROP_NO_ROUTE,        /* no port leads to the destination's switch */
	DROP_BUFFER_OVERFLOW, /* peer sent more than the input buffer takes */
	DROP_OVERSIZE,        /* longer than the MTU */
	DROP_BAD_CHANNEL,     /* flow_id out of range */
	DROP_BAD_ACK,         /* ACK for a channel that does not wait for it */
	DROP_UNKNOWN_FLOW,    /* received by a NIC that cannot place it */
	DROP_FLOW_TABLE_FULL, /* NIC: more flows than flows_max */
	/* the ring of a link was full: it is sized so that this cannot happen */
	DROP_RING_FULL,
	DROP_LINK_DOWN, /* waited for, or was on, a link that went down */
	/* copy of a broadcast or multicast frame beyond what a port may have under way (FC-3) */
	DROP_FLOOD_LIMIT,
	/* IGMP or MLD report: for multicast routers, of which a fabric has none */
	DROP_NO_LISTENER,
	DROP_HOST, /* the attached host's kernel did not take it */
	/* the attached host sent more of a held flow than may wait (super-frames count once) */
	DROP_FGFC_QUEUE,
	/* the attached host sent faster than its link and NIC took it (super-frames count once) */
	DROP_HOST_OVERRUN,
	/* roce: an output queue of a lossy class was full, or the shared buffer */
	DROP_QUEUE_FULL,
	/* roce: a lossless class brought more after XOFF than its headroom holds */
	DROP_HEADROOM,
	DROP_BAD_ICRC, /* NIC: a RoCEv2 frame whose ICRC is wrong */
	/* NIC: behind a gap, and the sender will send it again (go-back-N); port-group: overtaken
	 * */
	DROP_OUT_OF_ORDER,
	DROP_DUPLICATE, /* NIC: was here already */
	/* would have to go beyond the last virtual lane: a path that is too long, or a loop */
	DROP_NO_LANE,
	/* port-group: a DLID that is reserved, beyond the tables, or leads nowhere */
	DROP_BAD_LID,
	/* roce: the TTL or hop limit of an IP packet has run out: a routing loop, or a sender that
	 * allows few hops */
	DROP_TTL,
	DROP_REASONS
};

extern const char *const stats_drop_name[DROP_REASONS];

/* fabric kind roce: one traffic class of a switch's port */
struct class_stats {
	uint64_t queue_bytes, queue_bytes_max; /* in the output queue, frames with FCS */
	uint64_t queue_byte_ns_sum;            /* integral over the measured interval */
	/* sent within the measured interval; bytes with FCS */
	/* sum over those packets of the time from their arrival to their sending */
	uint64_t tx_packets_measured, tx_bytes_measured, delay_ns_measured;
	uint64_t delay_ns_max;
	uint64_t drops;
	uint64_t marked;                       /* packets marked CE (RC-1) */
	uint64_t input_bytes, input_bytes_max; /* held of what came in here, headroom included */
	uint64_t headroom_bytes_max;           /* of it in the headroom */
	uint64_t paused_ps;                    /* the neighbour's PFC or PAUSE held up data */
	node_time_t paused_since_ps;           /* without a break, up to now; 0: it does not */
	/* of a pause that goes on: paused_ps counts up to then */
	node_time_t paused_counted_ps;
	/* the neighbour at this port was told to stop and not to go on since; 0: it was not */
	node_time_t xoff_since_ps;
	node_time_t xoff_first_ps; /* the first time; 0: never */
	uint64_t waits_for;        /* a bit per output port that holds packets which came in here */
	uint64_t stuck;            /* times the watchdog found it stuck */
	/* a watched class, as output (RC-7 ... RC-9) */
	uint64_t state;                           /* enum roce_state now */
	uint64_t state_max;                       /* the worst there was */
	node_time_t ecn_failed_ps, cnp_failed_ps; /* first time; 0: never */
	/* of flows of this queue: that passed; made here */
	uint64_t cnps_seen, cnps_supplemented;
	uint64_t signals_pause, signals_resume; /* sent */
};

struct port_stats {
	uint64_t tx_frames, tx_bytes; /* everything sent on the link; bytes with FCS, without gap */
	uint64_t tx_packets;          /* data packets among them */
	uint64_t rx_frames, rx_bytes, rx_packets;
	uint64_t tx_busy_ps;          /* link time of what was sent, gaps included */
	uint64_t tx_busy_measured_ps; /* the part of it inside the measured interval */
	uint64_t ack_frames, acks;    /* ACK frames sent, ACKs in them */
	uint64_t words;               /* link control words sent */
	/* sent, but lost on the link; bytes of data packets' inner frames */
	uint64_t lost_frames, lost_bytes;
	uint64_t lost_packets, lost_units; /* data packets among them; their data units */
	/* inner frames that arrived here and were dropped, whatever the reason */
	uint64_t dropped_bytes;
	/* losses told to this port as the source's (ingress edge or NIC, FC-17) */
	uint64_t loss_reports, loss_report_units;
	/* positions missing in arriving flows, reported upstream from here (FC-17) */
	uint64_t hole_units;
	/* lost on the link out of here with nothing after it, so no hole (FC-17) */
	uint64_t tail_units;
	/* data waited for the peer: its buffer, the ring or the guard's log was full */
	uint64_t paused_ps;
	/* data waits for the peer: paused_ps counts up to then; 0: it does not */
	node_time_t paused_since_ps;
	uint64_t channel_waits; /* packets that waited for a free channel (FC-9) */
	/* now waiting for this output: requested and in the output queue; at a NIC, of messages */
	uint64_t queue_bytes;
	uint64_t queue_bytes_max;
	uint64_t queue_byte_ns_sum;        /* integral of queue_bytes over the measured interval */
	uint64_t input_units_max;          /* most data units in the input buffer */
	uint64_t efct_used, efct_used_max; /* lines of each table now, and at most */
	uint64_t ifct_used, ifct_used_max;
	uint64_t ofct_used, ofct_used_max;
	/* real clock: so long a full ring held up what could have been sent (TB-8) */
	uint64_t ring_full_ps;
	/* endpoint congestion. At an egress edge port: */
	uint64_t eca_acks;        /* ACK_ECA made (EC-2) */
	uint64_t eca_max;         /* the greatest factor in one */
	node_time_t eca_first_ps; /* when the first was made; 0: none was */
	uint64_t delta_eca_acks;  /* ACK_DELTA_ECA made (EC-3) */
	uint64_t ecn_packets;     /* times that one with ECN's CE told its flow so (FC-24) */
	/* at an input port: */
	/* ACKs that went upstream with the congestion of the flow's queue here (FC-12) */
	uint64_t acks_rewritten;
	node_time_t limited_first_ps; /* when the first ACK_ECA came; 0: none did */
	uint64_t limited;             /* flows under endpoint congestion now (ep_congestion != 0) */
	/* sum of the flow_extents now, at most; ingress edge ports (EC-9) */
	uint64_t extent_units, extent_units_max;
	/* packets that had to wait: EC-7, EC-5, EC-8, EC-12, EC-9 */
	uint64_t blocked_extent, blocked_rate, blocked_empty, blocked_headroom, blocked_port;
	uint64_t metered; /* flows whose UM is set now */
	/* flows that became metered, and that ceased to be (EC-12, EC-13) */
	uint64_t headroom_starts, headroom_stops;
	uint64_t headroom_units; /* credit given */
	/* times the peer was told to stop, for want of room */
	uint64_t stops;
	uint64_t fgfc_held;    /* flows held at their source now (EC-15) */
	uint64_t fgfc_frames;  /* FGFC frames sent, or at a NIC received */
	uint64_t fgfc_refused; /* NIC: flows named that there was no room for */
	/* fabric kind roce */
	uint64_t pauses_sent, pauses_received; /* PFC and PAUSE frames */
	/* first switch: sent to the device because a signal said so (RC-10) */
	uint64_t path_pauses, path_resumes;
	uint64_t signals_forwarded; /* signals that came in here and went on (RC-10) */
	/* many paths. At an input port: */
	/* flows, or packets of unordered classes and port groups, that chose an output among
	 * several */
	uint64_t choices;
	uint64_t choices_other;  /* of them, those that took another one than the static port */
	uint64_t choices_detour; /* of them, those that took a way that is not minimal (FC-23) */
	/* of them, those that were bound to the path of a source of congestion (FC-24) */
	uint64_t choices_held;
	uint64_t redirects; /* flows held until empty, to choose anew (FC-25) */
	uint64_t folds;     /* unordered flows that became ordered (EC-11) */
	/* at an output port: */
	uint64_t reroute_acks; /* made here (FC-25) */
	uint64_t fecn_marked;  /* port-group: packets marked (PG-10) */
	uint64_t becns;        /* port-group: BECNs; at a NIC, made */
	/* port-group: times a packet at the head of its queue found no credit (PG-9) ... */
	uint64_t credit_waits;
	/* ... and how long it had none, on a free link: of waits that are over */
	uint64_t credit_wait_ps;
	/* port-group: a wait for credit that goes on began then; 0: none does */
	node_time_t credit_since_ps;
	uint64_t capture_error; /* errno: the capture of this port's link ended early */
	/* flow channels: those in use that came over a link that is gone (FC-15, FC-26) */
	struct channel_set left;
};

/* a flow as its sending NIC knows it; index = the slot that its packets carry */
struct flow_tx_stats {
	uint32_t workload_index;
	uint32_t destination; /* host index */
	uint32_t traffic_class;
	uint32_t spare;
	uint64_t packets, bytes; /* frames without FCS */
	uint64_t messages;       /* started */
	uint64_t reported_lost;  /* packets the NIC's own link reported lost */
	/* with a transport */
	uint32_t connection;             /* which of the connections to this destination */
	uint32_t in_error;               /* a queue pair that has given up */
	uint64_t resent;                 /* packets sent again */
	uint64_t timeouts, naks;         /* naks: or fast retransmits */
	uint64_t cnps;                   /* CNPs taken; TCP: windows cut because of ECN */
	uint64_t rate_bps, rate_min_bps; /* reaction point: now, and the least there was; 0: none */
	uint64_t window_bytes_max;       /* TCP: the largest congestion window */
};

/* a flow as its receiving NIC knows it */
struct flow_rx_stats {
	uint32_t source;      /* host index */
	uint32_t source_slot; /* slot at the sender */
	uint32_t workload_index;
	uint32_t traffic_class;
	uint64_t packets, bytes;
	uint64_t measured_bytes;       /* of frames that arrived inside the measured interval */
	uint64_t messages;             /* complete */
	uint64_t reordered, lost;      /* packets */
	node_time_t first_ps, last_ps; /* last bit of the first and of the last packet */
	/* with a transport */
	uint64_t marked; /* packets that came marked CE */
	uint64_t cnps;   /* CNPs made */
	/* the shortest time between two of them; 0: fewer than two */
	node_time_t cnp_gap_min_ps;
	uint64_t duplicates, out_of_order; /* packets that came again, or behind a gap */
};

/* a complete message */
struct message_stats {
	uint32_t flow; /* index among the flows received */
	uint32_t spare;
	uint64_t bytes;               /* payload of the message as asked for by the workload */
	node_time_t start_ps, end_ps; /* handed to the sending NIC; last bit received */
};

struct sample_stats {
	node_time_t at_ps;
	uint32_t port;
	uint32_t input_units;      /* data units in the input buffer */
	uint32_t flow_queue_units; /* the longest queue of a single flow in it */
	/* egress edge ports: the greatest congestion factor of its classes now */
	uint16_t eca;
	uint16_t limited, metered, fgfc_held; /* flows now: as in port_stats */
	uint32_t extent_units;                /* ingress edge ports: sum of the flow_extents */
	uint64_t queue_bytes;                 /* waiting for this output */
	uint64_t tx_bytes;                    /* so far */
	/* fabric kind roce */
	uint64_t rate_bps;     /* NIC: sum of the rates of its queue pairs */
	uint64_t rate_min_bps; /* NIC: the least of them */
	/* sets of classes: held by the neighbour; the neighbour is told to stop */
	uint8_t paused, xoff;
	uint8_t state; /* enum roce_state of the port's watched classes, the worst */
};

/* what happened last, oldest overwritten: node-defined kinds and three integers */
struct trace_entry {
	node_time_t at_ps;
	uint32_t kind; /* enum trace_kind: nodes/stats/trace.h */
	uint32_t a, b, c;
};

/* how late a node handled its events (TB-8): pace.h */
struct lateness_stats {
	uint64_t count[STATS_LATENESS_BUCKETS]; /* events by lateness */
	uint64_t events, max_ns;
};

struct stats_page {
	/* the layout, alone in the first memory page: a reader puts its own one there
	 * (stats_view.h) */
	union {
		struct {
			uint32_t magic, version;
			uint64_t size_bytes;
			uint32_t node_kind, port_count;
			uint64_t port_offset, class_offset, flow_tx_offset, flow_rx_offset;
			uint64_t message_offset, sample_offset, trace_offset;
			uint32_t flows_max, messages_max, samples_max, trace_max;
		};
		uint8_t head[STATS_HEAD_BYTES];
	};
	/* trace_count runs on */
	uint64_t flow_tx_count, flow_rx_count, message_count, sample_count, trace_count;
	uint64_t messages_unlogged; /* completions beyond messages_max */
	uint64_t drops[DROP_REASONS];
	uint64_t injected_packets, injected_bytes;   /* NIC: sent, frames without FCS */
	uint64_t delivered_packets, delivered_bytes; /* NIC: received */
	/* switch: times that new tables took effect, those of its configuration included */
	uint64_t tables_taken;
	/* held by this node now: a switch's buffers, a NIC's send queue is not inside */
	uint64_t inside_packets, inside_bytes;
	uint64_t events;    /* handled */
	uint64_t data_hops; /* data packets put on a link */
	node_time_t now_ps; /* time of the last event */
	/* switch: copies made of broadcast and multicast frames, each then counts like a frame of
	 * its own */
	uint64_t flooded_packets, flooded_bytes;
	uint64_t flood_originals_bytes; /* switch: frames that were replaced by their copies */
	/* NIC: frames from, to the attached host; among those injected, delivered */
	uint64_t host_tx_packets, host_rx_packets;
	struct lateness_stats lateness; /* real clock */
	/* real clock: time in which the node had something to do now and then (pace.c) */
	uint64_t active_ns;
	/* real clock: how far behind it the node was at most, after a turn (pace.c) */
	uint64_t behind_max_ns;
	/* real clock: it sleeps until its next event, or NODE_TIME_NEVER; 0: it is awake */
	node_time_t sleeps_ps;
};

/** stats_lateness_bucket() - the bucket of @ns; bucket b holds [stats_lateness_ns(b),
 *  stats_lateness_ns(b + 1)); the last one has no end, UINT64_MAX. Pure. */
uint32_t stats_lateness_bucket(uint64_t ns);
uint64_t stats_lateness_ns(uint32_t bucket);

/** stats_lateness_add() - one event was handled @ns after it was due. */
static inline void stats_lateness_add(struct lateness_stats *lateness, uint64_t ns)
{
	lateness->count[stats_lateness_bucket(ns)]++;
	lateness->events++;
	if (ns > lateness->max_ns)
		lateness->max_ns = ns;
}

/** stats_lateness_quantile() - lateness in nanoseconds that @permille of the events did not exceed,
 *  rounded up to the end of its bucket, but no more than the maximum; 0 if there were none. */
uint64_t stats_lateness_quantile(const struct lateness_stats *lateness, uint32_t permille);

/** stats_bytes() - size of the page of a node configured so. */
size_t stats_bytes(const struct node_config *config);

/** stats_init() - lays out a zeroed page of stats_bytes(). */
void stats_init(struct stats_page *page, const struct node_config *config);

static inline struct port_stats *stats_port(struct stats_page *page, uint32_t port)
{
	return (struct port_stats *)((char *)page + page->port_offset) + port;
}

/* fabric kind roce only: stats_has_classes() */
static inline struct class_stats *stats_class(struct stats_page *page, uint32_t port,
					      uint32_t traffic_class)
{
	return (struct class_stats *)((char *)page + page->class_offset) + port * NODE_CLASSES_MAX +
	       traffic_class;
}

static inline bool stats_has_classes(const struct stats_page *page)
{
	return page->class_offset != page->flow_tx_offset;
}

static inline struct flow_tx_stats *stats_flow_tx(struct stats_page *page, uint32_t slot)
{
	return (struct flow_tx_stats *)((char *)page + page->flow_tx_offset) + slot;
}

static inline struct flow_rx_stats *stats_flow_rx(struct stats_page *page, uint32_t slot)
{
	return (struct flow_rx_stats *)((char *)page + page->flow_rx_offset) + slot;
}

static inline struct message_stats *stats_message(struct stats_page *page, uint64_t index)
{
	return (struct message_stats *)((char *)page + page->message_offset) + index;
}

static inline struct sample_stats *stats_sample(struct stats_page *page, uint64_t index)
{
	return (struct sample_stats *)((char *)page + page->sample_offset) + index;
}

static inline struct trace_entry *stats_trace(struct stats_page *page, uint64_t index)
{
	return (struct trace_entry *)((char *)page + page->trace_offset) + index % STATS_TRACE_MAX;
}

#endif
