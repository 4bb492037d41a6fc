/*  mirror - what a node of another rank than 0 writes, taken to rank 0: its statistics page and
 *  the files of its logs and captures (SC-4).
 *
 *  Rank 0's orchestrator made a page and files for the node, which it reads. The node has
 *  others, of its own machine. While the clock stands, and once the workers have left, this rank
 *  sends what has changed since: 4 kB parts of the page whose hash is new, and what was appended
 *  to files. Memory that was never touched is neither read nor sent. */
#ifndef HEDDLE_RANKD_RUN_MIRROR_H
#define HEDDLE_RANKD_RUN_MIRROR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MIRROR_FILES_MAX 72u

struct mirror {
	int page_fd; /* -1: none yet */
	size_t page_bytes;
	uint64_t *sent; /* hash of each part as it was sent; 0: zeros */
	int files[MIRROR_FILES_MAX];
	off_t file_sent[MIRROR_FILES_MAX];
	uint32_t file_count;
};

/** mirror_init() - empty. */
void mirror_init(struct mirror *mirror);
void mirror_fini(struct mirror *mirror);

/** mirror_page() - makes the page, @bytes of sealed memory. Once. Return: its descriptor, the
 *  mirror's, or -errno. */
int mirror_page(struct mirror *mirror, size_t bytes);

/** mirror_file() - makes a further file, without a name. Return: the same; -EMFILE: too many. */
int mirror_file(struct mirror *mirror);

/** mirror_send() - sends to rank 0 what has changed, as of the node at @place. Waits while many
 *  letters are in flight. Return: 0 or -errno. */
int mirror_send(struct mirror *mirror, uint32_t place);

#endif
