/*  orchestrator/fabric/flow_trail_text: the flows from one host to another as a table and as JSON
 *  (SE-8). */
#include "orchestrator/fabric/flow_trail_text.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan.h"
#include "tests/testing.h"

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;
static struct flow_trail_hop hops[2];
static struct flow_trail_block block;
static struct flow_trail trail;

/* h1 - s1 - h2 */
static void made(const char *fabric)
{
	char text[256];
	const struct node_config *from;

	snprintf(
		text, sizeof(text),
		"name: t\nrun: {duration: 1us}\nfabric: %s\ntopology: {switches: [s1], hosts: {h1: "
		"s1, h2: s1}}\n",
		fabric);
	ck_assert_int_eq(
		scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	from = plan_node_find(&plan, "h1");
	hops[0] = (struct flow_trail_hop){ .node = from->index,
					   .in_port = FLOW_TRAIL_PORT_NONE,
					   .out_port = 0,
					   .in_id = -1,
					   .out_id = 7,
					   .waiting_bytes = 4096,
					   .unacknowledged_bytes = 0,
					   .held_by = "credit" };
	hops[1] = (struct flow_trail_hop){ .node = plan_node_find(&plan, "s1")->index,
					   .in_port = 0,
					   .out_port = 1,
					   .in_id = 7,
					   .out_id = 0,
					   .unacknowledged_bytes = -1 };
	block = (struct flow_trail_block){
		.slot = -1, .hop_count = 2, .hops_max = 2, .hops = hops
	};
	trail = (struct flow_trail){ .plan = &plan,
				     .from = from->index,
				     .to = plan_node_find(&plan, "h2")->index,
				     .block_count = 1,
				     .blocks = &block };
}

static void teardown(void)
{
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static char *text_of(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(flow_trail_text_print(&trail, out), 0);
	fclose(out);
	return text;
}

TEST_GROUP(flow_trail_text, .teardown = teardown);

/* the first line of the text is @heading, the last one @last */
static void printed(const char *heading, const char *last)
{
	char *text = text_of();

	ck_assert_msg(!strncmp(text, heading, strlen(heading)), "%s", text);
	ck_assert_msg(strlen(text) > strlen(last) &&
			      !strcmp(text + strlen(text) - strlen(last), last),
		      "%s", text);
	free(text);
}

TEST(flow_trail_text_print__heading)
{
	made("flow-channel");
	printed("h1 -> h2\n", "\n");
	strcpy(block.workload, "in");
	strcpy(block.traffic_class, "bulk");
	block.slot = 0;
	strcpy(block.note, "it has ended");
	printed("h1 -> h2, workload in, class bulk, slot 0: it has ended\n", "\n");
}

TEST(flow_trail_text_print__that_there_are_more)
{
	made("flow-channel");
	trail.cut = true;
	printed("h1 -> h2\n", "\n... and more flows: 256 are shown\n");
}

static const json_t *row(const json_t *answer, size_t hop)
{
	const json_t *flow = json_array_get(json_object_get(answer, "flows"), 0);

	return json_array_get(json_object_get(flow, "hops"), hop);
}

static json_int_t number(const json_t *object, const char *key)
{
	ck_assert_msg(json_is_integer(json_object_get(object, key)), "%s", key);
	return json_integer_value(json_object_get(object, key));
}

TEST(flow_trail_text_json__hops)
{
	json_t *answer;

	made("flow-channel");
	answer = flow_trail_text_json(&trail);
	ck_assert_str_eq(json_string_value(json_object_get(answer, "from")), "h1");
	ck_assert_str_eq(json_string_value(json_object_get(answer, "to")), "h2");
	ck_assert(json_is_false(json_object_get(answer, "cut")));
	ck_assert_str_eq(json_string_value(json_object_get(row(answer, 0), "node")), "h1");
	ck_assert_int_eq(number(row(answer, 0), "waiting_bytes"), 4096);
	ck_assert_int_eq(number(row(answer, 0), "unacknowledged_bytes"), 0);
	ck_assert_int_eq(number(row(answer, 0), "output_port"), 0);
	ck_assert_int_eq(number(row(answer, 0), "output_flow_id"), 7);
	ck_assert(!json_is_integer(json_object_get(row(answer, 0), "input_port")));
	ck_assert(!json_is_integer(json_object_get(row(answer, 0), "input_flow_id")));
	ck_assert_str_eq(json_string_value(json_object_get(row(answer, 0), "output_peer")), "s1");
	ck_assert_str_eq(json_string_value(json_object_get(row(answer, 0), "held_by")), "credit");
	ck_assert_int_eq(number(row(answer, 1), "input_flow_id"), 7);
	ck_assert_int_eq(number(row(answer, 1), "output_flow_id"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(row(answer, 1), "input_peer")), "h1");
	ck_assert_str_eq(json_string_value(json_object_get(row(answer, 1), "output_peer")), "h2");
	ck_assert(!json_is_integer(json_object_get(row(answer, 1), "unacknowledged_bytes")));
	json_decref(answer);
}

/* only fabrics of flow channels have ids */
TEST(flow_trail_text_json__roce)
{
	json_t *answer, *flow;

	made("roce");
	strcpy(block.workload, "in");
	block.slot = 0;
	trail.cut = true;
	answer = flow_trail_text_json(&trail);
	flow = json_array_get(json_object_get(answer, "flows"), 0);
	ck_assert(json_is_true(json_object_get(answer, "cut")));
	ck_assert_ptr_null(json_object_get(row(answer, 0), "output_flow_id"));
	ck_assert_int_eq(number(row(answer, 0), "waiting_bytes"), 4096);
	ck_assert_int_eq(number(flow, "slot"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(flow, "workload")), "in");
	ck_assert(json_is_null(json_object_get(flow, "class")));
	ck_assert(json_is_null(json_object_get(flow, "note")));
	json_decref(answer);
}
