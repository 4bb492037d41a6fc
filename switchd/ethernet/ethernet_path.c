/*  The congestion control of S4 in an Ethernet switch. As the second switch it watches its output
 *  queues and signals first switches which flows to pause. As the first switch it pauses its
 *  devices (RC-7 ... RC-10). It is often both; a single switch is both for each flow. */
#include "switchd/ethernet/ethernet_path.h"

#include "nodes/stats/trace.h"
#include "switchd/ethernet/ethernet_forward.h"
#include "switchd/ethernet/ethernet_queue.h"

/* and CNPs of one event; the rest is left to the next event, at the same time */
#define SIGNALS_PER_EVENT 16u

/* a switch with vacant ports only takes the slowest link there is: it signals no flow */
static uint64_t fastest_bps(const struct ethernet *eth)
{
	uint64_t rate_bps = LINK_RATE_BPS_MIN;

	for (uint32_t p = 0; p < eth->sw.port_count; p++)
		if (eth->sw.config->ports[p].rate_bps > rate_bps)
			rate_bps = eth->sw.config->ports[p].rate_bps;
	return rate_bps;
}

int ethernet_path_init(struct ethernet *eth)
{
	const struct roce_config *roce = &eth->roce;
	uint64_t rate_bps = fastest_bps(eth);

	for (uint32_t p = 0; p < eth->sw.port_count; p++) {
		for (uint32_t c = 0; c < eth->sw.class_count; c++) {
			struct ethernet_queue *queue = &eth->ports[p].queues[c];

			roce_queue_init(&queue->watch, roce, &queue->class, queue->stats);
			path_signal_init(&queue->signals, roce, rate_bps);
		}
		ethernet_queue_levels(eth, p);
	}
	return roce->supplement || roce->path_pause ? flow_watch_init(&eth->flows, roce->flows_max)
						    : 0;
}

void ethernet_path_rates(struct ethernet *eth)
{
	uint64_t rate_bps = fastest_bps(eth);

	for (uint32_t p = 0; p < eth->sw.port_count; p++)
		for (uint32_t c = 0; c < eth->sw.class_count; c++)
			path_signal_rate(&eth->ports[p].queues[c].signals, rate_bps);
}

void ethernet_path_fini(void *dataplane)
{
	struct ethernet *eth = dataplane;

	flow_watch_fini(&eth->flows);
}

static bool watches_flows(const struct ethernet *eth)
{
	return eth->flows.lines;
}

/* ---- watched queues ---- */

static void send_cnp(struct ethernet *eth, const struct flow_line *line, uint8_t signal,
		     node_time_t now)
{
	struct roce_reply reply = flow_line_cnp(line, eth->roce.cnp_class, signal);
	uint8_t bytes[ROCE_REPLY_BYTES_MAX];

	ethernet_originate(eth, bytes, roce_cnp_write(&reply, bytes), now);
}

static node_time_t due_at(const struct ethernet *eth, uint32_t port, node_time_t now)
{
	node_time_t due = NODE_TIME_NEVER;

	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct ethernet_queue *queue = &eth->ports[port].queues[c];

		due = node_time_min(due,
				    path_signal_due_at(&queue->signals, &eth->flows,
						       queue->watch.state, queue->gauge.bytes));
		due = node_time_min(due, roce_queue_due_at(&queue->watch));
	}
	return node_time_max(due, now);
}

static void arm(struct ethernet *eth, uint32_t port, node_time_t now)
{
	switch_port_timer_set(&eth->sw, port, due_at(eth, port, now));
}

void ethernet_path_on_length(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
			     node_time_t now)
{
	struct ethernet_queue *queue = &eth->ports[port].queues[traffic_class];
	enum roce_state before = queue->watch.state;

	roce_queue_on_length(&queue->watch, queue->gauge.bytes, queue->signals.paused, now);
	if (queue->watch.state != before)
		trace(eth->sw.stats, (struct trace_entry){ .at_ps = now,
							   .kind = TRACE_ROCE_STATE,
							   .port = (uint8_t)port,
							   .traffic_class = (uint8_t)traffic_class,
							   .detail = queue->watch.state });
	if (queue->watch.state != before || queue->signals.paused)
		arm(eth, port, now);
}

/* ---- packets that pass ---- */

/* Only switches signal: a host that could do so would pause and resume any flow. */
static bool is_forged(const struct ethernet *eth, const struct packet *packet)
{
	return eth->roce.path_pause && !packet->copy &&
	       eth->ports[packet->in_port].kind == PORT_EDGE;
}

/* A CNP with a signal ends here if it is for a device of this switch, or comes from one. All others
 * are forwarded unchanged. */
