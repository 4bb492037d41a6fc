/*  fabric_watch - detects failures of a running fabric (TB-22): nodes that die or are stopped,
 *  report an error or send invalid messages, windows that do not end.
 *
 *  Place: a part of fabric.h, called by fabric*.c and the daemon only. No function waits unless a
 *  timeout is given. Each returns true if the fabric has failed; the reason is then in
 *  fabric->failure. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_WATCH_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_WATCH_H

#include <sys/resource.h>

#include "orchestrator/fabric/fabric.h"

/** fabric_fail() - stores the reason of a failure; only the first one is kept, since later ones
 *  follow from it. */
void fabric_fail(struct fabric *fabric, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** fabric_fail_node() - the same, with the node: "switch s2 (pid 123) ..." */
void fabric_fail_node(struct fabric *fabric, uint32_t node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** fabric_process_name() - the process of @node: "switch s2 (pid 123)", "worker 1 (pid 123)", or
 *  "worker 1 (pid 123), which was running switch s2,".   Return: @text. */
#define FABRIC_PROCESS_MAX 160u
const char *fabric_process_name(const struct fabric *fabric, uint32_t node,
				char text[FABRIC_PROCESS_MAX]);

/** fabric_fail_process() - the same as fabric_fail_node(), with fabric_process_name(). */
void fabric_fail_process(struct fabric *fabric, uint32_t node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** fabric_kind_name() - "switch" or "NIC". */
const char *fabric_kind_name(const struct fabric *fabric, uint32_t node);

/** fabric_rusage_ns() - user and system time. */
uint64_t fabric_rusage_ns(const struct rusage *usage);

/** fabric_watch_deaths() - reaps children that have died. True if that is a failure. */
bool fabric_watch_deaths(struct fabric *fabric);

/** fabric_watch_children() - the same, or a node has been stopped by a signal for longer than the
 *  watchdog allows. */
bool fabric_watch_children(struct fabric *fabric);

/** fabric_watch_lost() - virtual clock: @node has closed its control socket, so it is dying. Waits
 *  at most a second until the kernel reports the cause. Sets fabric->failure in any case. */
void fabric_watch_lost(struct fabric *fabric, uint32_t node);

/** fabric_watch_messages() - handles messages of nodes, waits for them up to @timeout_ms. True if
 *  one reports an error. */
bool fabric_watch_messages(struct fabric *fabric, int timeout_ms);

/** fabric_watch_last_words() - handles messages that nodes sent before they left: an error of the
 *  last window may be reported after it. */
void fabric_watch_last_words(struct fabric *fabric);

/** fabric_watch_message() - handles @message of @node.
 *  Return: false if the run must end. */
bool fabric_watch_message(struct fabric *fabric, uint32_t node,
			  const struct control_message *message);

/* a wait for all nodes, such as a window */
struct fabric_part {
	const char *what;  /* of a node: "it has not ..." */
	uint32_t progress; /* changes whenever a further node has done it */
	/* the same, while this process looks elsewhere; NULL: only this process changes it */
	const _Atomic uint32_t *progress_now;
	bool (*owes)(const void *context, uint32_t node); /* is @node still waited for? */
	const void *context;
};

/** fabric_watch_part() - virtual clock: true if the nodes that are waited for hang or loop. Never
 *  while one of them waits for a core, however long (watchdog.h). For repeated calls.
 *  @watchdog  started by the caller when the wait began.   O(1); O(nodes) while there is no
 *  progress. */
bool fabric_watch_part(struct fabric *fabric, struct watchdog *watchdog,
		       const struct fabric_part *part);

/** fabric_watch_clock() - the same for the open window. */
bool fabric_watch_clock(struct fabric *fabric);

#endif
