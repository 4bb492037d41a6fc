/*  orchestrator/view/view_report: the page with recordings in it, and its size (SE-11). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/view/view_page.h"
#include "orchestrator/view/view_report.h"
#include "tests/testing.h"

static const char begin[] = "<script type=\"application/x-heddle-recording\">\n";

/* the report with one recording of @text, @length bytes, and @lab */
static char *report_with(const char *text, size_t length, const char *lab, size_t *report_length)
{
	FILE *recording = tmpfile(), *out;
	char *report = NULL;

	ck_assert_ptr_nonnull(recording);
	ck_assert_uint_eq(fwrite(text, 1, length, recording), length);
	out = open_memstream(&report, report_length);
	ck_assert_int_eq(view_report_write(out, &recording, 1, lab), 0);
	fclose(out);
	fclose(recording);
	return report;
}

static char *report_of(const char *text, size_t length, size_t *report_length)
{
	return report_with(text, length, NULL, report_length);
}

TEST(view_report_write__base64_as_in_rfc_4648)
{
	static const struct {
		const char *text, *base64;
	} rows[] = {
		{ "f", "Zg==\n" },
		{ "fo", "Zm8=\n" },
		{ "foo", "Zm9v\n" },
		{ "foob", "Zm9vYg==\n" },
		{ "fooba", "Zm9vYmE=\n" },
		{ "foobar", "Zm9vYmFy\n" },
		{ "\xff\xfe\xfb", "//77\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t length;
		char *report = report_of(rows[i].text, strlen(rows[i].text), &length);
		const char *at = strstr(report, begin);

		ck_assert_ptr_nonnull(at);
		ck_assert_int_eq(
			strncmp(at + strlen(begin), rows[i].base64, strlen(rows[i].base64)), 0);
		free(report);
	}
}

TEST(view_report_write__is_the_page_around_its_recordings)
{
	size_t length;
	char *report = report_of("", 0, &length);
	const char *at = strstr(report, begin), *end;

	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(strncmp(report, view_page_text, (size_t)(at - report)), 0);
	end = strstr(at, "</script>\n") + strlen("</script>\n");
	ck_assert_str_eq(end, view_page_text + view_page_length - strlen(end));
	ck_assert_ptr_nonnull(strstr(end, "<script type=\"module\">"));
	free(report);
}

TEST(view_report_bytes__is_no_less_than_what_is_written)
{
	char text[1000] = { 0 };

	for (size_t bytes = 0; bytes < sizeof(text); bytes += 37) {
		size_t length;
		char *report = report_of(text, bytes, &length);

		ck_assert_uint_ge(view_report_bytes(bytes, 1), length);
		ck_assert_uint_le(view_report_bytes(bytes, 1), length + 200);
		free(report);
	}
}

TEST(view_report_write__lab_in_front_of_the_recordings)
{
	size_t length;
	char *report = report_with("foo", 3, "</script>", &length),
	     *plain = report_of("foo", 3, &length);

	ck_assert_ptr_nonnull(strstr(report, "<script type=\"application/x-heddle-lab\">\n"
					     "PC9zY3JpcHQ+\n</script>\n"
					     "<script type=\"application/x-heddle-recording\">\n"));
	ck_assert_ptr_null(strstr(plain, "<script type=\"application/x-heddle-lab\">"));
	free(report);
	free(plain);
}

/* @bytes of 'A' in base64, 57 in a line */
static void letters_put(size_t bytes, FILE *out)
{
	for (; bytes; bytes -= bytes < 57 ? bytes : 57) {
		size_t line = bytes < 57 ? bytes : 57;

		for (size_t i = 0; i < line / 3; i++)
			fputs("QUFB", out);
		fputs(line % 3 == 2 ? "QUE=\n" : line % 3 ? "QQ==\n" : "\n", out);
	}
}

/* of the lab and of a recording: one line to the byte, a line and a part, two */
TEST(view_report_write__lines)
{
	static const size_t sizes[] = { 56, 57, 58, 85, 114, 115 };
	char text[116] = "", *wanted;
	size_t length;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		FILE *out = open_memstream(&wanted, &length);
		char *report;

		fputs("<script type=\"application/x-heddle-lab\">\n", out);
		letters_put(sizes[i], out);
		fprintf(out, "</script>\n%s", begin);
		letters_put(sizes[i], out);
		fputs("</script>\n", out);
		fclose(out);
		memset(text, 'A', sizes[i]);
		report = report_with(text, sizes[i], text, &length);
		ck_assert_msg(strstr(report, wanted) != NULL, "%zu bytes: %s", sizes[i], wanted);
		free(report);
		free(wanted);
	}
}

TEST(view_report_write__several_recordings)
{
	FILE *recordings[] = { tmpfile(), tmpfile() }, *out;
	char *report;
	size_t length;

	fputs("foo", recordings[0]);
	fputs("bar", recordings[1]);
	out = open_memstream(&report, &length);
	ck_assert_int_eq(view_report_write(out, recordings, 2, NULL), 0);
	fclose(out);
	ck_assert_uint_ge(view_report_bytes(6, 2), length);
	ck_assert_uint_le(view_report_bytes(6, 2), length + 200);
	ck_assert_ptr_nonnull(strstr(
		report, "<script type=\"application/x-heddle-recording\">\nZm9v\n</script>\n"
			"<script type=\"application/x-heddle-recording\">\nYmFy\n</script>\n"));
	free(report);
	for (unsigned i = 0; i < 2; i++)
		fclose(recordings[i]);
}

/* a recording that cannot be read */
TEST(view_report_write__no_recording)
{
	FILE *recording = fopen("/tmp", "re"), *out;
	char *report;
	size_t length;

	ck_assert_ptr_nonnull(recording);
	out = open_memstream(&report, &length);
	ck_assert_int_eq(view_report_write(out, &recording, 1, NULL), -EIO);
	fclose(out);
	fclose(recording);
	free(report);
}

TEST(view_report_write__why_it_cannot)
{
	FILE *out = fopen("/dev/full", "we"), *recording = tmpfile();

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(view_report_write(out, &recording, 1, NULL), -ENOSPC);
	fclose(out);
	fclose(recording);
}