static enum path_verdict take_signal(struct ethernet *eth, uint32_t out,
				     const struct packet *packet, struct flow_line *line,
				     const struct roce_header *header, bool here, node_time_t now)
{
	if (is_forged(eth, packet))
		return PATH_FORGED;
	if (!here || !eth->roce.path_pause) {
		eth->ports[packet->in_port].stats->signals_forwarded += !packet->copy;
		return PATH_PASSES;
	}
	path_pause_on_signal(&eth->ports[out].path, line, header->signal, now);
	trace(eth->sw.stats,
	      (struct trace_entry){ .at_ps = now,
				    .kind = TRACE_PATH_SIGNAL,
				    .port = (uint8_t)out,
				    .detail = header->signal,
				    .value = path_pause_flows(&eth->ports[out].path) });
	switch_touch(&eth->sw, out);
	return PATH_TAKEN;
}

/* An ACK, NAK or CNP of the flow of @line names the sender's queue pair. After a CNP this switch
 * need not make one. */
static void note_reply(struct ethernet *eth, struct flow_line *line,
		       const struct frame_fields *fields, node_time_t now)
{
	struct roce_queue *watch = &eth->ports[line->port].queues[line->traffic_class].watch;
	bool known = line->queue_pair != FLOW_QUEUE_PAIR_UNKNOWN, news = false;

	line->queue_pair = fields->queue_pair;
	if (fields->roce_opcode == ROCE_OPCODE_CNP)
		news = roce_queue_on_cnp(watch, line, now);
	else if (!known)
		news = roce_queue_on_queue_pair(watch, line);
	if (news)
		arm(eth, line->port, now);
}

enum path_verdict ethernet_path_reply(struct ethernet *eth, uint32_t out,
				      const struct packet *packet,
				      const struct frame_fields *fields, bool here, node_time_t now)
{
	struct flow_line *line = watches_flows(eth) ? flow_watch_reply(&eth->flows, fields) : NULL;
	struct roce_header header;

	if (fields->roce_opcode == ROCE_OPCODE_CNP) {
		if (roce_frame_read(packet_whole(&eth->sw.pool, packet), packet->captured_bytes,
				    packet->frame_bytes, &header))
			return PATH_PASSES;
		if (header.signal == ROCE_SIGNAL_PAUSE || header.signal == ROCE_SIGNAL_RESUME)
			return take_signal(eth, out, packet, line, &header, here, now);
	}
	if (!line || packet->copy) /* made here: noted already */
		return PATH_PASSES;
	note_reply(eth, line, fields, now);
	return PATH_PASSES;
}

static void signal_flow(struct ethernet *eth, struct ethernet_queue *queue,
			const struct flow_line *line, uint8_t signal, node_time_t now)
{
	if (signal == ROCE_SIGNAL_PAUSE)
		queue->stats->signals_pause++;
	else
		queue->stats->signals_resume++;
	send_cnp(eth, line, signal, now);
}

void ethernet_path_data(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
			const struct frame_fields *fields, node_time_t now)
{
	struct ethernet_queue *queue = &eth->ports[port].queues[traffic_class];
	struct flow_line *line =
		watches_flows(eth) ? flow_watch_data(&eth->flows, fields, now) : NULL;
	bool news;

	if (!line)
		return;
	line->port = (uint8_t)port;
	line->traffic_class = (uint8_t)traffic_class;
	news = roce_queue_on_packet(&queue->watch, line, now);
	if (path_signal_on_packet(&queue->signals, &eth->flows, line, queue->watch.state,
				  queue->gauge.bytes, now)) {
		signal_flow(eth, queue, line, ROCE_SIGNAL_PAUSE, now);
		news = true;
	}
	if (news)
		arm(eth, port, now);
}

/* sends the CNPs that flows of @queue lack; *count: of this event, so far */
static void supplement(struct ethernet *eth, struct ethernet_queue *queue, uint32_t *count,
		       node_time_t now)
{
	node_time_t oldest_ps = queue->queue.head ? queue->queue.head->requested_at_ps : now;

	while (*count < SIGNALS_PER_EVENT && roce_queue_due_at(&queue->watch) <= now) {
		const struct flow_line *line = roce_queue_next(&queue->watch, oldest_ps, now);

		(*count)++;
		if (line)
			send_cnp(eth, line, ROCE_SIGNAL_NONE, now);
	}
}

node_time_t ethernet_path_step(void *dataplane, uint32_t port, node_time_t now)
{
	struct ethernet *eth = dataplane;
	uint32_t count = 0;

	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		struct ethernet_queue *queue = &eth->ports[port].queues[c];
		struct flow_line *line;
		uint8_t what;

		while (count < SIGNALS_PER_EVENT &&
		       (line = path_signal_next(&queue->signals, &eth->flows, queue->watch.state,
						queue->gauge.bytes, now, &what))) {
			signal_flow(eth, queue, line, what, now);
			count++;
		}
		supplement(eth, queue, &count, now);
	}
	return due_at(eth, port, now);
}

void ethernet_path_periods(struct ethernet *eth, node_time_t now)
{
	for (uint32_t p = 0; p < eth->sw.port_count; p++)
		arm(eth, p, now);
}
