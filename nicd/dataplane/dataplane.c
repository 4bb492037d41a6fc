#include "nicd/dataplane/dataplane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/dataplane/dataplane_show.h"
#include "nicd/dataplane/nic.h"
#include "nicd/dataplane/nic_gate.h"
#include "nicd/dataplane/nic_lid.h"
#include "nicd/dataplane/nic_pfc.h"
#include "nicd/dataplane/nic_sample.h"
#include "nicd/dataplane/nic_transmit.h"
#include "nicd/dataplane/nic_transport.h"
#include "nicd/gates/pause.h"
#include "nodes/base/copy.h"
#include "nodes/base/units.h"
#include "nodes/link/link_send.h"
#include "nodes/stats/trace.h"

/* messages that may wait even if the log of completions is short (ours) */
#define WAITING_MESSAGES_MIN 4096u

static void nic_destroy(void *dataplane);

/* ---- create ---- */

static int flow_slots_init(struct nic *nic)
{
	const struct nic_config *config = &nic->config->nic;
	struct nic_flows *flows = &nic->flows;

	flows->base = calloc(config->workload_count, sizeof(*flows->base));
	if (!flows->base)
		return -ENOMEM;
	for (uint32_t w = 0; w < config->workload_count; w++) {
		flows->base[w] = flows->count;
		flows->count +=
			config->workloads[w].destination_count * config->workloads[w].connections;
	}
	flows->slots = calloc(flows->count, sizeof(*flows->slots));
	if (!flows->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < flows->count; i++)
		flows->slots[i] = SEND_NONE;
	return 0;
}

static int send_init(struct nic *nic)
{
	const struct nic_config *config = &nic->config->nic;
	uint32_t flows = nic->flows.count, messages = config->messages_max;

	if (flows > config->flows_max)
		flows = config->flows_max;
	if (messages < WAITING_MESSAGES_MIN)
		messages = WAITING_MESSAGES_MIN;
	return send_queue_init(&nic->queue, config->host_index, flows, messages) ||
			       nic_transport_init(nic, flows, messages) || nic_lid_init(nic)
		       ? -ENOMEM
		       : 0;
}

/* A packet was lost on the link of the NIC (FC-17), or the link is down: then its other end counts
 * what it has not received (link_lose()). An attached host is not notified: its programs detect
 * losses. */
static void on_lost(void *owner, struct link *link, const struct link_log_entry *entry,
		    node_time_t now)
{
	struct nic *nic = owner;

	if (entry->tag != SEND_NONE)
		stats_flow_tx(nic->stats, entry->tag)->reported_lost++;
	link->stats->loss_reports++;
	link->stats->loss_report_units += entry->units;
	trace(nic->stats, (struct trace_entry){ .at_ps = now,
						.kind = TRACE_LOSS_REPORT,
						.detail = entry->tag,
						.value = entry->units });
}

/* the switch must stop @traffic_class (@stop), or may resume it */
static void peer_stop_class(struct nic *nic, uint32_t traffic_class, bool stop)
{
	uint32_t lanes = node_lanes(nic->config, PORT_EDGE);

	if (nic->roce) {
		nic_pfc_stop(nic, traffic_class, stop);
		return;
	}
	if ((link_stops(nic->link) >> traffic_class * lanes & 1) != stop)
		trace(nic->stats, (struct trace_entry){ .at_ps = nic->now_ps,
							.kind = stop ? TRACE_XOFF : TRACE_XON,
							.traffic_class = (uint8_t)traffic_class });
	for (uint32_t level = 0; level < lanes; level++)
		link_stop_set(nic->link, traffic_class * lanes + level, stop);
}

/* stops and resumes classes at the switch as pause_classes() returns them */
static void pause_step(struct nic *nic)
{
	uint32_t classes = pause_classes(&nic->config->nic, nic->pausing.from_ps, nic->now_ps);

	for (uint32_t left = classes ^ nic->pausing.classes; left; left &= left - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(left);

		peer_stop_class(nic, c, classes >> c & 1);
	}
	nic->pausing.classes = classes;
	nic->pausing.at_ps = pause_next_at(&nic->config->nic, nic->pausing.from_ps, nic->now_ps);
}

/* All that follows from the rate of the link. A load that is set from now on is a share of it; one
 * that runs already keeps its rate. */
