/*  orchestrator/fabric/fabric_pack: which place and ring each packed node has, what workers are
 *  given, and what becomes of a worker when a node leaves it (SC-3, SC-7). This program acts as the
 *  workers. */
#include "orchestrator/fabric/fabric_pack.h"

#include <errno.h>
#include <sys/wait.h>

#include "nodes/base/ring.h"
#include "nodes/control/control.h"
#include "nodes/link/link.h"
#include "orchestrator/fabric/fabric_start.h"
#include "tests/unit/orchestrator/fabric/packed_fabric.h"

/* ---- places ---- */

/* those of a worker follow each other in the order of the plan, from the begin of a cache line */
static void places_are_right(void)
{
	const struct fabric_pack *pack_of = &fabric.pack;
	uint32_t next = 0, used = 0;

	for (uint32_t w = 0; w < pack_of->worker_count; w++) {
		uint32_t lead = plan.node_count;

		next = places_of(next);
		for (uint32_t i = 0; i < plan.node_count; i++) {
			if (pack_of->worker_of[i] != w)
				continue;
			lead = lead == plan.node_count ? i : lead;
			ck_assert_uint_eq(pack_of->place_of[i], next);
			ck_assert_uint_eq(pack_of->node_at[next], i);
			ck_assert(fabric.nodes[i].packed);
			ck_assert_uint_eq(fabric.nodes[i].lead, lead);
			ck_assert_uint_eq(fabric.nodes[i].slot, w);
			next++;
			used++;
		}
		ck_assert_uint_lt(lead, plan.node_count);
		ck_assert_int_eq(pack_of->sockets[w], -1);
		for (uint32_t p = next; p < places_of(next); p++)
			ck_assert_uint_eq(pack_of->node_at[p], plan.node_count);
	}
	ck_assert_uint_eq(used, plan.node_count);
	ck_assert_uint_eq(pack_of->place_count, places_of(next));
	ck_assert_uint_eq(pack_of->page->place_count, places_of(next));
	ck_assert_uint_eq(pack_of->page->worker_count, pack_of->worker_count);
	ck_assert_uint_eq(pack_of->page_bytes,
			  places_bytes(pack_of->worker_count, pack_of->place_count));
}

/* each from the begin of a page of memory, laid out by the node that sends on it */
static void rings_are_right(void)
{
	uint64_t next = 0, page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	for (uint32_t i = 0; i < 2 * plan.link_count; i++) {
		const struct plan_link *link = &plan.links[i / 2];
		const struct node_config *from = &plan.nodes[i % 2 ? link->node_b : link->node_a];
		uint32_t bytes = from->ports[i % 2 ? link->port_b : link->port_a].ring_bytes;
		struct ring_page header;

		ck_assert_uint_eq(fabric.pack.ring_at[i], next);
		ck_assert_int_eq(pread(fabric.pack.rings_fd, &header, sizeof(header), (off_t)next),
				 sizeof(header));
		ck_assert_uint_eq(header.data_bytes, bytes);
		ck_assert_uint_eq(header.captured_max, link_captured_max(from));
		next += (ring_bytes(bytes) + page_bytes - 1) / page_bytes * page_bytes;
	}
	ck_assert_uint_eq(fabric.pack.rings_bytes, next);
	ck_assert_int_eq(lseek(fabric.pack.rings_fd, 0, SEEK_END), (off_t)next);
}

static const struct {
	const char *topology;
	uint32_t workers, used;
} packings[] = {
	{ "star, hosts: 3", 1, 1 },
	{ "star, hosts: 9", 2, 2 },
	{ "star, hosts: 2", 3, 3 },
	{ "star, hosts: 2", 9, 3 }, /* not more than nodes */
	{ "leaf-spine, leaves: 3, hosts-per-leaf: 5, spines: 2", 4, 4 },
};

TEST_RANGE(fabric_pack_make__places_and_rings, 0, (int)(sizeof(packings) / sizeof(packings[0])))
{
	pack(packings[_i].topology, 1, packings[_i].workers);
	ck_assert_uint_eq(fabric.pack.worker_count, packings[_i].used);
	places_are_right();
	rings_are_right();
	done();
}

