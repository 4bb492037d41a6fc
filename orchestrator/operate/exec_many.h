/*  exec_many - one program in many hosts of a fabric at once (DU-4). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_EXEC_MANY_H
#define HEDDLE_ORCHESTRATOR_OPERATE_EXEC_MANY_H

#include <stdbool.h>
#include <stddef.h>

#include "orchestrator/operate/host_run.h"

#define EXEC_MANY_AT_A_TIME 64u

struct exec_many {
	const char *command; /* for messages */
	const struct host_names *hosts;
	const char *user;  /* host_run() */
	char *const *argv; /* NULL-terminated; the same in each host */
	/* A line of host @host, without its end; @error: from standard error. */
	void (*line)(size_t host, const char *line, bool error, void *context);
	/* the program of @host has ended with exit status @status */
	void (*ended)(size_t host, int status, void *context);
	void *context;
};

/** exec_many() - runs the program in every host, EXEC_MANY_AT_A_TIME at once, without standard
 *  input, until all have ended; they end with this process. Lines of more than 4095 bytes are cut
 *  into several.
 *  Return: 0; or an exit status, reported: a process could not be made, and hosts are left out. */
int exec_many(const struct exec_many *many);

#endif
