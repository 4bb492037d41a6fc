/*  nodes/base/write_whole: what write() takes in parts is written whole, or the error is told. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/write_whole.h"
#include "tests/testing.h"

#define BYTES (1u << 20) /* many times what a pipe holds */

static char sent[BYTES], got[BYTES];

static void *reads(void *fd)
{
	size_t done = 0;
	ssize_t part;

	while ((part = read(*(int *)fd, got + done, BYTES - done)) > 0)
		done += (size_t)part;
	return (void *)done;
}

TEST(write_whole__through_a_pipe)
{
	pthread_t reader;
	void *count;
	int ends[2];

	for (size_t i = 0; i < BYTES; i++)
		sent[i] = (char)(i * 7 + i / 251);
	ck_assert(!pipe2(ends, O_CLOEXEC) && !pthread_create(&reader, NULL, reads, &ends[0]));
	ck_assert_uint_eq(write_whole(ends[1], sent, BYTES), BYTES);
	close(ends[1]);
	ck_assert(!pthread_join(reader, &count));
	ck_assert_uint_eq((size_t)count, BYTES);
	ck_assert_int_eq(memcmp(sent, got, BYTES), 0);
	close(ends[0]);
}

/* what the file does not take: the count tells where it stopped */
TEST(write_whole__stops_at_an_error)
{
	int ends[2], full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	size_t held;

	errno = 0;
	ck_assert_uint_eq(write_whole(full, sent, 10), 0);
	ck_assert_int_eq(errno, ENOSPC);
	close(full);
	ck_assert(!pipe2(ends, O_CLOEXEC | O_NONBLOCK));
	held = write_whole(ends[1], sent, BYTES);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_int_eq(read(ends[0], got, BYTES), (ssize_t)held);
	close(ends[0]);
	close(ends[1]);
}

TEST(write_whole__nothing)
{
	ck_assert_uint_eq(write_whole(-1, sent, 0), 0);
}
