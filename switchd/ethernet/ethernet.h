/*  ethernet - the switch of fabric kind roce: an Ethernet switch with a shared buffer, queues per
 *  traffic class, ECN and PFC.
 *
 *      link -> forward (MAC or IP address, ECMP) -> shared buffer -> ECN
 *           -> output queue of the class -> scheduler -> link
 *      link <- PFC or PAUSE <- XOFF, XON of the input (shared buffer)
 *
 *  Output-queued: an arriving frame joins the queue of its output and class at once, first in,
 *  first out. One scheduler per output shares the link between classes. So a paused class delays
 *  every packet that is queued behind its first packet, at this switch and, by PFC, at those
 *  upstream (RC-5: head-of-line blocking, congestion spreading). That is what is modelled.
 *
 *  Files of this kind: ethernet.c links and set-up; ethernet_forward.c the output of a frame;
 *  ethernet_queue.c what a frame inside counts for; ethernet_pause.c both directions of PFC;
 *  ethernet_path.c the signals of S4; ethernet_transmit.c the link; ethernet_show.c and
 *  ethernet_set.c tables as text and parameters. All other files are stages, which call none of
 *  these: shared_buffer, ecn, flow_watch with its timers, roce_queue, path_signal, path_pause.
 *  Events and their order: switch.h. As in the flow-channel switch, the fixed latency follows the
 *  last decision (link.h).
 *  Flooding: frames for many hosts, or for an unknown one, follow a tree that spans the fabric:
 *  flood_ports. */
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

/* bytes that the shortest frame takes in the buffer, with FCS; a shorter one counts as this */
#define ETHERNET_CELL_BYTES 64u

/* a traffic class of a port */
struct ethernet_queue {
	struct packet_queue queue; /* of the output */
	struct queue_gauge gauge;
	struct class_stats *stats;      /* of output and input */
	struct roce_class_config class; /* roce.classes[] with kmin and kmax of this port's rate */
	struct roce_queue watch;        /* of a watched class, as its signals */
	struct path_signal signals;
	/* packets from this input in the queue of each output */
	uint32_t packets_for[NODE_PORTS_MAX];
};

struct ethernet_port {
	struct link *link;
	struct port_stats *stats;
	enum port_kind kind;
	uint32_t mtu_bytes;
	uint8_t mac[6];
	uint8_t backlog; /* set of classes with packets in their queue */
	uint8_t held;    /* of them, those that the peer pauses */
	uint8_t stuck;   /* of these, those that the watchdog has counted as stuck */
	struct pfc_gate gate;
	struct pfc_teller teller;
	struct path_pause path;
	struct class_scheduler classes;
	struct queue_gauge gauge;
	struct ethernet_queue queues[NODE_CLASSES_MAX];
};

struct ethernet {
	struct switch_shell sw;
	/* the present one: switch_set(); without PFC no class is lossless */
	struct roce_config roce;
	/* classes of ports that peers pause, and that are not stuck yet */
	uint32_t held_count;
	bool watching; /* the timer of the watchdog is set */
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
