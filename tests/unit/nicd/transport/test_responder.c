/*  nicd/transport/responder and reply_queue: the receiving end of a queue pair: what is delivered,
 *  and which ACKs and NAKs it sends (RC-2, RC-4). */
#include <stdlib.h>

#include "nicd/transport/reply_queue.h"
#include "nicd/transport/responder.h"
#include "tests/testing.h"

static struct responder responder;

static void setup(void)
{
	struct roce_header header = { .ends = { .source_mac = { 1 },
						.destination_mac = { 2 },
						.ip_version = 4,
						.source_ip = { 10 },
						.destination_ip = { 20 },
						.source_port = 0xc123 } };

	responder_open(&responder, &header, ROCE_REQUESTER | 5, 3);
}

static enum responder_verdict packet(uint32_t psn, uint8_t opcode, bool ack_request)
{
	struct roce_header header = { .psn = psn, .opcode = opcode, .ack_request = ack_request };

	return responder_on_packet(&responder, &header);
}

static enum responder_verdict middle(uint32_t psn)
{
	return packet(psn, ROCE_OPCODE_SEND_MIDDLE, false);
}

static void answer_is(uint8_t syndrome, uint32_t psn)
{
	struct roce_reply reply;

	ck_assert_uint_eq(responder.answers, 1);
	reply = responder_answer(&responder);
	ck_assert_uint_eq(reply.syndrome, syndrome);
	ck_assert_uint_eq(reply.psn, psn);
	ck_assert_uint_eq(responder.answers, 0);
}

TEST_GROUP(responder, .setup = setup);

/* RC-4: packets in order are delivered, with an ACK where one is requested. Addresses are reversed,
 * the UDP source port is kept. */
TEST(responder__in_order_is_delivered)
{
	struct roce_reply reply;

	ck_assert_int_eq(packet(0, ROCE_OPCODE_SEND_FIRST, false), RESPONDER_TAKE);
	ck_assert_uint_eq(responder.answers, 0);
	ck_assert_int_eq(packet(1, ROCE_OPCODE_SEND_MIDDLE, true), RESPONDER_TAKE);
	ck_assert_int_eq(packet(2, ROCE_OPCODE_SEND_LAST, true), RESPONDER_TAKE);
	ck_assert_uint_eq(responder.answers, 1); /* one ACK covers all */
	reply = responder_answer(&responder);
	ck_assert_uint_eq(reply.syndrome, ROCE_SYNDROME_ACK);
	ck_assert_uint_eq(reply.psn, 2);
	ck_assert_uint_eq(reply.msn, 1);
	ck_assert_uint_eq(reply.queue_pair, ROCE_REQUESTER | 5);
	ck_assert_uint_eq(reply.traffic_class, 3);
	ck_assert_uint_eq(reply.ends.source_mac[0], 2);
	ck_assert_uint_eq(reply.ends.destination_ip[0], 10);
	ck_assert_uint_eq(reply.ends.source_port, 0xc123);
}

/* RC-4: a gap leads to one NAK until it is closed; the next gap to another */
TEST(responder__one_nak_per_gap)
{
	middle(0);
	ck_assert_int_eq(middle(2), RESPONDER_GAP);
	answer_is(ROCE_SYNDROME_NAK_PSN, 1);
	ck_assert_int_eq(middle(3), RESPONDER_GAP);
	ck_assert_int_eq(packet(4, ROCE_OPCODE_SEND_LAST, true), RESPONDER_GAP);
	ck_assert_uint_eq(responder.answers, 0);
	ck_assert_int_eq(middle(1), RESPONDER_TAKE);
	ck_assert_uint_eq(responder.answers, 0);
	ck_assert_int_eq(middle(3), RESPONDER_GAP);
	answer_is(ROCE_SYNDROME_NAK_PSN, 2);
}

/* a gap that closes before its NAK was sent leads to an ACK instead */
TEST(responder__closed_gap_is_acknowledged)
{
	ck_assert_int_eq(middle(1), RESPONDER_GAP);
	ck_assert_int_eq(middle(0), RESPONDER_TAKE);
	answer_is(ROCE_SYNDROME_ACK, 0);
}

/* RC-4: a duplicate is acknowledged again, but does not hide a gap */
TEST(responder__duplicates_are_acknowledged_again)
{
	middle(0);
	middle(1);
	ck_assert_int_eq(middle(0), RESPONDER_DUPLICATE);
	answer_is(ROCE_SYNDROME_ACK, 1);
	ck_assert_int_eq(middle(3), RESPONDER_GAP);
	ck_assert_int_eq(middle(1), RESPONDER_DUPLICATE);
	answer_is(ROCE_SYNDROME_NAK_PSN, 2);
	ck_assert_uint_eq(responder.expected, 2);
}

/* 24 bits */
TEST(responder__psn_wraps)
{
	responder.expected = ROCE_PSN_MASK;
	responder.complete = ROCE_PSN_MASK;
	ck_assert_int_eq(middle(0), RESPONDER_GAP);
	answer_is(ROCE_SYNDROME_NAK_PSN, ROCE_PSN_MASK);
	ck_assert_int_eq(packet(ROCE_PSN_MASK, ROCE_OPCODE_SEND_ONLY, true), RESPONDER_TAKE);
	ck_assert_uint_eq(responder.complete, 0);
	answer_is(ROCE_SYNDROME_ACK, ROCE_PSN_MASK);
	ck_assert_int_eq(middle(ROCE_PSN_MASK), RESPONDER_DUPLICATE);
	ck_assert_int_eq(middle(0), RESPONDER_TAKE);
}

/* RC-2: answers are sent in the order in which they were due, CNPs of their class first */
TEST(reply_queue__cnps_of_a_class_first)
{
	struct reply_queue queue;
	bool cnp;

	ck_assert_int_eq(reply_queue_init(&queue, 4, 1), 0);
	queue.responders[2].traffic_class = queue.responders[0].traffic_class = 1;
	reply_queue_answer(&queue, 2);
	reply_queue_answer(&queue, 0);
	reply_queue_answer(&queue, 3);
	ck_assert_uint_eq(queue.ready, 3);
	reply_queue_cnp(&queue, 3);
	reply_queue_cnp(&queue, 1);
	ck_assert_uint_eq(reply_queue_next(&queue, 1, &cnp), 3);
	ck_assert(cnp);
	ck_assert_uint_eq(reply_queue_next(&queue, 1, &cnp), 1);
	ck_assert(cnp);
	ck_assert_uint_eq(reply_queue_next(&queue, 1, &cnp), 2);
	ck_assert(!cnp);
	ck_assert_uint_eq(queue.ready, 3);
	ck_assert_uint_eq(reply_queue_next(&queue, 1, &cnp), 0);
	ck_assert_uint_eq(queue.ready, 1);
	ck_assert_uint_eq(reply_queue_next(&queue, 0, &cnp), 3);
	ck_assert_uint_eq(queue.ready, 0);
	reply_queue_fini(&queue);
}
