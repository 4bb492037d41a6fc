#include "switchd/ethernet/shared_buffer.h"

#include "nodes/base/ensure.h"
#include "nodes/base/number.h"

void shared_buffer_init(struct shared_buffer *buffer, const struct roce_class_config *classes,
			uint32_t class_count, uint64_t buffer_bytes)
{
	*buffer = (struct shared_buffer){
		.classes = classes,
		.class_count = class_count,
		.buffer_bytes = buffer_bytes,
		.shared_bytes = buffer_bytes,
	};
}

void shared_buffer_port_set(struct shared_buffer *buffer, uint32_t port, uint64_t headroom_bytes)
{
	uint64_t kept_bytes = 0;

	for (uint32_t c = 0; c < buffer->class_count; c++)
		if (buffer->classes[c].lossless)
			buffer->inputs[port][c].headroom_limit_bytes = headroom_bytes;
	for (uint32_t p = 0; p < NODE_PORTS_MAX; p++)
		for (uint32_t c = 0; c < buffer->class_count; c++)
			kept_bytes += buffer->inputs[p][c].headroom_limit_bytes;
	buffer->shared_bytes =
		buffer->buffer_bytes > kept_bytes ? buffer->buffer_bytes - kept_bytes : 0;
}

/* the limit by alpha; there is none without alpha */
static uint64_t dynamic_limit(const struct shared_buffer *buffer,
			      const struct roce_class_config *class)
{
	if (!class->alpha_permille)
		return UINT64_MAX;
	return (uint64_t)((unsigned __int128)shared_buffer_free(buffer) * class->alpha_permille /
			  1000);
}

uint64_t shared_buffer_limit(const struct shared_buffer *buffer, uint32_t port,
			     uint32_t traffic_class)
{
	const struct roce_class_config *class = &buffer->classes[traffic_class];
	const struct shared_buffer_input *input = &buffer->inputs[port][traffic_class];
	uint64_t fixed = class->lossless ? class->xoff_bytes : class->queue_bytes_max;
	uint64_t held = class->lossless ? input->bytes - input->headroom_bytes
					: buffer->outputs[port][traffic_class];
	uint64_t limit =
		number_min(dynamic_limit(buffer, class), held + shared_buffer_free(buffer));

	return fixed ? number_min(limit, fixed) : limit;
}

/* ---- lossless classes: inputs ---- */

static void set_stopped(struct shared_buffer *buffer, uint32_t in, uint32_t traffic_class,
			bool stopped)
{
	uint64_t bit = 1ull << in;

	if (stopped)
		buffer->stopped[traffic_class] |= bit;
	else
		buffer->stopped[traffic_class] &= ~bit;
}

static bool may_go_on(const struct shared_buffer *buffer, uint32_t in, uint32_t traffic_class)
{
	const struct shared_buffer_input *input = &buffer->inputs[in][traffic_class];
	uint64_t offset = buffer->classes[traffic_class].xon_offset_bytes;

	if (!input->bytes)
		return true;
	return !input->headroom_bytes &&
	       input->bytes + offset <= shared_buffer_limit(buffer, in, traffic_class);
}

/* The packet that exceeds the limit still goes to the shared part, if that has enough free
 * bytes. */
static bool goes_to_headroom(const struct shared_buffer *buffer, uint32_t in,
			     uint32_t traffic_class, uint32_t bytes)
{
	if (bytes > shared_buffer_free(buffer))
		return true;
	return shared_buffer_stopped(buffer, in, traffic_class) &&
	       buffer->inputs[in][traffic_class].bytes + bytes >
		       shared_buffer_limit(buffer, in, traffic_class);
}

static enum shared_buffer_verdict take_lossless(struct shared_buffer *buffer, uint32_t in,
						uint32_t traffic_class, uint32_t bytes)
{
	struct shared_buffer_input *input = &buffer->inputs[in][traffic_class];

	if (!goes_to_headroom(buffer, in, traffic_class, bytes)) {
		buffer->used_bytes += bytes;
	} else if (input->headroom_bytes + bytes <= input->headroom_limit_bytes) {
		input->headroom_bytes += bytes;
	} else {
		return SHARED_BUFFER_HEADROOM_FULL;
	}
	input->bytes += bytes;
	ENSURE(input->headroom_bytes, <=, input->bytes);
	if (input->headroom_bytes || input->bytes > shared_buffer_limit(buffer, in, traffic_class))
		set_stopped(buffer, in, traffic_class, true);
	return SHARED_BUFFER_TAKEN;
}

/* ---- lossy classes: outputs ---- */

