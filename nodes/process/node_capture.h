/*  node_capture - frames of a link to another process, while the node runs (real clock, SE-13).
 *
 *  CONTROL_CAPTURE brings a ring in shared memory; from then on every frame at the port is put into
 *  it (nodes/link/capture.h, "tap"), until a CONTROL_CAPTURE without a ring or with another one.
 *  It continues if the link goes down and returns. The node never waits for the reader.
 *
 *  The answer has the counters of the port at that very moment, so that the difference of two
 *  answers is what passed while the capture ran: frames and bytes sent, frames and bytes received;
 *  at the end followed by the same four of what did not fit. */
#ifndef HEDDLE_NODES_PROCESS_NODE_CAPTURE_H
#define HEDDLE_NODES_PROCESS_NODE_CAPTURE_H

#include <stdio.h>

#include "nodes/control/control.h"
#include "nodes/process/node_process.h"

/** node_capture() - CONTROL_CAPTURE: begins or ends a capture. @out words for the answer.
 *  Return: 0; -EINVAL; -EBUSY: the port is captured to a file; -ENOENT: it has none that could
 *  end; -ENOMEM. */
int node_capture(struct node *node, const struct control_message *message, FILE *out);

/** node_capture_end() - ends all of them, with the node. */
void node_capture_end(struct node *node);

#endif
