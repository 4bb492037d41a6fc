/*  orchestrator/results/samples_csv, series_values, node_log: samples as tables, from logs that are
 *  not trusted (SE-1, TB-13, TB-23). */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/results/samples_csv.h"
#include "orchestrator/results/series_merge.h"
#include "orchestrator/results/series_values.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

static struct node_log_source sources[NODES];
static struct series series[NODES];
static char *text;

/* every node takes samples */
static void samples_set_up(void)
{
	set_up();
	for (uint32_t i = 0; i < NODES; i++) {
		free(pages[i]);
		nodes[i].series = true;
		nodes[i].lanes = 1;
		pages[i] = calloc(1, stats_bytes(&nodes[i]));
		stats_init(pages[i], &nodes[i]);
		sources[i] = (struct node_log_source){ pages[i], memfd_create("series", 0) };
		series_file(pages[i], sources[i].fd);
		ck_assert_int_eq(series_init(&series[i], &nodes[i], pages[i]), 0);
	}
}

static void samples_tear_down(void)
{
	for (uint32_t i = 0; i < NODES; i++) {
		close(sources[i].fd);
		series_fini(&series[i]);
	}
	free(text);
	tear_down();
}

TEST_GROUP(samples, .setup = samples_set_up, .teardown = samples_tear_down);

static int ports(void)
{
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int error = samples_csv_ports(&plan, sources, out);

	fclose(out);
	return error;
}

static int flows(void)
{
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int error = samples_csv_flows(&plan, sources, out);

	fclose(out);
	return error;
}

static uint64_t unacked_seen;

/* series_fn */
static void take_unacked(void *context, uint32_t node, const struct series_entry *change)
{
	(void)context;
	if (change->id != SERIES_FLOW_UNACKED_BYTES)
		return;
	ck_assert_uint_eq(node, 2);
	ck_assert_uint_eq(change->port, 0);
	unacked_seen = change->value;
}

static uint32_t rows(void)
{
	uint32_t count = 0;

	for (const char *at = strchr(text, '\n'); at[1]; at = strchr(at + 1, '\n'))
		count++;
	return count;
}

TEST(samples_csv_ports__a_row_for_each_port_and_sample)
{
	series_begin(&series[0], 0);
	series_port(&series[0], SERIES_QUEUE_BYTES, 1, 700);
	series_lane(&series[0], SERIES_LANE_QUEUE_UNITS, 1, 0, 3);
	series_begin(&series[0], NODE_US);
	series_port(&series[0], SERIES_QUEUE_BYTES, 1, 700);
	series_port(&series[0], SERIES_TX_BYTES, 2, 5);
	series_begin(&series[2], NODE_US);
	series_port(&series[2], SERIES_ALLOWED_RATE_SUM_BPS, 0, 9);
	ck_assert_int_eq(ports(), 0);
	ck_assert_uint_eq(rows(), 2 * HOSTS + 1);
	ck_assert_ptr_eq(strstr(text, "node,port,peer,at_ps,queue_bytes,input_units,tx_bytes,"),
			 text);
	ck_assert_ptr_nonnull(strstr(text, "\ns1,0,h0,0,0,0,0,"));
	ck_assert_ptr_nonnull(strstr(text, "\ns1,1,h1,0,700,0,0,"));
	ck_assert_ptr_nonnull(strstr(text, "\ns1,1,h1,1000000,700,0,0,"));
	ck_assert_ptr_nonnull(strstr(text, "\ns1,2,h2,1000000,0,0,5,"));
	ck_assert_ptr_nonnull(strstr(text, "\nh1,0,s1,1000000,0,0,0,0,0,0,0,0,0,9,"));
}

TEST(samples_csv_flows__names_of_the_flow)
{
	flow_add(1, 2, 1, 5, 5);
	series_begin(&series[2], 2 * NODE_US);
	series_flow(&series[2], SERIES_FLOW_ALLOWED_RATE_BPS, 0, 44);
	series_flow(&series[2], SERIES_FLOW_HELD, 0, 1);
	series_flow(&series[2], SERIES_FLOW_STAGE, 0, 2);
	series_begin(&series[2], 3 * NODE_US);
	ck_assert_int_eq(flows(), 0);
	ck_assert_str_eq(text,
			 "source,destination,class,workload,connection,at_ps,allowed_rate_bps,"
			 "sent_bytes,queued_bytes,unacked_bytes,held,target_rate_bps,alpha_ppm,"
			 "stage,window_bytes\n"
			 "h1,h2,,second,0,2000000,44,0,0,0,yes,0,0,additive_increase,0\n"
			 "h1,h2,,second,0,3000000,44,0,0,0,yes,0,0,additive_increase,0\n");
}

