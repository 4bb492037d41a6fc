/*  orchestrator/results/events: the events of all nodes in one order, as CSV and JSON lines (SE-2);
 *  pages and files that contradict each other are left out and named (TB-23). */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/results/events.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

static struct node_log_source sources[NODES];
static char *text;
static struct why why;

static void setup(void)
{
	set_up();
	for (uint32_t i = 0; i < NODES; i++) {
		sources[i] = (struct node_log_source){ pages[i], memfd_create("events", 0) };
		trace_file(pages[i], sources[i].fd);
	}
}

static void teardown(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		close(sources[i].fd);
	free(text);
	text = NULL;
	tear_down();
}

static int events_text(enum events_format format)
{
	size_t length;
	FILE *out;
	int error;

	free(text);
	out = open_memstream(&text, &length);
	why.text[0] = 0;
	error = events_write(&plan, sources, format, out, &why);
	fclose(out);
	return error;
}

static struct stats_page *page_of(const char *name)
{
	return pages[plan_node_find(&plan, name)->index];
}

static uint32_t lines(void)
{
	uint32_t count = 0;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		count++;
	return count;
}

#define HEAD "at_ps,node,port,peer,event,class,source,destination,detail,value\n"

TEST_GROUP(events, .setup = setup, .teardown = teardown);

TEST(events_write__none)
{
	ck_assert_int_eq(events_text(EVENTS_CSV), 0);
	ck_assert_str_eq(text, HEAD);
	ck_assert_int_eq(events_text(EVENTS_JSON_LINES), 0);
	ck_assert_str_eq(text, "");
}

/* a NIC is one side of its flows; of the same moment, nodes have the order of the plan */
TEST(events_write__rows)
{
	trace(page_of("h1"), (struct trace_entry){ .at_ps = 90,
						   .kind = TRACE_MESSAGE_END,
						   .source = 1,
						   .detail = 4,
						   .value = 1000 });
	trace(page_of("h0"), (struct trace_entry){ .at_ps = 10,
						   .kind = TRACE_MESSAGE_START,
						   .destination = 2,
						   .detail = 4,
						   .value = 1000 });
	trace(page_of("s1"), (struct trace_entry){ .at_ps = 90,
						   .kind = TRACE_MARK,
						   .port = 1,
						   .traffic_class = 0,
						   .source = 1,
						   .destination = 2,
						   .value = 77 });
	trace_drop(page_of("s1"), DROP_QUEUE_FULL, 0, 64, NULL, 91);
	ck_assert_int_eq(events_text(EVENTS_CSV), 0);
	ck_assert_str_eq(text, HEAD "10,h0,0,s1,message_start,,h0,h1,4,1000\n"
				    "90,s1,1,h1,mark,best,h0,h1,,77\n"
				    "90,h1,0,s1,message_end,,h0,h1,4,1000\n"
				    "91,s1,0,h0,drop,,,,queue_full,64\n");
	ck_assert_int_eq(events_text(EVENTS_JSON_LINES), 0);
	ck_assert_str_eq(
		text,
		"{\"at_ps\":10,\"node\":\"h0\",\"port\":0,\"peer\":\"s1\",\"event\":"
		"\"message_start\","
		"\"source\":\"h0\",\"destination\":\"h1\",\"message\":4,\"bytes\":1000}\n"
		"{\"at_ps\":90,\"node\":\"s1\",\"port\":1,\"peer\":\"h1\",\"event\":\"mark\","
		"\"class\":\"best\",\"source\":\"h0\",\"destination\":\"h1\",\"queue_bytes\":77}\n"
		"{\"at_ps\":90,\"node\":\"h1\",\"port\":0,\"peer\":\"s1\",\"event\":"
		"\"message_end\","
		"\"source\":\"h0\",\"destination\":\"h1\",\"message\":4,\"bytes\":1000}\n"
		"{\"at_ps\":91,\"node\":\"s1\",\"port\":0,\"peer\":\"h0\",\"event\":\"drop\","
		"\"reason\":\"queue_full\",\"bytes\":64}\n");
}

/* more than a ring of each node */
TEST(events_write__from_file_and_ring)
{
	uint32_t count = 2 * STATS_TRACE_MAX + 700;
	unsigned long long before = 0;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t n = 0; n < NODES; n++)
			trace_port(pages[n], TRACE_LINK_UP, 0, (i + 1) * 10 + 9 - n);
	ck_assert_int_eq(events_text(EVENTS_CSV), 0);
	ck_assert_uint_eq(lines(), 1 + count * NODES);
	for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		unsigned long long at = strtoull(line, NULL, 10);

		ck_assert_uint_gt(at, before);
		before = at;
	}
}

/* what a hostile node claims */
TEST(events_write__contradictions)
{
	for (uint32_t n = 0; n < NODES; n++)
		trace_port(pages[n], TRACE_LINK_UP, 0, 10);
	page_of("h0")->trace.filed = 5; /* the file is empty */
	ck_assert_int_eq(events_text(EVENTS_CSV), -EBADMSG);
	ck_assert_ptr_nonnull(strstr(why.text, "the events of h0 are incomplete"));
	ck_assert_uint_eq(lines(), NODES);
	page_of("h0")->trace.filed = 0;
	page_of("h0")->trace.count = STATS_TRACE_MAX + 1; /* more than the ring has */
	ck_assert_int_eq(events_text(EVENTS_CSV), -EBADMSG);
	ck_assert_uint_eq(lines(), NODES);
	page_of("h0")->trace.count = 1;
	/* a port that is not there, an unknown kind */
	trace_port(page_of("h0"), TRACE_LINK_UP, 200, 11);
	trace(page_of("h0"), (struct trace_entry){ .at_ps = 12, .kind = 999 });
	trace(page_of("h0"),
	      (struct trace_entry){ .at_ps = 13, .kind = TRACE_CNP, .source = 4000000000 });
	ck_assert_int_eq(events_text(EVENTS_CSV), 0);
	ck_assert_uint_eq(lines(), NODES + 2);
	ck_assert_ptr_nonnull(strstr(text, "13,h0,0,s1,cnp,,,,,\n"));
}

