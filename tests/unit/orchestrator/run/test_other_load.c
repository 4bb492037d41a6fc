/*  orchestrator/run/other_load: what others have used of the cores (DU-5). */
#include "orchestrator/run/other_load.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/testing.h"

TEST(other_load_busy_ns__all_but_idle)
{
	ck_assert_uint_eq(other_load_busy_ns("cpu  10 1 20 900 50 3 4 2 7 0\ncpu0 1\n", 100),
			  400000000);
	/* kernels before 2.6.11 have no time of a hypervisor */
	ck_assert_uint_eq(other_load_busy_ns("cpu  10 1 20 900 50 3 4\n", 1000), 38000000);
	ck_assert_uint_eq(other_load_busy_ns("cpu  10 1\n", 100), 0);
	ck_assert_uint_eq(other_load_busy_ns("", 100), 0);
	ck_assert_uint_eq(other_load_busy_ns("cpu 1 1 1 1 1 1 1 1", 0), 0);
}

/* two seconds on two cores */
TEST(other_load_permille__share_of_all_cores)
{
	const struct other_load from = { 1000, 5000000000, 100 };
	struct other_load to = { 2000001000, 8000000000, 1000000100 };

	ck_assert_uint_eq(other_load_permille(&from, &to, 2), 500);
	to.own_ns = 3000000100;
	ck_assert_uint_eq(other_load_permille(&from, &to, 2), 0);
	/* ticks are coarse */
	to.own_ns = 3100000000;
	ck_assert_uint_eq(other_load_permille(&from, &to, 2), 0);
	to.busy_ns = 20000000000;
	ck_assert_uint_eq(other_load_permille(&from, &to, 2), 1000);
}

TEST(other_load_permille__unknown)
{
	const struct other_load none = { 1000, 0, 0 }, later = { 2000, 0, 0 },
				from = { 1000, 500, 0 };

	ck_assert_uint_eq(other_load_permille(&none, &later, 2), 0);
	ck_assert_uint_eq(other_load_permille(&from, &later, 2), 0);
	ck_assert_uint_eq(other_load_permille(&from, &from, 2), 0);
}

/* this process is not another one */
TEST(other_load_now__goes_on)
{
	struct other_load from = other_load_now(), to;

	do
		to = other_load_now();
	while (to.own_ns < from.own_ns + 20000000);
	ck_assert_uint_gt(to.monotonic_ns, from.monotonic_ns);
	ck_assert_uint_ge(to.busy_ns, from.busy_ns);
}

/* the lowest free descriptor is the same before and after */
TEST(other_load_now__leaves_nothing_open)
{
	int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

	close(before);
	other_load_now();
	after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(after);
	ck_assert_int_ge(before, 0);
	ck_assert_int_eq(after, before);
}
