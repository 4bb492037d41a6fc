/*  cmd_gen - `heddle gen KIND key=value...`: prints a complete scenario to start from (TB-10,
 *  TB-11). */
#include "orchestrator/cli/cmd_gen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/quantity.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/command/options.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/run/real_advice.h"
#include "orchestrator/scenario/generate_text.h"

/* a small fabric: the default of each count */
static const struct generate_size size_default = {
	.counts = { [GENERATE_HOSTS] = 8,
		    [GENERATE_SWITCHES] = 4,
		    [GENERATE_HOSTS_PER_SWITCH] = 3,
		    [GENERATE_HOSTS_PER_SIDE] = 4,
		    [GENERATE_LEAVES] = 4,
		    [GENERATE_HOSTS_PER_LEAF] = 4,
		    [GENERATE_SPINES] = 4,
		    [GENERATE_RADIX] = 4,
		    [GENERATE_SWITCHES_PER_GROUP] = 4,
		    [GENERATE_GLOBAL_LINKS] = 2 },
	.dimensions = 2,
	.shape = { 3, 3 },
};

static void kinds_print(FILE *out)
{
	for (unsigned kind = 0; kind < GENERATE_KINDS; kind++) {
		fprintf(out, "  %-11s", generate_kind_name[kind]);
		for (unsigned i = 0; i < GENERATE_COUNTS; i++)
			if (generate_needs(kind, i))
				fprintf(out, " %s=%u", generate_count_name[i],
					size_default.counts[i]);
			else if (generate_takes(kind, i))
				fprintf(out, " [%s=COUNT]", generate_count_name[i]);
		fprintf(out, "%s   %s\n", generate_has_shape(kind) ? " shape=3x3" : "",
			generate_kind_about[kind]);
	}
}

static int kind_parse(const char *word)
{
	char hint[SUGGEST_BYTES_MAX + 32];

	for (int i = 0; i < GENERATE_KINDS; i++)
		if (!strcmp(word, generate_kind_name[i]))
			return i;
	fprintf(stderr, "heddle gen: there is no topology '%s'%s\n", word,
		suggest_sentence(word, generate_kind_name, GENERATE_KINDS, sizeof(char *), hint,
				 sizeof(hint)));
	return -EINVAL;
}

/* a number of the command line; false after an error message */
static bool number_parse(const char *key, const char *text, uint32_t *number)
{
	struct why why;
	uint64_t value;

	if (quantity_parse(QUANTITY_COUNT, text, &value, &why)) {
		fprintf(stderr, "heddle gen: %s: %s\n", key, why.text);
		return false;
	}
	if (!value || value > NODE_COUNT_MAX) {
		fprintf(stderr, "heddle gen: %s: expected 1 to %d\n", key, NODE_COUNT_MAX);
		return false;
	}
	*number = (uint32_t)value;
	return true;
}

/* "3x3" */
static int shape_parse(const char *text, struct generate_size *size)
{
	const char *at = text;

	for (size->dimensions = 0; at && size->dimensions < GENERATE_DIMENSIONS_MAX;
	     size->dimensions++) {
		const char *x = strchr(at, 'x');
		char length[16];

		snprintf(length, sizeof(length), "%.*s", x ? (int)(x - at) : (int)strlen(at), at);
		if (!number_parse("shape", length, &size->shape[size->dimensions]))
			return -EINVAL;
		at = x ? x + 1 : NULL;
	}
	if (!at)
		return 0;
	fprintf(stderr, "heddle gen: shape: '%s' has more than %u dimensions\n", text,
		GENERATE_DIMENSIONS_MAX);
	return -EINVAL;
}

/* "hosts" alone */
static int value_missing(const char *key, const char *value)
{
	fprintf(stderr, "heddle gen: %s: expected %s=%s\n", key, key, value);
	return -EINVAL;
}

/* "hosts=8" */
static int size_parse(enum generate_kind kind, const char *text, struct generate_size *size)
{
	const char *equals = strchr(text, '=');
	const char *names[GENERATE_COUNTS + 1];
	char key[SUGGEST_BYTES_MAX], hint[SUGGEST_BYTES_MAX + 32];
	unsigned name_count = 0;

	snprintf(key, sizeof(key), "%.*s", equals ? (int)(equals - text) : (int)strlen(text), text);
	for (unsigned i = 0; i < GENERATE_COUNTS; i++) {
		if (!generate_takes(kind, i))
			continue;
		names[name_count++] = generate_count_name[i];
		if (!strcmp(key, generate_count_name[i])) {
			if (!equals)
				return value_missing(key, "N");
			return number_parse(key, equals + 1, &size->counts[i]) ? 0 : -EINVAL;
		}
	}
	if (generate_has_shape(kind)) {
		names[name_count++] = "shape";
		if (!strcmp(key, "shape"))
			return equals ? shape_parse(equals + 1, size) : value_missing(key, "3x3");
	}
	fprintf(stderr, "heddle gen: a %s takes no '%s'%s\n", generate_kind_name[kind], text,
		suggest_sentence(key, names, name_count, sizeof(char *), hint, sizeof(hint)));
	return -EINVAL;
}

/* "fabric=roce" */
static int fabric_parse(const char *word, enum fabric_kind *fabric)
{
	char hint[SUGGEST_BYTES_MAX + 32];

	for (int i = 0; i < FABRIC_KINDS; i++)
		if (!strcmp(word, scenario_fabric_name[i])) {
			*fabric = (enum fabric_kind)i;
			return 0;
		}
	fprintf(stderr, "heddle gen: fabric: expected %s, %s or %s, not '%s'%s\n",
		scenario_fabric_name[0], scenario_fabric_name[1], scenario_fabric_name[2], word,
		suggest_sentence(word, scenario_fabric_name, FABRIC_KINDS, sizeof(char *), hint,
				 sizeof(hint)));
	return -EINVAL;
}

