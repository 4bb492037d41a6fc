/*  nodes/process/memory: shared memory that none of its owners can resize (TB-2, TB-23). */
#include "nodes/process/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/testing.h"

TEST(memory_make__has_its_size_for_good)
{
	int fd = memory_make("m", 12345);
	struct stat stat;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &stat), 0);
	ck_assert_int_eq(stat.st_size, 12345);
	ck_assert_int_eq(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	ck_assert_int_eq(ftruncate(fd, 12344), -1);
	ck_assert_int_eq(ftruncate(fd, 12346), -1);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
}

TEST(memory_make__too_large)
{
	int fd = open("/dev/null", O_RDONLY), next;

	close(fd);
	ck_assert_int_lt(memory_make("m", (size_t)1 << 63), 0);
	next = open("/dev/null", O_RDONLY);
	ck_assert_int_eq(next, fd); /* none is left open */
	close(next);
}

TEST(memory_make_with__begins_with_it)
{
	char bytes[5];
	int fd = memory_make_with("m", 4096, "head", 5);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pread(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	ck_assert_str_eq(bytes, "head");
	close(fd);
	fd = open("/dev/null", O_RDONLY);
	close(fd);
	ck_assert_int_eq(memory_make_with("m", 2, "head", 5), -ENOMEM); /* it does not fit */
	ck_assert_int_eq(open("/dev/null", O_RDONLY), fd);              /* none is left open */
	close(fd);
}
