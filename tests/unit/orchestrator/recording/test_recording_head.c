/*  orchestrator/recording/recording_head: what a recording knows before its run: the scenario, its
 *  nodes and links (SE-3). */
#include "orchestrator/recording/recording_head.h"

#include <stdlib.h>
#include <string.h>

#include "nodes/stats/series.h"
#include "nodes/stats/trace.h"
#include "orchestrator/plan/plan.h"
#include "tests/testing.h"

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;
static json_t *head;

static void made(const char *text, node_time_t sample_ps, const char *variant)
{
	ck_assert_int_eq(
		scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	head = recording_head(&plan, variant, sample_ps);
	ck_assert_ptr_nonnull(head);
}

static void teardown(void)
{
	json_decref(head);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static const json_t *of(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(of(object, key));

	return text ? text : "(none)";
}

#define TWO                                                       \
	"name: t\nabout: of two\nseed: 5\nrun: {duration: 7us}\n" \
	"topology: {switches: [s1], hosts: {A: s1, B: s1}}\nlinks: {rate: 25Gb/s, delay: 3us}\n"

TEST_GROUP(recording_head, .teardown = teardown);

TEST(recording_head__scenario)
{
	const json_t *said;

	made(TWO, 1000, "fast");
	said = of(head, "scenario");
	ck_assert_str_eq(text_of(said, "name"), "t");
	ck_assert_str_eq(text_of(said, "about"), "of two");
	ck_assert_str_eq(text_of(said, "file"), "t.yaml");
	ck_assert_str_eq(text_of(said, "variant"), "fast");
	ck_assert_int_eq(json_integer_value(of(said, "seed")), 5);
}

/* a descriptor has another number in each run */
TEST(recording_head__file_of_a_descriptor)
{
	made(TWO, 0, NULL);
	json_decref(head);
	strcpy(plan.file, "/proc/self/fd/12");
	head = recording_head(&plan, NULL, 0);
	ck_assert_str_eq(text_of(of(head, "scenario"), "file"), "12");
	ck_assert(json_is_null(of(of(head, "scenario"), "variant")));
	json_decref(head);
	strcpy(plan.file, "/process/a");
	head = recording_head(&plan, NULL, 0);
	ck_assert_str_eq(text_of(of(head, "scenario"), "file"), "/process/a");
}

TEST(recording_head__nodes)
{
	const json_t *nodes, *port;

	made(TWO, 0, NULL);
	nodes = of(head, "nodes");
	ck_assert_uint_eq(json_array_size(nodes), 3);
	ck_assert_str_eq(text_of(json_array_get(nodes, 0), "name"), "s1");
	ck_assert_str_eq(text_of(json_array_get(nodes, 0), "type"), "switch");
	ck_assert_str_eq(text_of(json_array_get(nodes, 2), "name"), "B");
	ck_assert_str_eq(text_of(json_array_get(nodes, 2), "type"), "host");
	ck_assert(json_is_null(of(json_array_get(nodes, 0), "at")));
	port = json_array_get(of(json_array_get(nodes, 0), "ports"), 1);
	ck_assert_int_eq(json_integer_value(of(port, "peer")), 2);
	ck_assert_int_eq(json_integer_value(of(port, "peer_port")), 0);
	ck_assert_int_eq(json_integer_value(of(port, "rate_bps")), 25000000000);
	ck_assert_int_eq(json_integer_value(of(port, "delay_ps")), 3000000);
}

/* a port without a link leads to no node */
TEST(recording_head__vacant_port)
{
	const json_t *ports;

	made(TWO, 0, NULL);
	json_decref(head);
	plan.nodes[0].ports[0].vacant = true;
	head = recording_head(&plan, NULL, 0);
	ports = of(json_array_get(of(head, "nodes"), 0), "ports");
	ck_assert_uint_eq(json_array_size(ports), 2);
	ck_assert(json_is_null(json_array_get(ports, 0)));
	ck_assert(json_is_object(json_array_get(ports, 1)));
}

/* the member @key of the head, or of one of its nodes, as text with ' for " */
static void is(const json_t *object, const char *key, const char *wanted)
{
	char *text = json_dumps(of(object, key), JSON_COMPACT | JSON_ENCODE_ANY);

	ck_assert_ptr_nonnull(text);
	for (char *at = text; (at = strchr(at, '"'));)
		*at = '\'';
	ck_assert_str_eq(text, wanted);
	free(text);
}

/* a place that the scenario gives, in its units; a generated topology is named with its sizes */
TEST(recording_head__generated_topology)
{
	made("name: g\nfabric: roce\nrun: {duration: 9us, warmup: 2us}\nclasses: [{name: low}, "
	     "{name: high}]\ntopology: {generate: star, hosts: 2, at: {s0: [1.5, -2], h1: [0, "
	     "0.25]}}\n",
	     1000, NULL);
	is(head, "topology",
	   "{'generate':'star','hosts':'2','at':{'s0':['1.5','-2'],'h1':['0','0.25']},"
	   "'type':'star'}");
	is(head, "format", "1");
	is(head, "clock", "'virtual'");
	is(head, "kind", "'roce'");
	is(head, "sample_ps", "1000");
	is(head, "measure", "[2000000,9000000]");
	is(head, "classes", "['low','high']");
	is(head, "lanes", "1");
	is(json_array_get(of(head, "nodes"), 0), "at", "[1.5,-2.0]");
	is(json_array_get(of(head, "nodes"), 1), "at", "null");
	is(json_array_get(of(head, "nodes"), 2), "at", "[0.0,0.25]");
	is(json_array_get(of(head, "nodes"), 0), "tier", "1");
	is(json_array_get(of(head, "nodes"), 0), "group", "null");
	is(of(head, "scenario"), "about", "''");
	ck_assert_str_eq(text_of(of(head, "scenario"), "text"), plan.origin->text);
}

TEST(recording_head__given_topology)
{
	made(TWO, 0, NULL);
	is(head, "topology", "{'type':'given'}");
	is(head, "kind", "'flow-channel'");
}

/* the row of @list that is called @name */
static const json_t *row_of(const char *list, const char *name)
{
	const json_t *row;
	size_t i;

	json_array_foreach (of(head, list), i, row) {
		ck_assert_int_eq(json_integer_value(of(row, "id")), (json_int_t)i + (*list == 'e'));
		if (!strcmp(text_of(row, "name"), name))
			return row;
	}
	ck_abort_msg("%s has no %s", list, name);
}

/* a state has names, a number has a unit; words of an event have the order of their values */
TEST(recording_head__series_and_events)
{
	const json_t *row;
	const char *word;

	made(TWO, 0, NULL);
	row = row_of("series", "queue_bytes");
	is(row, "states", "null");
	is(row, "of", "'port'");
	is(row, "type", "'gauge'");
	ck_assert_str_ne(text_of(row, "unit"), "state");
	for (uint32_t id = SERIES_SAMPLE + 1; id < SERIES_IDS; id++) {
		const struct series_row *series = series_row(id);
		size_t count = 1;

		row = row_of("series", series->name);
		if (series->type != SERIES_STATE || !strchr(series->unit, '|')) {
			is(row, "states", "null");
			ck_assert_str_eq(text_of(row, "unit"), series->unit);
			continue;
		}
		for (const char *at = series->unit; (at = strchr(at, '|')); at++)
			count++;
		ck_assert_str_eq(text_of(row, "unit"), "state");
		ck_assert_uint_eq(json_array_size(of(row, "states")), count);
		word = json_string_value(json_array_get(of(row, "states"), count - 1));
		ck_assert_str_eq(strrchr(series->unit, '|') + 1, word);
	}
	for (uint32_t kind = TRACE_NONE + 1; kind < TRACE_KINDS; kind++) {
		uint32_t words = 0;

		row = row_of("events", trace_row(kind)->name);
		for (; (word = trace_detail_word(kind, words)); words++)
			ck_assert_str_eq(json_string_value(json_array_get(of(row, "words"), words)),
					 word);
		ck_assert_uint_eq(json_array_size(of(row, "words")), words);
		ck_assert(json_is_null(of(row, "words")) == !words);
		ck_assert(json_is_true(of(row, "has_class")) == trace_row(kind)->has_class);
	}
}
