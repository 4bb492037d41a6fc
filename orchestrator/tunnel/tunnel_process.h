/*  tunnel_process - the process that carries the cut links of this machine (SC-5).
 *
 *  One for each fabric and machine, started by the daemon as the hidden command `heddle tunnel`.
 *  It is handed its sockets, connected to the other machines, and the rings of cut links. So it
 *  gives up everything else, as a node does (privilege.h, syscall_filter.h): if what comes from
 *  the network took it over, it would hold rings and sockets, and no more.
 *
 *      nodes ═ rings ═ tunnel process ~ UDP, sealed ~ tunnel process ═ rings ═ nodes
 *                          │ control socket: orders, news; a page of counters
 *                        daemon
 *
 *  It sleeps as nodes do: it stores in each ring that it sleeps, looks once more, and waits for its
 *  doorbell and its sockets. It ends with its daemon. */
#ifndef HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_PROCESS_H
#define HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_PROCESS_H

#include "orchestrator/tunnel/tunnel_datagram.h"
#include "orchestrator/tunnel/tunnel_page.h"

#define TUNNEL_COMMAND "tunnel"

/* from the daemon, with descriptors; both sides are the same program, so these are its structs */
enum tunnel_order_kind {
	TUNNEL_SETUP, /* first; clock page, page of counters, doorbell */
	TUNNEL_PEER,  /* a socket that is connected to `machine` */
	TUNNEL_START, /* nothing more of these two kinds comes */
	TUNNEL_PLUG,  /* `link` to `machine`; ring from the node, ring to it, its doorbell */
	TUNNEL_DOWN,  /* the links that are down here */
	TUNNEL_AWAIT, /* all nodes are ready: fabric time may begin */
	TUNNEL_END,   /* tell the other machines, and end */
	TUNNEL_ORDERS
};

struct tunnel_order {
	enum tunnel_order_kind kind;
	uint32_t machine, link;
	/* SETUP */
	uint32_t machine_count, link_count;
	uint8_t key[TUNNEL_KEY_BYTES];
	uint8_t digest[TUNNEL_DIGEST_BYTES];
	/* DOWN */
	struct tunnel_state down;
};

/* to the daemon, when something of it has changed */
struct tunnel_news {
	uint32_t machine;
	enum tunnel_peer_state state;
	uint32_t connects; /* how often it was connected */
	bool begun, ready;
	struct tunnel_state down; /* at the other machine */
};

/** tunnel_process_run() - the hidden command. @argv[1] the pid of the daemon, @argv[2]
 *  "--keep-user" as for nodes.   Return: exit status. */
int tunnel_process_run(int argc, char **argv);

#endif
