#include "nodes/wire/flow_name.h"

#include <arpa/inet.h>

#include "nodes/base/array.h"
#include "nodes/base/bytes.h"

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

/* ---- masks ---- */

static void mac_put(uint64_t bits, uint8_t mac[6])
{
	for (unsigned i = 0; i < 6; i++)
		mac[i] = (uint8_t)(bits >> (40 - 8 * i));
}

static void addresses_mask(const struct flow_match *match, enum flow_kind kind,
			   struct flow_name *mask)
{
	if (kind == FLOW_IPV6) {
		bytes_put64(mask->source_ip, flow_match_part(match, PART_SOURCE_IPV6_HIGH));
		bytes_put64(mask->source_ip + 8, flow_match_part(match, PART_SOURCE_IPV6_LOW));
		bytes_put64(mask->destination_ip,
			    flow_match_part(match, PART_DESTINATION_IPV6_HIGH));
		bytes_put64(mask->destination_ip + 8,
			    flow_match_part(match, PART_DESTINATION_IPV6_LOW));
	} else if (kind != FLOW_LAYER_2) {
		bool hpc = kind == FLOW_HPC;

		bytes_put32(
			mask->source_ip,
			(uint32_t)flow_match_part(match, hpc ? PART_HPC_SOURCE : PART_SOURCE_IPV4));
		bytes_put32(mask->destination_ip,
			    (uint32_t)flow_match_part(match, hpc ? PART_HPC_DESTINATION
								 : PART_DESTINATION_IPV4));
	}
}

/* the bits that a name of @kind can have, of those that count under @match; its fields are those
 * with any */
static struct flow_name mask_of(const struct flow_match *match, enum flow_kind kind)
{
	bool ip = kind == FLOW_IPV4 || kind == FLOW_IPV6;
	struct flow_name mask = { .vlan = (uint16_t)flow_match_part(match, PART_VLAN) };

	mac_put(flow_match_part(match, PART_SOURCE_MAC), mask.source_mac);
	mac_put(flow_match_part(match, PART_DESTINATION_MAC), mask.destination_mac);
	addresses_mask(match, kind, &mask);
	if (ip) {
		mask.source_port = (uint16_t)flow_match_part(match, PART_SOURCE_PORT);
		mask.destination_port = (uint16_t)flow_match_part(match, PART_DESTINATION_PORT);
		mask.ip_protocol = (uint8_t)flow_match_part(match, PART_IP_PROTOCOL);
		mask.queue_pair = (uint32_t)flow_match_part(match, PART_QUEUE_PAIR);
	} else if (kind == FLOW_HPC) {
		mask.queue_pair = (uint32_t)flow_match_part(match, PART_HPC_PROCESS);
	}
	if (kind == FLOW_IPV6)
		mask.flow_label = (uint32_t)flow_match_part(match, PART_FLOW_LABEL);
	return mask;
}

bool flow_name_is_masked(const struct flow_name *mask)
{
	static const struct flow_name none;

	return !flow_name_equal(mask, &none);
}

/* is any bit left of @mask under @field alone? */
static bool has_field(const struct flow_name *mask, enum flow_kind kind, uint32_t field)
{
	struct flow_name under = *mask;

	under.kind = (uint8_t)kind;
	under = flow_name_under(&under, field);
	under.kind = 0;
	return flow_name_is_masked(&under);
}

uint32_t flow_name_mask(const struct flow_match *match, enum flow_kind kind, struct flow_name *mask)
{
	struct flow_match whole = { 0 };
	struct flow_name whole_mask;

	*mask = (struct flow_name){ 0 };
	if (!flow_match_masked(match))
		return match->fields;
	*mask = mask_of(match, kind);
	for (uint32_t field = 1; field < MATCH_ALL; field <<= 1)
		if (has_field(mask, kind, field))
			whole.fields |= field;
	whole_mask = mask_of(&whole, kind);
	if (flow_name_equal(mask, &whole_mask))
		*mask = (struct flow_name){ 0 };
	return whole.fields;
}

/* every bit of @name that is in @mask too; what is no field of a frame stays */
static struct flow_name bits_of(const struct flow_name *name, const struct flow_name *mask)
{
	uint64_t bits[sizeof(*mask) / 8], values[sizeof(*mask) / 8];
	struct flow_name under;

