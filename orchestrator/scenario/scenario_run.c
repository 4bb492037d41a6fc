#include "orchestrator/scenario/scenario_run.h"

#include <errno.h>
#include <stdlib.h>

#include "orchestrator/scenario/scenario_parameters.h"

#define RUN_TIME_MAX (3600 * NODE_S)

static const struct parameter rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct scenario_run, __VA_ARGS__),
#include "orchestrator/scenario/run.def"
};
const struct parameter_table run_parameters = PARAMETER_TABLE_OF(struct scenario_run, rows);

void scenario_run_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	struct scenario_run *run = &((struct scenario *)target)->run;
	const struct yaml_node *warmup = yaml_find(node, "warmup");

	(void)key;
	scenario_parameters_read(
		reader, node, "'run'",
		&(struct parameters_reading){ .table = &run_parameters, .structure = run });
	if (run->warmup_ps >= run->duration_ps)
		key_refuse(reader, warmup ? warmup : node,
			   "warmup must be shorter than duration: it is part of it");
}

void scenario_time_note(struct reader *reader, const struct yaml_node *node, node_time_t at_ps,
			const char *what)
{
	struct scenario *scenario = reader->scenario;
	struct scenario_late *lates;

	if (!node || at_ps < scenario->run.duration_ps)
		return;
	lates = reallocarray(scenario->lates, scenario->late_count + 1u, sizeof(*lates));
	reader->out_of_memory |= !lates;
	if (!lates)
		return;
	scenario->lates = lates;
	lates[scenario->late_count++] = (struct scenario_late){ node->place, what };
}

int scenario_run_check(const struct scenario *scenario, struct scenario_errors *errors)
{
	if (scenario->run_missing)
		scenario_errors_at(errors, scenario, &scenario->place,
				   "a scenario lacks the key 'run', such as run: {duration: 1ms}; "
				   "only 'heddle up' and 'heddle check --up' need none");
	for (uint32_t i = 0; i < scenario->late_count; i++)
		scenario_errors_at(errors, scenario, &scenario->lates[i].place,
				   "%s at or after the end of the run", scenario->lates[i].what);
	return scenario->run_missing || scenario->late_count ? -EINVAL : 0;
}
