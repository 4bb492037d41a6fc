/*  nodes/process/node_join: what a node of the real clock takes over at its start, and what happens
 *  when its links fail, return and change (TB-2, TB-10, TB-23). */
#include "nodes/control/control.h"
#include "tests/unit/nodes/process/one_node.h"

/* descriptors of this process */
static uint32_t descriptors(void)
{
	uint32_t count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* ---- the start ---- */

TEST(node_join__takes_all_that_was_handed)
{
	uint32_t before;

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	ck_assert_ptr_eq(node.config, config);
	ck_assert_uint_eq(node.links_ready, PORTS);
	ck_assert_uint_eq(node.stats_page.bytes, stats_bytes(config));
	ck_assert_uint_eq(node.clock.node_count, config->node_count);
	ck_assert_int_ge(node.doorbell, 0);
	for (uint32_t port = 0; port < PORTS; port++) {
		ck_assert(!node.links[port].down);
		ck_assert_int_ge(node.peer_doorbells[port], 0);
		ck_assert_uint_eq(node.rings[2 * port].bytes, ring_bytes(RING_BYTES_MIN));
		ck_assert_uint_eq(node.rings[2 * port + 1].bytes, ring_bytes(RING_BYTES_MIN));
	}
	before = descriptors();
	node_join_leave(&node);
	ck_assert_uint_eq(descriptors(), before - PORTS); /* the doorbells of its peers */
	ck_assert_str_eq(toy.notes, "down 0;down 1;down 2;");
	end();
	ck_assert_uint_eq(toy.destroyed, 1);
}

/* 12 descriptors: clock page, statistics page, doorbell, and three for each port */
TEST_RANGE(node_join__descriptors_are_missing, 0, 12)
{
	char sentence[128];

	configuration_make(FABRIC_FLOW_CHANNEL);
	while (message.fd_count > (uint32_t)_i)
		close(message.fds[--message.fd_count]);
	if (_i < 3)
		snprintf(sentence, sizeof(sentence),
			 "%d descriptors came with the configuration, too few", _i);
	else
		snprintf(sentence, sizeof(sentence), "the rings of port %d are missing",
			 _i / 3 - 1);
	refused(sentence);
	end();
}

TEST(node_join__one_descriptor_too_many)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	give(eventfd(0, 0));
	refused("13 descriptors came with the configuration, 12 are needed");
	end();
}

TEST(node_join__clock_page_that_can_shrink)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	close(message.fds[0]);
	message.fds[0] = memory_make(1 << 16, F_SEAL_GROW);
	refused("the clock page cannot be mapped: Invalid argument");
	end();
}

TEST(node_join__clock_page_of_another_fabric)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	config->node_count++;
	refused("the clock page is none, or is not one for 17 nodes");
	end();
}

/* as large as needed, or a byte less; @at among the descriptors */
static void size_is_checked(uint32_t at, size_t bytes, const char *sentence)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	close(message.fds[at]);
	message.fds[at] = memory_make(bytes, F_SEAL_SHRINK);
	refused(sentence);
	end();
}

TEST(node_join__memory_is_large_enough)
{
	char sentence[128];
	size_t page = sizeof(struct ring_page), needed;

	configuration_make(FABRIC_FLOW_CHANNEL);
	needed = stats_bytes(config);
	ck_assert_int_eq(configure(), 0);
	end();
	snprintf(sentence, sizeof(sentence), "the statistics page has %zu bytes, it needs %zu",
		 needed - 1, needed);
	size_is_checked(1, needed - 1, sentence);
	snprintf(sentence, sizeof(sentence),
		 "the transmit ring of port 0 has %zu bytes, it needs %zu", page - 1, page);
	size_is_checked(3, page - 1, sentence);
	size_is_checked(3, page, "the rings of port 0 are none");
	snprintf(sentence, sizeof(sentence),
		 "the receive ring of port 2 has %zu bytes, it needs %zu", page - 1, page);
	size_is_checked(10, page - 1, sentence);
}

TEST(node_join__memory_is_read_only)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	close(message.fds[1]);
	message.fds[1] = memory_make(stats_bytes(config), F_SEAL_SHRINK | F_SEAL_WRITE);
	refused("the statistics page cannot be mapped: Operation not permitted");
	ck_assert_ptr_null(node.stats_page.memory);
	end();
}

TEST(node_join__socket_of_a_veth_is_missing)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	config->ports[2].medium = MEDIUM_VETH;
	for (int i = 0; i < 3; i++)
		close(message.fds[--message.fd_count]);
	refused("the socket of port 2 is missing");
	ck_assert_ptr_null(node.carriers[2]);
	end();
}

