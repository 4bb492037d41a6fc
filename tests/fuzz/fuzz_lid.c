/*  Fuzzes the switch of fabric kind port-group (TB-23): neighbours send whatever they like, grant
 *  and take back what they like, links change, and the fabric manager writes any blocks
 *  (tests/unit/switchd/flow_channel/one_switch.h has the switch). Input: [settings 2][steps ...].
 *  Settings: bit 0 cut through, 1 never another port, 2-3 policy, 4 choices are for one packet, 5
 *  congested early, 6 no FECN, 7 levels are kept, 8 LIDs of 24 bits, 9 small buffers.
 *  A step is [kind 1][wait 2][port 1][arguments]; its record comes `wait` nanoseconds after the one
 *  before it. Numbers are big endian, and 0 where the input has ended.
 *    0 any bytes as a record of any kind   [record kind 1][lane 1][wire length 2][captured 1]
 *                                          [bytes ...]
 *    1 data                                [SLID 1][DLID 3][service level and level 1]
 *                                          [FECN, BECN 1][frame length 2]
 *    2 a run of data, back to back         [DLID 1][service level 1][count 1]
 *    3 a word of the link                  [word 1][lane 1][value 3]
 *    4 all that may be granted             to a lane of this port, [lane 1]
 *    5 run for `wait`; what the switch has sent is taken from that port, or from all (port 255)
 *    6 set                                 [parameter 1][value 2]
 *    7 the link goes down, or comes up again
 *    8 a block is written                  [table 1][number 1][from 1][bytes 1][bytes ...]
 *    9 a block is read                     [table 1][number 1]
 *  The switch must survive, keep its books (TB-25), never hold more of a neighbour than it has
 *  granted, have counted every packet that went no further, and hold nothing once all its links are
 *  down. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "nodes/node/managed.h"
#include "nodes/wire/lid_header.h"
#include "switchd/port_group/lid_switch.h"
#include "tests/unit/switchd/flow_channel/one_switch.h"

#define STEPS_MAX 300u
#define LEVELS 2u
#define LANES (2 * LEVELS)
#define LIDS 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct script {
	const uint8_t *at, *end;
};

struct play {
	struct one_switch s;
	struct managed managed;
	struct script script;
	node_time_t ring_ps;        /* of the step */
	node_time_t sent_ps[PORTS]; /* of the port's last record */
	node_time_t now;            /* run so far */
	uint32_t down;              /* set of ports */
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

static struct lid_switch *lid_of(const struct play *play)
{
	return play->s.dataplane;
}

/* ---- the books ---- */

struct held {
	uint64_t bytes;
	uint32_t packets, units[PORTS][LANES]; /* by the lane whose buffer they stand in */
};

static void lane_check(const struct lid_switch *lid, uint32_t p, uint32_t l, struct held *held,
		       uint64_t *bytes)
{
	const struct lid_lane *lane = &lid->ports[p].lanes[l];
	uint32_t units = 0;

	for (uint32_t in = 0; in < PORTS; in++) {
		for (const struct packet *i = lane->turns.inputs[in].queue.head; i; i = i->next) {
			assert(i->in_port == in && i->out_lane == l);
			units += i->units;
			*bytes += i->frame_bytes;
			held->packets++;
			if (!i->copy)
				held->units[in][i->lane] += i->units;
		}
	}
	assert(units == lane->units);
	assert(!units == !(lid->ports[p].backlog >> l & 1));
}

static void switch_check(const struct play *play)
{
	const struct lid_switch *lid = lid_of(play);
	struct stats_page *stats = play->s.stats;
	struct held held = { 0 };

	for (uint32_t p = 0; p < PORTS; p++) {
		uint64_t bytes = 0;

		for (uint32_t l = 0; l < LANES; l++)
			lane_check(lid, p, l, &held, &bytes);
		assert(bytes == lid->ports[p].gauge.bytes &&
		       bytes == stats_port(stats, p)->queue_bytes);
		assert(!(play->down >> p & 1) || !lid->ports[p].backlog);
		held.bytes += bytes;
	}
	assert(held.packets == lid->sw.pool.used && held.packets == stats->inside_packets);
	assert(held.bytes == stats->inside_bytes);
	assert(lid->sw.flood_packets <= lid->sw.flood_packets_max);
	for (uint32_t p = 0; p < PORTS; p++)
		for (uint32_t l = 0; l < LANES; l++)
			assert(!lid_port_up(lid, p) ||
			       (held.units[p][l] == play->s.links[p].held_units[l] &&
				held.units[p][l] <= play->s.ports[p].buffer_units));
}

