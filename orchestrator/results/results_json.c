/*  results_json - the results for programs.
 *
 *  Keys keep the order in which they are set here, integers are exact, ratios have twelve
 *  significant digits. So the same results give the same bytes everywhere (TB-7). Only `host`, with
 *  --timing, depends on the machine; under the real clock everything does, and `fidelity` says how
 *  far. Every fabric has the same keys: what its kind does not have, or what was not requested, is
 *  null or an empty list. */
#include "orchestrator/results/results_json.h"

#include <errno.h>
#include <jansson.h>

#include "orchestrator/base/json_text.h"
#include "orchestrator/results/results_fault.h"
#include "orchestrator/results/results_fidelity.h"
#include "orchestrator/results/results_origin.h"
#include "orchestrator/results/results_roce.h"
#include "orchestrator/results/results_symptom.h"
#include "orchestrator/results/statistics.h"

#define REAL_DIGITS 12

struct writing {
	const struct plan *plan;
	const struct results *results;
	bool failed; /* out of memory: nothing is written */
};

/* puts @value into @object under @key */
static void put(struct writing *w, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		w->failed = true;
}

static void put_count(struct writing *w, json_t *object, const char *key, uint64_t value)
{
	put(w, object, key, json_integer((json_int_t)value));
}

static void put_text(struct writing *w, json_t *object, const char *key, const char *value)
{
	put(w, object, key, json_string(value));
}

/* a time, or null if it never happened */
static void put_time(struct writing *w, json_t *object, const char *key, node_time_t value)
{
	put(w, object, key,
	    value == NODE_TIME_NEVER ? json_null() : json_integer((json_int_t)value));
}

static void append(struct writing *w, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		w->failed = true;
}

static const char *node_name(const struct writing *w, uint32_t node)
{
	return w->plan->nodes[node].name;
}

/* mean and percentiles; null if there was no message */
static json_t *times_json(struct writing *w, const struct result_times *times, bool known)
{
	json_t *object = json_object();

	put_time(w, object, "mean", known ? times->mean_ps : NODE_TIME_NEVER);
	put_time(w, object, "p50", known ? times->p50_ps : NODE_TIME_NEVER);
	put_time(w, object, "p99", known ? times->p99_ps : NODE_TIME_NEVER);
	put_time(w, object, "p999", known ? times->p999_ps : NODE_TIME_NEVER);
	return object;
}

static json_t *slowdowns_json(struct writing *w, const struct result_slowdowns *slowdowns,
			      bool known)
{
	json_t *object = json_object();

	put(w, object, "mean", known ? json_real(slowdowns->mean) : json_null());
	put(w, object, "p50", known ? json_real(slowdowns->p50) : json_null());
	put(w, object, "p99", known ? json_real(slowdowns->p99) : json_null());
	put(w, object, "p999", known ? json_real(slowdowns->p999) : json_null());
	return object;
}

/* the rows of @group, of @of */
static json_t *statistics_json(struct writing *w, const struct statistics *list,
			       enum statistic_group group, const void *of)
{
	json_t *object = json_object();

	if (!statistics_json_put(list, group, of, false, object))
		w->failed = true;
	return object;
}

static json_t *nodes_json(struct writing *w)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < w->plan->node_count; i++) {
		json_t *node = json_object();

		put_text(w, node, "name", node_name(w, i));
		put_text(w, node, "kind", plan_kind_word(&w->plan->nodes[i]));
		put_count(w, node, "ports", w->plan->nodes[i].port_count);
		append(w, array, node);
	}
	return array;
}

static json_t *links_json(struct writing *w)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < w->plan->link_count; i++) {
		const struct plan_link *row = &w->plan->links[i];
		json_t *link = json_object();

		put_text(w, link, "a", node_name(w, row->node_a));
		put_count(w, link, "port_a", row->port_a);
		put_text(w, link, "b", node_name(w, row->node_b));
		put_count(w, link, "port_b", row->port_b);
		put_count(w, link, "rate_bps", row->rate_bps);
		put_count(w, link, "delay_ps", row->delay_ps);
		put_count(w, link, "mtu_bytes", row->mtu_bytes);
		append(w, array, link);
	}
	return array;
}

static json_t *flows_json(struct writing *w)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < w->results->flow_count; i++) {
		const struct result_flow *row = &w->results->flows[i];
		json_t *flow = json_object();

		put_count(w, flow, "id", i);
		put_text(w, flow, "src", plan_host_name(w->plan, row->source));
		put_text(w, flow, "dst", plan_host_name(w->plan, row->destination));
		put_text(w, flow, "class", plan_class_name(w->plan, row->traffic_class));
		put_text(w, flow, "workload", plan_workload_name(w->plan, row->workload));
		put_count(w, flow, "bytes", row->bytes);
		put_count(w, flow, "packets", row->packets);
		put_count(w, flow, "messages", row->message_count);
		put_count(w, flow, "goodput_bps", row->goodput_bps);
		put_time(w, flow, "first_ps", row->first_ps);
		put_time(w, flow, "last_ps", row->last_ps);
		put(w, flow, "fct_ps", times_json(w, &row->fct, row->fct.p50_ps != 0));
		put_count(w, flow, "reordered", row->reordered);
		put_count(w, flow, "lost", row->lost);
		put_count(w, flow, "under_way", row->under_way);
		put(w, flow, "undelivered", json_boolean(results_undelivered(row)));
		put(w, flow, "transport",
		    results_is_roce(w->plan) ? statistics_json(w, &transport_statistics,
							       STATISTIC_BASIC, &row->transport)
					     : json_null());
		append(w, array, flow);
	}
	return array;
}

