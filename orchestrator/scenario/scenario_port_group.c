/*  scenario_port_group - the section `port-group` of a scenario (PG-1 ... PG-10).
 *
 *  Its keys are rows of nodes/config/port_group.def. It is read with any kind of fabric, so that
 *  one file can be compared under several. */
#include "orchestrator/scenario/scenario_port_group.h"

#include "orchestrator/scenario/scenario_parameters.h"

void scenario_port_group_init(struct scenario_port_group *port_group)
{
	*port_group = (struct scenario_port_group){ 0 };
	parameters_default(&port_group_parameters, &port_group->config);
}

static void lid_bits_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	static const char *const words[] = { "16", "20", "24", "32" };
	int index = key_word_index(reader, node, "16, 20, 24 or 32", words, COUNT_OF(words));

	(void)key;
	if (index >= 0)
		((struct port_group_config *)target)->lid_bits =
			(uint32_t[]){ 16, 20, 24, 32 }[index];
}

static const struct key port_group_keys[] = {
	{ "lid-bits", .read = lid_bits_read },
};

void scenario_port_group_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *node, void *target)
{
	struct scenario_port_group *port_group = &((struct scenario *)target)->port_group;
	const struct parameters_reading reading = {
		.table = &port_group_parameters,
		.structure = &port_group->config,
		.given = &port_group->given,
		.keys = port_group_keys,
		.key_count = COUNT_OF(port_group_keys),
		.target = &port_group->config,
	};

	(void)key;
	port_group->place = node->place;
	scenario_parameters_read(reader, node, "'port-group'", &reading);
}
