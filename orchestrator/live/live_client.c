#include "orchestrator/live/live_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/live/live_capture.h"
#include "orchestrator/live/live_host.h"
#include "orchestrator/live/live_peer.h"

/* a client without traffic for so long is closed when another one needs its place */
#define SILENT_NS 1000000000ull

void live_clients_init(struct live_clients *clients, struct live *live)
{
	*clients = (struct live_clients){ .live = live, .asking_fd = -1 };
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		clients->all[i].fd = -1;
}

static void descriptors_close(struct live_client *client)
{
	while (client->fd_count)
		close(client->fds[--client->fd_count]);
}

static void asker_clear(struct live_asker *asker)
{
	while (asker->fd_count)
		close(asker->fds[--asker->fd_count]);
}

static void client_close(struct live_client *client)
{
	descriptors_close(client);
	asker_clear(&client->asker);
	close(client->fd);
	free(client->in);
	free(client->out);
	*client = (struct live_client){ .fd = -1 };
}

/* sends @fd the reason why it is not served; best effort */
static void client_refuse(int fd, const char *why)
{
	(void)!send(fd, why, strlen(why), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* A slot for another client. If all are taken, the one without traffic for longest is closed, if
 * that is at least SILENT_NS. A client that sends nothing, or half a line, or does not read its
 * answer must not prevent others from ending the fabric. */
static struct live_client *client_place(struct live_clients *clients, int fd)
{
	struct live_client *oldest = &clients->all[0];

	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++) {
		struct live_client *client = &clients->all[i];

		if (client->fd < 0)
			return client;
		/* a client that captures is silent; there are fewer captures than places */
		if (oldest->capture_id ||
		    (!client->capture_id && client->heard_ns < oldest->heard_ns))
			oldest = client;
	}
	if (monotonic_ns() - oldest->heard_ns < SILENT_NS) {
		client_refuse(fd,
			      "{\"error\":\"too many requests at once: try again in a second\"}\n");
		return NULL;
	}
	if (!oldest->out)
		client_refuse(oldest->fd,
			      "{\"error\":\"closed: idle for too long while others waited\"}\n");
	client_close(oldest);
	return oldest;
}

void live_client_accept(struct live_clients *clients, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct live_client *client = NULL;

	/* then the listener is not polled for a while */
	clients->accept_paused = fd < 0 && (errno == EMFILE || errno == ENFILE);
	if (fd < 0)
		return;
	if (live_peer_allowed(fd))
		client = client_place(clients, fd);
	if (client)
		client->in = malloc(LIVE_REQUEST_MAX);
	if (!client || !client->in) {
		close(fd);
		return;
	}
	client->fd = fd;
	client->asker.inside = live_peer_inside(fd);
	client->heard_ns = monotonic_ns();
}

/* sends as much of the answer as the socket takes; false if the client has closed */
static bool client_send(struct live_client *client)
{
	ssize_t sent = descriptor_send(client->fd, client->out + client->out_sent,
				       client->out_length - client->out_sent, client->fds,
				       client->fd_count);

	if (sent < 0)
		return sent == -EAGAIN;
	descriptors_close(client);
	client->out_sent += (size_t)sent;
	if (client->out_sent == client->out_length) {
		free(client->out);
		client->out = NULL;
	}
	return true;
}

/* duplicates the descriptors of @answer; false if too many are open */
static bool descriptors_keep(struct live_client *client, const struct live_answer *answer)
{
	while (client->fd_count < answer->fd_count) {
		int fd = fcntl(answer->fds[client->fd_count], F_DUPFD_CLOEXEC, 0);

		if (fd < 0)
			return false;
		client->fds[client->fd_count++] = fd;
	}
	return true;
}

/* answers the first line, which is complete; false: close the client */
static bool client_answer(struct live_clients *clients, struct live_client *client)
{
	struct live *live = clients->live;
	char *end = memchr(client->in, '\n', client->in_length), *text;
	struct live_answer answer;
	size_t used;
	bool fine;

	used = (size_t)(end - client->in) + 1;
	clients->asking_fd = client->fd;
	live->asker = client->asker;
	live_request(live, client->in, used - 1, &answer);
	live->asker = (struct live_asker){ 0 };
	asker_clear(&client->asker);
	clients->asking_fd = -1;
	live_host_carriers(live); /* before the answer says that it is done */
	live_failure_note(live);
	client->in_length -= used;
	memmove(client->in, end + 1, client->in_length);
	text = answer.body ? json_dumps(answer.body, JSON_COMPACT) : NULL;
	json_decref(answer.body);
	if (!text)
		return false;
	client->out_length = strlen(text) + 1;
	client->out = text;
	client->out[client->out_length - 1] = '\n'; /* replaces the terminating NUL */
	client->out_sent = 0;
	if (answer.capture_id)
		client->capture_id = answer.capture_id;
	fine = descriptors_keep(client, &answer);
	while (answer.fds_owned && answer.fd_count)
		close(answer.fds[--answer.fd_count]);
	return fine && client_send(client);
}

/* discards what is there of a request that was too long */
static void rest_skip(struct live_client *client)
{
	char *end = memchr(client->in, '\n', client->in_length);
	size_t used = end ? (size_t)(end - client->in) + 1 : client->in_length;

	client->in_length -= used;
	memmove(client->in, client->in + used, client->in_length);
	client->skipping = !end;
}

/* answers a request of which LIVE_REQUEST_MAX bytes have no end; false: close the client */
static bool long_refuse(struct live_client *client)
{
	int length = asprintf(&client->out, "{\"error\":\"the request is longer than %u bytes\"}\n",
			      LIVE_REQUEST_MAX - 1);

	if (length < 0) {
		client->out = NULL;
		return false;
	}
	client->out_length = (size_t)length;
	client->out_sent = 0;
	asker_clear(&client->asker); /* the next request has its own */
	rest_skip(client);
	return client_send(client);
}

/* receives from @client; false if it has closed */
static bool client_receive(struct live_client *client)
{
	struct live_asker *asker = &client->asker;
	int fds[DESCRIPTOR_MESSAGE_MAX];
	unsigned count = DESCRIPTOR_MESSAGE_MAX;
	ssize_t length = descriptor_receive(client->fd, client->in + client->in_length,
					    LIVE_REQUEST_MAX - client->in_length, fds, &count);

	if (count) { /* those of an earlier request are not needed any more */
		asker_clear(asker);
		memcpy(asker->fds, fds, sizeof(fds));
		asker->fd_count = count;
	}
	if (length <= 0)
		return length == -EAGAIN;
	client->in_length += (size_t)length;
	if (client->skipping)
		rest_skip(client);
	return true;
}

void live_client_serve(struct live_clients *clients, struct live_client *client, short events)
{
	bool fine = true;

	client->heard_ns = monotonic_ns();
	if (client->out)
		fine = client_send(client);
	else if (events)
		fine = client_receive(client);
	while (fine && !client->out && memchr(client->in, '\n', client->in_length) &&
	       !clients->live->ending)
		fine = client_answer(clients, client);
	if (fine && !client->out && client->in_length == LIVE_REQUEST_MAX)
		fine = !clients->live->ending && long_refuse(client);
	if (!fine)
		client_close(client);
}

void live_clients_watch(struct live_clients *clients)
{
	struct live *live = clients->live;

	for (uint32_t i = 0; i < LIVE_CAPTURES_MAX; i++) {
		uint32_t id = live->captures[i].id;
		struct live_client *client = NULL;

		for (unsigned k = 0; id && k < LIVE_CLIENTS_MAX; k++)
			if (clients->all[k].fd >= 0 && clients->all[k].capture_id == id)
				client = &clients->all[k];
		if (!id || (client && !live_capture_lost(live, id)))
			continue;
		if (client)
			client_close(client);
		live->fabric.patience_until_ns = monotonic_ns() + FABRIC_ANSWER_MS * 1000000ull;
		live_capture_end(live, id);
	}
}

void live_clients_close(struct live_clients *clients)
{
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		if (clients->all[i].fd >= 0)
			client_close(&clients->all[i]);
}
