#include "orchestrator/tunnel/tunnel_peer.h"

#include <string.h>

#include "nodes/base/array.h"
#include "nodes/base/bytes.h"

#define HELLO_MISSES_MAX 5u
#define SPAN_NS 2000000000ull      /* lengths that came are forgotten after one to two spans */
#define CANDIDATE_NS 1000000000ull /* a candidate is not replaced before */
#define CLOCK_COUNT_MIN 24u        /* samples of the clock before records are sent */
#define PING_FAST_NS 10000000ull   /* until then */
#define HELLO_REST_NS 1000000000ull

/* lengths to try: Ethernet with jumbo frames, Ethernet over IPv4 and IPv6, common tunnels, the
 * least of IPv6, the least of IPv4 */
static const uint32_t lengths[] = { TUNNEL_DATAGRAM_MAX, 8952, 4052, 1472, 1452, 1372, 1232,
				    TUNNEL_DATAGRAM_MIN };

/* ---- length of datagrams ---- */

/* the longest of `lengths` below @limit */
static uint32_t length_below(uint32_t limit)
{
	for (size_t i = 0; i < COUNT_OF(lengths); i++)
		if (lengths[i] < limit)
			return lengths[i];
	return TUNNEL_DATAGRAM_MIN;
}

void tunnel_peer_path(struct tunnel_peer *peer, uint32_t path_bytes)
{
	uint32_t bytes = path_bytes < TUNNEL_DATAGRAM_MAX ? path_bytes : TUNNEL_DATAGRAM_MAX;

	peer->tried_bytes = bytes > TUNNEL_DATAGRAM_MIN ? bytes : TUNNEL_DATAGRAM_MIN;
	if (peer->fits_bytes > peer->tried_bytes)
		peer->fits_bytes = peer->tried_bytes;
	peer->misses = 0;
	peer->hello_ns = 0;
	peer->counts->datagram_bytes = peer->fits_bytes;
}

static void length_heard(struct tunnel_peer *peer, size_t length, uint64_t now_ns)
{
	if (now_ns >= peer->span_ns) {
		bool next = now_ns < peer->span_ns + SPAN_NS;

		peer->heard_bytes[1] = next ? peer->heard_bytes[0] : 0;
		peer->heard_bytes[0] = 0;
		peer->span_ns = now_ns + SPAN_NS;
	}
	if (length > peer->heard_bytes[0])
		peer->heard_bytes[0] = (uint32_t)length;
}

static uint32_t heard_lately(const struct tunnel_peer *peer)
{
	return peer->heard_bytes[0] > peer->heard_bytes[1] ? peer->heard_bytes[0]
							   : peer->heard_bytes[1];
}

/* the other machine has received datagrams of @bytes lately */
static void length_confirmed(struct tunnel_peer *peer, uint32_t bytes)
{
	if (bytes >= peer->tried_bytes) {
		peer->fits_bytes = peer->tried_bytes;
		peer->misses = 0;
	} else if (peer->misses >= HELLO_MISSES_MAX && peer->tried_bytes > TUNNEL_DATAGRAM_MIN) {
		peer->tried_bytes = length_below(peer->tried_bytes);
		if (peer->fits_bytes > peer->tried_bytes)
			peer->fits_bytes = 0;
		peer->misses = 0;
	}
	peer->counts->datagram_bytes = peer->fits_bytes;
}

/* ---- sessions ---- */

void tunnel_peer_init(struct tunnel_peer *peer, const struct tunnel_self *self, uint8_t machine,
		      uint32_t path_bytes, struct tunnel_counts *counts)
{
	*peer = (struct tunnel_peer){ .self = self, .machine = machine, .counts = counts };
	tunnel_seal_init(&peer->seal, self->key, self->session, self->machine, machine);
	tunnel_peer_path(peer, path_bytes);
}

static void state_set(struct tunnel_peer *peer, enum tunnel_peer_state state)
{
	peer->connects += state == TUNNEL_CONNECTED && peer->state != TUNNEL_CONNECTED;
	peer->state = state;
	peer->counts->state = (uint32_t)state;
}

