/*  Fuzzes the flow-channel switch (TB-23): one neighbour is hostile, the others behave. The harness
 *  is switch_harness.h.
 *
 *  Setting, 1 byte: bits 0-1 the hostile port, 2 cut-through, 3 guarded, 4 arbiter by port, 5 few
 *  channels, 6 flows are paused at their source (FGFC), 7 congestion control, whose parameters
 *  follow: [mechanisms 1][detection thresholds 1][their shifts 1][slow start 1][port limit 1] and
 *  three rows of the table, [rate 1][flow extent 1][drop 1][target - drop 1][high - target 1][queue
 *  extent - high 1][byte time 1].
 *  A step has no byte for its port, which is the hostile one:
 *    0 packet     [wire length 2][class 1][sequence skips 1][captured 1][bytes ...]
 *    1 ACK bytes  [wire length 2][captured 1][bytes ...]
 *    2 ACK frame  [count 1][count * {flow_id 1, type 1, value 1}], well formed; a value of 255 is
 *                 the greatest, which ends metering
 *    3 word       [kind 1][class 1][value 4]
 *    4 packet     [flow_id 1][position 2][destination 1][frame length 2], with a good fabric header
 *    5 packet     [destination 1][flow 1][class 1][frame length 2], as a host sends it
 *    6 packet     [port 1][destination 1][flow 1][frame length 2], of a good host on another port
 *    7 run        for `wait`; all neighbours receive
 *    8 set        [parameter 1][value 1]; of "match" values from 128 on are match sets with masks,
 *                 from 192 on of one port
 *    9 FGFC frame [captured 1][bytes ...]; hosts and switches have no use for one
 *   10 tables     [2 bits each: p2 and p3 lead to switch 2, to switch 3, upward; 1]; from then on
 *                 flows are redirected: bit 6, in groups; bit 7, not as in a tree
 *    else         nothing
 *  After each run, what a port counts is what its flows have. */
#include "tests/fuzz/switch_harness.h"

#define FRAME_MIN 70u

/* ---- the accounts ---- */

static void flow_check(const struct dataplane *dp, uint32_t p, uint32_t id)
{
	const struct ifct_entry *flow = TABLE_AT(dp->ifcts[p].entries, id);
	/* its limits may outlive its packets */
	bool remembered = *deadline_heap_place(&dp->wakes, flow_ref(p, id));

	assert(!flow->active || ifct_total_extent(flow) || remembered);
	assert(!flow->active || !flow->queue.head == (flow->wait == IFCT_NOT_WAITING));
	assert(flow->active || !remembered);
	assert(flow->active || !flow->queue.head);
	assert(!flow->queue.head == !ifct_queue_extent(flow) || !flow->active);
	assert(!flow->active || ifct_queue_extent(flow) <= ifct_total_extent(flow));
}

/* what a port counts is what its flows have */
static void sums_check(const struct dataplane *dp, uint32_t p)
{
	const struct port *port = &dp->ports[p];
	uint32_t promised[NODE_CLASSES_MAX] = { 0 };
	uint64_t extent = 0, metered = 0, limited = 0;

	for (uint32_t i = 0; i < dp->ifcts[p].channels; i++) {
		const struct ifct_entry *flow = TABLE_AT(dp->ifcts[p].entries, i);

		if (!flow->active)
			continue;
		promised[flow->traffic_class] += headroom_promise(flow, port->mtu_units);
		extent += ifct_flow_extent(flow);
		metered += flow->um;
		limited += flow->ep_congestion != 0;
	}
	for (uint32_t c = 0; c < dp->sw.class_count; c++)
		assert(promised[c] == port->fabric.promised_units[c]);
	assert(metered == port->stats->metered && limited == port->stats->limited);
	assert(port->kind == PORT_FABRIC || extent == port->stats->extent_units);
}

static bool name_valid(const struct flow_name *name, const struct flow_name *mask)
{
	return flow_name_is_masked(mask) ? flow_name_masked_valid(name, mask)
					 : flow_name_valid(name);
}

