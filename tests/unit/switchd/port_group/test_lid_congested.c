/*  switchd/port_group: when is a static port congested (PG-3), and which port packets take then
 *  (PG-5, PG-7, PG-8). */
#include "tests/testing.h"
#include "tests/unit/switchd/port_group/one_lid.h"

TEST_GROUP(congested, .setup = lid_setup, .teardown = teardown);

/* (a) no credit: another port of the group, for the lane without credit alone; the entry is
 * replaced; ordered packets wait */
TEST(congested__no_credit)
{
	lid_open(1 << 2);
	grant(2, NODE_US, ORDERED * LEVELS, FULL_UNITS);
	lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	lid_send(0, 2 * NODE_US, 4, ORDERED, FULL_BYTES);
	lid_send(0, 2 * NODE_US, 4, ORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_expect(3, FULL_BYTES).dlid, 3);
	ck_assert_uint_eq(lid_expect(2, FULL_BYTES).dlid, 4);
	no_packet_expect(2);
	no_packet_expect(3);
	ck_assert_uint_eq(lid_of()->tables.lids[3].now, 3);
	ck_assert_uint_eq(lid_of()->tables.lids[3].home, 2);
	ck_assert_uint_eq(stats_of(0)->choices_other, 1);
	ck_assert_uint_eq(stats_of(2)->credit_waits, 1);
	books_expect(1);
	grant(2, FAR, ORDERED * LEVELS, 2 * FULL_UNITS);
	one_switch_run(&s, 2 * FAR);
	ck_assert_uint_eq(lid_expect(2, FULL_BYTES).dlid, 4);
	books_expect(0);
}

/* PG-8: the entry stays replaced when congestion ends; without update-lft it is for this packet
 * alone */
TEST_RANGE(congested__update_or_not, 0, 2)
{
	s.config.port_group.update_lft = _i;
	lid_open(1 << 2);
	lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 3 * NODE_US);
	grant(2, 3 * NODE_US, UNORDERED * LEVELS, PLENTY);
	lid_send(0, 4 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(packets_receive(3), 1 + (uint32_t)_i);
	ck_assert_uint_eq(packets_receive(2), 1 - (uint32_t)_i);
	ck_assert_uint_eq(lid_of()->tables.lids[3].now, _i ? 3 : 2);
}

/* PG-5: group 0 has one port, however congested; so has each DLID without adaptive routing */
TEST_RANGE(congested__no_group, 0, 2)
{
	lid_pgft[3] = 0;
	s.config.port_group.adaptive = _i;
	lid_open(1 << 2);
	lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	if (!_i)
		lid_send(0, 2 * NODE_US, 4, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	no_packet_expect(3);
	books_expect(2 - (uint32_t)_i);
	ck_assert_uint_eq(stats_of(0)->choices_other, 0);
	lid_pgft[3] = 1;
}

/* (a) pending units have reached the threshold and rise: the fifth packet, after four that wait,
 * takes another port. A queue that does not rise does not count: the sixth takes the static port
 * again. */
TEST(congested__pending_rises)
{
	s.config.port_group.pending_units = 3 * FULL_UNITS + 1;
	s.config.port_group.update_lft = false;
	lid_open(0);
	port_block(2);
	for (uint32_t i = 0; i < 6; i++)
		lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_of()->ports[2].units, 5 * FULL_UNITS);
	ck_assert_uint_eq(packets_receive(3), 1);
	books_expect(5);
}

/* (b) packets that leave a long queue are marked, and the log counts them while its window lasts;
 * their sources are not notified */
TEST(congested__detected)
{
	s.config.port_group.fecn = true;
	s.config.port_group.queue_units = 2 * FULL_UNITS;
	s.config.port_group.log_marks = 1;
	s.config.port_group.log_window_ps = 10 * NODE_US;
	s.config.port_group.update_lft = false;
	lid_open(0);
	port_block(2);
	for (uint32_t i = 0; i < 3; i++)
		lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	books_expect(3); /* none has left: none is marked yet, and there is credit */
	port_unblock(2, 4 * NODE_US, UNORDERED, PLENTY);
	one_switch_run(&s, 6 * NODE_US);
	for (uint32_t i = 0; i < 3; i++) {
		struct lid_header header = lid_expect(2, FULL_BYTES);

		ck_assert_int_eq(header.fecn, i < 2);
		ck_assert(!header.lasting);
	}
	lid_send(0, 7 * NODE_US, 3, UNORDERED, FULL_BYTES); /* the queue is empty, the log is not */
	one_switch_run(&s, 9 * NODE_US);
	lid_expect(3, FULL_BYTES);
	lid_send(0, 30 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	lid_expect(2, FULL_BYTES);
	books_expect(0);
}

/* rows of the table `log` of port @port, below its heading */
static uint32_t log_rows(int port)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	uint32_t lines = 0;

	ck_assert_int_eq(s.ops->show(s.dataplane, "log", port, 0, out), 0);
	fclose(out);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	free(text);
	return lines - 1;
}

