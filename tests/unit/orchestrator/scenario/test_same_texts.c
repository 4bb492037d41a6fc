/*  orchestrator/scenario/generate_text: what `heddle gen` writes of each kind of topology and
 *  fabric is what same_texts.txt keeps, byte by byte. test_generate.c says what it must mean.
 *
 *  After a change that is meant: WRITE=yes build/asan/unit/test_same_texts */
#include "orchestrator/scenario/generate_text.h"
#include "tests/kept.h"

#define KEPT "tests/unit/orchestrator/scenario/same_texts.txt"

static const char *const part_names[] = { "flows", "flows-explicit", "roce",  "roce-explicit",
					  "lids",  "lids-explicit",  "paced", "paced-explicit" };
#define PARTS (sizeof(part_names) / sizeof(part_names[0]))

static const struct generate_pace slow = { .rate = "1Mb/s",
					   .bottleneck = "500kb/s",
					   .delay = "3ms",
					   .duration = "7s",
					   .warmup = "1s",
					   .drain_max = "2s",
					   .buffer = "3MiB" };

static uint64_t text_digest(enum generate_kind kind, unsigned part)
{
	enum fabric_kind fabric =
		part / 2 < FABRIC_KINDS ? (enum fabric_kind)(part / 2) : FABRIC_ROCE;
	struct generate_size size = { .dimensions = 3, .shape = { 2, 3, 2 } };
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	uint64_t digest;

	for (unsigned i = 0; i < GENERATE_COUNTS; i++)
		size.counts[i] = i == GENERATE_RADIX ? 8 : 2;
	ck_assert_int_eq(generate_text(kind, &size, fabric, part % 2,
				       part / 2 < FABRIC_KINDS ? NULL : &slow, out),
			 0);
	fclose(out);
	digest = kept_digest(KEPT_NOTHING, text, length);
	free(text);
	return digest;
}

static struct kept_row row_of(size_t index)
{
	struct kept_row row;

	for (unsigned part = 0; part < PARTS; part++)
		row.digests[part] = text_digest((enum generate_kind)index, part);
	return row;
}

TEST_RANGE(generate_text__is_what_is_kept, 0, GENERATE_KINDS)
{
	struct kept_row row;

	if (kept_is_written()) {
		if (!_i)
			kept_write(KEPT, generate_kind_name, GENERATE_KINDS, part_names, PARTS,
				   row_of);
		return;
	}
	row = row_of((size_t)_i);
	kept_check(KEPT, generate_kind_name[_i], part_names, PARTS, &row);
}
