/*  bench_packet_io - AF_PACKET against AF_XDP on veth pairs: what a veth link's packet I/O should
 *  be built on (TB-3).
 *
 *  Two veth pairs in a network namespace of its own: a generator on one core sends short frames
 *  into the first as fast as it can; a forwarder on another core takes them from the near end and
 *  sends them into the second pair. Counted is what the forwarder passed on per second. All methods
 *  do the same work, in turn, several times in one run:
 *    packet   recvmmsg() and sendmmsg() of up to 64 frames on packet sockets, as
 *             nodes/link/carrier.c does
 *    xdp      AF_XDP in generic mode with copies, which works on any veth pair: one umem, a
 *             receiving socket fed by a four-line XDP program, a sending socket; no byte is touched
 *             in between
 *  Needs the right to make namespaces and veth pairs, and the ip tool. Usage: bench_packet_io
 *  [milliseconds per run] */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS 5
#define BATCH 64u
#define FRAME_BYTES 64u
#define SLOT_BYTES 2048u
#define RING_SLOTS 2048u
#define SLOTS RING_SLOTS

#define NEAR "f0" /* the forwarder's ends */
#define FAR "f1"

static _Atomic uint64_t *forwarded; /* shared by all processes */

static uint64_t now_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "bench_packet_io: %s: %s\n", what, strerror(errno));
	_exit(1);
}

/* this process goes to the @which-th core that it may use, if there are so many */
static void pin(unsigned which)
{
	cpu_set_t allowed, one;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (unsigned core = 0; core < CPU_SETSIZE; core++) {
		if (!CPU_ISSET(core, &allowed) || which--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(core, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

/* ---- packet sockets ---- */

static int packet_socket(const char *device)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(0x0003 /* all */) };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), on = 1;

	address.sll_ifindex = (int)if_nametoindex(device);
	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)))
		die("packet socket");
	return fd;
}

static void batch_init(struct mmsghdr *messages, struct iovec *parts, uint8_t *slots,
		       uint32_t length)
{
	memset(messages, 0, BATCH * sizeof(*messages));
	for (uint32_t i = 0; i < BATCH; i++) {
		parts[i] = (struct iovec){ slots + i * SLOT_BYTES, length };
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
}

static void generate(void)
{
	static uint8_t slots[BATCH * SLOT_BYTES];
	static const uint8_t macs[] = { 2, 0x48, 0, 0, 0, 1, 2, 0x48, 0, 0, 0, 2, 0x88, 0xb6 };
	struct mmsghdr messages[BATCH];
	struct iovec parts[BATCH];
	int fd = packet_socket("g0");

	for (uint32_t i = 0; i < BATCH; i++)
		memcpy(slots + i * SLOT_BYTES, macs, sizeof(macs));
	batch_init(messages, parts, slots, FRAME_BYTES);
	for (;;)
		sendmmsg(fd, messages, BATCH, 0);
}

static void forward_packet(void)
{
	static uint8_t slots[BATCH * SLOT_BYTES];
	struct mmsghdr messages[BATCH];
	struct iovec parts[BATCH];
	int in = packet_socket(NEAR), out = packet_socket(FAR);

	for (;;) {
		int count, sent;

		batch_init(messages, parts, slots, SLOT_BYTES);
		count = recvmmsg(in, messages, BATCH, MSG_WAITFORONE, NULL);
		for (int i = 0; i < count; i++)
			parts[i].iov_len = messages[i].msg_len;
		sent = count > 0 ? sendmmsg(out, messages, (unsigned)count, 0) : 0;
		if (sent > 0)
			atomic_fetch_add_explicit(forwarded, (uint64_t)sent, memory_order_relaxed);
	}
}

/* ---- AF_XDP ---- */

/* one of the four rings of a socket: indices shared with the kernel */
struct xdp_ring {
	_Atomic uint32_t *producer, *consumer;
	void *entries;
};

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* gives every frame that arrives at NEAR to @xsk; the link that holds the program there lives as
 * long as this process */
static void program_attach(int xsk)
{
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_XSKMAP, .key_size = 4, .value_size = 4, .max_entries = 1
	};
	int map_fd = bpf(BPF_MAP_CREATE, &map), program_fd;
	uint32_t key = 0;
	union bpf_attr element = { .map_fd = (uint32_t)map_fd,
				   .key = (uint64_t)(uintptr_t)&key,
				   .value = (uint64_t)(uintptr_t)&xsk };
	/* return bpf_redirect_map(&map, context->rx_queue_index, XDP_PASS) */
	struct bpf_insn program[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 2, .src_reg = 1, .off = 16 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = 1,
		  .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = map_fd },
		{ .code = 0 }, /* upper half of the map */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect_map },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = { .prog_type = BPF_PROG_TYPE_XDP,
				.insns = (uint64_t)(uintptr_t)program,
				.insn_cnt = sizeof(program) / sizeof(program[0]),
				.license = (uint64_t)(uintptr_t) "GPL" };
	union bpf_attr link = { 0 };

	if (map_fd < 0 || bpf(BPF_MAP_UPDATE_ELEM, &element))
		die("xskmap");
	program_fd = bpf(BPF_PROG_LOAD, &load);
	if (program_fd < 0)
		die("XDP program");
	link.link_create.prog_fd = (uint32_t)program_fd;
	link.link_create.target_ifindex = if_nametoindex(NEAR);
	link.link_create.attach_type = BPF_XDP;
	link.link_create.flags = XDP_FLAGS_SKB_MODE;
	if (bpf(BPF_LINK_CREATE, &link) < 0)
		die("attaching the XDP program");
}

