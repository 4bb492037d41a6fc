#include "orchestrator/view/view_server.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/base/version.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/view/http_check.h"
#include "orchestrator/view/view_page.h"

#define BODY_DEPTH_MAX 16u /* lists and objects within each other */
#define PIECE_BYTES 16384u /* handed to a socket at a time */
#define THREAD_PRIORITY 19 /* the lowest */
#define HEADERS_ALWAYS                                                                  \
	"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"                \
	"Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n" \
	"X-Frame-Options: DENY\r\nConnection: close\r\n"

struct view_server {
	struct view_server_options options;
	struct view_shelf *shelf;
	pthread_mutex_t lab_lock; /* for the hooks of the lab */
	struct mg_context *context;
	unsigned port;
	char *policy; /* of the page */
	char token[HTTP_TOKEN_DIGITS + 1];
	char failure[VIEW_TEXT_MAX]; /* why civetweb did not start */
};

/* ---- answers ---- */

static const char *status_text(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 201:
		return "Created";
	case 204:
		return "No Content";
	case 206:
		return "Partial Content";
	default:
		return status < 500 ? "Refused" : "Failed";
	}
}

/* the line of the status and all headers. @more  further ones, each with its end, or "" */
static void head_send(struct mg_connection *connection, int status, const char *type,
		      uint64_t length, const char *more)
{
	mg_printf(connection, "HTTP/1.1 %d %s\r\n" HEADERS_ALWAYS "%s", status, status_text(status),
		  more);
	if (status != 204) /* which has no body, not even an empty one */
		mg_printf(connection, "Content-Type: %s\r\nContent-Length: %llu\r\n", type,
			  (unsigned long long)length);
	mg_printf(connection, "\r\n");
}

static bool head_only(struct mg_connection *connection)
{
	const struct mg_request_info *request = mg_get_request_info(connection);

	/* of what was no request there is no method */
	return request && request->request_method && !strcmp(request->request_method, "HEAD");
}

static int text_send(struct mg_connection *connection, int status, const char *type,
		     const char *more, const char *text, size_t length)
{
	uint64_t begin_ns = monotonic_ns();

	head_send(connection, status, type, length, more);
	while (length && !head_only(connection) &&
	       monotonic_ns() - begin_ns < VIEW_ANSWER_MS * 1000000ull) {
		size_t piece = length < PIECE_BYTES ? length : PIECE_BYTES;

		if (mg_write(connection, text, piece) != (int)piece)
			break;
		text += piece;
		length -= piece;
	}
	return status;
}

/* @body is taken */
static int json_send(struct mg_connection *connection, int status, json_t *body)
{
	char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;

	json_decref(body);
	if (!text)
		return text_send(connection, 500, "application/json", "",
				 "{\"error\":\"Memory is short.\"}", 29);
	text_send(connection, status, "application/json", "", text, strlen(text));
	free(text);
	return status;
}

static int error_send(struct mg_connection *connection, int status, const char *sentence)
{
	return json_send(connection, status, json_pack("{s:s}", "error", sentence));
}

/* ---- recordings ---- */

/* sends @length bytes of @fd from @from on, as long as the reader takes them fast enough */
static void file_send(struct mg_connection *connection, int fd, uint64_t from, uint64_t length)
{
	uint64_t begin_ns = monotonic_ns(), sent = 0;
	char piece[PIECE_BYTES];

	while (sent < length) {
		uint64_t wanted = length - sent < sizeof(piece) ? length - sent : sizeof(piece);
		ssize_t got = pread(fd, piece, wanted, (off_t)(from + sent));
		uint64_t allowed_ns = (VIEW_ANSWER_MS + sent * 1000 / VIEW_RATE_MIN) * 1000000ull;

		if (got <= 0 || mg_write(connection, piece, (size_t)got) != (int)got ||
		    monotonic_ns() - begin_ns > allowed_ns)
			return;
		sent += (uint64_t)got;
	}
}

/* a name of a file that any system takes: that of the recording without its suffix */
static void file_name(const char *name, char plain[64])
{
	const char *dot = strchr(name, '.');
	size_t length = 0;

	for (; *name && name != dot && length < 63; name++)
		if ((*name >= '0' && *name <= '9') ||
		    ((*name | 32) >= 'a' && (*name | 32) <= 'z') || *name == '-')
			plain[length++] = *name;
	plain[length] = 0;
}

