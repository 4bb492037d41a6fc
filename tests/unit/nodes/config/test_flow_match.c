/*  nodes/config/flow_match: match sets as text; each set has one canonical text (FC-2). */
#include <errno.h>
#include <stdlib.h>

#include "nodes/config/flow_match.h"
#include "tests/testing.h"

static struct why why;
static char printed[FLOW_MATCH_TEXT_MAX];

static const char *text_of(const struct flow_match *match)
{
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	flow_match_print(match, out);
	fclose(out);
	return printed;
}

static const struct {
	const char *text, *printed;
	uint32_t fields;
	bool masked;
} fine[] = {
	{ "source-mac,ip-pair,ports,hpc", "source-mac, ip-pair, ports, hpc", 1 | 8 | 16 | 64,
	  false },
	{ "89", "source-mac, ip-pair, ports, hpc", 89, false },
	{ "0", "none", 0, false },
	{ "none", "none", 0, false },
	{ "127", "source-mac, destination-mac, vlan, ip-pair, ports, flow-label, hpc", 127, false },
	{ "destination-ip/24", "destination-ip/24", 8, true },
	{ "destination-ip/64", "destination-ip/64", 8, true },
	{ "destination-ip/128", "destination-ip", 8, true },
	{ "destination-ip", "destination-ip", 8, true },
	{ "source-ip destination-ip", "ip-pair", 8, false },
	{ "source-ip/128, destination-ip/128", "ip-pair", 8, false },
	{ "source-ipv4/24, source-ipv6/24", "source-ip/24", 8, true },
	{ "source-ipv4/24, source-ipv6/64", "source-ipv4/24, source-ipv6/64", 8, true },
	{ "source-ipv4/255.255.255.0", "source-ipv4/24", 8, true },
	{ "source-ipv4&255.0.255.0", "source-ipv4/255.0.255.0", 8, true },
	{ "source-ipv4&0xff00ff00", "source-ipv4/255.0.255.0", 8, true },
	{ "source-ipv6&ffff::ff", "source-ipv6/ffff::ff", 8, true },
	{ "source-ipv6/ffff:ffff::", "source-ipv6/32", 8, true },
	{ "source-ipv6/65", "source-ipv6/65", 8, true },
	{ "ip-protocol, source-port, destination-port", "ports", 16, false },
	{ "source-port&0xff00", "source-port/8", 16, true },
	{ "source-port/0xff", "source-port/0xff", 16, true },
	{ "source-mac/ff:ff:ff:00:00:00", "source-mac/24", 1, true },
	{ "source-mac&0x0000000000ff", "source-mac/00:00:00:00:00:ff", 1, true },
	{ "vlan/12, flow-label&0xfffff", "vlan, flow-label", 4 | 32, false },
	{ "vlan&0xf", "vlan/0xf", 4, true },
	{ "hpc-source, hpc-destination, hpc-process, queue-pair", "hpc", 64, false },
	{ "queue-pair/8, hpc-process", "hpc-process, queue-pair/8", 64, true },
};

#define FINE (sizeof(fine) / sizeof(fine[0]))

TEST_RANGE(flow_match_parse__accepts, 0, (int)FINE)
{
	struct flow_match match, again;

	ck_assert_msg(!flow_match_parse(fine[_i].text, &match, &why), "%s", why.text);
	ck_assert_str_eq(text_of(&match), fine[_i].printed);
	ck_assert_uint_eq(match.fields, fine[_i].fields);
	ck_assert_int_eq(flow_match_masked(&match), fine[_i].masked);
	ck_assert(flow_match_valid(&match));
	ck_assert_int_eq(flow_match_parse(printed, &again, &why), 0);
	ck_assert(flow_match_equal(&match, &again));
}

