/*  orchestrator/plan/plan_congestion, plan_congestion_make, scenario_congestion: the numbers of
 *  congestion control, derived or given (EC-1, EC-5 ... EC-9, EC-12, EC-13, EC-16; TB-11). The
 *  arithmetic is done by hand: 200 Gb/s is 40 ps a byte. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/control/config_check.h"
#include "orchestrator/plan/plan_congestion.h"
#include "orchestrator/plan/plan_congestion_make.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/scenario/scenario_keys.h"
#include "tests/testing.h"
#include "tests/unit/nodes/config/example_config.h"

#define RUN "name: t\nrun: {duration: 100us}\n"
#define TWO RUN "topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"
#define LEAF_SPINE RUN "topology: {generate: leaf-spine, leaves: 3, hosts-per-leaf: 2, spines: 2}\n"

#define FRAME_PS 164640ull                                 /* 4096 bytes and the gap of 20 */
#define HOP_PS (2 * (350000 + FRAME_PS + 1000000) + 90000) /* round trip */
#define EGRESS_PS (350000 + FRAME_PS)

static struct plan plan;
static struct scenario_errors errors;

static void tear_down(void)
{
	plan_free(&plan);
	scenario_errors_free(&errors);
}

static int plan_read(const char *text, const char *const *settings, unsigned count)
{
	struct scenario scenario;
	int error = scenario_read_memory("t.yaml", text, strlen(text), settings, count, &scenario,
					 &errors);

	if (!error)
		error = plan_make(&scenario, &plan, &errors);
	scenario_free(&scenario);
	return error;
}

/* the configuration of the first switch of @text; all others have the same */
static const struct congestion_config *plan_of(const char *text)
{
	ck_assert_msg(!plan_read(text, NULL, 0), "%s", errors.count ? errors.texts[0] : "no error");
	for (uint32_t i = 1; i < plan.switch_count; i++)
		ck_assert_mem_eq(&plan.nodes[i].switch_.congestion,
				 &plan.nodes[0].switch_.congestion,
				 sizeof(struct congestion_config));
	return &plan.nodes[0].switch_.congestion;
}

static struct congestion_basis basis_of(const char *text)
{
	struct congestion_basis basis;

	plan_of(text);
	ck_assert_int_eq(plan_congestion_basis(CLOCK_VIRTUAL, &plan, &basis), 0);
	return basis;
}

TEST_GROUP(plan_congestion, .teardown = tear_down, .timeout_s = 60);

/* ---- properties of the fabric ---- */

TEST(plan_congestion_basis__two_switches)
{
	struct congestion_basis basis = basis_of(TWO);

	ck_assert_uint_eq(basis.rate_bps, 200000000000);
	ck_assert_uint_eq(basis.mtu_bytes, 4096);
	ck_assert_uint_eq(basis.link_rtt_ps, HOP_PS);
	ck_assert_uint_eq(basis.rtt_ps, HOP_PS + EGRESS_PS);
}

/* the mean jitter of a link is a part of its delay, in each direction */
TEST(plan_congestion_basis__jitter)
{
	static const char *const jitter[] = { "links.fabric.jitter=3us" };
	struct congestion_basis basis;

	ck_assert_int_eq(plan_read(TWO, jitter, 1), 0);
	ck_assert_int_eq(plan_congestion_basis(CLOCK_VIRTUAL, &plan, &basis), 0);
	ck_assert_uint_eq(basis.rtt_ps, HOP_PS + 2 * 3 * NODE_US + EGRESS_PS);
}

/* a host's link that loses frames: its NIC confirms them, at least every 16, before ACKs start */
TEST(plan_congestion_basis__guarded_edge)
{
	static const char *const loss[] = { "links.edge.loss=0.001%" };
	struct congestion_basis basis;

	ck_assert_int_eq(plan_read(TWO, loss, 1), 0);
	ck_assert_int_eq(plan_congestion_basis(CLOCK_VIRTUAL, &plan, &basis), 0);
	ck_assert_uint_eq(basis.rtt_ps, 2 * HOP_PS + 16 * FRAME_PS);
}

TEST(plan_congestion_basis__longest_of_shortest_paths)
{
	struct congestion_basis basis = basis_of(LEAF_SPINE);

	ck_assert_uint_eq(basis.rtt_ps, 2 * HOP_PS + EGRESS_PS);
}

