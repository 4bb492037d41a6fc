/*  message_set - incomplete messages of unordered classes (FC-16), and how much of each has
 *  arrived.
 *
 *  Memory: a fixed table in sets of eight lines; untouched parts cost nothing. A full set drops the
 *  message whose last packet is the oldest, which then never becomes complete. Usually a packet of
 *  it was lost, so it would not anyway: else its packets would be thousands of messages apart. */
#ifndef HEDDLE_NICD_TRAFFIC_MESSAGE_SET_H
#define HEDDLE_NICD_TRAFFIC_MESSAGE_SET_H

#include <stdbool.h>
#include <stdint.h>

struct message_set_line {
	uint32_t flow, message; /* slot of the flow, number of the message in it */
	uint64_t got_bytes;     /* payload that has arrived; 0: the line is free */
	uint64_t seen;          /* message_set.packets at its last packet */
};

struct message_set {
	struct message_set_line *lines;
	uint64_t packets; /* added so far */
};

/** message_set_init() - no message.  Return: 0 or -ENOMEM. */
int message_set_init(struct message_set *set);
void message_set_fini(struct message_set *set);

/** message_set_add() - @bytes (> 0) more of @message of flow slot @flow have arrived, of
 *  @message_bytes in all.
 *  Return: true if it is complete; it is then in the set no longer. O(1). */
bool message_set_add(struct message_set *set, uint32_t flow, uint32_t message, uint64_t bytes,
		     uint64_t message_bytes);

#endif
