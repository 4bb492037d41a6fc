/*  orchestrator/manager/fabric_manager, manager_topology, manager_tables, nodes/config/table_block:
 *  a sweep over toy nodes that answer as managed.h says, without processes: what is discovered,
 *  written and left unchanged (PG-11, FC-26, TB-14).
 *
 *  s0 (host 0 at p0) and s1 (host 1 at p0) with two links between them, p1 and p2: nodes 0, 1
 *  switches, 2, 3 NICs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/fabric_header.h"
#include "orchestrator/manager/fabric_manager.h"
#include "tests/testing.h"

#define NODES 4
#define BLOCKS 4

static struct node_identity nodes[NODES];
static uint8_t tables[2][TABLE_KINDS][BLOCKS][TABLE_BLOCK_BYTES],
	staged[2][TABLE_KINDS][BLOCKS][TABLE_BLOCK_BYTES];
static bool dead[NODES], staging[2];
static bool forgetful[2];      /* a switch that accepts blocks and keeps none */
static int refusal[ASK_KINDS]; /* of n1, to such requests */
static uint32_t writes, commits, exchanges;
static struct fabric_manager manager;
static uint32_t broken_at; /* exchange that fails; 0: none */

static uint8_t *block_in(uint8_t in[2][TABLE_KINDS][BLOCKS][TABLE_BLOCK_BYTES],
			 const struct manager_question *question)
{
	return in[question->node][question->block.table][question->block.number];
}

/* up to the last character that is not blank */
static uint32_t used_blocks(uint32_t index, int table)
{
	static const uint8_t blank[TABLE_BLOCK_BYTES];
	uint32_t count = BLOCKS;

	while (count && !memcmp(tables[index][table][count - 1], blank, sizeof(blank)))
		count--;
	return count;
}

static void ask_one(struct manager_question *question)
{
	struct node_identity *node = &nodes[question->node];
	uint32_t index = question->node;

	question->status = dead[question->node]  ? -ESRCH
			   : question->node == 1 ? refusal[question->ask]
						 : 0;
	if (question->status)
		return;
	if (question->ask == ASK_DISCOVER) {
		*question->identity = *node;
		return;
	}
	ck_assert_uint_lt(question->node, 2);
	ck_assert_uint_lt(question->block.number, BLOCKS);
	if (question->ask == ASK_READ)
		memcpy(question->block.bytes, block_in(tables, question), TABLE_BLOCK_BYTES);
	if (question->ask == ASK_READ_BACK)
		memcpy(question->block.bytes, block_in(staged, question), TABLE_BLOCK_BYTES);
	writes += question->ask == ASK_WRITE;
	commits += question->ask == ASK_COMMIT;
	if (question->ask == ASK_BEGIN)
		memcpy(staged[index], tables[index], sizeof(staged[index]));
	ck_assert(question->ask == ASK_BEGIN || question->ask == ASK_READ || staging[index]);
	if (question->ask == ASK_WRITE && !forgetful[index])
		memcpy(block_in(staged, question), question->block.bytes, TABLE_BLOCK_BYTES);
	if (question->ask == ASK_COMMIT) {
		memcpy(tables[index], staged[index], sizeof(tables[index]));
		for (int table = 0; table < TABLE_KINDS; table++)
			node->table_blocks[table] = used_blocks(index, table);
	}
	staging[index] =
		question->ask != ASK_COMMIT && (staging[index] || question->ask == ASK_BEGIN);
}

static int ask_all(void *owner, struct manager_question *questions, uint32_t count)
{
	ck_assert_ptr_eq(owner, &manager);
	if (++exchanges == broken_at)
		return -EPIPE;
	for (uint32_t i = 0; i < count; i++)
		ask_one(&questions[i]);
	return 0;
}

static void plug(uint32_t a, uint32_t port_a, uint32_t b, uint32_t port_b)
{
	enum port_kind kind = a < 2 && b < 2 ? PORT_FABRIC : PORT_EDGE;

	nodes[a].ports[port_a] = (struct port_identity){
		.kind = kind, .plugged = true, .up = true, .peer_index = b, .peer_port = port_b
	};
	nodes[b].ports[port_b] = (struct port_identity){
		.kind = kind, .plugged = true, .up = true, .peer_index = a, .peer_port = port_a
	};
}

