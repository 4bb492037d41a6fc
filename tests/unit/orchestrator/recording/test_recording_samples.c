/*  orchestrator/recording/recording_samples: logs of samples that are made again from slices, and
 *  how large their tables may be (SE-3). A switch with two ports and two hosts. */
#include "orchestrator/recording/recording_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/recording/recording_head.h"
#include "orchestrator/results/samples_csv.h"
#include "tests/testing.h"

#define PORTS 4u /* in all */
#define CLASSES 2u
#define LANES 3u

static const char nodes[] =
	"{\"format\": 1, \"kind\": \"port-group\", \"classes\": [\"a\", \"b\"], \"lanes\": 3, "
	"\"events\": [], \"nodes\": [{\"name\": \"s\", \"type\": \"switch\", \"ports\": "
	"[{\"peer\": "
	"1, \"peer_port\": 0, \"rate_bps\": 1, \"delay_ps\": 1}, {\"peer\": 2, \"peer_port\": 0, "
	"\"rate_bps\": 1, \"delay_ps\": 1}]}, {\"name\": \"h1\", \"type\": \"host\", \"ports\": "
	"[{\"peer\": 0, \"peer_port\": 0, \"rate_bps\": 1, \"delay_ps\": 1}]}, {\"name\": \"h2\", "
	"\"type\": \"host\", \"ports\": [{\"peer\": 0, \"peer_port\": 1, \"rate_bps\": 1, "
	"\"delay_ps\": 1}]}]}";

static struct recording_heading heading;
static struct recording_samples samples;

static void setup(void)
{
	json_t *json = json_loads(nodes, 0, NULL);
	char *text;
	struct why why;

	json_object_set_new(json, "series", recording_series_json());
	text = json_dumps(json, 0);
	ck_assert_msg(!recording_heading_read(&heading, text, strlen(text), &why), "%s", why.text);
	free(text);
	json_decref(json);
	ck_assert_int_eq(recording_samples_init(&samples, &heading), 0);
	recording_samples_allow(&samples, 0);
}

static void teardown(void)
{
	recording_samples_fini(&samples);
	ck_assert_ptr_null(samples.nodes);
	recording_heading_free(&heading);
}

TEST_GROUP(recording_samples, .setup = setup, .teardown = teardown);

/* ---- flows ---- */

#define FLOW(node, index, destination, class, more)                                    \
	"[{\"node\": " #node ", \"index\": " #index ", \"destination\": " #destination \
	", \"class\": " #class ", \"connection\": 0, \"workload\": \"w\"" more "}]"

static int flows(const char *text)
{
	return recording_samples_flows(&samples, text, strlen(text));
}

TEST(recording_samples_flows__known_and_next)
{
	struct recording_samples_node *node = &samples.nodes[1];

	ck_assert_int_eq(flows("[]"), 0);
	ck_assert_int_eq(flows(FLOW(1, 0, 2, 1, "")), 0);
	ck_assert_uint_eq(node->flow_count, 1);
	ck_assert_uint_eq(node->flows[0].destination, 1);
	ck_assert_uint_eq(node->flows[0].traffic_class, 1);
	ck_assert_uint_eq(node->flows[0].workload_index, 0);
	/* again, with its path at the end */
	ck_assert_int_eq(flows(FLOW(1, 0, 1, 0, "")), 0);
	ck_assert_uint_eq(node->flow_count, 1);
	ck_assert_uint_eq(node->flows[0].destination, 0);
	ck_assert_int_eq(flows(FLOW(1, 1, 1, 0, "")), 0);
	ck_assert_uint_eq(node->flow_count, 2);
	ck_assert_uint_eq(samples.nodes[2].flow_count, 0);
}

TEST(recording_samples_flows__many)
{
	char text[256];

	for (unsigned i = 0; i < 100; i++) {
		snprintf(text, sizeof(text),
			 "[{\"node\": 2, \"index\": %u, \"destination\": 1, \"class\": 0, "
			 "\"connection\": %u, \"workload\": \"w%u\"}]",
			 i, i * 7, i % 3);
		ck_assert_int_eq(flows(text), 0);
	}
	ck_assert_uint_eq(samples.nodes[2].flow_count, 100);
	for (unsigned i = 0; i < 100; i++) {
		ck_assert_uint_eq(samples.nodes[2].flows[i].connection, i * 7);
		ck_assert_uint_eq(samples.nodes[2].flows[i].workload_index, i % 3);
	}
}

