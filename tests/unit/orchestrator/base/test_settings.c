/*  orchestrator/base/settings: --set changes the tree of a file, or is refused (TB-11). */
#include "orchestrator/base/settings.h"

#include <errno.h>
#include <string.h>

#include "tests/testing.h"

#define TREE "a: {b: 1}\nlist: [{name: x, v: 2}, {name: y, v: 3}]\n"

static struct scenario_errors errors;
static struct yaml_node *root;

static void setup(void)
{
	errors = (struct scenario_errors){ 0 };
	ck_assert_int_eq(yaml_read("t", TREE, strlen(TREE), 0, &root, &errors), 0);
}

static void teardown(void)
{
	yaml_free(root);
	scenario_errors_free(&errors);
}

TEST_GROUP(settings, .setup = setup, .teardown = teardown);

static int apply(const char *text)
{
	return settings_apply(root, text, "--set", 1, &errors);
}

static const char *text_of(const struct yaml_node *mapping, const char *key)
{
	return yaml_find(mapping, key)->text;
}

TEST(settings_apply__keys)
{
	ck_assert_int_eq(apply("a.b=7"), 0);
	ck_assert_int_eq(apply("a.c.d=new"), 0);
	ck_assert_str_eq(text_of(yaml_find(root, "a"), "b"), "7");
	ck_assert_str_eq(text_of(yaml_find(yaml_find(root, "a"), "c"), "d"), "new");
	ck_assert_uint_eq(errors.count, 0);
}

TEST(settings_apply__elements)
{
	const struct yaml_node *list = yaml_find(root, "list");

	ck_assert_int_eq(apply("list.y.v=8"), 0);
	ck_assert_int_eq(apply("list.0.v=9"), 0);
	ck_assert_int_eq(apply("list.2.v=10"), 0);
	ck_assert_str_eq(text_of(list->first, "v"), "9");
	ck_assert_str_eq(text_of(list->first->next, "v"), "8");
	ck_assert_str_eq(text_of(list->last, "v"), "10");
	ck_assert_uint_eq(list->count, 3);
}

/* each is refused with one error, and nothing is changed */
TEST(settings_apply__wrong)
{
	static const struct {
		const char *text, *sentence;
	} wrong[] = {
		{ "a.b", "expected path=value, as in switch.arbiter=by-port" },
		{ "=1", "expected path=value, as in switch.arbiter=by-port" },
		{ "a..b=1", "this is not a path: write keys joined by dots, as in switch.arbiter" },
		{ "a.b.c=1", "'b' is a single value, there is no 'c' in it" },
		{ "list.3.v=1", "'list' has 2 elements (0 is the first), none is '3'" },
		{ "list.xx.v=1", "'list' has 2 elements (0 is the first), none is 'xx'" },
	};

	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(apply(wrong[i].text), -EINVAL);
		ck_assert_uint_eq(errors.count, i + 1);
		ck_assert_msg(strstr(errors.texts[i], wrong[i].sentence), "%s", errors.texts[i]);
	}
	ck_assert_str_eq(text_of(yaml_find(root, "a"), "b"), "1");
	ck_assert_uint_eq(yaml_find(root, "list")->count, 2);
}
