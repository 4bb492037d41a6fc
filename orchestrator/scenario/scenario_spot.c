#include "orchestrator/scenario/scenario_spot.h"

#include <math.h>
#include <stdlib.h>

/* the spot of the switch or host called @name; NULL: there is none */
static struct scenario_spot *spot_find(struct scenario *scenario, const char *name)
{
	int64_t index = scenario_switch_find(scenario, name);

	if (index >= 0)
		return &scenario->switches[index].spot;
	index = scenario_host_find(scenario, name);
	return index >= 0 ? &scenario->hosts[index].spot : NULL;
}

static bool coordinate_read(struct reader *reader, const struct yaml_node *node, int32_t *value)
{
	const char *text = key_scalar(reader, node, "a number");
	double number;
	char *end;

	if (!text)
		return false;
	number = strtod(text, &end);
	if (*end || !(fabs(number) <= SCENARIO_SPOT_MAX)) {
		key_refuse(reader, node, "'%.60s' is no number from -%d to %d", text,
			   SCENARIO_SPOT_MAX, SCENARIO_SPOT_MAX);
		return false;
	}
	*value = (int32_t)lround(number * SCENARIO_SPOT_ONE);
	return true;
}

static void spot_read(struct reader *reader, const struct yaml_node *node)
{
	struct scenario_spot *spot = spot_find(reader->scenario, node->key);

	if (!spot)
		key_node_refuse(reader, node, node->key);
	else if (node->kind != YAML_SEQUENCE || node->count != 2)
		key_refuse(reader, node,
			   "expected the place of %.60s as two numbers, right and down, such as "
			   "[2, 0.5]",
			   node->key);
	else
		spot->given = coordinate_read(reader, node->first, &spot->x) &&
			      coordinate_read(reader, node->last, &spot->y);
}

void scenario_spots_read(struct reader *reader, const struct yaml_node *node)
{
	if (node->kind != YAML_MAPPING) {
		key_refuse(reader, node,
			   "'at' must give switches and hosts their places, such as {s1: [0, 0], "
			   "A: [-1, 0.5]}");
		return;
	}
	if (!reader->scenario->switches || !reader->scenario->switch_count)
		return; /* an error already */
	for (const struct yaml_node *child = node->first; child; child = child->next)
		spot_read(reader, child);
}
