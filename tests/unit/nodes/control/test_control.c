/*  nodes/control/control: messages are received as they were sent, malformed ones are rejected with
 *  an error that says why, and descriptors are passed along (TB-6, TB-23). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/control/control.h"
#include "nodes/control/control_managed.h"
#include "tests/testing.h"
#include "tests/unit/nodes/config/example_config.h"

static struct node_config config;
static struct control_message sent, got;
static struct why why;
static int sockets[2];

static void setup(void)
{
	memset(&sent, 0, sizeof(sent));
	memset(&got, 0, sizeof(got));
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
}

static void teardown(void)
{
	close(sockets[0]);
	close(sockets[1]);
}

static void round_trip(void)
{
	uint8_t *bytes = NULL;
	int length = control_pack(&sent, &bytes);

	ck_assert_int_gt(length, 0);
	ck_assert_msg(!control_unpack(bytes, (size_t)length, &got, &why), "%s", why.text);
	free(bytes);
	ck_assert_int_eq(got.kind, sent.kind);
	ck_assert_int_eq(got.number, sent.number);
	ck_assert_str_eq(got.text, sent.text);
	ck_assert_str_eq(got.text2, sent.text2);
}

TEST_GROUP(control, .setup = setup, .teardown = teardown, .timeout_s = 60);

TEST_RANGE(control_pack__every_kind_reads_back, 0, CONTROL_KINDS)
{
	static char body[] = "flow_id  extent\n  5  9\n";
	static struct table_block block = { .table = TABLE_VIAS,
					    .number = 3,
					    .bytes = { 1, 2, 3 } };
	static struct worker_share worker = {
		.index = 3, .first_place = 16, .node_count = 5, .real_clock = true
	};

	example_nic(&config);
	sent = (struct control_message){ .kind = (enum control_kind)_i,
					 .block = &block,
					 .number = -5,
					 .text = "ifct",
					 .text2 = "7",
					 .body = body,
					 .config = &config,
					 .port = &config.ports[0],
					 .worker = &worker };
	round_trip();
	if (got.kind == CONTROL_WORK) {
		ck_assert_uint_eq(got.worker->index, 3);
		ck_assert_uint_eq(got.worker->first_place, 16);
		ck_assert_uint_eq(got.worker->node_count, 5);
		ck_assert(got.worker->real_clock);
	}
	ck_assert_str_eq(got.body, body);
	ck_assert_int_eq(got.config != NULL, _i == CONTROL_CONFIGURE);
	ck_assert_int_eq(got.port != NULL, _i >= CONTROL_LINK_DOWN && _i <= CONTROL_LINK_SET);
	ck_assert_int_eq(got.block != NULL,
			 _i == CONTROL_TABLE_READ || _i == CONTROL_TABLE_READ_BACK ||
				 _i == CONTROL_TABLE_WRITE || _i == CONTROL_ANSWER);
	if (got.block)
		ck_assert_mem_eq(got.block, &block, sizeof(block));
	if (got.port)
		ck_assert_uint_eq(got.port->rate_bps, config.ports[0].rate_bps);
	control_message_free(&got);
	node_config_free(&config);
}

static void port_expect(const struct port_config *a, const struct port_config *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_int_eq(a->medium, b->medium);
	ck_assert_int_eq(a->vacant, b->vacant);
	ck_assert_str_eq(a->peer_name, b->peer_name);
	ck_assert_uint_eq(a->peer_index, b->peer_index);
	ck_assert_uint_eq(a->peer_port, b->peer_port);
	ck_assert_uint_eq(a->link_index, b->link_index);
	ck_assert_uint_eq(a->rate_bps, b->rate_bps);
	ck_assert_uint_eq(a->delay_ps, b->delay_ps);
	ck_assert_uint_eq(a->mtu_bytes, b->mtu_bytes);
	ck_assert_uint_eq(a->gap_bytes, b->gap_bytes);
	ck_assert_uint_eq(a->loss_ppb, b->loss_ppb);
	ck_assert_uint_eq(a->bit_error_e15, b->bit_error_e15);
	ck_assert_int_eq(a->guarded, b->guarded);
	ck_assert_uint_eq(a->channels, b->channels);
	ck_assert_uint_eq(a->buffer_units, b->buffer_units);
	ck_assert_uint_eq(a->peer_units, b->peer_units);
	ck_assert_uint_eq(a->stop_units, b->stop_units);
	ck_assert_uint_eq(a->flight_units, b->flight_units);
	ck_assert(flow_match_equal(&a->match, &b->match));
	ck_assert_uint_eq(a->ring_bytes, b->ring_bytes);
	ck_assert_uint_eq(a->capture_bytes, b->capture_bytes);
	ck_assert_uint_eq(a->headroom_bytes, b->headroom_bytes);
	ck_assert_int_eq(a->tier, b->tier);
}

static void node_expect(const struct node_config *a, const struct node_config *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_str_eq(a->name, b->name);
	ck_assert_uint_eq(a->index, b->index);
	ck_assert_uint_eq(a->node_count, b->node_count);
	ck_assert_uint_eq(a->seed, b->seed);
	ck_assert_uint_eq(a->measure_from_ps, b->measure_from_ps);
	ck_assert_uint_eq(a->measure_to_ps, b->measure_to_ps);
	ck_assert_uint_eq(a->sample_ps, b->sample_ps);
	ck_assert_int_eq(a->series, b->series);
	ck_assert_uint_eq(a->capture_sent_bytes, b->capture_sent_bytes);
	ck_assert_uint_eq(a->class_count, b->class_count);
	ck_assert_uint_eq(a->lanes, b->lanes);
	ck_assert_mem_eq(a->classes, b->classes, sizeof(a->classes));
	ck_assert_uint_eq(a->port_count, b->port_count);
	for (uint32_t i = 0; i < a->port_count; i++)
		port_expect(&a->ports[i], &b->ports[i]);
}

/* the fabric manager writes them (PG-11) */
struct expectation {
	char names[512][PARAMETER_NAME_MAX];
	uint64_t values[512];
	uint32_t count;
};