static json_t *groups_json(struct writing *w)
{
	json_t *object = json_object();

	for (uint32_t i = 0; i < w->results->group_count; i++) {
		const struct result_group *row = &w->results->groups[i];
		json_t *group = json_object();
		bool known = row->fct.p50_ps != 0;

		put_count(w, group, "count", row->flow_count);
		put_count(w, group, "messages", row->message_count);
		put_count(w, group, "goodput_bps", row->goodput_bps);
		put(w, group, "jain", row->goodput_bps ? json_real(row->jain) : json_null());
		put(w, group, "fct_ps", times_json(w, &row->fct, known));
		put(w, group, "slowdown", slowdowns_json(w, &row->slowdown, known));
		put(w, object, plan_workload_name(w->plan, i), group);
	}
	return object;
}

static json_t *ports_json(struct writing *w)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < w->results->port_count; i++) {
		const struct result_port *row = &w->results->ports[i];
		json_t *port = json_object();

		put_text(w, port, "node", node_name(w, row->node));
		put_count(w, port, "port", row->port);
		put_text(w, port, "peer", w->plan->nodes[row->node].ports[row->port].peer_name);
		put_count(w, port, "tx_bytes", row->stats.tx_bytes);
		put(w, port, "utilisation", json_real(row->utilisation));
		put_count(w, port, "queue_bytes_max", row->stats.queue_bytes_max);
		put(w, port, "queue_bytes_mean", json_real(row->queue_bytes_mean));
		put_count(w, port, "paused_ps", row->stats.paused_ps);
		put_count(w, port, "input_units_max", row->stats.input_units_max);
		put_count(w, port, "buffer_units",
			  w->plan->nodes[row->node].ports[row->port].buffer_units);
		put(w, port, "congestion",
		    statistics_json(w, &port_statistics, STATISTIC_CONGESTION, &row->stats));
		put(w, port, "paths",
		    results_has_paths(w->plan)
			    ? statistics_json(w, &port_statistics, STATISTIC_PATHS, &row->stats)
			    : json_null());
		put(w, port, "roce",
		    results_is_roce(w->plan)
			    ? statistics_json(w, &port_statistics, STATISTIC_PAUSE, &row->stats)
			    : json_null());
		append(w, array, port);
	}
	return array;
}

static void append_table(struct writing *w, json_t *array, const struct result_port *port,
			 const char *name, uint64_t high_water)
{
	json_t *table = json_object();

	put_text(w, table, "node", node_name(w, port->node));
	put_count(w, table, "port", port->port);
	put_text(w, table, "table", name);
	put_count(w, table, "high_water", high_water);
	append(w, array, table);
}

/* the tables of switches with flow channels; only edge ports have an EFCT */
static json_t *tables_json(struct writing *w)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < w->results->port_count; i++) {
		const struct result_port *row = &w->results->ports[i];
		const struct node_config *node = &w->plan->nodes[row->node];

		if (node->kind != NODE_SWITCH || plan_fabric(w->plan) != FABRIC_FLOW_CHANNEL)
			continue;
		if (node->ports[row->port].kind == PORT_EDGE)
			append_table(w, array, row, "efct", row->stats.efct_used_max);
		append_table(w, array, row, "ifct", row->stats.ifct_used_max);
		append_table(w, array, row, "ofct", row->stats.ofct_used_max);
	}
	return array;
}

static json_t *drops_json(struct writing *w)
{
	json_t *object = json_object();

	for (uint32_t reason = 0; reason < DROP_REASONS; reason++)
		put_count(w, object, stats_drop_name[reason], w->results->drops[reason]);
	return object;
}

static json_t *expectations_json(struct writing *w)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < w->results->expectation_count; i++) {
		const struct result_expectation *row = &w->results->expectations[i];
		json_t *expectation = json_object();

		put_text(w, expectation, "text", row->text);
		put(w, expectation, "ok", json_boolean(row->ok));
		put(w, expectation, "value", row->known ? json_real(row->value) : json_null());
		append(w, array, expectation);
	}
	return array;
}

