/*  control_routing - paths and port groups as a control message carries them: a part of control.c.  */
#ifndef HEDDLE_NODES_CONTROL_ROUTING_H
#define HEDDLE_NODES_CONTROL_ROUTING_H

#include "nodes/config.h"
#include "nodes/control.pb-c.h"

/* where what is packed lies; it borrows vias and tables */
struct control_routing_packing {
	Heddle__RoutingConfig routing;
	Heddle__LidTables lids;
	Heddle__PortGroupConfig port_group;
	uint32_t *vias; /* owned: free() it */
};

/** control_routing_pack() - how a switch chooses, as a message.   Return: it, in @packing. */
Heddle__RoutingConfig *control_routing_pack(struct control_routing_packing *packing, const struct routing_config *from);
void control_routing_unpack(struct routing_config *to, const Heddle__RoutingConfig *from);

/** control_paths_pack() - vias and LID tables of @from into @to.   Return: 0 or -ENOMEM. */
int control_paths_pack(struct control_routing_packing *packing, Heddle__SwitchConfig *to,
		       const struct switch_config *from);

/** control_paths_unpack() - the other way.
 *  Return: 0; -EINVAL if a via is no fabric address or the tables' sizes do not fit together; -ENOMEM. What it has made so far
 *  belongs to @to either way.                                                                                       */
int control_paths_unpack(struct switch_config *to, const Heddle__SwitchConfig *from);

/** control_port_group_pack() - kind port-group's configuration as a message.   Return: it, in @packing. */
Heddle__PortGroupConfig *control_port_group_pack(struct control_routing_packing *packing,
						 const struct port_group_config *from);
void control_port_group_unpack(struct port_group_config *to, const Heddle__PortGroupConfig *from);

#endif
