/*  containerlab - reads the topology file of containerlab, as far as it is of Linux nodes and
 *  bridges (DU-3). containerlab_text writes it as a scenario.
 *
 *  What it takes: topology.nodes of kind linux (hosts) and bridge or ovs-bridge (switches), the
 *  inheritance defaults -> kinds -> groups -> node, links between them, the management network.
 *  Everything else is named with its line and left out; it is no error.
 *
 *  A link of two nodes is a network of its own there. A Heddle NIC is linked to a switch, so such a
 *  link becomes a switch with two ports, a segment. For programs it is the same: what one end sends
 *  arrives at the other end, and nowhere else. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_CONTAINERLAB_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_CONTAINERLAB_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include "orchestrator/base/yaml_node.h"
#include "orchestrator/scenario/scenario.h"

#define CONTAINERLAB_NODES_MAX 4096u
#define CONTAINERLAB_LEVELS 4u /* defaults, kind, group, node: later ones win */

enum containerlab_kind {
	CONTAINERLAB_HOST,
	CONTAINERLAB_SWITCH,
	CONTAINERLAB_LEFT_OUT,
};

struct containerlab_interface {
	char name[IFNAMSIZ];
	char segment[NODE_NAME_MAX];  /* the switch */
	char peer[2 * NODE_NAME_MAX]; /* the other end, for people; "": a bridge */
};

struct containerlab_node {
	const char *name;
	struct scenario_place place;
	enum containerlab_kind kind;
	const struct yaml_node *levels[CONTAINERLAB_LEVELS]; /* NULL: there is none */
	/* in the order of their numbers: eth2 before eth10 */
	uint32_t interface_count;
	struct containerlab_interface interfaces[HOST_INTERFACES_MAX - 1];
};

/* a link between two bridges */
struct containerlab_trunk {
	const char *a, *b;
};

struct containerlab {
	const char *file; /* for messages; the caller's */
	struct yaml_node *root;
	char name[NODE_NAME_MAX];
	uint32_t subnet, subnet_bits; /* of the management network; host byte order */
	uint32_t node_count, segment_count, trunk_count;
	struct containerlab_node *nodes;
	char (*segments)[NODE_NAME_MAX]; /* switches; the first is the management network */
	struct containerlab_trunk *trunks;
	struct scenario_errors left_out; /* sentences with their lines */
};

/** containerlab_read() - reads @length bytes at @text.
 *  @file  the name in messages.
 *  Return: 0; -EINVAL with one error added: no such file, or no Linux node in it; -ENOMEM.
 *  containerlab_free() in any case. */
int containerlab_read(const char *file, const char *text, size_t length, struct containerlab *lab,
		      struct scenario_errors *errors);

void containerlab_free(struct containerlab *lab);

/** containerlab_value() - the value of @key for @node, of the level that wins; NULL: none. */
const struct yaml_node *containerlab_value(const struct containerlab_node *node, const char *key);

/** containerlab_text_of() - the same, if it is a scalar with text; else NULL. */
const char *containerlab_text_of(const struct containerlab_node *node, const char *key);

/** containerlab_leave_out() - names something that is not imported, at @place. */
void containerlab_leave_out(struct containerlab *lab, struct scenario_place place,
			    const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
