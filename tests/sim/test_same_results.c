/*  TB-7: the results of short scenarios of every kind of fabric are those that are kept in
 *  same_results.txt, byte by byte: JSON, summary, tables, events, samples, and
 *  in the middle of the run what nodes show of themselves. So whatever changes what
 *  a fabric does, by a picosecond or a byte, is seen here; what it means, other tests say.
 *
 *  A change that is meant: look at what differs with `make same-as COMMIT=HEAD` (contributing.md),
 *  then WRITE=yes build/asan/sim/test_same_results writes the digests again.
 *  A recording of each run gives the same files as the run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/recording/recorder.h"
#include "orchestrator/recording/recording_export.h"
#include "orchestrator/results/events.h"
#include "orchestrator/results/results_csv.h"
#include "orchestrator/results/results_json.h"
#include "orchestrator/results/results_text.h"
#include "tests/kept.h"
#include "tests/sim/shown.h"
#include "tests/sim/sim.h"

#define KEPT "tests/sim/same_results.txt"
#define SETTINGS_MAX 12u

/* A fault or a loss within the first microseconds; most runs take 0.1 s. */
static const struct scenario_row {
	const char *name, *file;
	const char *settings[SETTINGS_MAX];
} rows[] = {
#define SHORT "run.duration=20us", "run.warmup=4us", "run.sample=2us"
#define LONGER "run.duration=60us", "run.warmup=10us", "run.sample=5us"
	/* flow channels */
	{ "parking-lot", "parking-lot", { SHORT } },
	{ "by-port", "parking-lot-by-port", { SHORT } },
	{ "store-and-forward", "parking-lot", { SHORT, "switch.forwarding=store-and-forward" } },
	{ "channels", "leaf-spine-adaptive", { SHORT, "links.channels=3" } },
	{ "loss", "leaf-spine-adaptive", { SHORT, "links.loss=1%" } },
	{ "bit-errors", "permutation-fat-tree-16", { SHORT, "links.bit-errors=1e-6" } },
	{ "impaired",
	  "permutation-fat-tree-16",
	  { SHORT, "links.edge={jitter: 200ns, reorder: 5%, reorder-wait: 5us, duplicate: 3%, "
		   "corrupt: 3%}" } },
	{ "pareto",
	  "permutation-fat-tree-16",
	  { SHORT, "links={delay: 300ns, jitter: 100ns, jitter-shape: pareto}" } },
	{ "normal",
	  "torus",
	  { SHORT, "links={delay: 300ns, jitter: 100ns, jitter-shape: paretonormal}" } },
	{ "congested", "congested-link", { SHORT } },
	{ "flow-keys", "flow-key-masks", { SHORT } },
	{ "flow-limit", "flow-limit", { SHORT } },
	{ "incast", "incast-victims", { LONGER } },
	{ "incast-ecn",
	  "leaf-spine-incast",
	  { SHORT, "congestion.ecn=yes", "congestion.inputs=yes" } },
	{ "fgfc", "star-incast", { LONGER, "congestion.fgfc={pause: 2us, credit: 8kB}" } },
	{ "port-limit", "star-incast", { SHORT, "congestion.port-limit=20kB" } },
	{ "two-racks", "two-racks", { SHORT } },
	{ "slow-start", "slow-start", { SHORT } },
	{ "web-search", "web-search", { LONGER } },
	{ "hyperx", "hyperx", { SHORT } },
	{ "detours", "dragonfly-adaptive", { "run.duration=8us", "run.warmup=1us" } },
	{ "valiant", "dragonfly-valiant", { "run.duration=8us", "run.warmup=1us" } },
	{ "redirect", "redirect", { "run.duration=120us", "run.warmup=10us", "run.sample=10us" } },
	{ "sources-held",
	  "source-victim",
	  { "run.duration=50us", "run.warmup=20us", "workloads.1.connections=7" } },
	{ "slow-receiver",
	  "slow-receiver",
	  { LONGER, "pauses=[{host: slow, start: 5us, stop: 50us, every: 20us, for: 15us}]" } },
	{ "link-failure",
	  "link-failure",
	  { LONGER, "faults=[{at: 15us, link: [p1a0, c0], for: 20us}]" } },
	{ "switch-failure",
	  "switch-failure",
	  { LONGER, "routing.choice=adaptive",
	    "faults=[{at: 15us, switch: c0, for: 10us}, {at: 30us, switch: p2e0, for: 15us}]" } },
	{ "manager-failure",
	  "failure-dragonfly",
	  { LONGER, "routing.takeover=20us",
	    "faults=[{at: 10us, fabric-manager: active}, {at: 15us, link: [g0s0, g1s0], for: "
	    "30us}]" } },
	{ "groups",
	  "group-redirect",
	  { LONGER, "faults=[{at: 1us, link: [s1012, s1016], for: 25us}]" } },
	{ "unordered",
	  "leaf-spine-adaptive",
	  { SHORT, "classes=[{name: a, unordered: yes, max: 60%}, {name: b, min: 10%}]" } },
	{ "packets", "star-incast", { "run.duration=8us", "run.warmup=1us", "run.packets=yes" } },
	{ "few-lines",
	  "star-incast",
	  { SHORT, "links.edge={channels: 2}", "workloads.0.connections=6",
	    "workloads.0.frame=ipv4" } },
	{ "folded",
	  "leaf-spine-incast",
	  { LONGER, "routing.choice=adaptive",
	    "classes=[{name: a, unordered: yes}, {name: b, unordered: no}]" } },
	{ "no-control", "incast-victims", { SHORT, "congestion=no", "routing.choice=hash" } },
	{ "own-flows", "tests/unit/orchestrator/plan/same/flows", { NULL } },
	/* Ethernet */
	{ "own-roce", "tests/unit/orchestrator/plan/same/roce", { "run.duration=60us" } },
	{ "cnp-failure", "cnp-failure", { LONGER } },
	{ "cnp-threshold", "cnp-threshold", { SHORT } },
	{ "ecn-failure", "ecn-failure", { LONGER } },
	{ "dcqcn", "dcqcn-incast", { LONGER } },
	{ "dcqcn-s4",
	  "roce-compare",
	  { LONGER, "roce.dcqcn={variant: s4}", "roce.supplement=yes" } },
	{ "dcqcn-vendor", "dcqcn-incast", { LONGER, "roce.dcqcn={variant: vendor}" } },
	{ "dcqcn-hpcc", "dcqcn-incast", { LONGER, "roce.dcqcn={variant: hpcc}" } },
	{ "swift", "roce-compare", { LONGER, "roce.congestion-control=swift" } },
	{ "ets", "ets-shares", { SHORT } },
	{ "path-pause",
	  "path-pause-clos",
	  { SHORT, "roce.supplement=yes",
	    "roce.path-pause={target: ecn-failed, high: 20kB, low: 5kB}" } },
	{ "deadlock",
	  "pfc-deadlock",
	  { LONGER, "run.drain-max=100us", "roce.pfc={watchdog: 20us}" } },
	{ "headroom", "pfc-headroom", { SHORT } },
	{ "spreading",
	  "pfc-spreading",
	  { LONGER, "workloads.1.start=5us", "faults=[{at: 30us, link: [s0, s1], for: 10us}]" } },
	{ "victim", "pfc-victim", { SHORT, "roce.pfc={pause: yes}" } },
	{ "no-pfc",
	  "pfc-parking-lot",
	  { LONGER, "roce.pfc=no", "classes.0.queue=60kB", "roce.queue-pair.timeout=20us" } },
	{ "roce-loss",
	  "pfc-ring-of-four",
	  { LONGER, "links.loss=0.5%", "roce.queue-pair.timeout=20us" } },
	{ "roce-impaired",
	  "pfc-ring-of-four",
	  { LONGER,
	    "links={jitter: 100ns, jitter-shape: normal, reorder: 3%, duplicate: 2%, corrupt: 2%}",
	    "roce.queue-pair.timeout=20us" } },
	{ "tcp",
	  "roce-compare",
	  { LONGER, "roce.transport=tcp", "classes.0.lossless=no", "classes.0.queue=40kB",
	    "roce.tcp.rto-min=20us" } },
	{ "loop", "routing-loop", { SHORT } },
	{ "roce-hash", "leaf-spine-adaptive", { SHORT, "fabric=roce" } },
	/* port groups */
	{ "own-lids", "tests/unit/orchestrator/plan/same/lids", { NULL } },
	{ "lids", "port-group-incast", { LONGER } },
	{ "lids-failure",
	  "port-group-permutation",
	  { LONGER, "faults=[{at: 20us, link: [leaf0, spine0], for: 20us}]" } },
	{ "lids-ordered",
	  "port-group-permutation",
	  { LONGER, "classes=[{name: data, unordered: no}, {name: other}]" } },
	{ "lids-detours", "port-group-dragonfly", { "run.duration=10us", "run.warmup=2us" } },
	{ "credit-deadlock", "credit-deadlock", { SHORT, "run.drain-max=100us" } },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* what a run gives */
enum part { JSON, TEXT, TABLES, EVENTS, SHOWN, PARTS };
static const char *const part_names[PARTS] = { "json", "text", "tables", "events", "shown" };

struct files {
	char *texts[PARTS];
	size_t lengths[PARTS];
};

static struct sim sim;
static struct node_log_source *events, *series;
static struct stats_page **pages;
static struct results results;

/* ---- running ---- */

static int log_open(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static int series_fd_of(uint32_t node)
{
	return sim.plan.nodes[node].series ? sim.nodes[node].series_fd : -1;
}

/* what a link delays or copies is in no account of the checkers */
static bool is_impaired(const struct scenario_row *row)
{
	for (unsigned i = 0; i < SETTINGS_MAX && row->settings[i]; i++)
		if (strstr(row->settings[i], "reorder:"))
			return true;
	return false;
}

static FILE *part_open(struct files *files, enum part part)
{
	FILE *out = open_memstream(&files->texts[part], &files->lengths[part]);

	ck_assert_ptr_nonnull(out);
	return out;
}

static void simulate(const struct scenario_row *row, struct files *files)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s%s.yaml", strchr(row->file, '/') ? "" : "topologies/",
		 row->file);
	sim_open_file(&sim, path, row->settings);
	events = calloc(sim.plan.node_count, sizeof(*events));
	series = calloc(sim.plan.node_count, sizeof(*series));
	pages = calloc(sim.plan.node_count, sizeof(*pages));
	for (uint32_t i = 0; i < sim.plan.node_count; i++) {
		pages[i] = sim.nodes[i].stats;
		events[i] = (struct node_log_source){ pages[i], log_open("events") };
		trace_file(pages[i], events[i].fd);
		series[i] = (struct node_log_source){ pages[i], series_fd_of(i) };
	}
	sim_run_until(&sim, sim.plan.duration_ps / 2);
	out = part_open(files, SHOWN);
	sim_show(&sim, out);
	fclose(out);
	if (is_impaired(row)) {
		sim_run_until(&sim, sim.plan.duration_ps);
		if (sim.plan.drain)
			sim_run_until(&sim, sim.plan.drain_max_ps);
	} else {
		sim_run(&sim);
	}
	sim_results(&sim, &results);
}