TEST(recording_samples_flows__wrong)
{
	static const char *const wrong[] = { "",
					     "{}",
					     "[1]",
					     "[{}]",
					     "[",
					     FLOW(0, 0, 2, 0, ""),
					     FLOW(3, 0, 2, 0, ""),
					     FLOW(-1, 0, 2, 0, ""),
					     FLOW(1, 1, 2, 0, ""),
					     FLOW(1, 0, 0, 0, ""),
					     FLOW(1, 0, 3, 0, ""),
					     FLOW(1, 0, 2, 2, ""),
					     FLOW(1, 0.0, 2, 0, ""),
					     FLOW(1, 0, 2, 0, ", \"connection\": 4294967295"),
					     FLOW(1, 0, 2, 0, ", \"workload\": 1"),
					     FLOW(1, 0, 2, 0, ", \"workload\": \"a,b\"") };

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(flows(wrong[i]) == -EINVAL, "%s", wrong[i]);
	ck_assert_uint_eq(samples.nodes[1].flow_count, 0);
	ck_assert_int_eq(flows(FLOW(1, 0, 2, 0, ", \"connection\": 4294967294")), 0);
	/* those before the wrong one stay */
	ck_assert_int_eq(flows("[{\"node\": 1, \"index\": 1, \"destination\": 2, \"class\": 0, "
			       "\"connection\": 0, \"workload\": \"\"}, {}]"),
			 -EINVAL);
	ck_assert_uint_eq(samples.nodes[1].flow_count, 2);
}

/* ---- slices ---- */

static void span(uint32_t count)
{
	static const node_time_t times[] = { 10, 20, 30, 40 };

	recording_samples_span(&samples, 0, 100, times, count);
}

/* series @id in the numbers of the recording, which are those of this Heddle */
static void change(uint32_t node, uint32_t id, uint32_t port, uint32_t index, uint32_t sample,
		   uint64_t value)
{
	const struct slice_key key = { node, recording_series_number(id), port, index };

	recording_samples_change(&samples, &key, sample, value);
}

TEST(recording_samples_span__counts_values)
{
	const uint64_t ports = PORTS * (SERIES_PER_PORT + CLASSES * SERIES_PER_CLASS +
					CLASSES * LANES * SERIES_PER_LANE);

	span(3);
	ck_assert_uint_eq(samples.value_count, 3 * ports);
	ck_assert_int_eq(flows(FLOW(1, 0, 2, 0, "")), 0);
	ck_assert_int_eq(flows(FLOW(2, 0, 1, 0, "")), 0);
	span(1);
	ck_assert_uint_eq(samples.value_count, 4 * ports + 2 * SERIES_PER_FLOW);
	ck_assert_int_eq(samples.error, 0);
}

TEST(recording_samples_span__limit)
{
	uint64_t each;

	span(1);
	each = samples.value_count;
	samples.values_max = 3 * each;
	span(2);
	ck_assert_int_eq(samples.error, 0);
	span(1);
	ck_assert_int_eq(samples.error, -EFBIG);
	/* what follows is left out */
	span(1);
	ck_assert_uint_eq(samples.value_count, 4 * each);
	change(0, SERIES_QUEUE_BYTES, 0, 0, 0, 1);
	ck_assert_uint_eq(samples.change_count, 0);
	ck_assert_ptr_null(recording_samples_sources(&samples));
}

TEST(recording_samples_allow__by_the_bytes_of_the_file)
{
	recording_samples_allow(&samples, 0);
	ck_assert_uint_eq(samples.values_max, 134217728);
	recording_samples_allow(&samples, 10);
	ck_assert_uint_eq(samples.values_max, 134217728 + 20480);
	recording_samples_allow(&samples, UINT64_MAX / 2048 + 1);
	ck_assert_uint_eq(samples.values_max, UINT64_MAX);
	recording_samples_allow(&samples, UINT64_MAX / 2048);
	ck_assert_uint_eq(samples.values_max, UINT64_MAX);
}

/* the column @name of the rows of @table, with a blank after each value; freed by the caller */
static char *column(const char *name,
		    int (*table)(const struct plan *, const struct node_log_source *, FILE *))
{
	struct node_log_source *sources = recording_samples_sources(&samples);
	char *text, *values, *rest, *line;
	size_t length;
	FILE *out = open_memstream(&text, &length), *found;
	int wanted = -1;

	ck_assert_ptr_nonnull(sources);
	ck_assert_int_eq(table(&heading.plan, sources, out), 0);
	fclose(out);
	found = open_memstream(&values, &length);
	rest = text;
	while ((line = strsep(&rest, "\n")) && *line) {
		char *cell;

		for (int i = 0; (cell = strsep(&line, ",")); i++) {
			if (wanted < 0 && !strcmp(cell, name))
				wanted = i;
			else if (i == wanted)
				fprintf(found, "%s ", cell);
		}
		ck_assert_int_ge(wanted, 0);
	}
	fclose(found);
	free(text);
	free(sources);
	for (uint32_t i = 0; i < heading.plan.node_count; i++) {
		free(samples.nodes[i].page);
		samples.nodes[i].page = NULL;
	}
	return values;
}

static void queues_are(const char *expected)
{
	char *found = column("queue_bytes", samples_csv_ports);

	ck_assert_str_eq(found, expected);
	free(found);
}

