/*  nicd/transport/own_control: what a control of the user's is told, which of its decisions are
 *  obeyed, and which end the process with a note (SE-10). */
#include "nicd/transport/own_control.h"

#include <heddle/congestion_control.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "tests/testing.h"

#define LINE_BPS 25000000000ull
#define NOW (7 * NODE_US + 1)

static struct node_config config;
static struct stats_page *stats; /* shared with a child that ends */
static struct own_control own;
static struct congestion congestion;
static struct congestion_flow *flow;

/* what the functions below do, and what they saw */
static void (*act)(struct heddle_flow *flow);
static struct heddle_flow seen;
static struct heddle_ack seen_ack;
static uint32_t seen_numbers[2], calls;

static void called(struct heddle_flow *of)
{
	calls++;
	seen = *of;
	if (act)
		act(of);
}

static void on_ack(struct heddle_flow *of, const struct heddle_ack *ack)
{
	seen_ack = *ack;
	called(of);
}

static void on_loss(struct heddle_flow *of, uint32_t timeout)
{
	seen_numbers[0] = timeout;
	called(of);
}

static void on_sent(struct heddle_flow *of, uint32_t wire_bytes, uint32_t again)
{
	seen_numbers[0] = wire_bytes;
	seen_numbers[1] = again;
	called(of);
}

static const struct heddle_control full = {
	.version = HEDDLE_CONTROL_VERSION,
	.state_bytes = 20,
	.open = called,
	.on_ack = on_ack,
	.on_cnp = called,
	.on_loss = on_loss,
	.on_timer = called,
	.on_sent = on_sent,
};

static const struct heddle_control only_ack = { .version = HEDDLE_CONTROL_VERSION,
						.on_ack = on_ack };

