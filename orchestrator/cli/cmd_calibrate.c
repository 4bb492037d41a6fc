/*  cmd_calibrate - `heddle calibrate` (DU-5): what run/calibration.h says, measured by runs.
 *
 *  Each measurement is a `heddle run --clock real` of its own, of --each: a host sends to
 *  another one over a row of switches, as fast as it can with links of 100 Gb/s, which no machine
 *  carries; so what arrives is what the machine does. The lateness under load is that of half of
 *  what it carried over three switches, the lateness at rest that of a packet now and then.
 *
 *  Other programs take from what is measured. A run during which they used more than
 *  OTHERS_PERMILLE of the cores is repeated, the one with the least is kept, and what remains is
 *  told and kept with the figures. */
#include "orchestrator/cli/cmd_calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/human.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/base/exit_status.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/command/options.h"
#include "orchestrator/run/calibration.h"
#include "orchestrator/run/other_load.h"

#define EACH_PS (1000 * NODE_MS)
#define EACH_MIN_PS (100 * NODE_MS)
#define EACH_MAX_PS (60000 * NODE_MS)
#define OTHERS_PERMILLE 100u        /* ours: more than the usual rest of a machine without load */
#define REPEATS_MAX 8u              /* of all runs together */
#define NOTHING_PERMILLE UINT32_MAX /* of a run in which nothing arrived */

struct request {
	bool json, show;
	uint64_t each_ps; /* of a run */
};

#define AT(member) offsetof(struct request, member)

static int each_take(const char *command, const struct option_row *row, void *field,
		     const char *value)
{
	uint64_t *each_ps = field;
	int status = option_time(command, row, field, value);

	if (status)
		return status;
	*each_ps -= *each_ps % NODE_MS;
	if (*each_ps < EACH_MIN_PS || *each_ps > EACH_MAX_PS)
		return options_wrong(command, "%s takes 100ms to 60s, not '%s'", row->name, value);
	return 0;
}

static const struct option_row options[] = {
	OPTION_TAKE("--each", "TIME", AT(each_ps), each_take, NULL,
		    "of a run, 100ms to 60s (1s): the longer, the less figures vary"),
	OPTION_FLAG("--show", AT(show), "what was measured before; nothing is measured"),
	OPTION_FLAG("--json", AT(json), "the same for programs"),
};

static const struct command_words words = {
	"calibrate",
	"usage: heddle calibrate [--each TIME] [--show] [--json]\n"
	"Measures for some seconds what this machine carries under the real clock: packets and "
	"bits per second\n"
	"over 1, 3 and 5 switches, and how late nodes are. Keeps it in ~/.cache/heddle "
	"($XDG_CACHE_HOME).\n"
	"'heddle up' and 'heddle run --clock real' then warn of a fabric that is too much, and "
	"'heddle gen --real'\n"
	"writes one that is not. What else runs on the machine counts: end it before.\n",
	"exit status: 0 fine, 1 --show: nothing was measured on this machine, 2 wrong usage, or "
	"the file\n"
	"cannot be written, 4 a run failed, 130 interrupted\n",
	OPTIONS(options),
};

/* one run */
struct trial {
	uint32_t switches, packet_bytes;
	uint64_t rate_bps; /* of the links */
	const char *delay; /* of the links */
	const char *load;  /* keys of the workload */
};

/* what a run has shown */
struct figures {
	double pps;
	uint64_t late_ns;
	uint32_t others_permille; /* of the cores, used by other programs */
};

/* all runs */
struct measuring {
	char folder[64];
	uint32_t run_ms;
	uint32_t cores, repeats, others_permille; /* the most of the runs that count */
};

/* ---- a run ---- */

static int scenario_write(const struct trial *trial, uint32_t run_ms, const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return -errno;
	fprintf(out,
		"name: calibrate\n"
		"run: {duration: %ums, warmup: %ums, drain: no}\n"
		"topology: {generate: chain, switches: %u, hosts-per-switch: 2}\n"
		"links: {rate: %llub/s, delay: %s}\n"
		"switch: {buffer: 4MiB}\n"
		"workloads:\n"
		"  - {name: load, pattern: pairs, pairs: [[h0, h%u]], size: 64KiB, packet: %u, "
		"%s}\n",
		run_ms, run_ms / 5, trial->switches, (unsigned long long)trial->rate_bps,
		trial->delay, 2 * trial->switches - 1, trial->packet_bytes, trial->load);
	return fclose(out) ? -errno : 0;
}

