/*  switchd/ethernet/path_pause: signals become pause frames to the device. If the path and the
 *  shared buffer both pause it, both must resume it (RC-10, RC-11). */
#include <stdlib.h>

#include "switchd/ethernet/path_pause.h"
#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/watched_flow.h"

#define RATE (100ull * 1000 * 1000 * 1000)
#define QUANTUM ((node_time_t)5120)
#define FULL (PAUSE_QUANTA_MAX * QUANTUM)
#define WATCHED 0x04u
#define LOSSLESS 0x0cu

static struct roce_config roce;
static struct path_pause path;
static struct pfc_teller teller;
static struct pfc_gate device; /* the state that the frames produce at the device */
static struct flow_line flows[4];
static struct pause_frame frame;

static void restart(enum path_pause_form form)
{
	roce = (struct roce_config){ .path_pause = true, .path_form = form };
	roce.classes[2] = (struct roce_class_config){ .lossless = true, .watched = true };
	roce.classes[3] = (struct roce_class_config){ .lossless = true };
	path_pause_init(&path, &roce, 5, RATE, 0);
	pfc_teller_init(&teller, form == PATH_PAUSE_PORT);
	pfc_gate_init(&device, LOSSLESS);
	for (uint32_t i = 0; i < 4; i++)
		flows[i] = (struct flow_line){ .traffic_class = 2 };
}

static void setup(void)
{
	restart(PATH_PAUSE_TARGET);
}

/* Sends what is due.  Return: true if anything was due. */
static bool send_path(node_time_t now)
{
	if (!path_pause_due(&path, now) || !path_pause_frame(&path, &teller, now, &frame))
		return false;
	pfc_gate_take(&device, &frame, RATE, now);
	return true;
}

static void send_teller(node_time_t now)
{
	ck_assert_uint_le(pfc_teller_due_at(&teller), now);
	frame = pfc_teller_frame(&teller, RATE, now);
	path_pause_amend(&path, &frame, now);
	pfc_gate_take(&device, &frame, RATE, now);
}

static void hear(uint32_t flow, uint8_t signal, node_time_t now)
{
	path_pause_on_signal(&path, &flows[flow], signal, now);
}

TEST_GROUP(path_pause, .setup = setup);

TEST(signals__xoff_and_xon)
{
	ck_assert(!send_path(0));
	hear(0, ROCE_SIGNAL_PAUSE, 10);
	ck_assert(send_path(10)); /* RC-10: XOFF, time 65535, for the target priority */
	ck_assert(!frame.port);
	ck_assert_uint_eq(frame.enabled, WATCHED);
	ck_assert_uint_eq(frame.quanta[2], 65535);
	ck_assert(!send_path(11));
	hear(0, ROCE_SIGNAL_RESUME, 20);
	ck_assert(send_path(20)); /* RC-10: XON, time 0 */
	ck_assert_uint_eq(frame.enabled, WATCHED);
	ck_assert_uint_eq(frame.quanta[2], 0);
	ck_assert(!send_path(21));
	ck_assert_uint_eq(pfc_gate_paused(&device, 21), 0);
}

TEST(signals__other_values_are_ignored)
{
	hear(0, ROCE_SIGNAL_NONE, 10);
	hear(0, 3, 10);
	hear(0, 127, 10);
	ck_assert(!path_pause_due(&path, 10));
}

TEST_RANGE(forms__as_configured, 0, PATH_PAUSE_FORMS)
{
	static const struct {
		enum path_pause_form form;
		bool port;
		uint8_t enabled, held;
	} expected[] = {
		{ PATH_PAUSE_TARGET, false, WATCHED, WATCHED },
		{ PATH_PAUSE_ALL, false, 0xff, 0xff },
		{ PATH_PAUSE_NONE, false, 0, LOSSLESS },
		{ PATH_PAUSE_PORT, true, 0, 0xff },
	};

	restart(expected[_i].form);
	hear(0, ROCE_SIGNAL_PAUSE, 0);
	ck_assert(send_path(0)); /* RC-10 */
	ck_assert_int_eq(frame.port, expected[_i].port);
	ck_assert_uint_eq(frame.enabled, expected[_i].enabled);
	ck_assert_uint_eq(pfc_gate_paused(&device, FULL - 1), expected[_i].held); /* RC-11 */
	hear(0, ROCE_SIGNAL_RESUME, 10);
	ck_assert(send_path(10));
	ck_assert_int_eq(frame.port, expected[_i].port);
	ck_assert_uint_eq(frame.enabled, expected[_i].enabled);
	ck_assert_uint_eq(pfc_gate_paused(&device, 10), 0);
}

