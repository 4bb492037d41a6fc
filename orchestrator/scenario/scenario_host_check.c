#include "orchestrator/scenario/scenario_host_check.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/config/prefix.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/scenario/scenario_host_keys.h"

/* ---- the section hosts ---- */

static bool settings_ensure(struct reader *reader, struct scenario_host *host)
{
	if (!host->settings)
		host->settings = scenario_host_settings_new();
	reader->out_of_memory |= !host->settings;
	return host->settings;
}

/* reads one entry into all hosts that it names, or once for nothing, so that its errors are found;
 * true: it names some. A further interface is no host. */
static bool entry_apply(struct reader *reader, const struct yaml_node *entry,
			struct scenario_host_settings *unused)
{
	struct host_keys_target target = { .settings = unused, .weak = true };
	unsigned before = reader->errors->count;
	struct key keys[HOST_KEYS_MAX];
	size_t count = scenario_host_keys(keys);
	bool any = false;

	keys_read(reader, entry, "an entry of 'hosts'", keys, count, &target);
	for (uint32_t i = 0; i < reader->scenario->host_count; i++) {
		struct scenario_host *host = &reader->scenario->hosts[i];

		if (host->interface || fnmatch(entry->key, host->name, 0))
			continue;
		any = true;
		if (reader->errors->count != before || !settings_ensure(reader, host))
			break;
		target.settings = host->settings;
		keys_read(reader, entry, "an entry of 'hosts'", keys, count, &target);
	}
	return any;
}

static void entry_read(struct reader *reader, const struct yaml_node *entry)
{
	struct scenario_host_settings *unused = scenario_host_settings_new();
	const struct scenario *scenario = reader->scenario;
	char hint[SUGGEST_BYTES_MAX + 32];

	reader->out_of_memory |= !unused;
	if (unused && !entry_apply(reader, entry, unused) && scenario->host_count)
		scenario_errors_at(reader->errors, scenario, &entry->key_place,
				   "no host is called '%.60s'%s", entry->key,
				   key_name_hint(entry->key, scenario->hosts[0].name,
						 scenario->host_count, sizeof(*scenario->hosts),
						 hint, sizeof(hint)));
	scenario_host_settings_release(unused);
}

void scenario_hosts_section_read(struct reader *reader, const struct key *key,
				 const struct yaml_node *node, void *target)
{
	(void)key;
	(void)target;
	if (node->kind != YAML_MAPPING) {
		key_refuse(reader, node,
			   "'hosts' must be a mapping of hosts or patterns, such as {'h*': {dns: "
			   "[10.0.0.53]}}; their switches are in 'topology'");
		return;
	}
	for (const struct yaml_node *entry = node->first; entry; entry = entry->next)
		entry_read(reader, entry);
}

/* ---- all addresses ---- */

/* an address of a host */
struct owned {
	const struct host_address *address;
	uint32_t host, interface, vlan;
};

struct owned_list {
	uint32_t count;
	struct owned *all;
};

static void owned_add(struct owned_list *list, uint32_t host, uint32_t interface, uint32_t vlan,
		      const struct host_address *addresses, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, list->count++)
		if (list->all)
			list->all[list->count] =
				(struct owned){ &addresses[i], host, interface, vlan };
}

/* adds the addresses of @host, or (list->all NULL) counts them */
static void owned_collect(struct owned_list *list, const struct scenario *scenario, uint32_t host)
{
	const struct scenario_host_settings *settings = scenario->hosts[host].settings;

	for (uint32_t i = 0; settings && i < settings->interface_count; i++) {
		const struct host_interface *interface = &settings->interfaces[i];

		owned_add(list, host, i, 0, interface->addresses, interface->address_count);
		for (uint32_t v = 0; v < interface->vlan_count; v++)
			owned_add(list, host, i, interface->vlans[v].id,
				  interface->vlans[v].addresses, interface->vlans[v].address_count);
	}
}

static int place_order(const struct owned *a, const struct owned *b)
{
	const struct scenario_place *left = &a->address->place, *right = &b->address->place;
	int order = (left->setting > right->setting) - (left->setting < right->setting);

	if (!order)
		order = left->line - right->line;
	return order ? order : left->column - right->column;
}

