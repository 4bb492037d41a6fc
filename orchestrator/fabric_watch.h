/*  fabric_watch - what can go wrong with a running fabric, and how it is noticed (TB-22): children that die or are stopped,
 *  nodes that report an error or talk nonsense, windows that do not end.
 *
 *  Place: inside of fabric.h, called by fabric*.c and the daemon only. Every look is without waiting unless it is told
 *  to wait, and returns true once the fabric has failed; the reason is then in fabric->failure.                       */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_WATCH_H
#define HEDDLE_ORCHESTRATOR_FABRIC_WATCH_H

#include <sys/resource.h>

#include "orchestrator/fabric.h"

/** fabric_fail() - the fabric has failed, for this reason; only the first one is kept, later ones follow from it. */
void fabric_fail(struct fabric *fabric, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** fabric_fail_node() - because of @node: "switch s2 (pid 123) ..." */
void fabric_fail_node(struct fabric *fabric, uint32_t node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** fabric_kind_name() - "switch" or "NIC". */
const char *fabric_kind_name(const struct fabric *fabric, uint32_t node);

/** fabric_rusage_ns() - user and system time. */
uint64_t fabric_rusage_ns(const struct rusage *usage);

/** fabric_cpu_ns() - what process @pid has taken so far; 0 if it is 0, or gone. */
uint64_t fabric_cpu_ns(pid_t pid);

/** fabric_wants_core() - would process @pid run if it had a core (or its memory)? One that sleeps, is stopped or gone does
 *  not: on a busy machine this tells who waits for the machine from who hangs.                                     */
bool fabric_wants_core(pid_t pid);

/** fabric_watch_children() - reaps who has died. Has one, or has one been stopped for too long? */
bool fabric_watch_children(struct fabric *fabric);

/** fabric_watch_messages() - takes in what nodes say, waits for it up to @timeout_ms. Did one report an error? */
bool fabric_watch_messages(struct fabric *fabric, int timeout_ms);

/** fabric_watch_message() - takes in @message of @node.  Return: false if it means the end of the run. */
bool fabric_watch_message(struct fabric *fabric, uint32_t node, const struct control_message *message);

/** fabric_watch_clock() - the clock runs: does a window not end? */
bool fabric_watch_clock(struct fabric *fabric);

#endif
