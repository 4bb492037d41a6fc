/*  orchestrator/run/run_report: when a report is written, and that nothing is left of one that is
 *  not (SE-11). */
#include "orchestrator/run/run_report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/exit_status.h"
#include "orchestrator/recording/recording_write.h"
#include "orchestrator/view/view_report.h"
#include "tests/said.h"
#include "tests/testing.h"

static char folder[] = "/tmp/heddle-XXXXXX";
static struct run_report report;

static void setup(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void teardown(void)
{
	run_report_abort(&report);
	unlink("r.html");
	ck_assert_int_eq(rmdir(folder), 0);
}

TEST_GROUP(run_report, .setup = setup, .teardown = teardown);

static void opened(void)
{
	ck_assert_int_eq(run_report_open(&report, "r.html", NULL), 0);
}

/* the end of a run with @status: another one is returned, and @sentence is said */
static void ended(int status, int returned, const char *sentence)
{
	said_begin();
	ck_assert_int_eq(run_report_end(&report, status), returned);
	ck_assert_str_eq(said_end(), sentence);
	ck_assert_uint_eq(report.count, 0);
	ck_assert_ptr_null(report.file.stream);
}

static bool written(void)
{
	return !access("r.html", F_OK);
}

TEST(run_report__not_wanted)
{
	ck_assert_int_eq(run_report_open(&report, NULL, NULL), 0);
	ck_assert_ptr_null(run_report_recording(&report));
	ended(EXIT_STALL, EXIT_STALL, "");
}

TEST(run_report_open__no_folder)
{
	said_begin();
	ck_assert_int_eq(run_report_open(&report, "none/r.html", NULL), EXIT_USAGE);
	ck_assert_ptr_nonnull(
		strstr(said_end(), "heddle run: cannot write the report to none/r.html: "));
	ck_assert_ptr_null(run_report_recording(&report));
}

/* also of a run that failed, but not if there was none */
TEST(run_report_end__by_status)
{
	static const int statuses[] = { EXIT_FINE, EXIT_NODE, EXIT_INTERRUPTED };

	for (unsigned i = 0; i < 3; i++) {
		opened();
		ck_assert_ptr_nonnull(run_report_recording(&report));
		ended(statuses[i], statuses[i], "");
		ck_assert(written());
		ck_assert_int_eq(unlink("r.html"), 0);
	}
	opened();
	ck_assert_ptr_nonnull(run_report_recording(&report));
	ended(EXIT_USAGE, EXIT_USAGE, "");
	ck_assert(!written());
	opened();
	ended(EXIT_FINE, EXIT_FINE, "");
	ck_assert(!written());
}

TEST(run_report_recording__of_each_variant)
{
	opened();
	for (unsigned i = 0; i < SCENARIO_VARIANTS_MAX; i++)
		ck_assert_ptr_nonnull(run_report_recording(&report));
	ck_assert_ptr_null(run_report_recording(&report));
	ck_assert_uint_eq(report.count, SCENARIO_VARIANTS_MAX);
}

TEST(run_report_end__no_temporary_file)
{
	opened();
	ck_assert_ptr_nonnull(run_report_recording(&report));
	fclose(report.recordings[0]);
	report.recordings[0] = NULL;
	ended(EXIT_FINE, EXIT_USAGE, "heddle run: cannot write the report: no temporary file\n");
	ck_assert(!written());
}

/* ---- a report that is too large ---- */

static const char head[] =
	"{\"format\":1,\"clock\":\"virtual\",\"kind\":\"roce\",\"sample_ps\":1000,\"classes\":"
	"[\"best\"],\"lanes\":1,\"nodes\":[{\"name\":\"s0\",\"type\":\"switch\",\"ports\":[null]}],"
	"\"series\":[],\"events\":[{\"id\":0,\"name\":\"packet\",\"detail\":\"\",\"value\":"
	"\"ago_ps\",\"has_class\":false,\"what\":\"\",\"words\":null}],\"marks\":[]}";

/* a recording of packets with any value, which in a report are more than it may have */
static void packets_write(FILE *out)
{
	json_t *json = json_loads(head, 0, NULL);
	struct recording recording;
	uint64_t value = 1;

	recording_begin(&recording, json, out);
	json_decref(json);
	for (uint64_t i = 0; view_report_bytes(recording.offset, 1) <= VIEW_REPORT_BYTES_MAX; i++) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		recording_event(&recording, &(struct event){ .at_ps = i, .value = value });
	}
	recording_slice(&recording, NODE_US);
	ck_assert_int_eq(recording_end(&recording, RECORDING_COMPLETE, NULL, NODE_US), 0);
}

static off_t size_of(const char *path)
{
	FILE *file = fopen(path, "re");
	off_t size;

	ck_assert_ptr_nonnull(file);
	fseeko(file, 0, SEEK_END);
	size = ftello(file);
	fclose(file);
	return size;
}

TEST(run_report_end__thinned_out)
{
	opened();
	packets_write(run_report_recording(&report));
	ended(EXIT_FINE, EXIT_FINE, "");
	ck_assert(written());
	ck_assert_int_lt(size_of("r.html"), 1000000);
}

/* what cannot be thinned out is no report */
TEST(run_report_end__no_recording)
{
	FILE *out;

	opened();
	out = run_report_recording(&report);
	ck_assert_int_eq(ftruncate(fileno(out), VIEW_REPORT_BYTES_MAX), 0);
	ended(EXIT_FINE, EXIT_USAGE,
	      "heddle run: cannot write the report: byte 0: it is no recording of Heddle, or of a "
	      "later version: expected 'heddle recording 1'\n");
	ck_assert(!written());
}

/* A result that is large in itself stays, and so does the report, which is told. */
TEST(run_report_end__cannot_be_smaller)
{
	json_t *json = json_loads(head, 0, NULL);
	struct recording recording;
	uint64_t value = 1;
	FILE *out, *result;

	opened();
	out = run_report_recording(&report);
	recording_begin(&recording, json, out);
	json_decref(json);
	result = recording_text(&recording, "RSLT", NULL);
	for (uint32_t i = 0; i < VIEW_REPORT_BYTES_MAX / 5; i++) { /* 4 bytes of base64 for 3 */
		value = value * 6364136223846793005u + 1442695040888963407u;
		fwrite((uint8_t *)&value + 4, 1, 4, result);
	}
	fclose(result);
	ck_assert_int_eq(recording_end(&recording, RECORDING_COMPLETE, NULL, NODE_US), 0);
	ended(EXIT_FINE, EXIT_FINE,
	      "heddle run: the report is larger than 5 MB, thinned out as it is: a shorter "
	      "run.duration makes it smaller\n");
	ck_assert(written());
	ck_assert_int_gt(size_of("r.html"), VIEW_REPORT_BYTES_MAX);
}
