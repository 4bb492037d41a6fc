/*  orchestrator/live/live_roce: what `ps` and `top` are told of a running fabric of kind roce
 *  (RC-1 ... RC-5, TB-8).
 *
 *  Two switches s0 and s1, linked by their ports 0; h0 at port 1 of s0. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/live/live_roce.h"
#include "tests/testing.h"

#define NODES 3u
#define ROCE 1u /* class */

static struct node_config nodes[NODES];
static struct port_config ports[NODES][2];
static struct stats_page *pages[NODES];
static struct plan plan;
static json_t *object;

static void set_up(void)
{
	plan = (struct plan){
		.node_count = NODES, .switch_count = 2, .host_count = 1, .nodes = nodes
	};
	memset(ports, 0, sizeof(ports));
	for (uint32_t i = 0; i < NODES; i++) {
		nodes[i] = (struct node_config){ .kind = i < 2 ? NODE_SWITCH : NODE_NIC,
						 .fabric = FABRIC_ROCE,
						 .class_count = 2,
						 .port_count = i < 2 ? 2 : 1,
						 .ports = ports[i],
						 .nic = { .flows_max = 2 } };
		nodes[i].roce.watchdog_ps = 10 * NODE_MS;
		snprintf(nodes[i].name, sizeof(nodes[i].name), "n%u", i);
		strcpy(nodes[i].classes[0].name, "tcp");
		strcpy(nodes[i].classes[ROCE].name, "roce");
		ports[i][0].peer_index = 1 - i;
		ports[i][1].peer_index = 2;
		pages[i] = calloc(1, stats_bytes(&nodes[i]));
		stats_init(pages[i], &nodes[i]);
	}
	object = json_object();
}

static void tear_down(void)
{
	json_decref(object);
	for (uint32_t i = 0; i < NODES; i++)
		free(pages[i]);
}

static json_int_t number(const json_t *of, const char *key)
{
	return json_integer_value(json_object_get(of, key));
}

TEST_GROUP(live_roce, .setup = set_up, .teardown = tear_down);

TEST(live_roce_port_put__only_what_is_not_zero)
{
	const json_t *classes;

	stats_port(pages[0], 1)->pauses_sent = 4;
	stats_class(pages[0], 1, ROCE)->marked = 5;
	live_roce_port_put(&nodes[0], pages[0], 1, object);
	ck_assert_int_eq(number(json_object_get(object, "roce"), "pauses_sent"), 4);
	ck_assert_uint_eq(json_object_size(json_object_get(object, "roce")), 1);
	classes = json_object_get(object, "classes");
	ck_assert_uint_eq(json_array_size(classes), 1);
	ck_assert_uint_eq(json_object_size(json_array_get(classes, 0)), 2);
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(classes, 0), "class")),
			 "roce");
	ck_assert_int_eq(number(json_array_get(classes, 0), "marked"), 5);
}

TEST(live_roce_node_put__sums)
{
	stats_class(pages[0], 0, ROCE)->paused_since_ps = 1;
	stats_class(pages[0], 0, 0)->paused_since_ps = 1;
	stats_class(pages[0], 1, ROCE)->xoff_since_ps = 1;
	stats_class(pages[0], 1, ROCE)->marked = 5;
	stats_class(pages[0], 0, 0)->marked = 6;
	stats_port(pages[0], 0)->pauses_sent = 7;
	live_roce_node_put(&nodes[0], pages[0], object);
	ck_assert_int_eq(number(object, "paused_classes"), 2);
	ck_assert_int_eq(number(object, "xoff_classes"), 1);
	ck_assert_int_eq(number(object, "marked"), 11);
	ck_assert_int_eq(number(object, "pauses"), 7);
	pages[2]->flow_tx_count = 2;
	stats_flow_tx(pages[2], 0)->cnps = 3;
	stats_flow_tx(pages[2], 1)->cnps = 4;
	stats_flow_tx(pages[2], 1)->in_error = 1;
	live_roce_node_put(&nodes[2], pages[2], object);
	ck_assert_int_eq(number(object, "cnps"), 7);
	ck_assert_int_eq(number(object, "in_error"), 1);
	ck_assert_int_eq(number(object, "pauses"), 0);
	/* flows beyond the last one, or beyond the page, are none */
	pages[2]->flow_tx_count = 1;
	live_roce_node_put(&nodes[2], pages[2], object);
	ck_assert_int_eq(number(object, "cnps"), 3);
	ck_assert_int_eq(number(object, "in_error"), 0);
	pages[2]->flow_tx_count = 1000;
	live_roce_node_put(&nodes[2], pages[2], object);
	ck_assert_int_eq(number(object, "cnps"), 7);
}

/* ports and classes, each once */
TEST(live_roce_node_put__all_ports_and_classes)
{
	for (uint32_t p = 0; p < 2; p++) {
		stats_port(pages[0], p)->pauses_sent = 1 + p;
		for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
			stats_class(pages[0], p, c)->marked = 1u << (p * NODE_CLASSES_MAX + c);
	}
	live_roce_node_put(&nodes[0], pages[0], object);
	ck_assert_int_eq(number(object, "pauses"), 3);
	ck_assert_int_eq(number(object, "marked"), (1u << 2 * NODE_CLASSES_MAX) - 1);
	ck_assert_int_eq(number(object, "paused_classes"), 0);
	ck_assert_int_eq(number(object, "xoff_classes"), 0);
}

/* at the newest of the switches' times; an unreadable page does not hide those of the others */
TEST(live_roce_put__deadlocks)
{
	for (uint32_t i = 0; i < 2; i++) {
		stats_class(pages[i], 0, ROCE)->paused_since_ps = NODE_MS;
		stats_class(pages[i], 0, ROCE)->xoff_since_ps = NODE_MS;
		stats_class(pages[i], 0, ROCE)->waits_for = 1;
		pages[i]->now_ps = (10 + i) * NODE_MS;
	}
	live_roce_put(&plan, pages, object);
	ck_assert_str_eq(json_string_value(json_object_get(object, "kind")), "roce");
	ck_assert_uint_eq(json_array_size(json_object_get(object, "deadlocks")), 1);
	pages[1]->now_ps = 10 * NODE_MS;
	live_roce_put(&plan, pages, object);
	ck_assert_uint_eq(json_array_size(json_object_get(object, "deadlocks")), 0);
	live_roce_put(&plan, (struct stats_page *[]){ pages[0], NULL, NULL }, object);
	ck_assert_uint_eq(json_array_size(json_object_get(object, "deadlocks")), 0);
}

TEST(live_roce__nothing_for_another_kind)
{
	for (uint32_t i = 0; i < NODES; i++) {
		nodes[i].fabric = FABRIC_FLOW_CHANNEL;
		free(pages[i]);
		pages[i] = calloc(1, stats_bytes(&nodes[i]));
		stats_init(pages[i], &nodes[i]);
	}
	live_roce_port_put(&nodes[0], pages[0], 1, object);
	live_roce_node_put(&nodes[0], pages[0], object);
	live_roce_put(&plan, pages, object);
	ck_assert_uint_eq(json_object_size(object), 0);
}
