/*  ethernet_pause - both directions of PFC: pauses from peers, and pauses of peers (ethernet.h). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_PAUSE_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_PAUSE_H

#include "switchd/ethernet/ethernet.h"

/** ethernet_pause_take() - a PFC or PAUSE frame has arrived on @port.  @bytes  in shared memory. */
void ethernet_pause_take(struct ethernet *eth, uint32_t port, const struct record *header,
			 const uint8_t *bytes, node_time_t now);

/** ethernet_pause_note() - the packets of @port may have begun or ceased to wait because of the
 *  peer alone: updates the account of pauses. */
void ethernet_pause_note(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_pause_settle() - counts pauses of @port that last up to @now. */
void ethernet_pause_settle(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_pause_ps() - time in which the peer has paused @queue, up to @now. */
node_time_t ethernet_pause_ps(const struct ethernet_queue *queue, node_time_t now);

/** ethernet_pause_tell() - the buffer of input @port may require another XOFF or XON of the
 *  class. */
void ethernet_pause_tell(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
			 node_time_t now);

/** ethernet_pause_due_at() - when ethernet_pause_send() has a frame for @port; NODE_TIME_NEVER. */
node_time_t ethernet_pause_due_at(const struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_pause_send() - puts the frame that is due on the link of @port, which is free. */
void ethernet_pause_send(struct ethernet *eth, uint32_t port, node_time_t now);

/** ethernet_watchdog() - switch_ops.timer: counts the classes that have been paused without a break
 *  for the watchdog time as stuck, and sets the timer for the next one. O(ports x classes), once
 *  per watchdog time at most for each of them. */
void ethernet_watchdog(void *dataplane, node_time_t now);

/** ethernet_watchdog_update() - switch_ops.settle: sets the timer if a class is paused, else stops
 *  it. A timer that is always set would hide that a fabric has nothing left to do. O(1). */
void ethernet_watchdog_update(void *dataplane, node_time_t now);

#endif
