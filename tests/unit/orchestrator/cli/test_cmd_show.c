/*  orchestrator/cli/cmd_show, plan_json: the plan of a scenario, as text and for programs (TB-10),
 *  of small fabrics of each kind; what is asked of a running fabric. */
#include "orchestrator/cli/cmd_show.h"

#include <jansson.h>

#include "orchestrator/command/client.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

static const struct {
	const char *name, *text;
} scenarios[] = {
	{ "two.yaml", "name: two\n"
		      "about: \"two hosts. More.\"\n"
		      "run: {duration: 1ms, warmup: 100us}\n"
		      "topology: {switches: [s1, s2], hosts: {h1: s1, h2: s2}, links: [[s1, s2]]}\n"
		      "links: {rate: 100Gb/s, delay: 1us}\n"
		      "workloads: [{name: w, pattern: pairs, pairs: [[h1, h2]], size: 64kB}]\n"
		      "expect: [\"goodput >= 1Gb/s\"]\n" },
	{ "roce.yaml",
	  "name: r\n"
	  "run: {duration: 1ms}\n"
	  "fabric: roce\n"
	  "topology: {switches: [s1], hosts: {h1: s1, h2: s1, h3: s1, h4: s1, h5: s1, h6: s1, h7: "
	  "s1, h8: s1, h9: s1, h10: s1}}\n"
	  "workloads: [{name: w, pattern: all-to-all, size: 4kB, start: 1us, stop: 5us}]\n" },
	{ "lids.yaml", "name: p\n"
		       "run: {duration: 1ms, drain: no}\n"
		       "fabric: port-group\n"
		       "topology: {switches: [a, b, c], hosts: {A: a, B: b}, links: [[a, b], [a, "
		       "c], [c, b]]}\n" },
	{ "pauses.yaml",
	  "name: p\n"
	  "run: {duration: 1ms}\n"
	  "topology: {switches: [s1], hosts: {h1: s1}}\n"
	  "pauses: [{host: h1, start: 100us, stop: 300us, every: 20us, for: 15us}]\n" },
};

/* the scenarios are in the working folder */
static void setup(void)
{
	daemon_setup();
	ck_assert_int_eq(chdir(root), 0);
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		FILE *file = fopen(scenarios[i].name, "w");

		ck_assert_ptr_nonnull(file);
		fputs(scenarios[i].text, file);
		fclose(file);
	}
}

static void teardown(void)
{
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		unlink(scenarios[i].name);
	daemon_teardown();
}

static void prints(const char *line, const char *text)
{
	ck_assert_int_eq(command_run(cmd_show, line), 0);
	ck_assert_str_eq(printed, text);
	ck_assert_str_eq(said, "");
}

static void has(const char *line, const char *text)
{
	ck_assert_int_eq(command_run(cmd_show, line), 0);
	ck_assert_msg(strstr(printed, text) != NULL, "%s", printed);
}

static void prints_json(const char *line, const char *text)
{
	json_t *expected = json_loads(text, 0, NULL), *got;

	ck_assert_ptr_nonnull(expected);
	ck_assert_int_eq(command_run(cmd_show, line), 0);
	got = json_loads(printed, 0, NULL);
	ck_assert_ptr_nonnull(got);
	ck_assert_msg(json_equal(got, expected), "%s", printed);
	json_decref(got);
	json_decref(expected);
}

static void is_wrong(const char *line, const char *sentence)
{
	ck_assert_int_eq(command_run(cmd_show, line), 2);
	ck_assert_str_eq(printed, "");
	ck_assert_str_eq(said, sentence);
}

TEST_GROUP(cmd_show, .setup = setup, .teardown = teardown);

