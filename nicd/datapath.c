#include "nicd/datapath.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/host_if.h"
#include "nicd/host_send.h"
#include "nicd/receive.h"
#include "nicd/send_queue.h"
#include "nicd/workload.h"
#include "nodes/trace.h"
#include "nodes/traffic_class.h"
#include "nodes/units.h"

/* messages that may wait although the log of completions is short (ours) */
#define WAITING_MESSAGES_MIN 4096u

/* who takes turns within a traffic class: the send queue, then the host's queues */
#define SOURCE_GENERATED 0u
#define SOURCE_HOST 1u
#define SOURCE_NONE UINT32_MAX

struct nic {
	const struct node_config *config;
	struct link *link;
	struct stats_page *stats;
	struct workload_set workloads;
	struct send_queue queue;
	struct class_scheduler classes;
	struct receive receive;
	struct host_if host;
	struct host_send host_send;
	node_time_t host_at_ps;           /* when a head of the host may be considered that may not yet */
	uint32_t host_ready;              /* set of the host's queues whose heads may be considered */
	uint32_t turns[NODE_CLASSES_MAX]; /* the source whose turn it is */
	uint32_t *flow_slots;             /* by workload and place of the destination; SEND_NONE: no flow yet */
	uint32_t *flow_base;              /* where a workload's begin */
	node_time_t now_ps;               /* of the event under way or of the last one */
	node_time_t transmit_at_ps;       /* next chance to send */
	uint32_t sendable;                /* classes whose next packet has credit */
	uint32_t shaped;                  /* classes that were ready when none of them was below its maximum ... */
	node_time_t shaped_until_ps;      /* ... and when one will be */
	bool waits_for_credit;
	node_time_t waits_since_ps; /* what came before is in paused_ps */
};

static void nic_destroy(void *dataplane);

/* ---- create ---- */

static uint32_t flow_slots_count(const struct nic_config *config)
{
	uint32_t count = 0;

	for (uint32_t w = 0; w < config->workload_count; w++)
		count += config->workloads[w].destination_count;
	return count;
}

static int flow_slots_init(struct nic *nic)
{
	const struct nic_config *config = &nic->config->nic;
	uint32_t count = flow_slots_count(config), base = 0;

	nic->flow_slots = malloc((count + 1) * sizeof(*nic->flow_slots));
	nic->flow_base = malloc((config->workload_count + 1) * sizeof(*nic->flow_base));
	if (!nic->flow_slots || !nic->flow_base)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		nic->flow_slots[i] = SEND_NONE;
	for (uint32_t w = 0; w < config->workload_count; w++) {
		nic->flow_base[w] = base;
		base += config->workloads[w].destination_count;
	}
	return 0;
}

static int send_init(struct nic *nic)
{
	const struct nic_config *config = &nic->config->nic;
	uint32_t flows = flow_slots_count(config), messages = config->messages_max;

	return send_queue_init(&nic->queue, config->host_index, flows < config->flows_max ? flows : config->flows_max,
			       messages > WAITING_MESSAGES_MIN ? messages : WAITING_MESSAGES_MIN);
}

/* A packet was lost on the NIC's own link (FC-17), or the link is. A host is not told: its programs find out themselves. */
static void on_lost(void *owner, struct link *link, const struct link_log_entry *entry, node_time_t now)
{
	struct nic *nic = owner;

	if (entry->tag != SEND_NONE)
		stats_flow_tx(nic->stats, entry->tag)->reported_lost++;
	if (link->down)
		nic->stats->drops[DROP_LINK_DOWN]++;
	link->stats->loss_reports++;
	link->stats->loss_report_units += entry->units;
	trace(nic->stats, now, TRACE_LOSS_REPORT, link->port, entry->tag, entry->units);
}

/* what depends on the link that is plugged in */
static void plug_in(struct nic *nic)
{
	struct link_listener listener = { .owner = nic, .on_lost = on_lost };

	class_scheduler_init(&nic->classes, nic->config->class_count, nic->config->classes, nic->link->rate_bps);
	nic->receive.frame_bytes_max = nic->config->ports[0].mtu_bytes;
	link_listen(nic->link, &listener);
}

