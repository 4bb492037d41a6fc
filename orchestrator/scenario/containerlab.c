#include "orchestrator/scenario/containerlab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/yaml_reader.h"
#include "orchestrator/scenario/scenario_keys.h"

#define SUBNET 0xac141400u /* 172.20.20.0/24, the management network of containerlab */
#define SUBNET_BITS 24u

static int nodes_read(struct containerlab *lab, const struct yaml_node *topology,
		      struct scenario_errors *errors);
static int links_read(struct containerlab *lab, const struct yaml_node *topology);
static void management_read(struct containerlab *lab);

void containerlab_leave_out(struct containerlab *lab, struct scenario_place place,
			    const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	scenario_errors_add_v(&lab->left_out, lab->file, place.line, place.column, format,
			      arguments);
	va_end(arguments);
}

static const struct yaml_node *mapping_of(const struct yaml_node *node, const char *key)
{
	const struct yaml_node *value = yaml_find(node, key);

	return value && value->kind == YAML_MAPPING ? value : NULL;
}

static int wrong(struct containerlab *lab, struct scenario_errors *errors, int line,
		 const char *text)
{
	scenario_errors_add(errors, lab->file, line, 1, "%s", text);
	return -EINVAL;
}

/* names keys of @mapping that are not among @known; those that begin with x- only hold anchors */
static void keys_check(struct containerlab *lab, const struct yaml_node *mapping,
		       const char *const *known, size_t count)
{
	for (const struct yaml_node *child = mapping->first; child; child = child->next) {
		size_t i = 0;

		while (i < count && strcmp(known[i], child->key) != 0)
			i++;
		if (i == count && strncmp(child->key, "x-", 2) != 0)
			containerlab_leave_out(lab, child->key_place, "'%.40s' is left out",
					       child->key);
	}
}

static void name_read(struct containerlab *lab)
{
	const struct yaml_node *name = yaml_find(lab->root, "name");

	if (name && name->kind == YAML_SCALAR && key_name_valid(name->text) && name->text[0] != '.')
		snprintf(lab->name, sizeof(lab->name), "%s", name->text);
	else
		strcpy(lab->name, "lab");
	if (name && strcmp(lab->name, name->text ? name->text : "") != 0)
		containerlab_leave_out(lab, name->place,
				       "the name: a fabric's has 1 to %d letters, digits, '_', "
				       "'.' or '-', no '.' or '-' first",
				       NODE_NAME_MAX - 1);
}

/* all texts can be written as they are */
static void texts_mend(struct containerlab *lab, struct yaml_node *node)
{
	bool mended = node->key && yaml_text_mend(node->key);

	mended |= node->text && yaml_text_mend(node->text);
	if (mended)
		containerlab_leave_out(lab, node->place,
				       "characters that are not printable have become '?'");
	for (struct yaml_node *child = node->first; child; child = child->next)
		texts_mend(lab, child);
}

int containerlab_read(const char *file, const char *text, size_t length, struct containerlab *lab,
		      struct scenario_errors *errors)
{
	static const char *const top[] = { "name", "topology", "mgmt" };
	static const char *const parts[] = { "nodes", "links", "defaults", "kinds", "groups" };
	const struct yaml_node *topology;
	int error;

	*lab = (struct containerlab){ .file = file, .subnet = SUBNET, .subnet_bits = SUBNET_BITS };
	error = yaml_read_anchored(file, text, length, &lab->root, errors);
	if (error)
		return error;
	texts_mend(lab, lab->root);
	topology = mapping_of(lab->root, "topology");
	if (!mapping_of(topology, "nodes"))
		return wrong(lab, errors, 1,
			     "this is no file of containerlab: it has no 'topology' with 'nodes'");
	keys_check(lab, lab->root, top, COUNT_OF(top));
	keys_check(lab, topology, parts, COUNT_OF(parts));
	name_read(lab);
	error = nodes_read(lab, topology, errors);
	if (!error)
		error = links_read(lab, topology);
	if (!error)
		management_read(lab);
	return error;
}