/* The switch of a NIC has what its flows have not acknowledged: of the last sample up to then. */
TEST(samples_csv_flows__unacknowledged_at_the_switch)
{
	struct series_entry entry = { .id = SERIES_FLOW_UNACKED_BYTES, .port = 1, .index = 0 };
	struct series_merge merge;

	ck_assert_uint_eq(plan.nodes[0].ports[1].peer_index, 2);
	flow_add(1, 2, 1, 5, 5);
	for (uint64_t at = 0; at < 3; at++) {
		series_begin(&series[0], at * NODE_US);
		entry.value = 256 * (at + 1);
		series_add(pages[0], entry);
		series_begin(&series[2], at * NODE_US);
		series_flow(&series[2], SERIES_FLOW_SENT_BYTES, 0, at + 1);
	}
	/* of other hosts, and of a flow that there is not */
	entry.port = 2;
	series_add(pages[0], entry);
	entry.port = 1;
	entry.index = 100000;
	series_add(pages[0], entry);
	entry.port = 77;
	series_add(pages[0], entry);
	ck_assert_int_eq(flows(), 0);
	ck_assert_ptr_nonnull(strstr(text, "\nh1,h2,,second,0,0,0,1,0,256,no,"));
	ck_assert_ptr_nonnull(strstr(text, "\nh1,h2,,second,0,1000000,0,2,0,512,no,"));
	ck_assert_ptr_nonnull(strstr(text, "\nh1,h2,,second,0,2000000,0,3,0,768,no,"));
	ck_assert_int_eq(series_merge_init(&merge, &plan, sources), 0);
	unacked_seen = 0;
	series_merge_take(&merge, 0, take_unacked, NULL);
	ck_assert_uint_eq(unacked_seen, 256);
	series_merge_fini(&merge);
}

/* A class has the sum of its lanes; of a NIC with one class it is the queue of its port. */
TEST(series_values_class__follows_from_other_series)
{
	struct series_values values;

	nodes[0].class_count = 2;
	nodes[0].lanes = 2;
	ck_assert_int_eq(series_values_init(&values, &nodes[0]), 0);
	nodes[0].ports[0].kind = PORT_FABRIC;
	for (uint32_t lane = 0; lane < 4; lane++) {
		*series_values_at(&values, SERIES_LANE_QUEUE_UNITS, 0, lane) = 1u << lane;
		*series_values_at(&values, SERIES_LANE_INPUT_UNITS, 0, lane) = 10u << lane;
	}
	ck_assert_uint_eq(series_values_class(&values, &nodes[0], SERIES_CLASS_QUEUE_BYTES, 0, 1),
			  256 * (4 + 8));
	ck_assert_uint_eq(series_values_class(&values, &nodes[0], SERIES_CLASS_INPUT_BYTES, 0, 0),
			  256 * (10 + 20));
	nodes[0].fabric = FABRIC_ROCE;
	*series_values_at(&values, SERIES_CLASS_QUEUE_BYTES, 1, 1) = 5;
	ck_assert_uint_eq(series_values_class(&values, &nodes[0], SERIES_CLASS_QUEUE_BYTES, 1, 1),
			  5);
	series_values_fini(&values);
	ck_assert_int_eq(series_values_init(&values, &nodes[1]), 0);
	nodes[1].class_count = 1;
	*series_values_at(&values, SERIES_QUEUE_BYTES, 0, 0) = 7;
	ck_assert_uint_eq(series_values_class(&values, &nodes[1], SERIES_CLASS_QUEUE_BYTES, 0, 0),
			  7);
	series_values_fini(&values);
}

