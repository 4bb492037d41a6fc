#include "orchestrator/command/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "orchestrator/base/array_grow.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/live/live_request.h"
#include "orchestrator/live/runtime_dir.h"
#include "orchestrator/scenario/scenario_keys.h"

#define ANSWER_BYTES_MAX (64u << 20)

const struct option_row client_options[2] = {
	CLIENT_FABRIC(offsetof(struct client_words, fabric)),
	OPTION_FLAG("--json", offsetof(struct client_words, json), "the answer, for programs"),
};

/* ---- which fabric ---- */

int running_open(struct running *running, const char *command)
{
	struct why why;

	*running = (struct running){ .base_fd = runtime_open(false, &why) };
	if (running->base_fd == -ENOENT)
		return CLIENT_FINE;
	if (running->base_fd < 0)
		return options_wrong(command, "%s", why.text);
	running->count = runtime_names(running->base_fd, &running->names);
	if (running->count >= 0)
		return CLIENT_FINE;
	descriptor_close(&running->base_fd);
	return options_wrong(command, "cannot read the runtime directory: %s",
			     strerror(-running->count));
}

void running_close(struct running *running)
{
	free(running->names);
	descriptor_close(&running->base_fd);
}

/* reports that none of the running fabrics is called @name */
static int unknown(const char *command, const char *name, const struct running *running)
{
	char hint[128];

	return options_wrong(
		command, "no fabric '%s' runs%s; 'heddle ps' lists those that do", name,
		key_name_hint(name, (const char *)running->names, (size_t)running->count,
			      sizeof(*running->names), hint, sizeof(hint)));
}

/* selects the fabric, to client->fabric */
static int choose(struct client *client, const struct running *running, const char *fabric)
{
	int count = running->count, chosen = 0;

	if (!count)
		return options_wrong(client->command,
				     "no fabric runs; start one with 'heddle up SCENARIO'");
	while (fabric && chosen < count && strcmp(running->names[chosen], fabric) != 0)
		chosen++;
	if (chosen == count)
		return unknown(client->command, fabric, running);
	if (!fabric && count > 1)
		return options_wrong(
			client->command, "%d fabrics run (%s, %s%s): choose one with -f", count,
			running->names[0], running->names[1], count > 2 ? ", ..." : "");
	memcpy(client->fabric, running->names[chosen], sizeof(client->fabric));
	return CLIENT_FINE;
}

int client_open(struct client *client, const char *command, const char *fabric)
{
	const char *own = getenv("HEDDLE_FABRIC"); /* `heddle exec` sets it */
	struct running running;
	int status = running_open(&running, command);

	*client = (struct client){ .command = command, .socket = -1 };
	if (!fabric && own && own[0])
		fabric = own;
	if (status)
		return status;
	status = choose(client, &running, fabric);
	if (!status) {
		client->socket = runtime_connect(running.base_fd, client->fabric);
		if (client->socket < 0) {
			options_wrong(command, "cannot reach fabric %s: %s%s", client->fabric,
				      strerror(-client->socket),
				      client->socket == -ENOENT ? "; it is starting or ending"
				      : client->socket == -ECONNREFUSED ? "; it is ending"
									: "");
			client->ended = client->socket == -ECONNREFUSED;
			status = CLIENT_FAILED;
		} else {
			client_patience(client, CLIENT_TIMEOUT_MS);
		}
	}
	running_close(&running);
	return status;
}

