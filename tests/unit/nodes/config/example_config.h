/*  example_config - a complete switch and a complete NIC, for tests of the configuration and of its
 *  transport. */
#ifndef HEDDLE_TESTS_UNIT_NODES_CONFIG_EXAMPLE_CONFIG_H
#define HEDDLE_TESTS_UNIT_NODES_CONFIG_EXAMPLE_CONFIG_H

#include <stdlib.h>
#include <string.h>

#include "nodes/config/config.h"

/* FC-2: the first port matches whole fields, the others under a mask */
static inline struct flow_match example_match(uint32_t port)
{
	struct flow_match match = flow_match_whole(MATCH_IP_PAIR | MATCH_PORTS);

	if (port) {
		match.mask[PART_DESTINATION_IPV4] = 0xffffff00;
		match.mask[PART_SOURCE_IPV6_LOW] = port;
		match.mask[PART_SOURCE_PORT] = 0xff00;
	}
	return match;
}

static inline void example_node(struct node_config *config, enum node_kind kind,
				uint32_t port_count)
{
	*config = (struct node_config){
		.kind = kind,
		.name = "s1",
		.index = 3,
		.node_count = 16,
		.seed = 0x8877665544332211,
		.measure_from_ps = 1000,
		.measure_to_ps = NODE_TIME_NEVER,
		.sample_ps = 5000,
		.series = true,
		.class_count = 2,
		.classes = { { .name = "bulk", .min_permille = 100, .max_permille = 1000 },
			     { .name = "urgent",
			       .min_permille = 300,
			       .max_permille = 700,
			       .unordered = true } },
		.lanes = 3,
		.port_count = port_count
	};
	config->ports = calloc(port_count, sizeof(*config->ports));
	for (uint32_t i = 0; i < port_count; i++)
		config->ports[i] = (struct port_config){ .kind = i % 2 ? PORT_FABRIC : PORT_EDGE,
							 .peer_name = "peer",
							 .peer_index = 4 + i,
							 .peer_port = i,
							 .link_index = 40 + i,
							 .tier = i % 2 ? TIER_GLOBAL : TIER_LOCAL,
							 .rate_bps = 200000000000,
							 .delay_ps = 1000000 + i,
							 .mtu_bytes = 4096,
							 .gap_bytes = 20,
							 .loss_ppb = 7,
							 .bit_error_e15 = 8,
							 .guarded = true,
							 .channels = 2048,
							 .buffer_units = 5000,
							 .peer_units = 3000,
							 .stop_units = 4000,
							 .flight_units = 2048,
							 .match = example_match(i),
							 .ring_bytes = 1u << 20 };
}

/* a table of six settings; no two numbers of a setting are equal */
static inline struct congestion_config example_congestion(void)
{
	struct congestion_config congestion = { .eca = true,
						.lbf_thresh_units = 1001,
						.lbf_shift = 6,
						.lpf_thresh = 64,
						.lpf_shift = 2,
						.dbf_thresh_units = 4096,
						.dbf_shift = 7,
						.dbf_clk_cnt = 1000,
						.ecn = true,
						.ecn_eca = 17,
						.inputs = true,
						.inputs_thresh_units = 33,
						.inputs_shift = 9,
						.slow_start = true,
						.slow_start_setting = 1,
						.rate_limit = true,
						.flow_limit = true,
						.limit_after_ack = true,
						.headroom = true,
						.fgfc = true,
						.fgfc_pause_ps = 50000000,
						.fgfc_credit_units = 3,
						.port_limit_units = 70000 };

	for (uint32_t i = 0; i < CONGESTION_SETTINGS; i++) {
		uint32_t row = i < 6 ? i : 5;

		congestion.settings[i] =
			(struct congestion_setting){ .eca_min = 40 * row,
						     .rate_bps = 200000000000 >> row,
						     .flow_extent_units = 4096 >> row,
						     .queue_extent_units = 1024 >> row,
						     .high_units = 512 >> row,
						     .target_units = 384 >> row,
						     .drop_units = 192 >> row,
						     .limit_after_ack = row > 3,
						     .byte_time_ps = 40 + row,
						     .byte_time_scale = row };
	}
	return congestion;
}

/* no two numbers are equal */
static inline struct routing_config example_routing(void)
{
	return (struct routing_config){ .choice = ROUTING_ADAPTIVE,
					.detour = DETOUR_ADAPTIVE,
					.detour_weight_permille = 2000,
					.detour_bias_units = 129,
					.detour_draws = 3,
					.lane_rule = LANES_BY_HOP,
					.load_queue = true,
					.redirect_rule = REDIRECT_BY_DEPTH,
					.hold_sources = true,
					.hold_ps = 50000001,
					.redirect = true,
					.redirect_anywhere = true,
					.redirect_inputs = true,
					.redirect_depth_units = 515,
					.redirect_full_units = 2051,
					.redirect_growth_weight_permille = 4001,
					.redirect_interval_ps = 1000001,
					.redirect_pause_ps = 10000001,
					.redirect_group = 47,
					.seed = 0x1122334455667788 };
}

