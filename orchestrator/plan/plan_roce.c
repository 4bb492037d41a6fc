#include "orchestrator/plan/plan_roce.h"

#include <errno.h>
#include <string.h>

#include "nodes/base/number.h"
#include "nodes/base/units.h"
#include "nodes/link/jitter.h"
#include "nodes/link/link.h"
#include "nodes/link/link_impair.h"
#include "nodes/link/pfc.h"
#include "nodes/wire/frame.h"

/* Marking as in the paper, for links of 40 Gb/s [Zhu et al., SIGCOMM 2015, figure 14] */
#define KMIN_BYTES 5000u
#define KMAX_BYTES 200000u
#define PMAX_PPM 10000u
#define MARKING_PER_BPS 40000000000u
/* a usual default of switches, near the 11 % of HPCC's [SIGCOMM 2019] */
#define ALPHA_LOSSLESS_PERMILLE 125u
/* one queue leaves half of the buffer to the others [Choudhury and Hahne 1998] */
#define ALPHA_LOSSY_PERMILLE 1000u
#define PATH_HIGH_KMAX 3u /* S4's example of a queue far above kmax */
#define XON_OFFSET_FRAMES 2u
/* of the MTU, beside the headroom: one is sent, one arrives. Ours */
#define SHARED_FRAMES_MIN 2u

/* 4.096 us * 2^14, a usual local ACK timeout [IBTA vol. 1, 9.7.6.1.3]; and the shortest RTO of a
 * TCP for data centres. Under the real clock the latenesses of all nodes on the path of an ACK add
 * up, to tens of milliseconds on a busy machine: 4.096 us * 2^17, and the shortest RTO of Linux.
 * Ours */
#define TIMEOUT_PS (67 * NODE_MS)
#define TIMEOUT_REAL_PS (537 * NODE_MS)
#define RTO_MIN_PS NODE_MS
#define RTO_MIN_REAL_PS (200 * NODE_MS)

static uint64_t said_or(uint64_t said, uint64_t derived)
{
	return said == SCENARIO_DERIVED ? derived : said;
}

/* @field of @section if the file has it */
#define GIVEN_OR(section, field, derived) \
	((section)->given.field ? (section)->config.field : (derived))

static uint32_t mtu_bytes_max(const struct plan *plan)
{
	uint32_t mtu_bytes = 0;

	for (uint32_t i = 0; i < plan->link_count; i++)
		if (!plan->links[i].vacant && plan->links[i].mtu_bytes > mtu_bytes)
			mtu_bytes = plan->links[i].mtu_bytes;
	return mtu_bytes;
}

/* ---- classes ---- */

/* @field of @class if the class has it, else of section roce, else @derived */
#define MARKING(field, derived)                        \
	(class->given.field      ? class->config.field \
	 : roce->ecn_given.field ? roce->ecn.field     \
				 : (derived))

/* Bytes that are given apply to every port, unless `per` gives a rate. Others are those of the
 * paper, in proportion to the rate. */
static void ecn_make(const struct scenario_roce *roce, const struct scenario_roce_class *class,
		     struct roce_class_config *config)
{
	bool kmin_given = class->given.kmin_bytes || roce->ecn_given.kmin_bytes;
	bool kmax_given = class->given.kmax_bytes || roce->ecn_given.kmax_bytes;

	config->ecn = MARKING(ecn, true);
	config->kmin_bytes = MARKING(kmin_bytes, KMIN_BYTES);
	config->kmax_bytes = MARKING(kmax_bytes, KMAX_BYTES);
	config->kmin_per_bps = MARKING(kmin_per_bps, kmin_given ? 0 : MARKING_PER_BPS);
	config->kmax_per_bps = MARKING(kmin_per_bps, kmax_given ? 0 : MARKING_PER_BPS);
	config->pmax_ppm = MARKING(pmax_ppm, PMAX_PPM);
	config->mark_at_dequeue = MARKING(mark_at_dequeue, false);
}

