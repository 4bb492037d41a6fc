/*  fabric_ask - questions to one node of a fabric, and how long an answer may take. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_ASK_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_ASK_H

#include "orchestrator/fabric/fabric.h"

/** fabric_ask() - sends any question to node @node while the clock stands, or under the real one,
 *  and waits for the answer. Virtual clock: for as long as the node lives and neither hangs nor
 *  stays stopped (watchdog.h), since an answer that is not waited for takes effect at an unknown
 *  time. Real clock: FABRIC_ANSWER_MS, within fabric->patience_until_ns, and not at all for a node
 *  that is stopped. It finds the question when it goes on.
 *  @message kind and what belongs to it filled in; replaced by the answer, control_message_free()
 *  later.
 *  Return: 0; else -errno, @message zeroed; -EIO: the node has failed, reason in fabric->failure;
 *  real clock, -ETIMEDOUT: no answer; virtual clock, -EINTR: interrupted. */
int fabric_ask(struct fabric *fabric, uint32_t node, struct control_message *message);

/** fabric_deadline_ns() - @timeout_ms from now, or when our patience ends. */
uint64_t fabric_deadline_ns(const struct fabric *fabric, uint32_t timeout_ms);

#endif
