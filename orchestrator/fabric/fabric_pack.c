#include "orchestrator/fabric/fabric_pack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/ring.h"
#include "nodes/link/link.h"
#include "nodes/process/memory.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/fabric/fabric_ranks.h"
#include "orchestrator/fabric/fabric_start.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "orchestrator/plan/placement.h"

#define SOCKETS_AT_ONCE 200u /* in one message */

uint32_t fabric_pack_by_cores(uint32_t core_count)
{
	return !core_count ? 1 : core_count < PLACES_WORKERS_MAX ? core_count : PLACES_WORKERS_MAX;
}

uint32_t fabric_pack_default(const struct plan *plan, uint32_t core_count)
{
	return plan->node_count <= FABRIC_PACK_SHARE ? 0 : fabric_pack_variant(plan, core_count);
}

uint32_t fabric_pack_variant(const struct plan *plan, uint32_t core_count)
{
	uint32_t most = fabric_pack_by_cores(core_count);
	uint32_t workers = plan->node_count / FABRIC_PACK_SHARE;

	if (fabric_pack_refuses(plan))
		return 0;
	return !workers ? 1 : workers < most ? workers : most;
}

const char *fabric_pack_refuses(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++) {
		if (node_config_has_control(&plan->nodes[i]))
			return "each NIC needs its own copy of the congestion control's library";
	}
	return NULL;
}

/* ---- which node runs where ---- */

static int tables_alloc(struct fabric_pack *pack, const struct plan *plan)
{
	uint32_t places_max = plan->node_count + (pack->worker_count + 1) * CLOCK_SCAN_LANES;

	pack->worker_of = calloc(plan->node_count, sizeof(*pack->worker_of));
	pack->place_of = calloc(plan->node_count, sizeof(*pack->place_of));
	pack->node_at = calloc(places_max, sizeof(*pack->node_at));
	pack->ring_at = calloc(2 * (size_t)plan->link_count, sizeof(*pack->ring_at));
	pack->sockets = calloc(pack->worker_count, sizeof(*pack->sockets));
	pack->rank_of = calloc(pack->worker_count, sizeof(*pack->rank_of));
	if (!pack->worker_of || !pack->place_of || !pack->node_at || !pack->ring_at ||
	    !pack->sockets || !pack->rank_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < places_max; i++)
		pack->node_at[i] = plan->node_count;
	for (uint32_t w = 0; w < pack->worker_count; w++)
		pack->sockets[w] = -1;
	return 0;
}

/* A placement may leave workers without nodes: the numbers of the others close up. With several
 * ranks each worker has one already, so that numbers stay those of pack->rank_of. */
static void workers_close_up(struct fabric_pack *pack, const struct plan *plan)
{
	uint32_t number[PLACES_WORKERS_MAX] = { 0 }, used = 0;

	for (uint32_t i = 0; i < plan->node_count; i++)
		if (!plan_vacant(plan, i))
			number[pack->worker_of[i]] = 1;
	for (uint32_t w = 0; w < pack->worker_count; w++)
		if (number[w])
			number[w] = used++;
	for (uint32_t i = 0; i < plan->node_count; i++)
		pack->worker_of[i] = number[pack->worker_of[i]];
	pack->worker_count = used;
}

/* the nodes of a worker have places in the order of the plan.  Return: the number of places */
static uint32_t places_assign(struct fabric *fabric)
{
	struct fabric_pack *pack = &fabric->pack;
	uint32_t next = 0, elsewhere = fabric_ranks_lead(fabric);

	for (uint32_t w = 0; w < pack->worker_count; w++) {
		uint32_t lead = pack->rank_of[w] ? elsewhere : fabric->plan->node_count;

		next = places_of(next);
		for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
			if (pack->worker_of[i] != w || plan_vacant(fabric->plan, i))
				continue;
			if (lead == fabric->plan->node_count)
				lead = i;
			fabric->nodes[i].packed = true;
			fabric->nodes[i].lead = lead;
			fabric->nodes[i].slot = w;
			pack->node_at[next] = i;
			pack->place_of[i] = next++;
		}
	}
	return places_of(next);
}

/* Rings follow each other, each from the beginning of a page of memory, so that one that
 * is not used takes none. */
static uint64_t rings_assign(struct fabric_pack *pack, const struct plan *plan)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t next = 0;

	for (uint32_t link = 0; link < plan->link_count; link++) {
		const struct plan_link *ends = &plan->links[link];

		for (uint32_t from_b = 0; from_b < 2; from_b++) {
			uint32_t node = from_b ? ends->node_b : ends->node_a;
			uint32_t port = from_b ? ends->port_b : ends->port_a;

			pack->ring_at[2 * (size_t)link + from_b] = next;
			next += (ring_bytes(plan->nodes[node].ports[port].ring_bytes) + page - 1) /
				page * page;
		}
	}
	return next;
}