static inline void example_switch(struct node_config *config)
{
	struct switch_config *self = &config->switch_;

	example_node(config, NODE_SWITCH, 3);
	*self = (struct switch_config){ .fabric_address = 65535,
					.latency_ps = 350000,
					.cut_through = true,
					.arbiter = ARBITER_BY_PORT,
					.output_queue_units_max = 32,
					.ack_t1_ps = 30000,
					.ack_t2_ps = 60000,
					.ack_t3_ps = 90000,
					.ack_collect = 48,
					.congestion = example_congestion(),
					.routing = example_routing(),
					.route_count = 2,
					.via_count = 3,
					.host_count = 2 };
	self->routes = calloc(2, sizeof(*self->routes));
	self->routes[0] = (struct route_config){ .fabric_address = 1, .ports = 6 };
	self->routes[1] = (struct route_config){ .fabric_address = 2, .ports = 2 };
	self->vias = calloc(3, sizeof(*self->vias));
	self->vias[0] = 2;
	self->vias[1] = 300;
	self->vias[2] = 8191;
	self->hosts = calloc(2, sizeof(*self->hosts));
	self->hosts[0] =
		(struct host_config){ .host_index = 0, .fabric_address = 1, .egress_port = 63 };
	self->hosts[1] =
		(struct host_config){ .host_index = 9, .fabric_address = 2, .egress_port = 0 };
	self->prefix_count = 3;
	self->prefixes = calloc(3, sizeof(*self->prefixes));
	self->prefixes[0] = (struct prefix_config){
		.host_index = 9, .version = 4, .bits = 16, .address = { 10, 9 }
	};
	self->prefixes[1] = (struct prefix_config){
		.host_index = 0, .version = 4, .bits = 32, .address = { 10, 9, 0, 7 }
	};
	self->prefixes[2] = (struct prefix_config){
		.host_index = 9, .version = 6, .bits = 9, .address = { 0xfd, 0x80 }
	};
}

static inline void example_nic(struct node_config *config)
{
	struct workload_config *workload;

	example_node(config, NODE_NIC, 1);
	config->nic = (struct nic_config){ .host_index = 5,
					   .latency_ps = 100000,
					   .flows_max = 64,
					   .messages_max = 1000,
					   .fgfc_entries_max = 100,
					   .workload_count = 2 };
	config->nic.pause_count = 2;
	config->nic.pauses = calloc(2, sizeof(*config->nic.pauses));
	config->nic.pauses[0] = (struct pause_config){ 100, 5000, 20000, 15000, 1 };
	config->nic.pauses[1] = (struct pause_config){ 200, 3600 * NODE_S, 70000, 70000, 3 };
	config->nic.workloads = calloc(2, sizeof(*config->nic.workloads));
	for (uint32_t i = 0; i < 2; i++) {
		workload = &config->nic.workloads[i];
		*workload =
			(struct workload_config){ .workload_index = i,
						  .name = "incast",
						  .destination = DESTINATION_ROUND_ROBIN,
						  .arrival = i ? ARRIVAL_BURST : ARRIVAL_POISSON,
						  .frame = FRAME_HPC,
						  .connections = 1,
						  .traffic_class = 1,
						  .packet_bytes = 4096,
						  .window = 4,
						  .load_permille = 900,
						  .burst_messages = 8,
						  .burst_period_ps = 77777,
						  .start_ps = 5,
						  .stop_ps = 3600 * NODE_S,
						  .messages_max = 12,
						  .message_bytes = i ? 65536 : 0,
						  .size_count = 2,
						  .seed = 0xfedcba9876543210,
						  .destination_count = 3 };
		workload->sizes = calloc(2, sizeof(*workload->sizes));
		workload->sizes[0] = (struct size_point){ 10000, 150000 };
		workload->sizes[1] = (struct size_point){ 30000000, 1000000 };
		workload->destinations = calloc(3, sizeof(*workload->destinations));
		for (uint32_t k = 0; k < 3; k++)
			workload->destinations[k] = 300 * k;
	}
}

/* five DLIDs, three groups */
static inline void example_lids(struct lid_tables *tables)
{
	static const uint8_t lft[5] = { LFT_NO_PORT, 0, 1, 2, 2 }, pgft[5] = { 0, 0, 1, 2, 2 };

	*tables = (struct lid_tables){ .lid_count = 5, .group_count = 3 };
	tables->lft = malloc(sizeof(lft));
	memcpy(tables->lft, lft, sizeof(lft));
	tables->pgft = malloc(sizeof(pgft));
	memcpy(tables->pgft, pgft, sizeof(pgft));
	tables->pgt = calloc(3, sizeof(*tables->pgt));
	tables->pgt[1][0] = 6;
	tables->pgt[2][0] = 5;
	tables->pgt[2][3] = 1ull << 63;
}

