/*  Fuzzes switchd's dataplane (TB-23): one port's neighbour is hostile, the others behave
 *  (tests/unit/switchd/flow_channel/one_switch.h).
 *
 *  Input: [setting 1][steps ...]. Setting: bits 0-1 the hostile port, 2 cut through, 3 guarded, 4
 *  arbiter by port, 5 few channels, 6 flows are held at their source (FGFC), 7 congestion control,
 *  which is then said before the steps: [mechanisms 1][detection thresholds 1][their shifts 1][slow
 *  start 1][port limit 1] and three rows of the table, [rate 1][flow-extent 1][drop 1][target -
 *  drop 1][high - target 1][queue-extent - high 1][byte time 1].
 *  A step is [kind 1][wait 2][arguments]; its record comes `wait` nanoseconds after the one before
 *  it, for times in a ring never go back, though they may lie in the switch's past. Numbers are big
 *  endian, and 0 where the input has ended.
 *    0 packet     [wire length 2][class 1][sequence skips 1][captured 1][bytes ...]
 *    1 ACK bytes  [wire length 2][captured 1][bytes ...]
 *    2 ACK frame  [count 1][count * {flow_id 1, type 1, value 1}], well formed; a value of 255 is
 *                 the greatest, which ends metering
 *    3 word       [kind 1][class 1][value 4]
 *    4 packet     [flow_id 1][position 2][destination 1][frame length 2], with a good fabric header
 *    5 packet     [destination 1][flow 1][class 1][frame length 2], as a host sends it
 *    6 a good host's packet on another port: [port 1][destination 1][flow 1][frame length 2]
 *    7 run        for `wait`; what the switch has sent is taken
 *    8 set        [parameter 1][value 1]; of "match" values from 128 on are match sets with masks,
 *                 of one port from 192 on
 *    9 FGFC frame [captured 1][bytes ...]
 *   10 tables     [2 bits each: p2 and p3 lead to switch 2, to switch 3, upward; 1]; flows are
 *                 redirected from then on: bit 6, in groups; bit 7, not as in a tree
 *  The switch must survive, keep its books, and have counted every packet that went no further. */
#include <stdint.h>
#include <stdio.h>

#include "tests/unit/switchd/flow_channel/one_switch.h"

#define STEPS_MAX 300u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct script {
	const uint8_t *at, *end;
};

struct play {
	struct one_switch s;
	struct script script;
	uint32_t hostile;
	node_time_t ring_ps; /* of the hostile port's last record */
	node_time_t now;     /* run so far */
};

static uint32_t take(struct script *script, uint32_t bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | (script->at < script->end ? *script->at++ : 0);
	return value;
}

static uint32_t take_bytes(struct script *script, uint32_t count, uint8_t *bytes)
{
	uint32_t there = (uint32_t)(script->end - script->at);

	if (count > there)
		count = there;
	memcpy(bytes, script->at, count);
	script->at += count;
	return count;
}

/* ---- the books ---- */

static uint64_t drops(const struct play *play, const enum drop_reason *reasons, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += play->s.stats->drops[reasons[i]];
	return sum;
}

/* what came in is out, inside, or counted; the last two reasons count other things too */
static void packets_check(const struct play *play)
{
	static const enum drop_reason reasons[] = { DROP_NO_DESTINATION, DROP_NO_ROUTE,
						    DROP_OVERSIZE,       DROP_BUFFER_OVERFLOW,
						    DROP_BAD_CHANNEL,    DROP_MALFORMED,
						    DROP_BAD_RECORD,     DROP_FLOOD_LIMIT,
						    DROP_NO_LISTENER };
	const struct stats_page *stats = play->s.stats;
	/* a frame that is flooded makes room for its copies */
	uint64_t arrived = stats->flooded_packets, gone;

	for (uint32_t p = 0; p < PORTS; p++)
		arrived += stats_port(play->s.stats, p)->rx_packets;
	assert(arrived >= stats->data_hops + stats->inside_packets);
	gone = arrived - stats->data_hops - stats->inside_packets;
	assert(gone >= drops(play, reasons, 5));
	assert(gone <= drops(play, reasons, 9) + stats->flooded_packets);
	assert(play->s.dp->sw.pool.used == stats->inside_packets);
}

