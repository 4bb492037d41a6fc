#include "orchestrator/scenario/scenario_idle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/scenario/scenario_host_keys.h"

#define FLOW_CHANNEL (1u << FABRIC_FLOW_CHANNEL)
#define ROCE (1u << FABRIC_ROCE)
#define PORT_GROUP (1u << FABRIC_PORT_GROUP)

/* The keys that only some kinds of fabric use; '*' stands for each element. docs/scenario.md has
 * the same in words. */
static const struct {
	const char *path;
	unsigned kinds; /* that use it */
} keys[] = {
	{ "congestion", FLOW_CHANNEL },
	{ "roce", ROCE },
	{ "port-group", PORT_GROUP },
	{ "routing.preset", FLOW_CHANNEL },
	{ "routing.choice", FLOW_CHANNEL },
	{ "routing.load", FLOW_CHANNEL },
	{ "routing.detour", FLOW_CHANNEL },
	{ "routing.hold-sources", FLOW_CHANNEL },
	{ "routing.redirect", FLOW_CHANNEL },
	{ "routing.routes", ROCE },
	{ "routing.lanes", FLOW_CHANNEL | PORT_GROUP },
	{ "switch.arbiter", FLOW_CHANNEL },
	{ "switch.flow-key", FLOW_CHANNEL },
	{ "switch.acks", FLOW_CHANNEL },
	{ "switch.buffer", FLOW_CHANNEL | PORT_GROUP },
	{ "switch.output-queue", FLOW_CHANNEL | PORT_GROUP },
	{ "nic.fgfc-entries", FLOW_CHANNEL },
	{ "classes.*.unordered", FLOW_CHANNEL | PORT_GROUP },
	{ "classes.*.lossless", ROCE },
	{ "classes.*.ecn", ROCE },
	{ "classes.*.queue", ROCE },
	{ "classes.*.alpha", ROCE },
	{ "classes.*.xoff", ROCE },
	{ "classes.*.xon-offset", ROCE },
	{ "classes.*.watched", ROCE },
	{ "links.channels", FLOW_CHANNEL },
	{ "links.edge.channels", FLOW_CHANNEL },
	{ "links.fabric.channels", FLOW_CHANNEL },
	{ "topology.hosts.*.channels", FLOW_CHANNEL },
	{ "topology.hosts.*.flow-key", FLOW_CHANNEL },
	{ "topology.flow-keys", FLOW_CHANNEL },
	{ "topology.links.*.channels", FLOW_CHANNEL },
	{ "topology.bottleneck.channels", FLOW_CHANNEL },
	{ "topology.global.channels", FLOW_CHANNEL },
};

/* ---- the kinds of fabric that the file is run as ---- */

static unsigned kind_of(const struct yaml_node *fabric)
{
	for (unsigned i = 0; fabric && fabric->kind == YAML_SCALAR && i < FABRIC_KINDS; i++)
		if (!strcmp(fabric->text, scenario_fabric_name[i]))
			return 1u << i;
	return 0;
}

static unsigned kinds_of(const struct yaml_node *root, const struct scenario *scenario)
{
	const struct yaml_node *variants = yaml_find(yaml_find(root, "compare"), "variants");
	unsigned kinds = 1u << scenario->fabric;

	for (const struct yaml_node *variant = variants ? variants->first : NULL; variant;
	     variant = variant->next)
		kinds |= kind_of(yaml_find(yaml_find(variant, "set"), "fabric"));
	return kinds;
}

/* ---- the keys that are given ---- */

struct search {
	struct scenario *scenario;
	char path[128];
	int error;
};

static void said_add(struct search *search, const struct scenario_place *place)
{
	struct scenario *scenario = search->scenario;
	char **texts = reallocarray(scenario->idle, scenario->idle_count + 1, sizeof(*texts)),
	     *text;
	int length;

	if (!texts) {
		search->error = -ENOMEM;
		return;
	}
	scenario->idle = texts;
	if (place->setting)
		length = asprintf(&text, "%s (%s)", search->path,
				  scenario->settings[place->setting - 1]);
	else
		length = asprintf(&text, "%s (line %d)", search->path, place->line);
	if (length < 0)
		search->error = -ENOMEM;
	else
		scenario->idle[scenario->idle_count++] = text;
}

/* Searches below @node, which the first @used characters of search->path name, for the rest of the
 * path: @rest. */
static void walk(struct search *search, const struct yaml_node *node, const char *rest, size_t used)
{
	size_t length = strcspn(rest, ".");
	unsigned index = 0;

	for (const struct yaml_node *child = node->first; child; child = child->next, index++) {
		size_t room = sizeof(search->path) - used;
		int added;

		if (*rest != '*' && (!child->key || strlen(child->key) != length ||
				     strncmp(child->key, rest, length) != 0))
			continue;
		added = child->key ? snprintf(search->path + used, room, "%s%s", used ? "." : "",
					      child->key)
				   : snprintf(search->path + used, room, ".%u", index);
		if (rest[length] && (size_t)added < room)
			walk(search, child, rest + length + 1, used + (size_t)added);
		else if (!rest[length])
			said_add(search, child->key ? &child->key_place : &child->place);
	}
}

