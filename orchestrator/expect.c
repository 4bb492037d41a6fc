#include "orchestrator/expect.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/human.h"
#include "orchestrator/port_name.h"
#include "orchestrator/quantity.h"
#include "orchestrator/suggest.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define WORD_MAX 128u

enum arguments { NOTHING, MAYBE_WORKLOAD, MAYBE_REASON, WORKLOAD_OR_HOSTS, HOSTS, PORT };

enum shown_as { AS_COUNT, AS_BYTES, AS_TIME, AS_RATE, AS_PERCENT, AS_RATIO };

struct expectation;

/* Return: false if there is no such value. */
typedef bool value_fn(const struct expectation *e, const struct plan *plan, const struct results *results,
		      double *value);

struct metric {
	const char *name;
	enum quantity_kind kind;
	enum arguments arguments;
	enum shown_as shown_as;
	value_fn *value;
	size_t offset; /* of the field that the function looks at */
};

enum comparison { EQUAL, NOT_EQUAL, LESS_EQUAL, GREATER_EQUAL, LESS, GREATER };

struct expectation {
	const struct metric *metric;
	bool has_workload, has_reason, has_hosts;
	uint32_t workload, reason, source, destination, node;
	uint64_t ports; /* set */
	enum comparison comparison;
	uint64_t target; /* in the metric's unit */
	uint64_t tolerance;
	bool tolerance_relative; /* tolerance is a share of the target */
};

/* where a text could not be understood */
struct complaint {
	size_t offset;
	char sentence[512];
};

struct parser {
	const struct plan *plan;
	const char *text;
	size_t at;
	struct complaint *complaint;
};

static bool parse(const struct plan *plan, const char *text, struct expectation *e, struct complaint *complaint);
static bool fulfilled(const struct expectation *e, double value);
static void show(const struct metric *metric, double value, char *shown, size_t shown_max);

int expect_check(const struct plan *plan, const struct scenario_text *text, struct scenario_errors *errors)
{
	struct complaint complaint = { 0 };
	struct expectation e;

	if (parse(plan, text->text, &e, &complaint))
		return 0;
	scenario_errors_add(errors, plan->file, text->line, text->column + (int)complaint.offset, "%s",
			    complaint.sentence);
	return -EINVAL;
}

int expect_evaluate(const struct plan *plan, struct results *results)
{
	results->expectations = calloc(plan->expectation_count + 1, sizeof(*results->expectations));
	if (!results->expectations)
		return -ENOMEM;
	results->expectation_count = plan->expectation_count;
	for (uint32_t i = 0; i < plan->expectation_count; i++) {
		struct result_expectation *row = &results->expectations[i];
		struct complaint complaint;
		struct expectation e;

		row->text = plan->expectations[i].text;
		snprintf(row->shown, sizeof(row->shown), "no value");
		if (!parse(plan, row->text, &e, &complaint))
			continue;
		row->known = e.metric->value(&e, plan, results, &row->value);
		if (!row->known)
			continue;
		row->ok = fulfilled(&e, row->value);
		show(e.metric, row->value, row->shown, sizeof(row->shown));
	}
	return 0;
}

uint32_t expect_failed(const struct results *results)
{
	uint32_t failed = 0;

	for (uint32_t i = 0; i < results->expectation_count; i++)
		failed += !results->expectations[i].ok;
	return failed;
}

/* ---- values ---- */

static const struct result_group *group_of(const struct expectation *e, const struct results *results)
{
	return e->has_workload ? &results->groups[e->workload] : &results->all;
}

static bool value_total(const struct expectation *e, const struct plan *plan, const struct results *results,
			double *value)
{
	(void)plan;
	*value = (double)*(const uint64_t *)((const char *)&results->totals + e->metric->offset);
	return true;
}

static bool value_inside(const struct expectation *e, const struct plan *plan, const struct results *results,
			 double *value)
{
	(void)e, (void)plan;
	*value = (double)results->totals.inside_bytes;
	return true;
}