/* of each kind the last that there is, and one more */
TEST(series_values_at__last_of_each)
{
	const uint32_t flows_max = nodes[1].nic.flows_max;
	struct series_values values;

	ck_assert_uint_gt(flows_max, 0);
	ck_assert_int_eq(series_values_init(&values, &nodes[1]), 0);
	ck_assert_ptr_nonnull(series_values_at(&values, SERIES_FLOW_FIRST, 0, flows_max - 1));
	ck_assert_ptr_null(series_values_at(&values, SERIES_FLOW_FIRST, 0, flows_max));
	ck_assert_ptr_null(series_values_at(&values, SERIES_FLOW_FIRST, 1, 0));
	ck_assert_ptr_nonnull(
		series_values_at(&values, SERIES_CLASS_FIRST, 0, NODE_CLASSES_MAX - 1));
	ck_assert_ptr_null(series_values_at(&values, SERIES_CLASS_FIRST, 0, NODE_CLASSES_MAX));
	ck_assert_ptr_nonnull(series_values_at(&values, SERIES_LANE_FIRST, 0, NODE_LANES_MAX - 1));
	ck_assert_ptr_null(series_values_at(&values, SERIES_LANE_FIRST, 0, NODE_LANES_MAX));
	series_values_fini(&values);
}

/* more than the ring holds: file and ring together have all of it */
TEST(samples_csv_ports__of_a_long_run)
{
	for (uint32_t i = 0; i < 3 * STATS_SERIES_MAX; i++) {
		series_begin(&series[1], i);
		series_port(&series[1], SERIES_TX_BYTES, 0, i);
	}
	series_begin(&series[1], 3 * STATS_SERIES_MAX);
	ck_assert_uint_eq(pages[1]->series.filed, 6ull * STATS_SERIES_MAX);
	series_begin(&series[1], 3 * STATS_SERIES_MAX + 1);
	ck_assert_int_eq(ports(), 0);
	ck_assert_uint_eq(rows(), 3 * STATS_SERIES_MAX + 2);
	ck_assert_ptr_nonnull(strstr(text, "\nh0,0,s1,4097,0,0,4097,"));
	ck_assert_ptr_nonnull(strstr(text, "\nh0,0,s1,6145,0,0,6143,"));
}

/* keys that the node does not have, series that there are not */
TEST(samples_csv_ports__nonsense_is_left_out)
{
	struct series_values values;

	series_begin(&series[0], 0);
	for (uint32_t id = 0; id < 256; id++) {
		for (uint32_t port = 0; port < 256; port += 51) {
			struct series_entry entry = { .id = (uint8_t)id,
						      .port = (uint8_t)port,
						      .index = id * 0x01010101u,
						      .value = UINT64_MAX };

			if (id != SERIES_SAMPLE)
				series_add(pages[0], entry);
		}
	}
	ck_assert_int_eq(ports(), 0);
	ck_assert_uint_eq(rows(), HOSTS);
	ck_assert_ptr_nonnull(strstr(text, "\ns1,0,h0,0,0,0,0,"));
	ck_assert_int_eq(series_values_init(&values, &nodes[1]), 0);
	for (uint32_t id = 1; id < SERIES_IDS; id++) {
		ck_assert_ptr_nonnull(series_values_at(&values, id, 0, 0));
		ck_assert_ptr_null(series_values_at(&values, id, 1, 0));
		ck_assert_ptr_null(series_values_at(&values, id, 0, 8));
	}
	ck_assert_ptr_null(series_values_at(&values, SERIES_SAMPLE, 0, 0));
	ck_assert_ptr_null(series_values_at(&values, SERIES_IDS, 0, 0));
	series_values_fini(&values);
}

/* page and file contradict each other, or there is no page: told, the others are written */
TEST(samples_csv_ports__damaged_logs)
{
	series_begin(&series[0], 0);
	series_begin(&series[1], 0);
	pages[1]->series.filed = 1;
	ck_assert_int_eq(ports(), -EBADMSG);
	ck_assert_uint_eq(rows(), HOSTS);
	free(text);
	pages[1]->series.filed = 0;
	pages[1]->series.count = STATS_SERIES_MAX + 1;
	ck_assert_int_eq(ports(), -EBADMSG);
	free(text);
	pages[1]->series.count = 1;
	pages[1]->series.error = ENOSPC;
	ck_assert_int_eq(ports(), -ENOSPC);
	free(text);
	sources[1].page = NULL;
	ck_assert_int_eq(ports(), -EBADMSG);
	ck_assert_uint_eq(rows(), HOSTS);
	free(text);
	text = NULL;
}