static void *nic_create(const struct node_config *config, struct link *links, struct stats_page *stats)
{
	struct nic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return NULL;
	nic->config = config;
	nic->link = &links[0];
	nic->stats = stats;
	nic->transmit_at_ps = NODE_TIME_NEVER;
	nic->host_at_ps = NODE_TIME_NEVER;
	if (host_if_init(&nic->host, config->nic.host_queues, stats) || flow_slots_init(nic) || send_init(nic) ||
	    receive_init(&nic->receive, config, stats) ||
	    workload_set_init(&nic->workloads, &config->nic, nic->link->rate_bps, nic->link->gap_bytes)) {
		nic_destroy(nic);
		return NULL;
	}
	host_send_init(&nic->host_send, &nic->host, config, stats);
	plug_in(nic);
	return nic;
}

static void nic_destroy(void *dataplane)
{
	struct nic *nic = dataplane;

	host_if_fini(&nic->host);
	workload_set_fini(&nic->workloads);
	receive_fini(&nic->receive);
	send_queue_fini(&nic->queue);
	free(nic->flow_slots);
	free(nic->flow_base);
	free(nic);
}

/* ---- run: arrivals ---- */

/* does the frame carry a test payload for this NIC? */
static bool is_generated(const struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes)
{
	struct frame_payload payload;

	return captured_bytes >= sizeof(nic->receive.mac) &&
	       !memcmp(bytes, nic->receive.mac, sizeof(nic->receive.mac)) &&
	       !frame_payload_read(bytes, captured_bytes, frame_bytes, &payload);
}

/* Every other frame is for the attached host, if it is there as a whole. It is copied where it will be delivered from. */
static bool arrive_for_host(struct nic *nic, const struct record *header, const uint8_t *shared, uint32_t frame_bytes)
{
	uint8_t *bytes;

	if (!nic->host.attached || frame_bytes > nic->receive.frame_bytes_max || frame_bytes > NODE_MTU_MAX ||
	    header->captured_bytes != frame_bytes)
		return false;
	bytes = host_if_place(&nic->host);
	memcpy(bytes, shared, frame_bytes);
	if (is_generated(nic, bytes, frame_bytes, frame_bytes))
		return false;
	host_if_put(&nic->host, frame_bytes);
	return true;
}

static void arrive_packet(struct nic *nic, const struct record *header, const uint8_t *shared)
{
	uint32_t frame_bytes = link_frame_bytes(nic->link, header->wire_bytes);

	if (!arrive_for_host(nic, header, shared, frame_bytes)) {
		uint8_t bytes[FRAME_HEADERS_MAX];
		uint32_t captured_bytes =
			header->captured_bytes < sizeof(bytes) ? header->captured_bytes : (uint32_t)sizeof(bytes);

		memcpy(bytes, shared, captured_bytes);
		receive_frame(&nic->receive, bytes, captured_bytes, frame_bytes, header->traffic_class, nic->now_ps);
	}
	link_credit_return(nic->link, header->traffic_class, units_of_bytes(frame_bytes));
}

static void arrive(struct nic *nic)
{
	struct record header;
	const uint8_t *shared = link_receive(nic->link, &header, nic->now_ps);

	if (shared && header.kind == RECORD_PACKET)
		arrive_packet(nic, &header, shared);
	else if (shared)
		nic->stats->drops[DROP_MALFORMED]++; /* an ACK frame ends at the edge, it never comes here */
	link_done(nic->link, &header);
}

/* While there is no room for what the host is sent, records wait in the ring: the fabric is held back, nothing is lost. */
static node_time_t arrival_at(const struct nic *nic)
{
	if (nic->host.attached && !host_if_place(&nic->host))
		return NODE_TIME_NEVER;
	return link_next_at(nic->link);
}

/* ---- run: messages start ---- */

/* the slot of the flow that the message belongs to; the first message opens it */
static uint32_t flow_slot(struct nic *nic, const struct workload_message *message)
{
	uint32_t *slot = &nic->flow_slots[nic->flow_base[message->workload] + message->place];
	const struct workload *workload = &nic->workloads.workloads[message->workload];
	const struct workload_config *config = workload->config;
	struct send_flow_spec spec = {
		.workload = message->workload,
		.workload_index = config->workload_index,
		.destination = config->destinations[message->place],
		.traffic_class = config->traffic_class,
		.frame = config->frame,
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
	};
	nic->stats->flow_tx_count = *slot + 1;
	return *slot;
}

