/*  compare - variants of a scenario in one table: a row for each, a column for each metric that its
 *  `compare` section names (TB-10).
 *
 *  A row is filled from the results of its variant, or states why there are none. A metric may be
 *  unknown in one variant, such as marked packets in a fabric of flow channels: that field is
 *  empty. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_COMPARE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_COMPARE_H

#include <stdio.h>

#include "orchestrator/results/expect.h"

#define COMPARE_NOTE_MAX 512u

struct compare_row {
	const char *name; /* of the variant; borrowed */
	bool filled;
	enum fabric_kind fabric;     /* valid if the row is filled */
	char note[COMPARE_NOTE_MAX]; /* "": nothing unusual */
	struct result_expectation values[SCENARIO_COLUMNS_MAX];
};

struct compare_table {
	char scenario[NODE_NAME_MAX];
	uint64_t seed;         /* of all rows, by compare_seed() */
	bool seed_known;       /* there was a row */
	bool seeds_differ;     /* then `seed` is that of the first row */
	bool real;             /* the clock is real */
	const char *head;      /* the key of which each row has a value; NULL: rows are variants */
	bool spread;           /* mean, deviation, minimum and maximum of the rows follow */
	struct origin *origin; /* of the scenario without a variant; held; NULL: not known */
	const struct scenario_compare *compare;
	uint32_t row_count;
	struct compare_row *rows;
};

/** compare_seed() - a row of @table is run with @seed. */
void compare_seed(struct compare_table *table, uint64_t seed);

/** compare_check() - checks that every column is understood and that all names in it exist in
 *  @plan.
 *  Return: 0, or -EINVAL with the errors added to @errors. */
int compare_check(const struct scenario_compare *compare, const struct plan *plan,
		  struct scenario_errors *errors);

/** compare_row_fill() - computes the columns from the results of a variant. @compare NULL: the
 *  values are those of the expectations, up to SCENARIO_COLUMNS_MAX of them. */
void compare_row_fill(struct compare_row *row, const struct scenario_compare *compare,
		      const struct plan *plan, const struct results *results);

/** compare_note() - states why the row is unlike others; the first reason stays. */
void compare_note(struct compare_row *row, const char *format, va_list arguments);

/** compare_text_write() - the table for people. compare_json_write(): for programs, values in units
 *  of the metric (expect.h), null without one. compare_csv_write(): the same for spreadsheets.
 *  Return: 0 or -errno. */
void compare_text_write(const struct compare_table *table, bool colour, FILE *out);
int compare_json_write(const struct compare_table *table, FILE *out);
void compare_csv_write(const struct compare_table *table, FILE *out);

#endif
