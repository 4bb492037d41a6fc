/*  orchestrator/tunnel/tunnel_peer: two machines open a session and agree on the length of
 *  datagrams; what is forged, replayed, truncated or of another fabric is counted under its reason
 *  and changes nothing (SC-5). */
#include <string.h>

#include "orchestrator/tunnel/tunnel_peer.h"
#include "tests/testing.h"

#define STEP_NS 5000000ull

struct side {
	struct tunnel_self self;
	struct tunnel_peer peer;
	struct tunnel_counts counts;
	uint32_t taken; /* COUNT items */
};

static struct side a, b;
static uint64_t now_ns, seed;
static uint32_t path_bytes; /* longer datagrams do not arrive */
static uint8_t last[TUNNEL_DATAGRAM_MAX];
static size_t last_bytes;

static uint64_t number(void)
{
	return seed += 0x9e3779b97f4a7c15ull;
}

static void side_make(struct side *side, uint8_t machine, uint32_t interface_bytes)
{
	memset(side, 0, sizeof(*side));
	side->self = (struct tunnel_self){ .machine = machine,
					   .machine_count = 2,
					   .key = "0123456789abcdef0123456789abcde",
					   .digest = "the same scenario",
					   .random = number };
	for (uint32_t i = 0; i < TUNNEL_SESSION_BYTES; i++)
		side->self.session[i] = (uint8_t)(number() >> 32);
	tunnel_peer_init(&side->peer, &side->self, !machine, interface_bytes, &side->counts);
}

static void set_up(void)
{
	now_ns = 1000000000000ull;
	path_bytes = 1472;
	side_make(&a, 0, 1472);
	side_make(&b, 1, 1472);
}

static void deliver(struct side *to, const uint8_t *bytes, size_t length);

static void take(void *owner, struct tunnel_peer *peer, const struct tunnel_item *item,
		 uint64_t now)
{
	struct side *side = owner;
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];
	struct tunnel_item answer = { .kind = TUNNEL_PONG,
				      .times = { item->times.sent_ns, now, now } };

	ck_assert_ptr_eq(peer, &side->peer);
	side->taken += item->kind == TUNNEL_COUNT;
	if (item->kind != TUNNEL_PING)
		return;
	deliver(side == &a ? &b : &a, bytes,
		tunnel_peer_seal(peer, bytes,
				 tunnel_item_write(&answer, bytes + TUNNEL_FRONT_BYTES, 100)));
}

static void deliver(struct side *to, const uint8_t *bytes, size_t length)
{
	uint8_t copy[TUNNEL_DATAGRAM_MAX];

	if (length > path_bytes)
		return;
	memcpy(copy, bytes, length);
	tunnel_peer_receive(&to->peer, copy, length, now_ns, take, to);
}

/* both send what is due, for @steps */
static void run(unsigned steps)
{
	const struct tunnel_state none = { 0 };
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];
	size_t length;

	for (unsigned i = 0; i < steps; i++) {
		while ((length = tunnel_peer_due(&a.peer, &none, now_ns, bytes))) {
			memcpy(last, bytes, length);
			last_bytes = length;
			deliver(&b, bytes, length);
		}
		while ((length = tunnel_peer_due(&b.peer, &none, now_ns, bytes)))
			deliver(&a, bytes, length);
		now_ns += STEP_NS;
	}
}

/* a datagram of a with one COUNT */
static size_t count_make(uint8_t *bytes)
{
	struct tunnel_item item = { .kind = TUNNEL_COUNT };

	return tunnel_peer_seal(&a.peer, bytes,
				tunnel_item_write(&item, bytes + TUNNEL_FRONT_BYTES, 100));
}

static uint64_t drops_of(const struct tunnel_counts *counts)
{
	uint64_t sum = 0;

	for (int i = 0; i < TUNNEL_DROPS; i++)
		sum += counts->drops[i];
	return sum;
}

TEST_GROUP(two_machines, .setup = set_up);

TEST(tunnel_peer__connects_with_the_same_key)
{
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];
	size_t length;

	run(300);
	ck_assert_int_eq(a.peer.state, TUNNEL_CONNECTED);
	ck_assert_int_eq(b.peer.state, TUNNEL_CONNECTED);
	ck_assert_uint_eq(a.peer.connects, 1);
	ck_assert_uint_eq(a.counts.datagram_bytes, 1472);
	ck_assert_uint_eq(drops_of(&a.counts) + drops_of(&b.counts), 0);
	length = count_make(bytes);
	deliver(&b, bytes, length);
	ck_assert_uint_eq(b.taken, 1);
}