static int rings_make(struct fabric_pack *pack, const struct plan *plan)
{
	pack->rings_bytes = rings_assign(pack, plan);
	pack->rings_fd = memory_make("heddle-rings", pack->rings_bytes);
	if (pack->rings_fd < 0)
		return pack->rings_fd;
	for (uint32_t ring = 0; ring < 2 * plan->link_count; ring++) {
		const struct plan_link *ends = &plan->links[ring / 2];
		const struct node_config *node =
			&plan->nodes[ring % 2 ? ends->node_b : ends->node_a];
		const struct port_config *port =
			&node->ports[ring % 2 ? ends->port_b : ends->port_a];
		struct ring_page header = { 0 };

		ring_init(&header, port->ring_bytes, link_captured_max(node));
		if (pwrite(pack->rings_fd, &header, sizeof(header), (off_t)pack->ring_at[ring]) !=
		    (ssize_t)sizeof(header))
			return -ENOMEM;
	}
	return 0;
}

static int page_make(struct fabric_pack *pack, uint32_t place_count)
{
	pack->place_count = place_count;
	pack->page_bytes = places_bytes(pack->worker_count, place_count);
	pack->page_fd = memory_make("heddle-pack", pack->page_bytes);
	if (pack->page_fd < 0)
		return pack->page_fd;
	pack->page =
		mmap(NULL, pack->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, pack->page_fd, 0);
	if (pack->page == MAP_FAILED) {
		pack->page = NULL;
		return -errno;
	}
	places_init(pack->page, pack->worker_count, place_count);
	return 0;
}

static uint32_t workers_max(const struct fabric *fabric)
{
	uint32_t ranks = fabric->options.ranks ? fabric->options.ranks : 1;

	return fabric->options.pack * ranks < fabric->plan->node_count
		       ? fabric->options.pack * ranks
		       : fabric->plan->node_count;
}

int fabric_pack_make(struct fabric *fabric)
{
	struct fabric_pack *pack = &fabric->pack;
	const struct plan *plan = fabric->plan;
	int error;

	pack->worker_count = workers_max(fabric);
	error = tables_alloc(pack, plan)
			?: (fabric->options.ranks > 1
				    ? fabric_ranks_place(fabric)
				    : placement_make(plan, pack->worker_count, pack->worker_of));
	if (error)
		return error;
	workers_close_up(pack, plan);
	error = page_make(pack, places_assign(fabric));
	/* under the real clock links have rings of their own: they come and go */
	return error || fabric->options.real ? error : rings_make(pack, plan);
}

/* ---- start ---- */

static uint32_t share_of(const struct fabric *fabric, uint32_t worker, struct worker_share *share)
{
	const struct fabric_pack *pack = &fabric->pack;
	uint32_t lead = fabric->plan->node_count;

	*share = (struct worker_share){ .index = worker, .real_clock = fabric->options.real };
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		if (!fabric->nodes[i].packed || fabric->nodes[i].slot != worker)
			continue;
		if (!share->node_count++) {
			lead = i;
			share->first_place = pack->place_of[i];
		}
	}
	return lead;
}

static int share_send(struct fabric *fabric, uint32_t lead, struct worker_share *share)
{
	const struct fabric_pack *pack = &fabric->pack;
	struct control_message message = { .kind = CONTROL_WORK,
					   .worker = share,
					   .fds = { fabric->clock_fd, pack->page_fd,
						    pack->rings_fd },
					   .fd_count = 3 };

	if (share->real_clock) {
		message.fds[0] = pack->page_fd;
		message.fd_count = 1;
	}
	return fabric_start_send(fabric, lead, pack->sockets[share->index], &message);
}

/* sends the ends of sockets in @message, which are closed here */
static int ends_send(struct fabric *fabric, uint32_t lead, int socket,
		     struct control_message *message)
{
	int error = message->fd_count ? fabric_start_send(fabric, lead, socket, message) : 0;

	while (message->fd_count)
		close(message->fds[--message->fd_count]);
	return error;
}

