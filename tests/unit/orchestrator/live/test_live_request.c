/*  orchestrator/live/live_request: a bad request is rejected before it changes anything (TB-10,
 *  TB-24). No node runs. */
#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"
#include "tests/unit/orchestrator/live/one_live.h"

#define TWO                                                        \
	"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n" \
	"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"

static void setup(void)
{
	one_live_begin(TWO);
}

static const struct {
	const char *request, *says;
} refused[] = {
	{ "", "a request is one JSON object" },
	{ "[1]", "a request is one JSON object" },
	{ "{'ask': 5}", "'ask' of a request must be a text" },
	{ "{'ask': 'dance'}", "no request 'dance'" },
	{ "{'ask': 'link-set', 'node': 's1', 'port': 's2', 'rate': 1000000}",
	  "'rate' of a request must be a text" },
	{ "{'ask': 'link-set', 'node': 's1', 'port': 's2', 'rate': 'fast'}", "rate: " },
	{ "{'ask': 'link-set', 'node': 's1', 'port': 's2'}", "nothing to set" },
	{ "{'ask': 'link-down', 'node': 's1', 'port': ''}", "has no port ''" },
	{ "{'ask': 'link-down', 'node': 's1', 'port': '5'}", "port 5 of s1 has no link" },
	{ "{'ask': 'link-down', 'node': '', 'port': 's2'}", "names no node" },
	{ "{'ask': 'capture', 'node': 's9', 'port': 's2'}", "no node 's9'" },
	{ "{'ask': 'capture', 'node': 's1'}", "has no port ''" },
	{ "{'ask': 'capture', 'node': 's1', 'port': '5'}", "port 5 of s1 has no link" },
	{ "{'ask': 'capture-end'}", "no such capture" },
	{ "{'ask': 'capture-end', 'id': '0'}", "no such capture" },
	{ "{'ask': 'capture-end', 'id': '7'}", "no such capture" },
	{ "{'ask': 'add-switch', 'name': 's3', 'neighbours': 's1'}", "must be an array of texts" },
	{ "{'ask': 'add-switch', 'name': 's3', 'neighbours': ['s1', 7]}",
	  "must be an array of texts" },
	{ "{'ask': 'add-switch', 'name': 's3', 'neighbours': ['s9']}", "no node 's9'" },
	{ "{'ask': 'add-switch', 'name': 's3', 'neighbours': ['A']}", "A is a host" },
	{ "{'ask': 'add-switch', 'name': 's3', 'neighbours': ['s3']}", "a link to itself" },
	{ "{'ask': 'add-switch', 'name': 's1', 'neighbours': []}", "already" },
	{ "{'ask': 'add-switch', 'neighbours': ['s1']}",
	  "'' is not a valid name: expected 1 to 31 letters, digits, '_', '.' or '-'" },
	{ "{'ask': 'add-switch', 'name': '', 'neighbours': ['s1']}", "'' is not a valid name" },
	{ "{'ask': 'add-switch', 'name': 'a b', 'neighbours': ['s1']}",
	  "'a b' is not a valid name" },
	{ "{'ask': 'add-switch', 'name': 'A', 'neighbours': ['s1']}",
	  "a node called 'A' exists already" },
	{ "{'ask': 'add-host', 'switch': 's1'}", "'' is not a valid name" },
	{ "{'ask': 'add-host', 'name': 's1', 'switch': 's1'}",
	  "a node called 's1' exists already" },
	{ "{'ask': 'add-host', 'name': 'C'}", "names no node" },
	{ "{'ask': 'add-host', 'name': 'C', 'switch': 's9'}", "no node 's9'" },
	{ "{'ask': 'add-host', 'name': 'C', 'switch': 'B'}",
	  "B is a host; a link can only be added to a switch" },
	{ "{'ask': 'add-host', 'name': 'C', 'switch': 's1', 'medium': 'air'}",
	  "medium: expected shm or veth, not 'air'" },
	{ "{'ask': 'add-link', 'node': 's1', 'peer': 'A'}",
	  "A is a host; a link can only be added to a switch" },
	{ "{'ask': 'add-link', 'node': 's1', 'peer': 's2', 'medium': ''}",
	  "medium: expected shm or veth, not ''" },
	{ "{'ask': 'add-link', 'node': 's1', 'peer': 's1'}", "a link to itself" },
	{ "{'ask': 'add-host', 'name': 'C', 'switch': 's1', 'interface': 'x0'}",
	  "for an existing network only" },
	{ "{'ask': 'add-host', 'name': 'C', 'switch': 's1', 'network': '/dev/null', 'interface': "
	  "'a/b'}",
	  "'a/b' is not a valid name" },
	{ "{'ask': 'add-host', 'name': 'C', 'switch': 's1', 'network': '/dev/null', 'interface': "
	  "'..'}",
	  "'..' is not a valid name" },
	{ "{'ask': 'add-host', 'name': 'C', 'switch': 's1', 'network': '/dev/null', 'interface': "
	  "'sixteen-letters.'}",
	  "is not a valid name" },
	{ "{'ask': 'add-host', 'name': 'C', 'switch': 's1', 'network': '/dev/null'}",
	  "is no network namespace" },
	{ "{'ask': 'set', 'node': 's1', 'name': 'acks.t1'}", "set needs a name and a value" },
	{ "{'ask': 'set', 'node': 's1', 'name': 'acks.t1', 'value': 'soon'}", "acks.t1" },
	{ "{'ask': 'outside', 'host': 'A'}", "expected 'on' or 'off'" },
	{ "{'ask': 'outside', 'host': 'A', 'state': 'yes'}", "not 'yes'" },
	{ "{'ask': 'outside', 'host': 's1', 'state': 'on'}", "s1 is a switch" },
	{ "{'ask': 'outside', 'host': 'C', 'state': 'on'}", "no node 'C'" },
	{ "{'ask': 'load-start', 'name': 'x'}", "has no workload 'x'; 'heddle load' lists them" },
	{ "{'ask': 'load-stop', 'name': ''}", "has no workload ''" },
	{ "{'ask': 'load-set'}", "has no workload ''" },
	{ "{'ask': 'faults-start'}", "neither faults nor pauses" },
	{ "{'ask': 'remove', 'node': 'A', 'port': '0'}", "the only link of its host" },
	{ "{'ask': 'remove', 'node': 's1'}", "host A is connected to s1" },
};