static void follow_rate(struct nic *nic)
{
	class_scheduler_init_node(&nic->classes, nic->config, nic->link->rate_bps);
	nic->workloads.rate_bps = nic->link->rate_bps;
	for (uint32_t kind = 0; kind < TRANSPORT_KINDS; kind++)
		congestion_line(&nic->transport.rules[kind].congestion, nic->link->rate_bps);
}

/* sets up all that depends on the link that is plugged in: at the start, and for a new link */
static void plug_in(struct nic *nic)
{
	struct link_listener listener = { .owner = nic, .on_lost = on_lost };

	follow_rate(nic);
	nic->receive.frame_bytes_max = nic->config->ports[0].mtu_bytes;
	nic->pausing.classes = 0; /* no class is paused at a new peer */
	nic->pausing.at_ps = nic->config->nic.pause_count ? nic->now_ps : NODE_TIME_NEVER;
	nic_pfc_init(nic);
	nic_lid_plug_in(nic);
	link_listen(nic->link, &listener);
}

static void *nic_create(const struct node_config *config, struct link *links,
			struct stats_page *stats)
{
	struct nic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return NULL;
	nic->config = config;
	nic->link = &links[0];
	nic->stats = stats;
	nic->tx.at_ps = NODE_TIME_NEVER;
	nic->tx.host_at_ps = NODE_TIME_NEVER;
	nic->roce = config->fabric == FABRIC_ROCE;
	nic->by_lid = config->fabric == FABRIC_PORT_GROUP;
	nic->pausing.from_ps = config->nic.pauses_from_ps;
	nic->measure.sample_at_ps = config->sample_ps && config->series ? 0 : NODE_TIME_NEVER;
	nic->measure.end_ps = node_measured_at(config);
	nic->measure.queue = queue_gauge_of(config);
	if (series_init(&nic->series, config, stats) ||
	    host_if_init(&nic->host, config->nic.host_queues, stats) || flow_slots_init(nic) ||
	    send_init(nic) || receive_init(&nic->receive, config, stats) || nic_gate_init(nic) ||
	    workload_set_init(&nic->workloads, &config->nic, nic->link->rate_bps,
			      nic->link->gap_bytes + (nic->by_lid ? LID_HEADER_BYTES : 0))) {
		nic_destroy(nic);
		return NULL;
	}
	host_send_init(&nic->host_send, &nic->host, config, stats);
	plug_in(nic);
	if (nic->by_lid)
		nic_transmit_plan(nic); /* the first credit is due */
	return nic;
}

static void nic_destroy(void *dataplane)
{
	struct nic *nic = dataplane;

	series_fini(&nic->series);
	nic_gate_fini(nic);
	nic_lid_fini(nic);
	host_if_fini(&nic->host);
	workload_set_fini(&nic->workloads);
	receive_fini(&nic->receive);
	send_queue_fini(&nic->queue);
	nic_transport_fini(nic);
	free(nic->flows.slots);
	free(nic->flows.base);
	free(nic);
}

/* ---- run: arrivals ---- */

/* does the frame carry a test payload for this NIC? */
static bool is_generated(const struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes,
			 uint32_t frame_bytes)
{
	struct frame_payload payload;

	return captured_bytes >= sizeof(nic->receive.mac) &&
	       !memcmp(bytes, nic->receive.mac, sizeof(nic->receive.mac)) &&
	       !frame_payload_read(bytes, captured_bytes, frame_bytes, &payload);
}

/* Delivers a frame that is not generated to the attached host, if all of it was captured: copies it
 * into the delivery memory.   Return: false: it is not for the host. */
static bool arrive_for_host(struct nic *nic, const struct record *header, const uint8_t *shared,
			    uint32_t frame_bytes)
{
	uint8_t *bytes;

	if (frame_bytes > nic->receive.frame_bytes_max || frame_bytes > NODE_MTU_MAX ||
	    header->captured_bytes != frame_bytes)
		return false;
	bytes = host_if_place(&nic->host);
	memcpy(bytes, shared, frame_bytes);
	if (is_generated(nic, bytes, frame_bytes, frame_bytes))
		return false;
	host_if_put(&nic->host, frame_bytes);
	return true;
}

