#include "orchestrator/manager/fabric_manager.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/wall_time.h"
#include "orchestrator/manager/manager_tables.h"
#include "orchestrator/manager/manager_topology.h"
#include "orchestrator/manager/manager_union.h"
#include "orchestrator/routing/routing_flood.h"

#define QUESTIONS_MAX 16384u /* asked at once, or those of one switch if they are more */

/* one sweep, while it lasts */
struct sweep {
	struct fabric_manager *manager;
	struct manager_report *report;
	struct manager_census census;
	struct topology topology;
	struct routing routing;
	uint64_t *flood_ports; /* [switch_count] */
	uint32_t *node_of;     /* [switch_count]: who it is; valid if alive */
	/* [switch_count]: has collected what it is to have, and nothing else */
	bool *staged;
	struct switch_image *read, *wanted; /* [switch_count] */
	struct manager_question *questions; /* collected, to be asked at once */
	uint32_t question_count, question_room;
};

static int __attribute__((format(printf, 3, 4)))
failed(struct sweep *sweep, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (!sweep->report->why[0])
		vsnprintf(sweep->report->why, sizeof(sweep->report->why), format, arguments);
	va_end(arguments);
	return error;
}

/* ---- questions ---- */

/* room for one more; NULL if there is no memory */
static struct manager_question *question_add(struct sweep *sweep)
{
	if (sweep->question_count == sweep->question_room) {
		uint32_t room = sweep->question_room ? 2 * sweep->question_room : 1024;
		struct manager_question *more = realloc(sweep->questions, room * sizeof(*more));

		if (!more)
			return NULL;
		sweep->questions = more;
		sweep->question_room = room;
	}
	return &sweep->questions[sweep->question_count++];
}

static int exchange(struct sweep *sweep)
{
	const struct manager_wire *wire = &sweep->manager->wire;
	int error = sweep->question_count
			    ? wire->exchange(wire->owner, sweep->questions, sweep->question_count)
			    : 0;

	if (error)
		return failed(sweep, error, "the nodes cannot be asked: %s", strerror(-error));
	for (uint32_t i = 0; sweep->manager->complete && i < sweep->question_count; i++)
		if (sweep->questions[i].status == -ESRCH)
			return failed(sweep, -ETIMEDOUT, "node %" PRIu32 " does not answer",
				      sweep->questions[i].node);
	return 0;
}

/* ---- 1: who is there ---- */

static int census_take(struct sweep *sweep)
{
	struct manager_census *census = &sweep->census;
	int error;

	census->node_count = sweep->manager->node_count;
	census->nodes = calloc(census->node_count, sizeof(*census->nodes));
	census->heard = calloc(census->node_count, sizeof(*census->heard));
	if (!census->nodes || !census->heard)
		return -ENOMEM;
	for (uint32_t i = 0; i < census->node_count; i++) {
		struct manager_question *question = question_add(sweep);

		if (!question)
			return -ENOMEM;
		*question = (struct manager_question){ .ask = ASK_DISCOVER,
						       .node = i,
						       .identity = &census->nodes[i] };
	}
	error = exchange(sweep);
	for (uint32_t i = 0; i < census->node_count && !error; i++) {
		const struct node_identity *node = &census->nodes[i];

		census->heard[i] = !sweep->questions[i].status;
		sweep->report->silent += !census->heard[i];
		if (!census->heard[i])
			continue;
		if (node->index != i || (node->kind == NODE_SWITCH && !node->fabric_address) ||
		    node->fabric_address > NODE_COUNT_MAX ||
		    node->fabric != sweep->manager->request.fabric)
			error = failed(sweep, -EIO,
				       "node %" PRIu32 " says that it is %s, number %" PRIu32, i,
				       node->name, node->index);
		sweep->report->switches += node->kind == NODE_SWITCH;
		sweep->report->hosts += node->kind == NODE_NIC;
	}
	sweep->question_count = 0;
	return error;
}

