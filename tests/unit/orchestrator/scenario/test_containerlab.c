/*  orchestrator/scenario/containerlab, containerlab_text: what a topology of containerlab becomes,
 *  and what is left out (DU-3). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/containerlab_text.h"
#include "tests/testing.h"

static struct containerlab lab;
static struct scenario_errors errors;
static char *written;

static void setup(void)
{
	lab = (struct containerlab){ 0 };
	errors = (struct scenario_errors){ 0 };
	written = NULL;
}

static void teardown(void)
{
	containerlab_free(&lab);
	scenario_errors_free(&errors);
	free(written);
}

TEST_GROUP(containerlab, .setup = setup, .teardown = teardown);

/* imports @text; the result is a scenario that can be read */
static void import_with(const char *text, struct containerlab_options options)
{
	struct scenario_errors wrong = { 0 };
	struct scenario scenario;
	size_t length;
	FILE *out;

	ck_assert_msg(!containerlab_read("l.yml", text, strlen(text), &lab, &errors), "%s",
		      errors.count ? errors.texts[0] : "");
	out = open_memstream(&written, &length);
	ck_assert_int_eq(containerlab_text(&lab, &options, out), 0);
	fclose(out);
	ck_assert_msg(!scenario_read_memory("out", written, length, NULL, 0, &scenario, &wrong),
		      "%s\n%s", wrong.count ? wrong.texts[0] : "", written);
	scenario_free(&scenario);
	scenario_errors_free(&wrong);
}

static void import(const char *text)
{
	import_with(text, (struct containerlab_options){ .folder = "" });
}

static void has(const char *part)
{
	ck_assert_msg(strstr(written, part) != NULL, "no '%s' in:\n%s", part, written);
}

static void has_not(const char *part)
{
	ck_assert_msg(strstr(written, part) == NULL, "'%s' in:\n%s", part, written);
}

static void left_out(unsigned count, const char *says)
{
	ck_assert_uint_eq(lab.left_out.count, count);
	if (count)
		ck_assert_msg(strstr(lab.left_out.texts[count - 1], says) != NULL, "%s",
			      lab.left_out.texts[count - 1]);
}

#define NODES "name: t\ntopology:\n  nodes:\n"
#define TWO NODES "    a: {kind: linux}\n    b: {kind: linux}\n"

TEST(containerlab__link_becomes_a_switch)
{
	import(TWO "  links:\n    - endpoints: ['a:eth1', 'b:eth1']\n");
	has("    - mgmt    # the management network\n    - a-b\n");
	has("    a:\n      switch: mgmt\n      addresses: [172.20.20.2/24]\n      interfaces:\n"
	    "        - {switch: a-b}    # eth1 to b:eth1\n");
	has("addresses: [172.20.20.3/24]");
	has_not("router");
	left_out(0, "");
}

/* a node with several links forwards between them, as in a container of Docker */
TEST(containerlab__several_links_forward)
{
	import(TWO "    c: {kind: linux}\n  links:\n    - endpoints: ['a:eth1', 'b:eth1']\n"
		   "    - endpoints: ['b:eth2', 'c:eth1']\n");
	has("        - {switch: b-c}    # eth2 to c:eth1\n      router: yes");
	has_not("a:eth1\n      router: yes");
}

TEST(containerlab__second_link_between_two_nodes)
{
	import(TWO "  links:\n    - endpoints: ['a:eth1', 'b:eth1']\n"
		   "    - endpoints: ['a:eth2', 'b:eth2']\n");
	has("    - a-b\n    - link-1\n");
	has("        - {switch: link-1}    # eth2 to b:eth2\n");
}

/* also a link in the long form */
TEST(containerlab__bridge_is_a_switch)
{
	import(TWO "    s: {kind: bridge}\n    o: {kind: ovs-bridge}\n  links:\n"
		   "    - endpoints: ['a:eth1', 's:p1']\n"
		   "    - type: veth\n      endpoints:\n        - {node: b, interface: eth1}\n"
		   "        - {node: o, interface: p1}\n"
		   "    - endpoints: ['s:p2', 'o:p2']\n");
	has("    - s    # a bridge\n    - o    # a bridge\n");
	has("- {switch: s}    # eth1\n");
	has("- {switch: o}    # eth1\n");
	has("  links:\n    - [s, o]\n");
	left_out(0, "");
}

