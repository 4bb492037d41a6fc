/*  switchd/port_group/lid_switch: show() and set() of a switch with port groups, and its memory for
 *  packets (TB-9, TB-10, TB-26). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/series_ring.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/packet_flood.h"
#include "tests/unit/switchd/port_group/one_lid.h"

TEST_GROUP(node_ops, .setup = lid_setup, .teardown = teardown, .timeout_s = 60);

TEST(show__tables)
{
	static const char *const names[] = { "ports", "lanes",    "lft",    "groups",
					     "log",   "settings", "waiting" };
	char *text = NULL;
	size_t length = 0;
	FILE *out;

	lid_open(0);
	for (uint32_t i = 0; i < 7; i++)
		for (int port = -1; port < (int)PORTS; port++) {
			out = open_memstream(&text, &length);
			ck_assert_int_eq(s.ops->show(s.dataplane, names[i], port, 0, out), 0);
			fclose(out);
			ck_assert_uint_gt(length, 0);
			free(text);
		}
	out = open_memstream(&text, &length);
	ck_assert_int_eq(s.ops->show(s.dataplane, "ports", PORTS, 0, out), -EINVAL);
	ck_assert_int_eq(s.ops->show(s.dataplane, "routes", -1, 0, out), -ENOENT);
	fclose(out);
	free(text);
}

static char *shown(const char *table, int port)
{
	static char *text;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	ck_assert_int_eq(s.ops->show(s.dataplane, table, port, 0, out), 0);
	fclose(out);
	return text;
}

static uint32_t lines_of(const char *table, int port)
{
	char *text = shown(table, port);
	uint32_t lines = 0;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	free(text);
	return lines;
}

/* a wait that goes on counts to the time of the fabric; a port that never waited has 0 */
TEST(show__waits_of_a_port)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out;

	lid_open(0);
	for (int port = 0; port < 2; port++) {
		lid_of()->ports[port].stats->credit_since_ps = port ? 3 * NODE_US : 0;
		out = open_memstream(&text, &length);
		ck_assert_int_eq(s.ops->show(s.dataplane, "ports", port, 10 * NODE_US, out), 0);
		fclose(out);
		ck_assert_ptr_nonnull(strstr(text, port ? "\t0\t0\t7000000\n" : "\t0\t0\t0\n"));
		free(text);
	}
}

/* Ports 2 and 3 are group 1. The LFT has six LIDs: ports 0 and 1 are home to one each; ports 2 and
 * 3 to two each, and may be used by all four. */
TEST(show__forwarding_tables_of_a_port)
{
	char *text;

	lid_open(0);
	text = shown("groups", -1);
	ck_assert_str_eq(text, "group\tports:ports\n1\t2 3\n");
	free(text);
	ck_assert_uint_eq(lines_of("lft", -1), 1 + 6);
	for (int port = 0; port < 4; port++) {
		ck_assert_uint_eq(lines_of("groups", port), port < 2 ? 1 : 2);
		ck_assert_uint_eq(lines_of("lft", port), port < 2 ? 2 : 1 + 4);
	}
	text = shown("lft", 3);
	ck_assert_ptr_nonnull(strstr(text, "\n3\t3\t2\t2\t1\t2 3\n"));
	free(text);
}

/* Two packets of DLID 3 from a host, and one of 4 from another switch, on level 1 of its class,
 * wait at port 2; then they are marked as they leave. */
TEST(show__what_waits_and_what_was_marked)
{
	struct lid_header header = {
		.dlid = 3, .slid = 1, .frame_bytes = FULL_BYTES, .service_level = UNORDERED
	};
	char *text;

	snprintf(s.config.classes[UNORDERED].name, sizeof(s.config.classes[0].name), "u");
	s.config.port_group.fecn = true;
	s.config.port_group.queue_units = FULL_UNITS;
	s.config.sample_ps = NODE_US;
	s.config.series = true;
	s.config.measure_to_ps = 10 * NODE_US;
	lid_open(0);
	port_block(2);
	lid_send_header(0, 2 * NODE_US, &header);
	lid_send_header(0, 2 * NODE_US, &header);
	header = (struct lid_header){ .dlid = 4, .slid = 6, .frame_bytes = 100 };
	lid_send_header(3, 2 * NODE_US, &header);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert_uint_eq(series_at(s.stats, 3 * NODE_US, SERIES_LANE_QUEUE_UNITS, 2, 1), 1);
	ck_assert_uint_eq(series_at(s.stats, 3 * NODE_US, SERIES_LANE_QUEUE_UNITS, 2, 2), 8);
	ck_assert_uint_eq(series_at(s.stats, 3 * NODE_US, SERIES_LANE_INPUT_UNITS, 0, 2), 8);
	ck_assert_uint_eq(series_at(s.stats, 3 * NODE_US, SERIES_LANE_CREDIT_UNITS, 2, 0), PLENTY);
	ck_assert_uint_eq(series_at(s.stats, 3 * NODE_US, SERIES_INPUT_UNITS, 0, 0), 8);
	ck_assert_uint_eq(series_at(s.stats, 3 * NODE_US, SERIES_QUEUE_BYTES, 2, 0), 2148);
	text = shown("lanes", 2);
	ck_assert_str_eq(text,
			 "port:port\tclass:text\tlevel\twaiting_units\tcredit_units\theld_units\t"
			 "fecns\tstate:text\n"
			 "2\tc\t0\t0\t100000\t0\t0\t-\n"
			 "2\tc\t1\t1\t100000\t0\t0\t-\n"
			 "2\tu\t0\t8\t100000\t0\t0\t-\n"
			 "2\tu\t1\t0\t100000\t0\t0\t-\n");
	free(text);
	text = shown("waiting", 2);
	ck_assert_ptr_nonnull(strstr(text, "\n2\tc\t1\t5\t4\t0\t3\t1\t100\n"
					   "2\tu\t0\t0\t3\t0\t0\t2\t2048\n"));
	free(text);
	port_unblock(2, 4 * NODE_US, UNORDERED, PLENTY);
	one_switch_run(&s, 6 * NODE_US);
	text = shown("log", 2);
	ck_assert_str_eq(text, "port:port\tclass:text\tlevel\tat_us:ps\tdlid:lid\tslid:lid\n"
			       "2\tc\t1\t4000000\t4\t6\n"
			       "2\tu\t0\t4005440\t3\t1\n"
			       "2\tu\t0\t4047840\t3\t1\n");
	free(text);
	ck_assert_uint_eq(series_at(s.stats, 6 * NODE_US, SERIES_MARKS, 2, 0), 3);
}