/* of any length each, with records as long as the node that sends captures */
TEST(fabric_pack_make__rings_of_different_length)
{
	pack("leaf-spine, leaves: 3, hosts-per-leaf: 5, spines: 2", 1, 2);
	fabric_pack_free(&fabric.pack);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		plan.nodes[i].clock = i % 2 ? CLOCK_REAL : CLOCK_VIRTUAL;
		for (uint32_t p = 0; p < plan.nodes[i].port_count; p++)
			plan.nodes[i].ports[p].ring_bytes = RING_BYTES_MIN << (i + p) % 4;
	}
	ck_assert_int_eq(fabric_pack_make(&fabric), 0);
	rings_are_right();
	done();
}

/* links come and go: each has rings of its own */
TEST(fabric_pack_make__real_clock_without_rings)
{
	pack_for(true, "star, hosts: 9", 0, 2);
	places_are_right();
	ck_assert_int_eq(fabric.pack.rings_fd, -1);
	done();
}

/* a place without a node is in no worker */
TEST(fabric_pack_make__vacant_places)
{
	pack("star, hosts: 9", 1, 3);
	fabric_pack_free(&fabric.pack);
	ck_assert_uint_eq(fabric.pack.worker_count, 0);
	fabric_pack_free(&fabric.pack);
	memset(fabric.nodes, 0, plan.node_count * sizeof(*fabric.nodes));
	for (uint32_t i = 0; i < plan.node_count; i++) {
		fabric.nodes[i].control = -1;
		if (i && i != 4)
			plan.nodes[i].name[0] = 0;
	}
	ck_assert_int_eq(fabric_pack_make(&fabric), 0);
	ck_assert_uint_le(fabric.pack.worker_count, 2);
	for (uint32_t i = 0; i < plan.node_count; i++)
		ck_assert_int_eq(fabric.nodes[i].packed, !i || i == 4);
	for (uint32_t w = 0, found; w < fabric.pack.worker_count; w++) {
		found = fabric.nodes[0].slot == w || fabric.nodes[4].slot == w;
		ck_assert(found);
	}
	done();
}

TEST(fabric_pack_place__rings_and_peers)
{
	struct node_place place;

	pack("leaf-spine, leaves: 3, hosts-per-leaf: 5, spines: 2", 1, 4);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		const struct node_config *config = &plan.nodes[i];

		fabric_pack_place(&fabric, i, &place);
		ck_assert_uint_eq(place.worker, fabric.pack.worker_of[i]);
		ck_assert_uint_eq(place.place, fabric.pack.place_of[i]);
		ck_assert_uint_eq(place.port_count, config->port_count);
		for (uint32_t p = 0; p < config->port_count; p++) {
			uint32_t peer = config->ports[p].peer_index;
			const struct plan_link *link = &plan.links[config->ports[p].link_index];
			const uint64_t *at = &fabric.pack.ring_at[2 * config->ports[p].link_index];

			ck_assert_uint_eq(place.ports[p].peer_worker, fabric.pack.worker_of[peer]);
			ck_assert_uint_eq(place.ports[p].peer_place, fabric.pack.place_of[peer]);
			ck_assert_uint_eq(place.ports[p].tx_at, at[link->node_b == i]);
			ck_assert_uint_eq(place.ports[p].rx_at, at[link->node_a == i]);
		}
	}
	done();
}

/* ---- workers ---- */

/* says what it was started and given, then in how many messages its control sockets have come */
__attribute__((constructor)) static void act_as_worker(int argc, char **argv)
{
	struct control_message message = { 0 }, answer = { .kind = CONTROL_EVENT };
	uint32_t expected, received = 0, messages = 0;
	struct why why;

	if (argc < 5 || strncmp(argv[0], "worker", 6) != 0 || !strchr("01", argv[0][6]))
		return;
	if (control_receive(CONTROL_FD, &message, 1, &why) || message.kind != CONTROL_WORK)
		_exit(1);
	snprintf(answer.text, sizeof(answer.text),
		 "%s %s %s %s: share %u from %u, %u nodes, %s, %u descriptors", argv[0], argv[1],
		 argv[4], argc > 5 ? argv[5] : "-", message.worker->index,
		 message.worker->first_place, message.worker->node_count,
		 message.worker->real_clock ? "real" : "virtual", message.fd_count);
	expected = message.worker->node_count;
	control_message_free(&message);
	while (received < expected) {
		if (control_receive(CONTROL_FD, &message, 1, &why) ||
		    message.kind != CONTROL_ADOPT || message.fd_count > AT_ONCE_MAX)
			_exit(2);
		received += message.fd_count;
		messages++;
		control_message_free(&message);
	}
	/* the test has sent all when it sends this */
	if (control_receive(CONTROL_FD, &message, 1, &why) || message.kind != CONTROL_EVENT)
		_exit(3);
	answer.number = messages;
	control_send(CONTROL_FD, &answer);
	_exit(0);
}

