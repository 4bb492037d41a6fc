/*  nodes/config/config: each limit of nodes/config/config.h is held, and the sentence names field
 *  and value (TB-6, TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/control/config_check.h"
#include "tests/testing.h"
#include "tests/unit/nodes/config/example_config.h"

static struct node_config config;
static char why[256];

TEST(node_config_check__complete)
{
	example_switch(&config);
	ck_assert_msg(node_config_check(&config, why, sizeof(why)) == 0, "%s", why);
	node_config_free(&config);
	example_nic(&config);
	ck_assert_msg(node_config_check(&config, why, sizeof(why)) == 0, "%s", why);
	node_config_free(&config);
}

TEST(node_config_free__zeroed)
{
	memset(&config, 0, sizeof(config));
	node_config_free(&config);
	ck_assert_int_eq(node_config_check(&config, why, sizeof(why)), -EINVAL);
}

TEST(node_config_check__short_why)
{
	char tiny[8];

	memset(&config, 0, sizeof(config));
	ck_assert_int_eq(node_config_check(&config, tiny, sizeof(tiny)), -EINVAL);
	ck_assert_uint_eq(strlen(tiny), 7);
}

TEST(node_config_check__missing_elements)
{
	example_switch(&config);
	free(config.switch_.routes);
	config.switch_.routes = NULL;
	ck_assert_int_eq(node_config_check(&config, why, sizeof(why)), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "switch.route_count"));
	config.switch_.route_count = 0;
	node_config_free(&config);
}

/* one mistake each, and what the sentence must say */
/* clang-format off */
#define SETTING(row) switch_.congestion.settings[row]
#define SWITCH_MISTAKES(M)                                                                                            \
	M(kind = NODE_KINDS, "kind is 2")                                                                              \
	M(name[0] = 0, "name is empty")                                                                                \
	M(name[1] = '/', "name has the byte 0x2f")                                                                     \
	M(node_count = NODE_COUNT_MAX + 1, "node_count is 8193")                                                       \
	M(index = 16, "index is 16")                                                                                   \
	M(measure_to_ps = 999, "measure_from_ps is 1000")                                                              \
	M(class_count = 0, "class_count is 0")                                                                         \
	M(class_count = 9, "class_count is 9")                                                                         \
	M(classes[1].name[0] = 0, "classes[1].name is empty")                                                          \
	M(classes[1].max_permille = 1001, "classes[1].max_permille is 1001")                                           \
	M(classes[1].min_permille = 701, "classes[1].min_permille is 701")                                             \
	M(classes[0].min_permille = 701, "sum of min_permille is 1001")                                                \
	M(port_count = 0, "port_count is 0")                                                                           \
	M(port_count = 65, "port_count is 65")                                                                         \
	M(ports[2].kind = PORT_KINDS, "ports[2].kind is 2")                                                            \
	M(ports[2].tier = LINK_TIERS, "ports[2].tier is 2")                                                             \
	M(lanes = 0, "lanes is 0, it must be 1..8")                                                                    \
	M(lanes = 5, "class_count * lanes is 10, it must be 1..8")                                                     \
	M(ports[0].peer_name[0] = 1, "ports[0].peer_name has the byte 0x01")                                           \
	M(ports[0].peer_index = 16, "ports[0].peer_index is 16")                                                       \
	M(ports[0].peer_index = 3, "ports[0].peer_index is 3, which is the node itself")                               \
	M(ports[1].peer_port = 64, "ports[1].peer_port is 64")                                                         \
	M(ports[1].rate_bps = 999999, "ports[1].rate_bps is 999999")                                                   \
	M(ports[1].rate_bps = 800000000001, "ports[1].rate_bps is 800000000001")                                       \
	M(ports[1].delay_ps = NODE_TIME_NEVER, "ports[1].delay_ps is 18446744073709551615")                            \
	M(ports[1].mtu_bytes = 63, "ports[1].mtu_bytes is 63")                                                         \
	M(ports[1].mtu_bytes = 9217, "ports[1].mtu_bytes is 9217")                                                     \
	M(ports[1].gap_bytes = 10000, "ports[1].gap_bytes is 10000")                                                   \
	M(ports[1].loss_ppb = 1000000001, "ports[1].loss_ppb is 1000000001")                                           \
	M(ports[1].bit_error_e15 = 1000000000000001, "ports[1].bit_error_e15 is 1000000000000001")                     \
	M(ports[1].guarded = false, "ports[1].guarded is false")                                                       \
	M(ports[1].channels = 0, "ports[1].channels is 0")                                                             \
	M(ports[1].channels = 2049, "ports[1].channels is 2049")                                                       \
	M(ports[1].match.fields = MATCH_ALL + 1, "ports[1].match.fields is 128")                                       \
	M(ports[1].match.spare = 1, "ports[1].match.mask has bits of no field")                                        \
	M(ports[1].match.mask[PART_SOURCE_MAC] = 1, "ports[1].match.mask has bits of no field")                        \
	M(ports[1].match.mask[PART_SOURCE_PORT] = 0x10000, "ports[1].match.mask has bits of no field")                 \
	M(ports[0].match.mask[PART_SOURCE_PORT] = 0xff, "ports[0].match.mask has bits of no field")                    \
	M(ports[1].ring_bytes = 16384, "ports[1].ring_bytes is 16384")                                                 \
	M(ports[1].ring_bytes = 100000, "ports[1].ring_bytes is 100000, which is no power of two")                     \
	M(ports[1].capture_bytes = 65536, "ports[1].capture_bytes is 65536")                                           \
	M(switch_.fabric_address = 0, "switch.fabric_address is 0")                                                    \
	M(switch_.fabric_address = 65536, "switch.fabric_address is 65536")                                            \
	M(switch_.prefix_count = 1025, "switch.prefix_count is 1025, it must be 0..1024") \
	M(switch_.prefixes[1].bits = 33, "switch.prefixes[1] is no IP prefix") \
	M(switch_.prefixes[2] = config.switch_.prefixes[1], "switch.prefixes[2] is not after the one before it") \
	M(switch_.prefixes[2].host_index = NODE_COUNT_MAX, "switch.prefixes[2] is of a host that cannot be") \
	M(switch_.latency_ps = NODE_TIME_NEVER, "switch.latency_ps is")                                                \
	M(switch_.arbiter = ARBITER_KINDS, "switch.arbiter is 2")                                                      \
	M(switch_.output_queue_units_max = 0, "switch.output_queue_units_max is 0")                                    \
	M(switch_.ack_t1_ps = NODE_TIME_NEVER, "switch.ack_t1_ps is")                                                  \
	M(switch_.ack_collect = 0, "switch.ack_collect is 0")                                                          \
	M(switch_.ack_collect = 49, "switch.ack_collect is 49")                                                        \
	M(switch_.routes[1].fabric_address = 65536, "switch.routes[1].fabric_address is 65536")                                \
	M(switch_.routes[1].ports = 8, "switch.routes[1].ports is 0x8")                                                \
	M(switch_.vias[1] = 0, "switch.vias[1] is 0")                                                                  \
	M(switch_.vias[2] = 8192, "switch.vias[2] is 8192, it must be 1..8191")                                        \
	M(switch_.routing.choice = ROUTING_CHOICES, "switch.routing.choice is 3")                                      \
	M(switch_.routing.detour = ROUTING_DETOURS, "switch.routing.detour is 3")                                      \
	M(switch_.routing.lane_rule = LANE_RULES, "switch.routing.lane_rule is 2")                                     \
	M(switch_.routing.detour_weight_permille = 1000001, "switch.routing.detour_weight_permille is 1000001")        \
	M(switch_.routing.detour_bias_units = 1048577, "switch.routing.detour_bias_units is 1048577")                  \
	M(switch_.routing.detour_draws = 65, "switch.routing.detour_draws is 65")                                      \
	M(switch_.routing.detour_draws = 0, "switch.routing.detour_draws is 0, but detours are compared")              \
	M(switch_.routing.hold_ps = 0, "switch.routing.hold_ps is 0, but sources")                                     \
	M(switch_.routing.hold_ps = NODE_TIME_NEVER, "switch.routing.hold_ps is")                                      \
	M(switch_.routing.redirect_depth_units = 1048577, "switch.routing.redirect_depth_units is 1048577")            \
	M(switch_.routing.redirect_full_units = 514, "switch.routing.redirect_full_units is less than")                \
	M(switch_.routing.redirect_full_units = 1048577, "switch.routing.redirect_full_units is 1048577")              \
	M(switch_.routing.redirect_growth_weight_permille = 1000001, "redirect_growth_weight_permille is 1000001")     \
	M(switch_.routing.redirect_interval_ps = 0, "switch.routing.redirect_interval_ps is 0, but the growth")        \
	M(switch_.routing.redirect_interval_ps = NODE_TIME_NEVER, "switch.routing.redirect_interval_ps is")            \
	M(switch_.routing.redirect_pause_ps = NODE_TIME_NEVER, "switch.routing.redirect_pause_ps is")                  \
	M(switch_.routing.redirect_group = 49, "switch.routing.redirect_group is 49")                                  \
	M(switch_.hosts[0].host_index = NODE_COUNT_MAX, "switch.hosts[0].host_index is 8192")                          \
	M(switch_.hosts[0].fabric_address = 70000, "switch.hosts[0].fabric_address is 70000")                          \
	M(switch_.hosts[0].egress_port = 64, "switch.hosts[0].egress_port is 64")                                      \
	M(switch_.congestion.lbf_thresh_units = 1048577, "switch.congestion.lbf_thresh_units is 1048577")              \
	M(switch_.congestion.lbf_shift = 32, "switch.congestion.lbf_shift is 32")                                      \
	M(switch_.congestion.lpf_thresh = 1048577, "switch.congestion.lpf_thresh is 1048577")                          \
	M(switch_.congestion.lpf_shift = 32, "switch.congestion.lpf_shift is 32")                                      \
	M(switch_.congestion.dbf_thresh_units = 1048577, "switch.congestion.dbf_thresh_units is 1048577")              \
	M(switch_.congestion.dbf_shift = 32, "switch.congestion.dbf_shift is 32")                                      \
	M(switch_.congestion.dbf_clk_cnt = 0, "switch.congestion.dbf_clk_cnt is 0")                                    \
	M(switch_.congestion.slow_start_setting = 24, "switch.congestion.slow_start_setting is 24")                    \
	M(switch_.congestion.fgfc_pause_ps = 0, "switch.congestion.fgfc_pause_ps is 0")                                \
	M(switch_.congestion.fgfc_pause_ps = NODE_S + 1, "switch.congestion.fgfc_pause_ps is 1000000000001")           \
	M(switch_.congestion.fgfc_credit_units = 1048577, "switch.congestion.fgfc_credit_units is 1048577")            \
	M(SETTING(0).eca_min = 1, "switch.congestion.settings[0].eca_min is 1, it must be 0..0")                       \
	M(SETTING(2).eca_min = 40, "settings[2].eca_min is 40, it must be above that of the setting before, 40")       \
	M(SETTING(5).eca_min = 257, "settings[5].eca_min is 257")                                                      \
	M(SETTING(6).eca_min = 199, "settings[6].eca_min is 199, it must be above")                                    \
	M(SETTING(3).eca_min = 256, "settings[3].eca_min is 256, which never selects it")                              \
	M(SETTING(23).rate_bps = 1000000, "settings[23].eca_min is 256, which never selects it")                       \
	M(SETTING(23).drop_units = 5, "settings[23].eca_min is 256, which never selects it")                           \
	M(SETTING(23).byte_time_scale = 4, "settings[23].eca_min is 256, which never selects it")                      \
	M(SETTING(7).eca_min = 230, "settings[7].eca_min is 230, it must be above")                                    \
	M(SETTING(1).rate_bps = 999999, "settings[1].rate_bps is 999999")                                              \
	M(SETTING(1).rate_bps = 800000000001, "settings[1].rate_bps is 800000000001")                                  \
	M(SETTING(1).flow_extent_units = 1048577, "settings[1].flow_extent_units is 1048577")                          \
	M(SETTING(1).queue_extent_units = 255, "settings[1].queue_extent_units is 255, it must be 256..1048576")       \
	M(SETTING(1).queue_extent_units = 1048577, "settings[1].queue_extent_units is 1048577")                        \
	M(SETTING(1).high_units = 191, "settings[1].high_units is 191, it must be 192..")                              \
	M(SETTING(1).drop_units = 192, "settings[1].drop_units is 192, it must be less than target_units")             \
	M(SETTING(1).byte_time_scale = 25, "settings[1].byte_time_scale is 25")                                        \
	M(SETTING(1).byte_time_ps = UINT32_MAX, "settings[1].byte_time_ps << byte_time_scale is 8589934590")

