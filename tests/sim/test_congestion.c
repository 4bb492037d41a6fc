/*  Congestion control in whole fabrics: each mechanism alone, what it must achieve, and
 *  what happens in the same scenario without it (EC-1, EC-4, EC-9, EC-10, EC-12 ... EC-14). How
 *  each works, step by step: the tests with unit/switchd/flow_channel/limited_flows.h. */
#include <stdlib.h>

#include "nodes/base/units.h"
#include "nodes/wire/ack_frame.h"
#include "nodes/wire/fabric_header.h"
#include "tests/sim/sim.h"
#include "tests/testing.h"

#define PACKET_UNITS 16u
#define NOTHING                                                                                    \
	"eca: no, slow-start: no, rate-limit: no, flow-limit: no, limit-after-ack: no, headroom: " \
	"no, fgfc: no"

static struct sim sim;

static const struct port_stats *stats_of(const char *name, uint32_t port)
{
	return stats_port(sim_switch(&sim, name)->sw.stats, port);
}

/* a counter of all ports of all switches */
#define SUM(field) sum_of(offsetof(struct port_stats, field))

static uint64_t sum_of(size_t offset)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < sim.plan.switch_count; i++)
		for (uint32_t p = 0; p < sim.nodes[i].stats->port_count; p++)
			sum += *(const uint64_t *)((const char *)stats_port(sim.nodes[i].stats, p) +
						   offset);
	return sum;
}

static const struct stats_page *host_stats(const char *host)
{
	return sim.nodes[plan_node_find(&sim.plan, host)->index].stats;
}

/* share of 200 Gb/s that @host receives from @from to @to, gaps included */
static double received_share(const char *host, node_time_t from, node_time_t to)
{
	uint64_t bytes, frames;

	sim_run_until(&sim, from);
	bytes = host_stats(host)->delivered_bytes;
	frames = host_stats(host)->delivered_packets;
	sim_run_until(&sim, to);
	bytes = host_stats(host)->delivered_bytes - bytes;
	frames = host_stats(host)->delivered_packets - frames;
	return (double)(bytes + 24 * frames) * 40 / (double)(to - from);
}

static void finish(void)
{
	sim_run(&sim);
	ck_assert_uint_eq(clock_earliest(&sim.clock), NODE_TIME_NEVER);
	ck_assert_uint_eq(sim_drops(&sim, DROP_BUFFER_OVERFLOW), 0);
	sim_check_released(&sim);
	sim_close(&sim);
}

/* ---- credit per flow and hop: 200 Gb/s come, 50 Gb/s leave ---- */

static const char slow_egress[] = "name: slow-egress\n"
				  "run: {duration: 200us}\n"
				  "topology:\n"
				  "  switches: [s1, s2]\n"
				  "  hosts: {a: s1, c: {switch: s2, rate: 50Gb/s}}\n"
				  "  links: [[s1, s2]]\n"
				  "links: {rate: 200Gb/s, delay: 1us}\n"
				  "switch: {buffer: 8MiB, output-queue: 4096B}\n"
				  "congestion: {" NOTHING "}\n"
				  "workloads:\n"
				  "  - {name: w, pattern: pairs, pairs: [[a, c]], window: 16}\n";

/* the flow at its input port of switch @name */
static const struct ifct_entry *the_flow(const char *name, uint32_t port)
{
	return TABLE_AT(sim_switch(&sim, name)->ifcts[port].entries, 0);
}

static const struct congestion_setting *full_speed(void)
{
	return &sim_switch(&sim, "s2")->injection.config->settings[0];
}

/* From UM to the last packet that came without credit: the HEADROOM ACK waits (T3) for its frame, a
 * packet in front of it included, and comes to s1; what s1 has granted by then, an output queue and
 * a packet on the link, comes to s2. */
static node_time_t response_bound(void)
{
	const struct dataplane *dp = sim_switch(&sim, "s1");
	const struct link *link = dp->ports[1].link;
	node_time_t packet =
		link_frame_time_of(link, 4096 + link->front_bytes + 4 + link->gap_bytes);

	return dp->sw.config->switch_.ack_t3_ps + 2 * link->lead_ps +
	       link_frame_time_of(link, ack_frame_wire_bytes(1)) + 3 * packet;
}

TEST_GROUP(fabrics, .timeout_s = 120);

