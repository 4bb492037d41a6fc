/*  Fuzzes orchestrator/manager/fabric_manager (TB-23, PG-11, TB-14): nodes that answer the fabric manager with anything that the control
 *  protocol lets pass.
 *
 *  An answer is packed and unpacked as it would be on its way, so that only what passes nodes/control/control reaches the manager. The
 *  sweep ends with one of its statuses, and with a sentence unless all went well.                                     */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/control/control.h"
#include "orchestrator/manager/fabric_manager.h"

#define NODES 6u

static const uint8_t *data;
static size_t left;
static uint32_t asked;

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

	*identity = (struct node_identity){ .kind = how & 1 ? NODE_NIC : NODE_SWITCH,
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

		identity->ports[port] = (struct port_identity){ .kind = state & 1 ? PORT_EDGE : PORT_FABRIC,
								.plugged = state & 2,
								.up = state & 4,
								.tier = (enum link_tier)((state >> 3 & 3) % LINK_TIERS),
								.peer_index = number(),
								.peer_port = number(),
								.rate_bps = 1000000ull * (1 + take()) };
	}
}

/* @answer as the manager's side of the control socket would have it.  Return: was it let pass? */
static bool passes(struct control_message *answer, struct control_message *received)
{
	uint8_t *bytes = NULL;
	char why[200];
	int length = control_pack(answer, &bytes);
	bool fine = length > 0 && !control_unpack(bytes, (size_t)length, received, why, sizeof(why));

	free(bytes);
	return fine;
}

static void answer(struct manager_question *question)
{
	struct control_message message = { .kind = CONTROL_ANSWER, .question = 1 }, received = { 0 };
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

static int exchange(void *owner, struct manager_question *questions, uint32_t count)
{
	(void)owner;
	asked += count;
	for (uint32_t i = 0; i < count; i++) {
		assert(questions[i].node < NODES);
		answer(&questions[i]);
	}
	return take() == 255 ? -EPIPE : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct fabric_manager manager = { .wire = { .exchange = exchange }, .node_count = NODES };
	int error;

	data = bytes;
	left = size;
	asked = 0;
	manager.complete = take() & 1;
	manager.request = (struct routing_request){ .fabric = (enum fabric_kind)(take() % FABRIC_KINDS),
						    .order = ORDER_AUTO,
						    .lanes = 1,
						    .lanes_max = 1 + take() % 8 };
	for (int sweep = 0; sweep < 2; sweep++) {
		error = fabric_manager_sweep(&manager);
		assert(!error || manager.last.why[0] || error == -EPIPE);
		assert(memchr(manager.last.why, 0, sizeof(manager.last.why)));
	}
	assert(asked >= NODES);
	return 0;
}