/* switches by their fabric addresses; two with the same would be one */
static int switches_index(struct sweep *sweep)
{
	uint32_t count = sweep->topology.switch_count + 1;

	sweep->node_of = malloc(count * sizeof(*sweep->node_of));
	sweep->read = calloc(count, sizeof(*sweep->read));
	sweep->wanted = calloc(count, sizeof(*sweep->wanted));
	sweep->flood_ports = calloc(count, sizeof(*sweep->flood_ports));
	sweep->staged = calloc(count, sizeof(*sweep->staged));
	if (!sweep->staged || !sweep->node_of || !sweep->read || !sweep->wanted ||
	    !sweep->flood_ports)
		return -ENOMEM;
	memset(sweep->node_of, 0xff, count * sizeof(*sweep->node_of));
	for (uint32_t i = 0; i < sweep->census.node_count; i++) {
		const struct node_identity *node = &sweep->census.nodes[i];
		uint32_t *owner;

		if (!sweep->census.heard[i] || node->kind != NODE_SWITCH)
			continue;
		owner = &sweep->node_of[node->fabric_address - 1];
		if (*owner != UINT32_MAX)
			return failed(
				sweep, -EIO, "%s and %s have the same fabric address %" PRIu32,
				sweep->census.nodes[*owner].name, node->name, node->fabric_address);
		/* neighbours of one that is silent know its place only */
		if (node->fabric_address != i + 1)
			return failed(sweep, -EIO,
				      "%s in place %" PRIu32 " has the fabric address %" PRIu32,
				      node->name, i, node->fabric_address);
		*owner = i;
	}
	return 0;
}

/* ---- 2: what they have ---- */

static int read_ask(struct sweep *sweep, uint32_t index)
{
	const struct node_identity *node = &sweep->census.nodes[sweep->node_of[index]];

	for (int table = 0; table < TABLE_KINDS; table++) {
		if (switch_image_widen(&sweep->read[index], (enum table_kind)table,
				       node->table_blocks[table]))
			return -ENOMEM;
		for (uint32_t block = 0; block < node->table_blocks[table]; block++) {
			struct manager_question *question = question_add(sweep);

			if (!question)
				return -ENOMEM;
			*question = (struct manager_question){
				.ask = ASK_READ,
				.node = node->index,
				.block = { .table = (enum table_kind)table, .number = block }
			};
		}
	}
	return 0;
}

/* into what was read; a block that was not answered for stays blank, and is written anew */
static int read_take(struct sweep *sweep)
{
	int error = exchange(sweep);

	for (uint32_t i = 0; i < sweep->question_count && !error; i++) {
		const struct manager_question *question = &sweep->questions[i];
		uint32_t index = sweep->census.nodes[question->node].fabric_address - 1;

		if (question->ask != ASK_READ || question->status)
			continue;
		sweep->report->blocks_read++;
		memcpy(switch_image_block(&sweep->read[index], question->block.table,
					  question->block.number),
		       question->block.bytes, TABLE_BLOCK_BYTES);
	}
	sweep->question_count = 0;
	return error;
}

static int tables_read(struct sweep *sweep)
{
	int error = 0;

	for (uint32_t i = 0; i < sweep->topology.switch_count && !error; i++) {
		if (sweep->topology.switches[i].alive)
			error = read_ask(sweep, i);
		if (!error && sweep->question_count >= QUESTIONS_MAX)
			error = read_take(sweep);
	}
	return error ? error : read_take(sweep);
}

/* hosts that were not found but stand in a switch's table */
static void hosts_keep(struct sweep *sweep)
{
	for (uint32_t i = 0; i < sweep->topology.switch_count; i++) {
		const struct table_image *image = &sweep->read[i].tables[TABLE_HOSTS];

		for (uint32_t h = 0; h < image->blocks * table_entries(TABLE_HOSTS); h++) {
			uint64_t entry = table_get(TABLE_HOSTS, image->bytes, h);
			struct host_config host = { .host_index = h,
						    .fabric_address = entry & 0xffff,
						    .egress_port = (uint32_t)(entry >> 16) };

			if (host.fabric_address && host.egress_port < NODE_PORTS_MAX)
				manager_topology_keep(&sweep->census, &sweep->topology, &host);
		}
	}
}

/* ---- 3: what they are to have ---- */

/* what is no error, but worth knowing */
static void routing_tell(struct sweep *sweep)
{
	if (sweep->routing.beyond)
		failed(sweep, 0,
		       "%" PRIu32 " ways between switches with hosts are longer than there are "
		       "lanes: there are none",
		       sweep->routing.beyond);
}

/* Packets on former ways and on new ones are in the fabric together for a while. Levels that rise
 * with every hop make no circle whatever the ways, and where circles are allowed nobody asks.
 * Spoils the routes, of which the tables have been made. */