/* FGFC: a paused flow is counted and has a queue; a flow that waits for its frame is marked */
static void fgfc_check(const struct harness *harness, uint32_t p)
{
	const struct fgfc *fgfc = &harness->s.dp->ports[p].edge.fgfc;
	uint32_t on = 0, waiting = 0;

	for (uint32_t i = 0; fgfc_enabled(fgfc) && i < fgfc->channels; i++) {
		on += TABLE_AT(fgfc->lines, i)->on;
		waiting += TABLE_AT(fgfc->lines, i)->waiting;
		assert(!TABLE_AT(fgfc->lines, i)->on ||
		       ifct_queue_extent(TABLE_AT(harness->s.dp->ifcts[p].entries, i)));
		assert(!TABLE_AT(fgfc->lines, i)->on ||
		       name_valid(&TABLE_AT(fgfc->lines, i)->name, &fgfc->masks[i]));
	}
	assert(on == fgfc->on && waiting == fgfc->count);
}

static void port_check(const struct harness *harness, uint32_t p)
{
	const struct dataplane *dp = harness->s.dp;
	const struct port *port = &dp->ports[p];
	uint32_t active = 0;

	for (uint32_t i = 0; i < dp->ifcts[p].channels; i++) {
		flow_check(dp, p, i);
		active += TABLE_AT(dp->ifcts[p].entries, i)->active;
	}
	assert(active == dp->ifcts[p].used);
	sums_check(dp, p);
	fgfc_check(harness, p);
	assert(port->edge.efct.used <= port->edge.efct.channels &&
	       port->fabric.ofct.used <= port->fabric.ofct.channels);
	assert(port->kind == PORT_FABRIC || port->edge.efct.used == active);
	for (uint32_t c = 0; c < dp->sw.class_count; c++)
		assert(port->link->rx.held_units[c] <= port->link->rx.buffer_units);
}

static void check(const struct harness *harness)
{
	for (uint32_t p = 0; p < PORTS; p++)
		port_check(harness, p);
}

/* ---- steps ---- */

static void record_of_bytes(struct harness *harness, enum record_kind kind)
{
	uint8_t bytes[256];
	struct record record = { .kind = (uint16_t)kind };
	uint32_t skip = 0;

	record.wire_bytes = take(&harness->script, 2) % RING_CAPTURED_MAX;
	if (kind == RECORD_PACKET) {
		record.traffic_class = (uint16_t)take(&harness->script, 1);
		skip = take(&harness->script, 1);
	}
	record.captured_bytes = take_bytes(&harness->script, take(&harness->script, 1), bytes);
	/* small numbers skip that many frames, large ones go back or far away */
	harness->s.neighbours[harness->port].sequence += skip < 128 ? skip : (skip - 256) * 37;
	harness_send(harness, record, bytes, 0);
}

static void step_packet(struct harness *harness)
{
	record_of_bytes(harness, RECORD_PACKET);
}

static void step_ack_bytes(struct harness *harness)
{
	record_of_bytes(harness, RECORD_ACKS);
}

static void step_acks(struct harness *harness)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint8_t envelope[FABRIC_ENVELOPE_BYTES], bytes[LINK_ACK_BYTES_MAX];
	uint32_t count = 1 + take(&harness->script, 1) % ACK_FRAME_ACKS_MAX;

	for (uint32_t i = 0; i < count; i++) {
		acks[i].flow_id = (uint16_t)take(&harness->script, 1);
		acks[i].type = (uint8_t)(take(&harness->script, 1) % ACK_TYPES);
		acks[i].value = (uint16_t)take(&harness->script, 1);
		if (acks[i].value == 255)
			acks[i].value = ACK_VALUE_MAX;
	}
	fabric_envelope_write(2, 0, 1, 0, envelope);
	harness_send(
		harness,
		(struct record){ .kind = RECORD_ACKS,
				 .wire_bytes = ack_frame_wire_bytes(count),
				 .captured_bytes = ack_frame_write(envelope, acks, count, bytes) },
		bytes, 0);
}

static void step_fgfc(struct harness *harness)
{
	harness_send_bytes(harness, RECORD_FGFC);
}

static void step_word(struct harness *harness)
{
	uint32_t word = take(&harness->script, 1), traffic_class = take(&harness->script, 1);

	harness_send_word(harness, word, traffic_class, take(&harness->script, 4));
}

