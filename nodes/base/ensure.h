/*  ensure - invariants: what is always true unless this program has a mistake (TB-22, TB-25).
 *
 *      ENSURE(queue->units, >=, packet->units);
 *
 *  A failed one writes its text, both values, the node, the virtual time and the last trace
 *  entries to standard error, tells the orchestrator, and ends the process by SIGABRT. Every
 *  build has them: a node with wrong counts must not go on and report figures. So each costs one
 *  comparison of values that the code has at hand.
 *  Bytes from outside are never ensured. A frame, a record of a ring, a message or a page of
 *  another process that is wrong is dropped and counted (TB-23): a peer must not be able to end
 *  a node. */
#ifndef HEDDLE_NODES_BASE_ENSURE_H
#define HEDDLE_NODES_BASE_ENSURE_H

#include <stdint.h>

#include "nodes/base/time.h"

/** ENSURE() - @a @op @b holds, or the process ends. Each side is evaluated once. Both are integers,
 *  of the same signedness, or pointers; a constant beside an unsigned value has the suffix u. */
#define ENSURE(a, op, b)                                                                       \
	do {                                                                                   \
		const __typeof__(a) left_ = (a);                                               \
		const __typeof__(b) right_ = (b);                                              \
                                                                                               \
		if (__builtin_expect(!(left_ op right_), 0)) {                                 \
			static const struct ensure_place place_ = { .text = #a " " #op " " #b, \
								    .file = __FILE__,          \
								    .line = __LINE__ };        \
			ensure_failed(&place_, (int64_t)left_, (int64_t)right_);               \
		}                                                                              \
	} while (0)

/* where an invariant stands in the source */
struct ensure_place {
	const char *text;
	const char *file;
	int line;
};

/* the node that the calling thread works for */
struct ensure_context {
	const char *node;          /* name; NULL: none */
	const node_time_t *now_ps; /* time of its last event; NULL: it has no clock yet */
	const void *owner;         /* for report() */

	/* adds what else there is to say, after @text went to standard error; NULL: nothing */
	void (*report)(const void *owner, const char *text);
};

/** ensure_context_set() - @context is that of the calling thread from now on; borrowed until it is
 *  replaced. NULL: the thread works for no node. */
void ensure_context_set(const struct ensure_context *context);

/** ensure_failed() - reports the invariant at @place, whose sides are @left and @right, and aborts.
 *  Called by ENSURE() only. An unsigned value above INT64_MAX is shown as a negative number. */
void ensure_failed(const struct ensure_place *place, int64_t left, int64_t right)
	__attribute__((cold, noinline, noreturn));

#endif