static void start_message(struct nic *nic)
{
	struct port_stats *port = nic->link->stats;
	struct workload_message message;
	uint32_t slot;

	workload_step(&nic->workloads, nic->now_ps, &message);
	slot = flow_slot(nic, &message);
	if (slot == SEND_NONE) {
		nic->stats->drops[DROP_FLOW_TABLE_FULL]++;
		return;
	}
	send_queue_put(&nic->queue, slot, message.bytes, message.start_ps);
	port->queue_bytes += message.bytes;
	if (port->queue_bytes > port->queue_bytes_max)
		port->queue_bytes_max = port->queue_bytes;
}

/* deferred messages are due now, not in the past */
static node_time_t message_at(const struct nic *nic)
{
	if (send_queue_full(&nic->queue))
		return NODE_TIME_NEVER;
	return node_time_max(workload_next_at(&nic->workloads), nic->now_ps);
}

/* ---- run: transmission ---- */

/* The queues of the host whose heads were there at this moment; a NIC that comes late knows of more already.
 * @later  the first moment when there will be another                                                              */
static uint32_t host_ready(const struct nic *nic, node_time_t *later)
{
	uint32_t ready = 0;

	*later = NODE_TIME_NEVER;
	for (uint32_t left = nic->host_send.ready; left; left &= left - 1) {
		uint32_t queue = (uint32_t)__builtin_ctz(left);
		node_time_t at_ps = nic->host_send.heads[queue].at_ps;

		if (at_ps <= nic->now_ps)
			ready |= 1u << queue;
		else
			*later = node_time_min(*later, at_ps);
	}
	return ready;
}

/* may the head of @queue of the host, which is ready, go out now? */
static bool host_sendable(const struct nic *nic, uint32_t queue)
{
	const struct host_head *head = &nic->host_send.heads[queue];

	return link_may_send(nic->link, head->traffic_class, units_of_bytes(head->frame_bytes));
}

static bool generated_sendable(const struct nic *nic, uint32_t traffic_class)
{
	return link_may_send(nic->link, traffic_class, send_queue_units(&nic->queue, traffic_class));
}

static uint32_t sendable_now(const struct nic *nic, uint32_t queues)
{
	uint32_t classes = 0;

	for (uint32_t left = nic->queue.ready; left; left &= left - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(left);

		if (generated_sendable(nic, c))
			classes |= 1u << c;
	}
	for (uint32_t left = queues; left; left &= left - 1) {
		uint32_t queue = (uint32_t)__builtin_ctz(left);

		if (host_sendable(nic, queue))
			classes |= 1u << nic->host_send.heads[queue].traffic_class;
	}
	return classes;
}

static bool source_sendable(const struct nic *nic, uint32_t source, uint32_t traffic_class)
{
	uint32_t queue = source - SOURCE_HOST;

	if (source == SOURCE_GENERATED)
		return nic->queue.ready & 1u << traffic_class && generated_sendable(nic, traffic_class);
	return nic->host_ready & 1u << queue && nic->host_send.heads[queue].traffic_class == traffic_class &&
	       host_sendable(nic, queue);
}

/* whose turn it is in a class that is sendable: a frame each (ours) */
static uint32_t source_pick(struct nic *nic, uint32_t traffic_class)
{
	uint32_t count = SOURCE_HOST + nic->host.queue_count, *turn = &nic->turns[traffic_class];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t source = (*turn + i) % count;

		if (!source_sendable(nic, source, traffic_class))
			continue;
		*turn = (source + 1) % count;
		return source;
	}
	return SOURCE_NONE;
}

static void count_injected(struct nic *nic, uint32_t frame_bytes)
{
	nic->stats->injected_packets++;
	nic->stats->injected_bytes += frame_bytes;
	nic->stats->data_hops++;
}

static void count_sent(struct nic *nic, const struct send_packet *packet)
{
	struct flow_tx_stats *flow = stats_flow_tx(nic->stats, packet->flow);

	if (packet->message_first) {
		const struct send_flow *sending = &nic->queue.flows[packet->flow];

		flow->messages++;
		trace(nic->stats, nic->now_ps, TRACE_MESSAGE_START, packet->flow, sending->message,
		      (uint32_t)sending->message_bytes);
	}
	flow->packets++;
	flow->bytes += packet->frame_bytes;
	count_injected(nic, packet->frame_bytes);
}