static void setup(void)
{
	memset(nodes, 0, sizeof(nodes));
	memset(tables, 0, sizeof(tables));
	memset(dead, 0, sizeof(dead));
	memset(forgetful, 0, sizeof(forgetful));
	memset(refusal, 0, sizeof(refusal));
	memset(staging, 0, sizeof(staging));
	for (uint32_t i = 0; i < NODES; i++) {
		nodes[i].index = i;
		nodes[i].kind = i < 2 ? NODE_SWITCH : NODE_NIC;
		nodes[i].port_count = i < 2 ? 3 : 1;
		nodes[i].fabric_address = i < 2 ? i + 1 : 0;
		nodes[i].host_index = i < 2 ? 0 : i - 2;
		snprintf(nodes[i].name, sizeof(nodes[i].name), "n%u", i);
	}
	plug(0, 0, 2, 0);
	plug(1, 0, 3, 0);
	plug(0, 1, 1, 1);
	plug(0, 2, 1, 2);
	manager = (struct fabric_manager){ .wire = { .exchange = ask_all, .owner = &manager },
					   .node_count = NODES,
					   .request = { .fabric = FABRIC_FLOW_CHANNEL,
							.order = ORDER_AUTO,
							.lanes = 1,
							.lanes_max = 1 } };
	writes = commits = exchanges = 0;
}

static void sweep(int wanted)
{
	writes = commits = exchanges = 0;
	ck_assert_msg(fabric_manager_sweep(&manager) == wanted, "%s", manager.last.why);
}

static uint64_t route(uint32_t node, uint32_t address)
{
	return table_get(TABLE_ROUTES, tables[node][TABLE_ROUTES][0], address);
}

static uint64_t host(uint32_t node, uint32_t index)
{
	return table_get(TABLE_HOSTS, tables[node][TABLE_HOSTS][0], index);
}

TEST_GROUP(all, .setup = setup);

TEST(sweep__discovers_and_writes)
{
	sweep(0);
	ck_assert_uint_eq(manager.last.switches, 2);
	ck_assert_uint_eq(manager.last.hosts, 2);
	ck_assert_uint_eq(manager.last.links, 2);
	ck_assert_uint_eq(route(0, 2), 1 << 1 | 1 << 2);
	ck_assert_uint_eq(route(1, 1), 1 << 1 | 1 << 2);
	ck_assert_uint_eq(host(0, 1), 2);
	ck_assert_uint_eq(host(1, 0), 1);
	ck_assert_uint_eq(writes, 4); /* the routes and hosts of each switch */
	ck_assert_uint_eq(commits, 2);
	/* discover; nothing to read; write and read back; commit */
	ck_assert_uint_eq(exchanges, 3);
}

TEST(sweep__does_not_write_what_is_right)
{
	sweep(0);
	sweep(0);
	ck_assert_uint_eq(writes, 0);
	ck_assert_uint_eq(commits, 0);
	ck_assert_uint_eq(manager.last.blocks_read, 4);
}

/* a link that only one end reports as up, or whose two ends disagree, is no link */
TEST_RANGE(sweep__routes_around_a_link, 0, 2)
{
	sweep(0);
	if (_i)
		nodes[1].ports[2].peer_port = 1;
	else
		nodes[1].ports[2].up = false;
	sweep(0);
	ck_assert_uint_eq(manager.last.links, 1);
	ck_assert_uint_eq(route(0, 2), 1 << 1);
	ck_assert_uint_eq(route(1, 1), 1 << 1);
	ck_assert_uint_eq(writes, 2);
}

TEST(sweep__routes_around_a_dead_switch)
{
	sweep(0);
	dead[1] = true;
	sweep(0);
	ck_assert_uint_eq(manager.last.silent, 1);
	ck_assert_uint_eq(route(0, 2), 0);
	ck_assert_uint_eq(host(0, 1), 2); /* at its former port: frames to it are not flooded */
}

/* TB-7, TB-14: where every node is required, no tables are made for a part of the fabric */
TEST_RANGE(sweep__writes_nothing_if_one_is_missing, 0, 2)
{
	manager.complete = true;
	sweep(0);
	dead[_i] = true;
	sweep(-ETIMEDOUT);
	ck_assert_uint_eq(writes + commits, 0);
	ck_assert_str_eq(manager.last.why,
			 _i ? "node 1 does not answer" : "node 0 does not answer");
}

/* ... nor are tables written to some switches only: one stops answering before its tables are
 * written */
