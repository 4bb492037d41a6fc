/*  orchestrator/scenario/scenario_roce: every key of the section `roce`, of classes and of
 *  workloads (RC-1 ... RC-11). tests/bad-scenarios/ has what is rejected. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/scenario.h"
#include "tests/testing.h"

#define STAR "name: t\nfabric: roce\nrun: {duration: 100us}\ntopology: {generate: star, hosts: 4}\n"

static struct scenario scenario;
static struct scenario_errors errors;

static void tear_down(void)
{
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static const struct roce_config *read_set(const char *text, const char *setting)
{
	int error = scenario_read_memory("t.yaml", text, strlen(text), &setting, setting != NULL,
					 &scenario, &errors);

	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
	return &scenario.roce.config;
}

static const struct roce_config *read_fine(const char *text)
{
	return read_set(text, NULL);
}

/* the numbers of the paper, which has no R_HAI (RC-3) */
static void paper_expect(const struct dcqcn_config *dcqcn)
{
	ck_assert_uint_eq(dcqcn->g_ppb, 1000000000 / 256);
	ck_assert_uint_eq(dcqcn->alpha_initial_ppm, 1000000);
	ck_assert(!dcqcn->alpha_first);
	ck_assert_uint_eq(dcqcn->alpha_timer_ps, 55 * NODE_US);
	ck_assert_uint_eq(dcqcn->increase_timer_ps, 55 * NODE_US);
	ck_assert_uint_eq(dcqcn->byte_counter_bytes, 10000000);
	ck_assert_uint_eq(dcqcn->fast_recovery, 5);
	ck_assert_uint_eq(dcqcn->ai_bps, 40000000);
	ck_assert_uint_eq(dcqcn->hai_bps, 400000000);
	ck_assert_uint_eq(dcqcn->rate_min_bps, 40000000);
	ck_assert_uint_eq(dcqcn->rate_initial_bps, 0);
	ck_assert_uint_eq(dcqcn->cut_interval_ps, 0);
	ck_assert(dcqcn->clamp_target);
	ck_assert_uint_eq(dcqcn->cnp_interval_ps, 50 * NODE_US); /* RC-2 */
}

TEST_GROUP(scenario_roce, .teardown = tear_down);

TEST(scenario_roce__defaults)
{
	const struct roce_config *roce = read_fine(STAR);

	ck_assert_int_eq(scenario.fabric, FABRIC_ROCE);
	ck_assert(roce->pfc);
	ck_assert(!roce->pause);
	ck_assert_uint_eq(roce->watchdog_ps, 10 * NODE_MS);
	ck_assert_uint_eq(roce->buffer_bytes, 32 << 20);
	ck_assert_int_eq(roce->congestion, CONGESTION_DCQCN);
	ck_assert(roce->dcqcn.enabled);
	paper_expect(&roce->dcqcn);
	ck_assert(!roce->supplement);
	ck_assert_uint_eq(roce->increase_period_ps, 55 * NODE_US);
	ck_assert_uint_eq(roce->idle_ps, 10 * NODE_MS);
	ck_assert(!roce->path_pause);
	ck_assert_int_eq(roce->path_target, ROCE_CNP_FAILED);
	ck_assert_int_eq(roce->path_form, PATH_PAUSE_TARGET);
	ck_assert_uint_eq(roce->queue_pair.ack_packets, 16);
	ck_assert_uint_eq(roce->queue_pair.window_bytes, 0);
	ck_assert_uint_eq(scenario.roce.given.queue_pair.timeout_ps, 0);
	ck_assert_uint_eq(roce->queue_pair.retries, 7);
	ck_assert_uint_eq(roce->tcp.initial_packets, 10);
	ck_assert_uint_eq(roce->tcp.window_packets_max, 1024);
	ck_assert(!roce->tcp.ecn);
	ck_assert_uint_eq(scenario.roce.given.tcp.rto_min_ps, 0);
	ck_assert_uint_eq(roce->flows_max, 65536);
	ck_assert_uint_eq(scenario.roce.headroom_bytes, SCENARIO_DERIVED);
}