static void send_host_frame(struct nic *nic, uint32_t traffic_class, uint32_t queue)
{
	uint32_t frame_bytes = nic->host_send.heads[queue].frame_bytes, wire_bytes = frame_bytes + FRAME_FCS_BYTES;
	uint8_t *bytes = link_send_packet(nic->link, nic->now_ps, wire_bytes, frame_bytes, frame_bytes, traffic_class,
					  SEND_NONE);

	host_send_next(&nic->host_send, queue, bytes, nic->now_ps);
	class_scheduler_sent(&nic->classes, traffic_class, wire_bytes + nic->link->gap_bytes, nic->now_ps);
	count_injected(nic, frame_bytes);
	nic->stats->host_tx_packets++;
}

static void send_generated(struct nic *nic, uint32_t traffic_class)
{
	struct send_packet packet = send_queue_next(&nic->queue, traffic_class);
	uint32_t wire_bytes = packet.frame_bytes + FRAME_FCS_BYTES;
	uint8_t *bytes = link_send_packet(nic->link, nic->now_ps, wire_bytes, packet.captured_bytes, packet.frame_bytes,
					  traffic_class, packet.flow);

	if (bytes)
		send_queue_write(&nic->queue, &packet, bytes);
	class_scheduler_sent(&nic->classes, traffic_class, wire_bytes + nic->link->gap_bytes, nic->now_ps);
	count_sent(nic, &packet);
	nic->link->stats->queue_bytes -= packet.payload_bytes;
	send_queue_sent(&nic->queue, traffic_class, &packet);
	if (packet.message_last)
		workload_on_sent(&nic->workloads, nic->queue.specs[packet.flow].workload, nic->link->busy_until_ps);
}

static void send_packet(struct nic *nic, uint32_t traffic_class)
{
	uint32_t source = source_pick(nic, traffic_class);

	if (source == SOURCE_GENERATED)
		send_generated(nic, traffic_class);
	else if (source != SOURCE_NONE)
		send_host_frame(nic, traffic_class, source - SOURCE_HOST);
}

/* may control words go? Under the real clock they wait for room in the ring like everything else. */
static bool words_may_go(const struct nic *nic, bool due)
{
	return due && (!nic->link->real || (!nic->link->down && link_ring_has_room(nic->link)));
}

/* one frame, or the control words that are due */
static void transmit(struct nic *nic)
{
	node_time_t retry_at = NODE_TIME_NEVER;
	int traffic_class;

	if (words_may_go(nic, link_words_due(nic->link))) {
		link_send_words(nic->link, nic->now_ps, !nic->sendable);
		return;
	}
	traffic_class = class_scheduler_pick(&nic->classes, nic->sendable, nic->now_ps, &retry_at);
	if (traffic_class >= 0) {
		send_packet(nic, (uint32_t)traffic_class);
		return;
	}
	nic->shaped = nic->sendable;
	nic->shaped_until_ps = retry_at;
	if (words_may_go(nic, nic->link->sync_due))
		link_send_words(nic->link, nic->now_ps, true);
}

static node_time_t transmit_at(const struct nic *nic)
{
	uint32_t classes = nic->sendable;
	node_time_t earliest = node_time_max(nic->now_ps, nic->link->busy_until_ps);

	if (words_may_go(nic, link_words_due(nic->link)))
		return earliest;
	if (classes && classes == nic->shaped && nic->shaped_until_ps > nic->now_ps)
		return node_time_max(earliest, nic->shaped_until_ps);
	return classes || words_may_go(nic, nic->link->sync_due) ? earliest : NODE_TIME_NEVER;
}

/* what waits for credit: generated packets, or the host */
static void trace_wait(struct nic *nic)
{
	uint32_t traffic_class, units;

	if (nic->queue.ready) {
		traffic_class = (uint32_t)__builtin_ctz(nic->queue.ready);
		units = send_queue_units(&nic->queue, traffic_class);
	} else {
		const struct host_head *head = &nic->host_send.heads[__builtin_ctz(nic->host_ready)];

		traffic_class = head->traffic_class;
		units = units_of_bytes(head->frame_bytes);
	}
	trace(nic->stats, nic->now_ps, TRACE_CREDIT_WAIT, 0, traffic_class, units);
}

/* the time with data but without credit, counted up to now */
static void count_paused(struct nic *nic, bool waits)
{
	if (nic->waits_for_credit && nic->now_ps > nic->waits_since_ps) {
		nic->link->stats->paused_ps += nic->now_ps - nic->waits_since_ps;
		nic->waits_since_ps = nic->now_ps;
	}
	if (waits && !nic->waits_for_credit) {
		nic->waits_since_ps = node_time_max(nic->now_ps, nic->link->busy_until_ps);
		trace_wait(nic);
	}
	nic->waits_for_credit = waits;
}

