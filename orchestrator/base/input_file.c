#include "orchestrator/base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* what standard input had; NULL: it was not read */
static char *kept;
static size_t kept_length;

bool input_file_is_stdin(const char *path)
{
	return !strcmp(path, INPUT_STDIN);
}

static char *descriptor_read(int fd, size_t max, size_t *length)
{
	char *text = malloc(max + 1);
	ssize_t got;
	int saved;

	*length = 0;
	if (!text)
		return NULL;
	do {
		got = read(fd, text + *length, max + 1 - *length);
		*length += got > 0 ? (size_t)got : 0;
	} while (got > 0 ? *length <= max : got < 0 && errno == EINTR);
	if (got >= 0)
		return text;
	saved = errno;
	free(text);
	errno = saved;
	return NULL;
}

static char *stdin_read(size_t max, size_t *length)
{
	char *copy;

	if (!kept)
		kept = descriptor_read(STDIN_FILENO, max, &kept_length);
	*length = kept_length;
	copy = kept ? malloc(kept_length + 1) : NULL;
	if (copy)
		memcpy(copy, kept, kept_length);
	return copy;
}

char *input_file_read(const char *path, size_t max, size_t *length)
{
	int fd, saved;
	char *text;

	*length = 0;
	if (input_file_is_stdin(path))
		return stdin_read(max, length);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = descriptor_read(fd, max, length);
	saved = errno;
	close(fd);
	errno = saved;
	return text;
}

int input_file_regular(const char *path, size_t max, char **text, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;
	struct stat status;

	*text = NULL;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		error = -EBADF;
	else if (status.st_size > (off_t)max)
		error = -EFBIG;
	else if (!(*text = descriptor_read(fd, max, length)))
		error = -errno;
	close(fd);
	if (!error && *length > max) {
		free(*text);
		*text = NULL;
		return -EFBIG;
	}
	if (!error)
		(*text)[*length] = 0;
	return error;
}
