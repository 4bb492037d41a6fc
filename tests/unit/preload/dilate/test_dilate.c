/*  preload/dilate/dilate: the dilation in the environment, spans, moments and stamps of the fabric
 *  and of the machine (SC-8). */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/preload/dilate/ten_times.h"

/* this program as one that is started in a fabric: it tells its dilation as its status */
__attribute__((constructor)) static void tell(void)
{
	const char *wanted = getenv("TELL_DILATION");

	if (!wanted)
		return;
	if (dilate_get()->epoch_ns == 20 && dilate_get()->utc_ns == 30)
		_exit((int)dilate_get()->times);
	_exit(dilate_get()->times == 1 && !dilate_get()->epoch_ns ? 1 : 99);
}

static int told(const char *dilation)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		setenv("TELL_DILATION", "yes", 1);
		if (dilation)
			setenv("HEDDLE_DILATION", dilation, 1);
		execl("/proc/self/exe", "test_dilate", NULL);
		_exit(98);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(dilate_get__reads_the_environment)
{
	ck_assert_int_eq(told(NULL), 1);
	ck_assert_int_eq(told("7 20 30"), 7);
	ck_assert_int_eq(told("7 20"), 1);
}

TEST(dilate_get__leaves_errno)
{
	errno = ENOTTY;
	ck_assert_int_eq(dilate_get()->times, 1);
	ck_assert_int_eq(errno, ENOTTY);
}

TEST(dilate_read__three_numbers)
{
	struct dilation dilation;

	ck_assert(dilate_read("1000 4611686018427387903 4611686018427387903", &dilation));
	ck_assert_int_eq(dilation.times, 1000);
	ck_assert_int_eq(dilation.epoch_ns, INT64_MAX / 2);
	ck_assert_int_eq(dilation.utc_ns, INT64_MAX / 2);
	ck_assert(dilate_read("1 1 2", &dilation));
	ck_assert_int_eq(dilation.times, 1);
	ck_assert_int_eq(dilation.epoch_ns, 1);
	ck_assert_int_eq(dilation.utc_ns, 2);
}

TEST(dilate_read__what_is_none)
{
	static const char *const texts[] = { "",
					     "10",
					     "10 20",
					     "10 20 30 ",
					     "10 20 30x",
					     "10 20 x",
					     "x 20 30",
					     "0 20 30",
					     "1001 20 30",
					     "-1 20 30",
					     "10 0 30",
					     "10 20 0",
					     "10 4611686018427387904 30",
					     "10 20 4611686018427387904",
					     "10 20 99999999999999999999",
					     NULL };
	struct dilation dilation;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		dilation = (struct dilation){ 5, 6, 7 };
		ck_assert_msg(!dilate_read(texts[i], &dilation), "%s", texts[i]);
		ck_assert_int_eq(dilation.times, 1);
		ck_assert_int_eq(dilation.epoch_ns, 0);
		ck_assert_int_eq(dilation.utc_ns, 0);
	}
}

/* ---- times of the interface ---- */

TEST(timespec_fine__what_the_kernel_accepts)
{
	struct timespec time = ts(0, 0);

	ck_assert(timespec_fine(&time));
	time = ts(0, 999999999);
	ck_assert(timespec_fine(&time));
	time = ts(0, 1000000000);
	ck_assert(!timespec_fine(&time));
	time = ts(0, -1);
	ck_assert(!timespec_fine(&time));
	time = ts(-1, 0);
	ck_assert(!timespec_fine(&time));
}

TEST(timeval_fine__what_the_kernel_accepts)
{
	struct timeval time = { 0, 0 };

	ck_assert(timeval_fine(&time));
	time = (struct timeval){ 0, 999999 };
	ck_assert(timeval_fine(&time));
	time = (struct timeval){ 0, 1000000 };
	ck_assert(!timeval_fine(&time));
	time = (struct timeval){ 0, -1 };
	ck_assert(!timeval_fine(&time));
	time = (struct timeval){ -1, 0 };
	ck_assert(!timeval_fine(&time));
}

TEST(timespec_ns__and_back)
{
	struct timespec time = ts(9223372036, 0);

	ck_assert_int_eq(timespec_ns(&time), INT64_MAX);
	time = ts(9223372035, 999999999);
	ck_assert_int_eq(timespec_ns(&time), 9223372035999999999);
	CK_TS(timespec_of(9223372035999999999), 9223372035, 999999999);
	CK_TS(timespec_of(0), 0, 0);
	CK_TS(timespec_of(1000000000), 1, 0);
}