TEST(cmd_show__flow_channels)
{
	prints("show|two.yaml|summary",
	       "scenario   two, seed 1\n"
	       "fabric     2 switches, 2 hosts, 3 links\n"
	       "time       1.000 ms, measured from 100.0 us, then drained; time step 1.350 us\n"
	       "workload   w: packets of 4096 bytes, class 0\n"
	       "expects    goodput >= 1Gb/s\n"
	       "paths         static, one lane for each class\n");
	prints("show|two.yaml|nodes",
	       "switch s1\n"
	       "  port 0   edge   -> h1 port 0  100.0 Gb/s, 1.000 us, MTU 4096, 2048 channels\n"
	       "  port 1   fabric -> s2 port 1  100.0 Gb/s, 1.000 us, MTU 4096, 2048 channels\n"
	       "switch s2\n"
	       "  port 0   edge   -> h2 port 0  100.0 Gb/s, 1.000 us, MTU 4096, 2048 channels\n"
	       "  port 1   fabric -> s1 port 1  100.0 Gb/s, 1.000 us, MTU 4096, 2048 channels\n"
	       "nic h1\n"
	       "  port 0   edge   -> s1 port 0  100.0 Gb/s, 1.000 us, MTU 4096, 2048 channels\n"
	       "nic h2\n"
	       "  port 0   edge   -> s2 port 0  100.0 Gb/s, 1.000 us, MTU 4096, 2048 channels\n");
	prints("show|two.yaml|links",
	       "0    h1 port 0 - s1 port 0  100.0 Gb/s, 1.000 us, MTU 4096\n"
	       "1    h2 port 0 - s2 port 0  100.0 Gb/s, 1.000 us, MTU 4096\n"
	       "2    s1 port 1 - s2 port 1  100.0 Gb/s, 1.000 us, MTU 4096\n");
	prints("show|two.yaml|routes", "switch s1, fabric address 1\n"
				       "  to s2 by port 1 (s2)\n"
				       "switch s2, fabric address 2\n"
				       "  to s1 by port 1 (s1)\n");
	prints("show|two.yaml|hosts", "h1 at s1 port 0\n"
				      "  w: messages of 64.00 kB from 0 ps to 1.000 ms, to h2\n"
				      "h2 at s2 port 0\n");
	has("show|two.yaml|config|s1",
	    "  class 0 best-effort: at least 0.0 %, at most 100.0 %\n"
	    "  port 0   edge   -> h1 port 0  100.0 Gb/s, 1.000 us, MTU 4096, 2048 channels\n"
	    "  port 1   fabric -> s2 port 1  100.0 Gb/s, 1.000 us, MTU 4096, 2048 channels\n"
	    "  fabric address 1, latency 350.0 ns, cut-through, arbiter by flow, output queue 128 "
	    "units\n"
	    "  ACK timers 30.00 ns, 60.00 ns, 90.00 ns, collect 16\n"
	    "  to s2 by port 1 (s2)\n"
	    "  host h1 at s1 port 0\n"
	    "  host h2 at s2 port 0\n");
	has("show|two.yaml|config|h1",
	    "  class 0 best-effort: at least 0.0 %, at most 100.0 %\n"
	    "  port 0   edge   -> s1 port 0  100.0 Gb/s, 1.000 us, MTU 4096, 2048 channels\n"
	    "  host 0, latency 500.0 ns, up to 1 flows and 65536 logged messages\n"
	    "  w: messages of 64.00 kB from 0 ps to 1.000 ms, to h2\n");
	has("show|two.yaml", "scenario   two, seed 1\n");
	has("show|two.yaml|config|s1", "switch s1, node 0 of 4, seed ");
	has("show|two.yaml|config|s1", ", measures from 100.0 us to 1.000 ms\n");
}

