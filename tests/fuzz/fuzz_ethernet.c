/*  Fuzzes the Ethernet switch of fabric kind roce (TB-23): neighbours send whatever they like,
 *  links and tables change (tests/unit/switchd/flow_channel/one_switch.h has the switch). Input:
 *  [settings 2][steps ...]. Settings: bit 0 cut through, 1 PAUSE in the place of PFC, 2 no PFC, 3 a
 *  small buffer, 4 little headroom, 5 limits by alpha only, 6 supplementing, 7 path-level PFC, 8-9
 *  its form, 10 from ECN-failed on, 11 one flow is remembered, 12 ports are no tree.
 *  A step is [kind 1][wait 2][port 1][arguments]; its record comes `wait` nanoseconds after the one
 *  before it. Numbers are big endian, and 0 where the input has ended.
 *    0 any bytes as a record of any kind   [record kind 1][class 1][wire length 2][captured 1]
 *                                          [bytes ...]
 *    1 any bytes as a PAUSE frame          [captured 1][bytes ...]
 *    2 PFC or PAUSE                        [priorities 1][quanta 2][PAUSE 1]
 *    3 data                                [source 1][destination 1][flow 1][class 1]
 *                                          [frame length 2]; an odd source: IPv6
 *    4 an ACK, a NAK, a CNP or a signal    [source 1][destination 1][queue pair 3]
 *                                          [UDP source port 1][syndrome 1][signal 1]
 *    5 a run of data, back to back         [destination 1][flow 1][class 1][count 1]
 *    6 a broadcast                         [frame length 2]
 *    7 run for `wait`; what the switch has sent is taken from that port, or from all (port 255)
 *    8 set                                 [parameter 1][value 3]
 *    9 the link goes down, or comes up again
 *   10 the link changes                    [rate 1][headroom 2]
 *   11 tables change                       [routes 1][tree 1]
 *  The switch must survive, keep its books (RC-5), have counted every packet that went no further,
 *  and be empty in the end. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "nodes/wire/pause_frame.h"
#include "nodes/wire/roce_frame.h"
#include "switchd/ethernet/ethernet.h"
#include "tests/unit/switchd/flow_channel/one_switch.h"

#define STEPS_MAX 300u
#define CLASSES 3u /* lossless, lossless, lossy */
#define ENTRY_DROPS 9u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct script {
	const uint8_t *at, *end;
};

