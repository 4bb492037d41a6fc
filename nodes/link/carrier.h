/*  carrier - carries a link over a socket: the frames of a veth link (TB-3).
 *
 *  A link (link.h) writes records into one ring and reads records from another. In shared memory
 *  these are the peer's rings; on a veth link they are private memory, and the carrier moves what
 *  is in them to and from a packet socket:
 *
 *    link -> transmit ring -> carrier_outlet() -> veth pair
 *                             veth pair -> carrier_intake() -> receive ring -> link
 *
 *  So a link is the same over both: rate, latency, stops, losses and guard are decided in link.c.
 *  The outlet keeps a record until its first bit has arrived by the modelled time; the intake
 *  stamps a frame when it reads it. Format of frames: docs/wire-format.md, "Veth links". Length on
 *  the veth is real: the part of a generated frame that exists as a number only is sent as zeros,
 *  followed by the ICRC of a RoCEv2 frame.
 *
 *  Order and loss. A veth keeps order and loses nothing but what the kernel has no buffer for
 *  (counted as DROP_BUFFER_OVERFLOW where the socket tells). On an unguarded link the frames are
 *  numbered as they come. On a guarded one each carries its sequence after it, so that such losses
 *  are found and reported like those of the link itself.
 *
 *  802.1Q tags. The kernel removes the outer tag of a received frame and reports it separately. It
 *  is put back: it has the priority and belongs to the frame.
 *
 *  Real clock only. No allocation after carrier_init(). Bytes from the socket are not trusted: any
 *  process that may open a packet socket on the veth can send. Invalid ones are dropped and
 *  counted. */
#ifndef HEDDLE_NODES_LINK_CARRIER_H
#define HEDDLE_NODES_LINK_CARRIER_H

#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "nodes/base/ring.h"
#include "nodes/base/time.h"
#include "nodes/wire/class_map.h"
#include "nodes/config/config.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/word_frame.h"

#define CARRIER_BATCH 64u               /* frames per system call */
#define CARRIER_RETRY_PS (20 * NODE_US) /* a full socket is tried again after so long */
#define CARRIER_PARTS 4u                /* quote, captured bytes, zeros, tail */
/* bytes on the veth around an inner frame: at most 26 + 4, or 16 + 4; with spare */
#define CARRIER_AROUND_MAX 46u
#define CARRIER_TAG_BYTES 4u /* an 802.1Q tag */

/* a frame to be sent */
struct carrier_out {
	struct iovec parts[CARRIER_PARTS];
	uint8_t own[WORD_FRAME_BYTES_MAX]; /* a word frame, or a quote */
	uint8_t tail[8];                   /* ICRC, sequence */
};

/* a frame that was received: in the carrier's buffer, not yet in the ring */
struct carrier_in {
	struct iovec part;
	_Alignas(struct cmsghdr) uint8_t
		control[CMSG_SPACE(sizeof(struct tpacket_auxdata)) + CMSG_SPACE(sizeof(uint32_t))];
	uint8_t *bytes;
	uint32_t length; /* 0: was dropped */
};

struct carrier {
	int socket; /* borrowed, non-blocking */
	bool plain; /* frames are hosts' frames: an edge link, or any of a roce fabric */
	bool roce;  /* a roce fabric: there is PFC, and no FGFC */
	/* a port-group fabric: a local route header on every link, and nothing but data and words
	 * */
	bool by_lid;
	bool guarded;
	uint32_t class_count, lanes;
	struct class_map classes;
	uint8_t envelope[FABRIC_ENVELOPE_BYTES]; /* of frames of the link's own */
	uint64_t *drops;                         /* by enum drop_reason */
	size_t page_bytes;
	/* out */
	struct ring_page *tx_page;
	struct ring_rx tx;
	/* of the batch; all in it is popped from the ring but not released */
	uint32_t out_count, out_sent;
	bool words_open; /* the last frame of the batch takes further words */
	struct mmsghdr out_messages[CARRIER_BATCH];
	struct carrier_out out[CARRIER_BATCH];
	/* in */
	struct ring_page *rx_page;
	struct ring_tx rx;
	node_time_t last_at_ps;
	uint32_t in_count, in_next; /* received, put into the ring */
	uint32_t sequence;          /* unguarded: of the next frame */
	uint32_t socket_drops;      /* as the kernel counted so far */
	uint8_t *buffer;
	struct mmsghdr in_messages[CARRIER_BATCH];
	struct carrier_in in[CARRIER_BATCH];
};

/** carrier_init() - carries the link at @port of the node @config over @socket.
 *  @socket  packet socket (SOCK_RAW), bound to the node's end of the veth, non-blocking; borrowed.
 *           Tests give one of a pair of local datagram sockets.
 *  @drops   counters by enum drop_reason; borrowed.
 *  Allocates the two rings of the port's ring_bytes. Return: 0, -ENOMEM, or -errno of a socket
 *  option.
 *  carrier_fini() is due in any case. */
int carrier_init(struct carrier *carrier, int socket, const struct node_config *config,
		 uint32_t port, uint64_t *drops);
void carrier_fini(struct carrier *carrier);

/** carrier_tx_page(), carrier_rx_page() - the rings for link_init(), each ring_bytes(ring_bytes of
 *  the port) long. */
static inline struct ring_page *carrier_tx_page(const struct carrier *carrier)
{
	return carrier->tx_page;
}

static inline struct ring_page *carrier_rx_page(const struct carrier *carrier)
{
	return carrier->rx_page;
}

/** carrier_device_mtu() - the MTU that both ends of the veth need so that every frame of @port
 *  passes. */
static inline uint32_t carrier_device_mtu(const struct port_config *port)
{
	uint32_t mtu_bytes = port->mtu_bytes + CARRIER_AROUND_MAX;

	return mtu_bytes > WORD_FRAME_BYTES_MAX ? mtu_bytes : WORD_FRAME_BYTES_MAX;
}

/** carrier_outlet() - sends what the link has published and whose first bit has arrived by @now.
 *  Frames that do not fit into the socket wait; one that it refuses for good is dropped and counted
 *  (DROP_OVERSIZE, DROP_LINK_DOWN).
 *  Return: when to call again: the time of the next record, @now + CARRIER_RETRY_PS after a full
 *  socket, NODE_TIME_NEVER if nothing is left. One system call per 64 frames. */
node_time_t carrier_outlet(struct carrier *carrier, node_time_t now);

/** carrier_intake() - takes up to 64 frames from the socket into the receive ring, as arriving at
 *  @now.
 *  A full ring pushes back: what it does not take waits here, and the rest in the socket.
 *  Return: true if more may wait: call again when the link has taken records, and do not sleep on
 *  the socket before. */
bool carrier_intake(struct carrier *carrier, node_time_t now);

#endif
