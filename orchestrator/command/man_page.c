#include "orchestrator/command/man_page.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/version.h"
#include "orchestrator/base/exit_status.h"
#include "orchestrator/command/options.h"
#include "orchestrator/scenario/parameter_text.h"

#define EXIT_STATUS "exit status:"
#define USAGE "usage: "

/* ---- text ---- */

static void escaped(const char *text, size_t length, FILE *out)
{
	if (length && (*text == '.' || *text == '\''))
		fputs("\\&", out);
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '-' || text[i] == '\\')
			fputs(text[i] == '-' ? "\\-" : "\\e", out);
		else
			putc(text[i], out);
	}
}

static void capitals(const char *text, FILE *out)
{
	for (; *text; text++)
		putc(toupper((unsigned char)*text), out);
}

static void text_write(const char *text, size_t length, FILE *out)
{
	const char *end = text + length;
	bool kept = false;

	while (text < end) {
		size_t line = strcspn(text, "\n");
		bool keep = *text == ' ';

		if (line > (size_t)(end - text))
			line = (size_t)(end - text);
		if (keep != kept)
			fputs(keep ? ".nf\n" : ".fi\n", out);
		kept = keep;
		escaped(text, line, out);
		fputs(line ? "\n" : text + 1 < end ? ".PP\n" : "", out);
		text += line + (text + line < end);
	}
	if (kept)
		fputs(".fi\n", out);
}

static void page_begin(const char *name, int section, const char *about, FILE *out)
{
	fputs(".TH ", out);
	capitals(name, out);
	fprintf(out, " %d \"\" \"heddle %s\" \"Heddle\"\n.SH NAME\n", section, HEDDLE_VERSION);
	escaped(name, strlen(name), out);
	fputs(" \\- ", out);
	escaped(about, strlen(about), out);
	putc('\n', out);
}

static void page_end(FILE *out)
{
	fputs(".SH SEE ALSO\n.BR heddle (1),\n.BR heddle\\-scenario (5)\n", out);
}

/* ---- a command ---- */

/* the lines that say how the command is called.  Return: what follows them */
static const char *synopsis(const char *usage, FILE *out)
{
	fputs(".SH SYNOPSIS\n.nf\n", out);
	while (!strncmp(usage, USAGE, strlen(USAGE)) || !strncmp(usage, "       heddle", 13) ||
	       !strncmp(usage, "or:    heddle", 13)) {
		size_t length = strcspn(usage, "\n");

		escaped(usage + strlen(USAGE), length - strlen(USAGE), out);
		putc('\n', out);
		usage += length + (usage[length] == '\n');
	}
	fputs(".fi\n", out);
	return usage;
}