static bool note(void *context, const char *name, const struct parameter *row, void *structure)
{
	struct expectation *expected = context;

	ck_assert_uint_lt(expected->count, 512);
	snprintf(expected->names[expected->count], PARAMETER_NAME_MAX, "%s", name);
	expected->values[expected->count++] = parameter_get(row, structure);
	return true;
}

static void parameters_expect(const struct parameter_table *table, const void *a, const void *b)
{
	static struct expectation as, bs;

	as.count = bs.count = 0;
	parameters_each(table, "", (void *)a, note, &as);
	parameters_each(table, "", (void *)b, note, &bs);
	ck_assert_uint_eq(as.count, bs.count);
	for (uint32_t i = 0; i < as.count; i++)
		ck_assert_msg(as.values[i] == bs.values[i], "%s", as.names[i]);
}

static void no_tables_expect(const struct switch_config *got_switch)
{
	ck_assert_uint_eq(got_switch->route_count, 0);
	ck_assert_uint_eq(got_switch->via_count, 0);
	ck_assert_uint_eq(got_switch->host_count, 0);
	ck_assert_uint_eq(got_switch->lids.lid_count, 0);
	ck_assert_uint_eq(got_switch->lids.group_count, 0);
	ck_assert_uint_eq(got_switch->flood_ports, 0);
}

TEST(control_unpack__switch_is_unchanged)
{
	const struct switch_config *a, *b;

	example_switch(&config);
	config.ports[0].capture_bytes = 128;
	sent = (struct control_message){ .kind = CONTROL_CONFIGURE, .config = &config };
	round_trip();
	node_expect(got.config, &config);
	a = &got.config->switch_;
	b = &config.switch_;
	ck_assert_uint_eq(a->fabric_address, b->fabric_address);
	ck_assert_uint_eq(a->latency_ps, b->latency_ps);
	ck_assert_int_eq(a->cut_through, b->cut_through);
	ck_assert_int_eq(a->arbiter, b->arbiter);
	ck_assert_uint_eq(a->output_queue_units_max, b->output_queue_units_max);
	ck_assert_uint_eq(a->ack_t1_ps, b->ack_t1_ps);
	ck_assert_uint_eq(a->ack_t2_ps, b->ack_t2_ps);
	ck_assert_uint_eq(a->ack_t3_ps, b->ack_t3_ps);
	ck_assert_uint_eq(a->ack_collect, b->ack_collect);
	parameters_expect(&congestion_parameters, &a->congestion, &b->congestion);
	parameters_expect(&routing_parameters, &a->routing, &b->routing);
	no_tables_expect(a);
	ck_assert_uint_eq(a->prefix_count, b->prefix_count); /* FC-3 */
	for (uint32_t i = 0; i < b->prefix_count; i++) {
		ck_assert_int_eq(prefix_order(&a->prefixes[i], &b->prefixes[i]), 0);
		ck_assert_uint_eq(a->prefixes[i].host_index, b->prefixes[i].host_index);
	}
	control_message_free(&got);
	node_config_free(&config);
}

