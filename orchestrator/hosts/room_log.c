#include "orchestrator/hosts/room_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"

#define PIECE_BYTES 65536u
#define PIECES_MAX 32u /* twice the largest pipe of an ordinary user */

int room_log_open(struct room_log *log, int to_fd, uint64_t bytes_max)
{
	struct stat found;
	int pipes[2], error;

	*log = (struct room_log){ -1, -1, bytes_max };
	if (fstat(to_fd, &found) || !S_ISREG(found.st_mode))
		return -EINVAL;
	if (pipe2(pipes, O_CLOEXEC))
		return -errno;
	log->from_fd = pipes[0];
	log->to_fd = fcntl(to_fd, F_DUPFD_CLOEXEC, 0);
	/* its own end only: the program may block */
	if (log->to_fd >= 0 && !fcntl(log->from_fd, F_SETFL, O_NONBLOCK))
		return pipes[1];
	error = -errno;
	room_log_close(log);
	close(pipes[1]);
	return error;
}

/* writes what fits */
static void piece_write(const struct room_log *log, const char *bytes, size_t length)
{
	struct stat found;
	uint64_t left;

	if (fstat(log->to_fd, &found) || (uint64_t)found.st_size >= log->bytes_max)
		return;
	left = log->bytes_max - (uint64_t)found.st_size;
	(void)!write(log->to_fd, bytes, length < left ? length : (size_t)left);
	if (length >= left)
		(void)!write(log->to_fd, ROOM_LOG_END, strlen(ROOM_LOG_END));
}

int room_log_pass(struct room_log *log)
{
	static char bytes[PIECE_BYTES];
	ssize_t length = read(log->from_fd, bytes, sizeof(bytes));

	if (length > 0)
		piece_write(log, bytes, (size_t)length);
	if (length < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	return length ? 1 : -1;
}

void room_log_drain(struct room_log *log)
{
	for (unsigned i = 0; i < PIECES_MAX && room_log_pass(log) > 0; i++)
		;
}

void room_log_close(struct room_log *log)
{
	descriptor_close(&log->from_fd);
	descriptor_close(&log->to_fd);
}
