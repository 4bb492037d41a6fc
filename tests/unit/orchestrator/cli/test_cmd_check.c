/*  orchestrator/cli: check, export, import, schema - as users run them: what they print, what they
 *  write, and what they refuse. Nothing is started but the run that makes a recording. */
#include "tests/unit/orchestrator/whole_heddle.h"

TEST_GROUP(cmd_check, .setup_once = whole_begin, .teardown_once = whole_end, .setup = whole_setup,
	   .teardown = whole_teardown);

static void scenario_write(void)
{
	file_write("t.yaml",
		   "name: t\nabout: one pair\nrun: {duration: 20us, warmup: 5us}\ntopology:\n"
		   "  switches: [s1, s2]\n  hosts: {A: s1, B: s2, C: s2}\n  links: [[s1, s2]]\n"
		   "links: {rate: 100Gb/s, delay: 100ns}\nworkloads:\n  - {name: w, pattern: "
		   "pairs, pairs: [[A, B]], size: 4KiB, window: 2}\nexpect: [drops == 0]\n"
		   "compare: {columns: [drops], variants: [{name: one}, {name: two, set: "
		   "{links.rate: 50Gb/s}}]}\n");
}

/* ---- check ---- */

#define HEAD(fabric)                                                                            \
	"t.yaml: fine\nscenario      t (seed 1)\nabout         one pair\nfabric        " fabric \
	"\nnodes         5: 2 switches, 3 hosts\n"                                              \
	"links         4: 3 to hosts, 1 between switches\n"
#define TIME "time          20us, measured from 5us, time step 450ns\n"
#define FLOWS(bytes) "flows         1 at most\n  w           1 flows, packets of " bytes " bytes\n"

TEST(check__text)
{
	scenario_write();
	ASSERT_STATUS("check|t.yaml", 0);
	ck_assert_str_eq(
		printed,
		HEAD("flow-channel") TIME FLOWS(
			"4096") "expectations  1\nflow key      source-mac, ip-pair, ports, hpc\n"
				"variants      2, compared by 1 metrics\n"
				"paths         static, one lane for each class\n");
	ck_assert_str_eq(said, "");
	ASSERT_STATUS("check|t.yaml|--set|fabric=roce", 0);
	ck_assert_str_eq(printed,
			 HEAD("roce") TIME FLOWS(
				 "4154") "expectations  1\nvariants      2, compared by 1 metrics\n"
					 "paths         hash, one lane for each class\n"
					 "roce          buffers of 33.55 MB, PFC; an output counts "
					 "as stuck after a "
					 "pause of 10.00 ms\n"
					 "  class 0     best-effort: lossless, paused above 12.5% "
					 "of the free buffer, "
					 "resumed 8.428 kB below; marked from 5.000 kB to 200.0 kB "
					 "per 40.00 Gb/s, up "
					 "to 1%; watched; CNPs\n"
					 "  dcqcn       alpha timer 55.00 us, increase timer 55.00 "
					 "us, byte counter "
					 "10.00 MB, lowest rate 40.00 Mb/s\n"
					 "  supplement  off\n  path pause  off\n"
					 "  s1          headroom 24.03 kB to 25.90 kB a port and "
					 "class, 49.93 kB in "
					 "all; 33.50 MB to share\n"
					 "  s2          headroom 24.03 kB to 25.90 kB a port and "
					 "class, 75.83 kB in "
					 "all; 33.48 MB to share\n");
	ASSERT_STATUS("check|t.yaml|--set|port-group.becn=no", 0);
	ASSERT_HAS(printed, "hpc\nno effect     port-group (--set port-group.becn=no)\nvariants ");
	/* without what is not there */
	ASSERT_STATUS("check|t.yaml|--set|expect=[]", 0);
	ASSERT_HAS(printed, "expectations  0\n");
	ASSERT_STATUS("check|t.yaml|--set|fabric=port-group", 0);
	ASSERT_HAS(printed, "fabric        port-group\n");
	ASSERT_LACKS(printed, "flow key");
}