static void end(void)
{
	for (uint32_t i = 0; i < sim.plan.node_count; i++)
		close(events[i].fd);
	results_free(&results);
	free(events);
	free(series);
	free(pages);
	sim_close(&sim);
}

/* ---- what it gives ---- */

static const struct results_logs *logs_of(void)
{
	static struct results_logs logs;

	logs = (struct results_logs){ series, events };
	return &logs;
}

static void files_write(struct files *files)
{
	struct why why;
	FILE *out = part_open(files, JSON);

	ck_assert_int_eq(results_json_write(&sim.plan, &results, NULL, out), 0);
	fclose(out);
	out = part_open(files, TEXT);
	results_text_write(&sim.plan, &results, NULL, NULL, false, out);
	fclose(out);
	out = part_open(files, TABLES);
	for (unsigned i = 0; results_csv_name(i); i++) {
		if (!results_csv_has(&sim.plan, &results, i))
			continue;
		fprintf(out, "# %s\n", results_csv_name(i));
		ck_assert_int_eq(results_csv_table(&sim.plan, pages, logs_of(), &results, i, out),
				 0);
	}
	fclose(out);
	out = part_open(files, EVENTS);
	ck_assert_int_eq(events_write(&sim.plan, events, EVENTS_CSV, out, &why), 0);
	fclose(out);
}

