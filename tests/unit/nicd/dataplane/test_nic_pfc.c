/*  nicd/dataplane/nic_pfc: pauses that a NIC obeys and asks for, and their time (RC-5, RC-11). The
 *  NIC's clock is set by hand; two_nics.h has its configuration. */
#include "nicd/dataplane/nic_pfc.h"
#include "nodes/wire/pause_frame.h"
#include "tests/testing.h"
#include "tests/unit/nicd/dataplane/two_nics.h"

#define QUANTUM_PS (512 * 10u) /* at 100 Gb/s */

static struct nic *nic;

static void set_up(void)
{
	two_setup();
	two_build();
	nic = two[0].nic;
}

static struct class_stats *class_of(uint32_t traffic_class)
{
	return stats_class(two[0].stats, 0, traffic_class);
}

/* a frame that pauses the classes in the set @classes arrives at @now */
static void pause_at(node_time_t now, uint8_t classes, uint16_t quanta)
{
	struct pause_frame frame = { .enabled = classes };
	uint8_t bytes[PAUSE_FRAME_BYTES];

	for (uint32_t c = 0; c < 2; c++)
		frame.quanta[c] = classes >> c & 1 ? quanta : 0;
	pause_frame_write(&frame, two[1].nic->receive.mac, bytes);
	nic->now_ps = now;
	nic_pfc_frame(nic, bytes, sizeof(bytes));
}

static void plan_at(node_time_t now, uint32_t waiting)
{
	nic->now_ps = now;
	nic_pfc_plan(nic, waiting);
}

TEST_GROUP(nic_pfc, .setup = set_up, .teardown = two_free);

/* only the time in which a class was paused and had something to send counts */
TEST_RANGE(nic_pfc_plan__time_of_waiting_classes, 0, 2)
{
	uint8_t class = (uint8_t)(1u << _i);

	pause_at(NODE_US, class, 1000);
	plan_at(NODE_US, 0);
	ck_assert_uint_eq(nic->pfc.held, class);
	ck_assert_uint_eq(nic->pfc.waiting, 0);
	ck_assert_uint_eq(nic->pfc.until_ps, NODE_TIME_NEVER);
	plan_at(2 * NODE_US, 3);
	ck_assert_uint_eq(nic->pfc.waiting, class);
	ck_assert_uint_eq(nic->pfc.until_ps, NODE_US + 1000 * QUANTUM_PS);
	ck_assert_uint_eq(class_of(_i)->paused_since_ps, 2 * NODE_US);
	plan_at(4 * NODE_US, 3);
	ck_assert_uint_eq(class_of(_i)->paused_ps, 2 * NODE_US);
	ck_assert_uint_eq(class_of(!_i)->paused_ps, 0);
	plan_at(NODE_US + 1000 * QUANTUM_PS, 3);
	ck_assert_uint_eq(nic->pfc.held, 0);
	ck_assert_uint_eq(nic->pfc.waiting, 0);
	ck_assert_uint_eq(class_of(_i)->paused_ps, 1000 * QUANTUM_PS - NODE_US);
	ck_assert_uint_eq(class_of(_i)->paused_since_ps, 0);
	plan_at(20 * NODE_US, 3);
	ck_assert_uint_eq(class_of(_i)->paused_ps, 1000 * QUANTUM_PS - NODE_US);
}

/* a pause as long as the watchdog's time is stuck: once, until it has ended */
TEST(nic_pfc_plan__stuck_once)
{
	nic->now_ps = 50 * NODE_MS; /* the time of the fabric does not matter */
	pause_at(50 * NODE_MS, 1, UINT16_MAX);
	nic->pfc.gate.until_ps[0] = 90 * NODE_MS;
	plan_at(50 * NODE_MS, 1);
	plan_at(60 * NODE_MS - 1, 1);
	ck_assert_uint_eq(class_of(0)->stuck, 0);
	plan_at(60 * NODE_MS, 1);
	ck_assert_uint_eq(class_of(0)->stuck, 1);
	plan_at(75 * NODE_MS, 1);
	ck_assert_uint_eq(class_of(0)->stuck, 1);
	plan_at(90 * NODE_MS, 1);
	pause_at(91 * NODE_MS, 1, UINT16_MAX);
	nic->pfc.gate.until_ps[0] = 120 * NODE_MS;
	plan_at(91 * NODE_MS, 1);
	plan_at(101 * NODE_MS, 1);
	ck_assert_uint_eq(class_of(0)->stuck, 2);
}

