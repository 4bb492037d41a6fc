/*  orchestrator/scenario/scenario_prefix: which networks a host can be the router of, and which two
 *  are one (FC-3). */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "nodes/wire/address.h"
#include "tests/unit/orchestrator/scenario/read_scenario.h"

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

TEST_GROUP(scenario_prefix, .setup = setup, .teardown = teardown);

/* a scenario in which host B has @prefixes.  Return: "" or the first error, from its column on */
static const char *refusal(const char *prefixes)
{
	static char text[512];

	teardown();
	setup();
	snprintf(text, sizeof(text),
		 "name: t\nrun: {duration: 1us}\n"
		 "topology: {switches: [s], hosts: {A: s, B: {switch: s, prefixes:\n    %s}}}\n",
		 prefixes);
	if (!read_text("t", text))
		return "";
	snprintf(text, sizeof(text), "%s", errors.texts[0]);
	ck_assert_int_eq(strncmp(text, "t:4:", 4), 0);
	return text + 4;
}

TEST(scenario_prefix__networks_that_are_routed)
{
	static const char *const fine[] = {
		"0.0.0.0/0",      "126.0.0.0/8", "128.0.0.0/8", "126.0.0.0/7", "169.253.0.0/16",
		"169.255.0.0/16", "192.0.0.0/3", "192.0.0.0/2", "10.9.0.0/16", "8.0.0.0/7",
		"'::/0'",         "'::2/127'",   "'::/126'",    "'fec0::/10'", "'fe00::/9'",
		"'fe00::/8'",     "'fd99::/32'",
	};
	static const char *const wrong[] = {
		"127.0.0.0/8", "127.1.0.0/16", "169.254.0.0/16", "224.0.0.0/3", "239.1.2.3",
		"'::1'",       "'::/127'",     "'fe80::/10'",    "'fe80::/64'", "'ff00::/8'",
	};

	for (int i = 0; i < COUNT(fine); i++)
		ck_assert_msg(!*refusal(fine[i]), "%s", errors.texts[0]);
	for (int i = 0; i < COUNT(wrong); i++)
		ck_assert_msg(strstr(refusal(wrong[i]), "multicast, loopback and link-local"), "%s",
			      wrong[i]);
}

/* The first and the last host that a fabric may have are in no network elsewhere; what is beside
 * them may be. A network that is larger than that of all hosts may include them. */
TEST(scenario_prefix__addresses_of_hosts)
{
	static const struct {
		uint32_t host;
		int beside;
	} ends[] = { { 0, -1 }, { NODE_COUNT_MAX - 1, 1 } };
	char text[INET6_ADDRSTRLEN], quoted[INET6_ADDRSTRLEN + 2];

	for (int i = 0; i < COUNT(ends); i++)
		for (int beside = 0; beside < 2; beside++) {
			uint32_t ipv4 = htonl(address_ipv4(ends[i].host) +
					      (uint32_t)(beside ? ends[i].beside : 0));
			uint8_t ipv6[16];

			inet_ntop(AF_INET, &ipv4, text, sizeof(text));
			ck_assert_msg((*refusal(text) == 0) == beside, "%s", text);
			address_ipv6(ends[i].host, ipv6);
			ipv6[15] = (uint8_t)(ipv6[15] + (beside ? ends[i].beside : 0));
			inet_ntop(AF_INET6, ipv6, text, sizeof(text));
			snprintf(quoted, sizeof(quoted), "'%s'", text);
			ck_assert_msg((*refusal(quoted) == 0) == beside, "%s", text);
		}
	ck_assert_ptr_nonnull(strstr(refusal("10.0.0.0/8"), "hosts of the fabric have addresses"));
	ck_assert_str_eq(refusal("8.0.0.0/7"), "");
}

/* of two in one line, the second one is wrong */
TEST(scenario_prefix__twice)
{
	ck_assert_str_eq(refusal("[10.9.0.0/16, 10.8.0.0/16, 10.9.0.0/16]"),
			 "32: 10.9.0.0/16 is reached through host 'B' already");
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_str_eq(refusal("['fd99::/32', 'fd99::/32', 'fd99::/33']"),
			 "20: fd99::/32 is reached through host 'B' already");
	ck_assert_uint_eq(errors.count, 1);
	refusal("[10.9.0.0/16, 10.9.0.0/16, 10.9.0.0/16]");
	ck_assert_uint_eq(errors.count, 2);
}