static void workload_expect(const struct workload_config *a, const struct workload_config *b)
{
	ck_assert_uint_eq(a->workload_index, b->workload_index);
	ck_assert_str_eq(a->name, b->name);
	ck_assert_int_eq(a->destination, b->destination);
	ck_assert_int_eq(a->arrival, b->arrival);
	ck_assert_int_eq(a->frame, b->frame);
	ck_assert_int_eq(a->transport, b->transport);
	ck_assert_uint_eq(a->connections, b->connections);
	ck_assert_uint_eq(a->traffic_class, b->traffic_class);
	ck_assert_uint_eq(a->packet_bytes, b->packet_bytes);
	ck_assert_uint_eq(a->window, b->window);
	ck_assert_uint_eq(a->load_permille, b->load_permille);
	ck_assert_uint_eq(a->burst_messages, b->burst_messages);
	ck_assert_uint_eq(a->burst_period_ps, b->burst_period_ps);
	ck_assert_uint_eq(a->start_ps, b->start_ps);
	ck_assert_uint_eq(a->stop_ps, b->stop_ps);
	ck_assert_uint_eq(a->messages_max, b->messages_max);
	ck_assert_uint_eq(a->message_bytes, b->message_bytes);
	ck_assert_uint_eq(a->seed, b->seed);
	ck_assert_uint_eq(a->size_count, b->size_count);
	for (uint32_t i = 0; i < a->size_count; i++) {
		ck_assert_uint_eq(a->sizes[i].bytes, b->sizes[i].bytes);
		ck_assert_uint_eq(a->sizes[i].cumulative_ppm, b->sizes[i].cumulative_ppm);
	}
	ck_assert_uint_eq(a->destination_count, b->destination_count);
	ck_assert_mem_eq(a->destinations, b->destinations,
			 a->destination_count * sizeof(*a->destinations));
}

TEST(control_unpack__nic_is_unchanged)
{
	example_nic(&config);
	config.capture_sent_bytes = 77;
	sent = (struct control_message){ .kind = CONTROL_CONFIGURE, .config = &config };
	round_trip();
	node_expect(got.config, &config);
	ck_assert_uint_eq(got.config->nic.host_index, config.nic.host_index);
	ck_assert_uint_eq(got.config->nic.latency_ps, config.nic.latency_ps);
	ck_assert_uint_eq(got.config->nic.flows_max, config.nic.flows_max);
	ck_assert_uint_eq(got.config->nic.messages_max, config.nic.messages_max);
	ck_assert_uint_eq(got.config->nic.workload_count, 2);
	for (int i = 0; i < 2; i++)
		workload_expect(&got.config->nic.workloads[i], &config.nic.workloads[i]);
	ck_assert_uint_eq(got.config->nic.pause_count, 2);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(got.config->nic.pauses[i].start_ps,
				  config.nic.pauses[i].start_ps);
		ck_assert_uint_eq(got.config->nic.pauses[i].stop_ps, config.nic.pauses[i].stop_ps);
		ck_assert_uint_eq(got.config->nic.pauses[i].every_ps,
				  config.nic.pauses[i].every_ps);
		ck_assert_uint_eq(got.config->nic.pauses[i].for_ps, config.nic.pauses[i].for_ps);
		ck_assert_uint_eq(got.config->nic.pauses[i].classes, config.nic.pauses[i].classes);
	}
	control_message_free(&got);
	node_config_free(&config);
}

/* _i: the kind of node */
TEST_RANGE(control_unpack__roce_is_unchanged, 0, NODE_KINDS)
{
	if (_i == NODE_SWITCH)
		example_switch(&config);
	else
		example_nic(&config);
	example_roce(&config);
	sent = (struct control_message){ .kind = CONTROL_CONFIGURE, .config = &config };
	round_trip();
	node_expect(got.config, &config);
	ck_assert_int_eq(got.config->fabric, FABRIC_ROCE);
	parameters_expect(&roce_parameters, &got.config->roce, &config.roce);
	for (uint32_t i = 0; i < config.nic.workload_count; i++)
		workload_expect(&got.config->nic.workloads[i], &config.nic.workloads[i]);
	control_message_free(&got);
	node_config_free(&config);
}

/* the packed example, with byte @change in place of the one that is @at bytes after the first
 * @text */
