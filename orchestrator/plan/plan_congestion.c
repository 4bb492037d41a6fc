#include "orchestrator/plan/plan_congestion.h"

#include "nodes/base/number.h"
#include "nodes/base/units.h"

#define RATE_MIN_BPS 1000000u    /* the lowest rate of a setting */
#define RATES_SPAN 20000u        /* EC-5: from 200 Gb/s down to 10 Mb/s */
#define BYTE_TIME_MANTISSA 1024u /* byte times have 0.1 % precision; the rest is their scale */
/* ECA rises from 0 to 255 over a queue of so much time: 2.5 MB at 200 Gb/s, */
#define ECA_SPAN_PS (100 * NODE_US)
#define ECA_SPAN_BDPS 9u /* at least over so many bandwidth-delay products, */
/* and at least over 3/2 of a frame of every host: shift_of_senders() */
#define ECA_SPAN_ROUNDS_HALVES 3u

/* data units that @rate_bps carries in @span_ps, rounded up */
static uint64_t units_in(uint64_t rate_bps, node_time_t span_ps)
{
	unsigned __int128 second_bits = 8 * (unsigned __int128)UNIT_BYTES * NODE_S;

	return (uint64_t)(((unsigned __int128)rate_bps * span_ps + second_bits - 1) / second_bits);
}

static uint32_t limited(uint64_t units)
{
	return (uint32_t)number_min(units, CONGESTION_UNITS_MAX);
}

/* ---- detection ---- */

/* the largest shift with which 255 steps span at most @span */
static uint32_t shift_for(uint64_t span)
{
	uint32_t shift = 0;

	while (shift < CONGESTION_SHIFT_MAX && (uint64_t)ECA_MAX << (shift + 1) <= span)
		shift++;
	return shift;
}

/* the smallest shift with which 255 steps span at least @span */
static uint32_t shift_above(uint64_t span)
{
	uint32_t shift = 0;

	while (shift < CONGESTION_SHIFT_MAX && (uint64_t)ECA_MAX << shift < span)
		shift++;
	return shift;
}

/* The shift that the number of senders requires (EC-18). Each of N senders with one frame in flight
 * receives ECA once in a round of N * MTU / C, then waits for the time of its row. So the next
 * round's queue is N * MTU less the data of these waits. From row to row it must change by less
 * than the queue between two rows, or each round overshoots the one before. The waits of the
 * derived table grow by the same factor from row to row: with a span of N * MTU the queue changes
 * by 1.7 times the queue between two rows, with 3/2 of that span by 0.7, with twice that span by
 * 0.3. */
static uint32_t shift_of_senders(const struct congestion_basis *basis)
{
	uint64_t round_units = (uint64_t)basis->hosts * units_of_bytes(basis->mtu_bytes);

	return shift_above(round_units * ECA_SPAN_ROUNDS_HALVES / 2);
}

static void detection_derive(struct congestion_config *congestion,
			     const struct congestion_basis *basis, uint64_t bdp_units)
{
	uint64_t mtu_units = units_of_bytes(basis->mtu_bytes);
	/* a backlog of this size, from the lateness of nodes, is no congestion */
	uint64_t late_units = units_in(basis->rate_bps, 2 * basis->late_ps);
	/* backlogs of several paths may arrive at once */
	uint64_t quiet_units = bdp_units / (basis->spread ? 2 : 10);
	uint64_t thresh_units = number_max(number_max(quiet_units, 4 * mtu_units), late_units);
	uint64_t span_units =
		number_max(units_in(basis->rate_bps, ECA_SPAN_PS), ECA_SPAN_BDPS * bdp_units);
	uint32_t shift = shift_for(span_units), sender_shift = shift_of_senders(basis);

	congestion->lbf_thresh_units = limited(thresh_units);
	congestion->lbf_shift = (uint32_t)number_max(shift, sender_shift);
	/* Few packets: a flow that dequeues below the threshold sends at full rate until its next
	 * ECA, so few flows may do so. A frame of 64 bytes takes a third of the time of a data
	 * unit, and a step must exceed the usual variation of the queue. A sender of such frames
	 * may have one in flight for each data unit of a frame of the MTU. */
	congestion->lpf_thresh = limited(number_max(thresh_units / 4, 32));
	congestion->lpf_shift =
		(uint32_t)number_min(number_max(shift + 2, sender_shift), CONGESTION_SHIFT_MAX);
	congestion->dbf_thresh_units = limited(number_max(2 * bdp_units, thresh_units));
	congestion->dbf_shift = shift;
	congestion->dbf_clk_cnt =
		(uint32_t)number_min(number_max(1000, basis->rtt_ps / 8 / NODE_NS), UINT32_MAX);
}

/* ---- the table ---- */

void plan_congestion_levels(struct congestion_setting *setting, uint64_t target_units)
{
	setting->target_units =
		(uint32_t)number_min(number_max(target_units, 2), CONGESTION_UNITS_MAX / 4);
	setting->high_units = 2 * setting->target_units;
	setting->drop_units = setting->target_units / 2;
	setting->queue_extent_units = 4 * setting->target_units;
}