TEST(check__congestion)
{
	scenario_write();
	ASSERT_STATUS("check|t.yaml|--congestion", 0);
	ASSERT_HAS(printed,
		   "congestion    for hosts of 100.0 Gb/s, a round trip of 2.328 us, of "
		   "one link 1.649 us, frames of 4.096 kB\n"
		   "  detection   one more for every 4.096 kB above 16.38 kB,\n"
		   "              for every 64 packets above 32,\n"
		   "              for every 4.096 kB of growth within 1.000 us above 58.37 "
		   "kB\n"
		   "  limits      rate on, flow on, after ACK on, port off\n"
		   "  slow start  setting 1\n  headroom    on\n"
		   "  fgfc        pause of 26.38 us, credit of 0 B\n");
	ASSERT_HAS(printed,
		   "\n  3         24   25.00 Gb/s     10.75 kB      28.67 kB    14.34 kB    "
		   "7.168 kB    3.584 kB  -\n");
	ASSERT_STATUS("check|t.yaml|--congestion|--json", 0);
	ASSERT_HAS(printed, "\n  \"congestion\": {\n    \"basis\": {\n");
	ASSERT_STATUS("check|t.yaml|--congestion|--set|congestion.headroom=no|--set|"
		      "congestion.settings.23.rate=20Mb/s|--set|congestion.slow-start=no|--set|"
		      "congestion.port-limit=32KiB",
		      0);
	ASSERT_HAS(printed, "after ACK on, port ");
	ASSERT_LACKS(printed, "port off");
	ASSERT_HAS(printed, "\n  headroom    off\n");
	ASSERT_HAS(printed, "\n  23       255   20.00 Mb/s ");
}

TEST(check__json)
{
	scenario_write();
	ASSERT_STATUS("check|t.yaml|--json", 0);
	ASSERT_HAS(printed,
		   "{\n  \"ok\": true,\n  \"file\": \"t.yaml\",\n  \"fabric\": "
		   "\"flow-channel\",\n  \"scenario\": \"t\",\n  \"about\": \"one pair\",\n"
		   "  \"seed\": \"1\",\n  \"switches\": 2,\n  \"hosts\": 3,\n  \"links\": 4,"
		   "\n  \"duration_ps\": 20000000,\n  \"warmup_ps\": 5000000,\n"
		   "  \"lookahead_ps\": 450000,\n  \"flows\": 1,\n  \"ring_bytes\": "
		   "262144,\n  \"workloads\": [\n    {\n      \"name\": \"w\",\n      "
		   "\"flows\": 1,\n      \"packet_bytes\": 4096\n    }\n  ],\n"
		   "  \"expectations\": 1,\n  \"routing\": {\n");
	ASSERT_HAS(printed, "\"routing_loops\": []");
	ASSERT_HAS(
		printed,
		"\n  \"flow_key\": \"source-mac, ip-pair, ports, hpc\",\n  \"flow_keys\": {}\n}\n");
	ASSERT_LACKS(printed, "no_effect");
	ASSERT_STATUS("check|t.yaml|--json|--set|port-group.becn=no", 0);
	ASSERT_HAS(printed, "\"no_effect\": [\n");
	ASSERT_HAS(printed, "port-group");
	ASSERT_STATUS("check|t.yaml|--json|--set|links.rate=1", 2);
	ASSERT_HAS(printed, "{\n  \"ok\": false,\n");
	ASSERT_HAS(printed, "lacks its unit");
	ck_assert_str_eq(said, "");
}

TEST(check__mistakes)
{
	scenario_write();
	ASSERT_STATUS("check|t.yaml|--set|links.rate=1", 2);
	ck_assert_str_eq(said, "--set links.rate=1: rate: '1' lacks its unit; expected a rate such "
			       "as 200Gb/s (b/s, kb/s, Mb/s, Gb/s, Tb/s)\n");
	ck_assert_str_eq(printed, "");
	ASSERT_STATUS("check|none.yaml", 2);
	ASSERT_HAS(said, "none.yaml: cannot be read: No such file or directory");
	ASSERT_STATUS("check|t.yaml|--set|expect=[lots == 0]", 2);
	ASSERT_HAS(said, "there is no metric 'lots' - did you mean 'lost'?");
	/* in a variant */
	ASSERT_STATUS("check|t.yaml|--set|compare.variants=[{name: x, set: {links.rate: 5}}]", 2);
	ASSERT_HAS(said, "lacks its unit");
	ASSERT_STATUS("check|t.yaml|--set|compare.columns=[dropz]", 2);
	ASSERT_HAS(said, "there is no metric 'dropz'");
	ck_assert_int_eq(heddle_given("check|-", "run: {duraton: 1s}\n"), 2);
	ASSERT_HAS(said, "standard input:1:7: ");
}

