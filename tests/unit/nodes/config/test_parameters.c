/*  nodes/config/parameter: each row of each table at its bounds (TB-6, TB-23). What is within the
 *  range is accepted; one more, or one less, is refused with the name of the field and its range.
 *  A field takes its value and leaves all others alone. */
#include "nodes/config/parameter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/config/config.h"
#include "tests/testing.h"

static const struct parameter_table *const tables[] = {
	&roce_class_parameters, &dcqcn_parameters,
	&roce_parameters,       &routing_parameters,
	&port_group_parameters, &congestion_parameters,
	&class_parameters,      &congestion_setting_parameters,
	&link_parameters,       &port_parameters,
	&workload_parameters,   &pause_parameters,
	&switch_parameters,     &nic_parameters,
};

static const struct parameter_table *table;
static char *whole; /* the structure */
static uint32_t rows;

static bool least_put(void *context, const char *name, const struct parameter *row, void *structure)
{
	(void)context, (void)name;
	parameter_put(row, structure, row->min);
	return true;
}

/* all rows have the least value */
static void setup(int index)
{
	table = tables[index];
	whole = calloc(1, table->bytes);
	ck_assert_ptr_nonnull(whole);
	parameters_each(table, NULL, whole, least_put, NULL);
	rows = 0;
}

static bool holds(const struct parameter *row, uint64_t value)
{
	return row->bytes == sizeof(uint64_t) ||
	       value <= (row->bytes == sizeof(uint32_t) ? UINT32_MAX : 1u);
}

/* the table is accepted (@fits), or refused because of the row alone, which has @value */
static void expect(const struct parameter *row, const char *name, void *structure, uint64_t value,
		   bool fits)
{
	char expected[300] = "";
	struct why why = { "" };

	parameter_put(row, structure, value);
	ck_assert_uint_eq(parameter_get(row, structure), value);
	ck_assert_int_eq(parameter_fits(row, value), fits);
	ck_assert_msg(parameters_check(table, "at.", whole, &why) == (fits ? 0 : -EINVAL),
		      "%s is %" PRIu64 ": %s", name, value, why.text);
	if (!fits)
		snprintf(expected, sizeof(expected),
			 "%s is %" PRIu64 ", it must be %s%" PRIu64 "..%" PRIu64, name, value,
			 row->zero ? "0 or " : "", row->min, row->max);
	ck_assert_str_eq(why.text, expected);
	parameter_put(row, structure, row->min);
}

static bool row_try(void *context, const char *name, const struct parameter *row, void *structure)
{
	(void)context;
	rows++;
	ck_assert_uint_le(row->min, row->max);
	expect(row, name, structure, row->min, true);
	expect(row, name, structure, row->max, true);
	if (row->min)
		expect(row, name, structure, row->min - 1, row->min == 1 && row->zero);
	if (row->min > 1)
		expect(row, name, structure, 0, row->zero);
	if (row->max != UINT64_MAX && holds(row, row->max + 1))
		expect(row, name, structure, row->max + 1, false);
	return true;
}

TEST_GROUP(parameters, .timeout_s = 60);

TEST_RANGE(parameters_check__each_row_at_its_bounds, 0, (sizeof(tables) / sizeof(tables[0])))
{
	setup(_i);
	ck_assert(parameters_each(table, "at.", whole, row_try, NULL));
	ck_assert_uint_gt(rows, 0);
	free(whole);
}

/* no other byte changes */
static bool alone(void *context, const char *name, const struct parameter *row, void *structure)
{
	char *before = context, *field = (char *)structure + row->offset;
	size_t at = (size_t)(field - whole);

	if (row->min == row->max)
		return true;
	memcpy(before, whole, table->bytes);
	parameter_put(row, structure, row->max);
	ck_assert_msg(memcmp(before + at, field, row->bytes) != 0, "%s", name);
	memcpy(before + at, field, row->bytes);
	ck_assert_msg(!memcmp(before, whole, table->bytes), "%s", name);
	parameter_put(row, structure, row->min);
	return true;
}

TEST_RANGE(parameter_put__one_field, 0, (sizeof(tables) / sizeof(tables[0])))
{
	char *before;

	setup(_i);
	before = malloc(table->bytes);
	ck_assert(parameters_each(table, "at.", whole, alone, before));
	free(before);
	free(whole);
}

/* rows of the table itself: one that differs makes tables differ, and is what is taken */
TEST_RANGE(parameters_take__each_row, 0, (sizeof(tables) / sizeof(tables[0])))
{
	char *other, *given;

	setup(_i);
	other = malloc(table->bytes);
	given = malloc(table->bytes);
	memcpy(other, whole, table->bytes);
	ck_assert(parameters_equal(table, whole, other));
	for (size_t r = 0; r < table->count; r++) {
		const struct parameter *row = &table->rows[r];
		bool derived = row->initial == PARAMETER_DERIVED;

		if (!row->bytes || row->min == row->max)
			continue;
		parameter_put(row, other, row->max);
		ck_assert_msg(!parameters_equal(table, whole, other), "%s", row->field);
		memset(given, 0, table->bytes);
		parameters_take(table, whole, other, given); /* what is derived stays */
		ck_assert_msg(parameter_get(row, whole) == (derived ? row->min : row->max), "%s",
			      row->field);
		parameter_put(row, given, row->max);
		parameters_take(table, whole, other, given);

		ck_assert_msg(parameter_get(row, whole) == row->max, "%s", row->field);
		memcpy(whole, other, table->bytes);
	}
	free(other);
	free(given);
	free(whole);
}

static bool derived_is_zero(void *context, const char *name, const struct parameter *row,
			    void *structure)
{
	(void)context;
	ck_assert_msg(parameter_get(row, structure) ==
			      (row->initial == PARAMETER_DERIVED ? 0 : row->initial),
		      "%s", name);
	return true;
}

TEST_RANGE(parameters_default__each_row, 0, (sizeof(tables) / sizeof(tables[0])))
{
	setup(_i);
	parameters_default(table, whole);
	parameters_each(table, "at.", whole, derived_is_zero, NULL);
	free(whole);
}
