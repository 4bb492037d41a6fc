/*  orchestrator/command/view_option: the address of a server (SE-4, SE-14). */
#include "orchestrator/command/view_option.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/exit_status.h"
#include "tests/said.h"
#include "tests/testing.h"

static const struct option_row row = { .name = "--listen" };
static struct view_listen listen_at;

static int take(const char *value)
{
	int status;

	listen_at = (struct view_listen){ .address = "default", .port = 7 };
	said_begin();
	status = option_listen("view", &row, &listen_at, value);
	ck_assert_int_eq(strstr(said_end(), "--listen takes ADDRESS") != NULL, status != 0);
	return status;
}

static void taken(const char *value, const char *address, unsigned port)
{
	ck_assert_msg(!take(value), "%s", value);
	ck_assert_str_eq(listen_at.address, address);
	ck_assert_uint_eq(listen_at.port, port);
}

TEST(option_listen__address_and_port)
{
	taken("10.0.0.1", "10.0.0.1", 7);
	taken("10.0.0.1:80", "10.0.0.1", 80);
	taken(":80", "default", 80);
	taken(":0", "default", 0);
	taken(":9", "default", 9);
	taken("a:65535", "a", 65535);
	taken("[::1]", "::1", 7);
	taken("[fe80::1]:443", "fe80::1", 443);
}

TEST(option_listen__wrong)
{
	static const char *const wrong[] = { "a:",   "a:65536", "a:x",   "a:8x",
					     "a:-1", "a:+1",    "[::1",  "[::1]x",
					     "[a]:", "a: 80",   "::1:x", "a:99999999999999999999" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(take(wrong[i]) == EXIT_USAGE, "%s", wrong[i]);
}

/* the longest address leaves a byte for its end */
TEST(option_listen__length)
{
	char value[VIEW_LISTEN_MAX + 8];

	memset(value, 'a', sizeof(value));
	value[VIEW_LISTEN_MAX - 1] = 0;
	ck_assert_int_eq(take(value), 0);
	ck_assert_str_eq(listen_at.address, value);
	value[VIEW_LISTEN_MAX - 1] = 'a';
	value[VIEW_LISTEN_MAX] = 0;
	ck_assert_int_eq(take(value), EXIT_USAGE);
}
