/*  kept - digests of results that a test keeps in a file: a line for each row, its name and a
 *  digest for each part. WRITE=yes writes the file again. */
#ifndef TESTS_KEPT_H
#define TESTS_KEPT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"

#define KEPT_PARTS_MAX 8u

struct kept_row {
	uint64_t digests[KEPT_PARTS_MAX];
};

/* FNV-1a of @length bytes, after those of @digest; KEPT_NOTHING: after none */
#define KEPT_NOTHING 0xcbf29ce484222325u

static inline uint64_t kept_digest(uint64_t digest, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		digest = (digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
	return digest;
}

/** kept_digest_of_lines() - of @text, without the line of JSON that names the build. */
static inline uint64_t kept_digest_of_lines(const char *text, size_t length)
{
	uint64_t digest = KEPT_NOTHING;

	for (const char *line = text; line < text + length;) {
		const char *next = memchr(line, '\n', (size_t)(text + length - line));

		next = next ? next + 1 : text + length;
		if (strncmp(line, "  \"version\":", 12) != 0)
			digest = kept_digest(digest, line, (size_t)(next - line));
		line = next;
	}
	return digest;
}

/** kept_is_written() - is the file to be written? Then all digests are right. */
static inline bool kept_is_written(void)
{
	return getenv("WRITE") != NULL;
}

/** kept_begin() - writes the first line of the file: the names of @parts.
 *  kept_append() - writes a row more. */
static inline void kept_begin(const char *path, const char *const *parts, unsigned part_count)
{
	FILE *out = fopen(path, "w");

	ck_assert_ptr_nonnull(out);
	fprintf(out, "name");
	for (unsigned part = 0; part < part_count; part++)
		fprintf(out, " %s", parts[part]);
	fprintf(out, "\n");
	ck_assert_int_eq(fclose(out), 0);
}

static inline void kept_append(const char *path, const char *name, unsigned part_count,
			       const struct kept_row *row)
{
	FILE *out = fopen(path, "a");

	ck_assert_ptr_nonnull(out);
	fprintf(out, "%s", name);
	for (unsigned part = 0; part < part_count; part++)
		fprintf(out, " %016llx", (unsigned long long)row->digests[part]);
	fprintf(out, "\n");
	ck_assert_int_eq(fclose(out), 0);
}

/** kept_write() - writes the rows @names, @count of them, each with the digests of @parts, which
 *  @row computes for the row of that number. */
static inline void kept_write(const char *path, const char *const *names, size_t count,
			      const char *const *parts, unsigned part_count,
			      struct kept_row (*row)(size_t index))
{
	kept_begin(path, parts, part_count);
	for (size_t i = 0; i < count; i++) {
		struct kept_row digests = row(i);

		kept_append(path, names[i], part_count, &digests);
	}
}

/** kept_check() - are the digests of row @name in the file those of @row? */
static inline void kept_check(const char *path, const char *name, const char *const *parts,
			      unsigned part_count, const struct kept_row *row)
{
	char line[512], found[64];
	FILE *in = fopen(path, "r");

	ck_assert_ptr_nonnull(in);
	while (fgets(line, sizeof(line), in)) {
		char *at = strchr(line, ' ');

		if (sscanf(line, "%63s", found) != 1 || strcmp(found, name) != 0)
			continue;
		fclose(in);
		for (unsigned part = 0; part < part_count; part++)
			ck_assert_msg(strtoull(at, &at, 16) == row->digests[part],
				      "%s: '%s' differs from what %s keeps; 'make same-as' shows "
				      "the difference between two commits",
				      name, parts[part], path);
		return;
	}
	fclose(in);
	ck_abort_msg("%s has no row %s", path, name);
}

#endif
