/*  sim_frames - whole frames between two hosts through a fabric of the real clock, in one process
 *  with a time of its own.
 *
 *  The nodes are those of `heddle up`. Socket pairs stand for the packet sockets of the first and
 *  the last host, so what it runs is what a node does for the frames of real programs, with hardly
 *  any work of the kernel, and the same on any machine. The first host sends TCP segments as
 *  super-frames, and small datagrams. The last one acknowledges each super-frame.
 *  Fails unless every byte arrives.
 *  usage: sim_frames SCENARIO SUPER-FRAMES [path=value ...] */
#include <linux/virtio_net.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/bytes.h"
#include "nodes/base/units.h"
#include "nodes/link/link_send.h"
#include "nodes/wire/address.h"
#include "nodes/wire/ip_header.h"
#include "tests/sim/sim.h"

#define TURN_PS (2 * NODE_US)
#define TURNS_MAX 1000u /* without a frame that arrives */
#define SEGMENT_BYTES 1448u
#define SEGMENTS 44u /* of a super-frame */
#define ETHERNET_BYTES 14u
#define HEADERS_BYTES (ETHERNET_BYTES + IPV4_BYTES + TCP_BYTES)
#define PAYLOAD_BYTES (SEGMENT_BYTES * SEGMENTS)
#define DATAGRAM_BYTES 60u
#define SOCKET_BYTES (8 << 20)

struct message {
	struct virtio_net_hdr header;
	uint8_t frame[HEADERS_BYTES + PAYLOAD_BYTES];
} __attribute__((packed));

struct host {
	uint32_t node;                /* of the plan: its NIC */
	int fds[NIC_HOST_QUEUES_MAX]; /* the ends that its kernel would have */
	uint32_t fd_count;
	uint64_t payload_bytes, datagrams; /* received */
};

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "sim_frames: %s\n", what);
	exit(1);
}

static void host_attach(struct sim *sim, struct host *host, uint32_t node)
{
	int ours[NIC_HOST_QUEUES_MAX], pair[2], size = SOCKET_BYTES;

	host->node = node;
	host->fd_count = sim->plan.nodes[node].nic.host_queues;
	for (uint32_t i = 0; i < host->fd_count; i++) {
		check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), "no sockets");
		for (uint32_t end = 0; end < 2; end++)
			setsockopt(pair[end], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		ours[i] = pair[0];
		host->fds[i] = pair[1];
	}
	check(!sim->nodes[node].ops->host_open(sim->nodes[node].dataplane, ours, host->fd_count),
	      "the NIC refuses its host");
}

/* headers of a frame with @payload_bytes after them, from one host to the other */
static void headers_write(const struct sim *sim, const struct host *from, const struct host *to,
			  uint8_t protocol, uint32_t payload_bytes, uint8_t *frame)
{
	uint32_t source = sim->plan.nodes[from->node].nic.host_index,
		 destination = sim->plan.nodes[to->node].nic.host_index;
	uint8_t ends[2][4];
	struct ip_header ip = { .source = ends[0],
				.destination = ends[1],
				.payload_bytes = payload_bytes,
				.protocol = protocol };

	address_mac(destination, frame);
	address_mac(source, frame + 6);
	bytes_put16(frame + 12, ETHERTYPE_IPV4);
	bytes_put32(ends[0], address_ipv4(source));
	bytes_put32(ends[1], address_ipv4(destination));
	ipv4_header_write(&ip, frame + ETHERNET_BYTES);
}

/* TCP: @payload_bytes from @sequence on, or an ACK of all before @acknowledged. The checksum is
 * left to the NIC. */
static void segment_send(const struct sim *sim, const struct host *from, const struct host *to,
			 uint64_t sequence, uint64_t acknowledged, uint32_t payload_bytes)
{
	static struct message message;
	uint8_t *tcp = message.frame + ETHERNET_BYTES + IPV4_BYTES;
	uint8_t *ip = message.frame + ETHERNET_BYTES;
	uint64_t sum = 0;

	message.header = (struct virtio_net_hdr){
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = payload_bytes ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_NONE,
		.hdr_len = HEADERS_BYTES,
		.gso_size = payload_bytes ? SEGMENT_BYTES : 0,
		.csum_start = ETHERNET_BYTES + IPV4_BYTES,
		.csum_offset = 16,
	};
	headers_write(sim, from, to, PROTOCOL_TCP, TCP_BYTES + payload_bytes, message.frame);
	memset(tcp, 0, TCP_BYTES);
	bytes_put16(tcp, payload_bytes ? 40000 : 5201);
	bytes_put16(tcp + 2, payload_bytes ? 5201 : 40000);
	bytes_put32(tcp + 4, (uint32_t)sequence);
	bytes_put32(tcp + 8, (uint32_t)acknowledged);
	bytes_put16(tcp + 12, TCP_BYTES / 4 << 12 | 0x10); /* ACK */
	bytes_put16(tcp + 14, 0xffff);
	for (uint32_t i = 12; i < IPV4_BYTES; i += 2) /* the pseudo-header */
		sum += bytes_get16(ip + i);
	sum += PROTOCOL_TCP + TCP_BYTES + payload_bytes;
	bytes_put16(tcp + 16, (uint16_t)(sum % 0xffff));
	check(send(from->fds[0], &message, sizeof(message) - PAYLOAD_BYTES + payload_bytes, 0) > 0,
	      "a host cannot send");
}

