#include "switchd/congestion_log.h"

bool congestion_log_says(const struct congestion_log *log, uint32_t marks, node_time_t window_ps, node_time_t now)
{
	if (marks > CONGESTION_LOG_MAX)
		marks = CONGESTION_LOG_MAX;
	if (!marks || log->count < marks)
		return false;
	return now - log->marks[(log->count - marks) % CONGESTION_LOG_MAX].at_ps <= window_ps;
}