TEST(set__values)
{
	static const struct {
		const char *name, *value;
		int error;
	} cases[] = { { "policy", "1", 0 },
		      { "policy", "best", -EINVAL },
		      { "pending", "0", -EINVAL },
		      { "pending", "7", 0 },
		      { "queue", "1k", -EINVAL },
		      { "log.marks", "65", -EINVAL },
		      { "log.window", "2000000", 0 },
		      { "adaptive", "0", 0 },
		      { "adaptive", "false", -EINVAL },
		      { "lid-bits", "24", -ENOENT },
		      { "hold", "-1", -EINVAL },
		      { "fecn", "1", 0 },
		      { "fecn.at", "1048577", -EINVAL } };
	char *text = NULL;
	size_t length = 0;
	FILE *out;

	lid_open(0);
	out = open_memstream(&text, &length);
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(s.ops->set(s.dataplane, cases[i].name, cases[i].value, out) ==
				      cases[i].error,
			      "%s %s", cases[i].name, cases[i].value);
	fclose(out);
	free(text);
	ck_assert_int_eq(lid_of()->settings.policy, POLICY_GREEDY);
	ck_assert_uint_eq(lid_of()->settings.pending_units, 7);
	ck_assert_uint_eq(lid_of()->settings.log_window_ps, 2 * NODE_US);
	ck_assert(lid_of()->settings.fecn && !lid_of()->settings.adaptive);
}

/* ---- frames of another kind of fabric ---- */

TEST_RANGE(arrive__record_of_another_fabric, 0, PORTS)
{
	static const enum record_kind kinds[] = { RECORD_ACKS, RECORD_FGFC, RECORD_PAUSE };

	lid_open(0);
	for (uint32_t i = 0; i < COUNT_OF(kinds); i++)
		foreign_record_expect((uint32_t)_i, kinds[i], DROP_BAD_RECORD);
	books_expect(0);
}

/* ---- memory ---- */

static void flood_front(uint32_t frame_bytes, uint8_t *bytes)
{
	struct lid_header header = { .dlid = 2, .slid = 1, .frame_bytes = (uint16_t)frame_bytes };

	fabric_envelope_write(9, 0, 1, 0, bytes);
	lid_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
}

/* TB-26: floods of every length fill the buffer of a lane, not the pool. The pool has one and a
 * half times the buffers, the greatest frame, and the reserve of copies. */
TEST(pool_init__floods)
{
	struct flood *flood = zeroed(sizeof(*flood));
	size_t lane_bytes = FLOOD_UNITS * UNIT_BYTES, most_bytes;

	flood_configure();
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].buffer_units = FLOOD_UNITS;
	lid_open(0);
	*flood = (struct flood){ .pool = &lid_of()->sw.pool,
				 .front_bytes = LID_FRONT_BYTES,
				 .front = flood_front,
				 .has_buffer = flood_input_has_buffer };
	ck_assert_uint_le(flood_pool_bytes(flood),
			  PORTS * LANES * lane_bytes * 3 / 2 +
				  (2 + lid_of()->sw.flood_packets_max) * FLOOD_GREATEST_BYTES);
	ck_assert_uint_ge(flood_pool_bytes(flood),
			  PORTS * LANES * lane_bytes * 3 / 2 +
				  lid_of()->sw.flood_packets_max * FLOOD_GREATEST_BYTES);
	most_bytes = flood_all(flood, (uint32_t)(lane_bytes * 3 / 2 / PACKET_CELL_BYTES));
	ck_assert_uint_gt(most_bytes, lane_bytes * 14 / 10);
	books_expect(0);
	free(flood);
}
