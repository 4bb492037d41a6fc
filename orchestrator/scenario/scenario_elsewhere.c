#include "orchestrator/scenario/scenario_elsewhere.h"

#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/scenario/parameter_text.h"

/* words that are no rows, or that other programs have */
static const struct {
	const char *in, *word, *meant;
} words[] = {
	{ "a workload", "rate", "load" },
	{ "a workload", "bandwidth", "load" },
	{ "a workload", "bytes", "size" },
	{ "a workload", "mtu", "packet" },
	{ "a scenario", "generate", "topology.generate" },
};

bool key_elsewhere(const char *in, const char *word, char *meant, size_t meant_max)
{
	const char *section;

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (!strcmp(words[i].in, in) && !strcmp(words[i].word, word)) {
			snprintf(meant, meant_max, "%s", words[i].meant);
			return true;
		}
	}
	section = !strcmp(in, "a scenario") ? parameter_section_of(word) : NULL;
	if (section)
		snprintf(meant, meant_max, "%s.%s", section, word);
	return section;
}