/* without PFC of its own a switch has no lossless classes; the device knows its own */
TEST_RANGE(forms__without_pfc, 0, PATH_PAUSE_FORMS)
{
	roce = (struct roce_config){ .path_pause = true, .path_form = (enum path_pause_form)_i };
	roce.classes[2].watched = true;
	path_pause_init(&path, &roce, 5, RATE, 0);
	hear(0, ROCE_SIGNAL_PAUSE, 0);
	ck_assert(send_path(0));
	ck_assert(pfc_gate_paused(&device, 1) & WATCHED); /* RC-10 */
	hear(0, ROCE_SIGNAL_RESUME, 10);
	ck_assert(send_path(10));
	ck_assert_uint_eq(pfc_gate_paused(&device, 10), 0);
}

/* A RESUME of a flow that pauses nothing changes nothing. Every pause of a class at a port has a
 * number, and 0 is none of them. */
TEST_RANGE(resume__of_a_flow_that_pauses_nothing, 0, ROCE_CLASSES_MAX)
{
	uint32_t traffic_class = (uint32_t)_i;

	for (uint32_t at = 0; at < NODE_PORTS_MAX; at++) {
		roce = (struct roce_config){ .path_pause = true, .path_form = PATH_PAUSE_TARGET };
		roce.classes[traffic_class] =
			(struct roce_class_config){ .lossless = true, .watched = true };
		path_pause_init(&path, &roce, at, RATE, 0);
		flows[0] = (struct flow_line){ .traffic_class = (uint8_t)traffic_class };
		hear(0, ROCE_SIGNAL_RESUME, 0);
		ck_assert_uint_eq(path_pause_flows(&path), 0);
		hear(0, ROCE_SIGNAL_PAUSE, 10);
		ck_assert_uint_eq(path_pause_flows(&path), 1);
		ck_assert(path_pause_frame(&path, &teller, 10, &frame));
		ck_assert_uint_eq(frame.quanta[traffic_class], 65535);
		hear(0, ROCE_SIGNAL_RESUME, 20);
		ck_assert(path_pause_due(&path, 20)); /* the pause ends */
		ck_assert(path_pause_frame(&path, &teller, 20, &frame));
		ck_assert_uint_eq(frame.quanta[traffic_class], 0);
	}
}

TEST(merge__one_frame_for_many_flows)
{
	for (uint32_t i = 0; i < 4; i++)
		hear(i, ROCE_SIGNAL_PAUSE, i);
	ck_assert(send_path(10));
	ck_assert(!send_path(11));
	hear(1, ROCE_SIGNAL_PAUSE, FULL / 4); /* three quarters of the time are left */
	ck_assert(!send_path(FULL / 4));
	hear(2, ROCE_SIGNAL_PAUSE, FULL / 2); /* a congested switch repeats its signal */
	ck_assert(send_path(FULL / 2));
	ck_assert_uint_eq(pfc_gate_paused(&device, FULL + 10), WATCHED);
}

TEST(merge__resumes_with_the_last_flow)
{
	hear(0, ROCE_SIGNAL_PAUSE, 0);
	hear(1, ROCE_SIGNAL_PAUSE, 0);
	hear(1, ROCE_SIGNAL_PAUSE, 0); /* sent twice, counted once */
	send_path(0);
	hear(0, ROCE_SIGNAL_RESUME, 10);
	hear(0, ROCE_SIGNAL_RESUME, 11);
	ck_assert(!send_path(11)); /* another queue is still too long for flow 1 */
	hear(1, ROCE_SIGNAL_RESUME, 12);
	ck_assert(send_path(12));
	ck_assert_uint_eq(pfc_gate_paused(&device, 12), 0);
}