/* of a single host at each switch, which is at its first port */
#define TRIANGLE                                                                              \
	RUN "topology: {switches: [a, b, c], hosts: {A: a, B: b, C: c}, links: [[a, b], [b, " \
	    "c], [c, a]]}\nfabric: port-group\nport-group: {non-minimal: "

TEST(plan_congestion_basis__longer_paths_of_port_groups)
{
	struct congestion_basis direct = basis_of(TRIANGLE "no}\n");

	plan_free(&plan);
	ck_assert_uint_eq(basis_of(TRIANGLE "yes}\n").rtt_ps, direct.rtt_ps + direct.link_rtt_ps);
}

/* switches without hosts are inside a path, not at its ends */
TEST(plan_congestion_basis__from_host_to_host)
{
	struct congestion_basis basis =
		basis_of(RUN "topology:\n  switches: [s1, s2, s3, s4]\n  hosts: {A: s1, B: s2}\n"
			     "  links: [[s1, s2], [s2, s3], [s3, s4]]\n");

	ck_assert_uint_eq(basis.rtt_ps, HOP_PS + EGRESS_PS);
}

/* a packet may take any of several shortest paths */
TEST(plan_congestion_basis__slowest_of_parallel_links)
{
	struct congestion_basis basis =
		basis_of(RUN "topology:\n  switches: [s1, s2]\n  hosts: {A: s1, B: {switch: s2, "
			     "rate: 400Gb/s, mtu: 9000}}\n"
			     "  links: [[s1, s2], {between: [s1, s2], delay: 3us}, [s1, s2]]\n");

	ck_assert_uint_eq(basis.rate_bps, 400000000000);
	ck_assert_uint_eq(basis.mtu_bytes, 9000);
	ck_assert_uint_eq(basis.link_rtt_ps, HOP_PS + 4000000);
	ck_assert_uint_eq(basis.rtt_ps, HOP_PS + 4000000 + 350000 + 20 * 9020);
}

TEST(plan_congestion_basis__one_switch)
{
	struct congestion_basis basis = basis_of(RUN "topology: {generate: star, hosts: 2}\n");

	ck_assert_uint_eq(basis.rtt_ps, EGRESS_PS);
	ck_assert_uint_eq(basis.link_rtt_ps, HOP_PS);
}

/* ---- what is derived ---- */

/* 10 us at 200 Gb/s are 977 units, 2 us 196, a frame 16 */
TEST(plan_congestion_derive__by_hand)
{
	const struct congestion_basis basis = { 200000000000, 10 * NODE_US, 2 * NODE_US,
						4096,         10000,        0,
						false };
	struct congestion_config congestion = plan_congestion_derive(&basis);
	const struct congestion_setting *settings = congestion.settings;

	ck_assert_uint_eq(congestion.lbf_thresh_units, 977 / 10);
	/* 255 * 1024 units: 3/2 of 10000 frames are 240 000 */
	ck_assert_uint_eq(congestion.lbf_shift, 10);
	ck_assert_uint_eq(congestion.lpf_thresh, 32);
	ck_assert_uint_eq(congestion.lpf_shift, 10);
	ck_assert_uint_eq(congestion.dbf_thresh_units, 2 * 977);
	ck_assert_uint_eq(congestion.dbf_shift, 5); /* 255 * 32 * 256 bytes: 2.1 MB */
	ck_assert_uint_eq(congestion.dbf_clk_cnt, 1250);
	ck_assert_uint_eq(congestion.fgfc_pause_ps, 32 * NODE_US);
	ck_assert_uint_eq(congestion.port_limit_units, 0);
	ck_assert_uint_eq(settings[0].eca_min, 0);
	ck_assert_uint_eq(settings[0].rate_bps, 200000000000);
	ck_assert_uint_eq(settings[0].flow_extent_units, 3 * 977);
	ck_assert_uint_eq(settings[0].target_units, 196 + 2 * 16);
	ck_assert_uint_eq(settings[0].high_units, 2 * 228);
	ck_assert_uint_eq(settings[0].drop_units, 228 / 2);
	ck_assert_uint_eq(settings[0].queue_extent_units, 4 * 228);
	ck_assert_uint_eq(congestion.slow_start_setting, 1);
	ck_assert_uint_eq(settings[1].eca_min, 1);
	ck_assert_uint_eq(settings[1].rate_bps, 150000000000);
	ck_assert_uint_eq(settings[1].flow_extent_units, 977 + 488);
	ck_assert_uint_eq(settings[2].flow_extent_units, 732);
	ck_assert_uint_eq(settings[7].flow_extent_units, 22);
	ck_assert_uint_eq(settings[8].flow_extent_units, 15); /* less than a frame: one at a time */
	ck_assert(!settings[8].limit_after_ack);
	ck_assert(settings[9].limit_after_ack);
	ck_assert_uint_eq(settings[9].flow_extent_units, 15);
	ck_assert_uint_eq(settings[23].flow_extent_units, 15);
	ck_assert_uint_eq(settings[23].eca_min, 255);
	/* EC-5: half of a ten thousandth */
	ck_assert_uint_eq(settings[23].rate_bps, 10000000);
	ck_assert_uint_eq(settings[23].byte_time_ps << settings[23].byte_time_scale,
			  800000 / 1024 * 1024);
}

