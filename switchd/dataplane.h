/*  dataplane - the switch: its ports, its tables, and the order in which a packet and an ACK pass them (FC-11).
 *
 *      link -> classify -> IFCT queue -> route -> arbiter -> crossbar -> OFCT -> output queue -> link
 *      link <- ACK collector <- EFCT/IFCT <- ACK crossbar <- OFCT <- link
 *
 *  Only the files of the dataplane know the order (dataplane.c the events, arrival.c, crossbar.c, transmit.c and ack_path.c
 *  one leg each, choose.c which way, reroute.c and flow_tree.c how flows get another one, flow_control.c what holds a flow at its input and lets it go on, room.c
 *  when a neighbour has to stop, fgfc_path.c what its host is told, link_change.c what becomes of all that when a
 *  link goes or comes); a stage, that is every other file here, never calls another one. Events come from a fixed set of
 *  sources (event_tree.h): per port the next arrival and the next transmission, and three timers. Arrivals of one instant are
 *  handled before transmissions, lower ports first.
 *  The crossbar moves as many packets at once as there are outputs and has its time in the switch's fixed latency, all of
 *  which lies behind the last decision (link.h).
 *  Flooding (FC-3): a frame for many hosts, or for one that nobody knows, is replaced at its ingress port by one copy per
 *  other host. Each copy is an ordinary packet in a flow channel of its own, so neither order nor accounting needs to know
 *  about it; it lives in a reserve of the pool instead of the input buffer, whose room is given back at once.          */
#ifndef HEDDLE_SWITCHD_DATAPLANE_H
#define HEDDLE_SWITCHD_DATAPLANE_H

#include "nodes/config.h"
#include "nodes/event_tree.h"
#include "nodes/link.h"
#include "nodes/node.h"
#include "nodes/stats.h"
#include "nodes/traffic_class.h"
#include "nodes/wire/fabric_header.h"
#include "switchd/ack.h"
#include "switchd/arbiter.h"
#include "switchd/eca.h"
#include "switchd/efct.h"
#include "switchd/fgfc.h"
#include "switchd/flow_tree.h"
#include "switchd/headroom.h"
#include "switchd/ifct.h"
#include "switchd/inflow.h"
#include "switchd/injection.h"
#include "switchd/ofct.h"
#include "switchd/output_queue.h"
#include "switchd/packet.h"
#include "nodes/queue_gauge.h"
#include "switchd/redirect.h"
#include "switchd/route.h"
#include "switchd/source_hold.h"
#include "switchd/translate.h"
#include "switchd/wake_queue.h"

/* flows in the order of their coming, linked by next_ref */
struct flow_list {
	uint32_t first, last; /* flow_ref(); FLOW_REF_NONE: there is none */
};

/* one virtual lane of an output port: number = traffic class * port.lanes + level (routing_config.h) */
struct output_lane {
	struct arbiter arbiter;
	struct output_queue queue;
	struct flow_list stopped; /* fabric: flows without credit, while the peer has no room for such */
	struct eca eca;           /* edge */
	uint64_t
		served; /* fabric: what its flows got so far, each of them: lanes of a class take turns by it (transmit.c) */
};

struct port {
	struct link *link;
	struct port_stats *stats;
	enum port_kind kind;
	uint32_t lanes, lane_count; /* virtual lanes of each class, of all classes */
	uint32_t mtu_bytes, mtu_units;
	uint32_t stop_units, go_units;           /* water levels of the input buffer: room.c */
	struct efct efct;                        /* edge */
	struct packet_queue no_line;             /* edge: packets that wait for a free EFCT line, in order of arrival */
	uint32_t no_line_match;                  /* match fields with which they were looked up */
	struct fgfc fgfc;                        /* edge: flows that are held at their source */
	struct ofct ofct;                        /* fabric */
	struct ack_collector acks;               /* fabric: ACKs that go up this link */
	struct flow_list no_channel;             /* flows that wait for a free id of the OFCT */
	uint64_t extent_units;                   /* edge: sum of its flows' flow_extents (EC-9) */
	struct flow_list port_limit;             /* edge: flows that wait for it to fall */
	uint32_t promised_units[NODE_LANES_MAX]; /* fabric: room in the input buffer for what credit given may bring */
	struct class_scheduler classes;
	struct output_lane output[NODE_LANES_MAX];
	struct queue_gauge gauge;
	struct redirect_gauge redirect;  /* fabric */
	struct redirect_swap swap;       /* the same */
	struct inflow inflow;            /* the same */
	struct outflow outflow;          /* the same */
	struct redirect_line *redirects; /* by flow_id, of flows that came in here */
	struct tree_line *trees;         /* the same */
	node_time_t paused_since_ps;     /* data waits for the peer's buffer since; NODE_TIME_NEVER: it does not */
	uint8_t envelope[FABRIC_ENVELOPE_BYTES];
};

