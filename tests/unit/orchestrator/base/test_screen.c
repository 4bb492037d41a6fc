/*  orchestrator/base/screen: what is known of a terminal; a pseudo terminal stands for it. */
#include <pty.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "orchestrator/base/screen.h"
#include "tests/testing.h"

static int master, slave;
static FILE *out;

static void set_up(void)
{
	const struct winsize size = { .ws_row = 50, .ws_col = 132 };

	ck_assert_int_eq(openpty(&master, &slave, NULL, NULL, &size), 0);
	out = fdopen(slave, "w");
	setenv("TERM", "xterm", 1);
	setenv("LC_ALL", "C", 1);
	unsetenv("NO_COLOR");
}

static void tear_down(void)
{
	fclose(out);
	close(master);
}

static void is_none(FILE *file)
{
	struct screen screen = screen_look(file);

	ck_assert(!screen.terminal && !screen.colours && !screen.utf8);
	ck_assert_uint_eq(screen.columns, 0);
	ck_assert_uint_eq(screen.lines, 0);
}

TEST_GROUP(screen, .setup = set_up, .teardown = tear_down);

TEST(screen_look__terminal)
{
	struct screen screen = screen_look(out);

	ck_assert(screen.terminal && screen.colours && !screen.utf8);
	ck_assert_uint_eq(screen.columns, 132);
	ck_assert_uint_eq(screen.lines, 50);
}

TEST(screen_look__no_terminal)
{
	FILE *file = tmpfile();

	is_none(file);
	fclose(file);
	setenv("TERM", "dumb", 1);
	is_none(out);
	unsetenv("TERM");
	is_none(out);
}

/* an empty NO_COLOR is like none */
TEST(screen_look__colours)
{
	setenv("NO_COLOR", "", 1);
	ck_assert(screen_look(out).colours);
	setenv("NO_COLOR", "0", 1);
	ck_assert(!screen_look(out).colours);
	ck_assert(screen_look(out).terminal);
}

TEST(screen_look__characters)
{
	setenv("LC_ALL", "C.UTF-8", 1);
	ck_assert(screen_look(out).utf8);
}

/* a terminal that does not say one of them has the usual one */
TEST_RANGE(screen_look__size_is_not_known, 0, 4)
{
	const struct winsize size = { .ws_row = _i & 1 ? 50 : 0, .ws_col = _i & 2 ? 132 : 0 };
	struct screen screen;

	ioctl(master, TIOCSWINSZ, &size);
	screen = screen_look(out);
	ck_assert_uint_eq(screen.lines, _i & 1 ? 50 : 24);
	ck_assert_uint_eq(screen.columns, _i & 2 ? 132 : 80);
}

TEST(screen_look__no_such_locale)
{
	setenv("LC_ALL", "xx_YY.UTF-8", 1);
	ck_assert(!screen_look(out).utf8);
	ck_assert(screen_look(out).terminal);
}
