/*  switchd/ethernet: ECN marks by the length of a queue, at enqueue or at dequeue (RC-1). */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/one_ethernet.h"

TEST_GROUP(ecn, .setup = ethernet_setup, .teardown = teardown);

static bool is_marked(void)
{
	return (got.bytes[15] & 3) == 3;
}

/* the parameters of marking on port @p */
static const struct roce_class_config *at_port(uint32_t p)
{
	return &s.eth->ports[p].queues[ROCE].class;
}

/* RC-1: no packet is marked up to kmin, all are above kmax; packets that are not ECN-capable never
 * are */
TEST(ecn__marks_by_queue_length)
{
	s.config.roce.classes[ROCE].ecn = s.config.roce.classes[TCP].ecn = true;
	s.config.roce.classes[ROCE].kmin_bytes = s.config.roce.classes[ROCE].kmax_bytes = 10000;
	s.config.roce.classes[TCP].pmax_ppm = 1000000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 20);
	for (uint32_t i = 0; i < 20; i++)
		roce_send_from(2, 2, 0, 1, i, TCP, FULL_BYTES); /* not ECT */
	one_switch_run(&s, NODE_MS);
	ck_assert_uint_eq(class_of(1, ROCE)->marked, 9); /* the 12th finds 11000 bytes */
	ck_assert_uint_eq(class_of(1, TCP)->marked, 0);
	port_unblock(1, NODE_MS);
	one_switch_run(&s, FAR);
	for (uint32_t roce = 0, i = 0; i < 40; i++) {
		struct frame_fields fields;

		ck_assert(neighbour_receive(&s, 1, RECORD_PACKET, &got));
		ck_assert_int_eq(
			frame_parse(got.bytes, got.header.captured_bytes, FULL_BYTES, &fields), 0);
		ck_assert_int_eq(is_marked(), got.header.traffic_class == ROCE && roce++ >= 11);
	}
}

/* SE-5: with a file for events, each mark is one, with the length of the queue then */
TEST(ecn__marks_are_events)
{
	int file = memfd_create("events", MFD_CLOEXEC);
	const struct trace_entry *entry;

	s.config.roce.classes[ROCE].ecn = true;
	s.config.roce.classes[ROCE].kmin_bytes = s.config.roce.classes[ROCE].kmax_bytes = 10000;
	one_switch_open(&s);
	trace_file(s.stats, file);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 12);
	one_switch_run(&s, NODE_MS);
	ck_assert_uint_eq(s.stats->trace.count, 1);
	entry = stats_trace(s.stats, 0);
	ck_assert_uint_eq(entry->kind, TRACE_MARK);
	ck_assert_uint_eq(entry->port, 1);
	ck_assert_uint_eq(entry->traffic_class, ROCE);
	ck_assert_uint_eq(entry->value, 11000);
	ck_assert_uint_eq(entry->source, 0 + 1);
	ck_assert_uint_eq(entry->destination, 1 + 1);
	close(file);
}

/* RC-1: kmin and kmax that are given for a rate are in proportion to the rate of the port. Those in
 * bytes are the same at every port. They follow a link that becomes faster. A level that is set is
 * that of every port. */
