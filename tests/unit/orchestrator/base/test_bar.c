/*  orchestrator/base/bar: bars of characters (SE-8). */
#include <string.h>

#include "orchestrator/base/bar.h"
#include "tests/testing.h"

TEST_RANGE(bar_write__ascii, 0, 6)
{
	static const struct {
		double share;
		const char *text;
	} rows[] = { { 0, "" },         { 0.001, "#" },     { 0.5, "#####" },
		     { 0.54, "#####" }, { 0.56, "######" }, { 7, "##########" } };
	char text[BAR_TEXT_MAX];

	ck_assert_uint_eq(bar_write(text, rows[_i].share, 10, false), strlen(rows[_i].text));
	ck_assert_str_eq(text, rows[_i].text);
}

/* eighths of a column; what is more than 0 has one */
TEST_RANGE(bar_write__utf8, 0, 5)
{
	static const struct {
		double share;
		unsigned columns;
		const char *text;
	} rows[] = { { 0, 0, "" },
		     { 0.001, 1, "▏" },
		     { 0.25, 1, "█" },
		     { 0.375, 2, "█▌" },
		     { 1.5, 4, "████" } };
	char text[BAR_TEXT_MAX];

	ck_assert_uint_eq(bar_write(text, rows[_i].share, 4, true), rows[_i].columns);
	ck_assert_str_eq(text, rows[_i].text);
}

TEST(bar_pad__same_columns)
{
	char text[BAR_TEXT_MAX];

	ck_assert_str_eq(bar_pad(text, 0.375, 4, true), "█▌  ");
	ck_assert_str_eq(bar_pad(text, 0, 4, false), "    ");
	ck_assert_uint_eq(strlen(bar_pad(text, 1, 1000, true)), 3 * BAR_COLUMNS_MAX);
	ck_assert_str_eq(bar_pad(text, 1, 0, false), "");
	ck_assert_str_eq(bar_pad(text, 1, 0, true), "");
	/* what is no share is none */
	ck_assert_str_eq(bar_pad(text, -1, 2, true), "  ");
}