static void parameter_refused(const char *text, size_t at, uint8_t change)
{
	uint8_t *bytes = NULL, *found;
	int length;

	example_nic(&config);
	example_roce(&config);
	sent = (struct control_message){ .kind = CONTROL_CONFIGURE, .config = &config };
	length = control_pack(&sent, &bytes);
	found = memmem(bytes, (size_t)length, text, strlen(text));
	ck_assert_ptr_nonnull(found);
	found[at] = change;
	ck_assert_int_eq(control_unpack(bytes, (size_t)length, &got, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "unknown parameter"));
	control_message_free(&got);
	free(bytes);
	node_config_free(&config);
}

/* An unknown name, a name out of order, and a value that its field cannot hold. The value is two
 * bytes after the name. */
TEST(control_unpack__bad_parameters_are_rejected)
{
	parameter_refused("roce.dcqcn.g_ppb", 15, 'c');
	parameter_refused("roce.pfc", 5, 'q');
	parameter_refused("roce.queue_pair.retries", 5, 'z');
	parameter_refused("roce.pfc", strlen("roce.pfc") + 1, 2);
}

/* _i: the kind of node */
TEST_RANGE(control_unpack__port_group_is_unchanged, 0, NODE_KINDS)
{
	if (_i == NODE_SWITCH)
		example_switch(&config);
	else
		example_nic(&config);
	example_port_group(&config);
	sent = (struct control_message){ .kind = CONTROL_CONFIGURE, .config = &config };
	round_trip();
	node_expect(got.config, &config);
	ck_assert_int_eq(got.config->fabric, FABRIC_PORT_GROUP);
	parameters_expect(&port_group_parameters, &got.config->port_group, &config.port_group);
	no_tables_expect(&got.config->switch_);
	control_message_free(&got);
	node_config_free(&config);
}

static void block_refused(const uint8_t *bytes, size_t length, const char *expected)
{
	ck_assert_int_eq(control_unpack(bytes, length, &got, &why), -EINVAL);
	ck_assert_str_eq(why.text, expected);
}

/* no block at all, a block of an unknown table, a block that is cut short */
TEST(control_unpack__bad_block_is_rejected)
{
	static const char wrong[] =
		"the block of a table is of an unknown table, or not of the right length";
	static struct table_block block = { .table = (enum table_kind)TABLE_KINDS };
	uint8_t *bytes = NULL;
	int length;

	block_refused((const uint8_t *)"\x08\x0c", 2,
		      "the message about a block of a table has none");
	block_refused((const uint8_t *)"\x08\x0c\x5a\x03\x1a\x01\x05", 7, wrong);
	sent = (struct control_message){ .kind = CONTROL_TABLE_WRITE, .block = &block };
	length = control_pack(&sent, &bytes);
	ck_assert_int_gt(length, TABLE_BLOCK_BYTES);
	block_refused(bytes, (size_t)length, wrong);
	free(bytes);
}

/* Of a longer message not every byte is tried: the time grows with the square of its length. */
#define SPOILT 1500

/* A message that is cut short anywhere, or has any byte changed, is rejected or harmless: no crash
 * and no leak. */
TEST_RANGE(control_unpack__damaged_messages_are_harmless, 0, 6)
{
	uint8_t *bytes = NULL;
	int length;

	if (_i % 2)
		example_nic(&config);
	else
		example_switch(&config);
	if (_i / 2 == 1)
		example_roce(&config);
	if (_i / 2 == 2)
		example_port_group(&config);
	sent = (struct control_message){ .kind = CONTROL_CONFIGURE, .config = &config };
	length = control_pack(&sent, &bytes);
	for (int i = 0; i < length; i += 1 + length / SPOILT) {
		uint8_t *part = malloc((size_t)i + 1);

		memcpy(part, bytes, (size_t)i);
		why.text[0] = 0;
		if (!control_unpack(part, (size_t)i, &got, &why))
			control_message_free(&got);
		else
			ck_assert_uint_gt(strlen(why.text), 10);
		free(part);
		bytes[i] ^= 0x55;
		if (!control_unpack(bytes, (size_t)length, &got, &why))
			control_message_free(&got);
		bytes[i] ^= 0x55;
	}
	free(bytes);
	node_config_free(&config);
}

