#include "orchestrator/view/view_report.h"

#include <errno.h>
#include <string.h>

#include "orchestrator/view/view_page.h"

/* where recordings stand in page/page.html */
static const char mark[] = "<!-- recordings of a report -->";
static const char begin[] = "<script type=\"application/x-heddle-recording\">\n";
static const char begin_lab[] = "<script type=\"application/x-heddle-lab\">\n";
static const char end[] = "</script>\n";

/* a line of base64 has so many bytes of a recording */
#define LINE_BYTES 57u
#define LINE_CHARACTERS (LINE_BYTES / 3 * 4 + 1)

uint64_t view_report_bytes(uint64_t bytes, uint32_t count)
{
	return view_page_length + (bytes / LINE_BYTES + count) * LINE_CHARACTERS +
	       count * (sizeof(begin) + sizeof(end));
}

/* three bytes are four characters of 6 bits; '=' fills the last ones */
static void line_write(FILE *out, const uint8_t *bytes, size_t count)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < count; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16 |
				 (uint32_t)(i + 1 < count ? bytes[i + 1] : 0) << 8 |
				 (i + 2 < count ? bytes[i + 2] : 0);

		putc(digits[three >> 18], out);
		putc(digits[three >> 12 & 63], out);
		putc(i + 1 < count ? digits[three >> 6 & 63] : '=', out);
		putc(i + 2 < count ? digits[three & 63] : '=', out);
	}
	putc('\n', out);
}

static int recording_write(FILE *out, FILE *recording)
{
	uint8_t bytes[LINE_BYTES];
	size_t count;

	rewind(recording);
	fputs(begin, out);
	while (!ferror(out) && (count = fread(bytes, 1, sizeof(bytes), recording)) > 0)
		line_write(out, bytes, count);
	if (ferror(out)) /* errno is of the write that failed */
		return -errno;
	fputs(end, out);
	return ferror(recording) ? -EIO : 0;
}

static void lab_write(FILE *out, const char *lab)
{
	size_t length = strlen(lab);

	fputs(begin_lab, out);
	for (size_t at = 0; at < length; at += LINE_BYTES)
		line_write(out, (const uint8_t *)lab + at,
			   length - at < LINE_BYTES ? length - at : LINE_BYTES);
	fputs(end, out);
}

int view_report_write(FILE *out, FILE *const *recordings, uint32_t count, const char *lab)
{
	const char *place = memmem(view_page_text, view_page_length, mark, sizeof(mark) - 1);
	size_t before;

	if (!place)
		return -EINVAL;
	before = (size_t)(place - view_page_text);
	fwrite(view_page_text, 1, before, out);
	if (lab)
		lab_write(out, lab);
	for (uint32_t i = 0; i < count; i++) {
		int error = recording_write(out, recordings[i]);

		if (error)
			return error;
	}
	fwrite(place + sizeof(mark) - 1, 1, view_page_length - before - sizeof(mark) + 1, out);
	return fflush(out) || ferror(out) ? -errno : 0;
}