void client_patience(struct client *client, unsigned timeout_ms)
{
	struct timeval timeout = { .tv_sec = timeout_ms / 1000,
				   .tv_usec = timeout_ms % 1000 * 1000 };

	setsockopt(client->socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(client->socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
}

void client_close(struct client *client)
{
	if (client->socket >= 0)
		close(client->socket);
	client->socket = -1;
}

/* ---- asking ---- */

static int request_send(int socket, json_t *request, const int *fds, unsigned fd_count)
{
	char *text = json_dumps(request, JSON_COMPACT);
	size_t length = text ? strlen(text) : 0, sent = 0;
	int error = text ? 0 : -EINVAL;

	if (text)
		text[length++] = '\n'; /* replaces the terminating NUL */
	if (length > LIVE_REQUEST_MAX)
		error = -EMSGSIZE;
	while (!error && sent < length) {
		ssize_t done = descriptor_send(socket, text + sent, length - sent, fds, fd_count);

		fd_count = 0;
		if (done > 0)
			sent += (size_t)done;
		else
			error = (int)done;
	}
	free(text);
	return error;
}

/* the next line, malloc'd to *@line (its length is returned), and the descriptors beside it */
static ssize_t line_receive(int socket, char **line, int *fds, unsigned *fd_count)
{
	size_t length = 0, size = 0;
	unsigned max = *fd_count;

	*line = NULL;
	for (*fd_count = 0; !length || (*line)[length - 1] != '\n';) {
		unsigned more = max - *fd_count;
		ssize_t received;

		if ((length == size && size >= ANSWER_BYTES_MAX) ||
		    !array_grow(line, length, &size, 65536, 1))
			return -ENOMEM;
		received = descriptor_receive(socket, *line + length, size - length,
					      fds ? fds + *fd_count : NULL, &more);
		*fd_count += more;
		if (received <= 0)
			return received ? received : -EPIPE;
		length += (size_t)received;
	}
	return (ssize_t)length;
}

/* Prints and removes the lines {"waits": ...} at the start of the @length bytes at @text. Return:
 * the number of bytes left */
static size_t waits_show(const struct client *client, char *text, size_t length)
{
	static const char begin[] = "{\"" LIVE_WAITS "\"";

	while (length >= sizeof(begin) && !memcmp(text, begin, sizeof(begin) - 1)) {
		size_t used = (size_t)((char *)memchr(text, '\n', length) - text) + 1;
		json_t *line = json_loadb(text, used, 0, NULL);

		fprintf(stderr, "heddle %s: %s\n", client->command, member_text(line, LIVE_WAITS));
		json_decref(line);
		length -= used;
		memmove(text, text + used, length);
	}
	return length;
}

/* the answer, malloc'd to *@text (its length is returned), and the descriptors beside it */
static ssize_t answer_receive(const struct client *client, char **text, int *fds,
			      unsigned *fd_count)
{
	unsigned max = *fd_count;
	ssize_t length;

	for (;;) {
		*fd_count = max;
		length = line_receive(client->socket, text, fds, fd_count);
		if (length > 0)
			length = (ssize_t)waits_show(client, *text, (size_t)length);
		if (length)
			return length;
		free(*text);
	}
}

int client_ask(struct client *client, json_t *request, json_t **answer, int *fds,
	       unsigned *fd_count)
{
	unsigned none = 0;
	char *line = NULL;
	ssize_t length = request ? request_send(client->socket, request, client->sent_fds,
						client->sent_count)
				 : -EINVAL;

	client->sent_count = 0;
	*answer = NULL;
	json_decref(request);
	/* a fabric that takes no more clients says so before it reads the request */
	if (!length || length == -EPIPE)
		length = answer_receive(client, &line, fds, fd_count ? fd_count : &none);
	if (length > 0)
		*answer = json_loadb(line, (size_t)length, 0, NULL);
	free(line);
	if (*answer && json_object_get(*answer, "error")) {
		options_wrong(client->command, "%s", member_text(*answer, "error"));
		json_decref(*answer);
		*answer = NULL;
		return CLIENT_REFUSED;
	}
	if (*answer)
		return CLIENT_FINE;
	client->ended = length == -EPIPE || length == -ECONNRESET;
	if (length == -EAGAIN)
		options_wrong(client->command,
			      "fabric %s does not answer; 'heddle down %s' ends it if it hangs",
			      client->fabric, client->fabric);
	else if (client->ended)
		options_wrong(client->command, "fabric %s has ended", client->fabric);
	else if (length == -EINVAL)
		options_wrong(client->command, "the request is not valid UTF-8");
	else
		options_wrong(client->command, "fabric %s does not answer: %s", client->fabric,
			      length > 0 ? "its answer is not JSON" : strerror((int)-length));
	return CLIENT_FAILED;
}

/* ---- answers ---- */

const char *client_time(const json_t *object, const char *key, char *text)
{
	return human_time((node_time_t)member_number(object, key) * NODE_NS, text);
}

void client_json_print(const json_t *value)
{
	json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	putchar('\n');
}

int client_fetch(const char *command, const char *fabric, json_t *request, json_t **answer)
{
	struct client client;
	int status = client_open(&client, command, fabric);

	*answer = NULL;
	if (status)
		json_decref(request);
	else
		status = client_ask(&client, request, answer, NULL, NULL);
	client_close(&client);
	return status;
}

int client_ask_and_show(const char *command, const char *fabric, json_t *request, bool json,
			void (*show)(const json_t *answer))
{
	json_t *answer;
	int status = client_fetch(command, fabric, request, &answer);

	if (!status && json)
		client_json_print(answer);
	else if (!status)
		show(answer);
	json_decref(answer);
	return status;
}

static void text_print(const json_t *answer)
{
	const char *text = member_text(answer, "text");

	if (text[0])
		printf("%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

int client_ask_and_print(const char *command, const char *fabric, json_t *request, bool json)
{
	return client_ask_and_show(command, fabric, request, json, text_print);
}

int client_text_put(const char *command, json_t *request, const char *key, const char *text)
{
	if (!json_object_set_new(request, key, json_string(text)))
		return CLIENT_FINE;
	return options_wrong(command, "'%s' is not valid UTF-8", text);
}

int client_key_put(const char *command, json_t *request, const char *const *keys, const char *word)
{
	const char *value = strchr(word, '=');
	size_t length = value ? (size_t)(value - word) : 0, used = 0;
	char list[512] = "";

	for (size_t i = 0; keys[i]; i++) {
		if (value && strlen(keys[i]) == length && !strncmp(keys[i], word, length))
			return client_text_put(command, request, keys[i], value + 1);
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used,
						 "%s%s=", i ? ", " : "", keys[i]);
	}
	return options_wrong(command, "'%s' cannot be set; expected one of %s", word, list);
}
