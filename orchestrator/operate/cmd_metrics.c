/*  cmd_metrics - `heddle metrics [FABRIC]`: counters and the verdict of a running fabric in the
 *  text format of Prometheus (SE-14).
 *
 *  Once to standard output, or at each GET /metrics on an address. The daemon is queried for each
 *  answer and keeps nothing. A fabric that has ended is an answer of status 503: it may return. */
#include "orchestrator/operate/cmd_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/interrupt.h"
#include "orchestrator/command/client.h"
#include "orchestrator/command/view_option.h"
#include "orchestrator/operate/observe.h"
#include "orchestrator/view/metrics_text.h"

struct metrics {
	const char *fabric;
	struct view_listen listen;
	bool serves;
};

/* the text of the fabric now; NULL with *@status, reported */
static char *metrics_read(const struct metrics *metrics, int *status)
{
	json_t *answer;
	char *text;

	*status =
		client_fetch("metrics", metrics->fabric, json_pack("{s:s}", "ask", "ps"), &answer);
	if (*status)
		return NULL;
	observe_fidelity(answer, NULL);
	text = metrics_text(answer);
	if (!text)
		*status = options_wrong("metrics", "not enough memory");
	json_decref(answer);
	return text;
}

/* view_server_options.metrics */
static char *metrics_answer(void *owner, struct why *why)
{
	int status;
	char *text = metrics_read(owner, &status);

	if (!text)
		why_say(why, 0, "The fabric does not run, or does not answer.");
	return text;
}

static int metrics_serve(struct metrics *metrics)
{
	struct view_server_options options = { .listen = metrics->listen.address,
					       .port = metrics->listen.port,
					       .owner = metrics,
					       .metrics = metrics_answer };
	char url[VIEW_URL_MAX];
	struct why why;
	struct view_server *server = view_server_start(&options, NULL, &why);

	if (!server)
		return options_wrong("metrics", "%s", why.text);
	view_server_url(server, url);
	fprintf(stderr, "metrics: %s\n", url);
	while (!interrupt_wait(-1, UINT64_MAX))
		continue;
	view_server_leave(CLIENT_FINE);
}

/* ---- command ---- */

static int listen_take(const char *command, const struct option_row *row, void *field,
		       const char *value)
{
	struct metrics *metrics = field;

	metrics->serves = true;
	return option_listen(command, row, &metrics->listen, value);
}

static const struct option_row options[] = {
	CLIENT_FABRIC(offsetof(struct metrics, fabric)),
	OPTION_TAKE("--listen", "ADDRESS:PORT", 0, listen_take, NULL,
		    "answer GET /metrics there, until Ctrl-C; :PORT is of 127.0.0.1. There is no "
		    "token:\n"
		    "every program that reaches the address can read"),
};

static const struct command_words words = {
	"metrics",
	"usage: heddle metrics [FABRIC] [--listen ADDRESS:PORT]\n"
	"Prints counters, cost and verdict of a running fabric in the text format of Prometheus.\n",
	"exit status: 0 fine, 2 wrong usage, no such fabric or address, 4 the fabric has failed\n",
	OPTIONS(options),
	OPERANDS("fabric", 0, 1),
};

int cmd_metrics(int argc, char **argv)
{
	struct metrics metrics = { .listen = { .address = VIEW_LISTEN_OWN } };
	int count, status = options_read(&words, argc, argv, &metrics, &count);
	char *text;

	if (status >= 0)
		return status;
	if (count && metrics.fabric)
		return options_wrong("metrics", "two fabrics, '%s' and '%s'; give one",
				     metrics.fabric, argv[1]);
	metrics.fabric = count ? argv[1] : metrics.fabric;
	interrupt_catch();
	text = metrics_read(&metrics,
			    &status); /* also before it listens: is there such a fabric? */
	if (!text)
		return status;
	if (metrics.serves)
		status = metrics_serve(&metrics);
	else if (fputs(text, stdout) == EOF || fflush(stdout))
		status = options_wrong("metrics", "cannot write to standard output");
	free(text);
	return status;
}
