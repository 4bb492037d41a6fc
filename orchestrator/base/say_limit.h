/*  say_limit - limits how many lines one node may write into the log, which fills a disk or memory
 *  that others need (TB-24).
 *
 *  At most SAY_LINES in SAY_NS. So every error appears, and a flood appears once, with the number
 *  of its lines. What a node writes directly into the log is limited by the kernel
 *  (NODE_FILE_BYTES_MAX in nodes/process/privilege.h). */
#ifndef HEDDLE_ORCHESTRATOR_BASE_SAY_LIMIT_H
#define HEDDLE_ORCHESTRATOR_BASE_SAY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define SAY_LINES 20u
#define SAY_NS 10000000000ull
#define SAY_LINES_MAX 10000u /* of one node in all: 10 MB of the longest lines */

/* zeroed before first use */
struct say_limit {
	uint64_t since_ns, unsaid;
	uint32_t lines, lines_all;
};

/** say_limit_allows() - true if a line may be written at @now_ns, which never decreases.
 *  @unsaid  the lines left out since the last line that was allowed; set if this one is. */
bool say_limit_allows(struct say_limit *limit, uint64_t now_ns, uint64_t *unsaid);

#endif