	memcpy(bits, mask, sizeof(bits));
	memcpy(values, name, sizeof(values));
	for (size_t i = 0; i < COUNT_OF(bits); i++)
		values[i] &= bits[i];
	memcpy(&under, values, sizeof(under));
	under.fields = name->fields;
	under.traffic_class = name->traffic_class;
	under.kind = name->kind;
	under.spare = name->spare;
	return under;
}

struct flow_name flow_name_masked(const struct flow_name *name, uint32_t fields,
				  const struct flow_name *mask)
{
	struct flow_name under = flow_name_under(name, fields);

	return flow_name_is_masked(mask) ? bits_of(&under, mask) : under;
}

bool flow_name_masked_valid(const struct flow_name *name, const struct flow_name *mask)
{
	struct flow_name bits = *mask, under = flow_name_masked(name, name->fields, mask), whole;
	struct flow_match match = { .fields = name->fields };

	if (!flow_name_valid(name) || !flow_name_is_masked(mask) ||
	    !flow_name_equal(name, &under) || mask->fields || mask->traffic_class || mask->kind ||
	    mask->spare)
		return false;
	whole = mask_of(&match, (enum flow_kind)name->kind);
	if (flow_name_equal(mask, &whole))
		return false;
	for (uint32_t field = 1; field < MATCH_ALL; field <<= 1)
		if (name->fields & field && !has_field(mask, (enum flow_kind)name->kind, field))
			return false;
	bits.fields = name->fields;
	bits.kind = name->kind;
	return flow_name_valid(&bits);
}

/* true if everything after the first @bytes of the two addresses is 0 */
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
	    name->vlan > VLAN_MAX || name->flow_label > FLOW_LABEL_MAX ||
	    name->traffic_class >= NODE_CLASSES_MAX)
		return false;
	switch (name->kind) {
	case FLOW_HPC:
		return addresses_end(name, 4) && !has_transport(name) && !name->flow_label;
	case FLOW_LAYER_2:
		return addresses_end(name, 0) && !has_transport(name) && !name->flow_label &&
		       !name->queue_pair;
	case FLOW_IPV4:
		return addresses_end(name, 4) && !name->flow_label &&
		       name->queue_pair <= QUEUE_PAIR_MAX;
	case FLOW_IPV6:
		return name->queue_pair <= QUEUE_PAIR_MAX;
	default:
		return false;
	}
}

/* ---- for people ---- */

static void mac_print(const char *word, const uint8_t mac[6], FILE *out)
{
	fprintf(out, " %s %02x:%02x:%02x:%02x:%02x:%02x", word, mac[0], mac[1], mac[2], mac[3],
		mac[4], mac[5]);
}

static void addresses_print(const struct flow_name *name, FILE *out)
{
	char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN];
	int family = name->kind == FLOW_IPV4 ? AF_INET : AF_INET6;

	if (name->kind == FLOW_HPC)
		fprintf(out, " %u > %u", bytes_get32(name->source_ip),
			bytes_get32(name->destination_ip));
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
		fprintf(out, " %s 0x%x", name->kind == FLOW_HPC ? "process" : "queue-pair",
			name->queue_pair);
}

void flow_name_mask_print(const struct flow_name *name, const struct flow_name *mask, FILE *out)
{
	struct flow_name bits = *mask;

	if (!flow_name_is_masked(mask))
		return;
	bits.fields = name->fields;
	bits.kind = name->kind;
	fputs(" mask", out);
	if (bits.fields & MATCH_SOURCE_MAC)
		mac_print("from", bits.source_mac, out);
	if (bits.fields & MATCH_DESTINATION_MAC)
		mac_print("to", bits.destination_mac, out);
	if (bits.vlan)
		fprintf(out, " vlan 0x%x", bits.vlan);
	if (name->kind == FLOW_HPC && bits.fields & MATCH_HPC)
		fprintf(out, " 0x%x > 0x%x", bytes_get32(bits.source_ip),
			bytes_get32(bits.destination_ip));
	else if (bits.fields & MATCH_IP_PAIR)
		addresses_print(&bits, out);
	if (bits.fields & MATCH_PORTS)
		fprintf(out, " protocol 0x%x ports 0x%x > 0x%x", bits.ip_protocol, bits.source_port,
			bits.destination_port);
	if (bits.flow_label)
		fprintf(out, " label 0x%05x", bits.flow_label);
	if (bits.queue_pair)
		fprintf(out, " %s 0x%x", name->kind == FLOW_HPC ? "process" : "queue-pair",
			bits.queue_pair);
}