static void datagram_send(const struct sim *sim, const struct host *from, const struct host *to)
{
	static struct message message;
	uint8_t *udp = message.frame + ETHERNET_BYTES + IPV4_BYTES;

	headers_write(sim, from, to, PROTOCOL_UDP, DATAGRAM_BYTES - ETHERNET_BYTES - IPV4_BYTES,
		      message.frame);
	bytes_put16(udp, 7000);
	bytes_put16(udp + 2, 7000);
	bytes_put16(udp + 4, DATAGRAM_BYTES - ETHERNET_BYTES - IPV4_BYTES);
	check(send(from->fds[from->fd_count - 1], &message, sizeof(message.header) + DATAGRAM_BYTES,
		   0) > 0,
	      "a host cannot send");
}

/* Takes what has arrived.  Return: was there a frame? */
static bool host_take(struct host *host)
{
	static struct message message;
	bool any = false;

	for (uint32_t i = 0; i < host->fd_count; i++) {
		ssize_t bytes;

		while ((bytes = recv(host->fds[i], &message, sizeof(message), MSG_TRUNC)) > 0) {
			check((size_t)bytes <= sizeof(message), "a frame is too long");
			any = true;
			if (message.frame[ETHERNET_BYTES + 9] == PROTOCOL_UDP)
				host->datagrams++;
			else
				host->payload_bytes +=
					bytes_get16(message.frame + ETHERNET_BYTES + 2) -
					IPV4_BYTES - TCP_BYTES;
		}
	}
	return any;
}

/* a turn of node @i, as pace.c has it */
static void turn(struct sim *sim, uint32_t i, node_time_t now)
{
	struct sim_node *node = &sim->nodes[i];
	uint32_t readable = (1u << node->config->nic.host_queues) - 1;

	if (node->config->kind == NODE_NIC)
		node->ops->host_receive(node->dataplane, &readable, now);
	for (uint32_t p = 0; p < node->config->port_count; p++)
		link_refresh(&node->links[p], 0);
	node->ops->run(node->dataplane, now + 1);
	for (uint32_t p = 0; p < node->config->port_count; p++) {
		link_flush(&node->links[p], &(bool){ 0 });
		link_note_taken(&node->links[p]);
		ring_release(&node->links[p].rx.ring);
	}
	if (node->config->kind == NODE_NIC)
		node->ops->host_deliver(node->dataplane, now);
}

static uint32_t nic_of(const struct sim *sim, bool last)
{
	uint32_t nic = 0, i = 0;

	while (sim->plan.nodes[nic].kind != NODE_NIC)
		nic++;
	for (i = nic; last && i < sim->plan.node_count; i++)
		if (sim->plan.nodes[i].kind == NODE_NIC)
			nic = i;
	return nic;
}

int main(int argc, char **argv)
{
	uint32_t count = argc > 2 ? (uint32_t)atoi(argv[2]) : 0, sent = 0, idle = 0;
	struct host from = { 0 }, to = { 0 };
	node_time_t now = 0;
	struct sim sim;

	if (!count) {
		fprintf(stderr, "usage: sim_frames SCENARIO SUPER-FRAMES [path=value ...]\n");
		return 2;
	}
	sim_open_real(&sim, argv[1], (const char *const *)argv + 3);
	host_attach(&sim, &from, nic_of(&sim, false));
	host_attach(&sim, &to, nic_of(&sim, true));
	while ((to.payload_bytes < (uint64_t)count * PAYLOAD_BYTES || to.datagrams < count) &&
	       idle++ < TURNS_MAX) {
		/* a window of one super-frame: the next one once the former is acknowledged */
		if (sent < count && to.payload_bytes == (uint64_t)sent * PAYLOAD_BYTES) {
			segment_send(&sim, &from, &to, (uint64_t)sent++ * PAYLOAD_BYTES, 0,
				     PAYLOAD_BYTES);
			datagram_send(&sim, &from, &to);
		}
		for (uint32_t i = 0; i < sim.plan.node_count; i++)
			turn(&sim, i, now);
		now += TURN_PS;
		if (host_take(&to)) {
			idle = 0;
			segment_send(&sim, &to, &from, 0, to.payload_bytes, 0);
		}
		host_take(&from);
	}
	printf("%llu bytes in %u super-frames, %llu datagrams\n",
	       (unsigned long long)to.payload_bytes, sent, (unsigned long long)to.datagrams);
	check(to.payload_bytes == (uint64_t)count * PAYLOAD_BYTES && to.datagrams == count,
	      "not all has arrived");
	for (uint32_t i = 0; i < from.fd_count; i++)
		close(from.fds[i]);
	for (uint32_t i = 0; i < to.fd_count; i++)
		close(to.fds[i]);
	sim_close(&sim);
	return 0;
}
