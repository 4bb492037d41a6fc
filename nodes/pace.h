/*  pace - what a node does under the real clock: the counterpart of window.h and turn.h (TB-1, TB-8).
 *
 *  Fabric time is CLOCK_MONOTONIC since the clock page's epoch, in picoseconds. A turn handles every event that is due by
 *  then, in the same order and with the same due times as under the virtual clock: a node that comes late handles an event
 *  late, but stamps what follows from it as if it had been in time, so lateness that is shorter than a link's delay is made up
 *  for by that link, and rates are exact. Only what comes from outside (a host, a veth) is stamped when it is seen.
 *
 *  Waiting. A node with nothing due looks around for a moment, yielding its core, then sleeps until its next event, its
 *  doorbell, a descriptor or a control message; an idle one costs nothing. Its doorbell is an eventfd that its neighbours
 *  hold; a neighbour that puts something into a ring rings it only if it sleeps (asleep[] on the clock page) beyond the
 *  time at which that arrives (own_next[]).
 *
 *  Lateness is own lateness: what passed between the moment when a node could have known that an event is due and the moment
 *  it handled it. Its distribution is in the statistics page; a run is faithful when no node was overloaded.           */
#ifndef HEDDLE_NODES_PACE_H
#define HEDDLE_NODES_PACE_H
#endif