static bool value_delivered(const struct expectation *e, const struct plan *plan, const struct results *results,
			    double *value)
{
	(void)e, (void)plan;
	if (!results->totals.injected_bytes)
		return false;
	*value = (double)results->totals.delivered_bytes / (double)results->totals.injected_bytes;
	return true;
}

static bool value_drops(const struct expectation *e, const struct plan *plan, const struct results *results,
			double *value)
{
	uint64_t sum = 0;

	(void)plan;
	for (uint32_t reason = 0; reason < DROP_REASONS; reason++) {
		if (!e->has_reason || e->reason == reason)
			sum += results->drops[reason];
	}
	*value = (double)sum;
	return true;
}

static bool value_jain(const struct expectation *e, const struct plan *plan, const struct results *results,
		       double *value)
{
	(void)plan;
	*value = group_of(e, results)->jain;
	return group_of(e, results)->goodput_bps != 0;
}

static bool value_flows(const struct expectation *e, const struct plan *plan, const struct results *results,
			double *value)
{
	(void)plan;
	*value = (double)group_of(e, results)->flow_count;
	return true;
}

static bool value_messages(const struct expectation *e, const struct plan *plan, const struct results *results,
			   double *value)
{
	(void)plan;
	*value = (double)group_of(e, results)->message_count;
	return true;
}

/* what went from host @source (any, if UINT32_MAX) to host @destination in the measured interval */
static uint64_t measured_bytes(const struct results *results, uint32_t source, uint32_t destination)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < results->flow_count; i++) {
		if (results->flows[i].destination == destination &&
		    (source == UINT32_MAX || results->flows[i].source == source))
			sum += results->flows[i].measured_bytes;
	}
	return sum;
}

static bool value_goodput(const struct expectation *e, const struct plan *plan, const struct results *results,
			  double *value)
{
	(void)plan;
	*value = (double)group_of(e, results)->goodput_bps;
	if (e->has_hosts && results->measured_ps)
		*value = (double)(uint64_t)((unsigned __int128)measured_bytes(results, e->source, e->destination) * 8 *
					    NODE_S / results->measured_ps);
	return results->measured_ps != 0;
}

static bool value_share(const struct expectation *e, const struct plan *plan, const struct results *results,
			double *value)
{
	uint64_t all = measured_bytes(results, UINT32_MAX, e->destination);

	(void)plan;
	if (!all)
		return false;
	*value = (double)measured_bytes(results, e->source, e->destination) / (double)all;
	return true;
}

static bool value_fct(const struct expectation *e, const struct plan *plan, const struct results *results,
		      double *value)
{
	const struct result_group *group = group_of(e, results);

	(void)plan;
	*value = (double)*(const node_time_t *)((const char *)&group->fct + e->metric->offset);
	return *value > 0;
}

static bool value_slowdown(const struct expectation *e, const struct plan *plan, const struct results *results,
			   double *value)
{
	const struct result_group *group = group_of(e, results);

	(void)plan;
	*value = *(const double *)((const char *)&group->slowdown + e->metric->offset);
	return *value > 0;
}

/* sum or largest of what @pick finds at the ports of @e */
static double over_ports(const struct expectation *e, const struct plan *plan, const struct results *results,
			 double (*pick)(const struct result_port *), bool largest)
{
	double result = 0;
	uint32_t count = 0;

	for (uint32_t port = 0; port < plan->nodes[e->node].port_count; port++) {
		double value;

		if (!(e->ports >> port & 1))
			continue;
		value = pick(results_port(plan, results, e->node, port));
		result = largest ? (value > result ? value : result) : result + value;
		count++;
	}
	return largest || !count ? result : result / count;
}

static double pick_utilisation(const struct result_port *port)
{
	return port->utilisation;
}

static double pick_queue_max(const struct result_port *port)
{
	return (double)port->stats.queue_bytes_max;
}

static double pick_queue_mean(const struct result_port *port)
{
	return port->queue_bytes_mean;
}

static bool value_utilisation(const struct expectation *e, const struct plan *plan, const struct results *results,
			      double *value)
{
	*value = over_ports(e, plan, results, pick_utilisation, false);
	return results->measured_ps != 0;
}

