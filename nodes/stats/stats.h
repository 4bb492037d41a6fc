/*  stats - the statistics page: a node writes plain counters, others map it read-only and never ask
 *  (TB-6, TB-13).
 *
 *  One memfd per node, made by the orchestrator, mapped by both. The node alone writes; nothing is
 *  locked: a counter is one aligned 64-bit store. Results are read after the last window, so they
 *  are exact; a progress line may read at any time. After a crash the page is still there: that is
 *  why the trace ring lives in it too.
 *  Layout: stats_page, then ports, their classes (fabric kind roce only), flows sent, flows
 *  received, messages, trace, series (if samples are taken), each at the offset named in the page.
 *  Sizes follow from the node_config alone, so that both sides agree without talking: a reader in
 *  another process never takes them from the node's memory, which may change at any time
 *  (stats_view.h).
 *  Memory: untouched parts of the page cost nothing. */
#ifndef HEDDLE_NODES_STATS_STATS_H
#define HEDDLE_NODES_STATS_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/channel_set.h"
#include "nodes/config/config.h"
#include "nodes/stats/control_call.h"
#include "nodes/stats/page_log.h"
#include "nodes/stats/statistics.h"

#define STATS_MAGIC 0x48444c53u /* "HDLS" */
#ifdef __x86_64__
#define STATS_HEAD_BYTES 4096u
#else
#define STATS_HEAD_BYTES 65536u /* the largest page of memory that Linux has */
#endif
#define STATS_TRACE_MAX 1024u
#define STATS_SERIES_MAX 2048u /* as many bytes */
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
	/* copy of a broadcast or multicast frame beyond what a port may have in flight (FC-3) */
	DROP_FLOOD_LIMIT,
	/* IGMP or MLD report: for multicast routers, of which a fabric has none */
	DROP_NO_LISTENER,
	DROP_HOST, /* the attached host's kernel did not take it */
	/* the attached host sent more of a paused flow than may wait (super-frames count once) */
	DROP_FGFC_QUEUE,
	/* the attached host sent faster than its link and NIC took it (super-frames count once) */
	DROP_HOST_OVERRUN,
	/* roce: an output queue of a lossy class was full, or the shared buffer */
	DROP_QUEUE_FULL,
	/* roce: a lossless class brought more after XOFF than its headroom holds */
	DROP_HEADROOM,
	DROP_BAD_ICRC, /* NIC: a RoCEv2 frame whose ICRC is wrong */
	/* NIC: after a gap, and the sender will retransmit it (go-back-N); port-group: overtaken */
	DROP_OUT_OF_ORDER,
	DROP_DUPLICATE, /* NIC: received before */
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
	CLASS_STATISTICS(STATISTIC_FIELD, STATISTIC_FIELD, STATISTIC_FIELD)
};

/* One concern after the other: see the lists. A frame sent writes line 0, a frame received line 1,
 * an ACK line 2. */
struct port_stats {
	PORT_STATISTICS(STATISTIC_FIELD, STATISTIC_FIELD, STATISTIC_FIELD)
	/* flow channels: those in use that came over a link that is gone (FC-15, FC-26) */
	struct channel_set left;
};

/* from one port to the next: lines of cache do not overlap */
#define STATS_PORT_BYTES ((sizeof(struct port_stats) + 63) / 64 * 64)

/* a flow as its sending NIC knows it; index = the slot that its packets carry */
struct flow_tx_stats {
	uint32_t workload_index;
	uint32_t destination; /* host index */
	uint32_t traffic_class;
	/* messages that are not completely sent, or with a transport acknowledged */
	uint32_t waiting;
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
	uint64_t duplicates, out_of_order; /* packets that came again, or after a gap */
};

/* a complete message */
struct message_stats {
	uint32_t flow; /* index among the flows received */
	uint32_t spare;
	uint64_t bytes;               /* payload of the message as asked for by the workload */
	node_time_t start_ps, end_ps; /* handed to the sending NIC; last bit received */
};

/* an event: nodes/stats/trace.def says what its numbers are. Half a cache line */
struct trace_entry {
	node_time_t at_ps;
	uint64_t value;
	uint16_t kind; /* enum trace_kind */
	uint8_t port, traffic_class;
	uint32_t detail;
	uint32_t source, destination; /* hosts of the packet or flow: index + 1; 0: not known */
};
_Static_assert(sizeof(struct trace_entry) == 32, "entries of the ring and of the file");

/* a sample begins, or a value in it: nodes/stats/series.h. A quarter of a cache line */
struct series_entry {
	uint64_t value;
	uint32_t index; /* class, lane, or slot of the flow; else 0 */
	uint8_t port;
	uint8_t id; /* enum series_id */
	uint16_t spare;
};
_Static_assert(sizeof(struct series_entry) == 16, "entries of the ring and of the file");

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
			uint64_t message_offset, trace_offset, series_offset;
			uint32_t flows_max, messages_max, trace_max, series_max;
		};
		uint8_t head[STATS_HEAD_BYTES];
	};
	NODE_STATISTICS(STATISTIC_FIELD, STATISTIC_FIELD, STATISTIC_FIELD)
	struct page_log trace;      /* events: trace.h */
	struct page_log series;     /* samples: series.h */
	uint64_t messages_unlogged; /* completions beyond messages_max */
	uint64_t drops[DROP_REASONS];
	/* switch: times that new tables took effect, those of its configuration included */
	uint64_t tables_taken;
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
	/* real clock: how late the node was at most, after a turn (pace.c) */
	uint64_t behind_max_ns;
	/* real clock: it sleeps until its next event, or NODE_TIME_NEVER; 0: it is awake */
	node_time_t sleeps_ps;
	struct control_call control_call; /* NIC with a congestion control of the user's */
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

/** stats_time() - something happens at @now, between events: now_ps does not go back. */
static inline void stats_time(struct stats_page *page, node_time_t now)
{
	page->now_ps = node_time_max(page->now_ps, now);
}

static inline struct port_stats *stats_port(struct stats_page *page, uint32_t port)
{
	return (struct port_stats *)((char *)page + page->port_offset + port * STATS_PORT_BYTES);
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

static inline struct trace_entry *stats_trace(struct stats_page *page, uint64_t index)
{
	return (struct trace_entry *)((char *)page + page->trace_offset) + index % STATS_TRACE_MAX;
}

/* nodes that take samples only: page->series_max */
static inline struct series_entry *stats_series(struct stats_page *page, uint64_t index)
{
	return (struct series_entry *)((char *)page + page->series_offset) +
	       index % STATS_SERIES_MAX;
}

#endif