static struct xdp_ring ring_open(int fd, const struct xdp_ring_offset *offset, uint64_t page,
				 size_t entry)
{
	int slots = RING_SLOTS;
	uint8_t *memory;

	memory = mmap(NULL, offset->desc + (size_t)slots * entry, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, fd, (off_t)page);
	if (memory == MAP_FAILED)
		die("AF_XDP ring");
	return (struct xdp_ring){ (void *)(memory + offset->producer),
				  (void *)(memory + offset->consumer), memory + offset->desc };
}

static void ring_sizes(int fd, const int *options, uint32_t count)
{
	int slots = RING_SLOTS;

	for (uint32_t i = 0; i < count; i++)
		if (setsockopt(fd, SOL_XDP, options[i], &slots, sizeof(slots)))
			die("AF_XDP ring size");
}

static struct xdp_mmap_offsets offsets_of(int fd)
{
	struct xdp_mmap_offsets offsets;
	socklen_t length = sizeof(offsets);

	if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &length))
		die("AF_XDP ring offsets");
	return offsets;
}

static void xdp_bind(int fd, const char *device, uint16_t flags, int shared_fd)
{
	struct sockaddr_xdp address = { .sxdp_family = AF_XDP,
					.sxdp_flags = flags,
					.sxdp_ifindex = if_nametoindex(device),
					.sxdp_shared_umem_fd = (uint32_t)shared_fd };

	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		die("AF_XDP bind");
}

struct xdp {
	int in, out;
	struct xdp_ring fill, receive, send, complete;
};

