/*  scenario_congestion - the section `congestion` of a scenario as read. plan_congestion.h derives
 *  the rest, and checks the table of settings as a whole, because a row may be given in parts. */
#include "orchestrator/scenario/scenario_congestion.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((uint64_t)CONGESTION_UNITS_MAX * 256)

#define FIELD(field) KEY_FIELD(struct scenario_congestion, field)
#define ROW_FIELD(field) KEY_FIELD(struct scenario_congestion_row, field)

static const struct scenario_congestion_row row_derived = {
	.eca_min = SCENARIO_DERIVED,
	.rate_bps = SCENARIO_DERIVED,
	.flow_extent_bytes = SCENARIO_DERIVED,
	.queue_extent_bytes = SCENARIO_DERIVED,
	.high_bytes = SCENARIO_DERIVED,
	.target_bytes = SCENARIO_DERIVED,
	.drop_bytes = SCENARIO_DERIVED,
	.limit_after_ack = SCENARIO_DERIVED,
	.byte_time_ps = SCENARIO_DERIVED,
	.byte_time_scale = SCENARIO_DERIVED,
};

void scenario_congestion_init(struct scenario_congestion *congestion)
{
	*congestion = (struct scenario_congestion){
		.enabled = true,
		.eca = true,
		.slow_start = true,
		.rate_limit = true,
		.flow_limit = true,
		.limit_after_ack = true,
		.headroom = true,
		.fgfc = true,
		.lbf_thresh_bytes = SCENARIO_DERIVED,
		.lbf_shift = SCENARIO_DERIVED,
		.lpf_thresh = SCENARIO_DERIVED,
		.lpf_shift = SCENARIO_DERIVED,
		.dbf_thresh_bytes = SCENARIO_DERIVED,
		.dbf_shift = SCENARIO_DERIVED,
		.dbf_clk_cnt = SCENARIO_DERIVED,
		.slow_start_setting = SCENARIO_DERIVED,
		.port_limit_bytes = SCENARIO_DERIVED,
		.fgfc_pause_ps = SCENARIO_DERIVED,
		.fgfc_credit_bytes = SCENARIO_DERIVED,
		.inputs_thresh_bytes = SCENARIO_DERIVED,
		.inputs_shift = SCENARIO_DERIVED,
		.ecn_eca = 1,
	};
	for (uint32_t i = 0; i < CONGESTION_SETTINGS; i++)
		congestion->rows[i] = row_derived;
}

/* ---- the table ---- */

static const struct key row_keys[] = {
	{ "eca", key_count, ROW_FIELD(eca_min), .max = 255 },
	{ "rate", key_rate, ROW_FIELD(rate_bps), .min = 1000000, .max = 800000000000 },
	{ "flow-extent", key_size, ROW_FIELD(flow_extent_bytes), .max = BYTES_MAX },
	{ "queue-extent", key_size, ROW_FIELD(queue_extent_bytes), .max = BYTES_MAX },
	{ "high", key_size, ROW_FIELD(high_bytes), .max = BYTES_MAX },
	{ "target", key_size, ROW_FIELD(target_bytes), .min = 1, .max = BYTES_MAX },
	{ "drop", key_size, ROW_FIELD(drop_bytes), .max = BYTES_MAX },
	{ "limit-after-ack", key_flag, ROW_FIELD(limit_after_ack) },
	{ "byte-time", key_time, ROW_FIELD(byte_time_ps), .max = 4 * NODE_MS },
	{ "byte-time-scale", key_count, ROW_FIELD(byte_time_scale),
	  .max = CONGESTION_BYTE_TIME_SCALE_MAX },
};

static void row_read(struct reader *reader, const struct yaml_node *node,
		     struct scenario_congestion_row *row)
{
	row->place = node->place;
	keys_read(reader, node, "a setting", row_keys, COUNT_OF(row_keys), row);
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
			row_read(reader, child, &congestion->rows[number]);
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

	(void)key;
	if (node->kind == YAML_MAPPING) {
		rows_change(reader, node, congestion);
		return;
	}
	if (node->kind != YAML_SEQUENCE || !node->count || node->count > CONGESTION_SETTINGS) {
		key_refuse(reader, node,
			   "'settings' must be a list of 1 to %d settings, such as [{eca: 0}, "
			   "{eca: 64, rate: 10Gb/s}], "
			   "or rows to change by their numbers, such as {3: {rate: 10Gb/s}}",
			   CONGESTION_SETTINGS);
		return;
	}
	for (const struct yaml_node *child = node->first; child; child = child->next)
		row_read(reader, child, &congestion->rows[congestion->row_count++]);
}