/* (b) the log has log_marks marks within its window, of this lane alone */
TEST(congested__log)
{
	s.config.port_group.fecn = true;
	s.config.port_group.fecn_units = 1; /* every packet */
	s.config.port_group.log_marks = 2;
	s.config.port_group.log_window_ps = 10 * NODE_US;
	s.config.port_group.update_lft = false;
	lid_open(0);
	s.links[2].rx.buffer_units = 1; /* three buffers are less than a packet */
	for (uint32_t i = 0; i < 3; i++)
		lid_send(0, (2 + i) * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 6 * NODE_US);
	ck_assert(lid_expect(2, FULL_BYTES).fecn);
	ck_assert(lid_expect(2, FULL_BYTES).fecn);
	no_packet_expect(2);
	lid_expect(3, FULL_BYTES);
	lid_send(0, 30 * NODE_US, 3, UNORDERED, FULL_BYTES); /* the window is over */
	one_switch_run(&s, FAR);
	lid_expect(2, FULL_BYTES);
	ck_assert_uint_eq(stats_of(2)->fecn_marked, 3);
	ck_assert_uint_eq(log_rows(2), 3); /* oldest first */
	ck_assert_uint_eq(log_rows(1), 0);
}

/* an entry that was replaced stays for hold_ps */
TEST(congested__hold)
{
	s.config.port_group.hold_ps = 10 * NODE_US;
	lid_open(1 << 2 | 1 << 3);
	grant(3, NODE_US, UNORDERED * LEVELS, FULL_UNITS);
	lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	lid_send(0, 3 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert_uint_eq(packets_receive(3), 1);
	ck_assert_uint_eq(lid_of()->ports[3].units, FULL_UNITS);
	lid_send(0, 20 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_of()->ports[2].units, FULL_UNITS);
	books_expect(2);
}

/* PG-5, PG-7: the group of LID 3 is one of those for packets from edge ports, and port 2 has no
 * credit. Of three packets from a host the first waits for port 2, where nothing waits yet; the
 * other two take port 1, each by a choice of its own. Ordered packets (1), packets of another
 * switch, which would have no lane left (2), and packets for which port 2 has credit (3) do not. */
TEST_RANGE(non_minimal__from_hosts_alone, 0, 4)
{
	static uint64_t masks[PORT_GROUP_EDGE_FROM + 1][PORT_GROUP_WORDS];
	struct lid_header header = { .dlid = 3,
				     .slid = 6,
				     .frame_bytes = FULL_BYTES,
				     .service_level = _i == 1 ? ORDERED : UNORDERED };
	uint32_t aside = _i == 0 ? 2 : 0;

	masks[PORT_GROUP_EDGE_FROM][0] = 1 << 1 | 1 << 2;
	s.config.port_group.non_minimal = true;
	s.config.switch_.lids.group_count = PORT_GROUP_EDGE_FROM + 1;
	s.config.switch_.lids.pgt = masks;
	lid_pgft[3] = PORT_GROUP_EDGE_FROM;
	lid_open(_i == 3 ? 0 : 1 << 2);
	for (uint32_t i = 0; i < 3; i++)
		lid_send_header(_i == 2 ? 3 : 0, (2 + i) * NODE_US, &header);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(packets_receive(1), aside);
	ck_assert_uint_eq(packets_receive(2), _i == 3 ? 3 : 0);
	books_expect(_i == 3 ? 0 : 3 - aside);
	ck_assert_uint_eq(lid_of()->tables.lids[3].now, 2); /* the entry stays */
	ck_assert_uint_eq(stats_of(0)->choices_other, aside);
	lid_pgft[3] = 1;
}
