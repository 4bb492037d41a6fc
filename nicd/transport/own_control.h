/*  own_control - the user's congestion control, between its interface
 *  (include/heddle/congestion_control.h) and the seam of the transport (congestion_control.h)
 *  (SE-10).
 *
 *  Each call is noted in the statistics page (control_call.h), then made, then checked: rate,
 *  window, timer, and the bytes after the state. A wrong value ends the process at once, with the
 *  value in the note, so no packet is sent by it. A rate above that of a link that has become
 *  slower is lowered before the call.
 *  Memory: 160 bytes and the state per queue pair. */
#ifndef HEDDLE_NICD_TRANSPORT_OWN_CONTROL_H
#define HEDDLE_NICD_TRANSPORT_OWN_CONTROL_H

#include "nicd/transport/congestion_control.h"
#include "nodes/stats/stats.h"

struct heddle_control;

/* of a NIC; outlives the congestion that it is attached to */
struct own_control {
	struct congestion_control seam;
	const struct heddle_control *functions; /* NULL: the NIC has another control, or none */
	struct control_call *call;
	uint64_t line_bps;
};

/** own_control_init() - congestion_init() with the control that @config has loaded
 *  (node_config.control); its calls are noted in @stats.   Return: 0 or -ENOMEM. */
int own_control_init(struct own_control *own, struct congestion *congestion,
		     const struct node_config *config, struct stats_page *stats, uint64_t line_bps,
		     uint32_t flows_max);

#endif
