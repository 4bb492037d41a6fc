/*  switchd/ethernet/shared_buffer: fixed and dynamic limits, headroom, XOFF and XON; the sums hold
 *  at any time (RC-5, RC-6, TB-25). */
#include <stdlib.h>

#include "nodes/base/random.h"
#include "switchd/ethernet/shared_buffer.h"
#include "tests/testing.h"

#define LOSSY 0u
#define LOSSLESS 1u
#define CLASSES 2u
#define PORTS 8u
#define SHARED 1000000u
#define HEADROOM 20000u
#define BUFFER (SHARED + PORTS * HEADROOM)

static struct shared_buffer buffer;
static struct roce_class_config classes[NODE_CLASSES_MAX];

static void setup(void)
{
	classes[LOSSY] = (struct roce_class_config){ 0 };
	classes[LOSSLESS] = (struct roce_class_config){ .lossless = true,
							.xoff_bytes = 50000,
							.xon_offset_bytes = 8000 };
	shared_buffer_init(&buffer, classes, CLASSES, BUFFER);
	for (uint32_t p = 0; p < PORTS; p++)
		shared_buffer_port_set(&buffer, p, HEADROOM);
}

static void taken_expect(uint32_t in, uint32_t out, uint32_t traffic_class, uint32_t bytes)
{
	ck_assert_int_eq(shared_buffer_take(&buffer, in, out, traffic_class, bytes),
			 SHARED_BUFFER_TAKEN);
}

/* Admits packets of @bytes until one is rejected or, with @stop, until the input is paused.
 * Return: their number. */
static uint32_t fill(uint32_t in, uint32_t out, uint32_t traffic_class, uint32_t bytes, bool stop)
{
	uint32_t count = 0;

	while (!(stop && shared_buffer_stopped(&buffer, in, traffic_class)) &&
	       shared_buffer_take(&buffer, in, out, traffic_class, bytes) == SHARED_BUFFER_TAKEN)
		count++;
	return count;
}

static void sums_expect(void)
{
	uint64_t inputs = 0, outputs = 0, headroom = 0;

	for (uint32_t p = 0; p < PORTS; p++)
		for (uint32_t c = 0; c < CLASSES; c++) {
			const struct shared_buffer_input *input = &buffer.inputs[p][c];

			inputs += input->bytes;
			headroom += input->headroom_bytes;
			outputs += buffer.outputs[p][c];
			ck_assert_uint_le(input->headroom_bytes, input->headroom_limit_bytes);
			ck_assert_uint_le(input->headroom_bytes, input->bytes);
		}
	ck_assert_uint_eq(outputs, inputs + buffer.own_bytes);
	ck_assert_uint_eq(outputs, buffer.used_bytes + headroom);
	ck_assert_uint_le(buffer.used_bytes, buffer.shared_bytes);
}

TEST_GROUP(shared_buffer, .setup = setup);

/* ---- the parts ---- */

TEST(shared_buffer_port_set__parts)
{
	ck_assert_uint_eq(buffer.shared_bytes, SHARED);
	shared_buffer_port_set(&buffer, 3, 0);
	ck_assert_uint_eq(buffer.shared_bytes, SHARED + HEADROOM);
	shared_buffer_port_set(&buffer, 3, 2 * BUFFER); /* more than there is */
	ck_assert_uint_eq(buffer.shared_bytes, 0);
	ck_assert_uint_eq(shared_buffer_free(&buffer), 0);
}

/* ---- lossless ---- */

/* RC-5: XOFF one byte above xoff, XON at xon_offset below it */
TEST(lossless__hysteresis)
{
	taken_expect(0, 1, LOSSLESS, 50000);
	ck_assert(!shared_buffer_stopped(&buffer, 0, LOSSLESS));
	taken_expect(0, 1, LOSSLESS, 64);
	ck_assert(shared_buffer_stopped(&buffer, 0, LOSSLESS));
	ck_assert(!shared_buffer_stopped(&buffer, 1, LOSSLESS));
	ck_assert_uint_eq(buffer.inputs[0][LOSSLESS].headroom_bytes, 0);
	shared_buffer_release(&buffer, 0, 1, LOSSLESS, 8063);
	ck_assert(shared_buffer_stopped(&buffer, 0, LOSSLESS));
	shared_buffer_release(&buffer, 0, 1, LOSSLESS, 1);
	ck_assert(!shared_buffer_stopped(&buffer, 0, LOSSLESS));
	sums_expect();
}