static void flow_check(const struct dataplane *dp, uint32_t p, uint32_t id)
{
	const struct ifct_entry *flow = &dp->ifcts[p].entries[id];
	/* its limits may outlive its packets */
	bool remembered = dp->wakes.places[flow_ref(p, id)];

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
		const struct ifct_entry *flow = &dp->ifcts[p].entries[i];

		if (!flow->active)
			continue;
		promised[flow->traffic_class] += headroom_promise(flow, port->mtu_units);
		extent += ifct_flow_extent(flow);
		metered += flow->um;
		limited += flow->ep_congestion != 0;
	}
	for (uint32_t c = 0; c < dp->sw.class_count; c++)
		assert(promised[c] == port->promised_units[c]);
	assert(metered == port->stats->metered && limited == port->stats->limited);
	assert(port->kind == PORT_FABRIC || extent == port->stats->extent_units);
}

static bool name_valid(const struct flow_name *name, const struct flow_name *mask)
{
	return flow_name_is_masked(mask) ? flow_name_masked_valid(name, mask)
					 : flow_name_valid(name);
}

/* FGFC: who is held is counted, and has a queue; who stands in the ring is marked */
static void fgfc_check(const struct play *play, uint32_t p)
{
	const struct fgfc *fgfc = &play->s.dp->ports[p].fgfc;
	uint32_t on = 0, waiting = 0;

	for (uint32_t i = 0; fgfc_enabled(fgfc) && i < fgfc->channels; i++) {
		on += fgfc->lines[i].on;
		waiting += fgfc->lines[i].waiting;
		assert(!fgfc->lines[i].on || ifct_queue_extent(&play->s.dp->ifcts[p].entries[i]));
		assert(!fgfc->lines[i].on || name_valid(&fgfc->lines[i].name, &fgfc->masks[i]));
	}
	assert(on == fgfc->on && waiting == fgfc->count);
}

static void port_check(const struct play *play, uint32_t p)
{
	const struct dataplane *dp = play->s.dp;
	const struct port *port = &dp->ports[p];
	uint32_t active = 0;

	for (uint32_t i = 0; i < dp->ifcts[p].channels; i++) {
		flow_check(dp, p, i);
		active += dp->ifcts[p].entries[i].active;
	}
	assert(active == dp->ifcts[p].used);
	sums_check(dp, p);
	fgfc_check(play, p);
	assert(port->efct.used <= port->efct.channels && port->ofct.used <= port->ofct.channels);
	assert(port->kind == PORT_FABRIC || port->efct.used == active);
	for (uint32_t c = 0; c < dp->sw.class_count; c++)
		assert(port->link->held_units[c] <= port->link->buffer_units);
}

/* ---- steps ---- */

/* a record of the hostile neighbour; a full ring is emptied by the next run */
static void hostile_send(struct play *play, enum record_kind kind, uint32_t wire_bytes,
			 uint32_t traffic_class, const uint8_t *bytes, uint32_t captured)
{
	struct record header = { .at_ps = play->ring_ps,
				 .wire_bytes = wire_bytes,
				 .captured_bytes = captured,
				 .sequence = play->s.neighbours[play->hostile].sequence,
				 .kind = (uint16_t)kind,
				 .traffic_class = (uint16_t)traffic_class };

	if (neighbour_send(&play->s, play->hostile, &header, bytes))
		play->s.neighbours[play->hostile].sequence++;
}

static void step_packet(struct play *play, bool acks)
{
	uint8_t bytes[256];
	uint32_t wire_bytes = take(&play->script, 2) % RING_CAPTURED_MAX;
	uint32_t traffic_class = acks ? 0 : take(&play->script, 1);
	uint32_t skip = acks ? 0 : take(&play->script, 1);
	uint32_t captured = take_bytes(&play->script, take(&play->script, 1), bytes);

	/* small numbers skip that many frames, large ones go back or far away */
	play->s.neighbours[play->hostile].sequence += skip < 128 ? skip : (skip - 256) * 37;
	hostile_send(play, acks ? RECORD_ACKS : RECORD_PACKET, wire_bytes, traffic_class, bytes,
		     captured);
}

