/*  orchestrator/manager/manager_message: every message reads back as it was, and what is rejected,
 *  with its error (TB-14, TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/control/control.pb-c.h"
#include "orchestrator/manager/manager_message.h"
#include "tests/testing.h"

static struct manager_message got;
static struct why why;

static int unpack(const uint8_t *bytes, int length)
{
	why.text[0] = 0;
	return manager_message_unpack(bytes, (size_t)length, &got, &why);
}

/* @message is rejected, and the error contains @part */
static void refused(const struct manager_message *message, const char *part)
{
	uint8_t *bytes = NULL;
	int length = manager_message_pack(message, &bytes);

	ck_assert_int_gt(length, 0);
	ck_assert_int_eq(unpack(bytes, length), -EPROTO);
	ck_assert_msg(strstr(why.text, part) != NULL, "'%s' is not in: %s", part, why.text);
	free(bytes);
}

/* ... and read back, in `got` */
static void round_trip(const struct manager_message *message)
{
	uint8_t *bytes = NULL, *again = NULL;
	int length = manager_message_pack(message, &bytes);

	ck_assert_int_gt(length, 0);
	ck_assert_msg(!unpack(bytes, length), "%s", why.text);
	ck_assert_int_eq(got.kind, message->kind);
	ck_assert_int_eq(manager_message_pack(&got, &again), length);
	ck_assert_mem_eq(bytes, again, (size_t)length);
	free(bytes);
	free(again);
}

static struct manager_message hello(void)
{
	static const struct route_said said[] = { { 1, 2, 3 }, { 4, 5, NODE_SWITCHES_MAX } };

	return (struct manager_message){ .kind = MANAGER_HELLO,
					 .node_count = NODE_COUNT_MAX,
					 .request = { .fabric = FABRIC_ROCE,
						      .order = ORDER_UP_DOWN,
						      .lanes = 3,
						      .lanes_max = 8,
						      .detours = true,
						      .non_minimal = true,
						      .cycles_allowed = true,
						      .follow = true,
						      .lane_rule = LANES_BY_HOP,
						      .path_hops_max = 5,
						      .said_count = 2,
						      .said = said } };
}

static struct manager_message question(enum manager_kind kind, enum manager_ask ask)
{
	static struct node_identity identity = {
		.kind = NODE_SWITCH, .name = "s7", .index = 7, .port_count = 2
	};
	struct manager_message message = { .kind = kind,
					   .index = 4,
					   .count = 5,
					   .question = {
						   .ask = ask,
						   .node = 7,
						   .block = { .table = TABLE_HOSTS,
							      .number = 9,
							      .bytes = { 1, 2, [511] = 3 } } } };

	identity.ports[1] = (struct port_identity){
		.kind = PORT_FABRIC, .plugged = true, .peer_index = 3, .rate_bps = 100
	};
	if (kind == MANAGER_ANSWER)
		message.question.identity = &identity;
	return message;
}

TEST(manager_message__hello_reads_back)
{
	struct manager_message message = hello();

	round_trip(&message);
	ck_assert_uint_eq(got.node_count, NODE_COUNT_MAX);
	ck_assert_int_eq(got.request.fabric, FABRIC_ROCE);
	ck_assert_int_eq(got.request.order, ORDER_UP_DOWN);
	ck_assert_int_eq(got.request.lane_rule, LANES_BY_HOP);
	ck_assert_uint_eq(got.request.lanes, 3);
	ck_assert_uint_eq(got.request.lanes_max, 8);
	ck_assert_uint_eq(got.request.path_hops_max, 5);
	ck_assert(got.request.detours && got.request.non_minimal && got.request.cycles_allowed &&
		  got.request.follow);
	/* routes are sent by value: the receiver is another process */
	ck_assert_uint_eq(got.request.said_count, 2);
	ck_assert_ptr_ne(got.request.said, message.request.said);
	ck_assert_mem_eq(got.request.said, message.request.said, 2 * sizeof(*got.request.said));
	manager_message_free(&got);
	manager_message_free(&got);
}

TEST(manager_message__sweep_reads_back)
{
	round_trip(&(struct manager_message){ .kind = MANAGER_SWEEP });
}