static bool value_queue_max(const struct expectation *e, const struct plan *plan, const struct results *results,
			    double *value)
{
	*value = over_ports(e, plan, results, pick_queue_max, true);
	return true;
}

static bool value_queue_mean(const struct expectation *e, const struct plan *plan, const struct results *results,
			     double *value)
{
	*value = over_ports(e, plan, results, pick_queue_mean, false);
	return results->measured_ps != 0;
}

#define TOTAL(field) value_total, offsetof(struct result_totals, field)
#define FCT(field) value_fct, offsetof(struct result_times, field)
#define SLOWDOWN(field) value_slowdown, offsetof(struct result_slowdowns, field)

static const struct metric metrics[] = {
	{ "lost", QUANTITY_COUNT, NOTHING, AS_COUNT, TOTAL(lost) },
	{ "reordered", QUANTITY_COUNT, NOTHING, AS_COUNT, TOTAL(reordered) },
	{ "inside", QUANTITY_BYTES, NOTHING, AS_BYTES, value_inside, 0 },
	{ "channels", QUANTITY_COUNT, NOTHING, AS_COUNT, TOTAL(channels_used) },
	{ "waits", QUANTITY_COUNT, NOTHING, AS_COUNT, TOTAL(channel_waits) },
	{ "loss_reports", QUANTITY_COUNT, NOTHING, AS_COUNT, TOTAL(loss_reports) },
	{ "delivered", QUANTITY_SHARE, NOTHING, AS_PERCENT, value_delivered, 0 },
	{ "delivered_bytes", QUANTITY_BYTES, NOTHING, AS_BYTES, TOTAL(delivered_bytes) },
	{ "injected_bytes", QUANTITY_BYTES, NOTHING, AS_BYTES, TOTAL(injected_bytes) },
	{ "drops", QUANTITY_COUNT, MAYBE_REASON, AS_COUNT, value_drops, 0 },
	{ "messages", QUANTITY_COUNT, MAYBE_WORKLOAD, AS_COUNT, value_messages, 0 },
	{ "flows", QUANTITY_COUNT, MAYBE_WORKLOAD, AS_COUNT, value_flows, 0 },
	{ "jain", QUANTITY_SHARE, MAYBE_WORKLOAD, AS_RATIO, value_jain, 0 },
	{ "goodput", QUANTITY_RATE, WORKLOAD_OR_HOSTS, AS_RATE, value_goodput, 0 },
	{ "share", QUANTITY_SHARE, HOSTS, AS_PERCENT, value_share, 0 },
	{ "utilisation", QUANTITY_SHARE, PORT, AS_PERCENT, value_utilisation, 0 },
	{ "queue.max", QUANTITY_BYTES, PORT, AS_BYTES, value_queue_max, 0 },
	{ "queue.mean", QUANTITY_BYTES, PORT, AS_BYTES, value_queue_mean, 0 },
	{ "fct.p50", QUANTITY_TIME, MAYBE_WORKLOAD, AS_TIME, FCT(p50_ps) },
	{ "fct.p99", QUANTITY_TIME, MAYBE_WORKLOAD, AS_TIME, FCT(p99_ps) },
	{ "fct.p999", QUANTITY_TIME, MAYBE_WORKLOAD, AS_TIME, FCT(p999_ps) },
	{ "slowdown.p50", QUANTITY_SHARE, MAYBE_WORKLOAD, AS_RATIO, SLOWDOWN(p50) },
	{ "slowdown.p99", QUANTITY_SHARE, MAYBE_WORKLOAD, AS_RATIO, SLOWDOWN(p99) },
	{ "slowdown.p999", QUANTITY_SHARE, MAYBE_WORKLOAD, AS_RATIO, SLOWDOWN(p999) },
};

static double target_of(const struct metric *metric, uint64_t value)
{
	return metric->kind == QUANTITY_SHARE ? (double)value / (double)QUANTITY_SHARE_ONE : (double)value;
}

