/*  live_request - the requests to the daemon of a running fabric, as JSON (TB-6, TB-10).
 *
 *  A request is an object {"ask": KIND, ...}. The answer is an object too, {"error": SENTENCE} if
 *  the request is refused.
 *    ps          fabric, nodes and ports: plain numbers since the start, units in their names
 *    hosts       name and addresses of every host; users_missing: why only root exists there, or ""
 *    exec        host; answer {"namespaces": ["net", ...], "sandbox": has it one, "full_root"}
 *                with descriptors in this order; to a program inside of a host {"by_request": true}
 *    run         host, with descriptors (enum room_start_fd): starts a program there; answer
 *                {"pid": as the host sees it}
 *    log         host; answer with a descriptor of what its start commands have printed
 *    show        node, table, [port]; answer {"text": ...}
 *    set         node, name, value; answer {"text": ...}
 *    links       every link
 *    link-show   node, port: that link
 *    link-set    node, port, [towards], [rate, delay ... the keys of link.def with .live]: as in a
 *                scenario; of both directions, or of that to the node `towards`
 *    link-down   node, port
 *    link-up     node, port
 *    start       node: a dead node is started again
 *    faults      every fault of the scenario: when, and what it has cost
 *    faults-start  the time line of faults and pauses begins, if it waits or is over
 *    faults-stop   it ends: what it has taken down returns
 *    loads       every workload of the scenario: state, counters, completion times
 *    load-start  [name]: one workload begins, or all that do not run
 *    load-stop   [name]: one or all stop; answers as `loads`, of these
 *    load-set    name, load: of paced and Poisson arrivals, as in a scenario
 *    add-switch  name, [neighbours, medium, keys as of link-set]; neighbours is an array
 *    add-host    name, switch, [rate, ..., medium], [network, interface]; network is the path of
 *                an existing namespace
 *    add-link    node, peer, [rate, ..., medium]
 *    remove      node, [port]: a node with its links, or one link
 *    capture     node, port, [snap]: its frames from now on, while the connection lasts; answer:
 *                what a reader must know, with the descriptor of a ring (live_capture.h)
 *    capture-end id of that answer; answer {"sent": {missed_frames and missed_bytes that did not
 *                fit into the ring, counted_frames and counted_bytes of the port meanwhile},
 *                "received": the same}; {} if the node is gone
 *    outside     the connections of hosts to the machine's network; with host and state (on, off)
 *                changes one
 *    save        [folder] of the file to be written, absolute; answer {"text": the fabric as a
 *                scenario, plan_save.h}
 *    down        the fabric ends after the answer
 *  A port is a number or a neighbour's name. Nothing in a request is trusted. A program inside of a
 *  host is refused what would connect the fabric to a network of the machine. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_REQUEST_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_REQUEST_H

#include <jansson.h>

#include "orchestrator/live/live.h"

#define LIVE_FDS_MAX 8
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
