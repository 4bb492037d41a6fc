/*  scenario_topology - the key 'topology' of a scenario: explicit or generated. */
#include "orchestrator/scenario/scenario_topology.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/suggest.h"
#include "orchestrator/scenario/generate.h"
#include "orchestrator/scenario/scenario_flow_key.h"
#include "orchestrator/scenario/scenario_host_keys.h"
#include "orchestrator/scenario/scenario_link.h"
#include "orchestrator/scenario/scenario_prefix.h"
#include "orchestrator/scenario/scenario_machine.h"
#include "orchestrator/scenario/scenario_spot.h"

/* ---- explicit ---- */

static void switches_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	struct scenario *scenario = target;

	if (!key_is_list(reader, key, node, 1, NODE_SWITCHES_MAX, "names, such as [s1, s2]"))
		return;
	scenario->switches = calloc(node->count, sizeof(*scenario->switches));
	reader->out_of_memory |= !scenario->switches;
	for (const struct yaml_node *child = node->first; child && scenario->switches;
	     child = child->next) {
		const char *text = key_scalar(reader, child, "the name of a switch");
		struct scenario_switch *new = &scenario->switches[scenario->switch_count];

		if (!text || !key_name_check(reader, &child->place, text))
			continue;
		snprintf(new->name, sizeof(new->name), "%s", text);
		new->place = child->place;
		scenario->switch_count++;
	}
}

struct switch_reference {
	struct host_keys_target host; /* first: scenario_host_keys.h. An interface has none */
	struct host_interface *interface;
	int64_t index;
	struct link_config link;
	struct flow_match match;
	const struct yaml_node *interfaces; /* read after the host */
	const struct yaml_node *towards;    /* the same */
};

static void towards_keep(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	(void)reader;
	(void)key;
	((struct switch_reference *)target)->towards = node;
}

/* adds the NIC that @reference is of */
static struct scenario_host *nic_add(struct reader *reader, const char *name,
				     const struct scenario_place *place,
				     const struct switch_reference *reference)
{
	struct scenario *scenario = reader->scenario;
	struct scenario_host *nic = &scenario->hosts[scenario->host_count++];

	snprintf(nic->name, sizeof(nic->name), "%s", name);
	nic->switch_index = reference->index < 0 ? 0 : (uint32_t)reference->index;
	scenario_link_towards_read(reader, reference->towards, name,
				   scenario->switches ? scenario->switches[nic->switch_index].name
						      : "",
				   &reference->link, &nic->link, &nic->back);
	nic->match = reference->match;
	nic->place = *place;
	return nic;
}

static void interface_addresses_read(struct reader *reader, const struct key *key,
				     const struct yaml_node *node, void *target)
{
	scenario_host_addresses_read(reader, key, node,
				     ((struct switch_reference *)target)->interface);
}

static void interface_vlans_read(struct reader *reader, const struct key *key,
				 const struct yaml_node *node, void *target)
{
	scenario_host_vlans_read(reader, key, node, ((struct switch_reference *)target)->interface);
}

static const struct key interface_keys[] = {
	{ "switch", key_switch, KEY_FIELD(struct switch_reference, index), .required = true },
	{ "towards", .read = towards_keep },
	{ "addresses", .read = interface_addresses_read },
	{ "vlans", .read = interface_vlans_read },
	{ "flow-key", scenario_flow_key_read, KEY_FIELD(struct switch_reference, match) },
};

static void interface_read(struct reader *reader, const struct yaml_node *node, uint32_t owner)
{
	struct scenario *scenario = reader->scenario;
	struct scenario_host_settings *settings = scenario->hosts[owner].settings;
	uint32_t number = settings->interface_count++;
	struct switch_reference reference = { .interface = &settings->interfaces[number],
					      .index = -1,
					      .link = reader->links.edge,
					      .match = scenario->match };
	struct scenario_host *nic;
	char name[NODE_NAME_MAX + 16];

	if (node->kind == YAML_SCALAR)
		reference.index = key_switch_index(reader, node);
	else
		scenario_link_read(reader, node, "an interface", interface_keys,
				   COUNT_OF(interface_keys), &reference, &reference.link);
	snprintf(name, sizeof(name), "%s.eth%u", scenario->hosts[owner].name, number);
	if (!key_name_check(reader, &node->place, name))
		return;
	nic = nic_add(reader, name, &node->place, &reference);
	nic->owner = owner;
	nic->interface = number;
}

