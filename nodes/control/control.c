#include "nodes/control/control.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/control/config_check.h"
#include "nodes/control/control.pb-c.h"
#include "nodes/control/control_config.h"
#include "nodes/control/control_managed.h"
#include "nodes/control/control_parameters.h"
#include "nodes/control/control_place.h"

#define SAME(wire, here) \
	_Static_assert((int)HEDDLE__##wire == (int)(here), "control.proto and config.h disagree")
SAME(NODE_KIND__SWITCH, NODE_SWITCH);
SAME(NODE_KIND__NIC, NODE_NIC);
SAME(CLOCK_KIND__VIRTUAL, CLOCK_VIRTUAL);
SAME(CLOCK_KIND__REAL, CLOCK_REAL);
SAME(PORT_KIND__EDGE, PORT_EDGE);
SAME(PORT_KIND__FABRIC, PORT_FABRIC);
#define SAME_FABRIC(constant, word) SAME(FABRIC_KIND__##constant##_FABRIC, FABRIC_##constant);
FABRIC_KIND_ROWS(SAME_FABRIC)
#undef SAME_FABRIC
SAME(LANE_RULE__KEEP, LANES_KEEP);
SAME(LANE_RULE__BY_HOP, LANES_BY_HOP);

/* the wire's kinds are one higher: 0 is "nothing said" */
SAME(MESSAGE__KIND__CONFIGURE, CONTROL_CONFIGURE + 1);
SAME(MESSAGE__KIND__READY, CONTROL_READY + 1);
SAME(MESSAGE__KIND__SHOW, CONTROL_SHOW + 1);
SAME(MESSAGE__KIND__SET, CONTROL_SET + 1);
SAME(MESSAGE__KIND__ANSWER, CONTROL_ANSWER + 1);
SAME(MESSAGE__KIND__EVENT, CONTROL_EVENT + 1);
SAME(MESSAGE__KIND__LINK_DOWN, CONTROL_LINK_DOWN + 1);
SAME(MESSAGE__KIND__LINK_UP, CONTROL_LINK_UP + 1);
SAME(MESSAGE__KIND__LINK_SET, CONTROL_LINK_SET + 1);
SAME(MESSAGE__KIND__DISCOVER, CONTROL_DISCOVER + 1);
SAME(MESSAGE__KIND__TABLE_READ, CONTROL_TABLE_READ + 1);
SAME(MESSAGE__KIND__TABLE_WRITE, CONTROL_TABLE_WRITE + 1);
SAME(MESSAGE__KIND__TABLE_COMMIT, CONTROL_TABLE_COMMIT + 1);
SAME(MESSAGE__KIND__TABLE_BEGIN, CONTROL_TABLE_BEGIN + 1);
SAME(MESSAGE__KIND__TABLE_READ_BACK, CONTROL_TABLE_READ_BACK + 1);
SAME(MESSAGE__KIND__CAPTURE, CONTROL_CAPTURE + 1);
SAME(MESSAGE__KIND__WORK, CONTROL_WORK + 1);
SAME(MESSAGE__KIND__ADOPT, CONTROL_ADOPT + 1);

/* ---- packing: a tree of protobuf-c's structures that borrows the strings and numbers of ours
 * ---- */

struct packing {
	Heddle__Message message;
	struct control_config_packing config;
	Heddle__PortConfig port;
	struct control_managed_packing managed;
	struct control_place_packing place;
};

static int message_bytes(const Heddle__Message *message, uint8_t **bytes)
{
	size_t length = heddle__message__get_packed_size(message);

	if (length > CONTROL_BYTES_MAX)
		return -EMSGSIZE;
	*bytes = malloc(length);
	if (!*bytes)
		return -ENOMEM;
	return (int)heddle__message__pack(message, *bytes);
}

int control_pack(const struct control_message *message, uint8_t **bytes)
{
	struct packing packing = { 0 };
	int result = 0;

	heddle__message__init(&packing.message);
	packing.message.kind = (Heddle__Message__Kind)(message->kind + 1);
	packing.message.number = message->number;
	packing.message.question = message->question;
	packing.message.text = (char *)message->text;
	packing.message.text2 = (char *)message->text2;
	packing.message.body.data = (uint8_t *)message->body;
	packing.message.body.len = message->body ? strlen(message->body) : 0;
	if (message->kind == CONTROL_CONFIGURE) {
		packing.message.config = &packing.config.node;
		result = control_config_pack(&packing.config, message->config);
	}
	if (!result && message->port) {
		packing.message.port = &packing.port;
		result = control_port_pack(&packing.port, message->port);
	}
	if (message->identity)
		packing.message.identity =
			control_identity_pack(&packing.managed, message->identity);
	if (message->block)
		packing.message.block = control_block_pack(&packing.managed, message->block);
	if (message->place)
		packing.message.place = control_place_pack(&packing.place, message->place);
	if (message->worker)
		packing.message.worker = control_worker_pack(&packing.place, message->worker);
	if (!result)
		result = message_bytes(&packing.message, bytes);
	control_config_packing_free(&packing.config);
	control_rows_free(packing.port.parameters, packing.port.n_parameters);
	return result;
}

/* ---- unpacking: into memory of our own; whatever is refused midway, control_message_free()
 * releases the rest ---- */

/* a packed node: every port has a peer somewhere */
static int place_unpack(struct control_message *message, const Heddle__Place *from, struct why *why)
{
	message->place = calloc(1, sizeof(*message->place));
	if (!message->place)
		return -ENOMEM;
	if (!control_place_unpack(message->place, from) ||
	    message->place->port_count != message->config->port_count)
		return why_say(why, -EINVAL,
			       "the place of the node does not have its number of ports");
	return 0;
}

static int worker_unpack(struct control_message *message, const Heddle__Message *from,
			 struct why *why)
{
	if (!from->worker)
		return why_say(why, -EINVAL, "the message to a worker does not say what it runs");
	message->worker = calloc(1, sizeof(*message->worker));
	if (!message->worker)
		return -ENOMEM;
	control_worker_unpack(message->worker, from->worker);
	return 0;
}

static int configure_unpack(struct control_message *message, const Heddle__Message *from,
			    struct why *why)
{
	int error;

	if (!from->config)
		return why_say(why, -EINVAL,
			       "the message to configure a node has no configuration");
	message->config = calloc(1, sizeof(*message->config));
	if (!message->config)
		return -ENOMEM;
	error = control_config_unpack(message->config, from->config);
	if (error == -EINVAL)
		return why_say(why, -EINVAL,
			       "the configuration has a name or a list that is too long, or an "
			       "unknown parameter");
	if (!error)
		error = node_config_check(message->config, why);
	if (!error && from->place)
		error = place_unpack(message, from->place, why);
	return error;
}

static int link_unpack(struct control_message *message, const Heddle__Message *from,
		       struct why *why)
{
	if (!from->port)
		return why_say(why, -EINVAL,
			       "the message about a link does not say what it is like");
	message->port = calloc(1, sizeof(*message->port));
	if (!message->port)
		return -ENOMEM;
	if (!control_port_unpack(message->port, from->port))
		return why_say(why, -EINVAL,
			       "the message about a link has a name that is too long");
	return 0;
}

static int identity_unpack(struct control_message *message, const Heddle__Message *from,
			   struct why *why)
{
	if (!from->identity)
		return 0;
	message->identity = calloc(1, sizeof(*message->identity));
	if (!message->identity)
		return -ENOMEM;
	if (!control_identity_unpack(message->identity, from->identity))
		return why_say(why, -EINVAL,
			       "the identity of a node has a list or a number that is too large");
	return 0;
}

static int block_unpack(struct control_message *message, const Heddle__Message *from,
			struct why *why)
{
	if (!from->block)
		return why_say(why, -EINVAL, "the message about a block of a table has none");
	message->block = calloc(1, sizeof(*message->block));
	if (!message->block)
		return -ENOMEM;
	if (!control_block_unpack(message->block, from->block))
		return why_say(
			why, -EINVAL,
			"the block of a table is of an unknown table, or not of the right length");
	return 0;
}

static int message_unpack(struct control_message *message, const Heddle__Message *from,
			  struct why *why)
{
	if (!from->kind || (uint32_t)from->kind > CONTROL_KINDS)
		return why_say(why, -EINVAL, "the control message is of unknown kind %d",
			       (int)from->kind);
	message->kind = (enum control_kind)(from->kind - 1);
	message->number = from->number;
	message->question = from->question;
	if (!control_text_copy(message->text, sizeof(message->text), from->text) ||
	    !control_text_copy(message->text2, sizeof(message->text2), from->text2))
		return why_say(why, -EINVAL, "the control message has a text that is too long");
	if (from->body.len) {
		message->body = malloc(from->body.len + 1);
		if (!message->body)
			return -ENOMEM;
		memcpy(message->body, from->body.data, from->body.len);
		message->body[from->body.len] = 0;
	}
	switch (message->kind) {
	case CONTROL_CONFIGURE:
		return configure_unpack(message, from, why);
	case CONTROL_WORK:
		return worker_unpack(message, from, why);
	case CONTROL_LINK_UP:
	case CONTROL_LINK_SET:
		return link_unpack(message, from, why);
	case CONTROL_LINK_DOWN:
		return from->port ? link_unpack(message, from, why) : 0;
	case CONTROL_TABLE_READ:
	case CONTROL_TABLE_READ_BACK:
	case CONTROL_TABLE_WRITE:
		return block_unpack(message, from, why);
	case CONTROL_ANSWER:
		return from->block ? block_unpack(message, from, why)
				   : identity_unpack(message, from, why);
	default:
		return 0;
	}
}

int control_unpack(const uint8_t *bytes, size_t length, struct control_message *message,
		   struct why *why)
{
	Heddle__Message *unpacked;
	int error;

	memset(message, 0, sizeof(*message));
	if (length > CONTROL_BYTES_MAX)
		return why_say(why, -EINVAL, "the control message is too long");
	unpacked = heddle__message__unpack(NULL, length, bytes);
	if (!unpacked)
		return why_say(why, -EINVAL, "the bytes are no control message");
	error = message_unpack(message, unpacked, why);
	heddle__message__free_unpacked(unpacked, NULL);
	if (error == -ENOMEM)
		why_say(why, 0, "there is no memory for the control message");
	if (error)
		control_message_free(message);
	return error;
}

void control_message_free(struct control_message *message)
{
	free(message->body);
	message->body = NULL;
	if (message->config)
		node_config_free(message->config);
	free(message->config);
	message->config = NULL;
	free(message->port);
	message->port = NULL;
	free(message->identity);
	message->identity = NULL;
	free(message->block);
	message->block = NULL;
	free(message->place);
	message->place = NULL;
	free(message->worker);
	message->worker = NULL;
	for (uint32_t i = 0; i < message->fd_count; i++)
		if (message->fds[i] >= 0)
			close(message->fds[i]);
	message->fd_count = 0;
}

/* ---- the socket ---- */

union descriptors {
	struct cmsghdr header;
	char space[CMSG_SPACE(CONTROL_FDS_MAX * sizeof(int))];
};

/* the kernel's default queue is too small for the largest messages. Return: true if it has been
 * enlarged */
static bool queue_enlarge(int socket, size_t bytes)
{
	int now = 0, wanted = (int)(bytes + 4096);
	socklen_t length = sizeof(now);

	if (getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &now, &length) || now >= 2 * wanted)
		return false;
	if (setsockopt(socket, SOL_SOCKET, SO_SNDBUFFORCE, &wanted, sizeof(wanted)) &&
	    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof(wanted)))
		return false;
	length = sizeof(wanted);
	return !getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &wanted, &length) && wanted > now;
}

