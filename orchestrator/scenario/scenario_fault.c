/*  scenario_fault - the key 'faults' of a scenario: links and switches that fail and return at
 *  given times (FC-26). */
#include "orchestrator/scenario/scenario_fault.h"

#include <string.h>

#define TIME_MAX (3600 * NODE_S)

/* Return: true if there is a switch or host called @text. If not, adds an error at @node. */
static bool end_check(struct reader *reader, const struct yaml_node *node, const char *text)
{
	const struct scenario *scenario = reader->scenario;

	if (scenario_switch_find(scenario, text) >= 0 || scenario_host_find(scenario, text) >= 0)
		return true;
	if (!scenario->switch_count)
		return false; /* the topology has an error already */
	key_node_refuse(reader, node, text);
	return false;
}

/* one end of a link: a node, or node:port if there are several links */
static void end_read(struct reader *reader, const struct yaml_node *node,
		     struct scenario_fault_end *end)
{
	const char *text = key_scalar(reader, node, "the name of a switch or host, or name:port");
	const char *colon = text ? strchr(text, ':') : NULL;
	size_t length = colon ? (size_t)(colon - text) : text ? strlen(text) : 0;

	if (!text)
		return;
	if (length >= sizeof(end->node) ||
	    (colon && (!colon[1] || strlen(colon + 1) >= sizeof(end->port)))) {
		key_refuse(reader, node,
			   "'%.60s' is no end of a link; expected the name of a switch or host, "
			   "such as s1, or s1:p3",
			   text);
		return;
	}
	memcpy(end->node, text, length);
	end->node[length] = 0;
	if (colon)
		memcpy(end->port, colon + 1, strlen(colon + 1) + 1);
	end_check(reader, node, end->node);
}

static void link_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	struct scenario_fault *fault = target;

	(void)key;
	if (node->kind != YAML_SEQUENCE || node->count != 2) {
		key_refuse(reader, node, "'link' names the two ends of a link, such as [s1, s2]");
		return;
	}
	end_read(reader, node->first, &fault->ends[0]);
	end_read(reader, node->last, &fault->ends[1]);
}

static void manager_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	const char *text = key_scalar(reader, node, "active");

	(void)key;
	(void)target;
	if (text && strcmp(text, "active"))
		key_refuse(reader, node,
			   "'%.60s': only the death of the active fabric manager has an effect; "
			   "expected active",
			   text);
}

static const struct key fault_keys[] = {
	{ "at", key_time, KEY_FIELD(struct scenario_fault, at_ps), .max = TIME_MAX,
	  .required = true },
	{ "for", key_time, KEY_FIELD(struct scenario_fault, for_ps), .min = NODE_NS,
	  .max = TIME_MAX },
	{ "link", .read = link_read },
	{ "switch", key_switch, KEY_FIELD(struct scenario_fault, switch_index) },
	{ "fabric-manager", .read = manager_read },
};

static void fault_read(struct reader *reader, const struct yaml_node *node,
		       struct scenario_fault *fault)
{
	unsigned errors_before = reader->errors->count;
	const struct yaml_node *link, *failing, *manager;

	*fault = (struct scenario_fault){ .for_ps = NODE_TIME_NEVER, .place = node->place };
	if (!keys_read(reader, node, "a fault", fault_keys, COUNT_OF(fault_keys), fault) ||
	    reader->errors->count != errors_before)
		return;
	link = yaml_find(node, "link");
	failing = yaml_find(node, "switch");
	manager = yaml_find(node, "fabric-manager");
	fault->kind = manager ? FAULT_MANAGER : failing ? FAULT_SWITCH : FAULT_LINK;
	if (!!link + !!failing + !!manager != 1)
		key_refuse(reader, node,
			   "a fault is that of one 'link', such as [s1, s2], of one 'switch', or "
			   "of the 'fabric-manager'");
	if (manager && fault->for_ps != NODE_TIME_NEVER)
		key_refuse(reader, yaml_find(node, "for"),
			   "the standby takes over when the time of 'routing: {takeover: TIME}' "
			   "has passed");
	scenario_time_note(reader, yaml_find(node, "at"), fault->at_ps, "the fault would come");
}

void scenario_faults_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	struct scenario *scenario = target;

	scenario->faults = key_list_new(reader, key, node, SCENARIO_FAULTS_MAX,
					"faults, such as [{at: 50us, link: [s1, s2], for: 20us}]",
					sizeof(*scenario->faults));
	for (const struct yaml_node *child = node->first; child && scenario->faults;
	     child = child->next)
		fault_read(reader, child, &scenario->faults[scenario->fault_count++]);
}
