#include "orchestrator/results/counter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/port_name.h"
#include "orchestrator/base/suggest.h"

#define WORD_MAX 128u

/* clang-format off */
#define PORT_COUNTER(field, of) \
	{ .name = #field, .offset = offsetof(struct port_stats, field), .kind = of }
#define CONGESTION(field) \
	{ .name = #field, .offset = offsetof(struct port_stats, field), .congestion = true }
#define CONGESTION_MOMENT(field) \
	{ .name = #field, .offset = offsetof(struct port_stats, field), .kind = QUANTITY_TIME, \
	  .congestion = true, .moment = true }
#define PATHS(field) \
	{ .name = #field, .offset = offsetof(struct port_stats, field), .paths = true }
#define PATHS_TIME(field) \
	{ .name = #field, \
	  .offset = offsetof(struct port_stats, field), .kind = QUANTITY_TIME, .paths = true }
#define ROCE(field) \
	{ .name = #field, .offset = offsetof(struct port_stats, field), .roce = true }
#define CLASS_COUNTER(field, of) \
	{ .name = #field, .offset = offsetof(struct class_stats, field), .kind = of }
#define CLASS_MOMENT(field) \
	{ .name = #field, \
	  .offset = offsetof(struct class_stats, field), .kind = QUANTITY_TIME, .moment = true }
#define NODE_COUNTER(field, of) \
	{ .name = #field, .offset = offsetof(struct stats_page, field), .kind = of }
/* clang-format on */

const struct counter_name port_counters[] = {
	PORT_COUNTER(tx_frames, QUANTITY_COUNT),
	PORT_COUNTER(tx_bytes, QUANTITY_BYTES),
	PORT_COUNTER(tx_packets, QUANTITY_COUNT),
	PORT_COUNTER(rx_frames, QUANTITY_COUNT),
	PORT_COUNTER(rx_bytes, QUANTITY_BYTES),
	PORT_COUNTER(rx_packets, QUANTITY_COUNT),
	PORT_COUNTER(tx_busy_ps, QUANTITY_TIME),
	PORT_COUNTER(ack_frames, QUANTITY_COUNT),
	PORT_COUNTER(acks, QUANTITY_COUNT),
	PORT_COUNTER(words, QUANTITY_COUNT),
	PORT_COUNTER(lost_frames, QUANTITY_COUNT),
	PORT_COUNTER(lost_bytes, QUANTITY_BYTES),
	PORT_COUNTER(lost_packets, QUANTITY_COUNT),
	PORT_COUNTER(loss_reports, QUANTITY_COUNT),
	PORT_COUNTER(loss_report_units, QUANTITY_COUNT),
	PORT_COUNTER(hole_units, QUANTITY_COUNT),
	PORT_COUNTER(tail_units, QUANTITY_COUNT),
	PORT_COUNTER(paused_ps, QUANTITY_TIME),
	PORT_COUNTER(channel_waits, QUANTITY_COUNT),
	PORT_COUNTER(queue_bytes, QUANTITY_BYTES),
	PORT_COUNTER(queue_bytes_max, QUANTITY_BYTES),
	PORT_COUNTER(input_units_max, QUANTITY_COUNT),
	PORT_COUNTER(efct_used, QUANTITY_COUNT),
	PORT_COUNTER(efct_used_max, QUANTITY_COUNT),
	PORT_COUNTER(ifct_used, QUANTITY_COUNT),
	PORT_COUNTER(ifct_used_max, QUANTITY_COUNT),
	PORT_COUNTER(ofct_used, QUANTITY_COUNT),
	PORT_COUNTER(ofct_used_max, QUANTITY_COUNT),
	CONGESTION(eca_acks),
	CONGESTION(eca_max),
	CONGESTION_MOMENT(eca_first_ps),
	CONGESTION(delta_eca_acks),
	CONGESTION(ecn_packets),
	CONGESTION(acks_rewritten),
	CONGESTION_MOMENT(limited_first_ps),
	CONGESTION(limited),
	CONGESTION(extent_units),
	CONGESTION(extent_units_max),
	CONGESTION(blocked_extent),
	CONGESTION(blocked_rate),
	CONGESTION(blocked_empty),
	CONGESTION(blocked_headroom),
	CONGESTION(blocked_port),
	CONGESTION(metered),
	CONGESTION(headroom_starts),
	CONGESTION(headroom_stops),
	CONGESTION(headroom_units),
	CONGESTION(stops),
	CONGESTION(fgfc_held),
	CONGESTION(fgfc_frames),
	CONGESTION(fgfc_refused),
	ROCE(pauses_sent),
	ROCE(pauses_received),
	ROCE(path_pauses),
	ROCE(path_resumes),
	ROCE(signals_forwarded),
	PATHS(choices),
	PATHS(choices_other),
	PATHS(choices_detour),
	PATHS(choices_held),
	PATHS(redirects),
	PATHS(folds),
	PATHS(reroute_acks),
	PATHS(fecn_marked),
	PATHS(becns),
	PATHS(credit_waits),
	PATHS_TIME(credit_wait_ps),
};

const size_t port_counter_count = COUNT_OF(port_counters);

const struct counter_name class_counters[] = {
	CLASS_COUNTER(queue_bytes, QUANTITY_BYTES),
	CLASS_COUNTER(queue_bytes_max, QUANTITY_BYTES),
	CLASS_COUNTER(tx_packets_measured, QUANTITY_COUNT),
	CLASS_COUNTER(tx_bytes_measured, QUANTITY_BYTES),
	CLASS_COUNTER(delay_ns_max, QUANTITY_COUNT),
	CLASS_COUNTER(drops, QUANTITY_COUNT),
	CLASS_COUNTER(marked, QUANTITY_COUNT),
	CLASS_COUNTER(input_bytes, QUANTITY_BYTES),
	CLASS_COUNTER(input_bytes_max, QUANTITY_BYTES),
	CLASS_COUNTER(headroom_bytes_max, QUANTITY_BYTES),
	CLASS_COUNTER(paused_ps, QUANTITY_TIME),
	CLASS_MOMENT(paused_since_ps),
	CLASS_MOMENT(xoff_since_ps),
	CLASS_MOMENT(xoff_first_ps),
	CLASS_COUNTER(stuck, QUANTITY_COUNT),
	CLASS_COUNTER(state, QUANTITY_COUNT),
	CLASS_COUNTER(state_max, QUANTITY_COUNT),
	CLASS_MOMENT(ecn_failed_ps),
	CLASS_MOMENT(cnp_failed_ps),
	CLASS_COUNTER(cnps_seen, QUANTITY_COUNT),
	CLASS_COUNTER(cnps_supplemented, QUANTITY_COUNT),
	CLASS_COUNTER(signals_pause, QUANTITY_COUNT),
	CLASS_COUNTER(signals_resume, QUANTITY_COUNT),
};

const size_t class_counter_count = COUNT_OF(class_counters);

static const struct counter_name node_counters[] = {
	NODE_COUNTER(injected_packets, QUANTITY_COUNT),
	NODE_COUNTER(injected_bytes, QUANTITY_BYTES),
	NODE_COUNTER(delivered_packets, QUANTITY_COUNT),
	NODE_COUNTER(delivered_bytes, QUANTITY_BYTES),
	NODE_COUNTER(inside_packets, QUANTITY_COUNT),
	NODE_COUNTER(inside_bytes, QUANTITY_BYTES),
	NODE_COUNTER(flow_tx_count, QUANTITY_COUNT),
	NODE_COUNTER(flow_rx_count, QUANTITY_COUNT),
	NODE_COUNTER(message_count, QUANTITY_COUNT),
	NODE_COUNTER(events, QUANTITY_COUNT),
	NODE_COUNTER(data_hops, QUANTITY_COUNT),
};

/* the node whose name and a dot begin @word; of several the longest name (names may contain
 * dots) */
static const struct node_config *node_at(const struct plan *plan, const char *word)
{
	const struct node_config *found = NULL;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		size_t length = strlen(plan->nodes[i].name);

		if (!strncmp(plan->nodes[i].name, word, length) && word[length] == '.' &&
		    (!found || length > strlen(found->name)))
			found = &plan->nodes[i];
	}
	return found;
}

static int counter_find(const struct counter_name *names, size_t count, const char *word,
			struct counter *counter, char *why, size_t why_max)
{
	char hint[WORD_MAX];
	size_t length;

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(names[i].name, word)) {
			counter->offset = names[i].offset;
			counter->kind = names[i].kind;
			return 0;
		}
	}
	suggest_sentence(word, &names[0].name, count, sizeof(names[0]), hint, sizeof(hint));
	length =
		(size_t)snprintf(why, why_max, "there is no counter '%s'%s; there are", word, hint);
	for (size_t i = 0; i < count && length < why_max; i++)
		length += (size_t)snprintf(why + length, why_max - length, " %s", names[i].name);
	return -EINVAL;
}

static int counter_parse(const struct plan *plan, const char *word, struct counter *counter,
			 char *why, size_t why_max)
{
	const struct node_config *node = node_at(plan, word);
	const char *rest, *dot;
	char port[WORD_MAX];

	*counter = (struct counter){ .now = !strcmp(word, "now"), .kind = QUANTITY_TIME };
	if (counter->now)
		return 0;
	if (!node) {
		snprintf(why, why_max,
			 "'%s' is neither 'now' nor NODE.PORT.COUNTER nor NODE.COUNTER", word);
		return -EINVAL;
	}
	counter->node = node->index;
	rest = word + strlen(node->name) + 1;
	dot = strrchr(rest, '.');
	if (!dot)
		return counter_find(node_counters, COUNT_OF(node_counters), rest, counter, why,
				    why_max);
	snprintf(port, sizeof(port), "%.*s", (int)(dot - rest), rest);
	counter->ports = port_name_find(node, port);
	if (!counter->ports) {
		snprintf(why, why_max,
			 "%s has no port '%s': give a number below %u or the name of a peer",
			 node->name, port, node->port_count);
		return -EINVAL;
	}
	return counter_find(port_counters, port_counter_count, dot + 1, counter, why, why_max);
}

static const char *spaces_skip(const char *text)
{
	return text + strspn(text, " \t");
}

int condition_parse(const struct plan *plan, const char *text, struct condition *condition,
		    char *why, size_t why_max)
{
	static const struct {
		const char *text;
		bool less, equal, greater;
	} all[] = { { "==", false, true, false }, { "!=", true, false, true },
		    { "<=", true, true, false },  { ">=", false, true, true },
		    { "<", true, false, false },  { ">", false, false, true } };
	char word[WORD_MAX], reason[256];
	size_t length;
	int error;

	text = spaces_skip(text);
	length = strcspn(text, " \t=!<>");
	snprintf(word, sizeof(word), "%.*s", (int)length, text);
	*condition = (struct condition){ 0 };
	error = counter_parse(plan, word, &condition->counter, why, why_max);
	if (error)
		return error;
	text = spaces_skip(text + length);
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		if (strncmp(text, all[i].text, strlen(all[i].text)))
			continue;
		condition->less = all[i].less;
		condition->equal = all[i].equal;
		condition->greater = all[i].greater;
		text = spaces_skip(text + strlen(all[i].text));
		error = quantity_parse(condition->counter.kind, text, &condition->value, reason,
				       sizeof(reason));
		if (error)
			snprintf(why, why_max,
				 "%s is compared with a value that cannot be read: %s", word,
				 reason);
		return error;
	}
	snprintf(why, why_max, "after '%s' expected one of == != < <= > >= and a value", word);
	return -EINVAL;
}

static uint64_t counter_read(const struct counter *counter, struct stats_page *page,
			     node_time_t now)
{
	uint64_t sum = 0;

	if (counter->now)
		return now;
	if (!counter->ports)
		return *(const uint64_t *)((const char *)page + counter->offset);
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++) {
		if (counter->ports >> port & 1)
			sum += *(const uint64_t *)((const char *)stats_port(page, port) +
						   counter->offset);
	}
	return sum;
}

bool condition_holds(const struct condition *condition, struct stats_page *page, node_time_t now)
{
	uint64_t value = counter_read(&condition->counter, page, now);

	return value < condition->value   ? condition->less
	       : value > condition->value ? condition->greater
					  : condition->equal;
}