static void worker_said(uint32_t worker, const char *text, uint32_t messages)
{
	struct control_message message = { .kind = CONTROL_EVENT };
	struct why why;

	ck_assert_int_eq(control_send(fabric.pack.sockets[worker], &message), 0);
	ck_assert_int_eq(control_receive(fabric.pack.sockets[worker], &message, 1, &why), 0);
	ck_assert_str_eq(message.text, text);
	ck_assert_int_eq(message.number, messages);
	control_message_free(&message);
}

static void worker_ends(uint32_t lead)
{
	int status;

	ck_assert_int_eq(waitpid(fabric.nodes[lead].pid, &status, 0), fabric.nodes[lead].pid);
	ck_assert_int_eq(status, 0);
}

/* one process for each, in a group of their own; here are the other ends of its sockets */
TEST_RANGE(fabric_pack_start__two_workers, 0, 2)
{
	uint32_t before, lead = 1;
	char text[256];

	pack_for(_i, "star, hosts: 9", 0, 2);
	fabric.options.keep_user = _i;
	fabric.options.poll_ns = 17;
	while (fabric.nodes[lead].slot == fabric.nodes[0].slot)
		lead++;
	before = descriptors();
	ck_assert_int_eq(fabric_pack_start(&fabric, "/proc/self/exe"), 0);
	ck_assert_uint_eq(descriptors(), before + 2 + plan.node_count);
	ck_assert_uint_eq(fabric.alive, 2);
	ck_assert_int_eq(fabric.group, fabric.nodes[0].pid);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		ck_assert_int_ge(fabric.nodes[i].control, 0);
		ck_assert_int_eq(fabric.nodes[i].pid > 0, !i || i == lead);
		ck_assert_int_eq(fabric.nodes[i].pid_shown, fabric.nodes[i].pid);
		ck_assert_int_eq(fabric.nodes[i].started_ns != 0, !i || i == lead);
	}
	ck_assert_int_eq(getpgid(fabric.nodes[lead].pid), fabric.group);
	for (uint32_t w = 0; w < 2; w++) {
		uint32_t first = w ? lead : 0, count = 0;

		for (uint32_t i = 0; i < plan.node_count; i++)
			count += fabric.nodes[i].slot == w;
		snprintf(text, sizeof(text),
			 "worker%u --loop=epoll --poll=17 %s: share %u from %u, %u nodes, %s, %u "
			 "descriptors",
			 w, _i ? "--keep-user" : "-", w, fabric.pack.place_of[first], count,
			 _i ? "real" : "virtual", _i ? 1 : 3);
		worker_said(w, text, 1);
		worker_ends(first);
	}
	done();
}

/* as many sockets in a message as a process receives at once */
TEST_RANGE(fabric_pack_start__many_sockets, AT_ONCE_MAX - 1, AT_ONCE_MAX + 2)
{
	char text[128];

	snprintf(text, sizeof(text), "leaf-spine, leaves: 4, hosts-per-leaf: 48, spines: %d",
		 _i - 196);
	pack(text, 1, 1);
	ck_assert_uint_eq(plan.node_count, (uint32_t)_i);
	ck_assert_int_eq(fabric_pack_start(&fabric, "/proc/self/exe"), 0);
	snprintf(text, sizeof(text),
		 "worker0 --loop=epoll --poll=0 -: share 0 from 0, %d nodes, virtual, 3 "
		 "descriptors",
		 _i);
	worker_said(0, text, _i > (int)AT_ONCE_MAX ? 2 : 1);
	worker_ends(0);
	done();
}