#define NIC_MISTAKES(M)                                                                                               \
	M(nic.host_index = NODE_COUNT_MAX, "nic.host_index is 8192")                                                   \
	M(nic.latency_ps = NODE_TIME_NEVER, "nic.latency_ps is")                                                       \
	M(nic.flows_max = 0, "nic.flows_max is 0")                                                                     \
	M(nic.fgfc_entries_max = 1025, "nic.fgfc_entries_max is 1025")                                                 \
	M(nic.workloads[1].name[0] = 0, "nic.workloads[1].name is empty")                                              \
	M(nic.workloads[1].destination = DESTINATION_KINDS, "nic.workloads[1].destination is 3")                       \
	M(nic.workloads[1].frame = FRAME_KINDS, "nic.workloads[1].frame is 7")                                         \
	M(nic.workloads[1].arrival = ARRIVAL_KINDS, "nic.workloads[1].arrival is 4")                                   \
	M(nic.workloads[0].load_permille = 0, "nic.workloads[0].load_permille is 0")                                   \
	M(nic.workloads[0].load_permille = 1001, "nic.workloads[0].load_permille is 1001")                             \
	M(nic.workloads[1].burst_messages = 0, "nic.workloads[1].burst_messages is 0")                                 \
	M(nic.workloads[1].burst_period_ps = 0, "nic.workloads[1].burst_period_ps is 0")                               \
	M(nic.workloads[1].traffic_class = 2, "nic.workloads[1].traffic_class is 2")                                   \
	M(nic.workloads[1].packet_bytes = 63, "nic.workloads[1].packet_bytes is 63")                                   \
	M(nic.workloads[1].packet_bytes = 4097, "nic.workloads[1].packet_bytes is 4097")                               \
	M(nic.workloads[1].stop_ps = 4, "nic.workloads[1].start_ps is 5")                                              \
	M(nic.workloads[0].size_count = 0, "nic.workloads[0].size_count is 0")                                         \
	M(nic.workloads[0].size_count = 65, "nic.workloads[0].size_count is 65")                                       \
	M(nic.workloads[0].size_count = 1, "nic.workloads[0].sizes end at cumulative_ppm 150000")                      \
	M(nic.workloads[0].sizes[1].bytes = 9999, "nic.workloads[0].sizes[1].bytes is 9999")                           \
	M(nic.workloads[0].sizes[0].cumulative_ppm = 0, "nic.workloads[0].sizes[0].cumulative_ppm is 0")               \
	M(nic.workloads[0].sizes[1].cumulative_ppm = 150000, "nic.workloads[0].sizes[1].cumulative_ppm is 150000")     \
	M(nic.workloads[0].destination_count = 0, "nic.workloads[0].destination_count is 0")                           \
	M(nic.workloads[0].destinations[2] = 8192, "nic.workloads[0].destinations is 8192")                            \
	M(nic.pause_count = 1025, "nic.pause_count is 1025")                                                           \
	M(nic.pauses[1].stop_ps = 199, "nic.pauses[1].start_ps is 200")                                                \
	M(nic.pauses[0].every_ps = 0, "nic.pauses[0].every_ps is 0")                                                   \
	M(nic.pauses[0].every_ps = NODE_TIME_NEVER, "nic.pauses[0].every_ps is")                                       \
	M(nic.pauses[0].for_ps = 0, "nic.pauses[0].for_ps is 0")                                                       \
	M(nic.pauses[0].for_ps = 21, "nic.pauses[0].for_ps is 21, it must be 1..20")                                   \
	M(nic.pauses[0].classes = 0, "nic.pauses[0].classes is 0")                                                     \
	M(nic.pauses[0].classes = 4, "nic.pauses[0].classes is 4")