/* Rows of the two ports of s at each sample, of h1, of h2. A slice begins with all values that
 * are not 0. */
TEST(recording_samples_end__values_of_slices)
{
	span(2);
	change(0, SERIES_QUEUE_BYTES, 0, 0, 0, 5);
	change(0, SERIES_QUEUE_BYTES, 0, 0, 1, 6);
	change(0, SERIES_QUEUE_BYTES, 1, 0, 1, 7);
	change(2, SERIES_QUEUE_BYTES, 0, 0, 0, 8);
	recording_samples_end(&samples);
	ck_assert(samples.any);
	queues_are("5 0 6 7 0 0 8 8 ");
	recording_samples_span(&samples, 100, 200, (node_time_t[]){ 110, 120 }, 2);
	change(0, SERIES_QUEUE_BYTES, 1, 0, 0, 7);
	change(1, SERIES_QUEUE_BYTES, 0, 0, 1, 9);
	recording_samples_end(&samples);
	queues_are("5 0 6 7 0 7 0 7 0 0 0 9 8 8 0 0 ");
	recording_samples_span(&samples, 200, 300, (node_time_t[]){ 210 }, 1);
	recording_samples_end(&samples);
	queues_are("5 0 6 7 0 7 0 7 0 0 0 0 0 9 0 8 8 0 0 0 ");
}

TEST(recording_samples_end__no_samples)
{
	span(0);
	recording_samples_end(&samples);
	ck_assert(!samples.any);
	queues_are("");
}

TEST(recording_samples_end__flows)
{
	char *found;

	ck_assert_int_eq(flows(FLOW(1, 0, 2, 0, "")), 0);
	ck_assert_int_eq(flows(FLOW(1, 1, 2, 1, "")), 0);
	span(1);
	change(1, SERIES_FLOW_FIRST, 0, 0, 0, 70);
	change(1, SERIES_FLOW_FIRST, 0, 1, 0, 71);
	/* this flow is not known */
	change(1, SERIES_FLOW_FIRST, 0, 2, 0, 72);
	ck_assert_uint_eq(samples.change_count, 2);
	recording_samples_end(&samples);
	found = column(series_row(SERIES_FLOW_FIRST)->name + strlen("flow_"), samples_csv_flows);
	ck_assert_str_eq(found, "70 71 ");
	free(found);
}

/* an index that a series of this kind does not have, and a series that this Heddle does not have */
TEST(recording_samples_change__left_out)
{
	span(1);
	change(0, SERIES_QUEUE_BYTES, 0, 1, 0, 1);
	change(0, SERIES_CLASS_FIRST, 0, NODE_CLASSES_MAX, 0, 1);
	change(0, SERIES_LANE_FIRST, 0, NODE_LANES_MAX, 0, 1);
	change(0, SERIES_FLOW_FIRST, 0, 0, 0, 1);
	heading.series[recording_series_number(SERIES_QUEUE_BYTES)] = SERIES_SAMPLE;
	change(0, SERIES_QUEUE_BYTES, 0, 0, 0, 1);
	ck_assert_uint_eq(samples.change_count, 0);
	change(0, SERIES_CLASS_FIRST, 0, NODE_CLASSES_MAX - 1, 0, 1);
	change(0, SERIES_LANE_FIRST, 0, NODE_LANES_MAX - 1, 0, 1);
	ck_assert_uint_eq(samples.change_count, 2);
	ck_assert_int_eq(samples.error, 0);
}

/* more changes and more series that stay than there is space for at first */
TEST(recording_samples_change__many)
{
	char text[256];

	for (unsigned i = 0; i < 700; i++) {
		snprintf(text, sizeof(text),
			 "[{\"node\": 1, \"index\": %u, \"destination\": 2, \"class\": 0, "
			 "\"connection\": 0, \"workload\": \"w\"}]",
			 i);
		ck_assert_int_eq(flows(text), 0);
	}
	span(2);
	for (unsigned i = 0; i < 700; i++) {
		change(1, SERIES_FLOW_FIRST, 0, i, 0, i + 1);
		change(1, SERIES_FLOW_FIRST, 0, i, 1, i % 7 ? i + 2 : 0);
	}
	ck_assert_uint_eq(samples.change_count, 1400);
	for (unsigned i = 0; i < 1400; i++)
		ck_assert_uint_eq(samples.changes[i].entry.index, i / 2);
	recording_samples_end(&samples);
	ck_assert_uint_eq(samples.nodes[1].live_count, 600);
	ck_assert_int_eq(samples.error, 0);
}

TEST(recording_samples_end__cannot_write)
{
	samples.nodes[0].log = fopen("/dev/full", "w");
	setvbuf(samples.nodes[0].log, NULL, _IONBF, 0);
	span(2);
	recording_samples_end(&samples);
	ck_assert_int_eq(samples.error, -ENOSPC);
	ck_assert_ptr_null(samples.nodes[1].log);
}
