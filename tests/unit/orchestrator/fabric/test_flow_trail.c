/*  orchestrator/fabric/flow_trail: which hops a flow takes and what holds it at each, as follows
 *  from the tables of the nodes (SE-8). The test is the nodes: a thread of it answers. */
#include "orchestrator/fabric/flow_trail.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/fabric/fabric_show.h"
#include "tests/testing.h"

#define NODES 4u
#define TABLES_MAX 16u

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct fabric fabric;
static struct flow_trail trail;
static struct pollfd ends[NODES + 1]; /* of the nodes; the last one ends the thread */
static int ending;
static pthread_t thread;
static struct why why;

/* what the nodes have; other tables are empty */
static struct {
	const char *node, *name;
	char text[1024];
} tables[TABLES_MAX];
static unsigned table_count;

static void answer(uint32_t node)
{
	struct control_message got, reply = { .kind = CONTROL_ANSWER };
	struct why reason;

	ck_assert_int_eq(control_receive(ends[node].fd, &got, 0, &reason), 0);
	reply.question = got.question;
	reply.body = strdup("port\n");
	for (unsigned i = 0; i < table_count; i++)
		if (!strcmp(tables[i].node, plan.nodes[node].name) &&
		    !strcmp(tables[i].name, got.text)) {
			free(reply.body);
			reply.body = strdup(tables[i].text);
		}
	ck_assert_int_eq(control_send(ends[node].fd, &reply), 0);
	free(reply.body);
	control_message_free(&got);
}

static void *serve(void *nothing)
{
	while (poll(ends, NODES + 1, -1) > 0 && !ends[NODES].revents)
		for (uint32_t i = 0; i < NODES; i++)
			if (ends[i].revents)
				answer(i);
	return nothing;
}