TEST(merge__nothing_sent_if_resumed_before_the_frame)
{
	hear(0, ROCE_SIGNAL_PAUSE, 0);
	hear(0, ROCE_SIGNAL_RESUME, 1);
	ck_assert(!path_pause_due(&path, 1));
	hear(0, ROCE_SIGNAL_PAUSE, 2);
	send_path(2);
	hear(0, ROCE_SIGNAL_RESUME, 3);
	hear(0, ROCE_SIGNAL_PAUSE, 4);
	ck_assert(!path_pause_due(&path, 4)); /* it is paused anyway */
}

TEST(lost_resume__pause_expires)
{
	hear(0, ROCE_SIGNAL_PAUSE, 0);
	hear(1, ROCE_SIGNAL_PAUSE, 0);
	send_path(0);
	hear(0, ROCE_SIGNAL_RESUME, 10); /* the signal for flow 1 is lost */
	ck_assert(!send_path(FULL));
	ck_assert_uint_eq(pfc_gate_paused(&device, FULL), 0);
	hear(2, ROCE_SIGNAL_PAUSE, FULL + 5); /* a new pause, of flow 2 only */
	ck_assert(send_path(FULL + 5));
	hear(1, ROCE_SIGNAL_RESUME, FULL + 6); /* the pause that it renewed ended long ago */
	ck_assert(!send_path(FULL + 6));
	hear(2, ROCE_SIGNAL_RESUME, FULL + 7);
	ck_assert(send_path(FULL + 7));
	ck_assert_uint_eq(frame.quanta[2], 0);
}

/* real clock: the device may hold the pause longer, so a late signal still ends it */
TEST(late_resume__ends_the_pause_of_a_device_that_holds_it_longer)
{
	path.late_ps = FULL;
	hear(0, ROCE_SIGNAL_PAUSE, 0);
	ck_assert(send_path(0));
	hear(0, ROCE_SIGNAL_RESUME, FULL + FULL / 2);
	ck_assert(send_path(FULL + FULL / 2));
	ck_assert_uint_eq(frame.quanta[2], 0);
	ck_assert(!send_path(FULL + FULL / 2 + 1)); /* once */
	hear(0, ROCE_SIGNAL_PAUSE, 4 * FULL);
	ck_assert(send_path(4 * FULL));
	hear(0, ROCE_SIGNAL_RESUME, 6 * FULL);
	ck_assert(!send_path(6 * FULL)); /* no device holds it as long */
}

TEST(unwatched_flow__pauses_and_resumes)
{
	path_pause_on_signal(&path, NULL, ROCE_SIGNAL_PAUSE, 0);
	ck_assert(send_path(0));
	hear(1, ROCE_SIGNAL_PAUSE, 1);
	path_pause_on_signal(&path, NULL, ROCE_SIGNAL_RESUME, 2);
	ck_assert(!send_path(2)); /* flow 1 is known to be paused */
	hear(1, ROCE_SIGNAL_RESUME, 3);
	ck_assert(send_path(3));
}

/* RC-10, RC-11: flow 0 is of class 2, flow 1 of class 3, which is watched too; each has a congested
 * queue of its own */
TEST(target__only_the_congested_class)
{
	roce.classes[3].watched = true;
	path_pause_init(&path, &roce, 5, RATE, 0);
	flows[1].traffic_class = 3;
	hear(0, ROCE_SIGNAL_PAUSE, 0);
	ck_assert(send_path(0));
	ck_assert_uint_eq(frame.enabled, WATCHED);
	ck_assert_uint_eq(pfc_gate_paused(&device, 1), WATCHED); /* class 3 is resumed */
	hear(1, ROCE_SIGNAL_PAUSE, 10);
	ck_assert(send_path(10));
	ck_assert_uint_eq(pfc_gate_paused(&device, 10), LOSSLESS);
	hear(0, ROCE_SIGNAL_RESUME, 20);
	ck_assert(send_path(20));
	/* class 3 stays paused */
	ck_assert_uint_eq(pfc_gate_paused(&device, 20), LOSSLESS & ~WATCHED);
	hear(0, ROCE_SIGNAL_PAUSE, 30);
	hear(1, ROCE_SIGNAL_RESUME, 30);
	ck_assert(send_path(30)); /* one frame: it pauses one class and resumes the other */
	ck_assert_uint_eq(pfc_gate_paused(&device, 30), WATCHED);
	path_pause_on_signal(&path, NULL, ROCE_SIGNAL_PAUSE, 40); /* of an unknown flow */
	ck_assert(send_path(40));
	ck_assert_uint_eq(pfc_gate_paused(&device, 40), LOSSLESS);
}

