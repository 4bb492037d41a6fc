/*  results_share - shares of links and buffers in the results. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_SHARE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_SHARE_H

#include "orchestrator/results/results.h"

/** results_goodput_share() - the part of the time of the senders' or the receivers' links,
 *  whichever are less together, that the measured frames of the flows of @group took, with headers,
 *  FCS and gap.  Return: false if there is none. */
bool results_goodput_share(const struct plan *plan, const struct results *results,
			   const struct result_group *group, double *share);

/** results_goodput_share_min() - the same for the flow of @group with the least, over the slower of
 *  its hosts' links.
 *  Return: false if there is none. */
bool results_goodput_share_min(const struct plan *plan, const struct results *results,
			       const struct result_group *group, double *share);

/** results_buffer_share() - the largest part of the input buffer of @row's port, all virtual lanes
 *  together, that was in use.
 *  Return: false if the buffer is unlimited. */
bool results_buffer_share(const struct plan *plan, const struct result_port *row, double *share);

#endif