/* EC-18: the steps span 3/2 of a frame of every host; for few hosts 100 us at the rate are more */
TEST(plan_congestion_derive__number_of_senders)
{
	struct congestion_basis basis = { 200000000000, 4 * NODE_US, 3 * NODE_US, 4096,
					  340,          0,           false };
	struct congestion_config congestion = plan_congestion_derive(&basis);

	ck_assert_uint_eq(congestion.lbf_shift, 5); /* 3/2 * 340 * 16 = 8160 = 255 << 5 */
	ck_assert_uint_eq(congestion.lpf_shift, 7);
	basis.hosts = 341;
	ck_assert_uint_eq(plan_congestion_derive(&basis).lbf_shift, 6);
	basis.hosts = 1014;
	congestion = plan_congestion_derive(&basis);
	ck_assert_uint_eq(congestion.lbf_shift, 7);
	ck_assert_uint_eq(congestion.lpf_shift, 7);
	ck_assert_uint_eq(congestion.dbf_shift, 5);
	basis.mtu_bytes = 9000;
	congestion = plan_congestion_derive(&basis);
	ck_assert_uint_eq(congestion.lbf_shift, 8);
	/* packets: as many small ones as the data units of a frame */
	ck_assert_uint_eq(congestion.lpf_shift, 8);
	ck_assert_uint_eq(congestion.dbf_shift, 5);
}

/* under the real clock: a queue that forms while a node is late is no congestion */
TEST(plan_congestion_derive__tolerates_late_nodes)
{
	const struct congestion_basis basis = { 10000000000, NODE_MS,       600 * NODE_US, 4096,
						8,           300 * NODE_US, false };

	ck_assert_uint_eq(plan_congestion_derive(&basis).lbf_thresh_units, 750000 / 256 + 1);
}

/* FC-16: What waited on several paths may arrive at once, which is no congestion. Only where
 * packets select their path separately. */
TEST(plan_congestion_derive__tolerates_several_paths)
{
	const struct congestion_basis basis = { 200000000000, 10 * NODE_US, 2 * NODE_US,
						4096,         10000,        0,
						true };
	uint32_t ordered, unordered;

	ck_assert_uint_eq(plan_congestion_derive(&basis).lbf_thresh_units, 977 / 2);
	ck_assert_uint_eq(plan_congestion_derive(&basis).lpf_thresh, 977 / 2 / 4);
	ordered = plan_of(LEAF_SPINE "routing: {choice: adaptive}\n")->lbf_thresh_units;
	plan_free(&plan);
	ck_assert_uint_eq(
		plan_of(LEAF_SPINE "classes: [{name: a, unordered: yes}]\n")->lbf_thresh_units,
		ordered);
	plan_free(&plan);
	unordered = plan_of(LEAF_SPINE
			    "routing: {choice: adaptive}\nclasses: [{name: a, unordered: yes}]\n")
			    ->lbf_thresh_units;
	ck_assert_uint_gt(unordered, ordered);
}