/* after every event: who may send, and when */
static void transmit_plan(struct nic *nic)
{
	nic->host_ready = host_ready(nic, &nic->host_at_ps);
	nic->sendable = sendable_now(nic, nic->host_ready);
	count_paused(nic, (nic->queue.ready || nic->host_ready) && !nic->sendable && !nic->link->down);
	nic->transmit_at_ps = transmit_at(nic);
}

/* when host_deliver() will have made room for records that wait, or is to be called again */
static node_time_t deliver_again_at(const struct nic *nic, node_time_t end)
{
	if (!host_if_pending(&nic->host))
		return NODE_TIME_NEVER;
	return host_if_place(&nic->host) || nic->host.retries ? end + HOST_RETRY_PS : end;
}

static node_time_t nic_run(void *dataplane, node_time_t end)
{
	struct nic *nic = dataplane;
	node_time_t arrives_at = arrival_at(nic);

	if (link_unstarve(nic->link))
		transmit_plan(nic);
	for (;;) {
		node_time_t start_at = message_at(nic);
		node_time_t next = node_time_min(node_time_min(arrives_at, start_at),
						 node_time_min(nic->host_at_ps, nic->transmit_at_ps));

		if (next >= end)
			return node_time_min(next, deliver_again_at(nic, end));
		nic->now_ps = node_time_max(next, nic->now_ps); /* later than due after a change of link */
		nic->stats->now_ps = nic->now_ps;
		nic->stats->events++;
		if (arrives_at == next) {
			arrive(nic);
			arrives_at = arrival_at(nic);
		} else if (start_at == next) {
			start_message(nic);
		} else if (nic->host_at_ps != next) {
			transmit(nic);
		} /* else a frame of the host is considered from now on */
		transmit_plan(nic);
	}
}

/* ---- the real clock: link changes and the attached host ---- */

static void nic_link_down(void *dataplane, uint32_t port, node_time_t now)
{
	struct nic *nic = dataplane;

	if (port || nic->link->down)
		return;
	nic->now_ps = node_time_max(nic->now_ps, now);
	link_down(nic->link, nic->now_ps);
	transmit_plan(nic);
}

static void nic_link_up(void *dataplane, uint32_t port, node_time_t now)
{
	struct nic *nic = dataplane;

	if (port)
		return;
	nic->now_ps = node_time_max(nic->now_ps, now);
	plug_in(nic);
	transmit_plan(nic);
}

static int nic_host_open(void *dataplane, const int *fds, uint32_t count)
{
	struct nic *nic = dataplane;

	return host_if_open(&nic->host, fds, count);
}

static uint32_t nic_host_receive(void *dataplane, uint32_t readable, node_time_t now)
{
	struct nic *nic = dataplane;
	uint32_t more = host_if_receive(&nic->host, readable, now);

	host_send_refill(&nic->host_send, now);
	transmit_plan(nic);
	return more;
}

static void nic_host_deliver(void *dataplane)
{
	struct nic *nic = dataplane;

	host_if_deliver(&nic->host);
}

/* ---- show ---- */

static void show_flows(struct nic *nic, FILE *out)
{
	fprintf(out, "%5s %-16s %11s %-12s %9s %11s %15s %8s %13s\n", "slot", "workload", "destination", "class",
		"messages", "packets", "bytes", "waiting", "reported_lost");
	for (uint32_t slot = 0; slot < nic->queue.flow_count; slot++) {
		const struct flow_tx_stats *flow = stats_flow_tx(nic->stats, slot);
		uint32_t w = nic->queue.specs[slot].workload;

		fprintf(out,
			"%5" PRIu32 " %-16s %11" PRIu32 " %-12s %9" PRIu64 " %11" PRIu64 " %15" PRIu64 " %8" PRIu32
			" %13" PRIu64 "\n",
			slot, nic->config->nic.workloads[w].name, flow->destination,
			nic->config->classes[flow->traffic_class].name, flow->messages, flow->packets, flow->bytes,
			send_queue_waiting(&nic->queue, slot), flow->reported_lost);
	}
}

