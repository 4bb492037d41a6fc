/*  live_request - the requests to the daemon of a running fabric, as JSON (TB-6, TB-10).
 *
 *  A request is an object {"ask": KIND, ...}. The answer is an object too, {"error": SENTENCE} if
 *  the request is refused.
 *    ps          fabric, nodes and ports: plain numbers since the start, units in their names
 *    hosts       name and addresses of every host; users_missing: why only root exists there, or ""
 *    exec        host; answer {"namespaces": ["net", ...]} with descriptors in this order
 *    show        node, table, [port]; answer {"text": ...}
 *    set         node, name, value; answer {"text": ...}
 *    links       every link
 *    link-set    node, port, [rate, delay, loss, bit-errors]: of both directions, as in a scenario
 *    link-down   node, port
 *    link-up     node, port
 *    start       node: a dead node is started again
 *    add-switch  name, [neighbours, rate, delay, loss, bit-errors, medium]; neighbours is an array
 *    add-host    name, switch, [rate, ..., medium], [network, interface]; network is the path of
 *                an existing namespace
 *    add-link    node, peer, [rate, ..., medium]
 *    remove      node, [port]: a node with its links, or one link
 *    capture     node, port, [snap]: its frames from now on, while the connection lasts; answer:
 *                what a reader must know, with the descriptor of a ring (live_capture.h)
 *    capture-end id of that answer; answer {"missed": frames that did not fit into the ring}
 *    down        the fabric ends after the answer
 *  A port is a number or a neighbour's name. Nothing in a request is trusted. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_REQUEST_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_REQUEST_H

#include <jansson.h>

#include "orchestrator/live/live.h"

#define LIVE_FDS_MAX 5
#define LIVE_REQUEST_MS 6000u /* the longest time that a request waits for nodes */

struct live_answer {
	json_t *body;          /* owned by the receiver; NULL if memory is short */
	int fds[LIVE_FDS_MAX]; /* borrowed from the live fabric */
	unsigned fd_count;
	bool fds_owned;      /* not borrowed: the receiver closes them */
	uint32_t capture_id; /* the connection holds this capture; 0: none */
};

/** live_request() - answers the request in the @length bytes at @text. Waits for one node at most
 *  FABRIC_ANSWER_MS, for all together at most LIVE_REQUEST_MS. */
void live_request(struct live *live, const char *text, size_t length, struct live_answer *answer);

#endif
