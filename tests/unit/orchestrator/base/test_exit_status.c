/*  orchestrator/base/exit_status: the table of all exit statuses (DU-10). */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/exit_status.h"
#include "tests/testing.h"

static int seen[32];
static unsigned seen_count;

static void take(int status, const char *meaning, FILE *out)
{
	ck_assert_str_ne(meaning, "");
	ck_assert_ptr_eq(out, stdout);
	seen[seen_count++] = status;
}

TEST(exit_status_each__in_order)
{
	static const int expected[] = { 0, 1, 2, 3, 4, 5, 6, 126, 128, 130 };

	exit_status_each(take, stdout);
	ck_assert_uint_eq(seen_count, sizeof(expected) / sizeof(expected[0]));
	ck_assert_int_eq(memcmp(seen, expected, sizeof(expected)), 0);
}

TEST(exit_status_print__a_line_each)
{
	char *text, *line;
	size_t length;
	unsigned lines = 0;
	FILE *out = open_memstream(&text, &length);

	exit_status_print(out);
	fclose(out);
	ck_assert_int_eq(strncmp(text, "0    done; of tests and checks: all hold\n1    an exp", 52),
			 0);
	ck_assert_ptr_nonnull(strstr(text, "\n126  a program cannot be started in a host\n"));
	for (line = text; (line = strchr(line, '\n')); line++)
		lines++;
	ck_assert_uint_eq(lines, 10);
	free(text);
}
