/*  orchestrator/course: `heddle lab` as a whole, on a lab of one's own: what a student sees,
 *  predictions, the file of answers, marks, what is handed in, points of controls (SE-9).
 *
 *  Two hosts send to h2. The check of `least` is whether the answer suffices and one less does not:
 *  40 Gb/s is right. */
#include "tests/unit/orchestrator/whole_heddle.h"

#define STAR                                                                              \
	"name: star\nabout: two to one\nrun: {duration: 50us, warmup: 10us}\n"            \
	"topology: {generate: star, hosts: 3}\nlinks: {rate: 100Gb/s, delay: 100ns}\n"    \
	"workloads: [{name: load, pattern: incast, to: h2, from: [h0, h1], size: 16KiB, " \
	"window: 4}]\n"
#define VARIANTS                                                                             \
	"compare:\n  columns: [goodput(load)]\n  variants: [{name: slow, set: {links.rate: " \
	"50Gb/s}}, {name: fast, set: {links.rate: 100Gb/s}}]\n"
#define RECORD "lab-21-mine-student-1.yaml"

static const char lab[] =
	"title: My own\nabout: which is faster\nminutes: 15\nstudent: {n: 2..2}\nruns:\n"
	"  - {name: first, run: star.yaml, set: {workloads.load.window: \"{n-1}\"}}\n"
	"  - {name: both, run: star.yaml, compare: yes}\n"
	"predict:\n"
	"  - {name: speed, ask: \"How fast with a window of {n-1}?\", unit: Gb/s, "
	"measured: goodput(load)}\n"
	"  - {name: why, ask: \"Why?\", choices: [delay, rate]}\n"
	"answers:\n"
	"  - {name: mine, ask: a scenario that loses nothing, file: yes}\n"
	"  - {name: faster, ask: which link is faster, choices: [slow, fast]}\n"
	"  - {name: least, ask: \"the least rate, n = {n}\", unit: Gb/s, tolerance: 5%}\n"
	"checks:\n"
	"  - {run: \"{mine}\", set: {seed: \"{n}\"}, expect: [lost == 0, goodput(load) >= "
	"1Gb/s], says: your scenario loses packets}\n"
	"  - values:\n"
	"      slow: {run: star.yaml, variant: slow, value: goodput(load)}\n"
	"      fast: {run: star.yaml, variant: fast, value: goodput(load)}\n"
	"      chosen: {run: star.yaml, variant: \"{faster}\", value: goodput(load)}\n"
	"    holds: [slow < fast, chosen == fast +- 1%, \"slow <= 60Gb/s\"]\n"
	"    says: compare the two variants\n"
	"  - {run: star.yaml, set: {links.rate: \"{least}\"}, expect: [goodput(load) >= 39Gb/s], "
	"says: too slow}\n"
	"  - {run: star.yaml, set: {links.rate: \"{least-1}\"}, expect: [goodput(load) >= "
	"39Gb/s], fails: yes, says: a slower link suffices}\n";

static void setup(void)
{
	whole_setup();
	ck_assert(!mkdir("own", 0755) && !mkdir("own/21-mine", 0755));
	file_write("own/21-mine/lab.yaml", lab);
	file_write("own/21-mine/star.yaml", STAR VARIANTS);
	file_write("own/21-mine/README.md", "# Mine\n\n## Question\n\nWhy?\n\n## Steps\n\nDo "
					    "it.\n\n## Explanation\n\nBecause of `rate`.\n");
	file_write("mine.yaml", STAR VARIANTS);
}

TEST_GROUP(cmd_lab, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = whole_teardown);

/* ---- the list ---- */

TEST(lab_list__each_with_its_minutes)
{
	ASSERT_STATUS("lab|list|own", 0);
	ck_assert_str_eq(printed, "# own\n21-mine                       15 min  which is faster\n");
	ASSERT_STATUS("lab|list|own|--json", 0);
	ck_assert_str_eq(printed, "[\n {\n  \"name\": \"21-mine\",\n  \"folder\": \"own/21-mine\","
				  "\n  \"title\": \"My own\",\n  \"about\": \"which is faster\",\n"
				  "  \"minutes\": 15\n }\n]\n");
	ASSERT_STATUS("lab|list|nowhere", 2);
	ck_assert_str_eq(said, "heddle lab list: no labs in nowhere: No such file or directory\n");
	ck_assert_int_eq(mkdir("none", 0755), 0);
	ASSERT_STATUS("lab|list|none", 0);
	ck_assert_str_eq(printed, "# none\nnone\n");
	/* none are beside these programs */
	ASSERT_STATUS("lab|list", 2);
	ck_assert_str_eq(said, "heddle lab list: the labs of heddle are not beside it: give --labs "
			       "DIR\n");
}

