#include "orchestrator/live/live_change.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/live/live_fault.h"
#include "orchestrator/live/live_host.h"
#include "orchestrator/live/live_link.h"
#include "orchestrator/live/live_outside.h"
#include "orchestrator/live/live_program.h"
#include "orchestrator/plan/plan_spare.h"
#include "orchestrator/scenario/scenario_keys.h"

/* ---- the request ---- */

/* the switch called @name, which must run; -1: it is refused */
static int64_t switch_find(struct live_query *query, const char *name)
{
	int64_t node = live_query_node(query, name);

	if (node >= 0 && query->live->plan->nodes[node].kind != NODE_SWITCH)
		return live_query_refused(
			query,
			live_refuse("%s is a host; a link can only be added to a switch", name));
	return node >= 0 && live_query_node_runs(query, (uint32_t)node) ? node : -1;
}

/* the name for a new node; NULL: it is refused */
static const char *name_take(struct live_query *query)
{
	const char *name = live_query_text(query, "name");

	if (!name || !key_host_name_valid(name))
		query->refusal =
			live_refuse("'%s' is not a valid name: expected 1 to %d letters, "
				    "digits, '_', '.' or '-', no '-' first, and no address",
				    name ? name : "", NODE_NAME_MAX - 1);
	else if (plan_node_find(query->live->plan, name))
		query->refusal = live_refuse("a node called '%s' exists already", name);
	else
		return name;
	return NULL;
}

static enum port_kind link_kind(const struct plan *plan, uint32_t node_a, uint32_t node_b)
{
	return plan->nodes[node_a].kind == NODE_NIC || plan->nodes[node_b].kind == NODE_NIC
		       ? PORT_EDGE
		       : PORT_FABRIC;
}

/* settings of a new link between @node_a and @node_b; false: it is refused */
static bool link_read(struct live_query *query, uint32_t node_a, uint32_t node_b,
		      struct port_config *like)
{
	const char *medium = live_query_text(query, "medium");
	unsigned given = 0;

	*like = plan_spare_template(query->live->plan, node_a, node_b);
	query->refusal = live_link_read(query, &port_parameters,
					link_kind(query->live->plan, node_a, node_b), like, &given);
	if (!query->refusal && medium && strcmp(medium, "shm") != 0 && strcmp(medium, "veth") != 0)
		query->refusal = live_refuse("medium: expected shm or veth, not '%s'", medium);
	if (query->refusal)
		return false;
	if (medium)
		like->medium = strcmp(medium, "veth") ? MEDIUM_SHM : MEDIUM_VETH;
	return true;
}

/* ---- steps ---- */

/* writes the tables of all switches and the hosts' names, as in the plan */
static int tables_update(struct live *live)
{
	char path[PATH_MAX + 8];
	int error = manager_pair_sweep(&live->managers);

	return error ? error : live_hosts_write(live, path, sizeof(path));
}

/* @text, and the first switch that has not got its new tables */
static json_t *change_answer(const struct live *live, json_t *answer, const char *text)
{
	uint32_t late = 0;
	json_t *whole;

	while (late < live->plan->switch_count && !live->fabric.nodes[late].tables_due)
		late++;
	whole = late == live->plan->switch_count
			? json_string(text)
			: json_sprintf(
				  "%s; switch %s does not answer: it gets its tables when it does",
				  text, live->plan->nodes[late].name);
	json_object_set_new(answer, "text", whole);
	return answer;
}

static void link_remove(struct live *live, uint32_t link)
{
	fabric_link_remove(&live->fabric, link);
	veth_link_free(&live->veths[link], &live->namespaces.netlink);
	live_faults_link_gone(live, link);
	plan_spare_link_remove(live->plan, link);
}

static void node_remove(struct live *live, uint32_t node)
{
	const struct node_config *config = &live->plan->nodes[node];

	/* first, so that a stopped node is not waited for */
	fabric_node_remove(&live->fabric, node);
	for (uint32_t port = 0; port < config->port_count; port++)
		if (!config->ports[port].vacant)
			link_remove(live, config->ports[port].link_index);
	if (config->kind == NODE_NIC) {
		live_outside_stop(live, node - live->plan->switch_count);
		live_programs_drop(live, node - live->plan->switch_count);
		live_host_end(live, node - live->plan->switch_count);
	}
	live_faults_node_gone(live, node);
	live_set_drop(&live->sets, config->name);
	plan_spare_node_remove(live->plan, node);
}

