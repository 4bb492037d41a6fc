/*  Samples of whole fabrics (SE-1): at any time the last values are what the counters, the tables
 *  and the links of the nodes say, in every kind of fabric. */
#include <stdlib.h>
#include <string.h>

#include "nodes/link/link_send.h"
#include "orchestrator/results/node_log.h"
#include "orchestrator/results/series_values.h"
#include "tests/sim/sim.h"
#include "tests/testing.h"

/* Most frames take some other time, so little else happens at the time of a sample. */
#define SAMPLE "run.sample=1.000003us"
#define SAMPLE_PS 1000003u
#define STOPS 40u

static struct sim sim;
static struct series_values *values;
static struct node_log *logs;
static uint32_t *samples; /* of each node, so far */

static void simulate(const char *path, const char *const *settings)
{
	sim_open_file(&sim, path, settings);
	values = calloc(sim.plan.node_count, sizeof(*values));
	logs = calloc(sim.plan.node_count, sizeof(*logs));
	samples = calloc(sim.plan.node_count, sizeof(*samples));
	for (uint32_t i = 0; i < sim.plan.node_count; i++) {
		struct node_log_source source = { sim.nodes[i].stats, sim.nodes[i].series_fd };

		ck_assert_int_eq(series_values_init(&values[i], &sim.plan.nodes[i]), 0);
		ck_assert_int_eq(node_log_series(&logs[i], &source), 0);
	}
}

static void end(void)
{
	for (uint32_t i = 0; i < sim.plan.node_count; i++) {
		series_values_fini(&values[i]);
		node_log_close(&logs[i]);
	}
	free(values);
	free(logs);
	free(samples);
	sim_close(&sim);
}

/* an edge port's sample of a flow of its host */
static void edge_take(uint32_t i, const struct series_entry *entry)
{
	struct series_entry copy = *entry;
	uint32_t nic = series_values_node(&sim.plan, i, entry);

	ck_assert_uint_eq(nic, sim.plan.nodes[i].ports[entry->port].peer_index);
	copy.port = 0;
	ck_assert(series_values_take(&values[nic], &copy));
}

/* all that node @i has sampled up to now; every entry is about something that it has */
static void read_on(uint32_t i)
{
	ck_assert_int_eq(node_log_refresh(&logs[i]), 0);
	for (const struct series_entry *entry = node_log_entry(&logs[i]); entry;
	     entry = node_log_entry(&logs[i])) {
		if (entry->id == SERIES_SAMPLE)
			ck_assert_uint_eq(entry->value, (uint64_t)samples[i]++ * SAMPLE_PS);
		else if (sim.plan.nodes[i].kind == NODE_SWITCH &&
			 series_row(entry->id)->of == SERIES_OF_FLOW)
			edge_take(i, entry);
		else
			ck_assert(series_values_take(&values[i], entry));
		node_log_next(&logs[i]);
	}
}

static uint64_t value(uint32_t node, enum series_id id, uint32_t port, uint32_t index)
{
	return *series_values_at(&values[node], id, port, index);
}

/* ---- what holds at a sample ---- */

static void port_check(uint32_t i, uint32_t p)
{
	const struct port_stats *stats = stats_port(sim.nodes[i].stats, p);
	const struct link *link = &sim.nodes[i].links[p];
	const struct node_config *node = &sim.plan.nodes[i];
	uint32_t lanes = node->class_count * node_lanes(node, node->ports[p].kind);

	ck_assert_uint_eq(value(i, SERIES_TX_BYTES, p, 0), stats->tx_bytes);
	ck_assert_uint_eq(value(i, SERIES_RX_BYTES, p, 0), stats->rx_bytes);
	ck_assert_uint_eq(value(i, SERIES_QUEUE_BYTES, p, 0), stats->queue_bytes);
	ck_assert_uint_eq(value(i, SERIES_DROPS, p, 0), stats->dropped_frames);
	ck_assert_uint_eq(value(i, SERIES_LOST_FRAMES, p, 0), stats->lost_frames);
	ck_assert_uint_eq(value(i, SERIES_PAUSES_RECEIVED, p, 0), stats->pauses_received);
	ck_assert_uint_eq(value(i, SERIES_PAUSES_SENT, p, 0), stats->pauses_sent + stats->stops);
	ck_assert_uint_eq(value(i, SERIES_METERED, p, 0), stats->metered);
	ck_assert_uint_eq(value(i, SERIES_FGFC_HELD, p, 0), stats->fgfc_held);
	for (uint32_t l = 0; l < lanes && node->fabric == FABRIC_PORT_GROUP; l++)
		ck_assert_uint_eq(value(i, SERIES_LANE_CREDIT_UNITS, p, l), link_credit(link, l));
	if (node->kind == NODE_SWITCH && node->fabric == FABRIC_FLOW_CHANNEL)
		ck_assert_uint_eq(value(i, SERIES_ACKS, p, 0), stats->acks);
}

