/*  one_node - a switch in the process of the test: three ports with rings of shared memory, a toy
 *  dataplane that notes what it is told, and the other end of its control socket. */
#ifndef HEDDLE_TESTS_UNIT_NODES_PROCESS_ONE_NODE_H
#define HEDDLE_TESTS_UNIT_NODES_PROCESS_ONE_NODE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/clock/clock_pages.h"
#include "nodes/control/control.h"
#include "nodes/process/node_join.h"
#include "nodes/process/node_life.h"
#include "nodes/process/node_report.h"
#include "nodes/process/node_serve.h"
#include "tests/testing.h"
#include "tests/unit/nodes/config/example_config.h"

#define PORTS 3u
#define MEMORY_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* ---- the toy ---- */

static struct {
	struct link *links;
	char notes[512]; /* what it was told, "what PORT;" each */
	node_time_t at_ps, run_end_ps;
	struct channel_set left;
	uint64_t flood_ports;
	uint32_t runs, destroyed;
} toy;

static void toy_note(const char *what, uint32_t port)
{
	size_t length = strlen(toy.notes);

	snprintf(toy.notes + length, sizeof(toy.notes) - length, "%s %u;", what, port);
}

static void *toy_create(const struct node_config *config, struct link *links,
			struct stats_page *stats)
{
	(void)config, (void)stats;
	toy.links = links;
	return &toy;
}

static node_time_t toy_run(void *dataplane, node_time_t end)
{
	(void)dataplane;
	toy.runs++;
	toy.run_end_ps = end;
	return NODE_TIME_NEVER;
}

static int toy_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out)
{
	(void)dataplane;
	toy.at_ps = now;
	fprintf(out, "%s of %d", table, port);
	return 0;
}

static int toy_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	(void)dataplane;
	fprintf(out, "%s=%s", name, value);
	return 0;
}

static void toy_destroy(void *dataplane)
{
	(void)dataplane;
	toy.destroyed++;
}

static uint32_t toy_blocks(void *dataplane, enum table_kind table)
{
	(void)dataplane;
	return table == TABLE_FLOOD;
}

static void toy_read(void *dataplane, struct table_block *block)
{
	(void)dataplane;
	table_put(block->table, block->bytes, 0, toy.flood_ports);
}

static int toy_tables(void *dataplane, const struct switch_config *tables)
{
	(void)dataplane;
	toy.flood_ports = tables->flood_ports;
	return 0;
}

static void toy_link_down(void *dataplane, uint32_t port, node_time_t now)
{
	(void)dataplane;
	toy_note("down", port);
	toy.at_ps = now;
	link_down(&toy.links[port], now);
}

static void toy_link_settle(void *dataplane, uint32_t port, const struct channel_set *left,
			    node_time_t now)
{
	(void)dataplane;
	toy_note("settle", port);
	toy.left = *left;
	toy.at_ps = now;
}

static void toy_link_up(void *dataplane, uint32_t port, node_time_t now)
{
	(void)dataplane;
	toy_note("up", port);
	toy.at_ps = now;
}

static void toy_link_set(void *dataplane, uint32_t port)
{
	(void)dataplane;
	toy_note("set", port);
}

static const struct node_ops toy_ops = { .create = toy_create,
					 .run = toy_run,
					 .show = toy_show,
					 .set = toy_set,
					 .destroy = toy_destroy,
					 .table_blocks = toy_blocks,
					 .table_read = toy_read,
					 .tables = toy_tables,
					 .link_down = toy_link_down,
					 .link_settle = toy_link_settle,
					 .link_up = toy_link_up,
					 .link_set = toy_link_set };

/* ---- the node, and the orchestrator's end ---- */

static struct node node;
static struct control_message message; /* the configuration, then the last answer or report */
static struct node_config *config;     /* the node's, once it is configured */
static struct clock_pages pages;
static struct event_loop *loop;
static int control, node_end_fd;

