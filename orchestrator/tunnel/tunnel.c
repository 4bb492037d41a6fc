#include "orchestrator/tunnel/tunnel.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/process/memory.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/base/own_process.h"
#include "orchestrator/base/socket_buffer.h"
#include "orchestrator/tunnel/tunnel_names.h"

#define SOCKET_BUFFER_BYTES (8 << 20)
#define END_NS 2000000000ull /* a process that has not ended by then is killed */

const char *tunnel_node_name(const char *machine, char name[TUNNEL_NODE_NAME_MAX])
{
	snprintf(name, TUNNEL_NODE_NAME_MAX, "tunnel:%.*s", (int)NODE_NAME_MAX - 1, machine);
	return name;
}

/* ---- words of the command line ---- */

static bool name_is_valid(const char *text, size_t length)
{
	if (!length || length >= NODE_NAME_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-",
			    text[i]))
			return false;
	return true;
}

/* HOST, HOST:PORT, or [HOST]:PORT for an IPv6 address */
static bool place_read(const char *text, struct tunnel_address *address)
{
	const char *end, *port = NULL;

	if (*text == '[') {
		end = strchr(++text, ']');
		port = end && end[1] == ':' ? end + 2 : NULL;
		if (!end || (end[1] && !port))
			return false;
	} else {
		end = strchr(text, ':');
		/* more than one colon: an IPv6 address */
		end = end && !strchr(end + 1, ':') ? end : text + strlen(text);
		port = *end ? end + 1 : NULL;
	}
	if (end == text || end - text >= (ssize_t)sizeof(address->host))
		return false;
	snprintf(address->host, sizeof(address->host), "%.*s", (int)(end - text), text);
	if (port) {
		long number = strtol(port, (char **)&end, 10);

		if (*end || number < 1 || number > 65535)
			return false;
		snprintf(address->port, sizeof(address->port), "%ld", number);
	}
	return true;
}

bool tunnel_address_read(const char *text, struct tunnel_address *address, struct why *why)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : strlen(text);

	*address = (struct tunnel_address){ .port = TUNNEL_PORT };
	if (name_is_valid(text, length)) {
		memcpy(address->name, text, length);
		if (place_read(equals ? equals + 1 : address->name, address))
			return true;
	}
	return why_say(why, false,
		       "'%.100s' is no machine: expected NAME, NAME=ADDRESS or NAME=ADDRESS:PORT",
		       text);
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

int tunnel_key_read(const char *path, uint8_t key[TUNNEL_KEY_BYTES], struct why *why)
{
	char text[2 * TUNNEL_KEY_BYTES + 2] = "";
	FILE *file = fopen(path, "re");
	size_t length = 0;
	int error = file ? 0 : -errno;

	if (file) {
		length = fread(text, 1, sizeof(text), file);
		error = ferror(file) ? -EIO : 0;
		fclose(file);
	}
	if (error)
		explicit_bzero(text, sizeof(text));
	if (error)
		return why_say(why, error, "the key cannot be read: %s: %s", path,
			       strerror(-error));
	if (length && text[length - 1] == '\n')
		length--;
	for (size_t i = 0; i < 2 * TUNNEL_KEY_BYTES && !error; i += 2) {
		int high = i < length ? digit_of(text[i]) : -1;
		int low = i + 1 < length ? digit_of(text[i + 1]) : -1;

		error = high < 0 || low < 0 || length != 2 * TUNNEL_KEY_BYTES ? -EINVAL : 0;
		key[i / 2] = error ? 0 : (uint8_t)(high << 4 | low);
	}
	explicit_bzero(text, sizeof(text));
	return error ? why_say(why, error,
			       "%s is no key: expected %u hexadecimal digits, as from 'openssl "
			       "rand -hex %u'",
			       path, 2 * TUNNEL_KEY_BYTES, TUNNEL_KEY_BYTES)
		     : 0;
}

/* ---- sockets ---- */

void tunnel_init(struct tunnel *tunnel, const struct tunnel_options *options)
{
	*tunnel = (struct tunnel){
		.options = options && options->machine_count ? options : NULL,
		.control = -1,
		.doorbell = -1,
		.names = -1,
	};
	for (uint32_t i = 0; i < SCENARIO_MACHINES_MAX; i++)
		tunnel->sockets[i] = -1;
}

