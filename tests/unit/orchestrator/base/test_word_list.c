/*  orchestrator/base/word_list: the words that TAB offers (SE-8). */
#include "orchestrator/base/word_list.h"
#include "tests/testing.h"

static struct word_list list;

static void teardown(void)
{
	word_list_free(&list);
}

TEST_GROUP(word_list, .teardown = teardown);

static void some_add(void)
{
	word_list_add(&list, "s508");
	word_list_add(&list, "s%u", 502);
	word_list_add(&list, "A");
	word_list_add(&list, "s502");
}

TEST(word_list_keep__those_that_begin_so_once_and_in_order)
{
	some_add();
	ck_assert_uint_eq(word_list_keep(&list, "s"), 3);
	ck_assert_uint_eq(list.count, 2);
	ck_assert_str_eq(list.words[0], "s502");
	ck_assert_str_eq(list.words[1], "s508");
}

TEST(word_list_keep__all)
{
	some_add();
	ck_assert_uint_eq(word_list_keep(&list, ""), 0);
	ck_assert_uint_eq(list.count, 3);
	ck_assert_str_eq(list.words[0], "A");
}

TEST(word_list_keep__one_word_is_common_as_a_whole)
{
	some_add();
	ck_assert_uint_eq(word_list_keep(&list, "s508"), 4);
	ck_assert_uint_eq(list.count, 1);
}

TEST(word_list_keep__none)
{
	ck_assert_uint_eq(word_list_keep(&list, ""), 0);
	some_add();
	ck_assert_uint_eq(word_list_keep(&list, "s509"), 0);
	ck_assert_uint_eq(list.count, 0);
}

TEST(word_list_add__many)
{
	for (unsigned i = 0; i < 1000; i++)
		word_list_add(&list, "h%03u", 999 - i);
	ck_assert_uint_eq(word_list_keep(&list, "h"), 1);
	ck_assert_uint_eq(list.count, 1000);
	ck_assert_str_eq(list.words[0], "h000");
}