/* of fabric kind port-group */
#define PORT_GROUP_MISTAKES(M)                                                                                        \
	M(ports[0].guarded = false, "ports[0].guarded is false")                                                       \
	M(port_group.lid_bits = 17, "port_group.lid_bits is 17, it must be 16, 20, 24 or 32")                          \
	M(port_group.policy = PORT_GROUP_POLICIES, "port_group.policy is 3")                                           \
	M(port_group.pending_units = 0, "port_group.pending_units is 0")                                               \
	M(port_group.queue_units = 0, "port_group.queue_units is 0")                                                   \
	M(port_group.log_marks = 65537, "port_group.log_marks is 65537")                                               \
	M(port_group.log_window_ps = 0, "port_group.log_window_ps is 0")                                               \
	M(port_group.hold_ps = NODE_TIME_NEVER, "port_group.hold_ps is")                                               \
	M(port_group.fecn_units = 0, "port_group.fecn_units is 0")                                                     \
	M(port_group.becn_interval_ps = NODE_TIME_NEVER, "port_group.becn_interval_ps is")                             \
	M(port_group.ccti_increase = 0, "port_group.ccti_increase is 0")                                               \
	M(port_group.ccti_max = 65536, "port_group.ccti_max is 65536")                                                 \
	M(port_group.ccti_step_permille = 0, "port_group.ccti_step_permille is 0")                                     \
	M(port_group.ccti_timer_ps = 0, "port_group.ccti_timer_ps is 0")                                               \
	M(switch_.flood_ports = 8, "switch.flood_ports is 0x8, but the node has 3 ports")                              \
	M(switch_.lids.lid_count = 49153, "switch.lids.lid_count is beyond the unicast LIDs")                          \
	M(switch_.lids.group_count = 257, "switch.lids.group_count is more than 256")                                  \
	M(switch_.lids.group_count = 2, "switch.lids.pgft[3] is 2, but there are 2 groups")                            \
	M(switch_.lids.lft[4] = 3, "switch.lids.lft[4] is 3, but the node has 3 ports")

