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
	"workloads: [{name: w, pattern: pairs, pairs: [[A, B]]}]\n"
	"expect: [lost == 0]\n";

static struct plan virtual, real;

static void plan_of(int (*make)(const struct scenario *, struct plan *, struct scenario_errors *),
		    struct plan *plan)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	int error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors);

	if (!error)
		error = make(&scenario, plan, &errors);
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	scenario_free(&scenario);
	scenario_errors_free(&errors);
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

TEST(plan_make_real__hosts_instead_of_workloads)
{
	plan_of(plan_make_real, &real);
	ck_assert(plan_is_real(&real));
	ck_assert_uint_eq(nic(&real, 0)->workload_count, 0);
	ck_assert_uint_gt(nic(&real, 0)->host_queues, 0);
	ck_assert_uint_eq(real.nodes[0].sample_ps, 0);
	ck_assert_int_eq(real.nodes[0].ports[0].medium, MEDIUM_VETH);
	ck_assert(real.nodes[0].ports[0].guarded);
	/* the buffer; in addition what is in flight, and the output queue of 32 KiB */
	ck_assert_uint_eq(real.nodes[0].ports[0].stop_units, 1024);
	ck_assert_uint_eq(real.nodes[0].ports[0].flight_units, 64 * 16);
	ck_assert_uint_eq(real.nodes[0].ports[0].buffer_units, 1024 + 64 * 16 + 128);
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
	ck_assert_uint_eq(nic(&real, 0)->workload_count, 1);
	ck_assert_uint_eq(nic(&real, 0)->workloads[0].seed, nic(&virtual, 0)->workloads[0].seed);
	ck_assert_uint_eq(nic(&real, 0)->messages_max, nic(&virtual, 0)->messages_max);
	ck_assert_uint_eq(nic(&real, 0)->host_queues, 0);
}
