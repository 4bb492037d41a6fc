/*  orchestrator/base/markdown: what a terminal shows of the pages of labs and the help of keys
 *  (SE-9, TB-11). */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/markdown.h"
#include "tests/testing.h"

/* @markdown as it is printed; free() later */
static char *printed(const char *markdown)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	markdown_print(markdown, strlen(markdown), out);
	fclose(out);
	return text;
}

static void prints(const char *markdown, const char *expected)
{
	char *text = printed(markdown);

	ck_assert_str_eq(text, expected);
	free(text);
}

TEST_RANGE(markdown_inline__marks, 0, 18)
{
	static const struct {
		const char *markdown, *plain;
	} rows[] = {
		{ "the key `for` of", "the key for of" },
		{ "``a`b``", "a`b" },
		{ "a `tick alone", "a `tick alone" },
		{ "**The loop.** A *packet*", "The loop. A packet" },
		{ "T = 2 * d * n", "T = 2 * d * n" },
		{ "a*b*c", "a*b*c" },
		{ "`workload.*.load` and *", "workload.*.load and *" },
		{ "[a `b`](../c.md#d) e", "a b e" },
		{ "a *b", "a *b" },
		{ "**a*", "*a" },
		{ "a *b * c", "a *b * c" },
		{ "***a***", "***a***" },
		{ "[s1, s2] (both)", "[s1, s2] (both)" },
		{ "[[s1, s2]]", "[[s1, s2]]" },
		{ "![Four](x.png)", "picture: Four" },
		{ "!", "!" },
		{ "[", "[" },
		{ "", "" },
	};
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	markdown_inline(rows[_i].markdown, out);
	fclose(out);
	ck_assert_str_eq(text, rows[_i].plain);
	free(text);
}

TEST(markdown_print__paragraphs_and_lists_stay)
{
	prints("one `a\nb` two\n\n1. first\n   - inner *word*\n",
	       "one a\nb two\n\n1. first\n   - inner word\n");
	prints("no end of line", "no end of line\n");
	prints("", "");
}

TEST(markdown_print__headings)
{
	prints("# Lab `2`\n\n## λ\ntext\n", "Lab 2\n=====\n\nλ\n-\ntext\n");
	prints("#hashtag\n", "#hashtag\n");
}

/* marks in code mean nothing */
TEST(markdown_print__code)
{
	prints("a\n\n```console\n$ echo `x` *y*\n\n# z\n```\nb\n",
	       "a\n\n  $ echo `x` *y*\n  \n  # z\nb\n");
	prints("    rate = min( B / T, C ) * `x`\n", "    rate = min( B / T, C ) * `x`\n");
	prints("```\nnever closed\n", "  never closed\n");
	prints("```", "");
}

TEST(markdown_print__tables)
{
	prints("| n | what |\n|---|:--|\n| `a|b` | λ |\n| long word | x |\n\nend\n",
	       "n          what\n---------  ----\na|b        λ\nlong word  x\n\nend\n");
	prints("|\n", "\n");
}
