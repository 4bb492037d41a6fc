/*  config - everything a node is told at start, as plain data.
 *
 *  The orchestrator's plan fills it, control.c carries it over the control socket, switchd and nicd
 *  build themselves from it. A node knows nothing else: neither the machine, nor the scenario, nor
 *  the other nodes (TB-6). Ownership: a node_config owns every pointer in it; node_config_free()
 *  releases all of them. */
#ifndef HEDDLE_NODES_CONFIG_CONFIG_H
#define HEDDLE_NODES_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/flow_match.h"
#include "nodes/config/port_group_config.h"
#include "nodes/config/prefix.h"
#include "nodes/config/roce_config.h"
#include "nodes/config/routing_config.h"

#define NODE_NAME_MAX 32       /* with the terminating 0 */
#define NODE_PORTS_MAX 64      /* FC-22 */
#define NODE_CLASSES_MAX 8     /* traffic classes */
#define NODE_CHANNELS_MAX 2048 /* flow_id has 11 bits (FC-5) */
#define NODE_COUNT_MAX 32768   /* nodes in one fabric: a LID of a host has 16 bits */
#define NODE_SWITCHES_MAX 8191 /* of them: a fabric header has 13 bits for a detour's switch */
#define NODE_MTU_MAX 9216      /* largest frame without FCS and fabric header */
#define WORKLOAD_SIZES_MAX 64  /* points of a flow-size distribution */

#define NODE_CAPTURES_MAX 32     /* links that a node captures: capture.h */
#define NODE_CAPTURE_WHOLE 65535 /* a port's capture_bytes for frames of any length */

/* how the fabric keeps flows apart, what it is lossless by, what tells congestion: S2 and S3, S4,
 * or S1. Constant, word of scenarios. docs/architecture.md says what a kind has to supply */
#define FABRIC_KIND_ROWS(ROW)             \
	ROW(FLOW_CHANNEL, "flow-channel") \
	ROW(ROCE, "roce")                 \
	ROW(PORT_GROUP, "port-group")

#define FABRIC_KIND_CONSTANT(constant, word) FABRIC_##constant,
enum fabric_kind { FABRIC_KIND_ROWS(FABRIC_KIND_CONSTANT) FABRIC_KINDS };
#undef FABRIC_KIND_CONSTANT

/* what a link is in a large topology: cables between groups are long, and tell groups apart
 * (dragonfly) */
enum link_tier { TIER_LOCAL, TIER_GLOBAL, LINK_TIERS };

enum node_kind { NODE_SWITCH, NODE_NIC, NODE_KINDS };

/* which clock gives the dataplane its `now`: simulated windows (clock.h, TB-7), or CLOCK_MONOTONIC
 * (pace.h, TB-8) */
enum clock_kind { CLOCK_VIRTUAL, CLOCK_REAL, CLOCK_KINDS };

/* what a link is made of: two rings in shared memory (TB-2), a veth pair with a packet socket at
 * each end (TB-3), or two rings at each end and a tunnel between two machines (SC-5) */
enum link_medium { MEDIUM_SHM, MEDIUM_VETH, MEDIUM_TUNNEL, LINK_MEDIA };

/* how the jitter of a link is distributed: jitter.h */
enum jitter_shape {
	JITTER_UNIFORM,
	JITTER_NORMAL,
	JITTER_PARETO,
	JITTER_PARETO_NORMAL,
	JITTER_SHAPES
};

#define NIC_FLOWS_MAX (1u << 24)
#define NIC_HOST_QUEUES_MAX 8 /* packet sockets between a NIC and its attached host */

enum port_kind { PORT_EDGE, PORT_FABRIC, PORT_KINDS };

enum arbiter_kind { ARBITER_BY_FLOW, ARBITER_BY_PORT, ARBITER_KINDS };

/* a traffic class; the fields: class.def */
struct class_config {
	char name[NODE_NAME_MAX];
#define PARAMETER(type, field, ...) type field;
#define KEY(...)
#include "nodes/config/class.def"
};

#define CREDIT_ALL \
	(1u << 20) /* data units: for credits, the buffer of a receiver that takes everything */

