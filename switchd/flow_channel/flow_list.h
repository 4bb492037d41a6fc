/*  flow_list - flows of a switch in order of arrival: at an arbiter, or where they wait. Linked by
 *  ifct_entry.next_ref, so a flow is in one list at a time. All functions are O(1). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_LIST_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_LIST_H

#include "switchd/flow_channel/ifct.h"

struct flow_list {
	uint32_t first, last; /* flow_ref(); first FLOW_REF_NONE: it is empty */
};

/** flow_of() - the entry of flow @ref, which must be valid. */
static inline struct ifct_entry *flow_of(const struct ifct *ifcts, uint32_t ref)
{
	return TABLE_AT(ifcts[flow_ref_port(ref)].entries, flow_ref_id(ref));
}

/** flow_list_push() - flow @ref, in no list, is the last of @list. */
static inline void flow_list_push(struct ifct *ifcts, struct flow_list *list, uint32_t ref)
{
	flow_of(ifcts, ref)->next_ref = FLOW_REF_NONE;
	if (list->first == FLOW_REF_NONE)
		list->first = ref;
	else
		flow_of(ifcts, list->last)->next_ref = ref;
	list->last = ref;
}

/** flow_list_pop() - takes the first one out.  Return: FLOW_REF_NONE if there is none. */
static inline uint32_t flow_list_pop(struct ifct *ifcts, struct flow_list *list)
{
	uint32_t ref = list->first;

	if (ref != FLOW_REF_NONE)
		list->first = flow_of(ifcts, ref)->next_ref;
	return ref;
}

#endif