TEST(clear__new_device_has_no_pause)
{
	hear(0, ROCE_SIGNAL_PAUSE, 0);
	send_path(0);
	path_pause_clear(&path, RATE);
	ck_assert(!path_pause_due(&path, 1));
	hear(0, ROCE_SIGNAL_RESUME, 1); /* from before */
	ck_assert(!path_pause_due(&path, 1));
	hear(1, ROCE_SIGNAL_PAUSE, 2);
	ck_assert(send_path(2));
	hear(1, ROCE_SIGNAL_RESUME, 3);
	ck_assert(send_path(3));
}

/* the shared buffer pauses the device first, the path resumes it first; in every form */
TEST_RANGE(both__buffer_keeps_what_the_path_resumes, 0, PATH_PAUSE_FORMS)
{
	restart((enum path_pause_form)_i);
	pfc_teller_want(&teller, 2, true);
	send_teller(0);
	hear(0, ROCE_SIGNAL_PAUSE, 10);
	send_path(10);
	hear(0, ROCE_SIGNAL_RESUME, 20);
	send_path(20);
	ck_assert(!path_pause_due(&path, 21));
	ck_assert(pfc_gate_paused(&device, 21) & WATCHED);
	if (!teller.port)
		ck_assert_uint_eq(pfc_gate_paused(&device, 21),
				  WATCHED); /* all others are resumed */
	pfc_teller_want(&teller, 2, false);
	send_teller(30);
	ck_assert_uint_eq(pfc_gate_paused(&device, 30), 0);
}

/* the path pauses the device, then the shared buffer pauses and resumes it */
TEST_RANGE(both__path_keeps_what_the_buffer_resumes, 0, PATH_PAUSE_FORMS)
{
	node_time_t until;

	restart((enum path_pause_form)_i);
	hear(0, ROCE_SIGNAL_PAUSE, 0);
	send_path(0);
	until = pfc_gate_next_at(&device, WATCHED, 0);
	pfc_teller_want(&teller, 2, true);
	send_teller(10 * QUANTUM);
	pfc_teller_want(&teller, 2, false);
	send_teller(20 * QUANTUM);
	ck_assert(pfc_gate_paused(&device, 20 * QUANTUM) & WATCHED);
	/* as long as the path's pause */
	ck_assert_uint_eq(pfc_gate_next_at(&device, WATCHED, 20 * QUANTUM), until);
	hear(0, ROCE_SIGNAL_RESUME, 30 * QUANTUM);
	ck_assert(send_path(30 * QUANTUM));
	ck_assert_uint_eq(pfc_gate_paused(&device, 30 * QUANTUM), 0);
}

TEST(both__path_has_ended_when_the_buffer_resumes)
{
	hear(0, ROCE_SIGNAL_PAUSE, 0);
	send_path(0);
	pfc_teller_want(&teller, 2, true);
	send_teller(10);
	hear(0, ROCE_SIGNAL_RESUME, 20);
	ck_assert(!send_path(20)); /* nothing is sent: the buffer pauses all of it */
	pfc_teller_want(&teller, 2, false);
	send_teller(30);
	ck_assert_uint_eq(pfc_gate_paused(&device, 30), 0);
}

TEST(both__classes_of_the_buffer_only_are_its_own)
{
	pfc_teller_want(&teller, 3, true);
	send_teller(0);
	hear(0, ROCE_SIGNAL_PAUSE, 10);
	send_path(10);
	pfc_teller_want(&teller, 3, false);
	send_teller(20);
	ck_assert_uint_eq(frame.quanta[3], 0);
	ck_assert_uint_eq(pfc_gate_paused(&device, 20), WATCHED);
}