/* A lossless class (@held) is paused above the level of an input, a lossy one is dropped above the
 * level of an output queue. A class may give both, to be compared in both roles; the other level
 * has no effect. Without a level the limit is a share of the free buffer. */
static void levels_make(const struct scenario_roce_class *class, bool held, uint32_t mtu_bytes,
			struct roce_class_config *config)
{
	uint64_t xon_offset_bytes =
		GIVEN_OR(class, xon_offset_bytes, XON_OFFSET_FRAMES * (uint64_t)mtu_bytes);
	uint32_t alpha_permille = held ? ALPHA_LOSSLESS_PERMILLE : ALPHA_LOSSY_PERMILLE;

	config->xoff_bytes = held ? class->config.xoff_bytes : 0;
	config->xon_offset_bytes = config->xoff_bytes
					   ? number_min(xon_offset_bytes, config->xoff_bytes)
					   : xon_offset_bytes;
	config->queue_bytes_max = held ? 0 : class->config.queue_bytes_max;
	if (config->xoff_bytes || config->queue_bytes_max)
		alpha_permille = 0;
	config->alpha_permille = GIVEN_OR(class, alpha_permille, alpha_permille);
}

/* the place of the class's own values for this kind of fabric, else of section roce */
static const struct scenario_place *class_place(const struct scenario *scenario, uint32_t index)
{
	const struct scenario_place *place = &scenario->roce.classes[index].place;

	return place->line || place->setting ? place : &scenario->roce.place;
}

static int class_check(const struct scenario *scenario, uint32_t index,
		       const struct roce_class_config *config, uint32_t mtu_bytes,
		       struct scenario_errors *errors)
{
	const char *name = scenario->classes[index].name;
	uint64_t least_bytes = mtu_bytes + FRAME_FCS_BYTES;

	if (config->queue_bytes_max && config->queue_bytes_max < least_bytes) {
		scenario_errors_at(errors, scenario, class_place(scenario, index),
				   "class '%s' has a queue of %llu bytes, which cannot hold a "
				   "packet of the MTU: %llu at least",
				   name, (unsigned long long)config->queue_bytes_max,
				   (unsigned long long)least_bytes);
		return -EINVAL;
	}
	return 0;
}

static int class_make(const struct scenario *scenario, uint32_t index, uint32_t mtu_bytes,
		      struct roce_config *roce, struct scenario_errors *errors)
{
	const struct scenario_roce_class *class = &scenario->roce.classes[index];
	struct roce_class_config *config = &roce->classes[index];

	*config = (struct roce_class_config){ .lossless = class->config.lossless };
	ecn_make(&scenario->roce, class, config);
	levels_make(class, config->lossless && roce->pfc, mtu_bytes, config);
	config->watched = GIVEN_OR(class, watched, config->lossless && config->ecn);
	return class_check(scenario, index, config, mtu_bytes, errors);
}

/* checks kmin and kmax of a class at a port: one of them may be in proportion to its rate */
static int marking_check(const struct scenario *scenario, uint32_t index,
			 const struct roce_class_config *class, const struct port_config *port,
			 struct scenario_errors *errors)
{
	uint64_t kmin_bytes, kmax_bytes;

	roce_marking_at(class, port->rate_bps, port->mtu_bytes + FRAME_FCS_BYTES, &kmin_bytes,
			&kmax_bytes);
	if (kmin_bytes <= kmax_bytes)
		return 0;
	scenario_errors_at(errors, scenario, class_place(scenario, index),
			   "class '%s' would be marked from kmin %llu bytes to kmax %llu bytes at "
			   "a port of %llu b/s: kmin must not be greater; give the class both",
			   scenario->classes[index].name, (unsigned long long)kmin_bytes,
			   (unsigned long long)kmax_bytes, (unsigned long long)port->rate_bps);
	return -EINVAL;
}

static int markings_check(const struct scenario *scenario, const struct plan *plan,
			  const struct roce_config *roce, struct scenario_errors *errors)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t p = 0; p < plan->nodes[i].port_count; p++)
			for (uint32_t c = 0; c < scenario->class_count; c++)
				if (marking_check(scenario, c, &roce->classes[c],
						  &plan->nodes[i].ports[p], errors))
					return -EINVAL;
	return 0;
}