/* heddle run SCENARIO --clock real --json RESULT.  Return: its exit status; -1: it was killed */
static int heddle_run(const char *scenario, const char *result)
{
	int status, null;
	pid_t pid;

	pid = fork();
	if (!pid) {
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl("/proc/self/exe", "heddle", "run", scenario, "--clock", "real", "--quiet",
		      "--json", result, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* the lateness p99 of the latest node */
static uint64_t late_ns_of(const json_t *result)
{
	const json_t *nodes = json_object_get(json_object_get(result, "fidelity"), "nodes"), *node;
	json_int_t most = 0, late;
	size_t i;

	json_array_foreach (nodes, i, node) {
		late = member_number(node, "lateness_p99_ns");
		most = late > most ? late : most;
	}
	return (uint64_t)most;
}

/* A run that delivers nothing was not failed by Heddle: no node got a core in time. It has 0 pps.
 * Return: the exit status of the command */
static int trial_run(const struct trial *trial, const struct measuring *measuring,
		     struct figures *figures)
{
	char scenario[256], path[256];
	json_t *result;
	double bytes;
	int status;

	snprintf(scenario, sizeof(scenario), "%s/calibrate.yaml", measuring->folder);
	snprintf(path, sizeof(path), "%s/result.json", measuring->folder);
	if (scenario_write(trial, measuring->run_ms, scenario))
		return options_wrong("calibrate", "cannot write %s: %s", scenario, strerror(errno));
	status = interrupt_seen() ? EXIT_INTERRUPTED : heddle_run(scenario, path);
	result = json_load_file(path, 0, NULL);
	unlink(scenario);
	unlink(path);
	bytes = (double)json_integer_value(
		json_object_get(json_object_get(result, "totals"), "delivered_bytes"));
	figures->pps = rint(bytes / trial->packet_bytes * 1000 / measuring->run_ms);
	figures->late_ns = late_ns_of(result);
	json_decref(result);
	if (interrupt_seen() || status == EXIT_INTERRUPTED)
		return EXIT_INTERRUPTED;
	if (status && status != EXIT_NOT_VALID) {
		options_wrong("calibrate", "a run over %u switches failed (exit status %d)",
			      trial->switches, status);
		return EXIT_NODE;
	}
	return 0;
}

/* the run that other programs have disturbed least.   Return: as trial_run() */
static int trial_repeat(const struct trial *trial, struct measuring *measuring,
			struct figures *best)
{
	best->others_permille = NOTHING_PERMILLE;
	for (;;) {
		struct figures figures = { 0 };
		struct other_load from = other_load_now(), to;
		int status = trial_run(trial, measuring, &figures);

		if (status)
			return status;
		to = other_load_now();
		figures.others_permille = other_load_permille(&from, &to, measuring->cores);
		if (figures.pps <= 0)
			figures.others_permille = NOTHING_PERMILLE;
		if (figures.others_permille < best->others_permille)
			*best = figures;
		if (best->others_permille <= OTHERS_PERMILLE || !measuring->repeats)
			break;
		measuring->repeats--;
	}
	if (best->others_permille == NOTHING_PERMILLE) {
		options_wrong("calibrate",
			      "nothing arrived over %u switches within %.1f s: other "
			      "programs use the cores. End them, or try a longer --each",
			      trial->switches, measuring->run_ms / 1e3);
		return EXIT_NODE;
	}
	if (best->others_permille > measuring->others_permille)
		measuring->others_permille = best->others_permille;
	return 0;
}

/* ---- all of them ---- */

static int path_measure(uint32_t index, struct measuring *measuring, struct calibration_path *path)
{
	struct trial trial = { .switches = calibration_switches[index],
			       .packet_bytes = CALIBRATION_SMALL,
			       .rate_bps = 100000000000ull,
			       .delay = "100us",
			       .load = "arrival: closed, window: 16" };
	char rate[HUMAN_TEXT_MAX];
	struct figures small = { 0 }, large = { 0 };
	int status = trial_repeat(&trial, measuring, &small);

	trial.packet_bytes = CALIBRATION_LARGE;
	if (!status)
		status = trial_repeat(&trial, measuring, &large);
	*path = (struct calibration_path){ .small_pps = small.pps, .large_pps = large.pps };
	if (!status)
		fprintf(stderr,
			"  %u switch%-2s  %7.0f packets/s of %u bytes  %10s in packets of %u "
			"bytes\n",
			trial.switches, trial.switches == 1 ? "" : "es", path->small_pps,
			CALIBRATION_SMALL,
			human_rate((uint64_t)(path->large_pps * CALIBRATION_LARGE * 8), rate),
			CALIBRATION_LARGE);
	return status;
}

static int lateness_measure(struct calibration *calibration, struct measuring *measuring)
{
	struct trial trial = { .switches = 3,
			       .packet_bytes = CALIBRATION_LARGE,
			       .rate_bps =
				       calibration_rate_bps(calibration, 3, CALIBRATION_LARGE, 1),
			       .delay = "10ms",
			       .load = "arrival: closed, window: 64" };
	char rest[HUMAN_TEXT_MAX], load[HUMAN_TEXT_MAX];
	struct figures loaded = { 0 }, idle = { 0 };
	int status = trial_repeat(&trial, measuring, &loaded);

	trial.load = "arrival: closed, window: 1, messages: 8";
	if (!status)
		status = trial_repeat(&trial, measuring, &idle);
	calibration->load_p99_ns = loaded.late_ns;
	calibration->rest_p99_ns = idle.late_ns;
	if (!status)
		fprintf(stderr, "  lateness, p99: %s at rest, %s under half of the load\n",
			human_time(calibration->rest_p99_ns * NODE_NS, rest),
			human_time(calibration->load_p99_ns * NODE_NS, load));
	return status;
}

static int measure(uint64_t each_ps, struct calibration *calibration)
{
	struct measuring measuring = { .folder = "/tmp/heddle-calibrate-XXXXXX",
				       .run_ms = (uint32_t)(each_ps / NODE_MS),
				       .repeats = REPEATS_MAX };
	int status = 0;

	if (!mkdtemp(measuring.folder))
		return options_wrong("calibrate", "cannot make a folder in /tmp: %s",
				     strerror(errno));
	fprintf(stderr, "heddle calibrate: %u runs of %.1f s\n", 2 * CALIBRATION_PATHS + 2,
		measuring.run_ms / 1e3);
	*calibration = (struct calibration){ .measured = true };
	calibration_here(calibration);
	measuring.cores = calibration->cores;
	for (uint32_t i = 0; !status && i < CALIBRATION_PATHS; i++)
		status = path_measure(i, &measuring, &calibration->paths[i]);
	if (!status)
		status = lateness_measure(calibration, &measuring);
	rmdir(measuring.folder);
	if (measuring.others_permille > OTHERS_PERMILLE)
		calibration->others_permille = measuring.others_permille;
	if (!status && calibration->others_permille)
		fprintf(stderr,
			"heddle calibrate: other programs used up to %u %% of the cores in a run, "
			"also when it was\nrepeated: this machine carries more than these figures "
			"say, in time. End them and measure again\n",
			calibration->others_permille / 10);
	return status;
}

/* ---- the file ---- */

/* makes the folders above @path that are missing */
static void folders_make(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
}

static int save(const struct calibration *calibration)
{
	json_t *json = calibration_json(calibration);
	char path[4096];
	int status = 0;

	if (calibration_file(path, sizeof(path))) {
		status = options_wrong(
			"calibrate", "neither XDG_CACHE_HOME nor HOME is set: nowhere to keep it");
	} else {
		folders_make(path);
		if (json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(15)))
			status = options_wrong("calibrate", "cannot write %s: %s", path,
					       strerror(errno));
		else
			fprintf(stderr, "heddle calibrate: kept in %s\n", path);
	}
	json_decref(json);
	return status;
}

/* ---- what is said ---- */

static void text_print(const struct calibration *calibration)
{
	char source[160], rate[HUMAN_TEXT_MAX], late[HUMAN_TEXT_MAX];

	printf("This machine carries in all, %s:\n", calibration_source(calibration, source));
	printf("%8s  %14s  %14s\n", "switches", "64-byte/s", "4096-byte");
	for (uint32_t i = 0; i < CALIBRATION_PATHS; i++)
		printf("%8u  %14.0f  %14s\n", calibration_switches[i],
		       calibration->paths[i].small_pps,
		       human_rate((uint64_t)calibration_bps(calibration, calibration_switches[i],
							    CALIBRATION_LARGE),
				  rate));
	printf("late by p99 %s at rest, ", human_time(calibration->rest_p99_ns * NODE_NS, late));
	printf("%s under load\n", human_time(calibration->load_p99_ns * NODE_NS, late));
}

int cmd_calibrate(int argc, char **argv)
{
	struct request request = { .each_ps = EACH_PS };
	struct calibration calibration;
	int count, status = options_read(&words, argc, argv, &request, &count);

	if (status >= 0)
		return status;
	if (count)
		return options_wrong("calibrate", "expected no word, not '%s'", argv[1]);
	interrupt_catch();
	status = 0;
	if (request.show)
		calibration_load(&calibration);
	else
		status = measure(request.each_ps, &calibration);
	if (!status && !request.show)
		status = save(&calibration);
	if (status)
		return status;
	if (request.json)
		json_text_write(calibration_json(&calibration),
				JSON_INDENT(2) | JSON_REAL_PRECISION(15), stdout);
	else
		text_print(&calibration);
	return request.show && !calibration.measured ? EXIT_EXPECTATION : 0;
}