TEST(cmd_show__flow_channels_for_programs)
{
	prints_json(
		"show|two.yaml|summary|--json",
		"{\"scenario\":\"two\",\"seed\":\"1\",\"fabric\":\"flow-channel\",\"switches\":2,"
		"\"hosts"
		"\":2,\"links\":3,\"duration_ps\":1000000000,\"warmup_ps\":100000000,\"drain\":t"
		"rue,\"lookahead_ps\":1350000,\"workloads\":[{\"name\":\"w\",\"packet_bytes\":409"
		"6,\"class\":0}],\"expects\":[\"goodput >= 1Gb/s\"]}");
	prints_json(
		"show|two.yaml|nodes|--json",
		"{\"nodes\":[{\"name\":\"s1\",\"kind\":\"switch\",\"ports\":[{\"port\":0,\"kind\":"
		"\"edge"
		"\",\"peer\":\"h1\",\"peer_port\":0,\"rate_bps\":100000000000,\"delay_ps\":1000000"
		",\"mtu_bytes\":4096},{\"port\":1,\"kind\":\"fabric\",\"peer\":\"s2\",\"peer_"
		"port\":1"
		",\"rate_bps\":100000000000,\"delay_ps\":1000000,\"mtu_bytes\":4096}]},{\"name"
		"\":\"s2\",\"kind\":\"switch\",\"ports\":[{\"port\":0,\"kind\":\"edge\",\"peer\":"
		"\"h2\",\"p"
		"eer_port\":0,\"rate_bps\":100000000000,\"delay_ps\":1000000,\"mtu_bytes\":409"
		"6},{\"port\":1,\"kind\":\"fabric\",\"peer\":\"s1\",\"peer_port\":1,\"rate_bps\":"
		"1000"
		"00000000,\"delay_ps\":1000000,\"mtu_bytes\":4096}]},{\"name\":\"h1\",\"kind\":\"n"
		"ic\",\"ports\":[{\"port\":0,\"kind\":\"edge\",\"peer\":\"s1\",\"peer_port\":0,"
		"\"rate_b"
		"ps\":100000000000,\"delay_ps\":1000000,\"mtu_bytes\":4096}]},{\"name\":\"h2\",\""
		"kind\":\"nic\",\"ports\":[{\"port\":0,\"kind\":\"edge\",\"peer\":\"s2\",\"peer_"
		"port\":0"
		",\"rate_bps\":100000000000,\"delay_ps\":1000000,\"mtu_bytes\":4096}]}]}");
	prints_json(
		"show|two.yaml|links|--json",
		"{\"links\":[{\"a\":\"h1\",\"port_a\":0,\"b\":\"s1\",\"port_b\":0,\"rate_bps\":"
		"10000000"
		"0000,\"delay_ps\":1000000,\"mtu_bytes\":4096},{\"a\":\"h2\",\"port_a\":0,\"b\":"
		"\"s2"
		"\",\"port_b\":0,\"rate_bps\":100000000000,\"delay_ps\":1000000,\"mtu_bytes\":40"
		"96},{\"a\":\"s1\",\"port_a\":1,\"b\":\"s2\",\"port_b\":1,\"rate_bps\":"
		"100000000000,\""
		"delay_ps\":1000000,\"mtu_bytes\":4096}]}");
	prints_json("show|two.yaml|routes|--json", "{\"switches\":[{\"name\":\"s1\",\"fabric_"
						   "address\":1,\"routes\":[{\"dest\":\"s2\",\"p"
						   "orts\":[1],\"peers\":[\"s2\"]}],\"detours\":[],"
						   "\"lids\":[]},{\"name\":\"s2\",\"fabri"
						   "c_address\":2,\"routes\":[{\"dest\":\"s1\","
						   "\"ports\":[1],\"peers\":[\"s1\"]}],\"deto"
						   "urs\":[],\"lids\":[]}]}");
	prints_json(
		"show|two.yaml|hosts|--json",
		"{\"hosts\":[{\"name\":\"h1\",\"switch\":\"s1\",\"port\":0,\"workloads\":[{"
		"\"name\":\"w\""
		",\"message_bytes\":64000,\"start_ps\":0,\"stop_ps\":1000000000,\"to\":[\"h2\"]}]"
		",\"pauses\":[]},{\"name\":\"h2\",\"switch\":\"s2\",\"port\":0,\"workloads\":[],"
		"\"paus"
		"es\":[]}]}");
}

/* those of nodes are drawn from all 64 bits: as many are above 2^63 as not */
TEST(cmd_show__seeds_for_programs_have_no_sign)
{
	static const char *const nodes[] = { "s1", "s2", "h1", "h2" };
	unsigned large = 0;

	has("show|two.yaml|summary|--set|seed=9223372036854775807|--json",
	    "\"seed\": \"9223372036854775807\"");
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		char line[64], text[64];
		unsigned long long seed;

		snprintf(line, sizeof(line), "show|two.yaml|config|%s", nodes[i]);
		has(line, "of 4, seed ");
		seed = strtoull(strstr(printed, ", seed ") + strlen(", seed "), NULL, 10);
		large += seed >> 63;
		snprintf(line, sizeof(line), "show|two.yaml|config|%s|--json", nodes[i]);
		snprintf(text, sizeof(text), "\"seed\": \"%llu\"", seed);
		has(line, text);
	}
	ck_assert_uint_gt(large, 0);
}