/* of fabric kind roce: wherever it is, and at switches and NICs only */
#define ROCE_MISTAKES(M)                                                                                              \
	M(lanes = 2, "lanes is 2, it must be 1..1")                                                                    \
	M(fabric = FABRIC_KINDS, "fabric is 3")                                                                        \
	M(ports[0].guarded = true, "ports[0].guarded is 1")                                                            \
	M(ports[0].buffer_units = 1, "ports[0].buffer_units is 1")                                                     \
	M(ports[0].headroom_bytes = (1ull << 32) + 1, "ports[0].headroom_bytes is 4294967297")                         \
	M(roce.cnp_class = 2, "roce.cnp_class is 2, more than the last class, which is 1")                             \
	M(roce.buffer_bytes = 0, "roce.buffer_bytes is 0")                                                             \
	M(roce.buffer_bytes = (1ull << 32) + 1, "roce.buffer_bytes is 4294967297")                                     \
	M(roce.increase_period_ps = 0, "roce.increase_period_ps is 0")                                                 \
	M(roce.idle_ps = 3600 * NODE_S + 1, "roce.idle_ps is 3600000000000001")                                        \
	M(roce.reference_permille = 999, "roce.reference_permille is 999")                                             \
	M(roce.path_target = ROCE_ECN_NORMAL, "roce.path_target is 0")                                                 \
	M(roce.path_target = ROCE_STATES, "roce.path_target is 3")                                                     \
	M(roce.path_form = PATH_PAUSE_FORMS, "roce.path_form is 4")                                                    \
	M(roce.path_high_bytes = 0, "roce.path_high_bytes is 0")                                                       \
	M(roce.path_per_bps = 800000000001, "roce.path_per_bps is 800000000001")                                       \
	M(roce.classes[1].kmin_per_bps = 800000000001, "roce.classes[1].kmin_per_bps is 800000000001")                 \
	M(roce.classes[1].kmax_per_bps = 800000000001, "roce.classes[1].kmax_per_bps is 800000000001")                 \
	M(roce.path_low_bytes = 600000, "roce.path_low_bytes is 600000, more than path_high_bytes - 1")                \
	M(roce.flows_max = 0, "roce.flows_max is 0")                                                                   \
	M(roce.flows_max = 1048577, "roce.flows_max is 1048577")                                                       \
	M(roce.watchdog_ps = 0, "roce.watchdog_ps is 0")                                                               \
	M(roce.classes[1].kmin_bytes = 200002, "roce.classes[1].kmin_bytes is 200002, more than kmax_bytes")           \
	M(roce.classes[1].kmax_bytes = (1ull << 32) + 1, "roce.classes[1].kmax_bytes is 4294967297")                   \
	M(roce.classes[1].pmax_ppm = 1000001, "roce.classes[1].pmax_ppm is 1000001")                                   \
	M(roce.classes[1].queue_bytes_max = (1ull << 32) + 1, "roce.classes[1].queue_bytes_max is 4294967297")         \
	M(roce.classes[1].alpha_permille = 1000001, "roce.classes[1].alpha_permille is 1000001")                       \
	M(roce.classes[1].xoff_bytes = (1ull << 32) + 1, "roce.classes[1].xoff_bytes is 4294967297")                   \
	M(roce.classes[1].xoff_bytes = roce_unstopped(), "roce.classes[1].xoff_bytes and alpha_permille are 0")        \
	M(roce.classes[1].xon_offset_bytes = 2000002, "roce.classes[1].xon_offset_bytes is 2000002, more than")        \
	M(roce.dcqcn.g_ppb = 0, "roce.dcqcn.g_ppb is 0")                                                               \
	M(roce.dcqcn.g_ppb = 1000000001, "roce.dcqcn.g_ppb is 1000000001")                                             \
	M(roce.dcqcn.alpha_initial_ppm = 1000001, "roce.dcqcn.alpha_initial_ppm is 1000001")                           \
	M(roce.dcqcn.alpha_timer_ps = 0, "roce.dcqcn.alpha_timer_ps is 0")                                             \
	M(roce.dcqcn.increase_timer_ps = 0, "roce.dcqcn.increase_timer_ps is 0")                                       \
	M(roce.dcqcn.byte_counter_bytes = 1ull << 41, "roce.dcqcn.byte_counter_bytes is 2199023255552")                \
	M(roce.dcqcn.fast_recovery = 0, "roce.dcqcn.fast_recovery is 0")                                               \
	M(roce.dcqcn.ai_bps = 800000000001, "roce.dcqcn.ai_bps is 800000000001")                                       \
	M(roce.dcqcn.hai_bps = 800000000001, "roce.dcqcn.hai_bps is 800000000001")                                     \
	M(roce.dcqcn.rate_min_bps = 999999, "roce.dcqcn.rate_min_bps is 999999")                                       \
	M(roce.dcqcn.rate_initial_bps = 800000000001, "roce.dcqcn.rate_initial_bps is 800000000001")                   \
	M(roce.dcqcn.rate_initial_bps = 1, "roce.dcqcn.rate_initial_bps is 1, it must be 0 or 1000000..") \
	M(roce.dcqcn.rate_initial_bps = 1000000, "roce.dcqcn.rate_min_bps is 41000000, more than rate_initial_bps")          \
	M(roce.dcqcn.cut_interval_ps = NODE_TIME_NEVER, "roce.dcqcn.cut_interval_ps is")                               \
	M(roce.dcqcn.cut_interval_ps = 0, "roce.dcqcn.cut_interval_ps is 0: with react_on_tick")                       \
	M(roce.dcqcn.cnp_interval_ps = NODE_TIME_NEVER, "roce.dcqcn.cnp_interval_ps is")                               \
	M(roce.queue_pair.ack_packets = 0, "roce.queue_pair.ack_packets is 0")                                         \
	M(roce.queue_pair.window_bytes = NODE_TIME_NEVER, "roce.queue_pair.window_bytes is")                           \
	M(roce.queue_pair.timeout_ps = 0, "roce.queue_pair.timeout_ps is 0")                                           \
	M(roce.queue_pair.retries = 65536, "roce.queue_pair.retries is 65536")                                         \
	M(roce.tcp.initial_packets = 0, "roce.tcp.initial_packets is 0")                                               \
	M(roce.tcp.initial_packets = 4096, "roce.tcp.initial_packets is 4096, more than window_packets_max")           \
	M(roce.tcp.window_packets_max = 4097, "roce.tcp.window_packets_max is 4097")                                   \
	M(roce.tcp.rto_min_ps = 0, "roce.tcp.rto_min_ps is 0")