/* ---- mechanisms ---- */

static const struct key eca_keys[] = {
	{ "enabled", key_flag, FIELD(eca) },
	{ "lbf-thresh", key_size, FIELD(lbf_thresh_bytes), .max = BYTES_MAX },
	{ "lbf-shift", key_count, FIELD(lbf_shift), .max = CONGESTION_SHIFT_MAX },
	{ "lpf-thresh", key_count, FIELD(lpf_thresh), .max = CONGESTION_UNITS_MAX },
	{ "lpf-shift", key_count, FIELD(lpf_shift), .max = CONGESTION_SHIFT_MAX },
	{ "dbf-thresh", key_size, FIELD(dbf_thresh_bytes), .max = BYTES_MAX },
	{ "dbf-shift", key_count, FIELD(dbf_shift), .max = CONGESTION_SHIFT_MAX },
	{ "dbf-clk-cnt", key_count, FIELD(dbf_clk_cnt), .min = 1, .max = UINT32_MAX },
};

static void eca_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	(void)key;
	keys_read_mechanism(reader, node, "'eca'", eca_keys, COUNT_OF(eca_keys), target);
}

static const struct key slow_start_keys[] = {
	{ "enabled", key_flag, FIELD(slow_start) },
	{ "setting", key_count, FIELD(slow_start_setting), .max = CONGESTION_SETTINGS - 1 },
};

static void slow_start_read(struct reader *reader, const struct key *key,
			    const struct yaml_node *node, void *target)
{
	(void)key;
	keys_read_mechanism(reader, node, "'slow-start'", slow_start_keys,
			    COUNT_OF(slow_start_keys), target);
}

static const struct key fgfc_keys[] = {
	{ "enabled", key_flag, FIELD(fgfc) },
	{ "pause", key_time, FIELD(fgfc_pause_ps), .min = NODE_NS, .max = NODE_S },
	{ "credit", key_size, FIELD(fgfc_credit_bytes), .max = BYTES_MAX },
};

static void fgfc_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	(void)key;
	keys_read_mechanism(reader, node, "'fgfc'", fgfc_keys, COUNT_OF(fgfc_keys), target);
}

static const struct key inputs_keys[] = {
	{ "enabled", key_flag, FIELD(inputs) },
	{ "thresh", key_size, FIELD(inputs_thresh_bytes), .max = BYTES_MAX },
	{ "shift", key_count, FIELD(inputs_shift), .max = CONGESTION_SHIFT_MAX },
};

/* off unless a key of it is given */
static void inputs_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	(void)key;
	if (node->kind == YAML_MAPPING)
		((struct scenario_congestion *)target)->inputs = true;
	keys_read_mechanism(reader, node, "'inputs'", inputs_keys, COUNT_OF(inputs_keys), target);
}

static const struct key ecn_keys[] = {
	{ "enabled", key_flag, FIELD(ecn) },
	{ "eca", key_count, FIELD(ecn_eca), .min = 1, .max = ECA_MAX },
};

static void ecn_read_keys(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	(void)key;
	if (node->kind == YAML_MAPPING)
		((struct scenario_congestion *)target)->ecn = true;
	keys_read_mechanism(reader, node, "'ecn'", ecn_keys, COUNT_OF(ecn_keys), target);
}

/* ---- the section ---- */

static const struct key congestion_keys[] = {
	{ "enabled", key_flag, FIELD(enabled) },
	{ "eca", .read = eca_read },
	{ "slow-start", .read = slow_start_read },
	{ "rate-limit", key_flag, FIELD(rate_limit) },
	{ "flow-limit", key_flag, FIELD(flow_limit) },
	{ "limit-after-ack", key_flag, FIELD(limit_after_ack) },
	{ "port-limit", key_size, FIELD(port_limit_bytes), .max = 1ull << 32 },
	{ "headroom", key_flag, FIELD(headroom) },
	{ "fgfc", .read = fgfc_read },
	{ "inputs", .read = inputs_read },
	{ "ecn", .read = ecn_read_keys },
	{ "settings", .read = rows_read },
};

void scenario_congestion_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *node, void *target)
{
	struct scenario *scenario = target;

	(void)key;
	scenario->congestion.place = node->place;
	keys_read_mechanism(reader, node, "'congestion'", congestion_keys,
			    COUNT_OF(congestion_keys), &scenario->congestion);
}
