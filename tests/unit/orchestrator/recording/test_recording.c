/*  orchestrator/recording: what recording_write writes, recording_read reads; what is wrong is
 *  refused with its place. The recorder gives the same bytes however often it is called (SE-3). */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "nodes/stats/series.h"
#include "orchestrator/recording/recorder.h"
#include "orchestrator/recording/recording_export.h"
#include "orchestrator/recording/recording_read.h"
#include "orchestrator/results/events.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

static struct node_log_source events[NODES], series[NODES];
static char *file;
static size_t file_length;
static struct recording_found found;
static char *exported; /* events */
static struct why why;

static void setup(void)
{
	set_up();
	for (uint32_t i = 0; i < NODES; i++) {
		free(pages[i]);
		nodes[i].series = nodes[i].events = true;
		nodes[i].sample_ps = NODE_US;
		nodes[i].class_count = 1;
		strcpy(nodes[i].classes[0].name, "best");
		pages[i] = calloc(1, stats_bytes(&nodes[i]));
		stats_init(pages[i], &nodes[i]);
		events[i] = (struct node_log_source){ pages[i], memfd_create("events", 0) };
		series[i] = (struct node_log_source){ pages[i], memfd_create("series", 0) };
		trace_file(pages[i], events[i].fd);
		series_file(pages[i], series[i].fd);
	}
}

static void teardown(void)
{
	for (uint32_t i = 0; i < NODES; i++) {
		close(events[i].fd);
		close(series[i].fd);
	}
	free(file);
	free(exported);
	file = exported = NULL;
	tear_down();
}

/* node @node samples at @at_ps: its queue has @value bytes */
static void sample(uint32_t node, node_time_t at_ps, uint64_t value)
{
	series_add(pages[node], (struct series_entry){ .value = at_ps, .id = SERIES_SAMPLE });
	series_add(pages[node], (struct series_entry){ .value = value, .id = SERIES_QUEUE_BYTES });
}

static void mark(uint32_t node, node_time_t at_ps)
{
	trace(pages[node], (struct trace_entry){ .at_ps = at_ps,
						 .kind = TRACE_MARK,
						 .source = 1,
						 .destination = 2,
						 .value = 3000 });
}

/* what all nodes do in microseconds @from to @to */
static void nodes_run(uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		for (uint32_t n = 0; n < NODES; n++) {
			sample(n, i * NODE_US, (uint64_t)i * i % 7 * n);
			for (uint32_t k = 0; k < 9; k++)
				mark(n, i * NODE_US + k * 1000 + n);
		}
}

/* a recording of @us microseconds, that follows the run every @step */
static void record(uint32_t us, uint32_t step)
{
	struct recorder recorder;
	bool written;
	FILE *out;

	free(file);
	out = open_memstream(&file, &file_length);
	ck_assert_int_eq(recorder_begin(&recorder, &plan, NULL, events, series, out), 0);
	for (uint32_t at = 0; at < us; at += step) {
		nodes_run(at, at + step < us ? at + step : us);
		ck_assert_int_eq(recorder_follow(&recorder, at * NODE_US), 0);
	}
	ck_assert_int_eq(recorder_follow(&recorder, NODE_TIME_NEVER), 0);
	ck_assert_int_eq(
		recorder_end(&recorder, RECORDING_FAILED, "it broke", us * NODE_US, &written, &why),
		0);
	ck_assert(written);
	fclose(out);
}

/* reads @length bytes of the file. Return: the result; `exported` has the events */
static int export_bytes(const char *bytes, size_t length)
{
	struct recording_reader reader;
	struct recording_outputs outputs = { 0 };
	FILE *in = fmemopen((void *)bytes, length, "r");
	size_t exported_length;
	int error = recording_open(&reader, in);

	free(exported);
	outputs.events = open_memstream(&exported, &exported_length);
	if (!error)
		error = recording_export(&reader, &outputs, &found);
	why = reader.why;
	recording_close(&reader);
	fclose(outputs.events);
	fclose(in);
	return error;
}

TEST_GROUP(recording, .setup = setup, .teardown = teardown);