static void host_interfaces_read(struct reader *reader, const struct key *key,
				 const struct yaml_node *node, void *target)
{
	if (key_is_list(reader, key, node, 0, HOST_INTERFACES_MAX - 1,
			"interfaces beside eth0, such as [{switch: s2, addresses: [10.2.0.5/24]}]"))
		((struct switch_reference *)target)->interfaces = node;
}

/* beside those of scenario_host_keys.h */
static const struct key host_keys[] = {
	{ "switch", key_switch, KEY_FIELD(struct switch_reference, index), .required = true },
	{ "prefixes", .read = scenario_prefixes_read },
	{ "flow-key", scenario_flow_key_read, KEY_FIELD(struct switch_reference, match) },
	{ "interfaces", .read = host_interfaces_read },
	{ "towards", .read = towards_keep },
};

static void host_keys_read(struct reader *reader, const struct yaml_node *node,
			   struct switch_reference *reference)
{
	struct key keys[COUNT_OF(host_keys) + HOST_KEYS_MAX];
	size_t count = COUNT_OF(host_keys);

	memcpy(keys, host_keys, sizeof(host_keys));
	count += scenario_host_keys(keys + count);
	reference->host.settings = scenario_host_settings_new();
	reader->out_of_memory |= !reference->host.settings;
	if (reference->host.settings)
		scenario_link_read(reader, node, "a host", keys, count, reference,
				   &reference->link);
}

static void host_read(struct reader *reader, const struct yaml_node *node,
		      const struct yaml_node **interfaces)
{
	struct scenario *scenario = reader->scenario;
	struct switch_reference reference = { .index = -1,
					      .link = reader->links.edge,
					      .match = scenario->match };

	if (!key_name_check(reader, &node->key_place, node->key))
		return;
	if (!key_host_name_valid(node->key)) {
		scenario_errors_at(reader->errors, scenario, &node->key_place,
				   "no host can be called '%s': to programs that is an address, "
				   "or their own host",
				   node->key);
		return;
	}
	if (node->kind == YAML_SCALAR)
		reference.index = key_switch_index(reader, node);
	else
		host_keys_read(reader, node, &reference);
	interfaces[scenario->host_count] = reference.interfaces;
	nic_add(reader, node->key, &node->key_place, &reference)->settings =
		reference.host.settings;
}

/* further interfaces of all hosts, which come after all hosts; at most NODE_COUNT_MAX in all */
static void interfaces_read(struct reader *reader, const struct yaml_node **interfaces)
{
	struct scenario *scenario = reader->scenario;
	uint32_t hosts = scenario->host_count, count = hosts;
	struct scenario_host *all;

	for (uint32_t i = 0; i < hosts; i++)
		count += interfaces[i] ? interfaces[i]->count : 0;
	all = reallocarray(scenario->hosts, count + 1, sizeof(*all));
	reader->out_of_memory |= !all;
	if (!all)
		return;
	memset(all + hosts, 0, (count + 1 - hosts) * sizeof(*all));
	scenario->hosts = all;
	for (uint32_t i = 0; i < hosts; i++)
		for (const struct yaml_node *child = interfaces[i] ? interfaces[i]->first : NULL;
		     child; child = child->next)
			interface_read(reader, child, i);
}

static void hosts_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	struct scenario *scenario = target;
	const struct yaml_node **interfaces;

	(void)key;
	if (node->kind != YAML_MAPPING || !node->count || node->count > NODE_COUNT_MAX) {
		key_refuse(reader, node,
			   "'hosts' must name the switch of each of 1 to %d hosts, such as {A: s1, "
			   "B: s2}",
			   NODE_COUNT_MAX);
		return;
	}
	scenario->hosts = calloc(node->count, sizeof(*scenario->hosts));
	interfaces = calloc(node->count, sizeof(struct yaml_node *));
	reader->out_of_memory |= !scenario->hosts || !interfaces;
	for (const struct yaml_node *child = node->first; child && scenario->hosts && interfaces;
	     child = child->next)
		host_read(reader, child, interfaces);
	if (scenario->hosts && interfaces)
		interfaces_read(reader, interfaces);
	free(interfaces);
}