/* @error  of http_range(), for a file of @size bytes */
static int range_refuse(struct mg_connection *connection, int error, uint64_t size)
{
	const char *text = error == -ERANGE ? "{\"error\":\"The range begins after the end of what "
					      "is recorded.\"}"
					    : "{\"error\":\"Range takes bytes=N- or bytes=N-M.\"}";
	char header[64];

	snprintf(header, sizeof(header), "Content-Range: bytes */%llu\r\n",
		 (unsigned long long)size);
	return text_send(connection, 416, "application/json", header, text, strlen(text));
}

static int recording_send(struct mg_connection *connection, int fd, enum view_state state,
			  const char *name)
{
	const char *range = mg_get_header(connection, "Range");
	char headers[512], plain[64];
	uint64_t from = 0, length;
	struct stat file;
	int error = 0, used;

	if (fstat(fd, &file))
		return error_send(connection, 500, "The recording cannot be read.");
	length = (uint64_t)file.st_size;
	if (range)
		error = http_range(range, (uint64_t)file.st_size, &from, &length);
	if (error)
		return range_refuse(connection, error, (uint64_t)file.st_size);
	file_name(name, plain);
	used = snprintf(headers, sizeof(headers),
			"Accept-Ranges: bytes\r\nHeddle-State: %s\r\n"
			"Content-Disposition: attachment; filename=\"%s.heddle\"\r\n",
			view_state_name(state), plain);
	if (range && !length) {
		head_send(connection, 204, "application/octet-stream", 0, headers);
		return 204;
	}
	if (range && length > VIEW_RANGE_MAX)
		length = VIEW_RANGE_MAX;
	if (range)
		snprintf(headers + used, sizeof(headers) - (size_t)used,
			 "Content-Range: bytes %llu-%llu/%llu\r\n", (unsigned long long)from,
			 (unsigned long long)(from + length - 1), (unsigned long long)file.st_size);
	head_send(connection, range ? 206 : 200, "application/octet-stream", length, headers);
	if (!head_only(connection))
		file_send(connection, fd, from, length);
	return range ? 206 : 200;
}

static int recording_get(struct view_server *server, struct mg_connection *connection, unsigned id)
{
	char name[VIEW_TEXT_MAX], sentence[64];
	enum view_state state;
	int fd = view_shelf_open(server->shelf, id, &state, name), status;

	if (fd < 0) {
		snprintf(sentence, sizeof(sentence), "There is no recording %u.", id);
		return error_send(connection, 404, sentence);
	}
	status = recording_send(connection, fd, state, name);
	descriptor_close(&fd);
	return status;
}

static int recordings_get(struct view_server *server, struct mg_connection *connection)
{
	return json_send(connection, 200,
			 json_pack("{s:{s:s, s:s, s:b, s:b, s:i}, s:o}", "server", "version",
				   HEDDLE_VERSION, "mode", server->options.mode, "control",
				   server->options.fork != NULL, "lab", server->options.lab != NULL,
				   "forks_max", (int)VIEW_FORKS_MAX, "recordings",
				   view_shelf_list(server->shelf)));
}

/* ---- changes ---- */

/* the body of a request as JSON; NULL after an error answer, *@status */
static json_t *body_read(struct mg_connection *connection, int *status)
{
	const char *type = mg_get_header(connection, "Content-Type");
	long long wanted = mg_get_request_info(connection)->content_length;
	char *text, sentence[320];
	json_error_t why = { .line = 1, .text = "memory is short" };
	json_t *body = NULL;
	size_t length = 0;

	if (!type || strncmp(type, "application/json", 16) != 0) {
		*status = error_send(connection, 415, "The body must be application/json.");
		return NULL;
	}
	if (wanted < 0 || wanted > (long long)VIEW_BODY_MAX) {
		*status = error_send(connection, wanted < 0 ? 411 : 413,
				     wanted < 0 ? "The request has no Content-Length."
						: "The body is longer than 65536 bytes.");
		return NULL;
	}
	text = malloc((size_t)wanted + 1);
	while (text && length < (size_t)wanted) {
		int got = mg_read(connection, text + length, (size_t)wanted - length);

		if (got <= 0)
			break;
		length += (size_t)got;
	}
	if (text && !http_json_flat(text, length, BODY_DEPTH_MAX))
		snprintf(why.text, sizeof(why.text), "it nests too deeply");
	else if (text)
		body = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
	free(text);
	if (!body) {
		snprintf(sentence, sizeof(sentence), "The body is not JSON: line %d: %s.", why.line,
			 why.text);
		*status = error_send(connection, 400, sentence);
	}
	return body;
}

