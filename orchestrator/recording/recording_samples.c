#include "orchestrator/recording/recording_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/array_grow.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/nameless_file.h"

int recording_samples_init(struct recording_samples *samples, struct recording_heading *heading)
{
	*samples = (struct recording_samples){ .heading = heading };
	samples->nodes = calloc(heading->plan.node_count, sizeof(*samples->nodes));
	descriptor_limit_raise();
	return samples->nodes ? 0 : -ENOMEM;
}

void recording_samples_fini(struct recording_samples *samples)
{
	for (uint32_t i = 0; samples->nodes && i < samples->heading->plan.node_count; i++) {
		struct recording_samples_node *node = &samples->nodes[i];

		free(node->flows);
		free(node->live);
		free(node->page);
		if (node->log)
			fclose(node->log);
	}
	free(samples->nodes);
	free(samples->changes);
	*samples = (struct recording_samples){ 0 };
}

/* ---- flows ---- */

/* flow @index of @node, at most the one after those that are known. NULL: memory is short */
static struct flow_tx_stats *flow_of(struct recording_samples_node *node, uint32_t index)
{
	if (!array_grow(&node->flows, index, &node->flow_size, 16, sizeof(*node->flows)))
		return NULL;
	if (index == node->flow_count)
		node->flow_count++;
	return &node->flows[index];
}

static int flow_read(struct recording_samples *samples, const json_t *json)
{
	struct plan *plan = &samples->heading->plan;
	const char *workload = recording_heading_word(json_object_get(json, "workload"), true);
	uint32_t node, index, destination, traffic_class, connection;
	struct flow_tx_stats *flow;

	if (!recording_heading_number(json, "node", plan->node_count, &node) ||
	    !recording_heading_number(json, "index", samples->nodes[node].flow_count + 1ull,
				      &index) ||
	    !recording_heading_number(json, "destination", plan->node_count, &destination) ||
	    !recording_heading_number(json, "class", plan->nodes[0].class_count, &traffic_class) ||
	    !recording_heading_number(json, "connection", UINT32_MAX, &connection) || !workload ||
	    destination < plan->switch_count || plan->nodes[node].kind != NODE_NIC)
		return -EINVAL;
	flow = flow_of(&samples->nodes[node], index);
	if (!flow)
		return -ENOMEM;
	*flow = (struct flow_tx_stats){
		.workload_index = recording_heading_workload(samples->heading, workload),
		.destination = destination - plan->switch_count,
		.traffic_class = traffic_class,
		.connection = connection,
	};
	return 0;
}

int recording_samples_flows(struct recording_samples *samples, const char *text, size_t length)
{
	json_t *array = json_loadb(text, length, 0, NULL);
	int error = json_is_array(array) ? 0 : -EINVAL;

	for (size_t i = 0; i < json_array_size(array) && !error; i++)
		error = flow_read(samples, json_array_get(array, i));
	json_decref(array);
	return error;
}

/* ---- a slice ---- */

static void entry_write(struct recording_samples *samples, const struct series_entry *entry)
{
	struct recording_samples_node *node = &samples->nodes[samples->node];

	if (samples->error)
		return;
	if (!node->log)
		node->log = nameless_stream();
	if (!node->log || fwrite(entry, sizeof(*entry), 1, node->log) != 1)
		samples->error = errno ? -errno : -EIO;
}

static int change_compare(const void *a, const void *b)
{
	const struct recording_change *left = a, *right = b;

	return (left->sample > right->sample) - (left->sample < right->sample);
}

/* remembers that the key of @entry has its value from now on */
static void live_add(struct recording_samples *samples, const struct series_entry *entry)
{
	struct recording_samples_node *node = &samples->nodes[samples->node];

	if (!entry->value)
		return;
	if (array_grow(&node->live, node->live_count, &node->live_size, 64, sizeof(*node->live)))
		node->live[node->live_count++] = *entry;
	else
		samples->error = -ENOMEM;
}

static bool same_key(const struct series_entry *a, const struct series_entry *b)
{
	return a->id == b->id && a->port == b->port && a->index == b->index;
}

/* The changes are in the order of keys: the last one of each key is what lasts. */
static void live_find(struct recording_samples *samples)
{
	samples->nodes[samples->node].live_count = 0;
	for (size_t i = 0; i < samples->change_count; i++)
		if (i + 1 == samples->change_count ||
		    !same_key(&samples->changes[i].entry, &samples->changes[i + 1].entry))
			live_add(samples, &samples->changes[i].entry);
}

/* A slice begins with all values that are not 0: what it does not name is 0. */
static void zeros_write(struct recording_samples *samples)
{
	struct recording_samples_node *node = &samples->nodes[samples->node];

	for (size_t i = 0; i < node->live_count; i++) {
		node->live[i].value = 0;
		entry_write(samples, &node->live[i]);
	}
}

