/*  control_managed - what fabric managers and nodes say to each other, as messages of
 *  control.proto. Private to control.c. */
#ifndef HEDDLE_NODES_CONTROL_CONTROL_MANAGED_H
#define HEDDLE_NODES_CONTROL_CONTROL_MANAGED_H

#include "nodes/control/control.pb-c.h"
#include "nodes/node/managed.h"

/* borrows what it was made from */
struct control_managed_packing {
	Heddle__NodeIdentity identity;
	Heddle__PortIdentity ports[NODE_PORTS_MAX], *port_table[NODE_PORTS_MAX];
	Heddle__TableBlock block;
};

/** control_identity_pack(), control_block_pack() - the message, in @packing. */
Heddle__NodeIdentity *control_identity_pack(struct control_managed_packing *packing,
					    const struct node_identity *from);
Heddle__TableBlock *control_block_pack(struct control_managed_packing *packing,
				       const struct table_block *from);

/** control_identity_unpack(), control_block_unpack() - false if @from says what cannot be. */
bool control_identity_unpack(struct node_identity *to, const Heddle__NodeIdentity *from);
bool control_block_unpack(struct table_block *to, const Heddle__TableBlock *from);

#endif
