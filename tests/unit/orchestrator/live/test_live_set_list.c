/*  orchestrator/live/live_set_list: the last value of each name, until its node dies (DU-6). */
#include <stdlib.h>

#include "orchestrator/live/live_set_list.h"
#include "tests/testing.h"

static struct live_set_list list;

static void tear_down(void)
{
	live_set_free(&list);
	ck_assert_uint_eq(list.count, 0);
}

static void prints(const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	live_set_print(&list, out);
	fclose(out);
	ck_assert_str_eq(text, wanted);
	free(text);
}

TEST_GROUP(sets, .teardown = tear_down);

TEST(live_set_keep__last_value)
{
	prints("");
	live_set_keep(&list, "s1", "a.b", "1ns");
	live_set_keep(&list, "s2", "a.b", "2ns");
	live_set_keep(&list, "s1", "c", "line\nbreak");
	live_set_keep(&list, "s1", "a.b", "3ns");
	prints("heddle set s2 a.b 2ns\nheddle set s1 c \"line\\nbreak\"\nheddle set s1 a.b 3ns\n");
}

/* the command is for a shell */
TEST(live_set_print__shell_words)
{
	live_set_keep(&list, "s1", "match.p2", "ip-pair,source-port&0xff00");
	prints("heddle set s1 match.p2 'ip-pair,source-port&0xff00'\n");
}

TEST(live_set_drop__one_node)
{
	live_set_keep(&list, "s1", "a", "1");
	live_set_keep(&list, "s2", "a", "2");
	live_set_keep(&list, "s1", "b", "3");
	live_set_drop(&list, "s1");
	prints("heddle set s2 a 2\n");
}

TEST(live_set_keep__has_a_limit)
{
	char name[16];

	for (unsigned i = 0; i <= LIVE_SETS_MAX; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		live_set_keep(&list, "s1", name, "1");
	}
	ck_assert_uint_eq(list.count, LIVE_SETS_MAX);
	ck_assert_str_eq(list.sets[0].name, "n1");
}
