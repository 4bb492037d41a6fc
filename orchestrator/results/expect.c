#include "orchestrator/results/expect.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/port_name.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/results/metric.h"
#include "orchestrator/scenario/scenario_keys.h"

#define WORD_MAX 128u

enum comparison { EQUAL, NOT_EQUAL, LESS_EQUAL, GREATER_EQUAL, LESS, GREATER };

struct expectation {
	struct metric_subject subject;
	enum comparison comparison;
	uint64_t target; /* in the metric's unit */
	uint64_t tolerance;
	bool tolerance_relative; /* tolerance is a share of the target */
};

/* the place where a text was not understood */
struct complaint {
	size_t offset;
	char sentence[512];
};

struct parser {
	const struct plan *plan;
	/* not NULL: @plan has only names, of those sections that were read without an error */
	const struct scenario *early;
	const char *text;
	size_t at;
	struct complaint *complaint;
};

static bool parse(const struct plan *plan, const struct scenario *early, const char *text,
		  struct expectation *e, struct complaint *complaint);
static bool parse_only_metric(const struct plan *plan, const char *text, struct expectation *e,
			      struct complaint *complaint);
static bool parse_comparison(struct parser *parser, struct expectation *e);
static bool parse_value(struct parser *parser, struct expectation *e);
static bool fulfilled(const struct expectation *e, double value);
static double reached(const struct expectation *e, double value);

static bool value_of(struct expectation *e, const struct plan *plan, const struct results *results,
		     double *value)
{
	e->subject.plan = plan;
	e->subject.results = results;
	return e->subject.metric->value(&e->subject, value);
}

static int complaint_tell(const struct plan *plan, const struct scenario_text *text,
			  const struct complaint *complaint, struct scenario_errors *errors)
{
	char label[256];

	if (text->place.setting) {
		snprintf(label, sizeof(label), "--set %s",
			 plan->origin->settings[text->place.setting - 1]);
		scenario_errors_add(errors, label, 0, 0, "%s", complaint->sentence);
	} else {
		scenario_errors_add(errors, plan->file, text->place.line,
				    text->place.column + (int)complaint->offset, "%s",
				    complaint->sentence);
	}
	return -EINVAL;
}

int expect_check(const struct plan *plan, const struct scenario_text *text,
		 struct scenario_errors *errors)
{
	struct complaint complaint = { 0 };
	struct expectation e;

	return parse(plan, NULL, text->text, &e, &complaint)
		       ? 0
		       : complaint_tell(plan, text, &complaint, errors);
}

/* a plan with the names of @scenario and nothing else; false if memory is short */
static bool names_make(const struct scenario *scenario, struct plan *names)
{
	uint32_t node_count = scenario->switch_count + scenario->host_count;

	*names = (struct plan){
		.origin = scenario->origin,
		.switch_count = scenario->switch_count,
		.host_count = scenario->host_count,
		.node_count = node_count,
		.nodes = calloc(node_count + 1, sizeof(*names->nodes)), /* the first: below */
		.workload_count = scenario->workload_count,
		.workloads = calloc(scenario->workload_count, sizeof(*names->workloads)),
		.faults.count = scenario->fault_count,
	};
	if (!names->nodes || !names->workloads)
		return false;
	snprintf(names->file, sizeof(names->file), "%s", scenario->file);
	names->nodes[0].fabric = scenario->fabric;
	names->nodes[0].class_count = scenario->class_count;
	memcpy(names->nodes[0].classes, scenario->classes, sizeof(scenario->classes));
	for (uint32_t i = 0; i < node_count; i++)
		strcpy(names->nodes[i].name,
		       i < scenario->switch_count
			       ? scenario->switches[i].name
			       : scenario->hosts[i - scenario->switch_count].name);
	for (uint32_t i = 0; i < scenario->workload_count; i++)
		strcpy(names->workloads[i].name, scenario->workloads[i].name);
	return true;
}

void expect_check_early(const struct scenario *scenario, struct scenario_errors *errors)
{
	struct complaint complaint = { 0 };
	struct expectation e;
	struct plan names;
	bool made = names_make(scenario, &names);

	for (uint32_t i = 0; made && i < scenario->expectation_count; i++)
		if (!parse(&names, scenario, scenario->expectations[i].text, &e, &complaint))
			complaint_tell(&names, &scenario->expectations[i], &complaint, errors);
	free(names.nodes);
	free(names.workloads);
}