/* what this machine has for hosts */
TEST(check__up)
{
	scenario_write();
	ASSERT_STATUS("check|t.yaml|--up", 0);
	ASSERT_HAS(printed, HEAD("flow-channel") FLOWS("4096"));
	/* what hosts need is searched for in PATH */
	file_write("p.yaml", "name: p\ntopology:\n  switches: [s1]\n  hosts:\n    A: {switch: s1, "
			     "image: alpine, outside: yes}\n    B: s1\n");
	setenv("PATH", "/none::/no/such", 1);
	ASSERT_STATUS("check|p.yaml|--up", 0);
	ASSERT_HAS(printed,
		   "\nup warns      host A has 'outside: yes', and the program slirp4netns "
		   "is not here: install the package of that name\n");
	ASSERT_HAS(printed, "\nup warns      host A has an image, and the program podman is not "
			    "here: install the package of that name\n");
	ASSERT_STATUS("check|p.yaml|--up|--json", 0);
	ASSERT_HAS(printed, "\"host A has an image, and the program podman is not here: ");
	/* there they are, in the last folder of PATH */
	file_write("podman", "");
	file_write("slirp4netns", "");
	chmod("podman", 0755);
	chmod("slirp4netns", 0755);
	setenv("PATH", "/none:.", 1);
	ASSERT_STATUS("check|p.yaml|--up", 0);
	ASSERT_LACKS(printed, "install the package");
	chmod("slirp4netns", 0644);
	ck_assert_int_eq(geteuid() && !access("slirp4netns", X_OK), 0);
	setenv("PATH", "/usr/bin:/bin", 1);
	ck_assert_int_eq(unlink("podman"), 0);
}

/* ---- export ---- */

TEST(export__gives_what_the_run_wrote)
{
	char *text;

	scenario_write();
	ASSERT_STATUS("run|t.yaml|--record|r|--json|a.json|--csv|a|--events|a.csv|--set|"
		      "run.sample=1us",
		      0);
	text = printed;
	printed = NULL;
	ASSERT_STATUS("export|r", 0);
	ck_assert_int_eq(strncmp(printed, "scenario   t (seed 1)\nrecorded   by Heddle ",
				 strlen("scenario   t (seed 1)\nrecorded   by Heddle ")),
			 0);
	ASSERT_HAS(printed, ", clock virtual, fabric flow-channel\nnodes      2 switches, 3 hosts\n"
			    "time       up to 22.30 us\nsamples    21, events 122, in 1 slices\n"
			    "run        complete\n");
	ASSERT_STATUS("export|r|--json|b.json|--csv|b|--events|b.csv|--text", 0);
	/* the loop of the nodes is none of the scenario */
	*strstr(text, "; event loop") = 0;
	ck_assert_int_eq(strncmp(printed, text, strlen(text)), 0);
	ck_assert_int_eq(system("cmp a.json b.json && cmp a.csv b.csv && diff -r a b"), 0);
	ASSERT_STATUS("export|r|--json|-", 0);
	free(text);
	text = file_read("a.json");
	ck_assert_str_eq(printed, text);
	free(text);
	ASSERT_STATUS("export|r|--events|-", 0);
	text = file_read("a.csv");
	ck_assert_str_eq(printed, text);
	free(text);
}

