#include "orchestrator/tunnel/tunnel_process.h"

#include <errno.h>
#include <poll.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/clock_pages.h"
#include "nodes/control/control.h"
#include "nodes/process/privilege.h"
#include "nodes/process/syscall_filter.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/tunnel/tunnel_link.h"
#include "orchestrator/tunnel/tunnel_peer.h"

#define EXIT_LOST 1
#define EXIT_WRONG 2
#define BATCH 32u               /* datagrams of a system call */
#define COUNTS_NS 100000000ull  /* tunnel_link_count() */
#define NAP_NS 500000000ull     /* it sleeps no longer */
#define AWAKE_NS 30000ull       /* it stays awake for so long after the last record, as nodes do */
#define FUTURE_PS (60 * NODE_S) /* a record that is due later than this is due then */

struct outgoing {
	uint32_t count;     /* complete datagrams in the batch */
	size_t items_bytes; /* of the one that is being filled */
	struct iovec parts[BATCH];
	struct mmsghdr messages[BATCH];
	uint8_t bytes[BATCH][TUNNEL_DATAGRAM_MAX];
};

struct machine {
	int socket; /* -1: this machine, or none */
	struct tunnel_peer peer;
	struct tunnel_news told;
	struct outgoing out;
};

/* a cut link: its end, and what is mapped for it */
struct end {
	struct tunnel_link link;
	void *maps[2];
	size_t map_bytes[2];
	int doorbell;
};

struct process {
	int control, doorbell;
	struct clock_pages clock;
	struct tunnel_page *page;
	struct tunnel_self self;
	struct machine *machines[SCENARIO_MACHINES_MAX];
	struct tunnel_state down;
	uint32_t link_count;
	struct end **ends; /* [link_count]; NULL: not plugged */
	uint32_t *plugged; /* link indices */
	uint32_t plugged_count;
	uint64_t counts_ns; /* when tunnel_link_count() is next due */
	uint64_t busy_ns;   /* when a record last moved */
	uint64_t rested_ns; /* when it last looked for orders */
	bool ending, wrong;
	struct iovec in_parts[BATCH];
	struct mmsghdr in_messages[BATCH];
	uint8_t in_bytes[BATCH][TUNNEL_DATAGRAM_MAX + 1];
};