static void step_fabric_packet(struct harness *harness)
{
	uint8_t bytes[FABRIC_FRONT_BYTES + FRAME_HEADERS_MAX];
	struct fabric_header header = { .ordered = true };
	uint32_t destination, frame_bytes, captured;

	header.flow_id = (uint16_t)take(&harness->script, 1);
	header.data_flow = (uint16_t)take(&harness->script, 2);
	destination = take(&harness->script, 1) % (HOSTS + 2);
	frame_bytes = take_length(&harness->script, FRAME_MIN);
	header.fabric_address = (uint16_t)(1 + destination / 2);
	header.egress_port = (uint8_t)(destination % 2);
	header.units = (uint16_t)units_of_bytes(frame_bytes);
	fabric_envelope_write(2, 0, 1, 0, bytes);
	fabric_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	captured = frame_make(0, destination, 0, 0, frame_bytes, bytes + FABRIC_FRONT_BYTES);
	harness_send(
		harness,
		(struct record){ .kind = RECORD_PACKET,
				 .wire_bytes = FABRIC_HEADER_BYTES + frame_bytes + FRAME_FCS_BYTES,
				 .captured_bytes = FABRIC_FRONT_BYTES + captured },
		bytes, 0);
}

static void step_host_packet(struct harness *harness)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t destination = take(&harness->script, 1) % (HOSTS + 2),
		 flow = take(&harness->script, 1);
	uint32_t traffic_class = take(&harness->script, 1) % NODE_CLASSES_MAX,
		 frame_bytes = take_length(&harness->script, FRAME_MIN);
	uint32_t captured = frame_make(0, destination, flow, traffic_class, frame_bytes, bytes);

	harness_send(harness,
		     (struct record){ .kind = RECORD_PACKET,
				      .traffic_class = (uint16_t)traffic_class,
				      .wire_bytes = frame_bytes + FRAME_FCS_BYTES,
				      .captured_bytes = captured },
		     bytes, 0);
}

/* a good host stops in time */
static void step_good_packet(struct harness *harness)
{
	uint32_t port = take(&harness->script, 1) % 2,
		 destination = take(&harness->script, 1) % HOSTS;
	uint32_t flow = take(&harness->script, 1),
		 frame_bytes = take_length(&harness->script, FRAME_MIN);

	if (port == harness->port || frame_bytes > MTU ||
	    harness->s.links[port].rx.held_units[0] + units_of_bytes(frame_bytes) >
		    harness->s.links[port].rx.buffer_units)
		return;
	host_send(&harness->s, port, harness->now_ps, destination, flow, 0, frame_bytes);
}

/* FC-2: @value of "match", 128..255, as words; if it is for one port, @name,
 * which has space for it, gets that port */
static const char *match_of(uint32_t value, char *name)
{
	static const char *const matches[] = {
		"none",
		"destination-ip/24",
		"source-ip/30, source-port&0xfffe",
		"source-mac/40, destination-mac/44, vlan/4",
		"ports, source-ipv4&0.0.0.1",
		"ip-protocol/1, hpc-process/31, queue-pair&0x3",
		"destination-ipv6/127, flow-label/18, hpc-destination/31",
		"source-port/17"
	};

	if (value >= 192)
		strcpy(name, value & 1 ? "match.p1" : "match.p0");
	return matches[value / 2 % 8];
}

static void step_set(struct harness *harness)
{
	static const char *const names[] = { "match",        "acks.t1",      "acks.t2", "acks.t3",
					     "acks.collect", "output-queue", "other" };
	char name[16], value[80];
	uint32_t number;

	snprintf(name, sizeof(name), "%s", names[take(&harness->script, 1) % 7]);
	number = take(&harness->script, 1);
	snprintf(value, sizeof(value), "%u", number);
	if (!strcmp(name, "match") && number > MATCH_ALL)
		snprintf(value, sizeof(value), "%s", match_of(number, name));
	harness_set(harness, name, value);
}

static void step_tables(struct harness *harness)
{
	uint32_t ports = take(&harness->script, 1);
	struct routing_config *routing = &harness->s.config.switch_.routing;
	struct route_config routes[] = { { .fabric_address = 2, .ports = (ports & 3) << 2 },
					 { .fabric_address = 3, .ports = (ports >> 2 & 3) << 2 },
					 { .fabric_address = ROUTE_UPWARD,
					   .ports = (ports >> 4 & 3) << 2 } };
	struct switch_config tables = harness->s.config.switch_;

	tables.routes = routes;
	tables.route_count = 3;
	assert(flow_channel_ops.tables(harness->s.dp, &tables) >= 0);
	routing->choice = ROUTING_ADAPTIVE;
	routing->redirect = routing->redirect_anywhere = true;
	routing->redirect_inputs = !(ports >> 7);
	routing->redirect_group = ports >> 6 & 1 ? ROUTING_GROUP_MAX : 1;
	routing->redirect_full_units = 1;
	routing->redirect_interval_ps = NODE_US;
}

