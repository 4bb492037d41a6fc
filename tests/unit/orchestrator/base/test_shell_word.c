/*  orchestrator/base/shell_word: a shell reads the word that was meant. */
#include "orchestrator/base/shell_word.h"

#include <stdlib.h>

#include "tests/testing.h"

static void word_expect(const char *word, const char *printed)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	shell_word_print(word, out);
	fclose(out);
	ck_assert_str_eq(text, printed);
	free(text);
}

TEST(shell_word_print__quotes_if_needed)
{
	word_expect("links.rate=10Gb/s", "links.rate=10Gb/s");
	word_expect("h0,h1@a:b%+-_./=", "h0,h1@a:b%+-_./=");
	word_expect("two words", "'two words'");
	word_expect("", "''");
	word_expect("a*", "'a*'");
	word_expect("it's", "'it'\\''s'");
	word_expect("$HOME", "'$HOME'");
}
