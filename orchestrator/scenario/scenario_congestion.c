/*  scenario_congestion - the section `congestion` of a scenario as read. plan_congestion.h derives
 *  the rest, and checks the table of settings as a whole, because a row may be given in parts. */
#include "orchestrator/scenario/scenario_congestion.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/scenario_parameters.h"

void scenario_congestion_init(struct scenario_congestion *congestion)
{
	*congestion = (struct scenario_congestion){ .enabled = true };
	parameters_default(&congestion_parameters, &congestion->config);
}

/* ---- the table ---- */

static void row_read(struct reader *reader, const struct yaml_node *node,
		     struct scenario_congestion *congestion, uint32_t row)
{
	const struct parameters_reading reading = {
		.table = &congestion_setting_parameters,
		.structure = &congestion->config.settings[row],
		.given = &congestion->given.settings[row],
	};

	congestion->row_places[row] = node->place;
	scenario_parameters_read(reader, node, "a setting", &reading);
}

/* Return: the row of which @text is the number, or -1. */
static int row_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long number = digits && digits < 3 && !text[digits] ? strtoul(text, NULL, 10)
								     : CONGESTION_SETTINGS;

	return number < CONGESTION_SETTINGS && (digits == 1 || text[0] != '0') ? (int)number : -1;
}

/* changes some rows of the derived table, by their numbers */
static void rows_change(struct reader *reader, const struct yaml_node *node,
			struct scenario_congestion *congestion)
{
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		int number = row_number(child->key);

		if (number >= 0)
			row_read(reader, child, congestion, (uint32_t)number);
		else
			scenario_errors_at(
				reader->errors, reader->scenario, &child->key_place,
				"'settings' has no row '%.60s'; expected a number from 0 to %d",
				child->key, CONGESTION_SETTINGS - 1);
	}
}

static void rows_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	struct scenario_congestion *congestion = target;

	if (node->kind == YAML_MAPPING) {
		rows_change(reader, node, congestion);
		return;
	}
	if (!key_is_list(reader, key, node, 1, CONGESTION_SETTINGS,
			 "settings, such as [{eca: 0}, {eca: 64, rate: 10Gb/s}], or rows to "
			 "change by their numbers, such as {3: {rate: 10Gb/s}}"))
		return;
	for (const struct yaml_node *child = node->first; child; child = child->next)
		row_read(reader, child, congestion, congestion->row_count++);
}

/* ---- the section ---- */

/* those that are no fields of a congestion_config */
static const struct key congestion_keys[] = {
	{ "enabled", key_flag, KEY_FIELD(struct scenario_congestion, enabled) },
	{ "settings", .read = rows_read },
};

void scenario_congestion_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *node, void *target)
{
	struct scenario_congestion *congestion = &((struct scenario *)target)->congestion;
	const struct parameters_reading reading = {
		.table = &congestion_parameters,
		.structure = &congestion->config,
		.given = &congestion->given,
		.keys = congestion_keys,
		.key_count = COUNT_OF(congestion_keys),
		.target = congestion,
	};

	(void)key;
	congestion->place = node->place;
	if (node->kind == YAML_SCALAR && *node->text)
		key_flag(reader, &congestion_keys[0], node, congestion);
	else
		scenario_parameters_read(reader, node, "'congestion'", &reading);
}