static uint64_t random_number(void)
{
	uint64_t number = 0;

	while (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		;
	return number;
}

/* fabric time has begun here; @epoch_ns CLOCK_MONOTONIC at its start */
static bool begun(const struct process *process, uint64_t *epoch_ns)
{
	*epoch_ns = process->clock.page->epoch_ns;
	return *epoch_ns != UINT64_MAX && monotonic_ns() >= *epoch_ns;
}

/* ---- orders ---- */

static void *map_all(int fd, size_t *bytes)
{
	struct stat stat;
	void *memory;

	if (fstat(fd, &stat) || stat.st_size <= 0)
		return NULL;
	*bytes = (size_t)stat.st_size;
	memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static int setup(struct process *process, const struct tunnel_order *order, int *fds)
{
	size_t bytes = 0;

	process->self.machine = (uint8_t)order->machine;
	process->self.machine_count = (uint8_t)order->machine_count;
	process->self.random = random_number;
	memcpy(process->self.key, order->key, TUNNEL_KEY_BYTES);
	memcpy(process->self.digest, order->digest, TUNNEL_DIGEST_BYTES);
	for (uint32_t i = 0; i < TUNNEL_SESSION_BYTES; i += 8) {
		uint64_t number = random_number();

		memcpy(process->self.session + i, &number, 8);
	}
	process->link_count = order->link_count;
	process->ends = calloc(order->link_count, sizeof(struct end *));
	process->plugged = calloc(order->link_count, sizeof(*process->plugged));
	process->page = map_all(fds[1], &bytes);
	process->doorbell = fds[2];
	fds[2] = -1;
	if (!process->ends || !process->plugged || !process->page || bytes < sizeof(*process->page))
		return -ENOMEM;
	return clock_pages_join(&process->clock, fds[0]);
}

/* the longest datagram that the interface to the machine takes */
static uint32_t path_bytes(int socket)
{
	int value = 0, domain = AF_INET;
	socklen_t length = sizeof(value);
	uint32_t around;

	getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length);
	around = domain == AF_INET6 ? 48 : 28;
	length = sizeof(value);
	if (domain == AF_INET6 ? getsockopt(socket, IPPROTO_IPV6, IPV6_MTU, &value, &length)
			       : getsockopt(socket, IPPROTO_IP, IP_MTU, &value, &length))
		value = 0;
	return value > (int)around ? (uint32_t)value - around : 1500 - around;
}

static int machine_add(struct process *process, const struct tunnel_order *order, int *fds)
{
	struct machine *machine = calloc(1, sizeof(*machine));

	if (!machine || order->machine >= process->self.machine_count ||
	    process->machines[order->machine]) {
		free(machine);
		return -EINVAL;
	}
	machine->socket = fds[0];
	fds[0] = -1;
	for (uint32_t i = 0; i < BATCH; i++) {
		machine->out.parts[i].iov_base = machine->out.bytes[i];
		machine->out.messages[i].msg_hdr.msg_iov = &machine->out.parts[i];
		machine->out.messages[i].msg_hdr.msg_iovlen = 1;
	}
	tunnel_peer_init(&machine->peer, &process->self, (uint8_t)order->machine,
			 path_bytes(machine->socket), &process->page->peers[order->machine]);
	process->machines[order->machine] = machine;
	return 0;
}

static void unplug(struct process *process, uint32_t link)
{
	struct end *end = link < process->link_count ? process->ends[link] : NULL;

	if (!end)
		return;
	for (int i = 0; i < 2; i++)
		if (end->maps[i])
			munmap(end->maps[i], end->map_bytes[i]);
	descriptor_close(&end->doorbell);
	free(end);
	process->ends[link] = NULL;
	for (uint32_t i = 0; i < process->plugged_count; i++)
		if (process->plugged[i] == link)
			process->plugged[i--] = process->plugged[--process->plugged_count];
}

static int plug(struct process *process, const struct tunnel_order *order, int *fds)
{
	struct end *end;
	int error;

	unplug(process, order->link);
	end = calloc(1, sizeof(*end));
	if (!end || order->link >= process->link_count ||
	    order->machine >= process->self.machine_count || !process->machines[order->machine]) {
		free(end);
		return -EINVAL;
	}
	process->ends[order->link] = end;
	for (int i = 0; i < 2; i++)
		end->maps[i] = map_all(fds[i], &end->map_bytes[i]);
	end->doorbell = fds[2];
	fds[2] = -1;
	error = end->maps[0] && end->maps[1]
			? tunnel_link_init(&end->link, order->link, (uint8_t)order->machine,
					   (uint32_t)random_number(), end->maps[0],
					   end->map_bytes[0], end->maps[1], end->map_bytes[1])
			: -ENOMEM;
	process->plugged[process->plugged_count++] = order->link;
	if (error)
		unplug(process, order->link);
	return error;
}

static int obey(struct process *process, const struct tunnel_order *order, int *fds, unsigned count)
{
	static const unsigned needed[TUNNEL_ORDERS] = {
		[TUNNEL_SETUP] = 3, [TUNNEL_PEER] = 1, [TUNNEL_PLUG] = 3
	};

	if (order->kind >= TUNNEL_ORDERS || count != needed[order->kind] ||
	    !process->page != (order->kind == TUNNEL_SETUP))
		return -EINVAL;
	switch (order->kind) {
	case TUNNEL_SETUP:
		return setup(process, order, fds);
	case TUNNEL_PEER:
		return machine_add(process, order, fds);
	case TUNNEL_PLUG:
		return plug(process, order, fds);
	case TUNNEL_DOWN:
		process->down = order->down;
		for (uint32_t m = 0; m < process->self.machine_count; m++)
			if (process->machines[m])
				process->machines[m]->peer.hello_ns = 0;
		return 0;
	case TUNNEL_AWAIT:
		process->self.ready = true;
		return 0;
	case TUNNEL_END:
		process->ending = true;
		return 0;
	default:
		return 0;
	}
}

/* the next order. Return: its kind, or -errno: the process ends */
static int order_take(struct process *process)
{
	struct tunnel_order order;
	int fds[DESCRIPTOR_MESSAGE_MAX], error;
	unsigned count = DESCRIPTOR_MESSAGE_MAX;
	ssize_t length = descriptor_receive(process->control, &order, sizeof(order), fds, &count);

	if (length != (ssize_t)sizeof(order))
		return length < 0 ? (int)length : -EPIPE;
	error = obey(process, &order, fds, count);
	while (count)
		descriptor_close(&fds[--count]);
	process->wrong |= error != 0;
	if (error)
		fprintf(stderr, "heddle " TUNNEL_COMMAND ": order %d cannot be obeyed: %s\n",
			(int)order.kind, strerror(-error));
	return error ? error : (int)order.kind;
}

/* ---- news ---- */

static void news_tell(struct process *process)
{
	for (uint32_t m = 0; m < process->self.machine_count; m++) {
		struct machine *machine = process->machines[m];
		struct tunnel_news news;

		if (!machine)
			continue;
		memset(&news, 0, sizeof(news));
		news.machine = m;
		news.state = machine->peer.state;
		news.connects = machine->peer.connects;
		news.begun = machine->peer.begun;
		news.ready = machine->peer.ready;
		news.down.count = machine->peer.down.count;
		memcpy(news.down.down, machine->peer.down.down,
		       news.down.count * sizeof(*news.down.down));
		if (!memcmp(&news, &machine->told, sizeof(news)))
			continue;
		if (send(process->control, &news, sizeof(news), MSG_DONTWAIT | MSG_NOSIGNAL) ==
		    (ssize_t)sizeof(news))
			machine->told = news;
	}
}

/* ---- sending ---- */

/* the network refuses a datagram: only what it says about its length matters */
static void refused(struct machine *machine)
{
	machine->peer.counts->drops[TUNNEL_DROP_REFUSED]++;
	if (errno == EMSGSIZE)
		tunnel_peer_path(&machine->peer, path_bytes(machine->socket));
}

/* sends the batch; what a full socket does not take is dropped and counted */
static void batch_send(struct machine *machine)
{
	struct outgoing *out = &machine->out;
	uint32_t sent = 0;

	while (sent < out->count) {
		int count = sendmmsg(machine->socket, out->messages + sent, out->count - sent,
				     MSG_DONTWAIT | MSG_NOSIGNAL);

		if (count > 0) {
			sent += (uint32_t)count;
		} else if (errno != EINTR) {
			refused(machine);
			sent++;
		}
	}
	out->count = 0;
}

/* the datagram that is being filled is complete */
static void datagram_close(struct machine *machine)
{
	struct outgoing *out = &machine->out;

	if (!out->items_bytes)
		return;
	out->parts[out->count].iov_len =
		tunnel_peer_seal(&machine->peer, out->bytes[out->count], out->items_bytes);
	out->items_bytes = 0;
	if (++out->count == BATCH)
		batch_send(machine);
}

static size_t space_left(const struct machine *machine)
{
	uint32_t all = machine->peer.fits_bytes ? machine->peer.fits_bytes : TUNNEL_DATAGRAM_MIN;
	size_t used = TUNNEL_AROUND_BYTES + machine->out.items_bytes;

	return all > used ? all - used : 0;
}

static uint8_t *fill_place(struct machine *machine)
{
	return machine->out.bytes[machine->out.count] + TUNNEL_FRONT_BYTES +
	       machine->out.items_bytes;
}

#define TURN_RECORDS 256u /* of a link, before others have their turn */

/* what the node of @end has sent. Return: true if there was anything */
static bool end_send(struct process *process, struct end *end, uint64_t epoch_ns)
{
	struct machine *machine = process->machines[end->link.machine];
	struct tunnel_counts *counts = machine->peer.counts;
	uint32_t records = 0;
	uint64_t one = 1;

	if (!tunnel_peer_carries(&machine->peer) || !machine->peer.begun) {
		tunnel_link_drop(
			&end->link,
			&counts->drops[tunnel_peer_carries(&machine->peer) ? TUNNEL_DROP_EARLY
									   : TUNNEL_DROP_NO_LINK]);
		return false;
	}
	while (records < TURN_RECORDS && tunnel_link_waits(&end->link)) {
		size_t length =
			tunnel_link_send(&end->link, fill_place(machine), space_left(machine),
					 !machine->out.items_bytes, epoch_ns, counts);

		machine->out.items_bytes += length;
		if (!length || end->link.sent_bytes)
			datagram_close(machine);
		records++;
	}
	if (ring_waited(&end->link.from_node))
		(void)!write(end->doorbell, &one, sizeof(one));
	return records != 0;
}

static bool ends_send(struct process *process)
{
	uint64_t epoch_ns;
	bool moved = false;

	if (!begun(process, &epoch_ns))
		return false;
	for (uint32_t i = 0; i < process->plugged_count; i++)
		moved |= end_send(process, process->ends[process->plugged[i]], epoch_ns);
	return moved;
}

/* how many records were sent, of links that are idle */
static void counts_send(struct process *process, uint64_t now_ns)
{
	if (now_ns < process->counts_ns)
		return;
	process->counts_ns = now_ns + COUNTS_NS;
	for (uint32_t i = 0; i < process->plugged_count; i++) {
		struct end *end = process->ends[process->plugged[i]];
		struct machine *machine = process->machines[end->link.machine];

		if (tunnel_peer_carries(&machine->peer))
			machine->out.items_bytes += tunnel_link_count(
				&end->link, fill_place(machine), space_left(machine));
	}
}

static void datagrams_due(struct process *process, struct machine *machine)
{
	size_t length;

	datagram_close(machine);
	while ((length = tunnel_peer_due(&machine->peer, &process->down, monotonic_ns(),
					 machine->out.bytes[machine->out.count]))) {
		machine->out.parts[machine->out.count].iov_len = length;
		if (++machine->out.count == BATCH)
			batch_send(machine);
	}
	batch_send(machine);
}

static void all_due(struct process *process)
{
	uint64_t now_ns = monotonic_ns(), epoch_ns;

	process->self.begun = begun(process, &epoch_ns);
	counts_send(process, now_ns);
	for (uint32_t m = 0; m < process->self.machine_count; m++)
		if (process->machines[m])
			datagrams_due(process, process->machines[m]);
}

/* ---- receiving ---- */

static void record_take(struct process *process, struct tunnel_peer *peer,
			const struct tunnel_record *record, uint64_t now_ns)
{
	struct end *end = record->link < process->link_count ? process->ends[record->link] : NULL;
	uint64_t epoch_ns, at_ns;
	node_time_t now_ps, at_ps;

	if (!end || end->link.machine != peer->machine || !tunnel_peer_carries(peer)) {
		peer->counts->drops[TUNNEL_DROP_NO_LINK]++;
		return;
	}
	if (!begun(process, &epoch_ns)) {
		peer->counts->drops[TUNNEL_DROP_EARLY]++;
		return;
	}
	at_ns = tunnel_clock_here(&peer->clock, record->at_ns);
	at_ns = at_ns > epoch_ns ? at_ns - epoch_ns : 0;
	now_ps = now_ns > epoch_ns ? (now_ns - epoch_ns) * NODE_NS : 0;
	at_ps = at_ns < (now_ps + FUTURE_PS) / NODE_NS ? at_ns * NODE_NS : now_ps + FUTURE_PS;
	tunnel_link_take(&end->link, record, at_ps, now_ps, peer->counts);
}

/* an item of a datagram that is accepted */
static void item_take(void *owner, struct tunnel_peer *peer, const struct tunnel_item *item,
		      uint64_t now_ns)
{
	struct process *process = owner;
	struct machine *machine = process->machines[peer->machine];
	struct tunnel_item answer;

	if (item->kind == TUNNEL_RECORD) {
		record_take(process, peer, &item->record, now_ns);
	} else if (item->kind == TUNNEL_COUNT) {
		if (item->count.link < process->link_count && process->ends[item->count.link] &&
		    process->ends[item->count.link]->link.machine == peer->machine)
			tunnel_link_counted(&process->ends[item->count.link]->link, &item->count,
					    peer->counts);
	} else {
		answer = (struct tunnel_item){ .kind = TUNNEL_PONG,
					       .times = { item->times.sent_ns, now_ns,
							  monotonic_ns() } };
		if (space_left(machine) < 64)
			datagram_close(machine);
		machine->out.items_bytes +=
			tunnel_item_write(&answer, fill_place(machine), space_left(machine));
	}
}

/* a batch of datagrams. Return: their number */
static uint32_t machine_receive(struct process *process, struct machine *machine)
{
	int count;
	uint64_t now_ns;

	for (uint32_t i = 0; i < BATCH; i++) {
		process->in_parts[i] =
			(struct iovec){ process->in_bytes[i], sizeof(process->in_bytes[i]) };
		process->in_messages[i].msg_hdr =
			(struct msghdr){ .msg_iov = &process->in_parts[i], .msg_iovlen = 1 };
	}
	count = recvmmsg(machine->socket, process->in_messages, BATCH, MSG_DONTWAIT, NULL);
	now_ns = monotonic_ns();
	for (int i = 0; i < count; i++)
		tunnel_peer_receive(&machine->peer, process->in_bytes[i],
				    process->in_messages[i].msg_len, now_ns, item_take, process);
	/* an answer to a ping does not wait for other records */
	datagram_close(machine);
	return count > 0 ? (uint32_t)count : 0;
}

static bool machines_receive(struct process *process)
{
	uint32_t count = 0;

	for (uint32_t m = 0; m < process->self.machine_count; m++)
		if (process->machines[m])
			count += machine_receive(process, process->machines[m]);
	return count != 0;
}

static void ends_publish(struct process *process)
{
	uint64_t one = 1;

	for (uint32_t i = 0; i < process->plugged_count; i++) {
		struct end *end = process->ends[process->plugged[i]];

		if (tunnel_link_publish(&end->link))
			(void)!write(end->doorbell, &one, sizeof(one));
	}
}

/* ---- the loop ---- */

static void ends_sleep(struct process *process, node_time_t until)
{
	for (uint32_t i = 0; i < process->plugged_count; i++)
		ring_sleep(&process->ends[process->plugged[i]]->link.from_node, until);
	atomic_thread_fence(memory_order_seq_cst); /* pairs with pace.c's notify() */
}

static bool ends_wait(struct process *process)
{
	for (uint32_t i = 0; i < process->plugged_count; i++)
		if (tunnel_link_waits(&process->ends[process->plugged[i]]->link))
			return true;
	return false;
}

static uint64_t next_ns(const struct process *process)
{
	uint64_t next = process->counts_ns;

	for (uint32_t m = 0; m < process->self.machine_count; m++)
		if (process->machines[m] && tunnel_peer_next_ns(&process->machines[m]->peer) < next)
			next = tunnel_peer_next_ns(&process->machines[m]->peer);
	return next;
}

#define ORDERS_NS 1000000ull /* a busy process looks for orders that often */

/* until the doorbell, an order, a datagram or the next thing that is due; not @idle: it only looks
 * for orders */
static void rest(struct process *process, bool idle)
{
	struct pollfd polled[SCENARIO_MACHINES_MAX + 2] = {
		{ process->control, POLLIN, 0 },
		{ process->doorbell, POLLIN, 0 },
	};
	nfds_t count = 2;
	uint64_t now_ns = monotonic_ns(), due_ns = next_ns(process), rings;
	struct timespec nap;
	uint64_t epoch_ns;

	for (uint32_t m = 0; m < process->self.machine_count; m++)
		if (process->machines[m])
			polled[count++] =
				(struct pollfd){ process->machines[m]->socket, POLLIN, 0 };
	if (idle)
		ends_sleep(process, NODE_TIME_NEVER);
	due_ns = due_ns < now_ns + NAP_NS ? due_ns : now_ns + NAP_NS;
	if (!idle || due_ns <= now_ns || (begun(process, &epoch_ns) && ends_wait(process)))
		due_ns = now_ns;
	nap = (struct timespec){ .tv_nsec = (long)(due_ns - now_ns) };
	if (ppoll(polled, count, &nap, NULL) > 0 && polled[1].revents)
		(void)!read(process->doorbell, &rings, sizeof(rings));
	ends_sleep(process, 0);
	if (polled[0].revents && order_take(process) < 0)
		process->ending = true;
	process->rested_ns = monotonic_ns();
}

static void serve(struct process *process)
{
	while (!process->ending) {
		bool moved = machines_receive(process);
		uint64_t now_ns;

		ends_publish(process);
		moved |= ends_send(process);
		all_due(process);
		news_tell(process);
		now_ns = monotonic_ns();
		if (moved)
			process->busy_ns = now_ns;
		if (now_ns - process->busy_ns > AWAKE_NS)
			rest(process, true);
		else if (now_ns - process->rested_ns > ORDERS_NS)
			rest(process, false);
	}
}

static void bye(struct process *process)
{
	for (uint32_t m = 0; m < process->self.machine_count; m++) {
		struct machine *machine = process->machines[m];

		if (!machine || !machine->peer.session.known)
			continue;
		/* twice, since one may be lost */
		for (int i = 0; i < 2; i++) {
			machine->out.parts[machine->out.count].iov_len = tunnel_peer_bye(
				&machine->peer, machine->out.bytes[machine->out.count]);
			machine->out.count++;
		}
		batch_send(machine);
	}
}

int tunnel_process_run(int argc, char **argv)
{
	struct process *process = calloc(1, sizeof(*process));
	pid_t parent = argc >= 2 ? (pid_t)strtol(argv[1], NULL, 10) : 0;
	int kind;

	if (parent <= 0 || !process) {
		fprintf(stderr, "heddle " TUNNEL_COMMAND
				" is started by the daemon of a fabric: 'heddle up --machines'\n");
		free(process);
		return EXIT_WRONG;
	}
	process->control = CONTROL_FD;
	process->doorbell = -1;
	/* ns; the kernel's own choice of 50 us is several links long, as for nodes */
	prctl(PR_SET_TIMERSLACK, 1ul);
	privilege_files();
	if (privilege_drop(parent, argc > 2))
		return EXIT_LOST;
	do
		kind = order_take(process);
	while (kind >= 0 && kind != TUNNEL_START);
	if (kind < 0)
		return EXIT_LOST;
	if (syscall_filter_wanted() && syscall_filter_apply())
		fprintf(stderr, "heddle: warning: the tunnel runs without its system call filter, "
				"which the kernel or a sandbox refused\n");
	serve(process);
	if (!process->wrong)
		bye(process);
	return process->wrong ? EXIT_WRONG : 0;
}