/* what was given is no socket */
TEST(node_join__socket_of_a_veth_is_none)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	config->ports[2].medium = MEDIUM_VETH;
	for (int i = 0; i < 2; i++)
		close(message.fds[--message.fd_count]);
	ck_assert_int_eq(configure(), -ENOTSOCK);
	ck_assert_ptr_null(node.carriers[2]);
	says_nothing();
	end();
}

TEST(node_join__vacant_port_takes_nothing)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	config->ports[1].vacant = true;
	for (int i = 0; i < 3; i++)
		close(message.fds[--message.fd_count]);
	start();
	ck_assert(!node.links[0].down);
	ck_assert(node.links[1].down);
	ck_assert(!node.links[2].down);
	ck_assert_int_lt(node.peer_doorbells[1], 0);
	node_join_leave(&node);
	ck_assert_str_eq(toy.notes, "down 0;down 2;");
	end();
}

/* ---- files ---- */

TEST(node_join__files_of_captures_and_logs)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	config->ports[0].capture_bytes = config->ports[2].capture_bytes = 64;
	config->events = config->series = true;
	close(message.fds[1]);
	message.fds[1] = memory_make(stats_bytes(config), MEMORY_SEALS);
	for (int i = 0; i < 4; i++)
		give(memory_make(0, 0));
	start();
	ck_assert(node_writes_files(&node));
	ck_assert_ptr_nonnull(node.captures[0]);
	ck_assert_ptr_null(node.captures[1]);
	ck_assert_ptr_nonnull(node.captures[2]);
	pages.page->epoch_utc_ns = 1234567890123;
	node_captures_begin(&node);
	ck_assert_uint_eq(node.captures[0]->buffer->epoch_ns, 1234567890123);
	ck_assert_uint_eq(node.captures[2]->buffer->epoch_ns, 1234567890123);
	ck_assert_ptr_eq(node.links[2].capture, node.captures[2]);
	end();
}

TEST(node_join__file_of_all_ports)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	config->capture_sent_bytes = 64;
	give(memory_make(0, 0));
	start();
	ck_assert(node_writes_files(&node));
	for (uint32_t port = 0; port < PORTS; port++) {
		ck_assert_ptr_eq(node.captures[port]->buffer, node.captured);
		ck_assert_ptr_eq(node.links[port].capture, node.captures[port]);
	}
	end();
}

TEST(node_join__events_are_a_file)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	ck_assert(!node_writes_files(&node));
	config->events = true;
	ck_assert(node_writes_files(&node));
	end();
}

TEST_RANGE(node_join__file_is_missing, 0, 4)
{
	static const char *const sentence[] = {
		"the file of the capture at port 1 is missing",
		"the file of the capture of all ports is missing",
		"the file of the events is missing",
		"the file of the series is missing",
	};

	configuration_make(FABRIC_FLOW_CHANNEL);
	config->ports[1].capture_bytes = _i == 0 ? 64 : 0;
	config->capture_sent_bytes = _i == 1 ? 64 : 0;
	config->events = _i == 2;
	config->series = _i == 3;
	close(message.fds[1]);
	message.fds[1] = memory_make(stats_bytes(config), MEMORY_SEALS);
	refused(sentence[_i]);
	end();
}

/* ---- links that fail, return and change ---- */

static int link_ask(enum control_kind kind, int64_t port, const struct port_config *to)
{
	struct control_message request = { .kind = kind,
					   .number = port,
					   .port = (struct port_config *)to };

	if (kind == CONTROL_LINK_UP) {
		message = (struct control_message){ 0 };
		give_port();
		memcpy(request.fds, message.fds, sizeof(request.fds));
		request.fd_count = message.fd_count;
		message.fd_count = 0;
	}
	return ask(&request);
}

