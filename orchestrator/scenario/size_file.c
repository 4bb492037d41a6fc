#include "orchestrator/scenario/size_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/input_file.h"
#include "orchestrator/base/quantity.h"

#define PPM_ONE 1000000u

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = 0;
	return text;
}

/* "15" or "15%" or "97.5" -> parts per million; false: not a percentage */
static bool percent_parse(const char *text, uint32_t *ppm, struct why *why)
{
	char with_unit[64];
	uint64_t share, step = QUANTITY_SHARE_ONE / PPM_ONE;
	size_t length = strlen(text);

	snprintf(with_unit, sizeof(with_unit), "%.40s%s", text,
		 length && text[length - 1] == '%' ? "" : "%");
	if (quantity_parse(QUANTITY_SHARE, with_unit, &share, why) || share > QUANTITY_SHARE_ONE ||
	    share % step)
		return why_say(why, false,
			       "'%.40s' is not a percentage up to 100 in steps of 0.0001", text);
	*ppm = (uint32_t)(share / step);
	return true;
}

static int line_parse(char *line, const struct size_point *before, struct size_point *point,
		      struct why *why)
{
	char *percent = line;
	char *bytes = strsep(&percent, ",;\t ");

	if (!percent)
		return why_say(why, -EINVAL,
			       "expected 'bytes,cumulative percent', such as 10000,15");
	if (quantity_parse(QUANTITY_BYTES, trim(bytes), &point->bytes, why) ||
	    !percent_parse(trim(percent), &point->cumulative_ppm, why))
		return -EINVAL;
	if (!point->bytes || point->bytes > WORKLOAD_BYTES_MAX)
		return why_say(why, -EINVAL, "a message has 1 byte to 1 TB");
	if (before &&
	    (point->bytes <= before->bytes || point->cumulative_ppm <= before->cumulative_ppm))
		return why_say(why, -EINVAL, "both columns must rise from line to line");
	if (!point->cumulative_ppm)
		return why_say(why, -EINVAL,
			       "the first line must have more than 0%%: 0 bytes at 0%% is implied");
	return 0;
}

int size_file_parse(const char *file, char *text, struct size_point *points, uint32_t *count,
		    struct scenario_errors *errors)
{
	unsigned errors_before = errors->count;
	char *rest = text, *raw;
	struct why why;
	int line = 0;

	*count = 0;
	while ((raw = strsep(&rest, "\n"))) {
		char *start = trim(raw);
		int column = (int)(start - raw) + 1;

		line++;
		if (!*start || *start == '#' || (!*count && isalpha((unsigned char)*start)))
			continue;
		if (*count == WORKLOAD_SIZES_MAX) {
			scenario_errors_add(errors, file, line, column,
					    "a distribution has at most %d points",
					    WORKLOAD_SIZES_MAX);
			return -EINVAL;
		}
		if (line_parse(start, *count ? &points[*count - 1] : NULL, &points[*count], &why)) {
			scenario_errors_add(errors, file, line, column, "%s", why.text);
			return -EINVAL;
		}
		++*count;
	}
	if (!*count)
		scenario_errors_add(errors, file, 1, 1,
				    "there is no line 'bytes,cumulative percent' in this file");
	else if (points[*count - 1].cumulative_ppm != PPM_ONE)
		scenario_errors_add(errors, file, line, 1, "the last line must have 100 percent");
	return errors->count == errors_before ? 0 : -EINVAL;
}

int size_file_read(const char *path, struct sha256 *digest, struct size_point *points,
		   uint32_t *count, struct scenario_errors *errors)
{
	char *text;
	size_t bytes;
	int error = input_file_regular(path, SIZE_FILE_BYTES_MAX, &text, &bytes);

	if (error)
		return error;
	if (digest)
		sha256_add(digest, text, bytes);
	error = size_file_parse(path, text, points, count, errors);
	free(text);
	return error;
}
