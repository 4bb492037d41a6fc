/*  process_look - what one process sees of another: does it work, or want to? (TB-22) */
#ifndef HEDDLE_NODES_PROCESS_PROCESS_LOOK_H
#define HEDDLE_NODES_PROCESS_PROCESS_LOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** process_cpu_ns() - CPU time of process @pid so far; 0 if @pid is 0 or has ended. */
uint64_t process_cpu_ns(pid_t pid);

/** process_wants_core() - would process @pid run if it had a core (or its memory)? False if it
 *  sleeps, is stopped or has ended. On a busy machine this distinguishes a node that waits for a
 *  core from one that hangs. */
bool process_wants_core(pid_t pid);

#endif