static void option(const struct option_row *row, FILE *out)
{
	fputs(".TP\n", out);
	if (row->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
	fputs("\\fB", out);
	escaped(row->name, strlen(row->name), out);
	fputs("\\fR", out);
	if (row->argument) {
		fputs(" \\fI", out);
		escaped(row->argument, strlen(row->argument), out);
		fputs("\\fR", out);
	}
	putc('\n', out);
	text_write(row->help, strlen(row->help), out);
}

static void page_of_command(const struct command_words *command, const char *about, FILE *out)
{
	const char *status = strstr(command->more, EXIT_STATUS), *rest;
	char name[64] = "heddle-";

	snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s", command->name);
	for (char *space = name; *space; space++)
		*space = *space == ' ' ? '-' : *space;
	page_begin(name, 1, about, out);
	rest = synopsis(command->usage, out);
	fputs(".SH DESCRIPTION\n", out);
	text_write(rest, strlen(rest), out);
	text_write(command->more, status ? (size_t)(status - command->more) : strlen(command->more),
		   out);
	if (command->option_count)
		fputs(".SH OPTIONS\n", out);
	for (unsigned i = 0; i < command->option_count; i++)
		option(&command->options[i], out);
	if (status) {
		status += strlen(EXIT_STATUS) + 1;
		fputs(".SH EXIT STATUS\n", out);
		text_write(status, strlen(status), out);
	}
	page_end(out);
}

/* ---- all ---- */

static void status_put(int status, const char *meaning, FILE *out)
{
	fprintf(out, ".TP\n%d\n", status);
	text_write(meaning, strlen(meaning), out);
}

/* of all commands, in heddle(1) */
static void statuses_put(FILE *out)
{
	fputs(".SH EXIT STATUS\n", out);
	exit_status_each(status_put, out);
}

/* of a command with commands of its own: @name "heddle" or "heddle-lab" */
static void page_of_group(const char *name, const char *about, const struct command *commands,
			  size_t count, FILE *out)
{
	page_begin(name, 1, about, out);
	fputs(".SH SYNOPSIS\n.B ", out);
	for (const char *at = name; *at; at++)
		putc(*at == '-' ? ' ' : *at, out);
	fputs("\n\\fICOMMAND\\fR [arguments]\n.SH COMMANDS\n", out);
	for (size_t i = 0; i < count; i++) {
		fputs(".TP\n.BR ", out);
		escaped(name, strlen(name), out);
		fputs("\\-", out);
		escaped(commands[i].name, strlen(commands[i].name), out);
		fputs(" (1)\n", out);
		text_write(commands[i].help, strlen(commands[i].help), out);
	}
	if (!strcmp(name, "heddle"))
		statuses_put(out);
	page_end(out);
}

static void page_of_scenario(FILE *out)
{
	char *text = NULL;
	size_t length = 0;
	FILE *keys = open_memstream(&text, &length);

	page_begin("heddle-scenario", 5, "keys of a scenario", out);
	fputs(".SH DESCRIPTION\nA scenario is a YAML file: topology, links, workloads and what is "
	      "expected.\nThe keys below have rules of their own in docs/scenario.md, with "
	      "examples.\n.SH KEYS\n",
	      out);
	if (keys) {
		parameter_help("", keys);
		fclose(keys);
		text_write(text, length, out);
	}
	free(text);
	page_end(out);
}

/* opens @name.@section in @folder.  Return: NULL with errno */
static FILE *page_open(const char *folder, const char *name, int section)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s.%d", folder, name, section);
	return fopen(path, "w");
}

/* Return: 0 or -errno */
static int page_close(FILE *page)
{
	bool failed = ferror(page);

	return fclose(page) || failed ? -EIO : 0;
}

/* heddle-@prefix@command(1), and those of its commands */
static int page_of_one(const char *prefix, const struct command *command, const char *folder)
{
	struct command_answer answer = command_ask(command);
	char name[64];
	FILE *page;
	int error;

	snprintf(name, sizeof(name), "%s-%s", prefix, command->name);
	page = page_open(folder, name, 1);
	if (!page)
		return -errno;
	if (answer.words)
		page_of_command(answer.words, command->help, page);
	if (answer.count)
		page_of_group(name, command->help, answer.commands, answer.count, page);
	error = page_close(page);
	for (size_t i = 0; i < answer.count && !error; i++)
		error = page_of_one(name, &answer.commands[i], folder);
	return error;
}

int man_pages_write(const struct command *commands, size_t count, const char *folder)
{
	FILE *page = page_open(folder, "heddle", 1);
	int error;

	if (!page)
		return -errno;
	page_of_group("heddle",
		      "a whole fabric on one machine: every switch a process, every NIC a "
		      "process",
		      commands, count, page);
	error = page_close(page);
	if (error)
		return error;
	page = page_open(folder, "heddle-scenario", 5);
	if (!page)
		return -errno;
	page_of_scenario(page);
	error = page_close(page);
	for (size_t i = 0; i < count && !error; i++)
		error = page_of_one("heddle", &commands[i], folder);
	return error;
}