/* the class called "cnp", else the last */
static uint32_t cnp_class_find(const struct scenario *scenario)
{
	for (uint32_t c = 0; c < scenario->class_count; c++)
		if (!strcmp(scenario->classes[c].name, "cnp"))
			return c;
	return scenario->class_count - 1;
}

/* ---- path-level PFC ---- */

static uint64_t fastest_bps(const struct plan *plan)
{
	uint64_t rate_bps = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t p = 0; p < plan->nodes[i].port_count; p++)
			rate_bps = number_max(rate_bps, plan->nodes[i].ports[p].rate_bps);
	return rate_bps;
}

/* of the watched classes, the one with the highest kmax at the fastest port */
static struct roce_class_config widest(const struct scenario *scenario, const struct plan *plan,
				       const struct roce_config *roce)
{
	struct roce_class_config found = { .kmax_bytes = 1 };
	uint64_t rate_bps = fastest_bps(plan), found_bytes = 0;

	for (uint32_t c = 0; c < scenario->class_count; c++) {
		const struct roce_class_config *class = &roce->classes[c];
		uint64_t bytes =
			roce_level_bytes(class->kmax_bytes, class->kmax_per_bps, rate_bps, 0);

		if (!class->watched || bytes <= found_bytes)
			continue;
		found = *class;
		found_bytes = bytes;
	}
	return found;
}

/* THh and THl (RC-9): three times kmax, and kmax, of the watched class with the highest one, in
 * proportion to the rate if kmax is. If the scenario gives one of them, the other is derived from
 * it, and both apply to every port. */
static int path_levels_make(const struct scenario *scenario, const struct plan *plan,
			    struct roce_config *roce, struct scenario_errors *errors)
{
	const struct scenario_roce *said = &scenario->roce;
	struct roce_class_config class = widest(scenario, plan, roce);
	uint64_t kmax_bytes = class.kmax_bytes;

	roce->path_per_bps = class.kmax_per_bps;
	if (said->given.path_low_bytes || said->given.path_high_bytes) {
		roce->path_per_bps = 0;
		kmax_bytes = roce_level_bytes(kmax_bytes, class.kmax_per_bps, fastest_bps(plan), 0);
	}
	roce->path_high_bytes =
		number_min(GIVEN_OR(said, path_high_bytes,
				    PATH_HIGH_KMAX * number_max(kmax_bytes,
								GIVEN_OR(said, path_low_bytes, 0))),
			   ROCE_BYTES_MAX);
	roce->path_low_bytes =
		GIVEN_OR(said, path_low_bytes, roce->path_high_bytes / PATH_HIGH_KMAX);
	if (roce->path_low_bytes < roce->path_high_bytes)
		return 0;
	scenario_errors_at(
		errors, scenario, &said->path_place,
		"path-pause: low is %llu bytes, it must be less than high, which is %llu bytes",
		(unsigned long long)roce->path_low_bytes,
		(unsigned long long)roce->path_high_bytes);
	return -EINVAL;
}

/* ---- headroom ---- */

uint64_t plan_roce_headroom_bytes(const struct node_config *sender,
				  const struct node_config *receiver,
				  const struct port_config *port)
{
	const struct port_config *from = &sender->ports[port->peer_port];
	uint64_t bytes =
		pfc_headroom_bytes(number_max(port->rate_bps, from->rate_bps),
				   number_max(jitter_delay_max_ps(port), jitter_delay_max_ps(from)),
				   plan_latency_ps(sender) + plan_latency_ps(receiver),
				   port->mtu_bytes, port->gap_bytes) +
		port->mtu_bytes + FRAME_FCS_BYTES;

	/* the frame before the pause, and the pause, take their time at the rate of this end */
	if (from->rate_bps > port->rate_bps)
		bytes += (uint64_t)(((unsigned __int128)(port->mtu_bytes + PAUSE_FRAME_BYTES +
							 2 * (FRAME_FCS_BYTES + port->gap_bytes)) *
					     (from->rate_bps - port->rate_bps) +
				     port->rate_bps - 1) /
				    port->rate_bps);
	/* what the link delays, and the copies that it makes */
	if (port->reorder_ppb || port->duplicate_ppb)
		bytes += IMPAIR_SLOTS * (port->mtu_bytes + FRAME_FCS_BYTES);
	return bytes + (uint64_t)((unsigned __int128)bytes * port->duplicate_ppb / 1000000000);
}

