/*  Fuzzes the Ethernet switch of fabric kind roce (TB-23): neighbours send anything, links and
 *  tables change. The harness is switch_harness.h.
 *
 *  Setting, 2 bytes: bit 0 cut-through, 1 PAUSE instead of PFC, 2 no PFC, 3 a small buffer, 4
 *  little headroom, 5 limits by alpha only, 6 CNP supplementing, 7 path-level PFC, 8-9 its form, 10
 *  from ECN-failed on, 11 one flow is remembered, 12 the flood tree has two ports.
 *  Steps:
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
 *    7 run for `wait`; the neighbour of the port receives, or all (port 255)
 *    8 set                                 [parameter 1][value 3]
 *    9 the link goes down, or comes up again
 *   10 the link changes                    [rate 1][headroom 2]
 *   11 tables change                       [routes 1][tree 1]
 *  After each run the accounts of the buffer agree with the queues (RC-5). In the end the switch is
 *  empty. */
#include "nodes/wire/pause_frame.h"
#include "nodes/wire/roce_frame.h"
#include "switchd/ethernet/ethernet.h"
#include "tests/fuzz/switch_harness.h"
#include "tests/unit/switchd/ethernet/one_ethernet_config.h"

#define CLASSES 3u /* lossless, lossless, lossy */
#define FRAME_MIN 140u

static uint64_t headroom_max; /* of any link, so far */

/* ---- the accounts, as in tests/sim/check_roce.c ---- */

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
static uint64_t input_check(const struct harness *harness, uint32_t p, uint32_t c,
			    const struct held *held)
{
	const struct ethernet *eth = harness->s.eth;
	const struct shared_buffer_input *input = &eth->buffer.inputs[p][c];
	const struct class_stats *stats = eth->ports[p].queues[c].stats;
	bool stopped = shared_buffer_stopped(&eth->buffer, p, c);
	uint64_t waits_for = 0;

	for (uint32_t out = 0; out < PORTS; out++)
		waits_for |= (uint64_t)(held->packets_for[p][c][out] != 0) << out;
	assert(input->bytes == held->input_bytes[p][c] && stats->input_bytes == input->bytes);
	assert(stats->waits_for == waits_for);
	assert(input->headroom_bytes <= headroom_max && input->headroom_bytes <= input->bytes);
	assert(!stopped || (eth->roce.classes[c].lossless && input->bytes));
	assert(stopped == (eth->ports[p].teller.wanted >> c & 1));
	return input->headroom_bytes;
}

static void check(const struct harness *harness)
{
	const struct ethernet *eth = harness->s.eth;
	struct held held = { 0 };
	uint64_t headroom_bytes = 0;
	uint32_t waiting = 0;

	for (uint32_t p = 0; p < PORTS; p++)
		for (uint32_t c = 0; c < CLASSES; c++)
			queue_check(eth, p, c, &held);
	for (uint32_t p = 0; p < PORTS; p++) {
		for (uint32_t c = 0; c < CLASSES; c++)
			headroom_bytes += input_check(harness, p, c, &held);
		waiting += (uint32_t)__builtin_popcount(eth->ports[p].held &
							(uint8_t)~eth->ports[p].stuck);
		assert(!(eth->ports[p].held & ~eth->ports[p].backlog));
		assert(!(harness->down >> p & 1) || !eth->ports[p].backlog);
	}
	assert(held.bytes == eth->buffer.used_bytes + headroom_bytes &&
	       held.own_bytes == eth->buffer.own_bytes);
	assert(eth->buffer.used_bytes <= eth->buffer.buffer_bytes);
	assert(held.packets == eth->sw.pool.used);
	assert(held.frame_bytes == harness->s.stats->inside_bytes);
	assert(waiting == eth->held_count && eth->watching == (waiting != 0));
}

/* ---- steps ---- */

static void step_pause_bytes(struct harness *harness)
{
	harness_send_bytes(harness, RECORD_PAUSE);
}

