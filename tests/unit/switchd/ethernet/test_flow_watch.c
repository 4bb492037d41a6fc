/*  switchd/ethernet/flow_watch: a line for each flow, found from either direction, forgotten when
 *  the table is full (RC-8). */
#include <stdio.h>
#include <stdlib.h>

#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/watched_flow.h"

static struct flow_watch watch;

static void setup(void)
{
	ck_assert_int_eq(flow_watch_init(&watch, 1024), 0);
}

static void teardown(void)
{
	flow_watch_fini(&watch);
}

static void resize(uint32_t flows_max)
{
	flow_watch_fini(&watch);
	ck_assert_int_eq(flow_watch_init(&watch, flows_max), 0);
}

TEST_GROUP(flow_watch, .setup = setup, .teardown = teardown);

TEST(data__one_line_for_a_flow)
{
	struct flow_line *line = watched_line(&watch, 7, 100);

	ck_assert_ptr_nonnull(line);
	ck_assert_uint_eq(line->queue_pair, FLOW_QUEUE_PAIR_UNKNOWN);
	ck_assert_uint_eq(line->first_ps, 100);
	ck_assert_ptr_eq(watched_line(&watch, 7, 200), line);
	ck_assert_uint_eq(line->first_ps, 100);
	ck_assert_uint_eq(line->seen_ps, 200);
	ck_assert_uint_eq(watch.used, 1);
	ck_assert_ptr_ne(watched_line(&watch, 8, 200), line); /* another UDP source port */
	ck_assert_uint_eq(watch.used, 2);
}

TEST(data__ip_version_counts)
{
	struct frame_fields four = watched_data(4, 7), six = watched_data(6, 7);

	ck_assert_ptr_ne(flow_watch_data(&watch, &four, 0), flow_watch_data(&watch, &six, 0));
}

TEST(reply__finds_its_flow)
{
	struct frame_fields reply = watched_reply(4, 7), data = watched_data(4, 7);

	ck_assert_ptr_null(flow_watch_reply(&watch, &reply));
	ck_assert_uint_eq(watch.used, 0); /* a reply adds no line */
	watched_line(&watch, 7, 0);
	ck_assert_ptr_eq(flow_watch_reply(&watch, &reply), watched_line(&watch, 7, 0));
	/* there is no data in the other direction */
	ck_assert_ptr_null(flow_watch_reply(&watch, &data));
	reply.source_port++;
	ck_assert_ptr_null(flow_watch_reply(&watch, &reply));
}

TEST(directions__are_two_flows)
{
	struct frame_fields back = watched_reply(4, 7);
	struct flow_line *there = watched_line(&watch, 7, 0),
			 *here = flow_watch_data(&watch, &back, 0);
	struct frame_fields to_there = watched_reply(4, 7), to_here = watched_data(4, 7);

	ck_assert_ptr_ne(there, here);
	ck_assert_ptr_eq(flow_watch_reply(&watch, &to_there), there);
	ck_assert_ptr_eq(flow_watch_reply(&watch, &to_here), here);
}

TEST(cnp__goes_from_the_receiver_to_the_sender)
{
	struct flow_line *line = watched_line(&watch, 7, 0);
	struct frame_fields reply = watched_reply(4, 7);
	struct roce_reply cnp;

	line->queue_pair = 0x400005;
	cnp = flow_line_cnp(line, 2, ROCE_SIGNAL_PAUSE);
	ck_assert_mem_eq(cnp.ends.source_mac, reply.source_mac, 6);
	ck_assert_mem_eq(cnp.ends.destination_mac, reply.destination_mac, 6);
	ck_assert_mem_eq(cnp.ends.source_ip, reply.source_ip, 16);
	ck_assert_mem_eq(cnp.ends.destination_ip, reply.destination_ip, 16);
	ck_assert_uint_eq(cnp.ends.ip_version, 4);
	ck_assert_uint_eq(cnp.ends.source_port, 7);
	ck_assert_uint_eq(cnp.queue_pair, 0x400005);
	ck_assert_uint_eq(cnp.traffic_class, 2);
	ck_assert_uint_eq(cnp.signal, 1); /* RC-9 */
}