TEST(tunnel_peer__another_key_is_forged)
{
	b.self.key[5] ^= 1;
	tunnel_peer_init(&b.peer, &b.self, 0, 1472, &b.counts);
	run(300);
	ck_assert_int_eq(a.peer.state, TUNNEL_CONNECTING);
	ck_assert_uint_gt(a.counts.drops[TUNNEL_DROP_FORGED], 0);
	ck_assert_uint_eq(a.counts.drops[TUNNEL_DROP_FORGED], drops_of(&a.counts));
	ck_assert_uint_eq(a.counts.received_datagrams, 0);
}

TEST(tunnel_peer__another_scenario_is_named)
{
	b.self.digest[0] ^= 1;
	run(300);
	ck_assert_int_eq(a.peer.state, TUNNEL_OTHER);
	ck_assert_uint_gt(a.counts.drops[TUNNEL_DROP_SCENARIO], 0);
}

/* every bit of a datagram counts */
TEST(tunnel_peer_receive__changed_truncated_and_replayed)
{
	uint8_t bytes[TUNNEL_DATAGRAM_MAX], changed[TUNNEL_DATAGRAM_MAX];
	uint64_t changes = 0;
	size_t length;

	run(300);
	length = count_make(bytes);
	for (size_t i = 0; i < length; i++) {
		memcpy(changed, bytes, length);
		changed[i] ^= 0x10;
		deliver(&b, changed, length);
		ck_assert_uint_eq(drops_of(&b.counts), ++changes);
		ck_assert_uint_eq(b.taken, 0);
	}
	ck_assert_uint_gt(b.counts.drops[TUNNEL_DROP_FORGED], length - 10);
	for (size_t i = 0; i < length; i++) {
		deliver(&b, bytes, i);
		ck_assert_uint_eq(drops_of(&b.counts), ++changes);
	}
	ck_assert_uint_ge(b.counts.drops[TUNNEL_DROP_TRUNCATED], TUNNEL_AROUND_BYTES);
	ck_assert_uint_eq(b.taken, 0);
	deliver(&b, bytes, length);
	ck_assert_uint_eq(b.taken, 1);
	deliver(&b, bytes, length);
	ck_assert_uint_eq(b.taken, 1);
	ck_assert_uint_eq(b.counts.drops[TUNNEL_DROP_REPLAYED], 1);
	ck_assert_int_eq(b.peer.state, TUNNEL_CONNECTED);
}

/* datagrams may overtake each other within the window; each counts once */
TEST(tunnel_peer_receive__window_of_numbers)
{
	static uint8_t bytes[TUNNEL_WINDOW + 8][128];
	size_t length = 0;

	run(300);
	for (uint32_t i = 0; i < TUNNEL_WINDOW + 8; i++)
		length = count_make(bytes[i]);
	deliver(&b, bytes[TUNNEL_WINDOW + 7], length);
	for (uint32_t i = TUNNEL_WINDOW + 7; i-- > 0;)
		deliver(&b, bytes[i], length);
	ck_assert_uint_eq(b.taken, TUNNEL_WINDOW);
	ck_assert_uint_eq(b.counts.drops[TUNNEL_DROP_REPLAYED], 8);
}

/* a recorded session of a process that is gone opens nothing */
TEST(tunnel_peer_receive__replay_of_a_former_session)
{
	uint8_t hello[TUNNEL_DATAGRAM_MAX], count[TUNNEL_DATAGRAM_MAX];
	size_t hello_bytes, count_bytes;

	run(300);
	memcpy(hello, last, last_bytes);
	hello_bytes = last_bytes;
	count_bytes = count_make(count);
	side_make(&a, 0, 1472); /* a new process */
	run(2000);
	ck_assert_int_eq(b.peer.state, TUNNEL_CONNECTED);
	ck_assert_uint_eq(b.peer.connects, 2);
	for (int i = 0; i < 3; i++) {
		deliver(&b, hello, hello_bytes);
		deliver(&b, count, count_bytes);
	}
	run(1000);
	ck_assert_uint_eq(b.taken, 0);
	ck_assert_int_eq(b.peer.state, TUNNEL_CONNECTED);
	ck_assert_uint_eq(b.peer.connects, 2);
	ck_assert(!memcmp(b.peer.session.id, a.self.session, TUNNEL_SESSION_BYTES));
}

