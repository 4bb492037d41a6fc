/*  lid_switch - the switch of fabric kind port-group: packets by destination LID, port groups
 *  around congestion, credits per virtual lane (PG-1 ... PG-10).
 *
 *      link -> forward (LFT; if its port is congested: group, choice) -> turns of the inputs, per
 *      output and lane -> credit -> link
 *
 *  A packet stands in the buffer of the input and virtual lane that it came in on until it goes
 *  out, and in the turns of its output at once: whoever waits for another output is in nobody's
 *  way. Its sender had credit for it, so nothing is dropped for want of room (PG-9, link.h).
 *  Between classes a link is shared as their shares say, between a class's lanes by turns, between
 *  inputs by turns. Flooding: what is for a group of hosts is replaced by copies along a tree that
 *  spans the fabric, flood_ports. Copies stand in a reserve of their own; so one that waits here
 *  keeps no credit from anybody, and cannot be in a circle.
 *  Only the files of this dataplane know the order (lid_switch.c the events and links,
 *  lid_forward.c where a packet goes, lid_queue.c what it counts for while it is inside,
 *  lid_transmit.c the link, lid_tables.c what the fabric manager reads and writes, lid_show.c
 *  tables, lid_set.c parameters); a stage (port_group, congestion_log, input_turns) never calls another
 *  one. Events and their order: switch.h. */
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
	uint32_t units;      /* that wait */
	uint32_t units_seen; /* when a choice looked at them last */
	bool starved;        /* the first packet has no credit */
	struct congestion_log log;
};

struct lid_port {
	struct link *link;
	struct port_stats *stats;
	enum port_kind kind;
	uint32_t mtu_bytes;
	uint8_t envelope[FABRIC_ENVELOPE_BYTES];
	uint8_t backlog;                     /* set of lanes with packets */
	uint8_t lane_turn[NODE_CLASSES_MAX]; /* the lane of a class that was served last */
	uint32_t units;                      /* that wait, on all lanes */
	uint32_t packets_from;               /* inside, that came in here and stand in its buffer */
	struct fecn_mark fecn;
	struct class_scheduler classes;
	struct queue_gauge gauge;
	struct lid_lane lanes[NODE_LANES_MAX];
};

struct lid_switch {
	struct switch_shell sw;
	struct port_group_config settings; /* as they are set now */
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

/** lid_may_choose() - may @packet leave by another port than the fabric manager's? Its class need
 *  not stay in order then. */
static inline bool lid_may_choose(const struct lid_switch *lid, const struct packet *packet)
{
	return lid->settings.adaptive && lid->sw.config->classes[packet->traffic_class].unordered;
}

#endif