/* h1 - s1 - s2 - h2: s1 has h1 at port 0 and s2 at port 1, s2 has h2 and s1 */
static void made(const char *kind)
{
	char yaml[512];
	int pair[2];

	snprintf(yaml, sizeof(yaml),
		 "name: t\nrun: {duration: 1us}\nfabric: %s\ntopology: {switches: [s1, s2], hosts: "
		 "{h1: s1, h2: s2}, links: [[s1, s2]]}\n",
		 kind);
	ck_assert_int_eq(
		scenario_read_memory("t.yaml", yaml, strlen(yaml), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_uint_eq(plan.node_count, NODES);
	page = (struct clock_page){ .dilation = 1, .epoch_ns = monotonic_ns() };
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .options.real = true,
				  .page = &page,
				  .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
				  .drain_look_at = NODE_TIME_NEVER };
	for (uint32_t i = 0; i < NODES; i++) {
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
		nodes[i] = (struct fabric_node){
			.lead = i, .slot = i, .control = pair[0], .pid = getpid(), .doorbell = -1
		};
		ends[i] = (struct pollfd){ pair[1], POLLIN, 0 };
	}
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	ending = pair[0];
	ends[NODES] = (struct pollfd){ pair[1], POLLIN, 0 };
	ck_assert_int_eq(pthread_create(&thread, NULL, serve, NULL), 0);
	table_count = 0;
}

static void teardown(void)
{
	flow_trail_free(&trail);
	close(ending);
	pthread_join(thread, NULL);
	for (uint32_t i = 0; i < NODES; i++) {
		close(nodes[i].control);
		close(ends[i].fd);
	}
	close(ends[NODES].fd);
	close(fabric.epoll_fd);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

TEST_GROUP(flow_trail, .teardown = teardown);

/* table @name of @node from now on: the first line has the columns. Spaces stand for tabs. */
static void __attribute__((format(printf, 3, 4)))
has(const char *node, const char *name, const char *format, ...)
{
	va_list arguments;
	unsigned i = 0;

	while (i < table_count && (strcmp(tables[i].node, node) || strcmp(tables[i].name, name)))
		i++;
	ck_assert_uint_lt(i, TABLES_MAX);
	tables[i].node = node;
	tables[i].name = name;
	va_start(arguments, format);
	vsnprintf(tables[i].text, sizeof(tables[i].text), format, arguments);
	va_end(arguments);
	for (char *at = tables[i].text; *at; at++)
		*at = *at == ' ' ? '\t' : *at;
	table_count += i == table_count;
}

static void found(uint32_t blocks)
{
	flow_trail_free(&trail);
	ck_assert_msg(!flow_trail_find(&fabric, "h1", "h2", &trail, &why), "%s", why.text);
	ck_assert_uint_eq(trail.block_count, blocks);
}

/* hop @index of the first block */
static const struct flow_trail_hop *hop(uint32_t index)
{
	ck_assert_uint_lt(index, trail.blocks[0].hop_count);
	return &trail.blocks[0].hops[index];
}

static void hop_is(uint32_t index, const char *node, int64_t in_port, int64_t out_port)
{
	ck_assert_str_eq(plan.nodes[hop(index)->node].name, node);
	ck_assert_int_eq(hop(index)->in_port, in_port);
	ck_assert_int_eq(hop(index)->out_port, out_port);
}

#define NONE FLOW_TRAIL_PORT_NONE
#define FLOWS                                                           \
	"destination:text class:text workload:text slot waiting_bytes " \
	"unacknowledged_bytes held_by:text allowed_rate_bps\n"

/* ---- the source ---- */

TEST(flow_trail_find__why_the_source_does_not_send)
{
	static const char *const rows[][2] = {
		{ "-", "" },
		{ "fgfc", "pause of this flow by s1 (FGFC)" },
		{ "pfc", "pause of its class by s1 (PFC)" },
		{ "stop", "STOP of its class by s1" },
		{ "credit", "credit of s1" },
		{ "window", "its window: ACKs are awaited" },
		{ "rate", "its rate, 2.5 Gb/s" },
		{ "error", "an error: the queue pair gave up" },
		{ "turn", "its turn on the link" },
	};

	made("roce");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		has("h1", "flows", FLOWS "h2 best-effort w 3 100 50 %s 2500000000\n", rows[i][0]);
		found(1);
		ck_assert_uint_eq(trail.blocks[0].hop_count, 1);
		hop_is(0, "h1", NONE, 0);
		ck_assert_str_eq(hop(0)->held_by, rows[i][1]);
		ck_assert_uint_eq(hop(0)->waiting_bytes, 100);
		ck_assert_int_eq(hop(0)->unacknowledged_bytes, 50);
		ck_assert_str_eq(trail.blocks[0].note, "it has sent nothing so far");
		ck_assert_str_eq(trail.blocks[0].workload, "w");
		ck_assert_str_eq(trail.blocks[0].traffic_class, "best-effort");
		ck_assert_int_eq(trail.blocks[0].slot, 3);
	}
}

TEST(flow_trail_find__none)
{
	made("roce");
	has("h1", "flows", FLOWS "h3 a w 0 0 0 - 0\nh3 b w 0 0 0 - 0\nh4 a w 0 0 0 - 0\n");
	ck_assert_int_eq(flow_trail_find(&fabric, "h1", "h2", &trail, &why), FABRIC_SHOW_REFUSED);
	ck_assert_str_eq(why.text, "no flow from h1 to h2 now; there are flows to h3, h4");
	flow_trail_free(&trail);
	has("h1", "flows", FLOWS);
	ck_assert_int_eq(flow_trail_find(&fabric, "h1", "h2", &trail, &why), FABRIC_SHOW_REFUSED);
	ck_assert_str_eq(why.text, "no flow from h1 to h2 now; h1 sends nothing");
	flow_trail_free(&trail);
	ck_assert_int_eq(flow_trail_find(&fabric, "h1", "h3", &trail, &why), FABRIC_SHOW_REFUSED);
	ck_assert_str_eq(why.text, "there is no host 'h3' - did you mean 'h1'?");
	ck_assert_int_eq(flow_trail_find(&fabric, "s1", "h1", &trail, &why), FABRIC_SHOW_REFUSED);
	ck_assert_str_eq(why.text, "s1 is a switch: a flow is from one host to another");
}

TEST(flow_trail_find__as_many_as_are_shown)
{
	char rows[8192] = FLOWS;

	made("roce");
	for (unsigned extra = 0; extra < 2; extra++) {
		size_t used = (size_t)snprintf(rows, sizeof(rows), "%s", "destination:text\n");

		for (unsigned i = 0; i < FLOW_TRAIL_BLOCKS_MAX + extra; i++)
			used += (size_t)snprintf(rows + used, sizeof(rows) - used, "h2\n");
		has("h1", "flows", "%s", rows);
		found(FLOW_TRAIL_BLOCKS_MAX);
		ck_assert_int_eq(trail.cut, extra);
	}
}

/* ---- flow channels ---- */

#define EFCT "port flow_id dest:text class:text\n"
#define IFCT "port flow_id dest:text follow_port waiting_bytes unacknowledged_bytes waits:text\n"
#define OFCT "port flow_id input_port input_flow_id\n"
#define LIMITS                                                              \
	"port flow_id ep_congestion downstream_metering:text credit_bytes " \
	"wake_up_us flow_control:text\n"

static void channel_made(const char *waits)
{
	has("h1", "flows", FLOWS "h2 best-effort w 3 100 50 - 0\n");
	has("s1", "efct", EFCT "0 4 h2 best-effort\n1 4 h2 best-effort\n0 5 h3 best-effort\n");
	has("s1", "ifct", IFCT "1 4 h2 0 9 9 -\n0 5 h3 1 8 8 -\n0 4 h2 1 700 900 %s\n", waits);
	has("s1", "ofct", OFCT "1 8 0 5\n1 9 0 4\n1 7 1 4\n");
	has("s2", "ifct", IFCT "1 9 h2 0 70 90 -\n");
	has("s2", "ofct", OFCT "0 2 1 9\n");
}

TEST(flow_trail_find__hops_of_a_flow_channel)
{
	made("flow-channel");
	channel_made("-");
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 3);
	hop_is(0, "h1", NONE, 0);
	ck_assert_int_eq(hop(0)->in_id, -1);
	ck_assert_int_eq(hop(0)->unacknowledged_bytes, -1);
	hop_is(1, "s1", 0, 1);
	ck_assert_int_eq(hop(1)->in_id, 4);
	ck_assert_int_eq(hop(1)->out_id, 9);
	ck_assert_uint_eq(hop(1)->waiting_bytes, 700);
	ck_assert_int_eq(hop(1)->unacknowledged_bytes, 900);
	hop_is(2, "s2", 1, 0);
	ck_assert_int_eq(hop(2)->in_id, 9);
	ck_assert_int_eq(hop(2)->out_id, 2);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_str_eq(hop(i)->held_by, "");
	/* the id is another flow's by now, or of none: the flow has arrived there */
	has("s2", "ifct", IFCT "1 9 h1 0 70 90 -\n");
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 3);
	hop_is(2, "s2", 1, 0);
	ck_assert_uint_eq(hop(2)->waiting_bytes, 0);
	has("s1", "ifct", IFCT);
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 2);
	hop_is(1, "s1", 0, NONE);
}

