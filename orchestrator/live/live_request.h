/*  live_request - what the daemon of a running fabric can be asked, as JSON (TB-6, TB-10).
 *
 *  A request is an object {"ask": WHAT, ...}; the answer an object too, {"error": SENTENCE} if it
 *  cannot be done.
 *    ps the fabric, every node and port: plain numbers since the start, units in their names
 *    hosts                               name and addresses of every host
 *    exec host {"namespaces": ["net", ...]}, with their descriptors in this order beside the answer
 *    show      node, table, [port]       {"text": ...}
 *    set       node, name, value         {"text": ...}
 *    links                               every link as it is now
 *    link-set node, port, [rate, delay, loss, bit-errors] of both directions; quantities as in a
 *    scenario
 *    link-down, link-up   node, port
 *    start     node                      a dead node runs again
 *    add-switch name, [neighbours, rate, delay, loss, bit-errors, medium] neighbours: array of
 *    switches
 *    add-host name, switch, [rate, ..., medium], [network, interface] network: path of an existing
 *    namespace
 *    add-link     node, peer, [rate, ..., medium]
 *    remove       node, [port]           a node with its links, or one link
 *    down                                the fabric ends once this is answered
 *  A port is a number or a neighbour's name. Nothing in a request is trusted. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_REQUEST_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_REQUEST_H

#include <jansson.h>

#include "orchestrator/live/live.h"

#define LIVE_FDS_MAX 5
#define LIVE_REQUEST_MS 6000u /* no request waits longer for nodes */

struct live_answer {
	json_t *body;          /* owned by the receiver; NULL if memory is short */
	int fds[LIVE_FDS_MAX]; /* borrowed from the live fabric */
	unsigned fd_count;
};

/** live_request() - does what the @length bytes at @text ask for. Waits for a node FABRIC_ANSWER_MS
 *  at most, and for all of them together LIVE_REQUEST_MS. */
void live_request(struct live *live, const char *text, size_t length, struct live_answer *answer);

#endif
