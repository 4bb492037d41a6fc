/*  recording_read - reads a recording, block by block (SE-3). The format: docs/recording.md.
 *
 *  Everything is checked: an error names the file's byte and what is wrong there. Memory: the head,
 *  and one block of at most RECORDING_CONTENT_BYTES_MAX. The file may be a pipe. */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_READ_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_READ_H

#include <stdio.h>

#include "orchestrator/base/sha256.h"
#include "orchestrator/recording/recording_block.h"
#include "orchestrator/recording/recording_heading.h"

enum recording_kind_of_block {
	RECORDING_DATA,
	RECORDING_FLOW,
	RECORDING_RSLT,
	RECORDING_TABL,
	RECORDING_DONE,
	RECORDING_OTHER, /* of another version: to be skipped */
};

struct recording_reader {
	FILE *in;
	uint64_t offset; /* of the next block */
	struct recording_heading heading;
	struct pack block, content;
	struct sha256 digest;  /* of the contents before the present block */
	json_t *places;        /* of the blocks so far, as INDX has them */
	node_time_t to_ps;     /* of the last slice */
	uint64_t block_offset; /* of the present block */
	enum recording_kind_of_block kind;
	struct why why;
};

/** recording_open() - reads the head of the recording on @in, which is borrowed.
 *  Return: 0; -errno with a sentence in reader->why. recording_close() in any case. */
int recording_open(struct recording_reader *reader, FILE *in);

/** recording_next() - reads the next block: reader->kind, reader->content.
 *  Return: 1; 0: the recording ends here, completely; -EINVAL or another -errno with a sentence in
 *  reader->why. */
int recording_next(struct recording_reader *reader);

/** recording_read_slice() - the present block is RECORDING_DATA: what is in it.
 *  Return: 0; -EINVAL with a sentence in reader->why. */
int recording_read_slice(struct recording_reader *reader, const struct slice_visitor *visitor);

/** recording_wrong() - the content of the present block is wrong: @what. Return: -EINVAL, and
 *  reader->why says it. */
int recording_wrong(struct recording_reader *reader, const char *what);

/** recording_close() - frees all but the file. */
void recording_close(struct recording_reader *reader);

#endif
