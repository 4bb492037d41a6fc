/*  switchd/flow_channel/dataplane_show: positions and extents of a flow in bytes, under the names
 *  of docs/tables.md; limits and hop credit in words (TB-9, FC-7, EC-12). */
#include <string.h>

#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/limited_flows.h"

#define LINE 512

/* Line @number of @table from port @port, 0: the heading.  Return: is there one? */
static bool line_of(const char *table, int port, uint32_t number, char line[LINE])
{
	char *text = NULL, *at;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	ck_assert_int_eq(flow_channel_ops.show(s.dp, table, port, 0, out), 0);
	fclose(out);
	at = text;
	for (uint32_t i = 0; at && i < number; i++)
		at = (at = strchr(at, '\n')) ? at + 1 : NULL;
	if (at)
		snprintf(line, LINE, "%.*s", (int)strcspn(at, "\n"), at);
	free(text);
	return at && *line;
}

/* The first row of @table at @port has these cells in these columns, "NAME CELL" each. It has as
 * many cells as there are columns. */
static void row_expect(const char *table, int port, const char *const *cells)
{
	char head[LINE], row[LINE], found[LINE] = "", *head_at, *row_at;
	const char *name, *word;
	uint32_t seen = 0;

	ck_assert(line_of(table, port, 0, head) && line_of(table, port, 1, row));
	for (name = strtok_r(head, "\t", &head_at), word = strtok_r(row, "\t", &row_at);
	     name && word;
	     name = strtok_r(NULL, "\t", &head_at), word = strtok_r(NULL, "\t", &row_at)) {
		snprintf(found, LINE, "%.*s %s", (int)strcspn(name, ":"), name, word);
		if (cells[seen] && !strcmp(found, cells[seen]))
			seen++;
	}
	ck_assert_msg(!name && !word, "%s: a heading without a word, or a word without", table);
	ck_assert_msg(!cells[seen], "%s: no '%s'", table, cells[seen]);
}

#define ROW_EXPECT(table, port, ...) \
	row_expect(table, port, (const char *const[]){ __VA_ARGS__, NULL })

TEST_GROUP(show, .setup = setup, .teardown = teardown);

/* three packets of host 0 to host 2; the flow may have one in flight; 10 units of 16 are
 * acknowledged */
TEST(dataplane_show__bytes_of_a_flow)
{
	struct congestion_setting narrow = free_setting();
	uint32_t id;

	narrow.flow_extent_units = 0;
	setting_last(1, 1, narrow);
	congestion()->flow_limit = true;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	ack_arrive(2, NODE_US, id, ACK_ECA, 1);
	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, PACKET);
	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, PACKET);
	one_switch_run(&s, 4 * NODE_US);
	ack_arrive(2, 4 * NODE_US, id, ACK_DELTA_ECA, 10);
	no_packet_expect(2);
	ROW_EXPECT("ifct", 0, "port 0", "dest 2.0", "follow_port 2", "received_bytes 12288",
		   "sent_bytes 4096", "acknowledged_bytes 2560", "waiting_bytes 8192",
		   "unacknowledged_bytes 1536", "waits blocked");
	/* at the edge, sent means received from the host */
	ROW_EXPECT("efct", 0, "sent_bytes 12288", "acknowledged_bytes 2560",
		   "unacknowledged_bytes 9728");
	ROW_EXPECT("ofct", 2, "port 2", "input_port 0", "sent_bytes 4096",
		   "acknowledged_bytes 2560", "unacknowledged_bytes 1536");
	ROW_EXPECT("limits", 0, "ep_congestion 1", "upstream_metering 0", "committed_bytes 0",
		   "downstream_metering 0", "waiting_bytes 8192", "unacknowledged_bytes 1536",
		   "wake_up_us 0", "flow_control running");
}

TEST(dataplane_show__stopped_until_empty)
{
	limited_flow();
	ROW_EXPECT("limits", 0, "setting 1", "flow_control stopped-until-empty");
}

/* _i 0: the switch grants hop credit, 1: it needs it and has -8 units */
TEST_RANGE(dataplane_show__hop_credit, 0, 2)
{
	credit_on();
	one_switch_open(&s);
	if (_i) {
		uint32_t id = flow_begin(0, 1, 0);

		ack_arrive(2, 2 * NODE_US, id, ACK_HEADROOM, UNITS + 8);
		host_send(&s, 0, 4 * NODE_US, 2, 1, 0, PACKET);
		one_switch_run(&s, 5 * NODE_US);
		ROW_EXPECT("limits", 0, "upstream_metering 0", "committed_bytes 0",
			   "downstream_metering 1", "credit_bytes -2048", "waiting_bytes 0",
			   "unacknowledged_bytes 8192", "flow_control running");
		return;
	}
	through_send(0, 0);
	neighbour_stop(&s, 3, NODE_US, 1);
	through_send(2 * NODE_US, 1);
	through_send(3 * NODE_US, 2);
	one_switch_run(&s, 5 * NODE_US);
	ROW_EXPECT("limits", 2, "upstream_metering 1", "committed_bytes 8192",
		   "downstream_metering 0", "credit_bytes 0");
}
