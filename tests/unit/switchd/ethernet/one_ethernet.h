/*  one_ethernet - the Ethernet switch of one_ethernet_config.h for tests with Check: its frames,
 *  and checks for it.
 *
 *  Hosts send RoCEv2 over IPv4, ECN-capable in class 1 only. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_ETHERNET_ONE_ETHERNET_H
#define HEDDLE_TESTS_UNIT_SWITCHD_ETHERNET_ONE_ETHERNET_H

#include "nodes/wire/pause_frame.h"
#include "switchd/ethernet/ethernet.h"
#include "tests/unit/switchd/ethernet/one_ethernet_config.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

#define FULL_BYTES 996u /* a frame that is 1000 bytes in the buffer, and one that is 100 */
#define SMALL_BYTES 96u
#define FULL_PS ((FULL_BYTES + FRAME_FCS_BYTES + GAP_BYTES) * BYTE_PS)
/* until its last bit has arrived */
#define PAUSE_PS ((PAUSE_FRAME_BYTES + FRAME_FCS_BYTES) * BYTE_PS)

static inline void ethernet_setup(void)
{
	ethernet_configure(&s);
}

/* the frame that host @source sends */
static inline uint32_t roce_make(uint32_t source, uint32_t destination, uint32_t flow,
				 uint32_t traffic_class, uint32_t frame_bytes,
				 uint8_t bytes[FRAME_HEADERS_MAX])
{
	return frame_make_of(&(struct frame_spec){ .kind = FRAME_ROCE,
						   .source = source,
						   .destination = destination,
						   .traffic_class = traffic_class,
						   .flow = flow,
						   .frame_bytes = frame_bytes,
						   .ecn_capable = traffic_class == ROCE },
			     bytes);
}

/* The peer at @port sends a frame of host @source.  Return: the time at which its first bit
 * arrives. */
static inline node_time_t roce_send_from(uint32_t port, uint32_t source, node_time_t at,
					 uint32_t destination, uint32_t flow,
					 uint32_t traffic_class, uint32_t frame_bytes)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = roce_make(source, destination, flow, traffic_class, frame_bytes, bytes);

	return neighbour_send_frame(&s, port, at, RECORD_PACKET, frame_bytes + FRAME_FCS_BYTES, 0,
				    bytes, captured);
}

static inline node_time_t roce_send(uint32_t port, node_time_t at, uint32_t destination,
				    uint32_t flow, uint32_t traffic_class, uint32_t frame_bytes)
{
	return roce_send_from(port, port, at, destination, flow, traffic_class, frame_bytes);
}

/* @count frames of FULL_BYTES, back to back from @at on */
static inline void burst_send(uint32_t port, node_time_t at, uint32_t destination,
			      uint32_t traffic_class, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		roce_send(port, at, destination, i, traffic_class, FULL_BYTES);
}

static inline node_time_t pause_send(uint32_t port, node_time_t at, const struct pause_frame *frame)
{
	uint8_t bytes[PAUSE_FRAME_BYTES];

	pause_frame_write(frame, (const uint8_t[]){ 2, 0, 0, 0, 0, 1 }, bytes);
	return neighbour_send_frame(&s, port, at, RECORD_PAUSE, PAUSE_FRAME_BYTES + FRAME_FCS_BYTES,
				    0, bytes, sizeof(bytes));
}

/* the peer at @port pauses the class for this many quanta; 0 resumes it */
static inline node_time_t pfc_send(uint32_t port, node_time_t at, uint32_t traffic_class,
				   uint16_t quanta)
{
	struct pause_frame frame = { .enabled = (uint8_t)(1u << traffic_class) };

	frame.quanta[traffic_class] = quanta;
	return pause_send(port, at, &frame);
}

/* Receives the next PFC or PAUSE frame that @port sent.  Return: false if there is none. */
static inline bool pause_receive(uint32_t port, struct pause_frame *frame)
{
	if (!neighbour_receive(&s, port, RECORD_PAUSE, &got))
		return false;
	ck_assert_uint_eq(got.header.wire_bytes, PAUSE_FRAME_BYTES + FRAME_FCS_BYTES);
	ck_assert_int_eq(pause_frame_read(got.bytes, got.header.captured_bytes, frame), 0);
	return true;
}

/* The link at @port, which port_block() has blocked, becomes free at @at. */
static inline void port_unblock(uint32_t port, node_time_t at)
{
	s.links[port].tx.busy_until_ps = at;
	switch_touch(&s.eth->sw, port);
	pfc_send(port, at - PAUSE_PS, CNP, 0);
}

static inline uint32_t packets_receive(uint32_t port)
{
	uint32_t count = 0;

	while (neighbour_receive(&s, port, RECORD_PACKET, &got))
		count++;
	return count;
}

static inline struct class_stats *class_of(uint32_t port, uint32_t traffic_class)
{
	return stats_class(s.stats, port, traffic_class);
}

/* TB-25: What is inside is the same by every account. What arrived and is not inside was sent or
 * dropped. */
static inline void books_expect(uint64_t packets)
{
	uint64_t waiting = 0, output_bytes = 0, input_bytes = 0, headroom_bytes = 0;
	const struct shared_buffer *buffer = &s.eth->buffer;

	for (uint32_t p = 0; p < PORTS; p++)
		for (uint32_t c = 0; c < s.config.class_count; c++) {
			for (const struct packet *i = s.eth->ports[p].queues[c].queue.head; i;
			     i = i->next)
				waiting++;
			output_bytes += buffer->outputs[p][c];
			input_bytes += buffer->inputs[p][c].bytes;
			headroom_bytes += buffer->inputs[p][c].headroom_bytes;
			ck_assert_uint_eq(buffer->outputs[p][c], class_of(p, c)->queue_bytes);
			ck_assert_uint_le(buffer->inputs[p][c].headroom_bytes,
					  buffer->inputs[p][c].headroom_limit_bytes);
		}
	ck_assert_uint_eq(waiting, packets);
	ck_assert_uint_eq(s.eth->sw.pool.used, packets);
	ck_assert_uint_eq(s.stats->inside_packets, packets);
	ck_assert_uint_eq(output_bytes, input_bytes + buffer->own_bytes);
	ck_assert_uint_eq(output_bytes, buffer->used_bytes + headroom_bytes);
	ck_assert_uint_le(buffer->used_bytes, buffer->shared_bytes);
}

#endif