TEST(containerlab__interfaces_keep_names)
{
	import(TWO "  links:\n    - endpoints: ['a:eth10', 'b:eth1']\n"
		   "    - endpoints: ['a:eth2', 'b:eth2']\n    - endpoints: ['a:x', 'b:eth3']\n");
	has("# eth2 to b:eth2\n        - {switch: a-b}    # eth10 to b:eth1\n        - {switch: "
	    "link-2}    # x to b:eth3\n");
	has("        - |-\n          ip link set eth3 down && ip link set eth3 name x && ip link "
	    "set "
	    "x up\n"
	    "          ip link set eth2 down && ip link set eth2 name eth10 && ip link set eth10 "
	    "up\n"
	    "          ip link set eth1 down && ip link set eth1 name eth2 && ip link set eth2 "
	    "up\n");
}

TEST(containerlab__inheritance)
{
	import("topology:\n  defaults: {kind: linux, image: d, user: d, env: {A: d, B: d, C: d, D: "
	       "d}}\n"
	       "  kinds: {linux: {image: k, exec: [k1], env: {B: k, C: k, D: k}}}\n"
	       "  groups: {g: {image: g, exec: [g1], env: {C: g, D: g}}}\n"
	       "  nodes:\n    a: {group: g, image: n, exec: [n1], env: {D: n}}\n    b: {}\n");
	has("      image: n\n      user: d\n      env:\n        A: d\n        B: k\n        C: g\n "
	    "  "
	    "     D: n\n");
	has("        - |-\n          k1\n          g1\n          n1\n");
	has("      image: k\n      user: d\n      env:\n        A: d\n        B: k\n");
	left_out(2, "the image's own program of 'b' is left out");
}

/* the longest name that a fabric may have is kept, one more letter is not */
TEST_RANGE(containerlab__name, 0, 5)
{
	static const struct {
		const char *name, *becomes;
	} names[] = {
		{ "a", "a" },
		{ "abcdefghijklmnopqrstuvwxyz-1234", "abcdefghijklmnopqrstuvwxyz-1234" },
		{ "abcdefghijklmnopqrstuvwxyz-12345", "lab" },
		{ "a/b", "lab" },
		{ ".a", "lab" },
	};
	char text[400], line[80];

	snprintf(text, sizeof(text),
		 "name: %s\ntopology:\n  nodes:\n    a: {kind: linux}\n"
		 "    b: {kind: linux}\n  links: [{endpoints: ['a:e1', 'b:e1']}]\n",
		 names[_i].name);
	import(text);
	snprintf(line, sizeof(line), "name: %s\n", names[_i].becomes);
	has(line);
	left_out(_i >= 2, "the name: a fabric's has 1 to 31 letters, digits, '_', '.' or '-'");
}

/* the name of an interface, such as b.eth1, is a name as well; programs look up that of a host */
TEST_RANGE(containerlab__name_of_a_host, 0, 5)
{
	static const char *const names[] = { "abcdefghijklmnopqrstuvwxy",
					     "abcdefghijklmnopqrstuvwxyz", "10.0.0.7", "localhost",
					     "-b" };
	static const char *const reasons[] = { NULL, "has 1 to 25 letters", "is no address",
					       "is no address", "no '-' first" };
	char text[400];

	snprintf(text, sizeof(text),
		 "name: t\ntopology:\n  nodes:\n    a: {kind: linux}\n    '%s': {kind: linux}\n"
		 "    c: {kind: linux}\n  links: [{endpoints: ['a:e1', 'c:e1']}]\n",
		 names[_i]);
	import(text);
	left_out(reasons[_i] ? 1 : 0, reasons[_i]);
}

TEST(containerlab__anchors)
{
	import("x-a: &n {kind: linux, env: {A: 1}}\ntopology:\n  nodes:\n    a: *n\n"
	       "    b: {<<: *n, user: u}\n");
	has("    b:\n      switch: mgmt\n      addresses: [172.20.20.3/24]\n      user: u\n      "
	    "env:\n        A: 1\n");
	left_out(0, "");
}

TEST(containerlab__management_addresses)
{
	import("mgmt: {network: n, ipv4-subnet: 10.9.0.0/28}\n" TWO
	       "    c: {kind: linux, mgmt-ipv4: 10.9.0.2}\n    d: {kind: linux, mgmt_ipv4: "
	       "10.9.0.3}\n");
	has("    a:\n      switch: mgmt\n      addresses: [10.9.0.4/28]\n");
	has("    c:\n      switch: mgmt\n      addresses: [10.9.0.2/28]\n");
	has("    d:\n      switch: mgmt\n      addresses: [10.9.0.3/28]\n");
	left_out(0, "");
}