TEST(node_join_link__fails_and_returns)
{
	struct port_config to;

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	to = config->ports[1];
	ck_assert_int_eq(link_ask(CONTROL_LINK_DOWN, 1, NULL), 0);
	ck_assert_str_eq(toy.notes, "down 1;");
	ck_assert(node.links[1].down);
	ck_assert_int_lt(node.peer_doorbells[1], 0);
	ck_assert(!config->ports[1].vacant);
	ck_assert_int_eq(link_ask(CONTROL_LINK_DOWN, 1, NULL), 0); /* no second time */
	ck_assert_str_eq(toy.notes, "down 1;");
	node.broken_told = 7;
	to.peer_index = 9;
	ck_assert_int_eq(link_ask(CONTROL_LINK_UP, 1, &to), 0);
	ck_assert_str_eq(toy.notes, "down 1;up 1;");
	ck_assert(!node.links[1].down);
	ck_assert_uint_eq(config->ports[1].peer_index, 9);
	ck_assert_int_ge(node.peer_doorbells[1], 0);
	ck_assert_int_eq(node.pace.peer_doorbell[1], node.peer_doorbells[1]);
	ck_assert_ptr_nonnull(node.rings[2].memory);
	ck_assert_uint_eq(node.rings[3].bytes, ring_bytes(RING_BYTES_MIN));
	ck_assert_uint_eq(node.broken_told, 5); /* a new peer may be named again */
	node_join_leave(&node);
	end();
}

TEST(node_join_link__without_end_first)
{
	struct port_config to;

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	to = config->ports[0];
	ck_assert_int_eq(link_ask(CONTROL_LINK_UP, 0, &to), 0);
	ck_assert_str_eq(toy.notes, "down 0;up 0;");
	node_join_leave(&node);
	end();
}

TEST(node_join_link__vacated)
{
	struct port_config to;

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	to = config->ports[2];
	to.vacant = true;
	ck_assert_int_eq(link_ask(CONTROL_LINK_DOWN, 2, &to), 0);
	ck_assert(config->ports[2].vacant);
	node_join_leave(&node);
	ck_assert_str_eq(toy.notes, "down 2;down 0;down 1;");
	end();
}

/* a link without its rings */
TEST(node_join_link__refused_port_stays_vacant)
{
	struct port_config to;
	struct control_message request = { .kind = CONTROL_LINK_UP, .number = 1, .port = &to };

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	to = config->ports[1];
	to.peer_index = 11;
	ck_assert_int_eq(control_send(control, &request), 0);
	ck_assert_int_eq(node_serve(&node), 0);
	receive(CONTROL_EVENT);
	ck_assert_str_eq(message.text, "the rings of port 1 are missing");
	receive(CONTROL_ANSWER);
	ck_assert_int_eq(message.number, -EINVAL);
	ck_assert_str_eq(words(), "port 1 cannot have this link: Invalid argument\n");
	ck_assert_uint_eq(config->ports[1].peer_index, 5);
	ck_assert(node.links[1].down);
	ck_assert_str_eq(toy.notes, "down 1;");
	ck_assert_int_eq(link_ask(CONTROL_LINK_SET, 1, &to), -ENOLINK);
	ck_assert_str_eq(words(), "the link at port 1 is down\n");
	node_join_leave(&node);
	end();
}

TEST(node_join_link__set)
{
	struct port_config to;

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	to = config->ports[1];
	to.rate_bps = 10000000000;
	to.delay_ps = 7777777;
	to.peer_index = 11;
	ck_assert_int_eq(link_ask(CONTROL_LINK_SET, 1, &to), 0);
	ck_assert_str_eq(toy.notes, "set 1;");
	ck_assert_uint_eq(config->ports[1].rate_bps, 10000000000);
	ck_assert_uint_eq(config->ports[1].delay_ps, 7777777);
	ck_assert_uint_eq(config->ports[1].peer_index, 5); /* the neighbour is the same */
	ck_assert_uint_eq(node.links[1].rate_bps, 10000000000);
	ck_assert_uint_eq(node.links[0].rate_bps, 200000000000);
	node_join_leave(&node);
	end();
}

/* a link that this port cannot have: it keeps the one that it has */
TEST(node_join_link__set_is_checked)
{
	struct port_config to;

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	to = config->ports[1];
	to.rate_bps = 999;
	ck_assert_int_eq(link_ask(CONTROL_LINK_SET, 1, &to), -EINVAL);
	ck_assert_ptr_nonnull(strstr(words(), "port 1 cannot have this link: "));
	ck_assert_ptr_nonnull(strstr(words(), "ports[1].rate_bps is 999"));
	ck_assert_str_eq(toy.notes, "");
	ck_assert_uint_eq(config->ports[1].rate_bps, 200000000000);
	ck_assert_uint_eq(node.links[1].rate_bps, 200000000000);
	node_join_leave(&node);
	end();
}