static void show_received(struct nic *nic, FILE *out)
{
	fprintf(out, "%5s %8s %11s %9s %9s %11s %15s %9s %9s %16s\n", "slot", "source", "source_slot", "workload",
		"messages", "packets", "bytes", "lost", "reordered", "last_ps");
	for (uint32_t slot = 0; slot < nic->stats->flow_rx_count; slot++) {
		const struct flow_rx_stats *flow = stats_flow_rx(nic->stats, slot);

		fprintf(out,
			"%5" PRIu32 " %8" PRIu32 " %11" PRIu32 " %9" PRIu32 " %9" PRIu64 " %11" PRIu64 " %15" PRIu64
			" %9" PRIu64 " %9" PRIu64 " %16" PRIu64 "\n",
			slot, flow->source, flow->source_slot, flow->workload_index, flow->messages, flow->packets,
			flow->bytes, flow->lost, flow->reordered, flow->last_ps);
	}
}

static void show_time(FILE *out, node_time_t at)
{
	if (at == NODE_TIME_NEVER)
		fprintf(out, " %16s\n", "-");
	else
		fprintf(out, " %16" PRIu64 "\n", at);
}

static void show_workloads(struct nic *nic, FILE *out)
{
	static const char *const arrivals[] = { "closed", "paced", "poisson", "burst" };

	_Static_assert(sizeof(arrivals) / sizeof(arrivals[0]) == ARRIVAL_KINDS, "one name per kind");
	fprintf(out, "%-16s %-8s %9s %9s %9s %9s %9s %16s\n", "workload", "arrivals", "permille", "started", "sent",
		"under_way", "deferred", "next_ps");
	for (uint32_t w = 0; w < nic->workloads.count; w++) {
		const struct workload *workload = &nic->workloads.workloads[w];

		fprintf(out, "%-16s %-8s %9" PRIu32 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64,
			workload->config->name, arrivals[workload->config->arrival], workload->load_permille,
			workload->started, workload->sent, workload->started - workload->sent, workload->deferred);
		show_time(out, workload->arrival.due_ps);
	}
	fprintf(out, "waiting messages: %" PRIu32 ", at most %" PRIu32 " so far, room for %" PRIu32 "\n",
		nic->queue.pool_count, nic->queue.pool_count_max, nic->queue.pool_max);
}

static int nic_show(void *dataplane, const char *table, int port, FILE *out)
{
	struct nic *nic = dataplane;

	if (port > 0 || port < -1)
		return -EINVAL;
	if (!strcmp(table, "flows")) {
		show_flows(nic, out);
	} else if (!strcmp(table, "received")) {
		show_received(nic, out);
	} else if (!strcmp(table, "workloads")) {
		show_workloads(nic, out);
	} else {
		fprintf(out, "flows received workloads\n");
		return -ENOENT;
	}
	return 0;
}

/* ---- set ---- */

/* the workload that "workload.NAME.load" means; count: none */
static uint32_t workload_of_parameter(const struct nic *nic, const char *name)
{
	uint32_t w;

	for (w = 0; w < nic->workloads.count; w++) {
		char parameter[NODE_NAME_MAX + 16];

		snprintf(parameter, sizeof(parameter), "workload.%s.load", nic->config->nic.workloads[w].name);
		if (!strcmp(parameter, name))
			break;
	}
	return w;
}

/* a whole number without sign; false if it is none or too large */
static bool number_read(const char *text, uint32_t *number)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

static int nic_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	struct nic *nic = dataplane;
	uint32_t w = workload_of_parameter(nic, name);
	uint32_t permille;

	if (w == nic->workloads.count) {
		for (w = 0; w < nic->workloads.count; w++)
			fprintf(out, "workload.%s.load\n", nic->config->nic.workloads[w].name);
		return -ENOENT;
	}
	if (!number_read(value, &permille) || workload_load(&nic->workloads, w, permille)) {
		fprintf(out,
			"%s takes a number of permille from 1 to 10000, and only paced and Poisson arrivals have it\n",
			name);
		return -EINVAL;
	}
	trace(nic->stats, nic->now_ps, TRACE_PARAMETER_SET, 0, w, permille);
	return 0;
}

const struct node_ops nicd_ops = {
	.create = nic_create,
	.run = nic_run,
	.show = nic_show,
	.set = nic_set,
	.destroy = nic_destroy,
	.link_down = nic_link_down,
	.link_up = nic_link_up,
	.host_open = nic_host_open,
	.host_receive = nic_host_receive,
	.host_deliver = nic_host_deliver,
};
