#include "nodes/control/control_managed.h"

#include <string.h>

#define COPY(field) to->field = (__typeof__(to->field))from->field;
#define PORT_FIELDS(F) F(kind) F(plugged) F(up) F(tier) F(peer_index) F(peer_port) F(rate_bps)
#define IDENTITY_FIELDS(F) F(kind) F(fabric) F(index) F(fabric_address) F(host_index)

#define SAME(wire, here)                                   \
	_Static_assert((int)HEDDLE__##wire == (int)(here), \
		       "control.proto and table_block.h disagree")
SAME(TABLE_KIND__ROUTES, TABLE_ROUTES);
SAME(TABLE_KIND__VIAS, TABLE_VIAS);
SAME(TABLE_KIND__HOSTS, TABLE_HOSTS);
SAME(TABLE_KIND__FLOOD, TABLE_FLOOD);
SAME(TABLE_KIND__LFT, TABLE_LFT);
SAME(TABLE_KIND__PGFT, TABLE_PGFT);
SAME(TABLE_KIND__PGT, TABLE_PGT);

static void port_pack(Heddle__PortIdentity *to, const struct port_identity *from)
{
	heddle__port_identity__init(to);
	PORT_FIELDS(COPY)
}

static void port_unpack(struct port_identity *to,
			const Heddle__PortIdentity *from){ PORT_FIELDS(COPY) }

Heddle__NodeIdentity *control_identity_pack(struct control_managed_packing *packing,
					    const struct node_identity *from)
{
	Heddle__NodeIdentity *to = &packing->identity;

	heddle__node_identity__init(to);
	IDENTITY_FIELDS(COPY)
	to->name = (char *)from->name;
	to->table_blocks = (uint32_t *)from->table_blocks;
	to->n_table_blocks = TABLE_KINDS;
	to->ports = packing->port_table;
	for (; to->n_ports < from->port_count; to->n_ports++) {
		to->ports[to->n_ports] = &packing->ports[to->n_ports];
		port_pack(to->ports[to->n_ports], &from->ports[to->n_ports]);
	}
	return to;
}

bool control_identity_unpack(struct node_identity *to, const Heddle__NodeIdentity *from)
{
	if (from->n_ports > NODE_PORTS_MAX || from->n_table_blocks > TABLE_KINDS ||
	    strlen(from->name) >= sizeof(to->name) || from->index >= NODE_COUNT_MAX ||
	    from->fabric_address > 65535 || from->host_index >= NODE_COUNT_MAX)
		return false;
	IDENTITY_FIELDS(COPY)
	strcpy(to->name, from->name);
	for (size_t i = 0; i < from->n_table_blocks; i++) {
		to->table_blocks[i] = from->table_blocks[i];
		if (to->table_blocks[i] > table_blocks_max((enum table_kind)i))
			return false;
	}
	for (; to->port_count < from->n_ports; to->port_count++)
		port_unpack(&to->ports[to->port_count], from->ports[to->port_count]);
	return true;
}

Heddle__TableBlock *control_block_pack(struct control_managed_packing *packing,
				       const struct table_block *from)
{
	Heddle__TableBlock *to = &packing->block;

	heddle__table_block__init(to);
	to->table = (Heddle__TableKind)from->table;
	to->number = from->number;
	to->bytes.data = (uint8_t *)from->bytes;
	to->bytes.len = TABLE_BLOCK_BYTES;
	return to;
}

bool control_block_unpack(struct table_block *to, const Heddle__TableBlock *from)
{
	if ((uint32_t)from->table >= TABLE_KINDS || from->bytes.len != TABLE_BLOCK_BYTES)
		return false;
	to->table = (enum table_kind)from->table;
	to->number = from->number;
	memcpy(to->bytes, from->bytes.data, TABLE_BLOCK_BYTES);
	return true;
}