/* EC-12: the response time of metering is one round trip of the link */
TEST(headroom__responds_within_a_links_round_trip)
{
	node_time_t now = 0, step = 10 * NODE_NS, started, bound;
	uint32_t granted, queued;

	sim_open_text(&sim, slow_egress, (const char *const[]){ "congestion.headroom=yes", NULL });
	bound = response_bound();
	/* 2.7 us of it are the round trip */
	ck_assert_uint_lt(bound, sim.plan.lookahead_ps * 5 / 2);
	while (!the_flow("s2", 1)->um)
		sim_run_until(&sim, now += step);
	started = now;
	queued = ifct_queue_extent(the_flow("s2", 1));
	ck_assert_uint_ge(queued, full_speed()->target_units);
	ck_assert_uint_lt(queued, full_speed()->target_units + PACKET_UNITS);
	while (!the_flow("s1", 0)->dm)
		sim_run_until(&sim, now += step);
	ck_assert_uint_ge(now - started + step, sim.plan.lookahead_ps);
	granted = the_flow("s1", 0)->data_flow; /* both count from 0 */
	ck_assert_int_le(the_flow("s1", 0)->headroom, 0);
	while (the_flow("s2", 1)->next_data_flow != granted)
		sim_run_until(&sim, now += step);
	ck_assert_uint_le(now - started, bound);
	/* nothing more, until a first credit, for a queue that is not above high, has compensated
	 * that */
	sim_run_until(&sim, now += sim.plan.lookahead_ps);
	ck_assert_uint_eq(the_flow("s2", 1)->next_data_flow, granted);
	finish();
}

/* units of the flow's queue at s2 over the second half of the run, and the most ever */
static double mean_queue(uint32_t *most)
{
	uint64_t sum = 0, count = 0;

	*most = 0;
	for (node_time_t now = 0; now < sim.plan.duration_ps; now += 100 * NODE_NS) {
		uint32_t queued;

		sim_run_until(&sim, now);
		queued = ifct_queue_extent(the_flow("s2", 1));
		*most = queued > *most ? queued : *most;
		if (2 * now < sim.plan.duration_ps)
			continue;
		sum += queued;
		count++;
	}
	return (double)sum / (double)count;
}

/* EC-13, EC-14: the queue settles at its target, never exceeds it by more than what comes until the
 * response, and no link is stopped. The credit is right in every window (sim_check()); the slow
 * link is full all the time */
TEST(headroom__settles_at_the_target)
{
	double mean, target;
	uint32_t most, link_units;

	sim_open_text(&sim, slow_egress, (const char *const[]){ "congestion.headroom=yes", NULL });
	sim.check_windows = 1;
	target = full_speed()->target_units;
	link_units = (uint32_t)(response_bound() / (4132 * 40)) * PACKET_UNITS;
	mean = mean_queue(&most);
	fprintf(stderr, "queue: target %.0f, mean %.1f, most %u; on the link %u\n", target, mean,
		most, link_units);
	ck_assert_double_eq_tol(mean, target, 2 * PACKET_UNITS);
	ck_assert_uint_gt(most, full_speed()->target_units + PACKET_UNITS);
	ck_assert_uint_le(most, full_speed()->target_units + link_units);
	ck_assert_uint_eq(stats_of("s2", 1)->stops, 0);
	ck_assert_uint_eq(stats_of("s2", 1)->headroom_starts, 1);
	ck_assert_uint_gt(stats_of("s1", 0)->blocked_headroom, 100);
	ck_assert_uint_gt(stats_of("s2", 0)->tx_busy_ps, 194 * NODE_US);
	finish();
}

/* EC-12, EC-14: packets that wait for credit set off the same one hop further up: every hop keeps
 * its target, and no link is stopped */
TEST(headroom__hop_by_hop)
{
	const struct ifct_entry *flow;

	sim_open_text(&sim, slow_egress,
		      (const char *const[]){
			      "congestion.headroom=yes", "topology.switches=[s1, s2, s3]",
			      "topology.hosts.c={switch: s3, rate: 50Gb/s}",
			      "topology.links=[[s1, s2], [s2, s3]]", "switch.buffer=16MiB", NULL });
	sim.check_windows = 1;
	sim_run_until(&sim, sim.plan.duration_ps);
	for (uint32_t i = 0; i < 2; i++) {
		flow = i ? the_flow("s3", 1) : the_flow("s2", 0);
		ck_assert(flow->um && flow->dm == !i);
		ck_assert_double_eq_tol(ifct_queue_extent(flow), full_speed()->target_units,
					3 * PACKET_UNITS);
	}
	ck_assert(the_flow("s1", 0)->dm);
	ck_assert_uint_eq(stats_of("s2", 0)->stops + stats_of("s3", 1)->stops, 0);
	finish();
}

