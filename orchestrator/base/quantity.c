#include "orchestrator/base/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/suggest.h"

#define NUMBER_DIGITS_MAX 20 /* of a written number: enough for 64 bits */
#define EXPONENT_MAX 30

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit no_unit = { "", 1 };

/* The units of each kind. If several names have the same factor, the first is written. */
static const struct unit count_units[] = { { "", 1 } };
static const struct unit time_units[] = {
	{ "s", 1000000000000 },   { "ms", 1000000000 }, { "us", 1000000 },
	{ "ns", 1000 },           { "ps", 1 },          { "\xc2\xb5s", 1000000 },
	{ "\xce\xbcs", 1000000 },
};
static const struct unit rate_units[] = {
	{ "Tb/s", 1000000000000 },
	{ "Gb/s", 1000000000 },
	{ "Mb/s", 1000000 },
	{ "kb/s", 1000 },
	{ "b/s", 1 },
	{ "Tbit/s", 1000000000000 },
	{ "Gbit/s", 1000000000 },
	{ "Mbit/s", 1000000 },
	{ "kbit/s", 1000 },
	{ "bit/s", 1 },
	{ "Tbps", 1000000000000 },
	{ "Gbps", 1000000000 },
	{ "Mbps", 1000000 },
	{ "kbps", 1000 },
	{ "bps", 1 },
};
static const struct unit bytes_units[] = {
	{ "GiB", 1 << 30 }, { "GB", 1000000000 }, { "MiB", 1 << 20 }, { "MB", 1000000 },
	{ "KiB", 1 << 10 }, { "kB", 1000 },       { "B", 1 },         { "KB", 1000 },
};
static const struct unit share_units[] = { { "%", QUANTITY_SHARE_ONE / 100 },
					   { "", QUANTITY_SHARE_ONE } };

static const struct {
	const char *what, *examples;
	const struct unit *units;
	unsigned unit_count;
	bool bare; /* a number needs no unit */
} kinds[QUANTITY_KINDS] = {
	[QUANTITY_COUNT] = { "a whole number", "such as 16", count_units, COUNT_OF(count_units),
			     true },
	[QUANTITY_TIME] = { "a time", "such as 350ns or 1us (ps, ns, us, ms, s)", time_units,
			    COUNT_OF(time_units), false },
	[QUANTITY_RATE] = { "a rate", "such as 200Gb/s (b/s, kb/s, Mb/s, Gb/s, Tb/s)", rate_units,
			    COUNT_OF(rate_units), false },
	[QUANTITY_BYTES] = { "a size", "such as 4096 or 512KiB (B, kB, MB, GB, KiB, MiB, GiB)",
			     bytes_units, COUNT_OF(bytes_units), true },
	[QUANTITY_SHARE] = { "a share", "such as 90%, 0.001, 1/3 or 1e-12", share_units,
			     COUNT_OF(share_units), true },
};

/* digits * 10^exponent, as written */
struct number {
	unsigned __int128 digits;
	int exponent;
};