TEST_RANGE(manager_message__question_reads_back, 0, ASK_KINDS)
{
	struct manager_message message = question(MANAGER_QUESTION, (enum manager_ask)_i);
	bool has_block = _i == ASK_READ || _i == ASK_READ_BACK || _i == ASK_WRITE;

	round_trip(&message);
	ck_assert_uint_eq(got.index, 4);
	ck_assert_uint_eq(got.count, 5);
	ck_assert_int_eq(got.question.ask, _i);
	ck_assert_uint_eq(got.question.node, 7);
	ck_assert_ptr_null(got.question.identity);
	ck_assert_uint_eq(got.question.block.number, has_block ? 9 : 0);
	ck_assert_int_eq(got.question.block.bytes[511], has_block ? 3 : 0);
}

TEST_RANGE(manager_message__answer_reads_back, 0, ASK_KINDS)
{
	struct manager_message message = question(MANAGER_ANSWER, (enum manager_ask)_i);

	round_trip(&message);
	ck_assert_int_eq(got.question.status, 0);
	ck_assert_int_eq(!got.question.identity, _i != ASK_DISCOVER);
	if (_i == ASK_DISCOVER) {
		ck_assert_ptr_eq(got.question.identity, &got.identity);
		ck_assert_str_eq(got.identity.name, "s7");
		ck_assert_uint_eq(got.identity.port_count, 2);
		ck_assert_uint_eq(got.identity.ports[1].peer_index, 3);
	}
	ck_assert_int_eq(got.question.block.bytes[511],
			 manager_ask_reads((enum manager_ask)_i) ? 3 : 0);
	message.question.status = -ESRCH; /* then without identity and block */
	round_trip(&message);
	ck_assert_int_eq(got.question.status, -ESRCH);
	ck_assert_ptr_null(got.question.identity);
}

TEST(manager_message__report_reads_back)
{
	struct manager_message message = { .kind = MANAGER_REPORT,
					   .error = -EINVAL,
					   .report = { 1, 2, 3, 4, 5, 6, 7, 8, UINT64_MAX, 10, 11,
						       "there are no tables" } };

	round_trip(&message);
	ck_assert_int_eq(got.error, -EINVAL);
	ck_assert_uint_eq(got.report.switches, 1);
	ck_assert_uint_eq(got.report.unverified, 8);
	ck_assert_uint_eq(got.report.took_ns, UINT64_MAX);
	ck_assert_uint_eq(got.report.routing_ns, 11);
	ck_assert_str_eq(got.report.why, "there are no tables");
}

/* ---- what is rejected ---- */

TEST(manager_message__bad_hello_is_rejected)
{
	static const struct route_said low[] = { { 1, 0, 3 } },
				       high[] = { { 1, 2, NODE_SWITCHES_MAX + 1 } };
	struct manager_message message = hello();

	message.node_count++;
	refused(&message, "32769 nodes");
	message = hello();
	message.request.fabric = FABRIC_KINDS;
	refused(&message, "unknown kind, order or rule");
	message = hello();
	message.request.order = ROUTING_ORDERS;
	refused(&message, "unknown kind, order or rule");
	message = hello();
	message.request.lane_rule = LANE_RULES;
	refused(&message, "unknown kind, order or rule");
	message = hello();
	message.request.said_count = 1;
	message.request.said = low;
	refused(&message, "switch 0");
	message.request.said = high;
	refused(&message, "switch 8192");
}

TEST(manager_message__bad_question_is_rejected)
{
	struct manager_message message = question(MANAGER_QUESTION, ASK_READ);

	message.index = 5;
	refused(&message, "question 5 of 5");
	message = question(MANAGER_QUESTION, ASK_READ);
	message.count = MANAGER_QUESTIONS_MAX + 1;
	refused(&message, "question 4 of 1048577");
	message = question(MANAGER_QUESTION, ASK_KINDS);
	refused(&message, "unknown kind 6");
	message = question(MANAGER_QUESTION, ASK_READ);
	message.question.block.table = TABLE_KINDS;
	refused(&message, "block of an unknown table");
	message = question(MANAGER_ANSWER, ASK_READ);
	message.question.status = 1;
	refused(&message, "status 1");
}

TEST(manager_message__bad_identity_is_rejected)
{
	struct manager_message message = question(MANAGER_ANSWER, ASK_DISCOVER);
	struct node_identity identity = *message.question.identity;

	message.question.identity = &identity;
	identity.index = NODE_COUNT_MAX;
	refused(&message, "identity with a list or a number that is too large");
}

