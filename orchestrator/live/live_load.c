#include "orchestrator/live/live_load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/clock/fabric_time.h"
#include "orchestrator/base/array_grow.h"
#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/live/parameter.h"
#include "orchestrator/results/results.h"
#include "orchestrator/scenario/scenario_keys.h"

/* from a request until the messages start, so that all NICs have received it; of the machine
 * (ours) */
#define LEAD_PS (20 * NODE_MS)

/* ---- the NICs that send ---- */

/* the part of workload @index that NIC @node sends; NULL: none */
static struct workload_config *part_of(const struct live *live, uint32_t node, uint32_t index)
{
	struct nic_config *nic = &live->plan->nodes[node].nic;

	if (live->plan->nodes[node].kind != NODE_NIC)
		return NULL;
	for (uint32_t i = 0; i < nic->workload_count; i++)
		if (nic->workloads[i].workload_index == index)
			return &nic->workloads[i];
	return NULL;
}

/* that of the first sender; NULL: all senders have left the fabric */
static const struct workload_config *first_part(const struct live *live, uint32_t index,
						uint32_t *senders)
{
	const struct workload_config *first = NULL;

	*senders = 0;
	for (uint32_t i = live->plan->switch_count; i < live->plan->node_count; i++) {
		const struct workload_config *part = part_of(live, i, index);

		first = first ? first : part;
		*senders += part != NULL;
	}
	return first;
}

int live_loads_init(struct live *live)
{
	uint32_t senders;

	live->loads = calloc(live->plan->workload_count, sizeof(*live->loads));
	if (!live->loads)
		return -ENOMEM;
	for (uint32_t i = 0; i < live->plan->workload_count; i++) {
		const struct workload_config *part = first_part(live, i, &senders);

		live->loads[i] = (struct live_load){
			.from_ps = part ? part->from_ps : NODE_TIME_NEVER,
			.to_ps = NODE_TIME_NEVER,
		};
	}
	return 0;
}

void live_loads_fini(struct live *live)
{
	free(live->loads);
	live->loads = NULL;
}

void live_load_node_starts(struct live *live, uint32_t node)
{
	const struct nic_config *nic = &live->plan->nodes[node].nic;
	node_time_t now = fabric_real_now(&live->fabric);

	if (live->plan->nodes[node].kind != NODE_NIC)
		return;
	/* its times still count from from_ps, as those of the other senders */
	for (uint32_t i = 0; i < nic->workload_count; i++)
		nic->workloads[i].again_ps = now;
}

/* ---- figures ---- */

/* a page that may be read; NULL: the node has none */
static struct stats_page *page_of(const struct live *live, uint32_t node)
{
	const struct fabric_node *state = &live->fabric.nodes[node];

	return stats_view_check(&state->view) ? NULL : state->stats;
}

static void sent_add(struct stats_page *page, uint32_t index, struct live_load_sums *sums)
{
	uint64_t count =
		page->flow_tx_count < page->flows_max ? page->flow_tx_count : page->flows_max;

	for (uint32_t slot = 0; slot < count; slot++) {
		const struct flow_tx_stats *flow = stats_flow_tx(page, slot);

		if (flow->workload_index != index)
			continue;
		sums->sent_packets += flow->packets;
		sums->sent_bytes += flow->bytes;
		sums->resent += flow->resent;
		sums->started += flow->messages;
		sums->waiting += flow->in_error ? 0 : flow->waiting;
		sums->errors += flow->in_error;
	}
}

static void received_add(struct stats_page *page, uint32_t index, struct live_load_sums *sums)
{
	uint64_t count =
		page->flow_rx_count < page->flows_max ? page->flow_rx_count : page->flows_max;

	for (uint32_t slot = 0; slot < count; slot++) {
		const struct flow_rx_stats *flow = stats_flow_rx(page, slot);

		if (flow->workload_index != index)
			continue;
		sums->received_packets += flow->packets;
		sums->received_bytes += flow->bytes;
		sums->complete += flow->messages;
		sums->lost += flow->lost;
		sums->last_ps = node_time_max(sums->last_ps, flow->last_ps);
	}
}