/* what a node says may be anything */
TEST(flow_trail_find__flow_channel_to_nowhere)
{
	static const char *const ports[] = { "2", "64", "4294967296", "-" };

	made("flow-channel");
	for (unsigned i = 0; i < 4; i++) {
		channel_made("requesting");
		has("s1", "ofct", OFCT "%s 9 0 4\n", ports[i]);
		found(1);
		ck_assert_uint_eq(trail.blocks[0].hop_count, 2);
		ck_assert_str_eq(hop(1)->held_by, "its turn at the output to s2");
	}
	has("s1", "ifct", IFCT "0 4 h2 9 7 9 requesting\n");
	has("s1", "ofct", OFCT);
	found(1);
	ck_assert_str_eq(hop(1)->held_by, "its turn at the output to -");
	/* a flow that goes round and round is shown once */
	channel_made("-");
	has("s2", "ifct", IFCT "1 9 h2 1 70 90 -\n");
	has("s2", "ofct", OFCT "1 4 1 9\n");
	has("s1", "ifct", IFCT "0 4 h2 1 7 9 -\n1 4 h2 1 7 9 -\n");
	has("s1", "ofct", OFCT "1 9 0 4\n1 9 1 4\n");
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 4);
	hop_is(3, "s1", 1, 1);
}