struct dataplane {
	const struct node_config *config;
	struct stats_page *stats;
	node_time_t shown_ps; /* the fabric's time when tables were asked for last (node_ops.show) */
	uint32_t port_count, class_count;
	uint32_t lane_count; /* of the ports that have most */
	bool cut_through;
	uint64_t touched; /* ports whose next transmission must be computed anew */
	uint64_t grants_due,
		channels_due; /* ports that flows have moved to, and that such gave a channel back to: crossbar_settle() */
	uint32_t unordered; /* set of classes */
	struct source_hold hold;
	struct random redirect_random;
	bool ways_changed;     /* new tables: link_change_ways() is due */
	uint64_t ports_coming; /* ports with a new link that wait for the end of what came over the former one */
	uint32_t flood_packets, flood_packets_max; /* copies of flooded frames inside */
	struct event_tree events;
	struct packet_pool pool;
	struct congestion_config congestion; /* as it is set now */
	struct injection injection;
	struct random random;    /* of choices: choose.c */
	struct wake_queue wakes; /* flows that wait for their wake-up time */
	struct translate translate;
	struct route_table routes;
	struct ifct ifcts[NODE_PORTS_MAX];
	struct port ports[NODE_PORTS_MAX];
};

extern const struct node_ops switchd_ops;

/** dataplane_touch() - something changed that may let port @port transmit, or transmit earlier. */
static inline void dataplane_touch(struct dataplane *dp, uint32_t port)
{
	dp->touched |= 1ull << port;
}

/** dataplane_port_up() - has port @port a link that is in use? A vacant one has not, nor one that link_change.c keeps back. */
static inline bool dataplane_port_up(const struct dataplane *dp, uint32_t port)
{
	return route_port_up(&dp->routes, port);
}

/** dataplane_drop() - counts a dropped frame under its reason.  @frame_bytes  of a packet's inner frame; else 0. */
void dataplane_drop(struct dataplane *dp, enum drop_reason reason, uint32_t port, uint32_t frame_bytes,
		    node_time_t now);

/** dataplane_port_configure() - @port is what config->ports[@port] says: kind, MTU, names on the link, class shares. */
void dataplane_port_configure(struct dataplane *dp, uint32_t port);

/** packet_enter(), packet_leave() - the packet is, is no longer inside the switch; leaving frees it. */
static inline void packet_enter(struct dataplane *dp, const struct packet *packet)
{
	dp->stats->inside_packets++;
	dp->stats->inside_bytes += packet->frame_bytes;
}

static inline void packet_leave(struct dataplane *dp, struct packet *packet)
{
	dp->stats->inside_packets--;
	dp->stats->inside_bytes -= packet->frame_bytes;
	dp->flood_packets -= packet->copy;
	packet_free(&dp->pool, packet);
}

/** dataplane_listener() - what a link of this switch calls. */
struct link_listener dataplane_listener(struct dataplane *dp);

/* ---- room.c: the input buffers ---- */

/** room_configure() - the water levels of @port are as config->ports[@port] says. */
void room_configure(struct dataplane *dp, uint32_t port);

