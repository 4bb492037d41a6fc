/*  tunnel_peer - the session with one other machine: what is accepted from it, its clock and the
 *  length of datagrams (SC-5). No I/O: `now_ns` is given, datagrams are bytes.
 *
 *  Sessions. Every process has a random session of its own, so its datagrams have a key of their
 *  own (tunnel_seal.h). A datagram of an unknown session that opens makes a candidate: it was
 *  sealed with the key of the fabric, but perhaps long ago. So it gets a challenge, and is
 *  accepted when a HELLO of it returns that number. Until then nothing of it is used. So datagrams
 *  of a former process, recorded and sent again, change nothing. In a session, a window of numbers
 *  refuses what came before.
 *
 *         connecting --HELLO with our challenge, and theirs of ours--> connected
 *  connected --nothing for TUNNEL_SILENT_NS--> silent --as from connecting--> connected
 *  connected --the other machine does not accept our session any more--> connecting
 *  connected --BYE--> ended --a new session--> connected
 *  any --HELLO with another digest--> other
 *
 *  Length. A HELLO is sent twice, short, and padded to the length that is tried. The other machine
 *  reports the longest datagram that it has received lately. A length that does not arrive is
 *  replaced by a shorter one, so a path that swallows long datagrams costs seconds, not the
 *  fabric. */
#ifndef HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_PEER_H
#define HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_PEER_H

#include "orchestrator/tunnel/tunnel_clock.h"
#include "orchestrator/tunnel/tunnel_datagram.h"
#include "orchestrator/tunnel/tunnel_page.h"

/* ours: longer than a busy machine keeps a process waiting */
#define TUNNEL_SILENT_NS 10000000000ull
#define TUNNEL_HELLO_NS 200000000ull /* between two while it connects; a second afterwards */
#define TUNNEL_PING_NS 100000000ull
#define TUNNEL_WINDOW 2048u /* numbers of datagrams that may overtake each other */

/* a session of the other machine */
struct tunnel_session {
	bool known;
	uint8_t id[TUNNEL_SESSION_BYTES];
	struct tunnel_seal seal;
	uint64_t ours, theirs; /* our challenge; the last one of theirs */
	uint64_t since_ns;
	uint64_t highest; /* number of a datagram, plus 1 */
	uint64_t seen[TUNNEL_WINDOW / 64];
};

/* what all sessions of this process have in common */
struct tunnel_self {
	uint8_t machine, machine_count;
	uint8_t key[TUNNEL_KEY_BYTES];
	uint8_t session[TUNNEL_SESSION_BYTES]; /* random */
	uint8_t digest[TUNNEL_DIGEST_BYTES];
	uint64_t (*random)(void);
	bool begun, ready;
};

struct tunnel_peer {
	const struct tunnel_self *self;
	uint8_t machine;
	struct tunnel_counts *counts;
	enum tunnel_peer_state state;
	struct tunnel_session session, candidate;
	struct tunnel_seal seal; /* of what we send */
	uint64_t number;         /* of the next datagram that we send */
	bool accepted;           /* the other machine accepts our session */
	bool begun, ready;       /* the other machine's */
	uint32_t connects;       /* how often it became connected */
	struct tunnel_clock clock;
	struct tunnel_state down;   /* at the other machine */
	uint64_t hello_ns, ping_ns; /* when the next is due */
	bool hello_long;            /* its long form is due, too */
	uint64_t heard_ns;
	/* length of datagrams */
	uint32_t tried_bytes;    /* 0: none left to try */
	uint32_t fits_bytes;     /* confirmed by the other machine; 0: none */
	uint32_t misses;         /* HELLOs since the last answer that confirmed tried_bytes */
	uint32_t heard_bytes[2]; /* the longest that came in this span, and in the one before */
	uint64_t span_ns;        /* the end of this span */
};

/* what the caller must do with an item of a datagram that was accepted */
typedef void tunnel_take_fn(void *owner, struct tunnel_peer *peer, const struct tunnel_item *item,
			    uint64_t now_ns);

/** tunnel_peer_init() - nothing has come yet. @self, @counts borrowed. @path_bytes the longest
 *  datagram that the interface to it takes. */
void tunnel_peer_init(struct tunnel_peer *peer, const struct tunnel_self *self, uint8_t machine,
		      uint32_t path_bytes, struct tunnel_counts *counts);

/** tunnel_peer_path() - the interface now takes @path_bytes: lengths are tried again. */
void tunnel_peer_path(struct tunnel_peer *peer, uint32_t path_bytes);

/** tunnel_peer_receive() - one datagram came from the address of @peer; its bytes are decrypted in
 *  place. PING, COUNT and RECORD items go to @take, once the session is accepted. What is not used
 *  is counted in peer->counts. */
void tunnel_peer_receive(struct tunnel_peer *peer, uint8_t *bytes, size_t length, uint64_t now_ns,
			 tunnel_take_fn *take, void *owner);

/** tunnel_peer_seal() - makes a datagram of the items at @bytes + TUNNEL_FRONT_BYTES,
 *  @items_bytes long; TUNNEL_TAG_BYTES must be free after them.   Return: its length. */
size_t tunnel_peer_seal(struct tunnel_peer *peer, uint8_t *bytes, size_t items_bytes);

/** tunnel_peer_due() - writes a datagram that is due now (HELLO, PING), sealed, into @bytes, of
 *  TUNNEL_DATAGRAM_MAX. Call until it returns 0. @state links that are down here.
 *  Return: its length; 0: nothing is due. */
size_t tunnel_peer_due(struct tunnel_peer *peer, const struct tunnel_state *state, uint64_t now_ns,
		       uint8_t *bytes);

/** tunnel_peer_bye() - the last datagram.   Return: its length. */
size_t tunnel_peer_bye(struct tunnel_peer *peer, uint8_t *bytes);

/** tunnel_peer_next_ns() - when tunnel_peer_due() has something next. */
uint64_t tunnel_peer_next_ns(const struct tunnel_peer *peer);

/** tunnel_peer_carries() - may records be sent to it? */
static inline bool tunnel_peer_carries(const struct tunnel_peer *peer)
{
	return peer->state == TUNNEL_CONNECTED;
}

#endif