TEST(scenario_roce__default_kind_is_flow_channel)
{
	read_fine("name: t\nrun: {duration: 100us}\ntopology: {generate: star, hosts: 4}\n");
	ck_assert_int_eq(scenario.fabric, FABRIC_FLOW_CHANNEL);
}

TEST(scenario_roce__every_key)
{
	const struct roce_config *roce = read_fine(
		STAR "classes: [{name: a}, {name: b}]\n"
		     "roce:\n"
		     "  pfc: {enabled: no, pause: yes, headroom: 50kB, watchdog: 1ms}\n"
		     "  buffer: 16MiB\n"
		     "  cnp-class: a\n"
		     "  ecn: {kmin: 1kB, kmax: 2kB, pmax: 10%}\n"
		     "  dcqcn: {enabled: no, g: 1/16, alpha: before-cut, alpha-initial: 0.5, "
		     "alpha-timer: "
		     "1us, increase-timer: 2us,\n"
		     "          byte-counter: 3MB, fast-recovery: 4, ai: 5Mb/s, hai: 6Mb/s, "
		     "rate-min: 7Mb/s, "
		     "rate-initial: 8Mb/s,\n"
		     "          cut-interval: 9us, clamp-target: no, cnp-interval: 0}\n"
		     "  supplement: {period: 300us, idle: 2ms}\n"
		     "  reference: 2\n"
		     "  path-pause: {target: ecn-failed, form: port, high: 3MB, low: 1MB}\n"
		     "  queue-pair: {ack: 1, window: 1MiB, timeout: 1ms, retries: 3}\n"
		     "  tcp: {initial-window: 2, window-max: 64, ecn: yes, rto-min: 200us}\n"
		     "  flows: 100\n");

	ck_assert(!roce->pfc);
	ck_assert(roce->pause);
	ck_assert_uint_eq(scenario.roce.headroom_bytes, 50000);
	ck_assert_uint_eq(roce->watchdog_ps, NODE_MS);
	ck_assert_uint_eq(roce->buffer_bytes, 16 << 20);
	ck_assert_uint_eq(scenario.roce.cnp_class, 0);
	ck_assert_uint_eq(scenario.roce.ecn.kmin_bytes, 1000);
	ck_assert_uint_eq(scenario.roce.ecn.kmax_bytes, 2000);
	ck_assert_uint_eq(scenario.roce.ecn.pmax_ppm, 100000);
	ck_assert(!roce->dcqcn.enabled);
	ck_assert_uint_eq(roce->dcqcn.g_ppb, 62500000);
	ck_assert(roce->dcqcn.alpha_first);
	ck_assert_uint_eq(roce->dcqcn.alpha_initial_ppm, 500000);
	ck_assert_uint_eq(roce->dcqcn.alpha_timer_ps, 1 * NODE_US);
	ck_assert_uint_eq(roce->dcqcn.increase_timer_ps, 2 * NODE_US);
	ck_assert_uint_eq(roce->dcqcn.byte_counter_bytes, 3000000);
	ck_assert_uint_eq(roce->dcqcn.fast_recovery, 4);
	ck_assert_uint_eq(roce->dcqcn.ai_bps, 5000000);
	ck_assert_uint_eq(roce->dcqcn.hai_bps, 6000000);
	ck_assert_uint_eq(roce->dcqcn.rate_min_bps, 7000000);
	ck_assert_uint_eq(roce->dcqcn.rate_initial_bps, 8000000);
	ck_assert_uint_eq(roce->dcqcn.cut_interval_ps, 9 * NODE_US);
	ck_assert(!roce->dcqcn.clamp_target);
	ck_assert_uint_eq(roce->dcqcn.cnp_interval_ps, 0);
	ck_assert(roce->supplement); /* one key of it is given */
	ck_assert_uint_eq(roce->increase_period_ps, 300 * NODE_US);
	ck_assert_uint_eq(roce->idle_ps, 2 * NODE_MS);
	ck_assert_uint_eq(roce->reference_permille, 2000);
	ck_assert(roce->path_pause);
	ck_assert_int_eq(roce->path_target, ROCE_ECN_FAILED);
	ck_assert_int_eq(roce->path_form, PATH_PAUSE_PORT);
	ck_assert_uint_eq(roce->path_high_bytes, 3000000);
	ck_assert_uint_eq(roce->path_low_bytes, 1000000);
	ck_assert_uint_eq(roce->queue_pair.ack_packets, 1);
	ck_assert_uint_eq(roce->queue_pair.window_bytes, 1 << 20);
	ck_assert_uint_eq(roce->queue_pair.timeout_ps, NODE_MS);
	ck_assert_uint_eq(roce->queue_pair.retries, 3);
	ck_assert_uint_eq(roce->tcp.initial_packets, 2);
	ck_assert_uint_eq(roce->tcp.window_packets_max, 64);
	ck_assert(roce->tcp.ecn);
	ck_assert_uint_eq(roce->tcp.rto_min_ps, 200 * NODE_US);
	ck_assert_uint_eq(roce->flows_max, 100);
}