static void nothing_larger(const struct congestion_setting *a, const struct congestion_setting *b)
{
	ck_assert_uint_lt(a->eca_min, b->eca_min);
	ck_assert_uint_ge(a->rate_bps, b->rate_bps);
	ck_assert_uint_ge(a->flow_extent_units, b->flow_extent_units);
	ck_assert_uint_ge(a->queue_extent_units, b->queue_extent_units);
	ck_assert_uint_ge(a->high_units, b->high_units);
	ck_assert_uint_ge(a->target_units, b->target_units);
	ck_assert_uint_ge(a->drop_units, b->drop_units);
	ck_assert_uint_le(a->limit_after_ack, b->limit_after_ack);
	ck_assert_uint_le((uint64_t)a->byte_time_ps << a->byte_time_scale,
			  (uint64_t)b->byte_time_ps << b->byte_time_scale);
}

static void fine(const struct congestion_basis *basis)
{
	static struct node_config config;
	struct why why;

	example_switch(&config);
	config.switch_.congestion = plan_congestion_derive(basis);
	ck_assert_msg(!node_config_check(&config, &why),
		      "%s at %llu b/s, round trip %llu ps, of a link %llu ps, MTU %u", why.text,
		      (unsigned long long)basis->rate_bps, (unsigned long long)basis->rtt_ps,
		      (unsigned long long)basis->link_rtt_ps, basis->mtu_bytes);
	for (uint32_t row = 1; row < CONGESTION_SETTINGS; row++)
		nothing_larger(&config.switch_.congestion.settings[row - 1],
			       &config.switch_.congestion.settings[row]);
	ck_assert(config.switch_.congestion.settings[CONGESTION_SETTINGS - 1].limit_after_ack);
	ck_assert_uint_ge(config.switch_.congestion.settings[CONGESTION_SETTINGS - 1].drop_units,
			  1);
	node_config_free(&config);
}

/* EC-5: with more congestion every limit is smaller, for any fabric; and a switch accepts every
 * table */
TEST(plan_congestion_derive__more_congestion_nothing_larger)
{
	static const uint64_t rates_bps[] = {
		1000000,     10000000,    33333333,     1000000000,
		25000000000, 99999999999, 200000000000, 800000000000
	};
	static const node_time_t delays_ps[] = { 0,       1,       5000,
						 100000,  NODE_US, 37 * NODE_US,
						 NODE_MS, NODE_S };
	static const uint32_t mtus_bytes[] = { 64, 65, 256, 1500, 4096, 9216 };
	static const uint32_t hops[] = { 0, 1, 3, 100, 8191 }, hosts[] = { 1, 2, 16, 1000, 20000 };

	for (uint32_t r = 0; r < COUNT_OF(rates_bps); r++)
		for (uint32_t d = 0; d < COUNT_OF(delays_ps); d++)
			for (uint32_t m = 0; m < COUNT_OF(mtus_bytes); m++)
				for (uint32_t h = 0; h < COUNT_OF(hops); h++) {
					node_time_t frame_ps =
						node_time_of_bytes(mtus_bytes[m], rates_bps[r]);
					struct congestion_basis basis = { .rate_bps = rates_bps[r],
									  .mtu_bytes =
										  mtus_bytes[m],
									  .hosts = hosts[h] };

					basis.link_rtt_ps = 2 * (delays_ps[d] + frame_ps);
					basis.rtt_ps = hops[h] * basis.link_rtt_ps + frame_ps;
					fine(&basis);
				}
}

TEST(plan_congestion_levels__any_target)
{
	static const uint64_t targets[] = {
		0, 1, 2, 3, 1000, 1u << 18, (1u << 18) + 1, UINT64_MAX
	};

	for (uint32_t i = 0; i < COUNT_OF(targets); i++) {
		struct congestion_setting setting = { 0 };

		plan_congestion_levels(&setting, targets[i]);
		ck_assert_uint_ge(setting.drop_units, 1);
		ck_assert_uint_lt(setting.drop_units, setting.target_units);
		ck_assert_uint_le(setting.target_units, setting.high_units);
		ck_assert_uint_le(setting.high_units, setting.queue_extent_units);
		ck_assert_uint_le(setting.queue_extent_units, CONGESTION_UNITS_MAX);
	}
}

/* ---- what a scenario says ---- */

TEST(plan_congestion_make__defaults_are_derived)
{
	const struct congestion_config *congestion = plan_of(TWO);
	struct congestion_basis basis;
	struct congestion_config derived;

	ck_assert_int_eq(plan_congestion_basis(CLOCK_VIRTUAL, &plan, &basis), 0);
	derived = plan_congestion_derive(&basis);
	ck_assert(congestion->eca && congestion->slow_start && congestion->rate_limit &&
		  congestion->flow_limit && congestion->limit_after_ack && congestion->headroom &&
		  congestion->fgfc);
	for (uint32_t row = 0; row < CONGESTION_SETTINGS; row++)
		ck_assert_uint_eq(congestion->settings[row].rate_bps,
				  derived.settings[row].rate_bps);
}

