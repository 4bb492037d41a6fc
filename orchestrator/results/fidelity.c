#include "orchestrator/results/fidelity.h"

#include <stdio.h>

#include "nodes/base/number.h"
#include "orchestrator/base/human.h"

const char *const fidelity_verdict_name[FIDELITY_VERDICTS] = {
	[FIDELITY_VALID] = "valid",
	[FIDELITY_VALID_FOR_RATES] = "valid-for-rates",
	[FIDELITY_NOT_VALID] = "not-valid",
};

const char *const fidelity_reason_name[FIDELITY_REASONS] = {
	[FIDELITY_NO_REASON] = "",      [FIDELITY_RATES] = "rates", [FIDELITY_DELAYS] = "delays",
	[FIDELITY_LAG] = "lag",         [FIDELITY_RING] = "ring",   [FIDELITY_LOSSES] = "losses",
	[FIDELITY_MACHINE] = "machine",
};

void fidelity_limits_init(struct fidelity_limits *limits, enum node_kind kind)
{
	*limits = (struct fidelity_limits){ .made_up_ns = UINT64_MAX,
					    .bridged_ns = UINT64_MAX,
					    .last = kind == NODE_NIC };
}

void fidelity_limits_link(struct fidelity_limits *limits, node_time_t latency_ps,
			  node_time_t delay_ps, uint64_t rate_bps, uint64_t buffer_bytes)
{
	double lasts_ns = (double)buffer_bytes * 8e9 / (double)rate_bps;
	double under_way_ns = 2.0 * (double)(delay_ps + latency_ps) / (double)NODE_NS;

	limits->made_up_ns = number_min(limits->made_up_ns, (delay_ps + latency_ps) / NODE_NS);
	if (buffer_bytes)
		limits->bridged_ns = number_min(
			limits->bridged_ns,
			lasts_ns > under_way_ns ? (uint64_t)(lasts_ns - under_way_ns) : 0);
}

void fidelity_limits_port(struct fidelity_limits *limits, const struct node_config *node,
			  const struct port_config *port)
{
	node_time_t latency_ps =
		node->kind == NODE_SWITCH ? node->switch_.latency_ps : node->nic.latency_ps;

	fidelity_limits_link(limits, latency_ps, port->delay_ps, port->rate_bps, port->ring_bytes);
}

struct lateness_stats fidelity_since(const struct lateness_stats *later,
				     const struct lateness_stats *earlier)
{
	struct lateness_stats since = { .events = later->events - earlier->events };

	if (later->events < earlier->events)
		return *later;
	for (uint32_t b = 0; b < STATS_LATENESS_BUCKETS; b++) {
		if (later->count[b] < earlier->count[b])
			return *later;
		since.count[b] = later->count[b] - earlier->count[b];
		if (since.count[b])
			since.max_ns = number_min(stats_lateness_ns(b + 1) - 1, later->max_ns);
	}
	return since;
}

/* lateness is known by its bucket, and counts as the bucket's end */
static uint64_t end_ns_of(const struct lateness_stats *lateness, uint32_t bucket)
{
	return number_min(stats_lateness_ns(bucket + 1) - 1, lateness->max_ns);
}

/* the sum of all lateness beyond @limit_ns */
static double beyond_ns(const struct lateness_stats *lateness, uint64_t limit_ns)
{
	double sum_ns = 0;

	for (uint32_t b = 0; b < STATS_LATENESS_BUCKETS; b++) {
		uint64_t end_ns = end_ns_of(lateness, b);

		if (end_ns > limit_ns)
			sum_ns += (double)lateness->count[b] * (double)(end_ns - limit_ns);
	}
	return sum_ns;
}

/* the lateness that was exceeded for no longer than 1 - FIDELITY_PERMILLE of @passed_ns */
static uint64_t of_the_time_ns(const struct lateness_stats *lateness, uint64_t passed_ns)
{
	double left_ns = (double)passed_ns * (1000 - FIDELITY_PERMILLE) / 1000;

	for (uint32_t b = STATS_LATENESS_BUCKETS; b-- > 0;) {
		left_ns -= (double)lateness->count[b] * (double)end_ns_of(lateness, b);
		if (left_ns < 0)
			return end_ns_of(lateness, b);
	}
	return 0;
}