/* more slices than one, more events than a ring of a node has */
TEST(recording__written_and_read)
{
	char *text;
	size_t length;
	FILE *out;

	record(300, 300);
	ck_assert_int_eq(export_bytes(file, file_length), 0);
	ck_assert_str_eq(found.status, "failed");
	ck_assert_str_eq(found.failure, "it broke");
	ck_assert_uint_eq(found.end_ps, 300 * NODE_US);
	ck_assert_uint_eq(found.slice_count, 5);
	ck_assert_uint_eq(found.sample_count, 300);
	ck_assert_uint_eq(found.event_count, 300 * 9 * NODES);
	ck_assert(!found.result);

	out = open_memstream(&text, &length);
	events_write(&plan, events, EVENTS_CSV, out, &why);
	fclose(out);
	ck_assert_str_eq(exported, text);
	free(text);
}

static char *first;
static size_t first_length;

/* the bytes do not depend on when the recorder looked */
TEST(recorder__same_bytes)
{
	record(300, 300);
	first = file;
	first_length = file_length;
	file = NULL;
	for (uint32_t step = 1; step < 100; step += 31) {
		teardown();
		setup();
		record(300, step);
		ck_assert_uint_eq(file_length, first_length);
		ck_assert_int_eq(memcmp(file, first, file_length), 0);
	}
	free(first);
}

/* a node whose log contradicts its file is named, the rest is there */
TEST(recorder__incomplete)
{
	struct recorder recorder;
	bool written;
	FILE *out = open_memstream(&file, &file_length);

	ck_assert_int_eq(recorder_begin(&recorder, &plan, NULL, events, series, out), 0);
	nodes_run(0, 10);
	pages[2]->series.filed = 5000;
	ck_assert_int_eq(recorder_follow(&recorder, NODE_TIME_NEVER), 0);
	ck_assert_int_eq(
		recorder_end(&recorder, RECORDING_COMPLETE, NULL, 10 * NODE_US, &written, &why),
		-EBADMSG);
	ck_assert(written);
	ck_assert_ptr_nonnull(strstr(why.text, "the samples of h1 are incomplete"));
	fclose(out);
	ck_assert_int_eq(export_bytes(file, file_length), 0);
	ck_assert_uint_eq(found.event_count, 10 * 9 * NODES);
}

/* the contents of the blocks of flows of what was recorded, a line each; freed by the caller */
static char *flow_blocks(void)
{
	FILE *in = fmemopen(file, file_length, "r"), *out;
	struct recording_reader reader;
	char *text;
	size_t length;

	out = open_memstream(&text, &length);
	ck_assert_int_eq(recording_open(&reader, in), 0);
	while (recording_next(&reader) == 1)
		if (reader.kind == RECORDING_FLOW)
			fprintf(out, "%.*s\n", (int)reader.content.length,
				(const char *)reader.content.bytes);
	ck_assert_str_eq(reader.why.text, "");
	recording_close(&reader);
	fclose(out);
	fclose(in);
	for (char *at = text; (at = strchr(at, '"'));)
		*at = '\'';
	return text;
}

#define FLOW(node, index, destination, workload, connection, path)      \
	"{'node':" node ",'index':" index ",'destination':" destination \
	",'class':0,'workload':'" workload "','connection':" connection ",'path':" path "}"

/* A flow is described before its first sample, and all are at the end, with their paths. What a
 * node says of a host, workload or class that is not there is none. */
TEST(recorder__flows)
{
	static const struct series_entry entries[] = { { .id = SERIES_SAMPLE, .value = NODE_US },
						       { .id = SERIES_FLOW_FIRST, .index = 1 } };
	struct recorder recorder;
	bool written;
	FILE *out = open_memstream(&file, &file_length);
	char *text;

	flow_add(0, 1, 0, 5, 5);
	flow_add(0, 2, 1, 5, 5);
	flow_add(2, 0, 7, 5, 0);
	stats_flow_tx(pages[1], 1)->connection = 9;
	stats_flow_tx(pages[3], 0)->destination = HOSTS;
	stats_flow_tx(pages[3], 0)->traffic_class = 1;
	ck_assert_int_eq(recorder_begin(&recorder, &plan, "v", events, series, out), 0);
	series_add(pages[1], entries[0]);
	series_add(pages[1], entries[1]);
	ck_assert_int_eq(recorder_follow(&recorder, 2 * NODE_US), 0);
	trace(pages[0], (struct trace_entry){ .at_ps = 3 * NODE_US,
					      .kind = TRACE_PATH,
					      .port = 2,
					      .source = 1,
					      .destination = 3,
					      .detail = 1 });
	ck_assert_int_eq(recorder_follow(&recorder, NODE_TIME_NEVER), 0);
	ck_assert_int_eq(
		recorder_end(&recorder, RECORDING_COMPLETE, NULL, 4 * NODE_US, &written, &why), 0);
	fclose(out);
	text = flow_blocks();
	ck_assert_str_eq(text,
			 "[" FLOW("1", "0", "2", "first", "0", "null") "," FLOW(
				 "1", "1", "3", "second", "9",
				 "null") "]\n"
					 "[" FLOW("1", "0", "2", "first", "0", "null") "," FLOW(
						 "1", "1", "3", "second", "9",
						 "[[1,0],[0,2]]") "," FLOW("3", "0", "1", "", "0",
									   "null") "]\n");
	free(text);
	ck_assert_int_eq(export_bytes(file, file_length), 0);
	ck_assert_uint_eq(found.event_count, 1);
	ck_assert_uint_eq(found.end_ps, 4 * NODE_US);
}

