/*  control_parameters - structures with tables of parameters (nodes/config/parameter.h) in a
 *  control message: names and values. A part of control.c. */
#ifndef HEDDLE_NODES_CONTROL_CONTROL_PARAMETERS_H
#define HEDDLE_NODES_CONTROL_CONTROL_PARAMETERS_H

#include "nodes/config/config.h"
#include "nodes/control/control.pb-c.h"

/** control_parameters_pack() - adds the parameters of @config that are not 0 to @to, in the order
 *  of the tables. Return: 0 or -ENOMEM; control_parameters_free() in any case. */
int control_parameters_pack(Heddle__NodeConfig *to, const struct node_config *config);
void control_parameters_free(Heddle__NodeConfig *to);

/** control_parameters_unpack() - the opposite; what is missing stays 0. @config has its kind and
 *  its kind of fabric.
 *  Return: false if a name is unknown, out of order or twice there, or a field cannot hold a
 *  value. */
bool control_parameters_unpack(struct node_config *config, const Heddle__NodeConfig *from);

#endif
