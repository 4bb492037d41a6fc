#include "orchestrator/command/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/clock/places.h"
#include "orchestrator/base/output_names.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/base/utf8.h"

#define ROW_FIRST 256 /* getopt_long()'s value of the first row; values below are letters */
#define OPERAND 1     /* getopt_long()'s value of an operand */

int options_wrong(const char *command, const char *format, ...)
{
	char prefix[32];
	va_list arguments;

	fflush(stdout);
	snprintf(prefix, sizeof(prefix), "heddle %s: ", command);
	va_start(arguments, format);
	utf8_say(stderr, prefix, format, arguments);
	va_end(arguments);
	return EXIT_USAGE;
}

/* ---- help ---- */

void (*options_help_hook)(const struct command_words *command);

/* "-f, --fabric FABRIC".  Return: its length */
static int title_write(const struct option_row *row, char *out, size_t out_max)
{
	char letter[] = { '-', row->letter, ',', ' ', 0 };

	return snprintf(out, out_max, "%s%s%s%s", row->letter ? letter : "", row->name,
			row->argument ? " " : "", row->argument ? row->argument : "");
}

static void help_print(const struct command_words *command)
{
	char title[64];
	int width = 0;

	for (unsigned i = 0; i < command->option_count; i++) {
		int length = title_write(&command->options[i], title, sizeof(title));

		width = length > width ? length : width;
	}
	printf("%s\n", command->usage);
	for (unsigned i = 0; i < command->option_count; i++) {
		const char *line = command->options[i].help;
		size_t length;

		title_write(&command->options[i], title, sizeof(title));
		for (; *line; line += length + (line[length] == '\n')) {
			length = strcspn(line, "\n");
			printf("  %-*s  %.*s\n", width, title, (int)length, line);
			title[0] = 0;
		}
	}
	if (command->more_print)
		command->more_print(stdout);
	printf("%s%s", command->option_count || command->more_print ? "\n" : "", command->more);
}

/* ---- one option ---- */

static const struct option_word *word_find(const struct option_row *row, const char *value)
{
	for (const struct option_word *word = row->words; word->name; word++)
		if (!strcmp(word->name, value))
			return word;
	return NULL;
}

static int word_unknown(const char *command, const struct option_row *row, const char *value)
{
	char list[128] = "", hint[128];
	size_t used = 0;
	unsigned count = 0;

	for (; row->words[count].name; count++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 !count                       ? ""
					 : row->words[count + 1].name ? ", "
								      : " or ",
					 row->words[count].name);
	suggest_sentence(value, &row->words[0].name, count, sizeof(row->words[0]), hint,
			 sizeof(hint));
	return options_wrong(command, "%s takes %s, not '%s'%s", row->name, list, value, hint);
}

static int value_take(const char *command, const struct option_row *row, void *to,
		      const char *value)
{
	void *field = (char *)to + row->field;

	if (row->words && !word_find(row, value))
		return word_unknown(command, row, value);
	if (row->take)
		return row->take(command, row, field, value);
	if (row->argument)
		*(const char **)field = value;
	else
		*(bool *)field = true;
	return 0;
}

static int unknown(const struct command_words *command, const char *word)
{
	char name[64], hint[128] = "";

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	if (name[1] == '-')
		suggest_sentence(name, &command->options[0].name, command->option_count,
				 sizeof(command->options[0]), hint, sizeof(hint));
	return options_wrong(command->name,
			     "there is no option %s%s; 'heddle %s --help' lists them", name, hint,
			     command->name);
}

/* handles the option with getopt_long()'s value @found, in @word; a rejected one is in optopt */
static int option_take(const struct command_words *command, int found, const char *word,
		       char **next, int operands, void *to)
{
	int sought = found == '?' || found == ':' ? optopt : found;
	const struct option_row *row = NULL;
	const char *value = optarg;

	for (unsigned i = 0; i < command->option_count; i++)
		if (sought == ROW_FIRST + (int)i)
			row = &command->options[i];
	if (!row || (word[1] == '-' && strcspn(word, "=") != strlen(row->name)))
		return unknown(command, word);
	if (found == '?')
		return options_wrong(command->name, "%s takes no value", row->name);
	if (found == ':')
		return options_wrong(command->name, "%s needs a value: %s", row->name,
				     row->argument);
	if (!value && row->takes_next && *next && row->takes_next(*next, operands)) {
		value = *next;
		optind++;
	}
	return value_take(command->name, row, to, value ? value : row->otherwise);
}

/* ---- all words ---- */