#define ROCE_SWITCH_MISTAKES(M)                                                                                       \
	M(roce.buffer_bytes = 270003, "sum of all headroom_bytes is 270003, it must be less than roce.buffer_bytes")   \
	M(switch_.flood_ports = 8, "switch.flood_ports is 0x8, but the node has 3 ports")

#define ROCE_NIC_MISTAKES(M)                                                                                          \
	M(nic.workloads[0].transport = TRANSPORT_KINDS, "nic.workloads[0].transport is 3")                             \
	M(nic.workloads[0].connections = 0, "nic.workloads[0].connections is 0")                                       \
	M(nic.workloads[0].connections = 65537, "nic.workloads[0].connections is 65537")                               \
	M(nic.workloads[0].frame = FRAME_IPV4, "nic.workloads[0].transport is 1, which is not for frame 1")            \
	M(nic.workloads[1].frame = FRAME_ROCE, "nic.workloads[1].transport is 2, which is not for frame 3")            \
	M(nic.flows_max = 44, "nic.connections of all workloads is 45, it must be 0..44")
/* clang-format on */

/* nothing stops the lossless class 1 */
static uint64_t roce_unstopped(void)
{
	config.roce.classes[1].alpha_permille = 0;
	return 0;
}

#define TEXT(mistake, text) text,
static const char *const switch_texts[] = { SWITCH_MISTAKES(TEXT) };
static const char *const nic_texts[] = { NIC_MISTAKES(TEXT) };
static const char *const port_group_texts[] = { PORT_GROUP_MISTAKES(TEXT) };
static const char *const roce_texts[] = { ROCE_MISTAKES(TEXT) };
static const char *const roce_switch_texts[] = { ROCE_SWITCH_MISTAKES(TEXT) };
static const char *const roce_nic_texts[] = { ROCE_NIC_MISTAKES(TEXT) };

