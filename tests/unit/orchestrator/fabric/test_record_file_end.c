/*  orchestrator/fabric/record_file: how a recording ends, and what is said if it cannot be written
 *  (SE-3). No node runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/stats/series.h"
#include "nodes/stats/trace.h"
#include "orchestrator/fabric/record_file.h"
#include "orchestrator/recording/recording_read.h"
#include "tests/said.h"
#include "tests/testing.h"

#define NODES 3u

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct fabric fabric;
static struct node_files events, series;
static struct record_file record;
static char folder[] = "/tmp/heddle-XXXXXX";
static struct why why;

static void setup(void)
{
	static const char text[] = "name: t\nrun: {duration: 1us}\ntopology: {switches: [s1], "
				   "hosts: {h1: s1, h2: s1}}\n";

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_uint_eq(plan.node_count, NODES);
	for (uint32_t i = 0; i < NODES; i++) {
		plan.nodes[i].events = plan.nodes[i].series = true;
		nodes[i] = (struct fabric_node){ .stats = calloc(1, stats_bytes(&plan.nodes[i])) };
		stats_init(nodes[i].stats, &plan.nodes[i]);
		nodes[i].view =
			(struct stats_view){ .page = nodes[i].stats,
					     .their_head = (const uint8_t *)nodes[i].stats };
	}
	page = (struct clock_page){ .state = CLOCK_RUNNING, .start_ps = 77 };
	fabric = (struct fabric){ .plan = &plan, .nodes = nodes, .page = &page };
	fabric.clock.page = &page;
	ck_assert_int_eq(node_files_open(&events, NODES, NULL, &why), 0);
	ck_assert_int_eq(node_files_open(&series, NODES, NULL, &why), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		trace_file(nodes[i].stats, events.fds[i]);
		series_file(nodes[i].stats, series.fds[i]);
	}
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void teardown(void)
{
	record_file_abort(&record);
	node_files_close(&events);
	node_files_close(&series);
	for (uint32_t i = 0; i < NODES; i++)
		free(nodes[i].stats);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	unlink("r");
	ck_assert_int_eq(rmdir(folder), 0);
}

TEST_GROUP(record_file_end, .setup = setup, .teardown = teardown);

static void begun(const char *path)
{
	ck_assert_int_eq(record_file_open(&record, path, &why), 0);
	ck_assert_int_eq(record_file_begin(&record, &fabric, NULL, &events, &series), 0);
	ck_assert(record.begun);
}

static void ended(int error, const char *sentence)
{
	said_begin();
	ck_assert_int_eq(record_file_end(&record, &fabric), error);
	ck_assert_str_eq(said_end(), sentence);
	ck_assert(!record.begun && !record.wanted);
	ck_assert_ptr_null(record.file.stream);
}

/* the last block but the index begins with @done */
static void done_is(FILE *in, const char *done)
{
	struct recording_reader reader;
	char last[512] = "";

	ck_assert_ptr_nonnull(in);
	rewind(in);
	ck_assert_int_eq(recording_open(&reader, in), 0);
	while (recording_next(&reader) == 1)
		snprintf(last, sizeof(last), "%.*s", (int)reader.content.length,
			 (const char *)reader.content.bytes);
	ck_assert_str_eq(reader.why.text, "");
	ck_assert_int_eq(reader.kind, RECORDING_DONE);
	ck_assert_msg(!strncmp(last, done, strlen(done)), "%s", last);
	recording_close(&reader);
	fclose(in);
}

/* without a result, at the present time of the fabric */
TEST(record_file_end__failed)
{
	begun("r");
	ck_assert_int_eq(access("r", F_OK), -1);
	strcpy(fabric.failure, "s1 died");
	ended(0, "");
	done_is(fopen("r", "re"), "{\"status\":\"failed\",\"failure\":\"s1 died\",\"end_ps\":77,");
	unlink("r");
	fabric.failure[0] = 0;
	begun("r");
	ended(0, "");
	done_is(fopen("r", "re"), "{\"status\":\"failed\",\"failure\":null,\"end_ps\":77,");
	/* once more has no effect */
	ended(0, "");
}

/* at the time of the result */
TEST_RANGE(record_file_end__with_a_result, 0, 3)
{
	static const char *const done[] = {
		"{\"status\":\"complete\",\"failure\":null,\"end_ps\":99,",
		"{\"status\":\"interrupted\",\"failure\":null,\"end_ps\":99,",
		"{\"status\":\"failed\",\"failure\":\"late\",\"end_ps\":99,",
	};

	begun("r");
	record.result = true;
	record.interrupted = _i == 1;
	record.end_ps = 99;
	if (_i == 2)
		strcpy(fabric.failure, "late");
	ended(0, "");
	done_is(fopen("r", "re"), done[_i]);
}

/* the stream of a caller stays open */
TEST(record_file_end__stream_of_the_caller)
{
	FILE *out = tmpfile();

	record_file_to(&record, out);
	ck_assert_int_eq(record_file_begin(&record, &fabric, NULL, &events, &series), 0);
	record_file_follow(&record, &fabric);
	ended(0, "");
	done_is(out, "{\"status\":\"failed\"");
}

TEST(record_file_end__cannot_write)
{
	FILE *full = fopen("/dev/full", "w");

	begun("/dev/full");
	ended(-ENOSPC, "heddle run: cannot write the recording to /dev/full: No space left on "
		       "device\n");
	record_file_to(&record, full);
	ck_assert_int_eq(record_file_begin(&record, &fabric, NULL, &events, &series), 0);
	ended(-ENOSPC, "heddle run: cannot write the recording to the report: No space left on "
		       "device\n");
	fclose(full);
	/* its place has gone */
	begun("r");
	ck_assert_int_eq(mkdir("r", 0700), 0);
	ended(-EISDIR, "heddle run: cannot write the recording to r: Is a directory\n");
	ck_assert_int_eq(rmdir("r"), 0);
}

/* it is written, but the log of a node is not whole */
TEST(record_file_end__lacks_something)
{
	nodes[1].stats->trace.count = nodes[1].stats->trace.filed = 5;
	begun("r");
	ended(-EBADMSG, "heddle run: the recording lacks something: r: the events of h1 are "
			"incomplete: Bad message\n");
	done_is(fopen("r", "re"), "{\"status\":\"failed\"");
}

TEST(record_file_abort__leaves_no_file)
{
	begun("r");
	record_file_abort(&record);
	ck_assert_int_eq(access("r", F_OK), -1);
	ck_assert(!record.begun);
	record_file_abort(&record);
}
