/*  scenario_workload - the key 'workloads' of a scenario: senders, receivers, messages and times
 *  (TB-12).
 *
 *  A key without a meaning for the pattern or arrival beside it is refused, because it would do
 *  nothing although its author expects an effect. */
#include "orchestrator/scenario/scenario_workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/frame.h"
#include "orchestrator/scenario/scenario_packet.h"
#include "orchestrator/scenario/scenario_parameters.h"
#include "orchestrator/scenario/size_file.h"

#define PAIRS_MAX 65536u

static const char *const pattern_words[PATTERNS] = { "incast", "permutation", "uniform",
						     "all-to-all", "pairs" };
static const char *const path_mtu_words[] = { "256", "512", "1024", "2048", "4096" };
static const char *const permutation_words[] = { "shift", "random" };

static const struct parameter rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct scenario_workload, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "orchestrator/scenario/workload.def"
#define PARAMETER(...) PARAMETER_ROW(struct scenario_workload, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/traffic.def"
};
const struct parameter_table scenario_workload_parameters =
	PARAMETER_TABLE_OF(struct scenario_workload, rows);

/* ---- hosts ---- */

static uint32_t *hosts_alloc(struct reader *reader, uint32_t count)
{
	uint32_t *hosts = calloc(count ? count : 1, sizeof(*hosts));

	reader->out_of_memory |= !hosts;
	return hosts;
}

static void all_hosts(struct reader *reader, uint32_t **hosts, uint32_t *count)
{
	*count = 0;
	*hosts = hosts_alloc(reader, reader->scenario->host_count);
	for (uint32_t i = 0; *hosts && i < reader->scenario->host_count; i++)
		(*hosts)[(*count)++] = i;
}

/* 'all', one name, or a list of names without repetition */
static void host_list_read(struct reader *reader, const struct yaml_node *node, uint32_t **hosts,
			   uint32_t *count)
{
	bool list = node->kind == YAML_SEQUENCE;
	bool *seen;

	if (node->kind == YAML_SCALAR && !strcmp(node->text, "all")) {
		all_hosts(reader, hosts, count);
		return;
	}
	if (node->kind == YAML_MAPPING ||
	    (list && (!node->count || node->count > NODE_COUNT_MAX))) {
		key_refuse(reader, node,
			   "'%s' must be 'all', a host or a list of hosts such as [A, B]",
			   node->key);
		return;
	}
	*hosts = hosts_alloc(reader, node->count + 1);
	seen = calloc(reader->scenario->host_count, sizeof(*seen));
	reader->out_of_memory |= !seen;
	for (const struct yaml_node *child = list ? node->first : node; child && *hosts && seen;
	     child = list ? child->next : NULL) {
		int64_t index = key_host_index(reader, child);

		if (index >= 0 && seen[index])
			key_refuse(reader, child, "host '%s' is named twice", child->text);
		else if (index >= 0)
			(*hosts)[(*count)++] = (uint32_t)index;
		if (index >= 0)
			seen[index] = true;
	}
	free(seen);
}

static void from_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	struct scenario_workload *workload = target;

	(void)key;
	host_list_read(reader, node, &workload->senders, &workload->sender_count);
}

static void to_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		    void *target)
{
	struct scenario_workload *workload = target;

	(void)key;
	host_list_read(reader, node, &workload->receivers, &workload->receiver_count);
}

static void pair_read(struct reader *reader, const struct yaml_node *node,
		      struct scenario_workload *workload)
{
	int64_t from, to;

	if (node->kind != YAML_SEQUENCE || node->count != 2) {
		key_refuse(reader, node, "expected a pair of hosts such as [A, B]: from A to B");
		return;
	}
	from = key_host_index(reader, node->first);
	to = key_host_index(reader, node->last);
	if (from < 0 || to < 0)
		return;
	if (from == to) {
		key_refuse(reader, node, "a host does not send to itself");
		return;
	}
	workload->senders[workload->sender_count++] = (uint32_t)from;
	workload->receivers[workload->receiver_count++] = (uint32_t)to;
}