static int fork_post(struct view_server *server, struct mg_connection *connection)
{
	struct why why = { "" };
	unsigned id = 0;
	int status = 0;
	json_t *body;

	if (!server->options.fork)
		return error_send(connection, 403,
				  "This server is read only: start it with --view=control, or "
				  "heddle view --control.");
	body = body_read(connection, &status);
	if (!body)
		return status;
	status = server->options.fork(server->options.owner, body, &id, &why);
	json_decref(body);
	if (status != 201)
		return error_send(connection, status, why.text);
	return json_send(connection, 201, json_pack("{s:i}", "id", (int)id));
}

static int recording_delete(struct view_server *server, struct mg_connection *connection,
			    unsigned id)
{
	struct why why = { "" };
	int status;

	if (!server->options.fork)
		return error_send(connection, 403, "This server is read only.");
	status = server->options.forget(server->options.owner, id, &why);
	if (status != 204)
		return error_send(connection, status, why.text);
	head_send(connection, 204, "application/json", 0, "");
	return 204;
}

/* ---- the lab ---- */

/* what a request asks of the lab */
struct lab_call {
	struct view_server *server;
	const json_t *predictions; /* NULL: for nothing but the text */
	json_t *text;              /* for the caller; NULL with a sentence in why */
	int status;                /* of HTTP; 204: the predictions are saved, otherwise see why */
	struct why why;
};

static void *lab_call_run(void *argument)
{
	struct lab_call *call = argument;
	const struct view_lab *lab = call->server->options.lab;

	pthread_mutex_lock(&call->server->lab_lock);
	call->text = lab->read(lab->owner, &call->why);
	call->status = call->text ? 200 : 500;
	if (call->text && call->predictions) {
		call->status = view_lab_check(call->text, call->predictions, &call->why);
		if (!call->status)
			call->status = lab->predict(lab->owner, call->predictions, &call->why);
	}
	pthread_mutex_unlock(&call->server->lab_lock);
	return NULL;
}

/* The hooks read YAML, which may need more stack than the 100 kB of civetweb's threads. */
static void lab_call(struct lab_call *call)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, lab_call_run, call);

	if (!error) {
		pthread_join(thread, NULL);
		return;
	}
	call->status = 500;
	why_say(&call->why, 0, "The lab cannot be read: %s.", strerror(error));
}

static int lab_get(struct view_server *server, struct mg_connection *connection)
{
	struct lab_call call = { .server = server };

	if (!server->options.lab)
		return error_send(connection, 404, "There is no lab beside this fabric.");
	lab_call(&call);
	return call.text ? json_send(connection, 200, call.text)
			 : error_send(connection, 500, call.why.text);
}

static int predictions_put(struct view_server *server, struct mg_connection *connection)
{
	struct lab_call call = { .server = server };
	json_t *body;

	if (!server->options.lab)
		return error_send(connection, 404, "There is no lab beside this fabric.");
	body = body_read(connection, &call.status);
	if (!body)
		return call.status;
	call.predictions = body;
	lab_call(&call);
	json_decref(call.text);
	json_decref(body);
	if (call.status != 204)
		return error_send(connection, call.status, call.why.text);
	head_send(connection, 204, "application/json", 0, "");
	return 204;
}

/* ---- requests ---- */

static int metrics_get(struct view_server *server, struct mg_connection *connection)
{
	char *text;
	struct why why = { "" };

	if (!server->options.metrics)
		return error_send(connection, 404, "Only a running fabric has metrics.");
	text = server->options.metrics(server->options.owner, &why);
	if (!text)
		return error_send(connection, 503, why.text);
	text_send(connection, 200, "text/plain; version=0.0.4; charset=utf-8", "", text,
		  strlen(text));
	free(text);
	return 200;
}

static int page_get(struct view_server *server, struct mg_connection *connection)
{
	char *headers = NULL;
	int status;

	if (asprintf(&headers, "Content-Security-Policy: %s\r\n", server->policy) < 0)
		return error_send(connection, 500, "Memory is short.");
	status = text_send(connection, 200, "text/html; charset=utf-8", headers, view_page_text,
			   view_page_length);
	free(headers);
	return status;
}