void containerlab_free(struct containerlab *lab)
{
	yaml_free(lab->root);
	free(lab->nodes);
	free(lab->segments);
	free(lab->trunks);
	scenario_errors_free(&lab->left_out);
}

/* ---- nodes ---- */

const struct yaml_node *containerlab_value(const struct containerlab_node *node, const char *key)
{
	const struct yaml_node *value = NULL;

	for (unsigned i = CONTAINERLAB_LEVELS; i-- > 0 && !value;)
		value = yaml_find(node->levels[i], key);
	return value;
}

const char *containerlab_text_of(const struct containerlab_node *node, const char *key)
{
	const struct yaml_node *value = containerlab_value(node, key);

	return value && value->kind == YAML_SCALAR && value->text[0] ? value->text : NULL;
}

/* what a node may have; all other keys are left out, some with a reason */
static void level_check(struct containerlab *lab, const struct yaml_node *level)
{
	static const char *const taken[] = { "kind",   "group",      "image",        "exec",
					     "env",    "binds",      "network-mode", "user",
					     "cmd",    "entrypoint", "mgmt-ipv4",    "mgmt_ipv4",
					     "memory", "sysctls",    "dns" };
	static const struct {
		const char *key, *why;
	} explained[] = {
		{ "ports", "a port of a host is not published on the machine; 'heddle exec' and "
			   "'heddle attach' reach it" },
		{ "healthcheck", "write 'health' of the host by hand" },
		{ "startup-config", "it is for router images" },
		{ "cpu", "a host has no limit of CPU time" },
		{ "stages", "all hosts start at once" },
		{ "wait-for", "all hosts start at once" },
		{ "startup-delay", "all hosts start at once" },
	};

	for (const struct yaml_node *child = level->first; child; child = child->next) {
		const char *why = NULL;
		size_t i = 0;

		while (i < COUNT_OF(taken) && strcmp(taken[i], child->key) != 0)
			i++;
		if (i < COUNT_OF(taken))
			continue;
		for (i = 0; i < COUNT_OF(explained); i++)
			if (!strcmp(explained[i].key, child->key))
				why = explained[i].why;
		containerlab_leave_out(lab, child->key_place, "'%.40s' is left out%s%s", child->key,
				       why ? ": " : "", why ? why : "");
	}
}

/* names what is left out of every mapping in @mappings that is used */
static void levels_check(struct containerlab *lab, const struct yaml_node *mappings, unsigned level)
{
	for (const struct yaml_node *child = mappings ? mappings->first : NULL; child;
	     child = child->next) {
		bool used = false;

		for (uint32_t i = 0; i < lab->node_count && !used; i++)
			used = lab->nodes[i].kind == CONTAINERLAB_HOST &&
			       lab->nodes[i].levels[level] == child;
		if (used)
			level_check(lab, child);
	}
}

static void levels_find(struct containerlab_node *node, const struct yaml_node *topology,
			const struct yaml_node *own)
{
	const struct yaml_node *defaults = mapping_of(topology, "defaults");
	const char *kind, *group;

	node->levels[0] = defaults;
	node->levels[3] = own->kind == YAML_MAPPING ? own : NULL;
	group = containerlab_text_of(node, "group");
	node->levels[2] = group ? mapping_of(mapping_of(topology, "groups"), group) : NULL;
	kind = containerlab_text_of(node, "kind");
	node->levels[1] = kind ? mapping_of(mapping_of(topology, "kinds"), kind) : NULL;
}

static enum containerlab_kind kind_read(struct containerlab *lab, struct containerlab_node *node)
{
	const char *kind = containerlab_text_of(node, "kind");
	const size_t host_max = NODE_NAME_MAX - sizeof(".eth15");

