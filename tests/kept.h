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

/** kept_is_written() - is the file to be written? Then all digests are right. */
static inline bool kept_is_written(void)
{
	return getenv("WRITE") != NULL;
}

/** kept_write() - writes the rows @names, @count of them, each with the digests of @parts, which
 *  @row computes for the row of that number. */
static inline void kept_write(const char *path, const char *const *names, size_t count,
			      const char *const *parts, unsigned part_count,
			      struct kept_row (*row)(size_t index))
{
	FILE *out = fopen(path, "w");

	ck_assert_ptr_nonnull(out);
	fprintf(out, "name");
	for (unsigned part = 0; part < part_count; part++)
		fprintf(out, " %s", parts[part]);
	fprintf(out, "\n");
	for (size_t i = 0; i < count; i++) {
		struct kept_row digests = row(i);

		fprintf(out, "%s", names[i]);
		for (unsigned part = 0; part < part_count; part++)
			fprintf(out, " %016llx", (unsigned long long)digests.digests[part]);
		fprintf(out, "\n");
	}
	ck_assert_int_eq(fclose(out), 0);
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
