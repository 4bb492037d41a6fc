/*  Fuzzes what reads the statistics pages of nodes (TB-13, TB-23): 'heddle ps' of a running fabric,
 *  and the results of a run.
 *
 *  Input: places in the page of a node, and what it writes there, as a node with a fault would.
 *  Readers stay inside of the pages, end, and compute no undefined number. A page may have
 *  nonsense, and then so does the result. */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nodes/stats/stats_view.h"
#include "orchestrator/live/live_request.h"
#include "orchestrator/results/events.h"
#include "orchestrator/results/paths_csv.h"
#include "orchestrator/results/results.h"
#include "orchestrator/results/results_json.h"
#include "orchestrator/results/results_text.h"
#include "orchestrator/results/samples_csv.h"
#include "tests/fuzz/real_fabric.h"

#define NODES_MAX 4096u

static struct plan running, finished; /* real clock, virtual clock */
static struct live live;
static struct stats_view views[NODES_MAX];
static uint8_t *theirs[2][NODES_MAX]; /* the pages as the nodes of either plan have them */
static FILE *out;

static void page_make(const struct node_config *config, uint8_t **page, struct stats_view *view)
{
	size_t bytes = stats_bytes(config);
	int fd = memfd_create("statistics", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		abort();
	*page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*page == MAP_FAILED || stats_view_map(view, fd, config))
		abort();
	close(fd);
}

static void finished_make(void)
{
	static const char text[] =
		"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us, sample: 10us}\n"
		"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"
		"workloads: [{name: w, pattern: incast, to: B, size: 4KiB}]\n"
		"expect: [\"lost == 0\", \"jain(w) >= 0.9\", \"fct.p99(w) <= 5us\"]\n";
	struct scenario_errors errors = { 0 };
	struct scenario scenario;

	if (scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors) ||
	    plan_make(&scenario, &finished, &errors))
		abort();
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	for (uint32_t i = 0; i < finished.node_count; i++) {
		finished.nodes[i].series = true;
		page_make(&finished.nodes[i], &theirs[1][i], &views[i]);
	}
}

static void set_up(void)
{
	if (running.node_count)
		return;
	real_plan(&running);
	live = (struct live){ .plan = &running,
			      .fabric = { .plan = &running, .options.real = true } };
	live.fabric.nodes = calloc(running.node_count, sizeof(*live.fabric.nodes));
	live.hosts = calloc(running.host_count, sizeof(*live.hosts));
	out = fopen("/dev/null", "w");
	if (!live.fabric.nodes || !live.hosts || !out || running.node_count > NODES_MAX)
		abort();
	strcpy(live.place.name, "t");
	for (uint32_t i = 0; i < running.node_count; i++) {
		live.fabric.nodes[i].control = live.fabric.nodes[i].doorbell = -1;
		if (plan_vacant(&running, i))
			continue;
		page_make(&running.nodes[i], &theirs[0][i], &live.fabric.nodes[i].view);
		live.fabric.nodes[i].stats = live.fabric.nodes[i].view.page;
	}
	finished_make();
}

static void pages_reset(const struct plan *plan, uint8_t **pages)
{
	for (uint32_t i = 0; i < plan->node_count; i++) {
		if (!pages[i])
			continue;
		memset(pages[i], 0, stats_bytes(&plan->nodes[i]));
		stats_init((struct stats_page *)pages[i], &plan->nodes[i]);
	}
}

/* 1 byte node, 3 bytes place in units of 8, 8 bytes value */
static void write_one(const struct plan *plan, uint8_t **pages, const uint8_t *record)
{
	uint32_t node = record[0] % plan->node_count;
	size_t bytes, place;

	if (!pages[node])
		return;
	bytes = stats_bytes(&plan->nodes[node]);
	place = 8 * (size_t)(record[1] | record[2] << 8 | record[3] << 16) % (bytes - 8);
	memcpy(pages[node] + place, record + 4, 8);
}

static void ps(void)
{
	struct live_answer answer;

	live_request(&live, "{\"ask\": \"ps\"}", 13, &answer);
	assert(json_is_object(answer.body));
	json_decref(answer.body);
}

/* with files of zeros: as long as two rings of events, or of series */
static void logs(struct stats_page *const *pages)
{
	static struct node_log_source sources[NODES_MAX];
	struct why why;

	for (uint32_t i = 0; i < finished.node_count; i++) {
		if (!sources[i].fd)
			sources[i].fd = memfd_create("log", 0);
		if (ftruncate(sources[i].fd, 2 * STATS_TRACE_MAX * sizeof(struct trace_entry)))
			abort();
		sources[i].page = pages[i];
	}
	events_write(&finished, sources, EVENTS_CSV, out, &why);
	paths_csv_write(&finished, pages, sources, out);
	samples_csv_ports(&finished, sources, out);
	samples_csv_flows(&finished, sources, out);
}

/* as a run does it: a page that is seen to be wrong ends it */
static void result(void)
{
	struct stats_page *pages[NODES_MAX];
	struct results results = { 0 };

	for (uint32_t i = 0; i < finished.node_count; i++) {
		if (stats_view_check(&views[i]))
			return;
		pages[i] = views[i].page;
	}
	if (!results_gather(&finished, pages, &results)) {
		results_json_write(&finished, &results, NULL, out);
		results_text_write(&finished, &results, NULL, NULL, false, out);
	}
	results_free(&results);
	logs(pages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	set_up();
	pages_reset(&running, theirs[0]);
	pages_reset(&finished, theirs[1]);
	for (size_t at = 0; at + 12 <= size; at += 12) {
		write_one(&running, theirs[0], data + at);
		write_one(&finished, theirs[1], data + at);
	}
	ps();
	result();
	return 0;
}
