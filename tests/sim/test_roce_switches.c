/*  Whole fabrics of kind roce without transports: what PFC and the shared buffer do to plain traffic (RC-5, RC-6), and that the books hold in
 *  random ones (TB-25). SWARM_SEEDS says how many of those (default 60), SWARM_SEED the first; SWARM_SHOW=1 prints them.    */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "nodes/random.h"
#include "tests/sim/sim.h"

static struct sim sim;

static void finish(void)
{
	sim_run(&sim);
	ck_assert_uint_eq(clock_earliest(&sim.clock), NODE_TIME_NEVER);
	sim_check_released(&sim);
}

static const struct class_stats *class_of(const char *name, uint32_t port, uint32_t traffic_class)
{
	return stats_class(sim_ethernet(&sim, name)->stats, port, traffic_class);
}

static uint64_t pauses_sent(const char *name)
{
	const struct stats_page *stats = sim_ethernet(&sim, name)->stats;
	uint64_t sum = 0;

	for (uint32_t p = 0; p < stats->port_count; p++)
		sum += stats_port((struct stats_page *)stats, p)->pauses_sent;
	return sum;
}

static double received_share(const char *host, const char *of)
{
	const struct stats_page *to = sim.nodes[plan_node_find(&sim.plan, host)->index].stats;
	uint32_t from = plan_node_find(&sim.plan, of)->nic.host_index;
	uint64_t all = 0, one = 0;

	for (uint32_t f = 0; f < to->flow_rx_count; f++) {
		const struct flow_rx_stats *flow = stats_flow_rx((struct stats_page *)to, f);

		all += flow->measured_bytes;
		one += flow->source == from ? flow->measured_bytes : 0;
	}
	return (double)one / (double)all;
}

#define LOSSLESS "lossless: yes, xoff: 60kB"
#define LOSSY "lossless: no, queue: 100kB"
#define INCAST(class_a)                                                                                   \
	"name: incast\n"                                                                                  \
	"fabric: roce\n"                                                                                  \
	"run: {duration: 300us, drain: yes}\n"                                                            \
	"topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: 4, spines: 2}\n"                     \
	"links: {rate: 200Gb/s, delay: 100ns, mtu: 4096}\n"                                               \
	"classes: [{name: a, ecn: no, " class_a "}, {name: b, ecn: no, min: 30%, " LOSSY "}]\n"           \
	"workloads:\n"                                                                                    \
	"- {name: in, pattern: incast, to: h0, from: [h1, h2, h4, h5, h6], class: a, frame: ipv4, size: " \
	"64kB, window: 4}\n"

/* RC-5: nothing is lost, headroom does what its formula says; the hosts behind the spines are stopped over them (congestion spreading), and
 * who shares the receiver's switch has more than who has to share an uplink (the parking lot) */
START_TEST(lossless__incast)
{
	sim_open_text(&sim, INCAST(LOSSLESS), NULL);
	sim.check_windows = 64;
	finish();
	for (uint32_t reason = 0; reason < DROP_REASONS; reason++)
		ck_assert_uint_eq(sim_drops(&sim, (enum drop_reason)reason), 0);
	ck_assert_uint_gt(pauses_sent("leaf0"), 0);
	ck_assert_uint_gt(pauses_sent("spine0") + pauses_sent("spine1"), 0);
	ck_assert_uint_gt(pauses_sent("leaf1"), 0);
	for (uint32_t p = 0; p < 6; p++)
		ck_assert_uint_le(class_of("leaf0", p, 0)->headroom_bytes_max,
				  sim_ethernet(&sim, "leaf0")->config->ports[p].headroom_bytes);
	sim_close(&sim);
}
END_TEST

/* a headroom that is less than that loses, and it is counted */
START_TEST(lossless__too_little_headroom)
{
	sim_open_text(&sim, INCAST(LOSSLESS), (const char *[]){ "roce.pfc.headroom=4kB", NULL });
	sim.check_windows = 64;
	finish();
	ck_assert_uint_gt(sim_drops(&sim, DROP_HEADROOM), 0);
	ck_assert_uint_eq(sim_drops(&sim, DROP_QUEUE_FULL), 0);
	sim_close(&sim);
}
END_TEST

/* in a lossy class the same traffic is lost, and nobody is stopped */
START_TEST(lossy__incast)
{
	sim_open_text(&sim, INCAST(LOSSY), NULL);
	sim.check_windows = 64;
	finish();
	ck_assert_uint_gt(sim_drops(&sim, DROP_QUEUE_FULL), 0);
	ck_assert_uint_eq(pauses_sent("leaf0"), 0);
	ck_assert_uint_eq(class_of("leaf0", 0, 0)->xoff_first_ps, 0);
	sim_close(&sim);
}
END_TEST

/* RC-6: a lossy class that takes all it can get has its share and no more, and lets the lossless one lose nothing */
START_TEST(shares__lossless_and_lossy)
{
	sim_open_text(&sim,
		      INCAST(LOSSLESS) "- {name: other, pattern: incast, to: h0, from: [h3], class: b, frame: ipv4, "
				       "size: 64kB, window: 4}\n",
		      (const char *[]){ "classes.0.min=70%", NULL });
	finish();
	ck_assert_double_eq_tol(received_share("h0", "h3"), 0.3, 0.02);
	ck_assert_uint_gt(sim_drops(&sim, DROP_QUEUE_FULL), 0);
	ck_assert_uint_eq(sim_drops(&sim, DROP_HEADROOM), 0);
	sim_close(&sim);
}
END_TEST

/* ---- random fabrics ---- */

struct draw {
	struct random random;
	FILE *out;
};

#define PICK(draw, ...)         \
	((const char *const[]){ \
		__VA_ARGS__ }[below(draw, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))])