static int union_tell(struct sweep *sweep)
{
	const struct routing_request *request = &sweep->manager->request;
	char *circle = NULL;
	int error;

	if (!request->follow || request->lane_rule == LANES_BY_HOP || request->cycles_allowed ||
	    !sweep->report->blocks_read)
		return 0;
	error = manager_union_check(request->fabric, &sweep->topology, sweep->read, &sweep->routing,
				    &circle);
	if (circle)
		failed(sweep, 0,
		       "until packets on former ways have arrived, some might wait in a circle for "
		       "packets on new "
		       "ones: "
		       "%s. With a lane for every hop (routing.lanes) none can",
		       circle);
	free(circle);
	return error;
}

static int tables_make(struct sweep *sweep)
{
	const struct routing_request *request = &sweep->manager->request;
	uint64_t began_ns = wall_ns();
	char why[256] = "";
	int error = routing_make(&sweep->topology, request, &sweep->routing, why, sizeof(why));

	if (error)
		return failed(sweep, error,
			      "there are no routes for what is left of the fabric: %s",
			      why[0] ? why : strerror(-error));
	routing_tell(sweep);
	if (table_of_fabric(request->fabric, TABLE_FLOOD))
		error = routing_flood(&sweep->topology, sweep->flood_ports);
	for (uint32_t i = 0; i < sweep->topology.switch_count && !error; i++)
		if (sweep->topology.switches[i].alive)
			error = switch_image_make(request->fabric, &sweep->topology,
						  &sweep->routing, i, sweep->flood_ports[i],
						  &sweep->wanted[i]);
	if (!error)
		error = union_tell(sweep);
	sweep->report->routing_ns = wall_ns() - began_ns;
	return error;
}

/* ---- 4: the difference ---- */

static int block_ask(struct sweep *sweep, enum manager_ask ask, uint32_t index,
		     enum table_kind table, uint32_t block)
{
	struct manager_question *question = question_add(sweep);

	if (!question)
		return -ENOMEM;
	*question = (struct manager_question){ .ask = ask,
					       .node = sweep->node_of[index],
					       .block = { .table = table, .number = block } };
	if (ask == ASK_WRITE)
		memcpy(question->block.bytes,
		       switch_image_block(&sweep->wanted[index], table, block), TABLE_BLOCK_BYTES);
	return 0;
}

/* how many blocks of @table of switch @index differ */
static uint32_t differences(const struct sweep *sweep, uint32_t index, enum table_kind table)
{
	uint32_t count = 0;

	for (uint32_t block = 0; block < sweep->wanted[index].tables[table].blocks; block++)
		count += !switch_image_same(&sweep->read[index], &sweep->wanted[index], table,
					    block);
	return count;
}

/* @ask about each block of switch @index that differs */
static int differences_ask(struct sweep *sweep, enum manager_ask ask, uint32_t index)
{
	for (int t = 0; t < TABLE_KINDS; t++) {
		enum table_kind table = (enum table_kind)t;
		uint32_t blocks = sweep->wanted[index].tables[table].blocks;

		for (uint32_t block = 0; block < blocks; block++) {
			if (switch_image_same(&sweep->read[index], &sweep->wanted[index], table,
					      block))
				continue;
			if (block_ask(sweep, ask, index, table, block))
				return -ENOMEM;
		}
	}
	return 0;
}

/* both images of the same size: what is not wanted any more becomes blank */
static int images_match(struct sweep *sweep, uint32_t index)
{
	for (int t = 0; t < TABLE_KINDS; t++) {
		struct switch_image *read = &sweep->read[index], *wanted = &sweep->wanted[index];
		uint32_t a = read->tables[t].blocks, b = wanted->tables[t].blocks,
			 blocks = a > b ? a : b;

		if (switch_image_widen(read, (enum table_kind)t, blocks) ||
		    switch_image_widen(wanted, (enum table_kind)t, blocks))
			return -ENOMEM;
	}
	return 0;
}

/* what switch @index lacks: collected there, and read back from there */
static int switch_write_ask(struct sweep *sweep, uint32_t index)
{
	uint32_t differing = 0;
	int error = images_match(sweep, index);

	for (int t = 0; t < TABLE_KINDS && !error; t++)
		differing += differences(sweep, index, (enum table_kind)t);
	if (error || !differing)
		return error;
	sweep->staged[index] = true;
	error = block_ask(sweep, ASK_BEGIN, index, TABLE_ROUTES, 0);
	if (!error)
		error = differences_ask(sweep, ASK_WRITE, index);
	if (!error)
		error = differences_ask(sweep, ASK_READ_BACK, index);
	sweep->report->blocks_written += differing;
	sweep->report->switches_written++;
	return error;
}

