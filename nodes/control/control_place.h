/*  control_place - where a packed node is, and what a worker runs, as messages of control.proto. A
 *  part of control.c. */
#ifndef HEDDLE_NODES_CONTROL_CONTROL_PLACE_H
#define HEDDLE_NODES_CONTROL_CONTROL_PLACE_H

#include <stdbool.h>

#include "nodes/control/control.pb-c.h"
#include "nodes/node/place.h"

struct control_place_packing {
	Heddle__Place place;
	Heddle__PlacePort ports[NODE_PORTS_MAX], *port_table[NODE_PORTS_MAX];
	Heddle__Worker worker;
};

/** control_place_pack(), control_worker_pack() - the message, in @packing. */
Heddle__Place *control_place_pack(struct control_place_packing *packing,
				  const struct node_place *from);
Heddle__Worker *control_worker_pack(struct control_place_packing *packing,
				    const struct worker_share *from);

/** control_place_unpack() - false if @from has too many ports. */
bool control_place_unpack(struct node_place *to, const Heddle__Place *from);

/** control_worker_unpack() - any numbers; the worker compares them with the places page. */
void control_worker_unpack(struct worker_share *to, const Heddle__Worker *from);

#endif