/** room_left() - how much more may be in the input buffer, or be promised room in it, before the neighbour has to stop; units. */
uint32_t room_left(const struct dataplane *dp, uint32_t port, uint32_t lane);

/** room_update() - the input buffer of @port and @lane holds more, or less: does its neighbour have to stop, or may it go
 *  on? After each arrival, release and promise. O(1).                                                              */
void room_update(struct dataplane *dp, uint32_t port, uint32_t lane);

/** room_release() - @packet has left its input buffer. A copy was in none, and the buffer of a link that is gone went with it. */
void room_release(struct dataplane *dp, const struct packet *packet);

/* ---- arrival.c: link -> EFCT -> IFCT ---- */

/** arrival_packet() - a data packet has arrived on port @port (its header, if the switch cuts through).
 *  @bytes  captured, in shared memory.                                                                          */
void arrival_packet(struct dataplane *dp, uint32_t port, const struct record *header, const uint8_t *bytes,
		    node_time_t now);

/** arrival_lines_freed() - EFCT lines of edge port @port are free: packets that waited take them, in order. */
void arrival_lines_freed(struct dataplane *dp, uint32_t port, node_time_t now);

/* ---- choose.c: which output a flow takes ---- */

/** choose_output() - @packet of @flow is about to be queued: the flow's output, anew if nothing of it is here or downstream (FC-15).
 *  Return: false, with the reason in @why, if no port leads to its destination. O(candidates) for a flow's first packet, else O(1).
 */
bool choose_output(struct dataplane *dp, struct ifct_entry *flow, const struct packet *packet, enum drop_reason *why,
		   node_time_t now);

/** choose_way() - the same, anew in any case: for one packet of an open tree (FC-16), or when nothing of the flow is under way (FC-15). */
bool choose_way(struct dataplane *dp, struct ifct_entry *flow, const struct packet *packet, enum drop_reason *why,
		node_time_t now);

/** choose_leads_on() - is the output of flow @ref up, and the first step of a way to its destination? O(candidates). */
bool choose_leads_on(const struct dataplane *dp, uint32_t ref);

/* a port, and the switch to go to first; 0: the minimal path */
struct choose_move {
	int port; /* -1: none */
	uint16_t via;
};

/** choose_move_of() - where flow @ref would go to. If the congestion is here, not @far: a port that offers it an eighth more than it has
 *  (outflow.h), so that it is worth a stop. If it is further down: any, the loads here say nothing of it. With detours
 *  one that is as little loaded. O(candidates). */
struct choose_move choose_move_of(struct dataplane *dp, uint32_t ref, bool far, node_time_t now);

/** choose_may_move() - is @port, another one than that of flow @ref, the first step of a minimal way to its destination, and may the
 *  flow leave its own (FC-24)? O(candidates). */
bool choose_may_move(struct dataplane *dp, uint32_t ref, uint32_t port, node_time_t now);

/** choose_take() - flow @ref, of which nothing is downstream, goes by @move, which was decided before, if that still leads to its
 *  destination and the flow is not bound.   Return: does it? */
bool choose_take(struct dataplane *dp, uint32_t ref, const struct choose_move *move, node_time_t now);

/** choose_other() - flow @ref, of which nothing is downstream, goes where choose_move_of() says now (FC-25).
 *  @hint  the port upward that it is to take if that leads to its destination, by its number; 0: not said. */
void choose_other(struct dataplane *dp, uint32_t ref, bool far, uint32_t hint, node_time_t now);

/** choose_is_held() - is flow @ref bound to a way, since one between the same two is a source of congestion (FC-24)? */
bool choose_is_held(struct dataplane *dp, uint32_t ref, node_time_t now);

/** choose_count() - how many ports lead to the destination of @flow. */
uint32_t choose_count(const struct dataplane *dp, const struct ifct_entry *flow);

/* under what source_hold.h knows flow @ref */
static inline struct source_hold_key choose_key(const struct ifct_entry *flow, uint32_t ref)
{
	return (struct source_hold_key){ .in_port = (uint8_t)flow_ref_port(ref),
					 .traffic_class = flow->traffic_class,
					 .fabric_address = flow->fabric_address,
					 .egress_port = flow->egress_port };
}

