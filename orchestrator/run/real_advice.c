#include "orchestrator/run/real_advice.h"

#include <stdlib.h>

#include "nodes/base/array.h"
#include "orchestrator/base/human.h"

#define RATE_LEAST_BPS 1000000u /* of a link */
#define BUFFER_LEAST_KIB 512u   /* as `heddle gen` writes it */
#define SHARED_LEAST_KIB 32768u
#define SHARED_DELAYS 64u /* the same for many ports */
#define BUFFER_DELAYS 8u  /* of a link: a round trip of two hops, twice */
#define DILATE_MAX 80u    /* bytes of what is said of --dilate */

/* ---- what a plan asks for ---- */

/* switches on the longest of the shortest paths from switch @from */
static uint32_t farthest(const struct plan *plan, uint32_t from, uint32_t *distance,
			 uint32_t *queue)
{
	uint32_t head = 0, tail = 0, most = 1;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		distance[i] = 0;
	distance[from] = 1;
	queue[tail++] = from;
	while (head < tail) {
		const struct node_config *node = &plan->nodes[queue[head++]];

		most = distance[node->index];
		for (uint32_t p = 0; p < node->port_count; p++) {
			uint32_t peer = node->ports[p].peer_index;

			if (node->ports[p].vacant || peer >= plan->switch_count || distance[peer])
				continue;
			distance[peer] = most + 1;
			queue[tail++] = peer;
		}
	}
	return most;
}

static uint32_t switches_most(const struct plan *plan)
{
	uint32_t *distance = calloc(2 * (size_t)plan->switch_count, sizeof(*distance)), most = 1;

	for (uint32_t i = 0; distance && i < plan->switch_count; i++) {
		uint32_t switches = plan_vacant(plan, i) ? 1
							 : farthest(plan, i, distance,
								    distance + plan->switch_count);

		most = switches > most ? switches : most;
	}
	free(distance);
	return most;
}

static void port_add(struct real_load *load, const struct node_config *node,
		     const struct port_config *port)
{
	uint64_t absorbed_ns = (port->delay_ps + plan_latency_ps(node)) / NODE_NS;

	if (absorbed_ns < load->delay_ns)
		load->delay_ns = absorbed_ns;
	if (node->kind != NODE_NIC)
		return;
	if (port->rate_bps > load->rate_bps)
		load->rate_bps = port->rate_bps;
	if (port->mtu_bytes > load->packet_bytes)
		load->packet_bytes = port->mtu_bytes;
}

/* hosts that a workload of @plan sends from; @programs: one sends in any case */
static uint32_t senders_of(const struct plan *plan, bool programs)
{
	uint32_t senders = 0;

	for (uint32_t i = plan->switch_count; i < plan->node_count; i++)
		senders += plan->nodes[i].nic.workload_count != 0;
	return senders ? senders : programs;
}

struct real_load real_load_of(const struct plan *plan, bool programs)
{
	struct real_load load = { .delay_ns = UINT64_MAX,
				  .switches = switches_most(plan),
				  .senders = senders_of(plan, programs),
				  .dilation = plan->dilation };

	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct node_config *node = &plan->nodes[i];

		for (uint32_t p = 0; !plan_vacant(plan, i) && p < node->port_count; p++)
			if (!node->ports[p].vacant)
				port_add(&load, node, &node->ports[p]);
	}
	return load;
}

/* ---- advice ---- */

/* @value as a scenario accepts it */
static const char *whole(uint64_t value, const char *const units[], char text[32])
{
	while (value % 1000 == 0 && units[1]) {
		value /= 1000;
		units++;
	}
	snprintf(text, 32, "%llu%s", (unsigned long long)value, *units);
	return text;
}

static const char *const rate_units[] = { "b/s", "kb/s", "Mb/s", "Gb/s", NULL };
static const char *const delay_units[] = { "ns", "us", "ms", NULL };

/* a power of two, at least @least_kib, that takes @delays times what is in flight on a link */
static void buffer_set(char text[32], uint64_t least_kib, uint32_t delays, uint64_t rate_bps,
		       uint64_t delay_ns)
{
	double bytes = delays * (double)rate_bps * (double)delay_ns / 8e9;
	uint64_t kib = least_kib;

	while ((double)kib * 1024 < bytes)
		kib *= 2;
	snprintf(text, 32, "%lluKiB", (unsigned long long)kib);
}

