/*  orchestrator/base/say_limit: messages of a node are printed, but cannot fill the disk
 *  (TB-24). */
#include <stdlib.h>

#include "orchestrator/base/say_limit.h"
#include "tests/testing.h"

TEST(say_limit_allows__a_number_per_interval)
{
	struct say_limit limit = { 0 };
	uint64_t unsaid, now_ns = 77;

	for (uint32_t i = 0; i < SAY_LINES; i++) {
		ck_assert(say_limit_allows(&limit, now_ns, &unsaid));
		ck_assert_uint_eq(unsaid, 0);
	}
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert(!say_limit_allows(&limit, now_ns + SAY_NS - 1, &unsaid));
	ck_assert(say_limit_allows(&limit, now_ns + SAY_NS, &unsaid));
	ck_assert_uint_eq(unsaid, 1000);
	ck_assert(say_limit_allows(&limit, now_ns + SAY_NS, &unsaid));
	ck_assert_uint_eq(unsaid, 0);
}

TEST(say_limit_allows__a_number_in_total)
{
	struct say_limit limit = { 0 };
	uint64_t unsaid, said = 0;

	for (uint64_t i = 0; i < 100000; i++)
		said += say_limit_allows(&limit, i * SAY_NS, &unsaid);
	ck_assert_uint_eq(said, SAY_LINES_MAX);
}
