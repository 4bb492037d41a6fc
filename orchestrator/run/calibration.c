#include "orchestrator/run/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "orchestrator/base/json_member.h"
#include "orchestrator/results/results_fidelity.h"

#define VERSION 1
#define DEFAULT_PPS 100000.0
#define DEFAULT_LATE_NS 2500000u
#define RATE_MIN_BPS 1000000u
#define RATE_MAX_BPS 100000000000ull
#define DELAY_MIN_NS 1000000u
#define DELAY_MAX_NS 100000000u
#define LATENESS_FACTOR 4u
#define LATE_MAX_NS 1000000000000ll

const uint32_t calibration_switches[CALIBRATION_PATHS] = { 1, 3, 5 };

/* ---- what it is about ---- */

void calibration_default(struct calibration *calibration)
{
	*calibration = (struct calibration){ .rest_p99_ns = DEFAULT_LATE_NS,
					     .load_p99_ns = DEFAULT_LATE_NS };
	for (uint32_t i = 0; i < CALIBRATION_PATHS; i++) {
		calibration->paths[i].small_pps = DEFAULT_PPS / calibration_switches[i];
		calibration->paths[i].large_pps = DEFAULT_PPS / calibration_switches[i];
	}
}

void calibration_here(struct calibration *calibration)
{
	struct utsname names;
	time_t now = time(NULL);
	struct tm utc;

	if (uname(&names))
		memset(&names, 0, sizeof(names));
	snprintf(calibration->machine, sizeof(calibration->machine), "%s", names.nodename);
	snprintf(calibration->kernel, sizeof(calibration->kernel), "%s", names.release);
	calibration->cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	gmtime_r(&now, &utc);
	strftime(calibration->date, sizeof(calibration->date), "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* ---- JSON ---- */

json_t *calibration_json(const struct calibration *calibration)
{
	json_t *paths = json_array();

	for (uint32_t i = 0; i < CALIBRATION_PATHS; i++) {
		const struct calibration_path *path = &calibration->paths[i];

		json_array_append_new(paths, json_pack("{s:i, s:f, s:f, s:f}", "switches",
						       (int)calibration_switches[i], "small_pps",
						       path->small_pps, "large_pps",
						       path->large_pps, "large_bps",
						       path->large_pps * CALIBRATION_LARGE * 8));
	}
	return json_pack("{s:i, s:b, s:s, s:s, s:i, s:s, s:i, s:i, s:I, s:I, s:i, s:o}", "version",
			 VERSION, "measured", calibration->measured, "machine",
			 calibration->machine, "kernel", calibration->kernel, "cores",
			 (int)calibration->cores, "date", calibration->date, "small_bytes",
			 (int)CALIBRATION_SMALL, "large_bytes", (int)CALIBRATION_LARGE,
			 "rest_lateness_p99_ns", (json_int_t)calibration->rest_p99_ns,
			 "load_lateness_p99_ns", (json_int_t)calibration->load_p99_ns,
			 "others_permille", (int)calibration->others_permille, "paths", paths);
}

static bool text_read(const json_t *json, const char *key, char text[CALIBRATION_TEXT_MAX])
{
	const char *value = json_string_value(json_object_get(json, key));

	if (!value)
		return false;
	snprintf(text, CALIBRATION_TEXT_MAX, "%s", value);
	return true;
}

static bool late_read(const json_t *json, const char *key, uint64_t *late_ns)
{
	json_int_t value = member_number(json, key);

	*late_ns = (uint64_t)value;
	return value >= 0 && value <= LATE_MAX_NS;
}

static bool pps_read(const json_t *path, const char *key, double *pps)
{
	*pps = json_number_value(json_object_get(path, key));
	return isfinite(*pps) && *pps >= 1;
}

bool calibration_read(const json_t *json, struct calibration *calibration)
{
	const json_t *paths = json_object_get(json, "paths");
	json_int_t cores = member_number(json, "cores"),
		   others = member_number(json, "others_permille");
	bool fine = member_number(json, "version") == VERSION && cores > 0 && cores < INT32_MAX &&
		    json_array_size(paths) == CALIBRATION_PATHS;

	*calibration = (struct calibration){ .measured = true, .cores = (uint32_t)cores };
	fine = fine && text_read(json, "machine", calibration->machine) &&
	       text_read(json, "kernel", calibration->kernel) &&
	       text_read(json, "date", calibration->date) &&
	       late_read(json, "rest_lateness_p99_ns", &calibration->rest_p99_ns) &&
	       late_read(json, "load_lateness_p99_ns", &calibration->load_p99_ns);
	/* files of earlier versions do not have it */
	fine = fine && others >= 0 && others <= 1000;
	calibration->others_permille = fine ? (uint32_t)others : 0;
	for (uint32_t i = 0; fine && i < CALIBRATION_PATHS; i++) {
		const json_t *path = json_array_get(paths, i);

		fine = pps_read(path, "small_pps", &calibration->paths[i].small_pps) &&
		       pps_read(path, "large_pps", &calibration->paths[i].large_pps);
	}
	return fine;
}

/* ---- the file ---- */

int calibration_file(char *path, size_t path_max)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && cache[0] == '/')
		snprintf(path, path_max, "%s/heddle/calibration.json", cache);
	else if (home && home[0] == '/')
		snprintf(path, path_max, "%s/.cache/heddle/calibration.json", home);
	else
		return -ENOENT;
	return 0;
}

