/*  nicd/traffic/message_set: messages of unordered classes are complete when all of their bytes
 *  have arrived, in any order (FC-16). */
#include "nicd/traffic/message_set.h"
#include "tests/testing.h"

static struct message_set set;

static void set_up(void)
{
	ck_assert_int_eq(message_set_init(&set), 0);
}

static void tear_down(void)
{
	message_set_fini(&set);
}

TEST_GROUP(message_set, .setup = set_up, .teardown = tear_down);

TEST(message_set_add__of_one_packet)
{
	ck_assert(message_set_add(&set, 1, 0, 100, 100));
	ck_assert(message_set_add(&set, 1, 0, 100, 100));  /* nothing was kept */
	ck_assert(!message_set_add(&set, 1, 0, 101, 100)); /* more than there is: never complete */
}

/* messages of a flow, and of two flows, are apart */
TEST(message_set_add__several_at_once)
{
	for (uint32_t flow = 0; flow < 2; flow++)
		for (uint32_t message = 0; message < 3; message++)
			ck_assert(!message_set_add(&set, flow, message, 10 + message, 30));
	for (uint32_t flow = 0; flow < 2; flow++)
		for (uint32_t message = 0; message < 3; message++) {
			ck_assert(!message_set_add(&set, flow, message, 1, 30));
			ck_assert(message_set_add(&set, flow, message, 19 - message, 30));
		}
}

/* a complete message leaves the set; one with too many bytes leaves it too, and is not complete */
TEST(message_set_add__leaves_the_set)
{
	for (uint32_t round = 0; round < 3; round++) {
		ck_assert(!message_set_add(&set, 7, 9, 10, 30));
		ck_assert(round == 1 ? !message_set_add(&set, 7, 9, 21, 30)
				     : message_set_add(&set, 7, 9, 20, 30));
	}
}

/* when all lines of a place are taken, the message whose last packet is the oldest is forgotten; a
 * message that goes on is not */
TEST(message_set_add__oldest_is_forgotten)
{
	uint32_t complete = 0;

	ck_assert(!message_set_add(&set, 0, 0, 1, 100000));
	for (uint32_t message = 1; message < 50000; message++) {
		ck_assert(!message_set_add(&set, 0, message, 1, 2));
		ck_assert(!message_set_add(&set, 0, 0, 1, 100000));
	}
	ck_assert(message_set_add(&set, 0, 0, 50000, 100000)); /* all of its bytes were counted */
	for (uint32_t message = 1; message < 50000; message++)
		complete += message_set_add(&set, 0, message, 1, 2);
	ck_assert_uint_lt(complete, 8193); /* as many as there are lines, at most */
	ck_assert(!message_set_add(&set, 0, 60000, 1, 2));
	ck_assert(message_set_add(&set, 0, 60000, 1, 2));
}