/* Sets the wait for each byte sent after an ACK: its time on a link of @rate_bps. */
static void byte_time_set(struct congestion_setting *setting, uint64_t rate_bps)
{
	uint64_t byte_ps = number_max(8 * NODE_S / rate_bps, 1);

	for (setting->byte_time_scale = 0; byte_ps >= BYTE_TIME_MANTISSA;
	     setting->byte_time_scale++)
		byte_ps /= 2;
	setting->byte_time_ps = byte_ps;
}

/* @rate_bps multiplied by @ratio / 2^32, @steps times */
static uint64_t fall(uint64_t rate_bps, uint64_t ratio, uint32_t steps)
{
	while (steps--)
		rate_bps = (uint64_t)((unsigned __int128)rate_bps * ratio >> 32);
	return rate_bps;
}

/* The ratio with which @from_bps falls to @to_bps in @steps steps. It is found by bisection: a root
 * in floating point may differ between machines. */
static uint64_t ratio_find(uint64_t from_bps, uint64_t to_bps, uint32_t steps)
{
	uint64_t low = 0, high = 1ull << 32;

	while (high - low > 1) {
		uint64_t middle = (low + high) / 2;

		if (fall(from_bps, middle, steps) >= to_bps)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* Derives the settings from 2 on: each has half the limits of the one before, until the flow may
 * have one frame in flight.
 * Return: the last of them. */
static uint32_t windows_derive(struct congestion_setting *settings,
			       const struct congestion_basis *basis, uint64_t slowest_bps)
{
	const struct congestion_setting *whole = &settings[1];
	uint32_t mtu_units = units_of_bytes(basis->mtu_bytes), row = 2;

	for (; row < CONGESTION_SETTINGS - 1; row++) {
		struct congestion_setting *setting = &settings[row];
		uint32_t extent_units =
			(uint32_t)number_max(whole->flow_extent_units >> (row - 1), mtu_units - 1);

		*setting = *whole;
		setting->rate_bps = number_max(basis->rate_bps >> (row - 1), slowest_bps);
		setting->flow_extent_units = extent_units;
		plan_congestion_levels(setting,
				       number_max(whole->target_units >> (row - 1), mtu_units));
		if (extent_units < mtu_units)
			break;
	}
	return row;
}

/* Derives the settings after @last: one frame at a time, or as many small ones as fill it, with
 * pauses that grow from row to row. If small frames were sent one at a time, a thousand senders of
 * 64 bytes would drain the queue in these rows and fill it in the rows with a window: no row would
 * be stable. */
static void pauses_derive(struct congestion_setting *settings, uint32_t last, uint64_t slowest_bps)
{
	uint64_t rate_bps = settings[last].rate_bps;
	uint64_t ratio = ratio_find(rate_bps, slowest_bps, CONGESTION_SETTINGS - 1 - last);

	for (uint32_t row = last + 1; row < CONGESTION_SETTINGS; row++) {
		rate_bps = number_max(fall(rate_bps, ratio, 1), slowest_bps);
		settings[row] = settings[last];
		settings[row].rate_bps = rate_bps;
		settings[row].limit_after_ack = true;
		byte_time_set(&settings[row], rate_bps);
	}
}

static void table_derive(struct congestion_setting *settings, const struct congestion_basis *basis,
			 uint64_t bdp_units)
{
	uint64_t mtu_units = units_of_bytes(basis->mtu_bytes);
	uint64_t shares = number_min(2 * (uint64_t)basis->hosts, RATES_SPAN);
	uint64_t slowest_bps = number_max(basis->rate_bps / shares, 1000);
	struct congestion_setting *first = &settings[0];
	uint32_t last;

	*first = (struct congestion_setting){ .rate_bps = basis->rate_bps };
	/* a minimum frame fills a third of its data unit */
	first->flow_extent_units = limited(number_max(3 * bdp_units, 4 * mtu_units));
	plan_congestion_levels(first,
			       units_in(basis->rate_bps, basis->link_rtt_ps) + 2 * mtu_units);
	byte_time_set(first, basis->rate_bps);
	settings[1] = *first; /* slow start */
	settings[1].rate_bps = basis->rate_bps / 4 * 3;
	settings[1].flow_extent_units =
		limited(number_max(bdp_units + bdp_units / 2, 2 * mtu_units));
	last = windows_derive(settings, basis, slowest_bps);
	pauses_derive(settings, last, slowest_bps);
	for (uint32_t row = 1; row < CONGESTION_SETTINGS; row++) {
		settings[row].eca_min = 1 + (row - 1) * (ECA_MAX - 1) / (CONGESTION_SETTINGS - 2);
		settings[row].rate_bps = number_max(settings[row].rate_bps, RATE_MIN_BPS);
	}
}

/* ---- the whole ---- */

struct congestion_config plan_congestion_derive(const struct congestion_basis *basis)
{
	uint64_t bdp_units = units_in(basis->rate_bps, basis->rtt_ps);
	struct congestion_config congestion;

	parameters_default(&congestion_parameters, &congestion);
	congestion.fgfc_pause_ps = number_min(number_max(16 * basis->link_rtt_ps, NODE_US), NODE_S);
	detection_derive(&congestion, basis, bdp_units);
	table_derive(congestion.settings, basis, bdp_units);
	return congestion;
}
