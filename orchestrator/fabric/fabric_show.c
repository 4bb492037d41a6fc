#include "orchestrator/fabric/fabric_show.h"

#include <errno.h>
#include <string.h>

#include "orchestrator/base/utf8.h"
#include "orchestrator/fabric/fabric_ask.h"

#define NAME_SHOWN_MAX 64u /* bytes of a table's name that an answer repeats */

/* the records of a page that is what it was laid out as */
static int trace_show(const struct fabric *fabric, uint32_t node, struct node_table *table,
		      struct why *why)
{
	const struct fabric_node *state = &fabric->nodes[node];

	if (stats_view_check(&state->view))
		return why_say(why, FABRIC_SHOW_REFUSED, "%s has destroyed its statistics page",
			       fabric->plan->nodes[node].name);
	return node_table_trace(fabric->plan, node, state->stats, table);
}

/* why node @node refuses table @name */
static void refusal_write(const struct node_config *node, const char *name,
			  const struct control_message *answer, struct why *why)
{
	char what[NAME_SHOWN_MAX + 16] = "default table", *body = answer->body;
	size_t length = body ? strlen(body) : 0;

	while (length && (body[length - 1] == '\n' || body[length - 1] == ' '))
		body[--length] = 0;
	if (body)
		utf8_plain(body);
	if (name[0])
		snprintf(what, sizeof(what), "table '%.*s'", utf8_length(name, NAME_SHOWN_MAX),
			 name);
	if (answer->number == -ENOENT)
		why_say(why, 0, "%s has no %s; it has: %s", node->name, what,
			length ? body : "nothing");
	else
		why_say(why, 0, "%s refuses %s: %s%s%s", node->name, what,
			strerror(-(int)answer->number), length ? ": " : "", length ? body : "");
}

int fabric_show(struct fabric *fabric, uint32_t node, const char *name, int64_t port,
		struct node_table *table, struct why *why)
{
	struct control_message message = { .kind = CONTROL_SHOW, .number = port };
	int error;

	*table = (struct node_table){ 0 };
	why->text[0] = 0;
	if (!strcmp(name, "trace"))
		return trace_show(fabric, node, table, why);
	snprintf(message.text, sizeof(message.text), "%s", name);
	error = fabric_ask(fabric, node, &message);
	if (error)
		return error;
	if (message.number) {
		refusal_write(&fabric->plan->nodes[node], name, &message, why);
		error = FABRIC_SHOW_REFUSED;
	} else if (message.body) {
		error = node_table_read(fabric->plan, node, message.body, table);
	}
	control_message_free(&message);
	return error;
}