TEST(containerlab__no_management_network)
{
	import(TWO "    c: {kind: linux, network-mode: none}\n  links:\n"
		   "    - endpoints: ['a:eth1', 'c:eth1']\n");
	has("    c:\n      switch: a-c\n      run:\n        - |-\n          ip address flush dev "
	    "eth0\n          ip link set eth0 down && ip link set eth0 name eth1 &&");
	left_out(0, "");
}

TEST(containerlab__files_limits_and_command)
{
	import_with(NODES "    a:\n      kind: linux\n      image: img:1\n      memory: 512mb\n"
			  "      binds: ['/etc:/mnt:ro', './etc:/x', 'etc:/y', '$HOME:/x']\n"
			  "      dns: {servers: [10.0.0.53]}\n      cmd: sleep 'in f'\n",
		    (struct containerlab_options){ .folder = "/" });
	has("      image: \"img:1\"\n      mounts:\n        - {from: /etc, to: /mnt, read-only: "
	    "yes}\n"
	    "        - {from: /./etc, to: /x}\n        - {from: /etc, to: /y}\n      limits: "
	    "{memory: 512000000B}\n"
	    "      dns: ['10.0.0.53']\n      run:\n        - \"exec sleep 'in f'\"\n");
	left_out(1, "l.yml:8:54: '$HOME:/x' is left out");
}

/* paths of containerlab: in the home folder, and with the name of the node */
TEST(containerlab__places_of_files)
{
	setenv("HOME", "/etc", 1);
	import_with(NODES
		    "    etc:\n      kind: linux\n"
		    "      binds: ['~/hosts:/f', '__clabNodeName__/hosts:/c:rw', '~you/f:/f',\n"
		    "              '__clabDir__/x:/x', '/x:/y:z', '/x', ':/y', '/x:y']\n",
		    (struct containerlab_options){ .folder = "/" });
	has("      mounts:\n        - {from: /etc/hosts, to: /f}\n"
	    "        - {from: /etc/hosts, to: /c}\n");
	has_not("{from: /x");
	left_out(6, "'/x:y' is left out");
}

TEST(containerlab__no_images)
{
	import_with(NODES "    a: {kind: linux, image: i, exec: [true]}\n",
		    (struct containerlab_options){ .folder = "", .no_images = true });
	has_not("image");
	left_out(0, "");
}

static const struct {
	const char *nodes, *says;
} omitted[] = {
	{ "    r: {kind: srl}\n", "l.yml:6:5: node 'r' of kind 'srl' is left out" },
	{ "    r: {}\n", "node 'r' of kind '' is left out" },
	{ "    'a b': {kind: linux}\n", "node 'a b' is left out" },
	{ "    r: {kind: linux, ports: ['80:80']}\n", "'ports' is left out: a port of a host" },
	{ "    r: {kind: linux, wizardry: 1}\n", "'wizardry' is left out" },
	{ "    r: {kind: linux, network-mode: host}\n", "network-mode 'host' of 'r'" },
	{ "    r: {kind: linux, exec: [\"echo 'x\"]}\n", "a quote lacks its end" },
	{ "    r: {kind: linux, memory: lots}\n", "'memory' is left out" },
	{ "    r: {kind: linux, env: {A: [1]}}\n", "expected a text" },
	{ "  links: [{endpoints: ['a:eth1', 'z:eth1']}]\n", "there is no node 'z'" },
	{ "  links: [{endpoints: ['a:eth1', 'a:eth2']}]\n", "both ends are 'a'" },
	{ "  links: [{endpoints: ['a:eth1']}]\n", "expected 'endpoints' with two ends" },
	{ "  links: [{endpoints: [a, b]}]\n", "expected an end such as" },
	{ "  links: [{type: host, endpoints: ['a:e', 'b:e']}]\n", "its type is 'host'" },
	{ "  links: [{endpoints: ['a:e e', 'b:e']}]\n", "'e e' is no name of an interface" },
	{ "  links: [{endpoints: ['a:e', 'b:e'], mtu: 9000}]\n", "'mtu' is left out" },
	{ "  links: none\n", "'links' is left out: it is no list" },
	{ "prefix: x\n", "'prefix' is left out" },
	{ "mgmt: {ipv4-subnet: auto}\n", "the management network is 172.20.20.0/24" },
};

TEST_RANGE(containerlab__left_out_with_its_line, 0, sizeof(omitted) / sizeof(omitted[0]))
{
	char text[512];

	snprintf(text, sizeof(text), TWO "%s", omitted[_i].nodes);
	import(text);
	left_out(1, omitted[_i].says);
	has("# Left out:\n#   l.yml:");
}

