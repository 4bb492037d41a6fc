/*  fabric_pack - the nodes of a fabric packed into workers (SC-3): which node runs where, the
 *  memory that they share, and their start.
 *
 *  A worker is a process that runs many nodes (nodes/process/worker_main.h). All rings are in one
 *  memory, which every worker maps: a ring memfd for each link would need more mappings than a
 *  process may have. Each node still has its own control socket and statistics page, so code that
 *  sends requests to nodes is the same with workers. In fabric->nodes the first node of each
 *  worker, its lead, has the worker's pid.
 *
 *  Under the real clock (SC-7) a node has what a process of its own would have: rings of its own
 *  for each link, and a doorbell. So links, hosts and switches join and leave as without workers. A
 *  node that joins later, or returns after its worker has died, is a process beside the workers. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_PACK_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_PACK_H

#include "nodes/clock/places.h"
#include "nodes/node/place.h"
#include "orchestrator/plan/plan.h"

struct fabric;

struct fabric_pack {
	uint32_t worker_count; /* 0: each node is a process of its own */
	struct places_page *page;
	size_t page_bytes, rings_bytes;
	uint32_t place_count;  /* not read from the page, which workers can write (TB-23) */
	int page_fd, rings_fd; /* -1 */
	int *sockets;          /* [worker_count]: control sockets of the workers; -1 */
	uint32_t *worker_of;   /* [node_count] */
	uint32_t *rank_of;     /* [workers]: fabric_ranks.h; 0: this machine */
	uint32_t *place_of;    /* [node_count]: places.h */
	uint32_t *node_at;     /* [places]: node_count where there is none */
	uint64_t *ring_at;     /* [2 * link_count]: from end a, from end b */
};

/** fabric_pack_by_cores() - one worker for each of @core_count cores, within 1 and
 *  PLACES_WORKERS_MAX. */
uint32_t fabric_pack_by_cores(uint32_t core_count);

/** fabric_pack_default() - how many workers run @plan unless the user says so: 0 (each node is a
 *  process) up to FABRIC_PACK_SHARE nodes, then as for a variant. */
uint32_t fabric_pack_default(const struct plan *plan, uint32_t core_count);

/** fabric_pack_variant() - the same for a variant, of which only the results are seen: 0 only if
 *  its nodes cannot be packed; else a worker for FABRIC_PACK_SHARE nodes (ours), at least one and
 *  at most fabric_pack_by_cores(). Few nodes have no work for a second core. */
uint32_t fabric_pack_variant(const struct plan *plan, uint32_t core_count);
#define FABRIC_PACK_SHARE 64u

/** fabric_pack_refuses() - a clause that says why the nodes of @plan cannot be packed; NULL: they
 *  can. */
const char *fabric_pack_refuses(const struct plan *plan);

/** fabric_pack_make() - assigns nodes to options.pack workers (of each rank), at most
 *  PLACES_WORKERS_MAX in all, or to fewer if some would have none, and makes their memory.
 *  Return: 0 or -errno. fabric_pack_free() in any case. */
int fabric_pack_make(struct fabric *fabric);

/** fabric_pack_start() - starts the workers of this machine and hands each the control sockets
 *  of its nodes, whose other ends are then in fabric->nodes. @program path of workerd.
 *  Return: 0 or -errno, perhaps with the reason in fabric->failure. */
int fabric_pack_start(struct fabric *fabric, const char *program);

/** fabric_pack_sockets() - makes a control socket for each node of the process of @lead, and hands
 *  their ends to it over @socket, in the order of places.  Return: 0 or -errno. */
int fabric_pack_sockets(struct fabric *fabric, uint32_t lead, int socket);

/** fabric_pack_place() - fills @place for the configuration of the packed @node. */
void fabric_pack_place(const struct fabric *fabric, uint32_t node, struct node_place *place);

/** fabric_pack_leave() - real clock: @node is about to be removed from its worker, which it leaves
 *  when its control socket is closed; another node becomes the lead if it was.
 *  Return: false if @node is a process, or the only node of its worker: to be killed. */
bool fabric_pack_leave(struct fabric *fabric, uint32_t node);

/** fabric_pack_running() - the node that @worker runs, or ran when it died, as the worker tells;
 *  node_count: none. */
uint32_t fabric_pack_running(const struct fabric *fabric, uint32_t worker);

/** fabric_pack_free() - unmaps and closes everything; a zeroed one too. */
void fabric_pack_free(struct fabric_pack *pack);

#endif
