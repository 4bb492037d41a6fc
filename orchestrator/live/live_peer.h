/*  live_peer - the process at the other end of the control socket of a fabric (DU-3, TB-24). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_PEER_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_PEER_H

#include <stdbool.h>

/** live_peer_allowed() - does the process that has connected @fd belong to our user, or to root? */
bool live_peer_allowed(int fd);

/** live_peer_inside() - is the process that has connected @fd in a pid namespace inside of ours, as
 *  those of hosts are? Also true if it has ended, since what it started may go on with @fd. A
 *  process that has its number by now is not taken for it, if the kernel has SO_PEERPIDFD (6.5). */
bool live_peer_inside(int fd);

#endif