int fabric_pack_sockets(struct fabric *fabric, uint32_t lead, int socket)
{
	const struct fabric_pack *pack = &fabric->pack;
	struct control_message message = { .kind = CONTROL_ADOPT };
	int error = 0;

	for (uint32_t place = 0; place < pack->place_count && !error; place++) {
		uint32_t node = pack->node_at[place];

		if (node == fabric->plan->node_count || fabric->nodes[node].lead != lead)
			continue;
		error = fabric_start_socket(fabric, node, &message.fds[message.fd_count]);
		message.fd_count += !error;
		if (!error && message.fd_count == SOCKETS_AT_ONCE)
			error = ends_send(fabric, lead, socket, &message);
	}
	if (!error)
		return ends_send(fabric, lead, socket, &message);
	while (message.fd_count)
		close(message.fds[--message.fd_count]);
	return error;
}

static int worker_start(struct fabric *fabric, uint32_t worker, const char *program)
{
	struct worker_share share;
	uint32_t lead = share_of(fabric, worker, &share);
	int sockets[2], error;
	char name[32];

	snprintf(name, sizeof(name), "worker%u", worker);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	fabric->pack.sockets[worker] = sockets[0];
	error = fabric_start_process(fabric, lead, name, program, sockets[1]);
	close(sockets[1]);
	return error ?: share_send(fabric, lead, &share)
		     ?: fabric_pack_sockets(fabric, lead, sockets[0]);
}

int fabric_pack_start(struct fabric *fabric, const char *program)
{
	int error = 0;

	for (uint32_t w = 0; w < fabric->pack.worker_count && !error; w++)
		if (!fabric->pack.rank_of[w])
			error = worker_start(fabric, w, program);
	if (error == -EPIPE)
		return 0; /* it is dead: fabric_watch_children() reports why */
	if (error)
		fabric_fail(fabric, "cannot start the workers: %s", fabric_start_why(error));
	return error;
}

void fabric_pack_place(const struct fabric *fabric, uint32_t node, struct node_place *place)
{
	const struct fabric_pack *pack = &fabric->pack;
	const struct node_config *config = &fabric->plan->nodes[node];

	*place = (struct node_place){ .worker = pack->worker_of[node],
				      .place = pack->place_of[node],
				      .port_count = config->port_count };
	for (uint32_t port = 0; port < config->port_count; port++) {
		const struct port_config *end = &config->ports[port];
		const struct plan_link *link = &fabric->plan->links[end->link_index];
		bool is_b = link->node_b == node && link->port_b == port;
		const uint64_t *rings = &pack->ring_at[2 * (size_t)end->link_index];

		place->ports[port] =
			(struct place_port){ .peer_worker = pack->worker_of[end->peer_index],
					     .peer_place = pack->place_of[end->peer_index],
					     .tx_at = rings[is_b],
					     .rx_at = rings[!is_b] };
	}
}

bool fabric_pack_leave(struct fabric *fabric, uint32_t node)
{
	struct fabric_node *state = &fabric->nodes[node];
	uint32_t heir = fabric->plan->node_count;

	if (!state->packed)
		return false;
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		struct fabric_node *other = &fabric->nodes[i];

		if (i == node || !other->packed || other->lead != state->lead)
			continue;
		if (heir == fabric->plan->node_count)
			heir = i;
		if (state->lead == node)
			other->lead = heir;
	}
	if (heir == fabric->plan->node_count)
		return false;
	if (state->lead == node) {
		fabric->nodes[heir].lead = heir;
		fabric->nodes[heir].pid = state->pid;
		fabric->nodes[heir].pid_shown = state->pid_shown;
		fabric->nodes[heir].started_ns = state->started_ns;
		fabric->nodes[heir].stopped_ns = state->stopped_ns;
	}
	return true;
}

uint32_t fabric_pack_running(const struct fabric *fabric, uint32_t worker)
{
	const struct fabric_pack *pack = &fabric->pack;
	uint32_t place = atomic_load(&pack->page->workers[worker].running);

	return place < pack->place_count ? pack->node_at[place] : fabric->plan->node_count;
}

void fabric_pack_free(struct fabric_pack *pack)
{
	if (pack->page)
		munmap(pack->page, pack->page_bytes);
	if (pack->page_bytes)
		descriptor_close(&pack->page_fd);
	if (pack->rings_bytes)
		descriptor_close(&pack->rings_fd);
	for (uint32_t w = 0; pack->sockets && w < pack->worker_count; w++)
		descriptor_close(&pack->sockets[w]);
	free(pack->sockets);
	free(pack->worker_of);
	free(pack->rank_of);
	free(pack->place_of);
	free(pack->node_at);
	free(pack->ring_at);
	*pack = (struct fabric_pack){ 0 };
}