static uint64_t json_left; /* allocations of JSON that succeed, before one fails */

static void *json_allocate(size_t bytes)
{
	return json_left-- ? malloc(bytes) : NULL;
}

/* Whichever of the first allocations of the head fails, there is no leak. */
TEST(recorder_begin__without_memory_for_json)
{
	struct recorder recorder;
	FILE *out = tmpfile();
	bool written;

	for (uint64_t i = 0; i < 60; i++) {
		int error;

		json_set_alloc_funcs(json_allocate, free);
		json_left = i;
		error = recorder_begin(&recorder, &plan, NULL, events, series, out);
		json_set_alloc_funcs(malloc, free);
		if (!i)
			ck_assert_int_eq(error, -ENOMEM);
		if (!error)
			recorder_end(&recorder, RECORDING_COMPLETE, NULL, 0, &written, &why);
		else
			ck_assert_int_eq(error, -ENOMEM);
	}
	fclose(out);
}

/* a disk that is full */
TEST(recorder__cannot_write)
{
	struct recorder recorder;
	bool written;
	FILE *out = fopen("/dev/full", "w");

	ck_assert_int_eq(recorder_begin(&recorder, &plan, NULL, events, series, out), 0);
	nodes_run(0, 100);
	ck_assert_int_eq(recorder_follow(&recorder, NODE_TIME_NEVER), -ENOSPC);
	ck_assert_int_eq(recorder_end(&recorder, RECORDING_COMPLETE, NULL, 0, &written, &why),
			 -ENOSPC);
	ck_assert(!written);
	fclose(out);
}

/* cut off anywhere, and with any byte changed, it is refused; but for the few bits of a zlib stream
 * that have no meaning */
TEST(recording_read__damaged)
{
	uint32_t harmless = 0;
	char *copy, *rows;

	record(3, 3);
	ck_assert_int_eq(export_bytes(file, file_length), 0);
	rows = strdup(exported);
	copy = malloc(file_length);
	for (size_t length = 0; length < file_length; length++)
		ck_assert_int_eq(export_bytes(file, length ? length : 1), -EINVAL);
	for (size_t at = 0; at < file_length; at++) {
		memcpy(copy, file, file_length);
		copy[at] ^= 0x55;
		if (!export_bytes(copy, file_length)) {
			ck_assert_str_eq(exported, rows);
			harmless++;
			continue;
		}
		ck_assert_msg(strlen(why.text) > 10, "byte %zu: %s", at, why.text);
	}
	ck_assert_uint_le(harmless, 5);
	free(rows);
	free(copy);
}

/* the file with the byte @at replaced by @byte is refused with @what */
static void check_byte(size_t at, char byte, const char *what)
{
	char before = file[at];

	file[at] = byte;
	ck_assert_int_eq(export_bytes(file, file_length), -EINVAL);
	ck_assert_msg(strstr(why.text, what) != NULL, "'%s' is not in: %s", what, why.text);
	file[at] = before;
}

