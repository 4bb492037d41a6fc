/*  orchestrator/recording/pack and slice: numbers and slices as bytes and back (SE-3). A slice that
 *  is wrong is refused with its place, whatever its bytes are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/recording/slice.h"
#include "tests/testing.h"

static const uint32_t port_counts[] = { 2, 1, 1 };
static const struct slice_limits limits = {
	.node_count = 3, .series_count = 5, .kind_count = 4, .port_counts = port_counts
};

static struct slice slice;
static struct pack bytes;
static char *text;
static struct why why;

/* ---- a slice as text ---- */

static void span_print(void *out, node_time_t from_ps, node_time_t to_ps,
		       const node_time_t *samples, uint32_t count)
{
	fprintf(out, "[%llu %llu)", (unsigned long long)from_ps, (unsigned long long)to_ps);
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, " %llu", (unsigned long long)samples[i]);
	fputc('\n', out);
}

static void change_print(void *out, const struct slice_key *key, uint32_t sample, uint64_t value)
{
	fprintf(out, "%u.%u.%u.%u @%u = %llu\n", key->node, key->series, key->port, key->index,
		sample, (unsigned long long)value);
}

static void event_print(void *out, const struct event *event)
{
	fprintf(out, "%llu: %u %u %u %u %u %llu %u %u\n", (unsigned long long)event->at_ps,
		event->node, event->kind, event->port, event->traffic_class, event->detail,
		(unsigned long long)event->value, event->source, event->destination);
}

/* what slice_read() gives of @length bytes. Return: its result */
static int read_text(const uint8_t *from, size_t length)
{
	size_t text_length;
	FILE *out;
	int error;

	free(text);
	out = open_memstream(&text, &text_length);
	why.text[0] = 0;
	error = slice_read(from, length, &limits,
			   &(struct slice_visitor){ .context = out,
						    .span = span_print,
						    .change = change_print,
						    .event = event_print },
			   &why);
	fclose(out);
	return error;
}

/* the present slice, which ends at @to_ps */
static const char *slice_text(node_time_t to_ps)
{
	bytes.length = 0;
	ck_assert_int_eq(slice_end(&slice, to_ps, &bytes), 0);
	ck_assert_int_eq(read_text(bytes.bytes, bytes.length), 0);
	return text;
}

static void set(uint32_t node, uint32_t series, uint32_t port, uint32_t index, uint64_t value)
{
	slice_set(&slice, &(struct slice_key){ node, series, port, index }, value);
}

static void setup(void)
{
	slice_init(&slice);
}

static void teardown(void)
{
	slice_fini(&slice);
	pack_free(&bytes);
	free(text);
	text = NULL;
}

/* ---- numbers ---- */

TEST_GROUP(slice, .setup = setup, .teardown = teardown);

TEST(pack__numbers)
{
	static const uint64_t numbers[] = { 0, 1, 127, 128, 300, 1ull << 32, UINT64_MAX };
	static const int64_t folded[] = { 0, -1, 1, -2, INT64_MAX, INT64_MIN };
	struct unpack unpack;

	for (uint32_t i = 0; i < 7; i++)
		pack_number(&bytes, numbers[i]);
	for (uint32_t i = 0; i < 6; i++)
		pack_signed(&bytes, folded[i]);
	unpack = (struct unpack){ .at = bytes.bytes, .end = bytes.bytes + bytes.length };
	for (uint32_t i = 0; i < 7; i++)
		ck_assert_uint_eq(unpack_number(&unpack), numbers[i]);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_int_eq(unpack_signed(&unpack), folded[i]);
	ck_assert(!unpack.bad && unpack.at == unpack.end);
	ck_assert_uint_eq(unpack_number(&unpack), 0);
	ck_assert(unpack.bad);
}

TEST(pack__as_documented)
{
	pack_number(&bytes, 300);
	pack_signed(&bytes, -1);
	pack_u32(&bytes, 0x01020304);
	ck_assert_uint_eq(bytes.length, 7);
	ck_assert_int_eq(memcmp(bytes.bytes, "\xac\x02\x01\x04\x03\x02\x01", 7), 0);
}

