/*  room_program - a program that the init process of a host is to start: its words in transit
 *  (DU-3).
 *
 *  The words are in a memory file (text_pack.h), which a program of another host may have written:
 *  nothing in it is trusted. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_ROOM_PROGRAM_H
#define HEDDLE_ORCHESTRATOR_HOSTS_ROOM_PROGRAM_H

#include <stdbool.h>

#include "orchestrator/hosts/host_rights.h"

struct room_program {
	char *const *argv;            /* NULL-terminated, searched in PATH of @env */
	char *const *env;             /* NULL-terminated */
	const char *cwd;              /* if the host has it; else "/" */
	const struct host_user *user; /* NULL: root of the host */
};

/* what is written to the status descriptor of a program, at most once each, in this order */
struct room_status {
	enum { ROOM_NOT_STARTED, ROOM_ENDED } kind;
	int value;    /* ROOM_NOT_STARTED: -errno; ROOM_ENDED: as of waitpid() */
	bool no_user; /* ROOM_NOT_STARTED: it could not become its user */
};

/** room_program_pack() - its words as a memory file. Return: a descriptor, or -errno. */
int room_program_pack(const struct room_program *program);

/** room_program_run() - becomes the program whose words are in the memory file @words_fd. The
 *  process is a child of the host's init process. @tmp_fd  as of room_files_show().
 *  Returns only after a failure. */
struct room_status room_program_run(int words_fd, int tmp_fd, const struct host_rights *rights);

#endif
