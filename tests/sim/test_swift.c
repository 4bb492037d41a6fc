/*  RC-16: an incast under Swift: 8 hosts, 2 queue pairs each, over one switch to a link of 25 Gb/s.
 *
 *      round trip = what is in flight / rate of the link = target(what each has in flight)
 *
 *  gives the queue by a closed formula, as a round trip consists of the delay of the path and the
 *  queue. */
#include <math.h>
#include <string.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

#define FLOWS 16.0
#define RATE_BPS 25e9
#define FRAME_BYTES (1024 + 58 + 24.0) /* a full packet on the link */

static const char incast[] =
	"name: swift-incast\n"
	"fabric: roce\n"
	"run: {duration: 20ms, warmup: 5ms}\n"
	"topology: {generate: star, hosts: 9}\n"
	"links: {rate: 25Gb/s, delay: 500ns}\n"
	"classes: [{name: data, ecn: no}, {name: cnp, lossless: no, ecn: no}]\n"
	"roce: {congestion-control: swift, buffer: 8MiB}\n"
	"workloads:\n"
	"  - {name: incast, pattern: incast, to: h8, size: 256KiB, window: 2, connections: 2, "
	"path-mtu: 1024}\n";

static struct sim sim;

/* mean queue in front of h8's link after the warm-up, and the share of that time that it is busy */
static double queue_mean(const char *const *settings, double *busy)
{
	struct sim_node *node;
	double bytes;
	uint32_t p;

	sim_open_text(&sim, incast, settings);
	sim_run(&sim);
	node = &sim.nodes[plan_node_find(&sim.plan, "s0")->index];
	for (p = 0; strcmp(node->config->ports[p].peer_name, "h8"); p++)
		ck_assert_uint_lt(p, node->config->port_count);
	bytes = (double)stats_class(node->stats, p, 0)->queue_byte_ns_sum / 15e6;
	*busy = (double)stats_port(node->stats, p)->tx_busy_measured_ps / 15e9;
	sim_check_released(&sim);
	sim_close(&sim);
	return bytes;
}

static double target_s(double window)
{
	double a = 100e-6 / (1 / sqrt(0.1) - 1 / sqrt(100)), b = -a / sqrt(100);
	double scaled = fmin(fmax(a / sqrt(window) + b, 0), 100e-6);

	return 20e-6 + 1 * 3e-6 + scaled; /* one switch */
}

/* bytes in flight of all flows, where their delay is their target */
static double in_flight_bytes(void)
{
	double low = 0.1, high = 1000;

	for (uint32_t i = 0; i < 100; i++) {
		double window = (low + high) / 2;

		if (FLOWS * window * FRAME_BYTES * 8 / RATE_BPS < target_s(window))
			low = window;
		else
			high = window;
	}
	return FLOWS * low * FRAME_BYTES;
}

TEST_GROUP(swift, .timeout_s = 120);

/* the queue is what the target allows, within a packet of each flow; the link is busy. Without a
 * control it is many times as long */
TEST(swift__holds_the_target)
{
	static const char *const none[] = { "roce.congestion-control=none", NULL };
	double busy, queue = queue_mean(NULL, &busy);
	/* two links of 500 ns and the latencies of NICs (500 ns) and of the switch (350 ns) there
	 * and back, and the frame on the two links of its path */
	double path_s = 2 * (2 * 500e-9 + 500e-9 + 350e-9) + 2 * FRAME_BYTES * 8 / RATE_BPS;
	double expected = in_flight_bytes() - path_s * RATE_BPS / 8;

	ck_assert_double_eq_tol(queue, expected, FLOWS * FRAME_BYTES);
	ck_assert_double_gt(busy, 0.97);
	ck_assert_double_gt(queue_mean(none, &busy), 4 * expected);
}
