/*  ethernet - the switch of fabric kind roce: an Ethernet switch with a shared buffer, queues per traffic class, ECN and PFC.
 *
 *      link -> forward (MAC or IP address, ECMP) -> shared buffer -> ECN -> output queue of the class -> scheduler -> link
 *      link <- PFC or PAUSE <- XOFF, XON of the input (shared buffer)
 *
 *  Output-queued: what has come in stands in the queue of its output and class at once, first in, first out; one scheduler per output
 *  shares the link between classes. So a class that the neighbour holds keeps up whatever stands behind its first packet, at
 *  this switch and, by PFC, at those before it (RC-5: head-of-line blocking, spreading); nothing here hides that.
 *  Only the files of this dataplane know the order (ethernet.c the events, ethernet_forward.c where a frame goes,
 *  ethernet_queue.c what it counts for while it is inside, ethernet_pause.c both directions of PFC, ethernet_transmit.c the link,
 *  ethernet_show.c tables and parameters); a stage (shared_buffer, ecn, ecmp, nodes/pfc, ...) never calls another one.
 *  Events come from a fixed set of sources (event_tree.h): per port the next arrival and the next transmission, and the timers.
 *  Arrivals of one instant are handled before transmissions, lower ports first. As in the flow-channel switch all of the
 *  fixed latency lies behind the last decision (link.h).
 *  Flooding: frames for many hosts, or for one that nobody knows, go along a tree that spans the fabric: flood_ports.    */
#ifndef HEDDLE_SWITCHD_ETHERNET_H
#define HEDDLE_SWITCHD_ETHERNET_H

#include "nodes/config.h"
#include "nodes/event_tree.h"
#include "nodes/link.h"
#include "nodes/node.h"
#include "nodes/pfc.h"
#include "nodes/random.h"
#include "nodes/stats.h"
#include "nodes/traffic_class.h"
#include "switchd/flow_watch.h"
#include "switchd/packet.h"
#include "switchd/path_pause.h"
#include "switchd/path_signal.h"
#include "nodes/queue_gauge.h"
#include "switchd/roce_queue.h"
#include "switchd/route.h"
#include "switchd/shared_buffer.h"
#include "switchd/translate.h"

#define ETHERNET_CELL_BYTES 64u /* no frame is shorter, with FCS; one that is fills so much of the buffer */

/* a traffic class of a port */
struct ethernet_queue {
	struct packet_queue queue; /* of the output */
	struct queue_gauge gauge;
	struct class_stats *stats;  /* of output and input */
	struct roce_queue watch;    /* of a watched class, as its signals */
	struct path_signal signals;
	uint32_t packets_for[NODE_PORTS_MAX]; /* that came in here and stand in the queue of that output */
};

struct ethernet_port {
	struct link *link;
	struct port_stats *stats;
	enum port_kind kind;
	uint32_t mtu_bytes;
	uint8_t mac[6];
	uint8_t backlog;              /* set of classes with packets in their queue */
	uint8_t held;                 /* of them, those that the neighbour holds */
	uint8_t stuck;                /* of these, those that the watchdog has found */
	node_time_t blocked_since_ps; /* data waits, and all of it for the neighbour; NODE_TIME_NEVER: not */
	struct pfc_gate gate;
	struct pfc_teller teller;
	struct path_pause path;
	struct class_scheduler classes;
	struct queue_gauge gauge;
	struct ethernet_queue queues[NODE_CLASSES_MAX];
};

struct ethernet {
	const struct node_config *config;
	struct roce_config roce; /* as it is set now; without PFC no class is lossless */
	struct stats_page *stats;
	node_time_t shown_ps; /* the fabric's time when tables were asked for last (node_ops.show) */
	uint32_t port_count, class_count;
	bool cut_through;
	uint64_t touched;     /* ports whose next transmission must be computed anew */
	uint64_t flood_ports; /* switch_config.flood_ports as of now */
	uint32_t held_count;  /* classes of ports that neighbours hold, and that are not stuck yet */
	bool watching;        /* the watchdog has an appointment */
	uint64_t ecmp_seed;
	struct random random; /* for marking */
	struct event_tree events;
	struct packet_pool pool;
	struct translate translate;
	struct route_table routes;
	struct shared_buffer buffer;
	struct flow_watch flows; /* no lines unless supplementing or signalling needs them */
	struct ethernet_port ports[NODE_PORTS_MAX];
};

/* node.h has the contract */
extern const struct node_ops ethernet_ops;

/** ethernet_touch() - something changed that may let port @port transmit, or transmit earlier. */
static inline void ethernet_touch(struct ethernet *eth, uint32_t port)
{
	eth->touched |= 1ull << port;
}

/** ethernet_port_up() - has port @port a link? */
static inline bool ethernet_port_up(const struct ethernet *eth, uint32_t port)
{
	return route_port_up(&eth->routes, port);
}

/** ethernet_drop() - counts a dropped frame under its reason, as one that came in at @port.  @frame_bytes  without FCS. */
void ethernet_drop(struct ethernet *eth, enum drop_reason reason, uint32_t port, uint32_t frame_bytes, node_time_t now);

/** ethernet_leave() - @packet, taken out of its queue, is no longer inside the switch. */
void ethernet_leave(struct ethernet *eth, struct packet *packet);

/* ---- ethernet_forward.c: link -> output port ---- */

/** ethernet_arrival() - a data frame has arrived on port @port (its header, if the switch cuts through).
 *  @bytes  captured, in shared memory. */
void ethernet_arrival(struct ethernet *eth, uint32_t port, const struct record *header, const uint8_t *bytes,
		      node_time_t now);

