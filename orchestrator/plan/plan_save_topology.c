#include "orchestrator/plan/plan_save_topology.h"

#include <string.h>

#include "orchestrator/base/yaml_writer.h"
#include "orchestrator/scenario/parameter_text.h"
#include "orchestrator/scenario/scenario_host_keys.h"
#include "orchestrator/scenario/scenario_link.h"

struct topology_writing {
	const struct plan *plan;
	const struct yaml_node *hosts; /* topology.hosts of the scenario; NULL: it is generated */
	const struct yaml_node *flow_keys; /* then, topology.flow-keys; NULL: there are none */
	struct links_settings links;
	FILE *out;
};

bool plan_save_alone(const struct plan *plan, uint32_t node)
{
	for (uint32_t p = 0; p < plan->nodes[node].port_count; p++)
		if (!plan->nodes[node].ports[p].vacant)
			return false;
	return true;
}

/* ---- links ---- */

/* the keys in which @link differs from @usual, each after @before and then ", " */
static void settings_write(const struct link_config *link, const struct link_config *usual,
			   const char *before, FILE *out)
{
	char text[QUANTITY_TEXT_MAX];

	for (size_t r = 0; r < link_parameters.count; r++) {
		const struct parameter *row = &link_parameters.rows[r];
		uint64_t value = parameter_get(row, link);

		if (value == parameter_get(row, usual))
			continue;
		fprintf(out, "%s%s: %s", before, row->key, parameter_value(row, value, text));
		before = ", ";
	}
}

/* what both directions of link @index are like, its ends `a` and `b` included */
static void link_settings_write(const struct topology_writing *writing, uint32_t index)
{
	const struct plan_link *link = &writing->plan->links[index];
	const struct node_config *a = &writing->plan->nodes[link->node_a],
				 *b = &writing->plan->nodes[link->node_b];
	bool edge = a->kind == NODE_NIC || b->kind == NODE_NIC;
	struct link_config to_b, to_a;

	port_direction_get(&a->ports[link->port_a], &b->ports[link->port_b], &to_b);
	port_direction_get(&b->ports[link->port_b], &a->ports[link->port_a], &to_a);
	settings_write(&to_b, edge ? &writing->links.edge : &writing->links.fabric, ", ",
		       writing->out);
	if (parameters_equal(&link_parameters, &to_b, &to_a))
		return;
	fprintf(writing->out, ", towards: {%s: {", a->name);
	settings_write(&to_a, &to_b, "", writing->out);
	fputs("}}", writing->out);
}

static void links_write(const struct topology_writing *writing)
{
	const struct plan *plan = writing->plan;

	fputs("  links:", writing->out);
	for (uint32_t i = 0, written = 0; i <= plan->link_count; i++) {
		const struct plan_link *link = &plan->links[i];

		if (i == plan->link_count) {
			fputs(written ? "" : " []\n", writing->out);
			break;
		}
		if (link->vacant || plan->nodes[link->node_a].kind == NODE_NIC ||
		    plan->nodes[link->node_b].kind == NODE_NIC)
			continue;
		fprintf(writing->out, "%s    - {between: [%s, %s]", written++ ? "" : "\n",
			plan->nodes[link->node_a].name, plan->nodes[link->node_b].name);
		link_settings_write(writing, i);
		fputs("}\n", writing->out);
	}
}

/* ---- hosts ---- */

static bool is_row(const struct parameter_table *table, const char *key)
{
	for (size_t r = 0; r < table->count; r++)
		if (table->rows[r].key && !strcmp(table->rows[r].key, key))
			return true;
	return false;
}

/* the keys of @entry that are not about the link; without @own none of a host's settings */
static void entry_write(const struct topology_writing *writing, const struct yaml_node *entry,
			bool own)
{
	const struct yaml_node *child = entry && entry->kind == YAML_MAPPING ? entry->first : NULL;

	for (; child; child = child->next) {
		if (!strcmp(child->key, "switch") || !strcmp(child->key, "towards") ||
		    !strcmp(child->key, "interfaces") || is_row(&link_parameters, child->key) ||
		    (!own && is_row(&host_parameters, child->key)))
			continue;
		fprintf(writing->out, ", %s: ", child->key);
		yaml_flow_write(child, writing->out);
	}
}

