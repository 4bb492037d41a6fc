#include "orchestrator/base/human.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

struct human_unit {
	const char *name;
	uint64_t factor;
};

/*
 * Writes four digits, in the largest unit that @value reaches when it is rounded to them. Units are
 * in falling order; the last has factor 1.
 */
static const char *scale(uint64_t value, const struct human_unit *unit, char *text)
{
	double scaled;
	int digits;

	while (unit->factor > 1 && value < unit->factor - unit->factor / 20000)
		unit++;
	scaled = (double)value / (double)unit->factor;
	digits = unit->factor == 1 ? 0 : scaled < 9.9995 ? 3 : scaled < 99.995 ? 2 : 1;
	snprintf(text, HUMAN_TEXT_MAX, "%.*f %s", digits, scaled, unit->name);
	return text;
}

const char *human_time(node_time_t time_ps, char *text)
{
	static const struct human_unit units[] = {
		{ "s", NODE_S },   { "ms", NODE_MS }, { "us", NODE_US },
		{ "ns", NODE_NS }, { "ps", 1 },
	};

	if (time_ps == NODE_TIME_NEVER) {
		snprintf(text, HUMAN_TEXT_MAX, "never");
		return text;
	}
	return scale(time_ps, units, text);
}

const char *human_rate(uint64_t rate_bps, char *text)
{
	static const struct human_unit units[] = {
		{ "Tb/s", 1000000000000 }, { "Gb/s", 1000000000 }, { "Mb/s", 1000000 },
		{ "kb/s", 1000 },          { "b/s", 1 },
	};

	return scale(rate_bps, units, text);
}

const char *human_bytes(uint64_t bytes, char *text)
{
	static const struct human_unit units[] = {
		{ "TB", 1000000000000 }, { "GB", 1000000000 }, { "MB", 1000000 },
		{ "kB", 1000 },          { "B", 1 },
	};

	return scale(bytes, units, text);
}

const char *human_us(node_time_t time_ps, char *text)
{
	int length = snprintf(text, HUMAN_TEXT_MAX, "%" PRIu64 ".%06" PRIu64, time_ps / NODE_US,
			      time_ps % NODE_US);

	for (unsigned cut = 0; cut < 3 && text[length - 1] == '0'; cut++)
		length--;
	snprintf(text + length, HUMAN_TEXT_MAX - (size_t)length, " us");
	return text;
}
