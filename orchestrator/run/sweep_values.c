#include "orchestrator/run/sweep_values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* a number in units of 1 / ONE, so with nine decimals: up to 64 bits, as a seed has */
typedef __int128 fixed_t;
#define ONE ((fixed_t)1000000000)
#define NUMBER_MAX (UINT64_MAX * ONE)

/* a decimal number and what stands after it */
struct number {
	fixed_t value;
	char unit[16];
};

/* @text with @length bytes; false if it is no number with at most nine decimals */
static bool number_parse(const char *text, size_t length, struct number *number)
{
	fixed_t place = ONE;
	bool point = false, digits = false;
	size_t i = 0;

	number->value = 0;
	for (; i < length && (isdigit((unsigned char)text[i]) || (text[i] == '.' && !point)); i++) {
		if (text[i] == '.') {
			point = true;
			continue;
		}
		digits = true;
		if (point)
			place /= 10;
		if (!place)
			return false;
		number->value = point ? number->value + (text[i] - '0') * place
				      : number->value * 10 + (text[i] - '0') * ONE;
		if (number->value > NUMBER_MAX)
			return false;
	}
	if (!digits || length - i >= sizeof(number->unit))
		return false;
	snprintf(number->unit, sizeof(number->unit), "%.*s", (int)(length - i), text + i);
	return true;
}

/* without zeros at the end */
static void number_print(fixed_t value, const char *unit, char text[SWEEP_VALUE_MAX])
{
	char decimals[16];
	size_t length = 9;

	snprintf(decimals, sizeof(decimals), "%09" PRId64, (int64_t)(value % ONE));
	while (length && decimals[length - 1] == '0')
		length--;
	snprintf(text, SWEEP_VALUE_MAX, "%" PRIu64 "%s%.*s%s", (uint64_t)(value / ONE),
		 length ? "." : "", (int)length, decimals, unit);
}

/* gives @number the unit of the range; false: it has another one */
static bool unit_join(struct number *number, const char *unit)
{
	if (!number->unit[0])
		snprintf(number->unit, sizeof(number->unit), "%s", unit);
	return !strcmp(number->unit, unit);
}

static int range_make(const struct number *from, const struct number *to, fixed_t step, bool factor,
		      struct sweep_values *values, struct why *why)
{
	fixed_t value = from->value, next;

	if (to->value < from->value)
		return why_say(why, -EINVAL, "a range must rise");
	if (factor ? step <= ONE || !value : step <= 0)
		return why_say(why, -EINVAL, "a range with this step has no end");
	for (;;) {
		if (values->count == SWEEP_VALUES_MAX)
			return why_say(why, -EINVAL, "the range has more than %u values",
				       SWEEP_VALUES_MAX);
		number_print(value, from->unit, values->texts[values->count++]);
		if (factor && __builtin_mul_overflow(value, step, &next))
			break;
		next = factor ? next / ONE : value + step;
		if (next > to->value)
			break;
		value = next;
	}
	return 0;
}

static int range_parse(const char *text, const char *dots, struct sweep_values *values,
		       struct why *why)
{
	const char *second = dots + 2, *again = strstr(second, "..");
	const char *third = again ? again + 2 : "";
	size_t length = again ? (size_t)(again - second) : strlen(second);
	struct number from, to, step = { .value = ONE };
	bool factor = *third == 'x';

	third += factor;
	if (!number_parse(text, (size_t)(dots - text), &from) ||
	    !number_parse(second, length, &to) ||
	    (again && !number_parse(third, strlen(third), &step)))
		return why_say(why, -EINVAL,
			       "expected a range such as 1..16, 10..100Gb/s..10Gb/s or 1..64..x2, "
			       "or a list such as a,b, not '%.100s'",
			       text);
	if (!unit_join(&from, to.unit) || (!factor && !unit_join(&step, to.unit)))
		return why_say(why, -EINVAL, "the numbers of a range have the same unit: '%.100s'",
			       text);
	return range_make(&from, &to, step.value, factor, values, why);
}

static int list_parse(const char *text, struct sweep_values *values, struct why *why)
{
	for (;;) {
		size_t length = strcspn(text, ",");

		if (!length || length >= SWEEP_VALUE_MAX)
			return why_say(why, -EINVAL, "a value of a list has 1 to %u characters",
				       SWEEP_VALUE_MAX - 1);
		if (values->count == SWEEP_VALUES_MAX)
			return why_say(why, -EINVAL, "the list has more than %u values",
				       SWEEP_VALUES_MAX);
		snprintf(values->texts[values->count++], SWEEP_VALUE_MAX, "%.*s", (int)length,
			 text);
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

int sweep_values_parse(const char *text, struct sweep_values *values, struct why *why)
{
	const char *dots = strstr(text, "..");

	values->count = 0;
	values->listed = !dots || strchr(text, ',');
	return values->listed ? list_parse(text, values, why)
			      : range_parse(text, dots, values, why);
}