static struct live_load_sums sums_of(const struct live *live, uint32_t index)
{
	struct live_load_sums sums = { 0 };

	for (uint32_t i = live->plan->switch_count; i < live->plan->node_count; i++) {
		struct stats_page *page = page_of(live, i);

		if (page) {
			sent_add(page, index, &sums);
			received_add(page, index, &sums);
		}
	}
	return sums;
}

/* times of completion, in no order */
struct times {
	uint64_t *ns;
	size_t count, max;
};

/* The NIC may replace a line while it is read: those that it wrote meanwhile are left out. */
static bool times_add(struct stats_page *page, uint32_t index, node_time_t from,
		      struct times *times)
{
	uint64_t before = page->messages_unlogged, max = page->messages_max;
	uint64_t count = page->message_count < max ? page->message_count : max;
	size_t first = times->count;

	for (uint64_t i = 0; i < count; i++) {
		struct message_stats line = *stats_message(page, i);

		if (line.flow >= page->flows_max || line.start_ps < from ||
		    line.end_ps < line.start_ps ||
		    stats_flow_rx(page, line.flow)->workload_index != index)
			continue;
		if (page->messages_unlogged != before &&
		    (i + max - before % max) % max <= page->messages_unlogged - before)
			continue;
		if (!array_grow(&times->ns, times->count, &times->max, 1024, sizeof(*times->ns))) {
			times->count = first;
			return false;
		}
		times->ns[times->count++] = (line.end_ps - line.start_ps) / NODE_NS;
	}
	return true;
}

static int shorter(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static json_t *times_describe(struct times *times)
{
	unsigned __int128 sum = 0;
	size_t n = times->count;

	if (!n)
		return json_pack("{s:i}", "count", 0);
	qsort(times->ns, n, sizeof(*times->ns), shorter);
	for (size_t i = 0; i < n; i++)
		sum += times->ns[i];
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "count", (json_int_t)n, "mean_ns",
			 (json_int_t)(sum / n), "p50_ns", (json_int_t)times->ns[(n - 1) / 2],
			 "p99_ns", (json_int_t)times->ns[(n - 1) * 99 / 100], "max_ns",
			 (json_int_t)times->ns[n - 1]);
}

static json_t *completion_describe(const struct live *live, uint32_t index, node_time_t from)
{
	struct times times = { 0 };
	json_t *object;
	bool whole = true;

	for (uint32_t i = live->plan->switch_count; i < live->plan->node_count && whole; i++) {
		struct stats_page *page = page_of(live, i);

		whole = !page || times_add(page, index, from, &times);
	}
	object = times_describe(&times);
	free(times.ns);
	return object;
}

/* ---- states ---- */

static json_int_t since(uint64_t now, uint64_t before)
{
	return now > before ? (json_int_t)(now - before) : 0;
}

/* a workload as it is now */
struct load_view {
	const struct live_load *load;
	const struct workload_config
		*part; /* of its first sender; NULL: all have left the fabric */
	uint32_t senders;
	struct live_load_sums sums;
	node_time_t now;
};

static struct load_view view_of(const struct live *live, uint32_t index)
{
	struct load_view view = { .load = &live->loads[index],
				  .sums = sums_of(live, index),
				  .now = fabric_real_now(&live->fabric) };

	view.part = first_part(live, index, &view.senders);
	return view;
}

/* has it started as many messages as it may? A NIC that is started again counts from 0. */
static bool is_spent(const struct load_view *view)
{
	return view->part->messages_max && !view->sums.waiting &&
	       (uint64_t)since(view->sums.started, view->load->base.started) / view->senders >=
		       view->part->messages_max;
}