#define CASE(mistake, text)       \
	case __COUNTER__ - FIRST: \
		config.mistake;   \
		break;

static void switch_mistake(int i)
{
	enum { FIRST = __COUNTER__ + 1 };
	switch (i) {
		SWITCH_MISTAKES(CASE)
	}
}

static void port_group_mistake(int i)
{
	enum { FIRST = __COUNTER__ + 1 };
	switch (i) {
		PORT_GROUP_MISTAKES(CASE)
	}
}

static void roce_mistake(int i)
{
	enum { FIRST = __COUNTER__ + 1 };
	switch (i) {
		ROCE_MISTAKES(CASE)
	}
}

static void roce_switch_mistake(int i)
{
	enum { FIRST = __COUNTER__ + 1 };
	switch (i) {
		ROCE_SWITCH_MISTAKES(CASE)
	}
}

static void roce_nic_mistake(int i)
{
	enum { FIRST = __COUNTER__ + 1 };
	switch (i) {
		ROCE_NIC_MISTAKES(CASE)
	}
}

static void nic_mistake(int i)
{
	enum { FIRST = __COUNTER__ + 1 };
	switch (i) {
		NIC_MISTAKES(CASE)
	}
}

TEST_RANGE(node_config_check__switch_mistake, 0, sizeof(switch_texts) / sizeof(*switch_texts))
{
	uint32_t port_count;

	example_switch(&config);
	port_count = config.port_count;
	switch_mistake(_i);
	ck_assert_int_eq(node_config_check(&config, why, sizeof(why)), -EINVAL);
	ck_assert_msg(strstr(why, switch_texts[_i]), "'%s' does not say '%s'", why,
		      switch_texts[_i]);
	config.port_count = port_count;
	node_config_free(&config);
}