TEST(scenario_roce__mechanisms_by_one_word)
{
	const struct roce_config *roce = read_fine(
		STAR "roce: {pfc: no, dcqcn: no, supplement: yes, path-pause: yes, ecn: no}\n");

	ck_assert(!roce->pfc);
	ck_assert(!roce->dcqcn.enabled);
	paper_expect(&roce->dcqcn);
	ck_assert(roce->supplement);
	ck_assert(roce->path_pause);
	ck_assert(scenario.roce.ecn_given.ecn);
	ck_assert(!scenario.roce.ecn.ecn);
}

/* A variant compared with the file: its keys of a mechanism replace those of the file, or are
 * added. */
TEST(scenario_roce__settings_replace_or_add)
{
	const char *text = STAR "roce: {path-pause: {high: 1MB}, dcqcn: {variant: s4}}\n";

	const struct roce_config *roce = read_set(text, "roce.path-pause.enabled=no");

	ck_assert(!roce->path_pause);
	ck_assert_uint_eq(roce->path_high_bytes, 1000000);
	scenario_free(&scenario);
	ck_assert(read_set(text, "roce.path-pause=no")->path_pause == false);
	scenario_free(&scenario);
	ck_assert_uint_eq(read_set(text, "roce.dcqcn.ai=50Mb/s")->dcqcn.ai_bps, 50000000);
	ck_assert_uint_eq(scenario.roce.config.dcqcn.increase_timer_ps, 300 * NODE_US);
}

/* RC-3: the numbers of a vendor's NICs */
TEST(scenario_roce__variant_vendor)
{
	const struct dcqcn_config *dcqcn =
		&read_fine(STAR "roce: {dcqcn: {variant: vendor}}\n")->dcqcn;

	ck_assert(dcqcn->enabled);
	ck_assert_uint_eq(dcqcn->g_ppb, 3906250);
	ck_assert_uint_eq(dcqcn->alpha_initial_ppm, 1000000);
	ck_assert_uint_eq(dcqcn->alpha_timer_ps, 1 * NODE_US);
	ck_assert_uint_eq(dcqcn->increase_timer_ps, 900 * NODE_US);
	ck_assert_uint_eq(dcqcn->byte_counter_bytes, 10000000);
	ck_assert_uint_eq(dcqcn->fast_recovery, 1);
	ck_assert_uint_eq(dcqcn->ai_bps, 50000000);
	ck_assert_uint_eq(dcqcn->hai_bps, 100000000);
	ck_assert_uint_eq(dcqcn->rate_min_bps, 100000000);
	ck_assert_uint_eq(dcqcn->cut_interval_ps, 4 * NODE_US);
	ck_assert_uint_eq(dcqcn->cnp_interval_ps, 4 * NODE_US);
	ck_assert(dcqcn->react_on_tick && dcqcn->alpha_first);
	ck_assert(!dcqcn->hyper_by_timer && !dcqcn->clamp_target);
}

