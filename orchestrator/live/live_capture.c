#include "orchestrator/live/live_capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/ring.h"
#include "nodes/process/memory.h"
#include "orchestrator/fabric/fabric_ask.h"

static int ring_make(void)
{
	struct ring_page header = { 0 };

	ring_init(&header, LIVE_CAPTURE_RING_BYTES, RING_CAPTURED_MAX);
	return memory_make_with("heddle-capture", ring_bytes(LIVE_CAPTURE_RING_BYTES), &header,
				sizeof(header));
}

static struct live_capture *capture_find(struct live *live, uint32_t id)
{
	for (uint32_t i = 0; i < LIVE_CAPTURES_MAX; i++)
		if (live->captures[i].id == id)
			return &live->captures[i];
	return NULL;
}

bool live_capture_lost(const struct live *live, uint32_t id)
{
	const struct live_capture *capture = capture_find((struct live *)live, id);

	return !capture || fabric_pid(&live->fabric, capture->node) != capture->pid;
}

/* is port @port of @node captured, as far as clients have not ended it? */
static bool captured(const struct live *live, uint32_t node, uint32_t port)
{
	for (uint32_t i = 0; i < LIVE_CAPTURES_MAX; i++) {
		const struct live_capture *capture = &live->captures[i];

		if (capture->id && capture->node == node && capture->port == port &&
		    capture->pid == fabric_pid(&live->fabric, node))
			return true;
	}
	return false;
}

/* port of @node with a link; -1: it is refused */
static int64_t port_of(struct live_query *query, int64_t node)
{
	const struct node_config *config = &query->live->plan->nodes[node];
	const char *name = live_query_text(query, "port");
	int64_t port;

	if (!live_query_node_runs(query, (uint32_t)node))
		return -1;
	port = live_query_port(query, config, name ? name : "");
	if (port < 0 || !config->ports[port].vacant)
		return port;
	return live_query_refused(
		query, live_refuse("port %d of %s has no link", (int)port, config->name));
}

/* the answer of a node (node_capture.h).   @missed  NULL: the capture begins, there is none
 * Return: false, all zeroed, if it is none */
static bool counts_read(const char *text, struct live_capture_counts *counted,
			struct live_capture_counts *missed)
{
	struct live_capture_counts both[2] = { 0 };
	int wanted = missed ? 8 : 4, count = 0;

	if (text)
		count = sscanf(text,
			       "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			       " %" SCNu64 " %" SCNu64 " %" SCNu64,
			       &both[0].sent.frames, &both[0].sent.bytes, &both[0].received.frames,
			       &both[0].received.bytes, &both[1].sent.frames, &both[1].sent.bytes,
			       &both[1].received.frames, &both[1].received.bytes);
	if (count != wanted)
		memset(both, 0, sizeof(both));
	*counted = both[0];
	if (missed)
		*missed = both[1];
	return count == wanted;
}

static void count_since(struct capture_count *count, const struct capture_count *before)
{
	count->frames -= before->frames;
	count->bytes -= before->bytes;
}