/* the default addresses of host @index, if another host of the saved scenario gets them */
static void addresses_write(const struct topology_writing *writing, uint32_t index, uint32_t saved)
{
	const struct host_interface *eth0 = plan_host_interface(writing->plan, index);
	char text[IP_ADDRESS_TEXT_MAX + 8];

	if (index == saved || !eth0->address_count ||
	    !scenario_host_address_is_default(&eth0->addresses[0]))
		return;
	for (uint32_t i = 0; i < eth0->address_count; i++)
		fprintf(writing->out, "%s\"%s/%u\"", i ? ", " : ", addresses: [",
			ip_address_text(&eth0->addresses[i].ip, text),
			(unsigned)eth0->addresses[i].ip.bits);
	fputc(']', writing->out);
}

/* the NIC @index up to its own keys: {switch: s1, rate: ... */
static void nic_write(const struct topology_writing *writing, uint32_t index)
{
	const struct port_config *port =
		&writing->plan->nodes[plan_host_node(writing->plan, index)].ports[0];

	fprintf(writing->out, "{switch: %s", port->peer_name);
	link_settings_write(writing, port->link_index);
}

static void interfaces_write(const struct topology_writing *writing, uint32_t owner,
			     const struct yaml_node *entry)
{
	const struct plan *plan = writing->plan;
	const struct yaml_node *list = yaml_find(entry, "interfaces");
	uint32_t written = 0;

	for (uint32_t i = 0; i < plan->host_count; i++) {
		const struct yaml_node *own = list ? list->first : NULL;

		if (plan_vacant(plan, plan_host_node(plan, i)) || plan->hosts[i].owner != owner ||
		    !plan->hosts[i].interface)
			continue;
		for (uint32_t n = 1; own && n < plan->hosts[i].interface; n++)
			own = own->next;
		fputs(written++ ? ", " : ", interfaces: [", writing->out);
		nic_write(writing, i);
		entry_write(writing, own, true);
		fputc('}', writing->out);
	}
	fputs(written ? "]" : "", writing->out);
}

static void flow_key_write(const struct topology_writing *writing, const char *host)
{
	const struct yaml_node *key = yaml_find(writing->flow_keys, host);

	if (!key)
		return;
	fputs(", flow-key: ", writing->out);
	yaml_flow_write(key, writing->out);
}

static void hosts_write(const struct topology_writing *writing)
{
	const struct plan *plan = writing->plan;
	uint32_t saved = 0;

	fputs("  hosts:\n", writing->out);
	for (uint32_t i = 0; i < plan->host_count; i++) {
		const struct node_config *nic = &plan->nodes[plan_host_node(plan, i)];
		const struct yaml_node *entry = yaml_find(writing->hosts, nic->name);

		if (!nic->name[0] || plan->hosts[i].interface)
			continue;
		fprintf(writing->out, "    %s: ", nic->name);
		nic_write(writing, i);
		entry_write(writing, entry, plan->hosts[i].settings->own);
		flow_key_write(writing, nic->name);
		addresses_write(writing, i, saved++);
		interfaces_write(writing, i, entry);
		fputs("}\n", writing->out);
	}
}

/* ---- the section ---- */

static bool is_saved(const struct plan *plan, const char *name)
{
	const struct node_config *node = plan_node_find(plan, name);

	return node && !plan_save_alone(plan, node->index);
}

/* does @machines, of the scenario, name switch @name? */
static bool has_machine(const struct yaml_node *machines, const char *name)
{
	for (const struct yaml_node *machine = machines->first; machine; machine = machine->next)
		for (const struct yaml_node *item = machine->first; item; item = item->next)
			if (!strcmp(item->text, name))
				return true;
	return false;
}

/* which machine runs what, without switches that have left. The section names all switches or is
 * left out.  Return: is there a switch without a machine? */
static bool machines_write(const struct plan *plan, const struct yaml_node *machines, FILE *out)
{
	if (!machines || machines->kind != YAML_MAPPING)
		return false;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (!plan_vacant(plan, i) && !plan_save_alone(plan, i) &&
		    !has_machine(machines, plan->nodes[i].name))
			return true;
	fputs("  machines:\n", out);
	for (const struct yaml_node *machine = machines->first; machine; machine = machine->next) {
		uint32_t count = 0;

		for (const struct yaml_node *item = machine->first; item; item = item->next)
			if (is_saved(plan, item->text)) {
				if (!count++)
					fprintf(out, "    %s: [%s", machine->key, item->text);
				else
					fprintf(out, ", %s", item->text);
			}
		if (count)
			fputs("]\n", out);
	}
	return false;
}

