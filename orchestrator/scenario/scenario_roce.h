/*  scenario_roce - the section of a roce fabric as read; plan_roce.h derives the rest. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ROCE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ROCE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"
#include "orchestrator/base/diagnostics.h"

/* not given: follows from the fabric (plan_congestion.h, plan_roce.h) */
#define SCENARIO_DERIVED UINT64_MAX

/* marking; all fields may be SCENARIO_DERIVED, so they have 64 bits */
struct scenario_ecn {
	uint64_t enabled, kmin_bytes, kmax_bytes, pmax_ppm, at_dequeue;
	uint64_t per_bps; /* kmin and kmax are for a port of this rate */
};

struct scenario_roce_class {
	bool lossless;
	struct scenario_ecn ecn;
	uint64_t queue_bytes, alpha_permille, xoff_bytes, xon_offset_bytes, watched;
	struct scenario_place place;
};

struct scenario_roce {
	struct roce_config config; /* all but the fields below, and the classes */
	uint64_t headroom_bytes;   /* of every port and lossless class */
	uint64_t cnp_class;        /* its index */
	uint64_t path_high_bytes, path_low_bytes;
	struct scenario_ecn ecn; /* of classes without `ecn` of their own */
	struct scenario_roce_class classes[NODE_CLASSES_MAX];
	struct scenario_place place; /* of the section */
	struct scenario_place buffer_place, path_place;
};

/** scenario_roce_init() - the defaults: no key is given. */
void scenario_roce_init(struct scenario_roce *roce);
void scenario_roce_class_init(struct scenario_roce_class *class);

/* readers of the section, key_read_fn (scenario_keys.h); scenario_ecn_read() reads a struct
 * scenario_ecn */
struct key;
struct reader;
struct yaml_node;
void scenario_roce_read(struct reader *reader, const struct key *key, const struct yaml_node *value,
			void *target);
void scenario_ecn_read(struct reader *reader, const struct key *key, const struct yaml_node *value,
		       void *target);

#endif