static const struct {
	const char *text, *why;
} bad[] = {
	{ "", "names no field" },
	{ "128", "is no sum of the numbers" },
	{ "99999999999999999999", "is no sum of the numbers" },
	{ "source-mc", "is no field" },
	{ "source-ma", "is no field" },
	{ "/24", "is no field" },
	{ "source-port/0", "expected /1 to /16" },
	{ "source-port/17", "expected /1 to /16" },
	{ "source-port/4294967297", "expected /1 to /16" },
	{ "source-ip/129", "expected /1 to /128" },
	{ "source-ipv4/33", "expected /1 to /32" },
	{ "vlan/13", "expected /1 to /12" },
	{ "source-port&0x10000", "expected a mask such as 0xff00, of 16 bits" },
	{ "source-port&24", "expected a mask" },
	{ "source-port&", "expected a mask" },
	{ "source-port/", "expected a prefix such as /8 or a mask" },
	{ "source-port&0x", "expected a mask" },
	{ "source-port&0xfg", "expected a mask" },
	{ "source-port&-1", "expected a mask" },
	{ "source-port&0x00", "lets no bit count" },
	{ "source-ipv4&0.0.0.0", "lets no bit count" },
	{ "source-ipv4&255.255.255", "expected a mask such as 255.255.255.0" },
	{ "source-ipv4&ffff::", "expected a mask such as 255.255.255.0" },
	{ "source-ipv6&255.0.0.0", "expected a mask such as ffff:ffff::" },
	{ "source-mac&ff:ff", "expected a mask such as ff:ff:ff:00:00:00" },
	{ "source-mac&ff:ff:ff:ff:ff:ff:ff", "expected a mask such as ff:ff:ff:00:00:00" },
	{ "source-ip&255.255.255.0", "name source-ipv4 or source-ipv6" },
	{ "ip-pair/24", "name source-ip and destination-ip" },
	{ "ports&0xff00", "name ip-protocol, source-port and destination-port" },
	{ "hpc/8", "have a mask each" },
	{ "ports, source-port/8", "is named twice" },
	{ "vlan, vlan", "is named twice" },
	{ "source-ip/24, source-ipv4/16", "is named twice" },
	{ "source-port/8, source-port&0x00ff", "is named twice" },
};

#define BAD (sizeof(bad) / sizeof(bad[0]))

TEST_RANGE(flow_match_parse__rejects, 0, (int)BAD)
{
	struct flow_match match;

	ck_assert_int_eq(flow_match_parse(bad[_i].text, &match, &why), -EINVAL);
	ck_assert_msg(strstr(why.text, bad[_i].why), "%s", why.text);
	ck_assert_ptr_null(strchr(why.text, '\n'));
}

/* Any valid mask is printed as text that reads back as the same mask. */
TEST(flow_match_print__reads_back_as_the_same_mask)
{
	uint64_t random = 88172645463325252u;
	uint32_t valid = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		struct flow_match match = { 0 }, again;

		for (unsigned part = 0; part < FLOW_PARTS; part++) {
			struct flow_match all = flow_match_whole(MATCH_ALL);
			uint64_t ones = flow_match_part(&all, (enum flow_part)part);

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			match.mask[part] =
				random & 3
					? random & 4 ? ones : ones & ~(ones >> (random >> 3 & 15))
					: ones & random >> 5;
			if (random >> 60 < 6)
				match.mask[part] = 0;
			for (uint32_t field = 1; match.mask[part] && field < MATCH_ALL;
			     field <<= 1) {
				struct flow_match group = flow_match_whole(field);

				if (flow_match_part(&group, (enum flow_part)part))
					match.fields |= field;
			}
		}
		if (!flow_match_valid(&match))
			continue;
		valid++;
		ck_assert_msg(!flow_match_parse(text_of(&match), &again, &why), "%s: %s", printed,
			      why.text);
		ck_assert_msg(flow_match_equal(&match, &again), "%s", printed);
	}
	ck_assert_uint_gt(valid, 900);
}

TEST(flow_match_valid__rejects)
{
	struct flow_match match = flow_match_whole(MATCH_PORTS);

	ck_assert(flow_match_valid(&match));
	match.mask[PART_SOURCE_PORT] = 0xff;
	ck_assert(flow_match_valid(&match));
	match.fields |= MATCH_VLAN; /* a field without bits */
	ck_assert(!flow_match_valid(&match));
	match.fields = MATCH_VLAN; /* bits without their field */
	ck_assert(!flow_match_valid(&match));
	match = flow_match_whole(MATCH_VLAN);
	match.mask[PART_VLAN] = 0xfff; /* all bits of all fields, which is no mask */
	ck_assert(!flow_match_valid(&match));
	match.mask[PART_VLAN] = 0x1ffe;
	ck_assert(!flow_match_valid(&match));
	match = flow_match_whole(MATCH_ALL + 1);
	ck_assert(!flow_match_valid(&match));
}