TEST_RANGE(node_config_check__nic_mistake, 0, sizeof(nic_texts) / sizeof(*nic_texts))
{
	example_nic(&config);
	nic_mistake(_i);
	ck_assert_int_eq(node_config_check(&config, why, sizeof(why)), -EINVAL);
	ck_assert_msg(strstr(why, nic_texts[_i]), "'%s' does not say '%s'", why, nic_texts[_i]);
	node_config_free(&config);
}

TEST(node_config_check__roce_complete)
{
	example_switch(&config);
	example_roce(&config);
	ck_assert_msg(node_config_check(&config, why, sizeof(why)) == 0, "%s", why);
	node_config_free(&config);
	example_nic(&config);
	example_roce(&config);
	ck_assert_msg(node_config_check(&config, why, sizeof(why)) == 0, "%s", why);
	/* only such a fabric has transports */
	config.fabric = FABRIC_FLOW_CHANNEL;
	config.ports[0].guarded = true;
	ck_assert_int_eq(node_config_check(&config, why, sizeof(why)), -EINVAL);
	ck_assert_msg(strstr(why, "nic.workloads[0].transport is 1, it must be 0..0"), "%s", why);
	node_config_free(&config);
}

TEST(node_config_check__port_group_complete)
{
	example_switch(&config);
	example_port_group(&config);
	ck_assert_msg(node_config_check(&config, why, sizeof(why)) == 0, "%s", why);
	node_config_free(&config);
	example_nic(&config);
	example_port_group(&config);
	ck_assert_msg(node_config_check(&config, why, sizeof(why)) == 0, "%s", why);
	node_config_free(&config);
}