/* one that is wrong is told, the others are listed */
TEST(lab_list__mistakes)
{
	ck_assert_int_eq(mkdir("own/20-bad", 0755), 0);
	file_write("own/20-bad/lab.yaml", "titel: x\n");
	ASSERT_STATUS("lab|list|own", 2);
	ck_assert_str_eq(printed, "# own\n21-mine                       15 min  which is faster\n");
	ASSERT_HAS(said,
		   "own/20-bad/lab.yaml:1:1: a lab has no key 'titel' - did you mean 'title'?");
	ASSERT_STATUS("lab", 2);
	ASSERT_HAS(said, "lab");
	ASSERT_STATUS("lab|chek", 2);
	ASSERT_HAS(said, "did you mean 'check'?");
	ASSERT_STATUS("lab|--help", 0);
	ASSERT_HAS(printed, "predict");
}

/* ---- start ---- */

#define TEXT(folder, words)                                                                   \
	"Lab 21-mine: My own (15 minutes), student 1\n\nWhy?\n\nYour values: n = 2\n\n"       \
	"Predict, before the runs:\n"                                                         \
	"  speed            How fast with a window of 1? (Gb/s)\n"                            \
	"  why              Why? One of: delay, rate\n\nFind out:\n"                          \
	"  mine             a scenario that loses nothing\n"                                  \
	"  faster           which link is faster One of: slow, fast\n"                        \
	"  least            the least rate, n = 2 (Gb/s) +- 5%\n\nRuns:\n"                    \
	"  first            heddle run own/21-mine/star.yaml --set workloads.load.window=1\n" \
	"  both             heddle run --compare own/21-mine/star.yaml\n\n"                   \
	"Steps: " folder "/README.md\nThen: heddle lab check " words                          \
	" --student 1 NAME=VALUE...\n\n"

TEST(lab_start__text)
{
	ASSERT_STATUS("lab|start|21|--labs|own|--text", 0);
	ck_assert_str_eq(printed, TEXT("own/21-mine", "21-mine --labs own"));
	ck_assert_str_eq(said, "");
	ASSERT_STATUS("lab|start|./own/21-mine/|--text", 0);
	ck_assert_str_eq(printed, TEXT("./own/21-mine", "./own/21-mine/"));
	ASSERT_STATUS("lab|start|mine|--labs|own|--explain", 0);
	ck_assert_str_eq(printed, "Explanation\n-----------\n\nBecause of rate.\n");
	ASSERT_STATUS("lab|start|21|--labs|own|--json|--student|9", 0);
	ASSERT_HAS(printed, "{\n \"lab\": \"21-mine\",\n \"title\": \"My own\",\n \"folder\": "
			    "\"own/21-mine\",\n \"minutes\": 15,\n \"student\": 9,\n \"values\": "
			    "{\n  \"n\": \"2\"\n },\n");
	ASSERT_HAS(printed, "   \"name\": \"faster\",\n   \"ask\": \"which link is faster\",\n   "
			    "\"kind\": \"choice\",\n   \"unit\": \"\",\n   \"choices\": [\n    "
			    "\"slow\",\n    \"fast\"\n   ],\n   \"tolerance\": null,\n   "
			    "\"given\": null\n");
	ASSERT_HAS(printed, "   \"tolerance\": \"5%\",\n");
	ASSERT_HAS(printed, "   \"kind\": \"file\",\n");
	ck_assert_int_eq(unlink("own/21-mine/README.md"), 0);
	ASSERT_STATUS("lab|start|21|--labs|own|--text", 2);
	ck_assert_str_eq(said, "heddle lab start: cannot read own/21-mine/README.md: No such file "
			       "or directory\n");
}

TEST(lab_start__refused)
{
	ASSERT_STATUS("lab|start|99|--labs|own", 2);
	ck_assert_str_eq(said, "heddle lab start: there is no lab '99'; 'heddle lab list' lists "
			       "them\n");
	ASSERT_STATUS("lab|start|mind|--labs|own", 2);
	ASSERT_HAS(said, "there is no lab 'mind' - did you mean 'mine'?");
	ASSERT_STATUS("lab|start|21|--labs|nowhere", 2);
	ck_assert_str_eq(said, "heddle lab start: no labs in nowhere: No such file or directory\n");
	ASSERT_STATUS("lab|start|21|--labs|own|--student|0", 2);
	ck_assert_str_eq(said, "heddle lab start: --student takes a number from 1 to 999999999, "
			       "not '0'\n");
	ASSERT_STATUS("lab|start|21|--labs|own|--student|1000000000", 2);
	ASSERT_STATUS("lab|start|21|--labs|own|--student|999999999|--text", 0);
	ASSERT_HAS(printed, "student 999999999\n");
	ASSERT_STATUS("lab|start|21|--labs|own|--student|x", 2);
	ASSERT_STATUS("lab|start|21|--labs|own|--run|firs", 2);
	ASSERT_HAS(said, "heddle lab start: there is no run 'firs'\n");
	ASSERT_STATUS("lab|start|21|--labs|own", 2);
	ck_assert_str_eq(said, "heddle lab start: predict first: heddle lab predict 21-mine --labs "
			       "own --student 1 NAME=VALUE...; or skip that with --skip\n");
	ASSERT_STATUS("lab|start|21|--labs|own|--view|--run|both", 2);
	ASSERT_HAS(said, "the page shows one run, and 'both' is a comparison: give --run\n");
	file_write(RECORD, "lab: 04-other\n");
	ASSERT_STATUS("lab|start|21|--labs|own|--text", 2);
	ASSERT_HAS(said, RECORD ":1:6: ");
}

