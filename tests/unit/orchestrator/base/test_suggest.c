/*  orchestrator/base/suggest: a suggestion for a misspelt word (TB-11). */
#include <stdlib.h>

#include "orchestrator/base/suggest.h"
#include "tests/testing.h"

static const char *const words[] = { "rate", "delay", "mtu", "bit-errors", "by-flow", "by-port" };
#define WORD_COUNT (sizeof(words) / sizeof(words[0]))

static const char *nearest(const char *word)
{
	return suggest_nearest(word, words, WORD_COUNT, sizeof(words[0]));
}

TEST(suggest_nearest__one_letter_off)
{
	ck_assert_str_eq(nearest("rat"), "rate");
	ck_assert_str_eq(nearest("raate"), "rate");
	ck_assert_str_eq(nearest("rste"), "rate");
	ck_assert_str_eq(nearest("dealy"), "delay");
}

TEST(suggest_nearest__case_and_underscore_do_not_count)
{
	ck_assert_str_eq(nearest("RATE"), "rate");
	ck_assert_str_eq(nearest("bit_errors"), "bit-errors");
}

TEST(suggest_nearest__beginning_of_a_word)
{
	ck_assert_str_eq(nearest("bit"), "bit-errors");
}

TEST(suggest_nearest__exact_but_for_case_beats_other_words)
{
	static const char *const units[] = { "Tb/s", "Gb/s", "Mb/s" };

	ck_assert_str_eq(suggest_nearest("GB/s", units, 3, sizeof(units[0])), "Gb/s");
}

TEST(suggest_nearest__nothing_near)
{
	ck_assert_ptr_null(nearest("temperature"));
	ck_assert_ptr_null(nearest("mfc")); /* not mtu: two of three letters differ */
	ck_assert_ptr_null(nearest("x"));
	ck_assert_ptr_null(nearest(""));
	ck_assert_ptr_null(suggest_nearest("rate", words, 0, sizeof(words[0])));
}

TEST(suggest_nearest__words_inside_structs)
{
	static const struct {
		const char *name;
		int other;
	} table[] = { { "alpha", 1 }, { "beta", 2 } };

	ck_assert_str_eq(suggest_nearest("bata", &table[0].name, 2, sizeof(table[0])), "beta");
}

TEST(suggest_distance__counts_edits)
{
	ck_assert_uint_eq(suggest_distance("", ""), 0);
	ck_assert_uint_eq(suggest_distance("abc", ""), 3);
	ck_assert_uint_eq(suggest_distance("abcd", "abdc"), 1);
	ck_assert_uint_eq(suggest_distance("kitten", "sitting"), 3);
}

TEST(suggest_distance__long_words_are_far)
{
	static const char longest[] =
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

	ck_assert_uint_eq(suggest_distance(longest, "a"), SUGGEST_BYTES_MAX);
}

TEST(suggest_sentence__with_and_without)
{
	char text[64];

	ck_assert_str_eq(
		suggest_sentence("rat", words, WORD_COUNT, sizeof(words[0]), text, sizeof(text)),
		" - did you mean 'rate'?");
	ck_assert_str_eq(
		suggest_sentence("zzzzzz", words, WORD_COUNT, sizeof(words[0]), text, sizeof(text)),
		"");
}