/* the parts of a message, packed as no sender does */
static void parts_refused(bool answer, Heddle__ManagerQuestion *parts, const char *part)
{
	Heddle__ManagerMessage message = HEDDLE__MANAGER_MESSAGE__INIT;
	uint8_t bytes[2000];

	message.what_case = answer ? HEDDLE__MANAGER_MESSAGE__WHAT_ANSWER
				   : HEDDLE__MANAGER_MESSAGE__WHAT_QUESTION;
	message.question = parts;
	ck_assert_uint_lt(heddle__manager_message__get_packed_size(&message), sizeof(bytes));
	ck_assert_int_eq(unpack(bytes, (int)heddle__manager_message__pack(&message, bytes)),
			 -EPROTO);
	ck_assert_msg(strstr(why.text, part) != NULL, "'%s' is not in: %s", part, why.text);
}

TEST(manager_message__wrong_parts_are_rejected)
{
	Heddle__ManagerQuestion parts = HEDDLE__MANAGER_QUESTION__INIT;
	Heddle__NodeIdentity identity = HEDDLE__NODE_IDENTITY__INIT;
	Heddle__TableBlock block = HEDDLE__TABLE_BLOCK__INIT;
	uint8_t data[TABLE_BLOCK_BYTES] = { 0 };

	parts.count = 1;
	parts_refused(true, &parts, "lacks a part"); /* an identity */
	parts.identity = &identity;
	parts_refused(false, &parts, "lacks a part"); /* a question that has one */
	parts.status = -1;
	parts_refused(true, &parts, "lacks a part"); /* a rejection that has one */
	parts_refused(false, &parts, "status -1");
	parts = (Heddle__ManagerQuestion)HEDDLE__MANAGER_QUESTION__INIT;
	parts.count = 1;
	parts.ask = HEDDLE__MANAGER_ASK__ASK_TO_WRITE;
	parts_refused(false, &parts, "lacks a part"); /* a block */
	parts.block = &block;
	block.bytes = (ProtobufCBinaryData){ TABLE_BLOCK_BYTES - 1, data };
	parts_refused(false, &parts, "wrong size");
	block.bytes.len++;
	parts_refused(true, &parts, "lacks a part"); /* an answer to ASK_WRITE that has one */
}

TEST(manager_message__incomplete_route_is_rejected)
{
	Heddle__ManagerHello incomplete = HEDDLE__MANAGER_HELLO__INIT;
	Heddle__ManagerMessage message = HEDDLE__MANAGER_MESSAGE__INIT;
	uint32_t said[] = { 1, 2, 3, 4, 5 };
	uint8_t bytes[200];

	message.what_case = HEDDLE__MANAGER_MESSAGE__WHAT_HELLO;
	message.hello = &incomplete;
	incomplete.said = said;
	incomplete.n_said = 5;
	ck_assert_int_eq(unpack(bytes, (int)heddle__manager_message__pack(&message, bytes)),
			 -EPROTO);
	ck_assert_str_eq(why.text, "the last route is incomplete");
}

TEST(manager_message__bad_report_is_rejected)
{
	struct manager_message message = { .kind = MANAGER_REPORT, .error = 1 };
	Heddle__ManagerMessage packed = HEDDLE__MANAGER_MESSAGE__INIT;
	Heddle__ManagerReport report = HEDDLE__MANAGER_REPORT__INIT;
	char text[MANAGER_WHY_MAX + 1] = "";
	uint8_t bytes[1000];

	refused(&message, "status 1");
	packed.what_case = HEDDLE__MANAGER_MESSAGE__WHAT_REPORT;
	packed.report = &report;
	memset(text, 'x', MANAGER_WHY_MAX);
	report.why = text;
	ck_assert_int_eq(unpack(bytes, (int)heddle__manager_message__pack(&packed, bytes)),
			 -EPROTO);
	ck_assert_ptr_nonnull(strstr(why.text, "a reason of 512 bytes"));
	text[MANAGER_WHY_MAX - 1] = 0;
	ck_assert_int_eq(unpack(bytes, (int)heddle__manager_message__pack(&packed, bytes)), 0);
}