uint32_t plan_roce_lossless(const struct node_config *node)
{
	uint32_t count = 0;

	for (uint32_t c = 0; node->roce.pfc && c < node->class_count; c++)
		count += node->roce.classes[c].lossless;
	return count;
}

uint64_t plan_roce_headroom_sum(const struct node_config *node)
{
	uint64_t sum_bytes = 0;

	for (uint32_t p = 0; p < node->port_count; p++)
		sum_bytes += node->ports[p].headroom_bytes;
	return sum_bytes * plan_roce_lossless(node);
}

static void headrooms_make(const struct scenario *scenario, struct plan *plan)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		struct node_config *node = &plan->nodes[i];

		for (uint32_t p = 0; p < node->port_count; p++) {
			struct port_config *port = &node->ports[p];

			port->headroom_bytes =
				said_or(scenario->roce.headroom_bytes,
					plan_roce_headroom_bytes(&plan->nodes[port->peer_index],
								 node, port));
		}
	}
}

/* Headroom is a part of the buffer; the shared rest must hold SHARED_FRAMES_MIN frames. */
static int buffers_check(const struct scenario *scenario, const struct plan *plan,
			 struct scenario_errors *errors)
{
	uint64_t shared_bytes =
			 SHARED_FRAMES_MIN * ((uint64_t)mtu_bytes_max(plan) + FRAME_FCS_BYTES),
		 worst_bytes = 0;
	const struct node_config *worst = NULL;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint64_t needed_bytes = plan_roce_headroom_sum(&plan->nodes[i]) + shared_bytes;

		if (needed_bytes <= worst_bytes)
			continue;
		worst = &plan->nodes[i];
		worst_bytes = needed_bytes;
	}
	if (!worst || worst_bytes <= scenario->roce.config.buffer_bytes)
		return 0;
	scenario_errors_at(errors, scenario, &scenario->roce.buffer_place,
			   "the switches' buffer of %llu bytes is too small for switch '%s': %llu "
			   "at least, for the headroom of %u ports in %u lossless class%s and two "
			   "packets of the MTU",
			   (unsigned long long)scenario->roce.config.buffer_bytes, worst->name,
			   (unsigned long long)worst_bytes, worst->port_count,
			   plan_roce_lossless(worst), plan_roce_lossless(worst) == 1 ? "" : "es");
	return -EINVAL;
}

/* ---- the real clock ---- */

/* enough for attached hosts at full rate: they send bursts of offloaded segments. Ours */
#define FLIGHT_BYTES_MIN (512u << 10)
#define FLIGHT_BYTES_MAX (1u << 30)
#define FLIGHT_PACKETS_MIN 64u

/* the limit of data in flight: twice what the link itself holds, and so much that a receiver which
 * is late has data to process */
static uint64_t flight_bytes(const struct port_config *port)
{
	uint64_t link_bytes = node_bytes_in_time(jitter_delay_max_ps(port), port->rate_bps);
	uint64_t packet_bytes = (uint64_t)UNIT_BYTES * units_of_bytes(port->mtu_bytes);

	return number_min(number_max(number_max(2 * link_bytes, FLIGHT_PACKETS_MIN * packet_bytes),
				     FLIGHT_BYTES_MIN),
			  FLIGHT_BYTES_MAX);
}

