/*  ranks - the other ranks of a rank under test: rankd/link/transport.h without MPI. What the rank
 *  sends arrives at the test, and what the test sends arrives at the rank as if it came from
 *  others. The rank is this process, a child of it, or a program that it starts. */
#ifndef HEDDLE_TESTS_RANKS_H
#define HEDDLE_TESTS_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANKS_BYTES_MAX (1u << 17) /* of what is sent at once */

enum ranks_kind {
	RANKS_LETTER, /* to, or from, `rank` */
	RANKS_SHARE,  /* bytes for all ranks */
	RANKS_PART,   /* of a round: to, or from, neighbour `rank` */
	RANKS_ROUND,  /* after its parts: `times`, or the least of all */
	RANKS_END     /* the rank has called transport_end() */
};

struct ranks_item {
	uint32_t kind, rank;
	uint64_t times[2];
	size_t length;
	uint8_t bytes[RANKS_BYTES_MAX];
};

/** ranks_begin() - the rank under test is @rank of @rank_count: in this process, and in programs
 *  that it starts from now on. ranks_end() later. */
void ranks_begin(uint32_t rank, uint32_t rank_count);
void ranks_end(void);

/** ranks_leave() - the rank is another process, which has been started: its end is seen. */
void ranks_leave(void);

/** ranks_in_flight() - transport_sending() counts down from @count. In this process. */
void ranks_in_flight(uint32_t count);

/** ranks_letter(), ranks_round() - what the rank has sent next, of letters and shares, or of
 *  rounds; waits for it.   Return: false: the rank has ended. */
bool ranks_letter(struct ranks_item *item);
bool ranks_round(struct ranks_item *item);

/** ranks_is_silent() - is no letter there, now? */
bool ranks_is_silent(void);

/** ranks_send() - sends to the rank under test. @times: only of RANKS_ROUND. */
void ranks_send(enum ranks_kind kind, uint32_t rank, const uint64_t times[2], const void *bytes,
		size_t length);

#endif
