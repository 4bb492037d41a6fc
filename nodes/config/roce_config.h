/*  roce_config - what the nodes of a fabric of kind roce are told beside the rest of node_config
 *  (RC-1 ... RC-11).
 *
 *  The same for all nodes: switches and NICs take from it what is theirs. Only what follows from a
 *  link (PFC headroom) stands in port_config. Plain data; every number is within its limits
 *  although its mechanism may be off. */
#ifndef HEDDLE_NODES_CONFIG_ROCE_CONFIG_H
#define HEDDLE_NODES_CONFIG_ROCE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/parameter.h"

/* traffic class c is 802.1p priority c, DSCP 8 c, PFC priority c */
#define ROCE_CLASSES_MAX 8u
#define ROCE_BYTES_MAX (1ull << 32) /* of a buffer or a level in it */
#define ROCE_QUEUE_PAIRS_MAX 65536u /* of a NIC */
/* of a NIC, with those that have no queue pair: of the 24 bits of a queue pair's number two say
 * what it is, and ports of TCP have no more than 22 either */
#define ROCE_FLOWS_MAX (1u << 22)
#define ROCE_SWITCH_FLOWS_MAX (1u << 20)

/* RC-7, in the order of their severity */
enum roce_state { ROCE_ECN_NORMAL, ROCE_ECN_FAILED, ROCE_CNP_FAILED, ROCE_STATES };

/* RC-10: what the first switch tells the device */
enum path_pause_form {
	PATH_PAUSE_TARGET, /* PFC for the class of the congested queue */
	PATH_PAUSE_ALL,    /* PFC for all priorities */
	/* PFC that names no priority: the device decides: all lossless classes (pfc.h) */
	PATH_PAUSE_NONE,
	PATH_PAUSE_PORT, /* 802.3x PAUSE */
	PATH_PAUSE_FORMS
};

/* what decides how fast a queue pair sends (nicd/transport/congestion_control.h): constant, word of
 * scenarios and of --cc; NONE is the last one. `own` is not among these words: --cc takes the
 * library itself. */
#define CONGESTION_ROWS(ROW)                       \
	ROW(DCQCN, "dcqcn") /* if dcqcn.enabled */ \
	ROW(SWIFT, "swift")                        \
	ROW(NONE, "none")

#define CONGESTION_CONSTANT(constant, word) CONGESTION_##constant,
enum congestion_kind {
	CONGESTION_ROWS(CONGESTION_CONSTANT)
		CONGESTION_OWN, /* node_config.control: a library of the user's */
	CONGESTION_KINDS
};
#undef CONGESTION_CONSTANT

/* The fields are the rows of these files: parameter.h */

/* what a switch does with a traffic class */
struct roce_class_config {
#define PARAMETER(type, field, ...) type field;
#define KEY(...)
#include "nodes/config/roce_class.def"
};

/* the reaction and notification points of DCQCN (RC-2, RC-3) */
struct dcqcn_config {
#define PARAMETER(type, field, ...) type field;
#define KEY(...)
#include "nodes/config/dcqcn.def"
};

/* Swift (RC-16) */
struct swift_config {
#define PARAMETER(type, field, ...) type field;
#include "nodes/config/swift.def"
};

/* reliable delivery of a queue pair */
struct queue_pair_config {
#define PARAMETER(type, field, ...) type field;
#include "nodes/config/queue_pair.def"
};

/* the TCP-like class (RC-6) */
struct tcp_config {
#define PARAMETER(type, field, ...) type field;
#include "nodes/config/tcp.def"
};

struct roce_config {
#define PARAMETER(type, field, ...) type field;
#define PARAMETERS(type, field, ...) type field;
#define PARAMETER_ARRAY(type, field, count, ...) type field[count];
#define KEY(...)
#include "nodes/config/roce.def"
};

extern const char *const congestion_words[CONGESTION_KINDS]; /* as a scenario has them */
extern const struct parameter_table roce_class_parameters, dcqcn_parameters, roce_parameters;

#define ROCE_ALPHA_PERMILLE_MAX 64000u
#define ROCE_CONNECTIONS_MAX ROCE_QUEUE_PAIRS_MAX /* of a workload to one destination */

/** roce_level_bytes() - a length of an output queue that is @bytes at a port of @per_bps, for a
 *  port of @rate_bps: in proportion to its rate, so that it takes as long to drain. @per_bps 0:
 *  @bytes at every rate. At a slower port not less than @least_bytes, or @bytes if that is less
 *  (ours: what is less than a packet cannot be told from an empty queue). At most ROCE_BYTES_MAX.
 *  (RC-1) */
uint64_t roce_level_bytes(uint64_t bytes, uint64_t per_bps, uint64_t rate_bps,
			  uint64_t least_bytes);

/** roce_marking_at() - kmin and kmax of @class at a port of @rate_bps, whose longest frame has
 *  @frame_bytes: of those that are scaled down kmin is one frame at least and kmax two. kmin > kmax
 *  is possible if they are for different rates. O(1). */
void roce_marking_at(const struct roce_class_config *class, uint64_t rate_bps, uint64_t frame_bytes,
		     uint64_t *kmin_bytes, uint64_t *kmax_bytes);

/** roce_class_at() - @class with kmin and kmax of such a port; kmin is lowered to kmax if need be.
 *  O(1). */
struct roce_class_config roce_class_at(const struct roce_class_config *class, uint64_t rate_bps,
				       uint64_t frame_bytes);

/** roce_config_check() - is @config within every limit stated above, for a fabric with @class_count
 *  traffic classes?
 *  Return: 0, or -EINVAL with a sentence in @why. */
int roce_config_check(const struct roce_config *config, uint32_t class_count, struct why *why);

#endif