struct real_settings real_settings(const struct calibration *calibration,
				   const struct real_load *load)
{
	uint64_t rate_bps = calibration_rate_bps(calibration, load->switches, load->packet_bytes,
						 load->senders),
		 delay_ns = calibration_delay_ns(calibration);
	struct real_settings settings;

	whole(rate_bps, rate_units, settings.rate);
	whole(rate_bps / 2 < RATE_LEAST_BPS ? RATE_LEAST_BPS : rate_bps / 2, rate_units,
	      settings.half_rate);
	whole(delay_ns, delay_units, settings.delay);
	buffer_set(settings.buffer, BUFFER_LEAST_KIB, BUFFER_DELAYS, rate_bps, delay_ns);
	buffer_set(settings.shared_buffer, SHARED_LEAST_KIB, SHARED_DELAYS, rate_bps, delay_ns);
	return settings;
}

/* the least of 1, 2, 5, 10, 20, ... that is @needed or more */
static uint64_t step_up(double needed)
{
	static const uint64_t steps[] = { 1, 2, 5 };
	uint64_t power = 1;

	for (;; power *= 10)
		for (size_t i = 0; i < COUNT_OF(steps); i++)
			if ((double)(steps[i] * power) >= needed || power > DILATION_MAX)
				return steps[i] * power;
}

/* the dilation with which the machine carries @load as it is; or, if there is none, its rates with
 * longer delays; or "" */
static const char *dilate_set(const struct calibration *calibration, const struct real_load *load,
			      char text[DILATE_MAX])
{
	uint64_t delay_ns = calibration_delay_ns(calibration),
		 rate_bps = calibration_rate_bps(calibration, load->switches, load->packet_bytes,
						 load->senders),
		 rates = step_up((double)load->rate_bps / (double)rate_bps),
		 delays = step_up((double)delay_ns / (double)(load->delay_ns ? load->delay_ns : 1));
	char delay[32];

	*text = 0;
	if (rates <= DILATION_MAX && delays <= DILATION_MAX)
		snprintf(text, DILATE_MAX, " or --dilate %u",
			 (unsigned)(rates > delays ? rates : delays));
	else if (rates > 1 && rates <= DILATION_MAX)
		snprintf(text, DILATE_MAX, " or --dilate %u --set links.delay=%s", (unsigned)rates,
			 whole(delay_ns / rates, delay_units, delay));
	return text;
}

bool real_advice(const struct calibration *calibration, const struct real_load *load, char *text,
		 size_t text_max)
{
	double carried = calibration_bps(calibration, load->switches, load->packet_bytes);
	uint64_t delay_ns = load->delay_ns * load->dilation;
	bool fast = (double)load->rate_bps * load->senders / load->dilation > carried,
	     short_delay = delay_ns < calibration->load_p99_ns &&
			   /* no more than what it would suggest */
			   delay_ns < calibration_delay_ns(calibration);
	char source[160], total[HUMAN_TEXT_MAX], limit[HUMAN_TEXT_MAX], dilate[DILATE_MAX];
	struct real_settings settings;

	*text = 0;
	if (!fast && !short_delay)
		return false;
	settings = real_settings(calibration, load);
	snprintf(text, text_max,
		 "this machine carries some %s over %u switch%s in all, and its nodes are late by "
		 "%s (%s): %s. To be carried it needs%s%s --set links.delay=%s%s",
		 human_rate((uint64_t)carried, total), load->switches,
		 load->switches == 1 ? "" : "es",
		 human_time(calibration->load_p99_ns * NODE_NS, limit),
		 calibration_source(calibration, source),
		 fast ? "the figures may not be valid" : "delays may be too long",
		 fast ? " --set links.rate=" : "", fast ? settings.rate : "", settings.delay,
		 dilate_set(calibration, load, dilate));
	return true;
}

bool real_advice_here(const struct plan *plan, bool programs, char *text, size_t text_max)
{
	const struct real_load load = real_load_of(plan, programs);
	struct calibration calibration;

	calibration_load(&calibration);
	return real_advice(&calibration, &load, text, text_max);
}

void real_advice_print(const char *command, const struct plan *plan, bool programs)
{
	char text[REAL_ADVICE_MAX];

	if (real_advice_here(plan, programs, text, sizeof(text)))
		fprintf(stderr, "heddle %s: %s\n", command, text);
}