TEST(sweep__commits_nothing_if_one_stops_answering)
{
	manager.complete = true;
	refusal[ASK_READ_BACK] = -ESRCH;
	sweep(-ETIMEDOUT);
	ck_assert_uint_eq(commits, 0);
	ck_assert_str_eq(manager.last.why, "node 1 does not answer");
}

TEST(sweep__dead_nic_keeps_its_place_until_it_is_unplugged)
{
	sweep(0);
	dead[3] = true;
	sweep(0);
	ck_assert_uint_eq(host(0, 1), 2);
	ck_assert_uint_eq(writes, 0);
	memset(&nodes[1].ports[0], 0, sizeof(nodes[1].ports[0]));
	sweep(0);
	ck_assert_uint_eq(host(0, 1), 0);
	ck_assert_uint_eq(host(1, 1), 0);
}

/* entries of another writer in a table, also after the last wanted entry */
TEST(sweep__repairs_changed_entries)
{
	sweep(0);
	table_put(TABLE_ROUTES, tables[0][TABLE_ROUTES][0], 2, 1);
	nodes[1].table_blocks[TABLE_ROUTES] = 2;
	table_put(TABLE_ROUTES, tables[1][TABLE_ROUTES][1], 5, 1);
	sweep(0);
	ck_assert_uint_eq(writes, 2);
	ck_assert_uint_eq(route(0, 2), 1 << 1 | 1 << 2);
	ck_assert_uint_eq(table_get(TABLE_ROUTES, tables[1][TABLE_ROUTES][1], 5), 0);
}

TEST(sweep__verifies_what_it_wrote)
{
	forgetful[0] = forgetful[1] = true;
	sweep(-EIO);
	ck_assert_uint_eq(manager.last.unverified, 4);
	ck_assert_uint_eq(commits, 0);
	ck_assert_str_eq(manager.last.why,
			 "switch n0: block 0 of table routes differs from what was written");
}

/* A block that differs from what was written never takes effect at that switch. The other switches
 * get their tables. */
TEST(sweep__switch_with_wrong_blocks_is_not_committed)
{
	forgetful[0] = true;
	sweep(-EIO);
	ck_assert_uint_eq(commits, 1);
	ck_assert_uint_eq(route(0, 2), 0);
	ck_assert_uint_eq(route(1, 1), 1 << 1 | 1 << 2);
	forgetful[0] = false;
	sweep(0);
	ck_assert_uint_eq(route(0, 2), 1 << 1 | 1 << 2);
	ck_assert_uint_eq(writes, 2);
}

static const struct {
	enum manager_ask ask;
	const char *why;
} refusals[] = {
	{ ASK_BEGIN, "switch n1: new tables cannot be collected: Cannot allocate memory" },
	{ ASK_WRITE, "switch n1: block 0 of table routes is refused: Cannot allocate memory" },
	{ ASK_READ_BACK, "switch n1: block 0 of table routes is refused: Cannot allocate memory" },
	{ ASK_COMMIT, "switch n1: new tables do not take effect: Cannot allocate memory" },
};

TEST_RANGE(sweep__switch_that_rejects_is_reported, 0, (sizeof(refusals) / sizeof(refusals[0])))
{
	refusal[refusals[_i].ask] = -ENOMEM;
	if (refusals[_i].ask == ASK_BEGIN)
		refusal[ASK_WRITE] = refusal[ASK_READ_BACK] = -ENOMEM; /* as managed.h says */
	sweep(-EIO);
	ck_assert_str_eq(manager.last.why, refusals[_i].why);
	ck_assert_uint_eq(route(1, 1), 0);
	ck_assert_uint_eq(route(0, 2), 1 << 1 | 1 << 2);
}

/* a manager ended between writing and commit: its blocks do not affect the next one */
TEST(sweep__follows_one_that_was_interrupted)
{
	sweep(0);
	memcpy(staged[0], tables[0], sizeof(staged[0]));
	staging[0] = true;
	table_put(TABLE_HOSTS, staged[0][TABLE_HOSTS][0], 1, 77);
	nodes[1].ports[2].up = false;
	sweep(0);
	ck_assert_uint_eq(route(0, 2), 1 << 1);
	ck_assert_uint_eq(host(0, 1), 2);
}

TEST(sweep__rejects_two_switches_with_one_address)
{
	nodes[1].fabric_address = 1;
	sweep(-EIO);
	ck_assert_str_eq(manager.last.why, "n0 and n1 have the same fabric address 1");
}

