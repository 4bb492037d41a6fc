/*  ethernet - the switch of fabric kind roce: an Ethernet switch with a shared buffer, queues per
 *  traffic class, ECN and PFC.
 *
 *      link -> forward (MAC or IP address, ECMP) -> shared buffer -> ECN -> output queue of the
 *      class -> scheduler -> link
 *      link <- PFC or PAUSE <- XOFF, XON of the input (shared buffer)
 *
 *  Output-queued: what has come in stands in the queue of its output and class at once, first in,
 *  first out; one scheduler per output shares the link between classes. So a class that the
 *  neighbour holds keeps up whatever stands behind its first packet, at this switch and, by PFC, at
 *  those before it (RC-5: head-of-line blocking, spreading); nothing here hides that. Only the
 *  files of this dataplane know the order (ethernet.c the events, ethernet_forward.c where a frame
 *  goes, ethernet_queue.c what it counts for while it is inside, ethernet_pause.c both directions
 *  of PFC, ethernet_transmit.c the link, ethernet_show.c tables, ethernet_set.c parameters); a stage
 *  (shared_buffer, ecn, ecmp, nodes/link/pfc, ...) never calls another one. Events and their order:
 *  switch.h. As in the flow-channel switch all of the fixed latency lies behind the last decision
 *  (link.h).
 *  Flooding: frames for many hosts, or for one that nobody knows, go along a tree that spans the
 *  fabric: flood_ports. */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_H

#include "nodes/base/random.h"
#include "nodes/config/config.h"
#include "nodes/link/link.h"
#include "nodes/link/pfc.h"
#include "nodes/link/traffic_class.h"
#include "nodes/node/node.h"
#include "nodes/stats/queue_gauge.h"
#include "nodes/stats/stats.h"
#include "switchd/common/packet.h"
#include "switchd/common/route.h"
#include "switchd/common/switch.h"
#include "switchd/common/translate.h"
#include "switchd/ethernet/flow_watch.h"
#include "switchd/ethernet/path_pause.h"
#include "switchd/ethernet/path_signal.h"
#include "switchd/ethernet/roce_queue.h"
#include "switchd/ethernet/shared_buffer.h"

/* no frame is shorter, with FCS; one that is fills so much of the buffer */
#define ETHERNET_CELL_BYTES 64u

/* a traffic class of a port */
struct ethernet_queue {
	struct packet_queue queue; /* of the output */
	struct queue_gauge gauge;
	struct class_stats *stats;      /* of output and input */
	struct roce_class_config class; /* roce.classes[] with kmin and kmax of this port's rate */
	struct roce_queue watch;        /* of a watched class, as its signals */
	struct path_signal signals;
	/* that came in here and stand in the queue of that output */
	uint32_t packets_for[NODE_PORTS_MAX];
};

struct ethernet_port {
	struct link *link;
	struct port_stats *stats;
	enum port_kind kind;
	uint32_t mtu_bytes;
	uint8_t mac[6];
	uint8_t backlog; /* set of classes with packets in their queue */
	uint8_t held;    /* of them, those that the neighbour holds */
	uint8_t stuck;   /* of these, those that the watchdog has found */
	struct pfc_gate gate;
	struct pfc_teller teller;
	struct path_pause path;
	struct class_scheduler classes;
	struct queue_gauge gauge;
	struct ethernet_queue queues[NODE_CLASSES_MAX];
};

struct ethernet {
	struct switch_shell sw;
	struct roce_config roce; /* as it is set now; without PFC no class is lossless */
	/* classes of ports that neighbours hold, and that are not stuck yet */
	uint32_t held_count;
	bool watching; /* the watchdog has an appointment */
	uint64_t ecmp_seed;
	struct random random; /* for marking */
	struct translate translate;
	struct route_table routes;
	struct shared_buffer buffer;
	struct flow_watch flows; /* no lines unless supplementing or signalling needs them */
	struct ethernet_port ports[NODE_PORTS_MAX];
};

/* node.h has the contract */
extern const struct node_ops ethernet_ops;

/** ethernet_port_up() - has port @port a link? */
static inline bool ethernet_port_up(const struct ethernet *eth, uint32_t port)
{
	return route_port_up(&eth->routes, port);
}

#endif
