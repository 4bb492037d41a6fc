/*  port_name - how people name a port of a node: by number, 'p2' or '2', or by its peer, 's4'. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_PORT_NAME_H
#define HEDDLE_ORCHESTRATOR_BASE_PORT_NAME_H

#include "nodes/config/config.h"

/** port_name_find() - the ports of @node that @name means: all ports to the peer of that name, else
 *  the port of that number.  Return: one bit per port; 0: none. */
uint64_t port_name_find(const struct node_config *node, const char *name);

#endif