/* EC-14: without credit only the stop of the whole link is left, and the input buffer is full to
 * its level */
TEST(headroom__off_fills_the_buffer)
{
	uint32_t most;
	double mean;

	sim_open_text(&sim, slow_egress, (const char *const[]){ "switch.buffer=1MiB", NULL });
	mean = mean_queue(&most);
	ck_assert_double_gt(mean, 0.8 * sim_switch(&sim, "s2")->ports[1].stop_units);
	ck_assert_uint_gt(stats_of("s2", 1)->input_units_max,
			  sim_switch(&sim, "s2")->ports[1].stop_units);
	ck_assert_uint_gt(stats_of("s2", 1)->stops, 0);
	ck_assert_uint_eq(SUM(headroom_starts) + SUM(blocked_headroom), 0);
	finish();
}

/* ---- a slow receiver ---- */

static const char pauses[] =
	"name: pauses\n"
	"run: {duration: 600us}\n"
	"topology:\n"
	"  switches: [s1, s2]\n"
	"  hosts: {a0: s1, a1: s1, a2: s1, a3: s1, c: s2}\n"
	"  links: [{between: [s1, s2], rate: 400Gb/s}]\n"
	"links: {rate: 200Gb/s, delay: 100ns}\n"
	"switch: {buffer: 1MiB}\n"
	"congestion: {headroom: no, fgfc: no}\n"
	"workloads:\n"
	"  - {name: w, pattern: incast, to: c, size: 4000B, arrival: paced, load: 12.5%}\n"
	"pauses:\n"
	"  - {host: c, start: 100us, stop: 300us, every: 20us, for: 15us}\n";

/* EC-4: no host sends too much, but the receiver pauses. Congestion is detected and reported, and
 * senders are limited to what the receiver takes. Afterwards they send their backlog at full speed,
 * without a limit. */
TEST_RANGE(pauses__look_like_an_incast, 0, 2)
{
	uint64_t extent_units = 0, limit_units;

	sim_open_text(&sim, pauses, _i ? NULL : (const char *const[]){ "congestion.eca=no", NULL });
	sim.check_windows = 1;
	ck_assert_double_gt(received_share("c", 20 * NODE_US, 100 * NODE_US), 0.49);
	ck_assert_uint_eq(stats_of("s2", 0)->eca_acks, 0);
	for (node_time_t at = 130 * NODE_US; at < 290 * NODE_US; at += 20 * NODE_US) {
		/* all that it takes */
		ck_assert_double_gt(received_share("c", at, at + 20 * NODE_US), 0.24);
		/* in the middle of a pause */
		extent_units = SUM(extent_units);
	}
	limit_units = 4 * full_speed()->flow_extent_units;
	fprintf(stderr, "pauses: ECA %lu, %lu units in flight of %lu\n", stats_of("s2", 0)->eca_max,
		extent_units, limit_units);
	ck_assert_double_gt(received_share("c", 310 * NODE_US, 360 * NODE_US), 0.98);
	ck_assert_double_gt(received_share("c", 500 * NODE_US, 600 * NODE_US), 0.49);
	ck_assert_uint_eq(SUM(limited), 0);
	if (_i) {
		ck_assert_uint_gt(stats_of("s2", 0)->eca_max, 0);
		for (uint32_t p = 0; p < 4; p++)
			ck_assert_uint_ge(stats_of("s1", p)->limited_first_ps, 100 * NODE_US);
		ck_assert_uint_gt(SUM(blocked_rate), 0);
		ck_assert_uint_le(extent_units, limit_units / 2);
	} else {
		ck_assert_uint_eq(SUM(limited_first_ps), 0);
		ck_assert_uint_ge(extent_units, limit_units); /* and a packet */
	}
	finish();
}

/* ---- the port's limit ---- */