static int packet_send(int socket, const struct msghdr *packet, size_t bytes, bool wait)
{
	for (;;) {
		struct pollfd room = { .fd = socket, .events = POLLOUT };

		if (sendmsg(socket, packet, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT)) >= 0)
			return 0;
		if (errno == EAGAIN && wait)
			poll(&room, 1, -1);
		else if (errno == ECONNRESET || errno == ECONNREFUSED || errno == ENOTCONN)
			return -EPIPE;
		else if (errno != EINTR && !(errno == EMSGSIZE && queue_enlarge(socket, bytes)))
			return errno ? -errno : -EIO;
	}
}

/* the same bytes and descriptors as one packet */
static int bytes_send(int socket, const uint8_t *bytes, size_t length, const int *fds,
		      uint32_t fd_count, bool wait)
{
	union descriptors space = { .space = { 0 } };
	struct iovec vector = { .iov_base = (void *)bytes, .iov_len = length };
	struct msghdr packet = { .msg_iov = &vector, .msg_iovlen = 1 };

	if (fd_count > CONTROL_FDS_MAX)
		return -EMSGSIZE;
	if (fd_count) {
		packet.msg_control = space.space;
		packet.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		space.header.cmsg_level = SOL_SOCKET;
		space.header.cmsg_type = SCM_RIGHTS;
		space.header.cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(&space.header), fds, fd_count * sizeof(int));
	}
	return packet_send(socket, &packet, length, wait);
}

