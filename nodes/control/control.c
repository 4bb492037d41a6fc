#include "nodes/control/control.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/control/config_check.h"
#include "nodes/control/control.pb-c.h"
#include "nodes/control/control_managed.h"
#include "nodes/control/control_parameters.h"

/*  A structure of config.h (or of the files it includes) and its message in control.proto have
 *  fields of the same names. These lists name them once; packing and unpacking copy by the same
 *  list, so that a field cannot be sent and not received. Names, arrays and nested messages are
 *  dealt with by hand. */
/* clang-format off */
#define PAUSE_FIELDS(F) F(start_ps) F(stop_ps) F(every_ps) F(for_ps) F(classes)
#define NODE_FIELDS(F)                                                                                                \
	F(kind) F(clock) F(fabric) F(lanes) F(index) F(node_count) F(seed)                                             \
	F(measure_from_ps) F(measure_to_ps) F(sample_ps) F(events) F(series)
/* clang-format on */

#define COPY(field) to->field = (__typeof__(to->field))from->field;

#define SAME(wire, here) \
	_Static_assert((int)HEDDLE__##wire == (int)(here), "control.proto and config.h disagree")
SAME(NODE_KIND__SWITCH, NODE_SWITCH);
SAME(NODE_KIND__NIC, NODE_NIC);
SAME(CLOCK_KIND__VIRTUAL, CLOCK_VIRTUAL);
SAME(CLOCK_KIND__REAL, CLOCK_REAL);
SAME(PORT_KIND__EDGE, PORT_EDGE);
SAME(PORT_KIND__FABRIC, PORT_FABRIC);
SAME(FABRIC_KIND__FLOW_CHANNEL_FABRIC, FABRIC_FLOW_CHANNEL);
SAME(FABRIC_KIND__ROCE_FABRIC, FABRIC_ROCE);
SAME(FABRIC_KIND__PORT_GROUP_FABRIC, FABRIC_PORT_GROUP);
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

/* ---- packing: a tree of protobuf-c's structures that borrows the strings and numbers of ours
 * ---- */

struct packing {
	Heddle__Message message;
	Heddle__NodeConfig node;
	Heddle__SwitchConfig switch_;
	Heddle__NicConfig nic;
	Heddle__PortConfig port;
	struct control_managed_packing managed;
};

/* a table of pointers to @count structures of @size that follow it, zeroed, released by one free();
 * NULL if @count is 0 */
static void *table(size_t count, size_t size)
{
	size_t rounded = (size + 15) / 16 * 16;
	size_t head = (count * sizeof(void *) + 15) / 16 * 16;
	char *memory = count ? calloc(1, head + count * rounded) : NULL;

	for (size_t i = 0; memory && i < count; i++)
		((void **)(void *)memory)[i] = memory + head + i * rounded;
	return memory;
}

static int classes_pack(Heddle__NodeConfig *node, const struct node_config *config)
{
	node->classes = table(config->class_count, sizeof(Heddle__ClassConfig));
	if (config->class_count && !node->classes)
		return -ENOMEM;
	for (node->n_classes = 0; node->n_classes < config->class_count; node->n_classes++) {
		const struct class_config *from = &config->classes[node->n_classes];
		Heddle__ClassConfig *to = node->classes[node->n_classes];

		heddle__class_config__init(to);
		to->name = (char *)from->name;
	}
	return 0;
}

static int port_pack(Heddle__PortConfig *to, const struct port_config *from)
{
	heddle__port_config__init(to);
	to->peer_name = (char *)from->peer_name;
	to->match_fields = from->match.fields;
	if (flow_match_masked(&from->match)) {
		to->match_mask = (uint64_t *)from->match.mask;
		to->n_match_mask = FLOW_PARTS;
	}
	return control_rows_pack(&port_parameters, from, &to->parameters, &to->n_parameters);
}

static int ports_pack(Heddle__NodeConfig *node, const struct node_config *config)
{
	int error = 0;

	node->ports = table(config->port_count, sizeof(Heddle__PortConfig));
	if (config->port_count && !node->ports)
		return -ENOMEM;
	for (; !error && node->n_ports < config->port_count; node->n_ports++)
		error = port_pack(node->ports[node->n_ports], &config->ports[node->n_ports]);
	return error;
}

static int prefixes_pack(Heddle__SwitchConfig *to, const struct switch_config *config)
{
	to->prefixes = table(config->prefix_count, sizeof(Heddle__PrefixConfig));
	if (config->prefix_count && !to->prefixes)
		return -ENOMEM;
	for (; to->n_prefixes < config->prefix_count; to->n_prefixes++) {
		const struct prefix_config *from = &config->prefixes[to->n_prefixes];
		Heddle__PrefixConfig *prefix = to->prefixes[to->n_prefixes];

		heddle__prefix_config__init(prefix);
		prefix->host_index = from->host_index;
		prefix->bits = from->bits;
		prefix->address.data = (uint8_t *)from->address;
		prefix->address.len = prefix_bits_max(from->version) / 8;
	}
	return 0;
}

static int switch_pack(struct packing *packing, const struct switch_config *from)
{
	Heddle__SwitchConfig *to = &packing->switch_;

	return prefixes_pack(to, from);
}

static int workload_pack(Heddle__WorkloadConfig *to, const struct workload_config *from)
{
	heddle__workload_config__init(to);
	to->name = (char *)from->name;
	to->n_destinations = from->destination_count;
	to->destinations = from->destinations;
	to->sizes = table(from->size_count, sizeof(Heddle__SizePoint));
	if (from->size_count && !to->sizes)
		return -ENOMEM;
	for (; to->n_sizes < from->size_count; to->n_sizes++) {
		heddle__size_point__init(to->sizes[to->n_sizes]);
		to->sizes[to->n_sizes]->bytes = from->sizes[to->n_sizes].bytes;
		to->sizes[to->n_sizes]->cumulative_ppm = from->sizes[to->n_sizes].cumulative_ppm;
	}
	return control_rows_pack(&workload_parameters, from, &to->parameters, &to->n_parameters);
}

static int pauses_pack(Heddle__NicConfig *nic, const struct nic_config *config)
{
	nic->pauses = table(config->pause_count, sizeof(Heddle__PauseConfig));
	if (config->pause_count && !nic->pauses)
		return -ENOMEM;
	for (; nic->n_pauses < config->pause_count; nic->n_pauses++) {
		const struct pause_config *from = &config->pauses[nic->n_pauses];
		Heddle__PauseConfig *to = nic->pauses[nic->n_pauses];

		heddle__pause_config__init(to);
		PAUSE_FIELDS(COPY)
	}
	return 0;
}

static int nic_pack(Heddle__NicConfig *to, const struct nic_config *from)
{
	int error = 0;

	to->workloads = table(from->workload_count, sizeof(Heddle__WorkloadConfig));
	if (from->workload_count && !to->workloads)
		return -ENOMEM;
	for (; !error && to->n_workloads < from->workload_count; to->n_workloads++)
		error = workload_pack(to->workloads[to->n_workloads],
				      &from->workloads[to->n_workloads]);
	return error ? error : pauses_pack(to, from);
}

static int config_pack(struct packing *packing, const struct node_config *from)
{
	Heddle__NodeConfig *to = &packing->node;
	int error;

	heddle__node_config__init(to);
	heddle__switch_config__init(&packing->switch_);
	heddle__nic_config__init(&packing->nic);
	packing->message.config = to;
	to->name = (char *)from->name;
	NODE_FIELDS(COPY)
	error = classes_pack(to, from);
	if (!error)
		error = control_parameters_pack(to, from);
	if (!error)
		error = ports_pack(to, from);
	if (!error && from->kind == NODE_SWITCH) {
		to->switch_ = &packing->switch_;
		error = switch_pack(packing, &from->switch_);
	} else if (!error) {
		to->nic = &packing->nic;
		error = nic_pack(to->nic, &from->nic);
	}
	return error;
}

static void packing_free(struct packing *packing)
{
	for (size_t i = 0; i < packing->nic.n_workloads; i++) {
		free(packing->nic.workloads[i]->sizes);
		control_rows_free(packing->nic.workloads[i]->parameters,
				  packing->nic.workloads[i]->n_parameters);
	}
	free(packing->nic.workloads);
	free(packing->nic.pauses);
	free(packing->switch_.prefixes);
	free(packing->node.classes);
	control_rows_free(packing->node.parameters, packing->node.n_parameters);
	for (size_t i = 0; i < packing->node.n_ports; i++)
		control_rows_free(packing->node.ports[i]->parameters,
				  packing->node.ports[i]->n_parameters);
	free(packing->node.ports);
	control_rows_free(packing->port.parameters, packing->port.n_parameters);
}

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
	if (message->kind == CONTROL_CONFIGURE)
		result = config_pack(&packing, message->config);
	if (!result && message->port) {
		packing.message.port = &packing.port;
		result = port_pack(&packing.port, message->port);
	}
	if (message->identity)
		packing.message.identity =
			control_identity_pack(&packing.managed, message->identity);
	if (message->block)
		packing.message.block = control_block_pack(&packing.managed, message->block);
	if (!result)
		result = message_bytes(&packing.message, bytes);
	packing_free(&packing);
	return result;
}

