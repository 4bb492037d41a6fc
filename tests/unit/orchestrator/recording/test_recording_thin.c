/*  orchestrator/recording/recording_thin: what stays has the values and the order that it had, what
 *  is left out is named, and the rest is as before (SE-11). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/recording/recording_read.h"
#include "orchestrator/recording/recording_thin.h"
#include "orchestrator/recording/recording_write.h"
#include "tests/testing.h"

#define SAMPLES 200u
#define SERIES 2u
#define KINDS 3u

static const char head[] =
	"{\"format\":1,\"version\":\"0\",\"scenario\":{\"name\":\"thin\",\"about\":null,\"text\":"
	"\"\",\"file\":\"t.yaml\",\"settings\":[],\"variant\":null,\"seed\":1,\"digest\":\"\"},"
	"\"clock\":\"virtual\",\"kind\":\"roce\",\"sample_ps\":1000,\"measure\":[0,200000],"
	"\"topology\":{\"type\":\"given\"},\"classes\":[\"best\"],\"lanes\":1,\"nodes\":[{\"name\":"
	"\"s0\",\"type\":\"switch\",\"tier\":1,\"group\":null,\"at\":null,\"ports\":[{\"peer\":1,"
	"\"peer_port\":0,\"rate_bps\":1000000000,\"delay_ps\":1000}]},{\"name\":\"h0\",\"type\":"
	"\"host\",\"tier\":0,\"group\":null,\"at\":null,\"ports\":[{\"peer\":0,\"peer_port\":0,"
	"\"rate_bps\":1000000000,\"delay_ps\":1000}]}],\"series\":[{\"id\":0,\"name\":"
	"\"queue_bytes\",\"unit\":\"bytes\",\"of\":\"port\",\"type\":\"gauge\",\"what\":\"\","
	"\"states\":null},{\"id\":1,\"name\":\"tx_bytes\",\"unit\":\"bytes\",\"of\":\"port\","
	"\"type\":\"counter\",\"what\":\"\",\"states\":null}],\"events\":[{\"id\":0,\"name\":"
	"\"mark\",\"detail\":\"\",\"value\":\"\",\"has_class\":true,\"what\":\"\",\"words\":null},"
	"{\"id\":1,\"name\":\"xoff\",\"detail\":\"\",\"value\":\"bytes\",\"has_class\":true,"
	"\"what\":\"\",\"words\":null},{\"id\":2,\"name\":\"packet\",\"detail\":\"packet\","
	"\"value\":\"ago_ps\",\"has_class\":false,\"what\":\"\",\"words\":null}],\"marks\":[]}";

/* the queue comes and goes, also for whole slices; the counter grows */
static uint64_t value_of(uint32_t series, uint32_t sample)
{
	return series ? 10u * sample : sample / 70 % 2 ? 0 : sample * 7 % 13;
}

static FILE *recorded(void)
{
	json_t *json = json_loads(head, 0, NULL);
	struct recording recording;
	FILE *out = tmpfile(), *text;

	ck_assert_ptr_nonnull(json);
	recording_begin(&recording, json, out);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		recording_sample(&recording, i * 1000);
		for (uint32_t s = 0; s < SERIES; s++)
			recording_set(&recording, &(struct slice_key){ 0, s, 0, 0 },
				      value_of(s, i));
		for (uint32_t k = 0; k < KINDS; k++)
			recording_event(
				&recording,
				&(struct event){ .at_ps = i * 1000 + 500, .kind = k, .value = i });
		if (i % 70 == 69) /* the queue, which was not empty, is not in the next slice */
			recording_slice(&recording, (i + 1) * 1000);
	}
	recording_slice(&recording, SAMPLES * 1000);
	recording_flow(&recording, json_pack("{s:i}", "index", 0));
	recording_flow(&recording, json_pack("{s:i}", "index", 1));
	recording_flows(&recording);
	text = recording_text(&recording, "RSLT", NULL);
	fputs("{\"flows\": []}", text);
	fclose(text);
	text = recording_text(&recording, "TABL", "summary.txt");
	fputs("short", text);
	fclose(text);
	text = recording_text(&recording, "TABL", "messages.csv");
	for (uint32_t i = 0; i < 100000; i++)
		fputc('x', text);
	fclose(text);
	ck_assert_int_eq(recording_end(&recording, RECORDING_INTERRUPTED, NULL, 150000), 0);
	json_decref(json);
	return out;
}

/* ---- what a recording has ---- */

