/*  orchestrator/base/text_pack, descriptor_message: texts and descriptors from one process to
 *  another one, which does not trust it (DU-3). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/base/text_pack.h"
#include "tests/testing.h"

TEST_GROUP(text_pack);

/* a memory file with the @length bytes at @bytes, or -errno */
static int file_of(const char *bytes, size_t length)
{
	FILE *out = text_pack_begin();

	fwrite(bytes, 1, length, out);
	return text_pack_end(out);
}

/* a pack with the @length bytes at @bytes */
static struct text_pack read_back(const char *bytes, size_t length)
{
	struct text_pack pack;
	int fd = file_of(bytes, length);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(text_pack_read(&pack, fd), 0);
	close(fd);
	return pack;
}

TEST(text_pack__gives_back_what_was_put)
{
	char one[] = "one", odd[] = "\xff\n two", empty[] = "";
	char *words[] = { one, odd, empty, NULL }, **list;
	FILE *out = text_pack_begin();
	struct text_pack pack;
	int fd;

	text_pack_put(out, "first");
	text_pack_list(out, words);
	text_pack_number(out, UINT64_MAX);
	text_pack_put(out, NULL);
	fd = text_pack_end(out);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(text_pack_read(&pack, fd), 0);
	close(fd);
	ck_assert_str_eq(text_pack_take(&pack), "first");
	list = text_pack_take_list(&pack);
	ck_assert_ptr_nonnull(list);
	ck_assert_str_eq(list[0], one);
	ck_assert_str_eq(list[1], odd);
	ck_assert_str_eq(list[2], "");
	ck_assert_ptr_null(list[3]);
	ck_assert_uint_eq(text_pack_take_number(&pack), UINT64_MAX);
	ck_assert_str_eq(text_pack_take(&pack), "");
	ck_assert_ptr_null(text_pack_take(&pack));
	free(list);
	text_pack_free(&pack);
}

/* a text without its end, a list that is shorter than it says, one that says too much */
TEST(text_pack__reads_nothing_beyond_its_end)
{
	struct text_pack pack = read_back("ab", 2);
	char **list;

	ck_assert_str_eq(text_pack_take(&pack), "ab");
	ck_assert_ptr_null(text_pack_take(&pack));
	ck_assert_ptr_null(text_pack_take_list(&pack));
	ck_assert_uint_eq(text_pack_take_number(&pack), 0);
	text_pack_free(&pack);

	pack = read_back("3\0a", 3);
	list = text_pack_take_list(&pack);
	ck_assert_str_eq(list[0], "a");
	ck_assert_ptr_null(list[1]);
	free(list);
	text_pack_free(&pack);

	pack = read_back("18446744073709551615\0a", 22);
	ck_assert_ptr_null(text_pack_take_list(&pack));
	text_pack_free(&pack);
}

TEST(text_pack_read__refuses_what_is_too_long)
{
	struct text_pack pack;
	int fd = file_of("", 0);

	ck_assert_int_eq(ftruncate(fd, TEXT_PACK_MAX + 1), 0);
	ck_assert_int_eq(text_pack_read(&pack, fd), -EMSGSIZE);
	/* one byte less is not */
	ck_assert_int_eq(ftruncate(fd, TEXT_PACK_MAX), 0);
	ck_assert_int_eq(text_pack_read(&pack, fd), 0);
	ck_assert_uint_eq(pack.length, TEXT_PACK_MAX);
	text_pack_free(&pack);
	close(fd);
}

/* no file of this process may be as long: what was written so far is closed */
TEST(text_pack_end__cannot_be_written)
{
	const struct rlimit limit = { 10, 10 };
	int fd;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(file_of("twenty bytes of text", 20), -EFBIG);
	fd = file_of("ten bytes!", 10);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

TEST(descriptor_send__at_most_so_many)
{
	int pair[2], fds[DESCRIPTOR_MESSAGE_MAX + 1], got[DESCRIPTOR_MESSAGE_MAX], byte = 7;
	unsigned count = DESCRIPTOR_MESSAGE_MAX;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	for (unsigned i = 0; i <= DESCRIPTOR_MESSAGE_MAX; i++)
		fds[i] = pair[0];
	ck_assert_int_eq(descriptor_send(pair[0], &byte, 1, fds, DESCRIPTOR_MESSAGE_MAX + 1),
			 -EMSGSIZE);
	ck_assert_int_eq(descriptor_send(pair[0], &byte, 1, fds, DESCRIPTOR_MESSAGE_MAX), 1);
	byte = 0;
	ck_assert_int_eq(descriptor_receive(pair[1], &byte, 1, got, &count), 1);
	ck_assert_int_eq(byte, 7);
	ck_assert_uint_eq(count, DESCRIPTOR_MESSAGE_MAX);
	for (unsigned i = 0; i < count; i++)
		ck_assert_int_eq(close(got[i]), 0);
	close(pair[1]);
	ck_assert_int_eq(descriptor_send(pair[0], &byte, 1, fds, 0), -EPIPE);
	close(pair[0]);
}

TEST(descriptor_receive__closes_those_without_a_place)
{
	int pair[2], pipes[2], fds[2], sent[3], byte = 0;
	unsigned count = 2;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	ck_assert_int_eq(pipe(pipes), 0);
	for (int i = 0; i < 3; i++)
		sent[i] = pipes[1];
	ck_assert_int_eq(descriptor_send(pair[0], &byte, 1, sent, 3), 1);
	close(pipes[1]);
	ck_assert_int_eq(descriptor_receive(pair[1], &byte, 1, fds, &count), 1);
	ck_assert_uint_eq(count, 2);
	close(fds[0]);
	close(fds[1]);
	ck_assert_int_eq(read(pipes[0], &byte, 1), 0); /* no writer is left */
	close(pair[0]);
	ck_assert_int_eq(descriptor_receive(pair[1], &byte, 1, fds, &count), 0);
	close(pair[1]);
	close(pipes[0]);
}

TEST(text_pack_read__cannot_be_read)
{
	int memory = memfd_create("pack", MFD_CLOEXEC), fd;
	struct text_pack pack;
	char path[64];

	ck_assert_int_eq(write(memory, "text", 4), 4);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(text_pack_read(&pack, fd), -EBADF);
	ck_assert_ptr_null(pack.bytes);
	close(fd);
	close(memory);
}
