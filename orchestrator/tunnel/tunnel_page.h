/*  tunnel_page - what the tunnel process counts, in memory that the daemon of the fabric reads
 *  (SC-5). The daemon believes nothing in it but numbers. */
#ifndef HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_PAGE_H
#define HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_PAGE_H

#include <stdint.h>

#include "nodes/stats/stats.h"
#include "orchestrator/scenario/scenario.h"

/* why something that came was not used. Row: constant, name in JSON */
#define TUNNEL_DROP_ROWS(ROW)                                                                     \
	/* shorter than a datagram of a tunnel, or not of this version */                         \
	ROW(TRUNCATED, "truncated")                                                               \
	ROW(STRANGER, "stranger") /* for another machine, or from one that is none of these */    \
	ROW(FORGED, "forged")     /* not sealed with the key of the fabric, or changed */         \
	ROW(REPLAYED, "replayed") /* came before, or is older than the window of numbers */       \
	ROW(UNKNOWN, "unknown_session") /* of a session that has not proved to be of now */       \
	ROW(MALFORMED, "malformed")     /* sealed, but no items of this version */                \
	ROW(SCENARIO, "other_scenario") /* of a fabric with another scenario or other machines */ \
	ROW(NO_LINK, "no_link")         /* records of a link that is down here, or of none */     \
	ROW(EARLY, "early")             /* records before fabric time began here */               \
	ROW(REORDERED, "reordered")     /* records that came after later ones of their link */    \
	ROW(INCOMPLETE, "incomplete")   /* records of which a piece is missing */                 \
	ROW(RING_FULL, "ring_full")     /* records for a node that was too late to take them */   \
	ROW(OVERSIZE, "oversize")       /* records longer than those of the link */               \
	ROW(REFUSED, "refused")         /* datagrams that the network refused to send */

enum tunnel_drop {
#define ROW(constant, name) TUNNEL_DROP_##constant,
	TUNNEL_DROP_ROWS(ROW)
#undef ROW
		TUNNEL_DROPS
};

enum tunnel_peer_state {
	TUNNEL_CONNECTING, /* never connected yet */
	TUNNEL_CONNECTED,
	TUNNEL_SILENT, /* was connected; nothing valid came for TUNNEL_SILENT_NS */
	TUNNEL_ENDED,  /* its fabric has ended */
	TUNNEL_OTHER,  /* it has another scenario, or other machines */
	TUNNEL_PEER_STATES
};

/* of the tunnel to one machine */
struct tunnel_counts {
	uint64_t sent_datagrams, sent_bytes, received_datagrams, received_bytes;
	uint64_t sent_frames, received_frames; /* records, control words too */
	uint64_t fragmented;                   /* records sent in several pieces */
	/* records that were sent to us on links that are up, and did not reach a node */
	uint64_t lost_frames;
	uint64_t late_frames; /* records that came after they were due */
	uint64_t drops[TUNNEL_DROPS];
	struct lateness_stats lateness; /* of each record, beyond the delay of its link */
	uint64_t round_trip_ns;         /* the shortest of the last seconds; 0: not known */
	uint64_t heard_ns;              /* CLOCK_MONOTONIC when something valid last came */
	uint32_t datagram_bytes;        /* the longest that is sent */
	uint32_t state;                 /* enum tunnel_peer_state */
};

struct tunnel_page {
	struct tunnel_counts peers[SCENARIO_MACHINES_MAX]; /* by machine */
};

extern const char *const tunnel_drop_name[TUNNEL_DROPS];
extern const char *const tunnel_peer_state_name[TUNNEL_PEER_STATES];

#endif