/* where nodes are drawn, without those that have left */
static void spots_write(const struct plan *plan, const struct yaml_node *spots, FILE *out)
{
	uint32_t count = 0;

	if (!spots || spots->kind != YAML_MAPPING)
		return;
	for (const struct yaml_node *spot = spots->first; spot; spot = spot->next) {
		if (!is_saved(plan, spot->key))
			continue;
		fprintf(out, "%s    %s: ", count++ ? "" : "  at:\n", spot->key);
		yaml_flow_write(spot, out);
		fputc('\n', out);
	}
}

bool plan_save_topology(const struct plan *plan, const struct yaml_node *root, FILE *out)
{
	const struct yaml_node *topology = yaml_find(root, "topology");
	struct topology_writing writing = { .plan = plan, .out = out };

	scenario_links_of(root, plan_fabric(plan), &writing.links);
	if (yaml_find(topology, "generate"))
		writing.flow_keys = yaml_find(topology, "flow-keys");
	else
		writing.hosts = yaml_find(topology, "hosts");
	fputs("topology:\n  switches:\n", out);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (!plan_vacant(plan, i) && !plan_save_alone(plan, i))
			fprintf(out, "    - %s\n", plan->nodes[i].name);
	hosts_write(&writing);
	links_write(&writing);
	spots_write(plan, yaml_find(topology, "at"), out);
	return !machines_write(plan, yaml_find(topology, "machines"), out);
}

/* ---- links that are down ---- */

/* the number that port @port of switch @node has in the saved scenario: ports to hosts first in
 * their order, then those to switches in the order of links */
static uint32_t port_saved(const struct plan *plan, uint32_t node, uint32_t port)
{
	const struct node_config *config = &plan->nodes[node];
	const struct port_config *own = &config->ports[port];
	uint32_t before = 0;

	for (uint32_t p = 0; p < config->port_count; p++) {
		const struct port_config *other = &config->ports[p];

		if (other->vacant || p == port)
			continue;
		if (own->kind != other->kind)
			before += other->kind == PORT_EDGE;
		else if (own->kind == PORT_EDGE)
			before += other->peer_index < own->peer_index;
		else
			before += other->link_index < own->link_index;
	}
	return before;
}

/* how many links lead from @node to @peer */
static uint32_t links_between(const struct plan *plan, uint32_t node, uint32_t peer)
{
	const struct node_config *config = &plan->nodes[node];
	uint32_t count = 0;

	for (uint32_t p = 0; p < config->port_count; p++)
		count += !config->ports[p].vacant && config->ports[p].peer_index == peer;
	return count;
}

bool plan_save_end(const struct plan *plan, const struct plan_link *link, bool second,
		   char text[PLAN_SAVE_END_MAX])
{
	uint32_t node = second ? link->node_b : link->node_a,
		 peer = second ? link->node_a : link->node_b,
		 port = second ? link->port_b : link->port_a, saved = port_saved(plan, node, port);

	if (links_between(plan, node, peer) > 1)
		snprintf(text, PLAN_SAVE_END_MAX, "%s:%u", plan->nodes[node].name, saved);
	else
		snprintf(text, PLAN_SAVE_END_MAX, "%s", plan->nodes[node].name);
	return saved != port;
}

static void end_write(const struct plan *plan, const struct plan_link *link, bool second, FILE *out)
{
	char text[PLAN_SAVE_END_MAX];
	const char *quote;

	plan_save_end(plan, link, second, text);
	quote = strchr(text, ':') ? "\"" : "";
	fprintf(out, "%s%s%s", quote, text, quote);
}

uint32_t plan_save_down(const struct plan *plan, const bool *taken, FILE *out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->link_count; i++) {
		const struct plan_link *link = &plan->links[i];

		if (link->vacant || !link->down || (taken && taken[i]))
			continue;
		count++;
		if (!out)
			continue;
		fputs("  - {at: 0s, link: [", out);
		end_write(plan, link, false, out);
		fputs(", ", out);
		end_write(plan, link, true, out);
		fputs("]} # was down\n", out);
	}
	return count;
}