/* ---- unpacking: into memory of our own; whatever is refused midway, control_message_free()
 * releases the rest ---- */

static int refuse(char *why, unsigned why_max, const char *what)
{
	snprintf(why, why_max, "%s", what);
	return -EINVAL;
}

static bool text_copy(char *to, size_t to_bytes, const char *from)
{
	size_t length = strlen(from);

	if (length >= to_bytes)
		return false;
	memcpy(to, from, length + 1);
	return true;
}

static int classes_unpack(struct node_config *config, const Heddle__NodeConfig *node)
{
	if (node->n_classes > NODE_CLASSES_MAX)
		return -EINVAL;
	for (; config->class_count < node->n_classes; config->class_count++) {
		const Heddle__ClassConfig *from = node->classes[config->class_count];
		struct class_config *to = &config->classes[config->class_count];

		if (!text_copy(to->name, sizeof(to->name), from->name))
			return -EINVAL;
	}
	return 0;
}

static bool port_unpack(struct port_config *to, const Heddle__PortConfig *from)
{
	if (!text_copy(to->peer_name, sizeof(to->peer_name), from->peer_name) ||
	    (from->n_match_mask && from->n_match_mask != FLOW_PARTS))
		return false;
	to->match = flow_match_whole(from->match_fields);
	for (size_t i = 0; i < from->n_match_mask; i++)
		to->match.mask[i] = from->match_mask[i];
	return control_rows_unpack(&port_parameters, to, from->parameters, from->n_parameters);
}