struct link_target {
	struct link_config settings;
	int64_t ends[2];
	bool refused;
	const struct yaml_node *towards; /* read after the ends */
};

static void link_towards_keep(struct reader *reader, const struct key *key,
			      const struct yaml_node *node, void *target)
{
	(void)reader;
	(void)key;
	((struct link_target *)target)->towards = node;
}

static void between_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	struct link_target *link = target;

	(void)key;
	if (node->kind != YAML_SEQUENCE || node->count != 2) {
		key_refuse(reader, node,
			   "a link has two ends: expected two switches such as [s1, s2]");
		return;
	}
	link->ends[0] = key_switch_index(reader, node->first);
	link->ends[1] = key_switch_index(reader, node->last);
	if (link->ends[0] >= 0 && link->ends[0] == link->ends[1])
		key_refuse(reader, node, "a link must not lead from a switch to itself");
}

static const struct key link_keys[] = {
	{ "between", between_read, .required = true },
	{ "towards", .read = link_towards_keep },
};

static void fabric_link_read(struct reader *reader, const struct yaml_node *node)
{
	struct scenario *scenario = reader->scenario;
	struct link_target target = { .settings = reader->links.fabric, .ends = { -1, -1 } };
	struct scenario_link *link;

	if (node->kind == YAML_SEQUENCE)
		between_read(reader, NULL, node, &target);
	else
		scenario_link_read(reader, node, "a link", link_keys, COUNT_OF(link_keys), &target,
				   &target.settings);
	if (target.ends[0] < 0 || target.ends[1] < 0)
		return;
	link = &scenario->links[scenario->link_count++];
	*link = (struct scenario_link){
		.switch_a = (uint32_t)target.ends[0],
		.switch_b = (uint32_t)target.ends[1],
		.place = node->place,
	};
	scenario_link_towards_read(reader, target.towards, scenario->switches[link->switch_a].name,
				   scenario->switches[link->switch_b].name, &target.settings,
				   &link->settings, &link->back);
}

static void fabric_links_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *node, void *target)
{
	struct scenario *scenario = target;

	(void)key;
	if (node->kind == YAML_SCALAR && !*node->text)
		return;
	if (node->kind != YAML_SEQUENCE || node->count > NODE_COUNT_MAX * NODE_PORTS_MAX / 2) {
		key_refuse(reader, node,
			   "'links' must be a list of links between switches, such as [[s1, s2], "
			   "[s2, s3]]");
		return;
	}
	scenario->links = calloc(node->count ? node->count : 1, sizeof(*scenario->links));
	reader->out_of_memory |= !scenario->links;
	for (const struct yaml_node *child = node->first; child && scenario->links;
	     child = child->next)
		fabric_link_read(reader, child);
}

/* a known key that is read later, when switches and hosts exist */
static void later_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	(void)reader;
	(void)key;
	(void)node;
	(void)target;
}

static const struct key explicit_keys[] = {
	{ "switches", switches_read, .required = true },
	{ "hosts", hosts_read, .required = true },
	{ "links", .read = fabric_links_read },
	{ "at", .read = later_read },
	{ "machines", .read = later_read },
	/* never read here: the generated form has it; listed for suggestions */
	{ "generate", .read = NULL },
};

/* keys that both forms have: where nodes are on the page, and on which machine */
static void places_read(struct reader *reader, const struct yaml_node *topology)
{
	if (yaml_find(topology, "at"))
		scenario_spots_read(reader, yaml_find(topology, "at"));
	if (yaml_find(topology, "machines"))
		scenario_machines_read(reader, yaml_find(topology, "machines"));
}

/* ---- names ---- */

struct named {
	const char *name;
	const struct scenario_place *place;
	uint32_t order;
};

static int named_compare(const void *a, const void *b)
{
	const struct named *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	return order ? order : (left->order > right->order) - (left->order < right->order);
}