/* what a switch says of itself is checked */
TEST(sweep__rejects_a_node_that_is_another_one)
{
	nodes[1].index = 7;
	sweep(-EIO);
	ck_assert_str_eq(manager.last.why, "node 1 reports that it is n1, number 7");
	nodes[1].index = 1;
	nodes[1].fabric_address = 0;
	sweep(-EIO);
	ck_assert_str_eq(manager.last.why, "node 1 reports that it is n1, number 1");
	nodes[1].fabric_address = NODE_SWITCHES_MAX + 1;
	sweep(-EIO);
	nodes[1].fabric_address = 2;
	nodes[3].fabric = FABRIC_ROCE;
	sweep(-EIO);
	ck_assert_str_eq(manager.last.why, "node 3 reports that it is n3, number 3");
	ck_assert_uint_eq(writes + commits, 0);
}

/* the address follows from the index; no other one is written anywhere */
TEST_RANGE(sweep__rejects_another_fabric_address, 0, 3)
{
	static const uint32_t addresses[] = { 3, 4, NODE_SWITCHES_MAX };
	char wanted[128];

	nodes[1].fabric_address = addresses[_i];
	sweep(-EIO);
	snprintf(wanted, sizeof(wanted), "n1, number 1, has the fabric address %u", addresses[_i]);
	ck_assert_str_eq(manager.last.why, wanted);
	ck_assert_uint_eq(writes + commits, 0);
}

/* the fabric does not answer any more, in each exchange in turn: what is not committed has no
 * effect */
TEST(sweep__an_exchange_fails)
{
	uint64_t right;

	sweep(0);
	right = route(0, 2);
	for (uint32_t i = 1; i <= 5; i++) {
		tables[0][TABLE_ROUTES][0][0] = tables[1][TABLE_ROUTES][0][0] = 0xee;
		broken_at = i;
		sweep(i < 5 ? -EPIPE : 0);
		ck_assert_uint_eq(exchanges, i < 5 ? i : 4);
		ck_assert_uint_eq(commits, i < 5 ? 0 : 2);
		ck_assert(i == 5 || tables[0][TABLE_ROUTES][0][0] == 0xee);
	}
	ck_assert_uint_eq(route(0, 2), right);
	ck_assert_uint_ne(tables[0][TABLE_ROUTES][0][0], 0xee);
}

TEST(table_block_check__rejects_what_does_not_exist)
{
	struct port_config ports[3] = { 0 };
	struct node_config config = {
		.kind = NODE_SWITCH, .name = "s", .port_count = 3, .ports = ports
	};
	struct table_block block = { .table = TABLE_ROUTES };
	struct why why;

	ck_assert_int_eq(table_block_check(&config, &block, &why), 0);
	table_put(TABLE_ROUTES, block.bytes, 7, 1 << 3);
	ck_assert_int_eq(table_block_check(&config, &block, &why), -EINVAL);
	ck_assert_str_eq(why.text, "entry 7 of block 0 of table routes names what is not there: 8");
	block = (struct table_block){ .table = TABLE_LFT };
	ck_assert_int_eq(table_block_check(&config, &block, &why), -ENOENT);
	block = (struct table_block){ .table = TABLE_HOSTS,
				      .number = table_blocks_max(TABLE_HOSTS) };
	ck_assert_int_eq(table_block_check(&config, &block, &why), -EINVAL);
	block = (struct table_block){ .table = TABLE_HOSTS };
	table_put(TABLE_HOSTS, block.bytes, 1, 1 << 16); /* of no switch */
	ck_assert_int_eq(table_block_check(&config, &block, &why), -EINVAL);
	block = (struct table_block){ .table = TABLE_VIAS };
	table_put(TABLE_VIAS, block.bytes, 0, FABRIC_VIA_MAX + 1);
	ck_assert_int_eq(table_block_check(&config, &block, &why), -EINVAL);
	table_put(TABLE_VIAS, block.bytes, 0, FABRIC_VIA_MAX);
	ck_assert_int_eq(table_block_check(&config, &block, &why), 0);
	config.fabric = FABRIC_PORT_GROUP;
	block = (struct table_block){ .table = TABLE_LFT };
	memset(block.bytes, LFT_NO_PORT, sizeof(block.bytes));
	ck_assert_int_eq(table_block_check(&config, &block, &why), 0);
	block.bytes[3] = 3;
	ck_assert_int_eq(table_block_check(&config, &block, &why), -EINVAL);
}
