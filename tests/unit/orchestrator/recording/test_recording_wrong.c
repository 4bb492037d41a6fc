/*  orchestrator/recording: recordings of other programs that are wrong in one block, and files that
 *  cannot be read or written (SE-3, TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/recording/recording_export.h"
#include "orchestrator/recording/recording_read.h"
#include "orchestrator/recording/recording_write.h"
#include "tests/testing.h"

#define BEGIN "{\"format\":1,\"kind\":\"roce\",\"lanes\":1,"
#define NODE "\"nodes\":[{\"name\":\"s\",\"type\":\"switch\",\"ports\":[null]}]"
#define HEAD BEGIN "\"classes\":[\"a\"],\"series\":[],\"events\":[]," NODE "}"

static struct pack file;
static struct recording_outputs outputs;
static struct recording_found found;
static char why[320];

static void block(const char *kind, const char *content, size_t length)
{
	ck_assert_int_eq(recording_block_pack(kind, content, length, &file), 0);
}

static void setup(void)
{
	file = (struct pack){ 0 };
	outputs = (struct recording_outputs){ 0 };
	pack_bytes(&file, RECORDING_HEAD, RECORDING_HEAD_BYTES);
}

static void teardown(void)
{
	pack_free(&file);
}

/* Return: the result of reading what was written to `file` */
static int export_file(void)
{
	FILE *in = fmemopen(file.bytes, file.length, "r");
	struct recording_reader reader;
	int error = recording_open(&reader, in);

	if (!error)
		error = recording_export(&reader, &outputs, &found);
	snprintf(why, sizeof(why), "%s", reader.why.text);
	recording_close(&reader);
	fclose(in);
	return error;
}

static void refused(const char *what)
{
	ck_assert_int_eq(export_file(), -EINVAL);
	ck_assert_msg(strstr(why, what) != NULL, "'%s' is not in: %s", what, why);
}

TEST_GROUP(recording_wrong, .setup = setup, .teardown = teardown);

/* ---- blocks ---- */

TEST(recording_next__second_head)
{
	block("HEAD", HEAD, strlen(HEAD));
	block("HEAD", HEAD, strlen(HEAD));
	refused("block HEAD: there is a second one");
}

TEST_RANGE(recording_next__index_of_others, 0, 2)
{
	block("HEAD", HEAD, strlen(HEAD));
	block("INDX", _i ? "[]" : "x", _i ? 2 : 1);
	refused("block INDX: it is not the index of the blocks before it");
}

/* a slice that begins later than at 0, ends before it begins, or has no end */
TEST_RANGE(recording_next__slice_at_another_time, 0, 3)
{
	static const char spans[][2] = { { 1, 2 }, { 0, 0 }, { 0, 0 } };
	struct pack content = { 0 };

	block("HEAD", HEAD, strlen(HEAD));
	pack_number(&content, (uint64_t)spans[_i][0]);
	if (_i < 2)
		pack_number(&content, _i ? (uint64_t)INT64_MAX + 1 : 2);
	block("DATA", (const char *)content.bytes, content.length);
	refused("block DATA: it does not begin where the slice before it ends");
	pack_free(&content);
}

/* no line, an empty one, one with a zero, nothing at all, and one of 32 bytes */
TEST_RANGE(recording_export__table_without_a_name, 0, 5)
{
	static const char *const contents[] = { "flows", "\n1,2\n", "a\0b\n1,2\n", "",
						"a_name_of_more_than_31_bytes.csv\n" };
	static const size_t lengths[] = { 5, 5, 8, 0, 33 };

	block("HEAD", HEAD, strlen(HEAD));
	block("TABL", contents[_i], lengths[_i]);
	refused("block TABL: it does not begin with a name");
}

/* ---- the heading ---- */

static void head_refused(const char *head, const char *what)
{
	teardown();
	setup();
	block("HEAD", head, strlen(head));
	refused(what);
}

