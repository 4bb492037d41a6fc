/*  observe - differences between two answers of a fabric's daemon to "ps" (TB-8, TB-10).
 *
 *  The daemon reports counters since the start and keeps no state for its clients. For an interval
 *  a client queries at its beginning and at its end. So clients do not disturb each other, and the
 *  earlier answer may come from a file. Results are added to the later answer:
 *    observe_cost()      of the fabric and each node: cpu_percent, of a core
 *    observe_traffic()   of each node: sent_pps, sent_bps, received_pps, received_bps, dropped_pps,
 *                        eca_acks_per_s, stops_per_s; in a fabric of kind roce marked_per_s,
 *                        pauses_per_s, cnps_per_s;
 *                        of each port: tx_bps, rx_bps, tx_percent (of the link's time)
 *    observe_fidelity()  of each node: lateness_p50_ns, lateness_p99_ns, lateness_max_ns,
 *                        added_delay_ns, stalled_percent, stalled_ns; of the fabric "fidelity":
 *                        verdict and reason (fidelity.h), words (the verdict for people),
 *                        interval_ns, active_ns (in which there was traffic: the most of all
 *                        nodes), active_cores (CPU time of the fabric over that time) of `cores`,
 *                        uncarried_bytes, host_overrun_frames (frames of hosts that their NICs did
 *                        not take); and of the node that is furthest from what was configured its
 *                        name and the values above. The verdict is "unknown" if the page of a node
 *                        cannot be read, and that node is named. Since the start, an answer with
 *                        "minute_ago" (live_history.h) also gets "fidelity_last_minute", the same
 *  Nodes are matched by their names. A counter that has restarted counts from 0. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_OBSERVE_H
#define HEDDLE_ORCHESTRATOR_OPERATE_OBSERVE_H

#include <jansson.h>
#include <stdio.h>

/** observe_cost(), observe_traffic() - between answers @before and @later. */
void observe_cost(json_t *later, const json_t *before);
void observe_traffic(json_t *later, const json_t *before);

/** observe_fidelity() - the same; since the fabric's start if @before is NULL. "minute_ago" of
 *  @later is used up. */
void observe_fidelity(json_t *later, const json_t *before);

/** observe_deadlocks_print() - a line with the deadlocks in the answer (pause_cycle.h), if there
 *  are any. */
void observe_deadlocks_print(const json_t *fabric, FILE *out);

/** observe_fidelity_print() - the verdict as text: up to OBSERVE_FIDELITY_LINES, with the latest
 *  node and advice. */
#define OBSERVE_FIDELITY_LINES 6u
void observe_fidelity_print(const json_t *fabric, FILE *out);

#endif
