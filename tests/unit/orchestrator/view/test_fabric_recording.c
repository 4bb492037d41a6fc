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
	ck_assert_msg(!recording_open(&reader, in), "%s", reader.why.text);
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
	ck_assert_msg(!more, "%s", reader.why.text);
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
	recording.recording.offset = FABRIC_RECORDING_BYTES_MAX;
	ck_assert_int_eq(add(1000, "fine"), 0); /* not too long; of no later time */
	recording.recording.offset = offset;
	read_again();
	ck_assert_uint_eq(verdicts(&slices), 1);
	ck_assert_uint_eq(slices, 1);
}

/* ---- what is in it ---- */

static char *shown; /* a line for each slice, value and verdict */
static size_t shown_length;
static FILE *show;

static void span_show(void *context, node_time_t from_ps, node_time_t to_ps,
		      const node_time_t *samples, uint32_t count)
{
	(void)context;
	fprintf(show, "%u sample from %llu to %llu at %llu\n", count, (unsigned long long)from_ps,
		(unsigned long long)to_ps, (unsigned long long)samples[0]);
}

static void change_show(void *context, const struct slice_key *key, uint32_t sample, uint64_t value)
{
	const json_t *json = reader.heading.json;
	const json_t *node = json_array_get(json_object_get(json, "nodes"), key->node);
	const json_t *series = json_array_get(json_object_get(json, "series"), key->series);

	(void)context;
	fprintf(show, "%s %s %u %u %u: %llu\n", json_string_value(json_object_get(node, "name")),
		json_string_value(json_object_get(series, "name")), key->port, key->index, sample,
		(unsigned long long)value);
}

static void blocks_show(void)
{
	const struct slice_visitor visitor = { .span = span_show, .change = change_show };

	show = open_memstream(&shown, &shown_length);
	while (recording_next(&reader) == 1)
		if (reader.kind == RECORDING_DATA)
			ck_assert_int_eq(recording_read_slice(&reader, &visitor), 0);
		else if (!memcmp(reader.block.bytes + 4, "FIDL", RECORDING_KIND_BYTES))
			fprintf(show, "%.*s\n", (int)reader.content.length,
				(const char *)reader.content.bytes);
	fclose(show);
}

/* A - s1 - s2 - s3. A does not know of its link to s2; what an unknown node does is left out. */
static const char three[] =
	"{'kind': 'flow-channel', 'scenario': 't', 'file': 't.yaml', 'uptime_ns': %u, 'nodes': ["
	"{'name': 'A', 'kind': 'nic', 'ports': [{'port': 0, 'link': 1, 'peer': 's1', 'rate_bps': 9,"
	" 'queue_bytes': 11, 'tx_bytes': 12, 'rx_bytes': 13, 'lost_packets': 14, 'paused_ns': 15,"
	" 'congestion': {'limited': 16, 'metered': 17, 'fgfc_held': 18, 'eca_acks': 19},"
	" 'roce': {'pauses_sent': 20, 'pauses_received': 21}}]},"
	"{'name': 's1', 'kind': 'switch', 'ports': [{'port': 0, 'link': 1, 'peer': 'A',"
	" 'rate_bps': 9}, {'port': 1, 'link': 2, 'peer': 's2', 'rate_bps': 8, 'queue_bytes': %u}]},"
	"{'name': 's2', 'kind': 'switch', 'ports': [{'port': 0, 'link': 3, 'peer': 's3',"
	" 'rate_bps': 7}, {'port': 1, 'link': 2, 'peer': 's1', 'rate_bps': 8}, {'port': 2,"
	" 'link': 9, 'peer': 'A', 'rate_bps': 6}]},"
	"{'name': 's3', 'kind': 'switch', 'ports': [{'port': 0, 'link': 3, 'peer': 's2',"
	" 'rate_bps': 7}]}%s]}";

/* @uptime_ns, what waits in s1 towards s2, and one more node */
static json_t *of_three(unsigned uptime_ns, unsigned queue_bytes, const char *more)
{
	char text[2048];
	json_t *json;

	snprintf(text, sizeof(text), three, uptime_ns, queue_bytes, more);
	for (char *at = text; (at = strchr(at, '\''));)
		*at = '"';
	json = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(json);
	return json;
}