static json_t *lateness_json(struct writing *w, uint32_t index)
{
	const struct result_lateness *row = &w->results->fidelity.nodes[index];
	json_t *object = json_object();

	put_text(w, object, "name", node_name(w, index));
	put_text(w, object, "verdict", fidelity_verdict_name[row->verdict]);
	put_text(w, object, "reason", fidelity_reason_name[row->reason]);
	put_count(w, object, "added_delay_ns", row->node.added_ns);
	put_count(w, object, "stalled_ns", row->node.stalled_ns);
	put_count(w, object, "uncarried_bytes", row->uncarried_bytes);
	put_count(w, object, "turns", row->node.events);
	put_count(w, object, "lateness_p50_ns", row->node.p50_ns);
	put_count(w, object, "lateness_p99_ns", row->node.p99_ns);
	put_count(w, object, "lateness_max_ns", row->node.max_ns);
	put_count(w, object, "links_absorb_ns", row->made_up_ns);
	put_count(w, object, "behind_max_ns", row->behind_ns);
	put_count(w, object, "ring_full_ps", row->ring_full_ps);
	return object;
}

static json_t *fidelity_json(struct writing *w)
{
	const struct result_fidelity *fidelity = &w->results->fidelity;
	json_t *object = json_object(), *array = json_array();
	char text[1024], words[FIDELITY_WORDS_MAX];

	results_fidelity_describe(w->plan, w->results, text, sizeof(text));
	put(w, object, "valid", json_boolean(results_valid(w->results)));
	put_text(w, object, "verdict", fidelity_verdict_name[fidelity->verdict]);
	put_text(w, object, "reason",
		 fidelity_reason_name[fidelity->nodes[fidelity->worst].reason]);
	put_text(w, object, "words", results_fidelity_words(w->plan, w->results, words));
	put_count(w, object, "uncarried_bytes", fidelity->uncarried_bytes);
	put_text(w, object, "text", text);
	put_text(w, object, "worst_node", node_name(w, fidelity->worst));
	for (uint32_t i = 0; i < w->plan->node_count; i++)
		append(w, array, lateness_json(w, i));
	put(w, object, "nodes", array);
	return object;
}

static json_t *host_json(struct writing *w, const struct result_host *host)
{
	json_t *object = json_object();

	put(w, object, "start_s", json_real(host->start_s));
	put(w, object, "wall_s", json_real(host->wall_s));
	put(w, object, "end_s", json_real(host->end_s));
	put(w, object, "cpu_s", json_real(host->cpu_s));
	put_count(w, object, "packet_hops", host->packet_hops);
	put(w, object, "packet_hops_per_cpu_s",
	    json_real(host->cpu_s > 0 ? (double)host->packet_hops / host->cpu_s : 0));
	put_count(w, object, "windows", host->windows);
	put_count(w, object, "node_windows", host->node_windows);
	put_count(w, object, "wakes", host->wakes);
	put(w, object, "stolen_s", json_real(host->stolen_s));
	put_count(w, object, "moves", host->moves);
	put_count(w, object, "workers", host->workers);
	put_count(w, object, "unfiltered_nodes", host->unfiltered_nodes);
	return object;
}

int results_json_write(const struct plan *plan, const struct results *results,
		       const struct result_host *host, FILE *out)
{
	struct writing w = { .plan = plan, .results = results };
	json_t *root = json_object();

	w.failed = results_origin_put(plan->origin, root) != 0;
	put_text(&w, root, "scenario", plan->scenario);
	put_count(&w, root, "seed", plan->seed);
	put_text(&w, root, "fabric", scenario_fabric_name[plan_fabric(plan)]);
	put_text(&w, root, "clock", plan_is_real(plan) ? "real" : "virtual");
	put_count(&w, root, "duration_ps", plan->duration_ps);
	put_count(&w, root, "end_ps", results->end_ps);
	put(&w, root, "interrupted", json_boolean(results->interrupted));
	put(&w, root, "nodes", nodes_json(&w));
	put(&w, root, "links", links_json(&w));
	put(&w, root, "flows", flows_json(&w));
	put(&w, root, "groups", groups_json(&w));
	put(&w, root, "ports", ports_json(&w));
	put(&w, root, "tables", tables_json(&w));
	put(&w, root, "classes", results_roce_classes_json(plan, results));
	put(&w, root, "roce",
	    results_is_roce(plan) ? results_roce_json(plan, results) : json_null());
	put(&w, root, "deadlocks", results_roce_deadlocks_json(plan, &results->deadlocks));
	put(&w, root, "drops", drops_json(&w));
	put(&w, root, "totals",
	    statistics_json(&w, &total_statistics, STATISTIC_BASIC, &results->totals));
	put(&w, root, "faults", results_fault_json(plan, results));
	put(&w, root, "symptoms", results_symptom_json(plan, results));
	put(&w, root, "expectations", expectations_json(&w));
	put(&w, root, "fidelity", results->fidelity.nodes ? fidelity_json(&w) : json_null());
	put(&w, root, "host", host ? host_json(&w, host) : json_null());
	if (!w.failed)
		return json_text_write(root, JSON_INDENT(1) | JSON_REAL_PRECISION(REAL_DIGITS),
				       out);
	json_decref(root);
	return -ENOMEM;
}