/* is datagram @number of @session a new one? Then it is noted */
static bool number_take(struct tunnel_session *session, uint64_t number)
{
	uint64_t *word = &session->seen[number % TUNNEL_WINDOW / 64], bit = 1ull << number % 64;

	if (number == UINT64_MAX || number + TUNNEL_WINDOW < session->highest)
		return false;
	if (number >= session->highest) {
		/* numbers between are not seen yet */
		uint64_t ahead = number - session->highest;

		for (uint64_t i = 0; i <= ahead && i < TUNNEL_WINDOW; i++) {
			uint64_t clear = number - i;

			session->seen[clear % TUNNEL_WINDOW / 64] &= ~(1ull << clear % 64);
		}
		session->highest = number + 1;
	} else if (*word & bit) {
		return false;
	}
	*word |= bit;
	return true;
}

static bool open_with(const struct tunnel_session *session, const struct tunnel_front *front,
		      uint8_t *bytes, size_t length)
{
	struct tunnel_seal seal = session->seal; /* its nonce is a part of it */
	size_t items_bytes = length - TUNNEL_AROUND_BYTES;

	return tunnel_seal_open(&seal, front->number, bytes, TUNNEL_FRONT_BYTES,
				bytes + TUNNEL_FRONT_BYTES, items_bytes,
				bytes + TUNNEL_FRONT_BYTES + items_bytes);
}

static bool is_of(const struct tunnel_session *session, const struct tunnel_front *front)
{
	return session->known && !memcmp(session->id, front->session, TUNNEL_SESSION_BYTES);
}

/* a datagram of an unknown session: it becomes the candidate if it opens */
static struct tunnel_session *candidate_make(struct tunnel_peer *peer,
					     const struct tunnel_front *front, uint8_t *bytes,
					     size_t length, uint64_t now_ns)
{
	struct tunnel_session next = { .known = true, .since_ns = now_ns };

	memcpy(next.id, front->session, TUNNEL_SESSION_BYTES);
	tunnel_seal_init(&next.seal, peer->self->key, front->session, peer->machine,
			 peer->self->machine);
	if (!open_with(&next, front, bytes, length)) {
		peer->counts->drops[TUNNEL_DROP_FORGED]++;
		return NULL;
	}
	if (peer->candidate.known && now_ns - peer->candidate.since_ns < CANDIDATE_NS) {
		peer->counts->drops[TUNNEL_DROP_UNKNOWN]++;
		return NULL;
	}
	if (!memcmp(peer->session.id, next.id, TUNNEL_SESSION_BYTES)) {
		/* that fell silent: what it has sent before is not taken again */
		next.highest = peer->session.highest;
		memset(next.seen, 0xff, sizeof(next.seen));
	}
	next.ours = peer->self->random() | 1;
	peer->candidate = next;
	return &peer->candidate;
}

/* the session that the datagram is of, once it is opened and new; NULL: counted */
static struct tunnel_session *session_of(struct tunnel_peer *peer, const struct tunnel_front *front,
					 uint8_t *bytes, size_t length, uint64_t now_ns)
{
	struct tunnel_session *session = is_of(&peer->session, front)     ? &peer->session
					 : is_of(&peer->candidate, front) ? &peer->candidate
									  : NULL;

	if (!session) {
		session = candidate_make(peer, front, bytes, length, now_ns);
	} else if (!open_with(session, front, bytes, length)) {
		peer->counts->drops[TUNNEL_DROP_FORGED]++;
		return NULL;
	}
	if (session && !number_take(session, front->number)) {
		peer->counts->drops[TUNNEL_DROP_REPLAYED]++;
		return NULL;
	}
	return session;
}

/* ---- items ---- */

static uint64_t session_mark(const uint8_t session[TUNNEL_SESSION_BYTES])
{
	return bytes_get64(session) | 1;
}

static void connect_look(struct tunnel_peer *peer)
{
	bool connected = peer->session.known && peer->accepted && peer->fits_bytes &&
			 peer->clock.count >= CLOCK_COUNT_MIN;

	if (connected && peer->state != TUNNEL_ENDED)
		state_set(peer, TUNNEL_CONNECTED);
}

/* the candidate has returned its challenge: it is of now */
static void candidate_accept(struct tunnel_peer *peer)
{
	peer->session = peer->candidate;
	peer->candidate = (struct tunnel_session){ 0 };
	peer->accepted = peer->begun = peer->ready = false;
	peer->clock = (struct tunnel_clock){ 0 };
	peer->down.count = 0;
	peer->ping_ns = 0;
	if (peer->state != TUNNEL_SILENT)
		state_set(peer, TUNNEL_CONNECTING);
}