static struct seen {
	uint32_t samples, kinds[KINDS], texts, tables;
	node_time_t slice[65536], before_ps;
	uint64_t values[SERIES]; /* at the present sample of a series */
	uint32_t slice_count, next[SERIES];
	bool in_slice[SERIES];
} seen;

static uint32_t each;

static void check_until(uint32_t series, uint32_t sample)
{
	for (; seen.next[series] < sample; seen.next[series]++) {
		node_time_t at_ps = seen.slice[seen.next[series]];

		ck_assert_uint_eq(seen.values[series], value_of(series, (uint32_t)(at_ps / 1000)));
	}
}

static void on_span(void *context, node_time_t from_ps, node_time_t to_ps,
		    const node_time_t *samples, uint32_t sample_count)
{
	(void)context;
	(void)from_ps;
	(void)to_ps;
	for (uint32_t s = 0; s < SERIES; s++)
		seen.values[s] = seen.next[s] = 0;
	for (uint32_t i = 0; i < sample_count; i++) {
		ck_assert_uint_eq(samples[i], (seen.samples + i) * each * 1000);
		seen.slice[i] = samples[i];
	}
	seen.samples += sample_count;
	seen.slice_count = sample_count;
}

static void on_change(void *context, const struct slice_key *key, uint32_t sample, uint64_t value)
{
	(void)context;
	check_until(key->series, sample);
	seen.values[key->series] = value;
}

static void on_event(void *context, const struct event *event)
{
	(void)context;
	ck_assert_uint_eq(event->at_ps, event->value * 1000 + 500);
	ck_assert_uint_ge(event->at_ps, seen.before_ps);
	seen.before_ps = event->at_ps;
	seen.kinds[event->kind]++;
}

static void read_all(FILE *in)
{
	const struct slice_visitor visitor = { NULL, on_span, on_change, on_event };
	struct recording_reader reader;
	int more;

	memset(&seen, 0, sizeof(seen));
	rewind(in);
	ck_assert_int_eq(recording_open(&reader, in), 0);
	while ((more = recording_next(&reader)) > 0) {
		if (reader.kind == RECORDING_DATA) {
			ck_assert_int_eq(recording_read_slice(&reader, &visitor), 0);
			for (uint32_t s = 0; s < SERIES; s++)
				check_until(s, seen.slice_count);
		}
		seen.texts += reader.kind == RECORDING_RSLT;
		seen.tables += reader.kind == RECORDING_TABL;
	}
	ck_assert_msg(!more, "%s", reader.why.text);
	recording_close(&reader);
}

TEST(recording_thin__every_level_keeps_values_and_order)
{
	static const uint32_t steps[] = { 1, 2, 4, 8, 16, 64 };
	FILE *whole = recorded();

	each = 1;
	read_all(whole);
	ck_assert_uint_eq(seen.samples, SAMPLES);
	for (unsigned level = RECORDING_THIN_LEVELS - 1; level; level--) {
		FILE *out = tmpfile();
		struct why why;

		ck_assert_msg(!recording_thin(whole, out, level, &why), "%s", why.text);
		each = steps[level];
		read_all(out);
		ck_assert_uint_eq(seen.samples, (SAMPLES + each - 1) / each);
		ck_assert_uint_eq(seen.kinds[0], 0);
		ck_assert_uint_eq(seen.kinds[2], 0);
		ck_assert_uint_eq(seen.kinds[1], level == RECORDING_THIN_LEVELS - 1 ? 0 : SAMPLES);
		ck_assert_uint_eq(seen.texts, 1);
		ck_assert_uint_eq(seen.tables, 1);
		fclose(out);
	}
	fclose(whole);
}

TEST_RANGE(recording_thin__says_what_it_left_out, 0, RECORDING_THIN_LEVELS)
{
	static const char *const thinned[] = {
		"one of 1 samples",
		"one of 2 samples, no events packet ack cnp_packet link_acks credit mark ",
		"one of 4 samples, no events packet ack cnp_packet link_acks credit mark "
		"meter_start meter_end stop_wait ",
		"one of 8 samples, no events packet ack cnp_packet link_acks credit mark "
		"meter_start meter_end stop_wait cnp cnp_received path ",
		"one of 16 samples, no events packet ack cnp_packet link_acks credit mark "
		"meter_start meter_end stop_wait cnp cnp_received path roce_state redirect "
		"message_start message_end ",
		"one of 64 samples, no events",
	};
	static const int sample_ps[] = { 1000, 2000, 4000, 8000, 16000, 64000 };
	FILE *whole = recorded(), *out = tmpfile();
	struct recording_reader reader;
	struct why why;

	ck_assert_int_eq(recording_thin(whole, out, (unsigned)_i, &why), 0);
	rewind(out);
	ck_assert_int_eq(recording_open(&reader, out), 0);
	ck_assert_str_eq(json_string_value(json_object_get(reader.heading.json, "thinned")),
			 thinned[_i]);
	ck_assert_int_eq(json_integer_value(json_object_get(reader.heading.json, "sample_ps")),
			 sample_ps[_i]);
	recording_close(&reader);
	fclose(whole);
	fclose(out);
}

