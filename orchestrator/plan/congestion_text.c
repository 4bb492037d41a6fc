#include "orchestrator/plan/congestion_text.h"

#include <string.h>

#include "nodes/base/units.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/parameter_json.h"

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

static json_t *basis_json(const struct congestion_basis *basis)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "rate_bps", (json_int_t)basis->rate_bps, "rtt_ps",
			 (json_int_t)basis->rtt_ps, "link_rtt_ps", (json_int_t)basis->link_rtt_ps,
			 "mtu_bytes", (json_int_t)basis->mtu_bytes);
}

/* All numbers but the table of settings; those of keys eca.* are in an object of their own.
 * Return: 0; else memory is short. */
static int numbers_put(const struct congestion_config *config, json_t *root)
{
	json_t *eca = json_object();
	int error = json_object_set_new(root, "eca", eca);

	if (error) /* there is no eca any more */
		return error;
	for (size_t r = 0; r < congestion_parameters.count; r++) {
		const struct parameter *row = &congestion_parameters.rows[r];
		bool of_eca = row->key && !strncmp(row->key, "eca.", 4);
		bool enables = row->offset == offsetof(struct congestion_config, eca);

		if (row->bytes)
			error |= json_object_set_new(of_eca ? eca : root,
						     enables ? "enabled" : row->field,
						     parameter_json(row, config));
	}
	if (!config->ecn)
		error |= json_object_set_new(root, "ecn_eca", json_integer(0));
	return error;
}

json_t *congestion_json(const struct congestion_basis *basis,
			const struct congestion_config *config)
{
	json_t *root = json_object(), *settings = json_array();
	int error = json_object_set_new(root, "basis", basis_json(basis));

	error |= numbers_put(config, root);
	error |= json_object_set_new(root, "settings", settings);
	for (uint32_t row = 0; row < congestion_setting_count(config) && !error; row++)
		error = json_array_append_new(
			settings,
			parameters_json(&congestion_setting_parameters, &config->settings[row]));
	if (!error)
		return root;
	json_decref(root);
	return NULL;
}