#define LINK_RATE_BPS_MIN 1000u
#define LINK_RATE_BPS_MAX 800000000000u
/* real clock: how many times slower fabric time may run. Ours: a second of it takes a quarter of an
 * hour then */
#define DILATION_MAX 1000u

/* ours, to keep sums of times within 64 bits: no fabric is longer */
#define LINK_DELAY_PS_MAX NODE_S
#define LINK_JITTER_PS_MAX (NODE_S / 10) /* the mean */
#define LINK_REORDER_FRAMES_MAX 15u
#define PORT_UNITS_MAX (1u << 29) /* under the real clock with what full rings hold */

/* what a link is like; the fields: link.def */
struct link_config {
#define PARAMETER(type, field, ...) type field;
#include "nodes/config/link.def"
};

/* a port, with the fields of its link; the others: port.def */
struct port_config {
#define PARAMETER(type, field, ...) type field;
#include "nodes/config/link.def"
#define PARAMETER(type, field, ...) type field;
#include "nodes/config/port.def"
	char peer_name[NODE_NAME_MAX];
	struct flow_match match; /* edge ports of switches: what tells flows apart (FC-2) */
};

/** port_link_change() - what of the link of @port can change while it runs (.live) becomes as at
 *  port @to. */
void port_link_change(struct port_config *port, const struct port_config *to);

/** port_direction_put() - the direction of a link that leads from port @from to port @to is as
 *  @link: what is sent is configured at @from, what arrives (.inbound) at @to.
 *  port_direction_get() - the opposite: @link receives it. */
void port_direction_put(struct port_config *from, struct port_config *to,
			const struct link_config *link);
void port_direction_get(const struct port_config *from, const struct port_config *to,
			struct link_config *link);

/** link_loses() - can a frame on @link be lost? Pure. */
static inline bool link_loses(const struct link_config *link)
{
	return link->loss_ppb || link->bit_error_e15;
}

/** link_counts_frames() - may packets of a link at a port of @kind neither be reordered nor
 *  duplicated? Links with credits, and links between switches of flow channels: their protocols
 *  number the frames. Pure. */
static inline bool link_counts_frames(enum fabric_kind fabric, enum port_kind kind)
{
	return fabric == FABRIC_PORT_GROUP ||
	       (fabric == FABRIC_FLOW_CHANNEL && kind == PORT_FABRIC);
}

/* in the place of a fabric address: the ports that lead away from all hosts, where the fabric is a
 * tree */
#define ROUTE_UPWARD 0u

/* the output ports that lead to a switch: the first link of all shortest paths. None to a switch
 * without hosts that up*-down* paths cannot reach */
struct route_config {
	uint32_t fabric_address;
	/* bit per candidate port; static routing takes the (egress port mod count)-th */
	uint64_t ports;
};

/* FC-3: where a host is */
struct host_config {
	/* MAC, IPv4, IPv6 and HPC addresses follow from it: nodes/wire/address.h */
	uint32_t host_index;
	uint32_t fabric_address; /* egress switch */
	uint32_t egress_port;    /* edge port there */
};

#define CONGESTION_SETTINGS 24 /* EC-5 */
#define ECA_MAX 255u           /* EC-1: a factor has 8 bits */
#define CONGESTION_UNITS_MAX (1u << 20)
#define CONGESTION_PORT_UNITS_MAX (1u << 24)
#define CONGESTION_SHIFT_MAX 31u
#define CONGESTION_BYTE_TIME_SCALE_MAX 24u
/* byte_time_ps << byte_time_scale: 1 kb/s; times stay within 64 bits */
#define CONGESTION_BYTE_TIME_PS_MAX (8 * NODE_MS)

/* a bandwidth and buffer setting of a flow at an input (EC-5); the fields: parameter.h */
struct congestion_setting {
#define PARAMETER(type, field, ...) type field;
#include "nodes/config/congestion_setting.def"
};

/* detection of and reaction to congestion */
struct congestion_config {
#define PARAMETER(type, field, ...) type field;
#define PARAMETER_ARRAY(type, field, count, ...) type field[count];
#define KEY(...)
#include "nodes/config/congestion.def"
};