static int ports_unpack(struct node_config *config, const Heddle__NodeConfig *node)
{
	config->ports = calloc(node->n_ports ? node->n_ports : 1, sizeof(*config->ports));
	if (!config->ports)
		return -ENOMEM;
	for (; config->port_count < node->n_ports; config->port_count++) {
		if (!port_unpack(&config->ports[config->port_count],
				 node->ports[config->port_count]))
			return -EINVAL;
	}
	return 0;
}

/* whether it is a prefix, and where it stands among the others: node_config_check() */
static bool prefix_unpack(struct prefix_config *to, const Heddle__PrefixConfig *from)
{
	if ((from->address.len != 4 && from->address.len != 16) || from->bits > 128)
		return false;
	*to = (struct prefix_config){ .host_index = from->host_index,
				      .version = from->address.len == 4 ? 4 : 6,
				      .bits = (uint8_t)from->bits };
	memcpy(to->address, from->address.data, from->address.len);
	return true;
}

static int prefixes_unpack(struct switch_config *to, const Heddle__SwitchConfig *from)
{
	if (from->n_prefixes > NODE_PREFIXES_MAX)
		return -EINVAL;
	to->prefixes = from->n_prefixes ? calloc(from->n_prefixes, sizeof(*to->prefixes)) : NULL;
	if (from->n_prefixes && !to->prefixes)
		return -ENOMEM;
	for (; to->prefix_count < from->n_prefixes; to->prefix_count++)
		if (!prefix_unpack(&to->prefixes[to->prefix_count],
				   from->prefixes[to->prefix_count]))
			return -EINVAL;
	return 0;
}

static int switch_unpack(struct switch_config *to, const Heddle__SwitchConfig *from)
{
	return prefixes_unpack(to, from);
}

static int workload_unpack(struct workload_config *to, const Heddle__WorkloadConfig *from)
{
	if (!text_copy(to->name, sizeof(to->name), from->name) ||
	    from->n_sizes > WORKLOAD_SIZES_MAX ||
	    !control_rows_unpack(&workload_parameters, to, from->parameters, from->n_parameters))
		return -EINVAL;
	to->sizes = calloc(from->n_sizes ? from->n_sizes : 1, sizeof(*to->sizes));
	to->destinations =
		calloc(from->n_destinations ? from->n_destinations : 1, sizeof(*to->destinations));
	if (!to->sizes || !to->destinations)
		return -ENOMEM;
	for (; to->size_count < from->n_sizes; to->size_count++) {
		to->sizes[to->size_count].bytes = from->sizes[to->size_count]->bytes;
		to->sizes[to->size_count].cumulative_ppm =
			from->sizes[to->size_count]->cumulative_ppm;
	}
	for (; to->destination_count < from->n_destinations; to->destination_count++)
		to->destinations[to->destination_count] = from->destinations[to->destination_count];
	return 0;
}