/** ethernet_originate() - the switch itself sends the frame @bytes (captured whole, without FCS) to whom it is addressed to. Counts as
 *  injected; what there is no room or no way for is dropped and counted. */
void ethernet_originate(struct ethernet *eth, const uint8_t *bytes, uint32_t frame_bytes, node_time_t now);

/* ---- ethernet_queue.c: shared buffer, ECN, output queue ---- */

/** ethernet_queue_push() - @packet is to leave at @port. Takes it: into the queue, or it is dropped and counted. */
void ethernet_queue_push(struct ethernet *eth, uint32_t port, struct packet *packet, node_time_t now);

/** ethernet_queue_mark_leaving() - @packet, just taken, is about to be sent: marked if its class marks at dequeue and what it leaves in the
 *  queue says so (RC-1). */
void ethernet_queue_mark_leaving(struct ethernet *eth, struct packet *packet);

/** ethernet_queue_take() - the first packet of a queue that has one; its room in the buffer is free. ethernet_leave() later. */
struct packet *ethernet_queue_take(struct ethernet *eth, uint32_t port, uint32_t traffic_class, node_time_t now);

/* ---- ethernet_pause.c: what neighbours hold here, and are told to hold ---- */

/** ethernet_pause_take() - a PFC or PAUSE frame has arrived on @port.  @bytes  in shared memory. */
void ethernet_pause_take(struct ethernet *eth, uint32_t port, const struct record *header, const uint8_t *bytes,
			 node_time_t now);

/** ethernet_pause_note() - data of @port may have begun or ceased to wait for the neighbour alone: keeps account of it. */
void ethernet_pause_note(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_pause_settle() - counts pauses of @port that last up to @now. */
void ethernet_pause_settle(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_pause_tell() - the buffer may want something else of the neighbour at input @port than before. */
void ethernet_pause_tell(struct ethernet *eth, uint32_t port, uint32_t traffic_class, node_time_t now);

/** ethernet_pause_due_at() - when ethernet_pause_send() has something to say at @port; NODE_TIME_NEVER. */
node_time_t ethernet_pause_due_at(const struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_pause_send() - puts the frame that is due on the link of @port, which is free. */
void ethernet_pause_send(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_watchdog() - counts the classes that are held without a break for so long that they are stuck.
 *  Return: when to look again; NODE_TIME_NEVER. O(ports x classes), once per watchdog time at most for each of them. */
node_time_t ethernet_watchdog(struct ethernet *eth, node_time_t now);

/* ---- ethernet_path.c: states, CNPs and signals of S4 ---- */

/** ethernet_path_init() - ports and queues are there, nothing has passed.  Return: 0 or -ENOMEM. */
int ethernet_path_init(struct ethernet *eth);
void ethernet_path_fini(struct ethernet *eth);

/** ethernet_path_rates() - the rates of links have changed, or ports are no longer vacant. O(ports x classes). */
void ethernet_path_rates(struct ethernet *eth);

enum path_verdict {
	PATH_PASSES,
	PATH_TAKEN,  /* a signal for the device at the output: it ends here */
	PATH_FORGED, /* a signal from a host, of which only switches make any */
};

/** ethernet_path_reply() - an ACK, NAK or CNP is to leave at @out, or was to.  @here  @out is where its destination is.
 *  Return: what becomes of it. The packet stays the caller's.                                                       */
enum path_verdict ethernet_path_reply(struct ethernet *eth, uint32_t out, const struct packet *packet,
				      const struct frame_fields *fields, bool here, node_time_t now);

/** ethernet_path_data() - a RoCEv2 data packet with @fields has been put into the queue of @out and @traffic_class, or there was no room
 *  for it: its flow feeds the queue either way. */
void ethernet_path_data(struct ethernet *eth, uint32_t out, uint32_t traffic_class, const struct frame_fields *fields,
			node_time_t now);

/** ethernet_path_on_length() - the queue of a watched class has grown or shrunk. */
void ethernet_path_on_length(struct ethernet *eth, uint32_t port, uint32_t traffic_class, node_time_t now);

/** ethernet_path_periods() - the period in which a flow needs a CNP, or a level, is another from @now on. O(ports x classes). */
void ethernet_path_periods(struct ethernet *eth, node_time_t now);

/** ethernet_path_step() - sends signals and CNPs that are due because of the queues of @port, a few at a time.
 *  Return: when to call it again, as things are; NODE_TIME_NEVER. */
node_time_t ethernet_path_step(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_signals_arm() - (ethernet.c) ethernet_path_step() is to be called at @due. */
void ethernet_signals_arm(struct ethernet *eth, uint32_t port, node_time_t due);

/* ---- ethernet_transmit.c: output queue -> link ---- */

/** ethernet_transmit_next_at() - when port @port should transmit next; NODE_TIME_NEVER if it has nothing that it may send. */
node_time_t ethernet_transmit_next_at(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_transmit() - puts one thing on port @port's link: a PFC frame that is due, else a packet. */
void ethernet_transmit(struct ethernet *eth, uint32_t port, node_time_t now);

/* ---- ethernet_show.c ---- */

/** ethernet_show() - node_ops.show: "ports", "queues", "buffer", "pfc", "ecn", "states", "flows", "routes". */
int ethernet_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out);

/** ethernet_set() - node_ops.set: [CLASS.]PARAMETER, of one class or of all: "ecn" (on, off), "kmin", "kmax", "queue", "xoff",
 *  "xon-offset" (bytes), "pmax" (ppm), "alpha" (permille); and of the switch: "watchdog", "supplement-period" (us), "reference" (permille
 *  of kmax), "path-high", "path-low" (bytes). */
int ethernet_set(void *dataplane, const char *name, const char *value, FILE *out);

#endif