static void pairs_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	struct scenario_workload *workload = target;

	if (!key_is_list(reader, key, node, 1, PAIRS_MAX,
			 "pairs of hosts, such as [[A, B], [C, D]]"))
		return;
	free(workload->senders);
	free(workload->receivers);
	workload->sender_count = workload->receiver_count = 0;
	workload->senders = hosts_alloc(reader, node->count);
	workload->receivers = hosts_alloc(reader, node->count);
	for (const struct yaml_node *child = node->first;
	     child && workload->senders && workload->receivers; child = child->next)
		pair_read(reader, child, workload);
}

/* ---- the other values ---- */

static void sizes_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	const char *text = key_scalar(reader, node, "the name of a CSV file");
	char *path = text ? key_path_beside(reader, text) : NULL;
	struct scenario_workload *workload = target;
	int error;

	(void)key;
	if (!text)
		return;
	workload->sizes = calloc(WORKLOAD_SIZES_MAX, sizeof(*workload->sizes));
	if (!path || !workload->sizes) {
		reader->out_of_memory = true;
		free(path);
		return;
	}
	if (!key_file_allowed(reader, node, path)) {
		free(path);
		return;
	}
	origin_input(reader->scenario->origin, path);
	error = size_file_read(path, &reader->scenario->origin->digest, workload->sizes,
			       &workload->size_count, reader->errors);
	if (error == -EFBIG)
		key_refuse(reader, node,
			   "'%.200s' is larger than %u bytes: this is no list of sizes", path,
			   SIZE_FILE_BYTES_MAX);
	else if (error == -EBADF)
		key_refuse(reader, node, "'%.200s' is not a file", path);
	else if (error && error != -EINVAL)
		key_refuse(reader, node, "the file '%.200s' cannot be read: %s", path,
			   strerror(-error));
	free(path);
}

/* powers of two from FRAME_PATH_MTU_MIN on */
static void path_mtu_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	struct scenario_workload *workload = target;
	int index = key_word_index(reader, node, "a path MTU such as 1024", path_mtu_words,
				   COUNT_OF(path_mtu_words));

	(void)key;
	if (index >= 0)
		workload->path_mtu = FRAME_PATH_MTU_MIN << index;
}

static const struct key workload_keys[] = {
	{ "name", key_name, KEY_FIELD(struct scenario_workload, name) },
	{ "from", .read = from_read },
	{ "to", .read = to_read },
	{ "pairs", .read = pairs_read },
	{ "sizes", .read = sizes_read },
	{ "path-mtu", .read = path_mtu_read },
	{ "class", key_class, KEY_FIELD(struct scenario_workload, traffic_class) },
};

/* ---- do the keys fit together? ---- */

/* the patterns and arrivals that a key belongs to, as sets; 0: all */
static const struct {
	const char *key;
	uint32_t patterns, arrivals;
} meanings[] = {
	{ "from", .patterns = ~(1u << PATTERN_PAIRS) },
	{ "to", .patterns = 1u << PATTERN_INCAST | 1u << PATTERN_UNIFORM },
	{ "pairs", .patterns = 1u << PATTERN_PAIRS },
	{ "permutation", .patterns = 1u << PATTERN_PERMUTATION },
	{ "shift", .patterns = 1u << PATTERN_PERMUTATION },
	{ "window", .arrivals = 1u << ARRIVAL_CLOSED },
	{ "load", .arrivals = 1u << ARRIVAL_PACED | 1u << ARRIVAL_POISSON },
	{ "burst", .arrivals = 1u << ARRIVAL_BURST },
};

