/*  orchestrator/plan/plan_buffer: the reserve of an input buffer, added up by hand; the least
 *  buffer; the real clock (EC-12). */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "nodes/link/link.h"
#include "orchestrator/plan/plan_buffer.h"
#include "tests/testing.h"

#define RUN "name: t\nrun: {duration: 100us}\n"
#define TWO RUN "topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"

static struct node_config sender, receiver;
static struct port_config port;
static struct plan plan;

/* 200 Gb/s (40 ps a byte), 1 us, switches of 350 ns, 4096 byte frames, gaps of 20 bytes */
static void setup(void)
{
	sender = (struct node_config){ .kind = NODE_SWITCH,
				       .lanes = 1,
				       .ports = &port,
				       .switch_ = { .latency_ps = 350 * NODE_NS,
						    .output_queue_units_max = 128 } };
	receiver = sender;
	port = (struct port_config){ .kind = PORT_FABRIC,
				     .rate_bps = 200000000000,
				     .delay_ps = NODE_US,
				     .mtu_bytes = 4096,
				     .gap_bytes = 20 };
	plan = (struct plan){ 0 };
}

static void teardown(void)
{
	plan_free(&plan);
}

TEST_GROUP(plan_buffer, .setup = setup, .teardown = teardown);

/* A frame of 4096 + 36 bytes takes 165.28 ns, the control word 0.32 ns, latency and delay 1.35 us.
 * So the sender knows after 1515.6 ns, and its last decision arrives 1515.28 ns later. 3030.88 ns
 * are 75772 bytes, or 789 frames of 60 + 36 bytes, and one that had begun. With two packets of 16
 * units and the output queue of 128 that is 950. */
TEST(plan_buffer_reserve_units__fabric_link)
{
	ck_assert_uint_eq(plan_buffer_reserve_units(&sender, &receiver, &port), 789 + 1 + 32 + 128);
}

/* A NIC of 500 ns, no fabric header, no output queue: frames of 4120 bytes take 164.8 ns;
 * 1514.92... + 1664.8 ns, in all 3179.92 ns or 79498 bytes, 946 frames of 84 bytes. */
TEST(plan_buffer_reserve_units__edge_link)
{
	sender = (struct node_config){ .kind = NODE_NIC,
				       .ports = &port,
				       .nic.latency_ps = 500 * NODE_NS };
	port.kind = PORT_EDGE;
	ck_assert_uint_eq(plan_buffer_reserve_units(&sender, &receiver, &port), 946 + 1 + 32);
}

/* 1 Mb/s, 8 us a byte: the two longest frames and the control word are 8272 bytes; the delays of
 * 2.7 us add less than one byte */
TEST(plan_buffer_reserve_units__slow_link)
{
	port.rate_bps = 1000000;
	ck_assert_uint_eq(plan_buffer_reserve_units(&sender, &receiver, &port),
			  8272 / 96 + 1 + 32 + 128);
}

/* 800 Gb/s over 100 ms, 10 ps a byte: 2 * (100 ms + 350 ns) + 2 * 41.32 ns + 80 ps are 20000078272
 * bytes: no overflow */
TEST(plan_buffer_reserve_units__long_fast_link)
{
	port.rate_bps = 800000000000;
	port.delay_ps = 100 * NODE_MS;
	ck_assert_uint_eq(plan_buffer_reserve_units(&sender, &receiver, &port),
			  20000078272 / 96 + 1 + 32 + 128);
}

static int plan_of(const char *text, struct scenario_errors *errors)
{
	struct scenario scenario;
	int error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, errors);

	ck_assert_int_eq(error, 0);
	error = plan_make(&scenario, &plan, errors);
	scenario_free(&scenario);
	return error;
}

