/*  message_set - messages of unordered classes of which not all packets are here (FC-16): how much
 *  of each has come.
 *
 *  Memory: a fixed table, real where used; sets of eight. A full set forgets the message whose last
 *  packet came longest ago: with a lost packet it never becomes complete, and else its packets
 *  would have to be thousands of messages apart. */
#ifndef HEDDLE_NICD_TRAFFIC_MESSAGE_SET_H
#define HEDDLE_NICD_TRAFFIC_MESSAGE_SET_H

#include <stdbool.h>
#include <stdint.h>

struct message_set_line {
	uint32_t flow, message; /* the flow's slot, the message's number in it */
	uint64_t got_bytes;     /* 0: the line is free */
	uint64_t seen;
};

struct message_set {
	struct message_set_line *lines;
	uint64_t packets; /* seen so far */
};

/** message_set_init() - no message.  Return: 0 or -ENOMEM. */
int message_set_init(struct message_set *set);
void message_set_fini(struct message_set *set);

/** message_set_add() - @bytes (> 0) more of @message of flow slot @flow, which has @message_bytes,
 *  are here.
 *  Return: is it complete? Then it is forgotten. O(1). */
bool message_set_add(struct message_set *set, uint32_t flow, uint32_t message, uint64_t bytes,
		     uint64_t message_bytes);

#endif