TEST(full__forgets_the_flow_idle_longest)
{
	struct flow_line *silent;

	resize(8);
	for (uint16_t flow = 0; flow < 8; flow++)
		watched_line(&watch, flow, 100 + flow);
	watched_line(&watch, 0, 200);
	silent = watched_line(&watch, 1, 101);
	ck_assert_ptr_eq(watched_line(&watch, 8, 300), silent);
	ck_assert_uint_eq(silent->first_ps, 300);
	ck_assert_uint_eq(watch.used, 8);
	ck_assert_uint_eq(watch.forgotten, 1);
}

/* results are the same on every machine (TB-7): of flows that are idle equally long, the first line
 * of the set is forgotten */
TEST(full__equally_idle_flows_in_the_order_of_their_lines)
{
	struct flow_line *first;

	resize(8);
	first = watched_line(&watch, 0, 100);
	for (uint16_t flow = 1; flow < 8; flow++)
		watched_line(&watch, flow, 100);
	ck_assert_ptr_eq(watched_line(&watch, 8, 300), first);
	ck_assert_ptr_eq(watched_line(&watch, 9, 300), first + 1);
}

TEST(full__never_forgets_a_paused_flow)
{
	resize(8);
	for (uint16_t flow = 0; flow < 8; flow++)
		watched_line(&watch, flow, flow)->pinned = true;
	ck_assert_ptr_null(watched_line(&watch, 8, 300));
	ck_assert_uint_eq(watch.unwatched, 1);
	watched_line(&watch, 7, 7)->pinned = false;
	ck_assert_ptr_nonnull(watched_line(&watch, 8, 300));
	ck_assert_uint_eq(watch.forgotten, 1);
}

/* RC-8: a forgotten line must leave no timer */
TEST(full__stops_the_timer_of_a_forgotten_flow)
{
	struct flow_timers timers = { 0 };

	resize(8);
	for (uint16_t flow = 0; flow < 8; flow++)
		flow_timer_restart(&watched_line(&watch, flow, flow)->timer, &timers, flow);
	watched_line(&watch, 8, 300);
	ck_assert_uint_eq(flow_timers_due_at(&timers, 10), 11);
	for (uint16_t flow = 9; flow < 16; flow++)
		watched_line(&watch, flow, 300);
	ck_assert_uint_eq(flow_timers_due_at(&timers, 10), NODE_TIME_NEVER);
	ck_assert_ptr_null(timers.youngest);
}

TEST_RANGE(sizes__from_one_line_on, 0, 6)
{
	static const uint32_t sizes[] = { 1, 7, 8, 15, 1000, 65536 };
	uint32_t flows_max = sizes[_i], lines = flows_max < 8 ? flows_max : flows_max / 8 * 8;

	resize(flows_max);
	for (uint32_t flow = 0; flow < 65536; flow++)
		ck_assert_ptr_nonnull(watched_line(&watch, (uint16_t)flow, flow));
	ck_assert_uint_le(watch.used, lines);
	/* with as many flows as lines, an eighth of the sets' lines stay free */
	ck_assert_uint_ge(watch.used, lines * 3 / 4);
	ck_assert_uint_eq(watch.forgotten, 65536 - watch.used);
}

/* the address space of this process */
static unsigned long process_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	return pages;
}

/* tables that were released take no addresses: 100 of them would take 1 GiB */
TEST(fini__releases_both_tables)
{
	unsigned long before = process_pages();

	for (uint32_t i = 0; i < 100; i++)
		resize(65536);
	ck_assert_uint_lt(process_pages(), before + (20ul << 20) / 4096);
}
