/*  orchestrator/view/http_check: addresses of this server, pages of another origin, tokens, ranges
 *  and paths (SE-4). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "orchestrator/view/http_check.h"
#include "tests/testing.h"

static const char token[] = "0123456789abcdef0123456789abcdef";

TEST(http_host_allowed__own_addresses_with_the_port)
{
	ck_assert(http_host_allowed("127.0.0.1:8080", "127.0.0.1", 8080));
	ck_assert(http_host_allowed("localhost:8080", "127.0.0.1", 8080));
	ck_assert(http_host_allowed("[::1]:8080", "127.0.0.1", 8080));
	ck_assert(http_host_allowed("10.1.2.3:80", "10.1.2.3", 80));
	ck_assert(http_host_allowed("[fe80::1]:80", "fe80:0::1", 80));
	ck_assert(http_host_allowed("10.9.9.9:80", "0.0.0.0", 80));
	ck_assert(http_host_allowed("[2001:db8::1]:80", "::", 80));
}

TEST(http_host_allowed__port_80_may_be_left_out)
{
	ck_assert(http_host_allowed("127.0.0.1", "127.0.0.1", 80));
	ck_assert(http_host_allowed("[::1]", "127.0.0.1", 80));
	ck_assert(http_host_allowed("[2001:db8::1]", "::", 80));
	ck_assert(!http_host_allowed("evil.example", "127.0.0.1", 80));
	ck_assert(!http_host_allowed("127.0.0.1:", "127.0.0.1", 80));
	ck_assert(!http_host_allowed("[::1]", "127.0.0.1", 8080));
	ck_assert(!http_host_allowed("", "127.0.0.1", 80));
}

TEST(http_host_allowed__never_another_name)
{
	static const char *const wrong[] = {
		"evil.example:8080", "127.0.0.1",           "127.0.0.1:8081", "127.0.0.1:08080",
		"localhost",         "localhost:8080 ",     ":8080",          "",
		"10.9.9.9:8080",     "127.0.0.1.evil:8080", "[::1:8080",      "[]:8080",
		"127.0.0.1:",        "localhost:8080:8080", "127.0.0.2:8080", "LOCALHOST:8080",
	};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!http_host_allowed(wrong[i], "127.0.0.1", 8080), "%s", wrong[i]);
	ck_assert(!http_host_allowed(NULL, "127.0.0.1", 8080));
	ck_assert(!http_host_allowed("evil.example:80", "0.0.0.0", 80));
	ck_assert(!http_host_allowed("10.1.2.4:80", "10.1.2.3", 80));
}

/* 63 bytes are looked at, longer ones are none; IPv6 in brackets has as many */
TEST(http_host_allowed__long_names)
{
	char name[HTTP_HOST_MAX + 8] = "[::1", host[HTTP_HOST_MAX + 16];

	for (size_t length = HTTP_HOST_MAX - 3; length < HTTP_HOST_MAX + 3; length++) {
		memset(name + 4, '1', length - 5);
		strcpy(name + length - 1, "]");
		snprintf(host, sizeof(host), "%s:80", name);
		ck_assert(!http_host_allowed(host, "::", 80));
		memset(name, 'x', length);
		ck_assert(!http_host_allowed(name, "::", 80));
		memcpy(name, "[::1", 4);
	}
	ck_assert(!http_host_allowed("[]:80", "::", 80));
	ck_assert(http_host_allowed("[::]:80", "::", 80));
	ck_assert(!http_host_allowed("[::1]:80", "10.1.2.3", 81));
	ck_assert(!http_host_allowed("[fe80::1]:80", "10.1.2.3", 80));
}

TEST(http_origin_allowed__this_page_or_none)
{
	ck_assert(http_origin_allowed(NULL, "127.0.0.1:80"));
	ck_assert(http_origin_allowed("http://127.0.0.1:80", "127.0.0.1:80"));
	ck_assert(!http_origin_allowed("http://127.0.0.1:81", "127.0.0.1:80"));
	ck_assert(!http_origin_allowed("https://127.0.0.1:80", "127.0.0.1:80"));
	ck_assert(!http_origin_allowed("http://evil.example", "127.0.0.1:80"));
	ck_assert(!http_origin_allowed("null", "127.0.0.1:80"));
	ck_assert(!http_origin_allowed("", "127.0.0.1:80"));
}

TEST(http_json_flat__lists_and_objects_but_not_those_in_texts)
{
	static const char *const flat[] = {
		"", "{}", "[[]]", "[[],[],[]]", "{\"a\":[\"[[[[\"]}", "[\"\\\"[[[\"]", "]]]][["
	};
	static const char *const deep[] = { "[[[", "[[[]]]", "{\"a\":{\"b\":[]}}", "\"\\\\\"[[[" };

	for (unsigned i = 0; i < sizeof(flat) / sizeof(flat[0]); i++)
		ck_assert_msg(http_json_flat(flat[i], strlen(flat[i]), 2), "%s", flat[i]);
	for (unsigned i = 0; i < sizeof(deep) / sizeof(deep[0]); i++)
		ck_assert_msg(!http_json_flat(deep[i], strlen(deep[i]), 2), "%s", deep[i]);
}

