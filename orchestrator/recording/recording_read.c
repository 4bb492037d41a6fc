#include "orchestrator/recording/recording_read.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

_Static_assert(RECORDING_CONTENT_RATIO == 64, "a message says it");

/* Return: @error; why says that it is at byte @offset */
static int fail(struct recording_reader *reader, uint64_t offset, int error, const char *what)
{
	return why_say(&reader->why, error, "byte %" PRIu64 ": %s", offset, what);
}

int recording_wrong(struct recording_reader *reader, const char *what)
{
	return why_say(&reader->why, -EINVAL, "byte %" PRIu64 ": block %.4s: %s",
		       reader->block_offset, (const char *)reader->block.bytes + 4, what);
}

/* ---- blocks ---- */

/* Adds @length bytes of the file to reader->block. */
static int bytes_read(struct recording_reader *reader, size_t length, const char *what)
{
	size_t got = 0, at = reader->block.length;

	/* in parts, so that a length that is wrong costs no more than the file has */
	while (got < length) {
		size_t part = length - got < 1u << 20 ? length - got : 1u << 20, read;

		if (!pack_reserve(&reader->block, part))
			return fail(reader, reader->offset, -ENOMEM, strerror(ENOMEM));
		read = fread(reader->block.bytes + at + got, 1, part, reader->in);
		got += read;
		reader->block.length += read;
		if (read == part)
			continue;
		if (ferror(reader->in))
			return fail(reader, reader->offset, -EIO, strerror(errno ? errno : EIO));
		return fail(reader, reader->offset + reader->block.length, -EINVAL, what);
	}
	return 0;
}

static int block_read(struct recording_reader *reader)
{
	uint32_t length;
	int error;

	reader->block.length = 0;
	reader->block_offset = reader->offset;
	error = bytes_read(reader, RECORDING_BLOCK_HEAD_BYTES,
			   "the file ends without its index: it is not complete");
	if (error)
		return error;
	length = unpack_u32(reader->block.bytes);
	for (unsigned i = 4; i < RECORDING_BLOCK_HEAD_BYTES; i++)
		if (reader->block.bytes[i] < 'A' || reader->block.bytes[i] > 'Z')
			return fail(reader, reader->offset + i, -EINVAL,
				    "expected the kind of a block, four capital letters");
	error = bytes_read(reader, length, "the file ends in a block: it is not complete");
	if (error)
		return error;
	error = recording_block_inflate(reader->block.bytes + RECORDING_BLOCK_HEAD_BYTES, length,
					&reader->content);
	if (error)
		return recording_wrong(reader, error == -EFBIG ? "its content is more than "
								 "64 times as long as the block"
					       : error == -ENOMEM
						       ? strerror(ENOMEM)
						       : "its content is no zlib stream");
	reader->offset += reader->block.length;
	return 0;
}

static bool kind_is(const struct recording_reader *reader, const char *kind)
{
	return !memcmp(reader->block.bytes + 4, kind, RECORDING_KIND_BYTES);
}

/* The block is one of those that index and digest name. */
static int block_note(struct recording_reader *reader, node_time_t from_ps, node_time_t to_ps)
{
	char kind[RECORDING_KIND_BYTES + 1] = "";

	memcpy(kind, reader->block.bytes + 4, RECORDING_KIND_BYTES);
	sha256_add(&reader->digest, kind, RECORDING_KIND_BYTES);
	sha256_add(&reader->digest, reader->content.bytes, reader->content.length);
	if (json_array_append_new(reader->places,
				  json_pack("{s:s, s:I, s:I, s:I, s:I}", "kind", kind, "offset",
					    (json_int_t)reader->block_offset, "from_ps",
					    (json_int_t)from_ps, "to_ps", (json_int_t)to_ps,
					    "bytes", (json_int_t)reader->block.length)))
		return fail(reader, reader->block_offset, -ENOMEM, strerror(ENOMEM));
	return 0;
}

/* ---- begin and end ---- */

int recording_open(struct recording_reader *reader, FILE *in)
{
	struct why why;
	int error;

	*reader = (struct recording_reader){ .in = in, .places = json_array() };
	sha256_begin(&reader->digest);
	error = bytes_read(reader, RECORDING_HEAD_BYTES, "it is no recording of Heddle: too short");
	if (!error && memcmp(reader->block.bytes, RECORDING_HEAD, RECORDING_HEAD_BYTES) != 0)
		error = fail(reader, 0, -EINVAL,
			     "it is no recording of Heddle, or of a later version: expected "
			     "'heddle recording 1'");
	if (error)
		return error;
	reader->offset = RECORDING_HEAD_BYTES;
	error = block_read(reader);
	if (!error && !kind_is(reader, "HEAD"))
		error = recording_wrong(reader, "expected HEAD as the first one");
	if (!error)
		error = block_note(reader, 0, 0);
	if (error)
		return error;
	error = recording_heading_read(&reader->heading, (const char *)reader->content.bytes,
				       reader->content.length, &why);
	return error == -EINVAL ? recording_wrong(reader, why.text)
	       : error          ? fail(reader, reader->block_offset, error, strerror(-error))
				: 0;
}