static void files_free(struct files *files)
{
	for (unsigned part = 0; part < PARTS; part++)
		free(files->texts[part]);
}

/* ---- a recording of it ---- */

/* the recording of the run, followed twice; malloc'd */
static char *recorded(size_t *length)
{
	struct recorder recorder;
	char *bytes = NULL;
	struct why why;
	FILE *out = open_memstream(&bytes, length);
	bool written;

	ck_assert_int_eq(recorder_begin(&recorder, &sim.plan, NULL, events, series, out), 0);
	ck_assert_int_eq(recorder_follow(&recorder, sim.plan.duration_ps / 2), 0);
	ck_assert_int_eq(recorder_follow(&recorder, NODE_TIME_NEVER), 0);
	recorder_result(&recorder, pages, logs_of(), &results);
	ck_assert_int_eq(
		recorder_end(&recorder, RECORDING_COMPLETE, NULL, results.end_ps, &written, &why),
		0);
	ck_assert(written);
	fclose(out);
	return bytes;
}

/* the text of file @name of @folder, after a line with its name, to @out; the file is removed */
static void table_take(const char *folder, const char *name, FILE *out)
{
	char path[300], bytes[4096];
	size_t count;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	in = fopen(path, "r");
	if (!in)
		return;
	fprintf(out, "# %s\n", name);
	while ((count = fread(bytes, 1, sizeof(bytes), in)))
		fwrite(bytes, 1, count, out);
	fclose(in);
	unlink(path);
}