static unsigned below(struct draw *draw, unsigned limit)
{
	return (unsigned)random_below(&draw->random, limit);
}

static void write_class(struct draw *draw, const char *name, bool pfc)
{
	bool lossless = below(draw, 2);

	fprintf(draw->out, "- {name: %s, min: %s, lossless: %s, ecn: %s", name, PICK(draw, "0%", "10%", "30%"),
		lossless ? "yes" : "no",
		PICK(draw, "no", "{kmin: 0B, kmax: 0B, pmax: 0%}", "{kmin: 5kB, kmax: 50kB, pmax: 10%}"));
	if (below(draw, 2))
		fprintf(draw->out, ", alpha: %s", PICK(draw, "1/8", "1", "8", "1/1000"));
	if (below(draw, 2) && lossless)
		fprintf(draw->out, ", xoff: %s", PICK(draw, "10kB", "50kB", "1MB"));
	else if (below(draw, 2) && !lossless && pfc)
		fprintf(draw->out, ", queue: %s", PICK(draw, "20kB", "200kB", "2MB"));
	fprintf(draw->out, "}\n");
}

static void write_scenario(struct draw *draw)
{
	const char *pfc = PICK(draw, "yes", "yes", "no", "{pause: yes}");
	const char *mtu = PICK(draw, "1500", "4096", "9000");

	fprintf(draw->out, "name: swarm\nfabric: roce\nrun: {duration: 60us, drain: yes}\n");
	fprintf(draw->out, "topology: %s\n",
		PICK(draw, "{generate: star, hosts: 6}", "{generate: chain, switches: 3, hosts-per-switch: 2}",
		     "{generate: leaf-spine, leaves: 3, hosts-per-leaf: 2, spines: 2}",
		     "{generate: dumbbell, hosts-per-side: 3}"));
	fprintf(draw->out, "links: {rate: %s, delay: %s, mtu: %s, loss: %s, edge: {rate: %s}}\n",
		PICK(draw, "200Gb/s", "100Gb/s", "40Gb/s", "333Gb/s"), PICK(draw, "0ns", "100ns", "2us"), mtu,
		PICK(draw, "0", "0", "0", "1%"), PICK(draw, "200Gb/s", "100Gb/s", "25Gb/s"));
	fprintf(draw->out, "switch: {forwarding: %s, latency: %s}\n", PICK(draw, "cut-through", "store-and-forward"),
		PICK(draw, "350ns", "100ns"));
	fprintf(draw->out, "roce: {buffer: %s, pfc: %s}\n", PICK(draw, "32MiB", "6MiB", "4MiB"), pfc);
	fprintf(draw->out, "classes:\n");
	write_class(draw, "a", pfc[0] != 'n');
	write_class(draw, "b", pfc[0] != 'n');
	fprintf(draw->out, "workloads:\n");
	for (unsigned i = 0; i < 3; i++)
		fprintf(draw->out,
			"- {name: w%u, pattern: %s, class: %s, frame: %s, size: %s, packet: %s, window: %u}\n", i,
			PICK(draw, "uniform", "permutation", "incast, to: h0"), PICK(draw, "a", "b"),
			PICK(draw, "ipv4", "ipv6", "ethernet", "hpc"), PICK(draw, "64B", "4kB", "100kB"),
			PICK(draw, mtu, mtu, "100"), 1 + below(draw, 8));
	if (!below(draw, 3))
		fprintf(draw->out, "pauses:\n- {host: h1, class: a, every: 20us, for: 12us}\n");
}

static char *scenario_of(uint64_t seed)
{
	struct draw draw;
	char *text = NULL;
	size_t length;

	random_init(&draw.random, seed, 0);
	draw.out = open_memstream(&text, &length);
	ck_assert_ptr_nonnull(draw.out);
	write_scenario(&draw);
	fclose(draw.out);
	if (getenv("SWARM_SHOW"))
		fprintf(stderr, "# seed %lu\n%s", (unsigned long)seed, text);
	return text;
}

static unsigned long number_of(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

/* What is lossless loses nothing but on the link, whatever the levels are; with PFC off, or in a lossy class, what is lost is counted */
static void swarm_play(uint64_t seed)
{
	char *text = scenario_of(seed);

	fprintf(stderr, "seed %lu\r", (unsigned long)seed);
	sim_open_text(&sim, text, NULL);
	sim.check_windows = 16;
	sim_run(&sim);
	if (clock_earliest(&sim.clock) == NODE_TIME_NEVER)
		sim_check_released(&sim);
	if (sim_drops(&sim, DROP_HEADROOM) && !sim_drops(&sim, DROP_LINK_LOSS))
		sim_fail(&sim, "totals", "seed %lu: a lossless class lost packets", (unsigned long)seed);
	if (sim_drops(&sim, DROP_RING_FULL) || sim_drops(&sim, DROP_BUFFER_OVERFLOW) ||
	    sim_drops(&sim, DROP_BAD_RECORD))
		sim_fail(&sim, "totals", "seed %lu: a ring or a pool was too small", (unsigned long)seed);
	sim_close(&sim);
	free(text);
}

START_TEST(swarm__books_hold)
{
	unsigned long first = number_of("SWARM_SEED", 1), count = number_of("SWARM_SEEDS", 60);

	for (unsigned long seed = first; seed < first + count; seed++)
		swarm_play(seed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("roce switches");
	TCase *tcase = tcase_create("roce switches");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, 0);
	tcase_add_test(tcase, lossless__incast);
	tcase_add_test(tcase, lossless__too_little_headroom);
	tcase_add_test(tcase, lossy__incast);
	tcase_add_test(tcase, shares__lossless_and_lossy);
	tcase_add_test(tcase, swarm__books_hold);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