/* Switches and hosts are nodes: their names must be distinct. */
static void names_check(struct reader *reader)
{
	const struct scenario *scenario = reader->scenario;
	uint32_t count = 0;
	struct named *names =
		calloc((size_t)scenario->switch_count + scenario->host_count, sizeof(*names));

	if (!names) {
		reader->out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < scenario->switch_count; i++, count++)
		names[count] = (struct named){ scenario->switches[i].name,
					       &scenario->switches[i].place, count };
	for (uint32_t i = 0; i < scenario->host_count; i++, count++)
		names[count] =
			(struct named){ scenario->hosts[i].name, &scenario->hosts[i].place, count };
	qsort(names, count, sizeof(*names), named_compare);
	for (uint32_t i = 1; i < count; i++)
		if (!strcmp(names[i - 1].name, names[i].name))
			scenario_errors_at(reader->errors, scenario, names[i].place,
					   "there are two nodes called '%s'", names[i].name);
	free(names);
}

/* ---- generated ---- */

struct generated {
	uint32_t kind;
	struct generate_size size;
	/* the one link of a dumbbell, those between the groups of a dragonfly */
	struct link_config between;
};

static void between_settings_read(struct reader *reader, const struct key *key,
				  const struct yaml_node *node, void *target)
{
	char what[40];

	snprintf(what, sizeof(what), "'%s'", key->name);
	scenario_link_read(reader, node, what, NULL, 0, NULL,
			   &((struct generated *)target)->between);
}

static void shape_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	struct generate_size *size = &((struct generated *)target)->size;
	struct key length = { "shape", key_count, .bytes = sizeof(uint32_t), .min = 1,
			      .max = NODE_COUNT_MAX };

	(void)key;
	if (node->kind != YAML_SEQUENCE || !node->count || node->count > GENERATE_DIMENSIONS_MAX) {
		key_refuse(reader, node,
			   "'shape' must be a list of the lengths of 1 to %u dimensions, such as "
			   "[4, 4]",
			   GENERATE_DIMENSIONS_MAX);
		return;
	}
	for (const struct yaml_node *child = node->first; child; child = child->next)
		length.read(reader, &length, child, &size->shape[size->dimensions++]);
}

/* one entry of 'flow-keys': the flow key at the edge port of the host that it names */
static void host_flow_key_read(struct reader *reader, const struct yaml_node *node)
{
	struct scenario *scenario = reader->scenario;
	struct key key = { "flow-keys", scenario_flow_key_read,
			   KEY_FIELD(struct scenario_host, match) };
	int64_t host = scenario_host_find(scenario, node->key);
	char hint[SUGGEST_BYTES_MAX + 32];

	if (host >= 0) {
		key.read(reader, &key, node, &scenario->hosts[host]);
		return;
	}
	scenario_errors_at(reader->errors, scenario, &node->key_place, "there is no host '%.60s'%s",
			   node->key,
			   key_name_hint(node->key, scenario->hosts[0].name, scenario->host_count,
					 sizeof(*scenario->hosts), hint, sizeof(hint)));
}

/* reads 'flow-keys' of a generated topology, once its hosts exist */
static void host_flow_keys_read(struct reader *reader, const struct yaml_node *node)
{
	if (node->kind != YAML_MAPPING) {
		key_refuse(reader, node,
			   "'flow-keys' must name hosts and their flow keys, such as {h0: "
			   "[destination-ip/24]}");
		return;
	}
	for (const struct yaml_node *child = node->first; child; child = child->next)
		host_flow_key_read(reader, child);
}