TEST_RANGE(ecn__levels_in_proportion_to_the_rate, 0, 2)
{
	struct roce_class_config *class = &s.config.roce.classes[ROCE];
	uint64_t rate_bps = s.ports[1].rate_bps;

	snprintf(s.config.classes[ROCE].name, NODE_NAME_MAX, "roce");
	class->ecn = true;
	class->kmin_bytes = class->kmax_bytes = 10000;
	class->kmin_per_bps = class->kmax_per_bps = _i ? rate_bps / 2 : 0;
	s.config.roce.path_per_bps = class->kmax_per_bps;
	s.ports[2].rate_bps = rate_bps / 4;
	s.ports[3].rate_bps = rate_bps / 100;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 30);
	one_switch_run(&s, NODE_MS);
	/* the 22nd finds 21000 bytes, the 12th 11000 */
	ck_assert_uint_eq(class_of(1, ROCE)->marked, _i ? 9 : 19);
	ck_assert_uint_eq(at_port(1)->kmax_bytes, _i ? 20000 : 10000);
	ck_assert_uint_eq(s.eth->ports[1].queues[ROCE].signals.high_bytes, _i ? 1200000 : 600000);
	ck_assert_uint_eq(s.eth->ports[1].queues[ROCE].signals.low_bytes, _i ? 400000 : 200000);
	/* at a slow port, where that would be less than some frames, as much as those */
	ck_assert_uint_eq(s.eth->ports[3].queues[ROCE].signals.high_bytes,
			  _i ? 6 * (MTU + FRAME_FCS_BYTES) : 600000);
	ck_assert_uint_eq(s.eth->ports[3].queues[ROCE].signals.low_bytes,
			  _i ? 2 * (MTU + FRAME_FCS_BYTES) : 200000);
	ck_assert_uint_eq(roce_queue_reference_bytes(&s.eth->ports[1].queues[ROCE].watch),
			  _i ? 30000 : 15000);
	if (!_i)
		return;
	ck_assert_uint_eq(at_port(2)->kmin_bytes, 5000);
	ck_assert_uint_eq(at_port(2)->kmax_bytes, 2 * (s.ports[2].mtu_bytes + 4)); /* not 5000 */
	/* not 200, nor 10000 */
	ck_assert_uint_eq(at_port(3)->kmin_bytes, s.ports[3].mtu_bytes + 4);
	ck_assert_uint_eq(at_port(3)->kmax_bytes, 2 * (s.ports[3].mtu_bytes + 4));
	s.ports[2].rate_bps = rate_bps;
	s.ops->link_set(s.eth, 2);
	ck_assert_uint_eq(at_port(2)->kmin_bytes, 20000);
	/* kmin is 20000 here */
	ck_assert_int_eq(s.ops->set(s.eth, "roce.ecn.kmax", "15000", stderr), -EINVAL);
	ck_assert_int_eq(s.ops->set(s.eth, "roce.ecn.kmax", "19999", stderr), -EINVAL);
	ck_assert_uint_eq(at_port(1)->kmax_bytes, 20000);
	/* in proportion it would be less than a frame of port 3 */
	ck_assert_int_eq(s.ops->set(s.eth, "roce.ecn.kmax", "20000", stderr), 0);
	ck_assert_uint_eq(at_port(3)->kmin_bytes, s.ports[3].mtu_bytes + 4);
	ck_assert_int_eq(s.ops->set(s.eth, "roce.ecn.kmin", "1000", stderr), 0);
	ck_assert_uint_eq(at_port(1)->kmin_bytes, 1000);
	ck_assert_uint_eq(at_port(2)->kmin_bytes, 1000);
	ck_assert_uint_eq(at_port(1)->kmax_bytes, 20000);
}

/* RC-1, variant: a packet is marked by the queue that it leaves, so the last ones of a burst are
 * not marked */
TEST(ecn__marks_at_dequeue)
{
	s.config.roce.classes[ROCE].ecn = s.config.roce.classes[ROCE].mark_at_dequeue = true;
	s.config.roce.classes[ROCE].kmin_bytes = s.config.roce.classes[ROCE].kmax_bytes = 10000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 20);
	one_switch_run(&s, NODE_MS);
	ck_assert_uint_eq(class_of(1, ROCE)->marked, 0);
	port_unblock(1, NODE_MS);
	one_switch_run(&s, FAR);
	/* the ninth leaves 11 in the queue, the tenth 10 */
	ck_assert_uint_eq(class_of(1, ROCE)->marked, 9);
	for (uint32_t i = 0; i < 20; i++) {
		ck_assert(neighbour_receive(&s, 1, RECORD_PACKET, &got));
		ck_assert_int_eq(is_marked(), i < 9);
	}
}