static void meanings_check(struct reader *reader, const struct yaml_node *node,
			   const struct scenario_workload *workload)
{
	for (size_t i = 0; i < COUNT_OF(meanings); i++) {
		const struct yaml_node *value = yaml_find(node, meanings[i].key);

		if (!value)
			continue;
		if (meanings[i].patterns && !(meanings[i].patterns >> workload->pattern & 1))
			scenario_errors_at(reader->errors, reader->scenario, &value->key_place,
					   "'%s' has no meaning with pattern %s", meanings[i].key,
					   pattern_words[workload->pattern]);
		if (meanings[i].arrivals && !(meanings[i].arrivals >> workload->arrival & 1))
			scenario_errors_at(reader->errors, reader->scenario, &value->key_place,
					   "'%s' has no meaning with arrival %s", meanings[i].key,
					   arrival_words[workload->arrival]);
	}
	if (yaml_find(node, "shift") && workload->permutation_random)
		key_refuse(reader, yaml_find(node, "shift"),
			   "'shift' has no meaning with permutation random");
	if (workload->pattern == PATTERN_PAIRS && !yaml_find(node, "pairs"))
		key_refuse(reader, node,
			   "a workload of pattern pairs lacks the key 'pairs', such as pairs: [[A, "
			   "B]]");
	if (workload->pattern == PATTERN_INCAST && !yaml_find(node, "to"))
		key_refuse(reader, node,
			   "a workload of pattern incast lacks the key 'to', the host that all "
			   "send to");
	if ((workload->arrival == ARRIVAL_PACED || workload->arrival == ARRIVAL_POISSON) &&
	    !yaml_find(node, "load"))
		key_refuse(reader, node,
			   "a workload of arrival %s lacks the key 'load', such as load: 90%%",
			   arrival_words[workload->arrival]);
	if (workload->arrival == ARRIVAL_BURST && !yaml_find(node, "burst"))
		key_refuse(reader, node,
			   "a workload of arrival burst lacks the key 'burst', such as burst: "
			   "{messages: 8, "
			   "period: 10us}");
}

/* Senders of an incast are all but its receiver, unless they are named. */
static void incast_complete(struct reader *reader, const struct yaml_node *node,
			    struct scenario_workload *workload)
{
	const struct yaml_node *from = yaml_find(node, "from"), *to = yaml_find(node, "to");
	bool all = !from || (from->kind == YAML_SCALAR && !strcmp(from->text, "all"));
	uint32_t kept = 0;

	if (!to || !workload->receiver_count)
		return;
	if (workload->receiver_count > 1) {
		key_refuse(reader, to, "an incast has one receiver");
		return;
	}
	for (uint32_t i = 0; i < workload->sender_count; i++) {
		if (workload->senders[i] != workload->receivers[0])
			workload->senders[kept++] = workload->senders[i];
		else if (!all)
			key_refuse(reader, from, "'%s' is both sender and receiver of the incast",
				   reader->scenario->hosts[workload->senders[i]].name);
	}
	workload->sender_count = kept;
	if (!kept)
		key_refuse(reader, node,
			   "no host is left to send: an incast needs a host besides its receiver");
}

static void hosts_complete(struct reader *reader, const struct yaml_node *node,
			   struct scenario_workload *workload)
{
	uint32_t count = workload->sender_count;

	switch (workload->pattern) {
	case PATTERN_INCAST:
		incast_complete(reader, node, workload);
		break;
	case PATTERN_PERMUTATION:
		if (count && !workload->shift)
			workload->shift = count / 2;
		if (count < 2 || workload->shift % count == 0)
			key_refuse(reader, count < 2 ? node : yaml_find(node, "shift"),
				   count < 2 ? "a permutation needs two hosts at least"
					     : "a shift by the number of hosts makes every host "
					       "send to itself");
		break;
	case PATTERN_UNIFORM:
		if (!yaml_find(node, "to"))
			all_hosts(reader, &workload->receivers, &workload->receiver_count);
		for (uint32_t i = 0; workload->receiver_count == 1 && i < count; i++)
			if (workload->senders[i] == workload->receivers[0])
				key_refuse(reader, node, "'%s' could send only to itself",
					   reader->scenario->hosts[workload->senders[i]].name);
		break;
	case PATTERN_ALL_TO_ALL:
		if (count < 2)
			key_refuse(reader, node, "all-to-all needs two hosts at least");
		break;
	default:
		break;
	}
}

static void sizes_check(struct reader *reader, const struct yaml_node *node,
			struct scenario_workload *workload)
{
	if (yaml_find(node, "size") && yaml_find(node, "sizes"))
		key_refuse(reader, yaml_find(node, "sizes"),
			   "a workload has either 'size' or 'sizes', not both");
	else if (yaml_find(node, "sizes"))
		workload->message_bytes = 0;
}

/* the frame of a workload without the key */
static enum frame_kind frame_default(enum fabric_kind fabric, enum transport_kind transport)
{
	if (transport == TRANSPORT_TCP)
		return FRAME_TCP;
	return fabric == FABRIC_ROCE || transport == TRANSPORT_RC ? FRAME_ROCE : FRAME_HPC;
}