TEST(lab_start__executes_its_runs)
{
	ASSERT_STATUS("lab|start|21|--labs|own|--skip", 0);
	ck_assert_int_eq(strncmp(printed, TEXT("own/21-mine", "21-mine --labs own"),
				 strlen(TEXT("own/21-mine", "21-mine --labs own"))),
			 0);
	ASSERT_HAS(printed, "$ heddle run own/21-mine/star.yaml --set workloads.load.window=1\n"
			    "star: 1 switch, 3 NICs, 3 links; virtual clock, seed 1\n");
	ASSERT_HAS(printed, "$ heddle run --compare own/21-mine/star.yaml\nstar: 2 variants");
	ASSERT_HAS(printed, "\nslow        49.20 Gb/s\nfast        99.22 Gb/s\n\n");
	/* no prediction, nothing beside it */
	ASSERT_LACKS(printed, "predicted ");
	ASSERT_STATUS("lab|start|21|--labs|own|--skip|--run|both", 0);
	ASSERT_HAS(printed, "fast        99.22 Gb/s");
	ASSERT_LACKS(printed, "1 switch, 3 NICs");
}

/* ---- predictions ---- */

TEST(lab_predict__kept_and_shown_beside_what_was_measured)
{
	ASSERT_STATUS("lab|predict|21|--labs|own", 0);
	ck_assert_str_eq(printed, "speed                not predicted yet\n"
				  "why                  not predicted yet\n");
	ck_assert(!file_there(RECORD));
	ASSERT_STATUS("lab|predict|21|--labs|own|speed=fast", 2);
	ASSERT_HAS(said, "heddle lab predict: speed: 'fast' is not a number");
	ASSERT_STATUS("lab|predict|21|--labs|own|speeds=1", 2);
	ck_assert_str_eq(said, "heddle lab predict: this lab asks no 'speeds' - did you mean "
			       "'speed'?\n");
	ASSERT_STATUS("lab|predict|21|--labs|own|speed", 2);
	ck_assert_str_eq(said, "heddle lab predict: expected NAME=VALUE, not 'speed'\n");
	ASSERT_STATUS("lab|predict|21|--labs|own|speed=20", 0);
	ck_assert_str_eq(printed, "speed                20 Gb/s\n"
				  "why                  not predicted yet\n");
	ck_assert(file_has(RECORD, "lab: \"21-mine\"\nstudent: 1\npredictions: {speed: \"20\"}\n"));
	/* one is still missing */
	ASSERT_STATUS("lab|start|21|--labs|own|--run|first", 2);
	ASSERT_STATUS("lab|predict|21|--labs|own|why=rate|speed=30", 0);
	ASSERT_STATUS("lab|start|21|--labs|own|--run|first", 0);
	ASSERT_HAS(printed, "\n  prediction           predicted            measured\n"
			    "  speed                30 Gb/s              99.22 Gb/s\n");
	/* that run was not executed */
	ASSERT_STATUS("lab|start|21|--labs|own|--run|both", 0);
	ASSERT_LACKS(printed, "measured\n");
	ck_assert(file_has(RECORD, "predictions: {speed: \"30\", why: \"rate\"}\n"));
}

TEST(lab_predict__a_terminal_is_asked)
{
	ck_assert_int_eq(heddle_typed("lab|start|21|--labs|own|--run|first",
				      (const char *const[]){ "Gb/s): ", "fast\n", "Gb/s): ", "20\n",
							     "why: ", "\n", NULL }),
			 0);
	ASSERT_HAS(printed, "Your predictions (an empty line leaves one open):\r\nHow fast with a "
			    "window of 1?\r\n  speed (Gb/s): ");
	ASSERT_HAS(printed, "'fast' is not a number");
	ASSERT_HAS(printed, "Why?\r\n  why: ");
	ASSERT_HAS(printed, "  speed                20 Gb/s              99.22 Gb/s\r\n");
	ASSERT_LACKS(printed, "  why                  -");
	ck_assert(file_has(RECORD, "predictions: {speed: \"20\"}\n"));
	/* what is predicted is not asked again; Ctrl-D ends the questions */
	ck_assert_int_eq(heddle_typed("lab|start|21|--labs|own|--run|first",
				      (const char *const[]){ "why: ", "\004", NULL }),
			 0);
	ASSERT_LACKS(printed, "  speed (Gb/s): ");
	ASSERT_HAS(printed, "  why: ");
	ck_assert(file_has(RECORD, "predictions: {speed: \"20\"}\n"));
}

/* ---- marks ---- */

