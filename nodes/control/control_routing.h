/*  control_routing - how paths and port groups are chosen, as a control message carries it: a part
 *  of control.c. */
#ifndef HEDDLE_NODES_CONTROL_CONTROL_ROUTING_H
#define HEDDLE_NODES_CONTROL_CONTROL_ROUTING_H

#include "nodes/config/config.h"
#include "nodes/control/control.pb-c.h"

/* where what is packed lies */
struct control_routing_packing {
	Heddle__RoutingConfig routing;
	Heddle__PortGroupConfig port_group;
};

/** control_routing_pack() - how a switch chooses, as a message.   Return: it, in @packing. */
Heddle__RoutingConfig *control_routing_pack(struct control_routing_packing *packing,
					    const struct routing_config *from);
void control_routing_unpack(struct routing_config *to, const Heddle__RoutingConfig *from);

/** control_port_group_pack() - kind port-group's configuration as a message. Return: it, in
 *  @packing. */
Heddle__PortGroupConfig *control_port_group_pack(struct control_routing_packing *packing,
						 const struct port_group_config *from);
void control_port_group_unpack(struct port_group_config *to, const Heddle__PortGroupConfig *from);

#endif
