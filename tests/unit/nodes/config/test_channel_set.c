/*  nodes/config/channel_set: sets of flow channels, and their text form (FC-26). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/config/channel_set.h"
#include "tests/testing.h"

TEST(channel_set__add_and_remove)
{
	struct channel_set set = { 0 };

	channel_set_add(&set, 0);
	channel_set_add(&set, 63);
	channel_set_add(&set, 64);
	channel_set_add(&set, NODE_CHANNELS_MAX - 1);
	channel_set_add(&set, 64);
	ck_assert_uint_eq(channel_set_count(&set), 4);
	ck_assert(channel_set_has(&set, 64) && channel_set_has(&set, NODE_CHANNELS_MAX - 1));
	ck_assert(!channel_set_has(&set, 1) && !channel_set_has(&set, 65));
	channel_set_remove(&set, 64);
	channel_set_remove(&set, 65);
	ck_assert(!channel_set_has(&set, 64) && channel_set_has(&set, 63));
	ck_assert_uint_eq(channel_set_count(&set), 3);
}

TEST(channel_set_write__reads_back)
{
	char text[CHANNEL_SET_TEXT_MAX];
	struct channel_set set = { 0 }, read;

	channel_set_write(&set, text);
	ck_assert_str_eq(text, "");
	channel_set_add(&set, 2047);
	channel_set_add(&set, 3);
	channel_set_add(&set, 170);
	channel_set_write(&set, text);
	ck_assert_str_eq(text, "3 170 2047");
	ck_assert_int_eq(channel_set_read(text, &read), 0);
	ck_assert_mem_eq(&set, &read, sizeof(set));
	memset(&set, 0xff, sizeof(set));
	channel_set_write(&set, text);
	ck_assert_int_eq(channel_set_read(text, &read), 0);
	ck_assert_mem_eq(&set, &read, sizeof(set));
	ck_assert_int_eq(channel_set_read(NULL, &read), 0);
	ck_assert_uint_eq(channel_set_count(&read), 0);
}

TEST(channel_set_read__rejects_malformed_text)
{
	static const char *const texts[] = {
		"x", "3  4", " 3", "3,4", "-1", "2048", "99999999999999999999", "3x"
	};
	struct channel_set set;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_msg(channel_set_read(texts[i], &set) == -EINVAL, "\"%s\"", texts[i]);
}
