#include "orchestrator/plan/plan_congestion_make.h"

#include <errno.h>

#include "nodes/link/link.h"
#include "nodes/base/units.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/plan/plan_routes.h"

/* ---- numbers of the fabric ---- */

static node_time_t frame_ps(const struct port_config *port)
{
	return node_time_of_bytes(port->mtu_bytes + port->gap_bytes, port->rate_bps);
}

/* The round trip over the link at @port. Each direction has the latency of the switch, a frame of
 * the MTU, and the delay and the mean jitter of the link; then an ACK waits for others. */
static node_time_t hop_round_trip_ps(const struct node_config *node, const struct port_config *port)
{
	return 2 * (node->switch_.latency_ps + frame_ps(port) + port->delay_ps + port->jitter_ps) +
	       node->switch_.ack_t3_ps;
}

/* The time from a packet's arrival in the last switch until its ACK starts: when it leaves, or, if
 * its link to the host is guarded, when the NIC has confirmed it. */
static node_time_t egress_time_ps(const struct node_config *node, const struct port_config *port,
				  bool acks)
{
	return port->guarded && acks
		       ? hop_round_trip_ps(node, port) + LINK_SEEN_FRAMES * frame_ps(port)
		       : node->switch_.latency_ps + frame_ps(port);
}

int plan_congestion_basis(enum clock_kind clock, const struct plan *plan,
			  struct congestion_basis *basis)
{
	const bool acks = plan_fabric(plan) == FABRIC_FLOW_CHANNEL;
	node_time_t late_ps = clock == CLOCK_REAL ? PLAN_CONGESTION_LATE_PS / plan->dilation : 0,
		    egress_ps = 0;
	int error;

	*basis = (struct congestion_basis){ .hosts = plan->host_count, .late_ps = late_ps };
	error = plan_routes_longest_ps(plan, hop_round_trip_ps, 2 * late_ps, &basis->rtt_ps);
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct node_config *node = &plan->nodes[i];

		for (uint32_t p = 0; p < node->port_count; p++) {
			const struct port_config *port = &node->ports[p];

			if (port->vacant)
				continue;
			basis->link_rtt_ps = node_time_max(
				basis->link_rtt_ps, hop_round_trip_ps(node, port) + 2 * late_ps);
			if (port->mtu_bytes > basis->mtu_bytes)
				basis->mtu_bytes = port->mtu_bytes;
			if (port->kind != PORT_EDGE)
				continue;
			egress_ps = node_time_max(egress_ps,
						  egress_time_ps(node, port, acks) + late_ps);
			if (port->rate_bps > basis->rate_bps)
				basis->rate_bps = port->rate_bps;
		}
	}
	basis->rtt_ps += egress_ps;
	return error;
}

/* ---- values of the scenario ---- */

/* EC-9, which [S2] assumes on tapered fabrics: what a host needs in flight to saturate its link to
 * the farthest host, and four packets. */
static void port_limit_preset(struct congestion_config *congestion, const struct scenario *scenario,
			      const struct congestion_basis *basis)
{
	uint64_t bytes =
		node_bytes_in_time(basis->rtt_ps, basis->rate_bps) + 4ull * basis->mtu_bytes;
	uint64_t units = (bytes + UNIT_BYTES - 1) / UNIT_BYTES;

	if (scenario->routing.preset == PRESET_S2)
		congestion->port_limit_units = units < CONGESTION_PORT_UNITS_MAX
						       ? (uint32_t)units
						       : CONGESTION_PORT_UNITS_MAX;
}

/* FC-12: derived from values that are filled already. The threshold is half the level at which hop
 * credit keeps a queue of setting 0, and the step is that of an egress queue (ours). */
static void inputs_derive(struct congestion_config *congestion,
			  const struct congestion_config *given)
{
	if (!given->inputs_thresh_units)
		congestion->inputs_thresh_units = congestion->settings[0].drop_units;
	if (!given->inputs_shift)
		congestion->inputs_shift = congestion->dbf_shift;
}

static void row_take(struct congestion_setting *setting, const struct congestion_setting *said,
		     const struct congestion_setting *given)
{
	if (given->target_units)
		plan_congestion_levels(setting, said->target_units);
	parameters_take(&congestion_setting_parameters, setting, said, given);
}

static const struct congestion_setting *setting_of(const struct congestion_config *congestion,
						   uint32_t eca)
{
	uint32_t row = CONGESTION_SETTINGS - 1;

	while (row && congestion->settings[row].eca_min > eca)
		row--;
	return &congestion->settings[row];
}

/* A row given by its number changes that row of the derived table. A list replaces the derived
 * table: what a row of the list does not give is that of the derived table for the same ECA. */
static void table_take(struct congestion_config *congestion, const struct scenario_congestion *said)
{
	const struct congestion_config derived = *congestion;
	uint32_t count = said->row_count ? said->row_count : CONGESTION_SETTINGS, row = 0;

	for (; row < count; row++) {
		const struct congestion_setting *given = &said->given.settings[row];
		uint32_t eca_min = given->eca_min ? said->config.settings[row].eca_min
						  : derived.settings[row].eca_min;

		congestion->settings[row] =
			said->row_count ? *setting_of(&derived, eca_min) : derived.settings[row];
		congestion->settings[row].eca_min = eca_min;
		row_take(&congestion->settings[row], &said->config.settings[row], given);
	}
	for (; row < CONGESTION_SETTINGS; row++)
		congestion->settings[row] = congestion->settings[row - 1];
}

