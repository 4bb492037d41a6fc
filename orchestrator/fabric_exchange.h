/*  fabric_exchange - a fabric manager's questions over the control sockets of a fabric of processes, all at once, and the manager of
 *  a fabric that runs inside of this process: at the start, under the virtual clock, for `heddle run` (TB-14).          */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_EXCHANGE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_EXCHANGE_H

#include "orchestrator/fabric.h"
#include "orchestrator/fabric_manager.h"

/** fabric_exchange() - asks @count questions. Nobody is waited for who is dead, or under the real clock stopped by a signal; for others
 *  FABRIC_ANSWER_MS without any answer at all, three times as long while one of them waits for a core, within fabric->patience_until_ns. A switch that is stopped or silent is `tables_due`.
 *  Return: 0, each question with its status (-ESRCH: nobody there, no answer); -ENOMEM.                              */
int fabric_exchange(struct fabric *fabric, struct manager_question *questions, uint32_t count);

/** fabric_manage() - one sweep over all nodes, by fabric->options.managers, or else here; under the virtual clock while it stands.
 *  Return: as fabric_manager_sweep(), with the reason in fabric->failure.                                            */
int fabric_manage(struct fabric *fabric);

#endif