/* the keys of a generated topology of @kind; the required ones come first */
static size_t generated_keys(enum generate_kind kind, struct key *keys)
{
	size_t count = 0;

	keys[count++] = (struct key){ "generate",
				      key_word,
				      KEY_FIELD(struct generated, kind),
				      .words = generate_kind_name,
				      .word_count = GENERATE_KINDS,
				      .required = true };
	for (unsigned i = 0; i < GENERATE_COUNTS; i++) {
		if (!generate_takes(kind, i))
			continue;
		keys[count++] = (struct key){ generate_count_name[i],
					      key_count,
					      .offset = offsetof(struct generated, size.counts) +
							i * sizeof(uint32_t),
					      .bytes = sizeof(uint32_t),
					      .min = 1,
					      .max = NODE_COUNT_MAX,
					      .required = generate_needs(kind, i) };
	}
	if (generate_has_shape(kind))
		keys[count++] = (struct key){ "shape", .read = shape_read, .required = true };
	if (kind == GENERATE_DUMBBELL)
		keys[count++] = (struct key){ "bottleneck", .read = between_settings_read };
	if (generate_has_groups(kind))
		keys[count++] = (struct key){ "global", .read = between_settings_read };
	keys[count++] = (struct key){ "flow-keys", .read = later_read };
	keys[count++] = (struct key){ "at", .read = later_read };
	keys[count++] = (struct key){ "machines", .read = later_read };
	return count;
}

/* builds @generated, of which every number is within its own limits */
static void generated_build(struct reader *reader, const struct yaml_node *node, const char *what,
			    struct generated *generated)
{
	enum generate_kind kind = (enum generate_kind)generated->kind;
	const char *wrong = generate_check(kind, &generated->size);
	struct generate_totals totals;

	if (wrong) {
		key_refuse(reader, node, "%s: %s", what, wrong);
		return;
	}
	totals = generate_totals(kind, &generated->size);
	if (totals.switches > NODE_SWITCHES_MAX ||
	    totals.switches + totals.hosts > NODE_COUNT_MAX ||
	    totals.links > NODE_COUNT_MAX * NODE_PORTS_MAX / 2) {
		key_refuse(reader, node,
			   "%s of this size has %llu switches and %llu hosts; a fabric has at most "
			   "%d switches, and %d nodes",
			   what, (unsigned long long)totals.switches,
			   (unsigned long long)totals.hosts, NODE_SWITCHES_MAX, NODE_COUNT_MAX);
		return;
	}
	if (generate_has_groups(kind))
		generated->between.tier = TIER_GLOBAL;
	if (generate_topology(kind, &generated->size, &reader->links.edge,
			      kind == GENERATE_DUMBBELL ? &generated->between
							: &reader->links.fabric,
			      &generated->between, reader->scenario)) {
		reader->out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < reader->scenario->host_count; i++)
		reader->scenario->hosts[i].match = reader->scenario->match;
	if (yaml_find(node, "flow-keys"))
		host_flow_keys_read(reader, yaml_find(node, "flow-keys"));
	places_read(reader, node);
}

static void generated_read(struct reader *reader, const struct yaml_node *node,
			   const struct yaml_node *kind_node)
{
	struct generated generated = { .between = reader->links.fabric };
	struct key keys[GENERATE_COUNTS + 7];
	int kind = key_word_index(reader, kind_node, "a kind of topology such as leaf-spine",
				  generate_kind_name, GENERATE_KINDS);
	unsigned errors_before = reader->errors->count;
	char what[60];

	if (kind < 0)
		return;
	snprintf(what, sizeof(what), "a generated %s", generate_kind_name[kind]);
	keys_read(reader, node, what, keys, generated_keys((enum generate_kind)kind, keys),
		  &generated);
	if (reader->errors->count == errors_before)
		generated_build(reader, node, what, &generated);
}

void scenario_topology_read(struct reader *reader, const struct key *key,
			    const struct yaml_node *node, void *target)
{
	const struct yaml_node *kind = yaml_find(node, "generate");
	struct scenario *scenario = reader->scenario;

	(void)key;
	scenario->topology_place = node->place;
	if (kind) {
		generated_read(reader, node, kind);
		return;
	}
	if (!keys_read(reader, node, "'topology'", explicit_keys, COUNT_OF(explicit_keys), target))
		return;
	if (scenario->switch_count + scenario->host_count > NODE_COUNT_MAX)
		key_refuse(reader, node,
			   "a fabric has at most %d nodes, switches and hosts together",
			   NODE_COUNT_MAX);
	names_check(reader);
	scenario_prefixes_check(reader);
	places_read(reader, node);
}
