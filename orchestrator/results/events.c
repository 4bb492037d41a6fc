#include "orchestrator/results/events.h"

struct writing {
	const struct plan *plan;
	enum events_format format;
	FILE *out;
};

/* of node @node + 1; "": none */
static const char *node_name(const struct plan *plan, uint32_t node)
{
	return node ? plan->nodes[node - 1].name : "";
}

static void row_write(void *context, const struct event *event)
{
	const struct writing *writing = context;
	const struct node_config *node = &writing->plan->nodes[event->node];
	const struct trace_row *kind = trace_row(event->kind);
	struct event_row row = { .at_ps = event->at_ps,
				 .value = event->value,
				 .port = event->port,
				 .detail = event->detail,
				 .node = node->name,
				 .peer = node->ports[event->port].peer_name,
				 .event = kind->name,
				 .source = node_name(writing->plan, event->source),
				 .destination = node_name(writing->plan, event->destination),
				 .detail_name = kind->detail,
				 .value_name = kind->value,
				 .detail_word = trace_detail_word(event->kind, event->detail) };

	if (kind->has_class)
		row.traffic_class = event->traffic_class < node->class_count
					    ? node->classes[event->traffic_class].name
					    : "";
	event_row_write(&row, writing->format, writing->out);
}

/* ---- all ---- */

struct taking {
	events_take_fn *take;
	void *owner;
};

static void entry_take(void *context, const struct event *event)
{
	const struct taking *taking = context;

	taking->take(taking->owner, event->node, event->entry);
}

static int merge_all(const struct plan *plan, const struct node_log_source *sources, event_fn *take,
		     void *context, struct why *why)
{
	struct event_merge merge;
	int error = event_merge_init(&merge, plan, sources);

	if (error)
		return why_say(why, error, "out of memory");
	error = event_merge_to(&merge, NODE_TIME_NEVER, take, context);
	if (error)
		why_say(why, 0, "%s", merge.why);
	event_merge_fini(&merge);
	return error;
}

int events_merge(const struct plan *plan, const struct node_log_source *sources,
		 events_take_fn *take, void *owner, struct why *why)
{
	struct taking taking = { .take = take, .owner = owner };

	return merge_all(plan, sources, entry_take, &taking, why);
}

int events_write(const struct plan *plan, const struct node_log_source *sources,
		 enum events_format format, FILE *out, struct why *why)
{
	struct writing writing = { .plan = plan, .format = format, .out = out };

	event_row_head(format, out);
	return merge_all(plan, sources, row_write, &writing, why);
}