/* a message that is cut short anywhere is rejected with an error, or is another valid message */
TEST(manager_message__truncated_is_harmless)
{
	struct manager_message message = question(MANAGER_ANSWER, ASK_DISCOVER);
	uint8_t *bytes = NULL;
	int length = manager_message_pack(&message, &bytes);

	for (int cut = 0; cut < length; cut++) {
		ck_assert_int_eq(unpack(bytes, cut), -EPROTO);
		ck_assert_int_ne(why.text[0], 0);
	}
	ck_assert_int_eq(unpack(bytes, length), 0);
	free(bytes);
}

TEST(manager_message__unknown_or_too_long_is_rejected)
{
	static uint8_t bytes[MANAGER_BYTES_MAX + 1] = { 0x72 };

	ck_assert_int_eq(unpack(bytes, 2), -EPROTO); /* field 14, empty */
	ck_assert_str_eq(why.text, "a message of an unknown kind");
	ck_assert_int_eq(unpack(bytes, sizeof(bytes)), -EPROTO);
	ck_assert_str_eq(why.text, "a message of 131073 bytes is too long");
}

TEST(manager_message_pack__rejects_what_is_too_long)
{
	uint32_t count = MANAGER_BYTES_MAX / 3 + 1;
	struct route_said *said = calloc(count, sizeof(*said));
	struct manager_message message = hello();
	uint8_t *bytes = NULL;

	message.request.said = said;
	message.request.said_count = count;
	ck_assert_int_eq(manager_message_pack(&message, &bytes), -EMSGSIZE);
	ck_assert_ptr_null(bytes);
	free(said);
}

/* ---- the socket ---- */

static int ends[2];

static void sockets_make(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
}

static void sockets_close(void)
{
	close(ends[0]);
	close(ends[1]);
}

TEST_GROUP(manager_socket, .setup = sockets_make, .teardown = sockets_close);

static int receive(void)
{
	return manager_receive(ends[1], &got, &why);
}

TEST(manager_receive__equals_what_was_sent)
{
	struct manager_question questions[3] = { { .ask = ASK_BEGIN, .node = 1 },
						 { .ask = ASK_COMMIT, .node = 2 },
						 { .ask = ASK_DISCOVER, .node = 3 } };

	ck_assert_int_eq(manager_questions_send(ends[0], MANAGER_QUESTION, questions, 3), 0);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_int_eq(receive(), 0);
		ck_assert_uint_eq(got.index, i);
		ck_assert_uint_eq(got.count, 3);
		ck_assert_int_eq(got.question.ask, questions[i].ask);
		ck_assert_uint_eq(got.question.node, i + 1);
	}
}

/* the largest message that can be packed passes a socket with the kernel's limits */
TEST(manager_receive__largest_message_passes)
{
	uint32_t count = (MANAGER_BYTES_MAX - 100) / 3;
	struct route_said *said = calloc(count, sizeof(*said));
	struct manager_message message = hello();

	for (uint32_t i = 0; i < count; i++)
		said[i] = (struct route_said){ 1, 2, 3 };
	message.request.said = said;
	message.request.said_count = count;
	ck_assert_int_eq(manager_send(ends[0], &message), 0);
	ck_assert_int_eq(receive(), 0);
	ck_assert_uint_eq(got.request.said_count, count);
	ck_assert_mem_eq(got.request.said, said, count * sizeof(*said));
	manager_message_free(&got);
	free(said);
}

TEST(manager_receive__rejects_what_is_too_long)
{
	static uint8_t bytes[MANAGER_BYTES_MAX + 1];

	ck_assert_int_eq(send(ends[0], bytes, sizeof(bytes), 0), sizeof(bytes));
	ck_assert_int_eq(receive(), -EPROTO);
	ck_assert_str_eq(why.text, "a message of 131073 bytes is too long");
}

TEST(manager_receive__closed_socket_is_an_error)
{
	close(ends[0]);
	strcpy(why.text, "former");
	ck_assert_int_eq(receive(), -EPIPE);
	ck_assert_str_eq(why.text, "");
	ck_assert_int_eq(manager_send(ends[1], &(struct manager_message){ .kind = MANAGER_SWEEP }),
			 -EPIPE);
	ends[0] = dup(ends[1]);
}

