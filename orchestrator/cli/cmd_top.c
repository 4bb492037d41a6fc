/*  cmd_top - `heddle top`: what a running fabric does now, again and again (TB-8, TB-10).
 *
 *  The daemon is asked once an interval, over one connection; everything else is the difference of two answers. On a terminal
 *  each interval takes the place of the one before, as high as the terminal is; elsewhere they follow each other.    */
#include "orchestrator/cli/cmd_top.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "orchestrator/base/interrupt.h"
#include "orchestrator/base/wall_time.h"
#include "orchestrator/cli/client.h"
#include "orchestrator/cli/observe.h"
#include "orchestrator/cli/top_text.h"

#define SECONDS_MIN 0.1
#define SECONDS_MAX 86400.0
#define SCREEN_CLEAR "\033[H\033[2J\033[?7l" /* home, clear, cut long lines */
#define SCREEN_WRAP "\033[?7h"               /* wrap them again */

static const char usage[] =
	"usage: heddle top [-f FABRIC] [-d SECONDS] [-n COUNT] [--json]\n"
	"Shows what a running fabric does, each second: cost, traffic, losses, queues and lateness of every node, how\n"
	"full its links are, the busiest first, and the verdict of the interval ('heddle ps --help' explains it).\n"
	"Ends with q, Ctrl-C, or the fabric.\n"
	"\n"
	"  -d SECONDS   length of an interval, 0.1 or more; 1 if not given\n"
	"  -n COUNT     ends after so many intervals\n"
	"  --json       one JSON object on one line per interval: what 'heddle ps --json' says, with rates\n"
	"\n"
	"exit status: 0 fine, 2 wrong usage or no such fabric, 4 the fabric has ended or does not answer\n";

struct top {
	const char *fabric;
	double seconds;
	unsigned long count; /* 0: for ever */
	bool json;
	bool screen; /* standard output is a terminal */
	bool keys;   /* standard input is one, and ours */
	struct termios before;
};

/* ---- terminal ---- */

static void keys_open(struct top *top)
{
	struct termios raw;

	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() || tcgetattr(STDIN_FILENO, &top->before))
		return;
	raw = top->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	top->keys = !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void keys_close(const struct top *top)
{
	if (top->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &top->before);
}

/* until @deadline_ns; false if somebody wants the end */
static bool pause_until(struct top *top, uint64_t deadline_ns)
{
	struct pollfd keyboard = { top->keys ? STDIN_FILENO : -1, POLLIN, 0 };
	uint64_t now_ns;
	char key;

	while (!interrupt_seen() && (now_ns = wall_ns()) < deadline_ns) {
		if (poll(&keyboard, 1, (int)((deadline_ns - now_ns + 999999) / 1000000)) <= 0)
			continue;
		if (read(STDIN_FILENO, &key, 1) != 1)
			keyboard.fd = -1;
		else if (key == 'q' || key == 'Q')
			return false;
	}
	return !interrupt_seen();
}

static unsigned screen_lines(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row ? 24 : size.ws_row;
}

/* ---- intervals ---- */

static void interval_print(const struct top *top, const json_t *fabric, unsigned long index)
{
	if (top->json) {
		json_dumpf(fabric, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));
		putchar('\n');
	} else if (top->screen) {
		fputs(SCREEN_CLEAR, stdout);
		top_text_print(fabric, screen_lines() - 1, stdout);
		fputs(SCREEN_WRAP, stdout);
	} else {
		if (index)
			putchar('\n');
		top_text_print(fabric, 0, stdout);
	}
	fflush(stdout);
}

static int look(struct client *client, json_t **answer)
{
	return client_ask(client, json_pack("{s:s}", "ask", "ps"), answer, NULL, NULL);
}

static int intervals_show(struct top *top, struct client *client)
{
	uint64_t length_ns = (uint64_t)(top->seconds * 1e9), deadline_ns = wall_ns();
	json_t *before = NULL, *now;
	int status = look(client, &before);

	for (unsigned long i = 0; !status && !ferror(stdout) && (!top->count || i < top->count); i++) {
		deadline_ns += length_ns;
		if (deadline_ns < wall_ns()) /* we were stopped for a while */
			deadline_ns = wall_ns();
		if (!pause_until(top, deadline_ns))
			break;
		status = look(client, &now);
		if (status)
			break;
		observe_cost(now, before);
		observe_traffic(now, before);
		observe_fidelity(now, before);
		interval_print(top, now, i);
		json_decref(before);
		before = now;
	}
	json_decref(before);
	return status;
}

/* ---- command ---- */

/* the value of option @name (-d, --fabric=) if argv[*@at] is it: the rest of the word, or the next one, "" if there is none */
static const char *value_of(const char *name, int argc, char **argv, int *at)
{
	size_t length = strlen(name), bare = name[length - 1] == '=' ? length - 1 : length;

	if (!strncmp(argv[*at], name, length) && argv[*at][length])
		return argv[*at] + length;
	if (strncmp(argv[*at], name, bare) != 0 || argv[*at][bare])
		return NULL;
	return *at + 1 < argc ? argv[++*at] : "";
}

static int seconds_read(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(*seconds) || *seconds < SECONDS_MIN || *seconds > SECONDS_MAX)
		return client_wrong("top", "-d takes seconds, %g to %g, not '%s'", SECONDS_MIN, SECONDS_MAX, text);
	return CLIENT_FINE;
}

static int count_read(const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (end == text || *end || errno || !*count || text[0] == '-')
		return client_wrong("top", "-n takes a number of intervals from 1 on, not '%s'", text);
	return CLIENT_FINE;
}

static int word_read(struct top *top, int argc, char **argv, int *at)
{
	const char *word = argv[*at], *value;

	if (!strcmp(word, "--json"))
		top->json = true;
	else if ((value = value_of("-f", argc, argv, at)) || (value = value_of("--fabric=", argc, argv, at)))
		top->fabric = value;
	else if ((value = value_of("-d", argc, argv, at)))
		return seconds_read(value, &top->seconds);
	else if ((value = value_of("-n", argc, argv, at)))
		return count_read(value, &top->count);
	else if (word[0] == '-')
		return client_wrong("top", "there is no option %s; 'heddle top --help' explains", word);
	else if (top->fabric)
		return client_wrong("top", "two fabrics, '%s' and '%s'; give one", top->fabric, word);
	else
		top->fabric = word;
	return CLIENT_FINE;
}

int cmd_top(int argc, char **argv)
{
	struct top top = { .seconds = 1, .screen = isatty(STDOUT_FILENO) };
	struct client client;
	int status = CLIENT_FINE;

	for (int at = 1; at < argc && !status; at++) {
		if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h")) {
			fputs(usage, stdout);
			return CLIENT_FINE;
		}
		status = word_read(&top, argc, argv, &at);
	}
	if (status)
		return status;
	status = client_open(&client, "top", top.fabric);
	if (status)
		return status;
	interrupt_catch();
	signal(SIGPIPE, SIG_IGN); /* the terminal is to be left as it was; the error of standard output ends us */
	keys_open(&top);
	status = intervals_show(&top, &client);
	keys_close(&top);
	client_close(&client);
	return status;
}