int expect_metric_check(const struct plan *plan, const struct scenario_text *text,
			struct scenario_errors *errors)
{
	struct complaint complaint = { 0 };
	struct expectation e;

	return parse_only_metric(plan, text->text, &e, &complaint)
		       ? 0
		       : complaint_tell(plan, text, &complaint, errors);
}

struct result_expectation expect_metric_evaluate(const struct plan *plan, const char *text,
						 const struct results *results)
{
	struct result_expectation row = { .text = text };
	struct complaint complaint;
	struct expectation e;

	if (parse_only_metric(plan, text, &e, &complaint))
		row.known = row.ok = value_of(&e, plan, results, &row.value);
	if (row.known)
		metric_show(e.subject.metric, row.value, row.shown, sizeof(row.shown));
	return row;
}

/* the metric that @text begins with, or NULL */
static const struct metric *metric_of(const char *text)
{
	size_t length = strcspn(text, " \t(=!<>");

	for (size_t i = 0; i < metric_count; i++)
		if (strlen(metric_table[i].name) == length &&
		    !memcmp(metric_table[i].name, text, length))
			return &metric_table[i];
	return NULL;
}

void expect_metric_show(const char *text, double value, char *shown, size_t shown_max)
{
	const struct metric *metric = metric_of(text);

	*shown = 0;
	if (metric)
		metric_show(metric, value, shown, shown_max);
}

const char *expect_value_text(const char *metric, double value, char *text)
{
	const struct metric *found = metric_of(metric);
	double one = found && found->kind == QUANTITY_SHARE ? (double)QUANTITY_SHARE_ONE : 1;

	if (!found)
		return NULL;
	return quantity_format(found->kind, value > 0 ? (uint64_t)(value * one + 0.5) : 0, text);
}

int expect_value_judge(const char *metric, double value, const char *comparison, bool *ok,
		       struct why *why)
{
	struct complaint complaint;
	struct parser parser = { .text = comparison, .complaint = &complaint };
	struct expectation e = { .subject.metric = metric_of(metric) };

	if (!e.subject.metric)
		return why_say(why, -EINVAL, "there is no metric '%.60s'", metric);
	if (!parse_comparison(&parser, &e) || !parse_value(&parser, &e))
		return why_say(why, -EINVAL, "%s", complaint.sentence);
	*ok = fulfilled(&e, value);
	return 0;
}

bool expect_speaks_of(const struct plan *plan, const char *metric)
{
	struct complaint complaint;
	struct expectation e;

	for (uint32_t i = 0; i < plan->expectation_count; i++) {
		if (parse(plan, NULL, plan->expectations[i].text, &e, &complaint) &&
		    !strcmp(e.subject.metric->name, metric))
			return true;
	}
	return false;
}