/* Packets after XOFF use the headroom, and leave it first. What exceeds the headroom is
 * rejected. */
TEST(lossless__headroom_after_xoff)
{
	taken_expect(0, 1, LOSSLESS, 50001);
	ck_assert_uint_eq(fill(0, 1, LOSSLESS, 1000, false), HEADROOM / 1000);
	ck_assert_int_eq(shared_buffer_take(&buffer, 0, 1, LOSSLESS, 64),
			 SHARED_BUFFER_HEADROOM_FULL);
	ck_assert_uint_eq(buffer.used_bytes, 50001);
	sums_expect();
	shared_buffer_release(&buffer, 0, 1, LOSSLESS, 5000);
	ck_assert_uint_eq(buffer.inputs[0][LOSSLESS].headroom_bytes, HEADROOM - 5000);
	ck_assert_uint_eq(buffer.used_bytes, 50001);
	taken_expect(0, 1, LOSSLESS, 5000);
	ck_assert_int_eq(shared_buffer_take(&buffer, 0, 1, LOSSLESS, 64),
			 SHARED_BUFFER_HEADROOM_FULL);
	taken_expect(1, 1, LOSSLESS, 1000); /* other inputs have their own */
	sums_expect();
}

/* The shared part is full: each input still has its headroom, is paused by the first packet in it,
 * and loses nothing before that is full. */
TEST(lossless__full_shared_part_leaves_headroom)
{
	classes[LOSSLESS].xoff_bytes = ROCE_BYTES_MAX;
	fill(7, 7, LOSSY, 1000, false);
	ck_assert_uint_eq(shared_buffer_free(&buffer), 0);
	for (uint32_t p = 0; p < PORTS; p++) {
		taken_expect(p, 1, LOSSLESS, 1000);
		ck_assert(shared_buffer_stopped(&buffer, p, LOSSLESS));
		ck_assert_uint_eq(fill(p, 1, LOSSLESS, 1000, false), HEADROOM / 1000 - 1);
	}
	sums_expect();
}

/* an empty input is resumed, whatever the limit is now */
TEST(lossless__empty_input_resumes)
{
	classes[LOSSLESS] = (struct roce_class_config){ .lossless = true,
							.alpha_permille = 1,
							.xon_offset_bytes = 8000 };
	taken_expect(0, 1, LOSSLESS, 4000); /* a thousandth of a million */
	ck_assert(shared_buffer_stopped(&buffer, 0, LOSSLESS));
	shared_buffer_release(&buffer, 0, 1, LOSSLESS, 3936);
	ck_assert(shared_buffer_stopped(&buffer, 0, LOSSLESS));
	shared_buffer_release(&buffer, 0, 1, LOSSLESS, 64);
	ck_assert(!shared_buffer_stopped(&buffer, 0, LOSSLESS));
}

/* ---- dynamic thresholds: alpha B / (1 + n alpha) each [Choudhury and Hahne 1998] ---- */

static void dynamic_expect(uint32_t traffic_class, uint32_t alpha_permille, uint32_t n)
{
	double alpha = alpha_permille / 1000.0, each = alpha * SHARED / (1 + n * alpha);
	bool more = true;

	classes[traffic_class].alpha_permille = alpha_permille;
	classes[traffic_class].xoff_bytes = 0;
	while (more) { /* all at the same rate */
		more = false;
		for (uint32_t p = 0; p < n; p++)
			if (!shared_buffer_stopped(&buffer, p, traffic_class))
				more |= shared_buffer_take(&buffer, p, p, traffic_class, 100) ==
					SHARED_BUFFER_TAKEN;
	}
	for (uint32_t p = 0; p < n; p++)
		ck_assert_double_eq_tol(buffer.outputs[p][traffic_class], each, 100 * (1 + alpha));
	sums_expect();
}

