/*  say_limit - how many lines one node may put into the log, which is on a disk or in memory that others need too (TB-24).
 *
 *  SAY_LINES in SAY_NS, so that whatever goes wrong is told, and a flood is told once with its number. What a node writes into
 *  the log past its orchestrator is limited by the kernel (NODE_FILE_BYTES_MAX in nodes/process/privilege.h).         */
#ifndef HEDDLE_ORCHESTRATOR_BASE_SAY_LIMIT_H
#define HEDDLE_ORCHESTRATOR_BASE_SAY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define SAY_LINES 20u
#define SAY_NS 10000000000ull
#define SAY_LINES_MAX 10000u /* in all: 10 MB of the longest ones */

/* zeroed before first use */
struct say_limit {
	uint64_t since_ns, unsaid;
	uint32_t lines, lines_all;
};

/** say_limit_allows() - may a line be written at @now_ns, which never goes back?
 *  @unsaid  how many were left out since the last one that was allowed; set if this one is.                           */
bool say_limit_allows(struct say_limit *limit, uint64_t now_ns, uint64_t *unsaid);

#endif
