#include "orchestrator/manager/fabric_manager.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/manager/manager_tables.h"
#include "orchestrator/manager/manager_topology.h"
#include "orchestrator/manager/update_safety.h"
#include "orchestrator/routing/routing_flood.h"

#define QUESTIONS_MAX 16384u /* sent at once, or all those of one switch if they are more */

/* one sweep, while it lasts */
struct sweep {
	struct fabric_manager *manager;
	struct manager_report *report;
	struct manager_census census;
	struct topology topology;
	struct routing routing;
	uint64_t *flood_ports; /* [switch_count] */
	uint32_t *node_of;     /* [switch_count]: node index; valid if alive */
	/* [switch_count]: has collected exactly what was written to it */
	bool *staged;
	struct switch_image *read, *wanted; /* [switch_count] */
	struct manager_question *questions; /* to be sent at once */
	uint32_t question_count, question_capacity;
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

/* the next question, zeroed by the caller; NULL if memory is short */
static struct manager_question *question_add(struct sweep *sweep)
{
	if (sweep->question_count == sweep->question_capacity) {
		uint32_t capacity = sweep->question_capacity ? 2 * sweep->question_capacity : 1024;
		struct manager_question *more = realloc(sweep->questions, capacity * sizeof(*more));

		if (!more)
			return NULL;
		sweep->questions = more;
		sweep->question_capacity = capacity;
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
		return failed(sweep, error, "no node can be reached: %s", strerror(-error));
	for (uint32_t i = 0; sweep->manager->complete && i < sweep->question_count; i++)
		if (sweep->questions[i].status == -ESRCH)
			return failed(sweep, -ETIMEDOUT, "node %" PRIu32 " does not answer",
				      sweep->questions[i].node);
	return 0;
}

/* of switch @index, for its block @block of @table */
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

/* adds the questions to each switch that is alive, and sends them: @take handles the answers */
static int switches_ask(struct sweep *sweep, int (*ask)(struct sweep *, uint32_t index),
			int (*take)(struct sweep *))
{
	int error = 0;

	for (uint32_t i = 0; i < sweep->topology.switch_count && !error; i++) {
		if (sweep->topology.switches[i].alive)
			error = ask(sweep, i);
		if (!error && sweep->question_count >= QUESTIONS_MAX)
			error = take(sweep);
	}
	return error ? error : take(sweep);
}

/* ---- 1: discover ---- */

static int census_take(struct sweep *sweep)
{
	struct manager_census *census = &sweep->census;
	int error;

	census->node_count = sweep->manager->node_count;
	census->nodes = calloc(census->node_count, sizeof(*census->nodes));
	census->answered = calloc(census->node_count, sizeof(*census->answered));
	if (!census->nodes || !census->answered)
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

		census->answered[i] = !sweep->questions[i].status;
		sweep->report->silent += !census->answered[i];
		if (!census->answered[i])
			continue;
		if (node->index != i || (node->kind == NODE_SWITCH && !node->fabric_address) ||
		    node->fabric_address > NODE_SWITCHES_MAX ||
		    node->fabric != sweep->manager->request.fabric)
			error = failed(sweep, -EIO,
				       "node %" PRIu32 " reports that it is %s, number %" PRIu32, i,
				       node->name, node->index);
		sweep->report->switches += node->kind == NODE_SWITCH;
		sweep->report->hosts += node->kind == NODE_NIC;
	}
	sweep->question_count = 0;
	return error;
}

/* indexes switches by fabric address; rejects two with the same address */
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

		if (!sweep->census.answered[i] || node->kind != NODE_SWITCH)
			continue;
		owner = &sweep->node_of[node->fabric_address - 1];
		if (*owner != UINT32_MAX)
			return failed(
				sweep, -EIO, "%s and %s have the same fabric address %" PRIu32,
				sweep->census.nodes[*owner].name, node->name, node->fabric_address);
		/* the address of a switch that does not answer is derived from its index */
		if (node->fabric_address != i + 1)
			return failed(sweep, -EIO,
				      "%s, number %" PRIu32 ", has the fabric address %" PRIu32,
				      node->name, i, node->fabric_address);
		*owner = i;
	}
	return 0;
}

/* ---- 2: read ---- */

static int read_ask(struct sweep *sweep, uint32_t index)
{
	const struct node_identity *node = &sweep->census.nodes[sweep->node_of[index]];

	for (int table = 0; table < TABLE_KINDS; table++) {
		if (switch_image_widen(&sweep->read[index], (enum table_kind)table,
				       node->table_blocks[table]))
			return -ENOMEM;
		for (uint32_t block = 0; block < node->table_blocks[table]; block++)
			if (block_ask(sweep, ASK_READ, index, (enum table_kind)table, block))
				return -ENOMEM;
	}
	return 0;
}

/* stores the blocks that were read; one without an answer stays blank, so it is written again */
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

/* hosts that were not discovered but are in a switch's table */
static void hosts_keep(struct sweep *sweep)
{
	for (uint32_t i = 0; i < sweep->topology.switch_count; i++) {
		const struct switch_image *image = &sweep->read[i];

		for (uint32_t h = 0; h < switch_image_entries(image, TABLE_HOSTS); h++) {
			struct host_config host =
				table_host_read(h, switch_image_get(image, TABLE_HOSTS, h));

			if (host.fabric_address && host.egress_port < NODE_PORTS_MAX)
				manager_topology_keep(&sweep->census, &sweep->topology, &host);
		}
	}
}