/* what came in is out, inside, or counted; a frame that is flooded makes room for its copies */
static void packets_check(const struct play *play)
{
	struct stats_page *stats = play->s.stats;
	uint64_t arrived = stats->flooded_packets, gone, dropped = 0;

	for (uint32_t p = 0; p < PORTS; p++)
		arrived += stats_port(stats, p)->rx_packets;
	for (uint32_t i = 0; i < DROP_REASONS; i++)
		dropped += stats->drops[i];
	assert(arrived >= stats->data_hops + stats->inside_packets);
	gone = arrived - stats->data_hops - stats->inside_packets;
	assert(gone <= dropped || stats->flood_originals_bytes);
}

/* ---- steps ---- */

/* a record of the neighbour, `gap` behind its last one; what a full ring does not take is not
 * sent */
static void record_send(struct play *play, uint32_t port, const struct record *like,
			const uint8_t *bytes, node_time_t gap)
{
	struct neighbour *n = &play->s.neighbours[port];
	struct record header = *like;

	header.at_ps = node_time_max(play->ring_ps, play->sent_ps[port] + gap);
	header.sequence = n->sequence;
	if (play->down >> port & 1 || !neighbour_send(&play->s, port, &header, bytes))
		return;
	n->sequence += header.kind != RECORD_WORD;
	play->sent_ps[port] = header.at_ps;
}

static void step_record(struct play *play, uint32_t port)
{
	uint8_t bytes[256];
	struct record record = { .kind = (uint16_t)take(&play->script, 1) };

	if (record.kind & 8)
		record.kind = RECORD_PACKET;
	record.kind &= 7;
	record.traffic_class = (uint16_t)take(&play->script, 1);
	record.wire_bytes = take(&play->script, 2) % RING_CAPTURED_MAX;
	record.captured_bytes = take_bytes(&play->script, take(&play->script, 1), bytes);
	record_send(play, port, &record, bytes, 0);
}

static void data_send(struct play *play, uint32_t port, const struct lid_header *header,
		      node_time_t gap)
{
	uint8_t bytes[LID_FRONT_BYTES + FRAME_HEADERS_MAX];
	struct record record = { .kind = RECORD_PACKET,
				 .traffic_class =
					 (uint16_t)(header->service_level * LEVELS + header->level),
				 .wire_bytes =
					 LID_HEADER_BYTES + header->frame_bytes + FRAME_FCS_BYTES };

	record.captured_bytes = LID_FRONT_BYTES +
				frame_make(port, header->dlid % HOSTS, 0, header->service_level % 8,
					   header->frame_bytes, bytes + LID_FRONT_BYTES);
	fabric_envelope_write(9, 0, 1, 0, bytes);
	lid_header_write(header, bytes + FABRIC_ENVELOPE_BYTES);
	record_send(play, port, &record, bytes, gap);
}

static void step_data(struct play *play, uint32_t port)
{
	struct lid_header header = { .slid = take(&play->script, 1) };
	uint32_t lane, marks;

	header.dlid = take(&play->script, 3);
	lane = take(&play->script, 1) % (LANES + 1);
	header.service_level = (uint8_t)(lane / LEVELS);
	header.level = (uint8_t)(lane % LEVELS);
	marks = take(&play->script, 1);
	header.fecn = marks & 1;
	header.becn = marks & 2;
	header.frame_bytes =
		(uint16_t)(140 + take(&play->script, 2) %
					 (MTU - 130)); /* up to a little more than the MTU */
	data_send(play, port, &header, 0);
}