TEST(plan_congestion_make__every_number_is_used)
{
	const struct congestion_config *congestion = plan_of(
		TWO
		"congestion:\n"
		"  eca: {lbf-thresh: 250KiB, lbf-shift: 6, lpf-thresh: 64, lpf-shift: 2, "
		"dbf-thresh: 1MiB,\n"
		"        dbf-shift: 7, dbf-clk-cnt: 500}\n"
		"  slow-start: {setting: 3}\n"
		"  port-limit: 1000\n"
		"  fgfc: {pause: 50us, credit: 4097}\n"
		"  settings:\n"
		"    - {eca: 0, rate: 200Gb/s, flow-extent: 1MiB, queue-extent: 256KiB, high: "
		"128KiB, target: 96KiB,\n"
		"       drop: 48KiB, limit-after-ack: yes, byte-time: 40ps, byte-time-scale: 3}\n");
	const struct congestion_setting *setting = &congestion->settings[0];

	ck_assert_uint_eq(congestion->lbf_thresh_units, 1000);
	ck_assert_uint_eq(congestion->lbf_shift, 6);
	ck_assert_uint_eq(congestion->lpf_thresh, 64);
	ck_assert_uint_eq(congestion->lpf_shift, 2);
	ck_assert_uint_eq(congestion->dbf_thresh_units, 4096);
	ck_assert_uint_eq(congestion->dbf_shift, 7);
	ck_assert_uint_eq(congestion->dbf_clk_cnt, 500);
	ck_assert_uint_eq(congestion->slow_start_setting, 3);
	ck_assert_uint_eq(congestion->port_limit_units, 4); /* rounded up */
	ck_assert_uint_eq(congestion->fgfc_pause_ps, 50 * NODE_US);
	ck_assert_uint_eq(congestion->fgfc_credit_units, 17);
	ck_assert_uint_eq(setting->flow_extent_units, 4096);
	ck_assert_uint_eq(setting->queue_extent_units, 1024);
	ck_assert_uint_eq(setting->high_units, 512);
	ck_assert_uint_eq(setting->target_units, 384);
	ck_assert_uint_eq(setting->drop_units, 192);
	ck_assert(setting->limit_after_ack);
	ck_assert_uint_eq(setting->byte_time_ps, 40);
	ck_assert_uint_eq(setting->byte_time_scale, 3);
	ck_assert_uint_eq(congestion_setting_count(congestion), 1);
	ck_assert_uint_eq(congestion->settings[23].target_units, 384);
}

/* a list is the whole table; what a row leaves out is taken from the derived table for its ECA */
/* FC-12, FC-24: off by default; what a scenario leaves out follows from the other numbers */
TEST(plan_congestion_make__inputs_and_ecn)
{
	const struct congestion_config *congestion = plan_of(TWO);

	ck_assert(!congestion->inputs && !congestion->ecn);
	plan_free(&plan);
	congestion = plan_of(TWO "congestion: {inputs: yes, ecn: yes}\n");
	ck_assert(congestion->inputs);
	ck_assert_uint_eq(congestion->inputs_thresh_units, congestion->settings[0].drop_units);
	ck_assert_uint_eq(congestion->inputs_shift, congestion->dbf_shift);
	ck_assert(congestion->ecn);
	ck_assert_uint_eq(congestion->ecn_eca, 1);
	plan_free(&plan);
	congestion = plan_of(TWO "congestion: {inputs: {thresh: 1025, shift: 3}, ecn: {eca: 9}}\n");
	ck_assert(congestion->inputs);
	ck_assert_uint_eq(congestion->inputs_thresh_units, 5);
	ck_assert_uint_eq(congestion->inputs_shift, 3);
	ck_assert(congestion->ecn);
	ck_assert_uint_eq(congestion->ecn_eca, 9);
	plan_free(&plan);
	congestion = plan_of(TWO "congestion: {enabled: no, inputs: yes, ecn: yes}\n");
	ck_assert(!congestion->inputs && !congestion->ecn);
}

