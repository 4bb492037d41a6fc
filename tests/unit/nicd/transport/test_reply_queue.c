/*  nicd/transport/reply_queue: the order of answers: by class, CNPs first (RC-4). */
#include "nicd/transport/reply_queue.h"
#include "tests/testing.h"

#define FLOWS 4u
#define CNPS 2u

static struct reply_queue queue;

static void set_up(void)
{
	ck_assert_int_eq(reply_queue_init(&queue, FLOWS, CNPS), 0);
	for (uint32_t slot = 0; slot < FLOWS; slot++)
		queue.responders[slot].traffic_class = slot == 3 ? CNPS : 1;
}

static void tear_down(void)
{
	reply_queue_fini(&queue);
}

static void next_expect(uint32_t traffic_class, uint32_t slot, bool is_cnp)
{
	bool cnp = !is_cnp;

	ck_assert_uint_eq(queue.ready >> traffic_class & 1, 1);
	ck_assert_uint_eq(reply_queue_next(&queue, traffic_class, &cnp), slot);
	ck_assert_int_eq(cnp, is_cnp);
}

TEST_GROUP(reply_queue, .setup = set_up, .teardown = tear_down);

TEST(reply_queue__in_order)
{
	ck_assert_uint_eq(queue.ready, 0);
	reply_queue_answer(&queue, 2);
	reply_queue_answer(&queue, 0);
	reply_queue_answer(&queue, 1);
	ck_assert_uint_eq(queue.ready, 1u << 1);
	next_expect(1, 2, false);
	reply_queue_answer(&queue, 2); /* it has more to say: after the others */
	next_expect(1, 0, false);
	next_expect(1, 1, false);
	next_expect(1, 2, false);
	ck_assert_uint_eq(queue.ready, 0);
	reply_queue_answer(&queue, 1); /* as good as new */
	next_expect(1, 1, false);
	ck_assert_uint_eq(queue.ready, 0);
}

/* a receiver may wait with an answer and with a CNP; in the class of CNPs they precede answers */
TEST(reply_queue__cnps_first)
{
	reply_queue_answer(&queue, 3);
	reply_queue_cnp(&queue, 1);
	reply_queue_cnp(&queue, 3);
	reply_queue_answer(&queue, 1);
	ck_assert_uint_eq(queue.ready, 1u << 1 | 1u << CNPS);
	next_expect(CNPS, 1, true);
	next_expect(CNPS, 3, true);
	next_expect(1, 1, false);
	ck_assert_uint_eq(queue.ready, 1u << CNPS);
	next_expect(CNPS, 3, false);
	ck_assert_uint_eq(queue.ready, 0);
	reply_queue_cnp(&queue, 0);
	ck_assert_uint_eq(queue.ready, 1u << CNPS);
	next_expect(CNPS, 0, true);
	ck_assert_uint_eq(queue.ready, 0);
}
