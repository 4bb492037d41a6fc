#include "orchestrator/live/parameter.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/scenario/scenario_parameters.h"

/* of each kind of fabric, what `set` changes in a switch */
static const struct parameter_table *const tables[] = {
	[FABRIC_FLOW_CHANNEL] = &switch_parameters,
	[FABRIC_ROCE] = &roce_parameters,
	[FABRIC_PORT_GROUP] = &port_group_parameters,
};
_Static_assert(COUNT_OF(tables) == FABRIC_KINDS, "a table for each kind of fabric");

/* workload_load() has the limits */
const struct parameter parameter_load = { .key = "load",
					  .unit = PARAMETER_UNIT_PERMILLE,
					  .offset = offsetof(struct workload_config, load_permille),
					  .bytes = sizeof(uint32_t),
					  .min = 1,
					  .max = 1000 };

int parameter_read(const struct parameter *row, const char *name, const char *text, uint64_t *value,
		   struct why *why)
{
	struct scenario_errors errors = { 0 };
	bool sound = scenario_parameter_parse(row, name, text, value, &errors);
	const char *sentence = errors.texts[0] ? errors.texts[0] : "no memory",
		   *key = strstr(sentence + 1, name);

	/* most sentences begin with the key, too, some in quotes */
	if (key && key[-1] == '\'')
		key--;
	if (!sound)
		why_say(why, 0, "%s", key ? key : sentence);
	scenario_errors_free(&errors);
	return sound ? 0 : -EINVAL;
}

int parameter_convert(const struct node_config *node, const char *name, const char *value,
		      char *text, unsigned text_max, struct why *why)
{
	struct parameter_live live = { 0 };
	uint64_t number;

	snprintf(text, text_max, "%s", value);
	if (node->kind == NODE_SWITCH)
		node_live_find(tables[node->fabric], node, name, &live);
	else if (!fnmatch("workload.*.load", name, 0))
		live.row = &parameter_load;
	if (!live.row)
		return 0;
	if (parameter_read(live.row, name, value, &number, why))
		return -EINVAL;
	snprintf(text, text_max, "%" PRIu64, number);
	return 0;
}
