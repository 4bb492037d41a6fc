/*  fidelity - how far a fabric under the real clock behaved as its scenario says, from the lateness
 *  of its nodes (TB-8). Pure.
 *
 *  Two things can go wrong, with different consequences:
 *    - Delay. A late node forwards due times, so lateness up to the delay of its shortest link and
 *      its own latency is absorbed on the path (pace.h). The rest is delay that was not configured.
 *      A NIC's lateness is tolerated up to the same length; beyond it all of it counts, because
 *      nothing between a NIC and its host absorbs it. The lateness considered is the one that 99 %
 *      of a node's turns did not exceed, or the one not exceeded for 99 % of the time, if that is
 *      more: one turn that is half a second late delays all that arrives meanwhile.
 *    - Rate. While a node is late its peers continue to send at the link's rate as long as the ring
 *      to it lasts: ring / rate, less the time for which frames are in flight anyway. For the
 *      lateness beyond that its links may have been stopped; but not for longer than its peers had
 *      data that waited for it (port_stats.paused_ps), which also happens in time, at a congested
 *      node. So the lesser of the two is the most that lateness can have cost.
 *  So there are three verdicts:
 *    - valid: all lateness was absorbed.
 *    - valid for rates: it was not, but links kept their rates, and what was added to a hop is less
 *      than FIDELITY_DELAY_NS.
 *    - not valid: links of some node may have been stopped for 1 % of its active time or more; or
 *      FIDELITY_DELAY_NS and more were added to a hop. Then programs may have retransmitted what
 *      was not lost, and their rates mean nothing either.
 *  A tunnel between machines (SC-5) is judged like a node. Its lateness is that of each frame
 *  beyond the delay of its link, so nothing absorbs it. A frame that it loses was to be lost by no
 *  link, so then figures do not count either; nor do they while a machine is not there.
 *  FIDELITY_DELAY_NS is 100 ms: a packet and its ACK may each wait as long, and TCP in Linux
 *  retransmits when an ACK is 200 ms later than usual (TCP_RTO_MIN). That does not depend on the
 *  delays of the scenario: a timer follows what it has measured, plus these 200 ms.
 *  Not carried in time: data that was offered while a node was too late. At most what its links
 *  could have carried in that time, and what came in at all, since it was carried later. Frames
 *  that a host's kernel dropped because its NIC did not take them are counted by the NIC
 *  (DROP_HOST_OVERRUN).
 *  Lateness of one turn of a node never overlaps with that of the next (pace.h), so its sum is a
 *  part of the time.
 *  Not seen: how long a host's frame waits until its NIC runs; it is stamped when the NIC sees
 *  it. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_FIDELITY_H
#define HEDDLE_ORCHESTRATOR_RESULTS_FIDELITY_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"
#include "nodes/stats/stats.h"

#define FIDELITY_PERMILLE 990u      /* of a node's turns are considered; TB-8 asks for p99 */
#define FIDELITY_STALLED_PPM 10000u /* ours: 1 % is about the resolution of a throughput test */

#define FIDELITY_DELAY_NS 100000000u /* ours, from TCP_RTO_MIN: see above */

enum fidelity_verdict {
	FIDELITY_VALID,
	FIDELITY_VALID_FOR_RATES,
	FIDELITY_NOT_VALID,
	FIDELITY_VERDICTS
};

/* for programs: JSON, CSV, labels */
extern const char *const fidelity_verdict_name[FIDELITY_VERDICTS];
#define FIDELITY_UNKNOWN_NAME "unknown" /* the statistics of a node cannot be read */

/* why it is not valid */
enum fidelity_reason {
	FIDELITY_NO_REASON, /* it is valid */
	FIDELITY_RATES,     /* links may have been stopped */
	FIDELITY_DELAYS,    /* FIDELITY_DELAY_NS or more at a hop */
	FIDELITY_LAG,       /* run: a node was later than 1 % of it (results_fidelity.h) */
	FIDELITY_RING,      /* run: a ring was full for 1 % of it */
	FIDELITY_LOSSES,    /* a tunnel to another machine has lost frames */
	FIDELITY_MACHINE,   /* another machine, or the tunnel to it, is not there */
	FIDELITY_REASONS
};