/* by version and address, then those of the file in its order after default ones */
static int owned_by_address(const void *a, const void *b)
{
	const struct owned *left = a, *right = b;
	int order = left->address->ip.version - right->address->ip.version;

	if (!order)
		order = memcmp(left->address->ip.bytes, right->address->ip.bytes,
			       sizeof(left->address->ip.bytes));
	return order ? order : place_order(left, right);
}

/* by subnet: one that contains others comes before them */
static int owned_by_subnet(const void *a, const void *b)
{
	const struct owned *left = a, *right = b;
	struct ip_address first = ip_address_subnet(&left->address->ip),
			  second = ip_address_subnet(&right->address->ip);
	int order = first.version - second.version;

	if (!order)
		order = memcmp(first.bytes, second.bytes, sizeof(first.bytes));
	if (!order)
		order = first.bits - second.bits;
	return order ? order : place_order(left, right);
}

/* the error is at the one that the file has; of two, at the later one */
static const struct owned *blamed(const struct owned *a, const struct owned *b)
{
	return place_order(a, b) > 0 ? a : b;
}

static void duplicates_check(struct reader *reader, const struct owned_list *list)
{
	const struct scenario *scenario = reader->scenario;
	char text[IP_ADDRESS_TEXT_MAX];

	for (uint32_t i = 1; i < list->count; i++) {
		const struct owned *one = &list->all[i - 1], *other = &list->all[i];

		if (ip_address_same(&one->address->ip, &other->address->ip))
			scenario_errors_at(reader->errors, scenario, &other->address->place,
					   "%s is already %s address of host '%s'",
					   ip_address_text(&other->address->ip, text),
					   scenario_host_address_is_default(one->address)
						   ? "the default"
						   : "an",
					   scenario->hosts[one->host].name);
	}
}

static void overlap_refuse(struct reader *reader, const struct owned *wide,
			   const struct owned *narrow)
{
	const struct scenario *scenario = reader->scenario;
	const struct owned *at = blamed(wide, narrow), *other = at == wide ? narrow : wide;
	char text[IP_ADDRESS_TEXT_MAX], other_text[IP_ADDRESS_TEXT_MAX];
	struct ip_address subnet = ip_address_subnet(&other->address->ip);

	scenario_errors_at(
		reader->errors, scenario, &at->address->place,
		"%s overlaps %s of host '%s'%s: expected the same subnet, or another "
		"one",
		ip_address_subnet_text(&at->address->ip, text),
		ip_address_subnet_text(&subnet, other_text), scenario->hosts[other->host].name,
		scenario_host_address_is_default(other->address) ? ", its default address" : "");
}

/* an address of full length has no subnet */
static bool is_single(const struct owned *owned)
{
	return owned->address->ip.bits == prefix_bits_max(owned->address->ip.version);
}

static bool same_subnet(const struct owned *a, const struct owned *b)
{
	return !is_single(a) && a->address->ip.bits == b->address->ip.bits &&
	       ip_address_covers(&a->address->ip, &b->address->ip);
}

/* Hosts of one subnet agree about its length: with 10.1.0.5/24 and 10.1.9.7/16 only one of them
 * sends to the other without a router. One error for each pair of subnets. */
static void overlaps_check(struct reader *reader, const struct owned_list *list)
{
	const struct owned *wide = NULL, *before = NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct owned *next = &list->all[i];

		if (is_single(next))
			continue;
		if (!wide || !ip_address_covers(&wide->address->ip, &next->address->ip))
			wide = next;
		else if (!same_subnet(wide, next) && !same_subnet(before, next))
			overlap_refuse(reader, wide, next);
		before = next;
	}
}

/* the kernel would use only one of two interfaces in the same subnet */
static void interfaces_check(struct reader *reader, const struct owned_list *list)
{
	const struct scenario *scenario = reader->scenario;
	char text[IP_ADDRESS_TEXT_MAX];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct owned *one = &list->all[i];

		for (uint32_t j = i + 1; j < list->count && list->all[j].host == one->host; j++) {
			const struct owned *other = &list->all[j];

			if ((one->interface == other->interface && one->vlan == other->vlan) ||
			    !same_subnet(one, other))
				continue;
			scenario_errors_at(reader->errors, scenario, &other->address->place,
					   "%s is in the subnet of eth%u of the same host; "
					   "expected another subnet for each interface and VLAN",
					   ip_address_subnet_text(&other->address->ip, text),
					   one->interface);
		}
	}
}

