/*  rank_records - what one rank sends another in a window of the virtual clock: the records that
 *  were put on links between them (SC-4).
 *
 *  A message is a head, then for each record: the number of its ring (rank_plan.h), the record
 *  (nodes/base/ring.h), what it captured, padded to 8 bytes. A message without records is sent
 *  too: it says that there are none. All is of one architecture. */
#ifndef HEDDLE_NODES_WIRE_RANK_RECORDS_H
#define HEDDLE_NODES_WIRE_RANK_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/base/ring.h"

#define RANK_RECORDS_MAGIC 0x48445252u    /* "HDRR" */
#define RANK_RECORDS_BYTES_MAX (1u << 28) /* of a message; ours */

struct rank_records_head {
	uint32_t magic, window;  /* modulo 2^32 */
	uint32_t bytes, records; /* after the head */
};

struct rank_record {
	uint32_t ring, unused;
	struct record record;
};

/* a message that is written; grows */
struct rank_records {
	uint8_t *bytes;
	size_t length, room;
};

/** rank_records_begin() - an empty message for @window. A zeroed one is fine.
 *  Return: 0 or -ENOMEM. rank_records_free() later. */
int rank_records_begin(struct rank_records *message, uint32_t window);

/** rank_records_add() - appends @record with its @captured bytes, which may change meanwhile.
 *  Return: 0, -ENOMEM, or -EMSGSIZE: the message is full. */
int rank_records_add(struct rank_records *message, uint32_t ring, const struct record *record,
		     const uint8_t *captured);
void rank_records_free(struct rank_records *message);

/* a message that is read */
struct rank_records_read {
	const uint8_t *at;
	size_t left;
	uint32_t records; /* left */
};

/** rank_records_open() - begins to read @bytes, aligned to 8, of which nothing is trusted.
 *  Return: false if they are no message of @window. */
bool rank_records_open(struct rank_records_read *read, const uint8_t *bytes, size_t length,
		       uint32_t window);

/** rank_records_next() - the next record. Its lengths are within the message; kind, ring and
 *  time are the caller's to check. @captured where its bytes are, borrowed.
 *  Return: 1; 0: there is no further one; -EINVAL: the bytes are no message. */
int rank_records_next(struct rank_records_read *read, struct rank_record *record,
		      const uint8_t **captured);

#endif