static const char racks[] =
	"name: racks\n"
	"run: {duration: 60us}\n"
	"topology: {generate: leaf-spine, leaves: 3, hosts-per-leaf: 4, spines: 2}\n"
	"links: {rate: 200Gb/s, delay: 100ns}\n"
	"switch: {buffer: 1MiB}\n"
	"congestion: {" NOTHING "}\n"
	"workloads:\n"
	"  - {name: in, pattern: incast, to: h0, window: 4}\n"
	"  - {name: all, pattern: uniform, size: 4KiB, arrival: poisson, load: 50%}\n";

static uint32_t units_on(const struct link *link)
{
	struct ring_rx ring = link->rx.ring;
	struct record record;
	uint32_t units = 0;

	ring_refresh(&ring);
	while (ring_peek(&ring, &record)) {
		if (record.kind == RECORD_PACKET)
			units += units_of_bytes(link_frame_bytes(link, record.wire_bytes));
		ring_pop(&ring, &record);
	}
	return units;
}

/* data behind the ingress ports' queues: in the switches and on the links between them */
static uint32_t units_inside(void)
{
	uint32_t units = 0;

	for (uint32_t i = 0; i < sim.plan.switch_count; i++) {
		const struct dataplane *dp = sim.nodes[i].dataplane;

		for (uint32_t p = 0; p < dp->sw.port_count; p++) {
			units += dp->ports[p].output[0].queue.units;
			if (dp->ports[p].kind == PORT_EDGE)
				continue;
			units += units_on(dp->ports[p].link);
			for (uint32_t id = 0; id < dp->ifcts[p].channels; id++)
				if (TABLE_AT(dp->ifcts[p].entries, id)->active)
					units += ifct_queue_extent(
						TABLE_AT(dp->ifcts[p].entries, id));
		}
	}
	return units;
}

/* EC-9: with the limit at every edge, what is inside the fabric is bounded by their sum, and a
 * packet for each; without, by nothing */
TEST_RANGE(port_limit__bounds_what_is_inside, 0, 2)
{
	uint32_t most = 0, bound = 12 * (128 + PACKET_UNITS);

	sim_open_text(&sim, racks,
		      _i ? (const char *const[]){ "congestion.port-limit=32KiB", NULL } : NULL);
	ck_assert_uint_eq(sim_switch(&sim, "leaf0")->injection.config->port_limit_units,
			  _i ? 128 : 0);
	sim.check_windows = 1;
	for (node_time_t now = 0; now < 60 * NODE_US; now += 500 * NODE_NS) {
		uint32_t inside;

		sim_run_until(&sim, now);
		inside = units_inside();
		most = inside > most ? inside : most;
		ck_assert_uint_le(inside, SUM(extent_units));
	}
	fprintf(stderr, "inside: %u units, bound %u\n", most, bound);
	if (_i) {
		ck_assert_uint_le(most, bound);
		ck_assert_uint_gt(most, bound / 2);
		for (uint32_t i = 0; i < 3; i++)
			for (uint32_t p = 0; p < 4; p++)
				ck_assert_uint_le(
					stats_port(sim.nodes[i].stats, p)->extent_units_max,
					128 + PACKET_UNITS);
	} else {
		ck_assert_uint_gt(2 * most, 3 * bound);
	}
	finish();
}

/* EC-9: a ring of switches whose buffers are all full stalls for ever. With the limit alone it
 * cannot saturate, and does not. */
TEST_RANGE(port_limit__a_ring_goes_on, 0, 2)
{
	uint64_t inside = 0;

	sim_open_file(&sim, "topologies/credit-deadlock.yaml",
		      (const char *const[]){ _i ? "congestion={" NOTHING ", port-limit: 16KiB}"
						: "congestion=no",
					     NULL });
	sim_run(&sim);
	ck_assert_uint_eq(clock_earliest(&sim.clock), NODE_TIME_NEVER);
	for (uint32_t i = 0; i < sim.plan.switch_count; i++)
		inside += sim.nodes[i].stats->inside_bytes;
	ck_assert_int_eq(inside == 0, _i);
	if (_i)
		ck_assert_uint_gt(host_stats("a3")->delivered_bytes, 1000000);
	sim_close(&sim);
}

/* ---- flows that are limited, and flows that are not ---- */

