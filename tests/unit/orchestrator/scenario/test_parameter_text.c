/*  orchestrator/scenario/parameter_text: docs/scenario.md has the tables of the code, and each row
 *  has the texts that it needs (TB-11). With TABLES=write it writes them (`make tables`). Tests run
 *  at the top of the repository, where the page is. */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/config/config.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/scenario/parameter_text.h"
#include "orchestrator/scenario/scenario_run.h"
#include "orchestrator/scenario/scenario_workload.h"
#include "tests/testing.h"

#define PAGE "docs/scenario.md"
#define BEGIN "<!-- keys of "
#define END "<!-- end -->"

static char *page_read(void)
{
	FILE *file = fopen(PAGE, "r");
	char *text = NULL;
	size_t size = 0;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_gt(getdelim(&text, &size, 0, file), 0);
	fclose(file);
	return text;
}

/* The row of the key at @help: the four lines that parameter_help() prints for it. Of a key in an
 * inner mapping only a dot and its name are written. Return: the next key. */
static const char *row_write(const char *help, FILE *out)
{
	static const char *const margins[4] = { "", "  ", "  range    ", "  default  " };
	char texts[4][512];
	const char *path = texts[0];

	for (unsigned i = 0; i < 4; i++) {
		const char *end = strchr(help, '\n');

		snprintf(texts[i], sizeof(texts[i]), "%.*s", (int)(end - help), help);
		ck_assert_int_eq(strncmp(texts[i], margins[i], strlen(margins[i])), 0);
		memmove(texts[i], texts[i] + strlen(margins[i]),
			strlen(texts[i] + strlen(margins[i])) + 1);
		help = end + 1;
	}
	fprintf(out, "| `%s%s` | %s | %s | %s |\n",
		strchr(path, '.') != strrchr(path, '.') ? "." : "", strrchr(path, '.') + 1,
		texts[1], texts[2], texts[3]);
	return help;
}

static void table_write(const char *section, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *help = open_memstream(&text, &size);

	ck_assert_msg(parameter_help(section, help), "no section '%s'", section);
	fclose(help);
	fputs("| key | meaning | range | default |\n|---|---|---|---|\n", out);
	for (const char *at = text; *at;)
		at = row_write(at, out);
	free(text);
}

/* Return: the page with the tables of the code; @count is their number. */
static char *page_make(const char *page, unsigned *count)
{
	char *text = NULL, section[40];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *from = page, *at;

	for (*count = 0; (at = strstr(from, BEGIN)); ++*count) {
		const char *line_end = strchr(at, '\n') + 1;

		ck_assert_int_eq(sscanf(at, BEGIN "%39s", section), 1);
		fwrite(from, 1, (size_t)(line_end - from), out);
		table_write(section, out);
		from = strstr(line_end, END);
		ck_assert_msg(from != NULL, "the table of '%s' has no end", section);
	}
	fputs(from, out);
	fclose(out);
	return text;
}

static void page_write(const char *text)
{
	FILE *file = fopen(PAGE, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

TEST(parameter_text__page_has_the_tables)
{
	const char *mode = getenv("TABLES");
	unsigned count;
	char *page = page_read(), *text = page_make(page, &count);

	ck_assert_uint_ge(count, 4);
	if (mode && !strcmp(mode, "write"))
		page_write(text);
	else
		ck_assert_msg(!strcmp(page, text),
			      PAGE " differs from the tables in the code: run `make tables`");
	free(text);
	free(page);
}

static const struct parameter_table *const tables[] = {
	&run_parameters,        &scenario_workload_parameters,
	&workload_parameters,   &pause_parameters,
	&link_parameters,       &port_parameters,
	&class_parameters,      &roce_parameters,
	&dcqcn_parameters,      &routing_parameters,
	&port_group_parameters, &roce_class_parameters,
	&congestion_parameters, &congestion_setting_parameters,
	&switch_parameters,     &nic_parameters,
};

/* the default on the page is the default of the row */
static void initial_expect(const struct parameter *row)
{
	static const struct {
		enum quantity_kind kind;
		uint64_t one;
	} shares[] = {
		[PARAMETER_UNIT_PERMILLE] = { QUANTITY_SHARE, QUANTITY_SHARE_ONE / 1000 },
		[PARAMETER_UNIT_PPM] = { QUANTITY_SHARE, QUANTITY_SHARE_ONE / 1000000 },
		[PARAMETER_UNIT_PPB] = { QUANTITY_SHARE, QUANTITY_SHARE_ONE / 1000000000 },
	};
	uint64_t value;
	struct why why;

	ck_assert_msg(row->unit < COUNT_OF(shares) && shares[row->unit].one,
		      "%s needs no text for its default", row->field);
	ck_assert_int_eq(quantity_parse(shares[row->unit].kind, row->initial_text, &value, &why),
			 0);
	ck_assert_uint_eq(value / shares[row->unit].one, row->initial);
}

static void row_expect(const struct parameter *row)
{
	if (row->unit == PARAMETER_UNIT_KEY || row->unit == PARAMETER_UNIT_TABLE)
		return;
	ck_assert_uint_le(row->min, row->max);
	if (row->initial != PARAMETER_DERIVED)
		ck_assert_msg(parameter_fits(row, row->initial), "default of %s", row->field);
	if (!row->key || !row->help)
		return;
	if (row->initial == PARAMETER_DERIVED)
		ck_assert_msg(row->initial_text, "%s: what is it derived from?", row->field);
	else if (row->initial_text)
		initial_expect(row);
	for (uint64_t i = 0; row->unit == PARAMETER_UNIT_WORD && i <= row->max - row->min; i++)
		ck_assert_ptr_nonnull(row->words[i]);
}

TEST(parameter_text__rows_are_complete)
{
	for (size_t t = 0; t < COUNT_OF(tables); t++) {
		for (size_t r = 0; r < tables[t]->count; r++)
			row_expect(&tables[t]->rows[r]);
	}
}

TEST(parameter_text__hint)
{
	char hint[128];

	ck_assert_str_eq(parameter_hint("roce.dqccn", hint, sizeof(hint)),
			 " - did you mean 'roce.dcqcn'?");
	ck_assert_str_eq(parameter_hint("links.dealy", hint, sizeof(hint)),
			 " - did you mean 'links.delay'?");
	ck_assert_str_eq(parameter_hint("lid.zzzzzz", hint, sizeof(hint)), "");
}

TEST(parameter_text__help)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert(parameter_help("roce.dcqcn.g", out));
	ck_assert(!parameter_help("roce.dcq", out));
	ck_assert(!parameter_help("roce.dcqcn.gg", out));
	fclose(out);
	ck_assert_str_eq(text, "roce.dcqcn.g\n  weight of a CNP in alpha\n"
			       "  range    0.0000001% .. 100%, in steps of 10^-9\n"
			       "  default  1/256\n");
	free(text);
}