/* Puts @config in a fabric of kind port-group. No two numbers are equal. */
static inline void example_port_group(struct node_config *config)
{
	config->fabric = FABRIC_PORT_GROUP;
	config->port_group = (struct port_group_config){ .lid_bits = 24,
							 .adaptive = true,
							 .policy = POLICY_GREEDY_RANDOM,
							 .update_lft = true,
							 .non_minimal = true,
							 .pending_units = 100,
							 .queue_units = 101,
							 .log_marks = 3,
							 .log_window_ps = 10000001,
							 .hold_ps = 1000001,
							 .fecn = true,
							 .fecn_units = 102,
							 .becn = true,
							 .becn_interval_ps = 20000001,
							 .ccti_increase = 4,
							 .ccti_max = 127,
							 .ccti_step_permille = 500,
							 .ccti_timer_ps = 30000001 };
	if (config->kind != NODE_SWITCH)
		return;
	config->switch_.flood_ports = 5;
	example_lids(&config->switch_.lids);
}

/* Congestion control and transports. No two numbers of a structure are equal. */
static inline void example_transports(struct roce_config *roce)
{
	roce->congestion = CONGESTION_KINDS - 1;
	roce->dcqcn = (struct dcqcn_config){ .enabled = true,
					     .g_ppb = 3906250,
					     .alpha_initial_ppm = 1000000,
					     .alpha_first = true,
					     .alpha_timer_ps = 56000000,
					     .increase_timer_ps = 57000000,
					     .byte_counter_bytes = 10000000,
					     .fast_recovery = 5,
					     .ai_bps = 40000000,
					     .hai_bps = 400000000,
					     .rate_min_bps = 41000000,
					     .rate_initial_bps = 42000000,
					     .cut_interval_ps = 4000000,
					     .clamp_target = true,
					     .cnp_interval_ps = 50000000,
					     .hyper_by_timer = true,
					     .react_on_tick = true };
	roce->swift = (struct swift_config){ .base_target_ps = 20000000,
					     .hop_ps = 3000000,
					     .fs_range_ps = 100000000,
					     .fs_min_ppm = 100000,
					     .fs_max_ppm = 100000000,
					     .ai_ppm = 1000001,
					     .beta_ppm = 800000,
					     .mdf_max_ppm = 500000,
					     .cwnd_min_ppm = 1000,
					     .cwnd_max_ppm = 1000000000,
					     .cwnd_initial_ppm = 10000000,
					     .retransmits = 5 };
	roce->queue_pair = (struct queue_pair_config){
		.ack_packets = 16, .window_bytes = 1 << 20, .timeout_ps = 67000000000, .retries = 7
	};
	roce->tcp = (struct tcp_config){ .initial_packets = 10,
					 .window_packets_max = 1024,
					 .ecn = true,
					 .rto_min_ps = 1000000000 };
}

/* Puts @config in a fabric of kind roce. No two numbers of a structure are equal. */
static inline void example_roce(struct node_config *config)
{
	struct roce_config *roce = &config->roce;

	config->fabric = FABRIC_ROCE;
	config->lanes = 1;
	for (uint32_t i = 0; i < config->port_count; i++) {
		config->ports[i].guarded = false;
		config->ports[i].buffer_units = config->ports[i].stop_units = 0;
		config->ports[i].headroom_bytes = 90000 + i;
	}
	if (config->kind == NODE_SWITCH)
		config->switch_.flood_ports = 5;
	for (uint32_t i = 0; i < config->nic.workload_count; i++) {
		config->nic.workloads[i].frame = i ? FRAME_TCP : FRAME_ROCE_IPV6;
		config->nic.workloads[i].transport = i ? TRANSPORT_TCP : TRANSPORT_RC;
		config->nic.workloads[i].connections = 7 + i;
	}
	*roce = (struct roce_config){ .pfc = true,
				      .pause = true,
				      .cnp_class = 1,
				      .buffer_bytes = 33554432,
				      .supplement = true,
				      .increase_period_ps = 55000000,
				      .idle_ps = 10000000000,
				      .reference_permille = 1500,
				      .path_pause = true,
				      .path_target = ROCE_CNP_FAILED,
				      .path_form = PATH_PAUSE_PORT,
				      .path_high_bytes = 600000,
				      .path_low_bytes = 200000,
				      .path_per_bps = 40000000000,
				      .flows_max = 65536,
				      .watchdog_ps = 10000000000 };
	for (uint32_t i = 0; i < ROCE_CLASSES_MAX; i++)
		roce->classes[i] =
			(struct roce_class_config){ .lossless = i % 2,
						    .ecn = i % 3,
						    .kmin_bytes = 5000 + i,
						    .kmax_bytes = 200000 + i,
						    .kmin_per_bps = i == 2 ? 0 : 25000000000 + i,
						    .kmax_per_bps =
							    i == 2 ? 40000000000 : 25000000000 + i,
						    .pmax_ppm = 10000 + i,
						    .queue_bytes_max = 3000000 + i,
						    .alpha_permille = 125 + i,
						    .xoff_bytes = 2000000 + i,
						    .xon_offset_bytes = 8192 + i,
						    .watched = i % 2,
						    .mark_at_dequeue = i % 3 };
	example_transports(roce);
}

#endif