static json_t *no_spare(int64_t error, const char *what)
{
	if (error == -EMLINK)
		return live_refuse("%s: no port is left; a switch has up to %u ports more than its "
				   "scenario uses, at most %u in all",
				   what, PLAN_SPARE_PORTS, NODE_PORTS_MAX);
	if (error == -ENOSPC)
		return live_refuse(
			"%s: no slot is left; up to %u switches, %u hosts and %u links can join",
			what, PLAN_SPARE_SWITCHES, PLAN_SPARE_HOSTS, PLAN_SPARE_LINKS);
	return live_refuse("%s: %s", what, strerror((int)-error));
}

/* adds a link to the plan only; -1: it is refused */
static int64_t link_plan(struct live_query *query, uint32_t node_a, uint32_t node_b)
{
	struct live *live = query->live;
	struct port_config like;
	char what[2 * NODE_NAME_MAX + 32];
	int64_t link;

	if (!link_read(query, node_a, node_b, &like))
		return -1;
	link = plan_spare_link(live->plan, node_a, node_b, &like);
	if (link >= 0) {
		live_faults_link_joins(live, (uint32_t)link);
		return link;
	}
	snprintf(what, sizeof(what), "a link from %s to %s", live->plan->nodes[node_a].name,
		 live->plan->nodes[node_b].name);
	return live_query_refused(query, no_spare(link, what));
}

/* starts the planned node @node. After an error it is removed again, with a refusal; else NULL */
static json_t *node_enter(struct live *live, uint32_t node)
{
	int error = fabric_node_restart(&live->fabric, node);
	json_t *refusal;

	if (!error)
		error = tables_update(live);
	if (!error)
		return NULL;
	refusal = live_refuse("%s cannot join: %s", live->plan->nodes[node].name,
			      live_reason(live, error));
	node_remove(live, node);
	tables_update(live);
	return refusal;
}

/* ---- switches ---- */

/* plans links from the planned switch @node to every switch of the request; false: it is refused */
static bool neighbours_plan(struct live_query *query, uint32_t node)
{
	const json_t *neighbours = json_object_get(query->request, "neighbours"), *item;
	size_t i;

	json_array_foreach (neighbours, i, item) {
		const char *name = json_string_value(item);
		int64_t neighbour;

		if (!strcmp(name, query->live->plan->nodes[node].name))
			return !live_query_refused(
				query, live_refuse("a switch cannot have a link to itself"));
		neighbour = switch_find(query, name);
		if (neighbour < 0 || link_plan(query, node, (uint32_t)neighbour) < 0)
			return false;
	}
	return true;
}

json_t *live_add_switch(struct live_query *query)
{
	struct live *live = query->live;
	const char *name = name_take(query);
	char text[128];
	int64_t node;

	if (!name)
		return query->refusal;
	node = plan_spare_switch(live->plan, name);
	if (node < 0)
		return no_spare(node, "a switch");
	if (neighbours_plan(query, (uint32_t)node))
		query->refusal = node_enter(live, (uint32_t)node);
	else
		plan_spare_node_remove(live->plan, (uint32_t)node);
	if (query->refusal)
		return query->refusal;
	snprintf(text, sizeof(text), "switch %s runs, pid %d", name,
		 (int)fabric_pid(&live->fabric, node));
	return change_answer(live, json_pack("{s:s}", "name", name), text);
}

/* ---- hosts ---- */

/* the name of an interface may be chosen in an existing namespace only; a refusal, or NULL */
static json_t *interface_check(const struct live_query *query)
{
	const char *interface = live_query_text(query, "interface");

	if (!interface)
		return NULL;
	if (!live_query_text(query, "network"))
		return live_refuse("interface: a host of the fabric's own has eth0; the name "
				   "can be chosen for an existing network only");
	if (!key_name_valid(interface) || strlen(interface) >= IFNAMSIZ ||
	    strspn(interface, ".") == strlen(interface))
		return live_refuse("interface: '%s' is not a valid name: expected 1 to %d "
				   "letters, digits, '_', '.' or '-'",
				   interface, IFNAMSIZ - 1);
	return NULL;
}

/* why the namespace of a process may not be opened */
static const char *reach_hint(const struct live *live, int error)
{
	if (error != EACCES && error != EPERM)
		return "";
	return live->namespaces.rootless
		       ? "; a rootless fabric has no right to processes of another user namespace. "
			 "For a rootless container of yours start the fabric beside it, in that "
			 "of Podman: 'podman unshare heddle up SCENARIO'"
		       : "; the daemon, though root's, has no right to that process: it belongs to "
			 "another user namespace, or "
			 "a sandbox forbids it";
}