static void step_acks(struct play *play)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint8_t envelope[FABRIC_ENVELOPE_BYTES], bytes[LINK_ACK_BYTES_MAX];
	uint32_t count = 1 + take(&play->script, 1) % ACK_FRAME_ACKS_MAX;

	for (uint32_t i = 0; i < count; i++) {
		acks[i].flow_id = (uint16_t)take(&play->script, 1);
		acks[i].type = (uint8_t)(take(&play->script, 1) % ACK_TYPES);
		acks[i].value = (uint16_t)take(&play->script, 1);
		if (acks[i].value == 255)
			acks[i].value = ACK_VALUE_MAX;
	}
	fabric_envelope_write(2, 0, 1, 0, envelope);
	hostile_send(play, RECORD_ACKS, ack_frame_wire_bytes(count), 0, bytes,
		     ack_frame_write(envelope, acks, count, bytes));
}

/* hosts and switches have nothing to say in such frames */
static void step_fgfc(struct play *play)
{
	uint8_t bytes[256];
	uint32_t captured = take_bytes(&play->script, take(&play->script, 1), bytes);

	hostile_send(play, RECORD_FGFC, captured + FRAME_FCS_BYTES, 0, bytes, captured);
}

static void step_word(struct play *play)
{
	uint32_t kind = take(&play->script, 1), traffic_class = take(&play->script, 1);
	struct record header = { .at_ps = play->ring_ps,
				 .wire_bytes = LINK_WORD_BYTES,
				 .kind = RECORD_WORD,
				 .traffic_class = (uint16_t)traffic_class,
				 .word = (uint64_t)kind << 32 | take(&play->script, 4) };

	neighbour_send(&play->s, play->hostile, &header, "");
}

/* a length that a frame can be written with, up to a little more than the MTU */
static uint32_t take_length(struct script *script)
{
	return 70 + take(script, 2) % (MTU - 60);
}

static void step_fabric_packet(struct play *play)
{
	uint8_t bytes[FABRIC_FRONT_BYTES + FRAME_HEADERS_MAX];
	struct fabric_header header = { .ordered = true };
	uint32_t destination, frame_bytes, captured;

	header.flow_id = (uint16_t)take(&play->script, 1);
	header.data_flow = (uint16_t)take(&play->script, 2);
	destination = take(&play->script, 1) % (HOSTS + 2);
	frame_bytes = take_length(&play->script);
	header.fabric_address = (uint16_t)(1 + destination / 2);
	header.egress_port = (uint8_t)(destination % 2);
	header.units = (uint16_t)units_of_bytes(frame_bytes);
	fabric_envelope_write(2, 0, 1, 0, bytes);
	fabric_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	captured = frame_make(0, destination, 0, 0, frame_bytes, bytes + FABRIC_FRONT_BYTES);
	hostile_send(play, RECORD_PACKET, FABRIC_HEADER_BYTES + frame_bytes + FRAME_FCS_BYTES, 0,
		     bytes, FABRIC_FRONT_BYTES + captured);
}

static void step_host_packet(struct play *play)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t destination = take(&play->script, 1) % (HOSTS + 2), flow = take(&play->script, 1);
	uint32_t traffic_class = take(&play->script, 1) % NODE_CLASSES_MAX,
		 frame_bytes = take_length(&play->script);
	uint32_t captured = frame_make(0, destination, flow, traffic_class, frame_bytes, bytes);

	hostile_send(play, RECORD_PACKET, frame_bytes + FRAME_FCS_BYTES, traffic_class, bytes,
		     captured);
}

/* a good host stops in time */
static void step_good_packet(struct play *play)
{
	uint32_t port = take(&play->script, 1) % 2, destination = take(&play->script, 1) % HOSTS;
	uint32_t flow = take(&play->script, 1), frame_bytes = take_length(&play->script);

	if (port == play->hostile || frame_bytes > MTU ||
	    play->s.links[port].held_units[0] + units_of_bytes(frame_bytes) >
		    play->s.links[port].buffer_units)
		return;
	host_send(&play->s, port, play->now, destination, flow, 0, frame_bytes);
}

static void step_run(struct play *play, node_time_t wait)
{
	struct received got;

	play->now += wait;
	assert(one_switch_run(&play->s, play->now) >= play->now);
	for (uint32_t p = 0; p < PORTS; p++) {
		while (neighbour_receive_any(&play->s, p, &got))
			;
		port_check(play, p);
	}
	packets_check(play);
}

