/*  dcqcn_control - a reaction point for every queue pair of a NIC: DCQCN as the congestion control
 *  of a transport (RC-3).
 *
 *  transport.h tells what is sent and which CNPs come, and asks when the next packet may go;
 *  dcqcn_rp.h knows. Nothing happens in between, so that a queue pair which has nothing to send
 *  costs nothing.
 *  Memory: a reaction point per slot, allocated in _init, never later. */
#ifndef HEDDLE_NICD_TRANSPORT_DCQCN_CONTROL_H
#define HEDDLE_NICD_TRANSPORT_DCQCN_CONTROL_H

#include <stdint.h>

#include "nicd/transport/dcqcn_rp.h"
#include "nicd/transport/transport.h"
#include "nodes/stats/stats.h"

struct dcqcn_control {
	struct dcqcn_rp_setup setup;
	struct dcqcn_rp *points; /* by slot */
	struct stats_page *stats;
};

/** dcqcn_control_init() - the control of all TRANSPORT_RC flows of @transport (initialised,
 *  @flows_max slots), if @config has it on.
 *  @config, @stats  borrowed.   Return: 0 or -ENOMEM. */
int dcqcn_control_init(struct dcqcn_control *control, const struct dcqcn_config *config,
		       uint64_t line_bps, uint32_t flows_max, struct stats_page *stats,
		       struct transport *transport);
void dcqcn_control_fini(struct dcqcn_control *control);

/** dcqcn_control_line() - the link now has this rate. */
void dcqcn_control_line(struct dcqcn_control *control, uint64_t line_bps);

#endif
