/*  nodes/wire/crc32: known values, and zeros that are in no memory (FC-18, RC-4).  */
#include <check.h>
#include <stdlib.h>

#include "nodes/wire/crc32.h"

static const uint8_t zeros[20000];

START_TEST(crc32_add__check_value)
{
	static const uint8_t digits[] = "123456789"; /* the check value of every catalogue of CRCs */

	ck_assert_uint_eq(crc32_add(0, digits, 9), 0xcbf43926);
	ck_assert_uint_eq(crc32_add(crc32_add(0, digits, 4), digits + 4, 5), 0xcbf43926);
	ck_assert_uint_eq(crc32_add(0x12345678, digits, 0), 0x12345678);
}
END_TEST

START_TEST(crc32_add_zeros__as_from_memory)
{
	static const uint32_t lengths[] = { 0, 1, 3, 4095, 4096, 4097, 8192, 9000, 20000 };

	ck_assert_uint_eq(crc32_add_zeros(0xdeadbeef, lengths[_i]), crc32_add(0xdeadbeef, zeros, lengths[_i]));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("crc32");
	TCase *tcase = tcase_create("crc32");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, crc32_add__check_value);
	tcase_add_loop_test(tcase, crc32_add_zeros__as_from_memory, 0, 9);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
