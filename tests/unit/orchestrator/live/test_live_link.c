/*  orchestrator/live/live_link: what is told of links, which link a request means, and what it sets
 *  (TB-4). No node runs: a link takes its settings when its nodes return. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/live/live_link.h"
#include "orchestrator/live/live_request.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/live/live_plan.h"

#define TWO                                                                   \
	"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n"            \
	"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, " \
	"s2]]}\nlinks: {rate: 10Gb/s, delay: 2us}\n"

static struct plan plan;
static struct live live;
static json_t *told;
static uint32_t middle; /* the link between the switches */

static void setup(void)
{
	live_plan_make(TWO, &plan);
	live = (struct live){ .plan = &plan, .fabric = { .plan = &plan, .options.real = true } };
	live.fabric.nodes = live_nodes_make(&plan);
	strcpy(live.place.name, "t");
	for (middle = 0; plan.links[middle].node_a > 1 || plan.links[middle].node_b > 1;)
		middle++;
}

static void teardown(void)
{
	json_decref(told);
	told = NULL;
	free(live.fabric.nodes);
	plan_free(&plan);
}

/* the answer to @request, with ' for " */
static const json_t *ask(const char *request)
{
	struct live_answer answer;
	char text[256];

	snprintf(text, sizeof(text), "%s", request);
	for (char *quote = text; (quote = strchr(quote, '\''));)
		*quote = '"';
	live_request(&live, text, strlen(text), &answer);
	json_decref(told);
	told = answer.body;
	ck_assert_ptr_nonnull(told);
	return told;
}

