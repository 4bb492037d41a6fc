#include "nodes/wire/flow_name.h"

#include <arpa/inet.h>

#include "nodes/wire/bytes.h"

#define VLAN_MAX 0xfffu
#define FLOW_LABEL_MAX 0xfffffu
#define QUEUE_PAIR_MAX 0xffffffu

static uint8_t kind_of(const struct frame_fields *fields)
{
	if (fields->hpc)
		return FLOW_HPC;
	if (fields->ip_version == 4)
		return FLOW_IPV4;
	return fields->ip_version == 6 ? FLOW_IPV6 : FLOW_LAYER_2;
}

struct flow_name flow_name_of(const struct frame_fields *fields, uint32_t traffic_class)
{
	struct flow_name name = {
		.source_port = fields->source_port,
		.destination_port = fields->destination_port,
		.flow_label = fields->flow_label,
		.queue_pair = fields->roce ? fields->queue_pair : fields->hpc_process,
		.vlan = fields->vlan,
		.fields = MATCH_ALL,
		.traffic_class = (uint8_t)traffic_class,
		.ip_protocol = fields->ip_protocol,
		.kind = kind_of(fields),
	};

	memcpy(name.source_mac, fields->source_mac, sizeof(name.source_mac));
	memcpy(name.destination_mac, fields->destination_mac, sizeof(name.destination_mac));
	if (fields->hpc) {
		bytes_put32(name.source_ip, fields->hpc_source);
		bytes_put32(name.destination_ip, fields->hpc_destination);
	} else if (fields->ip_version) {
		memcpy(name.source_ip, fields->source_ip, sizeof(name.source_ip));
		memcpy(name.destination_ip, fields->destination_ip, sizeof(name.destination_ip));
	}
	return name;
}

struct flow_name flow_name_under(const struct flow_name *name, uint32_t match)
{
	struct flow_name under = *name;

	under.fields = (uint16_t)(name->fields & match);
	if (!(match & MATCH_SOURCE_MAC))
		memset(under.source_mac, 0, sizeof(under.source_mac));
	if (!(match & MATCH_DESTINATION_MAC))
		memset(under.destination_mac, 0, sizeof(under.destination_mac));
	if (!(match & MATCH_VLAN))
		under.vlan = 0;
	if (!(match & (name->kind == FLOW_HPC ? MATCH_HPC : MATCH_IP_PAIR))) {
		memset(under.source_ip, 0, sizeof(under.source_ip));
		memset(under.destination_ip, 0, sizeof(under.destination_ip));
	}
	if (!(match & MATCH_PORTS))
		under.source_port = under.destination_port = under.ip_protocol = 0;
	if (!(match & MATCH_FLOW_LABEL))
		under.flow_label = 0;
	if (!(match & MATCH_HPC))
		under.queue_pair = 0;
	return under;
}

/* is everything behind the first @bytes of the two addresses 0? */
static bool addresses_end(const struct flow_name *name, uint32_t bytes)
{
	for (uint32_t i = bytes; i < sizeof(name->source_ip); i++)
		if (name->source_ip[i] || name->destination_ip[i])
			return false;
	return true;
}

static bool has_transport(const struct flow_name *name)
{
	return name->source_port || name->destination_port || name->ip_protocol;
}

bool flow_name_valid(const struct flow_name *name)
{
	struct flow_name under = flow_name_under(name, name->fields);

	if (name->fields & ~(uint32_t)MATCH_ALL || name->spare || !flow_name_equal(name, &under) ||
	    name->vlan > VLAN_MAX || name->flow_label > FLOW_LABEL_MAX || name->traffic_class >= NODE_CLASSES_MAX)
		return false;
	switch (name->kind) {
	case FLOW_HPC:
		return addresses_end(name, 4) && !has_transport(name) && !name->flow_label;
	case FLOW_LAYER_2:
		return addresses_end(name, 0) && !has_transport(name) && !name->flow_label && !name->queue_pair;
	case FLOW_IPV4:
		return addresses_end(name, 4) && !name->flow_label && name->queue_pair <= QUEUE_PAIR_MAX;
	case FLOW_IPV6:
		return name->queue_pair <= QUEUE_PAIR_MAX;
	default:
		return false;
	}
}

/* ---- for people ---- */

static void mac_print(const char *word, const uint8_t mac[6], FILE *out)
{
	fprintf(out, " %s %02x:%02x:%02x:%02x:%02x:%02x", word, mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

static void addresses_print(const struct flow_name *name, FILE *out)
{
	char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN];
	int family = name->kind == FLOW_IPV4 ? AF_INET : AF_INET6;

	if (name->kind == FLOW_HPC)
		fprintf(out, " %u > %u", bytes_get32(name->source_ip), bytes_get32(name->destination_ip));
	else if (inet_ntop(family, name->source_ip, source, sizeof(source)) &&
		 inet_ntop(family, name->destination_ip, destination, sizeof(destination)))
		fprintf(out, " %s > %s", source, destination);
}

void flow_name_print(const struct flow_name *name, FILE *out)
{
	static const char *const kinds[FLOW_KINDS] = { "hpc", "layer-2", "ipv4", "ipv6" };
	bool ip = name->kind == FLOW_IPV4 || name->kind == FLOW_IPV6;

	fprintf(out, "%s class %u", kinds[name->kind % FLOW_KINDS], name->traffic_class);
	if (name->fields & MATCH_SOURCE_MAC)
		mac_print("from", name->source_mac, out);
	if (name->fields & MATCH_DESTINATION_MAC)
		mac_print("to", name->destination_mac, out);
	if (name->fields & MATCH_VLAN && name->vlan)
		fprintf(out, " vlan %u", name->vlan);
	if (ip ? name->fields & MATCH_IP_PAIR : name->kind == FLOW_HPC && name->fields & MATCH_HPC)
		addresses_print(name, out);
	if (ip && name->fields & MATCH_PORTS)
		fprintf(out, " protocol %u ports %u > %u", name->ip_protocol, name->source_port,
			name->destination_port);
	if (name->flow_label)
		fprintf(out, " label 0x%05x", name->flow_label);
	if (name->queue_pair)
		fprintf(out, " %s 0x%x", name->kind == FLOW_HPC ? "process" : "queue-pair", name->queue_pair);
}
