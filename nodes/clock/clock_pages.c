#include "nodes/clock/clock_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/* memory of @bytes that no process can resize */
static int memory_make(const char *name, size_t bytes)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), error;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)bytes) || fcntl(fd, F_ADD_SEALS, SEALS)) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

/* the head with @protection, private memory after it */
static int map(struct clock_pages *pages, int fd, uint32_t node_count, int protection)
{
	size_t bytes = clock_bytes(node_count);
	uint8_t *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	if (memory == MAP_FAILED)
		return -errno;
	if (mmap(memory, CLOCK_HEAD_BYTES, protection, MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED) {
		error = -errno;
		munmap(memory, bytes);
		return error;
	}
	*pages = (struct clock_pages){ .page = (struct clock_page *)memory, .bytes = bytes };
	return 0;
}

int clock_pages_make(struct clock_pages *pages, uint32_t node_count, int *fd)
{
	int error;

	*pages = (struct clock_pages){ 0 };
	*fd = memory_make("heddle-clock", CLOCK_HEAD_BYTES);
	if (*fd < 0)
		return *fd;
	error = map(pages, *fd, node_count, PROT_READ | PROT_WRITE);
	/* our own mapping is there already: it stays writable */
	if (!error && fcntl(*fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) && errno != EINVAL)
		error = -errno;
	if (!error)
		return 0;
	clock_pages_free(pages);
	close(*fd);
	return error;
}

int clock_pages_join(struct clock_pages *pages, int fd)
{
	struct clock_page head;
	struct stat stat;

	*pages = (struct clock_pages){ 0 };
	if (fstat(fd, &stat))
		return -errno;
	if (stat.st_size < (off_t)CLOCK_HEAD_BYTES ||
	    pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) || !head.node_count ||
	    head.node_count > NODE_COUNT_MAX)
		return -EINVAL;
	return map(pages, fd, head.node_count, PROT_READ);
}

void clock_pages_free(struct clock_pages *pages)
{
	if (pages->page)
		munmap(pages->page, pages->bytes);
	*pages = (struct clock_pages){ 0 };
}