static bool fulfilled(const struct expectation *e, double value)
{
	double target = target_of(e->metric, e->target);
	double tolerance = e->tolerance_relative ? target * ((double)e->tolerance / (double)QUANTITY_SHARE_ONE)
						 : target_of(e->metric, e->tolerance);
	double distance = value > target ? value - target : target - value;

	switch (e->comparison) {
	case EQUAL:
		return distance <= tolerance;
	case NOT_EQUAL:
		return distance > tolerance;
	case LESS:
		return value < target + tolerance;
	case LESS_EQUAL:
		return value <= target + tolerance;
	case GREATER:
		return value > target - tolerance;
	case GREATER_EQUAL:
		return value >= target - tolerance;
	}
	return false;
}

static void show(const struct metric *metric, double value, char *shown, size_t shown_max)
{
	char text[HUMAN_TEXT_MAX];

	switch (metric->shown_as) {
	case AS_COUNT:
		snprintf(shown, shown_max, "%.0f", value);
		break;
	case AS_BYTES:
		if (value < 0)
			snprintf(shown, shown_max, "%.0f B", value);
		else
			snprintf(shown, shown_max, "%s", human_bytes((uint64_t)value, text));
		break;
	case AS_TIME:
		snprintf(shown, shown_max, "%s", human_time((node_time_t)value, text));
		break;
	case AS_RATE:
		snprintf(shown, shown_max, "%s", human_rate((uint64_t)value, text));
		break;
	case AS_PERCENT:
		snprintf(shown, shown_max, "%.4g %%", value * 100);
		break;
	case AS_RATIO:
		snprintf(shown, shown_max, "%.5g", value);
		break;
	}
}

/* ---- parsing ---- */

static bool __attribute__((format(printf, 3, 4)))
complain(struct parser *parser, size_t offset, const char *format, ...)
{
	va_list arguments;

	parser->complaint->offset = offset;
	va_start(arguments, format);
	vsnprintf(parser->complaint->sentence, sizeof(parser->complaint->sentence), format, arguments);
	va_end(arguments);
	return false;
}

static void skip_spaces(struct parser *parser)
{
	while (parser->text[parser->at] == ' ' || parser->text[parser->at] == '\t')
		parser->at++;
}

/* takes text up to one of @ends, without spaces around it; its place goes to @offset */
static void take_word(struct parser *parser, const char *ends, char word[WORD_MAX], size_t *offset)
{
	size_t length;

	skip_spaces(parser);
	*offset = parser->at;
	length = strcspn(parser->text + parser->at, ends);
	parser->at += length;
	while (length && isspace((unsigned char)parser->text[*offset + length - 1]))
		length--;
	snprintf(word, WORD_MAX, "%.*s", (int)length, parser->text + *offset);
}

static bool parse_metric(struct parser *parser, struct expectation *e)
{
	char word[WORD_MAX], hint[WORD_MAX];
	size_t offset;

	take_word(parser, " \t(=!<>", word, &offset);
	if (!word[0])
		return complain(parser, offset,
				"an expectation begins with a metric, such as 'lost == 0' or "
				"'jain(NAME) >= 0.999'");
	for (size_t i = 0; i < COUNT_OF(metrics); i++) {
		if (!strcmp(metrics[i].name, word)) {
			e->metric = &metrics[i];
			return true;
		}
	}
	suggest_sentence(word, &metrics[0].name, COUNT_OF(metrics), sizeof(metrics[0]), hint, sizeof(hint));
	return complain(parser, offset, "there is no metric '%s'%s%s", word, hint,
			hint[0] ? "" : "; the metrics are listed in docs/scenario.md");
}

/* complains that there is no @what called @word; @names are those that there are, @stride bytes apart */
static bool complain_name(struct parser *parser, size_t offset, const char *what, const char *word, const char *names,
			  size_t count, size_t stride)
{
	const char **words = calloc(count + 1, sizeof(*words));
	char hint[WORD_MAX] = "";

	for (size_t i = 0; words && i < count; i++)
		words[i] = names + i * stride;
	if (words)
		suggest_sentence(word, words, count, sizeof(*words), hint, sizeof(hint));
	free(words);
	return complain(parser, offset, "there is no %s '%s'%s", what, word, hint);
}