extern const char *const fidelity_reason_name[FIDELITY_REASONS];

/* the lateness that a node's links tolerate */
struct fidelity_limits {
	uint64_t made_up_ns; /* by the shortest link */
	uint64_t bridged_ns; /* by the ring that lasts for the shortest time */
	bool last;           /* a NIC: lateness here is not absorbed downstream */
};

/* one node over some time */
struct fidelity {
	/* turns with something to do; 0: nothing is known, and the other fields are 0 */
	uint64_t events;
	uint64_t p50_ns, p99_ns, max_ns;
	uint64_t added_ns; /* delay that was added to a hop */
	/* the largest part of the time in which its links may have been stopped, ppm */
	uint32_t stalled_ppm;
	uint64_t stalled_ns;  /* the same as a time */
	uint64_t lost_frames; /* a tunnel: frames that no link was configured to lose */
	uint64_t beyond_ns;   /* sum of the lateness that its buffers did not last for */
};

/** fidelity_limits_init() - for a node without any link. */
void fidelity_limits_init(struct fidelity_limits *limits, enum node_kind kind);

/** fidelity_limits_link() - adds a link of the node.  @latency_ps  the node's own.   @buffer_bytes
 *  0: unlimited. */
void fidelity_limits_link(struct fidelity_limits *limits, node_time_t latency_ps,
			  node_time_t delay_ps, uint64_t rate_bps, uint64_t buffer_bytes);

/** fidelity_limits_port() - the same for the link at @port of @node. */
void fidelity_limits_port(struct fidelity_limits *limits, const struct node_config *node,
			  const struct port_config *port);

/** fidelity_since() - what was added between @earlier and @later; all of @later if its node was
 *  restarted. The maximum of that is known to the bucket only, rounded up. */
struct lateness_stats fidelity_since(const struct lateness_stats *later,
				     const struct lateness_stats *earlier);

/** fidelity_judge() - judges one node with the lateness @lateness in @passed_ns.
 *  @peers_waited_ns  how long data of its peers waited for space in its buffers. */
struct fidelity fidelity_judge(const struct lateness_stats *lateness,
			       const struct fidelity_limits *limits, uint64_t peers_waited_ns,
			       uint64_t passed_ns);

/** fidelity_verdict_of() - the verdict of one node; a fabric's is the worst of its nodes'.
 *  fidelity_reason_of() - why it is not valid. */
enum fidelity_verdict fidelity_verdict_of(const struct fidelity *node);
enum fidelity_reason fidelity_reason_of(const struct fidelity *node);

/** fidelity_uncarried_bytes() - most bytes that a late node has not carried in time at a port of
 *  @rate_bps, whose peer had data that waited for @waited_ns.
 *  @arrived_bytes  what came in there: it was carried later. */
uint64_t fidelity_uncarried_bytes(const struct fidelity *node, uint64_t waited_ns,
				  uint64_t rate_bps, uint64_t arrived_bytes);

#define FIDELITY_WORDS_MAX 256u

/** fidelity_words() - the verdict for people: "valid"; "valid for rates; delays up to 5.4 ms too
 *  long"; "NOT VALID: " and the reason, with @name, that of the node. @node  the worst one.
 *  @reason FIDELITY_NO_REASON unless it is not valid.   Return: @text. */
const char *fidelity_words(const struct fidelity *node, enum fidelity_reason reason,
			   const char *name, char text[FIDELITY_WORDS_MAX]);

/** fidelity_worse() - true if @a is further from the configuration than @b. */
bool fidelity_worse(const struct fidelity *a, const struct fidelity *b);

#endif
