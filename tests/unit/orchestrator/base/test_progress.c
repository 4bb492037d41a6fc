/*  orchestrator/base/progress: what stands on a terminal while a run goes on (TB-10). */
#include "orchestrator/base/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "tests/testing.h"

static struct progress progress;
static FILE *out; /* to a terminal, whose other end is @screen */
static int screen;

static void setup(void)
{
	screen = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	ck_assert_int_ge(screen, 0);
	ck_assert_int_eq(grantpt(screen) | unlockpt(screen), 0);
	out = fopen(ptsname(screen), "w");
	ck_assert_ptr_nonnull(out);
	progress_start(&progress, out, true);
}

static void teardown(void)
{
	fclose(out);
	close(screen);
}

/* what was written since the last call */
static const char *shown(void)
{
	static char text[512];
	ssize_t length = read(screen, text, sizeof(text) - 1);

	text[length > 0 ? length : 0] = 0;
	return text;
}

/* the run has lasted so long, and a line is due */
static void lasted(uint64_t ns)
{
	progress.start_ns = monotonic_ns() - ns;
	progress.next_ns = 0;
}

TEST_GROUP(progress, .setup = setup, .teardown = teardown);

TEST(progress_update__nothing_in_the_first_two_seconds)
{
	ck_assert_uint_eq(progress.next_ns - progress.start_ns, 2000000000u);
	progress_update(&progress, NODE_US, 2 * NODE_US, 1);
	ck_assert_str_eq(shown(), "");
	progress_wipe(&progress);
	ck_assert_str_eq(shown(), "");
}

TEST(progress_update__one_line_in_200_ms)
{
	uint64_t before;

	lasted(3000000000u);
	before = monotonic_ns();
	progress_update(&progress, NODE_US, 2 * NODE_US, 1);
	ck_assert_uint_ge(progress.next_ns, before + 200000000u);
	shown();
	progress.next_ns = UINT64_MAX;
	progress_update(&progress, NODE_US, 2 * NODE_US, 2);
	ck_assert_str_eq(shown(), "");
}

/* 25 s of fabric time in 10^8 s of this machine: how long the test takes does not show */
TEST(progress_update__virtual_clock)
{
	lasted(100000000000000000u);
	progress_update(&progress, 25 * NODE_S, 200 * NODE_S, 17);
	ck_assert_str_eq(shown(), "\r\033[K25000000.000 of 200000000.000 us   12 %  17 windows  "
				  "0.2 us of fabric time a second");
}

TEST(progress_update__real_clock)
{
	lasted(3000000000u);
	progress_update(&progress, 3 * NODE_S, 4 * NODE_S, 0);
	ck_assert_str_eq(shown(), "\r\033[K3.0 of 4.0 s   75 %");
}

/* the fabric drains after the end of its time */
TEST(progress_update__never_more_than_all)
{
	lasted(3000000000u);
	progress_update(&progress, 5 * NODE_S, 4 * NODE_S, 0);
	ck_assert_str_eq(shown(), "\r\033[K5.0 of 4.0 s  100 %");
}

TEST(progress_wipe__removes_the_line_once)
{
	progress_waits(&progress, "waiting for s1");
	ck_assert_str_eq(shown(), "\r\033[Kwaiting for s1");
	progress_wipe(&progress);
	ck_assert_str_eq(shown(), "\r\033[K");
	progress_wipe(&progress);
	ck_assert_str_eq(shown(), "");
}

/* neither without a terminal, nor if it is not wanted */
TEST_RANGE(progress__not_shown, 0, 2)
{
	char *text;
	size_t length;
	FILE *memory = open_memstream(&text, &length);

	progress_start(&progress, _i ? out : memory, _i == 0);
	progress.next_ns = 0;
	progress_update(&progress, NODE_US, 2 * NODE_US, 1);
	progress_waits(&progress, "waiting for s1");
	progress_wipe(&progress);
	fclose(memory);
	ck_assert_uint_eq(length, 0);
	ck_assert_str_eq(shown(), "");
	free(text);
}
