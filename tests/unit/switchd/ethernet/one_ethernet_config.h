/*  one_ethernet_config - the switch of one_switch.h as an Ethernet switch of fabric kind roce.
 *
 *  The same ports and hosts. Three classes: 0 "tcp" lossy, 1 "roce" lossless, 2 "cnp" lossy.
 *  Flooded frames are sent to all ports. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_ETHERNET_ONE_ETHERNET_CONFIG_H
#define HEDDLE_TESTS_UNIT_SWITCHD_ETHERNET_ONE_ETHERNET_CONFIG_H

#include "nodes/config/parameter.h"
#include "switchd/ethernet/ethernet.h"
#include "tests/unit/switchd/flow_channel/one_switch.h"

#define TCP 0u
#define ROCE 1u
#define CNP 2u
#define BUFFER_BYTES (1u << 20)
#define HEADROOM_BYTES 20000u

/* the configuration; what only NICs use has its defaults */
static inline void ethernet_configure(struct one_switch *one)
{
	struct roce_config *roce = &one->config.roce;

	one_switch_configure(one);
	one->ops = &ethernet_ops;
	one->config.fabric = FABRIC_ROCE;
	one->config.seed = 7;
	one->config.class_count = 3;
	one->config.switch_.flood_ports = (1u << PORTS) - 1;
	for (uint32_t p = 0; p < PORTS; p++) {
		one->ports[p].buffer_units = one->ports[p].stop_units = 0;
		one->ports[p].headroom_bytes = HEADROOM_BYTES;
	}
	parameters_default(&roce_parameters, roce);
	roce->cnp_class = CNP;
	roce->buffer_bytes = BUFFER_BYTES;
	roce->idle_ps = NODE_MS;
	roce->path_high_bytes = 600000;
	roce->path_low_bytes = 200000;
	roce->flows_max = 16;
	roce->queue_pair.timeout_ps = roce->tcp.rto_min_ps = NODE_NS;
	memset(roce->classes, 0, sizeof(roce->classes));
	roce->classes[ROCE] = (struct roce_class_config){ .lossless = true,
							  .xoff_bytes = 500000,
							  .xon_offset_bytes = 2000 };
}

#endif
