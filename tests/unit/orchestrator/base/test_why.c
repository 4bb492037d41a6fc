/*  orchestrator/base/why: an error and its sentence at once. */
#include "orchestrator/base/why.h"

#include <errno.h>

#include "tests/testing.h"

TEST(why_write__both)
{
	char why[32];

	ck_assert_int_eq(why_write(-ENOENT, why, sizeof(why), "there is no %s", "spool"), -ENOENT);
	ck_assert_str_eq(why, "there is no spool");
}

TEST(why_write__cut)
{
	char why[6];

	ck_assert_int_eq(why_write(7, why, sizeof(why), "%u threads", 12345u), 7);
	ck_assert_str_eq(why, "12345");
}
