#include "orchestrator/live/live_set_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/shell_word.h"
#include "orchestrator/base/yaml_writer.h"

static void remove_at(struct live_set_list *list, uint32_t index)
{
	free(list->sets[index].name);
	free(list->sets[index].value);
	list->count--;
	memmove(&list->sets[index], &list->sets[index + 1],
		(list->count - index) * sizeof(*list->sets));
}

int live_set_keep(struct live_set_list *list, const char *node, const char *name, const char *value)
{
	struct live_set set = { .name = strdup(name), .value = strdup(value) };
	struct live_set *sets = reallocarray(list->sets, list->count + 1u, sizeof(*list->sets));

	list->sets = sets ? sets : list->sets;
	if (!sets || !set.name || !set.value) {
		free(set.name);
		free(set.value);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < list->count; i++)
		if (!strcmp(sets[i].node, node) && !strcmp(sets[i].name, name)) {
			remove_at(list, i);
			break;
		}
	if (list->count == LIVE_SETS_MAX)
		remove_at(list, 0);
	snprintf(set.node, sizeof(set.node), "%s", node);
	sets[list->count++] = set;
	return 0;
}

void live_set_drop(struct live_set_list *list, const char *node)
{
	for (uint32_t i = 0; i < list->count;)
		if (!strcmp(list->sets[i].node, node))
			remove_at(list, i);
		else
			i++;
}

/* @text as a word for a shell; with a line break, which no command line may have, as in YAML */
static void word_print(const char *text, FILE *out)
{
	if (strchr(text, '\n'))
		yaml_text_write(text, out);
	else
		shell_word_print(text, out);
}

void live_set_print(const struct live_set_list *list, FILE *out)
{
	for (uint32_t i = 0; i < list->count; i++) {
		fprintf(out, "heddle set %s ", list->sets[i].node);
		word_print(list->sets[i].name, out);
		fputc(' ', out);
		word_print(list->sets[i].value, out);
		fputc('\n', out);
	}
}

void live_set_free(struct live_set_list *list)
{
	while (list->count)
		remove_at(list, list->count - 1);
	free(list->sets);
	list->sets = NULL;
}