TEST_RANGE(dynamic__equals_the_closed_formula, 0, 7)
{
	static const struct {
		uint32_t alpha_permille, n;
	} cases[] = { { 125, 1 }, { 125, 8 },  { 1000, 1 }, { 1000, 4 },
		      { 500, 8 }, { 8000, 2 }, { 64000, 8 } };

	dynamic_expect(LOSSY, cases[_i].alpha_permille, cases[_i].n);
	setup();
	dynamic_expect(LOSSLESS, cases[_i].alpha_permille, cases[_i].n);
}

/* When others release buffer, the limit rises, and the inputs below it are resumed, in turn. */
TEST(dynamic__limit_rises_when_others_leave)
{
	uint32_t port, traffic_class, count = 0;

	classes[LOSSLESS] = (struct roce_class_config){ .lossless = true,
							.alpha_permille = 1000,
							.xon_offset_bytes = 1000 };
	for (uint32_t i = 0; i < 900; i++)
		taken_expect(7, 7, LOSSY, 1000);
	for (uint32_t p = 0; p < 3; p++)
		fill(p, p, LOSSLESS, 1000, true);
	ck_assert_uint_eq(buffer.stopped[LOSSLESS], 7);
	ck_assert(!shared_buffer_reconsider(&buffer, &port, &traffic_class));
	for (uint32_t i = 0; i < 900; i++)
		shared_buffer_release(&buffer, 7, 7, LOSSY, 1000);
	ck_assert_uint_eq(buffer.stopped[LOSSLESS], 7);
	while (shared_buffer_reconsider(&buffer, &port, &traffic_class)) {
		ck_assert_uint_eq(traffic_class, LOSSLESS);
		ck_assert_uint_eq(port, (1 + count++) % 3); /* input 0 had its turn above */
	}
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(buffer.stopped[LOSSLESS], 0);
}

/* the turn of the last port ends that of its class: the other class is next, from port 0 on */
TEST(shared_buffer_reconsider__after_the_last_port)
{
	static const uint32_t ports[] = { NODE_PORTS_MAX - 1, 0, 3, NODE_PORTS_MAX - 1 };
	uint32_t port, traffic_class;

	for (uint32_t c = 0; c < CLASSES; c++)
		classes[c] = (struct roce_class_config){ .lossless = true,
							 .alpha_permille = 1000,
							 .xon_offset_bytes = 1000 };
	shared_buffer_port_set(&buffer, NODE_PORTS_MAX - 1, HEADROOM);
	taken_expect(7, 7, LOSSY, 460000);
	fill(NODE_PORTS_MAX - 1, 1, LOSSLESS, 1000, true);
	fill(0, 1, LOSSY, 1000, true);
	fill(3, 1, LOSSY, 1000, true);
	fill(NODE_PORTS_MAX - 1, 1, LOSSY, 1000, true);
	buffer.next_class = LOSSLESS;
	buffer.next_port = 9;
	shared_buffer_release(&buffer, 7, 7, LOSSY, 460000);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert(shared_buffer_reconsider(&buffer, &port, &traffic_class));
		ck_assert_uint_eq(port, ports[i]);
		ck_assert_uint_eq(traffic_class, i ? LOSSY : LOSSLESS);
		ck_assert_uint_eq(buffer.next_port, (port + 1) % NODE_PORTS_MAX);
		ck_assert_uint_eq(buffer.next_class, i == 3 ? LOSSLESS : LOSSY);
	}
	ck_assert(!shared_buffer_reconsider(&buffer, &port, &traffic_class));
}

/* ---- lossy ---- */