/* more than 64 bits */
TEST(unpack_number__too_long)
{
	static const uint8_t most[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 };
	uint8_t more[sizeof(most)];
	struct unpack unpack = { .at = most, .end = most + sizeof(most) };

	ck_assert_uint_eq(unpack_number(&unpack), UINT64_MAX);
	ck_assert(!unpack.bad);
	memcpy(more, most, sizeof(more));
	more[9] = 2;
	unpack = (struct unpack){ .at = more, .end = more + sizeof(more) };
	ck_assert_uint_eq(unpack_number(&unpack), 0);
	ck_assert(unpack.bad);
}

/* ---- writing ---- */

TEST(slice__empty)
{
	ck_assert_str_eq(slice_text(100), "[0 100)\n");
}

/* in the order of keys, however they were given; only changes */
TEST(slice__series)
{
	slice_sample(&slice, 10);
	set(2, 0, 0, 7, 1ull << 40);
	set(0, 1, 1, 0, 5);
	set(0, 1, 0, 0, 6);
	set(0, 4, 0, 0, 0);
	slice_sample(&slice, 20);
	set(0, 1, 1, 0, 5);
	set(0, 1, 0, 0, 3);
	slice_sample(&slice, 30);
	set(0, 1, 1, 0, 0);
	ck_assert_str_eq(slice_text(40), "[0 40) 10 20 30\n"
					 "0.1.0.0 @0 = 6\n0.1.0.0 @1 = 3\n"
					 "0.1.1.0 @0 = 5\n0.1.1.0 @2 = 0\n"
					 "2.0.0.7 @0 = 1099511627776\n");
}

/* a slice begins with what lasts, also of nodes that change nothing in it */
TEST(slice__carries_values)
{
	slice_sample(&slice, 0);
	set(1, 0, 0, 0, 9);
	set(0, 0, 0, 0, 4);
	slice_sample(&slice, 1);
	set(0, 0, 0, 0, 0);
	slice_text(10);
	slice_sample(&slice, 10);
	ck_assert_str_eq(slice_text(20), "[10 20) 10\n1.0.0.0 @0 = 9\n");
	slice_sample(&slice, 20);
	set(1, 0, 0, 0, 8);
	slice_sample(&slice, 21);
	ck_assert_str_eq(slice_text(30), "[20 30) 20 21\n1.0.0.0 @0 = 8\n");
	ck_assert_str_eq(slice_text(40), "[30 40)\n");
}

TEST(slice__events)
{
	slice_text(5);
	slice_event(&slice, &(struct event){ .at_ps = 7,
					     .node = 2,
					     .kind = 3,
					     .port = 0,
					     .traffic_class = 6,
					     .detail = UINT32_MAX,
					     .value = UINT64_MAX,
					     .source = 1,
					     .destination = 3 });
	slice_event(&slice, &(struct event){ .at_ps = 7, .port = 1 });
	slice_event(&slice, &(struct event){ .at_ps = 2 }); /* time does not go back */
	ck_assert_str_eq(slice_text(8), "[5 8)\n"
					"7: 2 3 0 6 4294967295 18446744073709551615 1 3\n"
					"7: 0 0 1 0 0 0 0 0\n7: 0 0 0 0 0 0 0 0\n");
}

TEST(slice_full__samples_and_events)
{
	for (uint32_t i = 0; i < SLICE_SAMPLES_MAX; i++) {
		ck_assert(!slice_full(&slice));
		slice_sample(&slice, i);
	}
	ck_assert(slice_full(&slice));
	slice_text(100);
	ck_assert(!slice_full(&slice));
	for (uint32_t i = 0; i < SLICE_EVENTS_MAX; i++)
		slice_event(&slice, &(struct event){ .at_ps = 100 + i });
	ck_assert(slice_full(&slice));
}

/* many series, so that the table of keys grows */
TEST(slice__many_series)
{
	uint32_t lines = 0;

	slice_sample(&slice, 0);
	for (uint32_t i = 0; i < 5000; i++)
		set(1, 2, 0, (i * 7919) % 5000, i + 1);
	slice_text(1);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, 5001);
	ck_assert_ptr_nonnull(strstr(text, "1.2.0.7919 ") ? NULL : text);
	ck_assert_ptr_nonnull(strstr(text, "\n1.2.0.2919 @0 = 2\n"));
}

/* ---- what is wrong ---- */

