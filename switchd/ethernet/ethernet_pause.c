#include "switchd/ethernet/ethernet_pause.h"

#include "nodes/link/link_send.h"
#include "nodes/stats/trace.h"

/* ---- received pauses ---- */

static void hold_begin(struct ethernet *eth, uint32_t port, uint32_t traffic_class, node_time_t now)
{
	struct ethernet_queue *queue = &eth->ports[port].queues[traffic_class];

	trace(eth->sw.stats, (struct trace_entry){ .at_ps = now,
						   .kind = TRACE_PAUSE,
						   .port = (uint8_t)port,
						   .traffic_class = (uint8_t)traffic_class });
	queue->stats->paused_since_ps = now ? now : 1; /* 0 means not paused */
	queue->stats->paused_counted_ps = now;
	eth->held_count++;
}

static void hold_end(struct ethernet *eth, uint32_t port, uint32_t traffic_class, bool stuck,
		     node_time_t now)
{
	struct ethernet_queue *queue = &eth->ports[port].queues[traffic_class];
	node_time_t since_ps = queue->stats->paused_since_ps;
	node_time_t waited_ps = now > since_ps ? now - since_ps : 0;

	trace(eth->sw.stats, (struct trace_entry){ .at_ps = now,
						   .kind = TRACE_RESUME,
						   .port = (uint8_t)port,
						   .traffic_class = (uint8_t)traffic_class,
						   .value = waited_ps });
	queue->stats->paused_ps += now - queue->stats->paused_counted_ps;
	queue->stats->paused_since_ps = 0;
	eth->held_count -= !stuck;
}

void ethernet_pause_note(struct ethernet *eth, uint32_t port, node_time_t now)
{
	struct ethernet_port *out = &eth->ports[port];
	uint32_t held = pfc_gate_paused(&out->gate, now) & out->backlog;

	for (uint32_t changed = held ^ out->held; changed; changed &= changed - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(changed);

		if (held >> c & 1)
			hold_begin(eth, port, c, now);
		else
			hold_end(eth, port, c, out->stuck >> c & 1, now);
	}
	out->held = (uint8_t)held;
	out->stuck &= out->held;
	/* the port is paused if all classes with packets are */
	switch_pause_note(&eth->sw, port, held && held == out->backlog, now);
}

void ethernet_pause_settle(struct ethernet *eth, uint32_t port, node_time_t now)
{
	struct ethernet_port *out = &eth->ports[port];

	for (uint32_t held = out->held; held; held &= held - 1) {
		struct ethernet_queue *queue = &out->queues[__builtin_ctz(held)];

		queue->stats->paused_ps += now - queue->stats->paused_counted_ps;
		queue->stats->paused_counted_ps = now;
	}
	switch_pause_settle(&eth->sw, port, now);
}

node_time_t ethernet_pause_ps(const struct ethernet_queue *queue, node_time_t now)
{
	const struct class_stats *stats = queue->stats;
	node_time_t since_ps = stats->paused_counted_ps;

	return stats->paused_ps + (stats->paused_since_ps && now > since_ps ? now - since_ps : 0);
}

void ethernet_pause_take(struct ethernet *eth, uint32_t port, const struct record *header,
			 const uint8_t *bytes, node_time_t now)
{
	struct ethernet_port *out = &eth->ports[port];
	struct pause_frame frame;

	out->gate.late_ps = pfc_late_ps(eth->sw.config, port);
	if (pfc_frame_read(bytes, header->captured_bytes, &frame)) {
		trace_drop(eth->sw.stats, DROP_MALFORMED, port, 0, NULL, now);
		return;
	}
	out->stats->pauses_received++;
	if (!pfc_is_obeyed(&eth->roce) ||
	    !pfc_gate_take(&out->gate, &frame, out->link->rate_bps, now))
		return;
	ethernet_pause_note(eth, port, now);
	/* a pause that is renewed again and again is counted while it lasts */
	ethernet_pause_settle(eth, port, now);
	switch_touch(&eth->sw, port);
}

/* ---- sent pauses ---- */

