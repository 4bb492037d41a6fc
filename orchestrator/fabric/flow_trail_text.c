#include "orchestrator/fabric/flow_trail_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "orchestrator/fabric/node_table.h"

/* the cells of @port of @config, each with a tab after it */
static void port_write(const struct node_config *config, int64_t port, FILE *out)
{
	if (port >= 0 && port < config->port_count)
		fprintf(out, "%" PRId64 "\t%s\t", port, config->ports[port].peer_name);
	else
		fputs("\t\t", out);
}

static void number_write(int64_t number, FILE *out)
{
	if (number >= 0)
		fprintf(out, "%" PRId64, number);
	fputc('\t', out);
}

static void hop_write(const struct flow_trail *trail, const struct flow_trail_hop *hop, FILE *out)
{
	const struct node_config *config = &trail->plan->nodes[hop->node];
	bool channels = plan_fabric(trail->plan) == FABRIC_FLOW_CHANNEL;

	fprintf(out, "%s\t", config->name);
	port_write(config, hop->in_port, out);
	if (channels)
		number_write(hop->in_id, out);
	port_write(config, hop->out_port, out);
	if (channels)
		number_write(hop->out_id, out);
	fprintf(out, "%" PRIu64 "\t", hop->waiting_bytes);
	number_write(hop->unacknowledged_bytes, out);
	fprintf(out, "%s\n", hop->held_by);
}

/* the hops of @block as a table.  Return: 0 or -ENOMEM */
static int block_read(const struct flow_trail *trail, const struct flow_trail_block *block,
		      struct node_table *table)
{
	bool channels = plan_fabric(trail->plan) == FABRIC_FLOW_CHANNEL;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int error = -ENOMEM;

	if (!out)
		return error;
	fprintf(out,
		"node:text\tinput_port:alone\tinput_peer:text\t%soutput_port:alone\t"
		"output_peer:text\t%swaiting_bytes\tunacknowledged_bytes\theld_by:text\n",
		channels ? "input_flow_id\t" : "", channels ? "output_flow_id\t" : "");
	for (uint32_t i = 0; i < block->hop_count; i++)
		hop_write(trail, &block->hops[i], out);
	if (!fclose(out))
		error = node_table_read(trail->plan, trail->from, text, table);
	free(text);
	return error;
}

static void heading_print(const struct flow_trail *trail, const struct flow_trail_block *block,
			  FILE *out)
{
	fprintf(out, "%s -> %s", trail->plan->nodes[trail->from].name,
		trail->plan->nodes[trail->to].name);
	if (block->workload[0])
		fprintf(out, ", workload %s", block->workload);
	if (block->traffic_class[0])
		fprintf(out, ", class %s", block->traffic_class);
	if (block->slot >= 0)
		fprintf(out, ", slot %" PRId64, block->slot);
	fprintf(out, "%s%s\n", block->note[0] ? ": " : "", block->note);
}

int flow_trail_text_print(const struct flow_trail *trail, FILE *out)
{
	for (uint32_t i = 0; i < trail->block_count; i++) {
		struct node_table table;

		if (block_read(trail, &trail->blocks[i], &table))
			return -ENOMEM;
		heading_print(trail, &trail->blocks[i], out);
		node_table_print(&table, out);
		node_table_free(&table);
	}
	if (trail->cut)
		fprintf(out, "... and more flows: %u are shown\n", FLOW_TRAIL_BLOCKS_MAX);
	return 0;
}

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

static json_t *block_json(const struct flow_trail *trail, const struct flow_trail_block *block)
{
	struct node_table table;
	json_t *object, *hops;

	if (block_read(trail, block, &table))
		return NULL;
	object = node_table_json(&table, "", "");
	node_table_free(&table);
	hops = json_incref(json_object_get(object, "rows"));
	json_decref(object);
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "workload", text_or_null(block->workload),
			 "class", text_or_null(block->traffic_class), "slot",
			 block->slot < 0 ? json_null() : json_integer(block->slot), "note",
			 text_or_null(block->note), "hops", hops);
}

json_t *flow_trail_text_json(const struct flow_trail *trail)
{
	json_t *flows = json_array();

	for (uint32_t i = 0; i < trail->block_count; i++)
		json_array_append_new(flows, block_json(trail, &trail->blocks[i]));
	return json_pack("{s:s, s:s, s:b, s:o}", "from", trail->plan->nodes[trail->from].name, "to",
			 trail->plan->nodes[trail->to].name, "cut", trail->cut, "flows", flows);
}