/* two flows to the host, or two flow channels: they are not told apart */
TEST(flow_trail_find__several_flow_channels)
{
	made("flow-channel");
	channel_made("-");
	has("h1", "flows", FLOWS "h2 a w 3 100 50 - 0\nh2 b v 4 200 50 - 0\n");
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 4);
	ck_assert_uint_eq(hop(0)->waiting_bytes, 100);
	ck_assert_uint_eq(hop(1)->waiting_bytes, 200);
	ck_assert_int_eq(trail.blocks[0].slot, -1);
	has("s1", "efct", EFCT "0 4 h2 a\n0 5 h2 b\n");
	found(4);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_str_eq(trail.blocks[i].note,
				 "at its host; flow channels of all flows are below");
		ck_assert_int_eq(trail.blocks[i].slot, 3 + i);
	}
	ck_assert_str_eq(trail.blocks[3].traffic_class, "b");
	ck_assert_str_eq(trail.blocks[3].note, "");
	has("s1", "efct", EFCT);
	found(2);
	ck_assert_str_eq(trail.blocks[1].note, "nothing of it is in the fabric now");
}

TEST(flow_trail_find__why_a_flow_channel_waits)
{
	static const struct {
		const char *waits, *limits, *held_by;
	} rows[] = {
		{ "requesting", "", "its turn at the output to s2" },
		{ "channel", "", "a free flow channel on the link to s2" },
		{ "stopped", "", "STOP by s2 for flows without credit" },
		{ "port-limit", "", "the injection limit of this input" },
		{ "limit", "0 4 7 0 0 0 stopped-for-redirect\n",
		  "a change of its path: until all that it sent is acknowledged" },
		{ "wake-up", "0 4 7 0 0 2500000 on\n",
		  "its rate limit for 2.500 us (congestion factor 7)" },
		{ "wake-up", "", "its rate limit for 0.000 us (congestion factor 0)" },
		{ "limit", "0 4 7 1 0 0 on\n", "hop credit of s2" },
		{ "limit", "0 4 7 1 -5 0 on\n", "hop credit of s2" },
		{ "limit", "0 4 7 1 1 0 on\n",
		  "the limit of its data in flight (congestion factor 7)" },
		{ "limit", "0 4 7 0 0 0 on\n",
		  "the limit of its data in flight (congestion factor 7)" },
		{ "limit", "0 5 7 1 0 0 on\n1 4 6 1 0 0 on\n",
		  "the limit of its data in flight (congestion factor 0)" },
	};

	made("flow-channel");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		channel_made(rows[i].waits);
		has("s1", "limits", LIMITS "%s", rows[i].limits);
		found(1);
		ck_assert_str_eq(hop(1)->held_by, rows[i].held_by);
	}
}

/* ---- queues ---- */

#define WAITING "port class:text level source:text destination:text slot packets bytes\n"
#define LFT "dlid:text static_port now_port\n"
#define LANES "port class:text level credit_units\n"

static void queues_made(void)
{
	has("h1", "flows", FLOWS "h2 best-effort w 3 100 50 - 0\n");
	has("h1", "headers", "headers:text\n00ff\n");
	has("s1", "lft", LFT "h1 0 0\nh2 0 1\n");
	has("s2", "lft", LFT "h1 1 1\nh2 1 0\n");
	has("s1", "waiting",
	    WAITING "1 best-effort 2 h1 h2 3 2 2048\n1 best-effort 2 h1 h2 4 1 99\n"
		    "1 best-effort 2 h2 h1 3 1 99\n1 best-effort 2 h1 h2 3 1 1024\n");
}

TEST(flow_trail_find__queues_of_a_port_group)
{
	made("port-group");
	queues_made();
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 3);
	hop_is(0, "h1", NONE, 0);
	hop_is(1, "s1", 0, 1);
	hop_is(2, "s2", 1, 0);
	ck_assert_uint_eq(hop(1)->waiting_bytes, 3072);
	ck_assert_str_eq(hop(1)->held_by, "its turn in the queue to s2");
	ck_assert_uint_eq(hop(2)->waiting_bytes, 0);
	ck_assert_str_eq(hop(2)->held_by, "");
	/* in an ordered class the other column says where it goes; what waits, waits where it is */
	for (uint32_t i = 0; i < NODES; i++)
		plan.nodes[i].classes[0].unordered = false;
	has("s2", "lft", LFT "h2 0 1\n");
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 4);
	hop_is(1, "s1", 0, 0);
	ck_assert_uint_eq(hop(1)->waiting_bytes, 0);
	hop_is(2, "s1", 0, 1);
	ck_assert_uint_eq(hop(2)->waiting_bytes, 3072);
	hop_is(3, "s2", 1, 0);
}