TEST(manager_receive__has_a_time_limit)
{
	const struct timeval limit = { .tv_usec = 1000 };

	ck_assert_int_eq(setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
	ck_assert_int_eq(setsockopt(ends[1], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)), 0);
	ck_assert_int_eq(receive(), -ETIMEDOUT);
	for (int error = 0; !error;) {
		error = manager_send(ends[1], &(struct manager_message){ .kind = MANAGER_SWEEP });
		ck_assert(!error || error == -ETIMEDOUT);
	}
}

/* ---- one of several ---- */

TEST_GROUP(manager_take);

TEST(manager_question_take__checks_the_index)
{
	struct manager_message message = question(MANAGER_QUESTION, ASK_READ);
	struct manager_question questions[5] = { 0 };

	ck_assert_int_eq(manager_question_take(&message, questions, 5, 4, 8, &why), 0);
	ck_assert_uint_eq(questions[4].node, 7);
	ck_assert_int_eq(manager_question_take(&message, questions, 5, 4, 7, &why), -EPROTO);
	ck_assert_str_eq(why.text, "question 4 is for node 7, of 7");
	ck_assert_int_eq(manager_question_take(&message, questions, 5, 3, 8, &why), -EPROTO);
	ck_assert_int_eq(manager_question_take(&message, questions, 6, 4, 8, &why), -EPROTO);
	message.kind = MANAGER_ANSWER;
	ck_assert_int_eq(manager_question_take(&message, questions, 5, 4, 8, &why), -EPROTO);
	ck_assert_str_eq(why.text, "message kind 4, 4 of 5, in place of question 4 of 5");
}

TEST(manager_answer_take__fills_what_was_asked)
{
	struct node_identity identity = { 0 };
	struct manager_question questions[5] = {
		[4] = { .ask = ASK_DISCOVER, .node = 7, .identity = &identity, .status = 1 }
	};
	struct manager_message message = question(MANAGER_ANSWER, ASK_DISCOVER);

	round_trip(&message);
	ck_assert_int_eq(manager_answer_take(&got, questions, 5, 4, &why), 0);
	ck_assert_int_eq(questions[4].status, 0);
	ck_assert_ptr_eq(questions[4].identity, &identity);
	ck_assert_str_eq(identity.name, "s7");
	questions[4] = (struct manager_question){ .ask = ASK_READ,
						  .node = 7,
						  .block = { TABLE_HOSTS, 9, { 0 } } };
	message = question(MANAGER_ANSWER, ASK_READ);
	message.question.identity = NULL;
	ck_assert_int_eq(manager_answer_take(&message, questions, 5, 4, &why), 0);
	ck_assert_int_eq(questions[4].block.bytes[511], 3);
	message.question.status = -EINVAL; /* the block is unchanged */
	memset(&message.question.block, 0, sizeof(message.question.block));
	ck_assert_int_eq(manager_answer_take(&message, questions, 5, 4, &why), 0);
	ck_assert_int_eq(questions[4].status, -EINVAL);
	ck_assert_int_eq(questions[4].block.bytes[511], 3);
}

TEST_RANGE(manager_answer_take__rejects_an_answer_to_another_question, 0, 7)
{
	struct manager_question questions[5] = { [4] = { .ask = ASK_READ,
							 .node = 7,
							 .status = 1,
							 .block = { TABLE_HOSTS, 9, { 0 } } } };
	struct manager_message message = question(MANAGER_ANSWER, ASK_READ);

	message.question.identity = NULL;
	message.index -= _i == 0;
	message.count += _i == 1;
	message.kind = _i == 2 ? MANAGER_QUESTION : MANAGER_ANSWER;
	message.question.ask = _i == 3 ? ASK_READ_BACK : ASK_READ;
	message.question.node += _i == 4;
	message.question.block.table = _i == 5 ? TABLE_FLOOD : TABLE_HOSTS;
	message.question.block.number += _i == 6;
	ck_assert_int_eq(manager_answer_take(&message, questions, 5, 4, &why), -EPROTO);
	ck_assert_ptr_nonnull(strstr(why.text, _i < 3 ? "in place of answer 4 of 5"
						      : "answer 4 is to another question"));
	ck_assert_int_eq(questions[4].status, 1);
	ck_assert_int_eq(questions[4].block.bytes[511], 0);
}
