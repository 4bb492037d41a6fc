/*  fabric_end - stopping a fabric, and ending its nodes. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_END_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_END_H

#include "orchestrator/fabric/fabric.h"

/** fabric_stop() - stops the clock at the end of the window that is open, if it runs. From then on
 *  nothing happens any more, and under the virtual clock the statistics pages are complete.
 *  Idempotent.
 *  Return: 0; virtual clock, -EIO: a node has failed, or hangs in that window: fabric->failure. */
int fabric_stop(struct fabric *fabric);

/** fabric_end() - fabric_stop(), tells every node to leave and waits until all are gone, for a
 *  bounded time. Statistics stay readable. One that has not left by then is killed. Under the
 *  virtual clock that is told on standard error and no failure, since all there is to know of the
 *  node is known; under the real clock it counts until it leaves, so it is one.
 *  Return: 0; -EIO if a node left with an error, or had to be killed under the real clock:
 *  fabric->failure. */
int fabric_end(struct fabric *fabric);

/** fabric_kill() - kills what is left and waits until it is gone. Idempotent. */
void fabric_kill(struct fabric *fabric);

#endif