/* `enabled: no` */
static void mechanisms_off(struct congestion_config *congestion)
{
	for (size_t r = 0; r < congestion_parameters.count; r++)
		if (congestion_parameters.rows[r].unit == PARAMETER_UNIT_FLAG)
			parameter_put(&congestion_parameters.rows[r], congestion, false);
	congestion->port_limit_units = 0;
}

/* ---- checks ---- */

static bool is_said(const struct scenario_place *place)
{
	return place->line || place->setting;
}

/* the place of an error in @row: that row if it is given, else the row before, else the section */
static const struct scenario_place *row_place(const struct scenario_congestion *said, uint32_t row)
{
	if (is_said(&said->row_places[row]))
		return &said->row_places[row];
	return row && is_said(&said->row_places[row - 1]) ? &said->row_places[row - 1]
							  : &said->place;
}

static const char *units_text(uint32_t units, char *text)
{
	return quantity_format(QUANTITY_BYTES, (uint64_t)units * UNIT_BYTES, text);
}

static bool levels_fit(const struct scenario *scenario, const struct congestion_setting *setting,
		       uint32_t row, struct scenario_errors *errors)
{
	char text[4][QUANTITY_TEXT_MAX];

	if (setting->drop_units < setting->target_units &&
	    setting->target_units <= setting->high_units &&
	    setting->high_units <= setting->queue_extent_units)
		return true;
	scenario_errors_at(errors, scenario, row_place(&scenario->congestion, row),
			   "setting %u: expected drop < target <= high <= queue-extent, in steps "
			   "of 256B; they are %s, %s, "
			   "%s, %s",
			   row, units_text(setting->drop_units, text[0]),
			   units_text(setting->target_units, text[1]),
			   units_text(setting->high_units, text[2]),
			   units_text(setting->queue_extent_units, text[3]));
	return false;
}

static bool eca_fits(const struct scenario *scenario, const struct congestion_setting *setting,
		     uint32_t row, struct scenario_errors *errors)
{
	if (row ? setting->eca_min > setting[-1].eca_min : !setting->eca_min)
		return true;
	if (row)
		scenario_errors_at(errors, scenario, row_place(&scenario->congestion, row),
				   "setting %u: its eca is %u, but it must be above that of "
				   "setting %u, which is %u",
				   row, setting->eca_min, row - 1, setting[-1].eca_min);
	else
		scenario_errors_at(errors, scenario, row_place(&scenario->congestion, row),
				   "setting 0: its eca is %u, but the first setting is for no "
				   "congestion: expected 0",
				   setting->eca_min);
	return false;
}

static bool byte_time_fits(const struct scenario *scenario,
			   const struct congestion_setting *setting, uint32_t row,
			   struct scenario_errors *errors)
{
	uint64_t byte_ps = setting->byte_time_ps << setting->byte_time_scale;
	char text[2][QUANTITY_TEXT_MAX];

	if (byte_ps <= CONGESTION_BYTE_TIME_PS_MAX)
		return true;
	scenario_errors_at(errors, scenario, row_place(&scenario->congestion, row),
			   "setting %u: byte-time * 2^byte-time-scale is %s for every byte; "
			   "expected at most %s",
			   row, quantity_format(QUANTITY_TIME, byte_ps, text[0]),
			   quantity_format(QUANTITY_TIME, CONGESTION_BYTE_TIME_PS_MAX, text[1]));
	return false;
}

static bool table_fits(const struct scenario *scenario, const struct congestion_config *congestion,
		       struct scenario_errors *errors)
{
	uint32_t said_count = scenario->congestion.row_count;
	uint32_t count = said_count ? said_count : CONGESTION_SETTINGS;
	unsigned errors_before = errors->count;

	for (uint32_t row = 0; row < count && errors->count == errors_before; row++) {
		const struct congestion_setting *setting = &congestion->settings[row];

		if (eca_fits(scenario, setting, row, errors) &&
		    levels_fit(scenario, setting, row, errors))
			byte_time_fits(scenario, setting, row, errors);
	}
	return errors->count == errors_before;
}

/* ---- the whole ---- */

static bool is_spread(const struct scenario *scenario)
{
	bool unordered = false;

	for (uint32_t c = 0; c < scenario->class_count; c++)
		unordered |= scenario->classes[c].unordered;
	return unordered &&
	       scenario_routing_choice(&scenario->routing, scenario->fabric) == ROUTING_ADAPTIVE;
}

int plan_congestion_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
			 struct scenario_errors *errors)
{
	const struct scenario_congestion *said = &scenario->congestion;
	struct congestion_config congestion;
	struct congestion_basis basis;
	int error = plan_congestion_basis(clock, plan, &basis);

	if (error)
		return error;
	basis.spread = is_spread(scenario);
	congestion = plan_congestion_derive(&basis);
	port_limit_preset(&congestion, scenario, &basis);
	parameters_take(&congestion_parameters, &congestion, &said->config, &said->given);
	table_take(&congestion, said);
	inputs_derive(&congestion, &said->given);
	if (!said->enabled)
		mechanisms_off(&congestion);
	if (!table_fits(scenario, &congestion, errors))
		return -EINVAL;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		plan->nodes[i].switch_.congestion = congestion;
	return 0;
}
