#include "orchestrator/plan/congestion_text.h"

#include "nodes/base/units.h"
#include "orchestrator/base/human.h"

/* ---- for people ---- */

static const char *units_text(uint32_t units, char *text)
{
	return human_bytes((uint64_t)units * UNIT_BYTES, text);
}

static void basis_print(const struct congestion_basis *basis, FILE *out)
{
	char rate[HUMAN_TEXT_MAX], time[2][HUMAN_TEXT_MAX], bytes[HUMAN_TEXT_MAX];

	fprintf(out,
		"congestion    for hosts of %s, a round trip of %s, of one link %s, frames of %s\n",
		human_rate(basis->rate_bps, rate), human_time(basis->rtt_ps, time[0]),
		human_time(basis->link_rtt_ps, time[1]), human_bytes(basis->mtu_bytes, bytes));
}

static void detection_print(const struct congestion_config *config, FILE *out)
{
	char text[4][HUMAN_TEXT_MAX];

	if (!config->eca) {
		fprintf(out, "  detection   off\n");
		return;
	}
	fprintf(out, "  detection   one more for every %s above %s,\n",
		units_text(1u << config->lbf_shift, text[0]),
		units_text(config->lbf_thresh_units, text[1]));
	fprintf(out, "              for every %u packet%s above %u,\n", 1u << config->lpf_shift,
		config->lpf_shift ? "s" : "", config->lpf_thresh);
	fprintf(out, "              for every %s of growth within %s above %s\n",
		units_text(1u << config->dbf_shift, text[0]),
		human_time(config->dbf_clk_cnt * NODE_NS, text[1]),
		units_text(config->dbf_thresh_units, text[2]));
}

static void mechanisms_print(const struct congestion_config *config, FILE *out)
{
	char text[2][HUMAN_TEXT_MAX];

	fprintf(out, "  limits      rate %s, flow %s, after ACK %s, port %s\n",
		config->rate_limit ? "on" : "off", config->flow_limit ? "on" : "off",
		config->limit_after_ack ? "on" : "off",
		config->port_limit_units ? units_text(config->port_limit_units, text[0]) : "off");
	if (config->slow_start)
		fprintf(out, "  slow start  setting %u\n", config->slow_start_setting);
	else
		fprintf(out, "  slow start  off\n");
	fprintf(out, "  headroom    %s\n", config->headroom ? "on" : "off");
	if (config->inputs)
		fprintf(out, "  inputs      one more for every %s of a flow's queue above %s\n",
			units_text(1u << config->inputs_shift, text[0]),
			units_text(config->inputs_thresh_units, text[1]));
	if (config->ecn)
		fprintf(out, "  ecn         a packet with CE counts as %u\n", config->ecn_eca);
	if (config->fgfc)
		fprintf(out, "  fgfc        pause of %s, credit of %s\n",
			human_time(config->fgfc_pause_ps, text[0]),
			units_text(config->fgfc_credit_units, text[1]));
	else
		fprintf(out, "  fgfc        off\n");
}

static void setting_print(const struct congestion_setting *setting, uint32_t row, FILE *out)
{
	char rate[HUMAN_TEXT_MAX], bytes[5][HUMAN_TEXT_MAX], time[HUMAN_TEXT_MAX];

	fprintf(out, "  %-7u %4u  %11s  %11s  %12s  %10s  %10s  %10s  %s\n", row, setting->eca_min,
		human_rate(setting->rate_bps, rate),
		units_text(setting->flow_extent_units, bytes[0]),
		units_text(setting->queue_extent_units, bytes[1]),
		units_text(setting->high_units, bytes[2]),
		units_text(setting->target_units, bytes[3]),
		units_text(setting->drop_units, bytes[4]),
		setting->limit_after_ack
			? human_time(setting->byte_time_ps << setting->byte_time_scale, time)
			: "-");
}

void congestion_print(const struct congestion_basis *basis, const struct congestion_config *config,
		      FILE *out)
{
	basis_print(basis, out);
	detection_print(config, out);
	mechanisms_print(config, out);
	fprintf(out, "  %-7s %4s  %11s  %11s  %12s  %10s  %10s  %10s  %s\n", "setting", "eca",
		"rate", "flow-extent", "queue-extent", "high", "target", "drop",
		"a byte after an ACK");
	for (uint32_t row = 0; row < congestion_setting_count(config); row++)
		setting_print(&config->settings[row], row, out);
}

/* ---- for programs ---- */

static json_t *setting_json(const struct congestion_setting *setting)
{
	json_t *json = json_object();

	for (size_t r = 0; r < congestion_setting_parameters.count; r++) {
		const struct parameter *row = &congestion_setting_parameters.rows[r];
		uint64_t value = parameter_get(row, setting);

		json_object_set_new(json, row->field,
				    row->unit == PARAMETER_UNIT_FLAG
					    ? json_boolean(value)
					    : json_integer((json_int_t)value));
	}
	return json;
}

static json_t *basis_json(const struct congestion_basis *basis)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "rate_bps", (json_int_t)basis->rate_bps, "rtt_ps",
			 (json_int_t)basis->rtt_ps, "link_rtt_ps", (json_int_t)basis->link_rtt_ps,
			 "mtu_bytes", (json_int_t)basis->mtu_bytes);
}

static json_t *detection_json(const struct congestion_config *config)
{
	return json_pack("{s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "enabled", (int)config->eca,
			 "lbf_thresh_units", (json_int_t)config->lbf_thresh_units, "lbf_shift",
			 (json_int_t)config->lbf_shift, "lpf_thresh",
			 (json_int_t)config->lpf_thresh, "lpf_shift", (json_int_t)config->lpf_shift,
			 "dbf_thresh_units", (json_int_t)config->dbf_thresh_units, "dbf_shift",
			 (json_int_t)config->dbf_shift, "dbf_clk_cnt",
			 (json_int_t)config->dbf_clk_cnt);
}

json_t *congestion_json(const struct congestion_basis *basis,
			const struct congestion_config *config)
{
	json_t *settings = json_array();

	for (uint32_t row = 0; row < congestion_setting_count(config); row++)
		json_array_append_new(settings, setting_json(&config->settings[row]));
	return json_pack("{s:o, s:o, s:b, s:I, s:b, s:b, s:b, s:b, s:b, s:I, s:I, s:I, s:b, s:I, "
			 "s:I, s:I, s:o}",
			 "basis", basis_json(basis), "eca", detection_json(config), "slow_start",
			 (int)config->slow_start, "slow_start_setting",
			 (json_int_t)config->slow_start_setting, "rate_limit",
			 (int)config->rate_limit, "flow_limit", (int)config->flow_limit,
			 "limit_after_ack", (int)config->limit_after_ack, "headroom",
			 (int)config->headroom, "fgfc", (int)config->fgfc, "fgfc_pause_ps",
			 (json_int_t)config->fgfc_pause_ps, "fgfc_credit_units",
			 (json_int_t)config->fgfc_credit_units, "port_limit_units",
			 (json_int_t)config->port_limit_units, "inputs", (int)config->inputs,
			 "inputs_thresh_units", (json_int_t)config->inputs_thresh_units,
			 "inputs_shift", (json_int_t)config->inputs_shift, "ecn_eca",
			 (json_int_t)(config->ecn ? config->ecn_eca : 0), "settings", settings);
}