TEST(lab_check__right_answers_pass)
{
	ASSERT_STATUS("lab|check|21|--labs|own", 2);
	ck_assert_str_eq(said,
			 "heddle lab check: the answer mine=VALUE is missing: a scenario that "
			 "loses nothing\nheddle lab check: the answer faster=VALUE is missing: "
			 "which link is faster\nheddle lab check: the answer least=VALUE is "
			 "missing: the least rate, n = 2\n");
	ck_assert(!file_there(RECORD)); /* nothing was given */
	ASSERT_STATUS("lab|check|21|--labs|own|mine=mine.yaml|faster=fast|least=41", 1);
	ck_assert_str_eq(printed,
			 "Lab 21-mine, student 1\n\n"
			 "  answer               given                    tolerance            \n"
			 "  mine                 mine.yaml                -          ok\n"
			 "  faster               fast                     -          ok\n"
			 "  least                41 Gb/s                  5%         not right\n\n"
			 "  hint: a slower link suffices\n"
			 "not passed: 2 of 3 answers are right\n");
	ck_assert(!file_has(RECORD, "passed: yes"));
	/* the others are kept */
	ASSERT_STATUS("lab|check|21|--labs|own|least=40|--quiet", 0);
	ASSERT_HAS(printed, "  least                40 Gb/s                  5%         ok\n\n"
			    "passed: 3 of 3 answers are right\n"
			    "The explanation: heddle lab start 21-mine --labs own --explain\n");
	ck_assert_str_eq(said, "");
	ck_assert(file_has(RECORD, "answers: {mine: \"mine.yaml\", faster: \"fast\", least: "
				   "\"40\"}\npassed: yes\n"));
}

TEST(lab_check__wrong_ones_get_hints)
{
	ASSERT_STATUS("lab|check|21|--labs|own|mine=mine.yaml|faster=slow|least=39|--json", 1);
	ck_assert_str_eq(said, "");
	ck_assert_str_eq(printed,
			 "{\n \"lab\": \"21-mine\",\n \"student\": 1,\n \"passed\": false,\n"
			 " \"answers\": [\n  {\n   \"name\": \"mine\",\n   \"given\": "
			 "\"mine.yaml\",\n   \"right\": true\n  },\n  {\n   \"name\": \"faster\",\n"
			 "   \"given\": \"slow\",\n   \"right\": false\n  },\n  {\n   \"name\": "
			 "\"least\",\n   \"given\": \"39\",\n   \"right\": false\n  }\n ],\n"
			 " \"hints\": [\n  \"compare the two variants\",\n  \"too slow\"\n ]\n}\n");
	ASSERT_STATUS("lab|check|21|--labs|own|faster=both", 2);
	ASSERT_HAS(said, "slow, fast");
	ASSERT_STATUS("lab|check|21|--labs|own|mine=none.yaml", 2);
	ASSERT_HAS(said, "'none.yaml' cannot be read");
	file_write("wrong.yaml", "fabric: rose\n" STAR);
	ASSERT_STATUS("lab|check|21|--labs|own|mine=wrong.yaml", 2);
	ASSERT_HAS(said, "wrong.yaml:1:9: 'rose' is not one of");
	ASSERT_STATUS("lab|check|21|--labs|own|least=1kB", 2);
	ASSERT_HAS(said, "heddle lab check: least: ");
}

/* a scenario of a student that fails its expectations: its workload has another name */
TEST(lab_check__scenario_of_a_student)
{
	ck_assert_int_eq(mkdir("a folder", 0755), 0);
	file_write("a folder/it's.yaml",
		   "name: other\nrun: {duration: 50us}\ntopology: {generate: "
		   "star, hosts: 3}\nworkloads: [{name: load, pattern: pairs, "
		   "pairs: [[h0, h1]], size: 1KiB, load: 0.1%, arrival: "
		   "poisson}]\n");
	ASSERT_STATUS("lab|check|21|--labs|own|mine=a folder/it's.yaml|faster=fast|least=40|--json",
		      1);
	ASSERT_HAS(printed, "   \"given\": \"a folder/it's.yaml\",\n   \"right\": false\n");
	ASSERT_HAS(printed, " \"hints\": [\n  \"your scenario loses packets\"\n ]\n");
	file_write("a folder/none.yaml", "name: other\nrun: {duration: 50us}\ntopology: {generate: "
					 "star, hosts: 3}\nworkloads: [{name: other, pattern: "
					 "pairs, pairs: [[h0, h1]], size: 1KiB}]\n");
	ASSERT_STATUS("lab|check|21|--labs|own|mine=a folder/none.yaml", 2);
	ASSERT_HAS(said, "there is no workload 'load'");
}

/* ---- what is handed in ---- */

TEST(lab_report__also_before_all_is_answered)
{
	ASSERT_STATUS("lab|report|21|--labs|own|--quiet", 0);
	ck_assert_str_eq(printed, "not checked: answers are missing\nlab-21-mine-student-1.html\n");
	ck_assert(file_has("lab-21-mine-student-1.html", "x-heddle-lab"));
	ASSERT_STATUS("lab|predict|21|--labs|own|speed=1", 0);
	ASSERT_STATUS("lab|check|21|--labs|own|mine=mine.yaml|faster=fast|least=41|--quiet", 1);
	ASSERT_STATUS("lab|report|21|--labs|own|own.html|--quiet", 0);
	ck_assert_str_eq(printed, "not passed\nown.html\n");
	ASSERT_STATUS("lab|check|21|--labs|own|least=40|--quiet", 0);
	ASSERT_STATUS("lab|report|21|--labs|own|own.html|--quiet", 0);
	ck_assert_str_eq(printed, "passed\nown.html\n");
	ASSERT_STATUS("lab|report|21|--labs|own|no/own.html|--quiet", 2);
	ASSERT_HAS(said, "no/own.html");
}