	if (!key_host_name_valid(node->name)) {
		containerlab_leave_out(lab, node->place,
				       "node '%.40s' is left out: a name has 1 to %d letters, "
				       "digits, '_', '.' or '-', no '-' first, and is no address",
				       node->name, NODE_NAME_MAX - 1);
		return CONTAINERLAB_LEFT_OUT;
	}
	if (kind && !strcmp(kind, "linux") && strlen(node->name) > host_max) {
		containerlab_leave_out(lab, node->place,
				       "node '%s' is left out: the name of a host has 1 to %zu "
				       "letters, so that those of its interfaces have 31",
				       node->name, host_max);
		return CONTAINERLAB_LEFT_OUT;
	}
	if (kind && !strcmp(kind, "linux"))
		return CONTAINERLAB_HOST;
	if (kind && (!strcmp(kind, "bridge") || !strcmp(kind, "ovs-bridge")))
		return CONTAINERLAB_SWITCH;
	containerlab_leave_out(lab, node->place,
			       "node '%s' of kind '%.40s' is left out: kinds that can be imported "
			       "are linux, bridge and ovs-bridge",
			       node->name, kind ? kind : "");
	return CONTAINERLAB_LEFT_OUT;
}

static int nodes_read(struct containerlab *lab, const struct yaml_node *topology,
		      struct scenario_errors *errors)
{
	const struct yaml_node *nodes = mapping_of(topology, "nodes");
	uint32_t hosts = 0;

	if (nodes->count > CONTAINERLAB_NODES_MAX)
		return wrong(lab, errors, nodes->place.line, "these are more than 4096 nodes");
	lab->nodes = calloc(nodes->count, sizeof(*lab->nodes));
	if (!lab->nodes)
		return -ENOMEM;
	for (const struct yaml_node *child = nodes->first; child; child = child->next) {
		struct containerlab_node *node = &lab->nodes[lab->node_count++];

		node->name = child->key;
		node->place = child->key_place;
		levels_find(node, topology, child);
		node->kind = kind_read(lab, node);
		hosts += node->kind == CONTAINERLAB_HOST;
	}
	if (!hosts)
		return wrong(lab, errors, nodes->place.line,
			     "there is no node of kind linux, so there is no host to run");
	if (lab->nodes[0].levels[0])
		level_check(lab, lab->nodes[0].levels[0]);
	levels_check(lab, mapping_of(topology, "kinds"), 1);
	levels_check(lab, mapping_of(topology, "groups"), 2);
	levels_check(lab, nodes, 3);
	return 0;
}

/* ---- links ---- */

static struct containerlab_node *node_find(struct containerlab *lab, const char *name)
{
	for (uint32_t i = 0; i < lab->node_count; i++)
		if (!strcmp(lab->nodes[i].name, name))
			return &lab->nodes[i];
	return NULL;
}

static bool name_taken(struct containerlab *lab, const char *name)
{
	for (uint32_t i = 0; i < lab->segment_count; i++)
		if (!strcmp(lab->segments[i], name))
			return true;
	return node_find(lab, name);
}

/* a name that no node and no segment has: @wanted, or "link-7" */
static void name_make(struct containerlab *lab, const char *wanted, const char *otherwise,
		      char name[NODE_NAME_MAX])
{
	unsigned number = 1;

	snprintf(name, NODE_NAME_MAX, "%.*s", NODE_NAME_MAX - 1, wanted);
	if (strlen(wanted) < NODE_NAME_MAX && !name_taken(lab, name))
		return;
	do
		snprintf(name, NODE_NAME_MAX, "%.20s-%u", otherwise, number++);
	while (name_taken(lab, name));
}

/* an end of a link: "node:eth1" */
struct end {
	struct containerlab_node *node;
	char interface[IFNAMSIZ];
};

