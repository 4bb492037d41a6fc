#include "rankd/run/mirror.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "nodes/process/memory.h"
#include "rankd/link/transport.h"
#include "rankd/run/rank.h"

#define PART_BYTES 4096u
#define SENDING_MAX 64u

void mirror_init(struct mirror *mirror)
{
	*mirror = (struct mirror){ .page_fd = -1 };
}

void mirror_fini(struct mirror *mirror)
{
	if (mirror->page_fd >= 0)
		close(mirror->page_fd);
	for (uint32_t i = 0; i < mirror->file_count; i++)
		close(mirror->files[i]);
	free(mirror->sent);
	mirror_init(mirror);
}

int mirror_page(struct mirror *mirror, size_t bytes)
{
	mirror->sent = calloc(bytes / PART_BYTES + 1, sizeof(*mirror->sent));
	if (!mirror->sent)
		return -ENOMEM;
	mirror->page_bytes = bytes;
	mirror->page_fd = memory_make("heddle-statistics", bytes);
	return mirror->page_fd;
}

int mirror_file(struct mirror *mirror)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	if (mirror->file_count == MIRROR_FILES_MAX)
		return -EMFILE;
	fd = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = memfd_create("log", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	mirror->file_sent[mirror->file_count] = 0;
	mirror->files[mirror->file_count++] = fd;
	return fd;
}

/* sends a letter to rank 0, once few others are in flight */
static int part_send(enum letter_kind kind, uint32_t place, uint32_t index, uint64_t number,
		     const void *bytes, uint32_t length)
{
	for (uint32_t turn = 0; transport_sending() > SENDING_MAX;)
		windows_wait(&turn);
	return rank_letter(0, kind, place, index, number, bytes, length);
}

/* of the page, where there is data */
static int page_send(struct mirror *mirror, uint32_t place)
{
	uint8_t part[PART_BYTES];
	off_t at = 0;

	while ((at = lseek(mirror->page_fd, at, SEEK_DATA)) >= 0) {
		ssize_t got;
		uint64_t hash;

		at -= at % (off_t)PART_BYTES;
		got = pread(mirror->page_fd, part, sizeof(part), at);
		if (got <= 0)
			return got ? -errno : 0;
		hash = XXH3_64bits(part, (size_t)got) | 1;
		if (hash != mirror->sent[at / (off_t)PART_BYTES]) {
			int error =
				part_send(LETTER_PAGE, place, 0, (uint64_t)at, part, (uint32_t)got);

			if (error)
				return error;
			mirror->sent[at / (off_t)PART_BYTES] = hash;
		}
		at += (off_t)PART_BYTES;
	}
	return 0;
}

static int file_send(struct mirror *mirror, uint32_t place, uint32_t index)
{
	uint8_t part[LETTER_PART_BYTES];
	ssize_t got;

	while ((got = pread(mirror->files[index], part, sizeof(part), mirror->file_sent[index])) >
	       0) {
		int error = part_send(LETTER_FILE, place, index, 0, part, (uint32_t)got);

		if (error)
			return error;
		mirror->file_sent[index] += got;
	}
	return got ? -errno : 0;
}

int mirror_send(struct mirror *mirror, uint32_t place)
{
	int error = mirror->page_fd >= 0 ? page_send(mirror, place) : 0;

	for (uint32_t i = 0; i < mirror->file_count && !error; i++)
		error = file_send(mirror, place, i);
	return error;
}
