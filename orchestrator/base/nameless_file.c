#include "orchestrator/base/nameless_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int nameless_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && folder[0] ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("nameless", MFD_CLOEXEC);
}

FILE *nameless_stream(void)
{
	int fd = nameless_file(), error;
	FILE *stream = fd >= 0 ? fdopen(fd, "w+") : NULL;

	if (fd >= 0 && !stream) {
		error = errno;
		close(fd);
		errno = error;
	}
	return stream;
}
