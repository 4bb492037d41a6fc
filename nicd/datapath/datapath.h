/*  datapath - the NIC's dataplane: workloads fill the send queue, the link empties it, what arrives
 *  is checked.
 *
 *  Sources of events, and their order when due at the same time: arrivals on the link, then pauses
 *  of it (pause.h), then starts of messages, then frames of an attached host, then transmission. So
 *  whatever is there at a moment is considered for the frame that is sent at that moment.
 *
 *      workload -> (flow slot) -> send_queue -> traffic classes -> link        link -> receive
 *      host -> host_if -> host_send ----------------^ \-> host_if -> host
 *
 *  Within a traffic class the workloads' packets and each of the host's queues take turns, a frame
 *  each. What arrives with a test payload for this NIC is a workload's; any other frame is the
 *  host's, if one is attached. When the delivery memory is full, records wait in the ring; when it
 *  stays full, the switch is told to stop.
 *
 *  Transmission is never ahead of the link (no frame before busy_until_ps) and none of a class that
 *  the switch has stopped; while data waits and none of it may go, the time counts as
 *  port_stats.paused_ps. The link's control words go first; when nothing can be sent, a guarded
 *  link says how far it has counted, so that the loss of the last frame is found too (FC-17).
 *
 *  A flow that the edge switch names in an FGFC frame (EC-17) sends no more than its credit until
 *  its pause is over; it steps aside meanwhile, so the others of its class have the link:
 *  gate.h, nic_gate.c. A frame or the end of a pause comes before what starts or is sent at
 *  the same moment. Its time does not count as paused.
 *
 *  A flow (workload, destination, connection) is opened by its first message. Messages of one flow
 *  too many are dropped and counted as flow_table_full; in a closed loop such a message is one that
 *  never ends. At least 4096 messages can wait, or as many as the log of completions holds; beyond
 *  that arrivals are deferred (workload.h).
 *
 *  Fabric kind roce. Workloads with a transport have queue pairs instead of a place in the send
 *  queue (transport.h, nic_transport.c): a message is complete when it is acknowledged. Within a
 *  class their packets take turns with the others; ACKs, NAKs and CNPs go first. In the place of
 *  stop and go there is PFC, in both directions (nic_pfc.c): a class that is held sends nothing at
 *  all. Order of events: behind the ends of FGFC pauses come timers of transports, samples, then
 *  ends of PFC pauses.
 *
 *      workload -> transport ----> traffic classes, PFC -> link     link -> responder -> receive
 *      reply_queue ----------------^ \-> queue pairs -> workload
 *
 *  Tables for `show`: flows (sent), received, workloads, fgfc (held); roce: queue-pairs, pfc.
 *  Parameters for `set`: workload.NAME.load, in permille. Allocates in create() only; an event
 *  costs O(log workloads + classes). */
#ifndef HEDDLE_NICD_DATAPATH_DATAPATH_H
#define HEDDLE_NICD_DATAPATH_DATAPATH_H

#include "nodes/node/node.h"

/* node.h has the contract. Its config must have passed node_config_check(); the NIC's link is port
 * 0. */
extern const struct node_ops nicd_ops;

#endif
