/*  control - the control socket of a node: protobuf-c messages over SOCK_SEQPACKET (TB-6).
 *
 *  One end belongs to the orchestrator, the other is the node's descriptor 3. control.proto is the
 *  whole contract. A message is one packet of at most CONTROL_BYTES_MAX bytes; file descriptors
 *  travel beside it. Order of a start: CONFIGURE (with the descriptors below) -> READY; then
 *  nothing is needed until a SHOW, SET or the end of the clock. To a node with a fallback event
 *  loop the sender also rings the node's futex word (event_loop.h).
 *
 *  Descriptors with CONFIGURE, in this order:
 *    virtual clock   clock page, statistics page; transmit ring and receive ring of each port
 *    packed there    statistics page: `place` says where the rings are in the memory of the worker
 *                    (SC-3)
 *    real clock      head of the clock page (clock_pages.h), statistics page, own doorbell; of each
 *                    port that is not vacant what its medium takes: a packet socket of veth, else
 *                    transmit ring, receive ring, doorbell of the peer or of the tunnel
 *    then, of all    the files of captures, of events and of series, and the library of the user's
 *                    congestion control, as far as the configuration has them; at last, under the
 *                    real clock, the host_queues packet sockets of a NIC
 *  LINK_UP brings those of one port. Doorbells are eventfds (pace.h). A kernel passes at most 253
 *  descriptors at once; NODE_PORTS_MAX ports need 195, their captures 32 more. */
#ifndef HEDDLE_NODES_CONTROL_CONTROL_H
#define HEDDLE_NODES_CONTROL_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include "nodes/config/config.h"
#include "nodes/node/managed.h"
#include "nodes/node/place.h"

#define CONTROL_FD 3
#define CONTROL_BYTES_MAX (1u << 20)
#define CONTROL_FDS_MAX (6 + 3 * NODE_PORTS_MAX + NODE_CAPTURES_MAX + NIC_HOST_QUEUES_MAX)
#define CONTROL_TEXT_MAX 1024u
/* text of a LINK_DOWN that means node_ops.link_settle; body: channel_set_write() */
#define CONTROL_SETTLED "settled"

enum control_kind {
	CONTROL_CONFIGURE, /* orchestrator -> node: config, without tables, and descriptors */
	/* node -> orchestrator: text = which event loop it uses and why; number = 1 if it runs
	 * without the system call filter, which was refused */
	CONTROL_READY,
	CONTROL_SHOW, /* orchestrator -> node: table (text) and port (number) */
	CONTROL_SET,  /* orchestrator -> node: name (text) and value (text2) */
	/* node -> orchestrator: number = 0 or -errno, body = text for people; to SHOW and SET */
	CONTROL_ANSWER,
	/* node -> orchestrator: something worth a line (text); number = 0 note, 1 error that ends
	 * the run */
	CONTROL_EVENT,
	/* orchestrator -> node, each answered by an ANSWER; under the virtual clock while that
	 * stands, where a link fails and returns over the rings that it has, and there is no
	 * LINK_SET: */
	/* port (number): what is on its link is lost, nothing more is sent or received on it; with
	 * a vacant `port` the link is gone for good; with CONTROL_SETTLED something else: see
	 * there */
	CONTROL_LINK_DOWN,
	/* port (number): a new link, as `port` says, over the descriptors beside it */
	CONTROL_LINK_UP,
	/* port (number): rate, delay, loss and bit errors of `port` hold from now on */
	CONTROL_LINK_SET,
	/* fabric manager -> node, each answered by an ANSWER; under the virtual clock while that
	 * stands: managed.h */
	CONTROL_DISCOVER,     /* the answer has `identity` */
	CONTROL_TABLE_READ,   /* table and number of `block`; the answer has `block` */
	CONTROL_TABLE_WRITE,  /* `block` */
	CONTROL_TABLE_COMMIT, /* blocks collected so far take effect */
	/* blocks are collected from now on; what was collected is forgotten */
	CONTROL_TABLE_BEGIN,
	CONTROL_TABLE_READ_BACK, /* as TABLE_READ, of what is collected */
	/* orchestrator -> node, real clock: the frames at port (number) go to the ring beside it,
	 * of packets the first bytes, as many as text says; without a ring that ends, and the body
	 * of the ANSWER is the number of frames that did not fit: nodes/process/node_capture.h */
	CONTROL_CAPTURE,
	/* orchestrator -> worker: `worker`; clock page, places page, memory of all rings; under the
	 * real clock the places page only */
	CONTROL_WORK,
	CONTROL_ADOPT, /* orchestrator -> worker: the control sockets of its next nodes, by place */
	CONTROL_KINDS
};