TEST_RANGE(node_config_check__port_group_mistake, 0,
	   sizeof(port_group_texts) / sizeof(*port_group_texts))
{
	example_switch(&config);
	example_port_group(&config);
	port_group_mistake(_i);
	ck_assert_int_eq(node_config_check(&config, why, sizeof(why)), -EINVAL);
	ck_assert_msg(strstr(why, port_group_texts[_i]), "'%s' does not say '%s'", why,
		      port_group_texts[_i]);
	node_config_free(&config);
}

static void roce_refused(const char *text)
{
	ck_assert_int_eq(node_config_check(&config, why, sizeof(why)), -EINVAL);
	ck_assert_msg(strstr(why, text), "'%s' does not say '%s'", why, text);
	node_config_free(&config);
}

TEST_RANGE(node_config_check__roce_mistake, 0, sizeof(roce_texts) / sizeof(*roce_texts))
{
	example_switch(&config);
	example_roce(&config);
	roce_mistake(_i);
	roce_refused(roce_texts[_i]);
}

TEST_RANGE(node_config_check__roce_switch_mistake, 0,
	   sizeof(roce_switch_texts) / sizeof(*roce_switch_texts))
{
	example_switch(&config);
	example_roce(&config);
	roce_switch_mistake(_i);
	roce_refused(roce_switch_texts[_i]);
}

TEST_RANGE(node_config_check__roce_nic_mistake, 0, sizeof(roce_nic_texts) / sizeof(*roce_nic_texts))
{
	example_nic(&config);
	example_roce(&config);
	roce_nic_mistake(_i);
	roce_refused(roce_nic_texts[_i]);
}

/* a link without propagation delay at a node without latency leaves the clock no lookahead
 * (TB-7) */
TEST(node_config_check__no_lookahead)
{
	example_nic(&config);
	config.nic.latency_ps = 0;
	ck_assert_int_eq(node_config_check(&config, why, sizeof(why)), 0);
	config.ports[0].delay_ps = 0;
	ck_assert_int_eq(node_config_check(&config, why, sizeof(why)), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "ports[0].delay_ps is 0"));
	node_config_free(&config);
}

TEST(node_config_check__nic_has_one_port)
{
	example_nic(&config);
	node_config_free(&config);
	example_node(&config, NODE_NIC, 2);
	config.nic = (struct nic_config){ .latency_ps = 1, .flows_max = 1 };
	ck_assert_int_eq(node_config_check(&config, why, sizeof(why)), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "port_count is 2"));
	node_config_free(&config);
}