struct play {
	struct one_switch s;
	struct script script;
	uint64_t headroom_max;      /* ever */
	node_time_t ring_ps;        /* of the step */
	node_time_t sent_ps[PORTS]; /* of the port's last record */
	node_time_t now;            /* run so far */
	uint32_t down;              /* set of ports */
	uint64_t never_arrived;     /* packets that were still on a link that went */
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

/* ---- the books, as in tests/sim/check_roce.c ---- */

struct held {
	uint64_t input_bytes[PORTS][CLASSES], bytes, own_bytes, frame_bytes;
	uint32_t packets_for[PORTS][CLASSES][PORTS], packets;
};

static uint32_t bytes_of(const struct packet *packet)
{
	uint32_t bytes = packet->frame_bytes + FRAME_FCS_BYTES;

	return bytes > ETHERNET_CELL_BYTES ? bytes : ETHERNET_CELL_BYTES;
}

static void queue_check(const struct ethernet *eth, uint32_t p, uint32_t c, struct held *held)
{
	const struct ethernet_queue *queue = &eth->ports[p].queues[c];
	uint64_t bytes = 0;

	for (const struct packet *packet = queue->queue.head; packet; packet = packet->next) {
		assert(packet->traffic_class == c && packet->egress_port == p);
		bytes += bytes_of(packet);
		held->packets++;
		held->frame_bytes += packet->frame_bytes;
		if (packet->copy) {
			held->own_bytes += bytes_of(packet);
			continue;
		}
		held->input_bytes[packet->in_port][c] += bytes_of(packet);
		held->packets_for[packet->in_port][c][p]++;
	}
	held->bytes += bytes;
	assert(bytes == eth->buffer.outputs[p][c] && bytes == queue->gauge.bytes &&
	       bytes == queue->stats->queue_bytes);
	assert(!queue->queue.head == !(eth->ports[p].backlog >> c & 1));
	assert((eth->ports[p].held >> c & 1) == (queue->stats->paused_since_ps != 0));
}

/* Return: bytes in the headroom of the input */
static uint64_t input_check(const struct play *play, uint32_t p, uint32_t c,
			    const struct held *held)
{
	const struct ethernet *eth = play->s.eth;
	const struct shared_buffer_input *input = &eth->buffer.inputs[p][c];
	const struct class_stats *stats = eth->ports[p].queues[c].stats;
	bool stopped = shared_buffer_stopped(&eth->buffer, p, c);
	uint64_t waits_for = 0;

	for (uint32_t out = 0; out < PORTS; out++)
		waits_for |= (uint64_t)(held->packets_for[p][c][out] != 0) << out;
	assert(input->bytes == held->input_bytes[p][c] && stats->input_bytes == input->bytes);
	assert(stats->waits_for == waits_for);
	assert(input->headroom_bytes <= play->headroom_max &&
	       input->headroom_bytes <= input->bytes);
	assert(!stopped || (eth->roce.classes[c].lossless && input->bytes));
	assert(stopped == (eth->ports[p].teller.wanted >> c & 1));
	return input->headroom_bytes;
}

static void switch_check(const struct play *play)
{
	const struct ethernet *eth = play->s.eth;
	struct held held = { 0 };
	uint64_t headroom_bytes = 0;
	uint32_t waiting = 0;

	for (uint32_t p = 0; p < PORTS; p++)
		for (uint32_t c = 0; c < CLASSES; c++)
			queue_check(eth, p, c, &held);
	for (uint32_t p = 0; p < PORTS; p++) {
		for (uint32_t c = 0; c < CLASSES; c++)
			headroom_bytes += input_check(play, p, c, &held);
		waiting += (uint32_t)__builtin_popcount(eth->ports[p].held &
							(uint8_t)~eth->ports[p].stuck);
		assert(!(eth->ports[p].held & ~eth->ports[p].backlog));
		assert(!(play->down >> p & 1) || !eth->ports[p].backlog);
	}
	assert(held.bytes == eth->buffer.used_bytes + headroom_bytes &&
	       held.own_bytes == eth->buffer.own_bytes);
	assert(eth->buffer.used_bytes <= eth->buffer.buffer_bytes);
	assert(held.packets == eth->sw.pool.used && held.packets == play->s.stats->inside_packets);
	assert(held.frame_bytes == play->s.stats->inside_bytes);
	assert(waiting == eth->held_count && eth->watching == (waiting != 0));
}

/* what came in is out, inside, or counted; the last two reasons count other things too, and a frame
 * that is flooded makes room for its copies */
static void packets_check(const struct play *play)
{
	static const enum drop_reason reasons[] = {
		DROP_NO_DESTINATION, DROP_NO_ROUTE,    DROP_OVERSIZE,  DROP_BUFFER_OVERFLOW,
		DROP_NO_LISTENER,    DROP_FLOOD_LIMIT, DROP_HEADROOM,  DROP_QUEUE_FULL,
		DROP_LINK_DOWN,      DROP_TTL,         DROP_MALFORMED, DROP_BAD_RECORD
	};
	struct stats_page *stats = play->s.stats;
	uint64_t arrived = stats->flooded_packets + stats->injected_packets + play->never_arrived;
	uint64_t gone, least = 0, most = 0;

	for (uint32_t p = 0; p < PORTS; p++)
		arrived += stats_port(stats, p)->rx_packets;
	for (uint32_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		most += stats->drops[reasons[i]];
		least += i < ENTRY_DROPS ? stats->drops[reasons[i]] : 0;
	}
	assert(arrived >= stats->data_hops + stats->inside_packets + stats->delivered_packets);
	gone = arrived - stats->data_hops - stats->inside_packets - stats->delivered_packets;
	assert(gone >= least);
	assert(gone <= most || stats->flood_originals_bytes);
}

/* ---- steps ---- */

/* a record of the neighbour, `gap` behind its last one; what a full ring does not take is not
 * sent */
static void record_send(struct play *play, uint32_t port, enum record_kind kind,
			uint32_t wire_bytes, uint32_t traffic_class, const uint8_t *bytes,
			uint32_t captured, node_time_t gap)
{
	struct neighbour *n = &play->s.neighbours[port];
	struct record header = { .at_ps = node_time_max(play->ring_ps, play->sent_ps[port] + gap),
				 .wire_bytes = wire_bytes,
				 .captured_bytes = captured,
				 .sequence = n->sequence,
				 .kind = (uint16_t)kind,
				 .traffic_class = (uint16_t)traffic_class };

	if (play->down >> port & 1 || !neighbour_send(&play->s, port, &header, bytes))
		return;
	n->sequence++;
	play->sent_ps[port] = header.at_ps;
}

static void step_record(struct play *play, uint32_t port)
{
	uint8_t bytes[256];
	uint32_t kind = take(&play->script, 1), traffic_class = take(&play->script, 1);
	uint32_t wire_bytes = take(&play->script, 2) % RING_CAPTURED_MAX;
	uint32_t captured = take_bytes(&play->script, take(&play->script, 1), bytes);

	record_send(play, port, kind & 8 ? RECORD_PACKET : (enum record_kind)(kind & 7), wire_bytes,
		    traffic_class, bytes, captured, 0);
}

static void step_pause_bytes(struct play *play, uint32_t port)
{
	uint8_t bytes[256];
	uint32_t captured = take_bytes(&play->script, take(&play->script, 1), bytes);

	record_send(play, port, RECORD_PAUSE, captured + FRAME_FCS_BYTES, 0, bytes, captured, 0);
}

static void step_pause(struct play *play, uint32_t port)
{
	struct pause_frame frame = { .enabled = (uint8_t)take(&play->script, 1) };
	uint16_t quanta = (uint16_t)take(&play->script, 2);
	uint8_t bytes[PAUSE_FRAME_BYTES];

	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		frame.quanta[c] = quanta;
	frame.port = take(&play->script, 1) & 1;
	pause_frame_write(&frame, (const uint8_t[]){ 2, 0, 0, 0, 0, 1 }, bytes);
	record_send(play, port, RECORD_PAUSE, sizeof(bytes) + FRAME_FCS_BYTES, 0, bytes,
		    sizeof(bytes), 0);
}

static uint32_t data_make(uint32_t source, uint32_t destination, uint32_t flow,
			  uint32_t traffic_class, uint32_t frame_bytes,
			  uint8_t bytes[FRAME_HEADERS_MAX])
{
	struct frame_spec spec = { .kind = source & 1 ? FRAME_ROCE_IPV6 : FRAME_ROCE,
				   .source = source % HOSTS,
				   .destination = destination % (HOSTS + 1),
				   .traffic_class = traffic_class % NODE_CLASSES_MAX,
				   .flow = flow,
				   .frame_bytes = frame_bytes,
				   .ecn_capable = true };
	struct frame_payload payload = { .source = source % HOSTS,
					 .message_bytes = 1000,
					 .message_first = true };

	return frame_write(&spec, &payload, bytes);
}

/* a length that a frame can be written with, up to a little more than the MTU */
static uint32_t take_length(struct script *script)
{
	return 140 + take(script, 2) % (MTU - 130);
}

static void step_data(struct play *play, uint32_t port)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t source = take(&play->script, 1), destination = take(&play->script, 1),
		 flow = take(&play->script, 1);
	uint32_t traffic_class = take(&play->script, 1), length = take_length(&play->script);
	uint32_t captured = data_make(source, destination, flow, traffic_class, length, bytes);