/* Return: the answer, or a refusal; then the caller closes @fd */
static json_t *node_tap(struct live_query *query, struct live_capture *capture, const char *snap,
			int fd)
{
	struct live *live = query->live;
	const struct node_config *node = &live->plan->nodes[capture->node];
	const struct port_config *port = &node->ports[capture->port];
	struct control_message message = {
		.kind = CONTROL_CAPTURE, .number = capture->port, .fd_count = 1, .fds = { fd }
	};
	int error = -EBUSY;

	snprintf(message.text, sizeof(message.text), "%s", snap);
	if (!captured(live, capture->node, capture->port)) {
		error = fabric_ask(&live->fabric, capture->node, &message);
		if (!error)
			error = (int)message.number;
	}
	if (error)
		control_message_free(&message);
	if (error == -EBUSY)
		return live_refuse("%s:%s is captured already; capture it at its other end: %s:%s",
				   node->name, port->peer_name, port->peer_name, node->name);
	if (error)
		return live_refuse("%s cannot be captured: %s", node->name,
				   error == -EINVAL ? "expected a snap of 1 to 65535"
						    : strerror(-error));
	counts_read(message.body, &capture->counted, NULL);
	control_message_free(&message);
	capture->id = ++live->capture_ids;
	capture->pid = fabric_pid(&live->fabric, capture->node);
	return json_pack("{s:s, s:s, s:i, s:s, s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:I}", "fabric",
			 live->place.name, "node", node->name, "port", (int)capture->port, "peer",
			 port->peer_name, "scenario", live->plan->scenario, "fabric_kind",
			 (int)node->fabric, "port_kind", (int)port->kind, "id", (int)capture->id,
			 "rate_bps", (json_int_t)port->rate_bps, "latency_ps",
			 (json_int_t)(node->kind == NODE_SWITCH ? node->switch_.latency_ps
								: node->nic.latency_ps),
			 "epoch_ns", (json_int_t)live->fabric.page->epoch_utc_ns, "dilation",
			 (json_int_t)live->plan->dilation);
}

json_t *live_capture_begin(struct live_query *query)
{
	const char *snap = live_query_text(query, "snap");
	struct live_capture *capture = capture_find(query->live, 0);
	json_t *body;
	int64_t node = live_query_node(query, live_query_text(query, "node"));
	int64_t port = node < 0 ? -1 : port_of(query, node);
	int fd;

	if (port < 0)
		return query->refusal;
	if (!capture)
		return live_refuse("%u captures run already", LIVE_CAPTURES_MAX);
	fd = ring_make();
	if (fd < 0)
		return live_refuse("no memory for the capture: %s", strerror(-fd));
	*capture = (struct live_capture){ .node = (uint32_t)node, .port = (uint32_t)port };
	body = node_tap(query, capture, snap ? snap : "65535", fd);
	if (!capture->id) {
		close(fd);
		return body;
	}
	query->answer->fds[query->answer->fd_count++] = fd;
	query->answer->fds_owned = true;
	query->answer->capture_id = capture->id;
	return body;
}

struct live_capture_end live_capture_end(struct live *live, uint32_t id)
{
	struct live_capture *capture = id ? capture_find(live, id) : NULL;
	struct control_message message = { .kind = CONTROL_CAPTURE };
	struct live_capture_end end = { 0 };

	if (!capture)
		return end;
	message.number = capture->port;
	if (!live_capture_lost(live, id) && !fabric_ask(&live->fabric, capture->node, &message)) {
		end.known = counts_read(message.body, &end.counted, &end.missed);
		control_message_free(&message);
	}
	if (end.known) {
		count_since(&end.counted.sent, &capture->counted.sent);
		count_since(&end.counted.received, &capture->counted.received);
	}
	*capture = (struct live_capture){ 0 };
	return end;
}

static json_t *direction_pack(const struct capture_count *missed,
			      const struct capture_count *counted)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "missed_frames", (json_int_t)missed->frames,
			 "missed_bytes", (json_int_t)missed->bytes, "counted_frames",
			 (json_int_t)counted->frames, "counted_bytes", (json_int_t)counted->bytes);
}

json_t *live_capture_ask_end(struct live_query *query)
{
	const char *text = live_query_text(query, "id");
	unsigned long id = text ? strtoul(text, NULL, 10) : 0;
	struct live_capture_end end;

	if (!id || id > UINT32_MAX || !capture_find(query->live, (uint32_t)id))
		return live_refuse("there is no such capture");
	end = live_capture_end(query->live, (uint32_t)id);
	if (!end.known)
		return json_object();
	return json_pack("{s:o, s:o}", "sent", direction_pack(&end.missed.sent, &end.counted.sent),
			 "received", direction_pack(&end.missed.received, &end.counted.received));
}
