/*  client - requests of a command to the daemon of a running fabric: live_request.h.
 *
 *  Every error is reported here, once, on standard error, as "heddle COMMAND: ..."; callers only
 *  return the exit status. "Told" below means: already reported. */
#ifndef HEDDLE_ORCHESTRATOR_COMMAND_CLIENT_H
#define HEDDLE_ORCHESTRATOR_COMMAND_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "nodes/config/config.h"
#include "orchestrator/base/exit_status.h"
#include "orchestrator/command/options.h"

#define CLIENT_TIMEOUT_MS 15000u /* a daemon that sends nothing for so long hangs */

enum client_status {
	CLIENT_FINE = EXIT_FINE,
	CLIENT_REFUSED = EXIT_EXPECTATION, /* the fabric refuses the request */
	CLIENT_USAGE = EXIT_USAGE,         /* wrong usage, or no such fabric */
	CLIENT_FAILED = EXIT_NODE,         /* the fabric, or its daemon, has failed */
};

struct client {
	const char *command; /* for messages */
	char fabric[NODE_NAME_MAX];
	int socket;
	/* descriptors for the next request, borrowed; client_ask() sets the number to 0 */
	const int *sent_fds;
	unsigned sent_count;
	bool ended; /* the fabric ends: it has closed its socket, or the connection */
};

/* the fabrics that run, in alphabetic order */
struct running {
	int base_fd; /* runtime_open(); negative: none has run yet */
	int count;
	char (*names)[NODE_NAME_MAX];
};

/* options of every command on a running fabric */
struct client_words {
	const char *fabric; /* NULL: the only one */
	bool json;
};

#define CLIENT_FABRIC(at)                                                                      \
	{                                                                                      \
		"--fabric", 'f', "FABRIC", "which one; not needed if only one runs", at, NULL, \
			NULL, NULL, NULL                                                       \
	}

/** client_options - -f FABRIC and --json, in this order, of struct client_words. */
extern const struct option_row client_options[2];

/** running_open() - the fabrics that run. Return: CLIENT_FINE, running_close() later; else
 *  CLIENT_USAGE, reported. */
int running_open(struct running *running, const char *command);

void running_close(struct running *running);

/** client_open() - connects to fabric @fabric; NULL: that of $HEDDLE_FABRIC, else the only one that
 *  runs.
 *  Return: CLIENT_FINE, client_close() later; else the exit status, reported. */
int client_open(struct client *client, const char *command, const char *fabric);

/** client_ask() - sends @request (taken) and waits for the answer.
 *  @fds if not NULL, receives up to *@fd_count descriptors of the answer; *@fd_count becomes their
 *  number. The caller closes them.
 *  Return: CLIENT_FINE with *@answer, json_decref() later; else the exit status, reported. */
int client_ask(struct client *client, json_t *request, json_t **answer, int *fds,
	       unsigned *fd_count);

/** client_fetch() - asks fabric @fabric over a connection of its own.
 *  @request  taken.
 *  Return: CLIENT_FINE with *@answer, json_decref() later; else the exit status, reported, and
 *  *@answer is NULL. */
int client_fetch(const char *command, const char *fabric, json_t *request, json_t **answer);

/** client_ask_and_show() - asks fabric @fabric, and calls @show with its answer; with @json prints
 *  the answer as it is.
 *  @request  taken.   Return: the exit status, reported. */
int client_ask_and_show(const char *command, const char *fabric, json_t *request, bool json,
			void (*show)(const json_t *answer));

/** client_ask_and_print() - client_ask_and_show() of the text of the answer.
 *  @request  taken.   Return: the exit status, reported. */
int client_ask_and_print(const char *command, const char *fabric, json_t *request, bool json);

/** client_key_put() - adds @word, KEY=VALUE, to @request. @keys the valid keys, then NULL.
 *  Return: CLIENT_FINE; else CLIENT_USAGE, reported. */
int client_key_put(const char *command, json_t *request, const char *const *keys, const char *word);

/** client_text_put() - adds @text as @key to @request.
 *  Return: CLIENT_FINE; else CLIENT_USAGE, reported: it is not valid UTF-8. */
int client_text_put(const char *command, json_t *request, const char *key, const char *text);

/** client_patience() - waits @timeout_ms for answers instead of CLIENT_TIMEOUT_MS. */
void client_patience(struct client *client, unsigned timeout_ms);

void client_close(struct client *client);

/** client_time() - member @key, nanoseconds, for people. @text HUMAN_TEXT_MAX bytes. Return:
 *  @text. */
const char *client_time(const json_t *object, const char *key, char *text);

/** client_json_print() - @value for programs, to standard output. */
void client_json_print(const json_t *value);

#endif
