/*  orchestrator/cli/cmd_calibrate: the runs of a calibration, what follows from their results, and
 *  what is kept (DU-5).
 *
 *  A run is this test itself: as `heddle run` it writes a result of its scenario, without a fabric.
 *  What others use of the cores is in a list, so that a busy machine changes nothing. */
#include "orchestrator/cli/cmd_calibrate.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/run/calibration.h"
#include "orchestrator/run/other_load.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

/* ---- a run ---- */

/* RUN_ENDS: "NUMBER STATUS ANY": from run NUMBER on it ends with this status, and delivers ANY
 * messages a millisecond of a tenth of the switches; each run adds its scenario to the file
 * `runs` */
static void __attribute__((noreturn)) act_as_run(char **words)
{
	unsigned from, status, each, switches, bytes, run_ms, number = 0;
	char text[1024] = "", line[64];
	FILE *file = fopen(words[2], "re"), *runs = fopen("runs", "ae");
	json_t *result;

	if (sscanf(getenv("RUN_ENDS"), "%u %u %u", &from, &status, &each) != 3 || !file ||
	    !fread(text, 1, sizeof(text) - 1, file) || strcmp(words[3], "--clock") != 0 ||
	    strcmp(words[4], "real") != 0 || strcmp(words[5], "--quiet") != 0 ||
	    strcmp(words[6], "--json") != 0)
		_exit(99);
	fclose(file);
	fprintf(runs, "%s\n%s\n", words[2], text);
	fclose(runs);
	file = fopen("count", "a+e");
	rewind(file);
	while (fgets(line, sizeof(line), file))
		number++;
	fputs("run\n", file);
	fclose(file);
	sscanf(strstr(text, "duration: "), "duration: %ums", &run_ms);
	sscanf(strstr(text, "switches: "), "switches: %u", &switches);
	sscanf(strstr(text, "packet: "), "packet: %u", &bytes);
	result = json_pack("{s:{s:I}, s:{s:[{s:i}, {s:i}, {s:i}]}}", "totals", "delivered_bytes",
			   (json_int_t)each * run_ms * bytes * 10 / switches, "fidelity", "nodes",
			   "lateness_p99_ns", 1000, "lateness_p99_ns",
			   strstr(text, "window: 64") ? 7000000 : 250000, "lateness_p99_ns", 2000);
	json_dump_file(result, words[7], 0);
	printf("nothing of a run is shown\n");
	fprintf(stderr, "nothing of a run is said\n");
	fflush(NULL);
	if (status == 128 && number >= from)
		kill(getpid(), SIGKILL);
	_exit(number >= from ? (int)status : 0);
}

__attribute__((constructor)) static void run_of_calibration(int count, char **words)
{
	if (count == 8 && !strcmp(words[0], "heddle") && getenv("RUN_ENDS"))
		act_as_run(words);
}

/* ---- what others use ---- */

static uint32_t others[4]; /* permille, a run each; the last one lasts */
static size_t others_at;

struct other_load other_load_now(void)
{
	return (struct other_load){ 0 };
}

uint32_t other_load_permille(const struct other_load *from, const struct other_load *to,
			     uint32_t cores)
{
	(void)from, (void)to;
	ck_assert_int_eq(cores, sysconf(_SC_NPROCESSORS_ONLN));
	return others[others_at < 3 ? others_at++ : 3];
}

static void others_use(uint32_t first, uint32_t second, uint32_t third, uint32_t then)
{
	others[0] = first;
	others[1] = second;
	others[2] = third;
	others[3] = then;
	others_at = 0;
}

/* ---- the command ---- */

static void setup(void)
{
	daemon_setup();
	ck_assert_int_eq(chdir(root), 0);
	setenv("XDG_CACHE_HOME", root, 1);
	setenv("RUN_ENDS", "0 0 1", 1);
	others_use(0, 0, 0, 0);
}

static void teardown(void)
{
	unsetenv("RUN_ENDS");
	unlink("runs");
	unlink("count");
	unlink("heddle/calibration.json");
	rmdir("heddle");
	daemon_teardown();
}

TEST_GROUP(cmd_calibrate, .setup = setup, .teardown = teardown);

static unsigned run_count(void)
{
	struct stat status;

	return stat("count", &status) ? 0 : (unsigned)status.st_size / 4;
}