TEST(export__refused)
{
	scenario_write();
	ASSERT_STATUS("export|t.yaml", 2);
	ck_assert_str_eq(said, "heddle export: t.yaml: byte 0: it is no recording of Heddle, or of "
			       "a later version: expected 'heddle recording 1'\n");
	ASSERT_STATUS("export|none", 2);
	ASSERT_HAS(said, "none: No such file or directory");
	ASSERT_STATUS("run|t.yaml|--record|r|--quiet", 0);
	ASSERT_STATUS("export|r|--json|-|--text", 2);
	ASSERT_HAS(said, "heddle export: ");
	ck_assert_str_eq(printed, "");
	ASSERT_STATUS("export|r|--json|r", 2);
	ASSERT_HAS(said, "r");
	ASSERT_STATUS("export|r|--json|x|--events|x", 2);
	ASSERT_HAS(said, "x");
	ck_assert(!file_there("x"));
	ASSERT_STATUS("export|r|--json|no/x", 2);
	ASSERT_HAS(said, "no/x");
	ASSERT_STATUS("export|r|--csv|t.yaml", 2);
	ASSERT_HAS(said, "t.yaml");
	/* cut off: what is there is told, and that it has no result */
	ck_assert_int_eq(truncate("r", 3000), 0);
	ASSERT_STATUS("export|r|--json|y.json", 2);
	ck_assert(!file_there("y.json"));
	ASSERT_HAS(said, "heddle export: r: ");
}

/* ---- import ---- */

#define CLAB                                                                            \
	"name: five\ntopology:\n  nodes:\n    c1: {kind: linux, image: alpine, binds: " \
	"['.:/mnt:ro']}\n    c2: {kind: linux, image: alpine}\n"
#define CLAB_LINKS "  links:\n    - endpoints: ['c1:eth1', 'c2:eth1']\n"

TEST(import__writes_a_scenario)
{
	file_write("lab.clab.yml", CLAB CLAB_LINKS);
	ASSERT_STATUS("import|lab.clab.yml", 0);
	ASSERT_HAS(printed, "image: alpine");
	ASSERT_HAS(printed, "name: five");
	ck_assert_str_eq(said, "");
	/* the folder of relative paths is that of the file */
	ASSERT_HAS(printed, whole_folder);
	ASSERT_STATUS("import|lab.clab.yml|-o|lab.yaml|--no-images", 0);
	ck_assert_str_eq(printed, "");
	ck_assert(file_has("lab.yaml", "from: ., to: /mnt") && !file_has("lab.yaml", "alpine"));
	ASSERT_STATUS("check|lab.yaml", 0);
	ck_assert_int_eq(heddle_given("import|-|--no-images", CLAB CLAB_LINKS), 0);
	ASSERT_HAS(printed, "name: five");
}

/* beside the file paths stay relative, elsewhere they are absolute */
TEST(import__folders)
{
	char wanted[256];

	ck_assert(!mkdir("a", 0755) && !mkdir("b", 0755));
	file_write("a/lab.clab.yml", CLAB CLAB_LINKS);
	snprintf(wanted, sizeof(wanted), "from: %s/a/., to: /mnt", whole_folder);
	ASSERT_STATUS("import|a/lab.clab.yml|-o|a/lab.yaml", 0);
	ck_assert(file_has("a/lab.yaml", "from: ., to: /mnt"));
	ASSERT_STATUS("import|a/lab.clab.yml|-o|b/lab.yaml", 0);
	ck_assert(file_has("b/lab.yaml", wanted));
	ASSERT_STATUS("import|a/lab.clab.yml|-o|-", 0);
	ASSERT_HAS(printed, wanted);
	ck_assert_int_eq(heddle_given("import|-|-o|lab.yaml", CLAB CLAB_LINKS), 0);
	ck_assert(file_has("lab.yaml", "from: ., to: /mnt"));
	ck_assert_int_eq(heddle_given("import|-|-o|b/lab.yaml", CLAB CLAB_LINKS), 0);
	snprintf(wanted, sizeof(wanted), "from: %s/., to: /mnt", whole_folder);
	ck_assert(file_has("b/lab.yaml", wanted));
	ASSERT_STATUS("import|a/lab.clab.yml|-o|/dev/full", 4);
	ck_assert_str_eq(said, "heddle import: cannot write /dev/full: No space left on device\n");
	/* 4 MiB at most */
	ck_assert_int_eq(truncate("a/lab.clab.yml", (4 << 20) + 1), 0);
	ASSERT_STATUS("import|a/lab.clab.yml", 2);
	ck_assert_str_eq(said, "heddle import: a/lab.clab.yml cannot be read: it has more than 4 "
			       "MiB\n");
	ck_assert_int_eq(truncate("a/lab.clab.yml", 4 << 20), 0);
	ASSERT_STATUS("import|a/lab.clab.yml", 2);
	ASSERT_LACKS(said, "it has more than 4 MiB");
}

