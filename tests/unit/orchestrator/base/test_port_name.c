/*  orchestrator/base/port_name: a port by its number or by its peer. */
#include "orchestrator/base/port_name.h"

#include <stdio.h>
#include <string.h>

#include "tests/testing.h"

static struct port_config ports[] = {
	{ .peer_name = "s4" },
	{ .peer_name = "h1" },
	{ .peer_name = "s4" },
	{ .peer_name = "p1" },
	{ .peer_name = "gone", .vacant = true },
};

static const struct node_config node = { .port_count = 5, .ports = ports };

TEST(port_name_find__by_peer)
{
	ck_assert_uint_eq(port_name_find(&node, "s4"), 1 << 0 | 1 << 2);
	ck_assert_uint_eq(port_name_find(&node, "h1"), 1 << 1);
	ck_assert_uint_eq(port_name_find(&node, "p1"), 1 << 3); /* a peer before a number */
	ck_assert_uint_eq(port_name_find(&node, "gone"), 0);
	ck_assert_uint_eq(port_name_find(&node, "s"), 0);
}

TEST(port_name_find__by_number)
{
	ck_assert_uint_eq(port_name_find(&node, "0"), 1);
	ck_assert_uint_eq(port_name_find(&node, "p4"), 1 << 4);
	ck_assert_uint_eq(port_name_find(&node, "4"), 1 << 4);
	ck_assert_uint_eq(port_name_find(&node, "5"), 0);
	ck_assert_uint_eq(port_name_find(&node, "p"), 0);
	ck_assert_uint_eq(port_name_find(&node, "pp1"), 0);
	ck_assert_uint_eq(port_name_find(&node, "1x"), 0);
	ck_assert_uint_eq(port_name_find(&node, "-1"), 0);
	ck_assert_uint_eq(port_name_find(&node, ""), 0);
}

/* more ports than a number has digits, and more than a sentence names: p2 is vacant */
static struct port_config many_ports[15];
static const struct node_config many = { .port_count = 15, .ports = many_ports };

static void many_make(void)
{
	for (unsigned p = 0; p < 15; p++)
		snprintf(many_ports[p].peer_name, NODE_NAME_MAX, "h%u", p);
	many_ports[2].vacant = true;
}

TEST(port_name_find__number_of_two_digits)
{
	many_make();
	ck_assert_uint_eq(port_name_find(&many, "p10"), 1 << 10);
	ck_assert_uint_eq(port_name_find(&many, "14"), 1 << 14);
	ck_assert_uint_eq(port_name_find(&many, "15"), 0);
}

TEST(port_names_list__some)
{
	char text[PORT_NAMES_MAX] = "before";

	many_make();
	ck_assert_str_eq(port_names_list(&many, 0, text, sizeof(text)), "");
	ck_assert_str_eq(port_names_list(&many, 1 << 2, text, sizeof(text)), "");
	ck_assert_str_eq(port_names_list(&many, 1 << 14, text, sizeof(text)), "p14 h14");
	ck_assert_str_eq(port_names_list(&many, 7, text, sizeof(text)), "p0 h0, p1 h1");
}

#define TWELVE                                                                                  \
	"p0 h0, p1 h1, p3 h3, p4 h4, p5 h5, p6 h6, p7 h7, p8 h8, p9 h9, p10 h10, p11 h11, p12 " \
	"h12"

TEST(port_names_list__more_than_a_sentence_names)
{
	char text[PORT_NAMES_MAX];

	many_make();
	ck_assert_str_eq(port_names_list(&many, 0x1fff, text, sizeof(text)), TWELVE);
	ck_assert_str_eq(port_names_list(&many, 0x5fff, text, sizeof(text)), TWELVE " and 1 more");
	ck_assert_str_eq(port_names_list(&many, 0x7fff, text, sizeof(text)), TWELVE " and 2 more");
}

/* a text without space for another name is cut there: no byte after it is written */
TEST(port_names_list__little_space)
{
	char text[16], longer[sizeof(TWELVE) + 4 + 2] = { [sizeof(TWELVE) + 4] = '!' };

	many_make();
	port_names_list(&many, 0x7fff, longer, sizeof(TWELVE) + 4);
	ck_assert_str_eq(longer, TWELVE " and");
	ck_assert_int_eq(longer[sizeof(TWELVE) + 4], '!');
	for (size_t max = 1; max <= sizeof(text); max++) {
		memset(text, '!', sizeof(text));
		port_names_list(&many, 0x7fff, text, max);
		ck_assert_uint_eq(strlen(text), max - 1);
		ck_assert_int_eq(strncmp(text, TWELVE, max - 1), 0);
		ck_assert(max == sizeof(text) || text[max] == '!');
	}
}