/* the interface takes 9000 bytes, a hop on the path 1400: a shorter length is found */
TEST(tunnel_peer__length_that_the_path_swallows)
{
	side_make(&a, 0, 8972);
	side_make(&b, 1, 8972);
	path_bytes = 1400;
	run(4000);
	ck_assert_int_eq(a.peer.state, TUNNEL_CONNECTED);
	ck_assert_uint_eq(a.counts.datagram_bytes, 1372);
	ck_assert_uint_eq(b.counts.datagram_bytes, 1372);
}

TEST(tunnel_peer__silence_and_return)
{
	run(300);
	path_bytes = 0;
	run((unsigned)(TUNNEL_SILENT_NS / STEP_NS) + 300);
	ck_assert_int_eq(a.peer.state, TUNNEL_SILENT);
	path_bytes = 1472;
	run(1000);
	ck_assert_int_eq(a.peer.state, TUNNEL_CONNECTED);
	ck_assert_int_eq(b.peer.state, TUNNEL_CONNECTED);
	ck_assert_uint_eq(a.peer.connects, 2);
}

/* one side alone takes the other for silent: both learn of it, so both make their links again */
TEST(tunnel_peer__one_side_was_paused)
{
	run(300);
	a.peer.heard_ns -= TUNNEL_SILENT_NS;
	a.peer.hello_ns = 0;
	run(1000);
	ck_assert_uint_eq(a.peer.connects, 2);
	ck_assert_uint_eq(b.peer.connects, 2);
	ck_assert_int_eq(b.peer.state, TUNNEL_CONNECTED);
}

TEST(tunnel_peer__bye)
{
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];

	run(300);
	deliver(&b, bytes, tunnel_peer_bye(&a.peer, bytes));
	ck_assert_int_eq(b.peer.state, TUNNEL_ENDED);
}

/* how many datagrams a has due in the next @ns, without pings */
static unsigned hellos_in(uint64_t ns)
{
	const struct tunnel_state none = { 0 };
	uint64_t from = a.peer.number;
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];

	for (uint64_t until_ns = now_ns + ns; now_ns < until_ns; now_ns += STEP_NS) {
		a.peer.ping_ns = UINT64_MAX;
		a.peer.heard_ns = now_ns;
		while (tunnel_peer_due(&a.peer, &none, now_ns, bytes))
			;
	}
	return (unsigned)(a.peer.number - from);
}

/* two HELLOs, short and long, every 0.2 s until fabric time has begun on both, then every second */
TEST(tunnel_peer_due__rests_once_it_is_settled)
{
	run(300);
	a.peer.hello_ns = 0;
	ck_assert_uint_eq(hellos_in(2000000000), 20);
	a.self.begun = a.peer.begun = true;
	a.peer.hello_ns = 0;
	ck_assert_uint_eq(hellos_in(2000000000), 4);
	a.peer.tried_bytes++;
	a.peer.hello_ns = 0;
	ck_assert_uint_eq(hellos_in(2000000000), 20);
	a.peer.tried_bytes--;
	a.peer.state = TUNNEL_CONNECTING;
	a.peer.hello_ns = 0;
	ck_assert_uint_eq(hellos_in(2000000000), 20);
}

/* links that are down are told with each HELLO */
TEST(tunnel_peer_due__links_that_are_down)
{
	const struct tunnel_state state = { 2, { 4, 9 } };
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];
	size_t length;

	run(300);
	for (int padded = 0; padded < 2; padded++) {
		a.peer.hello_ns = padded ? UINT64_MAX : 0;
		a.peer.hello_long = padded;
		b.peer.down.count = 0;
		length = tunnel_peer_due(&a.peer, &state, now_ns, bytes);
		ck_assert(!padded || length == a.peer.tried_bytes);
		deliver(&b, bytes, length);
		ck_assert_uint_eq(b.peer.down.count, 2);
		ck_assert_uint_eq(b.peer.down.down[0], 4);
		ck_assert_uint_eq(b.peer.down.down[1], 9);
	}
	ck_assert_uint_eq(drops_of(&b.counts), 0);
}

/* it stays silent, and is not "connecting", until it is connected again */
TEST(tunnel_peer__silent_until_it_is_connected_again)
{
	run(300);
	path_bytes = 0;
	run((unsigned)(TUNNEL_SILENT_NS / STEP_NS) + 300);
	path_bytes = 1472;
	for (int i = 0; i < 1000 && a.peer.state != TUNNEL_CONNECTED; i++) {
		ck_assert_int_eq(a.peer.state, TUNNEL_SILENT);
		run(1);
	}
	ck_assert_int_eq(a.peer.state, TUNNEL_CONNECTED);
}

