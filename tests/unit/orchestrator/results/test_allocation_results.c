/*  Failed allocations of what becomes of a run (TB-22): results, expectations, events, samples:
 *  tests/allocation.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/results/events.h"
#include "orchestrator/results/expect.h"
#include "orchestrator/results/results.h"
#include "orchestrator/results/samples_csv.h"
#include "tests/allocation.h"
#include "tests/testing.h"

#define NODES_MAX 16u
#define FABRIC                                                                        \
	"run: {duration: 100us, sample: 10us}\n"                                      \
	"topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: 2, spines: 2}\n" \
	"workloads:\n"                                                                \
	"  - {name: w, pattern: permutation, size: 10kB}\n"                           \
	"faults: [{at: 10us, switch: spine0}]\n"                                      \
	"expect:\n  - lost == 0\n  - drops(w) == 0\n"

static const char *const texts[FABRIC_KINDS] = {
	[FABRIC_FLOW_CHANNEL] = "name: t\nfabric: flow-channel\n" FABRIC,
	[FABRIC_ROCE] = "name: t\nfabric: roce\n" FABRIC,
	[FABRIC_PORT_GROUP] = "name: t\nfabric: port-group\n" FABRIC,
};

static struct plan plan;
static struct stats_page *pages[NODES_MAX];
static struct node_log_source events[NODES_MAX], samples[NODES_MAX];

/* an output of a RoCE fabric that waits for all outputs of its peer: a cycle, once all do */
static void output_pause(uint32_t node, uint32_t port)
{
	const struct port_config *config = &plan.nodes[node].ports[port];
	struct class_stats *input = stats_class(pages[config->peer_index], config->peer_port, 0);

	stats_class(pages[node], port, 0)->paused_since_ps = 1;
	input->xoff_since_ps = 1;
	input->waits_for = UINT64_MAX;
}

static void plan_of(int kind)
{
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	int error = scenario_read_memory("t.yaml", texts[kind], strlen(texts[kind]), NULL, 0,
					 &scenario, &errors);

	if (!error)
		error = plan_make(&scenario, &plan, &errors);
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	scenario_free(&scenario);
	ck_assert_uint_le(plan.node_count, NODES_MAX);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		plan.nodes[i].events = plan.nodes[i].series = true;
		pages[i] = calloc(1, stats_bytes(&plan.nodes[i]));
		stats_init(pages[i], &plan.nodes[i]);
		events[i] = (struct node_log_source){ pages[i], memfd_create("events", 0) };
		samples[i] = (struct node_log_source){ pages[i], memfd_create("samples", 0) };
		trace_file(pages[i], events[i].fd);
		series_file(pages[i], samples[i].fd);
		trace(pages[i], (struct trace_entry){ .at_ps = i + 1, .kind = TRACE_DROP });
	}
}

static void tear_down(void)
{
	for (uint32_t i = 0; i < plan.node_count; i++) {
		close(events[i].fd);
		close(samples[i].fd);
		free(pages[i]);
	}
	plan_free(&plan);
}

TEST_GROUP(allocation_results, .teardown = tear_down, .timeout_s = 300);

static uint32_t deadlocks; /* found by the last attempt */

static int gather_attempt(void)
{
	struct results results = { .end_ps = 200 * NODE_US };
	int error = results_gather(&plan, pages, &results);

	deadlocks = results.deadlocks.count;
	if (!error)
		error = expect_evaluate(&plan, &results);
	results_free(&results);
	return error;
}

TEST_RANGE(results_gather__survives_each_failure, 0, FABRIC_KINDS)
{
	plan_of(_i);
	for (uint32_t i = 0; _i == FABRIC_ROCE && i < plan.switch_count; i++)
		for (uint32_t p = 0; p < plan.nodes[i].port_count; p++)
			output_pause(i, p);
	all_fail("results_gather()", gather_attempt);
	ck_assert_int_eq(deadlocks > 0, _i == FABRIC_ROCE);
}

static int write_attempt(int (*write)(FILE *out))
{
	static char text[1 << 16];
	FILE *out = fmemopen(text, sizeof(text), "w");
	int error = write(out);

	fclose(out);
	return error;
}

static int events_to(FILE *out)
{
	struct why why;

	return events_write(&plan, events, EVENTS_JSON_LINES, out, &why);
}

static int ports_to(FILE *out)
{
	return samples_csv_ports(&plan, samples, out);
}

static int flows_to(FILE *out)
{
	return samples_csv_flows(&plan, samples, out);
}

static int (*const writers[])(FILE *out) = { events_to, ports_to, flows_to };
static int writer;

static int writer_attempt(void)
{
	return write_attempt(writers[writer]);
}

TEST_RANGE(events_write__survives_each_failure, 0, 3)
{
	plan_of(FABRIC_FLOW_CHANNEL);
	writer = _i;
	all_fail("events and samples", writer_attempt);
}