	record_send(play, port, RECORD_PACKET, length + FRAME_FCS_BYTES, traffic_class % CLASSES,
		    bytes, captured, 0);
}

static void step_burst(struct play *play, uint32_t port)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t destination = take(&play->script, 1), flow = take(&play->script, 1);
	uint32_t traffic_class = take(&play->script, 1), count = take(&play->script, 1) % 64;
	uint32_t captured = data_make(port, destination, flow, traffic_class, MTU, bytes);

	while (count--)
		record_send(play, port, RECORD_PACKET, MTU + FRAME_FCS_BYTES, 0, bytes, captured,
			    (MTU + FRAME_FCS_BYTES + GAP_BYTES) * BYTE_PS);
}

static void step_broadcast(struct play *play, uint32_t port)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t length = take_length(&play->script),
		 captured = data_make(port, 0, 0, 0, length, bytes);

	memset(bytes, 0xff, 6);
	memset(bytes + 30, 0xff, 4); /* the IPv4 destination */
	record_send(play, port, RECORD_PACKET, length + FRAME_FCS_BYTES, 0, bytes, captured, 0);
}

/* what the receiver of a data frame answers */
static void step_reply(struct play *play, uint32_t port)
{
	uint8_t bytes[FRAME_HEADERS_MAX], answer[ROCE_REPLY_BYTES_MAX];
	uint32_t source = take(&play->script, 1), destination = take(&play->script, 1), length;
	struct roce_reply reply = { .queue_pair = take(&play->script, 3), .psn = 1 };
	uint32_t flow = take(&play->script, 1);
	struct roce_header header;

	reply.syndrome = (uint8_t)take(&play->script, 1);
	reply.signal = (uint8_t)(take(&play->script, 1) % 4);
	length = data_make(destination % HOSTS, source, flow, 0, 200, bytes);
	if (roce_frame_read(bytes, length, 200, &header))
		return;
	reply.ends = roce_ends_reversed(&header.ends);
	length = reply.signal ? roce_cnp_write(&reply, answer) : roce_ack_write(&reply, answer);
	record_send(play, port, RECORD_PACKET, length + FRAME_FCS_BYTES, 0, answer, length, 0);
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
	static const char *const names[] = { "kmin",
					     "kmax",
					     "pmax",
					     "queue",
					     "alpha",
					     "xoff",
					     "ecn",
					     "xon-offset",
					     "watchdog",
					     "reference",
					     "path-high",
					     "path-low",
					     "supplement-period",
					     "c.xoff",
					     "other" };
	const char *name = names[take(&play->script, 1) % (sizeof(names) / sizeof(names[0]))];
	char value[16], *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	snprintf(value, sizeof(value), "%u", take(&play->script, 3));
	assert(out);
	ethernet_ops.set(play->s.eth, name,
			 strcmp(name, "ecn") ? value
			 : value[0] & 1      ? "on"
					     : "off",
			 out);
	fclose(out);
	free(text);
}