static bool end_parse(struct containerlab *lab, const struct yaml_node *place, const char *node,
		      const char *interface, struct end *end)
{
	end->node = node_find(lab, node);
	if (!end->node)
		containerlab_leave_out(lab, place->place,
				       "this link is left out: there is no node '%.40s'", node);
	else if (end->node->kind == CONTAINERLAB_HOST &&
		 (!key_name_valid(interface) || strlen(interface) >= IFNAMSIZ))
		containerlab_leave_out(lab, place->place,
				       "this link is left out: '%.40s' is no name of an interface",
				       interface);
	else if (end->node->kind == CONTAINERLAB_LEFT_OUT)
		containerlab_leave_out(lab, place->place,
				       "this link is left out, as its node '%s' is",
				       end->node->name);
	else
		return snprintf(end->interface, IFNAMSIZ, "%.*s", IFNAMSIZ - 1, interface) > 0;
	return false;
}

/* "node:eth1", or {node: , interface: } */
static bool end_read(struct containerlab *lab, const struct yaml_node *value, struct end *end)
{
	const struct yaml_node *node, *interface;
	const char *colon = value->kind == YAML_SCALAR ? strchr(value->text, ':') : NULL;
	char name[256];

	if (colon) {
		snprintf(name, sizeof(name), "%.*s", (int)(colon - value->text), value->text);
		return end_parse(lab, value, name, colon + 1, end);
	}
	node = yaml_find(value, "node");
	interface = yaml_find(value, "interface");
	if (node && interface && node->text && interface->text)
		return end_parse(lab, value, node->text, interface->text, end);
	containerlab_leave_out(lab, value->place,
			       "this link is left out: expected an end such as 'node1:eth1'");
	return false;
}

/* @a before @b: eth2 before eth10 */
static bool interface_before(const char *a, const char *b)
{
	return strverscmp(a, b) < 0;
}

/* can @end have an interface more? */
static bool interface_check(struct containerlab *lab, const struct yaml_node *link,
			    const struct end *end)
{
	const struct containerlab_node *node = end->node;

	if (node->kind != CONTAINERLAB_HOST)
		return true;
	for (uint32_t i = 0; i < node->interface_count; i++) {
		if (strcmp(node->interfaces[i].name, end->interface) != 0)
			continue;
		containerlab_leave_out(lab, link->place, "this link is left out: %s:%s has one",
				       node->name, end->interface);
		return false;
	}
	if (node->interface_count < COUNT_OF(node->interfaces))
		return true;
	containerlab_leave_out(lab, link->place,
			       "this link is left out: host '%s' has %u already, the most",
			       node->name, node->interface_count);
	return false;
}

static void interface_add(const struct end *end, const char *segment, const struct end *other)
{
	struct containerlab_node *node = end->node;
	uint32_t at = node->interface_count;
	struct containerlab_interface *interface;

	if (node->kind != CONTAINERLAB_HOST)
		return;
	for (; at && interface_before(end->interface, node->interfaces[at - 1].name); at--)
		node->interfaces[at] = node->interfaces[at - 1];
	node->interface_count++;
	interface = &node->interfaces[at];
	*interface = (struct containerlab_interface){ 0 };
	snprintf(interface->name, sizeof(interface->name), "%s", end->interface);
	snprintf(interface->segment, sizeof(interface->segment), "%s", segment);
	if (other->node->kind == CONTAINERLAB_HOST)
		snprintf(interface->peer, sizeof(interface->peer), "%s:%s", other->node->name,
			 other->interface);
}

/* the switch of a link of @ends: a bridge, or a segment that is made for it */
static const char *segment_of(struct containerlab *lab, const struct end ends[2])
{
	char wanted[2 * NODE_NAME_MAX], *segment = lab->segments[lab->segment_count];

	for (int i = 0; i < 2; i++)
		if (ends[i].node->kind == CONTAINERLAB_SWITCH)
			return ends[i].node->name;
	snprintf(wanted, sizeof(wanted), "%s-%s", ends[0].node->name, ends[1].node->name);
	name_make(lab, wanted, "link", segment);
	lab->segment_count++;
	return segment;
}

