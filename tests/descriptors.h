/*  descriptors - how many a process has open, and how many more it can open. */
#ifndef TESTS_DESCRIPTORS_H
#define TESTS_DESCRIPTORS_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>

#include "tests/testing.h"

static inline uint32_t descriptors(void)
{
	uint32_t count = 0;

	for (int fd = 0; fd < 4096; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* from now on this process can open so many descriptors more */
static inline void descriptors_left(uint32_t count)
{
	struct rlimit limit;
	int fd = 0;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	/* the kernel takes the lowest free numbers */
	for (; count || fcntl(fd, F_GETFD) >= 0; fd++)
		count -= count && fcntl(fd, F_GETFD) < 0;
	limit.rlim_cur = (rlim_t)fd;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

#endif