TEST(control_pack__identity_reads_back)
{
	static struct node_identity identity = { .kind = NODE_SWITCH,
						 .fabric = FABRIC_ROCE,
						 .name = "s7",
						 .index = 6,
						 .fabric_address = 7,
						 .table_blocks = { 5, 4, 3 },
						 .port_count = 2,
						 .ports = { { 0 },
							    { .kind = PORT_FABRIC,
							      .plugged = true,
							      .up = true,
							      .tier = TIER_GLOBAL,
							      .peer_index = 8,
							      .peer_port = 9,
							      .rate_bps = 100000000000 } } };

	sent = (struct control_message){ .kind = CONTROL_ANSWER,
					 .question = 4,
					 .identity = &identity };
	round_trip();
	ck_assert_ptr_nonnull(got.identity);
	ck_assert_mem_eq(got.identity, &identity, sizeof(identity));
	control_message_free(&got);
}

/* an identity has numbers as large as its structure holds, and no larger ones; as no sender packs
 * it */
TEST(control_unpack__identity_is_checked)
{
	static const struct {
		uint32_t index, fabric_address, host_index;
		bool good;
	} cases[] = { { NODE_COUNT_MAX - 1, 65535, NODE_COUNT_MAX - 1, true },
		      { NODE_COUNT_MAX, 1, 0, false },
		      { 0, 65536, 0, false },
		      { 0, 1, NODE_COUNT_MAX, false } };

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		Heddle__NodeIdentity from = HEDDLE__NODE_IDENTITY__INIT;
		struct node_identity to = { 0 };

		from.index = cases[i].index;
		from.fabric_address = cases[i].fabric_address;
		from.host_index = cases[i].host_index;
		ck_assert(control_identity_unpack(&to, &from) == cases[i].good);
		if (cases[i].good)
			ck_assert_uint_eq(to.fabric_address, 65535);
	}
}

TEST(control_pack__place_of_a_packed_node)
{
	struct node_place place = { .worker = 2, .place = 77, .port_count = 1 };

	example_nic(&config);
	place.ports[0] = (struct place_port){
		.peer_worker = 1, .peer_place = 9, .tx_at = 1ull << 40, .rx_at = 64
	};
	sent = (struct control_message){ .kind = CONTROL_CONFIGURE,
					 .config = &config,
					 .place = &place };
	round_trip();
	ck_assert_uint_eq(got.place->worker, 2);
	ck_assert_uint_eq(got.place->place, 77);
	ck_assert_uint_eq(got.place->port_count, 1);
	ck_assert_uint_eq(got.place->ports[0].peer_worker, 1);
	ck_assert_uint_eq(got.place->ports[0].peer_place, 9);
	ck_assert_uint_eq(got.place->ports[0].tx_at, 1ull << 40);
	ck_assert_uint_eq(got.place->ports[0].rx_at, 64);
}

TEST(control_unpack__place_with_other_ports_than_the_node)
{
	static const uint32_t counts[] = { 0, 2, NODE_PORTS_MAX };

	example_nic(&config);
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		struct node_place place = { .port_count = counts[i] };
		uint8_t *bytes;
		int length;

		sent = (struct control_message){ .kind = CONTROL_CONFIGURE,
						 .config = &config,
						 .place = &place };
		length = control_pack(&sent, &bytes);
		ck_assert_int_eq(control_unpack(bytes, (size_t)length, &got, &why), -EINVAL);
		ck_assert_str_eq(why.text,
				 "the place of the node does not have its number of ports");
		free(bytes);
	}
}

TEST(control_unpack__worker_without_a_share)
{
	ck_assert_int_eq(control_unpack((const uint8_t *)"\x08\x11", 2, &got, &why), -EINVAL);
	ck_assert_str_eq(why.text, "the message to a worker does not say what it runs");
}

TEST(control_unpack__rejects_what_is_no_message)
{
	ck_assert_int_eq(control_unpack((const uint8_t *)"\xff\xff\xff", 3, &got, &why), -EINVAL);
	ck_assert_str_eq(why.text, "the bytes are no control message");
	ck_assert_int_eq(control_unpack((const uint8_t *)"", 0, &got, &why), -EINVAL);
	ck_assert_str_eq(why.text, "the control message is of unknown kind 0");
	ck_assert_int_eq(control_unpack((const uint8_t *)"\x08\x13", 2, &got, &why), -EINVAL);
	ck_assert_str_eq(why.text, "the control message is of unknown kind 19");
	ck_assert_int_eq(
		control_unpack((const uint8_t *)"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11,
			       &got, &why),
		-EINVAL);
	ck_assert_str_eq(why.text, "the control message is of unknown kind -1");
	ck_assert_int_eq(control_unpack((const uint8_t *)"\x08\x01", 2, &got, &why), -EINVAL);
	ck_assert_str_eq(why.text, "the message to configure a node has no configuration");
}

