/*  observe - what happened in a running fabric between two answers of its daemon to "ps" (TB-8,
 *  TB-10).
 *
 *  The daemon tells plain counters since the start and keeps nothing for anybody; whoever wants to
 *  know about a time asks at its beginning and at its end. So any number of people can look, each
 *  at a time of their own, and the beginning may be a file. What is found out is put into the later
 *  answer, beside what is there:
 *    observe_cost()      of the fabric and each node: cpu_percent, of a core
 *    observe_traffic()   of each node: sent_pps, sent_bps, received_pps, received_bps, dropped_pps,
 *                        eca_acks_per_s, stops_per_s; in a fabric of kind roce marked_per_s,
 *                        pauses_per_s, cnps_per_s;
 *                        of each port: tx_bps, rx_bps, tx_percent (of the link's time)
 *    observe_fidelity() of each node: lateness_p50_ns, lateness_p99_ns, lateness_max_ns,
 *                        added_delay_ns, stalled_percent; of the fabric "fidelity": a verdict,
 *                        interval_ns, and of the node that is furthest from what was configured its
 *                        name and the values above, if any has done anything; the verdict is
 *                        "unknown" if
 *                        a node's page cannot be read, and it is named
 *  Nodes are matched by their names. A counter that has begun anew counts as a whole. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_OBSERVE_H
#define HEDDLE_ORCHESTRATOR_CLI_OBSERVE_H

#include <jansson.h>
#include <stdio.h>

/** observe_cost(), observe_traffic() - between answers @before and @later. */
void observe_cost(json_t *later, const json_t *before);
void observe_traffic(json_t *later, const json_t *before);

/** observe_fidelity() - the same; since the fabric's start if @before is NULL. */
void observe_fidelity(json_t *later, const json_t *before);

/** observe_deadlocks_print() - a line about the deadlocks in the answer (pause_cycle.h), if there
 *  are any. */
void observe_deadlocks_print(const json_t *fabric, FILE *out);

/** observe_fidelity_print() - the verdict for people: up to three lines, who was late and what can
 *  be done about it. */
void observe_fidelity_print(const json_t *fabric, FILE *out);

#endif