/* the reason is named: the kind of a block, the end of the file, something after it */
TEST(recording_read__reasons)
{
	size_t kind = RECORDING_HEAD_BYTES + 4;

	record(3, 3);
	for (size_t i = 0; i < RECORDING_KIND_BYTES; i++) {
		check_byte(kind + i, 'A' - 1, "four capital letters");
		check_byte(kind + i, 'Z' + 1, "four capital letters");
		check_byte(kind + i, 'Z', "expected HEAD as the first one");
	}
	check_byte(0, 'x', "it is no recording of Heddle, or of a later version");
	check_byte(file_length - 1, 'x', "expected the place of the index, and 'heddle end'");
	check_byte(file_length - RECORDING_TAIL_BYTES, 'x', "expected the place of the index");
	file = realloc(file, file_length + 1);
	file[file_length] = 0;
	ck_assert_int_eq(export_bytes(file, file_length), 0);
	ck_assert_int_eq(export_bytes(file, file_length + 1), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "there is something after 'heddle end'"));
	ck_assert_int_eq(export_bytes(file, file_length - 1), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "the file ends after its index"));
	ck_assert_int_eq(export_bytes(file, RECORDING_HEAD_BYTES - 1), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "too short"));
	ck_assert_int_eq(export_bytes(file, RECORDING_HEAD_BYTES + 3), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "the file ends without its index"));
	ck_assert_int_eq(export_bytes(file, RECORDING_HEAD_BYTES + 20), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "the file ends in a block"));
}

/* ---- a small file that would become very much ---- */

#define EMPTY_SLICE_SAMPLES 64u

/* adds a slice with samples in which nothing changes */
static void empty_slice(struct pack *file_pack, uint64_t from_ps)
{
	struct pack content = { 0 };

	pack_number(&content, from_ps);
	pack_number(&content, from_ps + EMPTY_SLICE_SAMPLES);
	pack_number(&content, EMPTY_SLICE_SAMPLES);
	for (uint32_t i = 0; i < EMPTY_SLICE_SAMPLES; i++)
		pack_number(&content, 1);
	pack_number(&content, 0);
	pack_number(&content, 0);
	recording_block_pack("DATA", content.bytes, content.length, file_pack);
	pack_free(&content);
}

/* a head of @count switches with 64 ports each */
static char *wide_head(uint32_t count)
{
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	fputs("{\"format\":1,\"kind\":\"roce\",\"classes\":[\"a\"],\"lanes\":1,\"series\":[],"
	      "\"events\":[],\"nodes\":[",
	      out);
	for (uint32_t i = 0; i < count; i++) {
		fprintf(out, "%s{\"name\":\"s%u\",\"type\":\"switch\",\"ports\":[null",
			i ? "," : "", i);
		for (uint32_t p = 1; p < NODE_PORTS_MAX; p++)
			fputs(",null", out);
		fputs("]}", out);
	}
	fputs("]}", out);
	fclose(out);
	return text;
}

/* Its tables are refused before a row is written, and it costs no more than its nodes. */
TEST(recording_export__samples_of_a_small_file)
{
	char folder[] = "/tmp/heddle-test-XXXXXX", table[64], *head = wide_head(1000);
	struct recording_outputs outputs = { .csv = mkdtemp(folder) };
	struct recording_reader reader;
	struct pack pack = { 0 };
	FILE *in;

	pack_bytes(&pack, RECORDING_HEAD, RECORDING_HEAD_BYTES);
	recording_block_pack("HEAD", head, strlen(head), &pack);
	for (uint64_t i = 0; i < 1000; i++)
		empty_slice(&pack, i * EMPTY_SLICE_SAMPLES);
	ck_assert_uint_lt(pack.length, 100000);
	in = fmemopen(pack.bytes, pack.length, "r");
	ck_assert_int_eq(recording_open(&reader, in), 0);
	ck_assert_int_eq(recording_export(&reader, &outputs, &found), -EINVAL);
	ck_assert_msg(strstr(reader.why.text, "the tables of samples would have more") != NULL,
		      "%s", reader.why.text);
	ck_assert_uint_le(found.slice_count, 3);
	snprintf(table, sizeof(table), "%s/samples.csv", folder);
	ck_assert_int_ne(access(table, F_OK), 0);
	ck_assert_int_eq(rmdir(folder), 0);
	recording_close(&reader);
	fclose(in);
	pack_free(&pack);
	free(head);
}