TEST(recording_thin__a_damaged_recording_is_refused_with_its_place)
{
	FILE *whole = recorded(), *out = tmpfile();
	struct why why = { "" };

	fseek(whole, 1200, SEEK_SET);
	fputs("damaged damaged damaged", whole);
	fflush(whole);
	ck_assert_int_lt(recording_thin(whole, out, 1, &why), 0);
	ck_assert_ptr_nonnull(strstr(why.text, "byte "));
	fclose(whole);
	fclose(out);
}

/* ---- other blocks ---- */

/* a recording of one block of @kind with @text after the name @name, and how the run ended: @done,
 * JSON without its last member, the digest; NULL: it does not say */
static FILE *recording_of(const char *kind, const char *name, const char *text, const char *done)
{
	json_t *json = json_loads(head, 0, NULL);
	struct recording recording;
	char digest[SHA256_TEXT_MAX];
	struct sha256 sum;
	FILE *out = tmpfile(), *stream;

	recording_begin(&recording, json, out);
	json_decref(json);
	if (text) {
		stream = recording_text(&recording, kind, name);
		fputs(text, stream);
		ck_assert_int_eq(fclose(stream), 0);
	}
	if (done) {
		sum = recording.digest;
		stream = recording_text(&recording, "DONE", NULL);
		fprintf(stream, "%s\"digest\":\"%s\"}", done, sha256_text(&sum, digest));
		fclose(stream);
	}
	recording_end(&recording, RECORDING_COMPLETE, NULL, 0);
	return out;
}

#define DONE "{\"status\":\"failed\",\"failure\":\"it broke\",\"end_ps\":77,"

/* the kind, "TABL", and the content of each block that stays, a line each; freed by the caller */
static char *blocks_after(FILE *whole, int error, const char *reason)
{
	static const char *const kinds[] = { "DATA", "FLOW", "RSLT", "TABL", "DONE", "OTHER" };
	FILE *thinned = tmpfile(), *out;
	struct recording_reader reader;
	char *text;
	struct why why = { "" };
	size_t length;

	ck_assert_int_eq(recording_thin(whole, thinned, 1, &why), error);
	ck_assert_msg(strstr(why.text, reason) != NULL, "%s", why.text);
	fclose(whole);
	rewind(thinned);
	out = open_memstream(&text, &length);
	ck_assert_int_eq(recording_open(&reader, thinned), 0);
	while (recording_next(&reader) > 0)
		fprintf(out, "%s %.*s\n", kinds[reader.kind],
			reader.kind == RECORDING_DATA ? 0 : (int)reader.content.length,
			(const char *)reader.content.bytes);
	ck_assert_str_eq(reader.why.text, "");
	recording_close(&reader);
	fclose(out);
	fclose(thinned);
	return text;
}

static void stays(FILE *whole, const char *blocks)
{
	char *text = blocks_after(whole, 0, "");

	ck_assert_msg(!strncmp(text, blocks, strlen(blocks)), "%s", text);
	free(text);
}

TEST(recording_thin__flows_results_and_ends_stay)
{
	stays(recording_of("FLOW", NULL, "[{\"index\":0},{\"index\":1}]", DONE),
	      "FLOW [{\"index\":0},{\"index\":1}]\nDONE " DONE);
	stays(recording_of("RSLT", NULL, "{\"flows\": []}", DONE),
	      "RSLT {\"flows\": []}\nDONE " DONE);
	stays(recording_of("RSLT", NULL, "", "{\"status\":\"complete\",\"end_ps\":1,"),
	      "RSLT \nDONE {\"status\":\"complete\",\"failure\":null,\"end_ps\":1,");
	/* a block of another version does not stay */
	stays(recording_of("MORE", NULL, "?", DONE), "DONE " DONE);
}

