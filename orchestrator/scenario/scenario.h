/*  scenario - the contents of a scenario file, checked and with all defaults (TB-11).
 *
 *  One pass over the YAML tree reads everything: settings of the command line are put into the tree
 *  first, generated topologies become lists, names become indices, and files that are named are
 *  read. Only arithmetic is left for the plan. An error never stops the pass: up to
 *  SCENARIO_ERRORS_MAX errors are collected, each with file, line, column, what was expected and,
 *  for a misspelt word, a suggestion. After an error nothing is started.
 *  Every key, its unit, range and default: docs/scenario.md. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "orchestrator/base/diagnostics.h"
#include "orchestrator/base/origin.h"
#include "orchestrator/scenario/scenario_host.h"
#include "orchestrator/scenario/scenario_port_group.h"
#include "orchestrator/scenario/scenario_roce.h"
#include "orchestrator/scenario/scenario_routing.h"
#include "orchestrator/scenario/scenario_run.h"

#define SCENARIO_BYTES_MAX (4u << 20) /* of a scenario file */
#define SCENARIO_SETTINGS_MAX 256u    /* of a command, after --set */
#define SCENARIO_WORKLOADS_MAX 64u
#define SCENARIO_MACHINES_MAX 16u
#define SCENARIO_PAUSES_MAX 1024u
#define SCENARIO_EXPECTATIONS_MAX 1024u

/* a piece of the file that another module parses, and its place */
struct scenario_text {
	char *text;
	struct scenario_place place;
};

/* where a node is drawn, in thousandths of units of the scenario's own */
struct scenario_spot {
	bool given;
	int32_t x, y;
};

/* the machines that topology.machines names (SC-5) */
struct scenario_machines {
	uint32_t count; /* 0: it is not given */
	char names[SCENARIO_MACHINES_MAX][NODE_NAME_MAX];
	struct scenario_place place;
};

struct scenario_switch {
	char name[NODE_NAME_MAX];
	struct scenario_spot spot;
	uint32_t machine; /* 0: not given; else its number in scenario_machines, from 1 */
	struct scenario_place place;
};

struct scenario_host {
	char name[NODE_NAME_MAX];
	struct scenario_spot spot;
	uint32_t switch_index;
	struct link_config link, back; /* to the switch, and to the host */
	struct flow_match match;       /* at its edge port */
	struct scenario_place place;
	/* the host that this is a NIC of, itself unless interface is not 0, and the number of its
	 * interface: scenario_host.h */
	uint32_t owner, interface;
	/* NULL: a further interface, or nothing is given and the scenario is not complete */
	struct scenario_host_settings *settings;
};

/* a network that is reached through a host (FC-3) */
struct scenario_prefix {
	struct prefix_config config;
	struct scenario_place place;
};

/* a link between two switches */
struct scenario_link {
	uint32_t switch_a, switch_b;
	struct link_config settings, back; /* from a to b, and from b to a */
	struct scenario_place place;
};

enum workload_pattern {
	PATTERN_INCAST, /* all senders to receivers[0] */
	/* senders[i] to senders[(i + shift) mod n], or a random one without fixed point */
	PATTERN_PERMUTATION,
	PATTERN_UNIFORM,    /* every message to a random one of the receivers */
	PATTERN_ALL_TO_ALL, /* round robin over the receivers, starting after the sender */
	PATTERN_PAIRS,      /* senders[i] to receivers[i] */
	PATTERNS
};

/* the other fields: workload.def, traffic.def. stop_ps NODE_TIME_NEVER: the end of the run */
struct scenario_workload {
	char name[NODE_NAME_MAX];
	struct scenario_place place;
#define PARAMETER(type, field, ...) type field;
#define KEY(...)
#include "orchestrator/scenario/workload.def"
#define PARAMETER(type, field, ...) type field;
#define KEY(...)
#include "nodes/config/traffic.def"
	uint32_t sender_count, receiver_count;
	uint32_t *senders, *receivers; /* host indices */
	uint32_t size_count;
	struct size_point *sizes;
	uint32_t path_mtu; /* of RoCEv2, bytes; 0: not given */
	struct scenario_place packet_place;
};

struct scenario_congestion {
	bool enabled;                           /* false: no mechanism is on */
	struct congestion_config config, given; /* given: 1 in the fields that the file has */
	/* of the table, as a list; 0: the derived table, with the rows that are given changed */
	uint32_t row_count;
	struct scenario_place place, row_places[CONGESTION_SETTINGS];
};

/* a host that is slower than its link at times (EC-4) */
struct scenario_pause {
	uint32_t host;
	struct pause_config config;
};

#define SCENARIO_FAULTS_MAX 1024u

enum fault_kind { FAULT_LINK, FAULT_SWITCH, FAULT_MANAGER, FAULT_KINDS };

struct scenario_fault_end {
	char node[NODE_NAME_MAX], port[NODE_NAME_MAX]; /* port: "" if not given */
};

/* a link or a switch that fails, and may return (FC-26) */
struct scenario_fault {
	enum fault_kind kind;
	struct scenario_place place;
	node_time_t at_ps, for_ps;         /* for_ps NODE_TIME_NEVER: it does not return */
	struct scenario_fault_end ends[2]; /* FAULT_LINK */
	uint32_t switch_index;             /* FAULT_SWITCH */
};