/* The index is that of the blocks before it, and the file ends after it. */
static int index_check(struct recording_reader *reader)
{
	uint64_t offset = reader->block_offset;
	json_t *index =
		json_loadb((const char *)reader->content.bytes, reader->content.length, 0, NULL);
	bool same = index && json_equal(index, reader->places);
	int error;

	json_decref(index);
	if (!same)
		return recording_wrong(reader, "it is not the index of the blocks before it");
	reader->block.length = 0;
	error = bytes_read(reader, RECORDING_TAIL_BYTES, "the file ends after its index");
	if (error)
		return error;
	if (unpack_u64(reader->block.bytes) != offset ||
	    memcmp(reader->block.bytes + 8, RECORDING_TAIL, RECORDING_TAIL_BYTES - 8) != 0)
		return fail(reader, reader->offset, -EINVAL,
			    "expected the place of the index, and 'heddle end'");
	if (fgetc(reader->in) != EOF)
		return fail(reader, reader->offset + RECORDING_TAIL_BYTES, -EINVAL,
			    "there is something after 'heddle end'");
	return 0;
}

static int done_check(struct recording_reader *reader)
{
	json_t *done =
		json_loadb((const char *)reader->content.bytes, reader->content.length, 0, NULL);
	const char *digest = json_string_value(json_object_get(done, "digest"));
	char text[SHA256_TEXT_MAX];
	bool same = digest && !strcmp(digest, sha256_text(&reader->digest, text));

	json_decref(done);
	return same ? 0
		    : recording_wrong(reader, "its digest is not that of the contents before it");
}

/* ---- slices ---- */

/* Where the slice is in time. Return: 0 or -EINVAL */
static int span_read(struct recording_reader *reader, node_time_t *from_ps, node_time_t *to_ps)
{
	struct unpack unpack = { .at = reader->content.bytes,
				 .end = reader->content.bytes + reader->content.length };

	*from_ps = unpack_number(&unpack);
	*to_ps = unpack_number(&unpack);
	if (unpack.bad || *from_ps != reader->to_ps || *to_ps < *from_ps || *to_ps > INT64_MAX)
		return recording_wrong(reader, "it does not begin where the slice before it ends");
	reader->to_ps = *to_ps;
	return 0;
}

int recording_read_slice(struct recording_reader *reader, const struct slice_visitor *visitor)
{
	struct why why;

	return slice_read(reader->content.bytes, reader->content.length, &reader->heading.limits,
			  visitor, &why)
		       ? recording_wrong(reader, why.text)
		       : 0;
}

/* ---- all ---- */

static enum recording_kind_of_block kind_find(const struct recording_reader *reader)
{
	static const char *const names[RECORDING_OTHER] = {
		[RECORDING_DATA] = "DATA", [RECORDING_FLOW] = "FLOW", [RECORDING_RSLT] = "RSLT",
		[RECORDING_TABL] = "TABL", [RECORDING_DONE] = "DONE",
	};

	for (int kind = 0; kind < RECORDING_OTHER; kind++)
		if (kind_is(reader, names[kind]))
			return (enum recording_kind_of_block)kind;
	return RECORDING_OTHER;
}

int recording_next(struct recording_reader *reader)
{
	node_time_t from_ps = reader->to_ps, to_ps = reader->to_ps;
	int error = block_read(reader);

	if (error)
		return error;
	if (kind_is(reader, "HEAD"))
		return recording_wrong(reader, "there is a second one");
	if (kind_is(reader, "INDX"))
		return index_check(reader);
	reader->kind = kind_find(reader);
	if (reader->kind == RECORDING_DATA)
		error = span_read(reader, &from_ps, &to_ps);
	else if (reader->kind == RECORDING_DONE)
		error = done_check(reader);
	if (!error)
		error = block_note(reader, from_ps, to_ps);
	return error ? error : 1;
}

void recording_close(struct recording_reader *reader)
{
	recording_heading_free(&reader->heading);
	pack_free(&reader->block);
	pack_free(&reader->content);
	json_decref(reader->places);
	*reader = (struct recording_reader){ 0 };
}
