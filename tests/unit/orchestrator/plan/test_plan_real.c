/*  orchestrator/plan/plan_real (TB-8, TB-15): one scenario for real programs, and for generated
 *  traffic under the real clock. */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ring.h"
#include "orchestrator/plan/plan_real.h"
#include "tests/testing.h"

static const char text[] =
	"name: t\n"
	"run: {duration: 100ms, warmup: 10ms, sample: 10ms}\n"
	"switch: {buffer: 256KiB}\n"
	"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"
	"links: {rate: 100Mb/s, delay: 1ms, medium: veth}\n"
	"workloads:\n"
	"  - {name: w, pattern: pairs, pairs: [[A, B]]}\n"
	"  - {name: late, pattern: pairs, pairs: [[A, B]], start: 1ms, stop: 90ms, up: no}\n"
	"pauses: [{host: B, start: 1ms, every: 20ms, for: 10ms}]\n"
	"faults: [{at: 1ms, link: [s1, s2]}]\n"
	"expect: [lost == 0]\n";

static struct plan virtual, real;

/* of the scenario with @setting, "path=value", NULL for none */
static void plan_set(int (*make)(const struct scenario *, struct plan *, struct scenario_errors *),
		     const char *setting, struct plan *plan)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	int error = scenario_read_memory("t.yaml", text, strlen(text), &setting, setting != NULL,
					 &scenario, &errors);

	if (!error)
		error = make(&scenario, plan, &errors);
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static void plan_of(int (*make)(const struct scenario *, struct plan *, struct scenario_errors *),
		    struct plan *plan)
{
	plan_set(make, NULL, plan);
}

static void tear_down(void)
{
	plan_free(&virtual);
	plan_free(&real);
}

static const struct nic_config *nic(const struct plan *plan, uint32_t host)
{
	return &plan->nodes[plan_host_node(plan, host)].nic;
}

TEST_GROUP(plan_real, .teardown = tear_down);

/* beside the hosts, workloads and pauses go on without the end of a run */
TEST(plan_make_real__traffic_beside_hosts)
{
	const struct workload_config *workloads;

	plan_of(plan_make_real, &real);
	workloads = nic(&real, 0)->workloads;
	ck_assert_uint_eq(nic(&real, 0)->workload_count, 2);
	ck_assert_uint_eq(workloads[0].from_ps, 0);
	ck_assert_uint_eq(workloads[0].stop_ps, 0);
	ck_assert_uint_eq(workloads[1].from_ps, NODE_TIME_NEVER);
	ck_assert_uint_eq(workloads[1].start_ps, NODE_MS);
	ck_assert_uint_eq(workloads[1].stop_ps, 90 * NODE_MS);
	ck_assert_uint_eq(nic(&real, 1)->pause_count, 1);
	ck_assert_uint_eq(nic(&real, 1)->pauses[0].stop_ps, 0);
	ck_assert_uint_eq(nic(&real, 1)->pauses_from_ps, 0);
	ck_assert_uint_eq(nic(&real, 0)->messages_max, 4096);
	ck_assert_uint_eq(real.faults.count, 1);
	ck_assert_uint_eq(real.faults.window_ps, 0);
	ck_assert(!real.faults.held);
}

/* the fabric has no end, so they may begin after that of a run */
TEST(plan_make_real__traffic_after_the_duration)
{
	plan_set(plan_make_real, "run={duration: 100us}", &real);
	ck_assert_uint_eq(nic(&real, 0)->workloads[1].start_ps, NODE_MS);
	ck_assert_uint_eq(nic(&real, 1)->pauses[0].start_ps, NODE_MS);
	ck_assert_uint_eq(nic(&real, 1)->pauses[0].stop_ps, 0);
}

TEST(plan_hold__nothing_begins)
{
	plan_of(plan_make_real, &real);
	plan_hold(&real);
	ck_assert_uint_eq(nic(&real, 0)->workloads[0].from_ps, NODE_TIME_NEVER);
	ck_assert_uint_eq(nic(&real, 1)->pauses_from_ps, NODE_TIME_NEVER);
	ck_assert(real.faults.held);
}

TEST(plan_make_real__hosts)
{
	plan_of(plan_make_real, &real);
	ck_assert(plan_is_real(&real));
	ck_assert_uint_gt(nic(&real, 0)->host_queues, 0);
	ck_assert_uint_eq(real.nodes[0].sample_ps, 0);
	ck_assert_int_eq(real.nodes[0].ports[0].medium, MEDIUM_VETH);
	ck_assert(real.nodes[0].ports[0].guarded);
	/* the buffer; in addition what is in flight, and the output queue of 32 KiB */
	ck_assert_uint_eq(real.nodes[0].ports[0].stop_units, 1024);
	ck_assert_uint_eq(real.nodes[0].ports[0].flight_units, 64 * 16);
	ck_assert_uint_eq(real.nodes[0].ports[0].buffer_units, 1024 + 64 * 16 + 128);
}

