/*  orchestrator/hosts/room_log: what programs print, in a file with a limit (DU-3). */
#include "orchestrator/hosts/room_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/testing.h"

#define LIMIT 100000

static char path[64], text[3 * LIMIT];
static struct room_log first;
static int file_fd, program_fd;

static void set_up(void)
{
	snprintf(path, sizeof(path), "/tmp/test_room_log_XXXXXX");
	close(mkstemp(path));
	file_fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	program_fd = room_log_open(&first, file_fd, LIMIT);
	ck_assert_int_ge(program_fd, 0);
}

static void tear_down(void)
{
	room_log_close(&first);
	close(file_fd);
	unlink(path);
}

TEST_GROUP(room_log, .setup = set_up, .teardown = tear_down);

static void print(int fd, size_t length)
{
	memset(text, 'x', length);
	ck_assert_int_eq(write(fd, text, length), (ssize_t)length);
}

/* the file has @length bytes, and then @end */
static void file_has(size_t length, const char *end)
{
	ssize_t got = pread(file_fd, text, sizeof(text) - 1, 0);

	ck_assert_int_eq(got, (ssize_t)(length + strlen(end)));
	text[got] = 0;
	ck_assert_uint_eq(strspn(text, "x"), length);
	ck_assert_str_eq(text + length, end);
}

TEST(room_log_pass__what_is_printed_is_in_the_file)
{
	ck_assert_int_eq(room_log_pass(&first), 0);
	print(program_fd, 1000);
	ck_assert_int_eq(room_log_pass(&first), 1);
	ck_assert_int_eq(room_log_pass(&first), 0);
	file_has(1000, "");
	print(program_fd, 5);
	close(program_fd);
	room_log_drain(&first);
	ck_assert_int_eq(room_log_pass(&first), -1);
	file_has(1005, "");
}

TEST(room_log_pass__a_full_file_says_so_once)
{
	struct room_log second;
	int second_fd = room_log_open(&second, file_fd, LIMIT);

	print(program_fd, 60000);
	room_log_drain(&first);
	print(second_fd, 60000);
	room_log_drain(&second);
	file_has(LIMIT, ROOM_LOG_END);
	/* a program goes on, since its pipe is read */
	for (int i = 0; i < 10; i++) {
		print(program_fd, 60000);
		room_log_drain(&first);
		print(second_fd, 60000);
		ck_assert_int_eq(room_log_pass(&second), 1);
	}
	file_has(LIMIT, ROOM_LOG_END);
	close(program_fd);
	close(second_fd);
	room_log_close(&second);
}

TEST(room_log_pass__exactly_full)
{
	print(program_fd, LIMIT / 2);
	room_log_drain(&first);
	print(program_fd, LIMIT / 2);
	room_log_drain(&first);
	file_has(LIMIT, ROOM_LOG_END);
	close(program_fd);
}

TEST(room_log_open__regular_files_only)
{
	struct room_log other;
	int pipes[2];

	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(room_log_open(&other, pipes[1], LIMIT), -EINVAL);
	room_log_close(&other);
	close(pipes[0]);
	close(pipes[1]);
	close(program_fd);
}