static bool fits_lossy(const struct shared_buffer *buffer, uint32_t in, uint32_t out,
		       uint32_t traffic_class, uint32_t bytes)
{
	if (bytes > shared_buffer_free(buffer))
		return false;
	if (in == SHARED_BUFFER_NO_INPUT &&
	    buffer->own_bytes + bytes > buffer->shared_bytes / SHARED_BUFFER_OWN_PART)
		return false;
	if (buffer->classes[traffic_class].lossless) /* its limit concerns inputs */
		return true;
	return buffer->outputs[out][traffic_class] + bytes <=
	       shared_buffer_limit(buffer, out, traffic_class);
}

static enum shared_buffer_verdict take_lossy(struct shared_buffer *buffer, uint32_t in,
					     uint32_t out, uint32_t traffic_class, uint32_t bytes)
{
	if (!fits_lossy(buffer, in, out, traffic_class, bytes))
		return SHARED_BUFFER_QUEUE_FULL;
	buffer->used_bytes += bytes;
	if (in == SHARED_BUFFER_NO_INPUT)
		buffer->own_bytes += bytes;
	else
		buffer->inputs[in][traffic_class].bytes += bytes;
	return SHARED_BUFFER_TAKEN;
}

/* ---- both ---- */

enum shared_buffer_verdict shared_buffer_take(struct shared_buffer *buffer, uint32_t in,
					      uint32_t out, uint32_t traffic_class, uint32_t bytes)
{
	bool lossless = in != SHARED_BUFFER_NO_INPUT && buffer->classes[traffic_class].lossless;
	enum shared_buffer_verdict verdict =
		lossless ? take_lossless(buffer, in, traffic_class, bytes)
			 : take_lossy(buffer, in, out, traffic_class, bytes);

	if (verdict == SHARED_BUFFER_TAKEN)
		buffer->outputs[out][traffic_class] += bytes;
	ENSURE(buffer->used_bytes, <=, buffer->buffer_bytes);
	return verdict;
}

void shared_buffer_release(struct shared_buffer *buffer, uint32_t in, uint32_t out,
			   uint32_t traffic_class, uint32_t bytes)
{
	struct shared_buffer_input *input;
	uint64_t headroom_bytes;

	ENSURE(buffer->outputs[out][traffic_class], >=, bytes);
	buffer->outputs[out][traffic_class] -= bytes;
	if (in == SHARED_BUFFER_NO_INPUT) {
		ENSURE(buffer->own_bytes, >=, bytes);
		ENSURE(buffer->used_bytes, >=, bytes);
		buffer->own_bytes -= bytes;
		buffer->used_bytes -= bytes;
		return;
	}
	input = &buffer->inputs[in][traffic_class];
	headroom_bytes = number_min(input->headroom_bytes, bytes);
	ENSURE(input->bytes, >=, bytes);
	ENSURE(buffer->used_bytes, >=, bytes - headroom_bytes);
	input->bytes -= bytes;
	/* first: it must be set for the next call */
	input->headroom_bytes -= headroom_bytes;
	buffer->used_bytes -= bytes - headroom_bytes;
	if (shared_buffer_stopped(buffer, in, traffic_class) &&
	    may_go_on(buffer, in, traffic_class))
		set_stopped(buffer, in, traffic_class, false);
}

/* the next stopped input in the order of classes and ports, round robin; false: none is stopped */
static bool next_stopped(struct shared_buffer *buffer)
{
	uint64_t later = UINT64_MAX << buffer->next_port;

	for (uint32_t i = 0; i <= buffer->class_count; i++, later = UINT64_MAX) {
		uint32_t c = (buffer->next_class + i) % buffer->class_count;
		uint64_t ports = buffer->stopped[c] & later;

		if (!ports)
			continue;
		buffer->next_class = c;
		buffer->next_port = (uint32_t)__builtin_ctzll(ports);
		return true;
	}
	return false;
}

bool shared_buffer_reconsider(struct shared_buffer *buffer, uint32_t *port, uint32_t *traffic_class)
{
	bool go_on;

	if (!next_stopped(buffer))
		return false;
	*port = buffer->next_port;
	*traffic_class = buffer->next_class;
	go_on = may_go_on(buffer, *port, *traffic_class);
	if (go_on)
		set_stopped(buffer, *port, *traffic_class, false);
	if (++buffer->next_port == NODE_PORTS_MAX) {
		buffer->next_port = 0;
		buffer->next_class = (buffer->next_class + 1) % buffer->class_count;
	}
	return go_on;
}