void ethernet_pause_tell(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
			 node_time_t now)
{
	struct ethernet_port *in = &eth->ports[port];
	bool stop = shared_buffer_stopped(&eth->buffer, port, traffic_class);

	if (stop == (in->teller.wanted >> traffic_class & 1))
		return;
	pfc_teller_want(&in->teller, traffic_class, stop);
	trace(eth->sw.stats,
	      (struct trace_entry){ .at_ps = now,
				    .kind = stop ? TRACE_XOFF : TRACE_XON,
				    .port = (uint8_t)port,
				    .traffic_class = (uint8_t)traffic_class,
				    .value = eth->buffer.inputs[port][traffic_class].bytes });
	switch_touch(&eth->sw, port);
}

static void note_told(struct ethernet_port *in, uint32_t before, node_time_t now)
{
	for (uint32_t changed = before ^ in->teller.told; changed; changed &= changed - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(changed);
		struct class_stats *stats = in->queues[c].stats;

		stats->xoff_since_ps = in->teller.told >> c & 1 ? now : 0;
		if (!stats->xoff_first_ps)
			stats->xoff_first_ps = now;
	}
}

node_time_t ethernet_pause_due_at(const struct ethernet *eth, uint32_t port, node_time_t now)
{
	const struct ethernet_port *in = &eth->ports[port];

	return path_pause_due(&in->path, now) ? 0 : pfc_teller_due_at(&in->teller);
}

/* a frame of path-level PFC may pause some classes and resume others */
static void count_path(struct port_stats *stats, const struct pause_frame *frame)
{
	uint32_t named = frame->enabled ? frame->enabled : 1, stopped = 0;

	for (uint32_t c = 0; c < PAUSE_PRIORITIES; c++)
		stopped |= (uint32_t)(frame->quanta[c] != 0) << c;
	stats->path_pauses += (named & stopped) != 0;
	stats->path_resumes += (named & ~stopped) != 0;
}

/* The buffer's frame has priority over that of path-level PFC. Return: is a frame due? */
static bool next_frame(struct ethernet_port *in, node_time_t now, struct pause_frame *frame)
{
	uint32_t before = in->teller.told;

	if (pfc_teller_due_at(&in->teller) <= now) {
		*frame = pfc_teller_frame(&in->teller, in->link->rx.rate_bps, now);
		path_pause_amend(&in->path, frame, now);
		note_told(in, before, now);
		return true;
	}
	if (!path_pause_due(&in->path, now) ||
	    !path_pause_frame(&in->path, &in->teller, now, frame))
		return false;
	count_path(in->stats, frame);
	return true;
}

void ethernet_pause_send(struct ethernet *eth, uint32_t port, node_time_t now)
{
	struct ethernet_port *in = &eth->ports[port];
	uint8_t bytes[PAUSE_FRAME_BYTES];
	struct pause_frame frame;

	if (!next_frame(in, now, &frame))
		return;
	in->stats->pauses_sent++;
	pause_frame_write(&frame, in->mac, bytes);
	link_send_pause(in->link, now, bytes, sizeof(bytes));
}

/* ---- the watchdog ---- */

void ethernet_watchdog(void *dataplane, node_time_t now)
{
	struct ethernet *eth = dataplane;
	node_time_t next = NODE_TIME_NEVER;

	for (uint32_t p = 0; p < eth->sw.port_count; p++) {
		struct ethernet_port *out = &eth->ports[p];

		for (uint32_t held = out->held & (uint8_t)~out->stuck; held; held &= held - 1) {
			uint32_t c = (uint32_t)__builtin_ctz(held);
			struct class_stats *stats = out->queues[c].stats;
			node_time_t due = stats->paused_since_ps + eth->roce.watchdog_ps;

			if (due > now) {
				next = node_time_min(next, due);
				continue;
			}
			stats->stuck++;
			eth->held_count--;
			out->stuck |= (uint8_t)(1u << c);
			trace(eth->sw.stats,
			      (struct trace_entry){ .at_ps = now,
						    .kind = TRACE_STUCK,
						    .port = (uint8_t)p,
						    .traffic_class = (uint8_t)c,
						    .value = (now - stats->paused_since_ps) /
							     NODE_US });
		}
	}
	switch_timer_set(&eth->sw, next);
	eth->watching = next != NODE_TIME_NEVER;
}

void ethernet_watchdog_update(void *dataplane, node_time_t now)
{
	struct ethernet *eth = dataplane;

	if (eth->watching == (eth->held_count != 0))
		return;
	eth->watching = eth->held_count;
	switch_timer_set(&eth->sw, eth->watching ? now + eth->roce.watchdog_ps : NODE_TIME_NEVER);
}
