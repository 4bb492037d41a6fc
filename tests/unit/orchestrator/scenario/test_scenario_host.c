/*  orchestrator/scenario/scenario_host, scenario_host_keys, scenario_host_check: what a scenario
 *  says of hosts, and what follows from all of them together (DU-3, DU-7). tests/bad-scenarios/ has
 *  what is rejected. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_spare.h"
#include "orchestrator/scenario/scenario.h"
#include "orchestrator/scenario/scenario_host_keys.h"
#include "tests/unit/orchestrator/scenario/read_scenario.h"

#define HEAD "name: t\nrun: {duration: 100us}\ntopology:\n"
#define TWO                                     \
	HEAD "  switches: [s1, s2]\n"           \
	     "  links: [{between: [s1, s2]}]\n" \
	     "  hosts:\n"

TEST_GROUP(scenario_host, .setup = setup, .teardown = teardown);

static void read_fine(const char *text)
{
	int error = read_text("tests/bad-scenarios/t.yaml", text);

	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
}

static const struct scenario_host_settings *settings_of(const char *name)
{
	int64_t host = scenario_host_find(&scenario, name);

	ck_assert_int_ge(host, 0);
	ck_assert_ptr_nonnull(scenario.hosts[host].settings);
	return scenario.hosts[host].settings;
}

static void address_is(const struct host_address *address, const char *expected)
{
	char text[IP_ADDRESS_TEXT_MAX];

	ck_assert_str_eq(ip_address_subnet_text(&address->ip, text), expected);
}

static void route_is(const struct host_route *route, const char *to, const char *via,
		     uint32_t interface, uint32_t vlan)
{
	char text[IP_ADDRESS_TEXT_MAX];

	ck_assert_str_eq(ip_address_subnet_text(&route->to, text), to);
	ck_assert_str_eq(ip_address_text(&route->via, text), via);
	ck_assert_uint_eq(route->interface, interface);
	ck_assert_uint_eq(route->vlan, vlan);
}

/* ---- addresses ---- */

TEST(ip_address_parse__forms)
{
	static const char *const bad[] = { "",
					   "10.1.0",
					   "10.1.0.5/33",
					   "10.1.0.5/",
					   "10.1.0.5/-1",
					   "fd01::/129",
					   "10.1.0.5/8x",
					   "x",
					   "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa/64" };
	struct ip_address address;
	char text[IP_ADDRESS_TEXT_MAX];

	ck_assert(ip_address_parse("10.1.0.5/24", &address));
	ck_assert_str_eq(ip_address_subnet_text(&address, text), "10.1.0.5/24");
	ck_assert(ip_address_parse("FD01::5", &address));
	ck_assert_str_eq(ip_address_subnet_text(&address, text), "fd01::5/128");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!ip_address_parse(bad[i], &address), "%s", bad[i]);
}