static const char *state_of(const struct load_view *view)
{
	const struct live_load *load = view->load;

	if (!view->part)
		return "gone";
	if (load->from_ps == NODE_TIME_NEVER)
		return "waits";
	if (load->to_ps != NODE_TIME_NEVER)
		return view->sums.waiting ? "stopping" : "stopped";
	if (view->now < load->from_ps + view->part->start_ps)
		return "later";
	if ((view->part->stop_ps && view->now >= load->from_ps + view->part->stop_ps) ||
	    is_spent(view))
		return view->sums.waiting ? "stopping" : "ended";
	return "runs";
}

/* how long it has run since its last start, or if it is over, until its last packet came */
static node_time_t ran_ps(const struct load_view *view)
{
	node_time_t from = view->load->from_ps, to = view->load->to_ps;

	if (!view->part || from == NODE_TIME_NEVER)
		return 0;
	if (view->part->stop_ps)
		to = node_time_min(to, from + view->part->stop_ps);
	if (is_spent(view))
		to = from;
	to = node_time_min(view->now, node_time_max(to, view->sums.last_ps));
	from += view->part->start_ps;
	return to > from ? to - from : 0;
}

static json_t *load_describe(const struct live *live, uint32_t index)
{
	const struct plan_workload *planned = &live->plan->workloads[index];
	const struct load_view view = view_of(live, index);
	const struct live_load_sums *base = &view.load->base, *sums = &view.sums;
	node_time_t ran = ran_ps(&view);
	json_int_t received = since(sums->received_bytes, base->received_bytes);

	return json_pack(
		"{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:o}",
		"name", planned->name, "state", state_of(&view), "class",
		live->plan->nodes[0].classes[planned->traffic_class].name, "senders",
		(int)view.senders, "ran_ns", (json_int_t)(ran / NODE_NS), "sent_packets",
		since(sums->sent_packets, base->sent_packets), "sent_bytes",
		since(sums->sent_bytes, base->sent_bytes), "received_packets",
		since(sums->received_packets, base->received_packets), "received_bytes", received,
		"lost_packets", since(sums->lost, base->lost), "resent_packets",
		since(sums->resent, base->resent), "messages_started",
		since(sums->started, base->started), "messages_complete",
		since(sums->complete, base->complete), "messages_waiting",
		(json_int_t)sums->waiting, "failed_connections", (json_int_t)sums->errors,
		"rate_bps", (json_int_t)results_bps((uint64_t)received, ran), "completion",
		completion_describe(live, index, view.load->from_ps));
}

/* ---- requests ---- */

static json_t *loads_describe(const struct live *live, int64_t only)
{
	json_t *loads = json_array();

	for (uint32_t i = 0; i < live->plan->workload_count; i++)
		if (only < 0 || only == i)
			json_array_append_new(loads, load_describe(live, i));
	return json_pack("{s:s, s:o}", "fabric", live->place.name, "loads", loads);
}

json_t *live_load_list(struct live_query *query)
{
	return loads_describe(query->live, -1);
}

/* the workload called @name; -1: it is refused */
static int64_t load_find(struct live_query *query, const char *name)
{
	const struct plan *plan = query->live->plan;
	char hint[128];

	for (uint32_t i = 0; i < plan->workload_count; i++)
		if (!strcmp(plan->workloads[i].name, name))
			return i;
	return live_query_refused(
		query,
		live_refuse("fabric %s has no workload '%s'%s; 'heddle load' lists them",
			    query->live->place.name, name,
			    key_name_hint(name,
					  plan->workload_count ? plan->workloads[0].name : NULL,
					  plan->workload_count, sizeof(*plan->workloads), hint,
					  sizeof(hint))));
}

/* when a workload began */
static const struct parameter parameter_from = { .key = "from",
						 .offset =
							 offsetof(struct workload_config, from_ps),
						 .bytes = sizeof(node_time_t) };

/* sets @row of all NICs that send workload @index; a dead one has it from its configuration when it
 * is started again */