struct control_message {
	enum control_kind kind;
	/* whatever is answered by an ANSWER has a number of its own, which the answer repeats */
	uint32_t question;
	int64_t number;
	char text[CONTROL_TEXT_MAX];
	char text2[CONTROL_TEXT_MAX];
	char *body; /* malloc'd or NULL; owned by the message */
	/* CONTROL_CONFIGURE; owned by the message when received, borrowed when sent */
	struct node_config *config;
	struct port_config *port;       /* CONTROL_LINK_UP, _SET, perhaps _DOWN; the same */
	struct node_identity *identity; /* answer to CONTROL_DISCOVER; the same */
	/* CONTROL_TABLE_READ, _READ_BACK and their answers, _WRITE; the same */
	struct table_block *block;
	struct node_place *place;    /* CONTROL_CONFIGURE of a packed node; the same */
	struct worker_share *worker; /* CONTROL_WORK; the same */
	uint32_t fd_count;
	/* owned by the message when received (-1: taken), borrowed when sent */
	int fds[CONTROL_FDS_MAX];
};

/** control_pack() - @message as bytes. Tables of a switch (routes, vias, hosts, LID tables,
 *  flood_ports) stay out of its configuration: the fabric manager writes them, block by block
 *  (managed.h). Return: their number, malloc'd into *@bytes; or -ENOMEM, -EMSGSIZE. */
int control_pack(const struct control_message *message, uint8_t **bytes);

/** control_unpack() - the opposite; nothing of @bytes is trusted: unknown kinds, missing fields,
 *  configurations that node_config_check() refuses give -EINVAL with a sentence in @why. On success
 *  control_message_free() later. */
int control_unpack(const uint8_t *bytes, size_t length, struct control_message *message,
		   struct why *why);

/** control_send() - sends @message over @socket, descriptors too. Blocks while the peer's queue is
 *  full.
 *  Return: 0 or -errno (-EPIPE: the peer is gone). */
int control_send(int socket, const struct control_message *message);

/** control_send_now() - the same, but -EAGAIN if the peer's queue is full: a peer that is stopped
 *  does not block the sender. */
int control_send_now(int socket, const struct control_message *message);

/** control_receive() - the next message. @wait block until there is one.
 *  Return: 0; -EAGAIN (nothing there, !wait); -EPIPE (peer closed); -EINVAL (nonsense, @why
 *  filled). */
int control_receive(int socket, struct control_message *message, int wait, struct why *why);

/* a message as it travels, unread: what passes it on needs no more */
struct control_packet {
	uint8_t *bytes; /* malloc'd when received */
	size_t length;
	uint32_t fd_count;
	int fds[CONTROL_FDS_MAX]; /* owned when received (-1: taken), borrowed when sent */
};

/** control_packet_send(), control_packet_receive() - as control_send() and control_receive();
 *  -EMSGSIZE: too long, or too many descriptors. control_packet_free() after what was received. */
int control_packet_send(int socket, const struct control_packet *packet);
int control_packet_receive(int socket, struct control_packet *packet, int wait);
void control_packet_free(struct control_packet *packet);

/** control_message_free() - releases body, config and received descriptors. */
void control_message_free(struct control_message *message);

#endif
