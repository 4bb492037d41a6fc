#include "nodes/clock_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/* memory of @bytes that nobody can resize */
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

/* both in a row, @protection for the head */
static int map(struct clock_pages *pages, const int fds[2], size_t words_bytes, int protection)
{
	size_t bytes = CLOCK_HEAD_BYTES + words_bytes;
	uint8_t *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	*pages = (struct clock_pages){ 0 };
	if (memory == MAP_FAILED)
		return -errno;
	if (mmap(memory, CLOCK_HEAD_BYTES, protection, MAP_SHARED | MAP_FIXED, fds[0], 0) == MAP_FAILED ||
	    mmap(memory + CLOCK_HEAD_BYTES, words_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fds[1], 0) ==
		    MAP_FAILED) {
		error = -errno;
		munmap(memory, bytes);
		return error;
	}
	*pages = (struct clock_pages){ .page = (struct clock_page *)memory, .bytes = bytes };
	return 0;
}

int clock_pages_make(struct clock_pages *pages, uint32_t node_count, int fds[2])
{
	size_t words_bytes = clock_bytes(node_count) - CLOCK_HEAD_BYTES;
	int error;

	*pages = (struct clock_pages){ 0 };
	fds[0] = memory_make("heddle-clock", CLOCK_HEAD_BYTES);
	if (fds[0] < 0)
		return fds[0];
	fds[1] = memory_make("heddle-clock-words", words_bytes);
	error = fds[1] < 0 ? fds[1] : map(pages, fds, words_bytes, PROT_READ | PROT_WRITE);
	/* our own mapping is there already: it stays writable */
	if (!error && fcntl(fds[0], F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) && errno != EINVAL)
		error = -errno;
	if (!error && fcntl(fds[1], F_ADD_SEALS, F_SEAL_SEAL))
		error = -errno;
	if (!error)
		return 0;
	clock_pages_free(pages);
	close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
	return error;
}

int clock_pages_join(struct clock_pages *pages, const int fds[2])
{
	struct stat head, words;

	*pages = (struct clock_pages){ 0 };
	if (fstat(fds[0], &head) || fstat(fds[1], &words))
		return -errno;
	if (head.st_size < (off_t)CLOCK_HEAD_BYTES || words.st_size <= 0)
		return -EINVAL;
	return map(pages, fds, (size_t)words.st_size, PROT_READ);
}

void clock_pages_free(struct clock_pages *pages)
{
	if (pages->page)
		munmap(pages->page, pages->bytes);
	*pages = (struct clock_pages){ 0 };
}