/* single numbers override the variant, wherever it is given */
TEST(scenario_roce__numbers_override_the_variant)
{
	const struct dcqcn_config *dcqcn =
		&read_fine(STAR "roce: {dcqcn: {g: 1/512, variant: vendor, rate-min: 1Mb/s}}\n")
			 ->dcqcn;

	ck_assert(dcqcn->enabled);
	ck_assert_uint_eq(dcqcn->g_ppb, 1953125);
	ck_assert_uint_eq(dcqcn->rate_min_bps, 1000000);
	ck_assert_uint_eq(dcqcn->alpha_timer_ps, 1 * NODE_US);
	ck_assert_uint_eq(dcqcn->cut_interval_ps, 4 * NODE_US);
	ck_assert(!dcqcn->clamp_target);
	scenario_free(&scenario);
	paper_expect(&read_fine(STAR "roce: {dcqcn: {variant: paper}}\n")->dcqcn);
	scenario_free(&scenario);
	ck_assert(
		!read_fine(STAR "roce: {dcqcn: {variant: vendor, enabled: no}}\n")->dcqcn.enabled);
}

TEST(scenario_roce__classes)
{
	const struct scenario_roce_class *classes = scenario.roce.classes;

	read_fine(STAR
		  "classes:\n"
		  "  - {name: tcp, min: 90%, lossless: no, ecn: no, queue: 2MB, watched: yes}\n"
		  "  - {name: roce, min: 10%, ecn: {kmin: 5kB, kmax: 200kB, pmax: 1%}, xoff: 2MB, "
		  "xon-offset: 9kB}\n"
		  "  - {name: cnp, lossless: no, ecn: yes, alpha: 1/8}\n");
	ck_assert_uint_eq(scenario.classes[0].min_permille, 900);
	ck_assert(!classes[0].config.lossless);
	ck_assert(classes[0].given.ecn && !classes[0].config.ecn);
	ck_assert_uint_eq(classes[0].config.queue_bytes_max, 2000000);
	ck_assert(classes[0].config.watched);
	ck_assert(classes[1].config.lossless);
	ck_assert(classes[1].config.ecn);
	ck_assert_uint_eq(classes[1].config.kmin_bytes, 5000);
	ck_assert_uint_eq(classes[1].config.pmax_ppm, 10000);
	ck_assert_uint_eq(classes[1].config.xoff_bytes, 2000000);
	ck_assert_uint_eq(classes[1].config.xon_offset_bytes, 9000);
	ck_assert(!classes[1].given.watched);
	ck_assert_uint_eq(classes[2].config.alpha_permille, 125);
}

#define LOADS                                                        \
	"workloads:\n"                                               \
	"  - {name: a, pattern: incast, to: h0}\n"                   \
	"  - {name: b, pattern: incast, to: h0, frame: roce-ipv6}\n" \
	"  - {name: c, pattern: incast, to: h0, frame: tcp}\n"       \
	"  - {name: d, pattern: incast, to: h0, transport: tcp}\n"   \
	"  - {name: e, pattern: incast, to: h0, frame: ipv4}\n"      \
	"  - {name: f, pattern: incast, to: h0, transport: none, connections: 9}\n"

static void load_expect(uint32_t index, enum frame_kind frame, enum transport_kind transport)
{
	ck_assert_int_eq(scenario.workloads[index].frame, frame);
	ck_assert_int_eq(scenario.workloads[index].transport, transport);
}

TEST(scenario_roce__workloads)
{
	read_fine(STAR LOADS);
	load_expect(0, FRAME_ROCE, TRANSPORT_RC);
	load_expect(1, FRAME_ROCE_IPV6, TRANSPORT_RC);
	load_expect(2, FRAME_TCP, TRANSPORT_TCP);
	load_expect(3, FRAME_TCP, TRANSPORT_TCP);
	load_expect(4, FRAME_IPV4, TRANSPORT_NONE);
	load_expect(5, FRAME_ROCE, TRANSPORT_NONE);
	ck_assert_uint_eq(scenario.workloads[0].connections, 1);
	ck_assert_uint_eq(scenario.workloads[5].connections, 9);
}

/* RC-3: the numbers of run.py in the simulator of HPCC, which grow with the rate of the hosts'
 * links; single keys override them */
