/*  switchd/flow_channel/injection: the effect of each setting on a flow, state by state (EC-5 ...
 *  EC-8). */
#include <stdlib.h>

#include "switchd/flow_channel/injection.h"
#include "tests/testing.h"

#define NOW (1000 * NODE_US)

static struct congestion_config config;
static struct injection injection;
static struct ifct_entry flow;

static void setup(void)
{
	config = (struct congestion_config){ .slow_start = true,
					     .slow_start_setting = 1,
					     .rate_limit = true,
					     .flow_limit = true,
					     .limit_after_ack = true };
	for (uint32_t row = 0; row < CONGESTION_SETTINGS; row++)
		config.settings[row] =
			(struct congestion_setting){ .eca_min = 256, .rate_bps = 1000000 };
	config.settings[0] =
		(struct congestion_setting){ .rate_bps = 200000000000, .flow_extent_units = 1600 };
	config.settings[1] = (struct congestion_setting){ .eca_min = 1,
							  .rate_bps = 100000000000,
							  .flow_extent_units = 800 };
	config.settings[2] = (struct congestion_setting){ .eca_min = 10,
							  .rate_bps = 10000000000,
							  .flow_extent_units = 16 };
	config.settings[3] = (struct congestion_setting){ .eca_min = 255,
							  .rate_bps = 1000000000,
							  .limit_after_ack = true,
							  .byte_time_ps = 40,
							  .byte_time_scale = 7 };
	injection_init(&injection, &config);
	flow = (struct ifct_entry){ .active = true };
}

static void send(uint32_t units)
{
	flow.data_flow += units;
	injection_forwarded(&injection, &flow, units * 256, true, NOW);
}

static void ack(uint32_t units, bool clears)
{
	flow.ack_flow += units;
	injection_on_ack(&injection, &flow, units, clears, true, NOW);
}

TEST_GROUP(settings, .setup = setup);

TEST(eca__selects_the_last_setting_that_it_reaches)
{
	static const struct {
		uint32_t eca, setting;
	} cases[] = { { 1, 1 }, { 9, 1 }, { 10, 2 }, { 254, 2 }, { 255, 3 } };

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		injection_on_eca(&injection, &flow, cases[i].eca, true);
		ck_assert_uint_eq(flow.ep_congestion, cases[i].eca);
		ck_assert_uint_eq(flow.setting, cases[i].setting);
	}
}

TEST(ack_delta__clears_ack_delta_eca_keeps)
{
	injection_on_eca(&injection, &flow, 12, true);
	send(16);
	ack(8, false);
	ck_assert_uint_eq(flow.ep_congestion, 12);
	ck_assert_uint_eq(flow.setting, 2);
	ack(8, true);
	ck_assert_uint_eq(flow.ep_congestion, 0);
	ck_assert_uint_eq(flow.setting, 0);
	ck_assert_uint_eq(flow.wake_up_ps, 0); /* at once */
}

TEST(slow_start__until_the_first_ack_delta)
{
	injection_begin(&injection, &flow);
	ck_assert_uint_eq(flow.setting, 1);
	ck_assert_uint_eq(flow.ep_congestion, 0); /* no ACK_DELTA has ended it */
	send(16);
	ck_assert_uint_eq(flow.wake_up_ps, NOW + 4096 * 80);
	ack(8, false);
	ck_assert_uint_eq(flow.setting, 1);
	ack(8, true);
	ck_assert_uint_eq(flow.setting, 0);
	config.slow_start = false;
	flow = (struct ifct_entry){ .active = true };
	injection_begin(&injection, &flow);
	ck_assert_uint_eq(flow.setting, 0);
}

TEST(rate__next_packet_waits_for_the_time_of_the_last)
{
	injection_on_eca(&injection, &flow, 10, true);
	flow.data_flow += 1;
	injection_forwarded(&injection, &flow, 64, true, NOW);
	ck_assert_uint_eq(flow.wake_up_ps, NOW + 64 * 800);
	ck_assert_int_eq(injection_check(&injection, &flow, NOW + 64 * 800 - 1), INJECTION_LATER);
	ck_assert_int_eq(injection_check(&injection, &flow, NOW + 64 * 800), INJECTION_GO);
	config.rate_limit = false;
	injection_init(&injection, &config);
	flow.wake_up_ps = 0;
	injection_forwarded(&injection, &flow, 64, true, NOW);
	ck_assert_uint_eq(flow.wake_up_ps, 0);
}

TEST(extent__above_the_limit_nothing_is_sent)
{
	injection_on_eca(&injection, &flow, 10, false);
	flow.data_flow = flow.ack_flow + 16;
	ck_assert_int_eq(injection_check(&injection, &flow, NOW), INJECTION_GO);
	flow.data_flow++;
	ck_assert_int_eq(injection_check(&injection, &flow, NOW), INJECTION_EXTENT);
	config.flow_limit = false;
	ck_assert_int_eq(injection_check(&injection, &flow, NOW), INJECTION_GO);
}

