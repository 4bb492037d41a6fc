/*  results_roce - the part of the results that only a fabric of kind roce has: traffic classes of
 *  ports, transports, marks, pauses, drops, deadlocks (TB-13, RC-1 ... RC-11).
 *
 *  results*.c call this module for their part, so that the results of a fabric of flow channels do
 *  not change with it. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_ROCE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_ROCE_H

#include <jansson.h>

#include "orchestrator/results/results.h"

/* Sums, in the order of JSON: CLASS and PORT over switches, FLOW over all flows; key, counter in
 * that struct, fold. */
/* clang-format off */
#define ROCE_SUMS(CLASS, PORT, FLOW) \
	CLASS(drops, drops, SUM) \
	CLASS(marked, marked, SUM) \
	CLASS(stuck, stuck, SUM) \
	PORT(pauses_sent, pauses_sent, SUM) \
	PORT(pauses_received, pauses_received, SUM) \
	PORT(path_pauses, path_pauses, SUM) \
	PORT(path_resumes, path_resumes, SUM) \
	CLASS(signals_pause, signals_pause, SUM) \
	CLASS(signals_resume, signals_resume, SUM) \
	PORT(signals_forwarded, signals_forwarded, SUM) \
	CLASS(cnps_seen, cnps_seen, SUM) \
	CLASS(cnps_supplemented, cnps_supplemented, SUM) \
	FLOW(cnps, cnps, SUM) \
	FLOW(cnps_made, cnps_made, SUM) \
	FLOW(packets_marked, marked, SUM) \
	FLOW(resent, resent, SUM) \
	FLOW(timeouts, timeouts, SUM) \
	FLOW(naks, naks, SUM) \
	FLOW(in_error, in_error, SUM) \
	FLOW(rate_min_bps, rate_min_bps, LEAST)
/* clang-format on */

struct roce_sums {
	ROCE_SUMS(STATISTIC_FIELD, STATISTIC_FIELD, STATISTIC_FIELD)
};

struct roce_sums results_roce_sums(const struct plan *plan, const struct results *results);

/** results_roce_gather() - fills classes and deadlocks; part of results_gather(). No effect in
 *  another kind of fabric.
 *  Return: 0 or -ENOMEM. */
int results_roce_gather(const struct plan *plan, struct stats_page *const *pages,
			struct results *results);

/** results_roce_sent(), results_roce_received() - fill the sender's half of a flow, and add the
 *  receiver's. */
struct result_transport results_roce_sent(const struct flow_tx_stats *tx);
void results_roce_received(struct result_transport *transport, const struct flow_rx_stats *rx);

/* JSON: NULL if memory is short */
json_t *results_roce_classes_json(const struct plan *plan, const struct results *results);
json_t *results_roce_json(const struct plan *plan, const struct results *results);
json_t *results_roce_deadlocks_json(const struct plan *plan, const struct pause_cycles *deadlocks);

/** results_roce_classes_csv() - writes all of classes.csv. */
void results_roce_classes_csv(const struct plan *plan, const struct results *results, FILE *out);

#endif