TEST(ip_address_covers__by_its_length)
{
	static const struct {
		const char *subnet, *other;
		bool covers;
	} cases[] = {
		{ "10.1.0.5/24", "10.1.0.200", true },   { "10.1.0.5/24", "10.1.1.5", false },
		{ "10.1.0.5/20", "10.1.15.1", true },    { "10.1.0.5/20", "10.1.16.1", false },
		{ "0.0.0.0/0", "192.0.2.1", true },      { "0.0.0.0/0", "fd01::1", false },
		{ "fd01::5/63", "fd01:0:0:1::1", true }, { "fd01::5/64", "fd01:0:0:1::1", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ip_address subnet, other;

		ck_assert(ip_address_parse(cases[i].subnet, &subnet));
		ck_assert(ip_address_parse(cases[i].other, &other));
		ck_assert_msg(ip_address_covers(&subnet, &other) == cases[i].covers, "%s %s",
			      cases[i].subnet, cases[i].other);
	}
}

TEST(ip_address_is_end__of_ipv4_subnets)
{
	static const struct {
		const char *text;
		bool end;
	} cases[] = { { "10.1.0.0/24", true },  { "10.1.0.255/24", true }, { "10.1.0.1/24", false },
		      { "10.1.0.0/31", false }, { "10.1.0.1/32", false },  { "fd01::/64", false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ip_address address;

		ck_assert(ip_address_parse(cases[i].text, &address));
		ck_assert_msg(ip_address_is_end(&address) == cases[i].end, "%s", cases[i].text);
	}
}

TEST(scenario_hosts__default_addresses)
{
	read_fine(TWO "    A: s1\n    B: {switch: s2}\n");
	ck_assert_uint_eq(settings_of("B")->interface_count, 1);
	ck_assert_uint_eq(settings_of("B")->interfaces[0].address_count, 2);
	address_is(&settings_of("A")->interfaces[0].addresses[0], "10.0.0.1/8");
	address_is(&settings_of("B")->interfaces[0].addresses[0], "10.0.0.2/8");
	address_is(&settings_of("B")->interfaces[0].addresses[1], "fd48::2/64");
	ck_assert_uint_eq(settings_of("A")->given, 0);
}

TEST(scenario_hosts__addresses_replace_default_ones)
{
	const struct host_interface *eth0;

	read_fine(TWO "    A: {switch: s1, addresses: [10.1.0.5/24, 10.1.0.9/32, 'fd01::5/64']}\n");
	eth0 = settings_of("A")->interfaces;
	ck_assert_uint_eq(eth0->address_count, 3);
	address_is(&eth0->addresses[0], "10.1.0.5/24");
	address_is(&eth0->addresses[1], "10.1.0.9/32");
	address_is(&eth0->addresses[2], "fd01::5/64");
	ck_assert_int_eq(eth0->addresses[0].place.line, 7);
}

/* ---- interfaces ---- */

/* further interfaces are NICs after all hosts, so that default addresses do not depend on them */
TEST(scenario_hosts__interfaces)
{
	read_fine(TWO "    R: {switch: s1, interfaces: [s2, {switch: s2, rate: 1Gb/s, addresses: "
		      "192.0.2.1/24}]}\n"
		      "    B: s2\n");
	ck_assert_uint_eq(scenario.host_count, 4);
	ck_assert_str_eq(scenario.hosts[1].name, "B");
	ck_assert_str_eq(scenario.hosts[2].name, "R.eth1");
	ck_assert_str_eq(scenario.hosts[3].name, "R.eth2");
	ck_assert_uint_eq(scenario.hosts[3].owner, 0);
	ck_assert_uint_eq(scenario.hosts[3].interface, 2);
	ck_assert_ptr_null(scenario.hosts[3].settings);
	ck_assert_uint_eq(scenario.hosts[3].link.rate_bps, 1000000000);
	ck_assert_uint_eq(scenario.hosts[3].switch_index, 1);
	ck_assert_uint_eq(scenario.hosts[1].owner, 1);
	ck_assert_uint_eq(settings_of("R")->interface_count, 3);
	ck_assert_uint_eq(settings_of("R")->interfaces[1].address_count, 0);
	address_is(&settings_of("R")->interfaces[2].addresses[0], "192.0.2.1/24");
	address_is(&settings_of("B")->interfaces[0].addresses[0], "10.0.0.2/8");
}

TEST(scenario_hosts__vlans)
{
	const struct host_interface *eth0;

	read_fine(TWO "    A: {switch: s1, vlans: [{id: 10, addresses: [192.0.2.5/24]}, {id: "
		      "11}]}\n");
	eth0 = settings_of("A")->interfaces;
	ck_assert_uint_eq(eth0->vlan_count, 2);
	ck_assert_uint_eq(eth0->vlans[0].id, 10);
	address_is(&eth0->vlans[0].addresses[0], "192.0.2.5/24");
	ck_assert_uint_eq(eth0->vlans[1].address_count, 0);
	ck_assert_uint_eq(eth0->address_count, 2); /* the default ones */
}

/* ---- gateways and routes ---- */

#define ROUTER                                                                                  \
	"    R: {switch: s1, router: yes, addresses: [10.1.0.1/24, 'fd01::1/64'], interfaces: " \
	"[{switch: s2, addresses: [10.2.0.1/24]}]}\n"

/* by name: the router's address in the same subnet, for each version of IP */
TEST(scenario_hosts__gateway_by_name)
{
	read_fine(TWO ROUTER
		  "    A: {switch: s1, addresses: [10.1.0.5/24, 'fd01::5/64'], gateway: R}\n"
		  "    B: {switch: s2, addresses: [10.2.0.5/24, 'fd02::5/64'], gateway: R.eth1}\n");
	ck_assert(settings_of("R")->router);
	ck_assert_uint_eq(settings_of("A")->route_count, 2);
	route_is(&settings_of("A")->routes[0], "0.0.0.0/0", "10.1.0.1", 0, 0);
	route_is(&settings_of("A")->routes[1], "::/0", "fd01::1", 0, 0);
	ck_assert_uint_eq(settings_of("B")->route_count, 1);
	route_is(&settings_of("B")->routes[0], "0.0.0.0/0", "10.2.0.1", 0, 0);
}

TEST(scenario_hosts__gateway_by_address)
{
	read_fine(TWO "    A: {switch: s1, addresses: [10.1.0.5/24], gateway: 10.1.0.77}\n");
	ck_assert_uint_eq(settings_of("A")->route_count, 1);
	route_is(&settings_of("A")->routes[0], "0.0.0.0/0", "10.1.0.77", 0, 0);
}

TEST(scenario_hosts__routes)
{
	read_fine(TWO ROUTER "    A: {switch: s1, addresses: [10.1.0.5/24], interfaces: [{switch: "
			     "s2, addresses: 10.2.0.5/24}], vlans: [{id: 7, addresses: "
			     "192.0.2.5/24}], routes: [{to: 10.9.0.0/16, via: R}, {to: 10.8.0.0/16"
			     ", via: 10.2.0.9}, {to: 10.7.0.1, via: 192.0.2.1}]}\n");
	ck_assert_uint_eq(settings_of("A")->route_count, 3);
	route_is(&settings_of("A")->routes[0], "10.9.0.0/16", "10.1.0.1", 0, 0);
	route_is(&settings_of("A")->routes[1], "10.8.0.0/16", "10.2.0.9", 1, 0);
	route_is(&settings_of("A")->routes[2], "10.7.0.1/32", "192.0.2.1", 0, 7);
}

/* ---- programs and sandbox ---- */

TEST(scenario_hosts__programs)
{
	const struct scenario_host_settings *settings;

	read_fine(TWO "    A: {switch: s1, user: www-data, env: {PORT: '80', EMPTY: ''},\n"
		      "        run: ['nginx -t; sleep 1', [sleep, '5 s']],\n"
		      "        health: {run: 'curl -sf http://A/', every: 200ms, within: 5s}}\n"
		      "    B: {switch: s1, run: 'true', health: 'true'}\n"
		      "    C: {switch: s1, health: [pg_isready, -h, C]}\n");
	settings = settings_of("A");
	ck_assert_str_eq(settings->user, "www-data");
	ck_assert_uint_eq(settings->variable_count, 2);
	ck_assert_str_eq(settings->variables[0], "PORT=80");
	ck_assert_str_eq(settings->variables[1], "EMPTY=");
	ck_assert_uint_eq(settings->command_count, 2);
	ck_assert_str_eq(settings->commands[0].argv[0], "/bin/sh");
	ck_assert_str_eq(settings->commands[0].argv[1], "-c");
	ck_assert_str_eq(settings->commands[0].argv[2], "nginx -t; sleep 1");
	ck_assert_ptr_null(settings->commands[0].argv[3]);
	ck_assert_str_eq(settings->commands[0].text, "nginx -t; sleep 1");
	ck_assert_str_eq(settings->commands[1].argv[1], "5 s");
	ck_assert_ptr_null(settings->commands[1].argv[2]);
	ck_assert_str_eq(settings->commands[1].text, "sleep 5 s");
	ck_assert_str_eq(settings->health.run.argv[2], "curl -sf http://A/");
	ck_assert_uint_eq(settings->health.every_ps, 200 * NODE_MS);
	ck_assert_uint_eq(settings->health.within_ps, 5 * NODE_S);
	ck_assert_uint_eq(settings_of("B")->command_count, 1);
	ck_assert_uint_eq(settings_of("B")->health.every_ps, NODE_S);
	ck_assert_str_eq(settings_of("C")->health.run.argv[0], "pg_isready");
	ck_assert_str_eq(settings_of("C")->health.run.argv[2], "C");
	ck_assert_uint_eq(settings_of("C")->health.every_ps, NODE_S);
	ck_assert_uint_eq(settings_of("B")->health.within_ps, 30 * NODE_S);
}

/* where a folder of this machine may appear: below "/", without a step upwards */
TEST(scenario_hosts__places_of_mounts)
{
	static const struct {
		const char *to;
		bool fine;
	} places[] = { { "/a", true },    { "/..a", true },   { "/a..", true },
		       { "/a/.b", true }, { "/", false },     { "a", false },
		       { "/..", false },  { "/a/..", false }, { "/../a", false } };
	char text[512];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(text, sizeof(text),
			 TWO "    A: {switch: s1, mounts: [{from: ., to: %s}]}\n", places[i].to);
		ck_assert_msg((read_text("t.yaml", text) == 0) == places[i].fine, "%s",
			      places[i].to);
		ck_assert(places[i].fine || strstr(errors.texts[0], "is no path in a host"));
		teardown();
		setup();
	}
}

TEST(scenario_hosts__sandbox)
{
	const struct scenario_host_settings *settings;
	char *here = realpath("tests/bad-scenarios", NULL);

	read_fine(TWO "    A: {switch: s1, dns: [10.0.0.53, 'fd48::53'], private: [/var/lib/x],\n"
		      "        mounts: [{from: ., to: /srv, read-only: yes}], rootfs: .,\n"
		      "        outside: yes, limits: {memory: 512MB, processes: 200,\n"
		      "        files: 1024}}\n"
		      "    B: {switch: s1, image: 'postgres:15'}\n");
	settings = settings_of("A");
	ck_assert_uint_eq(settings->resolver_count, 2);
	ck_assert_uint_eq(settings->folder_count, 1);
	ck_assert_str_eq(settings->folders[0], "/var/lib/x");
	ck_assert_uint_eq(settings->mount_count, 1);
	ck_assert_str_eq(settings->mounts[0].from, here);
	ck_assert_str_eq(settings->mounts[0].to, "/srv");
	ck_assert(settings->mounts[0].read_only);
	ck_assert_str_eq(settings->rootfs, here);
	ck_assert(settings->outside);
	ck_assert_uint_eq(settings->limits.memory_bytes, 512000000);
	ck_assert_uint_eq(settings->limits.processes, 200);
	ck_assert_uint_eq(settings->limits.files, 1024);
	ck_assert_str_eq(settings_of("B")->image, "postgres:15");
	free(here);
}

/* every key has a name, and is marked as given */
TEST(scenario_host_key_name__of_what_is_given)
{
	unsigned bit = 0;

	read_fine(TWO "    A: {switch: s1, user: x}\n");
	while (strcmp(scenario_host_key_name(bit), "user"))
		bit++;
	ck_assert_uint_eq(settings_of("A")->given, 1u << bit);
	ck_assert_ptr_null(scenario_host_key_name(31));
}

/* ---- the section hosts ---- */

/* in the order of the file; what an entry of the topology has wins, key by key */
TEST(scenario_hosts_section__patterns)
{
	read_fine("name: t\nrun: {duration: 100us}\n"
		  "hosts: {'*': {dns: 10.0.0.53, user: one}, 'h[12]': {user: two},\n"
		  "        h0: {env: {A: b}}}\n"
		  "topology: {generate: star, hosts: 4}\n");
	ck_assert_str_eq(settings_of("h0")->user, "one");
	ck_assert_str_eq(settings_of("h1")->user, "two");
	ck_assert_str_eq(settings_of("h3")->user, "one");
	ck_assert_uint_eq(settings_of("h0")->variable_count, 1);
	ck_assert_uint_eq(settings_of("h1")->variable_count, 0);
	ck_assert_uint_eq(settings_of("h3")->resolver_count, 1);
	scenario_free(&scenario);
	/* one entry after the other: keys of a former one are replaced, the first key as well */
	read_fine("name: t\nrun: {duration: 100us}\n"
		  "hosts: {'*': {dns: 10.0.0.53, addresses: [10.9.0.9/24]},\n"
		  "        h0: {dns: 10.0.0.54, addresses: [10.9.0.1/24]}}\n"
		  "topology: {generate: star, hosts: 1}\n");
	ck_assert_uint_eq(settings_of("h0")->interfaces[0].address_count, 1);
	address_is(&settings_of("h0")->interfaces[0].addresses[0], "10.9.0.1/24");
	scenario_free(&scenario);
	read_fine(TWO "    A: {switch: s1, user: own, interfaces: [s2]}\n"
		      "hosts: {'A*': {user: other, router: yes}}\n");
	ck_assert_str_eq(settings_of("A")->user, "own");
	ck_assert(settings_of("A")->router);
	ck_assert_uint_eq(scenario.host_count, 2);
}

/* a later entry replaces the whole list of an earlier one */
TEST(scenario_hosts_section__lists_of_several_patterns)
{
	const struct scenario_host_settings *settings;

	read_fine(
		TWO
		"    A: s1\n    B: s2\n"
		"hosts:\n"
		"  '*': {run: ['one', [two, 2]], mounts: [{from: ., to: /x}, {from: ., to: /y}],\n"
		"        vlans: [{id: 7, addresses: [10.7.0.1/24]}, {id: 8}],\n"
		"        routes: [{to: 10.9.0.0/16, via: B}, {to: 10.8.0.0/16, via: B}]}\n"
		"  A: {run: [three], mounts: [{from: ., to: /z}], vlans: [{id: 9}],\n"
		"      routes: [{to: 10.6.0.0/16, via: 10.0.0.9}]}\n"
		"  B: {vlans: [], routes: [], router: yes}\n");
	settings = settings_of("A");
	ck_assert_uint_eq(settings->command_count, 1);
	ck_assert_str_eq(settings->commands[0].text, "three");
	ck_assert_uint_eq(settings->mount_count, 1);
	ck_assert_str_eq(settings->mounts[0].to, "/z");
	ck_assert_uint_eq(settings->interfaces[0].vlan_count, 1);
	ck_assert_uint_eq(settings->interfaces[0].vlans[0].id, 9);
	ck_assert_uint_eq(settings->interfaces[0].vlans[0].address_count, 0);
	ck_assert_uint_eq(settings->route_count, 1);
	route_is(&settings->routes[0], "10.6.0.0/16", "10.0.0.9", 0, 0);
	settings = settings_of("B");
	ck_assert_uint_eq(settings->command_count, 2);
	ck_assert_str_eq(settings->commands[1].text, "two 2");
	ck_assert_uint_eq(settings->mount_count, 2);
	ck_assert_uint_eq(settings->interfaces[0].vlan_count, 0);
	ck_assert_uint_eq(settings->route_count, 0);
}

/* what an entry with too long a list would replace is freed once */
TEST_RANGE(scenario_hosts_section__long_list_of_a_later_pattern, 0, 4)
{
	static const char *const keys[] = { "run", "mounts", "vlans", "routes" };
	char yaml[8000];

	snprintf(yaml, sizeof(yaml),
		 TWO "    A: s1\n    B: s2\n"
		     "hosts:\n"
		     "  '*': {run: [one], mounts: [{from: ., to: /x}], vlans: [{id: 7}],\n"
		     "        routes: [{to: 10.9.0.0/16, via: 10.0.0.9}]}\n"
		     "  A: {%s: [",
		 keys[_i]);
	for (unsigned i = 0; i < 2000; i++)
		strcat(yaml, "x, ");
	strcat(yaml, "x]}\n");
	ck_assert_int_eq(read_text("t.yaml", yaml), -EINVAL);
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_int_eq(strncmp(errors.texts[0], "t.yaml:12:", strlen("t.yaml:12:")), 0);
	ck_assert_ptr_nonnull(strstr(errors.texts[0], " at most "));
}

TEST(scenario_hosts__vlans_of_another_interface)
{
	const struct host_interface *interface;

	read_fine(TWO "    A: {switch: s1, interfaces: [{switch: s2, vlans:\n"
		      "        [{id: 7, addresses: [192.168.7.1/24]}, {id: 4094}]}]}\n");
	ck_assert_uint_eq(settings_of("A")->interfaces[0].vlan_count, 0);
	interface = &settings_of("A")->interfaces[1];
	ck_assert_uint_eq(interface->vlan_count, 2);
	ck_assert_uint_eq(interface->vlans[0].id, 7);
	ck_assert_uint_eq(interface->vlans[0].address_count, 1);
	address_is(&interface->vlans[0].addresses[0], "192.168.7.1/24");
	ck_assert_uint_eq(interface->vlans[1].id, 4094);
}

/* a router with @prefixes, and a host with @addresses that are not default ones.
 * Return: as scenario_read_file() */
static int many_read(unsigned prefixes, unsigned addresses)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int error;

	fputs(TWO "    R:\n      switch: s1\n      prefixes:\n", out);
	for (unsigned i = 0; i < prefixes; i++)
		fprintf(out, "      - 172.16.%u.%u\n", i / 256, i % 256);
	fputs("    A:\n      switch: s1\n      addresses:\n", out);
	for (unsigned i = 0; i < addresses; i++)
		fprintf(out, "      - 192.168.1.%u/24\n", i + 1);
	fclose(out);
	error = read_text("t.yaml", text);
	free(text);
	return error;
}

