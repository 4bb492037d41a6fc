#include "orchestrator/live/live_save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "orchestrator/plan/plan_save.h"

#define LOAD_TEXT_MAX 64u /* of a setting for a load */

/* the loads that were set since the start, as settings in @texts.  Return: their number */
static uint32_t loads_take(const struct live *live, char (*texts)[LOAD_TEXT_MAX],
			   const char **settings)
{
	uint32_t count = 0;

	for (uint32_t i = 0; live->loads && i < live->plan->workload_count; i++) {
		uint32_t permille = live->loads[i].load_permille;

		if (!permille)
			continue;
		snprintf(texts[count], LOAD_TEXT_MAX, "workloads.%u.load=%u.%u%%", i, permille / 10,
			 permille % 10);
		settings[count] = texts[count];
		count++;
	}
	return count;
}

/* the whole text, or the commands that no scenario can have; NULL with *@error */
static char *text_of(const struct live *live, const struct plan_saving *saving, int *error)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	*error = out ? 0 : -ENOMEM;
	if (out && saving)
		*error = live->plan->origin ? plan_save(live->plan, saving, out) : -EINVAL;
	else if (out)
		live_set_print(&live->sets, out);
	if (out && fclose(out))
		*error = -ENOMEM;
	if (!*error)
		return text;
	free(text);
	return NULL;
}

json_t *live_save(struct live_query *query)
{
	const struct live *live = query->live;
	const char *folder = live_query_text(query, "folder");
	const char *settings[SCENARIO_WORKLOADS_MAX];
	char texts[SCENARIO_WORKLOADS_MAX][LOAD_TEXT_MAX], when[32], *text = NULL, *commands;
	time_t now = time(NULL);
	json_t *answer;
	int error;

	commands = text_of(live, NULL, &error);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	if (!error)
		text = text_of(
			live,
			&(struct plan_saving){ .fabric = live->place.name,
					       .when = when,
					       .folder = folder ? folder : "",
					       .taken = live->faults.taken,
					       .settings = settings,
					       .setting_count = loads_take(live, texts, settings),
					       .commands = commands },
			&error);
	answer = error ? live_refuse("the scenario cannot be written: %s", strerror(-error))
		       : json_pack("{s:s, s:s}", "fabric", live->place.name, "text", text);
	free(commands);
	free(text);
	return answer;
}