/* ---- 3: compute ---- */

/* no error, but reported */
static void routing_report(struct sweep *sweep)
{
	if (sweep->routing.beyond)
		failed(sweep, 0,
		       "%" PRIu32
		       " paths between switches with hosts have more hops than there are "
		       "lanes: these switches have no route",
		       sweep->routing.beyond);
}

/* Packets on old and on new routes are in the fabric together for a while: reports a cycle of both.
 * Nothing to check where the lane rises with every hop, which excludes cycles, and where cycles are
 * allowed. Overwrites the routes, from which the tables were made before. */
static int update_check(struct sweep *sweep)
{
	const struct routing_request *request = &sweep->manager->request;
	char *cycle = NULL;
	int error;

	if (!request->follow || request->lane_rule == LANES_BY_HOP || request->cycles_allowed ||
	    !sweep->report->blocks_read)
		return 0;
	error = update_safety_check(request->fabric, &sweep->topology, sweep->read, &sweep->routing,
				    &cycle);
	if (cycle)
		failed(sweep, 0,
		       "until packets on old routes have arrived, some may deadlock with packets "
		       "on "
		       "new ones: %s. With a lane for every hop (routing.lanes) they cannot",
		       cycle);
	free(cycle);
	return error;
}

static int tables_make(struct sweep *sweep)
{
	const struct routing_request *request = &sweep->manager->request;
	uint64_t began_ns = monotonic_ns();
	struct why why = { "" };
	int error = routing_make(&sweep->topology, request, &sweep->routing, &why);

	if (error)
		return failed(sweep, error, "there are no routes for the remaining fabric: %s",
			      why.text[0] ? why.text : strerror(-error));
	routing_report(sweep);
	if (table_of_fabric(request->fabric, TABLE_FLOOD))
		error = routing_flood(&sweep->topology, sweep->flood_ports);
	for (uint32_t i = 0; i < sweep->topology.switch_count && !error; i++)
		if (sweep->topology.switches[i].alive)
			error = manager_tables_make(request->fabric, &sweep->topology,
						    &sweep->routing, i, sweep->flood_ports[i],
						    &sweep->wanted[i]);
	if (!error)
		error = update_check(sweep);
	sweep->report->routing_ns = monotonic_ns() - began_ns;
	return error;
}

/* ---- 4: write ---- */

/* number of blocks of @table of switch @index that differ */
static uint32_t differences(const struct sweep *sweep, uint32_t index, enum table_kind table)
{
	uint32_t count = 0;

	for (uint32_t block = 0; block < sweep->wanted[index].tables[table].blocks; block++)
		count += !switch_image_same(&sweep->read[index], &sweep->wanted[index], table,
					    block);
	return count;
}

/* a question of kind @ask for each block of switch @index that differs */
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

/* both images get the same size: entries that are not wanted become blank */
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

/* writes the blocks that differ to switch @index, and reads them back */
static int write_ask(struct sweep *sweep, uint32_t index)
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

/* the block of @question is not what was written: the tables of its switch stay as they were */
static void unverified(struct sweep *sweep, const struct manager_question *question)
{
	const struct node_identity *node = &sweep->census.nodes[question->node];
	const char *table = table_kind_name[question->block.table],
		   *why = strerror(-question->status);

	sweep->report->unverified++;
	sweep->staged[node->fabric_address - 1] = false;
	if (!question->status)
		failed(sweep, 0,
		       "switch %s: block %" PRIu32 " of table %s differs from what was written",
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

/* the death of a node meanwhile causes the next sweep, which handles it */
static int write_take(struct sweep *sweep)
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

/* ---- 5: commit ---- */

static int tables_commit(struct sweep *sweep)
{
	int error = 0;

	for (uint32_t i = 0; i < sweep->topology.switch_count && !error; i++)
		if (sweep->staged[i])
			error = block_ask(sweep, ASK_COMMIT, i, TABLE_ROUTES, 0);
	if (!error)
		error = write_take(sweep);
	return error ? error : sweep->report->unverified ? -EIO : 0;
}

/* ---- the sweep ---- */

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
	free(sweep->census.answered);
	routing_free(&sweep->routing);
	topology_free(&sweep->topology);
}

int fabric_manager_sweep(struct fabric_manager *manager)
{
	struct sweep sweep = { .manager = manager, .report = &manager->last };
	uint64_t began_ns = monotonic_ns();
	int error;

	manager->last = (struct manager_report){ 0 };
	error = census_take(&sweep);
	manager->last.discover_ns = monotonic_ns() - began_ns;
	if (error)
		goto out;
	error = manager_topology_make(&sweep.census, &sweep.topology);
	if (error)
		goto out;
	error = switches_index(&sweep);
	if (error)
		goto out;
	error = switches_ask(&sweep, read_ask, read_take);
	if (error)
		goto out;
	hosts_keep(&sweep);
	manager->last.links = manager_topology_links(&sweep.topology);
	error = tables_make(&sweep);
	if (error)
		goto out;
	error = switches_ask(&sweep, write_ask, write_take);
	if (error)
		goto out;
	error = tables_commit(&sweep);
out:
	if (error == -ENOMEM)
		failed(&sweep, error, "not enough memory");
	sweep_free(&sweep);
	manager->last.took_ns = monotonic_ns() - began_ns;
	return error;
}