/* does a variant change the section roce? */
static bool roce_varies(const struct yaml_node *root)
{
	const struct yaml_node *variants = yaml_find(yaml_find(root, "compare"), "variants");

	for (const struct yaml_node *variant = variants ? variants->first : NULL; variant;
	     variant = variant->next) {
		const struct yaml_node *set = yaml_find(variant, "set");

		for (const struct yaml_node *key = set ? set->first : NULL; key; key = key->next)
			if (key->key && !strncmp(key->key, "roce", 4))
				return true;
	}
	return false;
}

/* a library beside another control */
static void own_control_find(struct search *search, const struct yaml_node *root)
{
	const struct yaml_node *roce = yaml_find(root, "roce"),
			       *own = yaml_find(roce, "own-control"),
			       *control = yaml_find(roce, "congestion-control");

	if (!own || !control || control->kind != YAML_SCALAR || !strcmp(control->text, "own") ||
	    roce_varies(root))
		return;
	snprintf(search->path, sizeof(search->path),
		 "roce.own-control beside congestion-control: %.32s", control->text);
	said_add(search, &own->key_place);
}

/* only supplemented CNPs can have failed (RC-8, RC-9) */
static void path_pause_find(struct search *search, const struct yaml_node *root)
{
	const struct roce_config *config = &search->scenario->roce.config;
	const struct yaml_node *key = yaml_find(yaml_find(root, "roce"), "path-pause");

	if (!key || !config->path_pause || config->path_target != ROCE_CNP_FAILED ||
	    config->supplement || roce_varies(root))
		return;
	snprintf(search->path, sizeof(search->path),
		 "roce.path-pause with target cnp-failed and without supplement");
	said_add(search, &key->key_place);
}

/* Parameters of a control that another one replaces. A library of the user's may be told of CNPs,
 * whose interval is a key of dcqcn. */
static void control_section_find(struct search *search, const struct yaml_node *root,
				 enum congestion_kind kind)
{
	const struct roce_config *config = &search->scenario->roce.config;
	const struct yaml_node *key = yaml_find(yaml_find(root, "roce"), congestion_words[kind]);

	if (!key || config->congestion == kind || config->congestion == CONGESTION_OWN ||
	    (kind == CONGESTION_DCQCN && !config->dcqcn.enabled) || roce_varies(root))
		return;
	snprintf(search->path, sizeof(search->path), "roce.%s beside congestion-control: %s",
		 congestion_words[kind], congestion_words[config->congestion]);
	said_add(search, &key->key_place);
}

int scenario_idle_find(const struct yaml_node *root, struct scenario *scenario)
{
	struct search search = { .scenario = scenario };
	unsigned kinds = kinds_of(root, scenario);

	for (size_t i = 0; i < COUNT_OF(keys) && !search.error; i++)
		if (!(keys[i].kinds & kinds))
			walk(&search, root, keys[i].path, 0);
	if (kinds & ROCE && !search.error)
		own_control_find(&search, root);
	if (kinds & ROCE && !search.error)
		path_pause_find(&search, root);
	if (kinds & ROCE && !search.error)
		control_section_find(&search, root, CONGESTION_DCQCN);
	if (kinds & ROCE && !search.error)
		control_section_find(&search, root, CONGESTION_SWIFT);
	scenario->kinds = kinds;
	return search.error;
}

void scenario_idle_print(const struct scenario *scenario, const char *label, FILE *out)
{
	for (uint32_t i = 0; i < scenario->idle_count; i++)
		fprintf(out, "%s%s", i ? ", " : label, scenario->idle[i]);
	if (scenario->idle_count)
		fputc('\n', out);
}

/* the keys of hosts, which are of use to real programs only */
static void hosts_note(const struct scenario *scenario, const char *command)
{
	const char *first = NULL;
	uint32_t given = 0, count = 0;

	for (uint32_t i = 0; i < scenario->host_count; i++) {
		if (!scenario->hosts[i].settings || !scenario->hosts[i].settings->given)
			continue;
		given |= scenario->hosts[i].settings->given;
		first = count++ ? first : scenario->hosts[i].name;
	}
	if (!count)
		return;
	fprintf(stderr,
		"heddle %s: only 'heddle up' has real hosts, so this has no effect:", command);
	for (unsigned bit = 0; bit < 32 && scenario_host_key_name(bit); bit++)
		if (given & 1u << bit)
			fprintf(stderr, "%s %s", given & ((1u << bit) - 1) ? "," : "",
				scenario_host_key_name(bit));
	if (count > 1)
		fprintf(stderr, " (of %s and %u other host%s)\n", first, count - 1,
			count > 2 ? "s" : "");
	else
		fprintf(stderr, " (of %s)\n", first);
}

void scenario_idle_note(const struct scenario *scenario, const char *command)
{
	char label[120];

	snprintf(label, sizeof(label), "heddle %s: no effect in a fabric of kind %s: ", command,
		 scenario_fabric_name[scenario->fabric]);
	scenario_idle_print(scenario, label, stderr);
	if (strcmp(command, "up") != 0)
		hosts_note(scenario, command);
}