int expect_evaluate(const struct plan *plan, struct results *results)
{
	results->expectations = calloc(plan->expectation_count, sizeof(*results->expectations));
	if (!results->expectations)
		return -ENOMEM;
	results->expectation_count = plan->expectation_count;
	for (uint32_t i = 0; i < plan->expectation_count; i++) {
		struct result_expectation *row = &results->expectations[i];
		struct complaint complaint;
		struct expectation e;

		row->text = plan->expectations[i].text;
		snprintf(row->shown, sizeof(row->shown), "no value");
		if (!parse(plan, NULL, row->text, &e, &complaint))
			continue;
		row->known = value_of(&e, plan, results, &row->value);
		if (!row->known)
			continue;
		row->ok = fulfilled(&e, row->value);
		row->reached = row->ok ? 1 : reached(&e, row->value);
		metric_show(e.subject.metric, row->value, row->shown, sizeof(row->shown));
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

static double target_of(const struct metric *metric, uint64_t value)
{
	return metric->kind == QUANTITY_SHARE ? (double)value / (double)QUANTITY_SHARE_ONE
					      : (double)value;
}

static bool fulfilled(const struct expectation *e, double value)
{
	double target = target_of(e->subject.metric, e->target);
	double tolerance = e->tolerance_relative
				   ? target * ((double)e->tolerance / (double)QUANTITY_SHARE_ONE)
				   : target_of(e->subject.metric, e->tolerance);
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

/* of a value that does not fulfil @e */
static double reached(const struct expectation *e, double value)
{
	double target = target_of(e->subject.metric, e->target);

	if (value <= 0 || target <= 0)
		return 0;
	switch (e->comparison) {
	case GREATER:
	case GREATER_EQUAL:
		return value < target ? value / target : 1;
	case LESS:
	case LESS_EQUAL:
		return value > target ? target / value : 1;
	default:
		return 0;
	}
}

/* ---- parsing ---- */

static bool __attribute__((format(printf, 3, 4)))
complain(struct parser *parser, size_t offset, const char *format, ...)
{
	va_list arguments;

	parser->complaint->offset = offset;
	va_start(arguments, format);
	vsnprintf(parser->complaint->sentence, sizeof(parser->complaint->sentence), format,
		  arguments);
	va_end(arguments);
	return false;
}

static void skip_spaces(struct parser *parser)
{
	while (parser->text[parser->at] == ' ' || parser->text[parser->at] == '\t')
		parser->at++;
}

/* reads text up to one of @ends, without spaces around it; its place goes to @offset */
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
	e->subject.metric = metric_of(word);
	if (e->subject.metric)
		return true;
	suggest_sentence(word, &metric_table[0].name, metric_count, sizeof(metric_table[0]), hint,
			 sizeof(hint));
	return complain(parser, offset, "there is no metric '%s'%s%s", word, hint,
			hint[0] ? "" : "; the metrics are listed in docs/scenario.md");
}

/* reports that there is no @what called @word; @names are the known ones, @stride bytes apart */
static bool complain_name(struct parser *parser, size_t offset, const char *what, const char *word,
			  const char *names, size_t count, size_t stride)
{
	char hint[WORD_MAX];

	return complain(parser, offset, "there is no %s '%s'%s", what, word,
			key_name_hint(word, names, count, stride, hint, sizeof(hint)));
}

/* finds what @word, at @offset, names, for the subject of @e; false: it is not there, complained */
typedef bool find_fn(struct parser *parser, size_t offset, const char *word, struct expectation *e);

static bool find_workload(struct parser *parser, size_t offset, const char *word,
			  struct expectation *e)
{
	const struct plan *plan = parser->plan;
	uint32_t *workload = &e->subject.workload;

	e->subject.has_workload = true;
	if (parser->early && !parser->early->workloads_read)
		return true;
	for (*workload = 0; *workload < plan->workload_count; ++*workload) {
		if (!strcmp(plan->workloads[*workload].name, word))
			return true;
	}
	return complain_name(parser, offset, "workload", word,
			     plan->workload_count ? plan->workloads[0].name : NULL,
			     plan->workload_count, sizeof(*plan->workloads));
}

static bool find_host(struct parser *parser, size_t offset, const char *word, uint32_t *host)
{
	const struct node_config *nodes = parser->plan->nodes + parser->plan->switch_count;

	if (parser->early && !parser->early->topology_read)
		return true;
	for (*host = 0; *host < parser->plan->host_count; ++*host) {
		if (!strcmp(nodes[*host].name, word))
			return true;
	}
	return complain_name(parser, offset, "host", word,
			     parser->plan->host_count ? nodes[0].name : NULL,
			     parser->plan->host_count, sizeof(*nodes));
}

static bool find_source(struct parser *parser, size_t offset, const char *word,
			struct expectation *e)
{
	e->subject.has_hosts = true;
	return find_host(parser, offset, word, &e->subject.source);
}

static bool find_destination(struct parser *parser, size_t offset, const char *word,
			     struct expectation *e)
{
	return find_host(parser, offset, word, &e->subject.destination);
}

static bool find_reason(struct parser *parser, size_t offset, const char *word,
			struct expectation *e)
{
	uint32_t *reason = &e->subject.reason;
	char hint[WORD_MAX];

	e->subject.has_reason = true;
	for (*reason = 0; *reason < DROP_REASONS; ++*reason) {
		if (!strcmp(stats_drop_name[*reason], word))
			return true;
	}
	suggest_sentence(word, stats_drop_name, DROP_REASONS, sizeof(stats_drop_name[0]), hint,
			 sizeof(hint));
	return complain(parser, offset, "there is no drop reason called '%s'%s", word, hint);
}

static bool find_class(struct parser *parser, size_t offset, const char *word,
		       struct expectation *e)
{
	const struct node_config *node = &parser->plan->nodes[0];

	if (parser->early && !parser->early->classes_read)
		return true;
	for (uint32_t c = 0; c < node->class_count; c++) {
		if (strcmp(node->classes[c].name, word))
			continue;
		e->subject.has_class = true;
		e->subject.traffic_class = c;
		return true;
	}
	return complain_name(parser, offset, "class", word, node->classes[0].name,
			     node->class_count, sizeof(node->classes[0]));
}

/* a port, or a node for all its ports */
static bool find_place(struct parser *parser, size_t offset, const char *word,
		       struct expectation *e)
{
	char node[WORD_MAX];
	size_t length = strcspn(word, ":");
	const struct node_config *found;

	if (parser->early && !parser->early->topology_read)
		return true;
	snprintf(node, sizeof(node), "%.*s", (int)length, word);
	found = plan_node_find(parser->plan, node);
	if (!found)
		return complain_name(parser, offset, "switch or host", node,
				     parser->plan->nodes[0].name, parser->plan->node_count,
				     sizeof(*parser->plan->nodes));
	if (parser->early)
		return true;
	e->subject.node = found->index;
	e->subject.ports = word[length] ? port_name_find(found, word + length + 1)
					: UINT64_MAX >> (64 - found->port_count);
	if (!e->subject.ports)
		return complain(
			parser, offset + length + 1,
			"%s has no port '%s': give the name of a peer, or a number below %u", node,
			word + length + 1, found->port_count);
	return true;
}

static bool find_port(struct parser *parser, size_t offset, const char *word, struct expectation *e)
{
	if (strchr(word, ':'))
		return find_place(parser, offset, word, e);
	return complain(parser, offset,
			"a port is written node:peer or node:number, such as 's1:s2' or 's1:p3', "
			"not '%s'",
			word);
}

static bool find_fault(struct parser *parser, size_t offset, const char *word,
		       struct expectation *e)
{
	uint32_t count = parser->plan->faults.count;
	char *end;
	unsigned long number = strtoul(word, &end, 10);

	if (parser->early && !parser->early->faults_read)
		return true;
	if (!count)
		return complain(parser, offset, "there is no fault '%s': the scenario has none",
				word);
	if (*end || !number || number > count)
		return complain(parser, offset,
				"there is no fault '%s'; expected its number in the list, 1 to %u",
				word, count);
	e->subject.has_fault = true;
	e->subject.fault = (uint32_t)number - 1;
	return true;
}

/* how the arguments of a metric are found */
static const struct arguments {
	find_fn *one;            /* of a single argument; NULL: there is no such form */
	find_fn *first, *second; /* of two; NULL: the same */
	/* what is needed, and how it is written; NULL: the arguments may be missing */
	const char *needs, *form;
} arguments_of[] = {
	[METRIC_NOTHING] = { .one = NULL },
	[METRIC_MAYBE_WORKLOAD] = { .one = find_workload },
	[METRIC_MAYBE_REASON] = { .one = find_reason },
	[METRIC_WORKLOAD_OR_HOSTS] = { .one = find_workload,
				       .first = find_source,
				       .second = find_destination },
	[METRIC_HOSTS] = { NULL, find_source, find_destination, "two hosts",
			   "source, destination" },
	[METRIC_HOST] = { .one = find_destination, .needs = "a host", .form = "destination" },
	[METRIC_PORT] = { .one = find_port, .needs = "a port", .form = "node:peer" },
	[METRIC_MAYBE_PORT] = { .one = find_port },
	[METRIC_PORT_MAYBE_CLASS] = { find_port, find_port, find_class, "a port", "node:peer" },
	[METRIC_MAYBE_WHERE] = { .one = find_place },
	[METRIC_MAYBE_PLACE] = { .one = find_place, .first = find_place, .second = find_class },
	[METRIC_MAYBE_FAULT] = { .one = find_fault },
};

/* resolves the one or two arguments, as this metric requires */
static bool resolve(struct parser *parser, struct expectation *e, char words[2][WORD_MAX],
		    const size_t offsets[2])
{
	const struct arguments *takes = &arguments_of[e->subject.metric->arguments];
	const char *name = e->subject.metric->name;

	if (!takes->one && !takes->first)
		return complain(parser, offsets[0], "%s takes no argument", name);
	if (words[1][0])
		return takes->first ? takes->first(parser, offsets[0], words[0], e) &&
					      takes->second(parser, offsets[1], words[1], e)
				    : complain(parser, offsets[1], "%s takes one argument", name);
	return takes->one ? takes->one(parser, offsets[0], words[0], e)
			  : complain(parser, offsets[0], "%s takes %s: %s(%s)", name, takes->needs,
				     name, takes->form);
}

static bool parse_arguments(struct parser *parser, struct expectation *e)
{
	const struct arguments *takes = &arguments_of[e->subject.metric->arguments];
	const char *name = e->subject.metric->name;
	char words[2][WORD_MAX] = { "", "" };
	size_t offsets[2] = { 0, 0 }, open;

	skip_spaces(parser);
	open = parser->at;
	if (parser->text[parser->at] != '(') {
		if (takes->needs)
			return complain(parser, open, "%s needs %s: %s(%s)", name, takes->needs,
					name, takes->form);
		return true;
	}
	parser->at++;
	take_word(parser, ",)", words[0], &offsets[0]);
	if (parser->text[parser->at] == ',') {
		parser->at++;
		take_word(parser, ",)", words[1], &offsets[1]);
		if (!words[1][0])
			return complain(parser, offsets[1], "a name is missing after the comma");
	}
	if (parser->text[parser->at] == ',')
		return complain(parser, parser->at, "%s takes fewer arguments", name);
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
	return complain(parser, parser->at, "expected one of == != < <= > >=");
}

/* @word  the first @length bytes of @text at most, without spaces at their end.
 * Return: the length of it */
static size_t trimmed(const char *text, size_t length, char word[WORD_MAX])
{
	size_t end;

	snprintf(word, WORD_MAX, "%.*s", length < WORD_MAX ? (int)length : (int)WORD_MAX, text);
	for (end = strlen(word); end && isspace((unsigned char)word[end - 1]); end--)
		word[end - 1] = 0;
	return end;
}

static bool parse_tolerance(struct parser *parser, struct expectation *e)
{
	char text[WORD_MAX];
	struct why why;
	size_t length;

	skip_spaces(parser);
	length = trimmed(parser->text + parser->at, WORD_MAX, text);
	e->tolerance_relative = length && text[length - 1] == '%';
	if (quantity_parse(e->tolerance_relative ? QUANTITY_SHARE : e->subject.metric->kind, text,
			   &e->tolerance, &why))
		return complain(parser, parser->at, "the tolerance: %s", why.text);
	return true;
}

static bool parse_value(struct parser *parser, struct expectation *e)
{
	static const char *const marks[] = { "+-", "\xc2\xb1" };
	char word[WORD_MAX];
	struct why why;
	const char *mark = NULL;
	size_t from;

	skip_spaces(parser);
	from = parser->at;
	for (size_t i = 0; i < COUNT_OF(marks) && !mark; i++) {
		mark = strstr(parser->text + from, marks[i]);
		parser->at = mark ? (size_t)(mark - parser->text) + strlen(marks[i]) : parser->at;
	}
	if (!trimmed(parser->text + from, mark ? (size_t)(mark - parser->text) - from : WORD_MAX,
		     word))
		return complain(parser, from, "a value is missing here");
	if (quantity_parse(e->subject.metric->kind, word, &e->target, &why))
		return complain(parser, from, "%s is compared with a value that cannot be read: %s",
				e->subject.metric->name, why.text);
	return !mark || parse_tolerance(parser, e);
}

static bool parse(const struct plan *plan, const struct scenario *early, const char *text,
		  struct expectation *e, struct complaint *complaint)
{
	struct parser parser = {
		.plan = plan, .early = early, .text = text, .complaint = complaint
	};

	*e = (struct expectation){ 0 };
	return parse_metric(&parser, e) && parse_arguments(&parser, e) &&
	       parse_comparison(&parser, e) && parse_value(&parser, e);
}

static bool parse_only_metric(const struct plan *plan, const char *text, struct expectation *e,
			      struct complaint *complaint)
{
	struct parser parser = { .plan = plan, .text = text, .complaint = complaint };

	*e = (struct expectation){ 0 };
	if (!parse_metric(&parser, e) || !parse_arguments(&parser, e))
		return false;
	skip_spaces(&parser);
	return !text[parser.at] || complain(&parser, parser.at,
					    "expected the end of the metric: a column is a metric "
					    "such as 'goodput(NAME)'");
}
