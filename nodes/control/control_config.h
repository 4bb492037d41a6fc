/*  control_config - the configuration of a node, and of a port, in a control message. A part of
 *  control.c. */
#ifndef HEDDLE_NODES_CONTROL_CONTROL_CONFIG_H
#define HEDDLE_NODES_CONTROL_CONTROL_CONFIG_H

#include "nodes/config/config.h"
#include "nodes/control/control.pb-c.h"

/* a tree of protobuf-c's structures that borrows the strings and numbers of ours */
struct control_config_packing {
	Heddle__NodeConfig node;
	Heddle__SwitchConfig switch_;
	Heddle__NicConfig nic;
};

/** control_config_pack() - packing->node becomes the message of @config, which is borrowed.
 *  @packing zeroed.
 *  Return: 0 or -ENOMEM; control_config_packing_free() in any case. */
int control_config_pack(struct control_config_packing *packing, const struct node_config *config);
void control_config_packing_free(struct control_config_packing *packing);

/** control_port_pack() - the same for a port. Return: 0 or -ENOMEM; control_rows_free() of its
 *  parameters in any case. */
int control_port_pack(Heddle__PortConfig *to, const struct port_config *port);

/** control_config_unpack() - into memory of @config, which is zeroed.
 *  Return: 0; -EINVAL: a name or a list is too long, or a parameter is unknown; -ENOMEM.
 *  node_config_free() in any case. */
int control_config_unpack(struct node_config *config, const Heddle__NodeConfig *from);

/** control_port_unpack() - the same for a port. Return: false in the place of -EINVAL. */
bool control_port_unpack(struct port_config *port, const Heddle__PortConfig *from);

/** control_text_copy() - copies @from to @to. Return: false if it is too long for @to_bytes. */
bool control_text_copy(char *to, size_t to_bytes, const char *from);

#endif