/* a frame that is none is dropped and pauses nothing; without PFC none does */
TEST(nic_pfc_frame__refused)
{
	uint8_t bytes[PAUSE_FRAME_BYTES] = { 0 };

	nic_pfc_frame(nic, bytes, sizeof(bytes));
	ck_assert_uint_eq(stats_port(two[0].stats, 0)->pauses_received, 0);
	plan_at(NODE_US, 3);
	ck_assert_uint_eq(nic->pfc.held, 0);
	two[0].config.roce.pfc = false;
	pause_at(NODE_US, 3, 1000);
	plan_at(NODE_US, 3);
	ck_assert_uint_eq(nic->pfc.held, 0);
	ck_assert_uint_eq(stats_port(two[0].stats, 0)->pauses_received, 1);
	two[0].config.roce.path_pause = true; /* RC-10: these are obeyed nevertheless */
	pause_at(NODE_US, 3, 1000);
	plan_at(NODE_US, 3);
	ck_assert_uint_eq(nic->pfc.held, 3);
}

/* a new link pauses nothing, and has been asked for nothing */
TEST(nic_pfc_init__of_a_new_link)
{
	pause_at(NODE_US, 3, 1000);
	plan_at(2 * NODE_US, 3);
	nic_pfc_stop(nic, 0, true);
	ck_assert_uint_eq(class_of(0)->xoff_since_ps, 2 * NODE_US);
	nic_pfc_init(nic);
	for (uint32_t c = 0; c < 2; c++) {
		ck_assert_uint_eq(class_of(c)->paused_since_ps, 0);
		ck_assert_uint_eq(class_of(c)->xoff_since_ps, 0);
	}
	plan_at(3 * NODE_US, 3);
	ck_assert_uint_eq(nic->pfc.held, 0);
	ck_assert_uint_eq(nic->pfc.until_ps, NODE_TIME_NEVER);
	ck_assert_uint_eq(nic->pfc.teller.wanted, 0);
}

/* Pauses end with the link, at both of its ends. Nothing of the time without a link counts. */
TEST(nic_link_down__ends_pauses)
{
	pause_at(NODE_US, 1, UINT16_MAX);
	plan_at(NODE_US, 1);
	nic_pfc_stop(nic, 1, true);
	nicd_ops.link_down(nic, 0, 3 * NODE_US);
	ck_assert_uint_eq(class_of(0)->paused_ps, 2 * NODE_US);
	ck_assert_uint_eq(class_of(0)->paused_since_ps, 0);
	ck_assert_uint_eq(class_of(1)->xoff_since_ps, 0);
	plan_at(50 * NODE_MS, 1); /* longer than the watchdog's time */
	ck_assert_uint_eq(class_of(0)->stuck, 0);
	ck_assert_uint_eq(class_of(0)->paused_ps, 2 * NODE_US);
	nicd_ops.link_up(nic, 0, 60 * NODE_MS);
	ck_assert_uint_eq(class_of(0)->paused_ps, 2 * NODE_US);
}

/* XOFF once, XON once; the first XOFF of the run is kept */
TEST(nic_pfc_stop__changes_only)
{
	nic->now_ps = 5 * NODE_US;
	nic_pfc_stop(nic, 1, true);
	nic->now_ps = 6 * NODE_US;
	nic_pfc_stop(nic, 1, true);
	ck_assert_uint_eq(class_of(1)->xoff_since_ps, 5 * NODE_US);
	ck_assert_uint_eq(nic->pfc.teller.wanted, 1u << 1);
	nic_pfc_stop(nic, 1, false);
	ck_assert_uint_eq(class_of(1)->xoff_since_ps, 0);
	nic->now_ps = 7 * NODE_US;
	nic_pfc_stop(nic, 1, true);
	ck_assert_uint_eq(class_of(1)->xoff_since_ps, 7 * NODE_US);
	ck_assert_uint_eq(class_of(1)->xoff_first_ps, 5 * NODE_US);
	ck_assert_uint_eq(class_of(0)->xoff_first_ps, 0);
	two[0].config.roce.pfc = false;
	nic_pfc_stop(nic, 0, true);
	ck_assert_uint_eq(class_of(0)->xoff_since_ps, 0);
}

/* a pause that begins with the fabric is one, too: 0 means none */
TEST(nic_pfc_stop__at_time_zero)
{
	nic->now_ps = 0;
	nic_pfc_stop(nic, 0, true);
	ck_assert_uint_ne(class_of(0)->xoff_since_ps, 0);
	ck_assert_uint_ne(class_of(0)->xoff_first_ps, 0);
}
