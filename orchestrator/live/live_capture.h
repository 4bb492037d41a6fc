/*  live_capture - captures of links of a running fabric (SE-13).
 *
 *  The daemon makes a ring in shared memory, hands one end to the node and the other to the client,
 *  and has no further part in it. A capture lasts as long as the client's connection: when that is
 *  closed, however the client has ended, the daemon takes the ring from the node. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_CAPTURE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_CAPTURE_H

#include "orchestrator/live/live_query.h"

#define LIVE_CAPTURE_RING_BYTES (1u << 22) /* some 30 000 packets of generated traffic */

/** live_capture_begin(), live_capture_ask_end() - the requests "capture" and "capture-end". */
json_t *live_capture_begin(struct live_query *query);
json_t *live_capture_ask_end(struct live_query *query);

/** live_capture_lost() - has the node of capture @id died, or is there no such capture? */
bool live_capture_lost(const struct live *live, uint32_t id);

/* at the end of a capture */
struct live_capture_end {
	bool known;                         /* false: the node is gone or does not answer */
	struct live_capture_counts counted; /* by the port while the capture ran */
	struct live_capture_counts missed;  /* did not fit into the ring */
};

/** live_capture_end() - ends capture @id, if it is there. Waits FABRIC_ANSWER_MS for its node. */
struct live_capture_end live_capture_end(struct live *live, uint32_t id);

#endif
