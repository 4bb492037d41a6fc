/*  SE-6, TB-7: each parameter that can be set in a running switch, at its least and its largest
 *  value: before a short run of each kind of fabric all switches are set. What they answer, the
 *  results, and what nodes show at the end are those that are kept in same_sets.txt. So a parameter
 *  without effect, with another range or with another effect is seen. A change that is meant:
 *  WRITE=yes build/asan/sim/test_same_sets writes the digests again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/config/parameter.h"
#include "switchd/common/switch.h"
#include "tests/kept.h"
#include "tests/sim/shown.h"
#include "tests/sim/sim.h"
#include "tests/testing.h"

#define KEPT "tests/sim/same_sets.txt"
#define SETS_MAX 200u

enum part { ANSWER, JSON, SHOWN, PARTS };
static const char *const part_names[PARTS] = { "answer", "json", "shown" };

#define FABRIC(kind, more)                                                                         \
	"name: sets\nfabric: " kind "\nrun: {duration: 16us, warmup: 2us, drain: no}\n"            \
	"topology: {generate: leaf-spine, leaves: 3, hosts-per-leaf: 2, spines: 2}\n"              \
	"links: {rate: 100Gb/s, delay: 200ns, mtu: 4096, edge: {rate: 100Gb/s}}\n" more            \
	"workloads:\n"                                                                             \
	"  - {name: many, pattern: incast, to: h0, size: 16KiB, class: a, packet: 2048, "          \
	"arrival: closed, window: 4}\n"                                                            \
	"  - {name: all, pattern: uniform, size: 4KiB, class: b, packet: 1024, arrival: poisson, " \
	"load: 40%}\n"

static const char *const fabrics[] = {
	FABRIC("flow-channel", "classes: [{name: a, min: 10%}, {name: b, unordered: yes}]\n"
			       "routing: {choice: adaptive, redirect: yes, hold-sources: yes}\n"
			       "congestion: {ecn: yes, inputs: yes, fgfc: yes, slow-start: yes}\n"),
	FABRIC("roce", "classes: [{name: a, ecn: yes}, {name: b, lossless: no}]\n"
		       "roce: {supplement: yes, path-pause: yes, buffer: 400kB}\n"),
	FABRIC("port-group", "classes: [{name: a}, {name: b, unordered: no}]\n"),
};

#define FABRICS (sizeof(fabrics) / sizeof(fabrics[0]))

static struct sim sim;

/* ---- what can be set ---- */

static struct set {
	char name[PARAMETER_NAME_MAX];
	uint64_t value;
	const char *which;
} sets[SETS_MAX];
static uint32_t set_count;

static bool set_add(void *context, const struct parameter_live *live)
{
	uint64_t values[] = { live->row->min, live->row->max, 0 };

	(void)context;
	for (unsigned i = 0; i < 2u + (live->row->zero != NULL); i++) {
		ck_assert_uint_lt(set_count, SETS_MAX);
		sets[set_count] = (struct set){ .value = values[i],
						.which = i == 2 ? "zero"
							 : i    ? "most"
								: "least" };
		snprintf(sets[set_count++].name, sizeof(sets[0].name), "%s", live->name);
	}
	return true;
}

static void sets_find(const char *fabric)
{
	const struct switch_shell *sw;

	sim_open_text(&sim, fabric, NULL);
	sw = sim.nodes[0].dataplane;
	set_count = 0;
	parameters_live(sw->ops->settings->table, set_add, NULL);
	sim_close(&sim);
}

/* ---- a run ---- */

static FILE *text_open(char **text, size_t *length)
{
	FILE *out = open_memstream(text, length);

	ck_assert_ptr_nonnull(out);
	return out;
}

static uint64_t digest_take(FILE *out, char **text, size_t *length)
{
	uint64_t digest;

	fclose(out);
	digest = kept_digest(KEPT_NOTHING, *text, *length);
	free(*text);
	return digest;
}

static struct kept_row simulate(const char *fabric, const struct set *set)
{
	char value[24], *text = NULL;
	struct kept_row row;
	size_t length;
	FILE *out;

	snprintf(value, sizeof(value), "%" PRIu64, set->value);
	sim_open_text(&sim, fabric, NULL);
	out = text_open(&text, &length);
	for (uint32_t i = 0; i < sim.plan.switch_count; i++)
		fprintf(out, "%d\n",
			sim.nodes[i].ops->set(sim.nodes[i].dataplane, set->name, value, out));
	row.digests[ANSWER] = digest_take(out, &text, &length);
	sim_run(&sim);
	text = sim_json(&sim);
	row.digests[JSON] = kept_digest_of_lines(text, strlen(text));
	free(text);
	out = text_open(&text, &length);
	sim_show(&sim, out);
	row.digests[SHOWN] = digest_take(out, &text, &length);
	sim_close(&sim);
	return row;
}

TEST_GROUP(sets, .timeout_s = 600);

TEST_RANGE(parameters__at_their_bounds, 0, FABRICS)
{
	static const char *const kinds[] = { "flow-channel", "roce", "port-group" };

	sets_find(fabrics[_i]);
	ck_assert_uint_gt(set_count, 10);
	if (kept_is_written() && !_i)
		kept_begin(KEPT, part_names, PARTS);
	for (uint32_t i = 0; i < set_count; i++) {
		struct kept_row row = simulate(fabrics[_i], &sets[i]);
		char name[PARAMETER_NAME_MAX + 40];
		FILE *out = fmemopen(name, sizeof(name), "w");

		fprintf(out, "%s:%s:%s", kinds[_i], sets[i].name, sets[i].which);
		fclose(out);
		if (kept_is_written())
			kept_append(KEPT, name, PARTS, &row);
		else
			kept_check(KEPT, name, part_names, PARTS, &row);
	}
}
