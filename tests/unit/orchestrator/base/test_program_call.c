/*  orchestrator/base: program_call - other programs, and what they print. */
#include "orchestrator/base/program_call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/testing.h"

TEST_GROUP(program_call, .setup = testing_input);

static int shell(const char *script, int out_fd, int error_fd)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct program_call call = { argv, -1, out_fd, error_fd, 0 };

	return program_call_run(&call);
}

TEST(program_call_run__status)
{
	const char *const argv[] = { "/no/such/program", NULL };
	struct program_call call = { argv, -1, -1, -1, 0 };

	ck_assert_int_eq(shell("exit 0", -1, -1), 0);
	ck_assert_int_eq(shell("exit 3", -1, -1), 3);
	ck_assert_int_eq(shell("kill -9 $$", -1, -1), 128 + 9);
	ck_assert_int_eq(program_call_start(&call), -ENOENT);
	ck_assert_int_eq(program_call_run(&call), PROGRAM_NOT_FOUND);
}

/* this process has no such child */
TEST(program_call_end__of_another_process)
{
	struct program_call call = { .pid = getpid() };

	ck_assert_int_eq(program_call_end(&call), PROGRAM_NOT_FOUND);
}

TEST(program_call_text__all_that_it_prints)
{
	int fd = program_call_file();
	size_t length;
	char *text;

	ck_assert_int_ge(fd, 0);
	/* more than a pipe holds, and its input is empty */
	ck_assert_int_eq(shell("cat; for i in $(seq 20000); do echo 123456789; done", fd, -1), 0);
	text = program_call_text(fd, &length);
	ck_assert_uint_eq(length, 200000);
	ck_assert_int_eq(strncmp(text, "123456789\n1234", 14), 0);
	ck_assert_int_eq(text[length], 0);
	free(text);
	ck_assert_int_eq(ftruncate(fd, PROGRAM_OUTPUT_MAX + 1), 0);
	ck_assert_ptr_null(program_call_text(fd, &length));
	close(fd);
}

static void complains(const char *script, const char *wanted)
{
	int fd = program_call_file();
	char line[20];

	ck_assert_int_eq(shell(script, -1, fd), 0);
	ck_assert_str_eq(program_call_complaint(fd, line, sizeof(line)), wanted);
	close(fd);
}

TEST(program_call_complaint__the_line_that_says_why)
{
	complains("true", "");
	complains("echo >&2; echo first >&2; echo last >&2", "first");
	complains("echo level=warning >&2; echo Error: it failed >&2; echo x >&2", "it failed");
	complains("echo Error: it >&2; echo Error: not >&2", "it");
	complains("echo 12345678901234567890123 >&2", "1234567890123456789");
}

TEST(program_call_complaint__cannot_be_read)
{
	char line[20] = "before";

	ck_assert_ptr_eq(program_call_complaint(-1, line, sizeof(line)), line);
	ck_assert_str_eq(line, "");
}