#define ROWS                                                                                 \
	"  1 switch      10000 packets/s of 64 bytes  327.7 Mb/s in packets of 4096 bytes\n" \
	"  3 switches     3333 packets/s of 64 bytes  109.2 Mb/s in packets of 4096 bytes\n" \
	"  5 switches     2000 packets/s of 64 bytes  65.54 Mb/s in packets of 4096 bytes\n" \
	"  lateness, p99: 250.0 us at rest, 7.000 ms under half of the load\n"

static void is_said(const char *format, const char *more)
{
	char wanted[2048];

	snprintf(wanted, sizeof(wanted), format, more, root);
	ck_assert_str_eq(said, wanted);
}

TEST(cmd_calibrate__figures)
{
	char wanted[512], today[16];
	struct calibration kept;

	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|100ms"), 0);
	is_said("heddle calibrate: 8 runs of 0.1 s\n" ROWS
		"%sheddle calibrate: kept in %s/heddle/calibration.json\n",
		"");
	calibration_load(&kept);
	snprintf(today, sizeof(today), "%.10s", kept.date);
	snprintf(wanted, sizeof(wanted),
		 "This machine carries in all, as 'heddle calibrate' has measured on %s:\n"
		 "switches       64-byte/s       4096-byte\n"
		 "       1           10000      327.7 Mb/s\n"
		 "       3            3333      109.2 Mb/s\n"
		 "       5            2000      65.54 Mb/s\n"
		 "late by p99 250.0 us at rest, 7.000 ms under load\n",
		 today);
	ck_assert_str_eq(printed, wanted);
	ck_assert_uint_eq(run_count(), 8);
	ck_assert_uint_eq(kept.others_permille, 0);
	ck_assert_uint_eq(kept.rest_p99_ns, 250000);
	ck_assert_uint_eq(kept.load_p99_ns, 7000000);
	/* it is shown without a run */
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--show"), 0);
	ck_assert_str_eq(printed, wanted);
	ck_assert_str_eq(said, "");
	ck_assert_uint_eq(run_count(), 8);
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--show|--json"), 0);
	ck_assert_ptr_nonnull(strstr(printed, "\"measured\": true,\n"));
	ck_assert_int_eq(printed[strlen(printed) - 1], '\n');
}

/* as users would write them; nothing is left of them */
TEST(cmd_calibrate__scenarios)
{
	char text[8192] = "", wanted[1024], path[128];
	FILE *file;

	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|100999us"), 0);
	file = fopen("runs", "re");
	ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
	fclose(file);
	ck_assert_int_eq(sscanf(text, "%127s", path), 1);
	snprintf(wanted, sizeof(wanted),
		 "%s\nname: calibrate\nrun: {duration: 100ms, warmup: 20ms, drain: no}\n"
		 "topology: {generate: chain, switches: 1, hosts-per-switch: 2}\n"
		 "links: {rate: 100000000000b/s, delay: 100us}\nswitch: {buffer: 4MiB}\n"
		 "workloads:\n  - {name: load, pattern: pairs, pairs: [[h0, h1]], size: 64KiB, "
		 "packet: 64, arrival: closed, window: 16}\n\n",
		 path);
	ck_assert_int_eq(strncmp(text, wanted, strlen(wanted)), 0);
	/* the last one, with the rate of the others */
	snprintf(wanted, sizeof(wanted),
		 "links: {rate: 50000000b/s, delay: 10ms}\nswitch: {buffer: 4MiB}\n"
		 "workloads:\n  - {name: load, pattern: pairs, pairs: [[h0, h5]], size: 64KiB, "
		 "packet: 4096, arrival: closed, window: 1, messages: 8}\n\n");
	ck_assert_str_eq(text + strlen(text) - strlen(wanted), wanted);
	ck_assert_int_ne(access(path, F_OK), 0);
	*strrchr(path, '/') = 0;
	ck_assert_int_ne(access(path, F_OK), 0);
}

/* ---- others ---- */