TEST(timeval_ns__and_back_rounded_up)
{
	struct timeval time = { 9223372036, 0 };

	ck_assert_int_eq(timeval_ns(&time), INT64_MAX);
	time = (struct timeval){ 9223372035, 999999 };
	ck_assert_int_eq(timeval_ns(&time), 9223372035999999000);
	CK_TV(timeval_of(9223372035999999000), 9223372035, 999999);
	CK_TV(timeval_of(0), 0, 0);
	CK_TV(timeval_of(1), 0, 1);
	CK_TV(timeval_of(1000), 0, 1);
	CK_TV(timeval_of(1001), 0, 2);
	CK_TV(timeval_of(999999001), 1, 0);
}

/* ---- ten times ---- */

TEST_GROUP(dilate, .setup = ten_times);

TEST(dilate_longer__is_limited)
{
	ck_assert_int_eq(dilate_longer(0), 0);
	ck_assert_int_eq(dilate_longer(7), 70);
	ck_assert_int_eq(dilate_longer(INT64_MAX / 10), INT64_MAX / 10 * 10);
	ck_assert_int_eq(dilate_longer(INT64_MAX / 10 + 1), INT64_MAX);
}

TEST(dilate_shorter__is_not_zero)
{
	ck_assert_int_eq(dilate_shorter(0), 0);
	ck_assert_int_eq(dilate_shorter(1), 1);
	ck_assert_int_eq(dilate_shorter(9), 1);
	ck_assert_int_eq(dilate_shorter(29), 2);
	ck_assert_int_eq(dilate_shorter(-5), 0);
	ck_assert_int_eq(dilate_shorter(-50), -5);
}

TEST(dilate_span__longer_unless_it_is_wrong)
{
	struct timespec span = ts(1, 200000000), machine = ts(0, 0), wrong = ts(0, 1000000000);

	ck_assert_ptr_eq(dilate_span(&span, &machine), &machine);
	CK_TS(machine, 12, 0);
	CK_TS(span, 1, 200000000);
	ck_assert_ptr_eq(dilate_span(&wrong, &machine), &wrong);
	ck_assert_ptr_null(dilate_span(NULL, &machine));
}

TEST(dilate_machine_ns__no_such_clock)
{
	errno = 0;
	ck_assert_int_eq(dilate_machine_ns(77), INT64_MIN);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_int_eq(dilate_now_ns(77), INT64_MIN);
}

/* all clocks run ten times slower */
TEST(dilate_now_ns__of_each_clock)
{
	shows(CLOCK_MONOTONIC, 0);
	shows(CLOCK_MONOTONIC_COARSE, 0);
	shows(CLOCK_MONOTONIC_RAW, 0);
	shows(CLOCK_REALTIME, UTC_NS - epoch_ns);
	shows(CLOCK_REALTIME_COARSE, UTC_NS - epoch_ns);
	shows(CLOCK_REALTIME_ALARM, UTC_NS - epoch_ns);
}

/* a machine 50 s after the begin of the fabric, which was suspended for 1000 s before */
static int next_clock_gettime(clockid_t id, struct timespec *time)
{
	const int64_t now_ns = epoch_ns + 50 * NS_PER_S;

	*time = timespec_of(now_ns);
	if (id == CLOCK_REALTIME)
		*time = timespec_of(UTC_NS + 50 * NS_PER_S);
	if (id == CLOCK_TAI)
		*time = timespec_of(UTC_NS + 87 * NS_PER_S);
	if (id == CLOCK_BOOTTIME)
		*time = timespec_of(now_ns + 1000 * NS_PER_S);
	return 0;
}

/* those that are ahead of others are so by as much as on the machine */
TEST(dilate_now_ns__clocks_that_are_apart)
{
	int64_t tai_ns, boot_ns, alarm_ns, utc_ns, stamp_ns, deadline_ns;

	NEXT_IS(clock_gettime, next_clock_gettime);
	utc_ns = dilate_now_ns(CLOCK_REALTIME);
	tai_ns = dilate_now_ns(CLOCK_TAI);
	boot_ns = dilate_now_ns(CLOCK_BOOTTIME);
	alarm_ns = dilate_now_ns(CLOCK_BOOTTIME_ALARM);
	stamp_ns = dilate_stamp_ns(UTC_NS + 40 * NS_PER_S);
	deadline_ns = dilate_deadline_ns(CLOCK_BOOTTIME, epoch_ns + 1006 * NS_PER_S);
	next_is_real();
	ck_assert_int_eq(utc_ns, UTC_NS + 5 * NS_PER_S);
	ck_assert_int_eq(tai_ns, UTC_NS + 42 * NS_PER_S);
	ck_assert_int_eq(boot_ns, epoch_ns + 1005 * NS_PER_S);
	ck_assert_int_eq(alarm_ns, boot_ns);
	ck_assert_int_eq(stamp_ns, UTC_NS + 4 * NS_PER_S);
	ck_assert_int_eq(deadline_ns, epoch_ns + 1060 * NS_PER_S);
}

