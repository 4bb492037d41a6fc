/*  manager_question - what a fabric manager asks nodes, and the wire that carries it: control
 *  sockets of processes (fabric_exchange.h), the daemon between a manager's process and the nodes
 *  (manager_message.h), or plain calls (tests/sim). */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_QUESTION_H
#define HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_QUESTION_H

#include <stdint.h>

#include "nodes/node/managed.h"

enum manager_ask {
	ASK_DISCOVER,
	ASK_READ,
	ASK_BEGIN,
	ASK_WRITE,
	ASK_READ_BACK,
	ASK_COMMIT,
	ASK_KINDS
};

struct manager_question {
	enum manager_ask ask;
	uint32_t node;
	int status; /* of the answer: 0; what the node says; -ESRCH: nobody is there, or answers */
	/* ASK_READ, _READ_BACK: table and number, filled with the bytes; ASK_WRITE: the whole */
	struct table_block block;
	struct node_identity *identity; /* ASK_DISCOVER: the asker's, filled */
};

static inline bool manager_ask_reads(enum manager_ask ask)
{
	return ask == ASK_READ || ask == ASK_READ_BACK;
}

struct manager_wire {
	/* Asks all @count questions at once and waits for what answers come. Those to one node are
	 * answered in their order.
	 * Return: 0, each question with a status of its own; -errno: nobody can be asked any
	 * more. */
	int (*exchange)(void *owner, struct manager_question *questions, uint32_t count);
	void *owner;
};

#endif
