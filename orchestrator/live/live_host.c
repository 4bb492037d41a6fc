#include "orchestrator/live/live_host.h"

#include <errno.h>
#include <net/ethernet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/address.h"
#include "orchestrator/live/live_room.h"

static bool is_router(const struct plan *plan, uint32_t index)
{
	bool router = plan_host_settings(plan, index)->router;

	for (uint32_t i = 0; i < plan->prefix_count && !router; i++)
		router = !plan->prefixes[i].own && plan->prefixes[i].host_index == index;
	return router;
}

struct host_net_spec live_host_spec(const struct plan *plan, uint32_t index,
				    struct live_host_names *names)
{
	const struct node_config *nic = &plan->nodes[plan_host_node(plan, index)];
	struct host_net_spec spec = { .name = nic->name,
				      .interface = names->interface,
				      .far_name = names->far,
				      .addresses = plan_host_interface(plan, index),
				      .mtu_bytes = nic->ports[0].mtu_bytes - ETHER_HDR_LEN,
				      .queue_count = nic->nic.host_queues,
				      .rate_bps = nic->ports[0].rate_bps / plan->dilation,
				      .dilation = plan->dilation,
				      .router = is_router(plan, index),
				      .several = plan_host_settings(plan, index)->interface_count >
						 1 };

	if (spec.mtu_bytes > HOST_NET_MTU_BYTES_MAX)
		spec.mtu_bytes = HOST_NET_MTU_BYTES_MAX;
	snprintf(names->interface, sizeof(names->interface), "eth%u", plan->hosts[index].interface);
	snprintf(names->far, sizeof(names->far), "h%u", index);
	address_mac(index, spec.mac);
	return spec;
}

/* ---- routes ---- */

/* the address of NIC @router in a subnet of NIC @index; false: it has none */
static bool address_near(const struct plan *plan, uint32_t index, uint32_t router, uint32_t version,
			 struct ip_address *near)
{
	const struct host_interface *own = plan_host_interface(plan, index),
				    *other = plan_host_interface(plan, router);

	for (uint32_t i = 0; i < other->address_count; i++)
		for (uint32_t j = 0; j < own->address_count; j++)
			if (other->addresses[i].ip.version == version &&
			    ip_address_covers(&own->addresses[j].ip, &other->addresses[i].ip)) {
				*near = other->addresses[i].ip;
				return true;
			}
	return false;
}

/* FC-3: through the router's address, so that frames have its MAC; false: it is not a neighbour */
static bool prefix_route(const struct plan *plan, uint32_t index,
			 const struct prefix_config *prefix, struct host_net_route *route)
{
	if (prefix->own || plan->hosts[prefix->host_index].owner == plan->hosts[index].owner ||
	    plan_vacant(plan, plan_host_node(plan, prefix->host_index)))
		return false;
	*route = (struct host_net_route){ .to = { .version = prefix->version,
						  .bits = prefix->bits } };
	memcpy(route->to.bytes, prefix->address, sizeof(route->to.bytes));
	return address_near(plan, index, prefix->host_index, prefix->version, &route->via);
}

/* the routes by NIC @index: those of its host, then to networks of other hosts. Return: NULL if
 * memory is short; else to be freed */
static struct host_net_route *routes_make(const struct plan *plan, uint32_t index, uint32_t *count)
{
	const struct scenario_host_settings *settings = plan_host_settings(plan, index);
	struct host_net_route *routes =
		calloc((size_t)settings->route_count + plan->prefix_count, sizeof(*routes));

	*count = 0;
	for (uint32_t i = 0; routes && i < settings->route_count; i++)
		if (settings->routes[i].interface == plan->hosts[index].interface)
			routes[(*count)++] = (struct host_net_route){ settings->routes[i].to,
								      settings->routes[i].via,
								      settings->routes[i].vlan };
	for (uint32_t i = 0; routes && i < plan->prefix_count; i++)
		*count += prefix_route(plan, index, &plan->prefixes[i], &routes[*count]);
	return routes;
}

