/*  switchd/flow_channel/fgfc: S3 figure 9A step by step, and the frames that it sends (EC-15,
 *  EC-16). */
#include <stdlib.h>

#include "switchd/flow_channel/fgfc.h"
#include "tests/testing.h"

#define CHANNELS 8u
#define PAUSE (40 * NODE_US)
#define CREDIT 10u
#define DISTANCE (100 * NODE_NS)

static const struct congestion_setting setting = { .high_units = 200,
						   .target_units = 100,
						   .drop_units = 40 };
static struct fgfc fgfc;
static struct fgfc_frame frame;

static void setup(void)
{
	struct congestion_config config = { .fgfc = true,
					    .fgfc_pause_ps = PAUSE,
					    .fgfc_credit_units = CREDIT };

	ck_assert_int_eq(fgfc_init(&fgfc, CHANNELS, &config, NULL), 0);
}

static void teardown(void)
{
	fgfc_fini(&fgfc);
}

static const struct flow_name whole; /* no mask */

static struct flow_name name_of(uint32_t number)
{
	return (struct flow_name){ .fields = MATCH_PORTS,
				   .source_port = (uint16_t)number,
				   .kind = FLOW_IPV4 };
}

static void start(uint32_t flow_id)
{
	struct flow_name name = name_of(flow_id);

	ck_assert(fgfc_wanted(&fgfc, flow_id, 100, &setting));
	ck_assert(fgfc_start(&fgfc, flow_id, &name, &whole));
}

/* the queue of flow @flow_id runs empty.  Return: was it paused? */
static bool stop(uint32_t flow_id)
{
	return fgfc_forwarded(&fgfc, flow_id, 1, 0, &setting);
}

/* the frame for @flow_id, with @pause_ps and @credit_units */
static void take(uint32_t flow_id, node_time_t now, node_time_t pause_ps, uint32_t credit_units)
{
	ck_assert_uint_le(fgfc_ready_at(&fgfc), now);
	ck_assert(fgfc_take(&fgfc, now, DISTANCE, &frame));
	ck_assert_uint_eq(frame.name.source_port, flow_id);
	ck_assert_uint_eq(frame.pause_ps, pause_ps);
	ck_assert_uint_eq(frame.credit_units, credit_units);
}

static void take_none(node_time_t now)
{
	ck_assert(!fgfc_take(&fgfc, now, DISTANCE, &frame));
}

TEST_GROUP(fgfc, .setup = setup, .teardown = teardown);

TEST(fgfc_init__off_sends_nothing)
{
	struct congestion_config config = { 0 };
	struct fgfc off;

	ck_assert_int_eq(fgfc_init(&off, CHANNELS, &config, NULL), 0);
	ck_assert(!fgfc_enabled(&off));
	ck_assert_uint_eq(fgfc_ready_at(&off), NODE_TIME_NEVER);
	fgfc_fini(&off);
}

/* 902, 904, 908: not above the target level: regular transmission (914) */
TEST(figure_9a__off_below_target)
{
	ck_assert(!fgfc_wanted(&fgfc, 3, 99, &setting));
	ck_assert(!fgfc_forwarded(&fgfc, 3, 16, 20, &setting));
	ck_assert_uint_eq(fgfc_ready_at(&fgfc), NODE_TIME_NEVER);
}

/* 908, 910: the target level is reached: a frame names the flow, with pause and credit */
TEST(figure_9a__off_to_on)
{
	start(3);
	ck_assert_uint_eq(fgfc.on, 1);
	ck_assert(!fgfc_wanted(&fgfc, 3, 150, &setting)); /* once */
	take(3, 0, PAUSE, CREDIT);
	take_none(PAUSE / 2 - 1);
}

/* 904, 906, 912: not below the drop level: what is forwarded gives credit, which is saved up until
 * it is worth a frame: 20 units */
TEST(figure_9a__credit_mode)
{
	start(3);
	take(3, 0, PAUSE, CREDIT);
	ck_assert(!fgfc_forwarded(&fgfc, 3, 16, 90, &setting)); /* 18 */
	take_none(NODE_US);
	ck_assert(!fgfc_forwarded(&fgfc, 3, 16, 74, &setting)); /* 36 */
	take(3, NODE_US, PAUSE, 36);
	ck_assert(!fgfc_forwarded(&fgfc, 3, 16, 201, &setting)); /* above high: none */
	take_none(2 * NODE_US);
	ck_assert(!fgfc_forwarded(&fgfc, 3, 16, 150, &setting)); /* 14 */
	ck_assert(!fgfc_forwarded(&fgfc, 3, 7, 143, &setting));  /* 20 1/8 */
	take(3, 2 * NODE_US, PAUSE, 20);
	ck_assert_uint_eq(fgfc.on, 1);
}