static inline int memory_make(size_t bytes, int seals)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
	if (seals)
		ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static inline int ring_make(uint32_t data_bytes)
{
	int fd = memory_make(ring_bytes(data_bytes), MEMORY_SEALS);
	void *page = mmap(NULL, ring_bytes(data_bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(page, MAP_FAILED);
	ring_init(page, data_bytes, RING_CAPTURED_MAX);
	munmap(page, ring_bytes(data_bytes));
	return fd;
}

static inline void give(int fd)
{
	message.fds[message.fd_count++] = fd;
}

/* what a port takes: two rings and the doorbell of the peer */
static inline void give_port(void)
{
	give(ring_make(RING_BYTES_MIN));
	give(ring_make(RING_BYTES_MIN));
	give(eventfd(0, EFD_NONBLOCK));
}

static inline void switch_make(enum fabric_kind fabric, enum clock_kind clock)
{
	memset(&toy, 0, sizeof(toy));
	config = calloc(1, sizeof(*config));
	example_switch(config);
	config->fabric = fabric;
	config->clock = clock;
	config->index = 0;
	config->series = false;
	for (uint32_t port = 0; port < PORTS; port++)
		config->ports[port].ring_bytes = RING_BYTES_MIN;
	message = (struct control_message){ .kind = CONTROL_CONFIGURE, .config = config };
}

/* a message CONFIGURE with all that the node needs; a test may change it */
static inline void configuration_make(enum fabric_kind fabric)
{
	int head;

	switch_make(fabric, CLOCK_REAL);
	ck_assert_int_eq(clock_pages_make(&pages, config->node_count, &head), 0);
	clock_init(pages.page, config->node_count, NODE_MS);
	pages.page->epoch_ns = UINT64_MAX / 2; /* fabric time does not begin */
	give(head);
	give(memory_make(stats_bytes(config), MEMORY_SEALS));
	give(eventfd(0, EFD_NONBLOCK));
	for (uint32_t port = 0; port < PORTS; port++)
		give_port();
}

/* the same for the virtual clock, which stands at 0 */
static inline void virtual_configuration_make(enum fabric_kind fabric)
{
	size_t bytes;
	int fd;

	switch_make(fabric, CLOCK_VIRTUAL);
	bytes = clock_bytes(config->node_count);
	fd = memory_make(bytes, MEMORY_SEALS);
	pages = (struct clock_pages){
		.page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), .bytes = bytes
	};
	ck_assert_ptr_ne(pages.page, MAP_FAILED);
	clock_init(pages.page, config->node_count, NODE_MS);
	give(fd);
	give(memory_make(stats_bytes(config), MEMORY_SEALS));
	for (uint32_t port = 0; port < PORTS; port++) {
		give(ring_make(RING_BYTES_MIN));
		give(ring_make(RING_BYTES_MIN));
	}
}

/* what node_configure() makes of the message */
static inline int configure(void)
{
	static const struct node_ops *const ops[FABRIC_KINDS] = { &toy_ops, &toy_ops, &toy_ops };
	int sockets[2];

	testing_leaves();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	control = sockets[0];
	node_end_fd = sockets[1];
	node_init(&node, ops, node_end_fd);
	node_report_to(node_end_fd);
	return node_configure(&node, &message, NODE_SWITCH, NULL);
}

/* what the node said last, in @message */
static inline void receive(enum control_kind kind)
{
	struct why why = { "" };

	control_message_free(&message);
	message = (struct control_message){ 0 };
	ck_assert_msg(!control_receive(control, &message, 0, &why), "%s", why.text);
	ck_assert_msg(message.kind == kind, "kind %d: %s", message.kind, message.text);
}

static inline void says_nothing(void)
{
	struct why why;
	struct control_message more;

	ck_assert_int_eq(control_receive(control, &more, 0, &why), -EAGAIN);
}

static inline void refused(const char *sentence)
{
	ck_assert_int_lt(configure(), 0);
	receive(CONTROL_EVENT);
	ck_assert_int_eq(message.number, 1);
	ck_assert_str_eq(message.text, sentence);
}

static inline void start(void)
{
	struct why why;

	ck_assert_int_eq(configure(), 0);
	control_message_free(&message);
	loop = event_loop_open(EVENT_LOOP_FALLBACK, -1, &why);
	ck_assert_int_eq(node_join_pace(&node, loop, 0), 0);
	ck_assert_int_eq(node_join_ports(&node), 0);
}

static inline void start_virtual(void)
{
	ck_assert_int_eq(configure(), 0);
	control_message_free(&message);
	node_window_init(&node.window, &node.clock, node.config, node.links, node.ops,
			 node.dataplane);
}

/* sends @request and lets the node answer it. Return: the number of the answer */
static inline int ask(struct control_message *request)
{
	static uint32_t question;

	request->question = ++question;
	ck_assert_int_eq(control_send(control, request), 0);
	for (uint32_t i = 0; i < request->fd_count; i++)
		close(request->fds[i]);
	ck_assert_int_eq(node_serve(&node), 0);
	receive(CONTROL_ANSWER);
	ck_assert_uint_eq(message.question, question);
	return (int)message.number;
}

static inline const char *words(void)
{
	return message.body ? message.body : "";
}

static inline void end(void)
{
	node_end(&node);
	if (loop)
		event_loop_close(loop);
	control_message_free(&message);
	clock_pages_free(&pages);
	close(control);
	close(node_end_fd);
	loop = NULL;
}

#endif