/* is the request from this server's page, or no page at all? Return: 0, or the status of an error
 * answer that is sent */
static int source_check(struct view_server *server, struct mg_connection *connection,
			enum http_target target)
{
	const char *host = mg_get_header(connection, "Host");
	const char *site = mg_get_header(connection, "Sec-Fetch-Site");

	if (!http_host_allowed(host, server->options.listen, server->port))
		return error_send(connection, 421, "The Host is not an address of this server.");
	if (!http_origin_allowed(mg_get_header(connection, "Origin"), host))
		return error_send(connection, 403, "The Origin is another one than this server.");
	if (target == HTTP_TARGET_PAGE)
		return 0;
	if (site && !strcmp(site, "cross-site"))
		return error_send(connection, 403, "The request is from a page of another site.");
	if (server->options.mode &&
	    !http_token_given(mg_get_header(connection, "Authorization"), server->token))
		return error_send(connection, 401,
				  "The token is missing or wrong: open the address that heddle "
				  "has printed.");
	return 0;
}

static int method_refuse(struct mg_connection *connection, const char *method)
{
	char sentence[128];

	snprintf(sentence, sizeof(sentence), "The method %.16s is not answered here.", method);
	return error_send(connection, 405, sentence);
}

/* mg_callbacks.begin_request: every request is answered here; civetweb does nothing more */
static int answer(struct mg_connection *connection)
{
	const struct mg_request_info *request = mg_get_request_info(connection);
	struct view_server *server = request->user_data;
	const char *method = request->request_method ? request->request_method : "";
	bool get = !strcmp(method, "GET") || !strcmp(method, "HEAD");
	unsigned id = 0;
	enum http_target target =
		http_target(request->local_uri_raw ? request->local_uri_raw : "", &id);
	int status = source_check(server, connection, target);

	if (status)
		return status;
	if (!server->options.mode && target != HTTP_TARGET_METRICS)
		target = HTTP_TARGET_NONE;
	switch (target) {
	case HTTP_TARGET_PAGE:
		return get ? page_get(server, connection) : method_refuse(connection, method);
	case HTTP_TARGET_RECORDINGS:
		return get ? recordings_get(server, connection) : method_refuse(connection, method);
	case HTTP_TARGET_RECORDING:
		if (get)
			return recording_get(server, connection, id);
		return strcmp(method, "DELETE") ? method_refuse(connection, method)
						: recording_delete(server, connection, id);
	case HTTP_TARGET_FORK:
		return strcmp(method, "POST") ? method_refuse(connection, method)
					      : fork_post(server, connection);
	case HTTP_TARGET_LAB:
		return get ? lab_get(server, connection) : method_refuse(connection, method);
	case HTTP_TARGET_PREDICTIONS:
		return strcmp(method, "PUT") ? method_refuse(connection, method)
					     : predictions_put(server, connection);
	case HTTP_TARGET_METRICS:
		return get ? metrics_get(server, connection) : method_refuse(connection, method);
	case HTTP_TARGET_NONE:
		break;
	}
	return error_send(connection, 404, "There is nothing of this name here.");
}

/* mg_callbacks.http_error: what civetweb refuses on its own, before a request is one */
static int refuse(struct mg_connection *connection, int status, const char *text)
{
	(void)text;
	error_send(connection, status,
		   status == 413 ? "The request is too long." : "The request is not valid HTTP.");
	return 0;
}

/* mg_callbacks.log_message: nothing is logged but why there is no server */
static int remember(const struct mg_connection *connection, const char *message)
{
	struct view_server *server = mg_get_user_data(mg_get_context(connection));

	if (server && !server->context)
		snprintf(server->failure, sizeof(server->failure), "%s", message);
	return 1;
}

static int silent(const struct mg_connection *connection, const char *message)
{
	(void)connection, (void)message;
	return 1;
}

/* mg_callbacks.init_thread: whatever runs on this machine comes first. On Linux a priority is that
 * of a thread, and a process that another thread starts does not have it */
static void *thread_begin(const struct mg_context *context, int type)
{
	(void)context, (void)type;
	setpriority(PRIO_PROCESS, 0, THREAD_PRIORITY);
	return NULL;
}

/* ---- start and end ---- */