/* the reserve is a part of the buffer: 2 MiB are 8192 units */
TEST(plan_buffers_make__levels)
{
	struct scenario_errors errors = { 0 };

	ck_assert_int_eq(plan_of(TWO "links: {rate: 200Gb/s, delay: 1us}\n", &errors), 0);
	ck_assert_uint_eq(plan.nodes[0].ports[0].buffer_units, 8192);
	ck_assert_uint_eq(plan.nodes[0].ports[0].stop_units, 8192 - 979);
	ck_assert_uint_eq(plan.nodes[0].ports[1].stop_units, 8192 - 950);
	scenario_errors_free(&errors);
}

/* the worst link decides: that of a NIC needs 979 units and two packets, 1011 in all */
TEST(plan_buffers_make__rejects_what_is_too_small)
{
	struct scenario_errors errors = { 0 };

	ck_assert_int_eq(plan_of(TWO
				 "links: {rate: 200Gb/s, delay: 1us}\nswitch: {buffer: 258816B}\n",
				 &errors),
			 0);
	plan_free(&plan);
	ck_assert_int_ne(plan_of(TWO
				 "links: {rate: 200Gb/s, delay: 1us}\nswitch: {buffer: 258815B}\n",
				 &errors),
			 0);
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_msg(strstr(errors.texts[0], "link from 'A' to 's1': 258816 at least"), "%s",
		      errors.texts[0]);
	scenario_errors_free(&errors);
}

/* The same amount may be in flight, more if the link itself holds more; on a guarded link at least
 * 64 packets. */
TEST(plan_buffer_make_real__twice_the_buffer)
{
	struct scenario scenario = { .buffer_bytes = 1 << 20,
				     .switch_.output_queue_units_max = 128 };

	plan_buffer_make_real(&scenario, &receiver, &port);
	ck_assert_uint_eq(port.stop_units, 4096);
	ck_assert_uint_eq(port.flight_units, 4096);
	ck_assert_uint_eq(port.buffer_units, 4096 + 4096 + 128);
	port.rate_bps = 10000000000;
	port.delay_ps = NODE_MS;
	plan_buffer_make_real(&scenario, &receiver, &port);
	ck_assert_uint_eq(port.flight_units, 2 * 1250000 / 256);
	port.delay_ps = 0;
	scenario.buffer_bytes = 1;
	plan_buffer_make_real(&scenario, &receiver, &port);
	ck_assert_uint_eq(port.flight_units, 64 * units_of_bytes(port.mtu_bytes));
	ck_assert_uint_eq(port.stop_units, 2 * units_of_bytes(port.mtu_bytes));
}

/* The lanes of a class share its buffer, unless that is too little. A host's link uses one lane. */
TEST(plan_buffer_make_real__lanes_share)
{
	struct scenario scenario = { .buffer_bytes = 1 << 20,
				     .switch_.output_queue_units_max = 128 };

	receiver.lanes = 4;
	plan_buffer_make_real(&scenario, &receiver, &port);
	ck_assert_uint_eq(port.stop_units, 1024);
	scenario.buffer_bytes = 3 * 4096;
	plan_buffer_make_real(&scenario, &receiver, &port);
	ck_assert_uint_eq(port.stop_units, 32);
	port.kind = PORT_EDGE;
	plan_buffer_make_real(&scenario, &receiver, &port);
	ck_assert_uint_eq(port.stop_units, 48);
}

/* credit (PG-9): nothing arrives for which there is no buffer */
TEST(plan_buffers_make__port_group)
{
	struct scenario_errors errors = { 0 };
	const struct port_config *buffer;

	ck_assert_int_eq(plan_of("fabric: port-group\n" TWO
				 "switch: {buffer: 8KiB, output-queue: 4KiB}\n",
				 &errors),
			 0);
	buffer = &plan.nodes[0].ports[0];
	ck_assert_uint_eq(buffer->buffer_units, 32);
	ck_assert_uint_eq(buffer->stop_units, 0);
	plan_free(&plan);
	ck_assert_int_ne(plan_of("fabric: port-group\n" TWO "switch: {buffer: 7KiB}\n", &errors),
			 0);
	ck_assert_msg(strstr(errors.texts[0], "8192 at least, for two packets of the MTU"), "%s",
		      errors.texts[0]);
	scenario_errors_free(&errors);
}