TEST_GROUP(live_request, .setup = setup, .teardown = one_live_end);

TEST_RANGE(live_request__bad_requests_are_rejected, 0, sizeof(refused) / sizeof(refused[0]))
{
	json_t *answer;
	const char *sentence = one_live_refusal(refused[_i].request, &answer);

	ck_assert_msg(strstr(sentence, refused[_i].says) != NULL, "%s: %s", refused[_i].request,
		      sentence);
	json_decref(answer);
}

/* an id is a decimal number */
TEST(live_request__capture_end_finds_its_capture)
{
	const char *text = "{\"ask\": \"capture-end\", \"id\": \"10\"}";
	struct live_answer answer;

	for (uint32_t i = 0; i < 2; i++)
		live.captures[i] = (struct live_capture){ .id = 10 + i, .pid = 1 };
	live.fabric.nodes[0].pid = 0; /* it died: it is not asked */
	live_request(&live, text, strlen(text), &answer);
	ck_assert_ptr_nonnull(answer.body);
	ck_assert_uint_eq(json_object_size(answer.body), 0);
	json_decref(answer.body);
	ck_assert_uint_eq(live.captures[0].id, 0);
	ck_assert_uint_eq(live.captures[1].id, 11);
}

/* the fabric as it is: one that was started from it has the same links */
TEST(live_request__save_has_the_changes)
{
	const char *text = "{\"ask\": \"save\", \"folder\": \"/there\"}", *saved;
	struct live_answer answer;

	plan.links[0].down = true;
	plan.nodes[0].ports[1].loss_ppb = 1000;
	live_request(&live, text, strlen(text), &answer);
	ck_assert_ptr_nonnull(answer.body);
	saved = json_string_value(json_object_get(answer.body, "text"));
	ck_assert_ptr_nonnull(saved);
	ck_assert_ptr_nonnull(strstr(saved, "  - {at: 0s, link: [A, s1]} # was down\n"));
	ck_assert_ptr_nonnull(strstr(saved, "{between: [s1, s2], loss: 0.0001%, towards: {s1: "
					    "{loss: 0}}}"));
	json_decref(answer.body);
}

/* a plan that was not made from a scenario */
TEST(live_request__save_without_a_scenario)
{
	const char *text = "{\"ask\": \"save\"}";
	struct origin *origin = plan.origin;
	struct live_answer answer;

	plan.origin = NULL;
	live_request(&live, text, strlen(text), &answer);
	plan.origin = origin;
	ck_assert_pstr_eq(json_string_value(json_object_get(answer.body, "error")),
			  "the scenario cannot be written: Invalid argument");
	json_decref(answer.body);
}

/* the error of a request for a link between @node and @peer */
static void link_refused(const char *node, const char *peer, const char *says)
{
	struct live_answer answer;
	char text[256];

	snprintf(text, sizeof(text), "{\"ask\": \"add-link\", \"node\": \"%s\", \"peer\": \"%s\"}",
		 node, peer);
	live_request(&live, text, strlen(text), &answer);
	ck_assert_ptr_nonnull(answer.body);
	ck_assert_str_eq(json_string_value(json_object_get(answer.body, "error")), says);
	json_decref(answer.body);
}

TEST(live_query_node__which_node_and_where)
{
	char names[2][NODE_NAME_MAX] = { "left", "right" };
	uint8_t machine_of[512] = { 0, 1 };

	ck_assert_uint_le(plan.node_count, sizeof(machine_of));
	link_refused("s11", "s2",
		     "fabric t has no node 's11' - did you mean 's1'?; 'heddle ps t' "
		     "lists them");
	link_refused("xyzzy", "s2", "fabric t has no node 'xyzzy'; 'heddle ps t' lists them");
	link_refused("", "s2", "the request names no node");
	live.fabric.nodes[0].pid = 0;
	strcpy(live.fabric.nodes[0].fate, "was killed by signal 9");
	link_refused("s1", "s2", "s1 is dead: was killed by signal 9");
	link_refused("s2", "s1", "s1 is dead: was killed by signal 9");
	plan.machine_of = machine_of;
	plan.machine_names = names;
	plan.machine_count = 2;
	link_refused("s2", "s1", "s2 runs on machine right: use 'heddle' there");
	plan.machine_of = NULL;
	plan.machine_names = NULL;
	plan.machine_count = 0;
}
