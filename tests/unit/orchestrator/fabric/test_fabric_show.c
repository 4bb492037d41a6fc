/*  orchestrator/fabric/fabric_show: a table that a node is asked for, and why there is none (TB-9).
 *  The test is the nodes: they answer before they are asked. */
#include "orchestrator/fabric/fabric_show.h"

#include <errno.h>

#include "tests/unit/orchestrator/fabric/fake_nodes.h"
#include "tests/unit/orchestrator/fabric/written_page.h"

static struct node_table table;
static struct why why;

static void setup(void)
{
	fake_setup();
	fabric.options.real = true;
	strcpy(why.text, "before");
}

static void teardown(void)
{
	node_table_free(&table);
	fake_teardown();
}

TEST_GROUP(fabric_show, .setup = setup, .teardown = teardown);

/* s2 answers with @number and @body */
static int shows(const char *name, int number, const char *body)
{
	struct control_message answer = { .kind = CONTROL_ANSWER,
					  .question = fabric.questions + 1,
					  .number = number,
					  .body = body ? strdup(body) : NULL };
	int result;

	node_sends(S2, answer);
	free(answer.body);
	node_table_free(&table);
	result = fabric_show(&fabric, S2, name, 7, &table, &why);
	answer = node_received(S2);
	ck_assert_int_eq(answer.kind, CONTROL_SHOW);
	ck_assert_str_eq(answer.text, name);
	ck_assert_int_eq(answer.number, 7);
	control_message_free(&answer);
	return result;
}

TEST(fabric_show__table)
{
	ck_assert_int_eq(shows("ports", 0, "one line\nanother\n"), 0);
	ck_assert_str_eq(why.text, "");
	ck_assert_uint_eq(table.row_count, 1);
	ck_assert_int_eq(shows("", 0, NULL), 0);
	ck_assert_uint_eq(table.row_count, 0);
}

static const struct {
	const char *name;
	int number;
	const char *body, *why;
} refusals[] = {
	{ "x", -ENOENT, "ports, flows\n \n", "s2 has no table 'x'; it has: ports, flows" },
	{ "x", -ENOENT, "\n", "s2 has no table 'x'; it has: nothing" },
	{ "x", -ENOENT, NULL, "s2 has no table 'x'; it has: nothing" },
	{ "", -ENOENT, "a", "s2 has no default table; it has: a" },
	{ "x", -EINVAL, "no port 7", "s2 refuses table 'x': Invalid argument: no port 7" },
	{ "x", -EINVAL, NULL, "s2 refuses table 'x': Invalid argument" },
	{ "", -EBUSY, "\033[31m", "s2 refuses default table: Device or resource busy: ?[31m" },
	/* not more than 64 bytes of it, and no half of a letter */
	{ "123456789012345678901234567890123456789012345678901234567890123\xc3\xa4", -EINVAL, NULL,
	  "s2 refuses table '123456789012345678901234567890123456789012345678901234567890123': "
	  "Invalid argument" },
	{ "12345678901234567890123456789012345678901234567890123456789012345", -EINVAL, NULL,
	  "s2 refuses table '1234567890123456789012345678901234567890123456789012345678901234': "
	  "Invalid argument" },
};

TEST_RANGE(fabric_show__refused, 0, (int)(sizeof(refusals) / sizeof(refusals[0])))
{
	ck_assert_int_eq(shows(refusals[_i].name, refusals[_i].number, refusals[_i].body),
			 FABRIC_SHOW_REFUSED);
	ck_assert_str_eq(why.text, refusals[_i].why);
	ck_assert_uint_eq(table.row_count, 0);
}

TEST(fabric_show__no_answer)
{
	fabric.patience_until_ns = 1;
	table.row_count = 5;
	ck_assert_int_eq(fabric_show(&fabric, S1, "ports", -1, &table, &why), -ETIMEDOUT);
	ck_assert_str_eq(why.text, "");
	ck_assert_uint_eq(table.row_count, 0);
}

/* from the page of the node, which it can destroy */
TEST_RANGE(fabric_show__trace, 0, 2)
{
	int fd = page_make(&nodes[S1], &configs[S1]);

	if (_i)
		page_destroy(fd);
	ck_assert_int_eq(fabric_show(&fabric, S1, "trace", -1, &table, &why),
			 _i ? FABRIC_SHOW_REFUSED : 0);
	ck_assert_str_eq(why.text, _i ? "s1 has destroyed its statistics page" : "");
	node_received_nothing(S1);
	page_drop(&nodes[S1], fd);
}
