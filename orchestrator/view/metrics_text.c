#include "orchestrator/view/metrics_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/results/fidelity.h"
#include "orchestrator/results/statistics.h"

#define NAME_MAX_BYTES 96u

enum type { GAUGE, COUNTER };

/* one key of JSON */
struct metric {
	const char *key;
	enum type type;
	const char *help;
};

/* what is read by `key`, in the fabric, in its nodes and in their ports */
static const struct metric fabric_metrics[] = {
	{ "uptime_ns", GAUGE, "since the fabric started" },
	{ "dilation", GAUGE, "how many times slower fabric time runs" },
	{ "hosts", GAUGE, "hosts" },
	{ "switches", GAUGE, "switches" },
	{ "links", GAUGE, "links" },
	{ "dead", GAUGE, "nodes that have died" },
	{ "cpu_ns", COUNTER, "CPU time of all processes" },
	{ "memory_bytes", GAUGE, "memory of all processes" },
	{ "unfiltered_nodes", GAUGE, "nodes without a filter of system calls" },
};

/* of the object "fidelity": of the node that is furthest from what was configured */
static const struct metric fidelity_metrics[] = {
	{ "added_delay_ns", GAUGE, "delay at a hop that was not configured, at most" },
	{ "stalled_percent", GAUGE, "of the time in which links may have idled, at most" },
	{ "lateness_p99_ns", GAUGE, "lateness of events, p99" },
	{ "active_ns", GAUGE, "time in which there was traffic" },
	{ "uncarried_bytes", GAUGE, "offered while a node was too late, at most" },
	{ "host_overrun_frames", GAUGE, "frames of hosts that their NICs did not take" },
};

/* by the label `verdict` */
static const struct metric verdicts[] = {
	{ "fidelity", GAUGE, "1: the verdict since the start of the fabric" },
	{ "fidelity_last_minute", GAUGE, "1: the verdict of the last minute" },
};

/* of the object "manager" */
static const struct metric manager_metrics[] = {
	{ "sweeps", COUNTER, "sweeps of the fabric manager" },
	{ "takeovers", COUNTER, "standby managers that became active" },
};

static const struct metric node_metrics[] = {
	{ "uptime_ns", GAUGE, "since the node started" },
	{ "cpu_ns", COUNTER, "CPU time" },
	{ "memory_bytes", GAUGE, "memory, shared pages in proportion" },
	{ "sent_packets", COUNTER, "data packets sent on all links" },
	{ "sent_bytes", COUNTER, "bytes sent on all links" },
	{ "received_packets", COUNTER, "data packets received" },
	{ "received_bytes", COUNTER, "bytes received" },
	{ "queue_bytes", GAUGE, "waiting for its outputs" },
	{ "dropped_packets", COUNTER, "packets dropped, for all reasons but no listener" },
	{ "unwanted_packets", COUNTER, "packets that no host wanted" },
	{ "limited", GAUGE, "flows under endpoint congestion now" },
	{ "metered", GAUGE, "metered flows now" },
	{ "fgfc_held", GAUGE, "flows paused at their source now" },
	{ "eca_acks", COUNTER, "ACKs that told of congestion" },
	{ "stops", COUNTER, "times that a peer was stopped, for lack of buffer" },
	{ "active_ns", COUNTER, "time in which something happened" },
	{ "lateness_p50_ns", GAUGE, "lateness of events since the start, p50" },
	{ "lateness_p99_ns", GAUGE, "lateness of events since the start, p99" },
	{ "lateness_max_ns", GAUGE, "lateness of events since the start, the greatest" },
	{ "added_delay_ns", GAUGE, "delay that was not configured, at most" },
	{ "stalled_percent", GAUGE, "of the time in which its links may have idled, at most" },
};

/* in a fabric of kind roce also */
static const struct metric node_roce_metrics[] = {
	{ "paused_classes", GAUGE, "classes of ports that the peer has paused now" },
	{ "xoff_classes", GAUGE, "classes of ports whose peer this node pauses now" },
	{ "marked", COUNTER, "packets marked CE" },
	{ "pauses", COUNTER, "PFC and PAUSE frames sent" },
	{ "cnps", COUNTER, "CNPs received by the sender" },
	{ "in_error", GAUGE, "queue pairs that gave up" },
};