static bool find_workload(struct parser *parser, size_t offset, const char *word, uint32_t *workload)
{
	const struct plan *plan = parser->plan;

	for (*workload = 0; *workload < plan->workload_count; ++*workload) {
		if (!strcmp(plan->workloads[*workload].name, word))
			return true;
	}
	return complain_name(parser, offset, "workload", word, plan->workload_count ? plan->workloads[0].name : NULL,
			     plan->workload_count, sizeof(*plan->workloads));
}

static bool find_host(struct parser *parser, size_t offset, const char *word, uint32_t *host)
{
	const struct node_config *nodes = parser->plan->nodes + parser->plan->switch_count;

	for (*host = 0; *host < parser->plan->host_count; ++*host) {
		if (!strcmp(nodes[*host].name, word))
			return true;
	}
	return complain_name(parser, offset, "host", word, parser->plan->host_count ? nodes[0].name : NULL,
			     parser->plan->host_count, sizeof(*nodes));
}

static bool find_reason(struct parser *parser, size_t offset, const char *word, uint32_t *reason)
{
	char hint[WORD_MAX];

	for (*reason = 0; *reason < DROP_REASONS; ++*reason) {
		if (!strcmp(stats_drop_name[*reason], word))
			return true;
	}
	suggest_sentence(word, stats_drop_name, DROP_REASONS, sizeof(stats_drop_name[0]), hint, sizeof(hint));
	return complain(parser, offset, "there is no reason to drop called '%s'%s", word, hint);
}

static bool find_port(struct parser *parser, size_t offset, const char *word, struct expectation *e)
{
	char node[WORD_MAX];
	const char *colon = strchr(word, ':');
	const struct node_config *found;

	if (!colon)
		return complain(parser, offset,
				"a port is written node:peer or node:number, such as 's1:s2' or 's1:p3', "
				"not '%s'",
				word);
	snprintf(node, sizeof(node), "%.*s", (int)(colon - word), word);
	found = plan_node_find(parser->plan, node);
	if (!found)
		return complain_name(parser, offset, "switch or host", node, parser->plan->nodes[0].name,
				     parser->plan->node_count, sizeof(*parser->plan->nodes));
	e->node = found->index;
	e->ports = port_name_find(found, colon + 1);
	if (!e->ports)
		return complain(parser, offset + (size_t)(colon + 1 - word),
				"%s has no port '%s': give the name of a neighbour, or a number below %u", node,
				colon + 1, found->port_count);
	return true;
}

/* one or two arguments have been read; what do they mean for this metric? */
static bool resolve(struct parser *parser, struct expectation *e, char words[2][WORD_MAX], const size_t offsets[2])
{
	bool two = words[1][0] != 0;

	switch (e->metric->arguments) {
	case NOTHING:
		return complain(parser, offsets[0], "%s takes no argument", e->metric->name);
	case HOSTS:
		if (!two)
			return complain(parser, offsets[0], "%s takes two hosts: %s(source, destination)",
					e->metric->name, e->metric->name);
		break;
	case WORKLOAD_OR_HOSTS:
		break;
	default:
		if (two)
			return complain(parser, offsets[1], "%s takes one argument", e->metric->name);
		break;
	}
	e->has_hosts = two;
	e->has_reason = e->metric->arguments == MAYBE_REASON;
	e->has_workload = !two && (e->metric->arguments == MAYBE_WORKLOAD || e->metric->arguments == WORKLOAD_OR_HOSTS);
	if (e->has_hosts)
		return find_host(parser, offsets[0], words[0], &e->source) &&
		       find_host(parser, offsets[1], words[1], &e->destination);
	if (e->has_reason)
		return find_reason(parser, offsets[0], words[0], &e->reason);
	if (e->has_workload)
		return find_workload(parser, offsets[0], words[0], &e->workload);
	return find_port(parser, offsets[0], words[0], e);
}