TEST(cmd_show__pauses_of_a_link)
{
	prints("show|pauses.yaml|hosts", "h1 at s1 port 0\n"
					 "  pauses its link from 100.0 us to 300.0 us, for 15.00 "
					 "us of every 20.00 us: classes best-effort\n");
	prints_json("show|pauses.yaml|hosts|--json",
		    "{\"hosts\":[{\"name\":\"h1\",\"switch\":\"s1\",\"port\":0,\"workloads\":[],"
		    "\"pauses\":"
		    "[{\"start_ps\":100000000,\"stop_ps\":300000000,\"for_ps\":15000000,\"every_ps"
		    "\":20000000,\"classes\":[\"best-effort\"]}]}]}");
}

TEST(cmd_show__roce)
{
	has("show|roce.yaml|summary",
	    "scenario   r, seed 1\n"
	    "fabric     roce, 1 switch, 10 hosts, 10 links\n"
	    "time       1.000 ms, measured from 0 ps, then drained; time step 1.350 us\n"
	    "workload   w: packets of 4154 bytes, class 0\n");
	has("show|roce.yaml|hosts", "h1 at s1 port 0\n"
				    "  w: messages of 4.000 kB from 1.000 us to 5.000 us, to h2 h3 "
				    "h4 h5 h6 h7 h8 h9 and 1 more\n"
				    "h2 at s1 port 1\n");
	has("show|roce.yaml|nodes", "switch s1\n"
				    "  port 0   edge   -> h1 port 0  200.0 Gb/s, 1.000 us, MTU "
				    "4214, headroom 84.03 kB a class\n"
				    "  port 1   edge   -> h2 port 0  200.0 Gb/s, 1.000 us, MTU "
				    "4214, headroom 84.03 kB a class\n");
	has("show|roce.yaml|config|s1", "  fabric address 1, latency 350.0 ns, cut-through, buffer "
					"33.55 MB; floods over ports 0 1 2 3 4 5 6 7 8 9\n"
					"  host h1 at s1 port 0\n"
					"  host h2 at s1 port 1\n");
}

TEST(cmd_show__port_groups)
{
	prints("show|lids.yaml|routes", "switch a, fabric address 1\n"
					"  to b by port 1 (b)\n"
					"  to c by port 2 (c)\n"
					"  LID 1 (A) by port 0\n"
					"  LID 2 (B) by port 1\n"
					"switch b, fabric address 2\n"
					"  to a by port 1 (a)\n"
					"  to c by port 2 (c)\n"
					"  LID 1 (A) by port 1\n"
					"  LID 2 (B) by port 0\n"
					"switch c, fabric address 3\n"
					"  to a by port 0 (a)\n"
					"  to b by port 1 (b)\n"
					"  LID 1 (A) by port 0\n"
					"  LID 2 (B) by port 1\n");
	prints("show|lids.yaml|nodes",
	       "switch a\n"
	       "  port 0   edge   -> A port 0  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB "
	       "a lane\n"
	       "  port 1   fabric -> b port 1  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB "
	       "a lane\n"
	       "  port 2   fabric -> c port 0  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB "
	       "a lane\n"
	       "switch b\n"
	       "  port 0   edge   -> B port 0  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB "
	       "a lane\n"
	       "  port 1   fabric -> a port 1  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB "
	       "a lane\n"
	       "  port 2   fabric -> c port 1  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB "
	       "a lane\n"
	       "switch c\n"
	       "  port 0   fabric -> a port 2  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB "
	       "a lane\n"
	       "  port 1   fabric -> b port 2  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB "
	       "a lane\n"
	       "nic A\n"
	       "  port 0   edge   -> a port 0  200.0 Gb/s, 1.000 us, MTU 4096\n"
	       "nic B\n"
	       "  port 0   edge   -> b port 0  200.0 Gb/s, 1.000 us, MTU 4096\n");
}

TEST(cmd_show__port_groups_summary_and_node)
{
	has("show|lids.yaml|summary",
	    "scenario   p, seed 1\n"
	    "fabric     port-group, 3 switches, 2 hosts, 5 links\n"
	    "time       1.000 ms, measured from 0 ps; time step 1.350 us\n");
	has("show|lids.yaml|config|b",
	    "  class 0 best-effort: at least 0.0 %, at most 100.0 %, unordered\n"
	    "  port 0   edge   -> B port 0  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB a "
	    "lane\n"
	    "  port 1   fabric -> a port 1  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB a "
	    "lane\n"
	    "  port 2   fabric -> c port 1  200.0 Gb/s, 1.000 us, MTU 4096, credit for 2.097 MB a "
	    "lane\n"
	    "  fabric address 2, latency 350.0 ns, cut-through; floods over ports 0 1\n"
	    "  to a by port 1 (a)\n"
	    "  to c by port 2 (c)\n"
	    "  host A at a port 0\n");
}

