/*  orchestrator/operate/capture_report: what a capture has seen, beside the counters of the port
 *  (DU-2). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/operate/capture_report.h"
#include "tests/testing.h"

static struct capture_report report;

static void frame(enum record_kind kind, bool inbound, uint32_t wire_bytes)
{
	const struct capture_frame frame = { .kind = kind,
					     .inbound = inbound,
					     .wire_bytes = wire_bytes };

	capture_report_add(&report, &frame);
}

/* two packets, an ACK frame and a pause out, an ACK frame in */
static void frames(void)
{
	frame(RECORD_PACKET, false, 1000);
	frame(RECORD_PACKET, false, 64);
	frame(RECORD_ACKS, false, 32);
	frame(RECORD_PAUSE, false, 64);
	frame(RECORD_ACKS, true, 36);
}

static json_int_t number(const json_t *json, const char *direction, const char *key)
{
	const json_t *value = json_object_get(json_object_get(json, direction), key);

	ck_assert_msg(json_is_integer(value), "%s.%s is missing", direction, key);
	return json_integer_value(value);
}

/* takes @json */
static const char *text_of(json_t *json)
{
	static char text[1024];
	FILE *out = fmemopen(text, sizeof(text), "w");

	capture_report_print(json, out);
	fclose(out);
	json_decref(json);
	return text;
}

static json_t *end_of(int missed)
{
	return json_pack("{s:{s:i, s:i, s:i, s:i}, s:{s:i, s:i, s:i, s:i}}", "sent",
			 "missed_frames", missed, "missed_bytes", 100 * missed, "counted_frames",
			 4 + missed, "counted_bytes", 1160 + 100 * missed, "received",
			 "missed_frames", 0, "missed_bytes", 0, "counted_frames", 1,
			 "counted_bytes", 36);
}

TEST(capture_report_json__by_direction_and_kind)
{
	json_t *json;

	frames();
	json = capture_report_json(&report, "s1:s2", NULL);
	ck_assert_str_eq(json_string_value(json_object_get(json, "link")), "s1:s2");
	ck_assert_int_eq(number(json, "sent", "frames"), 4);
	ck_assert_int_eq(number(json, "sent", "bytes"), 1160);
	ck_assert_int_eq(number(json, "sent", "packets"), 2);
	ck_assert_int_eq(number(json, "sent", "ack_frames"), 1);
	ck_assert_int_eq(number(json, "sent", "other_frames"), 1);
	ck_assert_int_eq(number(json, "received", "frames"), 1);
	ck_assert_int_eq(number(json, "received", "bytes"), 36);
	ck_assert_int_eq(number(json, "received", "packets"), 0);
	json_decref(json);
}

TEST(capture_report_json__with_what_the_node_says)
{
	json_t *end = end_of(3), *json;

	frames();
	json = capture_report_json(&report, "s1:s2", end);
	ck_assert_int_eq(number(json, "sent", "missed_frames"), 3);
	ck_assert_int_eq(number(json, "sent", "frames") + number(json, "sent", "missed_frames"),
			 number(json, "sent", "counted_frames"));
	ck_assert_int_eq(number(json, "received", "counted_bytes"), 36);
	json_decref(json);
	json_decref(end);
}

TEST(capture_report_print__lines)
{
	json_t *end = end_of(3);

	frames();
	ck_assert_str_eq(
		text_of(capture_report_json(&report, "s1:s2", end)),
		"  sent      4 frames, 1160 bytes (2 packets, 1 ACK frames, 1 others); missed 3 "
		"frames, 300 bytes; counted 7, 1460\n"
		"  received  1 frames, 36 bytes (1 ACK frames); counted 1, 36\n");
	json_decref(end);
}

/* the node has gone: nothing is said of its counters */
TEST(capture_report_print__without_the_node)
{
	ck_assert_str_eq(text_of(capture_report_json(&report, "s1:s2", NULL)),
			 "  sent      0 frames, 0 bytes\n  received  0 frames, 0 bytes\n");
}