/* @numbers, ended by -1, as a slice: refused, and why contains @what */
static void check_wrong(const int *numbers, const char *what)
{
	bytes.length = 0;
	for (; *numbers >= 0; numbers++)
		pack_number(&bytes, (uint64_t)*numbers);
	ck_assert_int_eq(read_text(bytes.bytes, bytes.length), -EINVAL);
	ck_assert_msg(strstr(why.text, what) != NULL, "'%s' is not in: %s", what, why.text);
}

#define NUMBERS(...)            \
	(const int[])           \
	{                       \
		__VA_ARGS__, -1 \
	}

TEST(slice_read__wrong)
{
	check_wrong(NUMBERS(20, 10), "its times");
	check_wrong(NUMBERS(0, 10, 65), "its samples");
	check_wrong(NUMBERS(0, 10, 1, 11), "the time of a sample");
	check_wrong(NUMBERS(0, 10, 2, 5, 0), "the time of a sample");
	check_wrong(NUMBERS(0, 10, 1, 0, 1, 3, 0, 0, 0), "of a series, at byte 6");
	check_wrong(NUMBERS(0, 10, 1, 0, 1, 0, 5, 0, 0), "of a series");
	check_wrong(NUMBERS(0, 10, 1, 0, 1, 0, 0, 2, 0), "of a series");
	check_wrong(NUMBERS(0, 10, 1, 0, 1, 0, 0, 0, 0, 2), "the values of a series");
	check_wrong(NUMBERS(0, 10, 1, 0, 1, 0, 0, 0, 0, 1, 1, 2), "the values of a series");
	check_wrong(NUMBERS(0, 10, 2, 0, 1, 1, 0, 0, 0, 0, 2, 0, 2, 0, 4), "in one sample");
	check_wrong(NUMBERS(0, 10, 1, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0), "the order");
	check_wrong(NUMBERS(0, 10, 1, 0, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0), "the order"); /* twice */
	check_wrong(NUMBERS(0, 10, 0, 0, 1, 11, 0, 0, 0, 0, 0, 0, 0, 0), "the time of an event");
	check_wrong(NUMBERS(0, 10, 0, 0, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0), "of an event");
	check_wrong(NUMBERS(0, 10, 0, 0, 1, 1, 0, 4, 0, 0, 0, 0, 0, 0), "of an event");
	check_wrong(NUMBERS(0, 10, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0), "of an event");
	check_wrong(NUMBERS(0, 10, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 4, 0), "of an event");
	check_wrong(NUMBERS(0, 10, 0, 0, 0, 7), "bytes after the last event, at byte 5");
}

/* an event at the end, from and to a host that is not known: the number after the last node */
TEST(slice_read__last_of_each)
{
	static const uint8_t last[] = { 0, 10, 1, 10, 0, 1, 10, 2, 3, 0, 0, 0, 0, 3, 3 };

	ck_assert_int_eq(read_text(last, sizeof(last)), 0);
	ck_assert_str_eq(text, "[0 10) 10\n10: 2 3 0 0 0 0 3 3\n");
}

/* cut off anywhere, it is refused */
TEST(slice_read__cut)
{
	slice_sample(&slice, 10);
	set(0, 1, 1, 0, 5000);
	set(2, 3, 0, 90, 70);
	slice_event(&slice, &(struct event){ .at_ps = 700, .node = 1, .value = 1000 });
	slice_text(900);
	for (size_t length = 0; length < bytes.length; length++)
		ck_assert_int_eq(read_text(bytes.bytes, length), -EINVAL);
}

/* A node may log a series twice in a sample: the last value counts. */
TEST(slice_set__twice_in_a_sample)
{
	slice_sample(&slice, 10);
	set(0, 1, 0, 0, 5);
	set(0, 1, 0, 0, 6);
	slice_sample(&slice, 20);
	set(0, 1, 0, 0, 0);
	set(1, 1, 0, 0, 3);
	set(0, 1, 0, 0, 8);
	slice_sample(&slice, 30);
	set(0, 1, 0, 0, 9);
	ck_assert_str_eq(slice_text(40), "[0 40) 10 20 30\n"
					 "0.1.0.0 @0 = 6\n"
					 "0.1.0.0 @1 = 8\n"
					 "0.1.0.0 @2 = 9\n"
					 "1.1.0.0 @1 = 3\n");
}
