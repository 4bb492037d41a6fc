/*  prompt_log - what a person did at the prompt and when, so that a repeated run can do it again
 *  (SE-8). Pure. */
#ifndef HEDDLE_ORCHESTRATOR_PROMPT_PROMPT_LOG_H
#define HEDDLE_ORCHESTRATOR_PROMPT_PROMPT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "nodes/base/time.h"

/* a command that changed the fabric while its clock was stopped at `at` */
struct prompt_change {
	node_time_t at;
	char *line;
};

/* zeroed: empty. All times rise. */
struct prompt_log {
	struct prompt_change *changes;
	size_t change_count;
	node_time_t *stops; /* where the prompt was when a command advanced the clock */
	size_t stop_count;
};

/** prompt_log_change() - the command @line changed the fabric at @at, not before the last change.
 *  Return: 0 or -ENOMEM. */
int prompt_log_change(struct prompt_log *log, node_time_t at, const char *line);

/** prompt_log_stop() - a command is about to advance the clock from @at. Without memory it is not
 *  kept. */
void prompt_log_stop(struct prompt_log *log, node_time_t at);

/** prompt_log_last() - the last stop before @now in @at.  Return: false: there is none. */
bool prompt_log_last(const struct prompt_log *log, node_time_t now, node_time_t *at);

/** prompt_log_cut() - the fabric returns to @at: forgets changes after it, and stops from it on.
 *  Return: how many changes it forgot. */
size_t prompt_log_cut(struct prompt_log *log, node_time_t at);

void prompt_log_free(struct prompt_log *log);

#endif