struct fidelity fidelity_judge(const struct lateness_stats *lateness,
			       const struct fidelity_limits *limits, uint64_t peers_waited_ns,
			       uint64_t passed_ns)
{
	double beyond = beyond_ns(lateness, limits->bridged_ns), stalled_ns = beyond;
	uint64_t late_ns = of_the_time_ns(lateness, passed_ns);
	struct fidelity node = { .events = lateness->events,
				 .p50_ns = stats_lateness_quantile(lateness, 500),
				 .p99_ns = stats_lateness_quantile(lateness, FIDELITY_PERMILLE),
				 .max_ns = lateness->max_ns };

	if (late_ns < node.p99_ns)
		late_ns = node.p99_ns;
	if (late_ns > limits->made_up_ns)
		node.added_ns = late_ns - (limits->last ? 0 : limits->made_up_ns);
	if (stalled_ns > (double)number_min(peers_waited_ns, passed_ns))
		stalled_ns = (double)number_min(peers_waited_ns, passed_ns);
	node.beyond_ns = beyond < (double)passed_ns ? (uint64_t)beyond : passed_ns;
	node.stalled_ns = (uint64_t)stalled_ns;
	if (passed_ns)
		node.stalled_ppm = (uint32_t)(stalled_ns * 1e6 / (double)passed_ns);
	return node;
}

enum fidelity_reason fidelity_reason_of(const struct fidelity *node)
{
	if (node->lost_frames)
		return FIDELITY_LOSSES;
	if (node->stalled_ppm >= FIDELITY_STALLED_PPM)
		return FIDELITY_RATES;
	return node->added_ns >= FIDELITY_DELAY_NS ? FIDELITY_DELAYS : FIDELITY_NO_REASON;
}

enum fidelity_verdict fidelity_verdict_of(const struct fidelity *node)
{
	if (fidelity_reason_of(node) != FIDELITY_NO_REASON)
		return FIDELITY_NOT_VALID;
	return node->added_ns ? FIDELITY_VALID_FOR_RATES : FIDELITY_VALID;
}

uint64_t fidelity_uncarried_bytes(const struct fidelity *node, uint64_t waited_ns,
				  uint64_t rate_bps, uint64_t arrived_bytes)
{
	double bytes = (double)number_min(node->beyond_ns, waited_ns) * (double)rate_bps / 8e9;

	return bytes < (double)arrived_bytes ? (uint64_t)bytes : arrived_bytes;
}

const char *fidelity_words(const struct fidelity *node, enum fidelity_reason reason,
			   const char *name, char text[FIDELITY_WORDS_MAX])
{
	char time[HUMAN_TEXT_MAX], limit[HUMAN_TEXT_MAX];

	human_time((reason == FIDELITY_RATES ? node->stalled_ns : node->added_ns) * NODE_NS, time);
	switch (reason) {
	case FIDELITY_RATES:
		snprintf(text, FIDELITY_WORDS_MAX,
			 "NOT VALID: rates are too low; links of %s may have idled for %s, %.1f %% "
			 "of the time in which it had traffic",
			 name, time, (double)node->stalled_ppm / 1e4);
		break;
	case FIDELITY_DELAYS:
		snprintf(
			text, FIDELITY_WORDS_MAX,
			"NOT VALID: delays up to %s too long at %s; from %s on programs retransmit",
			time, name, human_time(FIDELITY_DELAY_NS * NODE_NS, limit));
		break;
	case FIDELITY_LOSSES:
		snprintf(text, FIDELITY_WORDS_MAX, "NOT VALID: %llu frame%s lost in %s",
			 (unsigned long long)node->lost_frames,
			 node->lost_frames == 1 ? " was" : "s were", name);
		break;
	case FIDELITY_MACHINE:
		snprintf(text, FIDELITY_WORDS_MAX, "NOT VALID: %s", name);
		break;
	case FIDELITY_LAG:
		snprintf(text, FIDELITY_WORDS_MAX,
			 "NOT VALID: %s lagged by more than 1 %% of the run", name);
		break;
	case FIDELITY_RING:
		snprintf(text, FIDELITY_WORDS_MAX,
			 "NOT VALID: a ring at %s was full for more than 1 %% of the run", name);
		break;
	default:
		if (node->added_ns)
			snprintf(text, FIDELITY_WORDS_MAX,
				 "valid for rates; delays up to %s too long", time);
		else
			snprintf(text, FIDELITY_WORDS_MAX, "valid");
	}
	return text;
}

bool fidelity_worse(const struct fidelity *a, const struct fidelity *b)
{
	enum fidelity_verdict verdict_a = fidelity_verdict_of(a),
			      verdict_b = fidelity_verdict_of(b);

	if (verdict_a != verdict_b)
		return verdict_a > verdict_b;
	if (fidelity_reason_of(a) != fidelity_reason_of(b))
		return fidelity_reason_of(a) == FIDELITY_LOSSES ||
		       fidelity_reason_of(b) == FIDELITY_DELAYS;
	if (fidelity_reason_of(a) == FIDELITY_LOSSES && a->lost_frames != b->lost_frames)
		return a->lost_frames > b->lost_frames;
	if (fidelity_reason_of(a) == FIDELITY_RATES && a->stalled_ppm != b->stalled_ppm)
		return a->stalled_ppm > b->stalled_ppm;
	return a->added_ns != b->added_ns ? a->added_ns > b->added_ns : a->p99_ns > b->p99_ns;
}
