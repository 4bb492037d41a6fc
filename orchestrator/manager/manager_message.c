#include "orchestrator/manager/manager_message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "nodes/control/control_managed.h"

/* fields of the same names here and in control.proto, as in nodes/control/control.c */
#define COPY(field) to->field = (__typeof__(to->field))from->field;
#define REQUEST_FIELDS(F) \
	F(fabric)         \
	F(order)          \
	F(lanes)          \
	F(lanes_max)      \
	F(detours) F(non_minimal) F(cycles_allowed) F(follow) F(lane_rule) F(path_hops_max)
#define REPORT_FIELDS(F) \
	F(switches)      \
	F(hosts)         \
	F(links)         \
	F(silent)        \
	F(blocks_read)   \
	F(blocks_written) F(switches_written) F(unverified) F(took_ns) F(discover_ns) F(routing_ns)

#define SAME(wire, here) \
	_Static_assert((int)HEDDLE__##wire == (int)(here), "control.proto disagrees")
SAME(ROUTING_ORDER__AUTO_ORDER, ORDER_AUTO);
SAME(ROUTING_ORDER__MINIMAL_ORDER, ORDER_MINIMAL);
SAME(ROUTING_ORDER__UP_DOWN_ORDER, ORDER_UP_DOWN);
SAME(LANE_RULE__KEEP, LANES_KEEP);
SAME(LANE_RULE__BY_HOP, LANES_BY_HOP);
SAME(MANAGER_ASK__ASK_IDENTITY, ASK_DISCOVER);
SAME(MANAGER_ASK__ASK_BLOCK, ASK_READ);
SAME(MANAGER_ASK__ASK_TO_BEGIN, ASK_BEGIN);
SAME(MANAGER_ASK__ASK_TO_WRITE, ASK_WRITE);
SAME(MANAGER_ASK__ASK_BLOCK_BACK, ASK_READ_BACK);
SAME(MANAGER_ASK__ASK_TO_COMMIT, ASK_COMMIT);
SAME(MANAGER_MESSAGE__WHAT_HELLO, MANAGER_HELLO);
SAME(MANAGER_MESSAGE__WHAT_SWEEP, MANAGER_SWEEP);
SAME(MANAGER_MESSAGE__WHAT_QUESTION, MANAGER_QUESTION);
SAME(MANAGER_MESSAGE__WHAT_ANSWER, MANAGER_ANSWER);
SAME(MANAGER_MESSAGE__WHAT_REPORT, MANAGER_REPORT);
_Static_assert(sizeof(struct route_said) == 3 * sizeof(uint32_t), "a route is three numbers");

/* the parts of a question, and of its answer */
static bool has_identity(bool answer, enum manager_ask ask, int status)
{
	return answer && !status && ask == ASK_DISCOVER;
}

static bool has_block(bool answer, enum manager_ask ask, int status)
{
	return answer ? !status && manager_ask_reads(ask)
		      : manager_ask_reads(ask) || ask == ASK_WRITE;
}

/* ---- packing: the packed message borrows from @message ---- */

static void hello_pack(Heddle__ManagerHello *to, const struct manager_message *message)
{
	const struct routing_request *from = &message->request;

	heddle__manager_hello__init(to);
	REQUEST_FIELDS(COPY)
	to->node_count = message->node_count;
	to->n_said = from->said_count * 3;
	to->said = (uint32_t *)from->said;
}

static void question_pack(Heddle__ManagerQuestion *to, struct control_managed_packing *packing,
			  const struct manager_message *message)
{
	const struct manager_question *from = &message->question;
	bool answer = message->kind == MANAGER_ANSWER;

	heddle__manager_question__init(to);
	to->index = message->index;
	to->count = message->count;
	to->ask = (Heddle__ManagerAsk)from->ask;
	to->node = from->node;
	to->status = answer ? from->status : 0;
	if (has_identity(answer, from->ask, from->status))
		to->identity = control_identity_pack(packing, from->identity);
	if (has_block(answer, from->ask, from->status))
		to->block = control_block_pack(packing, &from->block);
}

static void report_pack(Heddle__ManagerReport *to, const struct manager_message *message)
{
	const struct manager_report *from = &message->report;

	heddle__manager_report__init(to);
	REPORT_FIELDS(COPY)
	to->error = message->error;
	to->why = (char *)from->why;
}

int manager_message_pack(const struct manager_message *message, uint8_t **bytes)
{
	Heddle__ManagerMessage packed = HEDDLE__MANAGER_MESSAGE__INIT;
	Heddle__ManagerSweep sweep = HEDDLE__MANAGER_SWEEP__INIT;
	struct control_managed_packing packing = { 0 };
	Heddle__ManagerQuestion question;
	Heddle__ManagerReport report;
	Heddle__ManagerHello hello;
	size_t length;

	packed.what_case = (Heddle__ManagerMessage__WhatCase)message->kind;
	if (message->kind == MANAGER_HELLO)
		hello_pack(packed.hello = &hello, message);
	else if (message->kind == MANAGER_SWEEP)
		packed.sweep = &sweep;
	else if (message->kind == MANAGER_REPORT)
		report_pack(packed.report = &report, message);
	else /* an answer has the same type and the same member of the union */
		question_pack(packed.question = &question, &packing, message);
	length = heddle__manager_message__get_packed_size(&packed);
	if (length > MANAGER_BYTES_MAX)
		return -EMSGSIZE;
	*bytes = malloc(length);
	if (!*bytes)
		return -ENOMEM;
	return (int)heddle__manager_message__pack(&packed, *bytes);
}

/* ---- unpacking ---- */

static int hello_unpack(struct manager_message *message, const Heddle__ManagerHello *from,
			struct why *why)
{
	struct routing_request *to = &message->request;
	struct route_said *said;

	if (from->node_count > NODE_COUNT_MAX)
		return why_say(why, -EPROTO, "the fabric cannot have %" PRIu32 " nodes",
			       from->node_count);
	if ((uint32_t)from->fabric >= FABRIC_KINDS || (uint32_t)from->order >= ROUTING_ORDERS ||
	    (uint32_t)from->lane_rule >= LANE_RULES)
		return why_say(why, -EPROTO,
			       "the request for routes has an unknown kind, order or rule");
	if (from->n_said % 3)
		return why_say(why, -EPROTO, "the last route is incomplete");
	for (size_t i = 0; i < from->n_said; i++)
		if (!from->said[i] || from->said[i] > NODE_SWITCHES_MAX)
			return why_say(why, -EPROTO, "a route names switch %" PRIu32,
				       from->said[i]);
	message->node_count = from->node_count;
	REQUEST_FIELDS(COPY)
	said = malloc(from->n_said * sizeof(uint32_t) + 1);
	if (!said)
		return -ENOMEM;
	if (from->n_said)
		memcpy(said, from->said, from->n_said * sizeof(uint32_t));
	to->said_count = (uint32_t)from->n_said / 3;
	to->said = said;
	return 0;
}

static int question_unpack(struct manager_message *message, const Heddle__ManagerQuestion *from,
			   struct why *why)
{
	struct manager_question *to = &message->question;
	bool answer = message->kind == MANAGER_ANSWER;
	const char *what = answer ? "answer" : "question";

	if (from->index >= from->count || from->count > MANAGER_QUESTIONS_MAX)
		return why_say(why, -EPROTO, "%s %" PRIu32 " of %" PRIu32, what, from->index,
			       from->count);
	if ((uint32_t)from->ask >= ASK_KINDS)
		return why_say(why, -EPROTO, "a %s of the unknown kind %d", what, (int)from->ask);
	if (from->status > 0 || (from->status && !answer))
		return why_say(why, -EPROTO, "%s %" PRIu32 " has status %" PRId32, what,
			       from->index, from->status);
	*to = (struct manager_question){ .ask = (enum manager_ask)from->ask,
					 .node = from->node,
					 .status = from->status };
	if (!from->identity == has_identity(answer, to->ask, to->status) ||
	    !from->block == has_block(answer, to->ask, to->status))
		return why_say(why, -EPROTO, "%s %" PRIu32 " lacks a part, or has one too many",
			       what, from->index);
	if (from->identity && !control_identity_unpack(&message->identity, from->identity))
		return why_say(why, -EPROTO,
			       "%s %" PRIu32
			       " has an identity with a list or a number that is too large",
			       what, from->index);
	if (from->block && !control_block_unpack(&to->block, from->block))
		return why_say(why, -EPROTO,
			       "%s %" PRIu32
			       " has a block of an unknown table, or of the wrong size",
			       what, from->index);
	to->identity = from->identity ? &message->identity : NULL;
	message->index = from->index;
	message->count = from->count;
	return 0;
}

static int report_unpack(struct manager_message *message, const Heddle__ManagerReport *from,
			 struct why *why)
{
	struct manager_report *to = &message->report;

	if (from->error > 0 || strlen(from->why) >= sizeof(to->why))
		return why_say(why, -EPROTO,
			       "the report has status %" PRId32 " and a reason of %zu bytes",
			       from->error, strlen(from->why));
	REPORT_FIELDS(COPY)
	strcpy(to->why, from->why);
	message->error = from->error;
	return 0;
}

int manager_message_unpack(const uint8_t *bytes, size_t length, struct manager_message *message,
			   struct why *why)
{
	Heddle__ManagerMessage *from;
	int error = 0;

	memset(message, 0, sizeof(*message));
	if (length > MANAGER_BYTES_MAX)
		return why_say(why, -EPROTO, "a message of %zu bytes is too long", length);
	from = heddle__manager_message__unpack(NULL, length, bytes);
	if (!from)
		return why_say(why, -EPROTO, "%zu bytes are not a message", length);
	message->kind = (enum manager_kind)from->what_case;
	if (message->kind == MANAGER_HELLO)
		error = hello_unpack(message, from->hello, why);
	else if (message->kind == MANAGER_QUESTION || message->kind == MANAGER_ANSWER)
		error = question_unpack(message, from->question, why);
	else if (message->kind == MANAGER_REPORT)
		error = report_unpack(message, from->report, why);
	else if (message->kind != MANAGER_SWEEP)
		error = why_say(why, -EPROTO, "a message of an unknown kind");
	heddle__manager_message__free_unpacked(from, NULL);
	return error;
}

void manager_message_free(struct manager_message *message)
{
	free((void *)message->request.said);
	message->request.said = NULL;
}

/* ---- the socket ---- */

/* of the last call */
static int socket_error(void)
{
	return errno == EAGAIN ? -ETIMEDOUT : errno == ECONNRESET ? -EPIPE : -errno;
}

int manager_send(int fd, const struct manager_message *message)
{
	uint8_t *bytes = NULL;
	int length = manager_message_pack(message, &bytes), error = length < 0 ? length : 0;
	ssize_t sent;

	if (error)
		return error;
	do
		sent = send(fd, bytes, (size_t)length, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		error = socket_error();
	free(bytes);
	return error;
}

int manager_receive(int fd, struct manager_message *message, struct why *why)
{
	uint8_t bytes[MANAGER_BYTES_MAX];
	ssize_t length;

	why->text[0] = 0;
	do
		length = recv(fd, bytes, sizeof(bytes), MSG_TRUNC);
	while (length < 0 && errno == EINTR);
	if (length <= 0)
		return length ? socket_error() : -EPIPE;
	return manager_message_unpack(bytes, (size_t)length, message, why);
}

int manager_questions_send(int fd, enum manager_kind kind, const struct manager_question *questions,
			   uint32_t count)
{
	struct manager_message message = { .kind = kind, .count = count };
	int error = 0;

	for (; message.index < count && !error; message.index++) {
		message.question = questions[message.index];
		error = manager_send(fd, &message);
	}
	return error;
}

/* ---- one of several ---- */

static int place_check(const struct manager_message *message, enum manager_kind kind,
		       uint32_t count, uint32_t index, struct why *why)
{
	if (message->kind == kind && message->count == count && message->index == index)
		return 0;
	return why_say(why, -EPROTO,
		       "message kind %d, %" PRIu32 " of %" PRIu32 ", in place of %s %" PRIu32
		       " of %" PRIu32,
		       (int)message->kind, message->index, message->count,
		       kind == MANAGER_ANSWER ? "answer" : "question", index, count);
}

int manager_question_take(const struct manager_message *message, struct manager_question *questions,
			  uint32_t count, uint32_t index, uint32_t node_count, struct why *why)
{
	int error = place_check(message, MANAGER_QUESTION, count, index, why);

	if (error)
		return error;
	if (message->question.node >= node_count)
		return why_say(why, -EPROTO,
			       "question %" PRIu32 " is for node %" PRIu32 ", of %" PRIu32, index,
			       message->question.node, node_count);
	questions[index] = message->question;
	return 0;
}

int manager_answer_take(const struct manager_message *message, struct manager_question *questions,
			uint32_t count, uint32_t index, struct why *why)
{
	const struct manager_question *from = &message->question;
	struct manager_question *to = &questions[index];
	int error = place_check(message, MANAGER_ANSWER, count, index, why);
	bool reads = manager_ask_reads(to->ask) && !from->status;

	if (error)
		return error;
	if (from->ask != to->ask || from->node != to->node ||
	    (reads &&
	     (from->block.table != to->block.table || from->block.number != to->block.number)))
		return why_say(why, -EPROTO, "answer %" PRIu32 " is to another question", index);
	to->status = from->status;
	if (reads)
		to->block = from->block;
	if (from->identity)
		*to->identity = *from->identity;
	return 0;
}
