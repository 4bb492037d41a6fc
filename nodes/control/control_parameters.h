/*  control_parameters - structures with tables of parameters (nodes/config/parameter.h) in a
 *  control message: names and values. A part of control.c. */
#ifndef HEDDLE_NODES_CONTROL_CONTROL_PARAMETERS_H
#define HEDDLE_NODES_CONTROL_CONTROL_PARAMETERS_H

#include "nodes/config/config.h"
#include "nodes/control/control.pb-c.h"

/** control_rows_pack() - adds the fields of @structure that are not 0 to the @count of @list, in
 *  the order of @table.
 *  Return: 0 or -ENOMEM; control_rows_free() in any case. */
int control_rows_pack(const struct parameter_table *table, const void *structure,
		      Heddle__Parameter ***list, size_t *count);
void control_rows_free(Heddle__Parameter **list, size_t count);

/** control_rows_unpack() - the opposite; what is missing stays as it is.
 *  Return: false if a name is unknown, out of order or twice there, or a field cannot hold a
 *  value. */
bool control_rows_unpack(const struct parameter_table *table, void *structure,
			 Heddle__Parameter *const *list, size_t count);

/** control_parameters_pack() - the same for those structures of @config of which a node has one,
 *  and for its classes. */
int control_parameters_pack(Heddle__NodeConfig *to, const struct node_config *config);

/** control_parameters_unpack() - the opposite. @config has its kind, its kind of fabric and its
 *  classes. */
bool control_parameters_unpack(struct node_config *config, const Heddle__NodeConfig *from);

#endif