/* Checks the text as `heddle check` does before it is printed.  @load  if not NULL, what it asks
 * for */
static int text_check(const char *text, size_t length, struct real_load *load)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	struct plan plan = { 0 };
	int error = scenario_read_memory("heddle gen", text, length, NULL, 0, &scenario, &errors);

	if (!error)
		error = plan_make(&scenario, &plan, &errors);
	if (!error && load)
		*load = real_load_of(&plan, false);
	scenario_errors_print(&errors, stderr);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	return error;
}

struct request {
	enum generate_kind kind;
	struct generate_size size;
	enum fabric_kind fabric;
	bool explicit_topology, real;
};

static int request_check(const struct request *request)
{
	const char *wrong = generate_check(request->kind, &request->size);
	struct generate_totals totals;

	if (wrong) {
		fprintf(stderr, "heddle gen: %s\n", wrong);
		return -EINVAL;
	}
	totals = generate_totals(request->kind, &request->size);
	if (totals.switches <= NODE_SWITCHES_MAX &&
	    totals.switches + totals.hosts <= NODE_COUNT_MAX)
		return 0;
	fprintf(stderr,
		"heddle gen: %llu switches and %llu hosts; a fabric has at most %d switches, and "
		"%d nodes\n",
		(unsigned long long)totals.switches, (unsigned long long)totals.hosts,
		NODE_SWITCHES_MAX, NODE_COUNT_MAX);
	return -EINVAL;
}

/* the scenario to *@text, to be freed, and what it asks for to @load */
static int text_make(const struct request *request, const struct generate_pace *pace, char **text,
		     size_t *length, struct real_load *load)
{
	FILE *memory = open_memstream(text, length);
	int error;

	if (!memory)
		return -ENOMEM;
	error = generate_text(request->kind, &request->size, request->fabric,
			      request->explicit_topology, pace, memory);
	if (fclose(memory))
		error = -ENOMEM;
	return error ? error : text_check(*text, *length, load);
}

/* The first text tells what the second one asks for: paths, packets, and hosts that send. */
static int real_make(const struct request *request, char **text, size_t *length)
{
	struct generate_pace pace = { .duration = "5s", .warmup = "1s", .drain_max = "10s" };
	struct calibration calibration;
	struct real_settings settings;
	struct real_load load = { 0 };
	char source[160];
	int error = text_make(request, NULL, text, length, &load);

	free(*text);
	*text = NULL;
	if (error)
		return error;
	calibration_load(&calibration);
	settings = real_settings(&calibration, &load);
	memcpy(pace.rate, settings.rate, sizeof(pace.rate));
	memcpy(pace.bottleneck, settings.half_rate, sizeof(pace.bottleneck));
	memcpy(pace.delay, settings.delay, sizeof(pace.delay));
	memcpy(pace.buffer,
	       request->fabric == FABRIC_ROCE ? settings.shared_buffer : settings.buffer,
	       sizeof(pace.buffer));
	fprintf(stderr, "heddle gen: rates and delays are what this machine carries, %s\n",
		calibration_source(&calibration, source));
	return text_make(request, &pace, text, length, NULL);
}

static int print_scenario(const struct request *request)
{
	char *text = NULL;
	size_t length;
	int error = request_check(request);

	if (!error)
		error = request->real ? real_make(request, &text, &length)
				      : text_make(request, NULL, &text, &length, NULL);
	if (!error)
		fwrite(text, 1, length, stdout); /* main() checks standard output */
	free(text);
	return error;
}

#define AT(member) offsetof(struct request, member)

static const struct option_row options[] = {
	OPTION_FLAG("--explicit", AT(explicit_topology), "writes every switch, host and link"),
	OPTION_FLAG("--real", AT(real),
		    "for the real clock: rates and delays that this machine carries ('heddle "
		    "calibrate')"),
};

static const struct command_words words = {
	"gen",
	"usage: heddle gen KIND [--explicit] [--real] [fabric=KIND] [KEY=COUNT]... "
	"[shape=LENGTHxLENGTH...]\n"
	"Prints a complete, commented scenario.\n"
	"fabric=roce makes the fabric one of RoCEv2 with PFC and DCQCN instead of flow channels, "
	"fabric=port-group\n"
	"one of local identifiers, port groups and credits.\n",
	"exit status: 0 fine, 2 wrong usage\n",
	OPTIONS(options),
	OPERANDS("KIND", 1, 0),
	.more_print = kinds_print,
};

int cmd_gen(int argc, char **argv)
{
	struct request request = { .size = size_default, .fabric = FABRIC_FLOW_CHANNEL };
	int kind, error, count, status = options_read(&words, argc, argv, &request, &count);

	if (status >= 0)
		return status;
	kind = kind_parse(argv[1]);
	for (int i = 2; i <= count && kind >= 0; i++) {
		if (!strncmp(argv[i], "fabric=", 7))
			kind = fabric_parse(argv[i] + 7, &request.fabric) ? -EINVAL : kind;
		else if (size_parse((enum generate_kind)kind, argv[i], &request.size))
			kind = -EINVAL;
	}
	if (kind < 0)
		return EXIT_USAGE;
	request.kind = (enum generate_kind)kind;
	error = print_scenario(&request);
	if (error && error != -EINVAL)
		fprintf(stderr, "heddle gen: %s\n", strerror(-error));
	return !error ? 0 : error == -EINVAL ? EXIT_USAGE : EXIT_NODE;
}
