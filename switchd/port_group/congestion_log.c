#include "switchd/port_group/congestion_log.h"

bool congestion_log_says(const struct congestion_log *log, uint32_t marks, node_time_t window_ps,
			 node_time_t now)
{
	return log->count >= marks &&
	       now - log->marks[(log->count - marks) % PORT_GROUP_MARKS_MAX].at_ps <= window_ps;
}