static void three_add(unsigned uptime_ns, unsigned queue_bytes, const char *more)
{
	json_t *json = of_three(uptime_ns, queue_bytes, more);

	ck_assert_int_eq(fabric_recording_add(&recording, json), 0);
	json_decref(json);
}

static void three_setup(void)
{
	json_t *json = of_three(3, 0, "");

	out = open_memstream(&file, &length);
	ck_assert_int_eq(fabric_recording_begin(&recording, json, 500, out), 0);
	json_decref(json);
}

static void three_teardown(void)
{
	teardown();
	free(shown);
}

TEST_GROUP(fabric_recording_of_three, .setup = three_setup, .teardown = three_teardown);

static void head_has(const char *key, const char *wanted)
{
	char *text = json_dumps(json_object_get(reader.heading.json, key),
				JSON_COMPACT | JSON_ENCODE_ANY);

	ck_assert_ptr_nonnull(text);
	for (char *at = text; (at = strchr(at, '"'));)
		*at = '\'';
	ck_assert_str_eq(text, wanted);
	free(text);
}

TEST(fabric_recording_begin__head)
{
	read_again();
	head_has("format", "1");
	head_has("scenario", "{'name':'t','about':'','text':null,'file':'t.yaml','settings':[],"
			     "'variant':null,'seed':null,'digest':null}");
	head_has("clock", "'real'");
	head_has("kind", "'flow-channel'");
	head_has("sample_ps", "500");
	head_has("measure", "[0,0]");
	head_has("topology", "{'type':'given'}");
	head_has("classes", "[]");
	head_has("lanes", "1");
	head_has("marks", "[]");
	head_has("nodes", "[{'name':'s1','type':'switch','tier':1,'group':null,'at':null,'ports':["
			  "{'peer':3,'peer_port':0,'rate_bps':9,'delay_ps':0},"
			  "{'peer':1,'peer_port':1,'rate_bps':8,'delay_ps':0}]},"
			  "{'name':'s2','type':'switch','tier':2,'group':null,'at':null,'ports':["
			  "{'peer':2,'peer_port':0,'rate_bps':7,'delay_ps':0},"
			  "{'peer':0,'peer_port':1,'rate_bps':8,'delay_ps':0},"
			  "{'peer':3,'peer_port':0,'rate_bps':6,'delay_ps':0}]},"
			  "{'name':'s3','type':'switch','tier':3,'group':null,'at':null,'ports':["
			  "{'peer':1,'peer_port':0,'rate_bps':7,'delay_ps':0}]},"
			  "{'name':'A','type':'host','tier':0,'group':null,'at':null,'ports':["
			  "{'peer':0,'peer_port':0,'rate_bps':9,'delay_ps':0}]}]");
}

#define OF_A                                                                    \
	"A queue_bytes 0 0 0: 11\nA tx_bytes 0 0 0: 12\nA limited 0 0 0: 16\n"  \
	"A metered 0 0 0: 17\nA fgfc_held 0 0 0: 18\nA rx_bytes 0 0 0: 13\n"    \
	"A marks 0 0 0: 19\nA lost_frames 0 0 0: 14\nA pauses_sent 0 0 0: 20\n" \
	"A pauses_received 0 0 0: 21\nA paused_ps 0 0 0: 15000\n"

/* paused_ps of ns; a slice ends 1 ps after its sample; without a verdict the block has its time */
TEST(fabric_recording_add__values)
{
	three_add(3, 0, "");
	three_add(5, 70,
		  ", {\"name\": \"new\", \"kind\": \"nic\", \"ports\": [{\"port\": 0, "
		  "\"queue_bytes\": 99}]}");
	read_again();
	blocks_show();
	ck_assert_str_eq(shown, "1 sample from 0 to 3001 at 3000\n" OF_A "{\"at_ps\":3000}\n"
				"1 sample from 3001 to 5001 at 5000\n"
				"s1 queue_bytes 1 0 0: 70\n" OF_A);
}

TEST(fabric_recording_begin__disk_is_full)
{
	struct fabric_recording full;
	FILE *device = fopen("/dev/full", "we");
	json_t *json = of_three(3, 0, "");

	read_again();
	ck_assert_int_eq(fabric_recording_begin(&full, json, 500, device), -ENOSPC);
	ck_assert_int_eq(fabric_recording_add(&full, json), -ENOSPC);
	ck_assert_int_eq(fabric_recording_end(&full), -ENOSPC);
	json_decref(json);
	fclose(device);
}
