/*  room_log - passes what a program of a host prints to a file that has a limit (DU-3).
 *
 *  The program has a pipe; the host's init process reads it and writes to the file until that is
 *  full. Then a last line says so, and what else comes is read and dropped: the program never
 *  waits, and meets no error. Several programs may have the same file.
 *  Memory: 64 KiB for all, and a pipe for each. Never blocks.
 *  Ours: a limit of file size (RLIMIT_FSIZE) would also hold for all other files of the program,
 *  and a file that is made shorter from time to time can fill the memory in between. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_ROOM_LOG_H
#define HEDDLE_ORCHESTRATOR_HOSTS_ROOM_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* written after the last bytes that the file takes */
#define ROOM_LOG_END "\nheddle: this log is full; what is printed from here on is lost\n"

struct room_log {
	int from_fd; /* of the pipe; -1: none */
	int to_fd;   /* the file, opened for O_APPEND */
	uint64_t bytes_max;
};

/** room_log_open() - @to_fd is duplicated.
 *  @bytes_max  of the file, without ROOM_LOG_END.
 *  Return: the end of the pipe for the program, closed on exec; -errno; -EINVAL: no regular file.
 */
int room_log_open(struct room_log *log, int to_fd, uint64_t bytes_max);

/** room_log_pass() - passes on what has been printed, up to 64 KiB.
 *  Return: was there anything? -1: no process can print any more; then room_log_close(). */
int room_log_pass(struct room_log *log);

/** room_log_drain() - passes on what has been printed up to now, if that is not without end. */
void room_log_drain(struct room_log *log);

void room_log_close(struct room_log *log);

#endif