/* FC-2: @value of "match", 128..255, as words; the port that it is for is written to @name, which
 * has room for that */
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

static void step_set(struct play *play)
{
	static const char *const names[] = { "match",       "ack.t1",       "ack.t2", "ack.t3",
					     "ack.collect", "output-queue", "other" };
	char name[16], value[80], *text = NULL;
	uint32_t number;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	snprintf(name, sizeof(name), "%s", names[take(&play->script, 1) % 7]);
	number = take(&play->script, 1);
	snprintf(value, sizeof(value), "%u", number);
	if (!strcmp(name, "match") && number > MATCH_ALL)
		snprintf(value, sizeof(value), "%s", match_of(number, name));
	assert(out);
	switchd_ops.set(play->s.dp, name, value, out);
	fclose(out);
	free(text);
}

static void step_tables(struct play *play)
{
	uint32_t ports = take(&play->script, 1);
	struct routing_config *routing = &play->s.config.switch_.routing;
	struct route_config routes[] = { { .fabric_address = 2, .ports = (ports & 3) << 2 },
					 { .fabric_address = 3, .ports = (ports >> 2 & 3) << 2 },
					 { .fabric_address = ROUTE_UPWARD,
					   .ports = (ports >> 4 & 3) << 2 } };
	struct switch_config tables = play->s.config.switch_;

	tables.routes = routes;
	tables.route_count = 3;
	assert(switchd_ops.tables(play->s.dp, &tables) >= 0);
	routing->choice = ROUTING_ADAPTIVE;
	routing->redirect = routing->redirect_anywhere = true;
	routing->redirect_inputs = !(ports >> 7);
	routing->redirect_group = ports >> 6 & 1 ? ROUTING_GROUP_MAX : 1;
	routing->redirect_full_units = 1;
	routing->redirect_interval_ps = NODE_US;
}

static void step(struct play *play)
{
	uint32_t kind = take(&play->script, 1);
	node_time_t wait = take(&play->script, 2) * NODE_NS;

	if (kind != 7)
		play->ring_ps += wait;
	switch (kind) {
	case 0:
	case 1:
		step_packet(play, kind == 1);
		break;
	case 2:
		step_acks(play);
		break;
	case 3:
		step_word(play);
		break;
	case 4:
		step_fabric_packet(play);
		break;
	case 5:
		step_host_packet(play);
		break;
	case 6:
		step_good_packet(play);
		break;
	case 7:
		step_run(play, wait);
		break;
	case 8:
		step_set(play);
		break;
	case 9:
		step_fgfc(play);
		break;
	case 10:
		step_tables(play);
		break;
	default:
		break;
	}
}

/* flows are held at their source from a few packets on */
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
		congestion->settings[i].eca_min = i < 3 ? 32 * i : CONGESTION_ECA_UNUSED;
	}
}

static void open_switch(struct play *play, uint32_t setting)
{
	struct one_switch *s = &play->s;

	one_switch_configure(s);
	play->hostile = setting & 3;
	s->config.class_count = 2;
	s->config.switch_.cut_through = setting & 4;
	s->config.switch_.arbiter = setting & 16 ? ARBITER_BY_PORT : ARBITER_BY_FLOW;
	s->config.switch_.output_queue_units_max = 16;
	for (uint32_t p = 0; p < PORTS; p++) {
		s->ports[p].channels = setting & 32 ? 2 : 32;
		s->ports[p].buffer_units = 48;
		s->ports[p].stop_units = 32;
	}
	s->ports[play->hostile].guarded = setting & 8;
	if (setting & 64)
		fgfc_set(&s->config.switch_.congestion);
	if (setting & 128)
		take_congestion(&play->script, &s->config.switch_.congestion);
	one_switch_open(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct play play;

	play = (struct play){ .script = { data, data + size } };
	open_switch(&play, take(&play.script, 1));
	for (uint32_t i = 0; i < STEPS_MAX && play.script.at < play.script.end; i++)
		step(&play);
	step_run(&play, 10 * NODE_MS);
	step_run(&play, 10 * NODE_MS);
	one_switch_close(&play.s);
	return 0;
}
