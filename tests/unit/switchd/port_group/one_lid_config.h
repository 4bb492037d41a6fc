/*  one_lid_config - the switch of one_switch.h as one of fabric kind port-group.
 *
 *  The same ports and hosts: host h has LID h + 1. Ports 2 and 3 are group 1, and both are next
 *  hops to hosts 2 ... 5 (LIDs 3 ... 6). The LFT has port 2 for LIDs 3 and 4, port 3 for 5 and 6.
 *  Two classes of two lanes each: class 0 keeps order, class 1 does not. Levels rise by hop.
 *  Flooded frames are sent to all ports. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_PORT_GROUP_ONE_LID_CONFIG_H
#define HEDDLE_TESTS_UNIT_SWITCHD_PORT_GROUP_ONE_LID_CONFIG_H

#include "switchd/port_group/lid_switch.h"
#include "tests/unit/switchd/flow_channel/one_switch.h"

#define ORDERED 0u
#define UNORDERED 1u
#define LEVELS 2u
#define LANES (2 * LEVELS)
#define LID_COUNT 8u

static uint8_t lid_lft[LID_COUNT] = { LFT_NO_PORT, 0, 1, 2, 2, 3, 3, LFT_NO_PORT };
static uint8_t lid_pgft[LID_COUNT] = { 0, 0, 0, 1, 1, 1, 1, 1 };
static uint64_t lid_pgt[2][PORT_GROUP_WORDS] = { { 0 }, { 1 << 2 | 1 << 3 } };

static inline void lid_configure(struct one_switch *one)
{
	one_switch_configure(one);
	one->ops = &lid_ops;
	one->config.fabric = FABRIC_PORT_GROUP;
	one->config.seed = 7;
	one->config.class_count = 2;
	one->config.classes[UNORDERED].unordered = true;
	one->config.lanes = LEVELS;
	one->config.switch_.flood_ports = (1u << PORTS) - 1;
	one->config.switch_.routing.lane_rule = LANES_BY_HOP;
	one->config.switch_.routing.seed = 11;
	one->config.switch_.lids = (struct lid_tables){ .lid_count = LID_COUNT,
							.lft = lid_lft,
							.pgft = lid_pgft,
							.group_count = 2,
							.pgt = lid_pgt };
	one->config.port_group = (struct port_group_config){ .lid_bits = 16,
							     .adaptive = true,
							     .policy = POLICY_GREEDY_RANDOM,
							     .update_lft = true,
							     .pending_units = PORT_GROUP_UNITS_MAX,
							     .queue_units = PORT_GROUP_UNITS_MAX,
							     .log_marks = PORT_GROUP_MARKS_MAX,
							     .log_window_ps = NODE_NS,
							     .fecn_units = PORT_GROUP_UNITS_MAX,
							     .ccti_increase = 1,
							     .ccti_max = 1,
							     .ccti_step_permille = 1,
							     .ccti_timer_ps = NODE_NS };
}

#endif
