/*  transport - what rankd needs of MPI, and the only file that calls it (SC-4).
 *
 *  Two kinds of traffic, each with a communicator of its own. Rounds, one for each window: a
 *  message to and from each neighbour, and the minimum of two times over all ranks. Letters, now
 *  and then: any bytes from one rank to another, in order. Nothing blocks: the caller polls, so
 *  that a rank that is late or gone is noticed, and more ranks than cores do not take the cores
 *  from workers. One thread. Errors of MPI itself end the process (MPI_ERRORS_ARE_FATAL): the
 *  launcher then ends the other ranks. */
#ifndef HEDDLE_RANKD_LINK_TRANSPORT_H
#define HEDDLE_RANKD_LINK_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRANSPORT_LETTER_MAX (1u << 22) /* bytes */

/** transport_begin() - joins the other ranks. Waits until all have joined. @rank, @rank_count
 *  filled. */
void transport_begin(uint32_t *rank, uint32_t *rank_count);

/** transport_name() - "rank 1 (HOST, pid N)": for messages. Borrowed. */
const char *transport_name(uint32_t rank);

/** transport_end() - leaves; waits until all do. */
void transport_end(void);

/** transport_share() - the same @length bytes of rank 0 on every rank. All ranks call it. */
void transport_share(void *bytes, size_t length);

/* ---- letters ---- */

/** transport_send() - sends @length bytes, at most TRANSPORT_LETTER_MAX, to @rank; copied.
 *  Return: 0 or -ENOMEM. */
int transport_send(uint32_t rank, const void *bytes, size_t length);

/** transport_sending() - number of letters that are in flight. */
uint32_t transport_sending(void);

/** transport_receive() - the next letter from any rank.
 *  Return: its bytes, malloc'd, with @rank and @length; NULL: there is none. */
void *transport_receive(uint32_t *rank, size_t *length);

/* ---- rounds ---- */

/** transport_neighbours() - the ranks with which this one exchanges messages in each round,
 *  @count of them, each of which names this one; borrowed. Return: 0 or -ENOMEM. */
int transport_neighbours(const uint32_t *ranks, uint32_t count);

/** transport_round_begin() - begins a round: sends @bytes[i] of @length[i] to neighbour i, borrowed
 *  until the end of the round, and takes part in the minimum of both @times over all ranks. */
void transport_round_begin(uint8_t *const *bytes, const size_t *length, const uint64_t times[2]);

/** transport_round_done() - a look at the round. Return: true when it has ended: @least filled. */
bool transport_round_done(uint64_t least[2]);

/** transport_received() - after the end of a round: what neighbour @i has sent in it; valid
 *  until the next round. */
const uint8_t *transport_received(uint32_t i, size_t *length);

#endif
