#include "orchestrator/results/counter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/port_name.h"
#include "orchestrator/base/suggest.h"

#define WORD_MAX 128u

/* the node whose name and a dot begin @word; of several the longest name (names may contain
 * dots) */
static const struct node_config *node_at(const struct plan *plan, const char *word)
{
	const struct node_config *found = NULL;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		size_t length = strlen(plan->nodes[i].name);

		if (!strncmp(plan->nodes[i].name, word, length) && word[length] == '.' &&
		    (!found || length > strlen(found->name)))
			found = &plan->nodes[i];
	}
	return found;
}

static int counter_find(const struct statistics *list, const char *word, struct counter *counter,
			struct why *why)
{
	char hint[WORD_MAX];

	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->rows[i].name, word)) {
			counter->statistic = &list->rows[i];
			counter->kind = statistic_quantity(list->rows[i].unit);
			return 0;
		}
	}
	suggest_sentence(word, &list->rows[0].name, list->count, sizeof(list->rows[0]), hint,
			 sizeof(hint));
	why_say(why, 0, "there is no counter '%s'%s; there are", word, hint);
	for (size_t i = 0; i < list->count; i++)
		why_add(why, " %s", list->rows[i].name);
	return -EINVAL;
}

static int counter_parse(const struct plan *plan, const char *word, struct counter *counter,
			 struct why *why)
{
	const struct node_config *node = node_at(plan, word);
	const char *rest, *dot;
	char port[WORD_MAX];

	*counter = (struct counter){ .now = !strcmp(word, "now"), .kind = QUANTITY_TIME };
	if (counter->now)
		return 0;
	if (!node)
		return why_say(why, -EINVAL,
			       "'%s' is neither 'now' nor NODE.PORT.COUNTER nor NODE.COUNTER",
			       word);
	counter->node = node->index;
	rest = word + strlen(node->name) + 1;
	dot = strrchr(rest, '.');
	if (!dot)
		return counter_find(&node_statistics, rest, counter, why);
	snprintf(port, sizeof(port), "%.*s", (int)(dot - rest), rest);
	counter->ports = port_name_find(node, port);
	if (!counter->ports)
		return why_say(why, -EINVAL,
			       "%s has no port '%s': give a number below %u or the name of a peer",
			       node->name, port, node->port_count);
	return counter_find(&port_statistics, dot + 1, counter, why);
}

static const char *spaces_skip(const char *text)
{
	return text + strspn(text, " \t");
}

int condition_parse(const struct plan *plan, const char *text, struct condition *condition,
		    struct why *why)
{
	static const struct {
		const char *text;
		bool less, equal, greater;
	} all[] = { { "==", false, true, false }, { "!=", true, false, true },
		    { "<=", true, true, false },  { ">=", false, true, true },
		    { "<", true, false, false },  { ">", false, false, true } };
	char word[WORD_MAX];
	struct why reason;
	size_t length;
	int error;

	text = spaces_skip(text);
	length = strcspn(text, " \t=!<>");
	snprintf(word, sizeof(word), "%.*s", (int)length, text);
	*condition = (struct condition){ 0 };
	error = counter_parse(plan, word, &condition->counter, why);
	if (error)
		return error;
	text = spaces_skip(text + length);
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		if (strncmp(text, all[i].text, strlen(all[i].text)))
			continue;
		condition->less = all[i].less;
		condition->equal = all[i].equal;
		condition->greater = all[i].greater;
		text = spaces_skip(text + strlen(all[i].text));
		error = quantity_parse(condition->counter.kind, text, &condition->value, &reason);
		if (error)
			why_say(why, 0, "%s is compared with a value that cannot be read: %s", word,
				reason.text);
		return error;
	}
	return why_say(why, -EINVAL, "after '%s' expected one of == != < <= > >= and a value",
		       word);
}

static uint64_t counter_read(const struct counter *counter, struct stats_page *page,
			     node_time_t now)
{
	const struct statistic *row = counter->statistic;
	uint64_t folded = 0;

	if (counter->now)
		return now;
	if (!counter->ports)
		return statistic_value(row, page);
	for (uint64_t left = counter->ports; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);

		folded = statistic_fold(row->fold, folded,
					statistic_value(row, stats_port(page, port)));
	}
	return folded;
}

bool condition_holds(const struct condition *condition, struct stats_page *page, node_time_t now)
{
	uint64_t value = counter_read(&condition->counter, page, now);

	return value < condition->value   ? condition->less
	       : value > condition->value ? condition->greater
					  : condition->equal;
}

node_time_t condition_time(const struct condition *condition)
{
	if (!condition->counter.now || condition->less || condition->value >= NODE_TIME_NEVER)
		return NODE_TIME_NEVER;
	return condition->value + !condition->equal;
}

/* ---- completion ---- */

static void node_words(const struct node_config *node, struct word_list *words)
{
	for (uint32_t port = 0; port < node->port_count; port++)
		if (!node->ports[port].vacant)
			word_list_add(words, "%s.%s.", node->name, node->ports[port].peer_name);
	for (size_t i = 0; i < node_statistics.count; i++)
		word_list_add(words, "%s.%s", node->name, node_statistics.rows[i].name);
}

void counter_words(const struct plan *plan, const char *typed, struct word_list *words)
{
	const struct node_config *node = node_at(plan, typed);
	const char *rest = node ? typed + strlen(node->name) + 1 : NULL;
	const char *dot = rest ? strrchr(rest, '.') : NULL;

	if (!node) {
		word_list_add(words, "now");
		for (uint32_t i = 0; i < plan->node_count; i++)
			word_list_add(words, "%s.", plan->nodes[i].name);
	} else if (!dot) {
		node_words(node, words);
	} else {
		for (size_t i = 0; i < port_statistics.count; i++)
			word_list_add(words, "%.*s.%s", (int)(dot - typed), typed,
				      port_statistics.rows[i].name);
	}
}
