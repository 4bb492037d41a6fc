/*  quantity - numbers with units, as people write them: '200Gb/s', '350ns', '512 KiB', '0.1%',
 *  '1/144', '1e-12'.
 *
 *  Integers only, no floating point. A value that is not whole in the unit of its kind is refused,
 *  not rounded, so a run has exactly the value of its file. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_QUANTITY_H
#define HEDDLE_ORCHESTRATOR_BASE_QUANTITY_H

#include <stdint.h>

#include "nodes/base/why.h"

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

/** quantity_parse() - parses all of @text. A bare 0 needs no unit; one space may precede the unit.
 *  Return: 0 with @value; -EINVAL with a sentence in @why: the text in quotes, the error and what
 *  was expected. */
int quantity_parse(enum quantity_kind kind, const char *text, uint64_t *value, struct why *why);

/** quantity_format() - writes @value in the largest unit in which it is whole: "350ns", "1us",
 *  "512KiB", "0.1%".
 *  @text  QUANTITY_TEXT_MAX bytes.  Return: @text. quantity_parse() reads the same value back. */
const char *quantity_format(enum quantity_kind kind, uint64_t value, char *text);

#endif