extern const struct parameter_table congestion_parameters, congestion_setting_parameters;

/** congestion_setting_count() - how many settings an ECA can select: those after them repeat the
 *  last, with its eca_min. */
static inline uint32_t congestion_setting_count(const struct congestion_config *congestion)
{
	const struct congestion_setting *settings = congestion->settings;
	uint32_t count = 1;

	while (count < CONGESTION_SETTINGS && settings[count].eca_min > settings[count - 1].eca_min)
		count++;
	return count;
}

/* the fields that are parameters, such as latency_ps, ack_t1_ps and congestion: parameter.h */
struct switch_config {
#define PARAMETER(type, field, ...) type field;
#define PARAMETERS(type, field, ...) type field;
#define KEY(...)
#include "nodes/config/switch.def"
	uint32_t route_count;
	struct route_config *routes;
	uint32_t via_count;
	/* fabric addresses that a detour may go by: at most NODE_SWITCHES_MAX */
	uint16_t *vias;
	struct lid_tables lids; /* fabric == FABRIC_PORT_GROUP, in the place of routes and vias */
	uint32_t host_count;
	struct host_config *hosts;
	uint32_t prefix_count;
	/* in prefix_order(): networks behind hosts (FC-3). Kept when tables are replaced */
	struct prefix_config *prefixes;
	/* roce and port-group: a bit per port, those of a tree that spans the fabric and all edge
	 * ports */
	uint64_t flood_ports;
};

extern const struct parameter_table class_parameters, link_parameters, port_parameters,
	switch_parameters, nic_parameters;

enum frame_kind {
	FRAME_ETHERNET,
	FRAME_IPV4,
	FRAME_IPV6,
	FRAME_ROCE, /* RoCEv2 over IPv4 */
	FRAME_HPC,
	FRAME_ROCE_IPV6, /* RoCEv2 over IPv6 */
	FRAME_TCP,       /* TCP over IPv4 */
	FRAME_KINDS
};

/* what ensures that messages arrive */
enum transport_kind {
	TRANSPORT_NONE, /* the fabric, or nothing */
	/* reliable connections of queue pairs: FRAME_ROCE or FRAME_ROCE_IPV6, fabric kind roce */
	TRANSPORT_RC,
	TRANSPORT_TCP, /* TCP-like: FRAME_TCP, fabric kind roce */
	TRANSPORT_KINDS
};

/* the destination of the next message */
enum destination_kind {
	DESTINATION_FIXED,
	DESTINATION_RANDOM,
	DESTINATION_ROUND_ROBIN,
	DESTINATION_KINDS
};

/* when the next message starts */
enum arrival_kind {
	/* `window` messages in flight per destination choice; the next starts when one was sent
	 * out */
	ARRIVAL_CLOSED,
	ARRIVAL_PACED,   /* evenly, at `load` */
	ARRIVAL_POISSON, /* exponential gaps, at `load` on average */
	ARRIVAL_BURST,   /* `burst_messages` back to back every `burst_period_ps` */
	ARRIVAL_KINDS
};

struct size_point {
	uint64_t bytes;
	/* strictly rising, the last is 1000000; linear between points, from 0 bytes at 0 */
	uint32_t cumulative_ppm;
};

#define WORKLOAD_BYTES_MAX 1000000000000ull /* of a message */
#define WORKLOAD_TIME_MAX (3600 * NODE_S)

extern const char *const frame_words[FRAME_KINDS], *const transport_words[TRANSPORT_KINDS],
							   *const arrival_words[ARRIVAL_KINDS];

/* one workload as one sending NIC sees it; the other fields: traffic.def, workload.def.
 * packet_bytes is the largest frame, without FCS */
struct workload_config {
	char name[NODE_NAME_MAX];
#define PARAMETER(type, field, ...) type field;
#define KEY(...)
#include "nodes/config/traffic.def"
#define PARAMETER(type, field, ...) type field;
#include "nodes/config/workload.def"
	uint32_t size_count;
	struct size_point *sizes; /* if message_bytes is 0 */
	uint32_t destination_count;
	uint32_t *destinations; /* host indices */
};

extern const struct parameter_table workload_parameters;

