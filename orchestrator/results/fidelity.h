/*  fidelity - how far a fabric under the real clock was what its scenario says, from how late its nodes were (TB-8). Pure.
 *
 *  Two things can go wrong, and a user cares for them separately:
 *  - Delay. A late node passes on due times, so lateness up to the delay of its shortest link, and its own latency, is made up
 *    for on the way (pace.h); what is beyond is delay that was not configured. A NIC's lateness is let pass up to the same
 *    length, but beyond it all of it counts, for nothing lies between a NIC and its host that could make up for it.
 *    The lateness that is looked at is that which 99 % of a node's turns did not exceed, or that which it did not exceed for
 *    99 % of the time, if that is more: one turn that comes half a second late delays all that arrives meanwhile.
 *  - Rate. While a node is late its neighbours go on sending at the link's rate, as long as the ring to it lasts: ring / rate,
 *    less the time for which frames are under way anyway. What it was late beyond that its links may have stood still; but not for
 *    longer than its neighbours had data that waited for it (port_stats.paused_ps), which a congested
 *    node makes them as well, in time or not. So the lesser of the two is the most that lateness can have cost.
 *  So there are three verdicts: faithful, if all of that was made up for; delayed, if not, but the links kept
 *  their rates; overloaded, not faithful, if links of some node may have stood still for 1 % of its active time or more.
 *  Lateness of one turn of a node never overlaps with that of the next (pace.h), so its sum is a part of the time.
 *  Not seen: how long a host's frame waits until its NIC is let run; it is stamped when the NIC sees it.              */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_FIDELITY_H
#define HEDDLE_ORCHESTRATOR_RESULTS_FIDELITY_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"
#include "nodes/stats/stats.h"

#define FIDELITY_PERMILLE 990u      /* of a node's turns are looked at; TB-8 asks for p99 */
#define FIDELITY_STALLED_PPM 10000u /* ours: 1 % is about what a throughput test can tell */

enum fidelity_verdict { FIDELITY_FAITHFUL, FIDELITY_DELAYED, FIDELITY_OVERLOADED, FIDELITY_VERDICTS };

extern const char *const fidelity_verdict_name[FIDELITY_VERDICTS];

/* what a node's links let it be late */
struct fidelity_limits {
	uint64_t made_up_ns; /* by the shortest link */
	uint64_t bridged_ns; /* by the ring that lasts for the shortest time */
	bool last;           /* a NIC: nobody behind it makes up for anything */
};

/* one node over some time */
struct fidelity {
	uint64_t events; /* turns with something to do; 0: nothing is known, the rest is 0 as well */
	uint64_t p50_ns, p99_ns, max_ns;
	uint64_t added_ns;    /* delay that was added to a hop */
	uint32_t stalled_ppm; /* part of the time in which its links may have stood still, at most */
};

/** fidelity_limits_init() - for a node without any link. */
void fidelity_limits_init(struct fidelity_limits *limits, enum node_kind kind);

/** fidelity_limits_link() - the node has this link, too.  @latency_ps  its own.   @buffer_bytes  0: endless. */
void fidelity_limits_link(struct fidelity_limits *limits, node_time_t latency_ps, node_time_t delay_ps,
			  uint64_t rate_bps, uint64_t buffer_bytes);

/** fidelity_limits_port() - the same for the link at @port of @node. */
void fidelity_limits_port(struct fidelity_limits *limits, const struct node_config *node,
			  const struct port_config *port);

/** fidelity_since() - what was added to @earlier so that it became @later; all of @later if it has begun anew. The maximum
 *  of that is known to the bucket only, rounded up.                                                                */
struct lateness_stats fidelity_since(const struct lateness_stats *later, const struct lateness_stats *earlier);

/** fidelity_judge() - one node whose lateness in @passed_ns was @lateness.
 *  @held_up_ns  how long its neighbours' data waited for room in its buffers.                                      */
struct fidelity fidelity_judge(const struct lateness_stats *lateness, const struct fidelity_limits *limits,
			       uint64_t held_up_ns, uint64_t passed_ns);

/** fidelity_verdict_of() - of one node; a fabric's is the worst of its nodes'. */
enum fidelity_verdict fidelity_verdict_of(const struct fidelity *node);

/** fidelity_worse() - is @a further from what was configured than @b? */
bool fidelity_worse(const struct fidelity *a, const struct fidelity *b);

#endif
