/*  quantity - numbers with units, as people write them: '200Gb/s', '350ns', '512 KiB', '0.1%', '1/144', '1e-12'.
 *
 *  Exact integers, no floating point: a value that does not come out whole in the unit it is kept in is refused rather
 *  than rounded, so the file says what really runs.                                                                  */
#ifndef HEDDLE_ORCHESTRATOR_BASE_QUANTITY_H
#define HEDDLE_ORCHESTRATOR_BASE_QUANTITY_H

#include <stdint.h>

enum quantity_kind {
	QUANTITY_COUNT, /* a whole number without unit */
	QUANTITY_TIME,  /* in ps; ps, ns, us, ms, s */
	QUANTITY_RATE,  /* in bit/s; b/s, kb/s, Mb/s, Gb/s, Tb/s (or bps, bit/s) */
	QUANTITY_BYTES, /* B, kB, MB, GB (powers of 1000), KiB, MiB, GiB (powers of 1024) */
	QUANTITY_SHARE, /* in 10^-15: '%', a fraction 'a/b' (rounded down) or a plain number */
	QUANTITY_KINDS
};

#define QUANTITY_SHARE_ONE 1000000000000000ull
#define QUANTITY_TEXT_MAX 40u

/** quantity_parse() - reads the whole of @text. A bare 0 needs no unit; a space may stand before the unit.
 *  Return: 0 with @value; -EINVAL with a sentence in @why (@why_max bytes) that says what was expected; it starts with
 *  the text in quotes.                                                                                          */
int quantity_parse(enum quantity_kind kind, const char *text, uint64_t *value, char *why, unsigned why_max);

/** quantity_format() - @value in the largest unit that leaves it whole: "350ns", "1us", "512KiB", "0.1%".
 *  @text  QUANTITY_TEXT_MAX bytes.  Return: @text. quantity_parse() reads it back unchanged.                     */
const char *quantity_format(enum quantity_kind kind, uint64_t value, char *text);

#endif
