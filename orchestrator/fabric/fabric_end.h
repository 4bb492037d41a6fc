/*  fabric_end - stopping a fabric, and ending its nodes. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_END_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_END_H

#include "orchestrator/fabric/fabric.h"

/** fabric_pause() - stops the clock at the end of the open window, if it runs, until the next
 *  fabric_resume(). Virtual clock only.
 *  Return: 0; -EIO: a node has failed, or hangs in that window: fabric->failure. */
int fabric_pause(struct fabric *fabric);

/** fabric_stop() - stops the clock at the end of the open window, if it runs. Afterwards no event
 *  is handled, and under the virtual clock the statistics pages are complete. Idempotent.
 *  Return: 0; virtual clock, -EIO: a node has failed, or hangs in that window: fabric->failure. */
int fabric_stop(struct fabric *fabric);

/** fabric_end() - fabric_stop(), then requests every node to leave and waits until all have ended,
 *  for a bounded time. Statistics stay readable. A node that has not left by then is killed. Under
 *  the virtual clock that is a warning on standard error, since its statistics are complete, and a
 *  node that wants a core has as much CPU time more. Under the real clock a node counts until it
 *  leaves, so it is a failure.
 *  Return: 0; -EIO if a node left with an error, or had to be killed under the real clock:
 *  fabric->failure. */
int fabric_end(struct fabric *fabric);

/** fabric_kill() - kills the remaining nodes and waits until they have ended. Idempotent. */
void fabric_kill(struct fabric *fabric);

#endif