TEST(extent__positions_wrap)
{
	injection_on_eca(&injection, &flow, 10, false);
	flow.ack_flow = UINT32_MAX - 5;
	flow.data_flow = flow.ack_flow + 17;
	ck_assert_int_eq(injection_check(&injection, &flow, NOW), INJECTION_EXTENT);
}

/* EC-8: RUNNING -> BLOCK_UNTIL_EMPTY -> RUNNING with local_time + ack_size_delta * (BYTE_TIME <<
 * BYTE_TIME_SCALE) */
TEST(limit_after_ack__wake_up_to_the_picosecond)
{
	injection_on_eca(&injection, &flow, 255, true);
	flow.wake_up_ps = 0;
	send(36);
	ck_assert_int_eq(flow.fc_state, BLOCK_UNTIL_EMPTY);
	ck_assert_int_eq(injection_check(&injection, &flow, NOW + NODE_S), INJECTION_EMPTY);
	ack(20, false);
	ck_assert_int_eq(flow.fc_state, BLOCK_UNTIL_EMPTY); /* not the last */
	ack(16, false);
	ck_assert_int_eq(flow.fc_state, RUNNING);
	ck_assert_uint_eq(flow.wake_up_ps, NOW + 16ull * 256 * (40ull << 7));
	ck_assert_int_eq(injection_check(&injection, &flow, flow.wake_up_ps - 1), INJECTION_LATER);
	ck_assert_int_eq(injection_check(&injection, &flow, flow.wake_up_ps), INJECTION_GO);
}

TEST(limit_after_ack__only_at_ingress_ports_and_where_set)
{
	flow.data_flow = 36;
	injection_on_eca(&injection, &flow, 255, false);
	ck_assert_int_eq(flow.fc_state, RUNNING); /* not an ingress port */
	injection_on_eca(&injection, &flow, 10, true);
	/* above its limit, but the setting has no limit-after-ack */
	ck_assert_int_eq(flow.fc_state, RUNNING);
	config.limit_after_ack = false;
	injection_on_eca(&injection, &flow, 255, true);
	ck_assert_int_eq(flow.fc_state, RUNNING); /* switched off */
	config.limit_after_ack = true;
	injection_on_eca(&injection, &flow, 255, true);
	/* what is in flight already exceeds the new limit */
	ck_assert_int_eq(flow.fc_state, BLOCK_UNTIL_EMPTY);
}

TEST(limit_after_ack__cleared_by_ack_delta)
{
	injection_on_eca(&injection, &flow, 255, true);
	send(36);
	ack(20, true);
	ck_assert_int_eq(flow.fc_state, RUNNING);
	ck_assert_int_eq(injection_check(&injection, &flow, NOW), INJECTION_GO);
}

/* FC-25, EC-8: new tables make a limited flow leave its output. What arrives until it is empty does
 * not make it forget that, and it waits afterwards as any flow with limit-after-ack. */
TEST(limit_after_ack__flow_that_leaves_its_output)
{
	flow.fc_state = BLOCK_FOR_REDIRECT;
	flow.data_flow = 36;
	injection_on_eca(&injection, &flow, 255, true);
	ck_assert_int_eq(flow.fc_state, BLOCK_FOR_REDIRECT);
	ack(20, true); /* no congestion: full speed, once it has moved */
	ck_assert_int_eq(flow.fc_state, BLOCK_FOR_REDIRECT);
	injection_on_eca(&injection, &flow, 255, true);
	ack(16, false);
	ck_assert_int_eq(flow.fc_state, BLOCK_FOR_REDIRECT);
	ck_assert_uint_eq(flow.wake_up_ps, NOW + 16ull * 256 * (40ull << 7));
}

TEST(flow_that_leaves_its_output__no_wake_up_without_limit_after_ack)
{
	flow.fc_state = BLOCK_FOR_REDIRECT;
	flow.data_flow = 36;
	injection_on_eca(&injection, &flow, 10, true);
	ack(36, false);
	ck_assert_int_eq(flow.fc_state, BLOCK_FOR_REDIRECT);
	ck_assert_uint_eq(flow.wake_up_ps, 0);
}

/* EC-5: a byte takes whole picoseconds, however slow the setting is */
TEST(rate__that_does_not_divide_a_second)
{
	static const struct {
		uint64_t rate_bps, byte_ps;
	} cases[] = { { 600000000000, 13 }, { 300000000000, 26 }, { 1862, 4296455424 } };

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		config.settings[2].rate_bps = cases[i].rate_bps;
		injection_init(&injection, &config);
		flow.setting = 2;
		flow.wake_up_ps = 0;
		injection_forwarded(&injection, &flow, 1000, true, NOW);
		ck_assert_uint_eq(flow.wake_up_ps, NOW + 1000 * cases[i].byte_ps);
	}
}
