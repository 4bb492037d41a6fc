#include "orchestrator/view/fabric_recording.h"

#include <errno.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/base/version.h"
#include "nodes/stats/series.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/recording/recording_head.h"

#define FORMAT 1
#define VERDICT_SAMPLES 10 /* a verdict at least so often, and when it changes */

/* a series of ports, and where an answer has it */
static const struct source {
	enum series_id series;
	const char *group; /* object of a port; NULL: the port */
	const char *key;
	uint32_t factor;
} sources[] = {
	{ SERIES_QUEUE_BYTES, NULL, "queue_bytes", 1 },
	{ SERIES_TX_BYTES, NULL, "tx_bytes", 1 },
	{ SERIES_RX_BYTES, NULL, "rx_bytes", 1 },
	{ SERIES_LOST_FRAMES, NULL, "lost_packets", 1 },
	{ SERIES_PAUSED_PS, NULL, "paused_ns", 1000 },
	{ SERIES_LIMITED, "congestion", "limited", 1 },
	{ SERIES_METERED, "congestion", "metered", 1 },
	{ SERIES_FGFC_HELD, "congestion", "fgfc_held", 1 },
	{ SERIES_MARKS, "congestion", "eca_acks", 1 },
	{ SERIES_PAUSES_SENT, "roce", "pauses_sent", 1 },
	{ SERIES_PAUSES_RECEIVED, "roce", "pauses_received", 1 },
};

static bool is_switch(const json_t *node)
{
	return !strcmp(member_text(node, "kind"), "switch");
}

/* ---- the head ---- */

/* Switches, then hosts, as in a plan: name -> index, and @order the nodes of the answer */
static json_t *nodes_number(const json_t *nodes, json_t *order)
{
	json_t *index = json_object();
	const json_t *node;
	size_t i;

	for (int hosts = 0; hosts < 2; hosts++)
		json_array_foreach (nodes, i, node) {
			if (is_switch(node) == hosts)
				continue;
			json_object_set_new(index, member_text(node, "name"),
					    json_integer((json_int_t)json_array_size(order)));
			json_array_append(order, (json_t *)node);
		}
	return index;
}

/* the number of the port of @peer at the other end of link @link */
static json_int_t peer_port(const json_t *peer, json_int_t link)
{
	const json_t *port;
	size_t i;

	json_array_foreach (json_object_get(peer, "ports"), i, port) {
		if (member_number(port, "link") == link)
			return member_number(port, "port");
	}
	return 0;
}

static json_t *ports_json(const json_t *node, const json_t *index, const json_t *order)
{
	json_t *ports = json_array();
	const json_t *port;
	size_t i;

	json_array_foreach (json_object_get(node, "ports"), i, port) {
		const json_t *number = json_object_get(index, member_text(port, "peer"));
		const json_t *peer = json_array_get(order, (size_t)json_integer_value(number));

		/* vacant ports are not in the answer, and those to nodes that it does not have */
		while (json_array_size(ports) < (size_t)member_number(port, "port"))
			json_array_append_new(ports, json_null());
		json_array_append_new(
			ports, !number ? json_null()
				       : json_pack("{s:I, s:I, s:I, s:i}", "peer",
						   json_integer_value(number), "peer_port",
						   peer_port(peer, member_number(port, "link")),
						   "rate_bps", member_number(port, "rate_bps"),
						   "delay_ps", 0));
	}
	return ports;
}

/* Tiers for the page: hosts 0, a switch one more than the nearest of its neighbours */
static void tiers_set(json_t *nodes)
{
	bool more = true;

	for (json_int_t tier = 0; more; tier++) {
		json_t *node, *port;
		size_t i, p;

		more = false;
		json_array_foreach (nodes, i, node) {
			if (json_is_null(json_object_get(node, "tier")) ||
			    member_number(node, "tier") != tier)
				continue;
			json_array_foreach (json_object_get(node, "ports"), p, port) {
				json_t *peer =
					json_array_get(nodes, (size_t)member_number(port, "peer"));

				if (json_is_null(port) ||
				    !json_is_null(json_object_get(peer, "tier")))
					continue;
				json_object_set_new(peer, "tier", json_integer(tier + 1));
				more = true;
			}
		}
	}
}