static harness_step *const steps[256] = { step_packet,      step_ack_bytes,     step_acks,
					  step_word,        step_fabric_packet, step_host_packet,
					  step_good_packet, step_run,           step_set,
					  step_fgfc,        step_tables };

/* ---- the configuration ---- */

/* flows are paused at their source from a few packets on */
static void fgfc_set(struct congestion_config *congestion)
{
	congestion->fgfc = true;
	congestion->fgfc_pause_ps = 20 * NODE_US;
	for (uint32_t i = 0; i < CONGESTION_SETTINGS; i++) {
		congestion->settings[i].high_units = 16;
		congestion->settings[i].target_units = 8;
		congestion->settings[i].drop_units = 4;
	}
}

/* one row of the table, as any that node_config_check() accepts */
static struct congestion_setting take_setting(struct script *script, bool limit_after_ack)
{
	struct congestion_setting setting = { .limit_after_ack = limit_after_ack };

	setting.rate_bps = 1000000ull << take(script, 1) % 19;
	setting.flow_extent_units = take(script, 1);
	setting.drop_units = take(script, 1) % 32;
	setting.target_units = setting.drop_units + 1 + take(script, 1) % 32;
	setting.high_units = setting.target_units + take(script, 1) % 32;
	setting.queue_extent_units = setting.high_units + take(script, 1);
	setting.byte_time_ps = 40;
	setting.byte_time_scale = take(script, 1) % 12;
	return setting;
}

static void take_congestion(struct script *script, struct congestion_config *congestion)
{
	uint32_t on = take(script, 1), thresholds = take(script, 1), shifts = take(script, 1);

	congestion->eca = on & 1;
	congestion->slow_start = on & 2;
	congestion->rate_limit = on & 4;
	congestion->flow_limit = on & 8;
	congestion->limit_after_ack = on & 16;
	congestion->headroom = on & 32;
	congestion->lbf_thresh_units = congestion->dbf_thresh_units = thresholds % 16;
	congestion->lpf_thresh = thresholds / 16;
	congestion->lbf_shift = shifts % 8;
	congestion->lpf_shift = congestion->dbf_shift = shifts / 8;
	congestion->slow_start_setting = take(script, 1) % CONGESTION_SETTINGS;
	congestion->port_limit_units = take(script, 1);
	for (uint32_t i = 0; i < CONGESTION_SETTINGS; i++) {
		congestion->settings[i] =
			i < 3 ? take_setting(script, on & 64) : congestion->settings[i - 1];
		congestion->settings[i].eca_min = i < 3 ? 32 * i : 64;
	}
}

static void configure(struct harness *harness, uint32_t setting)
{
	struct one_switch *s = &harness->s;

	harness->port = setting & 3;
	s->config.class_count = 2;
	s->config.switch_.cut_through = setting & 4;
	s->config.switch_.arbiter = setting & 16 ? ARBITER_BY_PORT : ARBITER_BY_FLOW;
	s->config.switch_.output_queue_units_max = 16;
	for (uint32_t p = 0; p < PORTS; p++) {
		s->ports[p].channels = setting & 32 ? 2 : 32;
		s->ports[p].buffer_units = 48;
		s->ports[p].stop_units = 32;
	}
	s->ports[harness->port].guarded = setting & 8;
	if (setting & 64)
		fgfc_set(&s->config.switch_.congestion);
	if (setting & 128)
		take_congestion(&harness->script, &s->config.switch_.congestion);
}

static void finish(struct harness *harness)
{
	harness_run(harness, ALL_PORTS, 10 * NODE_MS);
	harness_run(harness, ALL_PORTS, 10 * NODE_MS);
}

const struct harness_kind harness_kind = { .ops = &flow_channel_ops,
					   .setting_bytes = 1,
					   .configure = configure,
					   .one_port = true,
					   .steps = steps,
					   .step_kinds = COUNT_OF(steps),
					   .check = check,
					   .finish = finish };
