/*  fabric_ask - requests to one node of a fabric, and the time limits of answers. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_ASK_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_ASK_H

#include "orchestrator/fabric/fabric.h"

/** fabric_ask() - sends a request to node @node and waits for the answer.
 *  Virtual clock, which must be stopped: waits while the node lives and neither hangs nor stays
 *  stopped (watchdog.h), because a request that is not answered may take effect at any later time.
 *  Real clock: waits FABRIC_ANSWER_MS, but no longer than fabric->patience_until_ns. Does not wait
 *  for a stopped node, which receives the request when it continues.
 *  @message kind with its members; replaced by the answer, control_message_free() later.
 *  Return: 0; else -errno, @message zeroed; -EIO: the node has failed, reason in fabric->failure;
 *  real clock, -ETIMEDOUT: no answer; virtual clock, -EINTR: interrupted. */
int fabric_ask(struct fabric *fabric, uint32_t node, struct control_message *message);

/** fabric_deadline_ns() - @timeout_ms from now, or fabric->patience_until_ns if that is earlier. */
uint64_t fabric_deadline_ns(const struct fabric *fabric, uint32_t timeout_ms);

#endif
