/*  live_program - the start commands of the hosts of a running fabric: `run` of a scenario (DU-3).
 *
 *  They are started when all hosts are up, in the order of hosts and of their lists, each in the
 *  background; nothing waits for one. What they print goes to a file for each host in the folder of
 *  the fabric, as far as it fits. A program that ends is not started again; how it ended is kept
 *  and logged. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_PROGRAM_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_PROGRAM_H

#include "orchestrator/live/live_query.h"

/* of what the programs of a host print; ours: the folder is in memory, hosts are many */
#define LIVE_LOG_BYTES_MAX (16u << 20)

/** live_programs_start() - starts them all. One that cannot be started is like one that has ended.
 *  Return: 0 or -ENOMEM. */
int live_programs_start(struct live *live);

/** live_programs_watch() - keeps and logs how programs have ended. Never waits. */
void live_programs_watch(struct live *live);

/** live_programs_drop() - host @host leaves: its programs are forgotten. */
void live_programs_drop(struct live *live, uint32_t host);
void live_programs_free(struct live *live);

/** live_programs_describe() - all programs as a JSON array. */
json_t *live_programs_describe(struct live *live);

/** live_programs_log() - the request "log": a descriptor of what the programs of a host have
 *  printed. */
live_query_fn live_programs_log;

#endif
