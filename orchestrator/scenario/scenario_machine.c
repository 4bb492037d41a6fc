#include "orchestrator/scenario/scenario_machine.h"

#include <stdio.h>

#include "orchestrator/base/suggest.h"

/* @node names a switch of the machine with @number, from 1 */
static void switch_read(struct reader *reader, const struct yaml_node *node, uint32_t number)
{
	struct scenario *scenario = reader->scenario;
	int64_t index = key_switch_index(reader, node);

	if (index < 0)
		return;
	if (scenario->switches[index].machine)
		key_refuse(reader, node, "switch %s has a machine already: %s", node->text,
			   scenario->machines.names[scenario->switches[index].machine - 1]);
	else
		scenario->switches[index].machine = number;
}

static void machine_read(struct reader *reader, const struct yaml_node *node)
{
	struct scenario_machines *machines = &reader->scenario->machines;

	if (!key_name_check(reader, &node->key_place, node->key))
		return;
	if (node->kind != YAML_SEQUENCE || !node->count) {
		key_refuse(reader, node,
			   "expected the switches of machine %.60s as a list, such as [s1, s2]",
			   node->key);
		return;
	}
	if (machines->count == SCENARIO_MACHINES_MAX) {
		key_refuse(reader, node, "there are at most %u machines", SCENARIO_MACHINES_MAX);
		return;
	}
	snprintf(machines->names[machines->count++], NODE_NAME_MAX, "%s", node->key);
	for (const struct yaml_node *child = node->first; child; child = child->next)
		switch_read(reader, child, machines->count);
}

void scenario_machines_read(struct reader *reader, const struct yaml_node *node)
{
	if (node->kind != YAML_MAPPING) {
		key_refuse(reader, node,
			   "'machines' must name machines and their switches, such as {a: [s1, "
			   "s2], b: [s3]}");
		return;
	}
	reader->scenario->machines.place = node->place;
	if (!reader->scenario->switches || !reader->scenario->switch_count)
		return; /* an error already */
	for (const struct yaml_node *child = node->first; child; child = child->next)
		machine_read(reader, child);
}