#define NIC_PAUSES_MAX 1024 /* of a NIC */

/* EC-4: a receiver that is slower than its link now and then. The NIC tells its switch to stop for
 * `for_ps` out of every `every_ps` between start and stop. The fields: pause.def. */
struct pause_config {
#define PARAMETER(type, field, ...) type field;
#define KEY(...)
#include "nodes/config/pause.def"
};

extern const struct parameter_table pause_parameters;

/* the fields that are parameters, such as latency_ps: parameter.h */
struct nic_config {
#define PARAMETER(type, field, ...) type field;
#include "nodes/config/nic.def"
	uint32_t workload_count;
	struct workload_config *workloads;
	uint32_t pause_count;
	struct pause_config *pauses; /* a class is stopped while one of them says so */
};

struct node_config {
	enum node_kind kind;
	char name[NODE_NAME_MAX];
	enum clock_kind clock;
	enum fabric_kind fabric;
	uint32_t index;      /* slot on the clock page */
	uint32_t node_count; /* nodes of the fabric; under the real clock slots of the clock page */
	uint64_t seed;       /* of this node: losses on its links, ... */
	node_time_t measure_from_ps, measure_to_ps; /* rates are taken over this interval */
	/* a sample of all series this often; 0: none */
	node_time_t sample_ps;
	/* of each frame that is sent, on any port, go to a file; 0: no such capture */
	uint32_t capture_sent_bytes;
	/* to files that come with the configuration: nodes/stats/trace.h, series.h */
	bool events, series;
	bool packets; /* every frame that arrives is an event: nodes/link/link_trace.h */
	uint32_t class_count;
	struct class_config classes[NODE_CLASSES_MAX];
	/* virtual lanes of each class, 0 like 1: class_count * lanes <= NODE_LANES_MAX
	 * (routing_config.h); see node_lanes() */
	uint32_t lanes;
	struct roce_config roce;             /* fabric == FABRIC_ROCE */
	struct port_group_config port_group; /* fabric == FABRIC_PORT_GROUP */
	uint32_t port_count;
	struct port_config *ports;
	/* NIC with roce.congestion CONGESTION_OWN: the table of the library, once its process has
	 * loaded it; struct heddle_control of include/heddle. It is not sent */
	const void *control;
	struct switch_config switch_; /* kind == NODE_SWITCH */
	struct nic_config nic;        /* kind == NODE_NIC */
};

/** node_config_has_control() - does the node load a congestion control of the user's? */
static inline bool node_config_has_control(const struct node_config *config)
{
	return config->fabric == FABRIC_ROCE && config->kind == NODE_NIC &&
	       config->roce.congestion == CONGESTION_OWN;
}

/** node_measured_at() - when a node counts the queues and pauses that last to the end of the
 *  measured interval: in its last picosecond, for a run may end with the interval. */
static inline node_time_t node_measured_at(const struct node_config *config)
{
	return config->measure_to_ps && config->measure_to_ps != NODE_TIME_NEVER
		       ? config->measure_to_ps - 1
		       : config->measure_to_ps;
}

/** node_lanes() - virtual lanes of each class on a link at a port of @kind. Flow channels need one
 *  on edge links: no packet waits there for one that has entered the fabric. */
static inline uint32_t node_lanes(const struct node_config *config, enum port_kind kind)
{
	if (config->fabric == FABRIC_FLOW_CHANNEL && kind == PORT_EDGE)
		return 1;
	return config->lanes ? config->lanes : 1;
}

/** node_live_find() - the parameter of @config's node, in @table, that `set` calls @name; of a
 *  class also "CLASS.NAME".
 *  Return: 0 if there is none; else the set of the elements that are meant: bit 0, or in an array
 *  the classes. */
uint32_t node_live_find(const struct parameter_table *table, const struct node_config *config,
			const char *name, struct parameter_live *live);

/** switch_tables_free() - releases what routing makes of @config: routes, vias and LID tables,
 *  which are empty then. */
void switch_tables_free(struct switch_config *config);

/** node_config_free() - releases what @config points to, not @config itself. A zeroed config is
 *  fine. */
void node_config_free(struct node_config *config);

#endif
