/*  syscall_filter - the system calls that a node may still make once it has started (TB-24).
 *
 *  A node that was taken over, or that went astray, can no longer open a file, make a socket or a
 *  process, or touch another process: all that is left to it is what it holds. The list is short
 *  because a node is handed all of its descriptors: it moves bytes, waits, and manages its own
 *  memory. Any other call kills it (SIGSYS), and the orchestrator names the node; an error instead
 *  could go unnoticed.
 *  The cost: the kernel (since 5.11) answers for calls that are allowed whatever their arguments
 *  from a bitmap. io_uring can open files and make sockets too, past any such filter. So a ring is
 *  restricted to what event_loop.c uses; that is done where it is made (ring_restrict()). */
#ifndef HEDDLE_NODES_PROCESS_SYSCALL_FILTER_H
#define HEDDLE_NODES_PROCESS_SYSCALL_FILTER_H

#include <stdbool.h>

/** syscall_filter_apply() - from now on, and for good, for this process. It has no_new_privs, and
 *  one thread.
 *  Return: 0; -ENOSYS: this kernel, architecture or sandbox has no such filters; -errno. */
int syscall_filter_apply(void);

/** syscall_filter_wanted() - false in a build with a sanitizer, whose own calls are many. */
bool syscall_filter_wanted(void);

#endif