static int message_send(int socket, const struct control_message *message, bool wait)
{
	uint8_t *bytes = NULL;
	int result = control_pack(message, &bytes);

	if (result < 0)
		return result;
	result = bytes_send(socket, bytes, (size_t)result, message->fds, message->fd_count, wait);
	free(bytes);
	return result;
}

int control_send(int socket, const struct control_message *message)
{
	return message_send(socket, message, true);
}

int control_send_now(int socket, const struct control_message *message)
{
	return message_send(socket, message, false);
}

int control_packet_send(int socket, const struct control_packet *packet)
{
	return bytes_send(socket, packet->bytes, packet->length, packet->fds, packet->fd_count,
			  true);
}

/* takes the descriptors out of @from */
static void descriptors_take(struct msghdr *from, struct control_packet *packet)
{
	for (struct cmsghdr *header = CMSG_FIRSTHDR(from); header;
	     header = CMSG_NXTHDR(from, header)) {
		size_t count;

		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count && packet->fd_count < CONTROL_FDS_MAX; i++)
			memcpy(&packet->fds[packet->fd_count++],
			       CMSG_DATA(header) + i * sizeof(int), sizeof(int));
	}
}

/*  Return: length of the next packet, 0 the peer is gone, or -errno */
static ssize_t packet_length(int socket, int wait)
{
	ssize_t length;

	do
		length = recv(socket, NULL, 0, MSG_PEEK | MSG_TRUNC | (wait ? 0 : MSG_DONTWAIT));
	while (length < 0 && errno == EINTR);
	if (length < 0)
		return errno == ECONNRESET ? 0 : -errno;
	return length;
}