TEST(fabric_pack_start__no_program)
{
	pack("star, hosts: 3", 1, 1);
	ck_assert_int_eq(fabric_pack_start(&fabric, "/no/such/program"), -ENOENT);
	ck_assert_str_eq(fabric.failure, "cannot start the workers: No such file or directory");
	ck_assert_uint_eq(fabric.alive, 0);
	ck_assert_int_eq(fabric.nodes[0].pid, 0);
	done();
}

/* the end of a worker is told by its death */
TEST(fabric_pack_start__dead_at_once)
{
	pack("star, hosts: 3", 1, 1);
	ck_assert_int_eq(fabric_pack_start(&fabric, "/bin/false"), 0);
	ck_assert_str_eq(fabric.failure, "");
	ck_assert_uint_eq(fabric.alive, 1);
	ck_assert_int_eq(waitpid(fabric.nodes[0].pid, NULL, 0), fabric.nodes[0].pid);
	done();
}

/* the sockets that could be made are closed with the fabric, their other ends at once */
TEST_RANGE(fabric_pack_start__too_few_descriptors, 0, 8)
{
	uint32_t made = 0, before;

	pack("star, hosts: 3", 1, 1);
	before = descriptors();
	descriptors_left((uint32_t)_i);
	ck_assert_int_eq(fabric_pack_start(&fabric, "/proc/self/exe"), -EMFILE);
	ck_assert_str_eq(fabric.failure, "cannot start the workers: too few file descriptors "
					 "allowed, raise the hard limit (ulimit -Hn)");
	for (uint32_t i = 0; i < plan.node_count; i++)
		made += fabric.nodes[i].control >= 0;
	made += fabric.pack.sockets[0] >= 0;
	ck_assert_uint_eq(descriptors(), before + made);
	if (fabric.nodes[0].pid) {
		kill(fabric.nodes[0].pid, SIGKILL);
		waitpid(fabric.nodes[0].pid, NULL, 0);
	}
	done();
}

/* ---- a node leaves ---- */

static struct fabric_node leaving[5];
static struct node_config left_configs[5];

/* nodes 0, 2, 3 in a worker, node 4 in another one, node 1 is a process */
static void some_packed(void)
{
	plan = (struct plan){ .nodes = left_configs, .node_count = 5 };
	fabric = (struct fabric){ .plan = &plan, .nodes = leaving };
	for (uint32_t i = 0; i < 5; i++)
		leaving[i] = (struct fabric_node){ .packed = i != 1, .lead = i };
	leaving[2].lead = leaving[3].lead = 0;
	leaving[0].pid = 70;
	leaving[0].pid_shown = 71;
	leaving[0].started_ns = 72;
	leaving[0].stopped_ns = 73;
}

TEST(fabric_pack_leave__alone)
{
	some_packed();
	ck_assert(!fabric_pack_leave(&fabric, 1));
	ck_assert(!fabric_pack_leave(&fabric, 4));
	ck_assert_uint_eq(leaving[4].lead, 4);
}

TEST(fabric_pack_leave__one_of_several)
{
	some_packed();
	ck_assert(fabric_pack_leave(&fabric, 3));
	ck_assert_uint_eq(leaving[0].lead, 0);
	ck_assert_uint_eq(leaving[2].lead, 0);
	ck_assert_int_eq(leaving[2].pid, 0);
}

/* the next one has the process */
TEST(fabric_pack_leave__the_lead)
{
	some_packed();
	ck_assert(fabric_pack_leave(&fabric, 0));
	ck_assert_uint_eq(leaving[1].lead, 1);
	ck_assert_uint_eq(leaving[2].lead, 2);
	ck_assert_uint_eq(leaving[3].lead, 2);
	ck_assert_uint_eq(leaving[4].lead, 4);
	ck_assert_int_eq(leaving[2].pid, 70);
	ck_assert_int_eq(leaving[2].pid_shown, 71);
	ck_assert_uint_eq(leaving[2].started_ns, 72);
	ck_assert_uint_eq(leaving[2].stopped_ns, 73);
	ck_assert_int_eq(leaving[3].pid, 0);
}
