/*  scenario_roce - the section of a roce fabric as read; plan_roce.h derives the rest. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ROCE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ROCE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"
#include "orchestrator/base/diagnostics.h"

/* not given: follows from the fabric (plan_congestion.h, plan_roce.h) */
#define SCENARIO_DERIVED UINT64_MAX

struct scenario_roce_class {
	struct roce_class_config config, given; /* given: 1 in the fields that the file has */
	struct scenario_place place;
};

struct scenario_roce {
	/* without what follows from the fabric, the class of CNPs, and the classes */
	struct roce_config config, given;
	uint64_t headroom_bytes;                 /* of every port and lossless class */
	uint64_t cnp_class;                      /* its index */
	struct roce_class_config ecn, ecn_given; /* marking of classes without `ecn` of their own */
	struct scenario_roce_class classes[NODE_CLASSES_MAX];
	enum transport_kind transport; /* of workloads that name neither transport nor frame */
	struct scenario_place place;   /* of the section */
	struct scenario_place buffer_place, path_place;
};

/** scenario_roce_init() - the defaults: no key is given. */
void scenario_roce_init(struct scenario_roce *roce);
void scenario_roce_class_init(struct scenario_roce_class *class);

/* reader of the section, key_read_fn (scenario_keys.h) */
struct key;
struct reader;
struct yaml_node;
void scenario_roce_read(struct reader *reader, const struct key *key, const struct yaml_node *value,
			void *target);

/** scenario_ecn_check() - an error at @node, which has the keys of `ecn`, if kmin is greater than
 *  kmax and both are given. */
void scenario_ecn_check(struct reader *reader, const struct yaml_node *node,
			const struct roce_class_config *ecn, const struct roce_class_config *given);

#endif
