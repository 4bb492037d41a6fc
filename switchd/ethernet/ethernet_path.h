/*  ethernet_path - states of congested queues, CNPs and signals of S4 (ethernet.h). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_PATH_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_PATH_H

#include "switchd/ethernet/ethernet.h"

/** ethernet_path_init() - ports and queues are there, nothing has passed.  Return: 0 or -ENOMEM. */
int ethernet_path_init(struct ethernet *eth);
void ethernet_path_fini(void *dataplane);

/** ethernet_path_rates() - the rates of links have changed, or ports are no longer vacant. O(ports
 *  x classes). */
void ethernet_path_rates(struct ethernet *eth);

enum path_verdict {
	PATH_PASSES,
	PATH_TAKEN,  /* a signal for the device at the output: it ends here */
	PATH_FORGED, /* a signal from a host, of which only switches make any */
};

/** ethernet_path_reply() - an ACK, NAK or CNP is to leave at @out, or was to. @here @out is where
 *  its destination is.
 *  Return: what becomes of it. The packet stays the caller's. */
enum path_verdict ethernet_path_reply(struct ethernet *eth, uint32_t out,
				      const struct packet *packet,
				      const struct frame_fields *fields, bool here,
				      node_time_t now);

/** ethernet_path_data() - a RoCEv2 data packet with @fields has been put into the queue of @out and
 *  @traffic_class, or there was no room for it: its flow feeds the queue either way. */
void ethernet_path_data(struct ethernet *eth, uint32_t out, uint32_t traffic_class,
			const struct frame_fields *fields, node_time_t now);

/** ethernet_path_on_length() - the queue of a watched class has grown or shrunk. */
void ethernet_path_on_length(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
			     node_time_t now);

/** ethernet_path_periods() - the period in which a flow needs a CNP, or a level, is another from
 *  @now on. O(ports x classes). */
void ethernet_path_periods(struct ethernet *eth, node_time_t now);

/** ethernet_path_step() - sends signals and CNPs that are due because of the queues of @port, a few
 *  at a time.
 *  Return: when to call it again, as things are; NODE_TIME_NEVER. */
node_time_t ethernet_path_step(void *dataplane, uint32_t port, node_time_t now);

#endif
