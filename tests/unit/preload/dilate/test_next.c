/*  preload/dilate/next: the functions of the C library below the preloaded one (SC-8). */
#include <signal.h>

#include "preload/dilate/next.h"
#include "tests/next.h"
#include "tests/testing.h"

TEST(dilate_next__of_the_c_library)
{
	_Atomic(void *) slot = NULL;
	int (*absolute)(int) = (int (*)(int))dilate_next(&slot, "abs");

	ck_assert_int_eq(absolute(-3), 3);
	ck_assert_ptr_eq(slot, (void *)absolute);
	slot = &slot; /* it is looked up once */
	ck_assert_ptr_eq(dilate_next(&slot, "abs"), &slot);
}

TEST_SIGNAL(dilate_next__of_no_library, SIGABRT)
{
	_Atomic(void *) slot = NULL;

	dilate_next(&slot, "no_such_function_of_the_c_library");
}

/* as tests of this folder replace it */
TEST(next_is__what_was_said_last)
{
	_Atomic(void *) slot = NULL;

	next_is("abs", (void (*)(void))next_dilates);
	next_is("abs", next_is_real);
	ck_assert_ptr_eq(dilate_next(&slot, "abs"), (void *)next_is_real);
	next_is_real();
	ck_assert_ptr_ne(dilate_next(&slot, "abs"), (void *)next_is_real);
}