TEST(lossy__queue_limit)
{
	classes[LOSSY].queue_bytes_max = 10000;
	ck_assert_uint_eq(fill(0, 1, LOSSY, 1000, false), 10);
	ck_assert_uint_eq(fill(2, 1, LOSSY, 1000, false), 0); /* from any input */
	ck_assert_uint_eq(fill(0, 2, LOSSY, 1000, false), 10);
	shared_buffer_release(&buffer, 0, 1, LOSSY, 1000);
	ck_assert_uint_eq(fill(2, 1, LOSSY, 1000, false), 1);
	ck_assert_uint_eq(buffer.stopped[LOSSY], 0);
	sums_expect();
}

/* never from the part that is reserved for lossless inputs */
TEST(lossy__shared_part_only)
{
	ck_assert_uint_eq(fill(0, 1, LOSSY, 1000, false), SHARED / 1000);
	sums_expect();
}

/* packets without an input: lossy, at most a quarter of the shared part, whatever the class */
TEST(own__at_most_a_quarter)
{
	for (uint32_t c = 0; c < CLASSES; c++) {
		uint32_t count = fill(SHARED_BUFFER_NO_INPUT, 1, c, 1000, false);

		ck_assert_uint_eq(count, SHARED / 4 / 1000);
		sums_expect();
		for (; count; count--)
			shared_buffer_release(&buffer, SHARED_BUFFER_NO_INPUT, 1, c, 1000);
	}
	ck_assert_uint_eq(buffer.used_bytes, 0);
	classes[LOSSY].queue_bytes_max = 5000;
	ck_assert_uint_eq(fill(SHARED_BUFFER_NO_INPUT, 1, LOSSY, 1000, false), 5);
}

/* ---- anything, in any order ---- */

struct held {
	uint32_t in, out, traffic_class, bytes;
};

TEST_RANGE(sums__hold_in_any_order, 0, 6)
{
	static struct held held[BUFFER / 64];
	uint32_t count = 0, port, traffic_class, refused = 0, stops = 0;
	struct random random;

	random_init(&random, (uint64_t)_i, 0);
	classes[LOSSY].alpha_permille = (uint32_t)random_below(&random, 4000);
	classes[LOSSLESS].alpha_permille = (uint32_t)random_below(&random, 1000) + 1;
	classes[LOSSLESS].xoff_bytes = _i % 2 ? 0 : random_below(&random, SHARED);
	for (uint32_t i = 0; i < 8000; i++) {
		struct held packet = { (uint32_t)random_below(&random, PORTS),
				       (uint32_t)random_below(&random, PORTS),
				       (uint32_t)random_below(&random, CLASSES),
				       64 + (uint32_t)random_below(&random, 9000) };
		uint32_t at = count ? (uint32_t)random_below(&random, count) : 0;

		if (!packet.in && i % 3)
			packet.in = SHARED_BUFFER_NO_INPUT;
		if (count && random_below(&random, 100) < (i / 2000 % 2 ? 60 : 40)) {
			shared_buffer_release(&buffer, held[at].in, held[at].out,
					      held[at].traffic_class, held[at].bytes);
			held[at] = held[--count];
			shared_buffer_reconsider(&buffer, &port, &traffic_class);
		} else if (shared_buffer_take(&buffer, packet.in, packet.out, packet.traffic_class,
					      packet.bytes) == SHARED_BUFFER_TAKEN) {
			held[count++] = packet;
		} else {
			refused++;
		}
		stops += buffer.stopped[LOSSLESS] != 0;
		ck_assert_uint_eq(buffer.stopped[LOSSY], 0);
		if (i % 16 == 0)
			sums_expect();
	}
	ck_assert_uint_gt(refused, 0);
	ck_assert_uint_gt(stops, 0);
	while (count--)
		shared_buffer_release(&buffer, held[count].in, held[count].out,
				      held[count].traffic_class, held[count].bytes);
	sums_expect();
	ck_assert_uint_eq(buffer.used_bytes, 0);
	ck_assert_uint_eq(buffer.stopped[LOSSLESS], 0); /* no input stays paused */
}