TEST(containerlab__interface_twice)
{
	import(TWO "  links:\n    - endpoints: ['a:eth1', 'b:eth1']\n"
		   "    - endpoints: ['a:eth1', 'b:eth2']\n");
	left_out(1, "l.yml:8:7: this link is left out: a:eth1 has one");
}

static const struct {
	const char *text, *says;
} refused[] = {
	{ "", "it has no 'topology' with 'nodes'" },
	{ "topology: {nodes: [a]}\n", "it has no 'topology' with 'nodes'" },
	{ "topology: {nodes: {a: {kind: srl}}}\n", "there is no node of kind linux" },
	{ "a: [\n", "this is not YAML" },
};

TEST_RANGE(containerlab_read__is_no_such_file, 0, sizeof(refused) / sizeof(refused[0]))
{
	ck_assert_int_eq(containerlab_read("l.yml", refused[_i].text, strlen(refused[_i].text),
					   &lab, &errors),
			 -EINVAL);
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_msg(strstr(errors.texts[0], refused[_i].says) != NULL, "%s", errors.texts[0]);
}

static const struct {
	const char *text, *words;
} command_lines[] = {
	{ "ip  address add 10.0.0.1/24 dev eth1 ", "ip address add 10.0.0.1/24 dev eth1" },
	{ "sh -c \"echo $A | cat\"", "sh -c 'echo $A | cat'" },
	{ "a; b && c > d $E *", "'a;' b '&&' c '>' d '$E' '*'" },
	{ "echo 'it'\\''s' \"a \\\" b\" ''", "echo 'it'\\''s' 'a \" b' ''" },
	{ "", "" },
};

TEST_RANGE(containerlab_words__no_shell, 0, sizeof(command_lines) / sizeof(command_lines[0]))
{
	char words[128] = "";
	FILE *out = fmemopen(words, sizeof(words), "w");

	ck_assert_int_eq(containerlab_words(command_lines[_i].text, out), 0);
	fclose(out);
	ck_assert_str_eq(words, command_lines[_i].words);
}

/* a name that sorts before ethN moves those after it: no name may be in use when it is given */
TEST(containerlab__interface_names_that_trade_places)
{
	import("name: l\ntopology:\n  nodes: {h1: {kind: linux}, h2: {kind: linux}}\n"
	       "  links:\n    - endpoints: ['h1:ens3', 'h2:eth1']\n"
	       "    - endpoints: ['h1:eth1', 'h2:eth2']\n");
	has("          ip link set eth1 down && ip link set eth1 name made1\n"
	    "          ip link set eth2 down && ip link set eth2 name made2\n"
	    "          ip link set made2 down && ip link set made2 name eth1 && ip link set eth1 "
	    "up\n"
	    "          ip link set made1 down && ip link set made1 name ens3 && ip link set ens3 "
	    "up\n");
}

/* a bridge all of whose links are left out is, too: the scenario is complete without it */
TEST(containerlab__bridge_without_a_link)
{
	import("name: l\ntopology:\n  nodes: {h1: {kind: linux}, h2: {kind: linux}, br1: {kind: "
	       "bridge}, x: {kind: other}}\n"
	       "  links:\n    - endpoints: ['h1:eth1', 'h2:eth1']\n"
	       "    - endpoints: ['br1:p1', 'x:e1']\n");
	has("bridge 'br1' is left out: it has no link to a host");
	has_not("- br1");
}

/* more nodes than a switch has ports: said once, where there is one too many */
TEST(containerlab__management_network_has_64_ports)
{
	char text[4000] = "name: l\ntopology:\n  nodes:\n";

	for (unsigned i = 0; i < 67; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "    h%u: {kind: linux}\n", i);
	import(text);
	left_out(1, "which has 64 ports");
}

TEST(containerlab__characters_that_are_not_printable)
{
	import(TWO "    c: {kind: linux, env: {A: \"x\\x01y\", B: \"\\xe9\"}}\n");
	has("        A: \"x?y\"\n        B: \"\xc3\xa9\"\n");
	left_out(1, "l.yml:6:32: characters that are not printable have become '?'");
}

/* the most nodes that are read, and one more */
TEST_RANGE(containerlab_read__many_nodes, 4096, 4098)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int error;

	fputs(NODES, out);
	for (int i = 0; i < _i; i++)
		fprintf(out, "    h%d: {kind: linux}\n", i);
	fclose(out);
	error = containerlab_read("l.yml", text, length, &lab, &errors);
	free(text);
	ck_assert_int_eq(error, _i == 4096 ? 0 : -EINVAL);
	ck_assert_uint_eq(errors.count, _i == 4096 ? 0 : 1);
	if (error)
		ck_assert_ptr_nonnull(strstr(errors.texts[0], "these are more than 4096 nodes"));
}

