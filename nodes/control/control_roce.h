/*  control_roce - the configuration of fabric kind roce as a control message carries it: a part of
 *  control.c. */
#ifndef HEDDLE_NODES_CONTROL_CONTROL_ROCE_H
#define HEDDLE_NODES_CONTROL_CONTROL_ROCE_H

#include <stdbool.h>

#include "nodes/config/roce_config.h"
#include "nodes/control/control.pb-c.h"

/* where a packed configuration lies; it has no pointers to anything else */
struct control_roce_packing {
	Heddle__RoceConfig roce;
	Heddle__RoceClassConfig classes[ROCE_CLASSES_MAX], *class_table[ROCE_CLASSES_MAX];
	Heddle__DcqcnConfig dcqcn;
	Heddle__QueuePairConfig queue_pair;
	Heddle__TcpConfig tcp;
};

/** control_roce_pack() - @from as a message.   Return: it, in @packing. */
Heddle__RoceConfig *control_roce_pack(struct control_roce_packing *packing,
				      const struct roce_config *from);

/** control_roce_unpack() - the other way. What is missing stays 0. Return: false if there are too
 *  many classes. */
bool control_roce_unpack(struct roce_config *to, const Heddle__RoceConfig *from);

#endif