/* The receiver checks the limits as well, whatever the sender did. */
TEST(control_unpack__configuration_is_checked)
{
	uint8_t *bytes = NULL;
	int length;

	example_switch(&config);
	config.ports[1].mtu_bytes = 9217;
	sent = (struct control_message){ .kind = CONTROL_CONFIGURE, .config = &config };
	length = control_pack(&sent, &bytes);
	ck_assert_int_eq(control_unpack(bytes, (size_t)length, &got, &why), -EINVAL);
	ck_assert_str_eq(why.text, "ports[1].mtu_bytes is 9217, it must be 64..9216");
	free(bytes);
	node_config_free(&config);
}

TEST(control_send__passes_descriptors)
{
	example_switch(&config);
	sent = (struct control_message){ .kind = CONTROL_CONFIGURE,
					 .config = &config,
					 .fd_count = CONTROL_FDS_MAX };
	for (uint32_t i = 0; i < sent.fd_count; i++)
		sent.fds[i] = sockets[0];
	ck_assert_int_eq(control_send(sockets[0], &sent), 0);
	ck_assert_int_eq(control_receive(sockets[1], &got, 1, &why), 0);
	ck_assert_uint_eq(got.fd_count, CONTROL_FDS_MAX);
	ck_assert_int_ge(fcntl(got.fds[CONTROL_FDS_MAX - 1], F_GETFD), FD_CLOEXEC);
	control_message_free(&got);
	ck_assert_int_eq(control_receive(sockets[1], &got, 0, &why), -EAGAIN);
	node_config_free(&config);
}

/* descriptors that came with a malformed message are closed */
TEST(control_receive__malformed_message_leaks_no_descriptors)
{
	int probe = dup(0), after;

	close(probe);
	sent = (struct control_message){ .kind = CONTROL_KINDS, .fd_count = 3, .fds = { 0, 1, 2 } };
	ck_assert_int_eq(control_send(sockets[0], &sent), 0);
	ck_assert_int_eq(control_receive(sockets[1], &got, 0, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "unknown kind"));
	after = dup(0);
	ck_assert_int_eq(after, probe);
	close(after);
}

TEST(control_receive__last_message_then_end_of_peer)
{
	sent = (struct control_message){ .kind = CONTROL_READY };
	ck_assert_int_eq(control_send(sockets[0], &sent), 0);
	close(sockets[0]);
	/* its last message is still received */
	ck_assert_int_eq(control_receive(sockets[1], &got, 1, &why), 0);
	ck_assert_int_eq(control_receive(sockets[1], &got, 1, &why), -EPIPE);
	ck_assert_int_eq(control_send(sockets[1], &sent), -EPIPE);
}

/* more than a socket buffers by default, then more than a message may have */
TEST(control_send__up_to_the_longest_message)
{
	size_t length = 300000;

	sent = (struct control_message){ .kind = CONTROL_ANSWER,
					 .body = malloc(2 * CONTROL_BYTES_MAX) };
	memset(sent.body, 'x', 2 * CONTROL_BYTES_MAX);
	sent.body[length] = 0;
	ck_assert_int_eq(control_send(sockets[0], &sent), 0);
	ck_assert_int_eq(control_receive(sockets[1], &got, 0, &why), 0);
	ck_assert_uint_eq(strlen(got.body), length);
	control_message_free(&got);
	sent.body[length] = 'x';
	sent.body[2 * CONTROL_BYTES_MAX - 1] = 0;
	ck_assert_int_eq(control_send(sockets[0], &sent), -EMSGSIZE);
	free(sent.body);
}

/* A peer that does not read does not block the sender. Later messages arrive once it reads
 * again. */
TEST(control_send_now__full_queue_does_not_block)
{
	int error = 0, count = 0;

	sent = (struct control_message){ .kind = CONTROL_SHOW, .text = "efct" };
	while (!error && count++ < 1000000) {
		sent.question = (uint32_t)count;
		error = control_send_now(sockets[0], &sent);
	}
	ck_assert_int_eq(error, -EAGAIN);
	for (int i = 1; i < count; i++) {
		ck_assert_int_eq(control_receive(sockets[1], &got, 0, &why), 0);
		ck_assert_int_eq(got.question, i);
		control_message_free(&got);
	}
	ck_assert_int_eq(control_send_now(sockets[0], &sent), 0);
}