/* Passes a frame to the transports. One that was captured as a whole is copied as a whole, so that
 * its ICRC can be checked.   Return: false: it belongs to no transport. */
static bool arrive_for_transport(struct nic *nic, const struct record *header,
				 const uint8_t *shared, uint32_t frame_bytes)
{
	bool whole = header->captured_bytes == frame_bytes && frame_bytes <= sizeof(nic->arriving);
	uint32_t captured_bytes = header->captured_bytes;
	struct nic_frame frame;

	if (!whole && captured_bytes > FRAME_HEADERS_MAX)
		captured_bytes = FRAME_HEADERS_MAX;
	memcpy(nic->arriving, shared, captured_bytes);
	frame = (struct nic_frame){ nic->arriving, captured_bytes, frame_bytes,
				    header->traffic_class };
	return nic_transport_arrive(nic, &frame);
}

static void arrive_packet(struct nic *nic, const struct record *header, const uint8_t *shared)
{
	uint32_t frame_bytes = link_frame_bytes(nic->link, header->wire_bytes), captured_bytes;
	struct record inner = *header;
	uint8_t bytes[FRAME_HEADERS_MAX];

	/* port-group: the local route header is removed; a BECN or a bad header ends here */
	if (nic->by_lid && !nic_lid_arrive(nic, &inner, &shared, frame_bytes))
		goto release;

	/* a frame for a transport, for the attached host, or of other generated traffic */
	if (nic->roce && arrive_for_transport(nic, &inner, shared, frame_bytes))
		goto release;
	if (nic->host.attached && arrive_for_host(nic, &inner, shared, frame_bytes))
		goto release;
	captured_bytes = inner.captured_bytes < sizeof(bytes) ? inner.captured_bytes
							      : (uint32_t)sizeof(bytes);
	copy_short(bytes, shared, captured_bytes);
	receive_frame(&nic->receive, bytes, captured_bytes, frame_bytes, inner.traffic_class,
		      nic->now_ps);
release:
	link_release(nic->link, header->traffic_class, units_of_bytes(frame_bytes));
}

static void arrive(struct nic *nic)
{
	struct record header;
	const uint8_t *shared = link_receive(nic->link, &header, nic->now_ps);

	if (!shared)
		goto done;
	if (header.kind == RECORD_PACKET)
		arrive_packet(nic, &header, shared);
	else if (header.kind == RECORD_FGFC && !nic->by_lid)
		nic_gate_on_fgfc(nic, shared, header.captured_bytes);
	else if (header.kind == RECORD_PAUSE)
		nic_pfc_frame(nic, shared, header.captured_bytes);
	/* ACK frames end at the edge of the fabric */
	else
		trace_drop(nic->stats, DROP_MALFORMED, 0, 0, NULL, nic->now_ps);
done:
	link_done(nic->link, &header);
}

static bool host_is_full(const struct nic *nic)
{
	return nic->host.attached && !host_if_place(&nic->host);
}

/* While the delivery memory of the host is full, records wait in the ring: the switch waits, and
 * nothing is lost. */
static node_time_t arrival_at(const struct nic *nic)
{
	return host_is_full(nic) ? NODE_TIME_NEVER : link_next_at(nic->link);
}

/* The switch must stop all classes (@stop), or may resume those that pause.h does not pause. */
static void peer_stop_all(struct nic *nic, bool stop)
{
	uint8_t stop_before = nic->link->stop.wanted, pfc_before = nic->pfc.teller.wanted;

	for (uint32_t c = 0; c < nic->config->class_count; c++)
		peer_stop_class(nic, c, stop || nic->pausing.classes >> c & 1);
	if (nic->link->stop.wanted != stop_before || nic->link->credit.grant_due ||
	    nic->pfc.teller.wanted != pfc_before)
		nic_transmit_plan(nic);
}

/* ---- run: messages start ---- */