static bool prefix_is(const struct prefix_config *prefix, const struct ip_address *ip)
{
	return prefix->version == ip->version && prefix->bits == prefix_bits_max(ip->version) &&
	       !memcmp(prefix->address, ip->bytes, sizeof(prefix->address));
}

/* Switches find hosts by prefixes and own addresses in one list. */
static void prefixes_check(struct reader *reader, const struct owned_list *list)
{
	const struct scenario *scenario = reader->scenario;
	uint32_t count = scenario->prefix_count;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct host_address *address = list->all[i].address;

		if (scenario_host_address_is_default(address) || list->all[i].vlan)
			continue;
		if (++count == NODE_PREFIXES_MAX + 1)
			scenario_errors_at(reader->errors, scenario, &address->place,
					   "a fabric has at most %u prefixes and addresses beside "
					   "the default ones",
					   NODE_PREFIXES_MAX);
		for (uint32_t p = 0; p < scenario->prefix_count; p++)
			if (prefix_is(&scenario->prefixes[p].config, &address->ip))
				scenario_errors_at(
					reader->errors, scenario, &address->place,
					"this address is a prefix of host '%s' already",
					scenario->hosts[scenario->prefixes[p].config.host_index]
						.name);
	}
}

static void addresses_check(struct reader *reader, struct owned_list *list)
{
	interfaces_check(reader, list); /* in the order of the hosts */
	prefixes_check(reader, list);
	qsort(list->all, list->count, sizeof(*list->all), owned_by_address);
	duplicates_check(reader, list);
	qsort(list->all, list->count, sizeof(*list->all), owned_by_subnet);
	overlaps_check(reader, list);
}

/* ---- gateways and routes ---- */

/* a host whose routes are resolved */
struct way {
	struct reader *reader;
	uint32_t host;
	struct owned_list own; /* its addresses */
};

static bool list_alloc(struct reader *reader, struct owned_list *list)
{
	list->all = calloc(list->count, sizeof(*list->all));
	list->count = 0;
	reader->out_of_memory |= !list->all;
	return list->all;
}

static bool host_list(struct reader *reader, uint32_t host, struct owned_list *list)
{
	*list = (struct owned_list){ 0 };
	owned_collect(list, reader->scenario, host);
	if (!list_alloc(reader, list))
		return false;
	owned_collect(list, reader->scenario, host);
	return true;
}

/* completes @route by way of @via, if that is in a subnet of the host; false: it is not */
static bool via_take(const struct way *way, const struct ip_address *via, struct host_route *route)
{
	for (uint32_t i = 0; i < way->own.count; i++) {
		const struct owned *own = &way->own.all[i];

		if (!ip_address_covers(&own->address->ip, via) ||
		    ip_address_same(&own->address->ip, via))
			continue;
		route->via = *via;
		route->interface = own->interface;
		route->vlan = own->vlan;
		return true;
	}
	return false;
}

/* by the first address of host @router of IP @version that is in a subnet of this one */
static bool router_take(const struct way *way, uint32_t router, uint32_t version,
			struct host_route *route)
{
	struct owned_list list;
	bool found = false;

	if (!host_list(way->reader, router, &list))
		return false;
	for (uint32_t i = 0; i < list.count && !found; i++)
		found = list.all[i].address->ip.version == version &&
			via_take(way, &list.all[i].address->ip, route);
	free(list.all);
	return found;
}

static bool forwards(const struct scenario *scenario, uint32_t host)
{
	for (uint32_t i = 0; i < scenario->prefix_count; i++)
		if (scenario->prefixes[i].config.host_index == host)
			return true;
	return scenario->hosts[host].settings->router;
}

/* the host called @text, which must forward packets; -1: there is none, and an error is added
 * unless it is an address: @ip */
static int64_t router_find(const struct way *way, const struct scenario_place *place,
			   const char *text, struct ip_address *ip, bool *refused)
{
	struct scenario *scenario = way->reader->scenario;
	int64_t host = scenario_host_find(scenario, text);
	char hint[SUGGEST_BYTES_MAX + 32];

	*refused = true;
	if (host >= 0)
		host = scenario->hosts[host].owner;
	if (host < 0 && (!ip_address_parse(text, ip) || strchr(text, '/')))
		scenario_errors_at(way->reader->errors, scenario, place,
				   "'%.60s' is neither a host nor an address%s", text,
				   key_name_hint(text, scenario->hosts[0].name,
						 scenario->host_count, sizeof(*scenario->hosts),
						 hint, sizeof(hint)));
	else if (host == way->host)
		scenario_errors_at(way->reader->errors, scenario, place,
				   "host '%.60s' cannot be its own router", text);
	else if (host >= 0 && !forwards(scenario, (uint32_t)host))
		scenario_errors_at(way->reader->errors, scenario, place,
				   "host '%.60s' does not forward packets: give it 'router: yes'",
				   text);
	else
		*refused = false;
	return host;
}

