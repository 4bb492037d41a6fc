/*  ethernet_pause - both directions of PFC: what neighbours hold here, and are told to hold
 *  (ethernet.h). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_PAUSE_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_PAUSE_H

#include "switchd/ethernet/ethernet.h"

/** ethernet_pause_take() - a PFC or PAUSE frame has arrived on @port.  @bytes  in shared memory. */
void ethernet_pause_take(struct ethernet *eth, uint32_t port, const struct record *header,
			 const uint8_t *bytes, node_time_t now);

/** ethernet_pause_note() - data of @port may have begun or ceased to wait for the neighbour alone:
 *  keeps account of it. */
void ethernet_pause_note(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_pause_settle() - counts pauses of @port that last up to @now. */
void ethernet_pause_settle(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_pause_tell() - the buffer may want something else of the neighbour at input @port than
 *  before. */
void ethernet_pause_tell(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
			 node_time_t now);

/** ethernet_pause_due_at() - when ethernet_pause_send() has something to say at @port;
 *  NODE_TIME_NEVER. */
node_time_t ethernet_pause_due_at(const struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_pause_send() - puts the frame that is due on the link of @port, which is free. */
void ethernet_pause_send(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_watchdog() - switch_ops.timer: counts the classes that have been paused without a break
 *  for the watchdog time as stuck, and sets the timer for the next one. O(ports x classes), once per
 *  watchdog time at most for each of them. */
void ethernet_watchdog(void *dataplane, node_time_t now);

/** ethernet_watchdog_update() - switch_ops.settle: sets the timer if a class is paused, else stops
 *  it. A timer that is always set would hide that a fabric has nothing left to do. O(1). */
void ethernet_watchdog_update(void *dataplane, node_time_t now);

#endif
