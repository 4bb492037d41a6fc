#include "nodes/process/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int memory_make(const char *name, size_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int error;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

int memory_make_with(const char *name, size_t size, const void *head, size_t head_size)
{
	int fd = memory_make(name, size);

	if (fd < 0 || pwrite(fd, head, head_size, 0) == (ssize_t)head_size)
		return fd;
	close(fd);
	return -ENOMEM;
}
