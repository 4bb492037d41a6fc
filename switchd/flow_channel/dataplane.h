/*  dataplane - the switch: its ports, its tables, and the order in which a packet and an ACK pass
 *  them (FC-11).
 *
 *      packet  link -> EFCT -> IFCT queue -> arbiter -> crossbar -> OFCT -> output queue -> link
 *      ACK     link <- ACK collector <- EFCT, IFCT <- OFCT <- link
 *
 *  Every other file here is a stage. A stage calls lower stages only, and leaves marks for higher
 *  ones (marks.h). dataplane.c has the events and the order in which marks are handled;
 *  tests/layers.sh has the order of the stages. Events and their order: switch.h.
 *  The crossbar moves as many packets at once as there are outputs. Its time is in the switch's
 *  fixed latency, all of which lies after the last decision (link.h).
 *  Flooding (FC-3): a frame for many hosts, or for an unknown one, is replaced at its ingress port
 *  by one copy per other host. Each copy is an ordinary packet in a flow channel of its own, so
 *  order and accounting need no special case. Copies use a reserve of the pool, and the input
 *  buffer of the original is released at once. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_DATAPLANE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_DATAPLANE_H

#include "nodes/base/deadline_heap.h"
#include "nodes/config/config.h"
#include "nodes/link/link.h"
#include "nodes/link/traffic_class.h"
#include "nodes/node/node.h"
#include "nodes/stats/queue_gauge.h"
#include "nodes/stats/stats.h"
#include "nodes/wire/fabric_header.h"
#include "switchd/flow_channel/output_queue.h"
#include "switchd/common/packet.h"
#include "switchd/common/route.h"
#include "switchd/common/switch.h"
#include "switchd/common/translate.h"
#include "switchd/flow_channel/ack.h"
#include "switchd/flow_channel/arbiter.h"
#include "switchd/flow_channel/eca.h"
#include "switchd/flow_channel/efct.h"
#include "switchd/flow_channel/fgfc.h"
#include "switchd/flow_channel/headroom.h"
#include "switchd/flow_channel/ifct.h"
#include "switchd/flow_channel/injection.h"
#include "switchd/flow_channel/input_load.h"
#include "switchd/flow_channel/marks.h"
#include "switchd/flow_channel/ofct.h"
#include "switchd/flow_channel/redirect.h"
#include "switchd/flow_channel/source_hold.h"
#include "switchd/flow_channel/unacked.h"

enum tree_state { TREE_NONE, TREE_OPEN, TREE_FOLDED };

/* what an input remembers of a flow of an unordered class: flow_tree.h */
struct tree_line {
	uint8_t state;       /* enum tree_state */
	uint8_t branch_port; /* folded: where everything goes */
};

/* one virtual lane of an output port: number = traffic class * port.lanes + level
 * (routing_config.h) */
struct output_lane {
	struct arbiter arbiter;
	struct output_queue queue;
	/* fabric: flows without credit, while the peer has no buffer for them */
	struct flow_list stopped;
	struct eca eca; /* edge */
	/* fabric: bytes that each of its flows was sent so far, times NODE_CHANNELS_MAX; wraps. Of
	 * the lanes of a class the one with the least is next (transmit.c) */
	uint64_t served;
};

/* what only a port to a host has */
struct edge_port {
	struct efct efct;
	/* packets that wait for a free EFCT line, in order of arrival */
	struct packet_queue no_line;
	uint32_t no_line_match;      /* match fields with which they were looked up */
	struct fgfc fgfc;            /* flows that are paused at their source */
	uint64_t extent_units;       /* sum of its flows' flow_extents (EC-9) */
	struct flow_list port_limit; /* flows that wait for it to fall */
};

/* what only a port to another switch has */
struct fabric_port {
	struct ofct ofct;
	struct flow_list no_channel; /* flows that wait for a free id of the OFCT */
	struct ack_collector acks;   /* ACKs that go up this link */
	/* input buffer that is reserved for credit given */
	uint32_t promised_units[NODE_LANES_MAX];
	struct redirect_gauge redirect;
	struct redirect_told told;
	struct redirect_swap swap;
	struct input_load input_load;
	struct output_load output_load;
};

struct port {
	struct link *link;
	struct port_stats *stats;
	enum port_kind kind;
	uint32_t lanes, lane_count; /* virtual lanes of each class, of all classes */
	uint32_t mtu_bytes, mtu_units;
	/* water levels of the input buffer: input_buffer.c */
	uint32_t stop_units, go_units;
	/* real clock: a port that gets a link of the other kind has both */
	struct edge_port edge;
	struct fabric_port fabric;
	struct class_scheduler classes;
	struct output_lane output[NODE_LANES_MAX];
	struct queue_gauge gauge;
	TABLE(struct redirect_line) redirects; /* by flow_id, of flows that came in here */
	TABLE(struct tree_line) trees;         /* the same */
	uint8_t envelope[FABRIC_ENVELOPE_BYTES];
};

struct dataplane {
	struct switch_shell sw;
	uint32_t lane_count; /* of a fabric port: no port has more */
	struct marks marks;
	uint32_t unordered; /* set of classes */
	struct source_hold hold;
	struct random redirect_random;
	/* what switch_set() changes: at first a copy of the configuration; its tables are unused */
	struct switch_config settings;
	struct injection injection;
	struct random random;       /* of choices: choose.c */
	struct deadline_heap wakes; /* flows that wait for their wake-up time */
	node_time_t timer_ps;       /* when resume_wake() is called next */
	struct translate translate;
	struct route_table routes;
	struct table_arena near; /* of the tables of all ports */
	uint32_t *towards;       /* of all OFCTs: ofct_towards() */
	struct ifct ifcts[NODE_PORTS_MAX];
	struct port ports[NODE_PORTS_MAX];
	struct unacked unacked[NODE_PORTS_MAX]; /* of edge ports, if samples are recorded */
};

extern const struct node_ops flow_channel_ops;

/** dataplane_port_up() - true if port @port has a link in use. False for a vacant port, and for a
 *  new link that waits until nothing of the former one is in use. */
static inline bool dataplane_port_up(const struct dataplane *dp, uint32_t port)
{
	return route_port_up(&dp->routes, port);
}

#endif
