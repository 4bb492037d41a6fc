/*  lid_switch - the switch of fabric kind port-group: packets by destination LID, port groups
 *  around congestion, credits per virtual lane (PG-1 ... PG-10).
 *
 *      link -> forward (LFT; if its port is congested: group, choice)
 *           -> queue of the output and lane, inputs round robin -> credit -> link
 *
 *  A packet holds the buffer of the input and virtual lane on which it came until it is sent. It is
 *  in the queue of its output at once, so packets for other outputs never block it. Its sender had
 *  credit for it, so no packet is dropped for lack of buffer (PG-9, link.h). Classes share a link
 *  by their shares; lanes of a class, and inputs, round robin. Flooding: copies of a packet for a
 *  group of hosts follow a tree that spans the fabric, flood_ports. Copies have a reserve of their
 *  own in the pool: one that waits holds no credit, and cannot be part of a cycle.
 *  Files of this kind: lid_switch.c links and set-up; lid_forward.c the output of a packet;
 *  lid_queue.c what a packet inside counts for; lid_transmit.c the link; lid_tables.c the fabric
 *  manager's tables; lid_show.c and lid_set.c tables as text and parameters. A stage (port_group,
 *  congestion_log, input_turns) never calls another one. Events and their order: switch.h. */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_LID_SWITCH_H
#define HEDDLE_SWITCHD_PORT_GROUP_LID_SWITCH_H

#include "nodes/base/random.h"
#include "nodes/config/config.h"
#include "nodes/link/link.h"
#include "nodes/link/traffic_class.h"
#include "nodes/node/node.h"
#include "nodes/stats/queue_gauge.h"
#include "nodes/stats/stats.h"
#include "nodes/wire/lid_header.h"
#include "switchd/common/packet.h"
#include "switchd/common/switch.h"
#include "switchd/port_group/congestion_log.h"
#include "switchd/port_group/fecn_mark.h"
#include "switchd/port_group/input_turns.h"
#include "switchd/port_group/port_group.h"

/* a virtual lane of an output */
struct lid_lane {
	struct input_turns turns;
	uint32_t units;      /* in the queue */
	uint32_t units_seen; /* at the last choice */
	bool waited;         /* the first packet had no credit at some time */
	struct congestion_log log;
};

struct lid_port {
	struct link *link;
	struct port_stats *stats;
	enum port_kind kind;
	uint32_t mtu_bytes;
	uint8_t envelope[FABRIC_ENVELOPE_BYTES];
	uint8_t backlog;                     /* set of lanes with packets */
	uint8_t lane_turn[NODE_CLASSES_MAX]; /* last served lane of each class */
	uint32_t units;                      /* in the queues of all lanes */
	uint32_t packets_from;               /* inside, in the buffer of this input */
	struct fecn_mark fecn;
	struct class_scheduler classes;
	struct queue_gauge gauge;
	struct lid_lane lanes[NODE_LANES_MAX];
};

struct lid_switch {
	struct switch_shell sw;
	struct port_group_config settings; /* present ones: switch_set() */
	/* lanes of a class, on every link; on edge links level 0 alone is used */
	uint32_t levels;
	uint32_t lane_count; /* of a link: class_count * levels */
	uint64_t ports_up;
	struct random random;
	struct port_group tables;
	struct input_turn *turns; /* of all ports and lanes, by input */
	struct lid_port ports[NODE_PORTS_MAX];
};

/* node.h has the contract */
extern const struct node_ops lid_ops;

static inline bool lid_port_up(const struct lid_switch *lid, uint32_t port)
{
	return port < NODE_PORTS_MAX && lid->ports_up >> port & 1;
}

/** lid_may_choose() - may @packet leave by another port than the static one? Its class is unordered
 *  then. */
static inline bool lid_may_choose(const struct lid_switch *lid, const struct packet *packet)
{
	return lid->settings.adaptive && lid->sw.config->classes[packet->traffic_class].unordered;
}

#endif