TEST(http_token_given__the_whole_token_only)
{
	ck_assert(http_token_given("Bearer 0123456789abcdef0123456789abcdef", token));
	ck_assert(!http_token_given("Bearer 0123456789abcdef0123456789abcdee", token));
	ck_assert(!http_token_given("Bearer 1123456789abcdef0123456789abcdef", token));
	ck_assert(!http_token_given("Bearer 0123456789abcdef0123456789abcdef0", token));
	ck_assert(!http_token_given("Bearer 0123456789abcdef", token));
	ck_assert(!http_token_given("Bearer ", token));
	ck_assert(!http_token_given("Basic 0123456789abcdef0123456789abcdef", token));
	ck_assert(!http_token_given("", token));
	ck_assert(!http_token_given(NULL, token));
}

TEST(http_range__from_a_byte_on)
{
	uint64_t from = 0, length = 0;

	ck_assert_int_eq(http_range("bytes=10-", 100, &from, &length), 0);
	ck_assert_uint_eq(from, 10);
	ck_assert_uint_eq(length, 90);
	ck_assert_int_eq(http_range("bytes=10-19", 100, &from, &length), 0);
	ck_assert_uint_eq(length, 10);
	ck_assert_int_eq(http_range("bytes=10-1000", 100, &from, &length), 0);
	ck_assert_uint_eq(length, 90);
	ck_assert_int_eq(http_range("bytes=100-", 100, &from, &length), 0);
	ck_assert_uint_eq(length, 0);
	ck_assert_int_eq(http_range("bytes=101-", 100, &from, &length), -ERANGE);
	/* one byte, the last one, and one more than there are */
	ck_assert_int_eq(http_range("bytes=5-5", 100, &from, &length), 0);
	ck_assert_uint_eq(length, 1);
	ck_assert_int_eq(http_range("bytes=10-99", 100, &from, &length), 0);
	ck_assert_uint_eq(length, 90);
	ck_assert_int_eq(http_range("bytes=10-100", 100, &from, &length), 0);
	ck_assert_uint_eq(length, 90);
	ck_assert_int_eq(http_range("bytes=9223372036854775807-", 100, &from, &length), -ERANGE);
	ck_assert_int_eq(http_range("bytes=9223372036854775808-", 100, &from, &length), -EINVAL);
	ck_assert_int_eq(http_range("bytes=1-9223372036854775807", 100, &from, &length), 0);
	ck_assert_int_eq(http_range("bytes=1-9223372036854775808", 100, &from, &length), -EINVAL);
}

TEST(http_range__malformed)
{
	static const char *const wrong[] = {
		"",
		"bytes=",
		"bytes=-5",
		"bytes=5",
		"bytes=9-8",
		"bytes=a-",
		"lines=1-",
		"bytes=1-2,5-6",
		"bytes= 1-",
		"bytes=1-2x",
		"bytes=99999999999999999999999-",
		"bytes=1-99999999999999999999999",
	};
	uint64_t from, length;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(http_range(wrong[i], 100, &from, &length) == -EINVAL, "%s", wrong[i]);
}

TEST(http_target__exact_paths)
{
	unsigned id = 0;

	ck_assert_int_eq(http_target("/", &id), HTTP_TARGET_PAGE);
	ck_assert_int_eq(http_target("/recordings", &id), HTTP_TARGET_RECORDINGS);
	ck_assert_int_eq(http_target("/recordings/12", &id), HTTP_TARGET_RECORDING);
	ck_assert_uint_eq(id, 12);
	ck_assert_int_eq(http_target("/fork", &id), HTTP_TARGET_FORK);
	ck_assert_int_eq(http_target("/metrics", &id), HTTP_TARGET_METRICS);
	ck_assert_int_eq(http_target("/lab", &id), HTTP_TARGET_LAB);
	ck_assert_int_eq(http_target("/lab/predictions", &id), HTTP_TARGET_PREDICTIONS);
	ck_assert_int_eq(http_target("", &id), HTTP_TARGET_NONE);
	ck_assert_int_eq(http_target("/recordings/", &id), HTTP_TARGET_NONE);
	ck_assert_int_eq(http_target("/lab/", &id), HTTP_TARGET_NONE);
	ck_assert_int_eq(http_target("/lab/predictions/1", &id), HTTP_TARGET_NONE);
	ck_assert_int_eq(http_target("/recordings/1/2", &id), HTTP_TARGET_NONE);
	ck_assert_int_eq(http_target("/recordings/-1", &id), HTTP_TARGET_NONE);
	ck_assert_int_eq(http_target("/recordings/99999999999", &id), HTTP_TARGET_NONE);
	ck_assert_int_eq(http_target("/../etc/passwd", &id), HTTP_TARGET_NONE);
	ck_assert_int_eq(http_target("/recordings/4294967296", &id), HTTP_TARGET_NONE);
	ck_assert_uint_eq(id, 12);
	ck_assert_int_eq(http_target("/recordings/4294967295", &id), HTTP_TARGET_RECORDING);
	ck_assert_uint_eq(id, UINT32_MAX);
	ck_assert_int_eq(http_target("/recordings/9", &id), HTTP_TARGET_RECORDING);
	ck_assert_uint_eq(id, 9);
	ck_assert_int_eq(http_target("/recordings/1:", &id), HTTP_TARGET_NONE);
	ck_assert_int_eq(http_target("/recordings/1/", &id), HTTP_TARGET_NONE);
}