/* A run that others disturb is repeated, eight times of all; the least disturbed one counts. */
TEST(cmd_calibrate__other_programs)
{
	struct calibration kept;

	others_use(100, 100, 100, 100);
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|100ms"), 0);
	ck_assert_uint_eq(run_count(), 8);
	ck_assert_ptr_null(strstr(said, "other programs"));
	others_use(101, 600, 99, 0);
	unlink("count");
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|100ms"), 0);
	ck_assert_uint_eq(run_count(), 10);
	ck_assert_ptr_null(strstr(said, "other programs"));
	others_use(300, 600, 999, 202);
	unlink("count");
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|100ms"), 0);
	ck_assert_uint_eq(run_count(), 16);
	is_said("heddle calibrate: 8 runs of 0.1 s\n" ROWS "%s"
		"heddle calibrate: kept in %s/heddle/calibration.json\n",
		"heddle calibrate: other programs used up to 20 % of the cores in a run, also when "
		"it was\nrepeated: this machine carries more than these figures say, in time. End "
		"them and measure again\n");
	calibration_load(&kept);
	ck_assert_uint_eq(kept.others_permille, 202);
}

TEST(cmd_calibrate__nothing_arrives)
{
	setenv("RUN_ENDS", "0 0 0", 1);
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|100ms"), 4);
	is_said("heddle calibrate: 8 runs of 0.1 s\nheddle calibrate: nothing arrived over 1 "
		"switches within 0.1 s: other programs use the cores. End them, or try a longer "
		"--each\n%s",
		"");
	ck_assert_uint_eq(run_count(), 9);
	ck_assert_int_ne(access("heddle", F_OK), 0);
}

/* ---- runs that fail ---- */

/* the third run, over three switches; _i: by which status */
TEST_RANGE(cmd_calibrate__run_that_fails, 0, 5)
{
	static const struct {
		const char *ends;
		int status;
		unsigned runs;
		const char *said;
	} rows[] = {
		{ "2 4 1", 4, 3, "a run over 3 switches failed (exit status 4)\n" },
		{ "7 2 1", 4, 8, "a run over 3 switches failed (exit status 2)\n" },
		{ "2 128 1", 4, 3, "a run over 3 switches failed (exit status -1)\n" },
		{ "2 5 1", 0, 8, "/heddle/calibration.json\n" }, /* not valid: late */
		{ "2 130 1", 130, 3, "in packets of 4096 bytes\n" },
	};
	size_t length = strlen(rows[_i].said);

	setenv("RUN_ENDS", rows[_i].ends, 1);
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|100ms"), rows[_i].status);
	ck_assert_msg(!strcmp(said + strlen(said) - length, rows[_i].said), "%s", said);
	ck_assert_uint_eq(run_count(), rows[_i].runs);
	ck_assert_str_eq(rows[_i].status ? printed : "", "");
	ck_assert_int_eq(access("heddle", F_OK), rows[_i].status ? -1 : 0);
}

/* what runs print goes nowhere; _i: the descriptor that they print to */
TEST_RANGE(cmd_calibrate__runs_are_silent, STDOUT_FILENO, STDERR_FILENO + 1)
{
	FILE *file = fopen("printed", "we");
	int before = dup(_i), found;
	struct stat status;

	setenv("RUN_ENDS", "2 130 1", 1);
	dup2(fileno(file), _i);
	found = command_run(cmd_calibrate, "calibrate|--each|100ms");
	dup2(before, _i);
	close(before);
	ck_assert_int_eq(found, 130);
	ck_assert_int_eq(fstat(fileno(file), &status), 0);
	ck_assert_int_eq(status.st_size, 0);
	fclose(file);
	unlink("printed");
}

/* ---- refused ---- */

TEST(cmd_calibrate__refused)
{
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--show"), 1);
	ck_assert_ptr_nonnull(strstr(printed, "has not measured this machine yet"));
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|99999us"), 2);
	ck_assert_str_eq(said, "heddle calibrate: --each takes 100ms to 60s, not '99999us'\n");
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|60001ms"), 2);
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|60s|--show"), 1);
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|word"), 2);
	ck_assert_ptr_nonnull(strstr(said, "'word'"));
	ck_assert_uint_eq(run_count(), 0);
	setenv("XDG_CACHE_HOME", "/proc/none", 1);
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|60000999us"), 2);
	ck_assert_ptr_nonnull(strstr(
		said, "heddle calibrate: cannot write /proc/none/heddle/calibration.json: "));
	ck_assert_ptr_nonnull(strstr(said, "heddle calibrate: 8 runs of 60.0 s\n"));
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	ck_assert_int_eq(command_run(cmd_calibrate, "calibrate|--each|100ms"), 2);
	is_said("heddle calibrate: 8 runs of 0.1 s\n" ROWS
		"%sheddle calibrate: neither XDG_CACHE_HOME nor HOME is set: nowhere to keep it\n",
		"");
	ck_assert_str_eq(printed, "");
}
