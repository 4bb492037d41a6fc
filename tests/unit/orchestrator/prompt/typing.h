/*  typing - a pseudo terminal of a test: what is typed, and what is shown. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_PROMPT_TYPING_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_PROMPT_TYPING_H

#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/testing.h"

static int master;
static FILE *terminal; /* the other end */
static char shown[1 << 16];

/* a raw terminal passes on each byte as it is */
static inline void terminal_raw(void)
{
	struct termios raw;

	tcgetattr(fileno(terminal), &raw);
	cfmakeraw(&raw);
	tcsetattr(fileno(terminal), TCSANOW, &raw);
}

/* With a raw terminal Ctrl-D is a key also before a line is read. */
static inline void type(const char *keys)
{
	terminal_raw();
	ck_assert_int_eq(write(master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

static inline void terminal_size(unsigned lines, unsigned columns)
{
	struct winsize size = { .ws_row = (unsigned short)lines,
				.ws_col = (unsigned short)columns };

	ck_assert_int_eq(ioctl(fileno(terminal), TIOCSWINSZ, &size), 0);
}

static inline void terminal_open(void)
{
	int slave;

	ck_assert_int_eq(openpty(&master, &slave, NULL, NULL, NULL), 0);
	terminal = fdopen(slave, "r+");
	setenv("TERM", "xterm", 1);
	setenv("LC_ALL", "C", 1);
	unsetenv("NO_COLOR");
	terminal_size(24, 40);
}

static inline void terminal_close(void)
{
	fclose(terminal);
	close(master);
}

/* what was shown since the last call; an end is written after it, since it arrives later */
static inline const char *seen(void)
{
	static const char end[] = "\001";
	size_t length = 0;
	char *at = NULL;

	fflush(terminal);
	ck_assert_int_eq(write(fileno(terminal), end, 1), 1);
	while (!at) {
		ssize_t got = read(master, shown + length, sizeof(shown) - 1 - length);

		ck_assert_int_gt(got, 0);
		length += (size_t)got;
		shown[length] = 0;
		at = strchr(shown, end[0]);
	}
	*at = 0;
	return shown;
}

#endif