static void link_add(struct containerlab *lab, const struct yaml_node *link,
		     const struct end ends[2])
{
	const char *segment;

	if (!interface_check(lab, link, &ends[0]) || !interface_check(lab, link, &ends[1]))
		return;
	if (ends[0].node == ends[1].node) {
		containerlab_leave_out(lab, link->place,
				       "this link is left out: both ends are '%s'",
				       ends[0].node->name);
		return;
	}
	if (ends[0].node->kind == CONTAINERLAB_SWITCH &&
	    ends[1].node->kind == CONTAINERLAB_SWITCH) {
		lab->trunks[lab->trunk_count++] =
			(struct containerlab_trunk){ ends[0].node->name, ends[1].node->name };
		return;
	}
	segment = segment_of(lab, ends);
	interface_add(&ends[0], segment, &ends[1]);
	interface_add(&ends[1], segment, &ends[0]);
}

static void link_read(struct containerlab *lab, const struct yaml_node *link)
{
	static const char *const known[] = { "endpoints", "type" };
	const struct yaml_node *ends = yaml_find(link, "endpoints"),
			       *type = yaml_find(link, "type");
	struct end end[2];

	if (type && type->text && strcmp(type->text, "veth") != 0)
		containerlab_leave_out(lab, type->place,
				       "this link is left out: its type is '%.40s', not 'veth'",
				       type->text);
	else if (!ends || ends->kind != YAML_SEQUENCE || ends->count != 2)
		containerlab_leave_out(lab, link->place,
				       "this link is left out: expected 'endpoints' with two ends");
	else if (end_read(lab, ends->first, &end[0]) && end_read(lab, ends->last, &end[1])) {
		link_add(lab, link, end);
		keys_check(lab, link, known, COUNT_OF(known));
	}
}

static int links_read(struct containerlab *lab, const struct yaml_node *topology)
{
	const struct yaml_node *links = yaml_find(topology, "links");
	uint32_t count = links && links->kind == YAML_SEQUENCE ? links->count : 0;

	lab->segments = calloc(count + 2, sizeof(*lab->segments));
	lab->trunks = calloc(count, sizeof(*lab->trunks));
	if (!lab->segments || !lab->trunks)
		return -ENOMEM;
	/* first, so that no other has its name */
	name_make(lab, "mgmt", "mgmt", lab->segments[0]);
	lab->segment_count = 1;
	if (links && links->kind != YAML_SEQUENCE && (links->kind == YAML_MAPPING || *links->text))
		containerlab_leave_out(lab, links->place, "'links' is left out: it is no list");
	for (const struct yaml_node *link = count ? links->first : NULL; link; link = link->next)
		link_read(lab, link);
	return 0;
}

/* ---- the management network ---- */

/* "172.20.20.0/24" */
static bool subnet_parse(const char *text, uint32_t *subnet, uint32_t *bits)
{
	char address[32];
	struct in_addr parsed;
	unsigned length;

	if (sscanf(text, "%31[0-9.]/%u", address, &length) != 2 || length < 8 || length > 28 ||
	    inet_pton(AF_INET, address, &parsed) != 1)
		return false;
	*bits = length;
	*subnet = ntohl(parsed.s_addr) & ~0u << (32 - length);
	return true;
}

static void management_read(struct containerlab *lab)
{
	static const char *const known[] = { "network", "ipv4-subnet", "ipv4_subnet" };
	const struct yaml_node *mgmt = mapping_of(lab->root, "mgmt"), *subnet;

	if (!mgmt)
		return;
	keys_check(lab, mgmt, known, COUNT_OF(known));
	subnet = yaml_find(mgmt, "ipv4-subnet");
	if (!subnet)
		subnet = yaml_find(mgmt, "ipv4_subnet");
	if (subnet && (subnet->kind != YAML_SCALAR ||
		       !subnet_parse(subnet->text, &lab->subnet, &lab->subnet_bits)))
		containerlab_leave_out(lab, subnet->place,
				       "the management network is 172.20.20.0/24: expected a "
				       "subnet of 8 to 28 bits such as 172.20.20.0/24");
}