/* the present node has no more changes in this slice */
static void node_end(struct recording_samples *samples)
{
	size_t at = 0;

	for (uint32_t sample = 0; sample < samples->sample_count; sample++) {
		const struct series_entry begin = { .value = samples->samples[sample],
						    .id = SERIES_SAMPLE };

		entry_write(samples, &begin);
		if (!sample) {
			zeros_write(samples);
			live_find(samples);
			if (samples->change_count)
				qsort(samples->changes, samples->change_count,
				      sizeof(*samples->changes), change_compare);
		}
		for (; at < samples->change_count && samples->changes[at].sample == sample; at++)
			entry_write(samples, &samples->changes[at].entry);
	}
	samples->change_count = 0;
	samples->node++;
}

/* in the tables: a row for each port, and for each flow that is known */
static uint64_t values_of_sample(const struct recording_samples *samples)
{
	const struct plan *plan = &samples->heading->plan;
	const struct node_config *common = &plan->nodes[0];
	uint64_t ports = 0, flows = 0;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		ports += plan->nodes[i].port_count;
		flows += samples->nodes[i].flow_count;
	}
	return ports * (SERIES_PER_PORT + common->class_count * SERIES_PER_CLASS +
			common->class_count * common->lanes * SERIES_PER_LANE) +
	       flows * SERIES_PER_FLOW;
}

void recording_samples_allow(struct recording_samples *samples, uint64_t file_bytes)
{
	samples->values_max = RECORDING_VALUES_ANY;
	if (__builtin_mul_overflow(file_bytes, RECORDING_VALUES_RATIO, &file_bytes) ||
	    __builtin_add_overflow(samples->values_max, file_bytes, &samples->values_max))
		samples->values_max = UINT64_MAX;
}

void recording_samples_span(void *context, node_time_t from_ps, node_time_t to_ps,
			    const node_time_t *times, uint32_t count)
{
	struct recording_samples *samples = context;

	(void)from_ps, (void)to_ps;
	if (!samples->error)
		samples->value_count += count * values_of_sample(samples);
	if (!samples->error && samples->value_count > samples->values_max)
		samples->error = -EFBIG;
	memcpy(samples->samples, times, count * sizeof(*times));
	samples->sample_count = count;
	samples->any |= count != 0;
	samples->change_count = 0;
	samples->node = 0;
}

/* how many indices series @id of @node has; 0: there is no such series */
static uint32_t index_count(const struct recording_samples *samples, uint32_t node, uint32_t id)
{
	if (id == SERIES_SAMPLE)
		return 0;
	switch (series_row(id)->of) {
	case SERIES_OF_PORT:
		return 1;
	case SERIES_OF_CLASS:
		return NODE_CLASSES_MAX;
	case SERIES_OF_LANE:
		return NODE_LANES_MAX;
	case SERIES_OF_FLOW:
		break;
	}
	return samples->nodes[node].flow_count;
}

void recording_samples_change(void *context, const struct slice_key *key, uint32_t sample,
			      uint64_t value)
{
	struct recording_samples *samples = context;
	uint32_t id = samples->heading->series[key->series];

	while (samples->node < key->node)
		node_end(samples);
	/* this Heddle has no such series, or the recording no such flow */
	if (samples->error || key->index >= index_count(samples, key->node, id))
		return;
	if (!array_grow(&samples->changes, samples->change_count, &samples->change_size, 1024,
			sizeof(*samples->changes))) {
		samples->error = -ENOMEM;
		return;
	}
	samples->changes[samples->change_count++] =
		(struct recording_change){ .sample = sample,
					   .entry = { .value = value,
						      .index = key->index,
						      .port = (uint8_t)key->port,
						      .id = (uint8_t)id } };
}

void recording_samples_end(struct recording_samples *samples)
{
	while (samples->node < samples->heading->plan.node_count)
		node_end(samples);
}

/* ---- for tables ---- */

/* a page of node @index whose log of samples is all in a file, and that has its flows */
static int page_make(struct recording_samples *samples, uint32_t index)
{
	struct recording_samples_node *node = &samples->nodes[index];
	struct node_config *config = &samples->heading->plan.nodes[index];
	struct stats_page *page;

	config->series = true;
	if (config->kind == NODE_NIC)
		config->nic.flows_max = node->flow_count + 1;
	page = calloc(1, stats_bytes(config));
	if (!page)
		return -ENOMEM;
	stats_init(page, config);
	if (node->flow_count)
		memcpy(stats_flow_tx(page, 0), node->flows,
		       node->flow_count * sizeof(*node->flows));
	node->page = page;
	if (!node->log)
		return 0;
	if (fflush(node->log))
		return -errno;
	page->series.count = page->series.filed =
		(uint64_t)ftello(node->log) / sizeof(struct series_entry);
	return 0;
}

struct node_log_source *recording_samples_sources(struct recording_samples *samples)
{
	uint32_t count = samples->heading->plan.node_count;
	struct node_log_source *sources = calloc(count, sizeof(*sources));

	if (!sources)
		samples->error = -ENOMEM;
	for (uint32_t i = 0; i < count && !samples->error; i++) {
		samples->error = page_make(samples, i);
		sources[i] = (struct node_log_source){
			.page = samples->nodes[i].page,
			.fd = samples->nodes[i].log ? fileno(samples->nodes[i].log) : -1,
		};
	}
	if (!samples->error)
		return sources;
	free(sources);
	return NULL;
}