TEST(recording_thin__tables_that_are_short_stay)
{
	char name[64], *text = calloc(1, (64 << 10) + 1);

	stays(recording_of("TABL", "a.csv", "1,2\n3,4\n", DONE),
	      "TABL a.csv\n1,2\n3,4\n\nDONE " DONE);
	/* 64 KiB with the line of the name */
	memset(text, 'x', (64 << 10) - 2);
	stays(recording_of("TABL", "a", text, DONE), "TABL a\nxxx");
	text[strlen(text)] = 'x';
	stays(recording_of("TABL", "a", text, DONE), "DONE " DONE);
	free(text);
	/* a name of 62 bytes; it is not copied beyond its space */
	memset(name, 'n', sizeof(name));
	name[62] = 0;
	stays(recording_of("TABL", name, "1", DONE), "TABL nnnn");
	name[62] = 'n';
	name[63] = 0;
	stays(recording_of("TABL", name, "1", DONE), "DONE " DONE);
	/* no name */
	stays(recording_of("TABL", NULL, "1", DONE), "DONE " DONE);
	stays(recording_of("TABL", NULL, "", DONE), "DONE " DONE);
}

/* what is left is a recording of a run that failed */
static void refused(FILE *whole, const char *reason)
{
	char *text = blocks_after(whole, -EINVAL, reason);

	ck_assert_msg(
		!strncmp(text, "DONE {\"status\":\"failed\",\"failure\":null,\"end_ps\":0,", 50),
		"%s", text);
	free(text);
}

TEST(recording_thin__what_is_wrong_is_refused)
{
	refused(recording_of("FLOW", NULL, "{}", DONE), "block FLOW: it is no list of flows");
	refused(recording_of("FLOW", NULL, "[", DONE), "block FLOW: it is no list of flows");
	refused(recording_of("FLOW", NULL, NULL, "{\"status\":\"broken\","),
		"block DONE: it does not say how the run ended");
	refused(recording_of("FLOW", NULL, NULL, "{"),
		"block DONE: it does not say how the run ended");
}

/* cut, or with an index that follows the head */
TEST(recording_thin__no_end)
{
	json_t *json = json_loads(head, 0, NULL), *places;
	FILE *whole = recording_of("RSLT", NULL, "{}", NULL), *out = tmpfile();
	struct recording recording;
	struct pack tail = { 0 };
	uint8_t length[4];

	ck_assert_int_eq(fseek(whole, RECORDING_HEAD_BYTES, SEEK_SET), 0);
	ck_assert_uint_eq(fread(length, 1, 4, whole), 4);
	ck_assert_int_eq(ftruncate(fileno(whole), RECORDING_HEAD_BYTES + 16 + unpack_u32(length)),
			 0);
	refused(whole, "it is not complete");
	recording_begin(&recording, json, out);
	places = json_pack("[{s:s, s:I, s:I, s:I, s:I}]", "kind", "HEAD", "offset",
			   (json_int_t)recording.places[0].offset, "from_ps", (json_int_t)0,
			   "to_ps", (json_int_t)0, "bytes", (json_int_t)recording.places[0].bytes);
	pack_u32(&tail, (uint32_t)recording.offset);
	pack_u32(&tail, 0);
	recording_json(&recording, "INDX", places);
	fwrite(tail.bytes, 1, tail.length, out);
	fputs(RECORDING_TAIL, out);
	fflush(out);
	recording.error = -EIO; /* nothing more is written */
	ck_assert_int_eq(recording_end(&recording, RECORDING_COMPLETE, NULL, 0), -EIO);
	refused(out, "the recording does not say how it ended");
	pack_free(&tail);
	json_decref(places);
	json_decref(json);
}

TEST(recording_thin__cannot_write)
{
	FILE *whole = recording_of("RSLT", NULL, "{}", DONE), *out = fopen("/dev/full", "w");
	struct why why = { "" };

	ck_assert_int_eq(recording_thin(whole, out, 1, &why), -ENOSPC);
	ck_assert_str_eq(why.text, strerror(ENOSPC));
	fclose(whole);
	fclose(out);
	/* what is no recording */
	whole = tmpfile();
	out = tmpfile();
	ck_assert_int_eq(recording_thin(whole, out, 1, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "it is no recording of Heddle"));
	ck_assert_int_eq(ftell(out), 0);
	fclose(whole);
	fclose(out);
}
