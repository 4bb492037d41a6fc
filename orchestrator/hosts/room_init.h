/*  room_init - the init process of a host (DU-3): process 1 of the host's pid namespace.
 *
 *  It makes the host's file system, starts programs that the daemon or a program of another host
 *  asks for, writes what start commands print to their file, and reaps what has ended. When it
 *  ends, the kernel ends all programs of the host; it ends with that of the fabric, in whose pid
 *  namespace its own is. It keeps all capabilities: programs of the host, which have fewer, cannot
 *  trace it, and the kernel lets no signal of theirs end it. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_ROOM_INIT_H
#define HEDDLE_ORCHESTRATOR_HOSTS_ROOM_INIT_H

#include <stdbool.h>
#include <stdint.h>

#include "orchestrator/hosts/room_skeleton.h"

#define ROOM_STEP_MAX 384u
#define ROOM_PROGRAMS_MAX 1024u /* with a status descriptor, at once */

/* how the fabric's init process begins a sandbox: descriptors of a message, in this order */
enum room_begin_fd {
	ROOM_BEGIN_SPEC,   /* memory file: host_room.c */
	ROOM_BEGIN_SOCKET, /* to the daemon */
	ROOM_BEGIN_NET,
	ROOM_BEGIN_UTS,
	ROOM_BEGIN_FDS
};

/* the first message to the daemon, with descriptors of the mount and the pid namespace, and then of
 * the machine's /tmp if the host's is private */
struct room_report {
	int error;                /* 0 or -errno */
	char step[ROOM_STEP_MAX]; /* that failed */
	bool tmp_private, proc_mounted;
};

/* The answer of an init process, that of a host or of the fabric, to a request with the same
 * number. The daemon numbers its requests and stops waiting after a while: an answer with the
 * number of an earlier request is late and is dropped, with its descriptors. */
struct init_answer {
	uint32_t number;
	int value; /* -errno, or what the request is for */
};

/* a request to start a program, with descriptors in the order of enum room_start_fd; the answer is
 * its pid as the host sees it. It is not started if its status has no reader any more, and killed
 * with its process group when that reader closes. */
struct room_start {
	uint32_t number;
	/* 0: the program has the descriptors of its output; else they are the same file, which
	 * takes so much of what it prints: room_log.h */
	uint64_t output_bytes_max;
};
enum room_start_fd {
	ROOM_START_WORDS, /* memory file: room_program.h */
	ROOM_START_INPUT,
	ROOM_START_OUTPUT,
	ROOM_START_ERROR,
	ROOM_START_STATUS, /* the end of a pipe for struct room_status; may be missing */
	ROOM_START_FDS
};

/** room_init_run() - is that process, to its end. @fds  of enum room_begin_fd; all other
 *  descriptors are closed. */
_Noreturn void room_init_run(const int fds[ROOM_BEGIN_FDS], const struct room_skeleton *skeleton);

#endif
