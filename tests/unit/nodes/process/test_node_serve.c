/*  nodes/process/node_serve, node_life: what a running node answers over its control socket, and
 *  what it tells of its own accord (TB-6, TB-7, TB-9, TB-14, TB-23). */
#include "tests/unit/nodes/process/one_node.h"

static struct control_message request_of(enum control_kind kind, int64_t number, const char *text)
{
	struct control_message request = { .kind = kind, .number = number };

	strcpy(request.text, text);
	return request;
}

/* ---- tables and parameters ---- */

TEST_RANGE(node_serve__show_of_a_port, -2, 5)
{
	struct control_message request = request_of(CONTROL_SHOW, _i, "queues");
	char text[64];

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	if (_i >= -1 && _i < (int)PORTS) {
		snprintf(text, sizeof(text), "queues of %d", _i);
		ck_assert_int_eq(ask(&request), 0);
	} else {
		snprintf(text, sizeof(text), "there is no port %d, s1 has 3\n", _i);
		ck_assert_int_eq(ask(&request), -EINVAL);
	}
	ck_assert_str_eq(words(), text);
	ck_assert_uint_eq(toy.at_ps, 0); /* fabric time has not begun */
	end();
}

TEST(node_serve__show_at_the_fabrics_time)
{
	struct control_message request = request_of(CONTROL_SHOW, -1, "queues");

	virtual_configuration_make(FABRIC_FLOW_CHANNEL);
	start_virtual();
	for (uint32_t i = 0; i < config->node_count; i++)
		node.clock.own_next[i] = 90 * NODE_US;
	atomic_store(&pages.page->limit_ps, 70 * NODE_US);
	ck_assert_int_eq(ask(&request), 0);
	ck_assert_uint_eq(toy.at_ps, 70 * NODE_US);
	end();
}

TEST(node_serve__set)
{
	struct control_message request = request_of(CONTROL_SET, 0, "colour");

	strcpy(request.text2, "red");
	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	ck_assert_int_eq(ask(&request), 0);
	ck_assert_str_eq(words(), "colour=red");
	ck_assert_uint_eq(toy.runs, 0); /* under the real clock the next turn sees it */
	end();
}

TEST(node_serve__set_only_while_the_virtual_clock_stands)
{
	struct control_message request = request_of(CONTROL_SET, 0, "colour");

	virtual_configuration_make(FABRIC_FLOW_CHANNEL);
	start_virtual();
	atomic_store(&pages.page->state, CLOCK_RUNNING);
	ck_assert_int_eq(ask(&request), -EBUSY);
	ck_assert_str_eq(words(), "the clock is running: stop it first\n");
	ck_assert_uint_eq(toy.runs, 0);
	atomic_store(&pages.page->state, CLOCK_STOPPED);
	ck_assert_int_eq(ask(&request), 0);
	ck_assert_str_eq(words(), "colour=");
	ck_assert_uint_eq(toy.runs, 1);
	ck_assert_uint_eq(toy.run_end_ps, 0); /* only asked when it is due */
	end();
}

/* ---- the fabric manager ---- */

TEST(node_serve__discover)
{
	struct control_message request = request_of(CONTROL_DISCOVER, 0, "");

	configuration_make(FABRIC_ROCE);
	config->ports[2].vacant = true;
	for (int i = 0; i < 3; i++)
		close(message.fds[--message.fd_count]);
	start();
	ck_assert_int_eq(ask(&request), 0);
	ck_assert_ptr_nonnull(message.identity);
	ck_assert_str_eq(message.identity->name, "s1");
	ck_assert_uint_eq(message.identity->port_count, PORTS);
	ck_assert_uint_eq(message.identity->table_blocks[TABLE_FLOOD], 1);
	ck_assert_uint_eq(message.identity->table_blocks[TABLE_ROUTES], 0);
	ck_assert(message.identity->ports[1].up);
	ck_assert_uint_eq(message.identity->ports[1].peer_index, 5);
	ck_assert(!message.identity->ports[2].plugged);
	end();
}

static uint64_t table_ask(enum control_kind kind, uint64_t flood_ports)
{
	struct table_block block = { .table = TABLE_FLOOD };
	struct control_message request = { .kind = kind, .block = &block };

	table_put(TABLE_FLOOD, block.bytes, 0, flood_ports);
	if (ask(&request))
		return UINT64_MAX;
	return message.block ? table_get(TABLE_FLOOD, message.block->bytes, 0) : 0;
}

