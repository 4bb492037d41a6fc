#include "orchestrator/recording/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/recording/recording_head.h"
#include "orchestrator/results/results_json.h"
#include "orchestrator/results/results_text.h"

static void arrays_free(struct recorder *recorder)
{
	free(recorder->pages);
	free(recorder->flows_known);
}

int recorder_begin(struct recorder *recorder, const struct plan *plan, const char *variant,
		   const struct node_log_source *events, const struct node_log_source *series,
		   FILE *out)
{
	size_t count = plan->node_count + 1ul;
	json_t *head = recording_head(plan, variant, plan->nodes[0].sample_ps);

	*recorder =
		(struct recorder){ .plan = plan,
				   .pages = calloc(count, sizeof(*recorder->pages)),
				   .flows_known = calloc(count, sizeof(*recorder->flows_known)) };
	if (head && recorder->pages && recorder->flows_known &&
	    !event_merge_init(&recorder->events, plan, events)) {
		if (!series_merge_init(&recorder->series, plan, series)) {
			for (uint32_t i = 0; i < plan->node_count; i++)
				recorder->pages[i] = events[i].page;
			flow_paths_init(&recorder->paths, plan);
			recording_begin(&recorder->recording, head, out);
			json_decref(head);
			return 0;
		}
		event_merge_fini(&recorder->events);
	}
	json_decref(head);
	arrays_free(recorder);
	return -ENOMEM;
}

/* ---- flows ---- */

/* the outputs that a flow takes, from its NIC on; null if not all of them are known */
static json_t *path_json(const struct recorder *recorder, uint32_t node, uint32_t index,
			 const struct flow_tx_stats *flow)
{
	struct flow_hop hops[FLOW_PATH_HOPS_MAX];
	const struct plan *plan = recorder->plan;
	uint32_t count = flow->destination < plan->host_count
				 ? flow_paths_find(&recorder->paths, node - plan->switch_count,
						   index, flow->destination, hops)
				 : 0;
	json_t *array = count ? json_array() : json_null();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array,
				      json_pack("[i, i]", (int)hops[i].node, (int)hops[i].port));
	return array;
}

static json_t *flow_json(const struct recorder *recorder, uint32_t node, uint32_t index)
{
	const struct plan *plan = recorder->plan;
	/* once: the node may write it */
	const struct flow_tx_stats flow =
		*stats_flow_tx((struct stats_page *)recorder->pages[node], index);

	__atomic_signal_fence(__ATOMIC_ACQ_REL);
	return json_pack(
		"{s:i, s:i, s:i, s:i, s:s, s:i, s:o}", "node", (int)node, "index", (int)index,
		"destination",
		(int)plan_host_node(plan,
				    flow.destination < plan->host_count ? flow.destination : 0),
		"class",
		flow.traffic_class < plan->nodes[0].class_count ? (int)flow.traffic_class : 0,
		"workload",
		flow.workload_index < plan->workload_count
			? plan->workloads[flow.workload_index].name
			: "",
		"connection", (int)flow.connection, "path",
		path_json(recorder, node, index, &flow));
}

/* flows of @node below @count are known from here on */
static void flows_meet(struct recorder *recorder, uint32_t node, uint64_t count)
{
	for (; recorder->flows_known[node] < count; recorder->flows_known[node]++)
		recording_flow(&recorder->recording,
			       flow_json(recorder, node, recorder->flows_known[node]));
}

/* all flows, with the paths that they have at the end */
static void flows_end(struct recorder *recorder)
{
	for (uint32_t i = recorder->plan->switch_count; i < recorder->plan->node_count; i++) {
		const struct stats_page *page = recorder->pages[i];

		recorder->flows_known[i] = 0;
		if (page)
			flows_meet(recorder, i,
				   page->flow_tx_count < page->flows_max ? page->flow_tx_count
									 : page->flows_max);
	}
	recording_flows(&recorder->recording);
}

/* ---- slices ---- */

/* event_fn */
static void event_take(void *context, const struct event *event)
{
	struct recorder *recorder = context;

	recording_event(&recorder->recording, event);
	if (flow_paths_take(&recorder->paths, event->node, event->entry) &&
	    !recorder->recording.error)
		recorder->recording.error = -ENOMEM;
}

/* series_fn */
static void change_take(void *context, uint32_t node, const struct series_entry *change)
{
	const struct slice_key key = { .node = node,
				       .series = recording_series_number(change->id),
				       .port = change->port,
				       .index = change->index };
	struct recorder *recorder = context;

	if (series_row(change->id)->of == SERIES_OF_FLOW)
		flows_meet(recorder, node, change->index + 1ull);
	recording_set(&recorder->recording, &key, change->value);
}

int recorder_follow(struct recorder *recorder, node_time_t horizon)
{
	node_time_t at_ps;

	event_merge_refresh(&recorder->events);
	series_merge_refresh(&recorder->series);
	/* a sample comes before events of its moment */
	while ((at_ps = series_merge_next_at(&recorder->series)) < horizon &&
	       !recorder->recording.error) {
		event_merge_to(&recorder->events, at_ps, event_take, recorder);
		recording_sample(&recorder->recording, at_ps);
		series_merge_take(&recorder->series, at_ps, change_take, recorder);
	}
	event_merge_to(&recorder->events, horizon, event_take, recorder);
	series_merge_passed(&recorder->series, horizon);
	return recorder->recording.error;
}

/* ---- the end ---- */

static void table_record(struct recorder *recorder, struct stats_page *const *pages,
			 const struct results_logs *logs, const struct results *results,
			 unsigned index)
{
	FILE *out = recording_text(&recorder->recording, "TABL", results_csv_name(index));

	if (!out)
		return;
	results_csv_table(recorder->plan, pages, logs, results, index, out);
	fclose(out);
}

void recorder_result(struct recorder *recorder, struct stats_page *const *pages,
		     const struct results_logs *logs, const struct results *results)
{
	FILE *out;

	recording_slice(&recorder->recording, results->end_ps);
	flows_end(recorder);
	recorder->ended = true;
	out = recording_text(&recorder->recording, "RSLT", NULL);
	if (out) {
		results_json_write(recorder->plan, results, NULL, out);
		fclose(out);
	}
	for (unsigned i = 0; results_csv_name(i); i++)
		if (results_csv_has(recorder->plan, results, i) && !results_csv_of_samples(i))
			table_record(recorder, pages, logs, results, i);
	out = recording_text(&recorder->recording, "TABL", "summary.txt");
	if (out) {
		results_text_write(recorder->plan, results, NULL, NULL, false, out);
		fclose(out);
	}
}

int recorder_end(struct recorder *recorder, enum recording_status status, const char *failure,
		 node_time_t end_ps, bool *written, struct why *why)
{
	int error = recorder->events.error ? recorder->events.error : recorder->series.error;
	int write_error;

	if (!recorder->ended) {
		recording_slice(&recorder->recording, end_ps);
		flows_end(recorder);
	}
	if (error)
		why_say(why, 0, "%s",
			recorder->events.error ? recorder->events.why : recorder->series.why);
	write_error = recording_end(&recorder->recording, status, failure, end_ps);
	if (write_error)
		why_say(why, 0, "%s", strerror(-write_error));
	event_merge_fini(&recorder->events);
	series_merge_fini(&recorder->series);
	flow_paths_fini(&recorder->paths);
	arrays_free(recorder);
	*written = !write_error;
	return write_error ? write_error : error;
}