/* is @fd the network namespace of the daemon, with the far ends of all hosts' interfaces? */
static bool own_network(const struct live *live, int fd)
{
	struct stat own, other;

	return !fstat(live->namespaces.net_fd, &own) && !fstat(fd, &other) &&
	       own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/* the network namespace at the request's path; -1 without a path; -2: it is refused */
static int network_open(struct live_query *query)
{
	const char *path = live_query_text(query, "network");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;

	if (!path)
		return -1;
	if (fd < 0) {
		query->refusal = live_refuse("cannot open %s: %s%s", path, strerror(errno),
					     reach_hint(query->live, errno));
		return -2;
	}
	if (ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET)
		query->refusal = live_refuse("%s is no network namespace", path);
	else if (own_network(query->live, fd))
		query->refusal =
			live_refuse("%s is the fabric's own network, with the far ends of all "
				    "hosts: no host can be there",
				    path);
	else
		return fd;
	close(fd);
	return -2;
}

/* makes the interface of planned host @index, in namespaces of its own or in @network; a refusal,
 * or NULL */
static json_t *host_wire(struct live_query *query, uint32_t index, int network)
{
	struct live *live = query->live;
	const char *interface = live_query_text(query, "interface");
	struct why why = { "" };
	int error;

	if (network >= 0) {
		error = live_host_attach(live, index, network, interface ? interface : "heddle0",
					 &why);
		if (error == -EEXIST)
			return live_refuse(
				"%s; 'heddle attach --interface NAME' gives it another name",
				why.text);
		if (error == -EPERM)
			return live_refuse(
				"%s; %s may not change that network namespace: it takes root, or a "
				"fabric started "
				"by its owner inside the same user namespace",
				why.text,
				live->namespaces.rootless ? "a rootless fabric" : "this user");
	} else {
		error = live_host_make(live, index, &why);
	}
	return error < 0 ? live_refuse("%s", why.text[0] ? why.text : strerror(-error)) : NULL;
}

static json_t *host_answer(const struct live *live, uint32_t index)
{
	const struct node_config *nic = &live->plan->nodes[plan_host_node(live->plan, index)];
	json_t *answer = live_host_describe(live, index);
	char text[256];

	snprintf(text, sizeof(text), "host %s joins at %s: interface %s, %s %s", nic->name,
		 nic->ports[0].peer_name, live->hosts[index].interface,
		 json_string_value(json_object_get(answer, "ipv4")),
		 json_string_value(json_object_get(answer, "ipv6")));
	return change_answer(live, answer, text);
}

/* adds a host at switch @at; @network its namespace, -1: one of its own */
static json_t *host_add(struct live_query *query, const char *name, uint32_t at, int network)
{
	struct live *live = query->live;
	int64_t node = plan_spare_host(live->plan, name);
	uint32_t index;

	if (node < 0)
		return no_spare(node, "a host");
	index = (uint32_t)node - live->plan->switch_count;
	if (link_plan(query, (uint32_t)node, at) >= 0)
		query->refusal = host_wire(query, index, network);
	if (query->refusal)
		plan_spare_node_remove(live->plan, (uint32_t)node);
	else
		query->refusal = node_enter(live, (uint32_t)node);
	return query->refusal ? query->refusal : host_answer(live, index);
}

json_t *live_add_host(struct live_query *query)
{
	const char *name = name_take(query);
	int64_t at = name ? switch_find(query, live_query_text(query, "switch")) : -1;
	json_t *answer;
	int network;

	if (at < 0)
		return query->refusal;
	if (live_query_text(query, "network"))
		query->refusal = live_query_outward(query, "attaching a network");
	if (!query->refusal)
		query->refusal = interface_check(query);
	network = query->refusal ? -2 : network_open(query);
	if (network == -2)
		return query->refusal;
	answer = host_add(query, name, (uint32_t)at, network);
	if (network >= 0)
		close(network);
	return answer;
}

/* ---- links ---- */

static json_t *link_answer(const struct live *live, uint32_t link)
{
	const struct plan_link *ends = &live->plan->links[link];
	json_t *answer = live_link_describe(live, link);
	char text[2 * NODE_NAME_MAX + 64];

	snprintf(text, sizeof(text), "link %" PRIu32 " joins %s:%" PRIu32 " and %s:%" PRIu32, link,
		 live->plan->nodes[ends->node_a].name, ends->port_a,
		 live->plan->nodes[ends->node_b].name, ends->port_b);
	return change_answer(live, answer, text);
}

json_t *live_add_link(struct live_query *query)
{
	struct live *live = query->live;
	int64_t a = switch_find(query, live_query_text(query, "node"));
	int64_t b = a >= 0 ? switch_find(query, live_query_text(query, "peer")) : -1;
	int64_t link;
	int error;

	if (b < 0)
		return query->refusal;
	if (a == b)
		return live_refuse("a switch cannot have a link to itself");
	link = link_plan(query, (uint32_t)a, (uint32_t)b);
	if (link < 0)
		return query->refusal;
	error = fabric_link_up(&live->fabric, (uint32_t)link);
	if (!error)
		error = tables_update(live);
	if (!error)
		return link_answer(live, (uint32_t)link);
	query->refusal = live_refuse("the link cannot be added: %s", live_reason(live, error));
	link_remove(live, (uint32_t)link);
	tables_update(live);
	return query->refusal;
}

/* ---- leaving ---- */

/* a link whose other end runs on another machine: neither that machine nor the tunnel would learn
 * that it has gone */
static bool is_cut(const struct port_config *port)
{
	return !port->vacant && port->medium == MEDIUM_TUNNEL;
}

/* refuses if a link of @node is cut; else NULL */
static json_t *cut_check(const struct live *live, uint32_t node)
{
	const struct node_config *config = &live->plan->nodes[node];

	for (uint32_t port = 0; port < config->port_count; port++)
		if (is_cut(&config->ports[port]))
			return live_refuse("%s has a link to %s on another machine, which cannot "
					   "be removed",
					   config->name, config->ports[port].peer_name);
	return NULL;
}

/* is place @host_index that of a NIC beside eth0, which is @node? */
static bool is_further(const struct plan *plan, uint32_t host_index, uint32_t node)
{
	return !plan_vacant(plan, plan_host_node(plan, host_index)) &&
	       plan->hosts[host_index].interface &&
	       plan_host_node(plan, plan->hosts[host_index].owner) == node;
}

/* refuses if hosts would lose their only link, another machine one of its links, or no node of the
 * kind would remain; else NULL */
static json_t *leave_check(const struct live *live, uint32_t node)
{
	const struct node_config *config = &live->plan->nodes[node];
	struct plan_counts counts = plan_spare_counts(live->plan);
	json_t *refusal;

	if (config->kind == NODE_NIC && live->plan->hosts[config->nic.host_index].interface)
		return cut_check(live, node);
	for (uint32_t port = 0; config->kind == NODE_SWITCH && port < config->port_count; port++)
		if (!config->ports[port].vacant && config->ports[port].kind == PORT_EDGE)
			return live_refuse("host %s is connected to %s: remove the host first",
					   config->ports[port].peer_name, config->name);
	refusal = cut_check(live, node);
	for (uint32_t i = 0; config->kind == NODE_NIC && i < live->plan->host_count && !refusal;
	     i++)
		if (is_further(live->plan, i, node))
			refusal = cut_check(live, plan_host_node(live->plan, i));
	if (refusal)
		return refusal;
	if ((config->kind == NODE_NIC ? counts.hosts : counts.switches) == 1)
		return live_refuse("%s is the last %s; 'heddle down %s' ends the fabric",
				   config->name, config->kind == NODE_NIC ? "host" : "switch",
				   live->place.name);
	return NULL;
}

/* removes the NICs of a host that leaves, but for its eth0: @node */
static void further_remove(struct live *live, uint32_t node)
{
	const struct plan *plan = live->plan;

	for (uint32_t i = 0; plan->nodes[node].kind == NODE_NIC && i < plan->host_count; i++)
		if (is_further(plan, i, node))
			node_remove(live, plan_host_node(plan, i));
}

static json_t *node_leave(struct live *live, uint32_t node)
{
	char text[NODE_NAME_MAX + 32];
	json_t *refusal = leave_check(live, node);
	int error;

	if (refusal)
		return refusal;
	snprintf(text, sizeof(text), "%s is removed", live->plan->nodes[node].name);
	further_remove(live, node);
	node_remove(live, node);
	error = tables_update(live);
	return error ? live_refuse("%s, but not all switches have new tables: %s", text,
				   strerror(-error))
		     : change_answer(live, json_object(), text);
}

json_t *live_remove(struct live_query *query)
{
	struct live *live = query->live;
	int64_t node = live_query_node(query, live_query_text(query, "node")), link;
	const struct plan_link *ends;
	int error;

	if (node < 0)
		return query->refusal;
	if (!live_query_text(query, "port"))
		return node_leave(live, (uint32_t)node);
	link = live_link_find(query);
	if (link < 0)
		return query->refusal;
	ends = &live->plan->links[link];
	if (live->plan->nodes[ends->node_a].kind == NODE_NIC)
		return live_refuse("this is the only link of its host: remove the host, or take "
				   "the link down");
	if (is_cut(&live->plan->nodes[ends->node_a].ports[ends->port_a]))
		return live_refuse("the link leads to another machine: take it down instead");
	link_remove(live, (uint32_t)link);
	error = tables_update(live);
	return error ? live_refuse("the link is removed, but not all switches have new tables: %s",
				   strerror(-error))
		     : change_answer(live, json_object(), "the link is removed");
}