TEST(import__names_what_is_left_out)
{
	file_write("lab.clab.yml", CLAB "    srl: {kind: nokia_srlinux}\n" CLAB_LINKS);
	ASSERT_STATUS("import|lab.clab.yml|-o|lab.yaml", 1);
	ASSERT_HAS(said, "lab.clab.yml:6:5: node 'srl' of kind 'nokia_srlinux' is left out");
	ASSERT_HAS(said, "\nheddle import: 1 part of lab.clab.yml is left out\n");
	ck_assert(file_has("lab.yaml", "#   lab.clab.yml:6:5: node 'srl'"));
	file_write("two.yml",
		   CLAB "    srl: {kind: nokia_srlinux}\n    b: {kind: ceos}\n" CLAB_LINKS);
	ASSERT_STATUS("import|two.yml|-o|lab.yaml", 1);
	ASSERT_HAS(said, "\nheddle import: 2 parts of two.yml are left out\n");
	file_write("none.yml", "name: x\n");
	ASSERT_STATUS("import|none.yml", 2);
	ASSERT_HAS(said, "none.yml");
	ck_assert_str_eq(printed, "");
	ASSERT_STATUS("import|missing.yml", 2);
	ASSERT_HAS(said, "missing.yml");
	ASSERT_STATUS("import|lab.clab.yml|-o|no/lab.yaml", 4);
	ASSERT_HAS(said, "no/lab.yaml");
}

/* ---- schema, list, help ---- */

TEST(schema__list_and_one)
{
	ASSERT_STATUS("schema", 0);
	ASSERT_HAS(printed, "run        version 1  the result of a run, or a table of several\n");
	ASSERT_HAS(printed, "\nlab-check  version 1  are the answers of a student right?\n");
	ASSERT_STATUS("schema|check", 0);
	ASSERT_HAS(printed,
		   "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
		   "  \"$id\": \"urn:heddle:check:1\",\n  \"version\": 1,\n  \"title\": "
		   "\"check\",\n  \"description\": \"what would run, or the mistakes\",\n");
	ASSERT_STATUS("schema|foo", 2);
	ck_assert_str_eq(said,
			 "heddle schema: there is no schema 'foo'; 'heddle schema' lists them\n");
	ASSERT_STATUS("schema|lab-check", 0);
	ASSERT_HAS(printed, "urn:heddle:lab-check:1");
	ASSERT_HAS(printed,
		   "          \"right\": {\n            \"type\": \"boolean\"\n          }\n"
		   "        },\n        \"required\": [\n          \"name\",\n          "
		   "\"given\",\n          \"right\"\n        ]\n      }\n    },\n");
	ASSERT_STATUS("schema|lab-check|--fields", 0);
	ASSERT_HAS(printed, "right");
	ASSERT_HAS(printed, "bool");
	ASSERT_LACKS(printed, "{");
	ASSERT_STATUS("schema|--json", 0);
	ASSERT_HAS(printed, "\"lab-check\"");
	/* all of them, each in a file of its name */
	ck_assert_int_eq(mkdir("d", 0755), 0);
	ASSERT_STATUS("schema|--write|d", 0);
	ck_assert(file_has("d/check.json", "\"$id\": \"urn:heddle:check:1\""));
	ck_assert(file_there("d/lab-check.json") && file_there("d/ps.json"));
	file_write("f", "");
	ASSERT_STATUS("schema|--write|f", 2);
	ASSERT_HAS(said, ".json: Not a directory\n");
}

