/*  member - a rank other than rank 0: it runs its part of the nodes, as rank 0 says (SC-4).
 *
 *  It gets the plan of ranks, makes its own clock, places and rings, and starts its workers. It
 *  passes on the packets of their control sockets, sends what nodes write to rank 0 while the
 *  clock stands, and reports a worker that dies, hangs or stays stopped. It prints nothing. */
#ifndef HEDDLE_RANKD_RUN_MEMBER_H
#define HEDDLE_RANKD_RUN_MEMBER_H

#include <stdint.h>

/** member_run() - until rank 0 says that the run ends.  Return: the exit status. */
int member_run(uint32_t rank, uint32_t rank_count);

#endif
