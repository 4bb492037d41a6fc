/*  scenario_pause - the key 'pauses' of a scenario: hosts that are slower than their links at times
 *  (EC-4). */
#include "orchestrator/scenario/scenario_pause.h"

#include "orchestrator/scenario/scenario_parameters.h"

static void class_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	int64_t index = key_class_index(reader, node);

	(void)key;
	if (index >= 0)
		((struct scenario_pause *)target)->config.classes = 1u << index;
}

static const struct key pause_keys[] = {
	{ "host", key_host, KEY_FIELD(struct scenario_pause, host) },
	{ "class", .read = class_read },
};

/* checks that the times of a pause fit together; one without 'every' happens once */
static void times_complete(struct reader *reader, const struct yaml_node *node,
			   struct pause_config *pause)
{
	const struct yaml_node *start = yaml_find(node, "start"), *stop = yaml_find(node, "stop");

	scenario_time_note(reader, start, pause->start_ps, "the pause would start");
	if (stop && !yaml_find(node, "every"))
		key_refuse(reader, stop,
			   "'stop' has no meaning without 'every': such a pause happens once, and "
			   "ends by 'for'");
	else if (stop && pause->stop_ps <= pause->start_ps)
		key_refuse(reader, stop, "the pauses would stop before they start");
	if (!pause->every_ps) {
		pause->every_ps = pause->for_ps;
		pause->stop_ps = pause->start_ps + pause->for_ps;
	} else if (pause->for_ps > pause->every_ps) {
		key_refuse(reader, yaml_find(node, "for"),
			   "'for' must not be longer than 'every': it is a part of it");
	}
}

static void pause_read(struct reader *reader, const struct yaml_node *node,
		       struct scenario_pause *pause)
{
	const struct parameters_reading reading = {
		.table = &pause_parameters,
		.structure = &pause->config,
		.keys = pause_keys,
		.key_count = COUNT_OF(pause_keys),
		.target = pause,
	};
	unsigned errors_before = reader->errors->count;

	*pause = (struct scenario_pause){
		.config = { .stop_ps = NODE_TIME_NEVER,
			    .classes = (1u << reader->scenario->class_count) - 1 },
	};
	scenario_parameters_read(reader, node, "a pause", &reading);
	if (reader->errors->count == errors_before)
		times_complete(reader, node, &pause->config);
}

void scenario_pauses_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	struct scenario *scenario = target;

	scenario->pauses = key_list_new(reader, key, node, SCENARIO_PAUSES_MAX,
					"pauses, such as [{host: h1, every: 20us, for: 15us}]",
					sizeof(*scenario->pauses));
	for (const struct yaml_node *child = node->first; child && scenario->pauses;
	     child = child->next)
		pause_read(reader, child, &scenario->pauses[scenario->pause_count++]);
}
