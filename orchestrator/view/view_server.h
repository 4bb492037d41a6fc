/*  view_server - HTTP for the page and its recordings (SE-4). The only home of civetweb.
 *
 *    GET /                the page; holds no secret
 *    GET /recordings      what there is, as JSON
 *    GET /recordings/ID   its bytes so far; with Range those from N on
 *    POST /fork           a run that repeats another one with changes (SE-6)
 *    DELETE /recordings/ID   ends a fork and forgets it
 *    GET /lab             the lab that is beside the fabric (SE-9, view_lab.h)
 *    PUT /lab/predictions saves what its reader predicts
 *    GET /metrics         of a running fabric, for Prometheus (SE-14)
 *
 *  Every request but the first needs "Authorization: Bearer TOKEN"; every request needs a Host and
 *  an Origin of this server (http_check.h). Errors are {"error": SENTENCE}. Each request is
 *  answered here as a whole: civetweb serves no file, no folder and no other method.
 *
 *  Threads of the server only read the shelf and call the hooks. Each connection has a thread, a
 *  time limit to send its request and one to take its answer, so a reader that takes nothing costs
 *  one of VIEW_CONNECTIONS for that time, and nothing else. Limits are ours. */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_VIEW_SERVER_H
#define HEDDLE_ORCHESTRATOR_VIEW_VIEW_SERVER_H

#include <jansson.h>
#include <stdbool.h>

#include "nodes/base/why.h"
#include "orchestrator/view/view_lab.h"
#include "orchestrator/view/view_shelf.h"

#define VIEW_CONNECTIONS 32u        /* answered at a time; others wait */
#define VIEW_REQUEST_MAX 8192u      /* bytes of a request without its body */
#define VIEW_BODY_MAX 65536u        /* bytes of a body */
#define VIEW_REQUEST_MS 3000u       /* until a request is there, and for a piece of an answer */
#define VIEW_ANSWER_MS 60000u       /* until an answer is taken, and ... */
#define VIEW_RATE_MIN 16384u        /* ... bytes per second beyond that */
#define VIEW_RANGE_MAX (16u << 20)  /* bytes of an answer to a range */
#define VIEW_LISTEN_MAX 64u         /* an IP literal and the terminating 0 */
#define VIEW_URL_MAX 160u           /* bytes */
#define VIEW_LISTEN_OWN "127.0.0.1" /* this machine only */

struct view_server;

struct view_server_options {
	const char *listen; /* an IP literal */
	unsigned port;      /* 0: a free one */
	const char *mode; /* "run", "recording" or "fabric"; NULL: metrics only, without a token */
	void *owner;      /* of the hooks, which threads of the server call; NULL: none */
	/* starts a fork of @request; returns the status of HTTP: 201 with *@id, or an error with a
	 * sentence in @why. NULL: read only */
	int (*fork)(void *owner, const json_t *request, unsigned *id, struct why *why);
	/* forgets recording @id: 204, or an error as above; there if .fork is */
	int (*forget)(void *owner, unsigned id, struct why *why);
	/* the text of GET /metrics, for free(); NULL with a sentence in @why */
	char *(*metrics)(void *owner, struct why *why);
	const struct view_lab *lab; /* beside the fabric; borrowed until the end. NULL: none */
};

/** view_server_start() - listens and answers, in threads of its own, which block all signals.
 *  @shelf  borrowed until the end; NULL: none.  @options  the texts are borrowed until the end.
 *  Return: NULL with a sentence in @why. */
struct view_server *view_server_start(const struct view_server_options *options,
				      struct view_shelf *shelf, struct why *why);

/** view_server_url() - "http://ADDRESS:PORT/", with the token in its fragment if there is one.
 *  @url  VIEW_URL_MAX bytes. */
void view_server_url(const struct view_server *server, char *url);

/** view_server_leave() - ends this process with @status at once: civetweb takes 2 s to end a
 *  server, and there is nothing of it that needs an end. */
void view_server_leave(int status) __attribute__((noreturn));

#endif
