/*  calibration - what this machine carries under the real clock, as `heddle calibrate` has measured
 *  it once, and what follows for a fabric (DU-5). Pure, but for the file.
 *
 *  Measured: packets per second from one host to another over 1, 3 and 5 switches, with packets of
 *  CALIBRATION_SMALL and CALIBRATION_LARGE bytes; how late nodes are at rest and under load.
 *  Between the two sizes the time of a packet is linear in its length; between numbers of switches
 *  too, and beyond 5 it is proportional to them. That is what all traffic has together: two pairs
 *  of hosts get half each, since all nodes share the cores.
 *  Half of it is suggested (ours): programs in the hosts, and whatever else runs, need the rest.
 *  The file is calibration.json in $XDG_CACHE_HOME/heddle, else in ~/.cache/heddle. It holds for
 *  the machine, the kernel and the number of cores that it was made on. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_CALIBRATION_H
#define HEDDLE_ORCHESTRATOR_RUN_CALIBRATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define CALIBRATION_SMALL 64u   /* bytes of a packet without FCS */
#define CALIBRATION_LARGE 4096u /* the same: the default of links.mtu */
#define CALIBRATION_PATHS 3u
#define CALIBRATION_TEXT_MAX 72u

extern const uint32_t calibration_switches[CALIBRATION_PATHS]; /* 1, 3, 5 */

struct calibration_path {
	double small_pps, large_pps; /* packets per second */
};

struct calibration {
	bool measured; /* false: the conservative default */
	char machine[CALIBRATION_TEXT_MAX], kernel[CALIBRATION_TEXT_MAX];
	char date[CALIBRATION_TEXT_MAX]; /* UTC, ISO 8601 */
	uint32_t cores;
	struct calibration_path paths[CALIBRATION_PATHS];
	uint64_t rest_p99_ns, load_p99_ns; /* of the latest node */
	/* that other programs used of the cores meanwhile; 0: too little to matter */
	uint32_t others_permille;
};

/** calibration_default() - what any machine of these days carries: 100 000 packets per second over
 *  a switch, lateness of 2.5 ms (ours). */
void calibration_default(struct calibration *calibration);

/** calibration_here() - fills machine, kernel, cores and date. */
void calibration_here(struct calibration *calibration);

/** calibration_json(), calibration_read() - as JSON, and back.
 *  Return: of calibration_read() false if that is none; nothing in it is trusted. */
json_t *calibration_json(const struct calibration *calibration);
bool calibration_read(const json_t *json, struct calibration *calibration);

/** calibration_file() - the name of the file to @path.   Return: 0; -ENOENT: there is no home. */
int calibration_file(char *path, size_t path_max);

/** calibration_load() - the one of this machine, or the default. */
void calibration_load(struct calibration *calibration);

/** calibration_bps() - bits per second that the machine carries over @switches switches, in packets
 *  of @packet_bytes, everything together. */
double calibration_bps(const struct calibration *calibration, uint32_t switches,
		       uint32_t packet_bytes);

/** calibration_rate_bps() - rate of links that it carries if @senders hosts send at a time: half
 *  of that, rounded down to 1, 2 or 5 times a power of ten, from 1 Mb/s to 100 Gb/s. */
uint64_t calibration_rate_bps(const struct calibration *calibration, uint32_t switches,
			      uint32_t packet_bytes, uint32_t senders);

/** calibration_delay_ns() - delay of the links that absorbs what nodes are late: four times the
 *  lateness under load (ours: it was measured in a second), rounded up in the same manner, from
 *  1 ms to 100 ms. */
uint64_t calibration_delay_ns(const struct calibration *calibration);

/** calibration_source() - "as 'heddle calibrate' has measured on 2026-11-23", or that nothing was
 *  measured.   Return: @text. */
const char *calibration_source(const struct calibration *calibration, char text[160]);

#endif