/* 906, 914: below the drop level: regular transmission again, and the NIC is notified */
TEST_RANGE(figure_9a__on_to_off, 0, 2)
{
	static const uint32_t queue_units[] = { 39, 0 };

	start(3);
	take(3, 0, PAUSE, CREDIT);
	ck_assert(!fgfc_forwarded(&fgfc, 3, 16, 40, &setting));
	ck_assert(fgfc_forwarded(&fgfc, 3, 16, queue_units[_i], &setting));
	ck_assert_uint_eq(fgfc.on, 0);
	take(3, NODE_US, 0, 0);
	ck_assert_uint_eq(fgfc_ready_at(&fgfc), NODE_TIME_NEVER);
	start(3); /* and again */
	take(3, 2 * NODE_US, PAUSE, CREDIT);
}

/* a drop level of 0: an empty queue ends the pause, too */
TEST(fgfc_forwarded__empty_queue_always_ends)
{
	struct congestion_setting low = { .high_units = 2, .target_units = 1, .drop_units = 0 };

	start(3);
	take(3, 0, PAUSE, CREDIT);
	ck_assert(!fgfc_forwarded(&fgfc, 3, 1, 1, &low));
	ck_assert(fgfc_forwarded(&fgfc, 3, 1, 0, &low));
	take(3, NODE_US, 0, 0);
}

/* the pause ends before its frame was sent: no frame is sent */
TEST(fgfc_take__ended_before_sent_sends_nothing)
{
	start(3);
	ck_assert(fgfc_forwarded(&fgfc, 3, 90, 10, &setting));
	take_none(0);
	ck_assert_uint_eq(fgfc_ready_at(&fgfc), NODE_TIME_NEVER);
}

/* EC-16: renewed after half of the pause, the flow with the oldest frame first, with its due
 * credit */
TEST(fgfc_take__renews_after_half_the_pause)
{
	start(3);
	take(3, 0, PAUSE, CREDIT);
	start(4);
	take(4, 5 * NODE_US, PAUSE, CREDIT);
	ck_assert_uint_eq(fgfc_ready_at(&fgfc), PAUSE / 2);
	ck_assert(!fgfc_forwarded(&fgfc, 3, 8, 90, &setting)); /* 9, not worth a frame */
	take(3, PAUSE / 2, PAUSE, 9);
	ck_assert_uint_eq(fgfc_ready_at(&fgfc), PAUSE / 2 + 5 * NODE_US);
	take(4, PAUSE / 2 + 5 * NODE_US, PAUSE, 0);
	ck_assert_uint_eq(fgfc_ready_at(&fgfc), PAUSE);
	take(3, PAUSE, PAUSE, 0);
}

/* The longer the flow is paused, the longer is each pause, but never longer than it was paused so
 * far: few frames, and a lost end costs little. */
TEST(fgfc_take__pauses_grow)
{
	static const uint32_t at_halves[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96 };
	static const uint32_t times[] = { 1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 16, 16, 16 };

	start(3);
	take(3, 0, PAUSE, CREDIT);
	for (uint32_t i = 0; i < 14; i++) {
		if (i == 5) { /* another pause, on a list of its own */
			start(4);
			take(4, 7 * PAUSE / 2, PAUSE, CREDIT);
			stop(4);
			take(4, 7 * PAUSE / 2 + DISTANCE, 0, 0);
		}
		ck_assert_uint_eq(fgfc_ready_at(&fgfc), at_halves[i] * PAUSE / 2);
		take(3, at_halves[i] * PAUSE / 2, times[i] * PAUSE, 0);
	}
	stop(3);
	take(3, 100 * PAUSE, 0, 0);
	start(3); /* from the shortest again */
	take(3, 101 * PAUSE, PAUSE, CREDIT);
}

/* credit renews the pause, too */
TEST(fgfc_take__credit_renews_the_pause)
{
	start(3);
	take(3, 0, PAUSE, CREDIT);
	fgfc_forwarded(&fgfc, 3, 32, 90, &setting);
	take(3, 15 * NODE_US, PAUSE, 36);
	ck_assert_uint_eq(fgfc_ready_at(&fgfc), 15 * NODE_US + PAUSE / 2);
}

TEST(fgfc_take__frames_keep_their_interval)
{
	start(3);
	start(4);
	take(3, NODE_US, PAUSE, CREDIT);
	ck_assert_uint_eq(fgfc_ready_at(&fgfc), NODE_US + DISTANCE);
	take_none(NODE_US + DISTANCE - 1);
	fgfc_forwarded(&fgfc, 4, 8, 90, &setting);
	take(4, NODE_US + DISTANCE, PAUSE, CREDIT + 9); /* credit is collected meanwhile */
}

/* A flow has ended, and its line has another flow before the end was sent: the end is sent
 * first. */
TEST(fgfc_start__end_of_the_last_flow_first)
{
	struct flow_name other = name_of(77);

	start(3);
	take(3, 0, PAUSE, CREDIT);
	ck_assert(stop(3));
	ck_assert(!stop(3));
	ck_assert(!fgfc_start(&fgfc, 3, &other, &whole));
	take(3, NODE_US, 0, 0);
	ck_assert(fgfc_start(&fgfc, 3, &other, &whole));
	take(77, 2 * NODE_US, PAUSE, CREDIT);
}