static int option(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) ? -errno : 0;
}

/* a socket at @port of this machine. @shared: other machines have one there, too */
static int socket_open(int family, const char *port, bool shared)
{
	struct sockaddr_in6 any6 = { .sin6_family = AF_INET6,
				     .sin6_port = htons((uint16_t)atoi(port)) };
	struct sockaddr_in any4 = { .sin_family = AF_INET,
				    .sin_port = htons((uint16_t)atoi(port)) };
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	if (family == AF_INET6)
		option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
	/* no fragments of IP: one that is lost would cost the datagram, and the length of datagrams
	 * is ours to find (tunnel_peer.h) */
	error = (shared ? option(fd, SOL_SOCKET, SO_REUSEADDR, 1) : 0)
			?: (family == AF_INET
				    ? option(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
				    : option(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER,
					     IPV6_PMTUDISC_DO));
	if (!error && bind(fd, family == AF_INET ? (struct sockaddr *)&any4 : (void *)&any6,
			   family == AF_INET ? sizeof(any4) : sizeof(any6)))
		error = -errno;
	if (error)
		close(fd);
	return error ? error : fd;
}

/* is the port free? With SO_REUSEADDR another fabric of this machine would go unnoticed */
static int port_check(const struct tunnel *tunnel, int family, struct why *why)
{
	const char *port = tunnel->options->machines[tunnel->options->self].port;
	int fd = socket_open(family, port, false);

	if (fd < 0)
		return why_say(why, fd, "UDP port %s of this machine cannot be used: %s", port,
			       strerror(-fd));
	close(fd);
	return 0;
}

static int machine_connect(struct tunnel *tunnel, uint32_t machine, bool first, struct why *why)
{
	const struct tunnel_address *address = &tunnel->options->machines[machine];
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_ADDRCONFIG }, *found;
	int fd, error = getaddrinfo(address->host, address->port, &hints, &found);

	if (error)
		return why_say(why, -EAGAIN, "the address of machine %s is not known: %s: %s",
			       address->name, address->host, gai_strerror(error));
	error = first ? port_check(tunnel, found->ai_family, why) : 0;
	fd = error ? error
		   : socket_open(found->ai_family,
				 tunnel->options->machines[tunnel->options->self].port, true);
	if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen)) {
		error = -errno;
		close(fd);
	} else if (fd < 0) {
		error = fd;
	}
	freeaddrinfo(found);
	if (error && !why->text[0])
		why_say(why, 0, "machine %s cannot be reached at %s: %s", address->name,
			address->host, strerror(-error));
	if (error)
		return error;
	socket_buffers_set(fd, SOCKET_BUFFER_BYTES);
	tunnel->sockets[machine] = fd;
	return 0;
}

static bool sockets_none(const struct tunnel *tunnel)
{
	for (uint32_t m = 0; m < tunnel->options->machine_count; m++)
		if (tunnel->sockets[m] >= 0)
			return false;
	return true;
}

int tunnel_connect(struct tunnel *tunnel, struct why *why)
{
	int error = 0;

	why->text[0] = 0;
	for (uint32_t m = 0; m < tunnel->options->machine_count && !error; m++)
		if (m != tunnel->options->self && tunnel->sockets[m] < 0)
			error = machine_connect(tunnel, m, sockets_none(tunnel), why);
	return error;
}

/* ---- the process ---- */

static int spawn(struct tunnel *tunnel, int socket, bool keep_user)
{
	pid_t pid = own_process_start(TUNNEL_COMMAND, socket, keep_user);

	tunnel->pid_shown = tunnel->pid = pid < 0 ? 0 : pid;
	return pid < 0 ? pid : 0;
}

/* the page of counters. Return: its descriptor, the caller's; -errno */
static int page_make(struct tunnel *tunnel)
{
	int fd = memory_make("heddle-tunnel", sizeof(struct tunnel_page));
	void *page;

	if (fd < 0)
		return fd;
	page = mmap(NULL, sizeof(struct tunnel_page), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		close(fd);
		return -ENOMEM;
	}
	tunnel->page = page;
	return fd;
}

int tunnel_order(struct tunnel *tunnel, const struct tunnel_order *order, const int *fds,
		 unsigned count)
{
	ssize_t sent;

	if (tunnel->control < 0)
		return -ESRCH;
	sent = descriptor_send(tunnel->control, order, sizeof(*order), fds, count);
	return sent < 0 ? (int)sent : sent == (ssize_t)sizeof(*order) ? 0 : -EIO;
}

