/*  port_name - how people name a port of a node: by number, 'p2' or '2', or by its peer, 's4'. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_PORT_NAME_H
#define HEDDLE_ORCHESTRATOR_BASE_PORT_NAME_H

#include "nodes/config/config.h"

/** port_name_find() - the ports of @node that @name means: all ports to the peer of that name, else
 *  the port of that number.  Return: one bit per port; 0: none. */
uint64_t port_name_find(const struct node_config *node, const char *name);

#define PORT_NAMES_LISTED_MAX 12u                                         /* names in a sentence */
#define PORT_NAMES_MAX (PORT_NAMES_LISTED_MAX * (NODE_NAME_MAX + 8) + 32) /* their bytes */

/** port_names_list() - those of the ports @ports (bits) of @node that have a link, for a sentence:
 *  "p0 h1, p1 s2 and 3 more".  @text, text_max  PORT_NAMES_MAX holds any.   Return: @text. */
const char *port_names_list(const struct node_config *node, uint64_t ports, char *text,
			    size_t text_max);

#endif