/* ---- reroute.c: output queue -> REROUTE ACK -> IFCT that obeys (FC-25). Without redirects configured they do nothing. ---- */

/** reroute_look() - a packet of flow @ref, @ordered or not, has asked for @out: shall its flow be redirected? */
void reroute_look(struct dataplane *dp, struct port *out, uint32_t ref, bool ordered, node_time_t now);

/** reroute_arrived() - a packet of flow @ref, @ordered or not, @wire_bytes long, has come in over a fabric port: shall the flow come in by
 *  another? O(1); once in a window O(ports). */
void reroute_arrived(struct dataplane *dp, uint32_t ref, bool ordered, uint32_t wire_bytes, node_time_t now);

/** reroute_forwarded() - a packet of flow @ref, @frame_bytes long, goes out at @port: counts it. O(1). */
void reroute_forwarded(struct dataplane *dp, uint32_t port, uint32_t ref, uint32_t frame_bytes, node_time_t now);

/** reroute_offer() - bytes that a flow would get at fabric port @port within a window of redirects, if it went there. O(1). */
uint64_t reroute_offer(const struct dataplane *dp, uint32_t port, node_time_t now);

/** reroute_needs() - what a port has to offer if flow @ref is to leave its own for it. 0: nothing has gone out at its own for a window,
 *  so loads do not tell. O(1). */