/* the table for getopt_long(); @letters has 2 * OPTIONS_MAX + 8 bytes */
static void table_make(const struct command_words *command, struct option *longs, char *letters)
{
	assert(command->option_count <= OPTIONS_MAX);
	letters += sprintf(letters, "%c:h", command->program ? '+' : '-');
	for (unsigned i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];
		char letter = row->name[1] == '-' ? row->letter : row->name[1];

		if (letter)
			letters += sprintf(letters, row->argument ? "%c:" : "%c", letter);
		if (row->name[1] == '-')
			*longs++ = (struct option){ row->name + 2,
						    !row->argument   ? no_argument
						    : row->otherwise ? optional_argument
								     : required_argument,
						    NULL, ROW_FIRST + (int)i };
	}
	*longs++ = (struct option){ "help", no_argument, NULL, 'h' };
	*longs = (struct option){ 0 };
}

/* the value of the row with letter @found; else @found */
static int row_of(const struct command_words *command, int found)
{
	for (unsigned i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];

		if (found && found == (row->name[1] == '-' ? row->letter : row->name[1]))
			return ROW_FIRST + (int)i;
	}
	return found;
}

static int operands_check(const struct command_words *command, char **operands, int count)
{
	int max = command->operands_max;

	if (count < command->operands_min)
		return options_wrong(command->name, "missing %s; 'heddle %s --help' explains",
				     command->operand, command->name);
	if (max == 1 && count > 1)
		return options_wrong(command->name, "two %ss, '%s' and '%s'; give one",
				     command->operand, operands[0], operands[1]);
	return max && count > max
		       ? options_wrong(command->name, "'%s' is one word too many", operands[max])
		       : -1;
}

int options_read(const struct command_words *command, int argc, char **argv, void *to,
		 int *operand_count)
{
	struct option longs[OPTIONS_MAX + 2];
	char letters[2 * OPTIONS_MAX + 8];
	int at = 1, count = 0, status = 0, found, rest;

	table_make(command, longs, letters);
	opterr = 0;
	for (optind = 0; !status && (found = getopt_long(argc, argv, letters, longs, NULL)) != -1;
	     at = optind) {
		if (found == OPERAND) {
			argv[1 + count++] = optarg;
		} else if (found == 'h') {
			(options_help_hook ? options_help_hook : help_print)(command);
			return 0;
		} else {
			if (found == '?' || found == ':')
				optopt = row_of(command, optopt);
			status = option_take(command, row_of(command, found), argv[at],
					     argv + optind, count, to);
		}
	}
	if (status)
		return status;
	rest = command->program ? at : optind; /* "--" is skipped, except before a program */
	memmove(argv + 1 + count, argv + rest, (size_t)(argc - rest + 1) * sizeof(*argv));
	*operand_count = count + argc - rest;
	return operands_check(command, argv + 1, *operand_count);
}

/* ---- kinds of values ---- */

const struct option_word option_loops[] = {
	{ "auto", 0 }, { "io_uring", 0 }, { "fallback", 0 }, { 0 }
};

int option_value(const char *command, const struct option_row *row, void *field, const char *value)
{
	(void)command;
	*(unsigned *)field = word_find(row, value)->value;
	return 0;
}

int option_time(const char *command, const struct option_row *row, void *field, const char *value)
{
	struct why why;

	return quantity_parse(QUANTITY_TIME, value, field, &why)
		       ? options_wrong(command, "%s: %s", row->name, why.text)
		       : 0;
}

int option_snap(const char *command, const struct option_row *row, void *field, const char *value)
{
	uint64_t bytes;
	struct why why;

	if (quantity_parse(QUANTITY_BYTES, value, &bytes, &why))
		return options_wrong(command, "%s: %s", row->name, why.text);
	if (!bytes || bytes > NODE_CAPTURE_WHOLE)
		return options_wrong(command, "%s takes 1 to %u bytes, not '%s'", row->name,
				     NODE_CAPTURE_WHOLE, value);
	*(uint32_t *)field = (uint32_t)bytes;
	return 0;
}

int option_pack(const char *command, const struct option_row *row, void *field, const char *value)
{
	int *pack = field;
	char *end;
	long count;

	if (!value[0]) {
		*pack = OPTION_PACK_BY_CORES;
		return 0;
	}
	count = strtol(value, &end, 10);
	if (*end || count < 0 || count > (long)PLACES_WORKERS_MAX)
		return options_wrong(command, "%s takes 0 to %u workers, not '%s'", row->name,
				     PLACES_WORKERS_MAX, value);
	*pack = (int)count;
	return 0;
}

bool option_is_number(const char *next, int operand_count)
{
	(void)operand_count;
	return next[0] && strspn(next, "0123456789") == strlen(next);
}

