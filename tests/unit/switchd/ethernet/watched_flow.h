/*  watched_flow - frame headers of flows, for the tests of what a switch remembers of flows. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_ETHERNET_WATCHED_FLOW_H
#define HEDDLE_TESTS_UNIT_SWITCHD_ETHERNET_WATCHED_FLOW_H

#include <string.h>

#include "switchd/ethernet/flow_watch.h"

/* a data frame of flow @flow: from 10.0.0.1 to 10.0.0.2 */
static inline struct frame_fields watched_data(uint8_t ip_version, uint16_t flow)
{
	struct frame_fields fields = {
		.source_mac = { 2, 0, 0, 0, 0, 1 },
		.destination_mac = { 2, 0, 0, 0, 0, 2 },
		.ip_version = ip_version,
		.source_ip = { 10, 0, 0, 1 },
		.destination_ip = { 10, 0, 0, 2 },
		.source_port = flow,
		.destination_port = ROCE_UDP_PORT,
		.roce = true,
	};

	return fields;
}

/* the frame that answers it */
static inline struct frame_fields watched_reply(uint8_t ip_version, uint16_t flow)
{
	struct frame_fields fields = watched_data(ip_version, flow);

	memcpy(fields.source_ip, (const uint8_t[4]){ 10, 0, 0, 2 }, 4);
	memcpy(fields.destination_ip, (const uint8_t[4]){ 10, 0, 0, 1 }, 4);
	memcpy(fields.source_mac, (const uint8_t[6]){ 2, 0, 0, 0, 0, 2 }, 6);
	memcpy(fields.destination_mac, (const uint8_t[6]){ 2, 0, 0, 0, 0, 1 }, 6);
	return fields;
}

static inline struct flow_line *watched_line(struct flow_watch *watch, uint16_t flow,
					     node_time_t now)
{
	struct frame_fields fields = watched_data(4, flow);

	return flow_watch_data(watch, &fields, now);
}

#endif
