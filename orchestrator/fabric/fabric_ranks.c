#include "orchestrator/fabric/fabric_ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/link/link.h"
#include "nodes/process/memory.h"
#include "nodes/wire/rank_plan.h"
#include "orchestrator/fabric/fabric_start.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "orchestrator/plan/partition.h"
#include "orchestrator/plan/placement.h"

const char *fabric_ranks_refuses(const struct plan *plan, uint32_t rank_count)
{
	if (rank_count > plan->node_count)
		return "there are more ranks than nodes";
	if (rank_count > RANKS_MAX)
		return "there are more than 256 ranks";
	return fabric_pack_refuses(plan);
}

/* ---- which rank and worker ---- */

/* the workers of @rank, without those that would have no node, have numbers from
 * pack->worker_count on */
static int rank_place(struct fabric *fabric, const uint32_t *rank_of, uint32_t rank)
{
	struct fabric_pack *pack = &fabric->pack;
	const struct plan *plan = fabric->plan;
	struct placement_part part = { .of = rank_of, .number = rank };
	uint32_t *number = calloc(fabric->options.pack, sizeof(*number));
	uint32_t *worker_of = calloc(plan->node_count, sizeof(*worker_of));
	int error = number && worker_of
			    ? placement_make_part(plan, &part, fabric->options.pack, worker_of)
			    : -ENOMEM;

	for (uint32_t i = 0; i < plan->node_count && !error; i++) {
		if (rank_of[i] != rank)
			continue;
		if (!number[worker_of[i]]) {
			pack->rank_of[pack->worker_count] = rank;
			number[worker_of[i]] = ++pack->worker_count;
		}
		pack->worker_of[i] = number[worker_of[i]] - 1;
	}
	free(number);
	free(worker_of);
	return error;
}

int fabric_ranks_place(struct fabric *fabric)
{
	uint32_t *rank_of = calloc(fabric->plan->node_count, sizeof(*rank_of));
	enum partition_kind kind;
	int error = rank_of ? partition_make(fabric->plan, fabric->options.ranks, rank_of, &kind)
			    : -ENOMEM;

	fabric->pack.worker_count = 0;
	for (uint32_t rank = 0; rank < fabric->options.ranks && !error; rank++)
		error = rank_place(fabric, rank_of, rank);
	if (!error)
		fabric_stage(fabric, "%s: %u of %u links join two of %u machines",
			     kind == PARTITION_BLOCKS ? "divided by group or pod"
			     : kind == PARTITION_CUT  ? "divided by a cut of the graph"
						      : "divided in the order of nodes",
			     partition_cut_links(fabric->plan, rank_of), fabric->plan->link_count,
			     fabric->options.ranks);
	free(rank_of);
	return error;
}

bool fabric_ranks_elsewhere(const struct fabric *fabric, uint32_t node)
{
	const struct fabric_pack *pack = &fabric->pack;

	return fabric->options.ranks > 1 && pack->rank_of[pack->worker_of[node]];
}

uint32_t fabric_ranks_lead(const struct fabric *fabric)
{
	uint32_t node = 0;

	while (node < fabric->plan->node_count && !fabric_ranks_elsewhere(fabric, node))
		node++;
	return node;
}

/* the socket of rankd, among those of workers */
static int *own_socket(const struct fabric *fabric)
{
	uint32_t w = 0;

	while (!fabric->pack.rank_of[w])
		w++;
	return &fabric->pack.sockets[w];
}

/* ---- the plan of ranks ---- */

static void workers_write(const struct fabric *fabric, struct rank_plan *plan)
{
	const struct fabric_pack *pack = &fabric->pack;
	struct rank_worker *workers = rank_plan_workers(plan);

	for (uint32_t w = 0; w < pack->worker_count; w++)
		workers[w] = (struct rank_worker){ .rank = pack->rank_of[w] };
	for (uint32_t place = plan->place_count; place--;) {
		uint32_t node = pack->node_at[place];

		if (node == fabric->plan->node_count)
			continue;
		workers[pack->worker_of[node]].first_place = place;
		workers[pack->worker_of[node]].node_count++;
	}
}