/* ---- as JSON ---- */

/* the first address of IP @version; "" if there is none */
static const char *address_first(const struct host_interface *interface, uint32_t version,
				 char text[IP_ADDRESS_TEXT_MAX])
{
	text[0] = 0;
	for (uint32_t i = 0; i < interface->address_count && !text[0]; i++)
		if (interface->addresses[i].ip.version == version)
			ip_address_text(&interface->addresses[i].ip, text);
	return text;
}

static json_t *addresses_describe(const struct host_address *addresses, uint32_t count)
{
	char text[IP_ADDRESS_TEXT_MAX];
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list,
				      json_string(ip_address_subnet_text(&addresses[i].ip, text)));
	return list;
}

static json_t *interface_describe(const struct live *live, uint32_t index)
{
	const struct host_interface *interface = plan_host_interface(live->plan, index);
	json_t *vlans = json_array();

	for (uint32_t i = 0; i < interface->vlan_count; i++)
		json_array_append_new(
			vlans,
			json_pack("{s:i, s:o}", "id", (int)interface->vlans[i].id, "addresses",
				  addresses_describe(interface->vlans[i].addresses,
						     interface->vlans[i].address_count)));
	return json_pack("{s:s, s:s, s:o, s:o}", "name", live->hosts[index].interface, "nic",
			 plan_host_name(live->plan, index), "addresses",
			 addresses_describe(interface->addresses, interface->address_count),
			 "vlans", vlans);
}

json_t *live_host_describe(const struct live *live, uint32_t index)
{
	const struct plan *plan = live->plan;
	const struct host_interface *eth0 = plan_host_interface(plan, index);
	char ipv4[IP_ADDRESS_TEXT_MAX], ipv6[IP_ADDRESS_TEXT_MAX] = "";
	json_t *interfaces = json_array();

	if (live->hosts[index].ipv6)
		address_first(eth0, 6, ipv6);
	for (uint32_t i = 0; i < plan->host_count; i++)
		if (!plan_vacant(plan, plan_host_node(plan, i)) && plan->hosts[i].owner == index)
			json_array_append_new(interfaces, interface_describe(live, i));
	return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", plan_host_name(plan, index),
			 "interface", live->hosts[index].interface, "ipv4",
			 address_first(eth0, 4, ipv4), "ipv6", ipv6, "interfaces", interfaces);
}

json_t *live_hosts_describe(const struct live *live)
{
	json_t *hosts = json_array();

	for (uint32_t i = 0; live->hosts && i < live->plan->host_count; i++)
		if (plan_here(live->plan, plan_host_node(live->plan, i)) &&
		    !live->plan->hosts[i].interface)
			json_array_append_new(hosts, live_host_describe(live, i));
	return hosts;
}

/* ---- names ---- */

int live_hosts_write(const struct live *live, char *path, size_t path_max)
{
	const struct plan *plan = live->plan;
	struct host_net_spec *specs = calloc(plan->host_count, sizeof(*specs));
	struct live_host_names unused;
	uint32_t count = 0;
	int error;

	snprintf(path, path_max, "%s/hosts", live->place.path);
	if (!specs)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->host_count; i++)
		if (!plan_vacant(plan, plan_host_node(plan, i)))
			specs[count++] = live_host_spec(plan, i, &unused);
	/* by descriptor: the owner of a parent folder could replace the path */
	error = host_net_hosts_file(live->place.dir_fd, "hosts", specs, count);
	free(specs);
	return error;
}

/* ---- interfaces ---- */

/* eth1 and so on, of a host that has eth0 or gets it now */
static int further_make(struct live *live, uint32_t index, const struct host_net_spec *spec,
			struct why *why)
{
	uint32_t owner = live->plan->hosts[index].owner;
	int error = live->hosts[owner].net_fd < 0 ? live_host_make(live, owner, why) : 0;

