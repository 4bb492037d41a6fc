/*  fabric_exchange - sends a fabric manager's questions over control sockets, all at once. Also the
 *  fabric manager in this process, for `heddle run` under the virtual clock (TB-14). */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_EXCHANGE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_EXCHANGE_H

#include "orchestrator/fabric/fabric.h"
#include "orchestrator/manager/fabric_manager.h"

/** fabric_exchange() - asks @count questions. Virtual clock: waits for every node. One that dies,
 *  hangs or stays stopped (watchdog.h) ends the run. Real clock: does not wait for nodes that are
 *  dead or stopped. It waits until FABRIC_ANSWER_MS pass without any answer, or three times as long
 *  while one of the nodes waits for a core, within fabric->patience_until_ns. A switch that has not
 *  answered is `tables_due`.
 *  Return: 0, each question with its status (real clock, -ESRCH: dead, or no answer); virtual
 *  clock, -EIO: the reason is in fabric->failure, -EINTR: interrupted; -ENOMEM. */
int fabric_exchange(struct fabric *fabric, struct manager_question *questions, uint32_t count);

/** fabric_manage() - one sweep, by fabric->options.managers or else in this process. The virtual
 *  clock must be stopped, and 0 means that every switch has its tables.
 *  Return: as fabric_manager_sweep(), with the reason in fabric->failure; -EINTR. */
int fabric_manage(struct fabric *fabric);

#endif
