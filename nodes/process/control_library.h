/*  control_library - the user's congestion control, as a shared library in a NIC's process
 *  (SE-10).
 *
 *  It is loaded before the process gives up its privileges and system calls, with all of its
 *  symbols bound. So what it can do afterwards is what the NIC can: no files, no sockets, no
 *  processes (syscall_filter.h). Foreign code runs in NICs only, never in the orchestrator.
 *  A timer of CPU time looks at the call that runs. It ends the process if a call takes more than
 *  CONTROL_CPU_S. It never fires into a result: a run either has all its calls, or fails. */
#ifndef HEDDLE_NODES_PROCESS_CONTROL_LIBRARY_H
#define HEDDLE_NODES_PROCESS_CONTROL_LIBRARY_H

#include "nodes/base/why.h"
#include "nodes/stats/control_call.h"

struct heddle_control;

/** control_library_load() - loads the library in the file @fd, which is borrowed. It stays loaded
 *  until the process ends.
 *  @call  is CONTROL_LOAD while its constructors run.
 *  Return: its table; NULL with a sentence in @why: no library, symbols are missing, another
 *  version, or numbers out of range. */
const struct heddle_control *control_library_load(int fd, struct control_call *call,
						  struct why *why);

/** control_library_watch() - starts the timer, once for a process. @call is borrowed for ever. */
void control_library_watch(struct control_call *call);

#endif
