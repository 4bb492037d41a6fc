/*  unacked - what each flow of a host has sent and is not acknowledged, in samples of its edge port
 *  (SE-1).
 *
 *  The EFCT counts it for each line (efct_flow_extent()); a NIC of flow channels gets no ACK. An
 *  EFCT line does not identify a flow of a NIC. So each generated packet that leaves stores the
 *  slot of its flow, with the hash of the line: a different hash shows that another flow has the
 *  line now. Flows that the port's match fields do not distinguish share a line, and count as the
 *  one that sent last. A sample has the flow's input port and its slot at the NIC;
 *  series_values_node() of the orchestrator finds the NIC.
 *
 *  Memory: 24 bytes for each channel of an edge port, allocated in _init, only in a switch that
 *  records samples and events (path_watch.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_UNACKED_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_UNACKED_H

#include "nodes/stats/series.h"
#include "switchd/flow_channel/efct.h"

struct unacked_line {
	uint64_t hash;       /* of the line when the flow sent last */
	uint32_t slot, told; /* + 1; 0: none. Of that flow; of the one in the last sample */
	uint64_t units;      /* in the last sample */
};

/* of an edge port; zeroed: no samples are taken */
struct unacked {
	struct unacked_line *lines; /* by flow_id */
};

/** unacked_init() - @channels lines.   Return: 0 or -ENOMEM; unacked_fini() is due in any case. */
int unacked_init(struct unacked *unacked, uint32_t channels);
void unacked_fini(struct unacked *unacked, uint32_t channels);

/** unacked_note() - a packet of line @flow_id, in use, leaves; it is of the NIC's flow in @slot.
 *  O(1). */
void unacked_note(struct unacked *unacked, const struct efct *efct, uint32_t flow_id,
		  uint32_t slot);

/** unacked_sample() - after series_begin(): the flows that come in at @port. O(lines that were in
 *  use at one time). */
void unacked_sample(struct unacked *unacked, const struct efct *efct, struct series *series,
		    uint32_t port);

#endif