TEST(scenario_roce__variant_hpcc)
{
	const struct dcqcn_config *dcqcn = &scenario.roce.config.dcqcn;

	read_fine(STAR "links: {rate: 400Gb/s, edge: {rate: 100Gb/s}}\n"
		       "roce: {ecn: {kmin: 400kB, kmax: 1600kB, pmax: 20%, at: dequeue}, dcqcn: "
		       "{variant: hpcc}}\n");
	ck_assert_uint_eq(dcqcn->ai_bps, 20000000);
	ck_assert_uint_eq(dcqcn->hai_bps, 200000000);
	ck_assert_uint_eq(dcqcn->increase_timer_ps, 300 * NODE_US);
	ck_assert_uint_eq(dcqcn->byte_counter_bytes, 0);
	ck_assert_uint_eq(dcqcn->cnp_interval_ps, 0);
	ck_assert_uint_eq(dcqcn->rate_min_bps, 1000000000);
	ck_assert_uint_eq(dcqcn->g_ppb, 3906250);
	ck_assert_uint_eq(dcqcn->alpha_initial_ppm, 1000000);
	ck_assert_uint_eq(dcqcn->alpha_timer_ps, 1 * NODE_US);
	ck_assert_uint_eq(dcqcn->cut_interval_ps, 4 * NODE_US);
	ck_assert_uint_eq(dcqcn->fast_recovery, 2);
	ck_assert(dcqcn->enabled);
	ck_assert(!dcqcn->clamp_target);
	ck_assert(dcqcn->hyper_by_timer);
	ck_assert(dcqcn->react_on_tick);
	ck_assert(dcqcn->alpha_first);
	ck_assert(scenario.roce.ecn.mark_at_dequeue);
	scenario_free(&scenario);
	read_fine(STAR "roce: {dcqcn: {variant: hpcc, byte-counter: 1MB, hyper: both}}\n");
	ck_assert_uint_eq(dcqcn->byte_counter_bytes, 1000000);
	ck_assert(!dcqcn->hyper_by_timer);
	scenario_free(&scenario);
	read_fine(STAR "roce: {dcqcn: {variant: hpcc, reaction: at-once}}\n");
	ck_assert(!dcqcn->react_on_tick);
	scenario_free(&scenario);
	read_fine(STAR "roce: {dcqcn: {variant: vendor}}\n");
	ck_assert(dcqcn->react_on_tick);
	scenario_free(&scenario);
	read_fine(STAR "roce: {dcqcn: {variant: s4}}\n");
	ck_assert(!dcqcn->react_on_tick);
	scenario_free(&scenario);
	read_fine(STAR "roce: {dcqcn: {reaction: tick, cut-interval: 50us}}\n");
	ck_assert(dcqcn->react_on_tick);
	scenario_free(&scenario);
	read_fine(STAR "roce: {dcqcn: {byte-counter: off, hyper: timer}}\n");
	ck_assert(!dcqcn->react_on_tick);
	ck_assert_uint_eq(dcqcn->byte_counter_bytes, 0);
	ck_assert(dcqcn->hyper_by_timer);
	ck_assert_uint_eq(dcqcn->ai_bps, 40000000);
}

static void packet_expect(const char *text, uint32_t packet_bytes)
{
	scenario_free(&scenario);
	read_fine(text);
	ck_assert_uint_eq(scenario.workloads[0].packet_bytes, packet_bytes);
}

/* RC-4: the given path MTU; else the largest that fits into `packet`, or into all links that the
 * packets may use */
