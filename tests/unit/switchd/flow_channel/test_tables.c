/*  switchd/flow_channel: tables that a fabric manager writes while traffic runs (FC-26, TB-23). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

TEST_GROUP(tables, .setup = setup_real, .teardown = teardown);

/* a fabric manager writes @routes and @hosts, in place of all former ones */
static void tables_write(struct route_config *routes, uint32_t route_count,
			 struct host_config *hosts, uint32_t host_count)
{
	struct switch_config tables = { .fabric_address = 1,
					.route_count = route_count,
					.routes = routes,
					.host_count = host_count,
					.hosts = hosts };

	ck_assert_int_eq(flow_channel_ops.tables(s.dp, &tables), 0);
}

TEST(tables__replaced)
{
	struct host_config host = { .host_index = 1, .fabric_address = 3, .egress_port = 5 };
	struct route_config route = { .fabric_address = 3, .ports = 1 << 2 | 1 << 3 };
	uint64_t before;

	one_switch_open(&s);
	flow_channel_ops.link_down(s.dp, 2, 0);
	before = s.dp->sw.stats->tables_taken;
	tables_write(&route, 1, &host, 1);
	ck_assert_uint_eq(s.dp->sw.stats->tables_taken, before + 1);
	host_send(&s, 0, 0, 1, 1, 0, 1000);
	one_switch_run(&s, FAR);
	packet_expect(3, 1000); /* p2 is still down */
	ck_assert_uint_eq(header_of_packet(3).egress_port, 5);
}

/* FC-26: a flow waits for a channel at a port that is no next hop of its destination any more: it
 * takes the new route. A flow with packets downstream waits until those are acknowledged. _i: the
 * port, p2, or p0 as a fabric port: none is special. */
TEST_RANGE(tables__misled, 0, 2)
{
	const uint32_t from = _i ? 0 : 2;
	struct route_config routes[] = { { .fabric_address = 2, .ports = 1 << 3 },
					 { .fabric_address = 3, .ports = 1 << 3 } };

	if (_i) {
		s.ports[0].kind = PORT_FABRIC;
		s.hosts[0].egress_port = 1;
	}
	s.ports[from].channels = 1;
	s.routes[0].ports = 1ull << from;
	one_switch_open(&s);
	host_send(&s, 1, 0, 2, 1, 0, 1000);
	host_send(&s, 1, 0, 2, 2, 0, 1001);
	one_switch_run(&s, NODE_US);
	packet_expect(from, 1000);
	no_packet_expect(from); /* the channel is taken */
	tables_write(routes, 2, s.hosts, HOSTS);
	host_send(&s, 1, NODE_US, 2, 1, 0, 1002);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(3, 1001);
	no_packet_expect(3);
	no_packet_expect(from);
	switch_send_ack(&s, from, 2 * NODE_US, 0, ACK_DELTA, 4);
	one_switch_run(&s, 4 * NODE_US);
	packet_expect(3, 1002);
	no_packet_expect(from);
	ck_assert_uint_eq(drops_all(), 0);
}

/* A flow that moves frees the channel that was reserved for it: the next flow that waits for one
 * gets it, at a port where nothing else happens. */
TEST(tables__channel_of_a_flow_that_moves)
{
	struct route_config routes[] = { { .fabric_address = 2, .ports = 1 << 3 },
					 { .fabric_address = 3, .ports = 1 << 2 } };

	s.ports[2].channels = 1;
	s.routes[0].ports = s.routes[1].ports = 1 << 2;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1000);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1000);
	host_send(&s, 1, NODE_US, 2, 2, 0, 1001);     /* waits for the channel, */
	host_send(&s, 0, 2 * NODE_US, 4, 1, 0, 1002); /* and after it this one */
	one_switch_run(&s, 3 * NODE_US);
	neighbour_stop(&s, 2, 3 * NODE_US, 1);
	one_switch_run(&s, 4 * NODE_US);
	switch_send_ack(&s, 2, 4 * NODE_US, 0, ACK_DELTA, 4);
	one_switch_run(&s, 5 * NODE_US);
	tables_write(routes, 2, s.hosts, HOSTS);
	neighbour_stop(&s, 2, 5 * NODE_US, 0);
	one_switch_run(&s, 7 * NODE_US);
	packet_expect(3, 1001);
	packet_expect(2, 1002);
	ck_assert_uint_eq(drops_all(), 0);
}