/* the slot of the flow that the message belongs to; the first message opens it */
static uint32_t flow_slot(struct nic *nic, const struct workload_message *message)
{
	const struct workload *workload = &nic->workloads.workloads[message->workload];
	const struct workload_config *config = workload->config;
	uint32_t flow = message->place * workload->connections.count + message->connection;
	uint32_t *slot = &nic->flows.slots[nic->flows.base[message->workload] + flow];
	struct flow_spec spec = {
		.workload = message->workload,
		.workload_index = config->workload_index,
		.connection = message->connection,
		.destination = config->destinations[message->place],
		.traffic_class = config->traffic_class,
		.transport = config->transport,
		.shape = workload->shape,
	};

	if (*slot != SEND_NONE)
		return *slot;
	*slot = send_queue_open(&nic->queue, &spec);
	if (*slot == SEND_NONE)
		return SEND_NONE;
	*stats_flow_tx(nic->stats, *slot) = (struct flow_tx_stats){
		.workload_index = spec.workload_index,
		.destination = spec.destination,
		.traffic_class = spec.traffic_class,
		.connection = message->connection,
	};
	nic->stats->flow_tx_count = *slot + 1;
	if (config->transport != TRANSPORT_NONE)
		transport_open(&nic->transport, *slot, &spec, nic->now_ps);
	nic_gate_open_flow(nic, *slot);
	return *slot;
}

static void start_message(struct nic *nic)
{
	struct port_stats *port = nic->link->stats;
	struct workload_message message;
	uint32_t slot;
	bool transport;

	workload_step(&nic->workloads, nic->now_ps, &message);
	slot = flow_slot(nic, &message);
	if (slot == SEND_NONE) {
		trace_drop(nic->stats, DROP_FLOW_TABLE_FULL, 0, 0, NULL, nic->now_ps);
		return;
	}
	transport = nic->workloads.workloads[message.workload].config->transport != TRANSPORT_NONE;
	if (!transport)
		send_queue_put(&nic->queue, slot, message.bytes, message.start_ps);
	else if (!transport_put(&nic->transport, slot, message.bytes, message.start_ps,
				nic->now_ps))
		return;
	stats_flow_tx(nic->stats, slot)->waiting++;
	port->queue_bytes += message.bytes;
	if (port->queue_bytes > port->queue_bytes_max)
		port->queue_bytes_max = port->queue_bytes;
}

/* when the next message starts; one that was deferred is due now, not in the past */
static node_time_t message_at(const struct nic *nic)
{
	if (send_queue_full(&nic->queue) || (nic->roce && transport_full(&nic->transport)))
		return NODE_TIME_NEVER;
	return node_time_max(workload_next_at(&nic->workloads), nic->now_ps);
}

/* ---- run ---- */

/* the next event other than an arrival or the start of a message */
static node_time_t timer_at(const struct nic *nic)
{
	node_time_t next = node_time_min(nic->pausing.at_ps, gate_next_at(&nic->gate));

	next = node_time_min(next, node_time_min(nic->tx.host_at_ps, nic->tx.at_ps));
	next = node_time_min(next, node_time_min(nic->measure.end_ps, nic->measure.sample_at_ps));
	if (!nic->roce)
		return next;
	next = node_time_min(next, node_time_max(transport_next_at(&nic->transport), nic->now_ps));
	return node_time_min(next, nic->pfc.until_ps);
}

/* handles the first of the events that are due at @at, in the order of dataplane.h */
static void timer_step(struct nic *nic, node_time_t at)
{
	if (gate_next_at(&nic->gate) == at)
		nic_gate_step(nic);
	else if (nic->roce && transport_next_at(&nic->transport) <= at)
		transport_step(&nic->transport, nic->now_ps);
	else if (nic->measure.sample_at_ps == at)
		nic_sample(nic);
	/* queue_count() counts the queue up to now */
	else if (nic->measure.end_ps <= at)
		nic->measure.end_ps = NODE_TIME_NEVER;
	else if (nic->tx.host_at_ps != at && nic->pfc.until_ps != at)
		nic_transmit(nic);
	/* else a frame of the host is there, or a pause is over: nic_transmit_plan() follows */
}

/* counts the queue up to now, with the length that it has had since the last event */
static void queue_count(struct nic *nic)
{
	struct port_stats *port = nic->link->stats;

	queue_gauge_settle(&nic->measure.queue, port, nic->now_ps);
	nic->measure.queue.bytes = port->queue_bytes;
}

/* A class at its maximum waits for a time that followed from the former rate of the link. */
static void follow_new_rate(struct nic *nic, node_time_t now)
{
	nic->tx.replan = false;
	nic->tx.shaped = 0;
	nic->now_ps = node_time_max(nic->now_ps, now);
	nic_transmit_plan(nic);
}