TEST(tunnel_peer_seal__is_counted)
{
	uint64_t datagrams = a.counts.sent_datagrams, sent_bytes = a.counts.sent_bytes;
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];
	size_t length = count_make(bytes);

	ck_assert_uint_eq(a.counts.sent_datagrams, datagrams + 1);
	ck_assert_uint_eq(a.counts.sent_bytes, sent_bytes + length);
	run(300);
	ck_assert_uint_eq(b.counts.received_datagrams, a.counts.sent_datagrams - 1);
	ck_assert_uint_eq(b.counts.received_bytes, a.counts.sent_bytes - length);
}

TEST(tunnel_clock__offset_and_impossible_times)
{
	struct tunnel_clock clock = { 0 };

	/* the other clock is 1000 ahead; 50 there, 50 back */
	ck_assert(tunnel_clock_add(&clock, 100, 1150, 1160, 210));
	ck_assert_int_eq(clock.offset_ns, -1000);
	ck_assert_uint_eq(clock.round_trip_ns, 100);
	/* a longer round trip changes nothing */
	ck_assert(tunnel_clock_add(&clock, 300, 1700, 1700, 760));
	ck_assert_int_eq(clock.offset_ns, -1000);
	ck_assert_uint_eq(tunnel_clock_here(&clock, 5000), 4000);
	ck_assert_uint_eq(tunnel_clock_here(&clock, 500), 0);
	ck_assert_uint_eq(tunnel_clock_here(&clock, UINT64_MAX), 0);
	ck_assert(!tunnel_clock_add(&clock, 100, 0, 0, 99));
	ck_assert(!tunnel_clock_add(&clock, 100, 10, 200, 150));
	ck_assert(!tunnel_clock_add(&clock, 100, UINT64_MAX - 5, UINT64_MAX - 1, 300));
	ck_assert_int_eq(clock.offset_ns, -1000);
}

/* of the true machine, but nonsense: what comes before it in the datagram counts */
TEST(tunnel_peer_receive__malformed_items)
{
	struct tunnel_item item = { .kind = TUNNEL_COUNT };
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];
	size_t length;

	run(300);
	length = tunnel_item_write(&item, bytes + TUNNEL_FRONT_BYTES, 100);
	memset(bytes + TUNNEL_FRONT_BYTES + length, 0xff, 20);
	deliver(&b, bytes, tunnel_peer_seal(&a.peer, bytes, length + 20));
	ck_assert_uint_eq(b.taken, 1);
	ck_assert_uint_eq(b.counts.drops[TUNNEL_DROP_MALFORMED], 1);
	/* an answer that comes before the question was sent */
	item = (struct tunnel_item){ .kind = TUNNEL_PONG,
				     .times = { now_ns + 1000000000, now_ns, now_ns } };
	length = tunnel_item_write(&item, bytes + TUNNEL_FRONT_BYTES, 100);
	deliver(&b, bytes, tunnel_peer_seal(&a.peer, bytes, length));
	ck_assert_uint_eq(b.counts.drops[TUNNEL_DROP_MALFORMED], 2);
	ck_assert_int_eq(b.peer.state, TUNNEL_CONNECTED);
}

/* a path that is shorter than that of before, and one that is longer than any */
TEST(tunnel_peer_path__is_tried_again)
{
	run(300);
	ck_assert_uint_eq(a.counts.datagram_bytes, 1472);
	tunnel_peer_path(&a.peer, 1300);
	ck_assert_uint_eq(a.peer.tried_bytes, 1300);
	ck_assert_uint_eq(a.counts.datagram_bytes, 1300);
	tunnel_peer_path(&a.peer, 1400);
	ck_assert_uint_eq(a.peer.tried_bytes, 1400);
	ck_assert_uint_eq(a.counts.datagram_bytes, 1300);
	tunnel_peer_path(&a.peer, 10);
	ck_assert_uint_eq(a.peer.tried_bytes, TUNNEL_DATAGRAM_MIN);
	ck_assert_uint_eq(a.counts.datagram_bytes, TUNNEL_DATAGRAM_MIN);
	tunnel_peer_path(&a.peer, UINT32_MAX);
	ck_assert_uint_eq(a.peer.tried_bytes, TUNNEL_DATAGRAM_MAX);
	ck_assert_uint_eq(a.counts.datagram_bytes, TUNNEL_DATAGRAM_MIN);
}
