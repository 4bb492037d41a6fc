/*  tunnel_names - the process that follows other machines to new addresses (SC-5).
 *
 *  A pod that is replaced keeps its name and has another address. The tunnel process may not ask
 *  for names, and the daemon is in the network of the fabric, where none is known. So this process
 *  stays in the network of the machine, with copies of the sockets of the tunnel process: to
 *  connect a copy is to connect the socket. It looks up a machine when the daemon says that it is
 *  not connected, and has nothing else: no privileges, no other descriptors. It ends with its
 *  daemon.
 *
 *  There is none if all machines are given by address. */
#ifndef HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_NAMES_H
#define HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_NAMES_H

#include "orchestrator/tunnel/tunnel.h"

/** tunnel_names_start() - starts the process, in the network namespace of the caller, which has one
 *  thread; after tunnel_connect() and before tunnel_start().   Return: 0 or -errno. */
int tunnel_names_start(struct tunnel *tunnel);

/** tunnel_names_look() - looks up each machine that is not connected, once in two seconds. */
void tunnel_names_look(struct tunnel *tunnel);

/** tunnel_names_wait_ns() - how long the daemon may sleep until it looks again.   Return:
 *  nanoseconds; UINT64_MAX: no machine has to be looked up. */
uint64_t tunnel_names_wait_ns(const struct tunnel *tunnel);

/** tunnel_names_ended() - it has ended, and was waited for. Machines keep the addresses that they
 *  had. */
void tunnel_names_ended(struct tunnel *tunnel);

/** tunnel_names_end() - ends the process. Safe if there is none. */
void tunnel_names_end(struct tunnel *tunnel);

#endif
