#include "orchestrator/scenario/scenario_class_map.h"

#include <ctype.h>
#include <stdlib.h>

#include "nodes/wire/class_map.h"

/* a whole number from the beginning of @text; false if it has none, or one above @max */
static bool number_read(const char **text, unsigned long max, unsigned long *number)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	*number = strtoul(*text, &end, 10);
	*text = end;
	return *number <= max;
}

/* adds "46" or "32-39" to @set; false if it is neither */
static bool values_add(const char *text, unsigned long max, uint64_t *set)
{
	unsigned long from, to;

	if (!number_read(&text, max, &from))
		return false;
	to = from;
	if (*text == '-' && (text++, !number_read(&text, max, &to)))
		return false;
	if (*text || from > to)
		return false;
	for (unsigned long i = from; i <= to; i++)
		*set |= 1ull << i;
	return true;
}

static uint64_t set_read(struct reader *reader, const struct yaml_node *node, unsigned long max,
			 const char *example)
{
	const struct yaml_node *value = node->kind == YAML_SEQUENCE ? node->first : node;
	uint64_t set = 0;

	for (; value; value = node->kind == YAML_SEQUENCE ? value->next : NULL)
		if (value->kind != YAML_SCALAR || !values_add(value->text, max, &set))
			key_refuse(reader, value,
				   "expected numbers from 0 to %lu, such as %s, and ranges from "
				   "the smaller to the larger",
				   max, example);
	return set;
}

void scenario_dscp_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	(void)key;
	((struct class_config *)target)->dscp_set =
		set_read(reader, node, CLASS_MAP_DSCPS - 1, "[46, 32-39]");
}

void scenario_pcp_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	(void)key;
	((struct class_config *)target)->pcp_set =
		(uint32_t)set_read(reader, node, CLASS_MAP_PRIORITIES - 1, "[5, 6-7]");
}

void scenario_class_map_check(struct reader *reader, const struct yaml_node *node)
{
	const struct scenario *scenario = reader->scenario;
	struct why why;

	if (!class_map_check(scenario->classes, scenario->class_count, &why))
		key_refuse(reader, node, "%s", why.text);
}