uint64_t reroute_needs(const struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_begin() - flow @ref is a new one here. */
void reroute_begin(struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_heard() - a REROUTE ACK has come up flow @ref.
 *  @value  what it says (reroute.c); filled with what it says further up.
 *  Return: does it end here, obeyed or not? Else it goes on upstream.                                              */
bool reroute_heard(struct dataplane *dp, uint32_t ref, uint32_t *value, node_time_t now);

/** reroute_emptied() - nothing of flow @ref, BLOCK_FOR_REDIRECT, is downstream any more: it moves now, or when its turn comes.
 *  Return: false if its packets had no way left: then they are lost, and the flow is gone.                        */
bool reroute_emptied(struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_due() - has flow @ref, whose turn it is, to choose anew first? */
bool reroute_due(struct dataplane *dp, uint32_t ref);

/** reroute_choose() - flow @ref, which has packets and stands nowhere, chooses anew: if its output leads on another one that is as good,
 *  if there is one; else any.   Return: false if no port leads to its destination. */
bool reroute_choose(struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_forget() - the channel of flow @ref is free. */
void reroute_forget(struct dataplane *dp, uint32_t ref);

/* ---- flow_tree.c: flows of unordered classes (FC-16, EC-11) ---- */

/** tree_is() - does each packet of flow @ref choose when it is the first of the queue, or did it until congestion? */
bool tree_is(struct dataplane *dp, uint32_t ref);

/** tree_is_folded() - is flow @ref a tree that is folded? */
bool tree_is_folded(struct dataplane *dp, uint32_t ref);

/** tree_metered() - does flow @ref need credit for output @port? */
bool tree_metered(struct dataplane *dp, uint32_t ref, uint32_t port);

/** tree_headroom() - how much credit it has there, if it does; units. */
int32_t tree_headroom(struct dataplane *dp, uint32_t ref, uint32_t port);

/** tree_spend() - @units of flow @ref go on to @port. */
void tree_spend(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t units);

/** tree_credited() - headroom_on_ack() for what flow @ref has on channel @id of @port. */
void tree_credited(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t id, uint32_t credit);

/** tree_load() - how good output @port is for the first packet of flow @ref, an open tree: less is better.  @bytes  what waits there. */
uint64_t tree_load(struct dataplane *dp, uint32_t ref, uint32_t port, uint64_t bytes);

/** tree_begin() - @packet is the first of flow @ref, of which nothing is here or downstream. */
void tree_begin(struct dataplane *dp, uint32_t ref, const struct packet *packet);

/** tree_end() - the channel of flow @ref is free. */
void tree_end(struct dataplane *dp, uint32_t ref);

/** tree_fold() - congestion at the destination was heard of from output @port: what follows goes there (EC-11). Nothing if it did already. */
void tree_fold(struct dataplane *dp, uint32_t ref, uint32_t port);

/** tree_moved() - flow @ref was redirected. */
void tree_moved(struct dataplane *dp, uint32_t ref);

/** tree_choose() - @packet is the first in the queue of flow @ref, a tree, which stands nowhere: its output.
 *  Return: as choose_output(). */
bool tree_choose(struct dataplane *dp, uint32_t ref, const struct packet *packet, enum drop_reason *why,
		 node_time_t now);

/** tree_mark() - @packet of flow @ref goes on: it says whether the flow is ordered. */
void tree_mark(struct dataplane *dp, uint32_t ref, struct packet *packet);

/** choose_via_left() - by which switch a packet that came in over fabric port @in_port with @header has yet to go; 0: by none. A detour
 *  ends at its via, in the via's group, and wherever the packet is to leave the fabric. Pure. */
static inline uint16_t choose_via_left(const struct dataplane *dp, uint32_t in_port, const struct fabric_header *header)
{
	bool ends = header->via == dp->routes.own_address || header->fabric_address == dp->routes.own_address ||
		    dp->config->ports[in_port].tier == TIER_GLOBAL;

	return ends ? 0 : header->via;
}

/* ---- crossbar.c: IFCT -> arbiter -> OFCT -> output queue ---- */

/** crossbar_request() - queues @packet in @flow and asks its output for it. Takes the packet.
 *  Return: false, with the reason in @why, if no port leads to its destination; then the packet is still the caller's, the channel is
 *  free again. */
bool crossbar_request(struct dataplane *dp, struct packet *packet, struct ifct_entry *flow, enum drop_reason *why,
		      node_time_t now);

/** crossbar_first() - flow @ref, a tree or with nothing under way, stands nowhere: its first packet chooses, anew if it had already, and
 *  asks; what it is granted comes with crossbar_settle(). Those that no port leads on for are lost.
 *  crossbar_anew() - the same, granted at once. */
void crossbar_first(struct dataplane *dp, uint32_t ref, node_time_t now);
void crossbar_anew(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_settle() - gives channels that flows have left to those that wait, and grants what flows that have moved to another output ask there. At the end of every event. */
void crossbar_settle(struct dataplane *dp, node_time_t now);

/** crossbar_leave() - @packet no longer waits for @out.   Return: was the queue there congested (EC-3)? */
bool crossbar_leave(struct dataplane *dp, struct port *out, struct packet *packet, node_time_t now);

/** crossbar_again() - flow @ref, in no list now, has packets and asks its output for them again. */
void crossbar_again(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_move() - flow @ref, in no list now, has packets, and nothing of it is downstream any more: it leaves its output, chooses anew
 *  (reroute_choose()) and asks there. The one way of a flow that is not an open tree to another output.
 *  Return: false if no port leads to its destination; its packets wait for nothing then.                          */
bool crossbar_move(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_paused() - has the neighbour at a fabric port said stop, and nobody has credit, since there is none? */
static inline bool crossbar_paused(const struct dataplane *dp, const struct port *out, uint32_t lane)
{
	return out->kind == PORT_FABRIC && link_stopped(out->link, lane) && !dp->injection.config->headroom;
}

/** crossbar_grant() - moves packets to the output queue of @port and @lane while it has room: at most a queue full. */
void crossbar_grant(struct dataplane *dp, uint32_t port, uint32_t lane, node_time_t now);

/** crossbar_channel_freed() - a channel of @port's link is free: the flow that waits longest may have it (FC-9). */
void crossbar_channel_freed(struct dataplane *dp, uint32_t port, node_time_t now);

/* ---- flow_control.c: what holds a flow at its input, and what lets it go on ---- */

/** flow_holds() - what flow @ref, whose turn it is at output @out, must wait for; IFCT_REQUESTING: nothing. Counts it. O(1).
 *  In its last switch nothing holds a packet that came over the fabric: it would only idle its host's link (ours).  */
enum ifct_wait flow_holds(struct dataplane *dp, const struct port *out, uint32_t ref, node_time_t now);

/** flow_wait() - flow @ref, in no arbiter any more, waits for @wait. O(log flows that wait for a time). */
void flow_wait(struct dataplane *dp, struct port *out, uint32_t ref, enum ifct_wait wait);

/** flow_list_push() - flow @ref, in no list, is the last of @list. */
void flow_list_push(struct dataplane *dp, struct flow_list *list, uint32_t ref);

/** flow_list_pop() - takes the first one out.  Return: FLOW_REF_NONE if there is none. */
uint32_t flow_list_pop(struct dataplane *dp, struct flow_list *list);

/** flow_queue() - queues @packet at the input of flow @ref; takes it.  Return: was the queue empty? */
bool flow_queue(struct dataplane *dp, uint32_t ref, struct packet *packet);

/** flow_meter() - a packet has been queued for flow @ref, and what could be granted at once is: must it be metered now (EC-12)? */
void flow_meter(struct dataplane *dp, uint32_t ref, node_time_t now);

/** flow_unqueue() - takes the first packet out of the input queue of flow @ref, whose room and credit go back. */
struct packet *flow_unqueue(struct dataplane *dp, uint32_t ref, node_time_t now);

/** flow_forwarded() - @packet, just taken out, goes on to its output. */
void flow_forwarded(struct dataplane *dp, const struct packet *packet, node_time_t now);

/** flow_acked() - @units of flow @ref are off its IFCT's flow_extent; @clears: ACK_DELTA. With the last one it is free. */
void flow_acked(struct dataplane *dp, uint32_t ref, uint32_t units, bool clears, node_time_t now);

/** flow_free() - the channel of flow @ref, of which nothing waits here and nothing is under way, is free; its EFCT line is the
 *  caller's. */
void flow_free(struct dataplane *dp, uint32_t ref);

/** flow_congested() - an ACK_ECA of @factor, 1..ECA_MAX, has come up flow @ref (EC-5). */
void flow_congested(struct dataplane *dp, uint32_t ref, uint32_t factor, node_time_t now);

/** flow_credited() - a HEADROOM ACK of @credit, or HEADROOM_END, has come for flow @ref on channel @id of output @port. */
void flow_credited(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t id, uint32_t credit, node_time_t now);

/** flow_credit_lost() - a HEADROOM ACK for flow @ref did not arrive upstream: says anew where it stands. */
void flow_credit_lost(struct dataplane *dp, uint32_t ref, node_time_t now);

/** flow_wake() - the time has come for the first of those that wait for one. */
void flow_wake(struct dataplane *dp, node_time_t now);

/** flow_stop_waiting() - flow @ref, not in an arbiter, is taken out of whatever it waits in. O(flows that wait there). */
void flow_stop_waiting(struct dataplane *dp, uint32_t ref);

/** flow_go() - the peer at fabric port @port has room again for @lane. */
void flow_go(struct dataplane *dp, uint32_t port, uint32_t lane, node_time_t now);

/* ---- transmit.c: output queue -> link ---- */

/** transmit_next_at() - when port @port should transmit next; NODE_TIME_NEVER if it has nothing it may send. */
node_time_t transmit_next_at(struct dataplane *dp, uint32_t port, node_time_t now);

/** transmit_settle_pause() - counts a pause that lasts up to @now. */
void transmit_settle_pause(struct port *out, node_time_t now);

/** transmit() - puts one thing on port @port's link: control words, else an ACK frame that is due, else a packet. */
void transmit(struct dataplane *dp, uint32_t port, node_time_t now);

/* ---- ack_path.c: link -> OFCT -> IFCT -> EFCT or ACK collector -> link ---- */

/** ack_path_frame() - an ACK frame has arrived on port @port.  @bytes  in shared memory. */
void ack_path_frame(struct dataplane *dp, uint32_t port, const struct record *header, const uint8_t *bytes,
		    node_time_t now);

/** ack_path_up() - an ACK for flow @ref of this switch, over the ACK crossbar to its input port (FC-12). */
void ack_path_up(struct dataplane *dp, uint32_t ref, enum ack_type type, uint32_t value, node_time_t now);

/* on an edge link: the flow of a packet, and whether the queue that it left was congested */
#define ACK_TAG_CONGESTED (1u << 31)

/** ack_path_delivered() - the packet of @tag and @units has left the fabric: its ACK starts (EC-3). */
void ack_path_delivered(struct dataplane *dp, uint32_t tag, uint32_t units, node_time_t now);

/** ack_path_listener() - what a guarded link of this switch calls about its frames. */
struct link_listener ack_path_listener(struct dataplane *dp);

/* ---- fgfc_path.c: IFCT of an edge port -> FGFC -> link. Without FGFC configured they do nothing. ---- */

/** fgfc_path_queued() - a packet of flow @flow_id was queued at edge port @port (its line has the pattern already). */
void fgfc_path_queued(struct dataplane *dp, uint32_t port, uint32_t flow_id);

/** fgfc_path_forwarded() - @units of it were taken out of its queue, which tells its extent without them. */
void fgfc_path_forwarded(struct dataplane *dp, uint32_t port, uint32_t flow_id, uint32_t units);

/** fgfc_path_freed() - its EFCT line is free. */
void fgfc_path_freed(struct dataplane *dp, uint32_t port, uint32_t flow_id);

/** fgfc_path_clear() - the link at @port is gone. */
void fgfc_path_clear(struct dataplane *dp, uint32_t port);

/** fgfc_path_send() - puts the frame that is due on edge port @port's link, which is free.  Return: was there one? */
bool fgfc_path_send(struct dataplane *dp, uint32_t port, node_time_t now);

/** fgfc_path_name() - how the host of edge port @port can tell flow @flow_id. */
struct flow_name fgfc_path_name(const struct dataplane *dp, uint32_t port, uint32_t flow_id);

/* ---- link_change.c: node_ops.link_down, node_ops.link_up ---- */

/** link_change_down() - the link at @port is gone. Does not touch events but those of dataplane_touch(). */
void link_change_down(struct dataplane *dp, uint32_t port, node_time_t now);

/** link_change_settle() - whatever went over the former link of fabric port @port has left the fabric, but for channels @left: what
 *  is still not acknowledged of others was lost on it, and their flows, which waited to know, choose another way. */
void link_change_settle(struct dataplane *dp, uint32_t port, const struct channel_set *left, node_time_t now);

/** link_change_ways() - new tables are in force. Flows that follow a port which leads to their destination no more wait until nothing of
 *  them is downstream, BLOCK_FOR_REDIRECT, and choose anew then: reroute_emptied(). */
void link_change_ways(struct dataplane *dp, node_time_t now);

/** link_change_lose() - flow @ref, which stands nowhere, has no way left: its packets are lost. It may be gone then. */
void link_change_lose(struct dataplane *dp, uint32_t ref, node_time_t now);

/** link_change_up() - a new link is at @port; link_change_finish() takes it into use. */
void link_change_up(struct dataplane *dp, uint32_t port);

/** link_change_finish() - takes those new links into use whose port has nothing left of the former one, from @now on.
 *  Return: set of those ports; what waits in their rings is to be looked at.                                      */
uint64_t link_change_finish(struct dataplane *dp, node_time_t now);

/** dataplane_show() - node_ops.show: "ports", "efct", "ifct", "ofct", "congestion", "limits", "queues", "acks", "fgfc", "routes". */
int dataplane_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out);

/** dataplane_set() - node_ops.set: "match", "match.pN", "ack.t1", "ack.t2", "ack.t3" (ns), "ack.collect", "output-queue" (units),
 *  "congestion.rate-limit", "congestion.flow-limit", "congestion.limit-after-ack" (on, off). */
int dataplane_set(void *dataplane, const char *name, const char *value, FILE *out);

#endif