/* the most prefixes of a fabric, then one more; with addresses of hosts among them */
TEST(scenario_hosts__many_prefixes)
{
	ck_assert_int_eq(many_read(NODE_PREFIXES_MAX - 2, 2), 0);
	ck_assert_uint_eq(scenario.prefix_count, NODE_PREFIXES_MAX - 2);
	teardown();
	setup();
	ck_assert_int_eq(many_read(NODE_PREFIXES_MAX - 1, 3), -EINVAL);
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_str_eq(errors.texts[0],
			 "t.yaml:1037:9: a fabric has at most 1024 prefixes and addresses beside "
			 "the default ones");
	teardown();
	setup();
	ck_assert_int_eq(many_read(NODE_PREFIXES_MAX + 2, 1), -EINVAL);
	ck_assert_uint_ge(errors.count, 1);
	ck_assert_str_eq(errors.texts[0], "t.yaml:1034:9: a fabric has at most 1024 prefixes");
}

/* ---- the plan ---- */

/* the plan holds the settings after the scenario is freed; hosts that join have their own */
TEST(plan_hosts__held_and_widened)
{
	struct plan plan;
	int64_t node;

	read_fine(TWO "    A: {switch: s1, interfaces: [s2], user: x}\n    B: s2\n");
	ck_assert_int_eq(plan_make_real(&scenario, &plan, &errors), 0);
	scenario_free(&scenario);
	ck_assert_int_eq(plan_spare_make(&plan), 0);
	ck_assert_str_eq(plan_host_settings(&plan, 2)->user, "x");
	ck_assert_uint_eq(plan.hosts[2].interface, 1);
	ck_assert_ptr_eq(plan_host_interface(&plan, 2), &plan.hosts[0].settings->interfaces[1]);
	node = plan_spare_host(&plan, "C");
	ck_assert_int_ge(node, 0);
	address_is(&plan_host_interface(&plan, 3)->addresses[0], "10.0.0.4/8");
	ck_assert_uint_eq(plan.hosts[3].owner, 3);
	plan_spare_node_remove(&plan, (uint32_t)node);
	ck_assert_ptr_null(plan.hosts[3].settings);
	plan_free(&plan);
}
