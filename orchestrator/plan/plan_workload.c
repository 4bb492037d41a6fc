#include "orchestrator/plan/plan_workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/random.h"
#include "nodes/wire/frame.h"

/* "workload": makes seeds of workloads differ from those of nodes */
#define SEED_OF_WORKLOADS 0x776f726b6c6f6164ull

uint64_t plan_mix(uint64_t seed, uint64_t index)
{
	uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* ---- checks against the links ---- */

static bool refuse_packet(const struct scenario *scenario, const struct scenario_workload *workload,
			  uint32_t mtu_bytes, const char *a, const char *b,
			  struct scenario_errors *errors)
{
	if (workload->packet_bytes <= mtu_bytes)
		return false;
	scenario_errors_at(errors, scenario, &workload->packet_place,
			   "workload '%s' sends packets of %u bytes, but the MTU of the link "
			   "between %s and %s is %u",
			   workload->name, workload->packet_bytes, a, b, mtu_bytes);
	return true;
}

/* Checks that packets fit the MTU of every link they may cross: those of the senders and receivers,
 * and all between switches. */
static bool packets_fit(const struct scenario *scenario, const struct scenario_workload *workload,
			struct scenario_errors *errors)
{
	for (uint32_t i = 0; i < workload->sender_count + workload->receiver_count; i++) {
		const struct scenario_host *host =
			&scenario->hosts[i < workload->sender_count
						 ? workload->senders[i]
						 : workload->receivers[i - workload->sender_count]];

		if (refuse_packet(scenario, workload, host->link.mtu_bytes, host->name,
				  scenario->switches[host->switch_index].name, errors))
			return false;
	}
	for (uint32_t i = 0; i < scenario->link_count; i++) {
		const struct scenario_link *link = &scenario->links[i];

		if (refuse_packet(scenario, workload, link->settings.mtu_bytes,
				  scenario->switches[link->switch_a].name,
				  scenario->switches[link->switch_b].name, errors))
			return false;
	}
	return true;
}

/* the most flows that @workload can have */
static uint64_t flows_count(const struct scenario_workload *workload)
{
	uint64_t flows = (uint64_t)workload->sender_count * workload->connections;

	if (workload->pattern == PATTERN_UNIFORM)
		return flows * workload->receiver_count;
	return workload->pattern == PATTERN_ALL_TO_ALL ? flows * (workload->sender_count - 1)
						       : flows;
}

static int workloads_check(const struct scenario *scenario, struct scenario_errors *errors)
{
	unsigned errors_before = errors->count;
	uint64_t flows = 0;

	for (uint32_t i = 0; i < scenario->workload_count; i++) {
		packets_fit(scenario, &scenario->workloads[i], errors);
		flows += flows_count(&scenario->workloads[i]);
		if (flows > PLAN_FLOWS_MAX) {
			scenario_errors_at(errors, scenario, &scenario->workloads[i].place,
					   "with workload '%s' there are %llu flows, more than %u",
					   scenario->workloads[i].name, (unsigned long long)flows,
					   PLAN_FLOWS_MAX);
			break;
		}
	}
	return errors->count == errors_before ? 0 : -EINVAL;
}

/* ---- destinations ---- */

/* The destination of each of @count hosts, by place: a cyclic order drawn by Sattolo's shuffle,
 * which has no fixed point. */
static uint32_t *permutation_draw(uint32_t count, uint64_t seed)
{
	uint32_t *order = calloc(count, sizeof(*order));
	struct random random;

	if (!order)
		return NULL;
	random_init(&random, seed, 0);
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = count - 1; i > 0; i--) {
		uint32_t other = (uint32_t)random_below(&random, i), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	return order;
}

/* Fills @out with the destinations of the sender at @place; it has an entry for each receiver or
 * sender. Return: their number. */
static uint32_t destinations_fill(const struct scenario_workload *workload, uint32_t place,
				  const uint32_t *order, uint32_t *out)
{
	uint32_t senders = workload->sender_count, count = 0;

	switch (workload->pattern) {
	case PATTERN_INCAST:
		out[0] = workload->receivers[0];
		return 1;
	case PATTERN_PAIRS:
		out[0] = workload->receivers[place];
		return 1;
	case PATTERN_PERMUTATION:
		out[0] = workload->senders[order ? order[place]
						 : (place + workload->shift) % senders];
		return 1;
	case PATTERN_UNIFORM:
		for (uint32_t i = 0; i < workload->receiver_count; i++)
			if (workload->receivers[i] != workload->senders[place])
				out[count++] = workload->receivers[i];
		return count;
	default:
		for (uint32_t i = 1; i < senders; i++)
			out[count++] = workload->senders[(place + i) % senders];
		return count;
	}
}

static enum destination_kind destination_kind_of(enum workload_pattern pattern)
{
	if (pattern == PATTERN_UNIFORM)
		return DESTINATION_RANDOM;
	return pattern == PATTERN_ALL_TO_ALL ? DESTINATION_ROUND_ROBIN : DESTINATION_FIXED;
}

/* ---- the NICs' workloads ---- */

static int sizes_copy(const struct scenario_workload *workload, struct workload_config *config)
{
	if (!workload->size_count)
		return 0;
	config->sizes = calloc(workload->size_count, sizeof(*config->sizes));
	if (!config->sizes)
		return -ENOMEM;
	memcpy(config->sizes, workload->sizes, workload->size_count * sizeof(*config->sizes));
	config->size_count = workload->size_count;
	return 0;
}

/* fills the workload of the sender at @place */
static int config_fill(const struct scenario *scenario, uint32_t index, uint32_t place,
		       const uint32_t *order, struct workload_config *config)
{
	const struct scenario_workload *workload = &scenario->workloads[index];
	uint32_t entries = workload->sender_count > workload->receiver_count
				   ? workload->sender_count
				   : workload->receiver_count;

	*config = (struct workload_config){
		.workload_index = index,
		.destination = destination_kind_of(workload->pattern),
		.seed = plan_mix(plan_mix(scenario->seed ^ SEED_OF_WORKLOADS, index), place),
	};
#define PARAMETER(type, field, ...) config->field = workload->field;
#define KEY(...)
#include "nodes/config/traffic.def"
	if (workload->arrival != ARRIVAL_CLOSED)
		config->window = 0;
	config->stop_ps = node_time_min(workload->stop_ps, scenario->run.duration_ps);
	snprintf(config->name, sizeof(config->name), "%s", workload->name);
	if (destination_kind_of(workload->pattern) == DESTINATION_FIXED)
		entries = 1;
	config->destinations = calloc(entries, sizeof(*config->destinations));
	if (!config->destinations || sizes_copy(workload, config))
		return -ENOMEM;
	config->destination_count = destinations_fill(workload, place, order, config->destinations);
	return 0;
}

static int workload_spread(const struct scenario *scenario, uint32_t index, struct plan *plan)
{
	const struct scenario_workload *workload = &scenario->workloads[index];
	uint32_t *order = NULL;
	int error = 0;

	if (workload->pattern == PATTERN_PERMUTATION && workload->permutation_random) {
		order = permutation_draw(workload->sender_count,
					 plan_mix(scenario->seed ^ SEED_OF_WORKLOADS, index));
		if (!order)
			return -ENOMEM;
	}
	for (uint32_t place = 0; place < workload->sender_count && !error; place++) {
		struct nic_config *nic =
			&plan->nodes[plan_host_node(plan, workload->senders[place])].nic;

		error = config_fill(scenario, index, place, order,
				    &nic->workloads[nic->workload_count++]);
	}
	free(order);
	return error;
}

static int workloads_alloc(const struct scenario *scenario, struct plan *plan)
{
	uint32_t *counts = calloc(plan->host_count, sizeof(*counts));
	int error = counts ? 0 : -ENOMEM;

	for (uint32_t i = 0; counts && i < scenario->workload_count; i++)
		for (uint32_t j = 0; j < scenario->workloads[i].sender_count; j++)
			counts[scenario->workloads[i].senders[j]]++;
	for (uint32_t host = 0; host < plan->host_count && !error; host++) {
		struct nic_config *nic = &plan->nodes[plan_host_node(plan, host)].nic;

		if (!counts[host])
			continue;
		nic->workloads = calloc(counts[host], sizeof(*nic->workloads));
		error = nic->workloads ? 0 : -ENOMEM;
	}
	free(counts);
	return error;
}

/* Fills flows_max: all flows that a NIC can send or receive, unless the scenario gives it. */
static int flows_max_fill(const struct scenario *scenario, struct plan *plan)
{
	uint32_t *received = calloc(plan->host_count, sizeof(*received));

	if (!received)
		return -ENOMEM;
	for (uint32_t host = 0; host < plan->host_count; host++) {
		struct nic_config *nic = &plan->nodes[plan_host_node(plan, host)].nic;

		nic->flows_max = 0;
		for (uint32_t i = 0; i < nic->workload_count; i++) {
			const struct workload_config *workload = &nic->workloads[i];

			nic->flows_max += workload->destination_count * workload->connections;
			for (uint32_t j = 0; j < workload->destination_count; j++)
				received[workload->destinations[j]] += workload->connections;
		}
	}
	for (uint32_t host = 0; host < plan->host_count; host++) {
		struct nic_config *nic = &plan->nodes[plan_host_node(plan, host)].nic;

		if (nic->flows_max < received[host])
			nic->flows_max = received[host];
		if (!nic->flows_max)
			nic->flows_max = 1;
		if (scenario->nic.flows_max)
			nic->flows_max = scenario->nic.flows_max;
	}
	free(received);
	return 0;
}

/* Queue pairs and TCP connections exist before they send: each NIC must have enough for all. */
static int connections_check(const struct scenario *scenario, const struct plan *plan,
			     struct scenario_errors *errors)
{
	for (uint32_t host = 0; host < plan->host_count; host++) {
		const struct node_config *node = &plan->nodes[plan_host_node(plan, host)];
		uint32_t max = node->nic.flows_max < ROCE_QUEUE_PAIRS_MAX ? node->nic.flows_max
									  : ROCE_QUEUE_PAIRS_MAX;
		uint64_t connections = 0;

		for (uint32_t i = 0; i < node->nic.workload_count; i++) {
			const struct workload_config *workload = &node->nic.workloads[i];

			if (workload->transport != TRANSPORT_NONE)
				connections += (uint64_t)workload->destination_count *
					       workload->connections;
			if (connections <= max)
				continue;
			scenario_errors_at(
				errors, scenario,
				&scenario->workloads[workload->workload_index].place,
				"with workload '%s' host '%s' has %llu connections, more than %u%s",
				workload->name, node->name, (unsigned long long)connections, max,
				max < ROCE_QUEUE_PAIRS_MAX ? ", its nic.flows-max" : "");
			return -EINVAL;
		}
	}
	return 0;
}

int plan_workloads_make(const struct scenario *scenario, struct plan *plan,
			struct scenario_errors *errors)
{
	int error = workloads_check(scenario, errors);

	if (error)
		return error;
	plan->workloads = calloc(scenario->workload_count, sizeof(*plan->workloads));
	if (!plan->workloads)
		return -ENOMEM;
	error = workloads_alloc(scenario, plan);
	for (uint32_t i = 0; i < scenario->workload_count && !error; i++) {
		const struct scenario_workload *workload = &scenario->workloads[i];
		struct plan_workload *planned = &plan->workloads[plan->workload_count++];

		snprintf(planned->name, sizeof(planned->name), "%s", workload->name);
		planned->traffic_class = workload->traffic_class;
		planned->packet_bytes = workload->packet_bytes;
		planned->frame = workload->frame;
		planned->transport = workload->transport;
		planned->connections = workload->connections;
		error = workload_spread(scenario, i, plan);
	}
	if (!error)
		error = flows_max_fill(scenario, plan);
	return error ? error : connections_check(scenario, plan, errors);
}

/* the frames of @workload: full ones and the rest of a message of fixed size; with a random size
 * all may be the shortest */
static struct plan_frames frames_of(const struct scenario_workload *workload)
{
	uint32_t data_bytes = frame_payload_max(workload->frame, workload->packet_bytes);
	struct plan_frames frames = { .least_bytes = frame_bytes_min(workload->frame),
				      .flows = flows_count(workload) };
	uint64_t full_count;

	frames.mean_bytes = frames.least_bytes;
	if (!workload->message_bytes)
		return frames;
	full_count = (workload->message_bytes - 1) / data_bytes;
	frames.least_bytes = frame_bytes_of(
		workload->frame, (uint32_t)(workload->message_bytes - full_count * data_bytes));
	frames.mean_bytes = (uint32_t)((full_count * workload->packet_bytes + frames.least_bytes) /
				       (full_count + 1));
	return frames;
}

struct plan_frames plan_frames_of(const struct scenario *scenario)
{
	struct plan_frames all = { 4096, 4096, 0 };

	for (uint32_t i = 0; i < scenario->workload_count; i++) {
		struct plan_frames frames = frames_of(&scenario->workloads[i]);

		if (frames.least_bytes < all.least_bytes)
			all.least_bytes = frames.least_bytes;
		if (frames.mean_bytes < all.mean_bytes)
			all.mean_bytes = frames.mean_bytes;
		all.flows += frames.flows;
	}
	return all;
}
