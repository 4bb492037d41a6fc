/*  orchestrator/cli/cmd_show, plan_json: the tables of switches (TB-10): upward routes of trees,
 *  detours, groups of ports, prefixes; flow keys of hosts; tiers of links. As text and for
 *  programs. */
#include <jansson.h>

#include "orchestrator/cli/cmd_show.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

#define FILE_NAME "s.yaml"

static void setup(void)
{
	daemon_setup();
	ck_assert_int_eq(chdir(root), 0);
}

static void teardown(void)
{
	unlink(FILE_NAME);
	daemon_teardown();
}

/* the scenario with these sections */
static void scenario(const char *sections)
{
	FILE *file = fopen(FILE_NAME, "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "name: t\nrun: {duration: 1ms}\n%s", sections);
	ck_assert_int_eq(fclose(file), 0);
}

static void prints(const char *words, const char *text)
{
	char line[128];

	snprintf(line, sizeof(line), "show|" FILE_NAME "|%s", words);
	ck_assert_int_eq(command_run(cmd_show, line), 0);
	ck_assert_str_eq(printed, text);
	ck_assert_str_eq(said, "");
}

/* what is printed has @text */
static void has(const char *words, const char *text)
{
	char line[128];

	snprintf(line, sizeof(line), "show|" FILE_NAME "|%s", words);
	ck_assert_int_eq(command_run(cmd_show, line), 0);
	ck_assert_msg(strstr(printed, text) != NULL, "%s", printed);
}

/* the same of JSON without spaces; quotes of @text are single ones */
static void has_json(const char *words, const char *text)
{
	char line[128], *got;
	json_t *root_value;

	snprintf(line, sizeof(line), "show|" FILE_NAME "|%s|--json", words);
	ck_assert_int_eq(command_run(cmd_show, line), 0);
	root_value = json_loads(printed, 0, NULL);
	ck_assert_ptr_nonnull(root_value);
	got = json_dumps(root_value, JSON_COMPACT);
	for (char *at = got; *at; at++)
		*at = *at == '"' ? '\'' : *at;
	ck_assert_msg(strstr(got, text) != NULL, "%s", got);
	free(got);
	json_decref(root_value);
}

TEST_GROUP(show_tables, .setup = setup, .teardown = teardown);

/* a tree: the upper switches have no upward port, and no line of it */
TEST(show_tables__upward_routes)
{
	scenario("topology: {switches: [l1, l2, t1, t2], hosts: {h1: l1, h2: l2},\n"
		 "  links: [[l1, t1], [l1, t2], [l2, t1], [l2, t2]]}\n"
		 "routing: {choice: adaptive}\n");
	prints("routes", "switch l1, fabric address 1\n"
			 "  to l2 by port 1 (t1) port 2 (t2)\n"
			 "  to t1 by port 1 (t1)\n"
			 "  to t2 by port 2 (t2)\n"
			 "  upward by port 1 (t1) port 2 (t2)\n"
			 "switch l2, fabric address 2\n"
			 "  to l1 by port 1 (t1) port 2 (t2)\n"
			 "  to t1 by port 1 (t1)\n"
			 "  to t2 by port 2 (t2)\n"
			 "  upward by port 1 (t1) port 2 (t2)\n"
			 "switch t1, fabric address 3\n"
			 "  to l1 by port 0 (l1)\n"
			 "  to l2 by port 1 (l2)\n"
			 "  to t2 by port 0 (l1) port 1 (l2)\n"
			 "switch t2, fabric address 4\n"
			 "  to l1 by port 0 (l1)\n"
			 "  to l2 by port 1 (l2)\n"
			 "  to t1 by port 0 (l1) port 1 (l2)\n");
	has_json("routes", "{'dest':'t2','ports':[2],'peers':['t2']},"
			   "{'dest':'upward','ports':[1,2],'peers':['t1','t2']}],'detours':[],"
			   "'lids':[]},{'name':'l2','fabric_address':2,");
	has_json("routes", "{'name':'t1','fabric_address':3,'routes':["
			   "{'dest':'l1','ports':[0],'peers':['l1']},"
			   "{'dest':'l2','ports':[1],'peers':['l2']},"
			   "{'dest':'t2','ports':[0,1],'peers':['l1','l2']}],");
	has("config|l1", "  to t2 by port 2 (t2)\n  upward by port 1 (t1) port 2 (t2)\n  host h1");
}

/* @count switches with a host each around a switch without any */
static void star_of_switches(unsigned count)
{
	char text[2048] = "routing: {detour: always}\ntopology:\n  switches: [c";

	for (unsigned i = 1; i <= count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ", s%u", i);
	strcat(text, "]\n  hosts:\n");
	for (unsigned i = 1; i <= count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "    h%u: s%u\n", i, i);
	strcat(text, "  links:\n");
	for (unsigned i = 1; i <= count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "  - [c, s%u]\n", i);
	scenario(text);
}

/* eight are named, as text */
TEST(show_tables__detours)
{
	star_of_switches(3);
	prints("routes", "switch c, fabric address 1\n"
			 "  to s1 by port 0 (s1)\n"
			 "  to s2 by port 1 (s2)\n"
			 "  to s3 by port 2 (s3)\n"
			 "switch s1, fabric address 2\n"
			 "  to c by port 1 (c)\n"
			 "  to s2 by port 1 (c)\n"
			 "  to s3 by port 1 (c)\n"
			 "  upward by port 1 (c)\n"
			 "  detours by s2 s3\n"
			 "switch s2, fabric address 3\n"
			 "  to c by port 1 (c)\n"
			 "  to s1 by port 1 (c)\n"
			 "  to s3 by port 1 (c)\n"
			 "  upward by port 1 (c)\n"
			 "  detours by s1 s3\n"
			 "switch s3, fabric address 4\n"
			 "  to c by port 1 (c)\n"
			 "  to s1 by port 1 (c)\n"
			 "  to s2 by port 1 (c)\n"
			 "  upward by port 1 (c)\n"
			 "  detours by s1 s2\n");
	has_json("routes", "'detours':[],'lids':[]},{'name':'s1',");
	has_json("routes", "'detours':['s1','s2'],'lids':[]}]}");
	star_of_switches(9);
	has("routes", "\n  detours by s2 s3 s4 s5 s6 s7 s8 s9\nswitch s2,");
	star_of_switches(10);
	has("routes", "\n  detours by s2 s3 s4 s5 s6 s7 s8 s9 and 1 more\nswitch s2,");
	has("routes", "\n  detours by s1 s2 s3 s4 s5 s6 s7 s8 and 1 more\n");
	has_json("routes", "'detours':['s2','s3','s4','s5','s6','s7','s8','s9','s10'],'lids':[]}");
}

/* two links to the other switch: the ports of a group */
TEST(show_tables__groups_of_ports)
{
	scenario("fabric: port-group\n"
		 "topology: {switches: [a, b, c], hosts: {A: a, B: b},\n"
		 "  links: [[a, b], [a, b], [a, c], [c, b]]}\n");
	prints("routes", "switch a, fabric address 1\n"
			 "  to b by port 1 (b) port 2 (b)\n"
			 "  to c by port 3 (c)\n"
			 "  LID 1 (A) by port 0\n"
			 "  LID 2 (B) by port 2, group 1: 1 2\n"
			 "switch b, fabric address 2\n"
			 "  to a by port 1 (a) port 2 (a)\n"
			 "  to c by port 3 (c)\n"
			 "  LID 1 (A) by port 1, group 1: 1 2\n"
			 "  LID 2 (B) by port 0\n"
			 "switch c, fabric address 3\n"
			 "  to a by port 0 (a)\n"
			 "  to b by port 1 (b)\n"
			 "  LID 1 (A) by port 0\n"
			 "  LID 2 (B) by port 1\n");
	has_json("routes", "'lids':[{'dlid':'A','lid':1,'static_port':0,'group':0,'ports':[],"
			   "'peers':[]},{'dlid':'B','lid':2,'static_port':2,'group':1,"
			   "'ports':[1,2],'peers':['b','b']}]},{'name':'b',");
}

/* a longer path, which packets of other switches may not take: groups from 128 on */
TEST(show_tables__groups_for_hosts_alone)
{
	scenario("fabric: port-group\nport-group: {non-minimal: yes}\n"
		 "topology: {switches: [a, b, c], hosts: {A: a, B: b},\n"
		 "  links: [[a, b], [a, c], [c, b]]}\n");
	prints("routes",
	       "switch a, fabric address 1\n"
	       "  to b by port 1 (b)\n"
	       "  to c by port 2 (c)\n"
	       "  LID 1 (A) by port 0\n"
	       "  LID 2 (B) by port 1, group 128, for packets from hosts here alone: 1 2\n"
	       "switch b, fabric address 2\n"
	       "  to a by port 1 (a)\n"
	       "  to c by port 2 (c)\n"
	       "  LID 1 (A) by port 1, group 128, for packets from hosts here alone: 1 2\n"
	       "  LID 2 (B) by port 0\n"
	       "switch c, fabric address 3\n"
	       "  to a by port 0 (a)\n"
	       "  to b by port 1 (b)\n"
	       "  LID 1 (A) by port 0\n"
	       "  LID 2 (B) by port 1\n");
	has_json("routes", "{'dlid':'B','lid':2,'static_port':1,'group':128,'ports':[1,2],"
			   "'peers':['b','c']}]},{'name':'b',");
}

/* port groups of the same ports are not for hosts alone if all of them are shortest */
TEST(show_tables__shortest_groups_beside_those_for_hosts)
{
	scenario("fabric: port-group\nport-group: {non-minimal: yes}\n"
		 "topology: {switches: [a, b], hosts: {A: a, B: b}, links: [[a, b], [a, b]]}\n");
	has("routes", "  LID 2 (B) by port 2, group 1: 1 2\n");
}

TEST(show_tables__router_and_flow_key)
{
	scenario("topology:\n"
		 "  switches: [a, b]\n"
		 "  hosts:\n"
		 "    A: a\n"
		 "    B: {switch: b, prefixes: [10.9.0.0/16, 'fd99::/32'],\n"
		 "        flow-key: [destination-ip/24]}\n"
		 "  links: [{between: [a, b], tier: global}]\n");
	prints("hosts", "A at a port 0\n"
			"B at b port 0; flow key destination-ip/24\n");
	has("config|a", "  host A at a port 0\n"
			"  host B at b port 0\n"
			"  prefix 10.9.0.0/16 at host B\n"
			"  prefix fd99::/32 at host B\n");
	has_json("config|a", "'hosts':[{'name':'A','switch':'a','port':0},"
			     "{'name':'B','switch':'b','port':0}],"
			     "'prefixes':[{'prefix':'10.9.0.0','bits':16,'host':'B'},"
			     "{'prefix':'fd99::','bits':32,'host':'B'}]");
	has("nodes", "port 0   edge   -> A port 0  200.0 Gb/s, 1.000 us, MTU 4096, 2048 channels\n"
		     "  port 1   fabric -> b port 1  200.0 Gb/s, 1.000 us, MTU 4096, global, "
		     "2048 channels\n");
}