/* TB-14: blocks are collected, read back, and take effect together */
TEST_RANGE(node_serve__tables, 0, 2)
{
	if (_i) {
		virtual_configuration_make(FABRIC_ROCE);
		start_virtual();
	} else {
		configuration_make(FABRIC_ROCE);
		start();
	}
	toy.flood_ports = 5;
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_READ, 0), 5);
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_READ_BACK, 0), UINT64_MAX);
	ck_assert_str_eq(words(), "nothing is collected: TABLE_BEGIN comes first\n");
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_WRITE, 1 << PORTS), UINT64_MAX);
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_BEGIN, 0), 0);
	toy.runs = 0;
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_WRITE, 3), 0);
	ck_assert_uint_eq(toy.runs, 0); /* nothing has changed yet */
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_READ, 0), 5);
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_READ_BACK, 0), 3);
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_COMMIT, 0), 0);
	ck_assert_uint_eq(toy.runs, _i); /* virtual clock: something may be due at once */
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_READ, 0), 3);
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_WRITE, 6), 0); /* alone */
	ck_assert_uint_eq(toy.flood_ports, 6);
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_COMMIT, 0), UINT64_MAX);
	end();
}

TEST(node_serve__tables_change_only_while_the_virtual_clock_stands)
{
	virtual_configuration_make(FABRIC_ROCE);
	start_virtual();
	atomic_store(&pages.page->state, CLOCK_RUNNING);
	toy.flood_ports = 4;
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_READ, 0), 4);
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_BEGIN, 0), UINT64_MAX);
	ck_assert_str_eq(words(), "the clock is running: stop it first\n");
	ck_assert_uint_eq(table_ask(CONTROL_TABLE_WRITE, 1), UINT64_MAX);
	ck_assert_uint_eq(toy.flood_ports, 4);
	end();
}

/* ---- what is no request ---- */

TEST_RANGE(node_serve__message_of_another_kind, 0, CONTROL_KINDS)
{
	static const enum control_kind none[] = { CONTROL_READY, CONTROL_ANSWER, CONTROL_EVENT,
						  CONTROL_ADOPT };
	char text[96];

	for (uint32_t i = 0; i < 4; i++) {
		struct control_message request = { .kind = none[i] };

		if ((int)none[i] != _i)
			continue;
		configuration_make(FABRIC_FLOW_CHANNEL);
		start();
		snprintf(text, sizeof(text), "a running node does not understand message %d", _i);
		ck_assert_int_eq(control_send(control, &request), 0);
		ck_assert_int_eq(node_serve(&node), 0);
		receive(CONTROL_EVENT);
		ck_assert_int_eq(message.number, 0);
		ck_assert_str_eq(message.text, text);
		says_nothing();
		end();
	}
}

TEST(node_serve__nothing_waits)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	ck_assert_int_eq(node_serve(&node), 0);
	says_nothing();
	end();
}

TEST(node_serve__all_that_waits_in_order)
{
	struct control_message request = request_of(CONTROL_SHOW, 1, "queues");

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	for (uint32_t i = 1; i <= 3; i++) {
		request.question = i;
		ck_assert_int_eq(control_send(control, &request), 0);
		if (i == 1)
			ck_assert_int_eq(send(control, "\xff\xff", 2, 0), 2);
	}
	ck_assert_int_eq(node_serve(&node), 0);
	receive(CONTROL_ANSWER);
	ck_assert_uint_eq(message.question, 1);
	receive(CONTROL_EVENT);
	ck_assert_str_eq(message.text,
			 "a control message was ignored: the bytes are no control message");
	receive(CONTROL_ANSWER);
	ck_assert_uint_eq(message.question, 2);
	receive(CONTROL_ANSWER);
	ck_assert_uint_eq(message.question, 3);
	end();
}

TEST(node_serve__orchestrator_is_gone)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	close(control);
	control = open("/dev/null", O_RDONLY);
	ck_assert_int_eq(node_serve(&node), -EPIPE);
	end();
}

/* ---- node_life ---- */

TEST(node_tell_broken__once_for_each_port)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	strcpy(config->ports[2].peer_name, "other");
	start();
	node_tell_broken(&node, 5);
	receive(CONTROL_EVENT);
	ck_assert_int_eq(message.number, 1);
	ck_assert_str_eq(message.text, "p0 from peer: ring record breaks the rules");
	receive(CONTROL_EVENT);
	ck_assert_str_eq(message.text, "p2 from other: ring record breaks the rules");
	says_nothing();
	node_tell_broken(&node, 7);
	receive(CONTROL_EVENT);
	ck_assert_str_eq(message.text, "p1 from peer: ring record breaks the rules");
	says_nothing();
	end();
}

TEST(node_configure__must_be_the_first_message_and_of_this_kind)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	config->kind = NODE_NIC;
	refused("a switch was given the configuration of a NIC");
	end();
	configuration_make(FABRIC_FLOW_CHANNEL);
	message.kind = CONTROL_SHOW;
	refused("the first message must be the configuration");
	end();
}

TEST(node_act__reports_go_to_its_own_socket)
{
	int other[2];

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, other), 0);
	node_report_to(other[1]);
	node_act(&node);
	node_note("mine");
	receive(CONTROL_EVENT);
	ck_assert_str_eq(message.text, "mine");
	close(other[0]);
	close(other[1]);
	end();
}
