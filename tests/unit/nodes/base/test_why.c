/*  nodes/base/why: an error and its sentence at once. */
#include "nodes/base/why.h"

#include <errno.h>
#include <string.h>

#include "tests/testing.h"

TEST(why_say__both)
{
	struct why why;

	ck_assert_int_eq(why_say(&why, -ENOENT, "there is no %s", "spool"), -ENOENT);
	ck_assert_str_eq(why.text, "there is no spool");
}

TEST(why_say__cut)
{
	struct why why;

	ck_assert_int_eq(why_say(&why, 7, "%*u threads", (int)sizeof(why), 12345u), 7);
	ck_assert_uint_eq(strlen(why.text), sizeof(why) - 1);
	why_add(&why, "%s", "no space");
	ck_assert_uint_eq(strlen(why.text), sizeof(why) - 1);
}

TEST(why_add__at_the_end)
{
	struct why why = { "" };

	why_add(&why, "%s", "a cycle");
	why_add(&why, " of %d", 3);
	ck_assert_str_eq(why.text, "a cycle of 3");
}

TEST(why_add__cut)
{
	struct why why;

	why_say(&why, 0, "%*d", (int)sizeof(why) - 3, 1);
	why_add(&why, "2345");
	ck_assert_uint_eq(strlen(why.text), sizeof(why) - 1);
	ck_assert_str_eq(why.text + sizeof(why) - 4, "123");
}