static int pauses_unpack(struct nic_config *nic, const Heddle__NicConfig *config)
{
	nic->pauses = calloc(config->n_pauses ? config->n_pauses : 1, sizeof(*nic->pauses));
	if (!nic->pauses)
		return -ENOMEM;
	for (; nic->pause_count < config->n_pauses; nic->pause_count++) {
		const Heddle__PauseConfig *from = config->pauses[nic->pause_count];
		struct pause_config *to = &nic->pauses[nic->pause_count];

		PAUSE_FIELDS(COPY)
	}
	return 0;
}

static int nic_unpack(struct nic_config *to, const Heddle__NicConfig *from)
{
	to->workloads = calloc(from->n_workloads ? from->n_workloads : 1, sizeof(*to->workloads));
	if (!to->workloads)
		return -ENOMEM;
	for (; to->workload_count < from->n_workloads; to->workload_count++) {
		int error = workload_unpack(&to->workloads[to->workload_count],
					    from->workloads[to->workload_count]);

		if (error) {
			to->workload_count++; /* what it has is to be released too */
			return error;
		}
	}
	return pauses_unpack(to, from);
}

static int config_unpack(struct node_config *to, const Heddle__NodeConfig *from)
{
	int error = 0;

	if (!text_copy(to->name, sizeof(to->name), from->name))
		return -EINVAL;
	NODE_FIELDS(COPY)
	error = classes_unpack(to, from);
	if (!error && !control_parameters_unpack(to, from))
		error = -EINVAL;
	if (!error && from->switch_)
		error = switch_unpack(&to->switch_, from->switch_);
	if (!error)
		error = ports_unpack(to, from);
	if (!error && from->nic)
		error = nic_unpack(&to->nic, from->nic);
	return error;
}

static int configure_unpack(struct control_message *message, const Heddle__Message *from, char *why,
			    unsigned why_max)
{
	int error;

	if (!from->config)
		return refuse(why, why_max, "the message to configure a node has no configuration");
	message->config = calloc(1, sizeof(*message->config));
	if (!message->config)
		return -ENOMEM;
	error = config_unpack(message->config, from->config);
	if (error == -EINVAL)
		return refuse(why, why_max,
			      "the configuration has a name or a list that is too long, or an "
			      "unknown parameter");
	return error ? error : node_config_check(message->config, why, why_max);
}

static int link_unpack(struct control_message *message, const Heddle__Message *from, char *why,
		       unsigned why_max)
{
	if (!from->port)
		return refuse(why, why_max,
			      "the message about a link does not say what it is like");
	message->port = calloc(1, sizeof(*message->port));
	if (!message->port)
		return -ENOMEM;
	if (!port_unpack(message->port, from->port))
		return refuse(why, why_max, "the message about a link has a name that is too long");
	return 0;
}

static int identity_unpack(struct control_message *message, const Heddle__Message *from, char *why,
			   unsigned why_max)
{
	if (!from->identity)
		return 0;
	message->identity = calloc(1, sizeof(*message->identity));
	if (!message->identity)
		return -ENOMEM;
	if (!control_identity_unpack(message->identity, from->identity))
		return refuse(why, why_max,
			      "the identity of a node has a list or a number that is too large");
	return 0;
}

static int block_unpack(struct control_message *message, const Heddle__Message *from, char *why,
			unsigned why_max)
{
	if (!from->block)
		return refuse(why, why_max, "the message about a block of a table has none");
	message->block = calloc(1, sizeof(*message->block));
	if (!message->block)
		return -ENOMEM;
	if (!control_block_unpack(message->block, from->block))
		return refuse(
			why, why_max,
			"the block of a table is of an unknown table, or not of the right length");
	return 0;
}

static int message_unpack(struct control_message *message, const Heddle__Message *from, char *why,
			  unsigned why_max)
{
	if (!from->kind || (uint32_t)from->kind > CONTROL_KINDS) {
		snprintf(why, why_max, "the control message is of unknown kind %d",
			 (int)from->kind);
		return -EINVAL;
	}
	message->kind = (enum control_kind)(from->kind - 1);
	message->number = from->number;
	message->question = from->question;
	if (!text_copy(message->text, sizeof(message->text), from->text) ||
	    !text_copy(message->text2, sizeof(message->text2), from->text2))
		return refuse(why, why_max, "the control message has a text that is too long");
	if (from->body.len) {
		message->body = malloc(from->body.len + 1);
		if (!message->body)
			return -ENOMEM;
		memcpy(message->body, from->body.data, from->body.len);
		message->body[from->body.len] = 0;
	}
	switch (message->kind) {
	case CONTROL_CONFIGURE:
		return configure_unpack(message, from, why, why_max);
	case CONTROL_LINK_UP:
	case CONTROL_LINK_SET:
		return link_unpack(message, from, why, why_max);
	case CONTROL_LINK_DOWN:
		return from->port ? link_unpack(message, from, why, why_max) : 0;
	case CONTROL_TABLE_READ:
	case CONTROL_TABLE_READ_BACK:
	case CONTROL_TABLE_WRITE:
		return block_unpack(message, from, why, why_max);
	case CONTROL_ANSWER:
		return from->block ? block_unpack(message, from, why, why_max)
				   : identity_unpack(message, from, why, why_max);
	default:
		return 0;
	}
}