/* Receives into @packet, whose bytes have space for @length, what is there. Return: 0 or -errno */
static int packet_receive(int socket, size_t length, struct control_packet *packet)
{
	union descriptors fds;
	struct iovec vector = { .iov_base = packet->bytes, .iov_len = length };
	struct msghdr to = { .msg_iov = &vector,
			     .msg_iovlen = 1,
			     .msg_control = fds.space,
			     .msg_controllen = sizeof(fds.space) };
	ssize_t got = recvmsg(socket, &to, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (got <= 0)
		return got ? -errno : -EPIPE;
	descriptors_take(&to, packet);
	packet->length = (size_t)got;
	return to.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? -EMSGSIZE : 0;
}

int control_packet_receive(int socket, struct control_packet *packet, int wait)
{
	ssize_t length = packet_length(socket, wait);
	size_t room = length > (ssize_t)CONTROL_BYTES_MAX ? CONTROL_BYTES_MAX : (size_t)length;
	int error;

	packet->fd_count = 0;
	packet->bytes = NULL;
	if (length <= 0)
		return length ? (int)length : -EPIPE;
	packet->bytes = malloc(room);
	if (!packet->bytes)
		return -ENOMEM;
	error = packet_receive(socket, room, packet);
	if (error)
		control_packet_free(packet);
	return error;
}

void control_packet_free(struct control_packet *packet)
{
	for (uint32_t i = 0; i < packet->fd_count; i++)
		if (packet->fds[i] >= 0)
			close(packet->fds[i]);
	packet->fd_count = 0;
	free(packet->bytes);
	packet->bytes = NULL;
}

int control_receive(int socket, struct control_message *message, int wait, struct why *why)
{
	struct control_packet packet;
	int error = control_packet_receive(socket, &packet, wait);

	if (error == -EMSGSIZE)
		return why_say(why, -EINVAL,
			       "the control message is too long, has too many descriptors, or the "
			       "node may not open that many");
	if (!error)
		error = control_unpack(packet.bytes, packet.length, message, why);
	if (!error) {
		message->fd_count = packet.fd_count;
		memcpy(message->fds, packet.fds, packet.fd_count * sizeof(int));
		packet.fd_count = 0;
	}
	control_packet_free(&packet);
	return error;
}
