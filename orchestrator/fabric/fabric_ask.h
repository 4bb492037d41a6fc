/*  fabric_ask - questions to one node of a fabric, and the time limits of answers. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_ASK_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_ASK_H

#include "orchestrator/fabric/fabric.h"

/** fabric_ask() - sends a question to node @node and waits for the answer. The virtual clock must
 *  be stopped. Virtual clock: waits as long as the node lives and neither hangs nor stays stopped
 *  (watchdog.h), since an answer without a wait takes effect at an unknown time. Real clock: waits
 *  FABRIC_ANSWER_MS, within fabric->patience_until_ns; not for a stopped node, which receives the
 *  question when it continues.
 *  @message kind with its members; replaced by the answer, control_message_free() later.
 *  Return: 0; else -errno, @message zeroed; -EIO: the node has failed, reason in fabric->failure;
 *  real clock, -ETIMEDOUT: no answer; virtual clock, -EINTR: interrupted. */
int fabric_ask(struct fabric *fabric, uint32_t node, struct control_message *message);

/** fabric_deadline_ns() - @timeout_ms from now, or fabric->patience_until_ns if that is earlier. */
uint64_t fabric_deadline_ns(const struct fabric *fabric, uint32_t timeout_ms);

#endif
