/*  Fuzzes the switch of fabric kind port-group (TB-23): neighbours send anything and grant or take
 *  back any credit, links change, and the fabric manager writes any blocks. The harness is
 *  switch_harness.h.
 *
 *  Setting, 2 bytes: bit 0 cut-through, 1 never another port, 2-3 policy, 4 a choice is for one
 *  packet, 5 congested early, 6 no FECN, 7 levels do not change, 8 LIDs of 24 bits, 9 small
 *  buffers.
 *  Steps:
 *    0 any bytes as a record of any kind   [record kind 1][lane 1][wire length 2][captured 1]
 *                                          [bytes ...]
 *    1 data                                [SLID 1][DLID 3][service level and level 1]
 *                                          [FECN, BECN 1][frame length 2]
 *    2 a run of data, back to back         [DLID 1][service level 1][count 1]
 *    3 link control word                   [word 1][lane 1][value 3]
 *    4 all the credit that there can be    for a lane of this port, [lane 1]
 *    5 run for `wait`; the neighbour of the port receives, or all (port 255)
 *    6 set                                 [parameter 1][value 2]
 *    7 the link goes down, or comes up again
 *    8 a block is written                  [table 1][number 1][from 1][bytes 1][bytes ...]
 *    9 a block is read                     [table 1][number 1]
 *  After each run the accounts of lanes agree with their queues (TB-25), and the switch has no more
 *  of a neighbour in its buffer than it has granted. In the end all links are down, and it is
 *  empty. */
#include "nodes/wire/lid_header.h"
#include "switchd/port_group/lid_switch.h"
#include "tests/fuzz/switch_harness.h"
#include "tests/unit/switchd/port_group/one_lid_config.h"

#define FRAME_MIN 140u

/* ---- the accounts ---- */

