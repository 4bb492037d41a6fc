/*  ethernet_path - states of congested queues, CNPs and signals of S4 (ethernet.h). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_PATH_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_PATH_H

#include "switchd/ethernet/ethernet.h"

/** ethernet_path_init() - before the first packet; ports and queues exist. Return: 0 or -ENOMEM. */
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

/** ethernet_path_reply() - an ACK, NAK or CNP is for output @out. @here @out is the port of its
 *  destination. Return: what becomes of the packet, which stays the caller's. */
enum path_verdict ethernet_path_reply(struct ethernet *eth, uint32_t out,
				      const struct packet *packet,
				      const struct frame_fields *fields, bool here,
				      node_time_t now);

/** ethernet_path_data() - a RoCEv2 data packet with @fields was enqueued at @out and
 *  @traffic_class, or dropped because no buffer was free: in both cases its flow feeds the
 *  queue. */
void ethernet_path_data(struct ethernet *eth, uint32_t out, uint32_t traffic_class,
			const struct frame_fields *fields, node_time_t now);

/** ethernet_path_on_length() - the length of the queue of a watched class has changed. */
void ethernet_path_on_length(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
			     node_time_t now);

/** ethernet_path_periods() - the period of CNPs, or a level, has changed at @now. O(ports x
 *  classes). */
void ethernet_path_periods(struct ethernet *eth, node_time_t now);

/** ethernet_path_step() - switch_ops.port_timer: sends signals and CNPs that are due because of the
 *  queues of @port, a few at a time. Return: when the next one is due; NODE_TIME_NEVER. */
node_time_t ethernet_path_step(void *dataplane, uint32_t port, node_time_t now);

#endif