/* what a report says of the lab is `printed` */
static void reported(const char *file)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "sed -n '/^<script.*x-heddle-lab/,/^<.script/p' %s | grep -v script | base64 -d "
		 ">lab.json",
		 file);
	ck_assert_int_eq(system(command), 0);
	free(printed);
	printed = file_read("lab.json");
	ck_assert_ptr_nonnull(printed);
}

#define FIRST "heddle run own/21-mine/star.yaml --set workloads.load.window=1"
#define REPORTED "\"commands\":[\"" FIRST "\",\"heddle run --compare own/21-mine/star.yaml\","

TEST(lab_report__what_it_says)
{
	ASSERT_STATUS("lab|report|21|--labs|own|r.html|--quiet", 0);
	reported("r.html");
	ASSERT_HAS(printed,
		   "{\"lab\":\"21-mine\",\"title\":\"My own\",\"minutes\":15,\"student\":1,"
		   "\"values\":{\"n\":\"2\"},\"predict\":[");
	ASSERT_HAS(printed, "\"choices\":[\"delay\",\"rate\"],\"tolerance\":null,\"given\":null,"
			    "\"measured\":null}],\"answers\":[");
	ASSERT_HAS(printed,
		   "\"tolerance\":\"5%\",\"given\":null,\"right\":null}],\"runs\":[{\"name\":"
		   "\"first\",\"command\":\"" FIRST "\"},");
	ASSERT_HAS(printed, "\"passed\":null," REPORTED
			    "\"heddle lab check 21-mine --labs own --student 1\"]}");
	ASSERT_LACKS(printed, "\"folder\"");
	/* of what was predicted, what was measured; other predictions have no value */
	ASSERT_STATUS("lab|predict|21|--labs|own|speed=1|why=rate", 0);
	ASSERT_STATUS("lab|check|21|--labs|own|mine=mine.yaml|faster=fast|least=41|--quiet", 1);
	ASSERT_STATUS("lab|report|21|--labs|own|r.html|--quiet", 0);
	reported("r.html");
	ASSERT_HAS(printed, "\"given\":\"1\",\"measured\":\"99.22 Gb/s\"},");
	ASSERT_HAS(printed, "\"given\":\"rate\",\"measured\":null}],");
	ASSERT_HAS(printed, "\"given\":\"fast\",\"right\":true},");
	ASSERT_HAS(printed, "\"given\":\"41\",\"right\":false}],");
	ASSERT_HAS(printed, "\"passed\":false," REPORTED "\"heddle lab check 21-mine --labs own "
			    "--student 1 mine=mine.yaml faster=fast least=41\"]}");
	ASSERT_STATUS("lab|check|21|--labs|own|least=40|--quiet", 0);
	ASSERT_STATUS("lab|report|21|--labs|own|r.html|--quiet", 0);
	reported("r.html");
	ASSERT_HAS(printed, "\"passed\":true," REPORTED);
	/* with the recording of the first run */
	ck_assert(file_has("r.html", "<script type=\"application/x-heddle-recording\">\n"));
	/* a comparison is what the first run may be */
	ck_assert_int_eq(system("sed -i 's/^  - {name: first.*$/  - {name: zero, run: star.yaml, "
				"compare: yes}/' own/21-mine/lab.yaml"),
			 0);
	ck_assert_int_eq(system("sed -i 's/, measured: goodput(load)//' own/21-mine/lab.yaml"), 0);
	ASSERT_STATUS("lab|report|21|--labs|own|r.html|--quiet", 0);
	ck_assert_str_eq(printed, "passed\nr.html\n");
}

/* ---- points ---- */

static void scores_write(void)
{
	ck_assert_int_eq(mkdir("score", 0755), 0);
	file_write("score/a.yaml",
		   "name: a\nabout: one\nfabric: roce\nrun: {duration: 100us, "
		   "warmup: 20us}\ntopology: {generate: star, hosts: 3}\nlinks: "
		   "{rate: 25Gb/s}\nworkloads: [{name: w, pattern: incast, to: h2, "
		   "from: [h0, h1], size: 16KiB}]\nexpect: [goodput(w) >= 1Gb/s]\n");
	file_write("score/b.yaml", "name: b\nabout: two\nfabric: roce\nrun: {duration: 100us, "
				   "warmup: 20us}\ntopology: {generate: star, hosts: 3}\nlinks: "
				   "{rate: 25Gb/s}\nworkloads: [{name: w, pattern: pairs, pairs: "
				   "[[h0, h1]], size: 16KiB}]\nexpect: [goodput(w) >= 100Gb/s]\n");
}