TEST(dilate_now_ns__cpu_time)
{
	int64_t before, now;

	/* a process whose CPU time is limited (RLIMIT_CPU) reads 0 up to the next tick */
	do
		before = dilate_machine_ns(CLOCK_PROCESS_CPUTIME_ID);
	while (!before);
	now = dilate_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	ck_assert_int_gt(before, 0);
	ck_assert_int_ge(now, before / TIMES);
	ck_assert_int_le(now, dilate_machine_ns(CLOCK_PROCESS_CPUTIME_ID) / TIMES);
}

TEST(dilate_deadline_ns__later)
{
	int64_t began_ns = dilate_machine_ns(CLOCK_MONOTONIC);
	int64_t at_ns = epoch_ns + 3600 * NS_PER_S;

	is_deadline(dilate_deadline_ns(CLOCK_MONOTONIC, at_ns), at_ns, began_ns);
	ck_assert_int_eq(dilate_deadline_ns(CLOCK_MONOTONIC, INT64_MAX), INT64_MAX);
}

/* a deadline that is over is over on the machine, by a second */
TEST(dilate_deadline_ns__over)
{
	int64_t before = dilate_machine_ns(CLOCK_REALTIME), over;

	over = dilate_deadline_ns(CLOCK_REALTIME, UTC_NS);
	ck_assert_int_ge(over, before - NS_PER_S);
	ck_assert_int_le(over, dilate_machine_ns(CLOCK_REALTIME) - NS_PER_S);
	ck_assert_int_eq(dilate_deadline_ns(CLOCK_PROCESS_CPUTIME_ID, 0), 0);
}

/* the caller then has the error of the machine's function */
TEST(dilate_deadline_ns__no_such_clock)
{
	ck_assert_int_ge(dilate_deadline_ns(77, 5), 0);
}

TEST(dilate_until__a_deadline)
{
	struct timespec until = timespec_of(epoch_ns + 3600 * NS_PER_S), machine;
	struct timespec wrong = ts(-1, 0);
	int64_t began_ns = dilate_machine_ns(CLOCK_MONOTONIC);

	ck_assert_ptr_eq(dilate_until(CLOCK_MONOTONIC, &until, &machine), &machine);
	is_deadline(timespec_ns(&machine), epoch_ns + 3600 * NS_PER_S, began_ns);
	ck_assert_ptr_null(dilate_until(CLOCK_MONOTONIC, NULL, &machine));
	ck_assert_ptr_eq(dilate_until(CLOCK_MONOTONIC, &wrong, &machine), &wrong);
	next_dilates(1, epoch_ns, UTC_NS);
	ck_assert_ptr_eq(dilate_until(CLOCK_MONOTONIC, &until, &machine), &until);
}

/* a stamp of a second ago is one of a tenth of a second ago */
TEST(dilate_stamp_ns__of_the_past)
{
	int64_t before = dilate_now_ns(CLOCK_REALTIME), stamp;

	stamp = dilate_stamp_ns(dilate_machine_ns(CLOCK_REALTIME) - NS_PER_S);
	ck_assert_int_ge(stamp, before - NS_PER_S / TIMES - 1);
	ck_assert_int_le(stamp, dilate_now_ns(CLOCK_REALTIME) - NS_PER_S / TIMES + 1);
}

TEST(dilate_clock_of__by_size)
{
	ck_assert_int_eq(dilate_clock_of(UTC_NS), CLOCK_REALTIME);
	ck_assert_int_eq(dilate_clock_of(UTC_NS / 2 + 1), CLOCK_REALTIME);
	ck_assert_int_eq(dilate_clock_of(UTC_NS / 2), CLOCK_MONOTONIC);
	ck_assert_int_eq(dilate_clock_of(epoch_ns), CLOCK_MONOTONIC);
}