static void step_pause(struct harness *harness)
{
	struct pause_frame frame = { .enabled = (uint8_t)take(&harness->script, 1) };
	uint16_t quanta = (uint16_t)take(&harness->script, 2);
	uint8_t bytes[PAUSE_FRAME_BYTES];

	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		frame.quanta[c] = quanta;
	frame.port = take(&harness->script, 1) & 1;
	pause_frame_write(&frame, (const uint8_t[]){ 2, 0, 0, 0, 0, 1 }, bytes);
	harness_send_frame(harness, RECORD_PAUSE, bytes, sizeof(bytes));
}

static uint32_t data_make(uint32_t source, uint32_t destination, uint32_t flow,
			  uint32_t traffic_class, uint32_t frame_bytes,
			  uint8_t bytes[FRAME_HEADERS_MAX])
{
	return frame_make_of(
		&(struct frame_spec){ .kind = source & 1 ? FRAME_ROCE_IPV6 : FRAME_ROCE,
				      .source = source % HOSTS,
				      .destination = destination % (HOSTS + 1),
				      .traffic_class = traffic_class % NODE_CLASSES_MAX,
				      .flow = flow,
				      .frame_bytes = frame_bytes,
				      .ecn_capable = true },
		bytes);
}

static void data_send(struct harness *harness, uint32_t traffic_class, uint32_t frame_bytes,
		      const uint8_t *bytes, uint32_t captured, node_time_t gap)
{
	harness_send(harness,
		     (struct record){ .kind = RECORD_PACKET,
				      .traffic_class = (uint16_t)(traffic_class % CLASSES),
				      .wire_bytes = frame_bytes + FRAME_FCS_BYTES,
				      .captured_bytes = captured },
		     bytes, gap);
}

static void step_data(struct harness *harness)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t source = take(&harness->script, 1), destination = take(&harness->script, 1),
		 flow = take(&harness->script, 1), traffic_class = take(&harness->script, 1);
	uint32_t length = take_length(&harness->script, FRAME_MIN);
	uint32_t captured = data_make(source, destination, flow, traffic_class, length, bytes);

	data_send(harness, traffic_class, length, bytes, captured, 0);
}

static void step_burst(struct harness *harness)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t destination = take(&harness->script, 1), flow = take(&harness->script, 1);
	uint32_t traffic_class = take(&harness->script, 1), count = take(&harness->script, 1) % 64;
	uint32_t captured = data_make(harness->port, destination, flow, traffic_class, MTU, bytes);

	while (count--)
		data_send(harness, 0, MTU, bytes, captured,
			  (MTU + FRAME_FCS_BYTES + GAP_BYTES) * BYTE_PS);
}

static void step_broadcast(struct harness *harness)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t length = take_length(&harness->script, FRAME_MIN),
		 captured = data_make(harness->port, 0, 0, 0, length, bytes);

	memset(bytes, 0xff, 6);
	memset(bytes + 30, 0xff, 4); /* the IPv4 destination */
	data_send(harness, 0, length, bytes, captured, 0);
}

/* what the receiver of a data frame answers */
static void step_reply(struct harness *harness)
{
	uint8_t bytes[FRAME_HEADERS_MAX], answer[ROCE_REPLY_BYTES_MAX];
	uint32_t source = take(&harness->script, 1), destination = take(&harness->script, 1),
		 length;
	struct roce_reply reply = { .queue_pair = take(&harness->script, 3), .psn = 1 };
	uint32_t flow = take(&harness->script, 1);
	struct roce_header header;

	reply.syndrome = (uint8_t)take(&harness->script, 1);
	reply.signal = (uint8_t)(take(&harness->script, 1) % 4);
	length = data_make(destination % HOSTS, source, flow, 0, 200, bytes);
	if (roce_frame_read(bytes, length, 200, &header))
		return;
	reply.ends = roce_ends_reversed(&header.ends);
	length = reply.signal ? roce_cnp_write(&reply, answer) : roce_ack_write(&reply, answer);
	harness_send_frame(harness, RECORD_PACKET, answer, length);
}

