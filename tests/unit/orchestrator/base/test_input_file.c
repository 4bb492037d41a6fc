/*  orchestrator/base/input_file: whole files, and standard input, which is kept (DU-3). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/input_file.h"
#include "tests/testing.h"

static char path[64];

static void setup(void)
{
	int fd;

	testing_input();
	strcpy(path, "/tmp/heddle-input-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_eq(write(fd, "0123456789", 10), 10);
	close(fd);
}

static void teardown(void)
{
	unlink(path);
}

TEST_GROUP(input_file, .setup = setup, .teardown = teardown);

static void reads(const char *name, size_t max, const char *text)
{
	size_t length;
	char *got = input_file_read(name, max, &length);

	ck_assert_ptr_nonnull(got);
	ck_assert_uint_eq(length, strlen(text));
	ck_assert_int_eq(memcmp(got, text, length), 0);
	free(got);
}

TEST(input_file_read__one_byte_more_than_allowed)
{
	reads(path, 100, "0123456789");
	reads(path, 10, "0123456789");
	reads(path, 4, "01234");
}

TEST(input_file_read__cannot_be_read)
{
	size_t length = 7;

	ck_assert_ptr_null(input_file_read("/no/such/file", 100, &length));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_uint_eq(length, 0);
	ck_assert_ptr_null(input_file_read("/tmp", 100, &length));
	ck_assert_int_eq(errno, EISDIR);
}

TEST(input_file_read__standard_input_twice)
{
	int fd = open(path, O_RDONLY), before = dup(STDIN_FILENO);

	dup2(fd, STDIN_FILENO);
	close(fd);
	ck_assert(input_file_is_stdin("-") && !input_file_is_stdin("-x"));
	reads("-", 100, "0123456789");
	reads("-", 100, "0123456789");
	dup2(before, STDIN_FILENO);
	close(before);
}