static const char *word(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static json_int_t number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static const char *state(void)
{
	return word(json_array_get(json_object_get(ask("{'ask': 'links'}"), "links"), middle),
		    "state");
}

TEST_GROUP(live_link, .setup = setup, .teardown = teardown);

/* places that wait for what may join are no links */
TEST(live_links__those_that_are_there)
{
	const json_t *link;

	ask("{'ask': 'links'}");
	ck_assert_str_eq(word(told, "fabric"), "t");
	ck_assert_uint_eq(json_array_size(json_object_get(told, "links")), 3);
	ck_assert_uint_gt(plan.link_count, 3);
	link = json_array_get(json_object_get(told, "links"), middle);
	ck_assert_int_eq(number(link, "link"), middle);
	ck_assert_str_eq(word(link, "node_a"), plan.nodes[plan.links[middle].node_a].name);
	ck_assert_str_eq(word(link, "node_b"), plan.nodes[plan.links[middle].node_b].name);
	ck_assert_int_eq(number(link, "port_a"), plan.links[middle].port_a);
	ck_assert_int_eq(number(link, "port_b"), plan.links[middle].port_b);
	ck_assert_int_eq(number(link, "rate_bps"), 10000000000);
	ck_assert_int_eq(number(link, "delay_ps"), 2 * NODE_US);
	ck_assert_int_eq(number(link, "mtu_bytes"), plan.links[middle].mtu_bytes);
}

TEST(live_links__states)
{
	ck_assert_str_eq(state(), "dead end");
	live.fabric.nodes[0].pid = 1;
	ck_assert_str_eq(state(), "dead end");
	live.fabric.nodes[0].pid = 0;
	live.fabric.nodes[1].pid = 1;
	ck_assert_str_eq(state(), "dead end");
	live.fabric.nodes[0].pid = 1;
	ck_assert_str_eq(state(), "up");
	plan.links[middle].down = true;
	ck_assert_str_eq(state(), "down");
}

TEST(live_link_show__one)
{
	ask("{'ask': 'link-show', 'node': 's2', 'port': 's1'}");
	ck_assert_int_eq(number(told, "link"), middle);
	ck_assert_int_eq(number(told, "delay_ps"), 2 * NODE_US);
	ask("{'ask': 'link-show', 'node': 's2', 'port': 'A'}");
	ck_assert_ptr_nonnull(strstr(word(told, "error"), "s2 has no port 'A'"));
}

/* a router r1 has r1.eth1 at s2 */
TEST(live_link_show__hints_at_another_interface)
{
	char *name = plan.nodes[plan_host_node(&plan, 1)].name;

	strcpy(name, "A.eth1");
	ask("{'ask': 'link-show', 'node': 'A', 'port': 's2'}");
	ck_assert_ptr_nonnull(strstr(word(told, "error"), "did you mean 'A.eth1:s2'?"));
	ask("{'ask': 'link-down', 'node': 's2', 'port': 'A'}");
	ck_assert_ptr_nonnull(strstr(word(told, "error"), "did you mean 's2:A.eth1'?"));
}

/* both directions; what is not given stays */
TEST(live_link_set__both_directions)
{
	const struct plan_link *ends = &plan.links[middle];
	const struct port_config *a = &plan.nodes[ends->node_a].ports[ends->port_a],
				 *b = &plan.nodes[ends->node_b].ports[ends->port_b];

	ask("{'ask': 'link-set', 'node': 's1', 'port': 's2', 'rate': '1Gb/s'}");
	ck_assert_int_eq(number(told, "rate_bps"), 1000000000);
	ck_assert_int_eq(number(told, "delay_ps"), 2 * NODE_US);
	ck_assert_int_eq(number(told, "link"), middle);
	ck_assert_uint_eq(a->rate_bps, 1000000000);
	ck_assert_uint_eq(b->rate_bps, 1000000000);
	ask("{'ask': 'link-set', 'node': 's2', 'port': 's1', 'delay': '7us', 'loss': '1%'}");
	ck_assert_int_eq(number(told, "delay_ps"), 7 * NODE_US);
	ck_assert_int_eq(number(told, "loss_ppb"), 10000000);
	ck_assert_int_eq(number(told, "rate_bps"), 1000000000);
	ck_assert_uint_eq(a->delay_ps, 7 * NODE_US);
	ck_assert_uint_eq(b->delay_ps, 7 * NODE_US);
	ck_assert_uint_eq(b->loss_ppb, 10000000);
	ck_assert(a->guarded && b->guarded); /* packets that are lost are sent again */
}

/* DU-6: one direction. What is sent is configured at its sender, what arrives at its receiver */
TEST(live_link_set__one_direction)
{
	const struct plan_link *ends = &plan.links[middle];
	const struct port_config *a = &plan.nodes[ends->node_a].ports[ends->port_a],
				 *b = &plan.nodes[ends->node_b].ports[ends->port_b];
	const char *towards = plan.nodes[ends->node_b].name;
	char request[256];

	snprintf(request, sizeof(request),
		 "{'ask': 'link-set', 'node': 's1', 'port': 's2', 'towards': '%s', "
		 "'rate': '1kb/s', "
		 "'jitter': '2ms', 'jitter-shape': 'pareto', 'corrupt': '1%%', 'loss': '100%%'}",
		 towards);
	ask(request);
	ck_assert_int_eq(number(told, "rate_bps"), 1000);
	ck_assert_int_eq(number(told, "jitter_ps"), 2 * NODE_MS);
	ck_assert_str_eq(word(told, "jitter_shape"), "pareto");
	ck_assert_int_eq(number(told, "corrupt_ppb"), 10000000);
	ck_assert_int_eq(number(told, "loss_ppb"), 1000000000);
	ck_assert_int_eq(number(json_object_get(told, "back"), "rate_bps"), 10000000000);
	ck_assert_int_eq(number(json_object_get(told, "back"), "jitter_ps"), 0);
	ck_assert_uint_eq(a->rate_bps, 1000);
	ck_assert_uint_eq(a->jitter_ps, 2 * NODE_MS);
	ck_assert_uint_eq(a->in_rate_bps, 10000000000);
	ck_assert_uint_eq(a->corrupt_ppb, 0);
	ck_assert_uint_eq(b->rate_bps, 10000000000);
	ck_assert_uint_eq(b->in_rate_bps, 1000);
	ck_assert_uint_eq(b->jitter_ps, 0);
	ck_assert_uint_eq(b->corrupt_ppb, 10000000);
	ck_assert(a->guarded && b->guarded);
}

TEST(live_link_set__direction_to_another_node)
{
	ask("{'ask': 'link-set', 'node': 's1', 'port': 's2', 'towards': 'A', 'loss': '1%'}");
	ck_assert_str_eq(word(told, "error"),
			 "--towards: expected an end of this link, s1 or s2, not 'A'");
}

/* links between switches of flow channels do; those of hosts: system/test_impair */
TEST(live_link_set__no_reordering_where_frames_are_numbered)
{
	ask("{'ask': 'link-set', 'node': 's1', 'port': 's2', 'duplicate': '1%'}");
	ck_assert_msg(strstr(word(told, "error"), "duplicate: this link numbers its frames"), "%s",
		      word(told, "error"));
}

TEST(live_link_set__nothing_changes_if_one_value_is_wrong)
{
	const struct plan_link *ends = &plan.links[middle];

	ask("{'ask': 'link-set', 'node': 's1', 'port': 's2', 'rate': '1Gb/s', 'delay': 'soon'}");
	ck_assert_msg(word(told, "error") && strstr(word(told, "error"), "delay: "), "%s",
		      word(told, "error"));
	ck_assert_uint_eq(plan.nodes[ends->node_a].ports[ends->port_a].rate_bps, 10000000000);
}

TEST(live_link_find__names_what_is_missing)
{
	ask("{'ask': 'link-set', 'node': 's1', 'rate': '1Gb/s'}");
	ck_assert_str_eq(word(told, "error"), "the request names no port");
	ask("{'ask': 'link-set', 'node': 's1', 'port': 's2'}");
	ck_assert_str_eq(word(told, "error"), "nothing to set: expected one or more of rate=, "
					      "delay=, jitter=, loss= and others; "
					      "'heddle link --help' has them");
}

/* what is as it shall be is left as it is */
TEST(live_link_down__it_is_already)
{
	plan.links[middle].down = true;
	ask("{'ask': 'link-down', 'node': 's1', 'port': 's2'}");
	ck_assert_str_eq(word(told, "state"), "down");
	ck_assert_int_eq(number(told, "link"), middle);
	plan.links[middle].down = false;
	live.fabric.nodes[0].pid = live.fabric.nodes[1].pid = 1;
	ask("{'ask': 'link-up', 'node': 's1', 'port': 's2'}");
	ck_assert_str_eq(word(told, "state"), "up");
}