/* TB-23: ROUTE_UPWARD is the key of a table row, not a fabric address: no packet is routed there */
TEST(tables__upward_is_no_destination)
{
	struct route_config route = { .fabric_address = ROUTE_UPWARD, .ports = 1 << 2 };
	struct fabric_header header = { .flow_id = 1,
					.units = (uint16_t)units_of_bytes(1000),
					.ordered = true };
	uint8_t bytes[FABRIC_FRONT_BYTES + FRAME_HEADERS_MAX];
	uint32_t captured;

	one_switch_open(&s);
	tables_write(&route, 1, NULL, 0);
	captured = frame_make(4, 2, 1, 0, 1000, bytes + FABRIC_FRONT_BYTES);
	fabric_envelope_write(3, 0, 1, 3, bytes);
	fabric_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	neighbour_send_frame(&s, 3, 0, RECORD_PACKET, FABRIC_HEADER_BYTES + 1000 + FRAME_FCS_BYTES,
			     0, bytes, FABRIC_FRONT_BYTES + captured);
	one_switch_run(&s, FAR);
	no_packet_expect(2);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
}

/* a fabric manager reads the rows that it wrote */
TEST(tables__read_back)
{
	struct route_config routes[] = { { .fabric_address = 3, .ports = 1 << 2 | 1 << 3 },
					 { .fabric_address = ROUTE_UPWARD, .ports = 1 << 3 } };
	struct table_block block = { .table = TABLE_ROUTES };

	one_switch_open(&s);
	tables_write(routes, 2, NULL, 0);
	flow_channel_ops.table_read(s.dp, &block);
	ck_assert_uint_eq(table_get(TABLE_ROUTES, block.bytes, 3), 1 << 2 | 1 << 3);
	ck_assert_uint_eq(table_get(TABLE_ROUTES, block.bytes, ROUTE_UPWARD), 1 << 3);
}

/* ... and those of hosts and intermediate switches. Entries after the last one stay as they are. */
TEST(tables__hosts_and_vias_read_back)
{
	struct host_config hosts[] = {
		{ .host_index = 1, .fabric_address = 3, .egress_port = 5 },
		{ .host_index = 20, .fabric_address = 1, .egress_port = 63 }
	};
	uint16_t vias[] = { 9, 3, 700 };
	struct switch_config tables = {
		.fabric_address = 1, .host_count = 2, .hosts = hosts, .via_count = 3, .vias = vias
	};
	struct table_block block = { .table = TABLE_HOSTS };

	one_switch_open(&s);
	ck_assert_int_eq(flow_channel_ops.tables(s.dp, &tables), 0);
	ck_assert_uint_eq(flow_channel_ops.table_blocks(s.dp, TABLE_HOSTS),
			  table_blocks(TABLE_HOSTS, 21));
	ck_assert_uint_eq(flow_channel_ops.table_blocks(s.dp, TABLE_VIAS),
			  table_blocks(TABLE_VIAS, 3));
	ck_assert_uint_eq(flow_channel_ops.table_blocks(s.dp, TABLE_FLOOD), 0);
	ck_assert_uint_eq(flow_channel_ops.table_blocks(s.dp, TABLE_LFT), 0);
	memset(block.bytes, 0xaa, sizeof(block.bytes));
	block.number = 20 / table_entries(TABLE_HOSTS);
	flow_channel_ops.table_read(s.dp, &block);
	for (uint32_t i = 0; i < table_entries(TABLE_HOSTS); i++) {
		uint32_t index = block.number * table_entries(TABLE_HOSTS) + i;
		uint8_t untouched[TABLE_BLOCK_BYTES];

		memset(untouched, 0xaa, sizeof(untouched));
		ck_assert_uint_eq(table_get(TABLE_HOSTS, block.bytes, i),
				  index == 1    ? table_host(&hosts[0])
				  : index == 20 ? table_host(&hosts[1])
				  : index > 20  ? table_get(TABLE_HOSTS, untouched, i)
						: 0);
	}
	block = (struct table_block){ .table = TABLE_HOSTS };
	flow_channel_ops.table_read(s.dp, &block);
	ck_assert_uint_eq(table_get(TABLE_HOSTS, block.bytes, 1), table_host(&hosts[0]));
	ck_assert_uint_eq(table_get(TABLE_HOSTS, block.bytes, 0), 0);
	block = (struct table_block){ .table = TABLE_VIAS };
	flow_channel_ops.table_read(s.dp, &block);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(table_get(TABLE_VIAS, block.bytes, i), i < 3 ? vias[i] : 0);
}
