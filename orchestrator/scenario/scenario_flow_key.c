#include "orchestrator/scenario/scenario_flow_key.h"

/* one word of a flow key */
static void flow_key_add(struct reader *reader, const struct yaml_node *element,
			 struct flow_match *match)
{
	const char *text =
		key_scalar(reader, element, "a field such as source-mac or destination-ip/24");
	char name[60];
	struct why why;

	if (!text)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)flow_match_name_bytes(text), text);
	if (key_word_find(reader, element, name, flow_match_words, flow_match_word_count) >= 0 &&
	    flow_match_add(match, text, &why))
		key_refuse(reader, element, "%s", why.text);
}

void scenario_flow_key_read(struct reader *reader, const struct key *key,
			    const struct yaml_node *node, void *target)
{
	struct flow_match *match = (void *)((char *)target + key->offset);
	const struct yaml_node *element = node->kind == YAML_SEQUENCE ? node->first : node;

	flow_match_begin(match);
	for (; element; element = node->kind == YAML_SEQUENCE ? element->next : NULL)
		flow_key_add(reader, element, match);
	flow_match_end(match);
}
