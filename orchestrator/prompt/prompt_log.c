#include "orchestrator/prompt/prompt_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int prompt_log_change(struct prompt_log *log, node_time_t at, const char *line)
{
	struct prompt_change *changes =
		reallocarray(log->changes, log->change_count + 1, sizeof(*changes));

	if (!changes)
		return -ENOMEM;
	log->changes = changes;
	changes[log->change_count] = (struct prompt_change){ .at = at, .line = strdup(line) };
	if (!changes[log->change_count].line)
		return -ENOMEM;
	log->change_count++;
	return 0;
}

void prompt_log_stop(struct prompt_log *log, node_time_t at)
{
	node_time_t *stops;

	if (log->stop_count && log->stops[log->stop_count - 1] >= at)
		return;
	stops = reallocarray(log->stops, log->stop_count + 1, sizeof(*stops));
	if (!stops)
		return;
	log->stops = stops;
	stops[log->stop_count++] = at;
}

bool prompt_log_last(const struct prompt_log *log, node_time_t now, node_time_t *at)
{
	for (size_t i = log->stop_count; i--;) {
		if (log->stops[i] < now) {
			*at = log->stops[i];
			return true;
		}
	}
	return false;
}

size_t prompt_log_cut(struct prompt_log *log, node_time_t at)
{
	size_t count = log->change_count;

	while (log->change_count && log->changes[log->change_count - 1].at > at)
		free(log->changes[--log->change_count].line);
	while (log->stop_count && log->stops[log->stop_count - 1] >= at)
		log->stop_count--;
	return count - log->change_count;
}

void prompt_log_free(struct prompt_log *log)
{
	for (size_t i = 0; i < log->change_count; i++)
		free(log->changes[i].line);
	free(log->changes);
	free(log->stops);
	*log = (struct prompt_log){ 0 };
}
