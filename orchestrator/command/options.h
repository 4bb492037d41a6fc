/*  options - the words after the name of a command: options by a table, and operands.
 *
 *  One table per command defines both --help and what is accepted, so they agree. An option may be
 *  anywhere among the operands, as --name VALUE or --name=VALUE. It cannot be abbreviated: an
 *  abbreviation would change its meaning with the next option of the same beginning. */
#ifndef HEDDLE_ORCHESTRATOR_COMMAND_OPTIONS_H
#define HEDDLE_ORCHESTRATOR_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "nodes/base/array.h"
#include "orchestrator/base/exit_status.h"
#include "orchestrator/scenario/scenario.h"

#define OPTIONS_MAX 40u /* of a command */

struct option_row;

/** option_fn - stores @value (NULL: none) in @field, for option @row of @command; @value stays
 *  valid.
 *  Return: 0, or the exit status, reported. */
typedef int option_fn(const char *command, const struct option_row *row, void *field,
		      const char *value);

struct option_word {
	const char *name; /* NULL ends a list */
	unsigned value;
};

struct option_row {
	const char *name;     /* "--seed", or "-n" if there is no long form */
	char letter;          /* of a short form beside it; 0: none */
	const char *argument; /* its name in --help; NULL: it has none */
	const char *help;     /* its effect; may have several lines */
	size_t field;         /* offset of what it sets */
	/* NULL: sets the bool there; with @argument, the const char * */
	option_fn *take;
	const struct option_word *words; /* the only values; NULL: any */
	const char *otherwise;           /* the value if none is given; NULL: one is needed */
	/* is @next, without '=', that value? */
	bool (*takes_next)(const char *next, int operand_count);
};

struct command_words {
	const char *name;
	const char *usage;              /* --help: text before the options */
	const char *more;               /* --help: text after the options */
	const char *operand;            /* the name of an operand in messages */
	int operands_min, operands_max; /* 0: any number */
	const struct option_row *options;
	unsigned option_count;
	void (*more_print)(FILE *out); /* --help: between options and more; NULL: nothing */
	/* all words from the first operand on belong to a program */
	bool program;
};

/** options_read() - reads argv[1] and following; options set members of @to. Operands,
 *  *@operand_count of them, become argv[1] and following, then NULL.
 *  Return: -1 to continue; else the exit status, after an error message or --help. */
int options_read(const struct command_words *command, int argc, char **argv, void *to,
		 int *operand_count);

/** options_help_hook - what --help of a command does, with its words, instead of printing them;
 *  NULL: it prints them. The words have no end of life. */
extern void (*options_help_hook)(const struct command_words *command);

/** options_wrong() - "heddle COMMAND: ..." to standard error.  Return: EXIT_USAGE. */
int options_wrong(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define OPTION_CONTROL_MAX 4096u /* of the name of a library */

/* the settings of --set, --seed, --dilate and --cc, in their order */
struct option_settings {
	const char *texts[SCENARIO_SETTINGS_MAX];
	unsigned count;
	bool closed; /* settings after the first @own ones name no new files */
	unsigned own;
	char seed[32], dilation[32], control[64], control_file[2 * OPTION_CONTROL_MAX];
};

/** option_setting(), option_seed(), option_dilation() - one of struct option_settings. */
option_fn option_setting, option_seed, option_dilation;

/** option_no_new_files() - settings after it name no files that the scenario does not have with
 *  those before it. */
option_fn option_no_new_files;

/** option_control() - the settings that select a congestion control: a built-in one by its name,
 *  tcp (connections instead of queue pairs), or a shared library, which has a '/' or ends in .so.
 *  @field  a struct option_settings. */
option_fn option_control;

/** option_control_check() - if --cc was given: is @scenario of kind roce, or with @variants one of
 *  its variants?  Return: 0 or an exit status, reported. */
int option_control_check(const char *command, const struct option_settings *settings,
			 const struct scenario *scenario, bool variants);

/** option_value() - the value of the word, an unsigned. option_time() a uint64_t in picoseconds. */
option_fn option_value, option_time;

/** option_snap() - how many bytes of a frame a capture keeps, a uint32_t. */
option_fn option_snap;

/** option_pack() - how many workers run the nodes, an int; no number: OPTION_PACK_BY_CORES. */
option_fn option_pack;
#define OPTION_PACK_BY_CORES -2

/** option_is_number() - takes_next of an option whose value is a number. */
bool option_is_number(const char *next, int operand_count);

/** option_is_json_file() - takes_next of --json [FILE], where a word that ends in .json, or "-", is
 *  FILE. */
bool option_is_json_file(const char *next, int operand_count);

/** option_list_add() - one more @value of an option that may be repeated, up to @max times. */
int option_list_add(const char *command, const struct option_row *row, const char **list,
		    unsigned *count, unsigned max, const char *value);

/* event loops of nodes */
extern const struct option_word option_loops[];

/* members of a command: its table of options, and operands */
#define OPTIONS(rows) .options = (rows), .option_count = COUNT_OF(rows)
#define OPERANDS(what, min, max) .operand = (what), .operands_min = (min), .operands_max = (max)

/* rows of a table. @at  offset of what the option sets */
#define OPTION_TAKE(name, argument, at, take, words, help)           \
	{                                                            \
		name, 0, argument, help, at, take, words, NULL, NULL \
	}
#define OPTION_TEXT(name, argument, at, help) OPTION_TAKE(name, argument, at, NULL, NULL, help)
#define OPTION_FLAG(name, at, help) OPTION_TAKE(name, NULL, at, NULL, NULL, help)
#define OPTION_PACK(at, help)                                                         \
	{                                                                             \
		"--pack", 0, "[N]", help, at, option_pack, NULL, "", option_is_number \
	}
/* "dcqcn, swift, none, tcp" */
#define OPTION_CONTROL_WORD(constant, word) word ", "
#define OPTION_CONTROL_WORDS CONGESTION_ROWS(OPTION_CONTROL_WORD) "tcp"
#define OPTION_CONTROL(at)                                                                \
	OPTION_TAKE("--cc", "CONTROL", at, option_control, NULL,                          \
		    "congestion control of a roce fabric: " OPTION_CONTROL_WORDS ", or\n" \
		    "a shared library such as ./my.so (docs/own-congestion-control.md)")
#define OPTION_DILATE(at)                                                                      \
	OPTION_TAKE("--dilate", "N", at, option_dilation, NULL,                                \
		    "fabric time runs N times slower than the machine's, 1 to 1000, so that\n" \
		    "the machine carries links that are N times as fast")
#define OPTION_SET(at, example)                                      \
	OPTION_TAKE("--set", "PATH=VALUE", at, option_setting, NULL, \
		    "change a key of the scenario, e.g. " example "; may be repeated")

#endif
