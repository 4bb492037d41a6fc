/*  orchestrator/results/counter: conditions about the counters of a page (TB-9): which counter is
 *  meant, when they hold, and what is said of a wrong one. */
#include "orchestrator/results/counter.h"

#include <errno.h>
#include <string.h>

#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

static struct condition condition;
static struct why why;

TEST_GROUP(counter, .setup = set_up, .teardown = tear_down);

static void parses(const char *text)
{
	ck_assert_msg(!condition_parse(&plan, text, &condition, &why), "%s", why.text);
}

static void refused(const char *text, const char *sentence)
{
	ck_assert_int_eq(condition_parse(&plan, text, &condition, &why), -EINVAL);
	ck_assert_msg(!strncmp(why.text, sentence, strlen(sentence)), "%s", why.text);
}

/* of names with dots the longest one counts, wherever it stands in the plan */
TEST_RANGE(condition_parse__names_with_dots, 0, 2)
{
	strcpy(nodes[_i ? 1 : 2].name, "a");
	strcpy(nodes[_i ? 2 : 1].name, "a.b");
	parses("a.b.inside_bytes > 3");
	ck_assert_uint_eq(condition.counter.node, _i ? 2 : 1);
	ck_assert_uint_eq(condition.counter.ports, 0);
	ck_assert_str_eq(condition.counter.statistic->name, "inside_bytes");
	parses("a.inside_bytes > 3");
	ck_assert_uint_eq(condition.counter.node, _i ? 1 : 2);
	parses("a.b.p0.queue_bytes > 3");
	ck_assert_uint_eq(condition.counter.node, _i ? 2 : 1);
	ck_assert_uint_eq(condition.counter.ports, 1);
}

TEST(condition_parse__parts)
{
	parses(" s1.p1.queue_bytes>=10kB");
	ck_assert(!condition.counter.now);
	ck_assert_uint_eq(condition.counter.node, 0);
	ck_assert_uint_eq(condition.counter.ports, 1u << 1);
	ck_assert_str_eq(condition.counter.statistic->name, "queue_bytes");
	ck_assert_int_eq(condition.counter.kind, QUANTITY_BYTES);
	ck_assert(!condition.less && condition.equal && condition.greater);
	ck_assert_uint_eq(condition.value, 10000);
	parses("now < 5us");
	ck_assert(condition.counter.now);
	ck_assert(condition.less && !condition.equal && !condition.greater);
	ck_assert_uint_eq(condition.value, 5 * NODE_US);
	parses("s1.h2.queue_bytes != 0");
	ck_assert_uint_eq(condition.counter.ports, 1u << 2);
	ck_assert(condition.less && !condition.equal && condition.greater);
}

TEST(condition_parse__refused)
{
	refused("s9.inside_bytes > 0",
		"'s9.inside_bytes' is neither 'now' nor NODE.PORT.COUNTER nor NODE.COUNTER");
	refused("s1.p3.queue_bytes > 0",
		"s1 has no port 'p3': give a number below 3 or the name of a peer");
	refused("s1.h9.queue_bytes > 0",
		"s1 has no port 'h9': give a number below 3 or the name of a peer");
	refused("s1.inside_byte > 0",
		"there is no counter 'inside_byte' - did you mean 'inside_bytes'?; there are ");
	refused("s1.p0.queue_byte > 0",
		"there is no counter 'queue_byte' - did you mean 'queue_bytes'?; there are ");
	refused("s1.inside_bytes 3",
		"after 's1.inside_bytes' expected one of == != < <= > >= and a value");
	refused("now", "after 'now' expected one of == != < <= > >= and a value");
	refused("now > 5", "now is compared with a value that cannot be read: '5' lacks its unit");
}

TEST(statistic_quantity__of_units)
{
	ck_assert_int_eq(statistic_quantity(STATISTIC_BYTES), QUANTITY_BYTES);
	ck_assert_int_eq(statistic_quantity(STATISTIC_PS), QUANTITY_TIME);
	ck_assert_int_eq(statistic_quantity(STATISTIC_MOMENT), QUANTITY_TIME);
	ck_assert_int_eq(statistic_quantity(STATISTIC_BPS), QUANTITY_RATE);
	ck_assert_int_eq(statistic_quantity(STATISTIC_UNITS), QUANTITY_COUNT);
}
