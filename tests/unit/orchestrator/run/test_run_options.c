/*  orchestrator/run/run_options: what the words after `heddle run` mean, and which do not go
 *  together (TB-10). */
#include "orchestrator/run/run_options.h"

#include <stdlib.h>
#include <string.h>

#include "tests/said.h"
#include "tests/testing.h"

static struct run_options options;
static char words[1024];

/* words separated by blanks.  Return: -1, or the exit status */
static int read_words(const char *line)
{
	char *argv[64] = { "run" }, *at = words;
	int argc = 1, status;

	snprintf(words, sizeof(words), "%s", line);
	while ((argv[argc] = strsep(&at, " ")))
		argc++;
	said_begin();
	status = run_options_read(&options, argc, argv);
	said_end();
	return status;
}

static void fine(const char *line)
{
	ck_assert_msg(read_words(line) == -1, "%s: %s", line, said);
	ck_assert_str_eq(options.scenario, "s.yaml");
}

static void wrong(const char *line, const char *sentence)
{
	char expected[512];

	ck_assert_msg(read_words(line) == EXIT_USAGE, "%s", line);
	snprintf(expected, sizeof(expected), "heddle run: %s", sentence);
	ck_assert_msg(!strncmp(said, expected, strlen(expected)), "%s: %s", line, said);
}

TEST(run_options_read__defaults)
{
	fine("s.yaml");
	ck_assert_uint_eq(options.capture_bytes, 65535);
	ck_assert_int_eq(options.pack, RUN_PACK_BY_SIZE);
	ck_assert_str_eq(options.listen.address, VIEW_LISTEN_OWN);
	ck_assert_str_eq(options.fabric.loop, "auto");
	ck_assert_uint_eq(options.fabric.watchdog_ns, 1000000000);
	ck_assert_uint_eq(options.view, RUN_VIEW_NONE);
	ck_assert(!options.real && !options.breaks && !options.fabric.real &&
		  !options.fabric.whole);
	ck_assert(!run_on_stdout(&options));
}

TEST(run_options_read__values)
{
	fine("--break-at 5us s.yaml --slow 10us/s --watchdog 3s --capture-snap 65535 --capture a=b "
	     "--capture c=d --cores spread --pack=0 --seed 9");
	ck_assert(options.breaks);
	ck_assert_uint_eq(options.break_ps, 5 * NODE_US);
	ck_assert_uint_eq(options.slow_ps_per_s, 10 * NODE_US);
	ck_assert_uint_eq(options.fabric.watchdog_ns, 3000000000);
	ck_assert_uint_eq(options.capture_bytes, 65535);
	ck_assert_uint_eq(options.capture_count, 2);
	ck_assert_str_eq(options.captures[0], "a=b");
	ck_assert_str_eq(options.captures[1], "c=d");
	ck_assert_uint_eq(options.fabric.cores, FABRIC_CORES_SPREAD);
	ck_assert_int_eq(options.pack, 0);
	ck_assert_uint_eq(options.settings.count, 1);
	ck_assert_str_eq(options.settings.texts[0], "seed=9");
	fine("s.yaml --slow 3ms --script f --pack");
	ck_assert_uint_eq(options.slow_ps_per_s, 3 * NODE_MS);
}

TEST(run_options_read__slow_with_a_table_is_wrong)
{
	wrong("s.yaml --slow 3ms --compare", "--compare runs everything to its end");
}

TEST(run_options_read__script_stops_the_run)
{
	fine("s.yaml --script f");
	ck_assert(options.breaks);
	ck_assert_uint_eq(options.break_ps, 0);
	ck_assert_str_eq(options.script, "f");
}

TEST(run_options_read__workers)
{
	fine("s.yaml --pack");
	ck_assert_int_eq(options.pack, OPTION_PACK_BY_CORES);
	fine("s.yaml --pack=7");
	ck_assert_int_eq(options.pack, 7);
	wrong("s.yaml --pack=-1", "--pack takes 0 to ");
	wrong("s.yaml --pack=2x", "--pack takes 0 to ");
	wrong("s.yaml --pack=1000000", "--pack takes 0 to ");
}

TEST(run_options_read__real_clock)
{
	fine("s.yaml --clock real --dilate 3");
	ck_assert(options.real && options.fabric.real && options.fabric.whole);
	fine("s.yaml --clock real --pack=0");
	wrong("s.yaml --clock real --pack=2", "under the real clock each node is a process");
	wrong("s.yaml --clock real --break-at 1us", "the real clock cannot be stopped");
	wrong("s.yaml --clock real --slow 1us", "the real clock cannot be stopped");
	wrong("s.yaml --clock real --view=control", "under the real clock no run can be repeated");
	fine("s.yaml --clock real --view");
	wrong("s.yaml --dilate 3", "--dilate is for --clock real");
	wrong("s.yaml --clock real --dilate 0", "--dilate takes a whole number from 1 to ");
}