bool option_is_json_file(const char *next, int operand_count)
{
	size_t length = strlen(next);

	(void)operand_count;
	return output_is_stdout(next) || (length > 5 && !strcmp(next + length - 5, ".json"));
}

int option_list_add(const char *command, const struct option_row *row, const char **list,
		    unsigned *count, unsigned max, const char *value)
{
	if (*count == max)
		return options_wrong(command, "more than %u times %s", max, row->name);
	list[(*count)++] = value;
	return 0;
}

static int setting_add(const char *command, struct option_settings *settings, const char *setting)
{
	if (settings->count == SCENARIO_SETTINGS_MAX)
		return options_wrong(command, "more than %u settings", SCENARIO_SETTINGS_MAX);
	settings->texts[settings->count++] = setting;
	return 0;
}

int option_setting(const char *command, const struct option_row *row, void *field,
		   const char *value)
{
	return strchr(value, '=')
		       ? setting_add(command, field, value)
		       : options_wrong(command, "%s takes PATH=VALUE, not '%s'", row->name, value);
}

int option_no_new_files(const char *command, const struct option_row *row, void *field,
			const char *value)
{
	struct option_settings *settings = field;

	(void)command, (void)row, (void)value;
	if (!settings->closed)
		settings->own = settings->count;
	settings->closed = true;
	return 0;
}

int option_seed(const char *command, const struct option_row *row, void *field, const char *value)
{
	struct option_settings *settings = field;
	struct why why;
	uint64_t seed;

	if (quantity_parse(QUANTITY_COUNT, value, &seed, &why))
		return options_wrong(command, "%s: %s", row->name, why.text);
	snprintf(settings->seed, sizeof(settings->seed), "seed=%llu", (unsigned long long)seed);
	return setting_add(command, settings, settings->seed);
}

int option_dilation(const char *command, const struct option_row *row, void *field,
		    const char *value)
{
	struct option_settings *settings = field;
	struct why why;
	uint64_t times;

	if (quantity_parse(QUANTITY_COUNT, value, &times, &why) || !times || times > DILATION_MAX)
		return options_wrong(command, "%s takes a whole number from 1 to %u, not '%s'",
				     row->name, DILATION_MAX, value);
	snprintf(settings->dilation, sizeof(settings->dilation), "dilate=%u", (unsigned)times);
	return setting_add(command, settings, settings->dilation);
}

/* ---- congestion control ---- */

static bool is_library(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '/') || (length > 3 && !strcmp(name + length - 3, ".so"));
}

/* roce.own-control='@name', as YAML */
static int control_file_set(const char *command, struct option_settings *settings, const char *name)
{
	char *out = settings->control_file;

	if (strlen(name) >= OPTION_CONTROL_MAX - 64)
		return options_wrong(command, "--cc: the name of the library is too long");
	out += sprintf(out, "roce.own-control='");
	for (; *name; name++) {
		if (*name == '\'')
			*out++ = '\'';
		*out++ = *name;
	}
	memcpy(out, "'", 2);
	return setting_add(command, settings, settings->control_file);
}

int option_control(const char *command, const struct option_row *row, void *field,
		   const char *value)
{
#define WORD(constant, word) word,
	static const char *const words[] = { CONGESTION_ROWS(WORD) "tcp" };
#undef WORD
	struct option_settings *settings = field;
	bool library = is_library(value);
	unsigned word = 0;
	char hint[128];
	int status = 0;

	while (word < COUNT_OF(words) && strcmp(value, words[word]) != 0)
		word++;
	if (!library && word == COUNT_OF(words)) {
		suggest_sentence(value, words, COUNT_OF(words), sizeof(words[0]), hint,
				 sizeof(hint));
		return options_wrong(command,
				     "%s takes " OPTION_CONTROL_WORDS
				     " or a shared library such as ./my.so, not '%s'%s",
				     row->name, value, hint);
	}
	if (settings->control[0])
		return options_wrong(command, "%s is given twice", row->name);
	if (!library && !strcmp(value, "tcp"))
		snprintf(settings->control, sizeof(settings->control), "roce.transport=tcp");
	else
		snprintf(settings->control, sizeof(settings->control), "roce.congestion-control=%s",
			 library ? "own" : value);
	if (library)
		status = control_file_set(command, settings, value);
	return status ? status : setting_add(command, settings, settings->control);
}

int option_control_check(const char *command, const struct option_settings *settings,
			 const struct scenario *scenario, bool variants)
{
	unsigned kinds = variants ? scenario->kinds : 1u << scenario->fabric;

	return !settings->control[0] || kinds & (1u << FABRIC_ROCE)
		       ? 0
		       : options_wrong(command, "--cc needs a fabric of kind roce; this one is %s",
				       scenario_fabric_name[scenario->fabric]);
}