static uint64_t packets_on(const struct link *link)
{
	struct ring_rx rx = link->rx;
	struct record record;
	uint64_t packets = 0;

	ring_refresh(&rx);
	while (ring_peek(&rx, &record)) {
		packets += record.kind == RECORD_PACKET;
		ring_pop(&rx, &record);
	}
	return packets;
}

static void step_link(struct play *play, uint32_t port)
{
	uint32_t bit = 1u << port;

	play->down ^= bit;
	if (play->down & bit) {
		play->never_arrived += packets_on(&play->s.links[port]);
		ethernet_ops.link_down(play->s.eth, port, play->now);
		one_switch_unplug(&play->s, port);
		return;
	}
	one_switch_plug(&play->s, port);
	play->sent_ps[port] = 0;
	ethernet_ops.link_up(play->s.eth, port, play->now);
}

static void step_link_set(struct play *play, uint32_t port)
{
	struct port_config *config = &play->s.ports[port];

	config->rate_bps = 10000000000ull * (1 + take(&play->script, 1) % 40);
	config->headroom_bytes = take(&play->script, 2);
	if (config->headroom_bytes > play->headroom_max)
		play->headroom_max = config->headroom_bytes;
	if (play->down >> port & 1)
		return;
	play->s.links[port].rate_bps = config->rate_bps;
	ethernet_ops.link_set(play->s.eth, port);
}

static void step_tables(struct play *play)
{
	struct switch_config *config = &play->s.config.switch_;
	uint32_t routes = take(&play->script, 1);

	play->s.routes[0].ports = (routes & 3) << 2 | routes >> 7;
	play->s.routes[1].ports = (routes >> 2 & 3) << 2;
	config->flood_ports = take(&play->script, 1) % (1u << PORTS);
	ethernet_ops.tables(play->s.eth, config);
}

static void step(struct play *play)
{
	uint32_t kind = take(&play->script, 1) % 12;
	node_time_t wait = take(&play->script, 2) * NODE_NS;
	uint32_t said = take(&play->script, 1), port = said % PORTS;

	if (kind != 7)
		play->ring_ps += wait;
	switch (kind) {
	case 0:
		step_record(play, port);
		break;
	case 1:
		step_pause_bytes(play, port);
		break;
	case 2:
		step_pause(play, port);
		break;
	case 3:
		step_data(play, port);
		break;
	case 4:
		step_reply(play, port);
		break;
	case 5:
		step_burst(play, port);
		break;
	case 6:
		step_broadcast(play, port);
		break;
	case 7:
		step_run(play, said == 255 ? said : port, wait);
		break;
	case 8:
		step_set(play);
		break;
	case 9:
		step_link(play, port);
		break;
	case 10:
		step_link_set(play, port);
		break;
	default:
		step_tables(play);
		break;
	}
}

/* ---- the whole ---- */