TEST(lab_score__controls_beside_each_other)
{
	scores_write();
	ASSERT_STATUS("lab|score|--scenarios|score", 0);
	ASSERT_HAS(said, "heddle lab score: dcqcn in a\nheddle lab score: dcqcn in b\n"
			 "heddle lab score: swift in a\n");
	ASSERT_HAS(said, "heddle lab score: tcp in b\n");
	ASSERT_HAS(printed, "dcqcn");
	ASSERT_STATUS("lab|score|none|--alone|--scenarios|score|--only|a|--quiet|--json", 0);
	ck_assert_str_eq(said, "");
	ASSERT_HAS(printed, "\"none\"");
	ASSERT_LACKS(printed, "swift");
	ASSERT_STATUS("lab|score|dcqcn|dcqcn|--alone|--scenarios|score|--only|b|--only|a|--json|"
		      "s.json",
		      0);
	ck_assert_uint_eq(times(said, "dcqcn in "), 2);
	ck_assert(file_has("s.json", "dcqcn"));
	ASSERT_HAS(printed, "dcqcn");
}

#define MANY "a|b|c|d|e|f|g|h|i|j|"

TEST(lab_score__refused)
{
	scores_write();
	ASSERT_STATUS("lab|score|--alone|--scenarios|score", 2);
	ck_assert_str_eq(said, "heddle lab score: --alone needs a CONTROL\n");
	ASSERT_STATUS("lab|score|--scenarios|score|--only|a,b", 2);
	ck_assert_str_eq(said, "heddle lab score: --only takes one scenario, not 'a,b': repeat "
			       "--only\n");
	ASSERT_STATUS("lab|score|--scenarios|score|--only|c", 2);
	ASSERT_HAS(said, "heddle lab score: --only: there is no scenario 'c'");
	ASSERT_STATUS("lab|score|--scenarios|nowhere", 2);
	ck_assert_str_eq(said, "heddle lab score: no scenarios in nowhere: No such file or "
			       "directory\n");
	ASSERT_STATUS("lab|score|--scenarios|own", 2);
	ck_assert_str_eq(said, "heddle lab score: no *.yaml in own\n");
	ASSERT_STATUS("lab|score", 2);
	ck_assert_str_eq(said, "heddle lab score: the scenarios of heddle are not beside it: give "
			       "--scenarios DIR\n");
	ASSERT_STATUS("lab|score|swiftly|--scenarios|score", 2);
	ASSERT_HAS(said, "swiftly");
	ASSERT_STATUS("lab|score|" MANY MANY MANY MANY MANY MANY "k|none|--scenarios|score", 2);
	ASSERT_HAS(said, "heddle lab score: more than 61 controls\n");
	file_write("score/c.yaml", "fabric: roce\n" STAR);
	ASSERT_STATUS("lab|score|none|--scenarios|score|--only|c|--alone", 2);
	ck_assert_str_eq(said, "heddle lab score: score/c.yaml has no expectations, which are its "
			       "goals\n");
	ck_assert_str_eq(printed, "");
	ASSERT_STATUS("lab|score|none|--scenarios|score|--only|a|--alone|--quiet|--json|no/s.json",
		      2);
	ck_assert_str_eq(said, "heddle lab score: cannot write the points to no/s.json: No such "
			       "file or directory\n");
}

/* as often as there may be scenarios, and once more */
TEST(lab_score__many_scenarios)
{
	char line[2048] = "lab|score|none|--alone|--scenarios|score";

	for (unsigned i = 0; i < 65; i++)
		strcat(line, i % 2 ? "|--only=a" : "|--only=b");
	ASSERT_STATUS(line, 2);
	ck_assert_str_eq(said, "heddle lab score: more than 64 times --only\n");
	*strrchr(line, '|') = 0;
	ASSERT_STATUS(line, 2);
	ck_assert_str_eq(said, "heddle lab score: no scenarios in score: No such file or "
			       "directory\n");
	ck_assert_int_eq(mkdir("score", 0755), 0);
	for (unsigned i = 0; i < 65; i++) {
		if (i == 64) {
			ASSERT_STATUS("lab|score|--scenarios|score|--only|none", 2);
			ASSERT_HAS(said, "there is no scenario 'none'");
		}
		snprintf(line, sizeof(line), "score/%u.yaml", i);
		file_write(line, "");
	}
	ASSERT_STATUS("lab|score|--scenarios|score|--only|none", 2);
	ck_assert_str_eq(said, "heddle lab score: more than 64 scenarios in score\n");
}

/* ---- a lab with one answer ---- */

/* its value is measured in a run; @holds is what must hold of it, @expect what must of a run */
static void other_write(const char *holds, const char *expect)
{
	char text[1024];

	ck_assert(!mkdir("own/22-other", 0755) || file_there("own/22-other"));
	snprintf(text, sizeof(text),
		 "title: Another\nabout: a value\nminutes: 5\n"
		 "runs: [{name: one, run: ../21-mine/star.yaml, variant: slow, set: {seed: '7'}}]\n"
		 "answers: [{name: least, ask: the least rate, unit: Gb/s, tolerance: 5%%}]\n"
		 "checks:\n"
		 "- values: {all: {run: ../21-mine/star.yaml, set: {links.rate: '{least}'}, value: "
		 "goodput(load)}}\n"
		 "  holds: ['%s']\n  says: too slow\n"
		 "- {run: ../21-mine/star.yaml, expect: ['%s'], says: too fast}\n",
		 holds, expect);
	file_write("own/22-other/lab.yaml", text);
	file_write("own/22-other/README.md", "# Other\n\n## Question\n\nWhy?\n");
}