/* A block of zeros, made by another program: a megabyte for each kilobyte of the file. */
TEST(recording_read__block_that_inflates_to_very_much)
{
	uint8_t *zeros = calloc(1, 64u << 20), *stream = malloc(1u << 20);
	uLongf length = 1u << 20;
	struct pack pack = { 0 };
	char *limit;

	ck_assert_int_eq(compress2(stream, &length, zeros, 64u << 20, 9), Z_OK);
	pack_bytes(&pack, RECORDING_HEAD, RECORDING_HEAD_BYTES);
	pack_u32(&pack, (uint32_t)length);
	pack_bytes(&pack, "HEAD", RECORDING_KIND_BYTES);
	pack_bytes(&pack, stream, length);
	ck_assert_int_eq(export_bytes((const char *)pack.bytes, pack.length), -EINVAL);
	limit = strstr(why.text, "64 times as long as the block");
	ck_assert_msg(limit != NULL, "%s", why.text);
	pack_free(&pack);
	free(zeros);
	free(stream);
}

/* What we write is never refused: it is compressed less. */
TEST(recording_block__zeros_are_read_again)
{
	uint8_t *zeros = calloc(1, 4u << 20);
	struct pack pack = { 0 }, content = { 0 };

	ck_assert_int_eq(recording_block_pack("TABL", zeros, 4u << 20, &pack), 0);
	ck_assert_int_eq(recording_block_inflate(pack.bytes + RECORDING_BLOCK_HEAD_BYTES,
						 pack.length - RECORDING_BLOCK_HEAD_BYTES,
						 &content),
			 0);
	ck_assert_uint_eq(content.length, 4u << 20);
	ck_assert_int_eq(memcmp(content.bytes, zeros, content.length), 0);
	pack_free(&pack);
	pack_free(&content);
	free(zeros);
}

/* ---- HEAD ---- */

/* a recording with the head @text, which is refused with @what */
static void check_head(const char *text, const char *what)
{
	struct pack pack = { 0 };

	pack_bytes(&pack, RECORDING_HEAD, RECORDING_HEAD_BYTES);
	ck_assert_int_eq(recording_block_pack("HEAD", text, strlen(text), &pack), 0);
	ck_assert_int_eq(export_bytes((const char *)pack.bytes, pack.length), -EINVAL);
	ck_assert_msg(strstr(why.text, what) != NULL, "'%s' is not in: %s", what, why.text);
	pack_free(&pack);
}

#define COMMON "{\"format\": 1, \"classes\": [\"a\"], \"lanes\": 1, \"kind\": \"roce\", "
#define PORTS(...) "\"ports\": [" __VA_ARGS__ "]}"
#define SWITCH(...) "{\"name\": \"s\", \"type\": \"switch\", " PORTS(__VA_ARGS__)

TEST(recording_heading__wrong)
{
	check_head("[]", "no JSON object");
	check_head("{\"format\": 2}", "format");
	check_head("{\"format\": 1}", "nodes: expected");
	check_head("{\"format\": 1, \"nodes\": [1], \"classes\": [], \"lanes\": 1}", "kind");
	check_head("{\"format\": 1, \"nodes\": [1], \"classes\": [\"a,b\"]}", "classes");
	check_head("{\"format\": 1, \"nodes\": [1], \"classes\": [\"a\"], \"lanes\": 1000}",
		   "lanes");
	check_head(COMMON "\"nodes\": [1]}", "node 0 has no name");
	check_head(COMMON "\"nodes\": [" SWITCH("null") "], \"series\": [{\"id\": 0, \"name\": \""
							"a123456789b123456789c123456789d123456789"
							"e123456789f123456789ghij\"}]}",
		   "series 0: expected a name");
	check_head(COMMON "\"nodes\": [{\"name\": \"s\", \"type\": \"x\"}]}",
		   "node 0 is no switch");
	check_head(COMMON "\"nodes\": [" SWITCH() "]}", "1 to 64 ports");
	check_head(COMMON "\"nodes\": [" SWITCH("{\"peer\": 1}") "]}", "leads to no node");
	check_head(COMMON "\"nodes\": [" SWITCH("null") "]}", "series: expected a list");
	check_head(COMMON "\"nodes\": [{\"name\": \"h\", \"type\": \"host\", " PORTS(
			   "null") ", " SWITCH("null") "]}",
		   "node 1 is a switch after a host");
	check_head(COMMON "\"nodes\": [" SWITCH("null") "], \"series\": [{\"id\": 1}]}",
		   "series 0");
	check_head(COMMON "\"nodes\": [" SWITCH("null") "], \"series\": [], \"events\": [{}]}",
		   "events: row 0");
	check_head(COMMON "\"nodes\": [" SWITCH("null") "], \"series\": [], \"events\": []}",
		   "without its index");
}