void calibration_load(struct calibration *calibration)
{
	struct calibration here = { 0 };
	char path[4096];
	json_t *json = calibration_file(path, sizeof(path)) ? NULL : json_load_file(path, 0, NULL);
	bool fine = json && calibration_read(json, calibration);

	json_decref(json);
	calibration_here(&here);
	if (!fine || strcmp(here.machine, calibration->machine) != 0 ||
	    strcmp(here.kernel, calibration->kernel) != 0 || here.cores != calibration->cores)
		calibration_default(calibration);
}

/* ---- what follows ---- */

/* seconds of a packet over path @index */
static double packet_s(const struct calibration *calibration, uint32_t index, uint32_t packet_bytes)
{
	double small = 1 / calibration->paths[index].small_pps,
	       large = 1 / calibration->paths[index].large_pps;
	double part = ((double)packet_bytes - CALIBRATION_SMALL) /
		      (CALIBRATION_LARGE - CALIBRATION_SMALL);

	return fmax(small + part * (large - small), fmin(small, large));
}

double calibration_bps(const struct calibration *calibration, uint32_t switches,
		       uint32_t packet_bytes)
{
	uint32_t last = CALIBRATION_PATHS - 1, i = 0;
	double seconds, before;

	while (i < last && calibration_switches[i] < switches)
		i++;
	seconds = packet_s(calibration, i, packet_bytes);
	if (switches > calibration_switches[i]) {
		seconds *= (double)switches / calibration_switches[i];
	} else if (i && switches < calibration_switches[i]) {
		before = packet_s(calibration, i - 1, packet_bytes);
		seconds = before + (seconds - before) * (switches - calibration_switches[i - 1]) /
					   (calibration_switches[i] - calibration_switches[i - 1]);
	}
	return 8 * packet_bytes / seconds;
}

uint64_t calibration_rate_bps(const struct calibration *calibration, uint32_t switches,
			      uint32_t packet_bytes, uint32_t senders)
{
	double bps =
		calibration_bps(calibration, switches, packet_bytes) / 2 / (senders ? senders : 1);

	if (bps <= RATE_MIN_BPS)
		return RATE_MIN_BPS;
	return results_round_down(bps < RATE_MAX_BPS ? (uint64_t)bps : RATE_MAX_BPS);
}

uint64_t calibration_delay_ns(const struct calibration *calibration)
{
	uint64_t delay_ns = results_round_up(LATENESS_FACTOR * calibration->load_p99_ns);

	return delay_ns < DELAY_MIN_NS   ? DELAY_MIN_NS
	       : delay_ns > DELAY_MAX_NS ? DELAY_MAX_NS
					 : delay_ns;
}

const char *calibration_source(const struct calibration *calibration, char text[160])
{
	int length = 0;

	if (calibration->measured)
		length = snprintf(text, 160, "as 'heddle calibrate' has measured on %.10s",
				  calibration->date);
	else
		snprintf(text, 160,
			 "a guess, since 'heddle calibrate' has not measured this machine yet");
	if (calibration->measured && calibration->others_permille)
		snprintf(text + length, 160 - (size_t)length,
			 ", while other programs used up to %u %% of the cores",
			 calibration->others_permille / 10);
	return text;
}
