/*  Fuzzes orchestrator/manager/fabric_manager and manager_message (TB-23, PG-11, TB-14).
 *
 *  An input that begins with 'M' has the bytes of one message between a manager and the process
 *  that keeps the fabric. What is refused comes with a sentence. What is accepted keeps the limits
 *  that manager_message.h states, and packs to bytes that are accepted again and pack to the same
 *  bytes.
 *  Any other input is what nodes answer to the manager: anything that the control protocol lets
 *  pass, over a socket that may change a byte of each question and each answer: what a manager or
 *  its keeper refuses ends the sweep with -EPROTO. The sweep ends with one of its statuses, and
 *  with a sentence unless all went well. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/control/control.h"
#include "orchestrator/manager/fabric_manager.h"
#include "orchestrator/manager/manager_message.h"

#define NODES 6u

static const uint8_t *data;
static size_t left;
static uint32_t asked;
static bool changes; /* the socket may change a byte of what it carries */

static uint8_t take(void)
{
	if (!left)
		return 0;
	left--;
	return *data++;
}

/* mostly small, sometimes anything */
static uint32_t number(void)
{
	uint8_t byte = take();

	return byte < 250 ? byte % 8 : byte == 250 ? UINT32_MAX : (uint32_t)(take() << 8 | take());
}

static void identity_draw(struct node_identity *identity, uint32_t node)
{
	uint8_t how = take();

	*identity =
		(struct node_identity){ .kind = how & 1 ? NODE_NIC : NODE_SWITCH,
					.fabric = (enum fabric_kind)((how >> 1 & 3) % FABRIC_KINDS),
					.index = how & 8 ? number() : node,
					.fabric_address = number(),
					.host_index = number() };
	snprintf(identity->name, sizeof(identity->name), "n%u", how & 16 ? number() : node);
	for (int table = 0; table < TABLE_KINDS; table++)
		identity->table_blocks[table] = how & 32 ? number() : take() % 2;
	identity->port_count = how & 64 ? number() % (NODE_PORTS_MAX + 1) : take() % 8;
	for (uint32_t port = 0; port < identity->port_count; port++) {
		uint8_t state = take();

		identity->ports[port] = (struct port_identity){
			.kind = state & 1 ? PORT_EDGE : PORT_FABRIC,
			.plugged = state & 2,
			.up = state & 4,
			.tier = (enum link_tier)((state >> 3 & 3) % LINK_TIERS),
			.peer_index = number(),
			.peer_port = number(),
			.rate_bps = 1000000ull * (1 + take())
		};
	}
}

/* @answer as the manager's side of the control socket would have it.  Return: was it let pass? */
static bool passes(struct control_message *answer, struct control_message *received)
{
	uint8_t *bytes = NULL;
	struct why why;
	int length = control_pack(answer, &bytes);
	bool fine = length > 0 && !control_unpack(bytes, (size_t)length, received, &why);

	free(bytes);
	return fine;
}

static void answer(struct manager_question *question)
{
	struct control_message message = { .kind = CONTROL_ANSWER, .question = 1 },
			       received = { 0 };
	struct node_identity identity;
	struct table_block block = question->block;
	uint8_t how = take();

	question->status = how % 16 == 1 ? -ESRCH : how % 16 == 2 ? -EINVAL : 0;
	if (question->status)
		return;
	if (question->ask == ASK_DISCOVER) {
		identity_draw(&identity, question->node);
		message.identity = &identity;
	} else if (manager_ask_reads(question->ask)) {
		/* what it was given, nothing, or anything */
		for (uint32_t i = 0; how & 64 && i < TABLE_BLOCK_BYTES; i++)
			block.bytes[i] = take();
		message.block = &block;
	}
	if (!passes(&message, &received)) {
		question->status = -EIO;
		return;
	}
	if (received.identity)
		*question->identity = *received.identity;
	if (received.block)
		memcpy(question->block.bytes, received.block->bytes, TABLE_BLOCK_BYTES);
	control_message_free(&received);
}

/* @message as the other end has it; a byte of it may have changed.  Return: as manager_receive() */
static int carried(const struct manager_message *message, struct manager_message *received,
		   struct why *why)
{
	uint8_t *bytes = NULL, how = changes ? take() : 0;
	int length = manager_message_pack(message, &bytes), error;