TEST(help__of_commands_and_keys)
{
	ASSERT_STATUS("help", 0);
	ASSERT_HAS(printed, "  run      run the workloads of a scenario and print the result\n");
	ASSERT_STATUS("help|check", 0);
	ASSERT_HAS(printed, "usage: heddle check");
	ASSERT_STATUS("help|links.rate", 0);
	ASSERT_HAS(printed, "rate");
	ASSERT_STATUS("chek", 2);
	ck_assert_str_eq(said,
			 "heddle: there is no command 'chek' - did you mean 'check'?; 'heddle "
			 "help' lists them\n");
	ASSERT_STATUS("calibrate|--show", 1);
	ASSERT_STATUS("list|nowhere", 2);
	ck_assert_str_eq(said, "heddle list: no scenarios in nowhere: No such file or directory; "
			       "--with nowhere lists those with that word\n");
	ASSERT_STATUS("list|no/where", 2);
	ck_assert_str_eq(said,
			 "heddle list: no scenarios in no/where: No such file or directory\n");
	ASSERT_STATUS("list", 2);
	ck_assert_str_eq(said,
			 "heddle list: no scenarios in topologies: No such file or directory\n");
	scenario_write();
	ASSERT_STATUS("list|.", 0);
	ASSERT_HAS(printed, "# .\nt                        flow-channel  one pair\n");
	ASSERT_STATUS("list|.|--json", 0);
	ASSERT_HAS(printed, "\"name\": \"t\"");
}

/* a host with several NICs is one host */
TEST(check__hosts_with_several_nics)
{
	file_write("t.yaml",
		   "name: t\nrun: {duration: 20us}\ntopology:\n  switches: [s1, s2]\n"
		   "  hosts: {A: {switch: s1, interfaces: [{switch: s2}, {switch: s2}]}, B: s2}\n");
	ASSERT_STATUS("check|t.yaml", 0);
	ASSERT_HAS(printed, "\nnodes         6: 2 switches, 4 NICs of 2 hosts\n"
			    "links         4: 4 to hosts, 0 between switches\n");
	ASSERT_STATUS("check|t.yaml|--json", 0);
	ASSERT_HAS(printed, "\"hosts\": 2,");
	ASSERT_STATUS("show|t.yaml", 0);
	ASSERT_HAS(printed, "2 switches, 2 hosts, 4 links\n");
	ASSERT_STATUS("show|t.yaml|--json", 0);
	ASSERT_HAS(printed, "\"hosts\": 2");
}

/* ---- show ---- */

TEST(show__of_a_scenario_needs_no_run)
{
	scenario_write();
	ASSERT_STATUS("show|t.yaml", 0);
	ck_assert(printed[0]);
	ASSERT_STATUS("show|t.yaml|config|s1", 0);
	ASSERT_HAS(printed, "s2");
	ASSERT_STATUS("show|t.yaml|config|s9", 2);
	ASSERT_HAS(said, "s9");
	ASSERT_STATUS("show|t.yaml|s1", 2);
	ck_assert_str_eq(said, "heddle show: a plan has no part 's1'; 'heddle show --help' lists "
			       "them\n");
}

/* ---- gen ---- */

TEST(gen__for_this_machine)
{
	ASSERT_STATUS("gen|--help", 0);
	ASSERT_HAS(printed, "usage: heddle gen");
	ASSERT_HAS(printed, "\n  star        hosts=8   every host on one switch\n"
			    "  chain       switches=4 hosts-per-switch=3   switches in a row, ");
	ASSERT_HAS(printed, "\n  fat-tree    radix=4 [taper=COUNT]   three levels ");
	ASSERT_HAS(printed,
		   "\n  dragonfly   hosts-per-switch=3 switches-per-group=4 global-links=2 "
		   "[groups=COUNT]   groups ");
	ASSERT_HAS(printed, "\n  torus       hosts-per-switch=3 shape=3x3   switches on a grid ");
	ASSERT_STATUS("gen|nothing", 2);
	ck_assert_str_eq(said, "heddle gen: there is no topology 'nothing'\n");
	ASSERT_STATUS("gen|sta|hosts=3", 2);
	ck_assert_str_eq(said, "heddle gen: there is no topology 'sta' - did you mean 'star'?\n");
	ASSERT_STATUS("gen|star|hosts=3|--real", 0);
	ASSERT_HAS(said, "heddle gen: rates and delays are ");
	ASSERT_HAS(said, "a guess, since 'heddle calibrate' has not measured this machine yet");
	file_write("s.yaml", printed);
	ASSERT_STATUS("check|s.yaml", 0);
	ASSERT_HAS(printed, "nodes         4: 1 switch, 3 hosts\n");
	/* what is written is what this machine carries: nothing warns */
	ASSERT_STATUS("check|s.yaml|--up", 0);
	ASSERT_LACKS(printed, "this machine carries some");
}