static const struct metric port_metrics[] = {
	{ "rate_bps", GAUGE, "rate of the link, bits per second" },
	{ "down", GAUGE, "1: the link is down" },
	{ "tx_packets", COUNTER, "data packets sent" },
	{ "tx_bytes", COUNTER, "sent on the link, with FCS, without gap" },
	{ "tx_busy_ns", COUNTER, "link time of what was sent, gaps included" },
	{ "rx_packets", COUNTER, "data packets received" },
	{ "rx_bytes", COUNTER, "received, with FCS, without gap" },
	{ "lost_packets", COUNTER, "data packets lost on the link" },
	{ "reordered", COUNTER, "packets that arrived after later ones, as configured" },
	{ "duplicated", COUNTER, "packets that arrived a second time, as configured" },
	{ "corrupted", COUNTER, "packets that arrived damaged, as configured" },
	{ "paused_ns", COUNTER, "time in which data waited for the peer" },
	{ "queue_bytes", GAUGE, "waiting for this output" },
	{ "peers_waited_ns", COUNTER, "time in which data of the peer waited for this node" },
	{ "input_units_max", GAUGE, "the most data in the input buffer, units of 256 bytes" },
};

/* rows of the registry that are no maximum and no moment, and yet fall */
static const char *const falling[] = { "queue_bytes", "limited",    "metered",   "fgfc_held",
				       "efct_used",   "ifct_used",  "ofct_used", "extent_units",
				       "state",       "input_bytes" };

struct text {
	FILE *out;
	const char *fabric;
	const json_t *nodes;
	bool roce;
};

/* ---- one line ---- */

/* a label's value, as the format has it */
static void label_put(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; value && *value; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		if (*value == '\n')
			fputs("\\n", out);
		else
			fputc(*value, out);
	}
	fputc('"', out);
}

/* where the unit of a time is in @key, _ns or _ps at a word's end; NULL: it is no time */
static const char *time_unit(const char *key)
{
	for (const char *at = strchr(key, '_'); at; at = strchr(at + 1, '_'))
		if ((!strncmp(at, "_ns", 3) || !strncmp(at, "_ps", 3)) && (!at[3] || at[3] == '_'))
			return at;
	return NULL;
}

/* the end of a line: the value of @key, a time as seconds. A missing one is 0, of a list it is how
 * many there are */
static void value_put(FILE *out, const char *key, const json_t *value)
{
	uint64_t number =
		json_is_array(value) ? json_array_size(value) : (uint64_t)json_integer_value(value);
	const char *unit = time_unit(key);
	uint64_t second = unit && unit[1] == 'p' ? 1000000000000 : 1000000000;

	if (json_is_real(value))
		fprintf(out, "} %.9g\n", json_real_value(value));
	else if (json_is_true(value))
		fputs("} 1\n", out);
	else if (!unit)
		fprintf(out, "} %" PRIu64 "\n", number);
	else
		fprintf(out, "} %" PRIu64 ".%0*" PRIu64 "\n", number / second,
			unit[1] == 'p' ? 12 : 9, number % second);
}

/* HELP and TYPE of a metric, and its name */
static void family_put(const struct text *text, const char *of, const struct metric *metric,
		       char name[NAME_MAX_BYTES])
{
	const char *unit = time_unit(metric->key);
	int length = (int)(unit ? unit - metric->key : (ptrdiff_t)strlen(metric->key));

	snprintf(name, NAME_MAX_BYTES, "heddle_%s_%.*s%s%s%s", of, length, metric->key,
		 unit ? unit + 3 : "", unit ? "_seconds" : "",
		 metric->type == COUNTER ? "_total" : "");
	fprintf(text->out, "# HELP %s %s\n# TYPE %s %s\n", name, metric->help, name,
		metric->type == COUNTER ? "counter" : "gauge");
}

