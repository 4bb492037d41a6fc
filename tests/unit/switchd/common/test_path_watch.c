/*  switchd/common/path_watch, orchestrator/results/flow_paths: which output each flow takes
 *  (SE-1). */
#include <stdlib.h>
#include <string.h>

#include "nodes/stats/trace.h"
#include "orchestrator/results/flow_paths.h"
#include "switchd/common/path_watch.h"
#include "tests/testing.h"

#define PORTS 8u
#define UNORDERED 1u /* class */

static struct port_config ports[PORTS];
static struct node_config config;
static struct stats_page *page;
static struct path_watch watch;
static struct packet *packet;

static void setup(void)
{
	config = (struct node_config){ .kind = NODE_SWITCH,
				       .port_count = PORTS,
				       .ports = ports,
				       .class_count = 2,
				       .events = true };
	config.classes[UNORDERED].unordered = true;
	page = calloc(1, stats_bytes(&config));
	stats_init(page, &config);
	packet = aligned_alloc(64, PACKET_CELL_BYTES);
	memset(packet, 0, PACKET_CELL_BYTES);
	ck_assert_int_eq(path_watch_init(&watch, &config), 0);
}

static void teardown(void)
{
	path_watch_fini(&watch);
	path_watch_fini(&watch);
	free(page);
	free(packet);
}

TEST_GROUP(path_watch, .setup = setup, .teardown = teardown);

/* a packet of the flow in @slot of host @source leaves by @port. Return: is it an event? */
static bool sent(uint32_t source, uint32_t slot, uint32_t traffic_class, uint32_t port)
{
	struct frame_spec spec = { .kind = FRAME_ROCE,
				   .source = source,
				   .destination = 9,
				   .traffic_class = traffic_class,
				   .flow = slot,
				   .frame_bytes = 1000 };
	struct frame_payload payload = {
		.source = source, .flow_slot = slot, .message_bytes = 500, .payload_bytes = 500
	};
	uint64_t before = page->trace.count;

	packet->captured_bytes = (uint16_t)frame_write(&spec, &payload, packet->bytes);
	packet->frame_bytes = spec.frame_bytes;
	packet->traffic_class = (uint8_t)traffic_class;
	packet->in_port = 7;
	path_watch_sent(&watch, page, port, packet, 55);
	return page->trace.count != before;
}

TEST(path_watch_sent__when_the_output_changes)
{
	const struct trace_entry *entry = stats_trace(page, 0);

	ck_assert(sent(3, 70000, 0, 2));
	ck_assert_uint_eq(entry->at_ps, 55);
	ck_assert_uint_eq(entry->kind, TRACE_PATH);
	ck_assert_uint_eq(entry->port, 2);
	ck_assert_uint_eq(entry->value, 7);
	ck_assert_uint_eq(entry->detail, 70000);
	ck_assert_uint_eq(entry->source, 4);
	ck_assert_uint_eq(entry->destination, 10);
	ck_assert(!sent(3, 70000, 0, 2));
	ck_assert(sent(3, 70001, 0, 2));
	ck_assert(sent(4, 70000, 0, 2));
	ck_assert(sent(3, 70000, 0, 5));
	ck_assert(sent(3, 70000, 0, 2));
	ck_assert(!sent(3, 70001, 0, 2));
}

TEST(path_watch_sent__an_unordered_class_tells_each_output_once)
{
	ck_assert(sent(3, 0, UNORDERED, 2));
	ck_assert(sent(3, 0, UNORDERED, 5));
	ck_assert(!sent(3, 0, UNORDERED, 2));
	ck_assert(!sent(3, 0, UNORDERED, 5));
	ck_assert(sent(3, 0, UNORDERED, 0));
}

/* copies of flooded frames, frames of attached hosts, a switch without events */
TEST(path_watch_sent__leaves_out)
{
	packet->copy = true;
	ck_assert(!sent(3, 0, 0, 2));
	packet->copy = false;
	memset(packet->bytes, 0x5a, PACKET_FIRST_BYTES);
	path_watch_sent(&watch, page, 2, packet, 55);
	ck_assert_uint_eq(page->trace.count, 0);
	path_watch_fini(&watch);
	config.events = false;
	ck_assert_int_eq(path_watch_init(&watch, &config), 0);
	ck_assert(!sent(3, 0, 0, 2));
}

/* more flows than lines: each is told at least once */
TEST(path_watch_sent__many_flows)
{
	for (uint32_t slot = 0; slot < 2 * PATH_LINES; slot++)
		ck_assert(sent(5, slot, 0, slot % PORTS));
}

/* events of a node that is not trusted change nothing, or something about this node only */
TEST(flow_paths_take__nonsense)
{
	struct node_config nodes[2] = { config, { .kind = NODE_NIC, .port_count = 1 } };
	struct plan plan = { .node_count = 2, .switch_count = 1, .host_count = 1, .nodes = nodes };
	struct flow_hop hops[FLOW_PATH_HOPS_MAX];
	struct flow_paths paths;
	struct port_config up = { .peer_index = 0 };
	struct trace_entry entry = { .kind = TRACE_PATH, .source = 1, .port = 3, .detail = 8 };

	nodes[1].ports = &up;
	memset(ports, 0, sizeof(ports)); /* all lead to the switch itself: a loop */
	flow_paths_init(&paths, &plan);
	ck_assert_uint_eq(flow_paths_ports(&paths, 0, 0, 8), 0);
	ck_assert_int_eq(flow_paths_take(&paths, 0, &entry), 0);
	ck_assert_uint_eq(flow_paths_ports(&paths, 0, 0, 8), 1 << 3);
	ck_assert_uint_eq(flow_paths_find(&paths, 0, 8, 0, hops), 0);
	entry.port = 200;
	ck_assert_int_eq(flow_paths_take(&paths, 0, &entry), 0);
	entry.port = 2;
	entry.source = 2;
	ck_assert_int_eq(flow_paths_take(&paths, 0, &entry), 0);
	entry.source = 1;
	entry.kind = TRACE_KINDS + 5;
	ck_assert_int_eq(flow_paths_take(&paths, 0, &entry), 0);
	ck_assert_uint_eq(flow_paths_ports(&paths, 0, 0, 8), 1 << 3);
	entry.kind = TRACE_PATH;
	for (entry.detail = 0; entry.detail < 5000; entry.detail++)
		ck_assert_int_eq(flow_paths_take(&paths, 0, &entry), 0);
	for (uint32_t slot = 0; slot < 5000; slot++)
		ck_assert_uint_eq(flow_paths_ports(&paths, 0, 0, slot), 1 << 2);
	flow_paths_fini(&paths);
}
