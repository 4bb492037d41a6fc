#include "nodes/control/control_parameters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the structures of @config that have a table, one after the other */
static bool each(struct node_config *config, parameter_fn *fn, void *context)
{
	return (config->fabric != FABRIC_ROCE ||
		parameters_each(&roce_parameters, "roce.", &config->roce, fn, context)) &&
	       (config->fabric != FABRIC_PORT_GROUP ||
		parameters_each(&port_group_parameters, "port_group.", &config->port_group, fn,
				context)) &&
	       (config->kind == NODE_SWITCH
			? parameters_each(&switch_parameters, "switch.", &config->switch_, fn,
					  context)
			: parameters_each(&nic_parameters, "nic.", &config->nic, fn, context));
}

/* ---- packing ---- */

/* a message and its name */
struct named {
	Heddle__Parameter message;
	char name[PARAMETER_NAME_MAX];
};

static bool add(void *context, const char *name, const struct parameter *row, void *structure)
{
	Heddle__NodeConfig *to = context;
	uint64_t value = parameter_get(row, structure);
	Heddle__Parameter **table;
	struct named *named;

	if (!value)
		return true;
	table = reallocarray(to->parameters, to->n_parameters + 1, sizeof(*table));
	if (table)
		to->parameters = table;
	named = table ? malloc(sizeof(*named)) : NULL;
	if (!named)
		return false;
	heddle__parameter__init(&named->message);
	snprintf(named->name, sizeof(named->name), "%s", name);
	named->message.name = named->name;
	named->message.value = value;
	table[to->n_parameters++] = &named->message;
	return true;
}

int control_parameters_pack(Heddle__NodeConfig *to, const struct node_config *config)
{
	/* nothing is written to it */
	return each((struct node_config *)config, add, to) ? 0 : -ENOMEM;
}

void control_parameters_free(Heddle__NodeConfig *to)
{
	for (size_t i = 0; i < to->n_parameters; i++)
		free(to->parameters[i]); /* the first member of a struct named */
	free(to->parameters);
}

/* ---- unpacking ---- */

struct cursor {
	Heddle__Parameter *const *parameters; /* NULL if there are none */
	size_t next, count;
};

static bool take(void *context, const char *name, const struct parameter *row, void *structure)
{
	struct cursor *cursor = context;
	uint64_t value;

	if (cursor->next == cursor->count ||
	    strcmp(cursor->parameters[cursor->next]->name, name) != 0)
		return true;
	value = cursor->parameters[cursor->next++]->value;
	parameter_put(row, structure, value);
	return parameter_get(row, structure) == value;
}

bool control_parameters_unpack(struct node_config *config, const Heddle__NodeConfig *from)
{
	struct cursor cursor = { .parameters = from->parameters, .count = from->n_parameters };

	return each(config, take, &cursor) && cursor.next == cursor.count;
}