	assert(length > 0);
	if (how >= 240)
		bytes[(uint32_t)(take() << 8 | take()) % (uint32_t)length] ^=
			(uint8_t)(1 << how % 8);
	error = manager_message_unpack(bytes, (size_t)length, received, why);
	assert(!error || (error == -EPROTO && why->text[0]));
	free(bytes);
	return error;
}

/* question @index of @count to the keeper, and its answer back */
static int relayed(struct manager_question *questions, struct manager_question *theirs,
		   uint32_t count, uint32_t index)
{
	struct manager_message message = { .kind = MANAGER_QUESTION,
					   .index = index,
					   .count = count },
			       received;
	struct node_identity identity = { 0 };
	struct why why = { "" };
	int error;

	message.question = questions[index];
	error = carried(&message, &received, &why);
	if (error)
		return error;
	error = manager_question_take(&received, theirs, count, index, NODES, &why);
	manager_message_free(&received);
	assert(!error || (error == -EPROTO && why.text[0]));
	if (error)
		return error;
	message =
		(struct manager_message){ .kind = MANAGER_ANSWER, .index = index, .count = count };
	message.question = theirs[index];
	assert(message.question.node < NODES && message.question.ask < ASK_KINDS);
	message.question.identity = &identity;
	answer(&message.question);
	error = carried(&message, &received, &why);
	if (error)
		return error;
	error = manager_answer_take(&received, questions, count, index, &why);
	manager_message_free(&received);
	assert(!error || (error == -EPROTO && why.text[0]));
	return error;
}

static int exchange(void *owner, struct manager_question *questions, uint32_t count)
{
	struct manager_question *theirs = calloc(count, sizeof(*theirs));
	int error = 0;

	(void)owner;
	assert(theirs);
	asked += count;
	for (uint32_t i = 0; i < count && !error; i++) {
		assert(questions[i].node < NODES);
		error = relayed(questions, theirs, count, i);
	}
	free(theirs);
	return error ? error : take() == 255 ? -EPIPE : 0;
}

/* the bytes of one message */
static void message_decode(const uint8_t *bytes, size_t size)
{
	static struct manager_message first, second;
	uint8_t *packed = NULL, *again = NULL;
	struct why why = { "" };
	int length;

	if (manager_message_unpack(bytes, size, &first, &why)) {
		assert(why.text[0] && !first.request.said);
		return;
	}
	assert(first.node_count <= NODE_COUNT_MAX && first.request.fabric < FABRIC_KINDS &&
	       first.request.order < ROUTING_ORDERS && first.request.lane_rule < LANE_RULES);
	if (first.kind == MANAGER_QUESTION || first.kind == MANAGER_ANSWER)
		assert(first.index < first.count && first.count <= MANAGER_QUESTIONS_MAX &&
		       first.question.ask < ASK_KINDS && first.question.status <= 0 &&
		       first.question.block.table < TABLE_KINDS &&
		       first.identity.port_count <= NODE_PORTS_MAX);
	length = manager_message_pack(&first, &packed);
	if (length == -EMSGSIZE) { /* zeroes that were left out are there now */
		manager_message_free(&first);
		return;
	}
	assert(length > 0 && !manager_message_unpack(packed, (size_t)length, &second, &why));
	assert(manager_message_pack(&second, &again) == length &&
	       !memcmp(packed, again, (size_t)length));
	free(packed);
	free(again);
	manager_message_free(&first);
	manager_message_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct fabric_manager manager = { .wire = { .exchange = exchange }, .node_count = NODES };
	uint8_t how;
	int error;

	if (size && bytes[0] == 'M') {
		message_decode(bytes + 1, size - 1);
		return 0;
	}
	data = bytes;
	left = size;
	asked = 0;
	how = take();
	manager.complete = how & 1;
	changes = how & 2;
	manager.request =
		(struct routing_request){ .fabric = (enum fabric_kind)(take() % FABRIC_KINDS),
					  .order = ORDER_AUTO,
					  .lanes = 1,
					  .lanes_max = 1 + take() % 8 };
	for (int sweep = 0; sweep < 2; sweep++) {
		error = fabric_manager_sweep(&manager);
		assert(!error || manager.last.why[0] || error == -EPIPE || error == -EPROTO);
		assert(memchr(manager.last.why, 0, sizeof(manager.last.why)));
	}
	assert(asked >= NODES);
	return 0;
}