TEST(recording_heading__lists)
{
	char *text;
	size_t length;
	FILE *out;

	head_refused(BEGIN "\"classes\":1," NODE "}",
		     "HEAD: classes: expected a list of at most 8");
	head_refused(BEGIN
		     "\"classes\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\"]," NODE
		     "}",
		     "HEAD: classes: expected a list of at most 8");
	head_refused(BEGIN "\"classes\":[\"a\"],\"series\":[],\"events\":{}," NODE "}",
		     "HEAD: events: expected a list of at most 1024");
	head_refused(BEGIN "\"classes\":[\"a\"],\"series\":[],\"events\":[{\"id\":3,\"name\":\"e\","
			   "\"detail\":\"d\",\"value\":\"v\",\"words\":[\"w\",1]}]," NODE "}",
		     "HEAD: event 3: word 1 is no word");
	out = open_memstream(&text, &length);
	fputs(BEGIN "\"classes\":[\"a\"],\"series\":[],\"events\":[1", out);
	for (uint32_t i = 0; i < RECORDING_KINDS_MAX; i++)
		fputs(",1", out);
	fputs("]," NODE "}", out);
	fclose(out);
	head_refused(text, "HEAD: events: expected a list of at most 1024");
	free(text);
}

/* a workload has a number from its first mention on; too long a name, or too many, have none */
TEST(recording_heading_workload__numbers)
{
	struct recording_heading heading = { 0 };
	char name[NODE_NAME_MAX + 1] = "";

	memset(name, 'n', NODE_NAME_MAX);
	ck_assert_uint_eq(recording_heading_workload(&heading, name), UINT32_MAX);
	name[NODE_NAME_MAX - 1] = '\0';
	ck_assert_uint_eq(recording_heading_workload(&heading, name), 0);
	for (uint32_t i = 1; i < SCENARIO_WORKLOADS_MAX; i++) {
		snprintf(name, sizeof(name), "w%u", i);
		ck_assert_uint_eq(recording_heading_workload(&heading, name), i);
	}
	ck_assert_uint_eq(recording_heading_workload(&heading, "one more"), UINT32_MAX);
	ck_assert_uint_eq(recording_heading_workload(&heading, "w1"), 1);
	ck_assert_uint_eq(heading.plan.workload_count, SCENARIO_WORKLOADS_MAX);
	recording_heading_free(&heading);
}

/* ---- files ---- */

TEST(recording_open__no_file)
{
	FILE *in = fopen("/tmp", "r");
	struct recording_reader reader;

	ck_assert_ptr_nonnull(in);
	ck_assert_int_eq(recording_open(&reader, in), -EIO);
	ck_assert_msg(strstr(reader.why.text, strerror(EISDIR)) != NULL, "%s", reader.why.text);
	recording_close(&reader);
	fclose(in);
}

TEST(recording_export__no_folder)
{
	block("HEAD", HEAD, strlen(HEAD));
	block("TABL", "flows.csv\n1,2\n", 14);
	outputs.csv = "/nowhere/at/all";
	ck_assert_int_eq(export_file(), -ENOENT);
	ck_assert_str_eq(why, "cannot write flows.csv: No such file or directory");
}

/* table @name of @folder has this text; it goes away */
static void table_is(const char *folder, const char *name, const char *wanted)
{
	char path[64], text[64] = "";
	FILE *table;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	table = fopen(path, "r");
	ck_assert_ptr_nonnull(table);
	ck_assert_uint_lt(fread(text, 1, sizeof(text) - 1, table), sizeof(text) - 1);
	fclose(table);
	ck_assert_str_eq(text, wanted);
	unlink(path);
}

static void part(struct recording *recording, const char *name, const char *text)
{
	FILE *out = recording_text(recording, "TABL", name);

	fputs(text, out);
	fclose(out);
}

/* tables in parts, between those of others */
TEST(recording_export__tables)
{
	json_t *head = json_loads(HEAD, 0, NULL), *flows = json_array();
	char folder[] = "/tmp/recording.XXXXXX", *bytes;
	struct recording recording;
	size_t length;
	FILE *out = open_memstream(&bytes, &length);

	recording_begin(&recording, head, out);
	recording_json(&recording, "FLOW", flows);
	part(&recording, "flows.csv", "1,2\n");
	part(&recording, "ports.csv", "5,6\n");
	part(&recording, "flows.csv", "3,4\n");
	ck_assert_int_eq(recording_end(&recording, RECORDING_COMPLETE, NULL, 3000), 0);
	fclose(out);
	file.length = 0;
	pack_bytes(&file, bytes, length);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	outputs.csv = folder;
	ck_assert_int_eq(export_file(), 0);
	table_is(folder, "flows.csv", "1,2\n3,4\n");
	table_is(folder, "ports.csv", "5,6\n");
	ck_assert_int_eq(rmdir(folder), 0);
	free(bytes);
	json_decref(head);
	json_decref(flows);
}