/* switch and block that @question was about are not as they are to be: the tables of that switch
 * stay as they were */
static void unverified(struct sweep *sweep, const struct manager_question *question)
{
	const struct node_identity *node = &sweep->census.nodes[question->node];
	const char *table = table_kind_name[question->block.table],
		   *why = strerror(-question->status);

	sweep->report->unverified++;
	sweep->staged[node->fabric_address - 1] = false;
	if (!question->status)
		failed(sweep, 0,
		       "switch %s: block %" PRIu32 " of table %s is not as it was written",
		       node->name, question->block.number, table);
	else if (question->ask == ASK_BEGIN || question->ask == ASK_COMMIT)
		failed(sweep, 0, "switch %s: new tables %s: %s", node->name,
		       question->ask == ASK_BEGIN ? "cannot be collected" : "do not take effect",
		       why);
	else
		failed(sweep, 0, "switch %s: block %" PRIu32 " of table %s is refused: %s",
		       node->name, question->block.number, table, why);
}

static bool is_as_wanted(struct sweep *sweep, const struct manager_question *question)
{
	const struct node_identity *node = &sweep->census.nodes[question->node];
	const struct table_block *block = &question->block;

	return !memcmp(block->bytes,
		       switch_image_block(&sweep->wanted[node->fabric_address - 1], block->table,
					  block->number),
		       TABLE_BLOCK_BYTES);
}

/* one that died meanwhile is dealt with by the next sweep, which its death brings about */
static int writes_take(struct sweep *sweep)
{
	int error = exchange(sweep);

	for (uint32_t i = 0; i < sweep->question_count && !error; i++) {
		const struct manager_question *question = &sweep->questions[i];

		if (question->status == -ESRCH)
			sweep->staged[sweep->census.nodes[question->node].fabric_address - 1] =
				false;
		else if (question->status ||
			 (question->ask == ASK_READ_BACK && !is_as_wanted(sweep, question)))
			unverified(sweep, question);
	}
	sweep->question_count = 0;
	return error;
}

static int tables_stage(struct sweep *sweep)
{
	int error = 0;

	for (uint32_t i = 0; i < sweep->topology.switch_count && !error; i++) {
		if (sweep->topology.switches[i].alive)
			error = switch_write_ask(sweep, i);
		if (!error && sweep->question_count >= QUESTIONS_MAX)
			error = writes_take(sweep);
	}
	return error ? error : writes_take(sweep);
}

/* ---- 5: all at once ---- */

static int tables_commit(struct sweep *sweep)
{
	int error = 0;

	for (uint32_t i = 0; i < sweep->topology.switch_count && !error; i++)
		if (sweep->staged[i])
			error = block_ask(sweep, ASK_COMMIT, i, TABLE_ROUTES, 0);
	if (!error)
		error = writes_take(sweep);
	return error ? error : sweep->report->unverified ? -EIO : 0;
}

/* ---- the whole ---- */

static void sweep_free(struct sweep *sweep)
{
	for (uint32_t i = 0; sweep->read && sweep->wanted && i < sweep->topology.switch_count;
	     i++) {
		switch_image_free(&sweep->read[i]);
		switch_image_free(&sweep->wanted[i]);
	}
	free(sweep->read);
	free(sweep->wanted);
	free(sweep->flood_ports);
	free(sweep->node_of);
	free(sweep->staged);
	free(sweep->questions);
	free(sweep->census.nodes);
	free(sweep->census.heard);
	routing_free(&sweep->routing);
	topology_free(&sweep->topology);
}

int fabric_manager_sweep(struct fabric_manager *manager)
{
	struct sweep sweep = { .manager = manager, .report = &manager->last };
	uint64_t began_ns = wall_ns();
	int error;

	manager->last = (struct manager_report){ 0 };
	error = census_take(&sweep);
	manager->last.discover_ns = wall_ns() - began_ns;
	if (!error)
		error = manager_topology_make(&sweep.census, &sweep.topology);
	if (!error)
		error = switches_index(&sweep);
	if (!error)
		error = tables_read(&sweep);
	if (!error) {
		hosts_keep(&sweep);
		manager->last.links = manager_topology_links(&sweep.topology);
		error = tables_make(&sweep);
	}
	if (!error)
		error = tables_stage(&sweep);
	if (!error)
		error = tables_commit(&sweep);
	if (error == -ENOMEM)
		failed(&sweep, error, "not enough memory");
	sweep_free(&sweep);
	manager->last.took_ns = wall_ns() - began_ns;
	return error;
}