/* the last port, kind, host and class, and one more of each */
TEST(events_write__limits)
{
	struct trace_entry entry = { .kind = TRACE_MARK, .source = 1, .destination = 2 };

	strcpy(nodes[0].classes[1].name, "next");
	for (int i = 0; i < 2; i++) {
		entry.at_ps = 10;
		entry.port = (uint32_t)(HOSTS - 1 + i);
		trace(page_of("s1"), entry);
		entry.port = 0;
		entry.at_ps = 20;
		entry.traffic_class = (uint8_t)i;
		trace(page_of("s1"), entry);
		entry.traffic_class = 0;
		entry.at_ps = 30;
		entry.source = entry.destination = (uint32_t)(HOSTS + i);
		trace(page_of("s1"), entry);
		entry.source = 1;
		entry.destination = 2;
	}
	trace_port(page_of("s1"), 0, 0, 40);
	trace_port(page_of("s1"), TRACE_KINDS, 0, 50);
	ck_assert_int_eq(events_text(EVENTS_CSV), 0);
	ck_assert_str_eq(text, HEAD "10,s1,2,h2,mark,best,h0,h1,,0\n"
				    "20,s1,0,h0,mark,best,h0,h1,,0\n"
				    "30,s1,0,h0,mark,best,h2,h2,,0\n"
				    "20,s1,0,h0,mark,,h0,h1,,0\n"
				    "30,s1,0,h0,mark,best,,,,0\n");
}

/* a page that cannot be read, and a node that says nonsense of its error */
TEST(events_write__damaged)
{
	trace_port(page_of("s1"), TRACE_LINK_UP, 0, NODE_TIME_NEVER);
	trace_port(page_of("s1"), TRACE_LINK_UP, 0, NODE_TIME_NEVER);
	sources[1].page = NULL;
	ck_assert_int_eq(events_text(EVENTS_CSV), -EBADMSG);
	ck_assert_ptr_nonnull(strstr(why.text, "the events of h0 are incomplete"));
	ck_assert_uint_eq(lines(), 3);
	sources[1].fd = (close(sources[1].fd), -1);
	ck_assert_int_eq(events_text(EVENTS_CSV), 0);
	pages[2]->trace.error = 1ull << 32;
	ck_assert_int_eq(events_text(EVENTS_CSV), -EIO);
	pages[2]->trace.error = 1ull << 31;
	ck_assert_int_eq(events_text(EVENTS_CSV), -EIO);
}

/* a full disk: those before are written, and the node is named */
TEST(events_write__incomplete)
{
	trace_port(page_of("s1"), TRACE_LINK_UP, 0, 10);
	for (uint32_t i = 0; i <= STATS_TRACE_MAX; i++)
		trace_port(page_of("h1"), TRACE_LINK_UP, 0, i);
	page_of("h1")->trace.error = ENOSPC;
	ck_assert_int_eq(events_text(EVENTS_CSV), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(why.text, "the events of h1 are incomplete: No space left"));
	ck_assert_uint_eq(lines(), 1 + 1 + STATS_TRACE_MAX);
}

TEST(events_format__by_name)
{
	ck_assert_int_eq(events_format_of("e.csv"), EVENTS_CSV);
	ck_assert_int_eq(events_format_of("json/e"), EVENTS_CSV);
	ck_assert_int_eq(events_format_of("a.b/e.jsonl"), EVENTS_JSON_LINES);
	ck_assert_int_eq(events_format_of("e.ndjson"), EVENTS_JSON_LINES);
}

TEST(event_row_interrupted__last_line)
{
	static const char *const expected[] = {
		[EVENTS_CSV] = "# interrupted=true end_ps=18446744073709551615\n",
		[EVENTS_JSON_LINES] = "{\"interrupted\":true,\"end_ps\":18446744073709551615}\n",
	};
	const enum events_format formats[] = { EVENTS_CSV, EVENTS_JSON_LINES };

	for (unsigned i = 0; i < 2; i++) {
		size_t length;
		FILE *out;

		free(text);
		out = open_memstream(&text, &length);
		event_row_interrupted(UINT64_MAX, formats[i], out);
		fclose(out);
		ck_assert_str_eq(text, expected[formats[i]]);
	}
}

/* a class that the node does not have has no name */
TEST(events_write__class_of_no_name)
{
	trace(page_of("s1"), (struct trace_entry){ .at_ps = 90,
						   .kind = TRACE_MARK,
						   .port = 1,
						   .traffic_class = (uint8_t)nodes[0].class_count,
						   .source = 1,
						   .destination = 2,
						   .value = 77 });
	ck_assert_int_eq(events_text(EVENTS_CSV), 0);
	ck_assert_str_eq(text, HEAD "90,s1,1,h1,mark,,h0,h1,,77\n");
}