/* the first links of a host count */
TEST(containerlab__interfaces_of_a_host)
{
	const unsigned most = sizeof(lab.nodes->interfaces) / sizeof(lab.nodes->interfaces[0]);
	char text[4000] = NODES "    a: {kind: linux}\n    b: {kind: linux}\n  links:\n", line[80];

	for (unsigned i = 0; i <= most; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "    - endpoints: ['a:p%u', 'b:p%u']\n", i, i);
	import(text);
	snprintf(line, sizeof(line), "this link is left out: host 'a' has %u already, the most",
		 most);
	left_out(1, line);
	snprintf(line, sizeof(line), "# p%u to b:p%u\n", most - 1, most - 1);
	has(line);
	snprintf(line, sizeof(line), "# p%u to b:p%u\n", most, most);
	has_not(line);
}

/* a script whose lines begin with a space is no block of lines */
TEST(containerlab__command_of_several_lines)
{
	import(NODES "    a: {kind: linux, exec: [\"sh -c 'a\\n b'\"]}\n"
		     "    b: {kind: linux, exec: [\"sh -c 'a\\nb'\"]}\n");
	has("    a:\n      switch: mgmt\n      addresses: [172.20.20.2/24]\n      run:\n"
	    "        - \"sh -c 'a\\n b'\"\n");
	has("      run:\n        - |-\n          sh -c 'a\n          b'\n");
	left_out(0, "");
}

/* `exec` may be one command; the words of `cmd` follow those of the entry point */
TEST(containerlab__commands_of_a_host)
{
	import(NODES "    a: {kind: linux, exec: date -u, entrypoint: a 'b c', cmd: d}\n"
		     "    b: {kind: linux, entrypoint: e}\n    c: {kind: linux, exec: ''}\n");
	has("        - |-\n          date -u\n          set -- a 'b c'\n          exec \"$@\" d\n");
	has("        - \"exec e\"\n    c:\n      switch: mgmt\n      addresses: "
	    "[172.20.20.4/24]\n");
	left_out(0, "");
}

TEST(containerlab__name_servers)
{
	import(NODES "    a: {kind: linux, dns: {servers: ['2001:db8::1', none, 10.0.0.1]}}\n"
		     "    b: {kind: linux, dns: {servers: [none]}}\n");
	has("      dns: ['2001:db8::1', '10.0.0.1']\n    b:\n      switch: mgmt\n"
	    "      addresses: [172.20.20.3/24]\n");
	left_out(0, "");
}

TEST_RANGE(containerlab__other_keys_of_name_servers, 0, 3)
{
	static const char *const keys[] = { "{servers: [10.0.0.1], search: [x]}", "{}", "[x]" };
	char text[200];

	snprintf(text, sizeof(text), NODES "    a: {kind: linux, dns: %s}\n", keys[_i]);
	import(text);
	left_out(1, "l.yml:4:27: of 'dns' only 'servers' can be imported");
	if (_i)
		has_not("      dns:");
	else
		has("      dns: ['10.0.0.1']\n");
}

/* without the first address, the gateway's, and the last one */
TEST(containerlab__management_network_is_full)
{
	char text[1000] = "mgmt: {ipv4_subnet: 192.168.7.0/28}\n" NODES;

	for (unsigned i = 0; i < 14; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "    h%u: {kind: linux}\n", i);
	import(text);
	left_out(1, "'h13' has a default address: the management network is full");
	has("addresses: [192.168.7.2/28]\n");
	has("addresses: [192.168.7.14/28]\n    h13:\n      switch: mgmt\n");
	has_not("[192.168.7.15/28]");
}

/* those that are not named are counted */
TEST_RANGE(containerlab__many_parts_are_left_out, (int)SCENARIO_ERRORS_MAX,
	   (int)SCENARIO_ERRORS_MAX + 2)
{
	char text[4000] = TWO, line[80];

	for (int i = 0; i < _i; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "key-%d-: x\n", i);
	import(text);
	ck_assert_uint_eq(lab.left_out.count, _i);
	snprintf(line, sizeof(line), "'key-%d-' is left out", SCENARIO_ERRORS_MAX - 1);
	has(line);
	snprintf(line, sizeof(line), "'key-%d-' is left out", SCENARIO_ERRORS_MAX);
	has_not(line);
	if (_i > (int)SCENARIO_ERRORS_MAX)
		has("#   and 1 more\nname: t\n");
	else
		has_not("more\nname:");
}
