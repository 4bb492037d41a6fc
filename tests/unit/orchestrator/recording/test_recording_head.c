/*  orchestrator/recording/recording_head: what a recording knows before its run: the scenario, its
 *  nodes and links (SE-3). */
#include "orchestrator/recording/recording_head.h"

#include <string.h>

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
