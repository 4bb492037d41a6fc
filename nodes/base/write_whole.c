#include "nodes/base/write_whole.h"

#include <errno.h>
#include <unistd.h>

size_t write_whole(int fd, const void *bytes, size_t length)
{
	size_t done = 0;

	while (done < length) {
		ssize_t got = write(fd, (const char *)bytes + done, length - done);

		if (!got)
			errno = EIO;
		if (got > 0)
			done += (size_t)got;
		else if (errno != EINTR)
			break;
	}
	return done;
}