static json_t *nodes_json(const json_t *index, const json_t *order)
{
	json_t *nodes = json_array();
	const json_t *node;
	size_t i;

	json_array_foreach (order, i, node) {
		json_array_append_new(
			nodes, json_pack("{s:s, s:s, s:o, s:n, s:n, s:o}", "name",
					 member_text(node, "name"), "type",
					 is_switch(node) ? "switch" : "host", "tier",
					 is_switch(node) ? json_null() : json_integer(0), "group",
					 "at", "ports", ports_json(node, index, order)));
	}
	tiers_set(nodes);
	return nodes;
}

static json_t *scenario_json(const json_t *answer)
{
	const char *file = member_text(answer, "file"), *slash = strrchr(file, '/');

	return json_pack("{s:s, s:s, s:n, s:s, s:[], s:n, s:n, s:n}", "name",
			 member_text(answer, "scenario"), "about", "", "text", "file",
			 slash ? slash + 1 : file, "settings", "variant", "seed", "digest");
}

int fabric_recording_begin(struct fabric_recording *recording, const json_t *answer,
			   node_time_t sample_ps, FILE *out)
{
	json_t *order = json_array(), *head;

	*recording = (struct fabric_recording){ 0 };
	recording->nodes = nodes_number(json_object_get(answer, "nodes"), order);
	head = json_pack("{s:i, s:s, s:o, s:s, s:s, s:I, s:[i, i], s:{s:s}, s:[], s:i, s:o, s:o, "
			 "s:o, s:[]}",
			 "format", FORMAT, "version", HEDDLE_VERSION, "scenario",
			 scenario_json(answer), "clock", "real", "kind",
			 member_text(answer, "kind"), "sample_ps", (json_int_t)sample_ps, "measure",
			 0, 0, "topology", "type", "given", "classes", "lanes", 1, "nodes",
			 nodes_json(recording->nodes, order), "series", recording_series_json(),
			 "events", recording_events_json(), "marks");
	recording_begin(&recording->recording, head, out);
	json_decref(head);
	json_decref(order);
	return recording->recording.error;
}

/* ---- samples ---- */

/* the verdict, when it changes and every VERDICT_SAMPLES samples */
static void verdict_add(struct fabric_recording *recording, const json_t *answer)
{
	const json_t *fidelity = json_object_get(answer, "fidelity");
	json_t *block;

	if (recording->verdict &&
	    !strcmp(member_text(recording->verdict, "verdict"), member_text(fidelity, "verdict")) &&
	    recording->samples % VERDICT_SAMPLES)
		return;
	block = fidelity ? json_copy((json_t *)fidelity) : json_object();
	json_object_set_new(block, "at_ps", json_integer((json_int_t)recording->at_ps));
	recording_json(&recording->recording, "FIDL", block);
	json_decref(recording->verdict);
	recording->verdict = block;
}

static void port_add(struct fabric_recording *recording, uint32_t node, const json_t *port)
{
	for (size_t i = 0; i < COUNT_OF(sources); i++) {
		const struct source *source = &sources[i];
		const json_t *of = source->group ? json_object_get(port, source->group) : port;
		struct slice_key key = { .node = node,
					 .series = recording_series_number(source->series),
					 .port = (uint32_t)member_number(port, "port") };

		recording_set(&recording->recording, &key,
			      (uint64_t)member_number(of, source->key) * source->factor);
	}
}

int fabric_recording_add(struct fabric_recording *recording, const json_t *answer)
{
	node_time_t at_ps = (node_time_t)member_number(answer, "uptime_ns") * NODE_NS;
	const json_t *node, *port;
	size_t i, p;

	if (recording->recording.offset > FABRIC_RECORDING_BYTES_MAX)
		return -EFBIG;
	if (recording->samples && at_ps <= recording->at_ps)
		return 0;
	recording->at_ps = at_ps;
	recording_sample(&recording->recording, at_ps);
	json_array_foreach (json_object_get(answer, "nodes"), i, node) {
		const json_t *index = json_object_get(recording->nodes, member_text(node, "name"));

		json_array_foreach (json_object_get(node, "ports"), p, port) {
			if (index)
				port_add(recording, (uint32_t)json_integer_value(index), port);
		}
	}
	recording_slice(&recording->recording, at_ps + 1);
	verdict_add(recording, answer);
	recording->samples++;
	return recording->recording.error;
}

int fabric_recording_end(struct fabric_recording *recording)
{
	int error =
		recording_end(&recording->recording, RECORDING_COMPLETE, NULL, recording->at_ps);

	json_decref(recording->nodes);
	json_decref(recording->verdict);
	return error;
}