#define SCENARIO_VARIANTS_MAX 64u
#define SCENARIO_COLUMNS_MAX 64u
#define SCENARIO_VARIANT_NAME_MAX 48u /* with the terminating 0 */
#define SCENARIO_NO_VARIANT UINT32_MAX

/* the same scenario with other settings, for comparison */
struct scenario_variant {
	char name[SCENARIO_VARIANT_NAME_MAX]; /* any printable text */
	struct scenario_place place;
};

struct scenario_compare {
	uint32_t column_count, variant_count;
	struct scenario_text columns[SCENARIO_COLUMNS_MAX]; /* metrics */
	char *column_names[SCENARIO_COLUMNS_MAX];           /* the heading of the column */
	struct scenario_variant variants[SCENARIO_VARIANTS_MAX];
};

struct scenario {
	struct origin *origin;
	char *file;      /* as named by the caller */
	char **settings; /* "--set path=value" */
	uint32_t setting_count;
	char name[NODE_NAME_MAX];
	char *about; /* "" if not given */
	uint64_t seed;
	uint32_t dilation; /* real clock: of time; 1: none */
	enum fabric_kind fabric;
	struct scenario_run run;
	/* the file has no section 'run', and run.duration_ps is SCENARIO_RUN_DEFAULT_PS: enough for
	 * `heddle up`, which has no end (scenario_run_check()) */
	bool run_missing;
	/* times that are not before the end of the run, which only `heddle up` accepts */
	struct scenario_late *lates;
	uint32_t late_count;
	struct scenario_place place; /* of the whole */
	/* without what the plan adds: switch_parameters, except for congestion and routing */
	struct switch_config switch_;
	uint64_t buffer_bytes;
	struct flow_match match; /* of ports to hosts without a flow key of their own (FC-2) */
	struct scenario_place buffer_place, output_queue_place;
	struct nic_config nic; /* nic_parameters; flows_max 0: what the workloads need */
	struct scenario_congestion congestion;
	/* of its classes, those that `classes` has; unused in other kinds of fabric */
	struct scenario_roce roce;
	struct scenario_routing routing;
	struct scenario_port_group port_group; /* unused in other kinds of fabric */
	/* topology */
	uint32_t switch_count, host_count, link_count;
	struct scenario_switch *switches;
	struct scenario_host *hosts;
	struct scenario_link *links;
	uint32_t prefix_count;
	struct scenario_prefix *prefixes; /* in prefix_order() */
	struct scenario_place topology_place;
	struct scenario_machines machines;
	uint32_t class_count;
	struct class_config classes[NODE_CLASSES_MAX];
	uint32_t workload_count;
	struct scenario_workload *workloads;
	uint32_t pause_count;
	struct scenario_pause *pauses;
	uint32_t fault_count;
	struct scenario_fault *faults;
	/* sections that were read without an error: their lists of names are complete */
	bool classes_read, topology_read, workloads_read, faults_read;
	uint32_t expectation_count;
	struct scenario_text *expectations;
	struct scenario_compare *compare; /* NULL: no section `compare` */
	char **idle;                      /* keys without effect: scenario_idle.h */
	uint32_t idle_count;
	unsigned kinds; /* of fabric, with the variants: bits 1 << enum fabric_kind */
};

extern const char *const scenario_fabric_name[FABRIC_KINDS]; /* the values of the key 'fabric' */

/** scenario_read_file() - reads @path ("-": standard input) and applies @settings ("path=value", as
 *  after --set) to it.
 *  Return: 0 with @scenario filled; -EINVAL, @errors filled (also when the file cannot be read);
 *  -ENOMEM. Call scenario_free() in any case. */
int scenario_read_file(const char *path, const char *const *settings, unsigned setting_count,
		       struct scenario *scenario, struct scenario_errors *errors);

/** scenario_read_variant() - the same with variant @variant of its `compare` section on top of
 *  @settings; SCENARIO_NO_VARIANT: none. The number of variants is known from scenario->compare
 *  after a reading without a variant. */
int scenario_read_variant(const char *path, const char *const *settings, unsigned setting_count,
			  uint32_t variant, struct scenario *scenario,
			  struct scenario_errors *errors);

/** scenario_read_closed() - the same, but settings after the first @own ones choose no files: a
 *  file is opened only if the scenario with the first @own settings names it too. Another one is
 *  an error, whether it exists or not. */
int scenario_read_closed(const char *path, const char *const *settings, unsigned own,
			 unsigned setting_count, uint32_t variant, struct scenario *scenario,
			 struct scenario_errors *errors);

/** scenario_read_memory() - scenario_read_file() for @length bytes at @text. @name is the file's
 *  name in errors; files that the scenario names are searched in the folder of @name. */
int scenario_read_memory(const char *name, const char *text, size_t length,
			 const char *const *settings, unsigned setting_count,
			 struct scenario *scenario, struct scenario_errors *errors);

/** scenario_free() - frees what @scenario points to; a zeroed one is fine. */
void scenario_free(struct scenario *scenario);

/** scenario_host_find(), scenario_switch_find() - the index of the host or switch called @name, or
 *  -1. */
int64_t scenario_host_find(const struct scenario *scenario, const char *name);
int64_t scenario_switch_find(const struct scenario *scenario, const char *name);

/** scenario_errors_at() - scenario_errors_add() for @place of @scenario, in the file or in a
 *  --set. */
void scenario_errors_at(struct scenario_errors *errors, const struct scenario *scenario,
			const struct scenario_place *place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