static void start(const struct heddle_control *control)
{
	config = (struct node_config){ .control = control };
	stats = mmap(NULL, sizeof(*stats), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	ck_assert_ptr_ne(stats, MAP_FAILED);
	ck_assert_int_eq(own_control_init(&own, &congestion, &config, stats, LINE_BPS, 3), 0);
	flow = congestion_flow(&congestion, 2);
	*flow = (struct congestion_flow){ .timer_ps = NODE_TIME_NEVER,
					  .window_packets = 100,
					  .window_packets_max = 100,
					  .packet_bytes = 4096,
					  .frame_bytes = 4178,
					  .slot = 2 };
	own.seam.open(congestion.shared, flow, NOW);
}

static void setup(void)
{
	act = NULL;
	calls = 0;
	start(&full);
}

static void teardown(void)
{
	congestion_fini(&congestion);
	munmap(stats, sizeof(*stats));
}

static void ack(void)
{
	static const struct congestion_ack told = { .packets = 3,
						    .bytes = 9000,
						    .in_flight = 7,
						    .rtt_ps = 12 * NODE_US + 999,
						    .hops = 2,
						    .echo = true };

	own.seam.on_ack(congestion.shared, flow, &told, NOW);
}

TEST_GROUP(own_control, .setup = setup, .teardown = teardown);

TEST(own_control_init__functions_follow_from_the_library)
{
	struct own_control little;
	struct congestion other;

	ck_assert(own.seam.cnps && own.seam.echo && own.seam.rtt);
	config.control = &only_ack;
	ck_assert_int_eq(own_control_init(&little, &other, &config, stats, LINE_BPS, 3), 0);
	ck_assert(!little.seam.cnps && little.seam.echo && little.seam.rtt);
	ck_assert_ptr_null(little.seam.on_cnp);
	ck_assert_ptr_null(little.seam.on_loss);
	ck_assert_ptr_null(little.seam.on_timer);
	ck_assert_ptr_null(little.seam.on_sent);
	congestion_fini(&other);
}

TEST(open__the_flow_as_the_control_sees_it)
{
	static const uint8_t zero[20];

	ck_assert_uint_eq(calls, 1);
	ck_assert_uint_eq(seen.now_ns, 7000);
	ck_assert_uint_eq(seen.line_bps, LINE_BPS);
	ck_assert_uint_eq(seen.packet_bytes, 4096);
	ck_assert_uint_eq(seen.frame_bytes, 4178);
	ck_assert_uint_eq(seen.window_max_packets, 100);
	ck_assert_uint_eq(seen.index, 2);
	ck_assert_uint_eq(seen.rate_bps, LINE_BPS);
	ck_assert_uint_eq(seen.window_packets, 100);
	ck_assert_uint_eq(seen.timer_ns, HEDDLE_NEVER);
	ck_assert_int_eq(memcmp(seen.state, zero, sizeof(zero)), 0);
	ck_assert_uint_eq((uintptr_t)seen.state % 16, 0);
	ck_assert_uint_eq(flow->rate_bps, LINE_BPS);
	ck_assert_uint_eq(flow->timer_ps, NODE_TIME_NEVER);
	ck_assert_uint_eq(stats->control_call.function, CONTROL_NONE);
}

TEST(on_ack__what_it_is_told)
{
	ack();
	ck_assert_uint_eq(seen_ack.packets, 3);
	ck_assert_uint_eq(seen_ack.bytes, 9000);
	ck_assert_uint_eq(seen_ack.in_flight_packets, 7);
	ck_assert_uint_eq(seen_ack.rtt_ns, 12000);
	ck_assert_uint_eq(seen_ack.hops, 2);
	ck_assert_uint_eq(seen_ack.echo, 1);
}

TEST(on_loss_on_sent__what_they_are_told)
{
	own.seam.on_loss(congestion.shared, flow, true, NOW);
	ck_assert_uint_eq(seen_numbers[0], 1);
	own.seam.on_sent(congestion.shared, flow, 4178, true, NOW);
	ck_assert_uint_eq(seen_numbers[0], 4178);
	ck_assert_uint_eq(seen_numbers[1], 1);
	own.seam.on_cnp(congestion.shared, flow, NOW);
	ck_assert_uint_eq(calls, 4);
}

static void decide(struct heddle_flow *of)
{
	of->rate_bps = 1000000;
	of->window_packets = 5;
	of->timer_ns = of->now_ns + 1;
	memset(of->state, 0x77, 20);
	/* what holds now is not the control's to change */
	of->line_bps = 1;
	of->index = 9;
}

TEST(decisions__are_obeyed)
{
	act = decide;
	ack();
	ck_assert_uint_eq(flow->rate_bps, 1000000);
	ck_assert_uint_eq(flow->window_packets, 5);
	ck_assert_uint_eq(flow->timer_ps, 7001 * NODE_NS);
	act = NULL;
	own.seam.on_cnp(congestion.shared, flow, NOW);
	ck_assert_uint_eq(seen.line_bps, LINE_BPS);
	ck_assert_uint_eq(seen.index, 2);
	ck_assert_uint_eq(((uint8_t *)seen.state)[19], 0x77);
	ck_assert_uint_eq(flow->window_packets, 5);
}

/* A timer that is over stays allowed in later calls: an idle flow has no timer. */
TEST(on_timer__is_called_once)
{
	act = decide;
	ack();
	act = NULL;
	own.seam.on_cnp(congestion.shared, flow, 8 * NODE_US);
	ck_assert_uint_eq(flow->timer_ps, 7001 * NODE_NS);
	own.seam.on_timer(congestion.shared, flow, 8 * NODE_US);
	ck_assert_uint_eq(flow->timer_ps, NODE_TIME_NEVER);
}

/* A link that has become slower lowers the rate before the next call. */
TEST(line__lowers_the_rate)
{
	own.seam.line(congestion.shared, 1000000000);
	own.seam.on_cnp(congestion.shared, flow, NOW);
	ck_assert_uint_eq(seen.line_bps, 1000000000);
	ck_assert_uint_eq(flow->rate_bps, 1000000000);
}

static void rate_zero(struct heddle_flow *of)
{
	of->rate_bps = 0;
}

static void rate_low(struct heddle_flow *of)
{
	of->rate_bps = HEDDLE_RATE_MIN_BPS - 1;
}

static void rate_high(struct heddle_flow *of)
{
	of->rate_bps = LINE_BPS + 1;
}

static void window_zero(struct heddle_flow *of)
{
	of->window_packets = 0;
}

static void window_high(struct heddle_flow *of)
{
	of->window_packets = HEDDLE_WINDOW_MAX + 1;
}

static void timer_now(struct heddle_flow *of)
{
	of->timer_ns = of->now_ns;
}

static void state_beyond(struct heddle_flow *of)
{
	((uint8_t *)of->state)[20] ^= 1;
}

static const struct {
	void (*act)(struct heddle_flow *of);
	enum control_fault fault;
	uint64_t value;
} wrong[] = {
	{ rate_zero, CONTROL_RATE, 0 },
	{ rate_low, CONTROL_RATE, HEDDLE_RATE_MIN_BPS - 1 },
	{ rate_high, CONTROL_RATE, LINE_BPS + 1 },
	{ window_zero, CONTROL_WINDOW, 0 },
	{ window_high, CONTROL_WINDOW, HEDDLE_WINDOW_MAX + 1 },
	{ timer_now, CONTROL_TIMER, 7000 },
	{ state_beyond, CONTROL_STATE, 20 },
	{ (void (*)(struct heddle_flow *))(void (*)(void))abort, CONTROL_FINE, 0 },
};

/* The process ends, and its statistics page says where and why. */
TEST_RANGE(decisions__out_of_range_end_the_process, 0, COUNT_OF(wrong))
{
	const struct control_call *call = &stats->control_call;
	int status;
	pid_t child = fork();

	if (!child) {
		signal(SIGABRT, SIG_DFL);
		act = wrong[_i].act;
		ack();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGABRT);
	ck_assert_uint_eq(call->function, CONTROL_ON_ACK);
	ck_assert_uint_eq(call->fault, wrong[_i].fault);
	ck_assert_uint_eq(call->value, wrong[_i].value);
	ck_assert_uint_eq(call->slot, 2);
	ck_assert_uint_eq(call->at_ps, NOW);
}

/* a table of connections has a column for its window */
TEST(show__window)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	own.seam.show(congestion.shared, flow, NOW, out);
	fclose(out);
	ck_assert_str_eq(text, "\t100");
	free(text);
}
