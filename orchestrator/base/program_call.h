/*  program_call - runs another program to its end, and keeps what it prints.
 *
 *  What it prints is kept in memory files, so no pipe can be full without a reader. It has no
 *  descriptor of the caller but those given here. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_PROGRAM_CALL_H
#define HEDDLE_ORCHESTRATOR_BASE_PROGRAM_CALL_H

#include <stddef.h>
#include <sys/types.h>

#define PROGRAM_OUTPUT_MAX (16u << 20) /* bytes that are read back */
#define PROGRAM_NOT_FOUND 127

/* its descriptors are borrowed; -1: /dev/null */
struct program_call {
	const char *const *argv; /* NULL-terminated; searched in PATH */
	int in_fd, out_fd, error_fd;
	pid_t pid; /* of program_call_start() */
};

/** program_call_start() - starts it.  Return: 0 or -errno (-ENOENT: there is no such program). */
int program_call_start(struct program_call *call);

/** program_call_end() - waits for its end.  Return: its exit status; of one that a signal killed
 *  128 and the number of the signal. */
int program_call_end(struct program_call *call);

/** program_call_run() - start and end.  Return: as program_call_end(); PROGRAM_NOT_FOUND: it cannot
 *  be started. */
int program_call_run(struct program_call *call);

/** program_call_file() - an empty memory file for what a program prints. Return: descriptor, or
 *  -errno. */
int program_call_file(void);

/** program_call_text() - what has been written to memory file @fd.
 *  Return: malloc'd, with a 0 after its *@length bytes; NULL: it is too long, or memory is
 *  short. */
char *program_call_text(int fd, size_t *length);

/** program_call_complaint() - the line in @fd that says why a program failed: that which begins
 *  with "Error:", without that word, else the first one; "" if there is none.  Return: @line. */
char *program_call_complaint(int fd, char *line, size_t line_max);

#endif
