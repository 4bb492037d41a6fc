/*  manager_process - the fabric manager as a process of its own, beside the daemon of a running fabric (PG-11, TB-14).
 *
 *  The daemon starts two: one is active, the other stands by with nothing to do. A manager has one descriptor, CONTROL_FD, a stream to the
 *  daemon, which relays what it asks the nodes. Whoever is told to sweep is the active one: no manager remembers anything between two
 *  sweeps, so the one that stood by goes on at once. The kernel kills a manager whose daemon dies; a closed stream ends it too.
 *  What is said: a header, then `count` items as they lie in memory, for both ends are the same program:
 *    daemon -> manager   MANAGER_HELLO    1 manager_hello, first of all
 *                        MANAGER_SWEEP    nothing: sweep
 *                        MANAGER_ANSWERS  the questions, with answers; then an identity for each ASK_DISCOVER, in their order
 *    manager -> daemon   MANAGER_ASK      questions for nodes
 *                        MANAGER_REPORT   1 manager_outcome of the sweep                                                 */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_PROCESS_H
#define HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_PROCESS_H

#include <stddef.h>

#include "orchestrator/manager/fabric_manager.h"

#define MANAGER_COMMAND "fabric-manager" /* not for people: started by the daemon */
#define MANAGER_QUESTIONS_MAX (1u << 20) /* of one message */

enum manager_word { MANAGER_HELLO, MANAGER_SWEEP, MANAGER_ANSWERS, MANAGER_ASK, MANAGER_REPORT };

struct manager_header {
	uint32_t word; /* enum manager_word */
	uint32_t count;
};

struct manager_hello {
	uint32_t node_count;
	struct routing_request request;
};

struct manager_outcome {
	int error;
	struct manager_report report;
};

/** manager_send(), manager_receive() - @bytes at @data, all of them.
 *  Return: 0; -EPIPE: the other one is gone; -ETIMEDOUT: the socket's time limit is over; -errno.                    */
int manager_send(int fd, const void *data, size_t bytes);
int manager_receive(int fd, void *data, size_t bytes);

/** manager_word_send() - a header and @bytes at @data behind it. */
int manager_word_send(int fd, enum manager_word word, uint32_t count, const void *data, size_t bytes);

/** manager_process_run() - the whole life of a manager.  Return: exit status. */
int manager_process_run(int argc, char **argv);

#endif