TEST(node_join_link__settled)
{
	struct control_message request = {
		.kind = CONTROL_LINK_DOWN, .number = 2, .text = CONTROL_SETTLED, .body = "3 700"
	};

	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	ck_assert_int_eq(ask(&request), 0);
	ck_assert_str_eq(toy.notes, "settle 2;");
	ck_assert_uint_eq(channel_set_count(&toy.left), 2);
	ck_assert(channel_set_has(&toy.left, 3));
	ck_assert(channel_set_has(&toy.left, 700));
	ck_assert(!node.links[2].down);
	request.body = "3 x";
	ck_assert_int_eq(ask(&request), -EINVAL);
	ck_assert_str_eq(words(), "\"3 x\" are no channels\n");
	ck_assert_str_eq(toy.notes, "settle 2;");
	node_join_leave(&node);
	end();
}

TEST_RANGE(node_join_link__no_such_port, 0, 2)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
	ck_assert_int_eq(link_ask(CONTROL_LINK_DOWN, _i ? 3 : -1, NULL), -EINVAL);
	ck_assert_str_eq(words(), _i ? "s1 has no port 3 whose link could be changed\n"
				     : "s1 has no port -1 whose link could be changed\n");
	ck_assert_str_eq(toy.notes, "");
	ck_assert_int_eq(link_ask(CONTROL_LINK_DOWN, _i ? 2 : 0, NULL), 0);
	ck_assert_str_eq(toy.notes, _i ? "down 2;" : "down 0;");
	node_join_leave(&node);
	end();
}

/* ---- the virtual clock ---- */

/* 8 descriptors: clock page, statistics page, and two for each port */
TEST_RANGE(node_join__virtual_descriptors, 0, 10)
{
	char sentence[128];

	virtual_configuration_make(FABRIC_FLOW_CHANNEL);
	if (_i == 8) {
		start_virtual();
		ck_assert_uint_eq(node.links_ready, PORTS);
		ck_assert_int_lt(node.doorbell, 0);
		end();
		return;
	}
	if (_i > 8)
		give(eventfd(0, 0));
	while (message.fd_count > (uint32_t)_i)
		close(message.fds[--message.fd_count]);
	snprintf(sentence, sizeof(sentence),
		 "%d descriptors came with the configuration, 8 are needed", _i);
	refused(sentence);
	end();
}

TEST(node_join__virtual_clock_page_too_small)
{
	virtual_configuration_make(FABRIC_FLOW_CHANNEL);
	close(message.fds[0]);
	message.fds[0] = memory_make(CLOCK_HEAD_BYTES - 1, F_SEAL_SHRINK);
	refused("the clock page has 4095 bytes, it needs 4096");
	end();
}

/* TB-9: at a time that is the same in every run */
TEST(node_join_link__virtual_only_while_the_clock_stands)
{
	virtual_configuration_make(FABRIC_FLOW_CHANNEL);
	start_virtual();
	atomic_store(&pages.page->limit_ps, 5 * NODE_US);
	ck_assert_int_eq(link_ask(CONTROL_LINK_SET, 1, config->ports), -EBUSY);
	ck_assert_str_eq(words(), "the virtual clock's links keep their settings\n");
	atomic_store(&pages.page->state, CLOCK_RUNNING);
	ck_assert_int_eq(link_ask(CONTROL_LINK_DOWN, 1, NULL), -EBUSY);
	ck_assert_str_eq(words(), "the clock is running: stop it first\n");
	ck_assert_str_eq(toy.notes, "");
	atomic_store(&pages.page->state, CLOCK_STOPPED);
	ck_assert_int_eq(link_ask(CONTROL_LINK_DOWN, 1, NULL), 0);
	ck_assert_str_eq(toy.notes, "down 1;");
	ck_assert_uint_eq(toy.at_ps, 5 * NODE_US);
	end();
}

TEST(node_join_link__virtual_returns_over_the_same_rings)
{
	struct control_message settle = {
		.kind = CONTROL_LINK_DOWN, .number = 1, .text = CONTROL_SETTLED, .body = "12"
	};
	struct control_message up = { .kind = CONTROL_LINK_UP, .number = 1 };
	void *ring;

	virtual_configuration_make(FABRIC_FLOW_CHANNEL);
	start_virtual();
	up.port = &config->ports[1];
	ring = node.rings[2].memory;
	ck_assert_int_eq(link_ask(CONTROL_LINK_DOWN, 1, NULL), 0);
	ck_assert_int_eq(ask(&settle), 0);
	ck_assert(channel_set_has(&toy.left, 12));
	ck_assert_int_eq(ask(&up), 0);
	ck_assert_str_eq(toy.notes, "down 1;settle 1;up 1;");
	ck_assert_uint_eq(toy.runs, 3); /* each may make something due at once */
	ck_assert(!node.links[1].down);
	ck_assert_ptr_eq(node.rings[2].memory, ring);
	end();
}