static void hello_take(struct tunnel_peer *peer, struct tunnel_session *session,
		       const struct tunnel_hello *hello)
{
	bool candidate = session == &peer->candidate;

	if (memcmp(hello->digest, peer->self->digest, TUNNEL_DIGEST_BYTES) != 0) {
		peer->counts->drops[TUNNEL_DROP_SCENARIO]++;
		if (candidate && peer->state != TUNNEL_CONNECTED)
			state_set(peer, TUNNEL_OTHER);
		return;
	}
	if (session->theirs != hello->challenge)
		peer->hello_ns = 0; /* return it at once */
	session->theirs = hello->challenge;
	if (candidate && hello->echo == session->ours) {
		candidate_accept(peer);
		peer->hello_ns = 0;
	} else if (candidate) {
		return;
	}
	peer->accepted = hello->accepted == session_mark(peer->self->session);
	if (!peer->accepted && peer->state == TUNNEL_CONNECTED)
		state_set(peer, TUNNEL_CONNECTING);
	peer->begun = hello->begun;
	peer->ready = hello->ready;
	if (peer->accepted)
		length_confirmed(peer, hello->heard_bytes);
	connect_look(peer);
}

static void item_take(struct tunnel_peer *peer, const struct tunnel_item *item, uint64_t now_ns,
		      tunnel_take_fn *take, void *owner)
{
	switch (item->kind) {
	case TUNNEL_PONG:
		if (tunnel_clock_add(&peer->clock, item->times.sent_ns, item->times.arrived_ns,
				     item->times.answer_ns, now_ns))
			peer->counts->round_trip_ns = peer->clock.round_trip_ns;
		else
			peer->counts->drops[TUNNEL_DROP_MALFORMED]++;
		connect_look(peer);
		break;
	case TUNNEL_STATE:
		peer->down = item->state;
		break;
	case TUNNEL_BYE:
		state_set(peer, TUNNEL_ENDED);
		break;
	case TUNNEL_PING:
	case TUNNEL_COUNT:
	case TUNNEL_RECORD:
		take(owner, peer, item, now_ns);
		break;
	default:
		break;
	}
}

static void items_take(struct tunnel_peer *peer, struct tunnel_session *session,
		       const uint8_t *bytes, size_t length, uint64_t now_ns, tunnel_take_fn *take,
		       void *owner)
{
	struct tunnel_item item;

	while (length) {
		int used = tunnel_item_read(bytes, length, &item);

		if (used < 0) {
			peer->counts->drops[TUNNEL_DROP_MALFORMED]++;
			return;
		}
		if (item.kind == TUNNEL_HELLO)
			hello_take(peer, session, &item.hello);
		else if (session == &peer->session)
			item_take(peer, &item, now_ns, take, owner);
		/* the HELLO in front may have made the candidate the session */
		if (session == &peer->candidate && !peer->candidate.known)
			session = &peer->session;
		bytes += used;
		length -= (size_t)used;
	}
}

void tunnel_peer_receive(struct tunnel_peer *peer, uint8_t *bytes, size_t length, uint64_t now_ns,
			 tunnel_take_fn *take, void *owner)
{
	struct tunnel_session *session;
	struct tunnel_front front;

	if (length > TUNNEL_DATAGRAM_MAX || tunnel_front_read(bytes, length, &front)) {
		peer->counts->drops[TUNNEL_DROP_TRUNCATED]++;
		return;
	}
	if (front.from != peer->machine || front.to != peer->self->machine) {
		peer->counts->drops[TUNNEL_DROP_STRANGER]++;
		return;
	}
	session = session_of(peer, &front, bytes, length, now_ns);
	if (!session)
		return;
	peer->counts->received_datagrams++;
	peer->counts->received_bytes += length;
	length_heard(peer, length, now_ns);
	if (session == &peer->session) {
		peer->heard_ns = now_ns;
		peer->counts->heard_ns = now_ns;
	}
	items_take(peer, session, bytes + TUNNEL_FRONT_BYTES, length - TUNNEL_AROUND_BYTES, now_ns,
		   take, owner);
}

/* ---- sending ---- */