/* a switch of kind roce: its classes */
static void classes_check(uint32_t i, uint32_t p)
{
	uint64_t bytes = 0, marks = 0, cnps = 0;

	for (uint32_t c = 0; c < sim.plan.nodes[i].class_count; c++) {
		const struct class_stats *stats = stats_class(sim.nodes[i].stats, p, c);

		ck_assert_uint_eq(value(i, SERIES_CLASS_QUEUE_BYTES, p, c), stats->queue_bytes);
		ck_assert_uint_eq(value(i, SERIES_CLASS_INPUT_BYTES, p, c), stats->input_bytes);
		bytes += stats->queue_bytes;
		marks += stats->marked;
		cnps += stats->cnps_supplemented;
	}
	ck_assert_uint_eq(value(i, SERIES_QUEUE_BYTES, p, 0), bytes);
	ck_assert_uint_eq(value(i, SERIES_MARKS, p, 0), marks);
	ck_assert_uint_eq(value(i, SERIES_CNPS, p, 0), cnps);
}

static uint32_t unacked_all, unacked_some; /* samples of NICs */

/* The flows of NIC @i have @unacked bytes without an ACK: what its switch has of them, but for
 * flows of which no packet has left the switch. */
static void unacked_check(uint32_t i, uint64_t unacked)
{
	const struct port_config *port = &sim.plan.nodes[i].ports[0];
	uint32_t edge = port->peer_index, p = port->peer_port;
	/* in the fabric, and in the input buffer */
	uint64_t bytes = UNIT_BYTES * (value(edge, SERIES_EXTENT_UNITS, p, 0) +
				       value(edge, SERIES_INPUT_UNITS, p, 0));

	ck_assert_uint_le(unacked, bytes);
	unacked_some += unacked != 0;
	unacked_all += unacked && unacked == bytes;
}

/* the flows of a NIC together have what its port has */
static void flows_check(uint32_t i)
{
	struct stats_page *page = sim.nodes[i].stats;
	uint64_t line_bps = sim.nodes[i].links[0].rate_bps, queued = 0, cnps = 0, unacked = 0;
	const struct node_config *node = &sim.plan.nodes[i];

	for (uint32_t slot = 0; slot < page->flow_tx_count; slot++) {
		const struct flow_tx_stats *flow = stats_flow_tx(page, slot);
		uint64_t rate_bps = value(i, SERIES_FLOW_ALLOWED_RATE_BPS, 0, slot);

		ck_assert_uint_eq(value(i, SERIES_FLOW_SENT_BYTES, 0, slot), flow->bytes);
		ck_assert_uint_le(rate_bps, line_bps);
		ck_assert_int_eq(!rate_bps, value(i, SERIES_FLOW_HELD, 0, slot));
		if (sim.plan.nodes[i].fabric == FABRIC_PORT_GROUP)
			ck_assert_uint_eq(rate_bps, flow->rate_bps ? flow->rate_bps : line_bps);
		queued += value(i, SERIES_FLOW_QUEUED_BYTES, 0, slot);
		unacked += value(i, SERIES_FLOW_UNACKED_BYTES, 0, slot);
		cnps += flow->cnps;
	}
	ck_assert_uint_eq(value(i, SERIES_QUEUE_BYTES, 0, 0), queued);
	if (node->fabric == FABRIC_PORT_GROUP)
		ck_assert_uint_eq(unacked, 0);
	if (node->fabric == FABRIC_FLOW_CHANNEL)
		unacked_check(i, unacked);
	for (uint32_t c = 0; c < node->class_count && node->class_count > 1; c++)
		queued -= value(i, SERIES_CLASS_QUEUE_BYTES, 0, c);
	ck_assert_uint_eq(node->class_count > 1 ? queued : 0, 0);
	if (sim.plan.nodes[i].fabric == FABRIC_ROCE)
		ck_assert_uint_eq(value(i, SERIES_CNPS_RECEIVED, 0, 0), cnps);
}