/* "NAME{fabric=...,node=...,kind=..." without its end; @node NULL: of the fabric */
static void labels_put(const struct text *text, const char *name, const json_t *node)
{
	fprintf(text->out, "%s{", name);
	label_put(text->out, "fabric", text->fabric);
	if (!node)
		return;
	fputc(',', text->out);
	label_put(text->out, "node", member_text(node, "name"));
	fputc(',', text->out);
	label_put(text->out, "kind", member_text(node, "kind"));
}

static void port_labels_put(const struct text *text, const char *name, const json_t *node,
			    const json_t *port)
{
	labels_put(text, name, node);
	fprintf(text->out, ",port=\"%" JSON_INTEGER_FORMAT "\",", member_number(port, "port"));
	label_put(text->out, "peer", member_text(port, "peer"));
}

/* ---- the fabric ---- */

static void fabric_put(const struct text *text, const json_t *object, const struct metric *metrics,
		       size_t count)
{
	char name[NAME_MAX_BYTES];

	for (size_t i = 0; object && i < count; i++) {
		family_put(text, "fabric", &metrics[i], name);
		labels_put(text, name, NULL);
		value_put(text->out, metrics[i].key, json_object_get(object, metrics[i].key));
	}
}

/* 1 for the verdict that holds, 0 for the others */
static void verdict_put(const struct text *text, const struct metric *metric,
			const json_t *fidelity)
{
	char name[NAME_MAX_BYTES];

	family_put(text, "fabric", metric, name);
	for (size_t i = 0; fidelity && i <= FIDELITY_VERDICTS; i++) {
		const char *verdict =
			i < FIDELITY_VERDICTS ? fidelity_verdict_name[i] : FIDELITY_UNKNOWN_NAME;

		labels_put(text, name, NULL);
		fprintf(text->out, ",verdict=\"%s\"} %d\n", verdict,
			!strcmp(member_text(fidelity, "verdict"), verdict));
	}
}

/* PFC deadlocks that exist now */
static void deadlocks_put(const struct text *text, const json_t *fabric)
{
	static const struct metric metric = { "deadlocks", GAUGE, "PFC deadlocks now" };
	char name[NAME_MAX_BYTES];

	family_put(text, "fabric", &metric, name);
	labels_put(text, name, NULL);
	fprintf(text->out, "} %zu\n", json_array_size(json_object_get(fabric, "deadlocks")));
}

/* ---- nodes ---- */

static void nodes_put(const struct text *text, const struct metric *metrics, size_t count)
{
	char name[NAME_MAX_BYTES];
	const json_t *node;
	size_t n;

	for (size_t i = 0; i < count; i++) {
		family_put(text, "node", &metrics[i], name);
		json_array_foreach (text->nodes, n, node) {
			labels_put(text, name, node);
			value_put(text->out, metrics[i].key, json_object_get(node, metrics[i].key));
		}
	}
}

static void running_put(const struct text *text)
{
	static const struct metric metric = { "running", GAUGE,
					      "1: it runs; 0: it is dead or stopped" };
	char name[NAME_MAX_BYTES];
	const json_t *node;
	size_t n;

	family_put(text, "node", &metric, name);
	json_array_foreach (text->nodes, n, node) {
		labels_put(text, name, node);
		fprintf(text->out, "} %d\n", !strcmp(member_text(node, "state"), "running"));
	}
}

static void drops_put(const struct text *text)
{
	static const struct metric metric = { "drops", COUNTER, "packets dropped, by reason" };
	char name[NAME_MAX_BYTES];
	const json_t *node, *value;
	const char *reason;
	size_t n;

	family_put(text, "node", &metric, name);
	json_array_foreach (text->nodes, n, node) {
		json_object_foreach (json_object_get(node, "drops"), reason, value) {
			labels_put(text, name, node);
			fputc(',', text->out);
			label_put(text->out, "reason", reason);
			value_put(text->out, metric.key, value);
		}
	}
}

