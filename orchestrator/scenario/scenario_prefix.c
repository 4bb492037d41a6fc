/*  scenario_prefix - the key 'prefixes' of a host: networks that are reached through it (FC-3). */
#include "orchestrator/scenario/scenario_prefix.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/address.h"
#include "orchestrator/base/ip_address.h"

/* bits of the prefix of all hosts' own addresses: a shorter prefix, such as 0.0.0.0/0, is for
 * networks elsewhere and may include them */
#define OWN_BITS(version) ((version) == 4 ? 8u : 64u)

/* parses "10.9.0.0/16"; without a length it is one address */
static bool prefix_parse(const char *text, struct prefix_config *prefix)
{
	struct ip_address address;

	if (!ip_address_parse(text, &address))
		return false;
	*prefix = (struct prefix_config){ .version = address.version, .bits = address.bits };
	memcpy(prefix->address, address.bytes, sizeof(prefix->address));
	return true;
}

/* false for networks that no router forwards to */
static bool is_routed(const struct prefix_config *prefix)
{
	static const struct prefix_config elsewhere[] = {
		{ .version = 4, .bits = 8, .address = { 127 } },
		{ .version = 4, .bits = 16, .address = { 169, 254 } },
		{ .version = 4, .bits = 3, .address = { 224 } },
		{ .version = 6, .bits = 127, .address = { 0 } },
		{ .version = 6, .bits = 10, .address = { 0xfe, 0x80 } },
		{ .version = 6, .bits = 8, .address = { 0xff } },
	};

	for (size_t i = 0; i < COUNT_OF(elsewhere); i++)
		if (prefix->version == elsewhere[i].version && prefix->bits >= elsewhere[i].bits &&
		    prefix_covers(&elsewhere[i], prefix->address))
			return false;
	return true;
}

static void host_address(uint32_t host_index, uint32_t version, uint8_t address[16])
{
	uint32_t ipv4 = htonl(address_ipv4(host_index));

	memset(address, 0, 16);
	if (version == 4)
		memcpy(address, &ipv4, sizeof(ipv4));
	else
		address_ipv6(host_index, address);
}

/* True if hosts of the fabric have addresses in it, also those that may join: other hosts would
 * send to the router for them. */
static bool has_hosts(const struct prefix_config *prefix)
{
	uint8_t first[16], last[16], end[16];

	host_address(0, prefix->version, first);
	host_address(NODE_COUNT_MAX - 1, prefix->version, last);
	prefix_last(prefix, end);
	return prefix->bits >= OWN_BITS(prefix->version) &&
	       memcmp(prefix->address, last, 16) <= 0 && memcmp(first, end, 16) <= 0;
}

static bool prefix_accept(struct reader *reader, const struct yaml_node *node,
			  struct prefix_config *prefix)
{
	const char *text = key_scalar(reader, node, "an IP prefix such as 10.9.0.0/16");

	if (!text)
		return false;
	if (!prefix_parse(text, prefix))
		key_refuse(reader, node, "'%.60s' is no IP prefix such as 10.9.0.0/16 or fd99::/32",
			   text);
	else if (!prefix_is_clean(prefix))
		key_refuse(reader, node,
			   "'%.60s': the address must be 0 after the prefix's %u bits", text,
			   prefix->bits);
	else if (!is_routed(prefix))
		key_refuse(reader, node,
			   "'%.60s': multicast, loopback and link-local addresses are not reached "
			   "through a host",
			   text);
	else if (has_hosts(prefix))
		key_refuse(reader, node, "'%.60s': hosts of the fabric have addresses in it", text);
	else
		return true;
	return false;
}

void scenario_prefixes_read(struct reader *reader, const struct key *key,
			    const struct yaml_node *node, void *target)
{
	const struct yaml_node *element = node->kind == YAML_SEQUENCE ? node->first : node;
	struct scenario *scenario = reader->scenario;

	(void)key;
	(void)target;
	if (scenario->fabric == FABRIC_PORT_GROUP) {
		key_refuse(reader, node,
			   "prefixes are for fabrics that forward by address, not for port-group");
		return;
	}
	if (!scenario->prefixes)
		scenario->prefixes = calloc(NODE_PREFIXES_MAX, sizeof(*scenario->prefixes));
	reader->out_of_memory |= !scenario->prefixes;
	for (; element && scenario->prefixes;
	     element = node->kind == YAML_SEQUENCE ? element->next : NULL) {
		struct scenario_prefix new = { .place = element->place };

		if (!prefix_accept(reader, element, &new.config))
			continue;
		if (scenario->prefix_count == NODE_PREFIXES_MAX) {
			key_refuse(reader, element, "a fabric has at most %u prefixes",
				   NODE_PREFIXES_MAX);
			return;
		}
		new.config.host_index = scenario->host_count;
		scenario->prefixes[scenario->prefix_count++] = new;
	}
}

/* the order that switches need; of equal ones the first in the file comes first */
static int prefix_compare(const void *a, const void *b)
{
	const struct scenario_prefix *left = a, *right = b;
	int order = prefix_order(&left->config, &right->config);

	if (!order)
		order = left->place.line - right->place.line;
	return order ? order : left->place.column - right->place.column;
}

void scenario_prefixes_check(struct reader *reader)
{
	struct scenario *scenario = reader->scenario;
	char text[INET6_ADDRSTRLEN];

	if (!scenario->prefix_count)
		return;
	qsort(scenario->prefixes, scenario->prefix_count, sizeof(*scenario->prefixes),
	      prefix_compare);
	for (uint32_t i = 1; i < scenario->prefix_count; i++) {
		const struct scenario_prefix *one = &scenario->prefixes[i - 1],
					     *other = &scenario->prefixes[i];

		if (prefix_order(&one->config, &other->config))
			continue;
		inet_ntop(other->config.version == 4 ? AF_INET : AF_INET6, other->config.address,
			  text, sizeof(text));
		scenario_errors_at(reader->errors, scenario, &other->place,
				   "%s/%u is reached through host '%s' already", text,
				   other->config.bits,
				   scenario->hosts[one->config.host_index].name);
	}
}
