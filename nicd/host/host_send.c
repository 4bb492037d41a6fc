#include "nicd/host/host_send.h"

#include "nodes/base/ensure.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/frame.h"

void host_send_init(struct host_send *send, struct host_if *host, const struct node_config *config,
		    struct stats_page *stats)
{
	*send = (struct host_send){
		.host = host,
		.port = &config->ports[0],
		.stats = stats,
	};
	class_map_init(&send->classes, config->classes, config->class_count);
}

/*  Return: true, or false with the @reason why @frame cannot be sent */
static bool head_init(const struct host_send *send, struct host_head *head,
		      const struct host_frame *frame, enum drop_reason *reason)
{
	struct frame_fields fields;

	*reason = DROP_MALFORMED;
	if (host_cut_init(&head->cut, &frame->header, frame->bytes, frame->frame_bytes) ||
	    frame_parse(frame->bytes, frame->frame_bytes, frame->frame_bytes, &fields))
		return false;
	head->at_ps = frame->at_ps;
	head->traffic_class = class_map_class(&send->classes, &fields);
	head->name = flow_name_of(&fields, head->traffic_class);
	head->look = (struct fgfc_look){ 0 };
	head->frame_bytes = host_cut_bytes(&head->cut); /* the first is the longest */
	*reason = DROP_OVERSIZE;
	return head->frame_bytes <= send->port->mtu_bytes;
}

static void queue_refill(struct host_send *send, uint32_t queue, node_time_t now)
{
	const struct host_frame *frame;
	enum drop_reason reason;

	while ((frame = host_if_head(send->host, queue))) {
		if (head_init(send, &send->heads[queue], frame, &reason)) {
			send->ready |= 1u << queue;
			return;
		}
		trace_drop(send->stats, reason, 0, frame->frame_bytes, NULL, now);
		host_if_pop(send->host, queue);
	}
}

void host_send_refill(struct host_send *send, node_time_t now)
{
	for (uint32_t queue = 0; queue < send->host->queue_count; queue++)
		if (!(send->ready & 1u << queue))
			queue_refill(send, queue, now);
}

uint32_t host_send_take(struct host_send *send, uint32_t queue, node_time_t now)
{
	uint32_t slot = host_if_take(send->host, queue);

	ENSURE(send->ready >> queue & 1, ==, 1u);
	send->ready &= ~(1u << queue);
	queue_refill(send, queue, now);
	return slot;
}

void host_send_next(struct host_send *send, uint32_t queue, uint8_t *bytes, node_time_t now)
{
	struct host_head *head = &send->heads[queue];

	if (bytes)
		host_cut_write(&head->cut, bytes);
	else
		host_cut_skip(&head->cut);
	head->frame_bytes = host_cut_bytes(&head->cut);
	if (head->frame_bytes)
		return;
	send->ready &= ~(1u << queue);
	host_if_pop(send->host, queue);
	queue_refill(send, queue, now);
}
