/*  orchestrator/base/utf8: text from outside is safe for JSON and terminals (TB-23). */
#include "orchestrator/base/utf8.h"

#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"

static char text[64];

static const char *with(void (*change)(char *text), const char *given)
{
	strcpy(text, given);
	change(text);
	return text;
}

TEST(utf8_mend__only_what_is_wrong)
{
	ck_assert_str_eq(with(utf8_mend, "d\xc3\xbcnn"), "d\xc3\xbcnn");
	ck_assert_str_eq(with(utf8_mend, "a\xff z\xc3\xbc"), "a? z??");
	ck_assert_str_eq(with(utf8_mend, ""), "");
}

TEST(utf8_json__what_json_takes)
{
	json_t *string = utf8_json("d\xc3\xbcnn"), *mended = utf8_json("b\xff.yaml");

	ck_assert_str_eq(json_string_value(string), "d\xc3\xbcnn");
	ck_assert_str_eq(json_string_value(mended), "b?.yaml");
	json_decref(string);
	json_decref(mended);
}

/* a cut leaves no part of a character */
TEST(utf8_length__whole_characters)
{
	ck_assert_int_eq(utf8_length("abc", 2), 2);
	ck_assert_int_eq(utf8_length("abc", 3), 3);
	ck_assert_int_eq(utf8_length("abc", 9), 3);
	ck_assert_int_eq(utf8_length("a\xc3\xbc", 2), 1);
	ck_assert_int_eq(utf8_length("a\xc3\xbc", 3), 3);
	ck_assert_int_eq(utf8_length("\xe2\x82\xac", 2), 0);
}

static const char *padded(int columns, const char *given)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	utf8_pad(out, columns, given);
	fclose(out);
	return text;
}

/* a table has its columns whatever letters are in it */
TEST(utf8_pad__columns_of_characters)
{
	ck_assert_int_eq(utf8_columns("1 \xc2\xb5s, 3 \xe2\x82\xac"), 9);
	ck_assert_str_eq(padded(5, "1\xc2\xb5s"), "  1\xc2\xb5s");
	ck_assert_str_eq(padded(-5, "1\xc2\xb5s"), "1\xc2\xb5s  ");
	ck_assert_str_eq(padded(2, "1\xc2\xb5s"), "1\xc2\xb5s");
	ck_assert_str_eq(padded(-2, "abc"), "abc");
}

/* neither a command for a terminal nor a line of its own; C1 control characters count */
TEST(utf8_plain__control_characters)
{
	ck_assert_str_eq(with(utf8_plain, "\x1b[2J\tx\ny\x7f~ "), "?[2J\tx?y?~ ");
	ck_assert_str_eq(with(utf8_plain, "\xc2\x9b"
					  "1m\xc2\x80\xc2\xa0\xc3\x9f"),
			 "??1m??\xc2\xa0\xc3\x9f");
	ck_assert_str_eq(with(utf8_plain_lines, "a\nb\r\tc"), "a\nb?\tc");
}

static void say(FILE *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	utf8_say(out, "heddle: ", format, arguments);
	va_end(arguments);
}

TEST(utf8_say__one_line)
{
	char *line = NULL;
	size_t length;
	FILE *out = open_memstream(&line, &length);

	say(out, "no %s, %d", "file\nof mine", 7);
	fclose(out);
	ck_assert_str_eq(line, "heddle: no file?of mine, 7\n");
	free(line);
}