/* a packet of 1024 bytes takes four units of credit */
TEST(flow_trail_find__credit_of_a_lane)
{
	static const struct {
		const char *lanes, *held_by;
	} rows[] = {
		{ "1 best-effort 2 3\n", "credit of s2 (lane 2, 3 units left)" },
		{ "1 best-effort 2 4\n", "its turn in the queue to s2" },
		{ "1 best-effort 2 -\n", "its turn in the queue to s2" },
		{ "1 best-effort 1 0\n0 best-effort 2 0\n1 other 2 0\n",
		  "its turn in the queue to s2" },
	};

	made("port-group");
	queues_made();
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		has("s1", "lanes", LANES "%s", rows[i].lanes);
		found(1);
		ck_assert_str_eq(hop(1)->held_by, rows[i].held_by);
	}
}

/* what a node says may be anything: a port that it does not have leads nowhere */
TEST_RANGE(flow_trail_find__ports_that_are_not_there, 0, 3)
{
	static const char *const ports[] = { "64", "4294967296", "-" };

	made("port-group");
	queues_made();
	has("s1", "waiting", WAITING);
	has("s1", "lft", LFT "h2 1 %s\n", ports[_i]);
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 2);
	hop_is(1, "s1", 0, NONE);
}

#define PFC "port class:text from_peer:text from_peer_us\n"

/* roce: a switch is asked where frames with these headers go */
TEST(flow_trail_find__queues_of_roce)
{
	made("roce");
	queues_made();
	has("s1", "output\t00ff", "port\n1\n");
	tables[table_count - 1].name = "output 00ff";
	has("s2", "output\t00ff", "port\n-\n");
	tables[table_count - 1].name = "output 00ff";
	has("s1", "pfc", PFC "0 best-effort XOFF 1\n1 other XOFF 1\n1 best-effort XON 1\n");
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 3);
	hop_is(1, "s1", 0, 1);
	hop_is(2, "s2", 1, NONE);
	ck_assert_str_eq(hop(1)->held_by, "its turn in the queue to s2");
	has("s1", "pfc", PFC "1 best-effort XOFF 1500000\n");
	found(1);
	ck_assert_str_eq(hop(1)->held_by, "pause of its class by s2 (PFC), for 1.500 us so far");
}

/* Programs: all their packets, by all ports that lead there. Those of the last switch are known. */
TEST(flow_trail_find__packets_of_programs)
{
	static const struct {
		const char *ports;
		int64_t out_port;
	} rows[] = {
		{ "1", 1 },     { "1,x", 1 },   { "x", NONE },
		{ "64", NONE }, { "-1", NONE }, { "2", NONE },
	};

	made("roce");
	for (uint32_t i = 0; i < NODES; i++)
		plan.nodes[i].clock = CLOCK_REAL;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		has("s1", "routes", "dest:text ports:text\ns1 0\ns2 %s\n", rows[i].ports);
		found(1);
		ck_assert_str_eq(trail.blocks[0].note, "packets of all programs; where several "
						       "ports lead there, each is listed");
		ck_assert_int_eq(trail.blocks[0].slot, -1);
		if (i == 5) { /* a port of another switch */
			ck_assert_uint_eq(trail.blocks[0].hop_count, 0);
			continue;
		}
		hop_is(0, "s1", 0, rows[i].out_port);
		ck_assert_uint_eq(trail.blocks[0].hop_count, rows[i].out_port == 1 ? 2 : 1);
	}
	has("s1", "routes", "dest:text ports:text\ns2 0;1\n");
	*strchr(tables[0].text, ';') = ' ';
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 3);
	ck_assert_uint_eq(hop(1)->waiting_bytes, 0);
	has("s1", "waiting", WAITING "1 a 0 h1 h2 3 1 70\n1 b 0 h1 h2 4 1 30\n");
	found(1);
	ck_assert_uint_eq(trail.blocks[0].hop_count, 3);
	hop_is(0, "s1", 0, 0);
	hop_is(1, "s1", 0, 1);
	ck_assert_uint_eq(hop(1)->waiting_bytes, 100);
	hop_is(2, "s2", 1, 0);
}
