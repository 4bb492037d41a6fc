/*  fabric_watch - what can go wrong with a running fabric, and how it is noticed (TB-22): children
 *  that die or are stopped, nodes that report an error or talk nonsense, windows that do not end.
 *
 *  Place: inside of fabric.h, called by fabric*.c and the daemon only. Every look is without
 *  waiting unless it is told to wait, and returns true once the fabric has failed; the reason is
 *  then in fabric->failure. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_WATCH_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_WATCH_H

#include <sys/resource.h>

#include "orchestrator/fabric/fabric.h"

/** fabric_fail() - the fabric has failed, for this reason; only the first one is kept, later ones
 *  follow from it. */
void fabric_fail(struct fabric *fabric, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** fabric_fail_node() - because of @node: "switch s2 (pid 123) ..." */
void fabric_fail_node(struct fabric *fabric, uint32_t node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** fabric_kind_name() - "switch" or "NIC". */
const char *fabric_kind_name(const struct fabric *fabric, uint32_t node);

/** fabric_rusage_ns() - user and system time. */
uint64_t fabric_rusage_ns(const struct rusage *usage);

/** fabric_cpu_ns() - what process @pid has taken so far; 0 if it is 0, or gone. */
uint64_t fabric_cpu_ns(pid_t pid);

/** fabric_wants_core() - would process @pid run if it had a core (or its memory)? One that sleeps,
 *  is stopped or gone does not: on a busy machine this tells who waits for the machine from who
 *  hangs. */
bool fabric_wants_core(pid_t pid);

/** fabric_watch_deaths() - reaps who has died. Has one? */
bool fabric_watch_deaths(struct fabric *fabric);

/** fabric_watch_children() - ..., or has one been stopped by a signal for longer than the watchdog
 *  allows? */
bool fabric_watch_children(struct fabric *fabric);

/** fabric_watch_lost() - virtual clock: @node has closed its control socket, so it is dead or about
 *  to be. Waits at most a second until the kernel says why. fabric->failure is set then in any
 *  case. */
void fabric_watch_lost(struct fabric *fabric, uint32_t node);

/** fabric_watch_messages() - takes in what nodes say, waits for it up to @timeout_ms. Did one
 *  report an error? */
bool fabric_watch_messages(struct fabric *fabric, int timeout_ms);

/** fabric_watch_last_words() - takes in what nodes said before they left: what went wrong in the
 *  last window may be told after it. */
void fabric_watch_last_words(struct fabric *fabric);

/** fabric_watch_message() - takes in @message of @node. Return: false if it means the end of the
 *  run. */
bool fabric_watch_message(struct fabric *fabric, uint32_t node,
			  const struct control_message *message);

/* what is over once every node has done its part */
struct fabric_part {
	const char *what; /* of a node: "it has not ..." */
	/* another number whenever one more node has done it */
	uint32_t (*progress)(const void *context);
	bool (*owes)(const void *context, uint32_t node); /* has @node not done it yet? */
	const void *context;
};

/** fabric_watch_part() - virtual clock: do the nodes that owe their part hang, or run in circles?
 *  Not while one of them only waits for a core, however long that takes (watchdog.h). Call it again
 *  and again. O(1); O(nodes) while nothing goes on.
 *  @watchdog started by the caller when it asked for the part. */
bool fabric_watch_part(struct fabric *fabric, struct watchdog *watchdog,
		       const struct fabric_part *part);

/** fabric_watch_clock() - the same of the window that is open. */
bool fabric_watch_clock(struct fabric *fabric);

#endif