static bool parse_arguments(struct parser *parser, struct expectation *e)
{
	char words[2][WORD_MAX] = { "", "" };
	size_t offsets[2] = { 0, 0 }, open;

	skip_spaces(parser);
	open = parser->at;
	if (parser->text[parser->at] != '(') {
		if (e->metric->arguments == HOSTS)
			return complain(parser, open, "%s needs two hosts: %s(source, destination)", e->metric->name,
					e->metric->name);
		if (e->metric->arguments == PORT)
			return complain(parser, open, "%s needs a port: %s(node:peer)", e->metric->name,
					e->metric->name);
		return true;
	}
	parser->at++;
	take_word(parser, ",)", words[0], &offsets[0]);
	if (parser->text[parser->at] == ',') {
		parser->at++;
		take_word(parser, ",)", words[1], &offsets[1]);
		if (!words[1][0])
			return complain(parser, offsets[1], "a name is missing behind the comma");
	}
	if (parser->text[parser->at] == ',')
		return complain(parser, parser->at, "%s takes fewer arguments", e->metric->name);
	if (parser->text[parser->at] != ')')
		return complain(parser, open, "this '(' is never closed");
	parser->at++;
	if (!words[0][0])
		return complain(parser, offsets[0], "a name is missing between the parentheses");
	return resolve(parser, e, words, offsets);
}

static bool parse_comparison(struct parser *parser, struct expectation *e)
{
	static const struct {
		const char *text;
		enum comparison comparison;
	} all[] = { { "==", EQUAL },         { "!=", NOT_EQUAL }, { "<=", LESS_EQUAL },
		    { ">=", GREATER_EQUAL }, { "<", LESS },       { ">", GREATER } };

	skip_spaces(parser);
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		size_t length = strlen(all[i].text);

		if (!strncmp(parser->text + parser->at, all[i].text, length)) {
			e->comparison = all[i].comparison;
			parser->at += length;
			return true;
		}
	}
	return complain(parser, parser->at, "here belongs one of == != < <= > >=");
}

static bool parse_tolerance(struct parser *parser, struct expectation *e)
{
	const char *text;
	char why[256];
	size_t length;

	skip_spaces(parser);
	text = parser->text + parser->at;
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	e->tolerance_relative = length && text[length - 1] == '%';
	if (quantity_parse(e->tolerance_relative ? QUANTITY_SHARE : e->metric->kind, text, &e->tolerance, why,
			   sizeof(why)))
		return complain(parser, parser->at, "the tolerance: %s", why);
	return true;
}

static bool parse_value(struct parser *parser, struct expectation *e)
{
	static const char *const marks[] = { "+-", "\xc2\xb1" };
	char word[WORD_MAX], why[256];
	const char *mark = NULL;
	size_t from;

	skip_spaces(parser);
	from = parser->at;
	for (size_t i = 0; i < COUNT_OF(marks) && !mark; i++) {
		mark = strstr(parser->text + from, marks[i]);
		parser->at = mark ? (size_t)(mark - parser->text) + strlen(marks[i]) : parser->at;
	}
	snprintf(word, sizeof(word), "%.*s", mark ? (int)(mark - parser->text - (long)from) : (int)sizeof(word),
		 parser->text + from);
	for (size_t end = strlen(word); end && isspace((unsigned char)word[end - 1]); end--)
		word[end - 1] = 0;
	if (!word[0])
		return complain(parser, from, "a value is missing here");
	if (quantity_parse(e->metric->kind, word, &e->target, why, sizeof(why)))
		return complain(parser, from, "%s is compared with a value that cannot be read: %s", e->metric->name,
				why);
	return !mark || parse_tolerance(parser, e);
}

static bool parse(const struct plan *plan, const char *text, struct expectation *e, struct complaint *complaint)
{
	struct parser parser = { .plan = plan, .text = text, .complaint = complaint };

	*e = (struct expectation){ 0 };
	return parse_metric(&parser, e) && parse_arguments(&parser, e) && parse_comparison(&parser, e) &&
	       parse_value(&parser, e);
}