void plan_roce_port_make_real(const struct scenario *scenario, const struct plan *plan,
			      const struct node_config *node, struct port_config *port)
{
	uint64_t flight = flight_bytes(port);
	uint64_t headroom_bytes =
		2 * flight + plan_roce_headroom_bytes(&plan->nodes[port->peer_index], node, port);

	port->guarded = false;
	port->buffer_units = port->stop_units = 0;
	/* without limit on a veth link and in a tunnel: the receiver does not report what it has
	 * taken */
	port->flight_units = port->medium == MEDIUM_SHM ? (uint32_t)(flight / UNIT_BYTES) : 0;
	port->headroom_bytes = said_or(scenario->roce.headroom_bytes, headroom_bytes);
}

int plan_roce_buffers_check_real(const struct scenario *scenario, const struct plan *plan,
				 bool spare, struct scenario_errors *errors)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct node_config *node = &plan->nodes[i];
		uint32_t ports = spare ? NODE_PORTS_MAX : node->port_count;

		for (uint32_t p = 0; p < node->port_count; p++) {
			const struct port_config *port = &node->ports[p];
			unsigned __int128 bytes = (unsigned __int128)port->headroom_bytes *
							  plan_roce_lossless(node) * ports +
						  plan->roce_shared_bytes;

			if (bytes <= ROCE_BYTES_MAX)
				continue;
			scenario_errors_at(errors, scenario, &scenario->roce.buffer_place,
					   "under the real clock %u ports with a headroom of %llu "
					   "bytes in %u lossless class%s, as from '%s' to '%s', "
					   "need a larger buffer than there can be: make the delay "
					   "shorter, the rate lower or pfc.headroom smaller",
					   ports, (unsigned long long)port->headroom_bytes,
					   plan_roce_lossless(node),
					   plan_roce_lossless(node) == 1 ? "" : "es",
					   port->peer_name, node->name);
			return -EINVAL;
		}
	}
	return 0;
}

void plan_roce_buffer_make(const struct plan *plan, struct node_config *node)
{
	node->roce.buffer_bytes = plan->roce_shared_bytes + plan_roce_headroom_sum(node);
}

/* ---- the whole ---- */

static void timeouts_make(enum clock_kind clock, const struct scenario_roce *given,
			  struct roce_config *roce)
{
	bool real = clock == CLOCK_REAL;

	roce->queue_pair.timeout_ps =
		GIVEN_OR(given, queue_pair.timeout_ps, real ? TIMEOUT_REAL_PS : TIMEOUT_PS);
	roce->tcp.rto_min_ps = GIVEN_OR(given, tcp.rto_min_ps, real ? RTO_MIN_REAL_PS : RTO_MIN_PS);
}

static int config_make(enum clock_kind clock, const struct scenario *scenario,
		       const struct plan *plan, struct roce_config *roce,
		       struct scenario_errors *errors)
{
	uint32_t mtu_bytes = mtu_bytes_max(plan);
	int error = 0;

	*roce = scenario->roce.config;
	timeouts_make(clock, &scenario->roce, roce);
	roce->cnp_class = (uint32_t)said_or(scenario->roce.cnp_class, cnp_class_find(scenario));
	for (uint32_t c = 0; c < scenario->class_count && !error; c++)
		error = class_make(scenario, c, mtu_bytes, roce, errors);
	if (!error)
		error = markings_check(scenario, plan, roce, errors);
	return error ? error : path_levels_make(scenario, plan, roce, errors);
}

int plan_roce_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		   struct scenario_errors *errors)
{
	struct roce_config roce;
	int error;

	if (scenario->fabric != FABRIC_ROCE)
		return 0;
	error = config_make(clock, scenario, plan, &roce, errors);
	if (error)
		return error;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		plan->nodes[i].fabric = FABRIC_ROCE;
		plan->nodes[i].roce = roce;
	}
	plan->roce_shared_bytes = roce.buffer_bytes;
	headrooms_make(scenario, plan);
	if (clock == CLOCK_VIRTUAL)
		error = buffers_check(scenario, plan, errors);
	else
		error = plan_roce_buffers_check_real(scenario, plan, false, errors);
	for (uint32_t i = 0; clock == CLOCK_REAL && i < plan->switch_count; i++)
		plan_roce_buffer_make(plan, &plan->nodes[i]);
	return error;
}
