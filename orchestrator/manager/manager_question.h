/*  manager_question - the questions of a fabric manager to nodes, and their transport: control
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
	/* of the answer: 0; -errno of the node; -ESRCH: the node is dead or does not answer */
	int status;
	/* ASK_READ, _READ_BACK: table and number; the answer fills in the bytes. ASK_WRITE: all */
	struct table_block block;
	struct node_identity *identity; /* ASK_DISCOVER: the manager's; the answer fills it in */
};

static inline bool manager_ask_reads(enum manager_ask ask)
{
	return ask == ASK_READ || ask == ASK_READ_BACK;
}

struct manager_wire {
	/* Sends all @count questions at once and waits for the answers. One node answers in the
	 * order of its questions. Return: 0, each question with its own status; -errno: no node can
	 * be reached. */
	int (*exchange)(void *owner, struct manager_question *questions, uint32_t count);
	void *owner;
};

#endif