static const char *skip_spaces(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

/* Reads the exponent of "1e-12", if there is one; the 'e' of a unit is none.  Return: the text
 * after it. */
static const char *exponent_parse(const char *text, int *exponent)
{
	const char *at = text;
	bool negative;
	int value = 0;

	if (*at != 'e' && *at != 'E')
		return text;
	at++;
	negative = *at == '-';
	at += *at == '-' || *at == '+';
	if (!isdigit((unsigned char)*at))
		return text;
	for (; isdigit((unsigned char)*at); at++)
		value = value < 1000 ? 10 * value + (*at - '0') : value;
	*exponent += negative ? -value : value;
	return at;
}

/* Return: the text after the number; NULL if there is none, or too many digits. */
static const char *number_parse(const char *text, struct number *number)
{
	int digits = 0, seen = 0;
	bool point = false;

	*number = (struct number){ 0 };
	for (;; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (!isdigit((unsigned char)*text))
			break;
		seen++;
		digits += digits || *text != '0';
		if (digits > NUMBER_DIGITS_MAX || (point && number->exponent <= -EXPONENT_MAX))
			return NULL;
		number->digits = 10 * number->digits + (unsigned)(*text - '0');
		number->exponent -= point;
	}
	if (!seen)
		return NULL;
	text = exponent_parse(text, &number->exponent);
	return number->exponent > EXPONENT_MAX || number->exponent < -2 * EXPONENT_MAX ? NULL
										       : text;
}

/* number * factor.  Return: 0, -ERANGE (too large), -EDOM (not whole). */
static int number_scale(struct number number, uint64_t factor, uint64_t *value)
{
	unsigned __int128 product = number.digits * factor;

	for (; product && number.exponent > 0; number.exponent--) {
		if (product > UINT64_MAX)
			return -ERANGE;
		product *= 10;
	}
	for (; product && number.exponent < 0; number.exponent++) {
		if (product % 10)
			return -EDOM;
		product /= 10;
	}
	if (product > UINT64_MAX)
		return -ERANGE;
	*value = (uint64_t)product;
	return 0;
}

static const struct unit *unit_find(enum quantity_kind kind, const char *name)
{
	for (unsigned i = 0; i < kinds[kind].unit_count; i++)
		if (!strcmp(kinds[kind].units[i].name, name))
			return &kinds[kind].units[i];
	return NULL;
}

static int refuse(enum quantity_kind kind, const char *text, const char *reason, struct why *why)
{
	return why_say(why, -EINVAL, "'%.60s' %s; expected %s %s", text, reason, kinds[kind].what,
		       kinds[kind].examples);
}

static int refuse_unit(enum quantity_kind kind, const char *text, const char *unit, struct why *why)
{
	const char *near = suggest_nearest(unit, &kinds[kind].units[0].name, kinds[kind].unit_count,
					   sizeof(struct unit));
	char reason[160];

	if (kind == QUANTITY_COUNT)
		return refuse(kind, text, "is not a whole number", why);
	if (!*unit)
		return refuse(kind, text, "lacks its unit", why);
	snprintf(reason, sizeof(reason), "has the unknown unit '%.20s'%s%s%s", unit,
		 near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
	return refuse(kind, text, reason, why);
}

/* the rest of "a/b", from '/' on */
static int fraction_parse(const char *text, struct number above, const char *rest, uint64_t *value,
			  struct why *why)
{
	struct number below;
	uint64_t numerator, denominator;
	const char *end = number_parse(skip_spaces(rest), &below);

	if (!end || *skip_spaces(end) || number_scale(above, 1, &numerator) ||
	    number_scale(below, 1, &denominator) || !denominator || numerator / denominator >= 1000)
		return refuse(QUANTITY_SHARE, text, "is not a fraction of two whole numbers", why);
	*value = (uint64_t)((unsigned __int128)numerator * QUANTITY_SHARE_ONE / denominator);
	return 0;
}

int quantity_parse(enum quantity_kind kind, const char *text, uint64_t *value, struct why *why)
{
	const char *start = skip_spaces(text), *rest;
	const struct unit *unit;
	struct number number;
	int error;

	if (!*start)
		return refuse(kind, text, "is empty", why);
	if (*start == '-')
		return refuse(kind, text, "is negative", why);
	rest = number_parse(start, &number);
	if (!rest)
		return refuse(kind, text,
			      isdigit((unsigned char)*start) ? "has too many digits"
							     : "is not a number",
			      why);
	rest = skip_spaces(rest);
	/* 010 is 8 in YAML 1.1 and C, and 10 in YAML 1.2 */
	if (start[0] == '0' && isdigit((unsigned char)start[1]))
		return refuse(kind, text, "begins with a zero, which some read as octal", why);
	if (kind == QUANTITY_SHARE && *rest == '/')
		return fraction_parse(text, number, rest + 1, value, why);
	unit = unit_find(kind, rest);
	if (!unit && !*rest && (kinds[kind].bare || !number.digits))
		unit = &no_unit;
	if (!unit)
		return refuse_unit(kind, text, rest, why);
	error = number_scale(number, unit->factor, value);
	if (error == -ERANGE)
		return refuse(kind, text, "is too large", why);
	if (error)
		return refuse(kind, text,
			      kind == QUANTITY_COUNT ? "is not a whole number"
						     : "is finer than can be kept",
			      why);
	return 0;
}

/* value / factor as a decimal number; @factor is a power of ten */
static void decimal_format(uint64_t value, uint64_t factor, const char *unit, char *text)
{
	int length =
		snprintf(text, QUANTITY_TEXT_MAX, "%llu", (unsigned long long)(value / factor));
	uint64_t rest = value % factor;

	if (rest)
		text[length++] = '.';
	for (; rest; rest = rest * 10 % factor)
		text[length++] = (char)('0' + rest * 10 / factor);
	snprintf(text + length, QUANTITY_TEXT_MAX - (unsigned)length, "%s", unit);
}

const char *quantity_format(enum quantity_kind kind, uint64_t value, char *text)
{
	if (kind == QUANTITY_SHARE) {
		decimal_format(value, QUANTITY_SHARE_ONE / 100, "%", text);
		return text;
	}
	for (unsigned i = 0; value && i < kinds[kind].unit_count; i++) {
		const struct unit *unit = &kinds[kind].units[i];

		if (value % unit->factor == 0) {
			snprintf(text, QUANTITY_TEXT_MAX, "%llu%s",
				 (unsigned long long)(value / unit->factor), unit->name);
			return text;
		}
	}
	snprintf(text, QUANTITY_TEXT_MAX, "0");
	return text;
}