static void step_burst(struct play *play, uint32_t port)
{
	struct lid_header header = { .slid = 1 + port, .frame_bytes = MTU };
	uint32_t count;

	header.dlid = take(&play->script, 1) % (LIDS + 1);
	header.service_level = (uint8_t)(take(&play->script, 1) & 1);
	count = take(&play->script, 1) % 64;
	while (count--)
		data_send(play, port, &header,
			  (LID_HEADER_BYTES + MTU + FRAME_FCS_BYTES + GAP_BYTES) * BYTE_PS);
}

static void word_send(struct play *play, uint32_t port, uint32_t word, uint32_t lane,
		      uint32_t value)
{
	struct record record = { .kind = RECORD_WORD,
				 .traffic_class = (uint16_t)lane,
				 .wire_bytes = LINK_WORD_BYTES,
				 .word = (uint64_t)word << 32 | value };

	record_send(play, port, &record, (const uint8_t *)"", 0);
}

static void step_word(struct play *play, uint32_t port)
{
	uint32_t word = take(&play->script, 1) % (LINK_WORDS + 1), lane = take(&play->script, 1);

	word_send(play, port, word, lane, take(&play->script, 3));
}

static void step_grant(struct play *play, uint32_t port)
{
	uint32_t lane = take(&play->script, 1) % LANES;

	word_send(play, port, LINK_WORD_CREDIT, lane, 1u << 20);
}

static void step_run(struct play *play, uint32_t port, node_time_t wait)
{
	struct received got;

	play->now += wait;
	assert(one_switch_run(&play->s, play->now) >= play->now);
	for (uint32_t p = 0; p < PORTS; p++)
		while ((port == 255 || p == port) && !(play->down >> p & 1) &&
		       neighbour_receive_any(&play->s, p, &got))
			;
	switch_check(play);
	packets_check(play);
}

static void step_set(struct play *play)
{
	static const char *const names[] = { "policy", "adaptive",  "update",     "pending",
					     "queue",  "log.marks", "log.window", "hold",
					     "fecn",   "fecn-at",   "other" };
	static const char *const words[] = { "yes", "no", "random", "greedy", "greedy-random" };
	const char *name = names[take(&play->script, 1) % (sizeof(names) / sizeof(names[0]))];
	uint32_t number = take(&play->script, 2);
	char value[16], *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (number & 1)
		snprintf(value, sizeof(value), "%s", words[number / 2 % 5]);
	else
		snprintf(value, sizeof(value), "%u", number / 2);
	assert(out);
	lid_ops.set(play->s.dataplane, name, value, out);
	fclose(out);
	free(text);
}

static void step_link(struct play *play, uint32_t port)
{
	uint32_t bit = 1u << port;

	play->down ^= bit;
	if (play->down & bit) {
		lid_ops.link_down(play->s.dataplane, port, play->now);
		one_switch_unplug(&play->s, port);
		return;
	}
	one_switch_plug(&play->s, port);
	play->sent_ps[port] = 0;
	lid_ops.link_up(play->s.dataplane, port, play->now);
}

/* what a block says is read back, entries beyond the ports apart */
static void step_write(struct play *play)
{
	struct table_block block = { .table = (enum table_kind)(take(&play->script, 1) %
								(TABLE_KINDS + 1)) };
	uint32_t from, count;
	char why[200] = "";

	block.number = take(&play->script, 1);
	if (managed_read(&play->managed, &block, why, sizeof(why)))
		memset(block.bytes, 0, sizeof(block.bytes));
	from = take(&play->script, 1);
	count = take(&play->script, 1);
	take_bytes(&play->script, count, block.bytes + from);
	why[0] = 0;
	assert(!managed_write(&play->managed, &block, why, sizeof(why)) || why[0]);
}

static void step_read(struct play *play)
{
	struct table_block block = { .table = (enum table_kind)(take(&play->script, 1) %
								(TABLE_KINDS + 1)) };
	char why[200] = "";

	block.number = take(&play->script, 1);
	assert(!managed_read(&play->managed, &block, why, sizeof(why)) || why[0]);
}