static int token_draw(char token[HTTP_TOKEN_DIGITS + 1])
{
	unsigned char bytes[HTTP_TOKEN_DIGITS / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static bool is_ipv6(const char *address)
{
	return strchr(address, ':') != NULL;
}

/* starts civetweb with all signals blocked, which its threads inherit */
static struct mg_context *listen_start(struct view_server *server)
{
	struct mg_callbacks callbacks = { .begin_request = answer,
					  .http_error = refuse,
					  .log_message = remember,
					  .log_access = silent,
					  .init_thread = thread_begin };
	char address[VIEW_LISTEN_MAX + 16], threads[16], request_ms[16], request_max[16];
	const char *v6 = is_ipv6(server->options.listen) ? "[" : "";
	const char *options[] = { "listening_ports",
				  address,
				  "num_threads",
				  threads,
				  "request_timeout_ms",
				  request_ms,
				  "max_request_size",
				  request_max,
				  "enable_keep_alive",
				  "no",
				  "enable_directory_listing",
				  "no",
				  NULL };
	struct mg_context *context;
	sigset_t all, before;

	snprintf(address, sizeof(address), "%s%s%s:%u", v6, server->options.listen,
		 v6[0] ? "]" : "", server->options.port);
	snprintf(threads, sizeof(threads), "%u", VIEW_CONNECTIONS);
	snprintf(request_ms, sizeof(request_ms), "%u", VIEW_REQUEST_MS);
	snprintf(request_max, sizeof(request_max), "%u", VIEW_REQUEST_MAX);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	context = mg_start(&callbacks, server, options);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return context;
}

static bool address_valid(const char *address)
{
	unsigned char bytes[16];

	return inet_pton(is_ipv6(address) ? AF_INET6 : AF_INET, address, bytes) == 1;
}

/* why civetweb, which keeps it to itself, could not listen. Return: errno; 0 if it can now */
static int listen_error(const struct view_server_options *options)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *address;
	char port[16];
	int fd, on = 1, error = 0;

	snprintf(port, sizeof(port), "%u", options->port);
	if (getaddrinfo(options->listen, port, &hints, &address))
		return 0;
	fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, address->ai_addr, address->ai_addrlen) || listen(fd, 1))
		error = errno;
	if (fd >= 0)
		close(fd);
	freeaddrinfo(address);
	return error;
}

static void server_free(struct view_server *server)
{
	if (server && server->context)
		mg_stop(server->context);
	if (server && server->context)
		mg_exit_library();
	if (server) {
		explicit_bzero(server->token, sizeof(server->token));
		free(server->policy);
	}
	free(server);
}

struct view_server *view_server_start(const struct view_server_options *options,
				      struct view_shelf *shelf, struct why *why)
{
	struct view_server *server = calloc(1, sizeof(*server));
	struct sigaction child;
	struct mg_server_port port;

	if (!address_valid(options->listen)) {
		why_say(why, 0, "'%.64s' is no IP address", options->listen);
		free(server);
		return NULL;
	}
	if (server)
		server->policy = view_page_policy(view_page_text, view_page_length);
	if (!server || !server->policy || token_draw(server->token)) {
		why_say(why, 0, "not enough memory, or no random numbers");
		server_free(server);
		return NULL;
	}
	server->options = *options;
	server->shelf = shelf;
	pthread_mutex_init(&server->lab_lock, NULL);
	sigaction(SIGCHLD, NULL, &child); /* mg_start() would ignore it, also for waitpid() */
	mg_init_library(0);
	server->context = listen_start(server);
	sigaction(SIGCHLD, &child, NULL);
	if (!server->context || mg_get_server_ports(server->context, 1, &port) != 1) {
		int error = listen_error(options);

		why_say(why, 0, "cannot listen on %s port %u: %s", options->listen, options->port,
			error                ? strerror(error)
			: server->failure[0] ? server->failure
					     : "no thread or no memory");
		server_free(server);
		return NULL;
	}
	server->port = (unsigned)port.port;
	return server;
}

void view_server_url(const struct view_server *server, char *url)
{
	bool v6 = is_ipv6(server->options.listen);
	int length = snprintf(url, VIEW_URL_MAX, "http://%s%s%s:%u/", v6 ? "[" : "",
			      server->options.listen, v6 ? "]" : "", server->port);

	if (server->options.mode)
		snprintf(url + length, VIEW_URL_MAX - (size_t)length, "#token=%s", server->token);
	else
		snprintf(url + length, VIEW_URL_MAX - (size_t)length, "metrics");
}

void view_server_leave(int status)
{
	fflush(NULL);
	_exit(status);
}
