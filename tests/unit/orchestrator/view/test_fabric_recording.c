/*  orchestrator/view/fabric_recording: answers to "ps" of a fabric that is up become the samples of
 *  a recording (SE-4). */
#include "orchestrator/view/fabric_recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/recording/recording_export.h"
#include "orchestrator/recording/recording_read.h"
#include "tests/testing.h"

static struct fabric_recording recording;
static struct recording_reader reader;
static char *file;
static size_t length;
static FILE *out, *in;

/* Port 3 of s1 leads to a node that the answer does not have; ports 0 and 2 are vacant. */
static json_t *answer(uint64_t uptime_ns, const char *verdict)
{
	json_t *json = json_pack(
		"{s:s, s:s, s:s, s:I, s:{s:s}, s:[{s:s, s:s, s:[{s:i, s:i, s:s, s:I, s:i}]},"
		" {s:s, s:s, s:[{s:i, s:i, s:s, s:I}, {s:i, s:i, s:s, s:I}]}]}",
		"kind", "roce", "scenario", "t", "file", "/a/t.yaml", "uptime_ns",
		(json_int_t)uptime_ns, "fidelity", "verdict", verdict, "nodes", "name", "A", "kind",
		"host", "ports", "port", 0, "link", 5, "peer", "s1", "rate_bps", (json_int_t)1000,
		"queue_bytes", 77, "name", "s1", "kind", "switch", "ports", "port", 1, "link", 5,
		"peer", "A", "rate_bps", (json_int_t)2000, "port", 3, "link", 6, "peer", "gone",
		"rate_bps", (json_int_t)3000);

	ck_assert_ptr_nonnull(json);
	return json;
}

static int add(uint64_t uptime_ns, const char *verdict)
{
	json_t *json = answer(uptime_ns, verdict);
	int error = fabric_recording_add(&recording, json);

	json_decref(json);
	return error;
}

static void setup(void)
{
	json_t *first = answer(1000, "fine");

	out = open_memstream(&file, &length);
	ck_assert_int_eq(fabric_recording_begin(&recording, first, 500, out), 0);
	json_decref(first);
}

/* ends the recording and opens it */
static void read_again(void)
{
	ck_assert_int_eq(fabric_recording_end(&recording), 0);
	fclose(out);
	in = fmemopen(file, length, "r");
	ck_assert_msg(!recording_open(&reader, in), "%s", reader.why);
}

static void teardown(void)
{
	recording_close(&reader);
	fclose(in);
	free(file);
}

/* the number of verdicts; and of slices */
static uint32_t verdicts(uint32_t *slices)
{
	uint32_t count = 0;
	int more;

	for (*slices = 0; (more = recording_next(&reader)) == 1;) {
		*slices += reader.kind == RECORDING_DATA;
		count += !memcmp(reader.block.bytes + 4, "FIDL", RECORDING_KIND_BYTES);
	}
	ck_assert_msg(!more, "%s", reader.why);
	return count;
}

TEST_GROUP(fabric_recording, .setup = setup, .teardown = teardown);

TEST(fabric_recording_begin__nodes_and_links)
{
	const json_t *nodes, *ports, *port;

	read_again();
	nodes = json_object_get(reader.heading.json, "nodes");
	ck_assert_uint_eq(json_array_size(nodes), 2);
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(nodes, 0), "name")),
			 "s1");
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(nodes, 0), "tier")), 1);
	ports = json_object_get(json_array_get(nodes, 0), "ports");
	ck_assert_uint_eq(json_array_size(ports), 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(json_is_null(json_array_get(ports, i)), i != 1);
	port = json_array_get(ports, 1);
	ck_assert_int_eq(json_integer_value(json_object_get(port, "peer")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(port, "peer_port")), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(port, "rate_bps")), 2000);
	port = json_array_get(json_object_get(json_array_get(nodes, 1), "ports"), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(port, "peer")), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(port, "peer_port")), 1);
}

/* the first verdict, one that differs, and every tenth; an answer of no later time is none */
TEST(fabric_recording_add__samples_and_verdicts)
{
	uint32_t slices;

	ck_assert_int_eq(add(1000, "fine"), 0);
	ck_assert_int_eq(add(1000, "late"), 0);
	ck_assert_int_eq(add(999, "late"), 0);
	for (uint32_t i = 2; i < 10; i++)
		ck_assert_int_eq(add(1000 * i, "fine"), 0);
	ck_assert_int_eq(add(10000, "late"), 0);
	ck_assert_uint_eq(recording.samples, 10);
	ck_assert_int_eq(add(11000, "late"), 0);
	ck_assert_uint_eq(recording.at_ps, 11000 * NODE_NS);
	read_again();
	ck_assert_uint_eq(verdicts(&slices), 3);
	ck_assert_uint_eq(slices, 11);
}

TEST(fabric_recording_add__until_it_is_too_long)
{
	uint64_t offset;
	uint32_t slices;

	ck_assert_int_eq(add(1000, "fine"), 0);
	offset = recording.recording.offset;
	recording.recording.offset = FABRIC_RECORDING_BYTES_MAX + 1;
	ck_assert_int_eq(add(2000, "fine"), -EFBIG);
	ck_assert_uint_eq(recording.samples, 1);
	recording.recording.offset = offset;
	read_again();
	ck_assert_uint_eq(verdicts(&slices), 1);
	ck_assert_uint_eq(slices, 1);
}
