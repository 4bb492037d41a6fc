/*  orchestrator/scenario/size_file: lists of message sizes (TB-12). */
#include "orchestrator/scenario/size_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "tests/unit/orchestrator/scenario/read_scenario.h"

TEST_GROUP(size_file, .setup = setup, .teardown = teardown);

TEST(size_file_read__web_search_has_its_mean)
{
	struct size_point points[WORKLOAD_SIZES_MAX];
	uint64_t sum = 0, before_bytes = 0;
	uint32_t count, before_ppm = 0;

	ck_assert_int_eq(size_file_read("topologies/web-search.csv", NULL, points, &count, &errors),
			 0);
	ck_assert_uint_eq(count, 11);
	for (uint32_t i = 0; i < count; i++) { /* uniform between the points */
		sum += (points[i].bytes + before_bytes) * (points[i].cumulative_ppm - before_ppm);
		before_bytes = points[i].bytes;
		before_ppm = points[i].cumulative_ppm;
	}
	ck_assert_uint_eq(sum / 2 / 1000000, 1711250);
}

TEST(size_file_parse__heading_comments_and_percent_signs)
{
	char text[] = "# sizes\r\n\nbytes , percent\n 1kB, 12.5%\n2KiB;100\n";
	struct size_point points[WORKLOAD_SIZES_MAX];
	uint32_t count;

	ck_assert_int_eq(size_file_parse("s.csv", text, points, &count, &errors), 0);
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(points[0].bytes, 1000);
	ck_assert_uint_eq(points[0].cumulative_ppm, 125000);
	ck_assert_uint_eq(points[1].bytes, 2048);
	ck_assert_uint_eq(points[1].cumulative_ppm, 1000000);
}

TEST(size_file_parse__errors_name_the_line)
{
	static const char *const wrong[][2] = {
		{ "1000\n", "1:1: expected 'bytes,cumulative percent', such as 10000,15" },
		{ "1,50\n  bytes,percent\n", "2:3: 'bytes' is not a number; expected a size such "
					     "as 4096 or 512KiB (B, kB, MB, GB, KiB, MiB, GiB)" },
		{ "1,101\n", "1:1: '101' is not a percentage up to 100 in steps of 0.0001" },
		{ "1,half\n", "1:1: 'half' is not a percentage up to 100 in steps of 0.0001" },
		{ "1,.00005\n", "1:1: '.00005' is not a percentage up to 100 in steps of 0.0001" },
		{ "0,1\n", "1:1: a message has 1 byte to 1 TB" },
		{ "1000GB,1\n1000000000001,2\n", "2:1: a message has 1 byte to 1 TB" },
		{ "1,1\n1,2\n", "2:1: both columns must rise from line to line" },
		{ "1,1\n2,1\n", "2:1: both columns must rise from line to line" },
		{ "1,0\n", "1:1: the first line must have more than 0%: 0 bytes at 0% is implied" },
		{ "1,99.9999\n", "2:1: the last line must have 100 percent" },
		{ "\n", "1:1: there is no line 'bytes,cumulative percent' in this file" },
	};
	struct size_point points[WORKLOAD_SIZES_MAX];
	char text[64], said[256];
	uint32_t count;

	for (unsigned i = 0; i < COUNT_OF(wrong); i++) {
		struct scenario_errors found = { 0 };

		snprintf(text, sizeof(text), "%s", wrong[i][0]);
		snprintf(said, sizeof(said), "s.csv:%s", wrong[i][1]);
		ck_assert_int_eq(size_file_parse("s.csv", text, points, &count, &found), -EINVAL);
		ck_assert_uint_eq(found.count, 1);
		ck_assert_str_eq(found.texts[0], said);
		scenario_errors_free(&found);
	}
}

/* as many points as there can be, and one more */
TEST(size_file_parse__most_points)
{
	struct size_point points[WORKLOAD_SIZES_MAX];
	char text[16 * WORKLOAD_SIZES_MAX + 16] = "";
	size_t length = 0;
	uint32_t count;

	for (int i = 1; i < WORKLOAD_SIZES_MAX; i++)
		length += (size_t)sprintf(text + length, "%d,%d.%04d\n", i, i / 10000, i % 10000);
	strcpy(text + length, "10000,100\n");
	ck_assert_int_eq(size_file_parse("s.csv", strdupa(text), points, &count, &errors), 0);
	ck_assert_uint_eq(count, WORKLOAD_SIZES_MAX);
	strcpy(text + length, "10000,99\n20000,100\n");
	ck_assert_int_eq(size_file_parse("s.csv", text, points, &count, &errors), -EINVAL);
	snprintf(text, sizeof(text), "s.csv:%d:1: a distribution has at most %d points",
		 WORKLOAD_SIZES_MAX + 1, WORKLOAD_SIZES_MAX);
	ck_assert_str_eq(errors.texts[0], text);
}

/* what cannot be a list of sizes: an empty file, one that is too long by a byte, a folder, none */
TEST(size_file_read__bad_files)
{
	struct size_point points[WORKLOAD_SIZES_MAX];
	char path[] = "/tmp/test_scenario.XXXXXX";
	int fd = mkstemp(path);
	uint32_t count;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(size_file_read(path, NULL, points, &count, &errors), -EINVAL);
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_int_eq(ftruncate(fd, SIZE_FILE_BYTES_MAX + 1), 0);
	ck_assert_int_eq(size_file_read(path, NULL, points, &count, &errors), -EFBIG);
	close(fd);
	unlink(path);
	ck_assert_int_eq(size_file_read(path, NULL, points, &count, &errors), -ENOENT);
	ck_assert_int_eq(size_file_read("/tmp", NULL, points, &count, &errors), -EBADF);
	ck_assert_uint_eq(errors.count, 1); /* for the others the caller has words */
}
