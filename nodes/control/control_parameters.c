#include "nodes/control/control_parameters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the structures of @config that have a table, one after the other */
static bool each(struct node_config *config, parameter_fn *fn, void *context)
{
	char place[24];
	bool more = true;

	for (uint32_t c = 0; more && c < config->class_count; c++) {
		snprintf(place, sizeof(place), "classes[%" PRIu32 "].", c);
		more = parameters_each(&class_parameters, place, &config->classes[c], fn, context);
	}
	return more &&
	       (config->fabric != FABRIC_ROCE ||
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

struct packed {
	Heddle__Parameter ***list;
	size_t *count;
};

static bool add(void *context, const char *name, const struct parameter *row, void *structure)
{
	const struct packed *to = context;
	uint64_t value = parameter_get(row, structure);
	Heddle__Parameter **list;
	struct named *named;

	if (!value)
		return true;
	list = reallocarray(*to->list, *to->count + 1, sizeof(*list));
	if (list)
		*to->list = list;
	named = list ? malloc(sizeof(*named)) : NULL;
	if (!named)
		return false;
	heddle__parameter__init(&named->message);
	snprintf(named->name, sizeof(named->name), "%s", name);
	named->message.name = named->name;
	named->message.value = value;
	list[(*to->count)++] = &named->message;
	return true;
}

int control_rows_pack(const struct parameter_table *table, const void *structure,
		      Heddle__Parameter ***list, size_t *count)
{
	/* nothing is written to it */
	return parameters_each(table, "", (void *)structure, add, &(struct packed){ list, count })
		       ? 0
		       : -ENOMEM;
}

int control_parameters_pack(Heddle__NodeConfig *to, const struct node_config *config)
{
	return each((struct node_config *)config, add,
		    &(struct packed){ &to->parameters, &to->n_parameters })
		       ? 0
		       : -ENOMEM;
}

void control_rows_free(Heddle__Parameter **list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i]); /* the first member of a struct named */
	free(list);
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

bool control_rows_unpack(const struct parameter_table *table, void *structure,
			 Heddle__Parameter *const *list, size_t count)
{
	struct cursor cursor = { .parameters = list, .count = count };

	return parameters_each(table, "", structure, take, &cursor) && cursor.next == cursor.count;
}

bool control_parameters_unpack(struct node_config *config, const Heddle__NodeConfig *from)
{
	struct cursor cursor = { .parameters = from->parameters, .count = from->n_parameters };

	return each(config, take, &cursor) && cursor.next == cursor.count;
}
