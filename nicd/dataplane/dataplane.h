/*  dataplane - the dataplane of the NIC: workloads fill the send queue, the link empties it, and
 *  arriving packets are checked.
 *
 *  Events that are due at the same time have this order: arrivals on the link, pauses of the link
 *  (pause.h), starts of messages, times of gates, times of transports, samples, transmission. So a
 *  frame is selected after all that happens at the same time.
 *
 *      workload -> (flow slot) -> send_queue -> traffic classes -> link        link -> receive
 *      host -> host_if -> host_send ----------------^                              \-> host_if
 *
 *  Within a traffic class, packets of workloads and each queue of the host take turns, a frame
 *  each. A frame with a test payload for this NIC belongs to a workload. Any other frame is for the
 *  host, if one is attached. While the delivery memory is full, records wait in the ring. If it
 *  stays full, the switch gets STOP.
 *
 *  Transmission. No frame starts before busy_until_ps, and none of a class that the switch has
 *  stopped. While data waits and none of it may be sent, the time counts as port_stats.paused_ps.
 *  PFC frames (roce) are sent first, then control words of the link, then data. If nothing can be
 *  sent, a guarded link reports how far it has counted, so that the loss of the last frame is
 *  detected too (FC-17).
 *
 *  Gates. A flow that FGFC has paused (EC-17), or whose destination has sent BECN (PG-10), leaves
 *  the ring of its class until it may send, so other flows of the class have the link: gate.h,
 *  nic_gate.c. This time does not count as paused.
 *
 *  A flow (workload, destination, connection) is opened by its first message. Messages of flows
 *  beyond flows_max are dropped and counted as flow_table_full; in a closed loop such a message
 *  never ends. At least 4096 messages can wait, or as many as the log of completions has lines.
 *  Later arrivals are deferred (workload.h).
 *
 *  Fabric kind roce. Messages of workloads with a transport wait there, not in the send queue
 *  (transport.h, nic_transport.c), and are complete when they are acknowledged. Within a class
 *  their packets take turns with the others; ACKs, NAKs and CNPs go first. PFC replaces STOP and
 *  XON, in both directions (nic_pfc.c). A paused class sends nothing at all.
 *
 *      workload -> transport ----> traffic classes, PFC -> link     link -> responder -> receive
 *      reply_queue ----------------^                                     \-> queue pairs
 *
 *  Tables for `show`: flows (sent), received, workloads, fgfc (paused), headers; roce: queue-pairs,
 *  pfc.
 *  Parameters for `set`: workload.NAME.load, in permille. Allocates in create() only; an event
 *  costs O(log workloads + classes). */
#ifndef HEDDLE_NICD_DATAPLANE_DATAPLANE_H
#define HEDDLE_NICD_DATAPLANE_DATAPLANE_H

#include "nodes/node/node.h"

/* node.h has the contract. Its config must have passed node_config_check(); the NIC's link is port
 * 0. */
extern const struct node_ops nicd_ops;

#endif