static void rings_write(const struct fabric *fabric, struct rank_plan *plan)
{
	const struct fabric_pack *pack = &fabric->pack;

	for (uint32_t i = 0; i < plan->ring_count; i++) {
		const struct plan_link *link = &fabric->plan->links[i / 2];
		uint32_t from = i % 2 ? link->node_b : link->node_a;
		uint32_t to = i % 2 ? link->node_a : link->node_b;
		const struct node_config *config = &fabric->plan->nodes[from];

		rank_plan_rings(plan)[i] = (struct rank_ring){
			.at = pack->ring_at[i],
			.data_bytes = config->ports[i % 2 ? link->port_b : link->port_a].ring_bytes,
			.captured_max = link_captured_max(config),
			.from_worker = pack->worker_of[from],
			.to_worker = pack->worker_of[to],
			.to_place = pack->place_of[to]
		};
	}
}

/*  Return: a memory with it, or -errno */
static int plan_make_fd(const struct fabric *fabric)
{
	const struct fabric_pack *pack = &fabric->pack;
	uint32_t ring_count = 2 * fabric->plan->link_count;
	size_t bytes = rank_plan_bytes(pack->worker_count, ring_count);
	struct rank_plan *plan = calloc(1, bytes);
	int fd;

	if (!plan)
		return -ENOMEM;
	*plan = (struct rank_plan){ .magic = RANK_PLAN_MAGIC,
				    .bytes = (uint32_t)bytes,
				    .rank_count = fabric->options.ranks,
				    .worker_count = pack->worker_count,
				    .place_count = pack->place_count,
				    .ring_count = ring_count,
				    .rings_bytes = pack->rings_bytes,
				    .lookahead_ps = fabric->plan->lookahead_ps,
				    .watchdog_ns = fabric->options.watchdog_ns,
				    .keep_user = fabric->options.keep_user };
	snprintf(plan->loop, sizeof(plan->loop), "%s", fabric->options.loop);
	workers_write(fabric, plan);
	rings_write(fabric, plan);
	fd = memory_make_with("heddle-ranks", bytes, plan, bytes);
	free(plan);
	return fd;
}

/* ---- start ---- */

static int work_send(struct fabric *fabric, uint32_t lead, int socket)
{
	const struct fabric_pack *pack = &fabric->pack;
	struct worker_share share = { .index = fabric->nodes[lead].slot };
	struct control_message message = { .kind = CONTROL_WORK,
					   .worker = &share,
					   .fds = { fabric->clock_fd, pack->page_fd,
						    pack->rings_fd },
					   .fd_count = 4 };
	int error;

	message.fds[3] = plan_make_fd(fabric);
	if (message.fds[3] < 0)
		return message.fds[3];
	error = fabric_start_send(fabric, lead, socket, &message);
	close(message.fds[3]);
	return error;
}

int fabric_ranks_start(struct fabric *fabric, const char *program)
{
	struct epoll_event interest = { .events = EPOLLIN, .data.u32 = fabric->plan->node_count };
	uint32_t lead = fabric_ranks_lead(fabric);
	int sockets[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	*own_socket(fabric) = sockets[0];
	error = epoll_ctl(fabric->epoll_fd, EPOLL_CTL_ADD, sockets[0], &interest) ? -errno : 0;
	if (!error)
		error = fabric_start_process(fabric, lead, "rankd", program, sockets[1]);
	close(sockets[1]);
	if (!error)
		error = work_send(fabric, lead, sockets[0]);
	return error ? error : fabric_pack_sockets(fabric, lead, sockets[0]);
}

/* ---- while it runs ---- */

void fabric_ranks_message(struct fabric *fabric)
{
	const struct fabric_pack *pack = &fabric->pack;
	struct control_message message = { 0 };
	struct why why = { "" };
	uint32_t node = fabric->plan->node_count;

	if (control_receive(*own_socket(fabric), &message, 0, &why)) {
		/* it is dead, which fabric_watch_deaths() reports */
		epoll_ctl(fabric->epoll_fd, EPOLL_CTL_DEL, *own_socket(fabric), NULL);
		return;
	}
	if (message.question < pack->place_count)
		node = pack->node_at[message.question];
	if (node < fabric->plan->node_count)
		fabric_fail(fabric, "%s, which was running %s %s, %s", message.text,
			    fabric_kind_name(fabric, node), fabric->plan->nodes[node].name,
			    message.text2);
	else
		fabric_fail(fabric, "%s: %s", message.text, message.text2);
	control_message_free(&message);
}