static void classes_make(struct roce_config *roce, uint32_t setting)
{
	for (uint32_t c = 0; c < CLASSES; c++) {
		struct roce_class_config *class = &roce->classes[c];

		*class = (struct roce_class_config){ .lossless = c < 2,
						     .ecn = true,
						     .kmin_bytes = 4000,
						     .kmax_bytes = 20000,
						     .pmax_ppm = 100000,
						     .watched = c < 2 };
		if (setting & 32) {
			class->alpha_permille = 125;
		} else if (c < 2) {
			class->xoff_bytes = 20000;
			class->xon_offset_bytes = 4000;
		} else {
			class->queue_bytes_max = 30000;
		}
	}
}

/* what a switch has no use for must be within its limits */
static void nic_part_make(struct roce_config *roce)
{
	roce->dcqcn = (struct dcqcn_config){ .g_ppb = 1,
					     .alpha_timer_ps = NODE_NS,
					     .increase_timer_ps = NODE_NS,
					     .byte_counter_bytes = 1,
					     .fast_recovery = 1,
					     .rate_min_bps = 1000000 };
	roce->swift = (struct swift_config){ .base_target_ps = NODE_NS,
					     .fs_min_ppm = 1,
					     .fs_max_ppm = 2,
					     .cwnd_min_ppm = 1,
					     .cwnd_max_ppm = 1,
					     .cwnd_initial_ppm = 1,
					     .retransmits = 1 };
	roce->queue_pair = (struct queue_pair_config){ .ack_packets = 1, .timeout_ps = NODE_NS };
	roce->tcp = (struct tcp_config){ .initial_packets = 1,
					 .window_packets_max = 1,
					 .rto_min_ps = NODE_NS };
}

static void open_switch(struct play *play, uint32_t setting)
{
	struct one_switch *s = &play->s;
	struct roce_config *roce = &s->config.roce;

	one_switch_configure(s);
	s->ops = &ethernet_ops;
	s->config.fabric = FABRIC_ROCE;
	s->config.seed = 7;
	s->config.class_count = CLASSES;
	s->config.sample_ps = 0;
	s->config.switch_.cut_through = setting & 1;
	s->config.switch_.flood_ports = setting & 4096 ? 5 : (1u << PORTS) - 1;
	play->headroom_max = setting & 16 ? 2000 : 20000;
	for (uint32_t p = 0; p < PORTS; p++) {
		s->ports[p].buffer_units = s->ports[p].stop_units = 0;
		s->ports[p].headroom_bytes = (uint32_t)play->headroom_max;
	}
	*roce = (struct roce_config){ .pfc = !(setting & 4),
				      .pause = setting & 2,
				      .cnp_class = 2,
				      .buffer_bytes = 8 * 20000 + (setting & 8 ? 20000 : 1000000),
				      .supplement = setting & 64,
				      .path_pause = setting & 128,
				      .path_form = (enum path_pause_form)(setting >> 8 & 3),
				      .path_target =
					      setting & 1024 ? ROCE_ECN_FAILED : ROCE_CNP_FAILED,
				      .path_high_bytes = 60000,
				      .path_low_bytes = 20000,
				      .increase_period_ps = 5 * NODE_US,
				      .idle_ps = 20 * NODE_US,
				      .reference_permille = 1500,
				      .flows_max = setting & 2048 ? 1 : 16,
				      .watchdog_ps = 20 * NODE_US };
	classes_make(roce, setting);
	nic_part_make(roce);
	one_switch_open(s);
}

/* everybody takes what comes: pauses run out, and nothing is left */
static void finish(struct play *play)
{
	for (uint32_t p = 0; p < PORTS; p++)
		if (play->down >> p & 1)
			step_link(play, p);
	for (uint32_t i = 0; i < 40 && (i < 4 || play->s.eth->sw.pool.used); i++)
		step_run(play, 255, 10 * NODE_MS);
	assert(!play->s.eth->sw.pool.used && !play->s.eth->buffer.used_bytes &&
	       !play->s.eth->held_count);
	for (uint32_t p = 0; p < PORTS; p++)
		assert(!play->s.eth->ports[p].teller.told);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct play play;

	play = (struct play){ .script = { data, data + size } };
	open_switch(&play, take(&play.script, 2));
	for (uint32_t i = 0; i < STEPS_MAX && play.script.at < play.script.end; i++)
		step(&play);
	finish(&play);
	one_switch_close(&play.s);
	return 0;
}
