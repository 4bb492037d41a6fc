/*  Tests of lab_values.c: placeholders, and what they stand for. */
#include "orchestrator/lab/lab_values.h"

#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "tests/testing.h"

static struct lab_values values;

static void setup(void)
{
	struct lab_value *value;

	values = (struct lab_values){ 0 };
	lab_values_add(&values, "n", "4");
	lab_values_add(&values, "from", "[a, b]");
	value = lab_values_add(&values, "reserve", "45100B");
	*value = (struct lab_value){ .name = "reserve",
				     .text = value->text,
				     .tolerance = "4%",
				     .is_number = true,
				     .kind = QUANTITY_BYTES,
				     .number = 45100,
				     .one = 1000 };
	value = lab_values_add(&values, "cure", "/tmp/my \"cure\".yaml");
	value->is_file = true;
}

static void teardown(void)
{
	lab_values_free(&values);
}

TEST_GROUP(values, .setup = setup, .teardown = teardown);

static const struct {
	const char *text, *expanded;
} expansions[] = {
	{ "", "" },
	{ "no placeholder", "no placeholder" },
	{ "{n}", "4" },
	{ "{n} of {n}: {from}", "4 of 4: [a, b]" },
	{ "{n-1} {n+2} {n*12}", "3 6 48" },
	{ "goodput(v) == {reserve} +- {reserve.tolerance}", "goodput(v) == 45100B +- 4%" },
	{ "{n-4} {n+0} {n*0}{n-0}", "0 4 04" },
	{ "{n+18446744073709551611}", "{n+18446744073709551611}" },
	{ "{n+999999999999999999}", "1000000000000000003" },
	{ "{n+}{n.tolerances}{n.tol}{n/2}{n +1}", "{n+}{n.tolerances}{n.tol}{n/2}{n +1}" },
	{ "a{n}b{n-1}c", "a4b3c" },
	/* one is a unit of the question */
	{ "{reserve-1}", "44100B" },
	{ "{reserve*2}", "90200B" },
	/* YAML and text in braces */
	{ "{kmin: 20kB}", "{kmin: 20kB}" },
	{ "{N} {} { n } {n", "{N} {} { n } {n" },
	{ "{{n}}", "{4}" },
	{ "{cure}", "/tmp/my \"cure\".yaml" },
};

TEST_RANGE(lab_values_expand__placeholders, 0, COUNT_OF(expansions))
{
	struct why why;
	char *text = lab_values_expand(&values, expansions[_i].text, false, &why);

	ck_assert_str_eq(text, expansions[_i].expanded);
	free(text);
}

TEST(lab_values_expand__path_in_yaml)
{
	struct why why;
	char *text = lab_values_expand(&values, "[{cure}, {n}]", true, &why);

	ck_assert_str_eq(text, "[\"/tmp/my \\\"cure\\\".yaml\", 4]");
	free(text);
}

static const struct {
	const char *text, *why;
} refusals[] = {
	{ "{m}", "there is no value 'm'" },
	{ "{n.tolerance}", "there is no tolerance of 'n'" },
	{ "{n-5}", "n = 4 is too small here" },
	{ "{n*999999999999999999}{n*9999999999999999999}", NULL },
	{ "{n*999999999999999999}{reserve*999999999999999999}", "reserve = 45100B is too large" },
	{ "{reserve+999999999999999999}", "reserve = 45100B is too large here" },
	{ "{reserve-46}", "reserve = 45100B is too small here" },
	{ "{from-1}", "'from' is no number, so '-' has no meaning" },
	{ "{from.tolerance}", "there is no tolerance of 'from'" },
};

TEST_RANGE(lab_values_expand__refused, 0, COUNT_OF(refusals))
{
	struct why why;
	char *text = lab_values_expand(&values, refusals[_i].text, false, &why);

	if (refusals[_i].why) {
		ck_assert_ptr_null(text);
		ck_assert_msg(strstr(why.text, refusals[_i].why) != NULL, "%s", why.text);
	} else {
		/* 19 digits: no placeholder */
		ck_assert_ptr_nonnull(strstr(text, "{n*9999999999999999999}"));
	}
	free(text);
}

/* names of 31 bytes at most; the first of two values counts */
TEST(lab_placeholder_find__names)
{
	char text[LAB_NAME_MAX + 8] = "x {";
	struct lab_placeholder found;

	memset(text + 3, 'a', LAB_NAME_MAX - 1);
	strcpy(text + LAB_NAME_MAX + 2, "}");
	ck_assert(lab_placeholder_find(text, 0, &found));
	ck_assert_uint_eq(found.at, 2);
	ck_assert_uint_eq(found.length, LAB_NAME_MAX + 1);
	ck_assert_uint_eq(strlen(found.name), LAB_NAME_MAX - 1);
	ck_assert(!lab_placeholder_find(text, 3, &found));
	strcpy(text + LAB_NAME_MAX + 2, "a}");
	ck_assert(!lab_placeholder_find(text, 0, &found));
	ck_assert(lab_placeholder_find("{A}{b*12}", 0, &found));
	ck_assert_uint_eq(found.at, 3);
	ck_assert_uint_eq(found.length, 6);
	ck_assert_int_eq(found.operation, '*');
	ck_assert_uint_eq(found.operand, 12);
	lab_values_add(&values, "n", "5");
	ck_assert_uint_eq(lab_values_find(&values, "n")->number, 4);
	ck_assert_ptr_null(lab_values_find(&values, "m"));
}

TEST(lab_values_add__full)
{
	while (values.count < LAB_VALUES_MAX)
		ck_assert_ptr_nonnull(lab_values_add(&values, "x", "1"));
	ck_assert_ptr_null(lab_values_add(&values, "y", "1"));
}
