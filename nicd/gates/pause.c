#include "nicd/gates/pause.h"

static node_time_t stop_of(const struct pause_config *pause)
{
	return pause->stop_ps ? pause->stop_ps : NODE_TIME_NEVER;
}

static bool is_on(const struct pause_config *pause, node_time_t now)
{
	return now >= pause->start_ps && now < stop_of(pause) &&
	       (now - pause->start_ps) % pause->every_ps < pause->for_ps;
}

uint32_t pause_classes(const struct nic_config *config, node_time_t from, node_time_t now)
{
	uint32_t classes = 0;

	for (uint32_t i = 0; i < config->pause_count && now >= from; i++)
		classes |= is_on(&config->pauses[i], now - from) ? config->pauses[i].classes : 0;
	return classes;
}

/* when @pause begins or ends next */
static node_time_t edge_after(const struct pause_config *pause, node_time_t now)
{
	node_time_t begun_ps, next_ps;

	if (pause->start_ps >= stop_of(pause) || now >= stop_of(pause))
		return NODE_TIME_NEVER;
	if (now < pause->start_ps)
		return pause->start_ps;
	begun_ps = now - (now - pause->start_ps) % pause->every_ps;
	if (is_on(pause, now))
		return pause->for_ps == pause->every_ps
			       ? stop_of(pause)
			       : node_time_min(begun_ps + pause->for_ps, stop_of(pause));
	next_ps = begun_ps + pause->every_ps;
	return next_ps < stop_of(pause) ? next_ps : NODE_TIME_NEVER;
}

node_time_t pause_next_at(const struct nic_config *config, node_time_t from, node_time_t now)
{
	node_time_t next_ps = NODE_TIME_NEVER;

	if (now < from)
		return config->pause_count ? from : NODE_TIME_NEVER;
	for (uint32_t i = 0; i < config->pause_count; i++)
		next_ps = node_time_min(next_ps, edge_after(&config->pauses[i], now - from));
	return next_ps == NODE_TIME_NEVER ? next_ps : from + next_ps;
}