static void xdp_open(struct xdp *xdp)
{
	static const int in_rings[] = { XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING, XDP_RX_RING };
	static const int out_rings[] = { XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING,
					 XDP_TX_RING };
	void *umem = mmap(NULL, (size_t)SLOTS * SLOT_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct xdp_umem_reg registered = { .addr = (uint64_t)(uintptr_t)umem,
					   .len = (uint64_t)SLOTS * SLOT_BYTES,
					   .chunk_size = SLOT_BYTES };
	struct xdp_mmap_offsets in, out;

	xdp->in = socket(AF_XDP, SOCK_RAW, 0);
	xdp->out = socket(AF_XDP, SOCK_RAW, 0);
	if (umem == MAP_FAILED || xdp->in < 0 || xdp->out < 0)
		die("AF_XDP socket");
	if (setsockopt(xdp->in, SOL_XDP, XDP_UMEM_REG, &registered, sizeof(registered)))
		die("AF_XDP memory");
	ring_sizes(xdp->in, in_rings, 3);
	ring_sizes(xdp->out, out_rings, 3);
	in = offsets_of(xdp->in);
	out = offsets_of(xdp->out);
	xdp->fill = ring_open(xdp->in, &in.fr, XDP_UMEM_PGOFF_FILL_RING, sizeof(uint64_t));
	xdp->receive = ring_open(xdp->in, &in.rx, XDP_PGOFF_RX_RING, sizeof(struct xdp_desc));
	xdp->complete =
		ring_open(xdp->out, &out.cr, XDP_UMEM_PGOFF_COMPLETION_RING, sizeof(uint64_t));
	xdp->send = ring_open(xdp->out, &out.tx, XDP_PGOFF_TX_RING, sizeof(struct xdp_desc));
	xdp_bind(xdp->in, NEAR, XDP_COPY, 0);
	xdp_bind(xdp->out, FAR, XDP_SHARED_UMEM, xdp->in);
	program_attach(xdp->in);
}

/* how many entries of @ring wait to be consumed */
static uint32_t ring_count(const struct xdp_ring *ring)
{
	return atomic_load_explicit(ring->producer, memory_order_acquire) -
	       atomic_load_explicit(ring->consumer, memory_order_relaxed);
}

/* Slots go round: filled, received, sent, completed, filled again. There are as many as a ring has
 * entries, so none is ever full. */
static void slots_recycle(struct xdp *xdp)
{
	uint32_t count = ring_count(&xdp->complete), from = *xdp->complete.consumer,
		 to = *xdp->fill.producer;

	for (uint32_t i = 0; i < count; i++)
		((uint64_t *)xdp->fill.entries)[(to + i) % RING_SLOTS] =
			((uint64_t *)xdp->complete.entries)[(from + i) % RING_SLOTS];
	atomic_store_explicit(xdp->complete.consumer, from + count, memory_order_release);
	atomic_store_explicit(xdp->fill.producer, to + count, memory_order_release);
	atomic_fetch_add_explicit(forwarded, count, memory_order_relaxed);
}

static void forward_xdp(void)
{
	struct xdp xdp;

	xdp_open(&xdp);
	for (uint32_t i = 0; i < SLOTS; i++)
		((uint64_t *)xdp.fill.entries)[i] = (uint64_t)i * SLOT_BYTES;
	atomic_store_explicit(xdp.fill.producer, SLOTS, memory_order_release);
	for (;;) {
		uint32_t count = ring_count(&xdp.receive), from = *xdp.receive.consumer,
			 to = *xdp.send.producer;

		if (!count && !ring_count(&xdp.send)) {
			slots_recycle(&xdp);
			poll(&(struct pollfd){ .fd = xdp.in, .events = POLLIN }, 1, 1);
			continue;
		}
		count = count < BATCH ? count : BATCH;
		for (uint32_t i = 0; i < count; i++)
			((struct xdp_desc *)xdp.send.entries)[(to + i) % RING_SLOTS] =
				((struct xdp_desc *)xdp.receive.entries)[(from + i) % RING_SLOTS];
		atomic_store_explicit(xdp.receive.consumer, from + count, memory_order_release);
		atomic_store_explicit(xdp.send.producer, to + count, memory_order_release);
		sendto(xdp.out, NULL, 0, MSG_DONTWAIT, NULL, 0);
		slots_recycle(&xdp);
	}
}

/* ---- measuring ---- */

static pid_t start(void (*run)(void), unsigned core)
{
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(core);
	run();
	_exit(0);
}

static void stop(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* packets per second of @forward; 0 if it cannot run (it said why) */
static double measure(void (*forward)(void), unsigned milliseconds)
{
	pid_t forwarder = start(forward, 0), generator;
	uint64_t before, from;
	double rate = 0;

	usleep(100000);
	if (waitpid(forwarder, NULL, WNOHANG))
		return 0;
	generator = start(generate, 1);
	usleep(100000);
	before = *forwarded;
	from = now_ns();
	usleep(milliseconds * 1000);
	rate = (double)(*forwarded - before) * 1e9 / (double)(now_ns() - from);
	stop(generator);
	stop(forwarder);
	return rate;
}

static int ascending(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) -
	       (*(const double *)a < *(const double *)b);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*forward)(void);
	} methods[] = { { "packet", forward_packet }, { "xdp", forward_xdp } };
	enum { METHODS = sizeof(methods) / sizeof(methods[0]) };
	unsigned milliseconds = argc > 1 ? (unsigned)atoi(argv[1]) : 500;
	double rates[METHODS][RUNS];

	forwarded = mmap(NULL, sizeof(*forwarded), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (forwarded == MAP_FAILED || unshare(CLONE_NEWNET))
		die("namespace");
	if (system("ip link add g0 type veth peer name " NEAR
		   " && ip link add g1 type veth peer name " FAR " && for i in g0 g1 " NEAR " " FAR
		   "; do ip link set $i addrgenmode none up || exit 1; done"))
		die("veth pairs");
	for (int run = 0; run < RUNS; run++)
		for (int m = 0; m < METHODS; m++)
			rates[m][run] = measure(methods[m].forward, milliseconds);
	printf("%-8s %12s %12s %12s  packets/s forwarded, %u bytes, %d runs in turn\n", "method",
	       "median", "lowest", "highest", FRAME_BYTES, RUNS);
	for (int m = 0; m < METHODS; m++) {
		qsort(rates[m], RUNS, sizeof(double), ascending);
		printf("%-8s %12.0f %12.0f %12.0f\n", methods[m].name, rates[m][RUNS / 2],
		       rates[m][0], rates[m][RUNS - 1]);
	}
	return 0;
}