/* DU-7: switches know addresses that are not those of a host's number, in order */
TEST(plan_make_real__own_addresses_of_hosts)
{
	const struct switch_config *s1;

	plan_set(plan_make_real,
		 "topology.hosts.B={switch: s2, addresses: [192.0.2.9/24, 'fd01::9/64', "
		 "192.0.2.5/24]}",
		 &real);
	s1 = &real.nodes[0].switch_;
	ck_assert_uint_eq(s1->prefix_count, 3);
	ck_assert_uint_eq(s1->prefixes[0].address[3], 5);
	ck_assert_uint_eq(s1->prefixes[1].address[3], 9);
	ck_assert_uint_eq(s1->prefixes[2].version, 6);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert(s1->prefixes[i].own);
		ck_assert_uint_eq(s1->prefixes[i].host_index, 1);
		ck_assert_uint_eq(s1->prefixes[i].bits, prefix_bits_max(s1->prefixes[i].version));
	}
	for (uint32_t s = 1; s < real.switch_count; s++) {
		ck_assert_uint_eq(real.nodes[s].switch_.prefix_count, 3);
		ck_assert_mem_eq(real.nodes[s].switch_.prefixes, s1->prefixes,
				 3 * sizeof(*s1->prefixes));
	}
	plan_of(plan_make, &virtual); /* and the default ones need no list */
	ck_assert_uint_eq(virtual.nodes[0].switch_.prefix_count, 0);
}

/* FC-3: every switch knows them under the virtual clock, too */
TEST(plan_make__prefixes_of_a_router)
{
	plan_set(plan_make, "topology.hosts.B={switch: s2, prefixes: [10.9.0.0/16, 'fd99::/32']}",
		 &virtual);
	for (uint32_t s = 0; s < virtual.switch_count; s++) {
		const struct switch_config *config = &virtual.nodes[s].switch_;

		ck_assert_uint_eq(config->prefix_count, 2);
		ck_assert_uint_eq(config->prefixes[0].bits, 16);
		ck_assert_uint_eq(config->prefixes[1].bits, 32);
		ck_assert_uint_eq(config->prefixes[1].host_index, 1);
		ck_assert(!config->prefixes[0].own);
	}
}

/* a ring stands for a link, so it holds whole frames of four times as long as that is: 1 ms and
 * 350 ns at 200 Gb/s are 25 MB */
TEST(plan_make_real__rings_hold_what_is_in_flight)
{
	plan_set(plan_make_real, "links.rate=200Gb/s", &real);
	ck_assert_uint_eq(real.nodes[0].ports[0].ring_bytes, 128u << 20);
	plan_free(&real);
	plan_of(plan_make_real, &real);
	ck_assert_uint_eq(real.nodes[0].ports[0].ring_bytes, 1u << 19);
}

/* the same workloads, seeds, samples and expectations as under the virtual clock; no host, no
 * veth */
TEST(plan_make_traffic__equals_the_virtual_plan)
{
	plan_of(plan_make, &virtual);
	plan_of(plan_make_traffic, &real);
	ck_assert(!plan_is_real(&virtual));
	ck_assert(plan_is_real(&real));
	ck_assert_uint_eq(real.expectation_count, 1);
	for (uint32_t i = 0; i < real.node_count; i++) {
		const struct node_config *a = &virtual.nodes[i], *b = &real.nodes[i];

		ck_assert_int_eq(b->clock, CLOCK_REAL);
		ck_assert_uint_eq(b->seed, a->seed);
		ck_assert_uint_eq(b->measure_from_ps, a->measure_from_ps);
		ck_assert_uint_eq(b->measure_to_ps, a->measure_to_ps);
		ck_assert_uint_eq(b->sample_ps, 10 * NODE_MS);
		for (uint32_t p = 0; p < b->port_count; p++) {
			ck_assert_int_eq(b->ports[p].medium, MEDIUM_SHM);
			ck_assert_int_eq(b->ports[p].guarded, a->ports[p].guarded);
			ck_assert_uint_eq(b->ports[p].stop_units, a->ports[p].buffer_units);
			ck_assert_uint_ge(b->ports[p].ring_bytes, 2 * a->ports[p].ring_bytes);
			ck_assert_uint_le(b->ports[p].ring_bytes, RING_BYTES_MAX);
		}
	}
	ck_assert_uint_eq(nic(&real, 0)->workload_count, 2);
	ck_assert_uint_eq(nic(&real, 0)->workloads[1].from_ps, 0);
	ck_assert_uint_eq(nic(&real, 0)->workloads[0].stop_ps, 100 * NODE_MS);
	ck_assert_uint_eq(nic(&real, 1)->pauses[0].stop_ps, 100 * NODE_MS);
	ck_assert_uint_gt(real.faults.window_ps, 0);
	ck_assert_uint_eq(nic(&real, 0)->workloads[0].seed, nic(&virtual, 0)->workloads[0].seed);
	ck_assert_uint_eq(nic(&real, 0)->messages_max, nic(&virtual, 0)->messages_max);
	ck_assert_uint_eq(nic(&real, 0)->host_queues, 0);
}