struct held {
	uint64_t bytes;
	uint32_t packets, units[PORTS][LANES]; /* by the lane whose buffer they are in */
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

static void check(const struct harness *harness)
{
	const struct lid_switch *lid = harness->s.lid;
	struct stats_page *stats = harness->s.stats;
	struct held held = { 0 };

	for (uint32_t p = 0; p < PORTS; p++) {
		uint64_t bytes = 0;

		for (uint32_t l = 0; l < LANES; l++)
			lane_check(lid, p, l, &held, &bytes);
		assert(bytes == lid->ports[p].gauge.bytes &&
		       bytes == stats_port(stats, p)->queue_bytes);
		assert(!(harness->down >> p & 1) || !lid->ports[p].backlog);
		held.bytes += bytes;
	}
	assert(held.packets == lid->sw.pool.used);
	assert(held.bytes == stats->inside_bytes);
	assert(lid->sw.flood_packets <= lid->sw.flood_packets_max);
	for (uint32_t p = 0; p < PORTS; p++)
		for (uint32_t l = 0; l < LANES; l++)
			assert(!lid_port_up(lid, p) ||
			       (held.units[p][l] == harness->s.links[p].rx.held_units[l] &&
				held.units[p][l] <= harness->s.ports[p].buffer_units));
}

/* ---- steps ---- */

static void data_send(struct harness *harness, const struct lid_header *header, node_time_t gap)
{
	uint8_t bytes[LID_FRONT_BYTES + FRAME_HEADERS_MAX];
	struct record record = { .kind = RECORD_PACKET,
				 .traffic_class =
					 (uint16_t)(header->service_level * LEVELS + header->level),
				 .wire_bytes =
					 LID_HEADER_BYTES + header->frame_bytes + FRAME_FCS_BYTES };

	record.captured_bytes =
		LID_FRONT_BYTES + frame_make(harness->port, header->dlid % HOSTS, 0,
					     header->service_level % 8, header->frame_bytes,
					     bytes + LID_FRONT_BYTES);
	fabric_envelope_write(9, 0, 1, 0, bytes);
	lid_header_write(header, bytes + FABRIC_ENVELOPE_BYTES);
	harness_send(harness, record, bytes, gap);
}

static void step_data(struct harness *harness)
{
	struct lid_header header = { .slid = take(&harness->script, 1) };
	uint32_t lane, marks;

	header.dlid = take(&harness->script, 3);
	lane = take(&harness->script, 1) % (LANES + 1);
	header.service_level = (uint8_t)(lane / LEVELS);
	header.level = (uint8_t)(lane % LEVELS);
	marks = take(&harness->script, 1);
	header.fecn = marks & 1;
	header.becn = marks & 2;
	header.frame_bytes = (uint16_t)take_length(&harness->script, FRAME_MIN);
	data_send(harness, &header, 0);
}

static void step_burst(struct harness *harness)
{
	struct lid_header header = { .slid = 1 + harness->port, .frame_bytes = MTU };
	uint32_t count;

	header.dlid = take(&harness->script, 1) % (LID_COUNT + 1);
	header.service_level = (uint8_t)(take(&harness->script, 1) & 1);
	count = take(&harness->script, 1) % 64;
	while (count--)
		data_send(harness, &header,
			  (LID_HEADER_BYTES + MTU + FRAME_FCS_BYTES + GAP_BYTES) * BYTE_PS);
}

static void step_word(struct harness *harness)
{
	uint32_t word = take(&harness->script, 1) % (LINK_WORDS + 1),
		 lane = take(&harness->script, 1);

	harness_send_word(harness, word, lane, take(&harness->script, 3));
}

static void step_grant(struct harness *harness)
{
	harness_send_word(harness, LINK_WORD_CREDIT, take(&harness->script, 1) % LANES, 1u << 20);
}

static void step_set(struct harness *harness)
{
	static const char *const names[] = { "policy", "adaptive",  "update",     "pending",
					     "queue",  "log.marks", "log.window", "hold",
					     "fecn",   "fecn.at",   "other" };
	static const char *const words[] = { "yes", "no", "random", "greedy", "greedy-random" };
	const char *name = names[take(&harness->script, 1) % COUNT_OF(names)];
	uint32_t number = take(&harness->script, 2);
	char value[16];

	if (number & 1)
		snprintf(value, sizeof(value), "%s", words[number / 2 % 5]);
	else
		snprintf(value, sizeof(value), "%u", number / 2);
	harness_set(harness, name, value);
}

/* the bytes are written over those that the block has */
static void step_write(struct harness *harness)
{
	struct table_block block = { .table = (enum table_kind)(take(&harness->script, 1) %
								(TABLE_KINDS + 1)) };
	uint32_t from, count;
	struct why why = { "" };

	block.number = take(&harness->script, 1);
	if (managed_read(&harness->managed, &block, &why))
		memset(block.bytes, 0, sizeof(block.bytes));
	from = take(&harness->script, 1);
	count = take(&harness->script, 1);
	take_bytes(&harness->script, count, block.bytes + from);
	why.text[0] = 0;
	assert(!managed_write(&harness->managed, &block, &why) || why.text[0]);
}

static void step_read(struct harness *harness)
{
	struct table_block block = { .table = (enum table_kind)(take(&harness->script, 1) %
								(TABLE_KINDS + 1)) };
	struct why why = { "" };

	block.number = take(&harness->script, 1);
	assert(!managed_read(&harness->managed, &block, &why) || why.text[0]);
}

static harness_step *const steps[] = { step_record, step_data, step_burst, step_word,  step_grant,
				       step_run,    step_set,  step_link,  step_write, step_read };

/* ---- the configuration ---- */

static void configure(struct harness *harness, uint32_t setting)
{
	struct one_switch *s = &harness->s;
	struct port_group_config *config = &s->config.port_group;

	lid_configure(s);
	s->config.switch_.cut_through = setting & 1;
	s->config.switch_.routing.lane_rule = setting & 128 ? LANES_KEEP : LANES_BY_HOP;
	config->lid_bits = setting & 256 ? 24 : 16;
	config->adaptive = !(setting & 2);
	config->policy = (enum port_group_policy)((setting >> 2 & 3) % PORT_GROUP_POLICIES);
	config->update_lft = !(setting & 16);
	config->fecn = !(setting & 64);
	config->log_window_ps = NODE_US;
	if (setting & 32) {
		config->pending_units = config->queue_units = config->fecn_units = 8;
		config->log_marks = 1;
	}
	for (uint32_t p = 0; p < PORTS; p++) {
		s->ports[p].buffer_units = setting & 512 ? 40 : 256;
		s->ports[p].stop_units = s->ports[p].buffer_units - 1;
	}
}

/* what waits for links that are down is lost */
static void finish(struct harness *harness)
{
	harness_links(harness, true);
	harness_run(harness, ALL_PORTS, NODE_MS);
	assert(!harness->s.lid->sw.pool.used && !harness->s.lid->sw.flood_packets);
	harness_links(harness, false);
}

const struct harness_kind harness_kind = { .ops = &lid_ops,
					   .setting_bytes = 2,
					   .configure = configure,
					   .steps = steps,
					   .step_kinds = COUNT_OF(steps),
					   .check = check,
					   .finish = finish };