TEST(lab_start__run_of_a_variant)
{
	other_write("all >= 39Gb/s", "lost == 0");
	ASSERT_STATUS("lab|start|22|--labs|own|--text", 0);
	ASSERT_HAS(printed, "  one              heddle run own/21-mine/star.yaml --variant slow "
			    "--set seed=7\n");
	ASSERT_STATUS("lab|start|22|--labs|own", 0);
	ASSERT_HAS(printed, "$ heddle run own/21-mine/star.yaml --variant slow --set seed=7\n"
			    "star: 1 switch, 3 NICs, 3 links; virtual clock, seed 7\n");
	ASSERT_HAS(printed, "  49.20 Gb/s  ");
}

/* a run that the answer makes impossible is no reason to end: the answer is not right */
TEST(lab_check__value_that_no_run_can_have)
{
	other_write("all >= 39Gb/s", "lost == 0");
	ASSERT_STATUS("lab|check|22|--labs|own|least=40", 0);
	ASSERT_STATUS("lab|check|22|--labs|own|least=900", 1);
	ck_assert_str_eq(said, "--set links.rate=900Gb/s: rate: '900Gb/s' is out of range; "
			       "expected 1kb/s to 800Gb/s\n");
	ASSERT_HAS(printed,
		   "  least                900 Gb/s                 5%         not right\n\n"
		   "  hint: too slow\nnot passed: 0 of 1 answers are right\n");
	/* also of a run that only expects */
	ASSERT_STATUS("lab|check|21|--labs|own|mine=mine.yaml|faster=fast|least=900", 1);
	ASSERT_HAS(printed, "  hint: too slow\n  hint: a slower link suffices\n"
			    "not passed: 2 of 3 answers are right\n");
}

/* neither is one that nothing can be compared with */
TEST(lab_check__value_that_nothing_is_compared_with)
{
	other_write("all >= {least-41}", "lost == 0");
	ASSERT_STATUS("lab|check|22|--labs|own|least=40", 1);
	ck_assert_str_eq(said, "heddle lab check: least = 40Gb/s is too small here\n");
	ASSERT_HAS(printed,
		   "  least                40 Gb/s                  5%         not right\n\n"
		   "  hint: too slow\nnot passed: 0 of 1 answers are right\n");
	other_write("all >= 39Gb/s", "goodput(load) >= {least-41}");
	ASSERT_STATUS("lab|check|22|--labs|own|least=40", 1);
	ck_assert_str_eq(said, "heddle lab check: least = 40Gb/s is too small here\n");
	ASSERT_HAS(printed, "not right\n\n  hint: too fast\nnot passed: 0 of 1 ");
}

/* own/23-third: two answers, and one check */
static void third_write(const char *check)
{
	char text[1024];

	ck_assert(!mkdir("own/23-third", 0755) || file_there("own/23-third"));
	snprintf(text, sizeof(text),
		 "title: Third\nabout: a value\nminutes: 5\n"
		 "runs: [{name: one, run: ../21-mine/star.yaml}]\n"
		 "answers: [{name: least, ask: the least rate, unit: Gb/s}, {name: other, ask: a "
		 "number}]\nchecks:\n- %s\n",
		 check);
	file_write("own/23-third/lab.yaml", text);
}

#define STAR_RUN "run: ../21-mine/star.yaml"

/* an answer is judged by what names it: the run, its expectation, or what holds of a value */
TEST(lab_check__which_answer_is_wrong)
{
	static const struct {
		const char *check, *right, *other;
	} rows[] = {
		{ "{" STAR_RUN ", expect: ['goodput(load) >= {least}', 'lost == 0'], says: no}",
		  "true", "true" },
		{ "{" STAR_RUN ", expect: ['goodput(load) <= {least}', 'lost == 0'], says: no}",
		  "false", "true" },
		{ "{" STAR_RUN ", expect: ['goodput(load) >= {least}'], fails: yes, says: no}",
		  "false", "true" },
		{ "{" STAR_RUN ", expect: ['goodput(load) <= {least}'], fails: yes, says: no}",
		  "true", "true" },
		{ "{" STAR_RUN ", expect: ['lost == 0', 'lost == {other}'], says: no}", "true",
		  "false" },
		{ "{values: {a: {" STAR_RUN ", value: goodput(load)}}, holds: ['a > {least}', 'a < "
		  "{least}'], says: no}",
		  "false", "true" },
		{ "{values: {a: {" STAR_RUN
		  ", seed: '{other}', value: goodput(load)}}, holds: ['a < "
		  "40Gb/s'], says: no}",
		  "true", "false" },
		/* what has no value holds for none */
		{ "{values: {a: {" STAR_RUN
		  ", seed: '{other}', value: 'reaction(h0)'}}, holds: ['a <= 1s'], says: no}",
		  "true", "false" },
		{ "{values: {a1: {" STAR_RUN ", variant: slow, value: goodput(load)}, a: {" STAR_RUN
		  ", value: goodput(load)}}, holds: ['a1 < a', 'a > a1', 'a1 < {least}'], " STAR_RUN
		  ", expect: ['lost == {other}'], says: no}",
		  "false", "false" },
	};
	char wanted[512];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		bool passes = rows[i].right[0] == 't' && rows[i].other[0] == 't';
		int status;

		third_write(rows[i].check);
		status = heddle("lab|check|23|--labs|own|least=40|other=7|--json");
		ck_assert_msg(status == !passes, "%zu: %d %s", i, status, said);
		snprintf(wanted, sizeof(wanted),
			 "  {\n   \"name\": \"least\",\n   \"given\": \"40\",\n   \"right\": %s\n"
			 "  },\n  {\n   \"name\": \"other\",\n   \"given\": \"7\",\n   \"right\": "
			 "%s\n  }\n ],\n \"hints\": [%s]\n}\n",
			 rows[i].right, rows[i].other, passes ? "" : "\n  \"no\"\n ");
		ck_assert_msg(strstr(printed, wanted) != NULL, "%zu: %s\n%s", i, wanted, printed);
	}
}