static uint32_t taken;

/* series_fn */
static void take_count(void *context, uint32_t node, const struct series_entry *change)
{
	(void)context;
	ck_assert_uint_lt(node, NODES);
	ck_assert_uint_eq(change->id, SERIES_TX_BYTES);
	taken++;
}

/* Samples of @merge until there are none. Return: how many, each later than the one before. */
static uint32_t samples_take(struct series_merge *merge, node_time_t passed_ps)
{
	node_time_t at_ps;
	uint32_t count = 0;

	for (; (at_ps = series_merge_next_at(merge)) != NODE_TIME_NEVER; count++) {
		ck_assert_uint_ge(at_ps, passed_ps);
		passed_ps = at_ps + 1;
		series_merge_take(merge, at_ps, take_count, NULL);
	}
	return count;
}

/* A node whose samples go back in time, or come after a moment that it had passed, is named and
 * gives none any more; the others go on. */
TEST_RANGE(series_merge__samples_that_come_too_late, 0, 3)
{
	struct series_merge merge;

	for (uint32_t i = 0; i < 2; i++) {
		series_begin(&series[i], 10);
		series_port(&series[i], SERIES_TX_BYTES, 0, 1);
		series_begin(&series[i], i || _i == 2 ? 20 : _i ? 10 : 9);
		series_port(&series[i], SERIES_TX_BYTES, 0, 2);
	}
	ck_assert_int_eq(series_merge_init(&merge, &plan, sources), 0);
	taken = 0;
	ck_assert_uint_eq(samples_take(&merge, 0), 2);
	ck_assert_uint_eq(taken, _i == 2 ? 4 : 3);
	ck_assert_int_eq(merge.error, _i == 2 ? 0 : -EBADMSG);
	series_merge_passed(&merge, 100);
	series_begin(&series[1], 100);
	series_begin(&series[0], 99);
	series_merge_refresh(&merge);
	ck_assert_int_eq(merge.error, -EBADMSG);
	ck_assert_ptr_nonnull(strstr(merge.why, plan.nodes[0].name));
	ck_assert_uint_eq(samples_take(&merge, 100), 1);
	series_merge_fini(&merge);
}

/* what was taken, a "NODE.ID.PORT.INDEX " each */
static char taken_text[1024];

/* series_fn */
static void take_show(void *context, uint32_t node, const struct series_entry *change)
{
	(void)context;
	sprintf(taken_text + strlen(taken_text), "%u.%u.%u.%u ", node, change->id, change->port,
		change->index);
}

/* the last index of each kind of series, and one beyond it; what a switch says of a flow is of the
 * NIC at its port */
TEST(series_merge_take__indices)
{
	static const struct series_entry entries[] = {
		{ .id = SERIES_SAMPLE, .value = 10 },
		{ .id = SERIES_QUEUE_BYTES, .port = HOSTS - 1 },
		{ .id = SERIES_QUEUE_BYTES, .port = HOSTS },
		{ .id = SERIES_QUEUE_BYTES, .index = 1 },
		{ .id = SERIES_CLASS_FIRST, .index = NODE_CLASSES_MAX - 1 },
		{ .id = SERIES_CLASS_FIRST, .index = NODE_CLASSES_MAX },
		{ .id = SERIES_LANE_FIRST, .index = NODE_LANES_MAX - 1 },
		{ .id = SERIES_LANE_FIRST, .index = NODE_LANES_MAX },
		{ .id = SERIES_FLOW_FIRST, .port = 1, .index = 3 },
		{ .id = SERIES_FLOW_FIRST, .port = 1, .index = 4 },
		{ .id = SERIES_IDS - 1, .port = 2, .index = 0 },
		{ .id = SERIES_IDS },
	};
	struct series_merge merge;
	char wanted[256];

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		series_add(pages[0], entries[i]);
	ck_assert_int_eq(series_merge_init(&merge, &plan, sources), 0);
	series_merge_take(&merge, 10, take_show, NULL);
	snprintf(wanted, sizeof(wanted), "0.%u.2.0 0.%u.0.%u 0.%u.0.%u 2.%u.0.3 3.%u.0.0 ",
		 SERIES_QUEUE_BYTES, SERIES_CLASS_FIRST, NODE_CLASSES_MAX - 1, SERIES_LANE_FIRST,
		 NODE_LANES_MAX - 1, SERIES_FLOW_FIRST, SERIES_IDS - 1);
	ck_assert_str_eq(taken_text, wanted);
	ck_assert_uint_eq(series_merge_next_at(&merge), NODE_TIME_NEVER);
	ck_assert_int_eq(merge.error, 0);
	series_merge_fini(&merge);
}

