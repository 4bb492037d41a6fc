/*  fabric_exchange - sends a fabric manager's requests (struct manager_question) over the control
 *  sockets of all nodes at the same time. Also runs the fabric manager in this process, for `heddle
 *  run` under the virtual clock (TB-14). */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_EXCHANGE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_EXCHANGE_H

#include "orchestrator/fabric/fabric.h"
#include "orchestrator/manager/fabric_manager.h"

/** fabric_exchange() - sends @count requests and collects their answers.
 *  Virtual clock: waits for every node. One that dies, hangs or stays stopped (watchdog.h) ends the
 *  run. Real clock: does not wait for nodes that are dead or stopped. The wait ends once no answer
 *  has arrived for FABRIC_ANSWER_MS, or for three times as long while one of the nodes waits for a
 *  core; at fabric->patience_until_ns in any case. A switch that has not answered is `tables_due`.
 *  Return: 0, each request with its status (real clock, -ESRCH: dead, or no answer); virtual clock,
 *  -EIO: the reason is in fabric->failure, -EINTR: interrupted; -ENOMEM. */
int fabric_exchange(struct fabric *fabric, struct manager_question *questions, uint32_t count);

/** fabric_manage() - one sweep, by fabric->options.managers or else in this process. Virtual clock:
 *  it must be stopped, and 0 means that every switch has its tables.
 *  Return: as fabric_manager_sweep(), with the reason in fabric->failure; -EINTR. */
int fabric_manage(struct fabric *fabric);

#endif
