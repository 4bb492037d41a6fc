#include "nicd/workload/workload.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/base/ensure.h"

#define LOAD_PERMILLE_MAX 1000u /* a link cannot carry more than its rate */

/* streams of a workload's random numbers */
enum { STREAM_SIZE, STREAM_ARRIVAL, STREAM_DESTINATION };

static int workload_init(struct workload *workload, const struct workload_config *config,
			 uint64_t rate_bps, uint32_t around_bytes)
{
	uint32_t packet_extra_bytes;

	workload->config = config;
	workload->shape = message_shape_of(config->frame, config->packet_bytes);
	workload->load_permille = config->load_permille;
	packet_extra_bytes = workload->shape.overhead_bytes + FRAME_FCS_BYTES + around_bytes;
	workload_size_init(&workload->size, config, STREAM_SIZE);
	workload->mean_ubytes =
		workload_size_mean_ubytes(&workload->size, &workload->shape, packet_extra_bytes);
	workload_arrival_init(&workload->arrival, config, workload->mean_ubytes, rate_bps,
			      STREAM_ARRIVAL);
	workload_destination_init(&workload->destination, config, STREAM_DESTINATION);
	if (!config->destination_count)
		workload->arrival.due_ps = NODE_TIME_NEVER;
	return workload_connections_init(&workload->connections, config);
}

int workload_set_init(struct workload_set *set, const struct nic_config *config, uint64_t rate_bps,
		      uint32_t around_bytes)
{
	*set = (struct workload_set){ .count = config->workload_count, .rate_bps = rate_bps };
	set->workloads = calloc(set->count ? set->count : 1, sizeof(*set->workloads));
	if (!set->workloads || event_tree_init(&set->timers, set->count)) {
		workload_set_fini(set);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < set->count; i++) {
		if (workload_init(&set->workloads[i], &config->workloads[i], rate_bps,
				  around_bytes)) {
			workload_set_fini(set);
			return -ENOMEM;
		}
		event_tree_set(&set->timers, i, set->workloads[i].arrival.due_ps);
	}
	return 0;
}

void workload_set_fini(struct workload_set *set)
{
	event_tree_fini(&set->timers);
	for (uint32_t i = 0; set->workloads && i < set->count; i++)
		workload_connections_fini(&set->workloads[i].connections);
	free(set->workloads);
	*set = (struct workload_set){ 0 };
}

void workload_step(struct workload_set *set, node_time_t now, struct workload_message *message)
{
	uint32_t index = event_tree_first(&set->timers);
	struct workload *workload = &set->workloads[index];

	message->workload = index;
	message->start_ps = workload_arrival_take(&workload->arrival);
	message->place = workload_destination_next(&workload->destination);
	message->connection = workload_connection_take(&workload->connections, message->place);
	message->bytes = workload_size_next(&workload->size);
	ENSURE(message->start_ps, <=, now);
	ENSURE(message->bytes, !=, 0u);
	workload->started++;
	workload->deferred += message->start_ps < now;
	event_tree_set(&set->timers, index, workload->arrival.due_ps);
}

void workload_on_sent(struct workload_set *set, uint32_t index, uint32_t connection, node_time_t at)
{
	struct workload *workload = &set->workloads[index];

	ENSURE(workload->sent, <, workload->started);
	workload->sent++;
	workload_connection_give(&workload->connections, connection);
	workload_arrival_on_sent(&workload->arrival, at);
	event_tree_set(&set->timers, index, workload->arrival.due_ps);
}

int workload_load(struct workload_set *set, uint32_t index, uint32_t load_permille)
{
	struct workload *workload = &set->workloads[index];
	enum arrival_kind arrival = workload->config->arrival;

	if ((arrival != ARRIVAL_PACED && arrival != ARRIVAL_POISSON) || !load_permille ||
	    load_permille > LOAD_PERMILLE_MAX)
		return -EINVAL;
	workload->load_permille = load_permille;
	workload_arrival_load(&workload->arrival, workload->mean_ubytes, set->rate_bps,
			      load_permille);
	return 0;
}

void workload_run_from(struct workload_set *set, uint32_t index, node_time_t from)
{
	struct workload *workload = &set->workloads[index];

	if (workload->config->destination_count)
		workload_arrival_run_from(&workload->arrival, workload->config, from);
	event_tree_set(&set->timers, index, workload->arrival.due_ps);
}