TEST(cmd_show__port_groups_json)
{
	prints_json("show|lids.yaml|routes|--json", "{\"switches\":[{\"name\":\"a\",\"fabric_"
						    "address\":1,\"routes\":[{\"dest\":\"b\",\"por"
						    "ts\":[1],\"peers\":[\"b\"]},{\"dest\":\"c\","
						    "\"ports\":[2],\"peers\":[\"c\"]}],\"detour"
						    "s\":[],\"lids\":[{\"dlid\":\"A\",\"lid\":1,"
						    "\"static_port\":0,\"group\":0,\"ports\":[]"
						    ",\"peers\":[]},{\"dlid\":\"B\",\"lid\":2,"
						    "\"static_port\":1,\"group\":0,\"ports\":[],"
						    "\"peers\":[]}]},{\"name\":\"b\",\"fabric_"
						    "address\":2,\"routes\":[{\"dest\":\"a\",\"po"
						    "rts\":[1],\"peers\":[\"a\"]},{\"dest\":\"c\","
						    "\"ports\":[2],\"peers\":[\"c\"]}],\"detou"
						    "rs\":[],\"lids\":[{\"dlid\":\"A\",\"lid\":1,"
						    "\"static_port\":1,\"group\":0,\"ports\":["
						    "],\"peers\":[]},{\"dlid\":\"B\",\"lid\":2,"
						    "\"static_port\":0,\"group\":0,\"ports\":[]"
						    ",\"peers\":[]}]},{\"name\":\"c\",\"fabric_"
						    "address\":3,\"routes\":[{\"dest\":\"a\",\"p"
						    "orts\":[0],\"peers\":[\"a\"]},{\"dest\":\"b\","
						    "\"ports\":[1],\"peers\":[\"b\"]}],\"deto"
						    "urs\":[],\"lids\":[{\"dlid\":\"A\",\"lid\":1,"
						    "\"static_port\":0,\"group\":0,\"ports\":"
						    "[],\"peers\":[]},{\"dlid\":\"B\",\"lid\":2,"
						    "\"static_port\":1,\"group\":0,\"ports\":["
						    "],\"peers\":[]}]}]}");
}

TEST(cmd_show__settings)
{
	has("show|two.yaml|links|--set|links.rate=40Gb/s", "s2 port 1  40.00 Gb/s, 1.000 us");
}

TEST(cmd_show__wrong_words)
{
	is_wrong("show|two.yaml|route",
		 "heddle show: a plan has no part 'route' - did you mean 'routes'?; "
		 "'heddle show --help' lists them\n");
	is_wrong("show|two.yaml|config", "heddle show: missing NODE: expected config NODE\n");
	is_wrong("show|two.yaml|config|h9",
		 "heddle show: the scenario has no node 'h9'; 'heddle show "
		 "two.yaml nodes' lists them\n");
	is_wrong("show|none.yaml", "none.yaml: cannot be read: No such file or directory\n");
	is_wrong("show|s1|ports|--set|a=b",
		 "heddle show: --set changes a scenario; 'heddle set' changes "
		 "a running fabric\n");
}

/* ---- of a running fabric ---- */

TEST(cmd_show__table_of_a_node)
{
	daemon_runs("{\"text\": \"a table\"}\n", NULL);
	prints("show|s1|queues|h2", "a table\n");
	daemon_was_asked(
		"{\"ask\":\"show\",\"node\":\"s1\",\"table\":\"queues\",\"port\":\"h2\"}\n");
}

TEST(cmd_show__table_for_programs)
{
	daemon_runs("{\"rows\": []}\n", NULL);
	prints("show|-f|lab|two.yaml|--json", "{\n  \"rows\": []\n}\n");
	daemon_was_asked(
		"{\"ask\":\"show\",\"node\":\"two.yaml\",\"table\":\"\",\"form\":\"json\"}\n");
}
