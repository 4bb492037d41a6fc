/*  letter - messages between ranks while no window is open, or when something fails: their format
 *  (SC-4).
 *
 *  Rank 0 has the orchestrator. The others have workers, which it configures and asks over
 *  control sockets: letters carry the packets of these sockets, unread. Descriptors cannot be sent
 *  to another machine: a letter lists them, and the receiving rank makes its own. What nodes write
 *  into these is sent to rank 0 in letters. */
#ifndef HEDDLE_RANKD_LINK_LETTER_H
#define HEDDLE_RANKD_LINK_LETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LETTER_MAGIC 0x48445254u /* "HDRT" */
#define LETTER_FDS_MAX 72u       /* beside a configuration: statistics page, captures, logs */
#define LETTER_PART_BYTES 65536u /* of a page or file in a letter */

enum letter_kind {
	LETTER_CONTROL, /* to, or from, the node at `place`: a packet; to: with `fds` */
	/* from rank 0 */
	LETTER_RUN, /* the clock runs on */
	LETTER_END, /* the workers leave */
	/* to rank 0 */
	LETTER_PAGE, /* bytes at offset `number` of the statistics page of the node at `place` */
	LETTER_FILE, /* the next bytes of file `index` of the node at `place` */
	LETTER_NEXT, /* `number`: the earliest event there, while the clock stands */
	/* the clock is stopped there, and all of the above is sent; `number`: as LETTER_NEXT */
	LETTER_STANDS,
	/* text: why the run must end; `place`: the node that ran, or no place; `index`: its worker;
	 * `number`: pid of the worker */
	LETTER_FAILED,
	LETTER_ALIVE, /* `number`: windows that have ended there; `index`: letter_state */
	LETTER_LEFT,  /* the workers have left; `number`: their CPU time, ns */
	LETTER_KINDS
};

enum letter_state {
	LETTER_WORKS, /* its workers have not finished the window */
	LETTER_WAITS, /* for other ranks */
	LETTER_STATES
};

struct letter_head {
	uint32_t magic, kind;
	uint32_t place, index;
	uint64_t number;
	uint32_t fds;   /* how many sizes precede the bytes: size of memory, or 0: a file */
	uint32_t bytes; /* after the sizes */
};

/* one that was received; borrows */
struct letter_read {
	struct letter_head head;
	uint64_t fds[LETTER_FDS_MAX];
	const uint8_t *bytes;
};

/** letter_write() - @head, whose magic is set here, with its @fds sizes and its bytes.
 *  Return: the letter, malloc'd, *@length long; NULL: memory is short. */
void *letter_write(struct letter_head *head, const uint64_t *fds, const void *bytes,
		   size_t *length);

/** letter_read() - takes @from apart, of which nothing is trusted. @place_count, to which a
 *  place is compared where the kind has one.
 *  Return: false if it is no letter, or not one that rank 0 sends (@from_root) or receives. */
bool letter_read(struct letter_read *letter, const uint8_t *from, size_t length, bool from_root,
		 uint32_t place_count);

#endif