static void way_refuse(const struct way *way, const struct scenario_place *place, const char *text,
		       bool is_host)
{
	struct scenario *scenario = way->reader->scenario;

	scenario_errors_at(way->reader->errors, scenario, place,
			   is_host ? "host '%.60s' has no address in a subnet of host '%s'"
				   : "%.60s is in no subnet of host '%s'",
			   text, scenario->hosts[way->host].name);
}

static void route_complete(const struct way *way, struct host_route *route)
{
	struct ip_address ip;
	bool refused;
	int64_t router = router_find(way, &route->place, route->via_text, &ip, &refused);

	if (refused)
		return;
	if (router >= 0 ? !router_take(way, (uint32_t)router, route->to.version, route)
			: ip.version != route->to.version || !via_take(way, &ip, route))
		way_refuse(way, &route->place, route->via_text, router >= 0);
}

/* A gateway is a route to everything, for each version of IP in which the router is reached. */
static void gateway_complete(const struct way *way, struct scenario_host_settings *settings)
{
	uint32_t before = settings->route_count;
	struct host_route *routes =
		reallocarray(settings->routes, before + 2, sizeof(*settings->routes));
	struct ip_address ip;
	bool refused;
	int64_t router =
		router_find(way, &settings->gateway_place, settings->gateway, &ip, &refused);

	way->reader->out_of_memory |= !routes;
	if (!routes)
		return;
	settings->routes = routes;
	for (uint8_t version = 4; version <= 6 && !refused; version += 2) {
		struct host_route route = { .to = { .version = version },
					    .place = settings->gateway_place };

		if (router >= 0 ? router_take(way, (uint32_t)router, version, &route)
				: ip.version == version && via_take(way, &ip, &route))
			routes[settings->route_count++] = route;
	}
	if (!refused && settings->route_count == before)
		way_refuse(way, &settings->gateway_place, settings->gateway, router >= 0);
}

static void routes_complete(struct reader *reader, uint32_t host)
{
	struct scenario_host_settings *settings = reader->scenario->hosts[host].settings;
	struct way way = { .reader = reader, .host = host };

	if ((!settings->gateway && !settings->route_count) || !host_list(reader, host, &way.own))
		return;
	for (uint32_t i = 0; i < settings->route_count; i++)
		route_complete(&way, &settings->routes[i]);
	if (settings->gateway)
		gateway_complete(&way, settings);
	free(way.own.all);
}

/* ---- all hosts ---- */

static void rootfs_check(struct reader *reader, const struct scenario_host_settings *settings)
{
	if (settings->rootfs && settings->image)
		scenario_errors_at(reader->errors, reader->scenario, &settings->image_place,
				   "a host has a 'rootfs' or an 'image', not both");
}

static bool hosts_complete(struct reader *reader)
{
	struct scenario *scenario = reader->scenario;

	for (uint32_t i = 0; i < scenario->host_count; i++) {
		struct scenario_host *host = &scenario->hosts[i];

		if (host->interface)
			continue;
		host->owner = i;
		if (!settings_ensure(reader, host) ||
		    scenario_host_address_default(host->settings, i)) {
			reader->out_of_memory = true;
			return false;
		}
		rootfs_check(reader, host->settings);
	}
	return true;
}

void scenario_hosts_complete(struct reader *reader)
{
	const struct scenario *scenario = reader->scenario;
	struct owned_list list = { 0 };

	if (!hosts_complete(reader))
		return;
	for (uint32_t i = 0; i < scenario->host_count; i++)
		owned_collect(&list, scenario, i);
	if (!list_alloc(reader, &list))
		return;
	for (uint32_t i = 0; i < scenario->host_count; i++)
		owned_collect(&list, scenario, i);
	addresses_check(reader, &list);
	free(list.all);
	for (uint32_t i = 0; i < scenario->host_count; i++)
		if (scenario->hosts[i].settings)
			routes_complete(reader, i);
}
