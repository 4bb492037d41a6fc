#include "orchestrator/hosts/veth_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orchestrator/base/socket_buffer.h"

#define SOCKET_BUFFER_BYTES (8 << 20)
#define NAME_CHARS (IFNAMSIZ - 1)

/* ---- the pair ---- */

void veth_link_name(char name[IFNAMSIZ], const char *own, const char *peer, uint32_t number,
		    char end, bool numbered)
{
	char suffix[IFNAMSIZ], text[64];
	int each, suffix_chars;

	if (!numbered && snprintf(name, IFNAMSIZ, "%s.%s", own, peer) <= NAME_CHARS)
		return;
	suffix_chars = snprintf(suffix, sizeof(suffix), ".%u%c", number, end);
	each = (NAME_CHARS - 1 - suffix_chars) / 2;
	snprintf(text, sizeof(text), "%.*s.%.*s%s", each, own, each, peer, suffix);
	snprintf(name, IFNAMSIZ, "%.15s", text);
}

static int pair_add(struct veth_link *veth, struct netlink *netlink, const char *name_a,
		    const char *name_b, uint32_t mtu_bytes)
{
	struct netlink_end end_a = { name_a, NULL, -1 }, end_b = { name_b, NULL, -1 };
	int error = netlink_veth_add(netlink, &end_a, &end_b, mtu_bytes);

	if (error)
		return error;
	veth->index_a = netlink_index(netlink, name_a);
	veth->index_b = netlink_index(netlink, name_b);
	if (veth->index_a < 0)
		return veth->index_a;
	return veth->index_b < 0 ? veth->index_b : 0;
}

void veth_link_free(struct veth_link *veth, struct netlink *netlink)
{
	int index = veth->index_a > 0 ? veth->index_a : veth->index_b;

	if (index > 0) /* one end takes the other with it */
		netlink_link_delete(netlink, index);
	*veth = (struct veth_link){ 0 };
}

int veth_link_make(struct veth_link *veth, struct netlink *netlink, const char *a, const char *b,
		   uint32_t number, uint32_t mtu_bytes)
{
	char name_a[IFNAMSIZ], name_b[IFNAMSIZ];
	int error = -EEXIST;

	*veth = (struct veth_link){ 0 };
	for (int numbered = 0; numbered <= 1 && error == -EEXIST; numbered++) {
		veth_link_name(name_a, a, b, number, 'a', numbered);
		veth_link_name(name_b, b, a, number, 'b', numbered);
		error = pair_add(veth, netlink, name_a, name_b, mtu_bytes);
	}
	error = error ?: netlink_link_up(netlink, veth->index_a, true)
		      ?: netlink_link_up(netlink, veth->index_b, true);
	if (error)
		veth_link_free(veth, netlink);
	return error;
}

/* ---- its sockets ---- */

static int socket_prepare(int fd, int index)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = index };
	const int on = 1;

	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)))
		return -errno;
	socket_buffers_set(fd, SOCKET_BUFFER_BYTES);
	return bind(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
}

/* Protocol 0: nothing is received before bind(). Frames pass the queue of the interface, so that
 * captures show them. */
static int socket_open(int index)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	error = socket_prepare(fd, index);
	if (error)
		close(fd);
	return error ? error : fd;
}

int veth_link_sockets(const struct veth_link *veth, int fds[2])
{
	int error;

	fds[0] = socket_open(veth->index_a);
	fds[1] = fds[0] < 0 ? -1 : socket_open(veth->index_b);
	if (fds[0] >= 0 && fds[1] >= 0)
		return 0;
	error = fds[0] < 0 ? fds[0] : fds[1];
	if (fds[0] >= 0)
		close(fds[0]);
	fds[0] = fds[1] = -1;
	return error;
}