static enum transport_kind transport_default(enum frame_kind frame)
{
	if (frame == FRAME_TCP)
		return TRANSPORT_TCP;
	return frame_is_roce(frame) ? TRANSPORT_RC : TRANSPORT_NONE;
}

/* Checks that frame and transport fit together. Only a fabric of kind roce has transports. In
 * other kinds the frames are the same, and the fabric delivers them reliably. */
static void transport_complete(struct reader *reader, const struct yaml_node *node,
			       struct scenario_workload *workload)
{
	const struct yaml_node *transport = yaml_find(node, "transport");
	enum fabric_kind fabric = reader->scenario->fabric;

	if (fabric == FABRIC_ROCE && !transport && !yaml_find(node, "frame"))
		workload->transport = reader->scenario->roce.transport;
	if (!yaml_find(node, "frame"))
		workload->frame = frame_default(fabric, workload->transport);
	if (!transport)
		workload->transport = transport_default(workload->frame);
	if (workload->transport == TRANSPORT_RC && !frame_is_roce(workload->frame))
		key_refuse(reader, transport, "transport rc sends frame roce or roce-ipv6, not %s",
			   frame_words[workload->frame]);
	if (workload->transport == TRANSPORT_TCP && workload->frame != FRAME_TCP)
		key_refuse(reader, transport, "transport tcp sends frame tcp, not %s",
			   frame_words[workload->frame]);
	if (fabric != FABRIC_ROCE)
		workload->transport = TRANSPORT_NONE;
}

static void times_check(struct reader *reader, const struct yaml_node *node,
			const struct scenario_workload *workload)
{
	const struct yaml_node *start = yaml_find(node, "start"), *stop = yaml_find(node, "stop");

	scenario_time_note(reader, start, workload->start_ps, "the workload would start");
	if (stop && workload->stop_ps <= workload->start_ps)
		key_refuse(reader, stop, "the workload would stop before it starts");
}

static void workload_read(struct reader *reader, const struct yaml_node *node,
			  struct scenario_workload *workload)
{
	const struct yaml_node *packet = yaml_find(node, "packet"),
			       *path_mtu = yaml_find(node, "path-mtu");
	const struct parameters_reading reading = {
		.table = &scenario_workload_parameters,
		.structure = workload,
		.keys = workload_keys,
		.key_count = COUNT_OF(workload_keys),
		.target = workload,
	};
	unsigned errors_before = reader->errors->count;

	*workload = (struct scenario_workload){
		.place = node->place,
		.packet_place = path_mtu ? path_mtu->place
				: packet ? packet->place
					 : node->place,
	};
	parameters_default(&scenario_workload_parameters, workload);
	workload->stop_ps = NODE_TIME_NEVER;
	scenario_parameters_read(reader, node, "a workload", &reading);
	if (reader->errors->count != errors_before || reader->out_of_memory)
		return;
	meanings_check(reader, node, workload);
	transport_complete(reader, node, workload);
	if (reader->errors->count != errors_before || !reader->scenario->host_count)
		return;
	if (workload->pattern != PATTERN_PAIRS && !yaml_find(node, "from"))
		all_hosts(reader, &workload->senders, &workload->sender_count);
	if (reader->out_of_memory)
		return;
	hosts_complete(reader, node, workload);
	sizes_check(reader, node, workload);
	scenario_packet_complete(reader, node, workload);
	times_check(reader, node, workload);
}

static bool name_is_taken(const struct scenario *scenario, const char *name)
{
	for (uint32_t i = 0; i < scenario->workload_count; i++)
		if (*name && !strcmp(scenario->workloads[i].name, name))
			return true;
	return false;
}

void scenario_workloads_read(struct reader *reader, const struct key *key,
			     const struct yaml_node *node, void *target)
{
	struct scenario *scenario = target;

	scenario->workloads = key_list_new(reader, key, node, SCENARIO_WORKLOADS_MAX,
					   "workloads, each starting with '- name: ...'",
					   sizeof(*scenario->workloads));
	for (const struct yaml_node *child = node->first; child && scenario->workloads;
	     child = child->next) {
		struct scenario_workload *workload = &scenario->workloads[scenario->workload_count];

		workload_read(reader, child, workload);
		if (name_is_taken(scenario, workload->name))
			key_refuse(reader, child, "there are two workloads called '%s'",
				   workload->name);
		scenario->workload_count++;
	}
}
