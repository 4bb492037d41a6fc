/*  scenario_port_group - the section `port-group` of a scenario (PG-1 ... PG-10).
 *
 *  It is read with any kind of fabric, so that one file can be compared under several. */
#include "orchestrator/scenario/scenario_port_group.h"

#include <string.h>

#include "orchestrator/scenario/scenario_keys.h"

#define BYTES_MAX ((uint64_t)PORT_GROUP_UNITS_MAX * 256)
#define TIME_MAX PORT_GROUP_TIME_MAX_PS

#define FIELD(field) KEY_FIELD(struct scenario_port_group, field)

const char *const scenario_policy_name[PORT_GROUP_POLICIES] = { [POLICY_RANDOM] = "random",
								[POLICY_GREEDY] = "greedy",
								[POLICY_GREEDY_RANDOM] =
									"greedy-random" };

void scenario_port_group_init(struct scenario_port_group *port_group)
{
	*port_group = (struct scenario_port_group){
		.lid_bits = 16,
		.adaptive = true,
		.policy = POLICY_GREEDY_RANDOM,
		.update_lft = true,
		.pending_bytes = SCENARIO_DERIVED,
		.queue_bytes = SCENARIO_DERIVED,
		.log_marks = SCENARIO_DERIVED,
		.log_window_ps = SCENARIO_DERIVED,
		.hold_ps = SCENARIO_DERIVED,
		.fecn = true,
		.becn = true,
		.fecn_bytes = SCENARIO_DERIVED,
		.becn_interval_ps = SCENARIO_DERIVED,
		.ccti_increase = SCENARIO_DERIVED,
		.ccti_max = SCENARIO_DERIVED,
		.ccti_step_permille = SCENARIO_DERIVED,
		.ccti_timer_ps = SCENARIO_DERIVED,
	};
}

static void lid_bits_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	static const char *const words[] = { "16", "20", "24", "32" };
	const char *text = key_scalar(reader, node, "16, 20, 24 or 32");
	int index = text ? key_word_index(reader, node, text, words, COUNT_OF(words)) : -1;

	(void)key;
	if (index >= 0)
		((struct scenario_port_group *)target)->lid_bits =
			(uint32_t[]){ 16, 20, 24, 32 }[index];
}

static const struct key log_keys[] = {
	{ "marks", key_count, FIELD(log_marks), .min = 1, .max = PORT_GROUP_MARKS_MAX },
	{ "window", key_time, FIELD(log_window_ps), .min = NODE_NS, .max = TIME_MAX },
};

static void log_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	(void)key;
	keys_read(reader, node, "'log'", log_keys, COUNT_OF(log_keys), target);
}

static const struct key fecn_keys[] = {
	{ "enabled", key_flag, FIELD(fecn) },
	{ "at", key_size, FIELD(fecn_bytes), .min = 1, .max = BYTES_MAX },
};

static void fecn_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	(void)key;
	keys_read_mechanism(reader, node, "'fecn'", fecn_keys, COUNT_OF(fecn_keys), target);
}

static const struct key becn_keys[] = {
	{ "enabled", key_flag, FIELD(becn) },
	{ "interval", key_time, FIELD(becn_interval_ps), .max = TIME_MAX },
	{ "increase", key_count, FIELD(ccti_increase), .min = 1, .max = PORT_GROUP_CCTI_MAX },
	{ "max", key_count, FIELD(ccti_max), .min = 1, .max = PORT_GROUP_CCTI_MAX },
	{ "step", key_share, FIELD(ccti_step_permille), .min = 1, .max = 1000000, .one = 1000 },
	{ "timer", key_time, FIELD(ccti_timer_ps), .min = NODE_NS, .max = TIME_MAX },
};

static void becn_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	(void)key;
	keys_read_mechanism(reader, node, "'becn'", becn_keys, COUNT_OF(becn_keys), target);
}

static const struct key port_group_keys[] = {
	{ "lid-bits", .read = lid_bits_read },
	{ "adaptive", key_flag, FIELD(adaptive) },
	{ "policy", key_word, FIELD(policy), .words = scenario_policy_name,
	  .word_count = PORT_GROUP_POLICIES },
	{ "update", key_flag, FIELD(update_lft) },
	{ "non-minimal", key_flag, FIELD(non_minimal) },
	{ "pending", key_size, FIELD(pending_bytes), .min = 1, .max = BYTES_MAX },
	{ "queue", key_size, FIELD(queue_bytes), .min = 1, .max = BYTES_MAX },
	{ "log", .read = log_read },
	{ "hold", key_time, FIELD(hold_ps), .max = TIME_MAX },
	{ "fecn", .read = fecn_read },
	{ "becn", .read = becn_read },
};

void scenario_port_group_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *node, void *target)
{
	struct scenario_port_group *port_group = &((struct scenario *)target)->port_group;

	(void)key;
	port_group->place = node->place;
	keys_read(reader, node, "'port-group'", port_group_keys, COUNT_OF(port_group_keys),
		  port_group);
}