	return error ? error
		     : host_net_join(&live->hosts[index], &live->namespaces, &live->hosts[owner],
				     spec, why);
}

/* @network, @interface: live_host_attach(); -1: it has namespaces of the fabric */
static int net_make(struct live *live, uint32_t index, int network, const char *interface,
		    struct why *why)
{
	struct host_net *host = &live->hosts[index];
	struct live_host_names names;
	struct host_net_spec spec = live_host_spec(live->plan, index, &names);
	struct host_net_route *routes = routes_make(live->plan, index, &spec.route_count);
	int error;

	if (!routes)
		return why_say(why, -ENOMEM, "%s", strerror(ENOMEM));
	spec.routes = routes;
	if (network >= 0) {
		spec.interface = interface;
		error = host_net_attach(host, &live->namespaces, network, &spec, why);
	} else if (live->plan->hosts[index].interface) {
		error = further_make(live, index, &spec, why);
	} else {
		error = host_net_make(host, &live->namespaces, &spec, why);
	}
	free(routes);
	return error;
}

int live_host_make(struct live *live, uint32_t index, struct why *why)
{
	int error = net_make(live, index, -1, NULL, why);

	if (!error && !live->plan->hosts[index].interface) {
		error = live_room_make(live, index, why);
		if (error)
			live_host_end(live, index);
	}
	return error;
}

int live_host_attach(struct live *live, uint32_t index, int network, const char *interface,
		     struct why *why)
{
	return net_make(live, index, network, interface, why);
}

int live_host_sockets(struct live *live, uint32_t index, int fds[NIC_HOST_QUEUES_MAX],
		      struct why *why)
{
	struct host_net *host = &live->hosts[index];
	uint32_t count = live->plan->nodes[plan_host_node(live->plan, index)].nic.host_queues;
	int error = 0;

	if (host->net_fd < 0)
		error = live_host_make(live, index, why);
	else if (host->queue_fds[0] < 0)
		error = host_net_carrier(host, &live->namespaces, true);
	if (!error && host->queue_fds[0] < 0)
		error = host_net_queues_open(host->far_index, count, host->queue_fds);
	for (uint32_t i = 0; i < count && !error; i++) {
		fds[i] = host->queue_fds[i];
		host->queue_fds[i] = -1;
	}
	return error ? error : (int)count;
}

static bool link_is_up(const struct live *live, uint32_t node)
{
	const struct plan_link *link =
		&live->plan->links[live->plan->nodes[node].ports[0].link_index];

	return !link->down && fabric_there(&live->fabric, link->node_a) &&
	       fabric_there(&live->fabric, link->node_b);
}

void live_host_carriers(struct live *live)
{
	for (uint32_t i = 0; i < live->plan->host_count; i++) {
		struct host_net *host = &live->hosts[i];
		uint32_t node = plan_host_node(live->plan, i);
		int error;

		if (host->net_fd < 0 || plan_vacant(live->plan, node))
			continue;
		error = host_net_carrier(host, &live->namespaces, link_is_up(live, node));
		if (error && error != -ENODEV) /* a program in the host may have deleted it */
			live_note("the carrier of host %s cannot be changed: %s",
				  live->plan->nodes[node].name, strerror(-error));
	}
}

/* Programs end with the host, but not with a further interface of it. */
void live_host_end(struct live *live, uint32_t index)
{
	struct host_net *host = &live->hosts[index];
	bool whole = !host->attached && !host->further;

	if (host->net_fd < 0)
		return;
	live_room_end(live, index);
	/* now: the name may be used again before the kernel has removed the namespace */
	if (whole)
		netlink_link_delete(&live->namespaces.netlink, host->far_index);
	host_net_free(host, &live->namespaces);
	*host = (struct host_net){ .net_fd = -1, .uts_fd = -1 };
}