size_t tunnel_peer_seal(struct tunnel_peer *peer, uint8_t *bytes, size_t items_bytes)
{
	struct tunnel_front front = { .from = peer->self->machine,
				      .to = peer->machine,
				      .number = peer->number++ };

	memcpy(front.session, peer->self->session, TUNNEL_SESSION_BYTES);
	tunnel_front_write(&front, bytes);
	tunnel_seal_close(&peer->seal, front.number, bytes, TUNNEL_FRONT_BYTES,
			  bytes + TUNNEL_FRONT_BYTES, items_bytes,
			  bytes + TUNNEL_FRONT_BYTES + items_bytes);
	peer->counts->sent_datagrams++;
	peer->counts->sent_bytes += TUNNEL_AROUND_BYTES + items_bytes;
	return TUNNEL_AROUND_BYTES + items_bytes;
}

/* @padded: padded to the length that is tried */
static size_t hello_write(struct tunnel_peer *peer, const struct tunnel_state *state, bool padded,
			  uint8_t *bytes)
{
	const struct tunnel_session *other =
		peer->candidate.known ? &peer->candidate : &peer->session;
	struct tunnel_item item = { .kind = TUNNEL_HELLO,
				    .hello = { .challenge = other->ours,
					       .echo = other->theirs,
					       .heard_bytes = heard_lately(peer),
					       .begun = peer->self->begun,
					       .ready = peer->self->ready } };
	size_t space = (padded ? peer->tried_bytes : TUNNEL_DATAGRAM_MIN) - TUNNEL_AROUND_BYTES;
	uint8_t *items = bytes + TUNNEL_FRONT_BYTES;
	size_t used;

	memcpy(item.hello.digest, peer->self->digest, TUNNEL_DIGEST_BYTES);
	if (peer->session.known)
		item.hello.accepted = session_mark(peer->session.id);
	used = tunnel_item_write(&item, items, space);
	item = (struct tunnel_item){ .kind = TUNNEL_STATE, .state = *state };
	used += tunnel_item_write(&item, items + used, space - used);
	item.kind = TUNNEL_PAD;
	if (padded)
		used += tunnel_item_write(&item, items + used, space - used);
	return tunnel_peer_seal(peer, bytes, used);
}

static void silence_look(struct tunnel_peer *peer, uint64_t now_ns)
{
	if (peer->state == TUNNEL_CONNECTED && now_ns > peer->heard_ns &&
	    now_ns - peer->heard_ns > TUNNEL_SILENT_NS) {
		/* it must answer a challenge again, so that both sides know of the pause */
		peer->session.known = false;
		state_set(peer, TUNNEL_SILENT);
	}
}

size_t tunnel_peer_due(struct tunnel_peer *peer, const struct tunnel_state *state, uint64_t now_ns,
		       uint8_t *bytes)
{
	struct tunnel_item ping = { .kind = TUNNEL_PING, .times = { .sent_ns = now_ns } };
	bool settled = peer->state == TUNNEL_CONNECTED && peer->fits_bytes == peer->tried_bytes &&
		       peer->self->begun && peer->begun;

	silence_look(peer, now_ns);
	if (now_ns >= peer->hello_ns) {
		/* the short one now, the long one at the next call */
		peer->hello_ns = now_ns + (settled ? HELLO_REST_NS : TUNNEL_HELLO_NS);
		peer->hello_long = true;
		return hello_write(peer, state, false, bytes);
	}
	if (peer->hello_long) {
		peer->hello_long = false;
		peer->misses++;
		return hello_write(peer, state, true, bytes);
	}
	if (!peer->session.known || now_ns < peer->ping_ns)
		return 0;
	peer->ping_ns =
		now_ns + (peer->clock.count < CLOCK_COUNT_MIN ? PING_FAST_NS : TUNNEL_PING_NS);
	return tunnel_peer_seal(
		peer, bytes,
		tunnel_item_write(&ping, bytes + TUNNEL_FRONT_BYTES, TUNNEL_DATAGRAM_MIN));
}

size_t tunnel_peer_bye(struct tunnel_peer *peer, uint8_t *bytes)
{
	struct tunnel_item bye = { .kind = TUNNEL_BYE };

	return tunnel_peer_seal(
		peer, bytes,
		tunnel_item_write(&bye, bytes + TUNNEL_FRONT_BYTES, TUNNEL_DATAGRAM_MIN));
}

uint64_t tunnel_peer_next_ns(const struct tunnel_peer *peer)
{
	if (peer->hello_long)
		return 0;
	return peer->session.known && peer->ping_ns < peer->hello_ns ? peer->ping_ns
								     : peer->hello_ns;
}