static void step_set(struct harness *harness)
{
	static const char *const names[] = { "ecn.kmin",
					     "ecn.kmax",
					     "ecn.pmax",
					     "queue",
					     "alpha",
					     "xoff",
					     "ecn",
					     "xon-offset",
					     "pfc.watchdog",
					     "reference",
					     "path-pause.high",
					     "path-pause.low",
					     "supplement.period",
					     "c.xoff",
					     "other" };
	const char *name = names[take(&harness->script, 1) % COUNT_OF(names)];
	char value[16];

	snprintf(value, sizeof(value), "%u", take(&harness->script, 3));
	if (!strcmp(name, "ecn"))
		strcpy(value, value[0] & 1 ? "on" : "off");
	harness_set(harness, name, value);
}

static void step_link_set(struct harness *harness)
{
	struct port_config *config = &harness->s.ports[harness->port];

	config->rate_bps = 10000000000ull * (1 + take(&harness->script, 1) % 40);
	config->headroom_bytes = take(&harness->script, 2);
	if (config->headroom_bytes > headroom_max)
		headroom_max = config->headroom_bytes;
	if (harness->down >> harness->port & 1)
		return;
	harness->s.links[harness->port].rate_bps = config->rate_bps;
	ethernet_ops.link_set(harness->s.eth, harness->port);
}

static void step_tables(struct harness *harness)
{
	struct switch_config *config = &harness->s.config.switch_;
	uint32_t routes = take(&harness->script, 1);

	harness->s.routes[0].ports = (routes & 3) << 2 | routes >> 7;
	harness->s.routes[1].ports = (routes >> 2 & 3) << 2;
	config->flood_ports = take(&harness->script, 1) % (1u << PORTS);
	ethernet_ops.tables(harness->s.eth, config);
}

static harness_step *const steps[] = { step_record, step_pause_bytes, step_pause,     step_data,
				       step_reply,  step_burst,       step_broadcast, step_run,
				       step_set,    step_link,        step_link_set,  step_tables };

/* ---- the configuration ---- */

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

static void configure(struct harness *harness, uint32_t setting)
{
	struct one_switch *s = &harness->s;
	struct roce_config *roce = &s->config.roce;

	ethernet_configure(s);
	s->config.switch_.cut_through = setting & 1;
	s->config.switch_.flood_ports = setting & 4096 ? 5 : ALL_PORTS;
	headroom_max = setting & 16 ? 2000 : 20000;
	for (uint32_t p = 0; p < PORTS; p++)
		s->ports[p].headroom_bytes = (uint32_t)headroom_max;
	roce->pfc = !(setting & 4);
	roce->pause = setting & 2;
	roce->buffer_bytes = 8 * 20000 + (setting & 8 ? 20000 : 1000000);
	roce->supplement = setting & 64;
	roce->path_pause = setting & 128;
	roce->path_form = (enum path_pause_form)(setting >> 8 & 3);
	roce->path_target = setting & 1024 ? ROCE_ECN_FAILED : ROCE_CNP_FAILED;
	roce->path_high_bytes = 60000;
	roce->path_low_bytes = 20000;
	roce->increase_period_ps = 5 * NODE_US;
	roce->idle_ps = 20 * NODE_US;
	roce->flows_max = setting & 2048 ? 1 : 16;
	roce->watchdog_ps = 20 * NODE_US;
	classes_make(roce, setting);
}

/* all links are up and all neighbours receive: pauses run out, and nothing is left */
static void finish(struct harness *harness)
{
	const struct ethernet *eth = harness->s.eth;

	harness_links(harness, false);
	for (uint32_t i = 0; i < 40 && (i < 4 || eth->sw.pool.used); i++)
		harness_run(harness, ALL_PORTS, 10 * NODE_MS);
	assert(!eth->sw.pool.used && !eth->buffer.used_bytes && !eth->held_count);
	for (uint32_t p = 0; p < PORTS; p++)
		assert(!eth->ports[p].teller.told);
}

const struct harness_kind harness_kind = { .ops = &ethernet_ops,
					   .setting_bytes = 2,
					   .configure = configure,
					   .steps = steps,
					   .step_kinds = COUNT_OF(steps),
					   .check = check,
					   .finish = finish };
