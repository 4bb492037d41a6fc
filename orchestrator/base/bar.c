#include "orchestrator/base/bar.h"

#include <string.h>

#define EIGHTHS 8u

/* how many of @marks_max marks */
static unsigned marks_of(double share, unsigned marks_max)
{
	unsigned marks;

	if (!(share > 0) || !marks_max)
		return 0;
	if (share > 1)
		share = 1;
	marks = (unsigned)(share * marks_max + 0.5);
	return marks ? marks : 1;
}

unsigned bar_write(char *text, double share, unsigned columns, bool utf8)
{
	/* U+258F to U+2588: one to eight eighths */
	static const char *const blocks[EIGHTHS] = { "\u258f", "\u258e", "\u258d", "\u258c",
						     "\u258b", "\u258a", "\u2589", "\u2588" };
	unsigned marks, used;

	if (columns > BAR_COLUMNS_MAX)
		columns = BAR_COLUMNS_MAX;
	if (!utf8) {
		marks = marks_of(share, columns);
		memset(text, '#', marks);
		text[marks] = 0;
		return marks;
	}
	text[0] = 0;
	marks = marks_of(share, columns * EIGHTHS);
	for (used = 0; marks; used++) {
		unsigned part = marks < EIGHTHS ? marks : EIGHTHS;

		text = stpcpy(text, blocks[part - 1]);
		marks -= part;
	}
	return used;
}

const char *bar_pad(char *text, double share, unsigned columns, bool utf8)
{
	unsigned used = bar_write(text, share, columns, utf8);
	size_t length = strlen(text);

	if (columns > BAR_COLUMNS_MAX)
		columns = BAR_COLUMNS_MAX;
	memset(text + length, ' ', columns - used);
	text[length + columns - used] = 0;
	return text;
}