static void node_check(uint32_t i)
{
	const struct node_config *node = &sim.plan.nodes[i];

	read_on(i);
	for (uint32_t p = 0; p < node->port_count; p++) {
		port_check(i, p);
		if (node->kind == NODE_SWITCH && node->fabric == FABRIC_ROCE)
			classes_check(i, p);
	}
	if (node->kind == NODE_NIC)
		flows_check(i);
}

/* STOPS times, right after a sample; then to the end */
static void check(void)
{
	for (uint32_t stop = 1; stop <= STOPS; stop++) {
		sim_run_until(&sim, (uint64_t)stop * 4 * SAMPLE_PS + 1);
		for (uint32_t i = 0; i < sim.plan.node_count; i++)
			node_check(i);
	}
	sim_run(&sim);
	for (uint32_t i = 0; i < sim.plan.node_count; i++) {
		read_on(i);
		ck_assert_uint_eq(samples[i], sim.plan.nodes[i].measure_to_ps / SAMPLE_PS + 1);
	}
}

/* the greatest last value of any port or flow */
static uint64_t most(enum series_id id)
{
	uint64_t greatest = 0;

	for (uint32_t i = 0; i < sim.plan.node_count; i++) {
		for (uint32_t p = 0; p < sim.plan.nodes[i].port_count; p++) {
			const uint64_t *at = series_values_at(&values[i], id, p, 0);

			if (at && *at > greatest)
				greatest = *at;
		}
	}
	return greatest;
}

TEST_GROUP(series, .timeout_s = 120);

TEST(series__flow_channels)
{
	simulate("topologies/congested-link.yaml", (const char *const[]){ SAMPLE, NULL });
	unacked_all = unacked_some = 0;
	check();
	ck_assert_uint_gt(unacked_all, STOPS);
	ck_assert_uint_ge(unacked_all, unacked_some * 9 / 10);
	ck_assert_uint_gt(most(SERIES_ACKS), 100);
	ck_assert_uint_gt(most(SERIES_METERED), 0);
	end();
}

/* flows that are paused at their source */
TEST(series__flow_channels_held)
{
	simulate("topologies/one-flow-held.yaml", (const char *const[]){ SAMPLE, NULL });
	check();
	end();
}

TEST(series__link_failure)
{
	simulate("topologies/link-failure.yaml", (const char *const[]){ SAMPLE, NULL });
	check();
	ck_assert_uint_gt(most(SERIES_DROPS), 0);
	end();
}

TEST(series__roce)
{
	simulate("topologies/pfc-spreading.yaml", (const char *const[]){ SAMPLE, NULL });
	check();
	ck_assert_uint_gt(most(SERIES_MARKS), 100);
	ck_assert_uint_gt(most(SERIES_PAUSED_PS), 0);
	ck_assert_uint_gt(most(SERIES_ACKS), 20);
	end();
}

TEST(series__port_groups)
{
	simulate("topologies/port-group-incast.yaml",
		 (const char *const[]){ SAMPLE, "run.duration=300us", "run.warmup=50us", NULL });
	check();
	ck_assert_uint_gt(most(SERIES_CNPS), 10);
	ck_assert_uint_gt(most(SERIES_CNPS_RECEIVED), 10);
	ck_assert_uint_gt(most(SERIES_LANE_CREDIT_UNITS), 0);
	end();
}

/* a run with samples gives the same result */
TEST(series__change_nothing)
{
	static const char *const paths[] = { "topologies/pfc-spreading.yaml",
					     "topologies/permutation-16.yaml",
					     "topologies/port-group-incast.yaml" };

	for (uint32_t i = 0; i < 3; i++) {
		char *with, *without;

		sim_open_file(&sim, paths[i],
			      (const char *const[]){ SAMPLE, "run.duration=100us",
						     "run.warmup=20us", "expect=[]", NULL });
		sim_run(&sim);
		with = sim_json(&sim);
		sim_close(&sim);
		sim_open_file(&sim, paths[i],
			      (const char *const[]){ "run.sample=0s", "run.duration=100us",
						     "run.warmup=20us", "expect=[]", NULL });
		sim_run(&sim);
		without = sim_json(&sim);
		sim_close(&sim);
		ck_assert_ptr_nonnull(strstr(with, "\"flows\""));
		ck_assert_str_eq(strstr(with, "\"flows\""), strstr(without, "\"flows\""));
		free(with);
		free(without);
	}
}
