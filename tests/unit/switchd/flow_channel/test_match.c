/*  switchd/flow_channel/dataplane_set: match fields for each edge port, at run time (FC-2). */
#include <errno.h>
#include <stdio.h>

#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

TEST_GROUP(match, .setup = setup, .teardown = teardown);

/* FC-2, FC-15: match fields change at run time: new flows wait until the old ones have ended, then
 * all are sent, in order */
TEST(exhaustion__match_fields_change)
{
	uint32_t id;

	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, 1000);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match", "8", stdout), 0); /* IP pair */
	for (uint32_t i = 1; i < 4; i++)
		host_send(&s, 0, NODE_US, 2, i, 0, 1000 + i);
	one_switch_run(&s, 2 * NODE_US);
	no_packet_expect(2);
	switch_send_ack(&s, 2, 2 * NODE_US, id, ACK_DELTA, 4);
	one_switch_run(&s, 3 * NODE_US);
	for (uint32_t i = 1; i < 4; i++)
		packet_expect(2, 1000 + i);
	ck_assert_uint_eq(s.dp->ports[0].edge.efct.used, 1); /* one flow now */
	ck_assert_uint_eq(ifct_flow_extent(TABLE_AT(s.dp->ifcts[0].entries, 0)), 12);
}

/* the same with one line: of the new flows the first one gets it, the others wait for it */
TEST(exhaustion__match_fields_change_with_few_lines)
{
	node_time_t now = NODE_US;
	uint32_t id;

	s.ports[0].channels = 1;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, now);
	id = channel_expect(2, 1000);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match", "ports", stdout), 0);
	for (uint32_t i = 1; i < 5; i++)
		host_send(&s, 0, now, 2, i, 0, 1000 + i);
	for (uint32_t i = 1; i < 5; i++) {
		one_switch_run(&s, now += NODE_US);
		no_packet_expect(2);
		switch_send_ack(&s, 2, now, id, ACK_DELTA, 4);
		one_switch_run(&s, now += NODE_US);
		id = channel_expect(2, 1000 + i);
	}
	switch_send_ack(&s, 2, now, id, ACK_DELTA, 4);
	one_switch_run(&s, FAR);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), 0);
}

/* FC-2: match fields that change at one edge port change at no other one; a fabric port has none */
TEST(match__of_one_port)
{
	one_switch_open(&s);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match.p1", "8", stdout), 0); /* IP pair */
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match.p2", "8", stdout), -EINVAL);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match.p4", "8", stdout), -EINVAL);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match.p", "8", stdout), -EINVAL);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match.p1", "128", stdout), -EINVAL);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match.p1", "source-port&0x10000", stdout),
			 -EINVAL);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match.p1", "ports,source-port/8", stdout),
			 -EINVAL);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match.p1", "", stdout), -EINVAL);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match", "destination-ip/0", stdout), -EINVAL);
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t p = 0; p < 2; p++)
			host_send(&s, p, 0, 2, i, 0, 1000);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(s.dp->ports[0].edge.efct.used, 3);
	ck_assert_uint_eq(s.dp->ports[1].edge.efct.used, 1);
}

/* FC-2: two hosts send the same eight 5-tuples; the masks of their ports make two flows of them,
 * and four */
TEST(match__masks_of_two_ports)
{
	char *text;
	struct why why;
	size_t length;
	FILE *out;

	ck_assert_int_eq(flow_match_parse("source-port&0xfffc", &s.ports[0].match, &why), 0);
	ck_assert_int_eq(flow_match_parse("source-port&0xfffe", &s.ports[1].match, &why), 0);
	one_switch_open(&s);
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t p = 0; p < 2; p++)
			host_send(&s, p, 0, 2, i, 0, 1000);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(s.dp->ports[0].edge.efct.used, 2);
	ck_assert_uint_eq(s.dp->ports[1].edge.efct.used, 4);
	out = open_memstream(&text, &length);
	ck_assert_int_eq(flow_channel_ops.set(s.dp, "match.p1", "none", stdout), 0);
	ck_assert_int_eq(flow_channel_ops.show(s.dp, "match", -1, 0, out), 0);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "0\tsource-port/14\t\n"));
	ck_assert_ptr_nonnull(strstr(text, "1\tsource-port/15\tnone\n"));
	free(text);
}