TEST(scenario_roce__path_mtu)
{
	packet_expect(STAR "workloads: [{name: w, pattern: incast, to: h0}]\n", 4096 + 58);
	packet_expect(STAR "workloads: [{name: w, pattern: incast, to: h0, frame: roce-ipv6}]\n",
		      4096 + 78);
	packet_expect(STAR "workloads: [{name: w, pattern: incast, to: h0, path-mtu: 512}]\n",
		      512 + 58);
	packet_expect(STAR "workloads: [{name: w, pattern: incast, to: h0, packet: 4096}]\n",
		      2048 + 58);
	packet_expect(
		STAR
		"workloads: [{name: w, pattern: incast, to: h0, packet: 9000, path-mtu: 1024}]\n",
		1024 + 58);
	packet_expect(STAR "workloads: [{name: w, pattern: incast, to: h0, frame: tcp}]\n", 4096);
	packet_expect(STAR "links: {mtu: 1514}\nworkloads: [{name: w, pattern: incast, to: h0}]\n",
		      1024 + 58);
	packet_expect("name: t\nfabric: roce\nrun: {duration: 1ms}\ntopology: {switches: [s], "
		      "hosts: {a: {switch: s, "
		      "mtu: 600}, b: {switch: s, mtu: 9014}, c: s}}\n"
		      "workloads: [{name: w, pattern: pairs, pairs: [[b, c]]}]\n",
		      4096 + 58);
	packet_expect("name: t\nfabric: roce\nrun: {duration: 1ms}\ntopology: {switches: [s], "
		      "hosts: {a: {switch: s, "
		      "mtu: 600}, b: {switch: s, mtu: 9014}, c: s}}\n"
		      "workloads: [{name: w, pattern: pairs, pairs: [[b, a]]}]\n",
		      512 + 58);
	packet_expect("name: t\nrun: {duration: 1ms}\ntopology: {generate: star, hosts: 4}\n"
		      "workloads: [{name: w, pattern: incast, to: h0, frame: roce}]\n",
		      2048 + 58); /* links of other kinds of fabric have an MTU of 4096 */
}

/* the smallest MTU is that of a first or second sender or receiver, of a link between switches, or
 * of no link that the packets may use */
TEST(scenario_roce__path_mtu_of_each_link)
{
	static const struct {
		const char *of_a, *pairs, *of_link;
		uint32_t path_mtu;
	} cases[] = {
		{ "600", "[a, c]", "9014", 512 },         { "600", "[c, a]", "9014", 512 },
		{ "600", "[b, c], [a, c]", "9014", 512 }, { "600", "[b, c], [b, a]", "9014", 512 },
		{ "9014", "[a, c]", "1514", 1024 },       { "600", "[b, c]", "9014", 4096 },
	};
	char text[512];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text),
			 "name: t\nfabric: roce\nrun: {duration: 1ms}\n"
			 "topology: {switches: [s, t], links: [{between: [s, t], mtu: %s}],\n"
			 "  hosts: {a: {switch: s, mtu: %s}, b: s, c: t}}\n"
			 "links: {mtu: 9014}\n"
			 "workloads: [{name: w, pattern: pairs, pairs: [%s]}]\n",
			 cases[i].of_link, cases[i].of_a, cases[i].pairs);
		packet_expect(text, cases[i].path_mtu + 58);
	}
}

/* the same file: frames stay as given; the fabric is reliable */
TEST(scenario_roce__workloads_of_a_flow_channel_fabric)
{
	read_set(STAR LOADS, "fabric=flow-channel");
	load_expect(0, FRAME_HPC, TRANSPORT_NONE);
	load_expect(1, FRAME_ROCE_IPV6, TRANSPORT_NONE);
	load_expect(2, FRAME_TCP, TRANSPORT_NONE);
	load_expect(3, FRAME_TCP, TRANSPORT_NONE);
	load_expect(5, FRAME_HPC, TRANSPORT_NONE);
	ck_assert_uint_eq(scenario.workloads[5].connections, 9);
}

/* workloads without transport and frame take that of the fabric */
TEST(scenario_roce__transport_of_workloads)
{
	static const char text[] =
		STAR "roce: {transport: tcp}\n"
		     "workloads:\n"
		     "  - {name: a, pattern: incast, to: h0}\n"
		     "  - {name: b, pattern: incast, to: h0, transport: rc}\n"
		     "  - {name: c, pattern: incast, to: h0, frame: roce-ipv6}\n";

	read_fine(text);
	ck_assert_int_eq(scenario.workloads[0].transport, TRANSPORT_TCP);
	ck_assert_int_eq(scenario.workloads[0].frame, FRAME_TCP);
	ck_assert_int_eq(scenario.workloads[1].transport, TRANSPORT_RC);
	ck_assert_int_eq(scenario.workloads[2].transport, TRANSPORT_RC);
}