/* ---- ports and classes ---- */

/* one metric of all ports; @group the object of a port that has it, NULL: the port does */
static void ports_put(const struct text *text, const struct metric *metric, const char *group)
{
	char name[NAME_MAX_BYTES];
	const json_t *node, *port;
	size_t n, p;

	family_put(text, "port", metric, name);
	json_array_foreach (text->nodes, n, node) {
		json_array_foreach (json_object_get(node, "ports"), p, port) {
			const json_t *of = group ? json_object_get(port, group) : port;

			port_labels_put(text, name, node, port);
			value_put(text->out, metric->key, json_object_get(of, metric->key));
		}
	}
}

/* one metric of all classes that have counted something */
static void classes_put(const struct text *text, const struct metric *metric)
{
	char name[NAME_MAX_BYTES];
	const json_t *node, *port, *class;
	size_t n, p, c;

	family_put(text, "class", metric, name);
	json_array_foreach (text->nodes, n, node) {
		json_array_foreach (json_object_get(node, "ports"), p, port) {
			json_array_foreach (json_object_get(port, "classes"), c, class) {
				port_labels_put(text, name, node, port);
				fputc(',', text->out);
				label_put(text->out, "class", member_text(class, "class"));
				value_put(text->out, metric->key,
					  json_object_get(class, metric->key));
			}
		}
	}
}

static enum type type_of(const struct statistic *row)
{
	for (size_t i = 0; i < COUNT_OF(falling); i++)
		if (!strcmp(row->name, falling[i]))
			return GAUGE;
	return row->fold == STATISTIC_SUM ? COUNTER : GAUGE;
}

/* the rows of the registry: of ports those of @group, in the object @key of a port. A moment that
 * never occurred has no value, so moments are left out */
static void registry_put(const struct text *text, const struct statistics *list,
			 enum statistic_group group, const char *key)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct statistic *row = &list->rows[i];
		struct metric metric = { row->name, type_of(row), row->what };

		if (row->group != group || row->unit == STATISTIC_MOMENT)
			continue;
		if (key)
			ports_put(text, &metric, key);
		else
			classes_put(text, &metric);
	}
}

static void all_ports_put(const struct text *text)
{
	for (size_t i = 0; i < COUNT_OF(port_metrics); i++)
		ports_put(text, &port_metrics[i], NULL);
	registry_put(text, &port_statistics, STATISTIC_CONGESTION, "congestion");
	registry_put(text, &port_statistics, STATISTIC_PATHS, "paths");
	if (!text->roce)
		return;
	registry_put(text, &port_statistics, STATISTIC_PAUSE, "roce");
	registry_put(text, &class_statistics, STATISTIC_BASIC, NULL);
}

char *metrics_text(const json_t *fabric)
{
	char *result = NULL;
	size_t length;
	struct text text = { .out = open_memstream(&result, &length),
			     .fabric = member_text(fabric, "fabric"),
			     .nodes = json_object_get(fabric, "nodes"),
			     .roce = !strcmp(member_text(fabric, "kind"), "roce") };

	if (!text.out)
		return NULL;
	fabric_put(&text, fabric, fabric_metrics, COUNT_OF(fabric_metrics));
	fabric_put(&text, json_object_get(fabric, "manager"), manager_metrics,
		   COUNT_OF(manager_metrics));
	verdict_put(&text, &verdicts[0], json_object_get(fabric, "fidelity"));
	verdict_put(&text, &verdicts[1], json_object_get(fabric, "fidelity_last_minute"));
	fabric_put(&text, json_object_get(fabric, "fidelity"), fidelity_metrics,
		   COUNT_OF(fidelity_metrics));
	deadlocks_put(&text, fabric);
	running_put(&text);
	nodes_put(&text, node_metrics, COUNT_OF(node_metrics));
	if (text.roce)
		nodes_put(&text, node_roce_metrics, COUNT_OF(node_roce_metrics));
	drops_put(&text);
	all_ports_put(&text);
	return fclose(text.out) ? NULL : result;
}
