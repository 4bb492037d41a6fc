/*  manager_message - messages between a fabric manager's process and the process that owns the
 *  fabric, the keeper: ManagerMessage of control.proto, one per packet of a SOCK_SEQPACKET socket
 *  (PG-11, TB-14, TB-23).
 *
 *    to the manager    MANAGER_HELLO     the first message: nodes and routing request
 *                      MANAGER_SWEEP     sweep
 *                      MANAGER_ANSWER    one question, answered; all that were asked, in order
 *    from the manager  MANAGER_QUESTION  one of `count` questions for nodes, in order
 *                      MANAGER_REPORT    the result of the sweep; ends it
 *
 *  No pointer and no structure crosses the socket, and neither end trusts the other: an invalid
 *  message is rejected with a sentence, and its receiver closes the connection. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_MESSAGE_H
#define HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_MESSAGE_H

#include <stddef.h>

#include "nodes/base/why.h"
#include "orchestrator/manager/fabric_manager.h"

/* of one message: within the kernel's default limits of a socket. Only a HELLO with thousands of
 * routes is nearly as long */
#define MANAGER_BYTES_MAX (1u << 17)
#define MANAGER_QUESTIONS_MAX (1u << 20) /* of one step */

enum manager_kind {
	MANAGER_HELLO = 1,
	MANAGER_SWEEP,
	MANAGER_QUESTION,
	MANAGER_ANSWER,
	MANAGER_REPORT
};

struct manager_message {
	enum manager_kind kind;
	/* MANAGER_QUESTION, MANAGER_ANSWER: number @index of @count */
	uint32_t index, count;
	/* ... status is part of an answer only. identity is part of an answer to ASK_DISCOVER with
	 * status 0 only: borrowed when sent, &message->identity when received */
	struct manager_question question;
	struct node_identity identity;
	/* MANAGER_HELLO; request.said: borrowed when sent, owned by the message when received */
	uint32_t node_count;
	struct routing_request request;
	/* MANAGER_REPORT: of fabric_manager_sweep() */
	int error;
	struct manager_report report;
};

/** manager_message_pack() - @message as bytes, malloc'd into *@bytes.
 *  Return: their number; -ENOMEM; -EMSGSIZE: more than MANAGER_BYTES_MAX. */
int manager_message_pack(const struct manager_message *message, uint8_t **bytes);

/** manager_message_unpack() - the opposite. Unknown kinds, indices and numbers beyond their limits,
 *  and missing or unexpected parts are rejected. manager_message_free() later, on success.
 *  Return: 0; -EPROTO with a sentence in @why; -ENOMEM. */
int manager_message_unpack(const uint8_t *bytes, size_t length, struct manager_message *message,
			   struct why *why);

/** manager_message_free() - releases what a received @message owns. Idempotent. */
void manager_message_free(struct manager_message *message);

/** manager_send() - sends @message over the socket @fd.
 *  Return: 0; -EPIPE: the other end is closed; -ETIMEDOUT: the time limit of the socket has passed;
 *  -EMSGSIZE; -ENOMEM; -errno. */
int manager_send(int fd, const struct manager_message *message);

/** manager_receive() - waits for the next message. manager_message_free() on success.
 *  Return: as manager_send(), and -EPROTO with a sentence in @why, which is empty otherwise. */
int manager_receive(int fd, struct manager_message *message, struct why *why);

/** manager_questions_send() - sends @count questions, or their answers: @kind. */
int manager_questions_send(int fd, enum manager_kind kind, const struct manager_question *questions,
			   uint32_t count);

/** manager_question_take() - @message is question @index of @count, for one of @node_count nodes:
 *  copies it into questions[@index].
 *  Return: 0; -EPROTO with a sentence in @why: it is something else. */
int manager_question_take(const struct manager_message *message, struct manager_question *questions,
			  uint32_t count, uint32_t index, uint32_t node_count, struct why *why);

/** manager_answer_take() - @message answers questions[@index] of @count: fills its status, and on
 *  success its block if it reads one, or its *identity if it discovers.
 *  Return: 0; -EPROTO with a sentence in @why: it is something else. */
int manager_answer_take(const struct manager_message *message, struct manager_question *questions,
			uint32_t count, uint32_t index, struct why *why);

#endif
