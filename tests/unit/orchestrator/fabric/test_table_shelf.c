/*  orchestrator/fabric/table_shelf: each table of a node is asked for once; the first error is kept
 *  (SE-8). The test is the nodes as well: they answer before they are asked. */
#include "orchestrator/fabric/table_shelf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/fabric/node_table.h"
#include "tests/testing.h"

#define NODES 2u

static struct node_config configs[NODES];
static struct plan plan = { .nodes = configs, .node_count = NODES, .switch_count = NODES };
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct fabric fabric;
static struct table_shelf shelf;
static int ends[NODES];

static void setup(void)
{
	page = (struct clock_page){ .dilation = 1, .epoch_ns = monotonic_ns() };
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .options.real = true,
				  .page = &page,
				  .epoll_fd = epoll_create1(0),
				  .drain_look_at = NODE_TIME_NEVER };
	for (uint32_t i = 0; i < NODES; i++) {
		int pair[2];

		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
		configs[i] = (struct node_config){ .kind = NODE_SWITCH };
		snprintf(configs[i].name, sizeof(configs[i].name), "s%u", i + 1);
		nodes[i] = (struct fabric_node){
			.lead = i, .slot = i, .control = pair[0], .pid = getpid(), .doorbell = -1
		};
		ends[i] = pair[1];
	}
	table_shelf_init(&shelf, &fabric);
	ck_assert_int_eq(shelf.error, 0);
}

static void teardown(void)
{
	table_shelf_free(&shelf);
	ck_assert_ptr_null(shelf.tables);
	for (uint32_t i = 0; i < NODES; i++) {
		close(nodes[i].control);
		close(ends[i]);
	}
	close(fabric.epoll_fd);
}

/* @node answers the next question with a table of one number */
static void answers(uint32_t node, int number, unsigned value)
{
	struct control_message answer = { .kind = CONTROL_ANSWER,
					  .question = fabric.questions + 1,
					  .number = number };

	ck_assert_int_ge(asprintf(&answer.body, "bytes\n%u\n", value), 0);
	ck_assert_int_eq(control_send(ends[node], &answer), 0);
	free(answer.body);
}

static void has(const struct node_table *table, unsigned value)
{
	ck_assert_uint_eq(table->row_count, 1);
	ck_assert_int_eq(node_table_number(table, 0, "bytes"), value);
}

TEST_GROUP(table_shelf, .setup = setup, .teardown = teardown);

TEST(table_shelf_get__once_for_each_node_and_name)
{
	const struct node_table *first;

	answers(0, 0, 11);
	first = table_shelf_get(&shelf, 0, "queues");
	has(first, 11);
	answers(1, 0, 12);
	has(table_shelf_get(&shelf, 1, "queues"), 12);
	answers(0, 0, 13);
	has(table_shelf_get(&shelf, 0, "lanes"), 13);
	ck_assert_uint_eq(fabric.questions, 3);
	ck_assert_ptr_eq(table_shelf_get(&shelf, 0, "queues"), first);
	has(table_shelf_get(&shelf, 1, "queues"), 12);
	has(table_shelf_get(&shelf, 0, "lanes"), 13);
	ck_assert_uint_eq(fabric.questions, 3);
	ck_assert_uint_eq(shelf.count, 3);
}

/* after an error nothing more is asked for; what is there stays */
TEST(table_shelf_get__first_error_is_kept)
{
	answers(0, 0, 11);
	has(table_shelf_get(&shelf, 0, "queues"), 11);
	answers(1, -EINVAL, 0);
	ck_assert_uint_eq(table_shelf_get(&shelf, 1, "queues")->row_count, 0);
	ck_assert_int_eq(shelf.error, FABRIC_SHOW_REFUSED);
	ck_assert_uint_eq(shelf.count, 1);
	ck_assert_uint_eq(table_shelf_get(&shelf, 1, "lanes")->row_count, 0);
	ck_assert_uint_eq(fabric.questions, 2);
	has(table_shelf_get(&shelf, 0, "queues"), 11);
}