/* where the JSON goes: a word before the scenario is a file only if it ends in .json */
TEST(run_options_read__json)
{
	fine("--json s.yaml");
	ck_assert(run_on_stdout(&options));
	fine("--json out.json s.yaml");
	ck_assert_str_eq(options.json, "out.json");
	ck_assert(!run_on_stdout(&options));
	fine("s.yaml --json out");
	ck_assert_str_eq(options.json, "out");
	fine("--json - s.yaml");
	ck_assert(run_on_stdout(&options));
	fine("s.yaml --json --quiet");
	ck_assert(run_on_stdout(&options));
	ck_assert(options.quiet);
	wrong("--json .json s.yaml", "two scenarios, '.json' and 's.yaml'");
	fine("s.yaml --events -");
	ck_assert(run_on_stdout(&options));
	fine("s.yaml --record -");
	ck_assert(run_on_stdout(&options));
}

TEST(run_options_read__view)
{
	fine("s.yaml --view --listen :99");
	ck_assert_uint_eq(options.view, RUN_VIEW_READ);
	ck_assert_uint_eq(options.listen.port, 99);
	fine("s.yaml --view=control");
	ck_assert_uint_eq(options.view, RUN_VIEW_CONTROL);
}

TEST(run_options_read__what_does_not_go_together)
{
	wrong("s.yaml --sweep a=1 --seeds 1..2", "either --sweep or --seeds");
	wrong("s.yaml --compare --variant v", "--compare runs all variants");
	wrong("s.yaml --compare --sweep a=1", "--compare runs all variants");
	wrong("s.yaml --compare --seeds 1..2", "--compare runs all variants");
	wrong("s.yaml --sweep a=1 --timing", "--sweep runs everything to its end");
	wrong("s.yaml --seeds 1..2 --break-at 1us", "--seeds runs everything to its end");
	wrong("s.yaml --compare --record f", "--record writes the file of one run: not with "
					     "--compare");
	wrong("s.yaml --seeds 1..2 --events f", "--events writes the file of one run: not with "
						"--seeds");
	wrong("s.yaml --sweep a=1 --capture a=b", "--capture writes the file of one run: not with "
						  "--sweep");
	wrong("s.yaml --report r.html --record f", "--report and --record each make a recording");
	wrong("s.yaml --report r.html --sweep a=1", "--report is of one run, or of variants");
	wrong("s.yaml --report r.html --seeds 1..2", "--report is of one run, or of variants");
	fine("s.yaml --report r.html --compare");
	wrong("s.yaml --compare --view", "--view shows one run: not with --compare");
	wrong("s.yaml --report r.html --view", "--report and --view each make a recording");
	wrong("s.yaml --only v", "--only names a variant to --compare");
	fine("s.yaml --only v --compare");
	ck_assert_uint_eq(options.only_count, 1);
	ck_assert_str_eq(options.only[0], "v");
	fine("s.yaml --sweep a=1");
	fine("s.yaml --seeds 1..2");
}

TEST(run_options_read__wrong_values)
{
	wrong("s.yaml --capture-snap 0", "--capture-snap takes 1 to 65535 bytes, not '0'");
	wrong("s.yaml --capture-snap 65536", "--capture-snap takes 1 to 65535 bytes");
	wrong("s.yaml --capture-snap x", "--capture-snap: ");
	wrong("s.yaml --break-at 5", "--break-at: ");
	wrong("s.yaml --seed x", "--seed: ");
	fine("s.yaml --capture-snap 1");
}

TEST(run_options_read__as_many_captures_as_there_may_be)
{
	char line[1024] = "s.yaml";

	for (unsigned i = 0; i < CAPTURE_FILES_MAX && i < 30; i++)
		strcat(line, " --capture a=b");
	if (CAPTURE_FILES_MAX > 29)
		return;
	fine(line);
	ck_assert_uint_eq(options.capture_count, CAPTURE_FILES_MAX);
	strcat(line, " --capture a=b");
	wrong(line, "more than ");
}

/* _i: one more than there can be */
TEST_RANGE(run_options_read__most_variants, 0, 2)
{
	static char names[SCENARIO_VARIANTS_MAX + 1][8];
	char *argv[2 * SCENARIO_VARIANTS_MAX + 8] = { "run", "--compare" };
	int argc = 2, status;

	for (uint32_t i = 0; i < SCENARIO_VARIANTS_MAX + (uint32_t)_i; i++) {
		snprintf(names[i], sizeof(names[i]), "v%u", i);
		argv[argc++] = "--only";
		argv[argc++] = names[i];
	}
	argv[argc++] = "s.yaml";
	said_begin();
	status = run_options_read(&options, argc, argv);
	said_end();
	ck_assert_int_eq(status, _i ? EXIT_USAGE : -1);
	ck_assert_uint_eq(options.only_count, SCENARIO_VARIANTS_MAX);
	ck_assert_str_eq(options.only[63], "v63");
	ck_assert_int_eq(strstr(said, "more than 64 times --only") != NULL, _i);
}