/* checks that nothing can be compared by are told */
TEST(lab_check__mistakes_of_a_lab)
{
	other_write("3 >= all", "lost == 0");
	ASSERT_STATUS("lab|check|22|--labs|own|least=40", 2);
	ck_assert_str_eq(said, "heddle lab check: '3 >= all' does not begin with one of the values "
			       "of this check\n");
	other_write("all >= 3us", "lost == 0");
	ASSERT_STATUS("lab|check|22|--labs|own|least=40", 2);
	ASSERT_HAS(said, "heddle lab check: 'all >= 3us': goodput is compared with a value that "
			 "cannot be read: '3us' has the unknown unit 'us'; ");
	other_write("all >= {nothing}", "lost == 0");
	ASSERT_STATUS("lab|check|22|--labs|own|least=40", 2);
	ASSERT_HAS(said, "own/22-other/lab.yaml:8:19: there is no value 'nothing' here\n");
	ck_assert_str_eq(printed, "");
}

/* at a terminal: which check runs, and marks in colours */
TEST(lab_check__terminal)
{
	other_write("all >= 39Gb/s", "lost == 0");
	ck_assert_int_eq(
		heddle_typed("lab|check|22|--labs|own|least=40", (const char *const[]){ NULL }), 0);
	ASSERT_HAS(printed, "heddle lab check: check 1 of 2\r\nheddle lab check: check 2 of 2\r\n");
	ASSERT_HAS(printed, "5%         \033[32mok\033[0m\r\n");
	ck_assert_int_eq(heddle_typed("lab|check|22|--labs|own|least=20|--quiet",
				      (const char *const[]){ NULL }),
			 1);
	ASSERT_LACKS(printed, "check 1 of 2");
	ASSERT_HAS(printed, "5%         \033[1;31mnot right\033[0m\r\n");
}

/* ---- files that cannot be there ---- */

/* heddle() with another current folder */
static int heddle_in(const char *folder, const char *line)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int out = open(".out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int err = open(".err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	pid_t pid = fork();

	if (!pid && !chdir(folder))
		whole_exec(line, in, out, err);
	close(in);
	close(out);
	close(err);
	return heddle_await(pid);
}

TEST(lab__files_that_cannot_be_there)
{
	char line[PATH_MAX];

	ck_assert_int_eq(mkdir(RECORD, 0755), 0);
	ASSERT_STATUS("lab|predict|21|--labs|own", 2);
	ASSERT_HAS(said, RECORD ": the answers cannot be read: ");
	ck_assert_int_eq(rmdir(RECORD), 0);
	ASSERT_STATUS("lab|start|21", 2);
	ck_assert_str_eq(said,
			 "heddle lab start: the labs of heddle are not beside it: give --labs "
			 "DIR\n");
	/* answers are complete, and a file that one of them names is gone */
	ASSERT_STATUS("lab|check|21|--labs|own|mine=mine.yaml|faster=fast|least=41|--quiet", 1);
	ck_assert_int_eq(unlink("mine.yaml"), 0);
	ASSERT_STATUS("lab|report|21|--labs|own|--quiet", 2);
	ASSERT_HAS(said, "'mine.yaml' cannot be read");
	ck_assert_str_eq(printed, "");
	ck_assert(!file_there("lab-21-mine-student-1.html"));
	ck_assert_int_eq(unlink("own/21-mine/README.md"), 0);
	ASSERT_STATUS("lab|start|21|--labs|own|--explain", 2);
	ck_assert_str_eq(said, "heddle lab start: cannot read own/21-mine/README.md: No such file "
			       "or directory\n");
	/* nothing can be written there; why depends on the user */
	snprintf(line, sizeof(line), "lab|predict|21|--labs|%s/own|speed=20", whole_folder);
	ck_assert_int_eq(heddle_in("/proc", line), 2);
	ck_assert_msg(!strncmp(said, "heddle lab predict: cannot write " RECORD ": ",
			       strlen("heddle lab predict: cannot write " RECORD ": ")),
		      "%s", said);
	ck_assert_str_eq(printed, "");
}
