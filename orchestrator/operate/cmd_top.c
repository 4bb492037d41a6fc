/*  cmd_top - `heddle top`: traffic, cost and fidelity of a running fabric in each interval (TB-8,
 *  TB-10).
 *
 *  The daemon is queried once an interval, over one connection; all figures are differences of two
 *  answers. On a terminal each interval replaces the previous one, in the height of the terminal;
 *  elsewhere they follow each other. */
#include "orchestrator/operate/cmd_top.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/command/client.h"
#include "orchestrator/operate/observe.h"
#include "orchestrator/operate/top_text.h"

#define SECONDS_MIN 0.1
#define SECONDS_MAX 86400.0

struct top {
	const char *fabric;
	double seconds;
	unsigned long count; /* 0: for ever */
	bool json;
	bool keys; /* standard input is a terminal, and ours */
	struct termios before;
};

/* ---- terminal ---- */

static void keys_open(struct top *top)
{
	struct termios raw;

	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    tcgetattr(STDIN_FILENO, &top->before))
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

/* waits until @deadline_ns, or until the daemon has closed @socket, on which nothing is due; false
 * after q or a signal */
static bool pause_until(struct top *top, int socket, uint64_t deadline_ns)
{
	struct pollfd files[] = { { top->keys ? STDIN_FILENO : -1, POLLIN, 0 },
				  { socket, POLLIN, 0 } };
	struct pollfd *keyboard = &files[0], *daemon = &files[1];
	uint64_t now_ns;
	char key;

	while (!interrupt_seen() && (now_ns = monotonic_ns()) < deadline_ns) {
		if (poll(files, 2, (int)((deadline_ns - now_ns + 999999) / 1000000)) <= 0)
			continue;
		if (daemon->revents)
			break;
		if (read(STDIN_FILENO, &key, 1) != 1)
			keyboard->fd = -1;
		else if (key == 'q' || key == 'Q')
			return false;
	}
	return !interrupt_seen();
}

/* ---- intervals ---- */

static void interval_print(const struct top *top, const json_t *fabric, unsigned long index)
{
	const struct screen screen = screen_look(stdout);

	if (top->json) {
		json_dumpf(fabric, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));
		putchar('\n');
	} else if (screen.terminal) {
		fputs(SCREEN_CLEAR SCREEN_CUT, stdout);
		top_text_print(fabric, &screen, stdout);
		fputs(SCREEN_WRAP, stdout);
	} else {
		if (index)
			putchar('\n');
		top_text_print(fabric, &screen, stdout);
	}
	fflush(stdout);
}

static int look(struct client *client, json_t **answer)
{
	return client_ask(client, json_pack("{s:s}", "ask", "ps"), answer, NULL, NULL);
}

static int intervals_show(struct top *top, struct client *client)
{
	uint64_t length_ns = (uint64_t)(top->seconds * 1e9), deadline_ns = monotonic_ns();
	json_t *before = NULL, *now;
	int status = look(client, &before);

	for (unsigned long i = 0; !status && !ferror(stdout) && (!top->count || i < top->count);
	     i++) {
		deadline_ns += length_ns;
		if (deadline_ns < monotonic_ns()) /* this process was stopped for a while */
			deadline_ns = monotonic_ns();
		if (!pause_until(top, client->socket, deadline_ns))
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

static int seconds_read(const char *command, const struct option_row *row, void *field,
			const char *text)
{
	double *seconds = field;
	char *end;

	*seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(*seconds) || *seconds < SECONDS_MIN ||
	    *seconds > SECONDS_MAX)
		return options_wrong(command, "%s takes seconds, %g to %g, not '%s'", row->name,
				     SECONDS_MIN, SECONDS_MAX, text);
	return CLIENT_FINE;
}

static int count_read(const char *command, const struct option_row *row, void *field,
		      const char *text)
{
	unsigned long *count = field;
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (end == text || *end || errno || !*count || text[0] == '-')
		return options_wrong(command, "%s takes a number of intervals from 1 on, not '%s'",
				     row->name, text);
	return CLIENT_FINE;
}

#define AT(member) offsetof(struct top, member)

static const struct option_row options[] = {
	CLIENT_FABRIC(AT(fabric)),
	OPTION_TAKE("-d", "SECONDS", AT(seconds), seconds_read, NULL,
		    "length of an interval, 0.1 or more; 1 if not given"),
	OPTION_TAKE("-n", "COUNT", AT(count), count_read, NULL, "ends after so many intervals"),
	OPTION_FLAG("--json", AT(json),
		    "one JSON object on one line per interval: what 'heddle ps --json' says, with "
		    "rates"),
};

static const struct command_words words = {
	"top",
	"usage: heddle top [FABRIC] [-d SECONDS] [-n COUNT] [--json]\n"
	"Shows what a running fabric does, each second: cost, traffic, losses, queues and lateness "
	"of every node, how\n"
	"full its links are, the busiest first, and the verdict of the interval ('heddle ps "
	"--help' explains it).\n"
	"On a terminal queues and rates have bars: a full one is the largest queue, or the rate of "
	"the link.\n"
	"Ends with q, Ctrl-C, or the fabric.\n",
	"exit status: 0 fine, 2 wrong usage or no such fabric, 4 the fabric has ended or does not "
	"answer\n",
	OPTIONS(options),
	OPERANDS("fabric", 0, 1),
};

int cmd_top(int argc, char **argv)
{
	struct top top = { .seconds = 1 };
	struct client client;
	int count, status = options_read(&words, argc, argv, &top, &count);

	if (status >= 0)
		return status;
	if (count && top.fabric)
		return options_wrong("top", "two fabrics, '%s' and '%s'; give one", top.fabric,
				     argv[1]);
	top.fabric = count ? argv[1] : top.fabric;
	status = client_open(&client, "top", top.fabric);
	if (status)
		return status;
	interrupt_catch();
	/* the terminal is to be left as it was; the error of standard output ends us */
	signal(SIGPIPE, SIG_IGN);
	keys_open(&top);
	status = intervals_show(&top, &client);
	keys_close(&top);
	client_close(&client);
	return status;
}
