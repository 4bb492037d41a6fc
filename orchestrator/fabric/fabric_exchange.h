/*  fabric_exchange - a fabric manager's questions over the control sockets of a fabric of
 *  processes, all at once, and the manager of a fabric that runs inside of this process: at the
 *  start, under the virtual clock, for `heddle run` (TB-14). */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_EXCHANGE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_EXCHANGE_H

#include "orchestrator/fabric/fabric.h"
#include "orchestrator/manager/fabric_manager.h"

/** fabric_exchange() - asks @count questions.
 *  Virtual clock: every node is waited for while it lives. One that dies, hangs or stays stopped
 *  (watchdog.h) is the end. Real clock: nodes that are dead or stopped by a signal are not waited
 *  for; others for FABRIC_ANSWER_MS without any answer at all, three times as long while one of
 *  them waits for a core, within fabric->patience_until_ns. A switch that is left out is
 *  `tables_due`.
 *  Return: 0, each question with its status (real clock, -ESRCH: nobody there, no answer); virtual
 *  clock, -EIO: the reason is in fabric->failure, -EINTR: interrupted; -ENOMEM. */
int fabric_exchange(struct fabric *fabric, struct manager_question *questions, uint32_t count);

/** fabric_manage() - one sweep over all nodes, by fabric->options.managers, or else here; under the
 *  virtual clock while it stands, and 0 means that every switch has its tables.
 *  Return: as fabric_manager_sweep(), with the reason in fabric->failure; -EINTR. */
int fabric_manage(struct fabric *fabric);

#endif
