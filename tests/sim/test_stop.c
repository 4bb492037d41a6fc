/*  STOP and XON (EC-12, EC-14): the input buffers are as small as a plan accepts, the frames are
 *  the shortest, and arrive faster than they can leave. No buffer overflows, and most of the
 *  reserve beyond the level of STOP is needed: it is no larger than it must be. */

#include "tests/sim/sim.h"
#include "tests/testing.h"

static const char two[] = "name: stop\n"
			  "run: {duration: 60us, drain-max: 10ms}\n"
			  "topology:\n"
			  "  switches: [s1, s2]\n"
			  "  hosts: {a: s1, c: {switch: s2, rate: 10Gb/s}}\n"
			  "  links: [[s1, s2]]\n"
			  "links: {rate: 200Gb/s, delay: 1us}\n"
			  "switch: {buffer: 258816B}\n"
			  "congestion: no\n" /* the most that stop and go alone must hold */
			  "workloads:\n"
			  "  - {name: w, pattern: pairs, pairs: [[a, c]], size: 1B, packet: 128, "
			  "frame: ethernet, window: 64}\n";

static struct sim sim;

/* units beyond the level of stop that the input buffer of @port of switch @name held, as a share of
 * the reserve */
static double reserve_used(const char *name, uint32_t port)
{
	const struct dataplane *dp = sim_switch(&sim, name);
	const struct port_config *config = &dp->sw.config->ports[port];
	uint64_t held = stats_port(dp->sw.stats, port)->input_units_max;

	ck_assert_uint_gt(held, config->stop_units);
	ck_assert_uint_le(held, config->buffer_units);
	return (double)(held - config->stop_units) / (config->buffer_units - config->stop_units);
}

TEST(stop__shortest_frames)
{
	sim_open_text(&sim, two, NULL);
	sim.check_windows = 1;
	sim_run(&sim);
	ck_assert_uint_eq(sim_drops(&sim, DROP_BUFFER_OVERFLOW), 0);
	ck_assert_double_gt(reserve_used("s1", 0), 0.8); /* an edge link, to the NIC of a */
	ck_assert_double_gt(reserve_used("s2", 1), 0.8); /* a fabric link */
	sim_check_released(&sim);
	sim_close(&sim);
}