static int senders_set(struct live *live, uint32_t index, const struct parameter *row,
		       uint64_t value)
{
	int error = 0;

	for (uint32_t i = live->plan->switch_count; i < live->plan->node_count; i++) {
		struct control_message message = { .kind = CONTROL_SET };
		struct workload_config *part = part_of(live, i, index);
		int failed;

		if (!part)
			continue;
		parameter_put(row, part, value);
		if (!fabric_pid(&live->fabric, i))
			continue;
		snprintf(message.text, sizeof(message.text), "workload.%s.%s",
			 live->plan->workloads[index].name, row->key);
		snprintf(message.text2, sizeof(message.text2), "%" PRIu64, value);
		failed = fabric_tell(&live->fabric, i, &message);
		error = error ? error : failed;
	}
	return error;
}

static int load_begin(struct live *live, uint32_t index)
{
	struct live_load *load = &live->loads[index];
	struct load_view view = view_of(live, index);
	const char *state = state_of(&view);

	if (!strcmp(state, "runs") || !strcmp(state, "later"))
		return 0;
	*load = (struct live_load){
		.load_permille = load->load_permille,
		.from_ps =
			fabric_real_now(&live->fabric) + fabric_time_of(live->fabric.page, LEAD_PS),
		.to_ps = NODE_TIME_NEVER,
		.base = view.sums,
	};
	live_note("workload %s starts", live->plan->workloads[index].name);
	return senders_set(live, index, &parameter_from, load->from_ps);
}

static int load_end(struct live *live, uint32_t index)
{
	struct live_load *load = &live->loads[index];

	if (load->from_ps == NODE_TIME_NEVER || load->to_ps != NODE_TIME_NEVER)
		return 0;
	load->to_ps = fabric_real_now(&live->fabric);
	live_note("workload %s stops", live->plan->workloads[index].name);
	return senders_set(live, index, &parameter_from, NODE_TIME_NEVER);
}

/* does @act for the workload that the request names, or for all */
static json_t *loads_act(struct live_query *query, int (*act)(struct live *, uint32_t))
{
	const char *name = live_query_text(query, "name");
	struct live *live = query->live;
	int64_t only = name ? load_find(query, name) : -1;
	int error = 0;

	if (query->refusal)
		return query->refusal;
	for (uint32_t i = 0; i < live->plan->workload_count; i++) {
		int failed = only < 0 || only == i ? act(live, i) : 0;

		error = error ? error : failed;
	}
	return error ? live_refuse("not all NICs have followed: %s", live_reason(live, error))
		     : loads_describe(live, only);
}

json_t *live_load_start(struct live_query *query)
{
	return loads_act(query, load_begin);
}

json_t *live_load_stop(struct live_query *query)
{
	return loads_act(query, load_end);
}

static bool has_load(const struct workload_config *part)
{
	return part->arrival == ARRIVAL_PACED || part->arrival == ARRIVAL_POISSON;
}

json_t *live_load_set(struct live_query *query)
{
	const char *name = live_query_text(query, "name"), *load = live_query_text(query, "load");
	struct live *live = query->live;
	int64_t index = load_find(query, name ? name : "");
	const struct workload_config *any;
	uint64_t permille;
	uint32_t senders;
	struct why why;
	int error;

	if (index < 0)
		return query->refusal;
	if (!load)
		return live_refuse("nothing to set: expected load=");
	if (parameter_read(&parameter_load, "load", load, &permille, &why))
		return live_refuse("%s", why.text);
	any = first_part(live, (uint32_t)index, &senders);
	if (any && !has_load(any))
		return live_refuse("workload %s has no load: its arrival is %s", name,
				   arrival_words[any->arrival]);
	live->loads[index].load_permille = (uint32_t)permille;
	error = senders_set(live, (uint32_t)index, &parameter_load, permille);
	return error ? live_refuse("not all NICs have followed: %s", live_reason(live, error))
		     : loads_describe(live, index);
}