int control_unpack(const uint8_t *bytes, size_t length, struct control_message *message, char *why,
		   unsigned why_max)
{
	Heddle__Message *unpacked;
	int error;

	memset(message, 0, sizeof(*message));
	if (length > CONTROL_BYTES_MAX)
		return refuse(why, why_max, "the control message is too long");
	unpacked = heddle__message__unpack(NULL, length, bytes);
	if (!unpacked)
		return refuse(why, why_max, "the bytes are no control message");
	error = message_unpack(message, unpacked, why, why_max);
	heddle__message__free_unpacked(unpacked, NULL);
	if (error == -ENOMEM)
		refuse(why, why_max, "there is no memory for the control message");
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

static int message_send(int socket, const struct control_message *message, bool wait)
{
	union descriptors fds = { .space = { 0 } };
	struct iovec vector = { 0 };
	struct msghdr packet = { .msg_iov = &vector, .msg_iovlen = 1 };
	uint8_t *bytes = NULL;
	int result;

	if (message->fd_count > CONTROL_FDS_MAX)
		return -EMSGSIZE;
	result = control_pack(message, &bytes);
	if (result < 0)
		return result;
	vector = (struct iovec){ .iov_base = bytes, .iov_len = (size_t)result };
	if (message->fd_count) {
		packet.msg_control = fds.space;
		packet.msg_controllen = CMSG_SPACE(message->fd_count * sizeof(int));
		fds.header.cmsg_level = SOL_SOCKET;
		fds.header.cmsg_type = SCM_RIGHTS;
		fds.header.cmsg_len = CMSG_LEN(message->fd_count * sizeof(int));
		memcpy(CMSG_DATA(&fds.header), message->fds, message->fd_count * sizeof(int));
	}
	result = packet_send(socket, &packet, vector.iov_len, wait);
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

/* takes the descriptors out of @packet */
static void descriptors_take(struct msghdr *packet, struct control_message *message)
{
	for (struct cmsghdr *header = CMSG_FIRSTHDR(packet); header;
	     header = CMSG_NXTHDR(packet, header)) {
		size_t count;

		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count && message->fd_count < CONTROL_FDS_MAX; i++)
			memcpy(&message->fds[message->fd_count++],
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

static int packet_receive(int socket, uint8_t *bytes, size_t length,
			  struct control_message *message, char *why, unsigned why_max)
{
	struct control_message received = { 0 };
	union descriptors fds;
	struct iovec vector = { .iov_base = bytes, .iov_len = length };
	struct msghdr packet = { .msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = fds.space,
				 .msg_controllen = sizeof(fds.space) };
	ssize_t got = recvmsg(socket, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int error;

	if (got <= 0)
		return got ? -errno : -EPIPE;
	descriptors_take(&packet, &received);
	if (packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		error = refuse(
			why, why_max,
			"the control message is too long, has too many descriptors, or the node "
			"may not open that many");
	else
		error = control_unpack(bytes, (size_t)got, message, why, why_max);
	if (error) {
		control_message_free(&received);
		return error;
	}
	message->fd_count = received.fd_count;
	memcpy(message->fds, received.fds, received.fd_count * sizeof(int));
	return 0;
}

int control_receive(int socket, struct control_message *message, int wait, char *why,
		    unsigned why_max)
{
	ssize_t length = packet_length(socket, wait);
	size_t room = length > (ssize_t)CONTROL_BYTES_MAX ? CONTROL_BYTES_MAX : (size_t)length;
	uint8_t *bytes;
	int error;

	if (length <= 0)
		return length ? (int)length : -EPIPE;
	bytes = malloc(room);
	if (!bytes)
		return -ENOMEM;
	error = packet_receive(socket, bytes, room, message, why, why_max);
	free(bytes);
	return error;
}
