/*  live_set_list - what `heddle set` has changed at running nodes, for `heddle save`: the last
 *  value of each name (DU-6). A node that is started again has forgotten its values. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_SET_LIST_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_SET_LIST_H

#include <stdint.h>
#include <stdio.h>

#include "nodes/config/config.h"

#define LIVE_SETS_MAX 4096u /* remembered; then the oldest is forgotten */

struct live_set {
	char node[NODE_NAME_MAX];
	char *name, *value; /* owned */
};

struct live_set_list {
	struct live_set *sets;
	uint32_t count;
};

/** live_set_keep() - @name of @node is @value now.  Return: 0 or -ENOMEM: it is not remembered. */
int live_set_keep(struct live_set_list *list, const char *node, const char *name,
		  const char *value);

/** live_set_drop() - forgets all of @node. */
void live_set_drop(struct live_set_list *list, const char *node);

/** live_set_print() - the commands that set the same again, a line each. */
void live_set_print(const struct live_set_list *list, FILE *out);

void live_set_free(struct live_set_list *list);

#endif
