/*  view_service - the server in a process of its own, beside a run (SE-4).
 *
 *  The run and the server share the file of the recording and a pipe, nothing else. The server
 *  writes nothing that the run reads, its threads have the lowest priority, and its end does not
 *  end the run. It ends with the run's process, however that ends, and ends its forks then.
 *  Ctrl-C is for the run. */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_VIEW_SERVICE_H
#define HEDDLE_ORCHESTRATOR_VIEW_VIEW_SERVICE_H

#include <stdbool.h>
#include <sys/types.h>

#include "nodes/base/why.h"
#include "orchestrator/view/view_server.h"

struct view_service_options {
	struct view_server_options server; /* .fork and .forget are set here */
	int recording;                     /* descriptor of the file; stays the caller's */
	const char *name;                  /* of the recording */
	const char *scenario;              /* its file; NULL: none, and no forks */
	const char *shown;                 /* the name of that file in command lines */
	const char *variant;               /* of it; NULL: none */
	const json_t *settings;            /* array of "path=value"; NULL: none */
	bool control;                      /* forks may be made */
};

struct view_service {
	pid_t pid;  /* 0: none */
	int state;  /* pipe to it */
	int ending; /* readable when it has ended */
};

/** view_service_start() - starts it, and waits until it listens.
 *  @url  VIEW_URL_MAX bytes.
 *  Return: 0; -1 with a sentence in @why, nothing is left. */
int view_service_start(struct view_service *service, const struct view_service_options *options,
		       char *url, struct why *why);

/** view_service_state() - tells it the state of the run's recording. */
void view_service_state(const struct view_service *service, enum view_state state);

/** view_service_wait() - until Ctrl-C (interrupt.h), or until the server has ended, at most
 *  @time_ns (UINT64_MAX: without limit).
 *  Return: false: it has ended, or Ctrl-C. */
bool view_service_wait(const struct view_service *service, uint64_t time_ns);

/** view_service_end() - ends it and waits for that. Idempotent. */
void view_service_end(struct view_service *service);

#endif