/* no table is left if a later block is wrong; _i: which one, of flows or of a slice */
TEST_RANGE(recording_export__no_tables, 0, 2)
{
	char folder[] = "/tmp/recording.XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(folder));
	outputs.csv = folder;
	block("HEAD", HEAD, strlen(HEAD));
	block("TABL", "flows.csv\n1,2\n", 14);
	block("DATA", "\0\2\1\2\0\0", 6);
	if (_i) {
		block("DATA", "\2\5\1\4\0\0", 6);
		refused("block DATA: the time of a sample");
	} else {
		block("FLOW", "{}", 2);
		refused("block FLOW: it is no list of flows");
	}
	ck_assert_int_eq(rmdir(folder), 0);
}

/* _i: the results, or a summary */
TEST_RANGE(recording_export__disk_is_full, 0, 2)
{
	FILE *out = fopen("/dev/full", "w");

	setvbuf(out, NULL, _IONBF, 0);
	if (_i)
		outputs.text = out;
	else
		outputs.json = out;
	block("HEAD", HEAD, strlen(HEAD));
	if (_i)
		block("TABL", "summary.txt\n1,2\n", 16);
	else
		block("RSLT", "{}", 2);
	ck_assert_int_eq(export_file(), -ENOSPC);
	ck_assert_str_eq(why, "cannot write the output: No space left on device");
	fclose(out);
}

/* what is later than the next sample is an error of a node: nothing more is written */
TEST(recording_sample__time_goes_back)
{
	json_t *head = json_object();
	struct recording recording;
	char *text;
	size_t length, before;
	FILE *out = open_memstream(&text, &length);

	recording_begin(&recording, head, out);
	json_decref(head);
	recording_sample(&recording, 2000);
	ck_assert_int_eq(recording.error, 0);
	fflush(out);
	before = length;
	recording_sample(&recording, 1999);
	ck_assert_int_eq(recording.error, -EBADMSG);
	recording_sample(&recording, 3000);
	ck_assert_uint_eq(recording.at_ps, 2000);
	ck_assert_ptr_null(recording_text(&recording, "RSLT", NULL));
	ck_assert_int_eq(recording_end(&recording, RECORDING_COMPLETE, NULL, 3000), -EBADMSG);
	fclose(out);
	ck_assert_uint_eq(length, before);
	free(text);
}

/* the disk is full: the writer of a long text learns of it, and of the first error alone */
TEST(recording_text__disk_is_full)
{
	json_t *head = json_object();
	FILE *out = fopen("/dev/full", "w"), *text;
	size_t length = 2 * RECORDING_PART_BYTES_MAX;
	struct recording recording;
	char *bytes = calloc(1, length);

	recording_begin(&recording, NULL, out);
	ck_assert_int_eq(recording.error, -ENOMEM); /* there is no head */
	recording_end(&recording, RECORDING_COMPLETE, NULL, 0);
	recording_begin(&recording, head, fmemopen(NULL, 1 << 20, "w"));
	json_decref(head);
	fclose(recording.out);
	recording.out = out;
	ck_assert_int_eq(recording.error, 0);
	text = recording_text(&recording, "TABL", "a.csv");
	ck_assert_ptr_nonnull(text);
	setvbuf(text, NULL, _IONBF, 0);
	errno = 0;
	ck_assert_uint_lt(fwrite(bytes, 1, length, text), length);
	ck_assert_int_eq(errno, ENOSPC);
	fclose(text);
	ck_assert_int_eq(recording.error, -ENOSPC);
	ck_assert_int_eq(recording_end(&recording, RECORDING_COMPLETE, NULL, 0), -ENOSPC);
	fclose(out);
	free(bytes);
}
