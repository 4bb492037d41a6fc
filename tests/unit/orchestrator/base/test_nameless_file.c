/*  orchestrator/base/nameless_file: a file that no name leads to, in the folder for temporary files
 *  or in memory (SE-4, TB-22). */
#include "orchestrator/base/nameless_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/testing.h"

static char folder[64];

static void setup(void)
{
	snprintf(folder, sizeof(folder), "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
	ck_assert_int_eq(rmdir(folder), 0); /* so it is empty */
}

/* makes one and closes it; where it was to @place */
static void made(char place[PATH_MAX])
{
	char link[64];
	struct stat status;
	int fd = nameless_file();
	ssize_t length;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &status), 0);
	ck_assert_uint_eq(status.st_nlink, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(pwrite(fd, "x", 1, 9), 1);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, place, PATH_MAX - 1);
	ck_assert_int_gt(length, 0);
	place[length] = 0;
	close(fd);
}

/* the file was in @where, unless that disk has no such files */
static void was_in(const char *place, const char *where)
{
	int fd = open(where, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	ck_assert_msg(!strncmp(place, fd < 0 ? "/memfd:" : where, fd < 0 ? 7 : strlen(where)), "%s",
		      place);
	if (fd >= 0)
		close(fd);
}

TEST_GROUP(nameless_file, .setup = setup, .teardown = teardown);

TEST(nameless_file__in_the_folder_for_temporary_files)
{
	char place[PATH_MAX];

	setenv("TMPDIR", folder, 1);
	made(place);
	was_in(place, folder);
}

/* not given, or empty */
TEST_RANGE(nameless_file__without_one, 0, 2)
{
	char place[PATH_MAX];

	if (_i)
		setenv("TMPDIR", "", 1);
	else
		unsetenv("TMPDIR");
	made(place);
	was_in(place, "/tmp/");
}

TEST(nameless_file__in_memory_if_there_is_no_folder)
{
	char place[PATH_MAX];

	setenv("TMPDIR", "/nowhere", 1);
	made(place);
	ck_assert_ptr_nonnull(strstr(place, "memfd:nameless"));
}

/* what was written can be read, also where no folder can be written */
TEST(nameless_stream__writes_and_reads)
{
	char text[8] = "";
	FILE *stream;

	setenv("TMPDIR", "/nowhere", 1);
	stream = nameless_stream();
	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(fputs("abc", stream), 1);
	rewind(stream);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), stream));
	ck_assert_str_eq(text, "abc");
	fclose(stream);
}