TEST(plan_congestion_make__list_is_the_table)
{
	const struct congestion_config *congestion =
		plan_of(TWO "congestion: {settings: [{}, {eca: 255, target: 16KiB}]}\n");
	const struct congestion_setting *settings = congestion->settings;

	ck_assert_uint_eq(settings[0].eca_min, 0);
	ck_assert_uint_eq(settings[0].rate_bps, 200000000000);
	ck_assert_uint_eq(settings[1].eca_min, 255);
	ck_assert_uint_eq(settings[1].rate_bps, 50000000000); /* two hosts: half of a half */
	ck_assert(settings[1].limit_after_ack);
	ck_assert_uint_eq(settings[1].target_units, 64); /* the other levels follow it */
	ck_assert_uint_eq(settings[1].high_units, 128);
	ck_assert_uint_eq(settings[1].drop_units, 32);
	ck_assert_uint_eq(settings[1].queue_extent_units, 256);
	ck_assert_uint_eq(congestion_setting_count(congestion), 2);
}

TEST(plan_congestion_make__rows_by_number_change_the_table)
{
	const char *settings[] = { "congestion.settings.3.rate=7Gb/s", "congestion.headroom=false",
				   "congestion.settings.23.limit-after-ack=no",
				   "congestion.eca.enabled=false" };
	struct congestion_config derived = *plan_of(TWO);
	const struct congestion_config *congestion;

	plan_free(&plan);
	ck_assert_int_eq(plan_read(TWO, settings, COUNT_OF(settings)), 0);
	congestion = &plan.nodes[0].switch_.congestion;
	ck_assert(!congestion->headroom);
	ck_assert(!congestion->eca);
	ck_assert(congestion->fgfc);
	ck_assert_uint_eq(congestion->settings[3].rate_bps, 7000000000);
	derived.settings[3].rate_bps = 7000000000;
	ck_assert(!congestion->settings[23].limit_after_ack);
	for (uint32_t row = 0; row < CONGESTION_SETTINGS; row++) {
		ck_assert_uint_eq(congestion->settings[row].eca_min, derived.settings[row].eca_min);
		ck_assert_uint_eq(congestion->settings[row].rate_bps,
				  derived.settings[row].rate_bps);
		ck_assert_uint_eq(congestion->settings[row].target_units,
				  derived.settings[row].target_units);
	}
}

static const char *const all_off[] = {
	TWO "congestion: no\n",
	TWO "congestion: {enabled: false}\n",
	TWO "congestion: {enabled: no, eca: yes, headroom: yes, port-limit: 1MiB}\n",
	TWO "congestion: {eca: no, slow-start: no, rate-limit: no, flow-limit: no, "
	    "limit-after-ack: no, headroom: no,\n"
	    "             fgfc: off}\n",
	TWO "congestion: {eca: {enabled: no}, slow-start: {enabled: no}, rate-limit: no, "
	    "flow-limit: no,\n"
	    "             limit-after-ack: no, headroom: no, fgfc: {enabled: no, pause: 1us}}\n",
};

TEST_RANGE(plan_congestion_make__off_has_no_limits, 0, COUNT_OF(all_off))
{
	const struct congestion_config *congestion = plan_of(all_off[_i]);

	ck_assert(!congestion->eca && !congestion->slow_start && !congestion->rate_limit &&
		  !congestion->flow_limit && !congestion->limit_after_ack &&
		  !congestion->headroom && !congestion->fgfc);
	ck_assert_uint_eq(congestion->port_limit_units, 0);
}

/* a mistake between two rows, of which the scenario has one, is reported at that row */
TEST(plan_congestion_make__mistake_is_reported_at_the_given_row)
{
	ck_assert_int_eq(plan_read(TWO "congestion:\n  settings:\n    5: {eca: 200}\n", NULL, 0),
			 -EINVAL);
	ck_assert_str_eq(errors.texts[0], "t.yaml:6:8: setting 6: its eca is 58, but it must be "
					  "above that of setting 5, which is 200");
}

TEST(plan_congestion_make__real_clock)
{
	struct scenario scenario;

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", TWO, strlen(TWO), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make_real(&scenario, &plan, &errors), 0);
	ck_assert(plan.nodes[0].switch_.congestion.headroom);
	ck_assert_uint_eq(plan.nodes[1].switch_.congestion.settings[0].rate_bps, 200000000000);
	scenario_free(&scenario);
}
