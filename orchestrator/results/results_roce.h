/*  results_roce - the part of the results that only a fabric of kind roce has: traffic classes of
 *  ports, transports, marks, pauses, drops, deadlocks (TB-13, RC-1 ... RC-11).
 *
 *  Tables of counters name every column once, for JSON and CSV. results*.c call this module for
 *  their part, so that the results of a fabric of flow channels do not change with it. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_ROCE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_ROCE_H

#include <jansson.h>

#include "orchestrator/results/results.h"

/* over all ports of switches, and all flows */
struct roce_sums {
	/* of switches' queues */
	uint64_t drops, marked, stuck;
	/* by switches */
	uint64_t pauses_sent, pauses_received, path_pauses, path_resumes, signals_forwarded;
	uint64_t signals_pause, signals_resume, cnps_seen, cnps_supplemented;
	uint64_t cnps, cnps_made, packets_marked, resent, timeouts, naks, in_error; /* of flows */
	uint64_t rate_min_bps; /* the least of all queue pairs; 0: there are none */
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
json_t *results_roce_transport_json(const struct result_transport *transport);
json_t *results_roce_port_json(const struct port_stats *stats);
json_t *results_roce_classes_json(const struct plan *plan, const struct results *results);
json_t *results_roce_json(const struct plan *plan, const struct results *results);
json_t *results_roce_deadlocks_json(const struct plan *plan, const struct pause_cycles *deadlocks);

/* CSV: the fields after the common ones, up to the end of the line; without @roce only its end.
 * NULL: the headings. */
void results_roce_transport_csv(bool roce, const struct result_transport *transport, FILE *out);
void results_roce_port_csv(bool roce, const struct port_stats *stats, FILE *out);
void results_roce_sample_csv(bool roce, const struct sample_stats *sample, FILE *out);

/** results_roce_classes_csv() - writes all of classes.csv. */
void results_roce_classes_csv(const struct plan *plan, const struct results *results, FILE *out);

#endif