/* @log has entries with the values @from to @to - 1, and then no more */
static void check_entries(struct node_log *log, uint64_t from, uint64_t to)
{
	for (; from < to; from++) {
		const struct series_entry *entry = node_log_entry(log);

		ck_assert_ptr_nonnull(entry);
		ck_assert_uint_eq(entry->value, from);
		node_log_next(log);
	}
	ck_assert_ptr_null(node_log_entry(log));
}

/* The file of a node that runs is full, and it writes over its ring before that was read: what is
 * lost is the end of its log, told with the reason. */
TEST_RANGE(node_log__file_is_full, 0, 3)
{
	const uint32_t read = _i == 0 ? 0 : _i == 1 ? 7 : STATS_SERIES_MAX - 1;
	struct node_log log;

	close(sources[0].fd);
	sources[0].fd = open("/dev/full", O_RDWR);
	series_file(pages[0], sources[0].fd);
	for (uint32_t i = 0; i < STATS_SERIES_MAX - 1; i++)
		series_begin(&series[0], i);
	ck_assert_int_eq(node_log_series(&log, &sources[0]), 0);
	for (uint32_t i = 0; i < read; i++) {
		ck_assert_uint_eq(((const struct series_entry *)node_log_entry(&log))->value, i);
		node_log_next(&log);
	}
	for (uint32_t i = 0; i < 2 * STATS_SERIES_MAX; i++)
		series_begin(&series[0], STATS_SERIES_MAX + i);
	ck_assert_ptr_null(node_log_entry(&log));
	ck_assert_int_eq(node_log_refresh(&log), -ENOSPC);
	ck_assert_ptr_null(node_log_entry(&log));
	node_log_close(&log);
}

/* A node is interrupted between the last entry of its ring and the file: all of the ring is read.
 * With an error of the file it may be writing over the oldest one. */
TEST_RANGE(node_log__the_ring_is_being_written_to_the_file, 0, 2)
{
	struct node_log log;

	for (uint32_t i = 0; i < STATS_SERIES_MAX - 1; i++)
		series_begin(&series[0], i);
	*stats_series(pages[0], STATS_SERIES_MAX - 1) =
		(struct series_entry){ .value = STATS_SERIES_MAX - 1, .id = SERIES_SAMPLE };
	page_log_count(&pages[0]->series, STATS_SERIES_MAX);
	ck_assert_int_eq(node_log_series(&log, &sources[0]), 0);
	pages[0]->series.error = _i ? ENOSPC : 0;
	if (_i)
		ck_assert_ptr_null(node_log_entry(&log));
	else
		check_entries(&log, 0, STATS_SERIES_MAX);
	node_log_close(&log);
}

/* as the fabric runs: what is in the file, and in the ring. What the node writes meanwhile changes
 * nothing that is read, although it is in the same places of the ring. */
TEST(node_log__of_a_running_node)
{
	struct node_log log;

	ck_assert_int_eq(node_log_series(&log, &sources[0]), 0);
	ck_assert_ptr_null(node_log_entry(&log));
	for (uint32_t i = 0; i < STATS_SERIES_MAX + 7; i++)
		series_begin(&series[0], i);
	ck_assert_int_eq(node_log_refresh(&log), 0);
	for (uint32_t i = STATS_SERIES_MAX + 7; i < 3 * STATS_SERIES_MAX; i++)
		series_begin(&series[0], i);
	check_entries(&log, 0, STATS_SERIES_MAX + 7);
	ck_assert_int_eq(node_log_refresh(&log), 0);
	check_entries(&log, STATS_SERIES_MAX + 7, 3 * STATS_SERIES_MAX);
	/* fewer than it had before */
	pages[0]->series.count = pages[0]->series.filed = 0;
	ck_assert_int_eq(node_log_refresh(&log), -EBADMSG);
	ck_assert_ptr_null(node_log_entry(&log));
	node_log_close(&log);
}