static int orders_first(struct tunnel *tunnel, int clock_fd, int page_fd, uint32_t link_count)
{
	const struct tunnel_options *options = tunnel->options;
	struct tunnel_order order = { .kind = TUNNEL_SETUP,
				      .machine = options->self,
				      .machine_count = options->machine_count,
				      .link_count = link_count };
	int fds[3] = { clock_fd, page_fd, tunnel->doorbell }, error;

	memcpy(order.key, options->key, sizeof(order.key));
	memcpy(order.digest, options->digest, sizeof(order.digest));
	error = tunnel_order(tunnel, &order, fds, 3);
	explicit_bzero(order.key, sizeof(order.key));
	for (uint32_t m = 0; m < options->machine_count && !error; m++) {
		if (tunnel->sockets[m] < 0)
			continue;
		order = (struct tunnel_order){ .kind = TUNNEL_PEER, .machine = m };
		error = tunnel_order(tunnel, &order, &tunnel->sockets[m], 1);
		descriptor_close(&tunnel->sockets[m]);
	}
	order = (struct tunnel_order){ .kind = TUNNEL_START };
	return error ? error : tunnel_order(tunnel, &order, NULL, 0);
}

int tunnel_start(struct tunnel *tunnel, int clock_fd, uint32_t link_count, bool keep_user)
{
	int sockets[2], page_fd = page_make(tunnel), error;

	if (page_fd < 0)
		return page_fd;
	tunnel->doorbell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (tunnel->doorbell < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		error = -errno;
		close(page_fd);
		return error;
	}
	tunnel->control = sockets[0];
	error = spawn(tunnel, sockets[1], keep_user);
	close(sockets[1]);
	error = error ?: orders_first(tunnel, clock_fd, page_fd, link_count);
	close(page_fd);
	return error;
}

bool tunnel_news_read(struct tunnel *tunnel)
{
	struct tunnel_news news;
	bool any = false;

	while (tunnel->control >= 0 &&
	       recv(tunnel->control, &news, sizeof(news), MSG_DONTWAIT) == (ssize_t)sizeof(news)) {
		if (news.machine >= tunnel->options->machine_count ||
		    news.down.count > TUNNEL_DOWN_MAX || news.state >= TUNNEL_PEER_STATES)
			continue;
		tunnel->news[news.machine] = news;
		any = true;
	}
	return any;
}

void tunnel_ended(struct tunnel *tunnel, int status)
{
	if (WIFSIGNALED(status))
		snprintf(tunnel->fate, sizeof(tunnel->fate), "killed by signal %d",
			 WTERMSIG(status));
	else
		snprintf(tunnel->fate, sizeof(tunnel->fate), "ended with status %d",
			 WEXITSTATUS(status));
	tunnel->pid = 0;
	descriptor_close(&tunnel->control);
}

bool tunnel_connected(const struct tunnel *tunnel, uint32_t machine)
{
	return tunnel->pid && tunnel->news[machine].state == TUNNEL_CONNECTED;
}

void tunnel_end(struct tunnel *tunnel)
{
	struct tunnel_order order = { .kind = TUNNEL_END };
	uint64_t until_ns = monotonic_ns() + END_NS;

	if (!tunnel->options)
		return;
	tunnel_names_end(tunnel);
	tunnel_order(tunnel, &order, NULL, 0);
	while (tunnel->pid && !waitpid(tunnel->pid, NULL, WNOHANG) && monotonic_ns() < until_ns)
		usleep(1000);
	/* it may be there no more; its number is not used again before it is waited for */
	if (tunnel->pid && !waitpid(tunnel->pid, NULL, WNOHANG)) {
		kill(tunnel->pid, SIGKILL);
		waitpid(tunnel->pid, NULL, 0);
	}
	tunnel->pid = 0;
	descriptor_close(&tunnel->control);
	descriptor_close(&tunnel->doorbell);
	for (uint32_t m = 0; m < SCENARIO_MACHINES_MAX; m++)
		descriptor_close(&tunnel->sockets[m]);
	if (tunnel->page)
		munmap(tunnel->page, sizeof(*tunnel->page));
	tunnel->page = NULL;
}