/* FC-2: the mask is in the frame with the name, and in the end, too. Another mask is another
 * flow. */
TEST(fgfc_start__mask_is_in_the_frame)
{
	struct flow_name name = name_of(0x4200), mask = { .source_port = 0xff00 };

	ck_assert(fgfc_start(&fgfc, 3, &name, &mask));
	take(0x4200, 0, PAUSE, CREDIT);
	ck_assert(flow_name_equal(&frame.mask, &mask));
	stop(3);
	ck_assert(!fgfc_start(&fgfc, 3, &name, &whole));
	take(0x4200, NODE_US, 0, 0);
	ck_assert(flow_name_equal(&frame.mask, &mask));
	ck_assert(fgfc_start(&fgfc, 3, &name, &whole));
	take(0x4200, 2 * NODE_US, PAUSE, CREDIT);
	ck_assert(flow_name_equal(&frame.mask, &whole));
}

/* the same flow: it continues, no end is sent */
TEST(fgfc_start__same_flow_continues)
{
	start(3);
	take(3, 0, PAUSE, CREDIT);
	stop(3);
	start(3);
	take(3, NODE_US, PAUSE, CREDIT);
	take_none(2 * NODE_US);
	take(3, NODE_US + PAUSE / 2, PAUSE, 0);
	stop(3);
	take(3, PAUSE, 0, 0);
	ck_assert_uint_eq(fgfc_ready_at(&fgfc), NODE_TIME_NEVER);
}

/* a pause grows with the time that the flow is held, but not beyond what a frame can say: else the
 * NIC's would be over long before its renewal */
TEST(fgfc_take__longest_pause_fits_into_a_frame)
{
	node_time_t now = 0;

	fgfc.pause_ps = NODE_S;
	start(3);
	for (unsigned i = 0; i < 20; i++) {
		ck_assert(fgfc_take(&fgfc, now, DISTANCE, &frame));
		ck_assert_uint_le(frame.pause_ps, FGFC_PAUSE_PS_MAX);
		ck_assert_uint_eq(fgfc_ready_at(&fgfc), now + frame.pause_ps / 2);
		now += frame.pause_ps / 2;
	}
	ck_assert_uint_eq(frame.pause_ps, 4 * NODE_S);
}

TEST(fgfc_clear__forgets_all)
{
	start(1); /* reported, paused */
	take(1, 0, PAUSE, CREDIT);
	start(2); /* reported, to be ended */
	take(2, NODE_US, PAUSE, CREDIT);
	stop(2);
	start(3); /* not reported */
	fgfc_clear(&fgfc);
	ck_assert_uint_eq(fgfc.on, 0);
	ck_assert_uint_eq(fgfc_ready_at(&fgfc), NODE_TIME_NEVER);
	for (uint32_t flow_id = 1; flow_id <= 3; flow_id++)
		start(flow_id);
	for (uint32_t flow_id = 1; flow_id <= 3; flow_id++)
		take(flow_id, NODE_MS + flow_id * NODE_US, PAUSE, CREDIT);
}

/* all channels at once, repeatedly: nothing overflows, every frame is sent */
TEST(fgfc__all_channels_at_once)
{
	node_time_t now = 0;

	for (uint32_t round = 0; round < 20; round++) {
		for (uint32_t flow_id = 0; flow_id < CHANNELS; flow_id++)
			start(flow_id);
		ck_assert_uint_eq(fgfc.on, CHANNELS);
		for (uint32_t flow_id = 0; flow_id < CHANNELS; flow_id++)
			take(flow_id, now += DISTANCE, PAUSE, CREDIT);
		for (uint32_t flow_id = 0; flow_id < CHANNELS; flow_id++)
			fgfc_forwarded(&fgfc, flow_id ^ 5, 20, 30 + (flow_id ^ 5) % 2 * 20,
				       &setting);
		ck_assert_uint_eq(fgfc.on, CHANNELS / 2);
		for (uint32_t flow_id = 0; flow_id < CHANNELS; flow_id++)
			take(flow_id ^ 5, now += DISTANCE, (flow_id ^ 5) % 2 ? PAUSE : 0,
			     (flow_id ^ 5) % 2 ? 22 : 0);
		for (uint32_t flow_id = 1; flow_id < CHANNELS; flow_id += 2)
			stop(flow_id);
		for (uint32_t flow_id = 1; flow_id < CHANNELS; flow_id += 2)
			take(flow_id, now += DISTANCE, 0, 0);
		take_none(now + NODE_S);
	}
}

/* EC-13 */
TEST(fgfc_credit_eighths__follows_the_levels)
{
	ck_assert_uint_eq(fgfc_credit_eighths(16, 201, &setting), 0);
	ck_assert_uint_eq(fgfc_credit_eighths(16, 200, &setting), 7 * 16);
	ck_assert_uint_eq(fgfc_credit_eighths(16, 101, &setting), 7 * 16);
	ck_assert_uint_eq(fgfc_credit_eighths(16, 100, &setting), 9 * 16);
	ck_assert_uint_eq(fgfc_credit_eighths(16, 40, &setting), 9 * 16);
}