static const char victim[] =
	"name: victim\n"
	"run: {duration: 600us}\n"
	"topology:\n"
	"  switches: [s1, s2]\n"
	"  hosts: {a0: s1, a1: s1, a2: s1, a3: s1, a4: s1, a5: s1, v: s1, c: s2, w: s2}\n"
	"  links: [{between: [s1, s2], rate: 400Gb/s}]\n"
	"links: {rate: 200Gb/s, delay: 100ns}\n"
	"switch: {buffer: 1MiB}\n"
	"workloads:\n"
	"  - {name: in, pattern: incast, from: [a0, a1, a2, a3, a4, a5], to: c, window: 4}\n"
	"  - {name: alone, pattern: pairs, pairs: [[v, w]], window: 4}\n";

/* EC-10: six senders share a link to the one congested host, and the victim shares the fabric link
 * with them: they are slowed, it is not */
TEST_RANGE(victim__keeps_its_bandwidth, 0, 2)
{
	const struct port_stats *ingress;
	double share, incast;
	uint64_t held;

	sim_open_text(&sim, victim, _i ? NULL : (const char *const[]){ "congestion=no", NULL });
	ingress = stats_of("s1", 6);
	sim_run_until(&sim, 300 * NODE_US);
	held = ingress->blocked_rate + ingress->blocked_extent + ingress->blocked_empty;
	share = received_share("w", 300 * NODE_US, 600 * NODE_US);
	incast = (double)stats_of("s2", 0)->tx_busy_ps / (double)(600 * NODE_US);
	fprintf(stderr, "victim: %.3f of its link, the incast %.3f of its\n", share, incast);
	if (_i) {
		ck_assert_double_ge(share, 0.95);
		ck_assert_double_ge(incast, 0.95);
		ck_assert_uint_eq(ingress->blocked_rate + ingress->blocked_extent +
					  ingress->blocked_empty,
				  held);
		ck_assert_uint_eq(ingress->blocked_headroom, 0);
		for (uint32_t p = 0; p < 6; p++)
			ck_assert_uint_gt(stats_of("s1", p)->limited_first_ps, 0);
	} else {
		ck_assert_double_lt(share, 0.8);
	}
	finish();
}

/* ---- small packets ---- */

static const char small[] =
	"name: small\n"
	"run: {duration: 40us}\n"
	"topology: {generate: star, hosts: 17}\n"
	"links: {rate: 10Gb/s, delay: 100ns, mtu: 1500}\n"
	"congestion: {eca: {dbf-thresh: 256MiB}, slow-start: no, headroom: no, fgfc: no}\n"
	"workloads:\n"
	"  - {name: in, pattern: incast, to: h0, frame: ethernet, packet: 96, size: 1B, messages: "
	"5}\n";

/* EC-1: many small packets, few bytes: the packet factor finds the incast that the byte factor does
 * not see */
TEST_RANGE(small_packets__found_by_their_number, 0, 2)
{
	uint64_t most;

	sim_open_text(&sim, small,
		      _i ? NULL
			 : (const char *const[]){ "congestion.eca.lpf-thresh=1000000", NULL });
	sim_run_until(&sim, 40 * NODE_US);
	most = stats_of("s0", 0)->queue_bytes_max;
	fprintf(stderr, "small packets: %lu bytes at most, %lu ACK_ECAs, ECA %lu\n", most,
		stats_of("s0", 0)->eca_acks, stats_of("s0", 0)->eca_max);
	ck_assert_uint_gt(most / 60, sim_switch(&sim, "s0")->injection.config->lpf_thresh * _i);
	ck_assert_uint_lt(most / 256, sim_switch(&sim, "s0")->injection.config->lbf_thresh_units);
	ck_assert_int_eq(stats_of("s0", 0)->eca_acks > 0, _i);
	finish();
}

/* ---- the same again ---- */

/* TB-7: with all of it at work, the same file gives the same bytes */
TEST(congestion__same_result_twice)
{
	char *json[2];

	for (uint32_t i = 0; i < 2; i++) {
		sim_open_text(&sim, victim,
			      (const char *const[]){ "congestion.port-limit=128KiB",
						     "run.duration=100us", "run.sample=1us",
						     NULL });
		sim_run(&sim);
		ck_assert_uint_gt(SUM(eca_acks), 0);
		ck_assert_uint_gt(SUM(headroom_starts), 0);
		ck_assert_uint_gt(SUM(blocked_rate) + SUM(blocked_extent) + SUM(blocked_empty), 0);
		json[i] = sim_json(&sim);
		sim_check_released(&sim);
		sim_close(&sim);
	}
	ck_assert_str_eq(json[0], json[1]);
	free(json[0]);
	free(json[1]);
}