static node_time_t nic_run(void *dataplane, node_time_t end)
{
	struct nic *nic = dataplane;
	node_time_t arrives_at = arrival_at(nic);

	if (nic->tx.replan && end)
		follow_new_rate(nic, end - 1);
	/* What waited for a full ring is sent with the times at which it began to wait: a link
	 * keeps its rate although its peer was late (ours). */
	if (link_unstarve(nic->link))
		nic_transmit_plan(nic);
	for (;;) {
		node_time_t start_at = message_at(nic);
		node_time_t next =
			node_time_min(node_time_min(arrives_at, start_at), timer_at(nic));

		if (next >= end)
			return next;
		/* an event may be late after a change of the link */
		nic->now_ps = node_time_max(next, nic->now_ps);
		nic->stats->now_ps = nic->now_ps;
		nic->stats->events++;
		if (arrives_at == next) {
			arrive(nic);
			arrives_at = arrival_at(nic);
		} else if (nic->pausing.at_ps == next) {
			pause_step(nic);
		} else if (start_at == next) {
			start_message(nic);
		} else {
			timer_step(nic, next);
		}
		queue_count(nic);
		nic_transmit_plan(nic);
	}
}

/* ---- links that change, and the attached host ---- */

static void nic_link_down(void *dataplane, uint32_t port, node_time_t now)
{
	struct nic *nic = dataplane;

	if (port || nic->link->down)
		return;
	nic->now_ps = node_time_max(nic->now_ps, now);
	stats_time(nic->stats, nic->now_ps);
	trace_port(nic->stats, TRACE_LINK_DOWN, 0, nic->now_ps);
	link_down(nic->link, nic->now_ps);
	nic_pfc_init(nic);
	nic_transmit_plan(nic);
}

static void nic_link_set(void *dataplane, uint32_t port)
{
	struct nic *nic = dataplane;

	(void)port;
	follow_rate(nic);
	nic->tx.replan = true;
}

static void nic_link_up(void *dataplane, uint32_t port, node_time_t now)
{
	struct nic *nic = dataplane;

	if (port)
		return;
	nic->now_ps = node_time_max(nic->now_ps, now);
	stats_time(nic->stats, nic->now_ps);
	trace_port(nic->stats, TRACE_LINK_UP, 0, nic->now_ps);
	plug_in(nic);
	if (!nic->link->real && nic->config->fabric == FABRIC_FLOW_CHANNEL) {
		link_up_stopped(nic->link);
		/* no packet of the former link is here */
		for (uint32_t c = 0; c < nic->config->class_count; c++)
			link_stop_set(nic->link, c, false);
	}
	nic_transmit_plan(nic);
}

static int nic_host_open(void *dataplane, const int *fds, uint32_t count)
{
	struct nic *nic = dataplane;

	return host_if_open(&nic->host, fds, count);
}

static uint32_t nic_host_release(void *dataplane, int *fds)
{
	struct nic *nic = dataplane;

	return host_if_release(&nic->host, fds);
}

static bool nic_host_receive(void *dataplane, uint32_t *readable, node_time_t now)
{
	struct nic *nic = dataplane;
	bool taken = host_if_receive(&nic->host, readable, now);

	host_send_refill(&nic->host_send, now);
	nic_transmit_plan(nic);
	return taken;
}

static node_time_t nic_host_deliver(void *dataplane, node_time_t now)
{
	struct nic *nic = dataplane;
	bool was_full = host_is_full(nic); /* if so, records wait in the ring */

	host_if_deliver(&nic->host);
	peer_stop_all(nic, host_is_full(nic));
	if (host_if_pending(&nic->host))
		return node_time_min(now + HOST_RETRY_PS, nic->tx.at_ps);
	return was_full ? now : NODE_TIME_NEVER;
}

const struct node_ops nicd_ops = {
	.create = nic_create,
	.run = nic_run,
	.show = nic_show,
	.set = nic_set,
	.destroy = nic_destroy,
	.link_down = nic_link_down,
	.link_up = nic_link_up,
	.link_set = nic_link_set,
	.host_open = nic_host_open,
	.host_release = nic_host_release,
	.host_receive = nic_host_receive,
	.host_deliver = nic_host_deliver,
};