/* what the recording gives, tables only if the run has samples */
static void exported(struct files *files, char *bytes, size_t length)
{
	char folder[] = "/tmp/heddle-test-XXXXXX";
	struct recording_outputs outputs = { .json = part_open(files, JSON),
					     .text = part_open(files, TEXT),
					     .events = part_open(files, EVENTS),
					     .format = EVENTS_CSV,
					     .csv = mkdtemp(folder) };
	struct recording_reader reader;
	struct recording_found found;
	FILE *in = fmemopen(bytes, length, "r"), *out = part_open(files, TABLES);

	ck_assert_ptr_nonnull(outputs.csv);
	ck_assert_int_eq(recording_open(&reader, in), 0);
	ck_assert_msg(!recording_export(&reader, &outputs, &found), "%s", reader.why.text);
	ck_assert_str_eq(found.status, "complete");
	ck_assert_str_eq(found.failure, "");
	ck_assert(found.result);
	ck_assert_uint_eq(found.end_ps, results.end_ps);
	recording_close(&reader);
	fclose(in);
	for (unsigned i = 0; results_csv_name(i); i++)
		table_take(folder, results_csv_name(i), out);
	ck_assert_int_eq(rmdir(folder), 0);
	fclose(outputs.json);
	fclose(outputs.text);
	fclose(outputs.events);
	fclose(out);
}

static void recording_check(const struct scenario_row *row, const struct files *files)
{
	struct files again = { 0 };
	size_t length;
	char *bytes = recorded(&length);

	exported(&again, bytes, length);
	for (unsigned part = 0; part < SHOWN; part++)
		ck_assert_msg(files->lengths[part] == again.lengths[part] &&
				      !memcmp(files->texts[part], again.texts[part],
					      files->lengths[part]),
			      "%s: %s of the recording is not that of the run", row->name,
			      part_names[part]);
	files_free(&again);
	free(bytes);
}

/* ---- the digests that are kept ---- */

static struct kept_row row_of(const struct files *files)
{
	struct kept_row row;

	for (unsigned part = 0; part < PARTS; part++)
		row.digests[part] = kept_digest_of_lines(files->texts[part], files->lengths[part]);
	return row;
}

static struct kept_row row_simulate(size_t index)
{
	struct files files = { 0 };
	struct kept_row row;

	simulate(&rows[index], &files);
	files_write(&files);
	row = row_of(&files);
	files_free(&files);
	end();
	return row;
}

static void kept_write_all(void)
{
	const char *names[ROWS];

	for (size_t i = 0; i < ROWS; i++)
		names[i] = rows[i].name;
	kept_write(KEPT, names, ROWS, part_names, PARTS, row_simulate);
}

TEST_RANGE(results__are_those_that_are_kept, 0, ROWS)
{
	struct files files = { 0 };
	struct kept_row row;

	if (kept_is_written()) {
		if (!_i)
			kept_write_all();
		return;
	}
	simulate(&rows[_i], &files);
	files_write(&files);
	row = row_of(&files);
	kept_check(KEPT, rows[_i].name, part_names, PARTS, &row);
	if (sim.plan.nodes[0].sample_ps)
		recording_check(&rows[_i], &files);
	files_free(&files);
	end();
}
