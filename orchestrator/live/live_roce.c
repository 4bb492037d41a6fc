#include "orchestrator/live/live_roce.h"

#include "orchestrator/base/json_member.h"
#include "orchestrator/results/results_roce.h"
#include "orchestrator/results/statistics.h"

static bool is_roce(const struct node_config *config, const struct stats_page *stats)
{
	return config->fabric == FABRIC_ROCE && stats_has_classes(stats);
}

/* counters of a class that are not 0; NULL if all are 0 */
static json_t *class_describe(const struct class_config *config, const struct class_stats *class)
{
	json_t *object = json_pack("{s:s}", "class", config->name);

	statistics_json_put(&class_statistics, STATISTIC_BASIC, class, true, object);
	if (json_object_size(object) > 1)
		return object;
	json_decref(object);
	return NULL;
}

void live_roce_port_put(const struct node_config *config, struct stats_page *stats, uint32_t port,
			json_t *object)
{
	json_t *counters, *classes;

	if (!is_roce(config, stats))
		return;
	counters = json_object();
	classes = json_array();
	statistics_json_put(&port_statistics, STATISTIC_PAUSE, stats_port(stats, port), true,
			    counters);
	for (uint32_t c = 0; c < config->class_count; c++) {
		json_t *class = class_describe(&config->classes[c], stats_class(stats, port, c));

		if (class)
			json_array_append_new(classes, class);
	}
	json_object_set_new(object, "roce", counters);
	json_object_set_new(object, "classes", classes);
}

void live_roce_node_put(const struct node_config *config, struct stats_page *stats, json_t *object)
{
	uint64_t paused = 0, xoff = 0, marked = 0, pauses = 0, cnps = 0, in_error = 0;

	if (!is_roce(config, stats))
		return;
	for (uint32_t i = 0; i < config->port_count * NODE_CLASSES_MAX; i++) {
		const struct class_stats *class =
			stats_class(stats, i / NODE_CLASSES_MAX, i % NODE_CLASSES_MAX);

		paused += class->paused_since_ps != 0;
		xoff += class->xoff_since_ps != 0;
		marked += class->marked;
	}
	for (uint32_t p = 0; p < config->port_count; p++)
		pauses += stats_port(stats, p)->pauses_sent;
	for (uint32_t f = 0; f < stats->flow_tx_count && f < stats->flows_max; f++) {
		cnps += stats_flow_tx(stats, f)->cnps;
		in_error += stats_flow_tx(stats, f)->in_error != 0;
	}
	member_put(object, "paused_classes", paused);
	member_put(object, "xoff_classes", xoff);
	member_put(object, "marked", marked);
	member_put(object, "pauses", pauses);
	member_put(object, "cnps", cnps);
	member_put(object, "in_error", in_error);
}

void live_roce_put(const struct plan *plan, struct stats_page *const *pages, json_t *object)
{
	struct pause_cycles deadlocks;
	node_time_t now = 0;

	if (!results_is_roce(plan))
		return;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		now = pages[i] ? node_time_max(now, pages[i]->now_ps) : now;
	json_object_set_new(object, "kind", json_string("roce"));
	if (pause_cycles_find(plan, pages, pause_cycles_before_ps(plan, now, NODE_TIME_NEVER),
			      &deadlocks))
		return;
	json_object_set_new(object, "deadlocks", results_roce_deadlocks_json(plan, &deadlocks));
	pause_cycles_free(&deadlocks);
}
