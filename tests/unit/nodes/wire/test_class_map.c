/*  nodes/wire/class_map: which traffic class a frame requests (DU-7, FC-21). */
#include <string.h>

#include "nodes/wire/class_map.h"
#include "tests/testing.h"

static struct class_config classes[3];
static struct class_map map;

static void setup(void)
{
	memset(classes, 0, sizeof(classes));
	for (uint32_t i = 0; i < 3; i++)
		snprintf(classes[i].name, sizeof(classes[i].name), "c%u", i);
}

static uint32_t of_dscp(uint8_t dscp)
{
	const struct frame_fields fields = { .ip_version = 4, .dscp = dscp, .priority = dscp >> 3 };

	return class_map_class(&map, &fields);
}

static uint32_t of_tag(uint8_t priority)
{
	/* the tag decides, whatever the DSCP */
	const struct frame_fields fields = {
		.tagged = true, .priority = priority, .ip_version = 6, .dscp = 46
	};

	return class_map_class(&map, &fields);
}

static bool refused(const char *says)
{
	struct why why = { "" };

	return !class_map_check(classes, 3, &why) && strstr(why.text, says);
}

TEST_GROUP(class_map, .setup = setup);

TEST(class_map_class__class_selectors_without_a_map)
{
	class_map_init(&map, classes, 3);
	for (uint8_t i = 0; i < 64; i++)
		ck_assert_uint_eq(of_dscp(i), i < 8 ? 0 : i < 16 ? 1 : 2);
	for (uint8_t i = 0; i < 8; i++)
		ck_assert_uint_eq(of_tag(i), i < 2 ? i : 2);
}

TEST(class_map_class__named_values)
{
	classes[1].dscp_set = 1ull << 46 | 0xffull << 32;
	classes[0].pcp_set = 1u << 7;
	classes[1].pcp_set = 1u << 5;
	class_map_init(&map, classes, 3);
	ck_assert(class_map_check(classes, 3, &(struct why){ "" }));
	ck_assert_uint_eq(of_dscp(46), 1);
	ck_assert_uint_eq(of_dscp(45), 2);
	ck_assert_uint_eq(of_dscp(32), 1);
	ck_assert_uint_eq(of_dscp(39), 1);
	ck_assert_uint_eq(of_dscp(40), 2);
	ck_assert_uint_eq(of_dscp(0), 0);
	ck_assert_uint_eq(of_tag(5), 1);
	ck_assert_uint_eq(of_tag(7), 0);
	ck_assert_uint_eq(of_tag(6), 2);
}

/* no tag and no IP: an HPC header has the class itself; ARP is of the first */
TEST(class_map_class__frames_without_ip)
{
	const struct frame_fields hpc = { .hpc = true, .priority = 1 },
				  arp = { .target_version = 4 },
				  beyond = { .hpc = true, .priority = 7 };

	classes[0].pcp_set = 1u << 7;
	class_map_init(&map, classes, 3);
	ck_assert_uint_eq(class_map_class(&map, &hpc), 1);
	ck_assert_uint_eq(class_map_class(&map, &arp), 0);
	ck_assert_uint_eq(class_map_class(&map, &beyond), 2);
}

TEST(class_map_check__one_class_for_each_value)
{
	classes[0].dscp_set = classes[2].dscp_set = 1ull << 46;
	ck_assert(refused("DSCP 46 is of two classes, 'c0' and 'c2'"));
	setup();
	classes[1].pcp_set = classes[2].pcp_set = 1u << 6;
	ck_assert(refused("priority 6 is of two classes, 'c1' and 'c2'"));
}

/* generated frames of class n carry DSCP 8n and priority n */
TEST(class_map_check__own_values_stay)
{
	classes[2].dscp_set = 1ull << 8;
	ck_assert(refused("DSCP 8 is what generated frames of class 'c1' carry"));
	setup();
	classes[1].pcp_set = 1u << 0;
	ck_assert(refused("priority 0 is what generated frames of class 'c0' carry"));
	setup();
	classes[1].dscp_set = 1ull << 8 | 1ull << 24;
	classes[1].pcp_set = 1u << 1;
	ck_assert(class_map_check(classes, 3, &(struct why){ "" }));
}