static void step(struct play *play)
{
	uint32_t kind = take(&play->script, 1) % 10;
	node_time_t wait = take(&play->script, 2) * NODE_NS;
	uint32_t said = take(&play->script, 1), port = said % PORTS;

	if (kind != 5)
		play->ring_ps += wait;
	switch (kind) {
	case 0:
		step_record(play, port);
		break;
	case 1:
		step_data(play, port);
		break;
	case 2:
		step_burst(play, port);
		break;
	case 3:
		step_word(play, port);
		break;
	case 4:
		step_grant(play, port);
		break;
	case 5:
		step_run(play, said == 255 ? said : port, wait);
		break;
	case 6:
		step_set(play);
		break;
	case 7:
		step_link(play, port);
		break;
	case 8:
		step_write(play);
		break;
	default:
		step_read(play);
		break;
	}
}

/* ---- the whole ---- */

/* host h has LID h + 1; ports 2 and 3 are group 1, and lead to hosts 2 ... 5 */
static void open_switch(struct play *play, uint32_t setting)
{
	static uint8_t lft[LIDS] = { LFT_NO_PORT, 0, 1, 2, 2, 3, 3, LFT_NO_PORT },
		       pgft[LIDS] = { 0, 0, 0, 1, 1, 1, 1, 1 };
	static uint64_t pgt[2][PORT_GROUP_WORDS] = { { 0 }, { 1 << 2 | 1 << 3 } };
	struct one_switch *s = &play->s;
	uint32_t threshold_units = setting & 32 ? 8 : PORT_GROUP_UNITS_MAX;

	one_switch_configure(s);
	s->ops = &lid_ops;
	s->config.fabric = FABRIC_PORT_GROUP;
	s->config.seed = 7;
	s->config.class_count = 2;
	s->config.classes[1].unordered = true;
	s->config.lanes = LEVELS;
	s->config.switch_.cut_through = setting & 1;
	s->config.switch_.flood_ports = (1u << PORTS) - 1;
	s->config.switch_.routing.lane_rule = setting & 128 ? LANES_KEEP : LANES_BY_HOP;
	s->config.switch_.routing.seed = 11;
	s->config.switch_.lids = (struct lid_tables){
		.lid_count = LIDS, .lft = lft, .pgft = pgft, .group_count = 2, .pgt = pgt
	};
	s->config.port_group = (struct port_group_config){
		.lid_bits = setting & 256 ? 24 : 16,
		.adaptive = !(setting & 2),
		.policy = (enum port_group_policy)((setting >> 2 & 3) % PORT_GROUP_POLICIES),
		.update_lft = !(setting & 16),
		.pending_units = threshold_units,
		.queue_units = threshold_units,
		.log_marks = setting & 32 ? 1 : PORT_GROUP_MARKS_MAX,
		.log_window_ps = NODE_US,
		.fecn = !(setting & 64),
		.fecn_units = threshold_units,
		.ccti_increase = 1,
		.ccti_max = 1,
		.ccti_step_permille = 1,
		.ccti_timer_ps = NODE_NS
	};
	for (uint32_t p = 0; p < PORTS; p++)
		s->ports[p].stop_units = s->ports[p].buffer_units = setting & 512 ? 40 : 256;
	for (uint32_t p = 0; p < PORTS; p++)
		s->ports[p].stop_units--;
	one_switch_open(s);
	managed_init(&play->managed, &s->config, s->links, &lid_ops, s->dataplane);
}

/* what waits for anybody when nobody is there is lost */
static void finish(struct play *play)
{
	for (uint32_t p = 0; p < PORTS; p++)
		if (!(play->down >> p & 1))
			step_link(play, p);
	step_run(play, 255, NODE_MS);
	assert(!lid_of(play)->sw.pool.used && !lid_of(play)->sw.flood_packets);
	for (uint32_t p = 0; p < PORTS; p++)
		step_link(play, p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct play play;

	play = (struct play){ .script = { data, data + size } };
	open_switch(&play, take(&play.script, 2));
	for (uint32_t i = 0; i < STEPS_MAX && play.script.at < play.script.end; i++)
		step(&play);
	finish(&play);
	managed_fini(&play.managed);
	one_switch_close(&play.s);
	return 0;
}
