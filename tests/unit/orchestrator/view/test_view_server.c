/*  orchestrator/view/view_server: each request, with the status, the headers and the sentence of
 *  its answer (SE-4, SE-6, SE-9, SE-14). The owner of the hooks is this test; requests are bytes of
 *  a socket. */
#include "orchestrator/view/view_server.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/base/version.h"
#include "orchestrator/view/view_page.h"
#include "tests/testing.h"

#define RECORDED "0123456789"

static struct view_shelf shelf;
static struct view_server_options options;
static struct view_server *server;
static char url[VIEW_URL_MAX], host[64], token[64];
static struct why refusal;
static unsigned port;
static char answer[1 << 18];
static const char *body;

/* ---- hooks ---- */

static int hook_status; /* that the next hook returns */
static bool hook_fails;

static int hook_fork(void *owner, const json_t *request, unsigned *id, struct why *why)
{
	ck_assert_ptr_eq(owner, &shelf);
	*id = (unsigned)json_integer_value(json_object_get(request, "of")) + 1;
	why_say(why, 0, "No fork.");
	return hook_status;
}

static int hook_forget(void *owner, unsigned id, struct why *why)
{
	ck_assert_ptr_eq(owner, &shelf);
	why_say(why, 0, "Not %u.", id);
	return hook_status;
}

static char *hook_metrics(void *owner, struct why *why)
{
	ck_assert_ptr_eq(owner, &shelf);
	why_say(why, 0, "No answer.");
	return hook_fails ? NULL : strdup("up 1\n");
}

static atomic_int in_lab;
static atomic_bool in_lab_together;
static useconds_t lab_takes_us;

/* a step of the lab's owner, which takes its time */
static void lab_step(void)
{
	if (atomic_fetch_add(&in_lab, 1))
		in_lab_together = true;
	usleep(lab_takes_us);
	atomic_fetch_sub(&in_lab, 1);
}

static json_t *lab_read(void *owner, struct why *why)
{
	lab_step();
	ck_assert_ptr_eq(owner, &hook_status);
	why_say(why, 0, "The lab is gone.");
	return hook_fails ? NULL : json_pack("{s:[{s:s}]}", "predict", "name", "share");
}

static int lab_predict(void *owner, const json_t *predictions, struct why *why)
{
	lab_step();
	ck_assert_ptr_eq(owner, &hook_status);
	ck_assert_str_eq(json_string_value(json_object_get(predictions, "share")), "12");
	why_say(why, 0, "The disk is full.");
	return hook_status;
}

static const struct view_lab lab = { .owner = &hook_status,
				     .read = lab_read,
				     .predict = lab_predict };

/* ---- a client ---- */

static void started(void)
{
	const char *at;

	server = view_server_start(&options, &shelf, &refusal);
	ck_assert_msg(server, "%s", refusal.text);
	view_server_url(server, url);
	ck_assert_int_eq(sscanf(url, "http://127.0.0.1:%u/", &port), 1);
	snprintf(host, sizeof(host), "127.0.0.1:%u", port);
	at = strstr(url, "#token=");
	snprintf(token, sizeof(token), "%s", at ? at + 7 : "");
}

/* sends @text as it is.  Return: the connection */
static int connection_with(const char *text)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	ck_assert_int_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
	return fd;
}

/* reads the answer to its end.  Return: its status */
static int status_from(int fd)
{
	size_t length = 0;
	ssize_t got;
	int status = 0;

	while ((got = read(fd, answer + length, sizeof(answer) - 1 - length)) > 0)
		length += (size_t)got;
	close(fd);
	answer[length] = 0;
	ck_assert_msg(sscanf(answer, "HTTP/1.1 %d ", &status) == 1, "%s", answer);
	body = strstr(answer, "\r\n\r\n");
	ck_assert_ptr_nonnull(body);
	body += 4;
	return status;
}

static int said(const char *text)
{
	return status_from(connection_with(text));
}

/* a request of the page. @headers  further ones, each with its end */
static int asked(const char *method, const char *path, const char *headers)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n%s\r\n", method, path,
		 host, token, headers);
	return said(text);
}

static void json_request(const char *method, const char *path, const char *json, char text[2048])
{
	snprintf(text, 2048,
		 "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
		 "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
		 method, path, host, token, strlen(json), json);
}

static int sent(const char *method, const char *path, const char *json)
{
	char text[2048];

	json_request(method, path, json, text);
	return said(text);
}

static void has(const char *line)
{
	ck_assert_msg(strstr(answer, line), "'%s' is not in:\n%.2000s", line, answer);
}

static void error_is(const char *sentence)
{
	char wanted[512];

	snprintf(wanted, sizeof(wanted), "{\"error\":\"%s\"}", sentence);
	ck_assert_str_eq(body, wanted);
	snprintf(wanted, sizeof(wanted), "\r\nContent-Length: %zu\r\n", strlen(body));
	has(wanted);
	has("\r\nContent-Type: application/json\r\n");
}

static void setup(void)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	testing_leaves(); /* the server serves until its process ends */
	ck_assert_int_eq(write(fd, RECORDED, strlen(RECORDED)), (ssize_t)strlen(RECORDED));
	view_shelf_init(&shelf);
	ck_assert_uint_eq(view_shelf_add(&shelf, fd, "a b/C-9_z.heddle.gz", NULL, NULL), 1);
	view_shelf_state(&shelf, 1, VIEW_COMPLETE, NULL);
	options = (struct view_server_options){ .listen = VIEW_LISTEN_OWN,
						.mode = "run",
						.owner = &shelf };
	hook_status = 0;
	hook_fails = false;
}

static void teardown(void)
{
	view_shelf_fini(&shelf);
}

TEST_GROUP(view_server, .setup = setup, .teardown = teardown);

/* ---- the page and recordings ---- */

TEST(view_server__page)
{
	char line[64], *policy = view_page_policy(view_page_text, view_page_length);

	started();
	ck_assert_int_eq(asked("GET", "/", ""), 200);
	ck_assert_uint_eq(strlen(body), sizeof(answer) - 1 < view_page_length
						? sizeof(answer) - 1 - (size_t)(body - answer)
						: view_page_length);
	ck_assert_int_eq(asked("HEAD", "/", ""), 200);
	ck_assert_str_eq(body, "");
	has("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
	    "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
	    "X-Frame-Options: DENY\r\nConnection: close\r\nContent-Security-Policy: ");
	has(policy);
	snprintf(line, sizeof(line), "\r\nContent-Length: %zu\r\n", view_page_length);
	has(line);
	free(policy);
	ck_assert_int_eq(asked("PATCH", "/", ""), 405);
	error_is("The method PATCH is not answered here.");
	ck_assert_int_eq(asked("GET", "/none", ""), 404);
	error_is("There is nothing of this name here.");
}

TEST_RANGE(view_server__list_of_recordings, 0, 2)
{
	json_t *list, *about;

	if (_i) {
		options.fork = hook_fork;
		options.forget = hook_forget;
		options.lab = &lab;
	}
	started();
	ck_assert_int_eq(asked("GET", "/recordings", ""), 200);
	list = json_loads(body, 0, NULL);
	about = json_object_get(list, "server");
	ck_assert_str_eq(json_string_value(json_object_get(about, "version")), HEDDLE_VERSION);
	ck_assert_str_eq(json_string_value(json_object_get(about, "mode")), "run");
	ck_assert(json_is_true(json_object_get(about, "control")) == (_i == 1));
	ck_assert(json_is_true(json_object_get(about, "lab")) == (_i == 1));
	ck_assert_int_eq(json_integer_value(json_object_get(about, "forks_max")), 8);
	ck_assert_uint_eq(json_array_size(json_object_get(list, "recordings")), 1);
	json_decref(list);
	ck_assert_int_eq(asked("DELETE", "/recordings", ""), 405);
}

TEST(view_server__recording)
{
	started();
	ck_assert_int_eq(asked("GET", "/recordings/1", ""), 200);
	has("HTTP/1.1 200 OK\r\n");
	has("\r\nAccept-Ranges: bytes\r\nHeddle-State: complete\r\nContent-Disposition: "
	    "attachment; "
	    "filename=\"abC-9z.heddle\"\r\nContent-Type: application/octet-stream\r\n"
	    "Content-Length: 10\r\n");
	ck_assert_str_eq(body, RECORDED);
	ck_assert_int_eq(asked("HEAD", "/recordings/1", ""), 200);
	has("\r\nContent-Length: 10\r\n");
	ck_assert_str_eq(body, "");
	ck_assert_int_eq(asked("GET", "/recordings/2", ""), 404);
	has("HTTP/1.1 404 Refused\r\n");
	error_is("There is no recording 2.");
	ck_assert_int_eq(asked("POST", "/recordings/1", ""), 405);
	error_is("The method POST is not answered here.");
}

TEST(view_server__part_of_a_recording)
{
	started();
	ck_assert_int_eq(asked("GET", "/recordings/1", "Range: bytes=2-4\r\n"), 206);
	has("HTTP/1.1 206 Partial Content\r\n");
	has("\r\nContent-Range: bytes 2-4/10\r\nContent-Type: application/octet-stream\r\n"
	    "Content-Length: 3\r\n");
	ck_assert_str_eq(body, "234");
	ck_assert_int_eq(asked("GET", "/recordings/1", "Range: bytes=7-\r\n"), 206);
	has("\r\nContent-Range: bytes 7-9/10\r\n");
	ck_assert_str_eq(body, "789");
	ck_assert_int_eq(asked("GET", "/recordings/1", "Range: bytes=10-\r\n"), 204);
	has("HTTP/1.1 204 No Content\r\n");
	has("\r\nHeddle-State: complete\r\n");
	ck_assert_ptr_null(strstr(answer, "Content-Length"));
	ck_assert_int_eq(asked("GET", "/recordings/1", "Range: bytes=11-\r\n"), 416);
	has("\r\nContent-Range: bytes */10\r\n");
	error_is("The range begins after the end of what is recorded.");
	ck_assert_int_eq(asked("GET", "/recordings/1", "Range: lines=1-\r\n"), 416);
	has("\r\nContent-Range: bytes */10\r\n");
	error_is("Range takes bytes=N- or bytes=N-M.");
}

/* a part has 16 MiB at most; a file as a whole has its size */
TEST(view_server__large_recording)
{
	started();
	ck_assert_int_eq(ftruncate(shelf.list[0].fd, 20000000), 0);
	ck_assert_int_eq(asked("HEAD", "/recordings/1", "Range: bytes=1-\r\n"), 206);
	has("\r\nContent-Range: bytes 1-16777216/20000000\r\n");
	has("\r\nContent-Length: 16777216\r\n");
	ck_assert_int_eq(asked("HEAD", "/recordings/1", "Range: bytes=3222784-\r\n"), 206);
	has("\r\nContent-Range: bytes 3222784-19999999/20000000\r\n");
	ck_assert_int_eq(asked("HEAD", "/recordings/1", ""), 200);
	has("\r\nContent-Length: 20000000\r\n");
	ck_assert_int_eq(ftruncate(shelf.list[0].fd, 100000), 0); /* several pieces */
	ck_assert_int_eq(pwrite(shelf.list[0].fd, "end", 3, 99997), 3);
	ck_assert_int_eq(asked("GET", "/recordings/1", "Range: bytes=1-\r\n"), 206);
	ck_assert_mem_eq(body, "123456789", 9);
	ck_assert_mem_eq(body + 99996, "end", 4);
}

/* ---- forks ---- */

TEST(view_server__read_only)
{
	started();
	ck_assert_int_eq(sent("POST", "/fork", "{}"), 403);
	error_is("This server is read only: start it with --view=control, or heddle view "
		 "--control.");
	ck_assert_int_eq(asked("DELETE", "/recordings/1", ""), 403);
	error_is("This server is read only.");
}

TEST(view_server__forks)
{
	options.fork = hook_fork;
	options.forget = hook_forget;
	started();
	hook_status = 201;
	ck_assert_int_eq(sent("POST", "/fork", "{\"of\":6}"), 201);
	has("HTTP/1.1 201 Created\r\n");
	ck_assert_str_eq(body, "{\"id\":7}");
	hook_status = 409;
	ck_assert_int_eq(sent("POST", "/fork", "{\"of\":6}"), 409);
	error_is("No fork.");
	ck_assert_int_eq(asked("DELETE", "/recordings/3", ""), 409);
	error_is("Not 3.");
	hook_status = 204;
	ck_assert_int_eq(asked("DELETE", "/recordings/3", ""), 204);
	ck_assert_str_eq(body, "");
	ck_assert_int_eq(asked("GET", "/fork", ""), 405);
}

TEST(view_server__bodies)
{
	char deep[64] = "";

	options.fork = hook_fork;
	options.forget = hook_forget;
	started();
	hook_status = 201;
	ck_assert_int_eq(asked("POST", "/fork", "Content-Length: 2\r\n"), 415);
	error_is("The body must be application/json.");
	ck_assert_int_eq(
		asked("POST", "/fork", "Content-Type: text/plain\r\nContent-Length: 2\r\n"), 415);
	ck_assert_int_eq(asked("POST", "/fork",
			       "Content-Type: application/json\r\nContent-Length: 65537\r\n"),
			 413);
	error_is("The body is longer than 65536 bytes.");
	ck_assert_int_eq(asked("POST", "/fork", "Content-Type: application/json\r\n"), 411);
	error_is("The request has no Content-Length.");
	ck_assert_int_eq(sent("POST", "/fork", "{\n\"of\":"), 400);
	ck_assert_ptr_eq(strstr(body, "{\"error\":\"The body is not JSON: line 2: "), body);
	ck_assert_int_eq(sent("POST", "/fork", "{\"of\":1,\"of\":2}"), 400);
	memset(deep, '[', 17);
	memset(deep + 17, ']', 17);
	ck_assert_int_eq(sent("POST", "/fork", deep), 400);
	error_is("The body is not JSON: line 1: it nests too deeply.");
	ck_assert_int_eq(sent("POST", "/fork", "{\"of\":1,\"x\":[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]}"),
			 201);
}

/* in two parts; and the longest one */
TEST(view_server__long_bodies)
{
	static char text[VIEW_BODY_MAX + 1024];
	size_t head;
	int fd;

	options.fork = hook_fork;
	options.forget = hook_forget;
	started();
	hook_status = 201;
	head = (size_t)snprintf(text, sizeof(text),
				"POST /fork HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
				"Content-Type: application/json\r\nContent-Length: %u\r\n\r\n",
				host, token, VIEW_BODY_MAX);
	fd = connection_with(text);
	memset(text, ' ', VIEW_BODY_MAX);
	memcpy(text + VIEW_BODY_MAX - 8, "{\"of\":8}", 8);
	ck_assert_int_eq(send(fd, text, head, MSG_NOSIGNAL), (ssize_t)head);
	usleep(20000);
	ck_assert_int_eq(send(fd, text + head, VIEW_BODY_MAX - head, MSG_NOSIGNAL),
			 (ssize_t)(VIEW_BODY_MAX - head));
	ck_assert_int_eq(status_from(fd), 201);
	ck_assert_str_eq(body, "{\"id\":9}");
	ck_assert_int_eq(sent("POST", "/fork", ""), 400);
	error_is("The body is not JSON: line 1: '[' or '{' expected near end of file.");
}

/* letters, digits and '-' of a name, 63 of them, up to its first dot */
TEST_RANGE(view_server__name_of_a_file, 0, 3)
{
	static const char *const names[][2] = {
		{ "/0123456789:@AZ[`az{-_", "0123456789AZaz-" },
		{ "123456789012345678901234567890123456789012345678901234567890abcdef",
		  "123456789012345678901234567890123456789012345678901234567890abc" },
		{ ".hidden", "" },
	};
	char line[256];

	snprintf(shelf.list[0].name, VIEW_TEXT_MAX, "%s", names[_i][0]);
	started();
	ck_assert_int_eq(asked("HEAD", "/recordings/1", ""), 200);
	snprintf(line, sizeof(line), "; filename=\"%s.heddle\"\r\n", names[_i][1]);
	has(line);
}

/* ---- the lab ---- */

TEST(view_server__no_lab)
{
	started();
	ck_assert_int_eq(asked("GET", "/lab", ""), 404);
	error_is("There is no lab beside this fabric.");
	ck_assert_int_eq(sent("PUT", "/lab/predictions", "{}"), 404);
	error_is("There is no lab beside this fabric.");
}

TEST(view_server__lab)
{
	options.lab = &lab;
	started();
	ck_assert_int_eq(asked("GET", "/lab", ""), 200);
	ck_assert_str_eq(body, "{\"predict\":[{\"name\":\"share\"}]}");
	ck_assert_int_eq(asked("PUT", "/lab", ""), 405);
	ck_assert_int_eq(asked("GET", "/lab/predictions", ""), 405);
	hook_status = 204;
	ck_assert_int_eq(sent("PUT", "/lab/predictions", "{\"share\":\"12\"}"), 204);
	ck_assert_str_eq(body, "");
	ck_assert_int_eq(sent("PUT", "/lab/predictions", "{\"shares\":\"12\"}"), 400);
	error_is("The lab asks for no 'shares'; it asks for: share.");
	ck_assert_int_eq(sent("PUT", "/lab/predictions", "{"), 400);
	hook_status = 507;
	ck_assert_int_eq(sent("PUT", "/lab/predictions", "{\"share\":\"12\"}"), 507);
	has("HTTP/1.1 507 Failed\r\n");
	error_is("The disk is full.");
	hook_fails = true;
	ck_assert_int_eq(asked("GET", "/lab", ""), 500);
	error_is("The lab is gone.");
	ck_assert_int_eq(sent("PUT", "/lab/predictions", "{\"share\":\"12\"}"), 500);
	error_is("The lab is gone.");
}

/* Its files are read and written by one request at a time. */
TEST(view_server__lab_requests_at_once)
{
	static const char *const requests[] = { "GET", "GET", "PUT", "PUT" };
	int fds[COUNT_OF(requests)];
	char text[2048];

	options.lab = &lab;
	hook_status = 204;
	lab_takes_us = 50000;
	started();
	for (size_t i = 0; i < COUNT_OF(requests); i++) {
		bool get = requests[i][0] == 'G';

		json_request(requests[i], get ? "/lab" : "/lab/predictions",
			     get ? "" : "{\"share\":\"12\"}", text);
		fds[i] = connection_with(text);
	}
	for (size_t i = 0; i < COUNT_OF(requests); i++)
		ck_assert_int_eq(status_from(fds[i]), requests[i][0] == 'G' ? 200 : 204);
	ck_assert(!in_lab_together && !in_lab);
}

/* ---- metrics ---- */

TEST(view_server__metrics)
{
	started();
	ck_assert_int_eq(asked("GET", "/metrics", ""), 404);
	error_is("Only a running fabric has metrics.");
	options.metrics = hook_metrics;
	options.mode = NULL; /* nothing else, and without a token */
	started();
	ck_assert_ptr_nonnull(strstr(url, "/metrics"));
	ck_assert_str_eq(token, "");
	ck_assert_int_eq(asked("GET", "/metrics", ""), 200);
	has("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	ck_assert_str_eq(body, "up 1\n");
	ck_assert_int_eq(asked("POST", "/metrics", ""), 405);
	ck_assert_int_eq(asked("GET", "/", ""), 404);
	ck_assert_int_eq(asked("GET", "/recordings", ""), 404);
	hook_fails = true;
	ck_assert_int_eq(asked("GET", "/metrics", ""), 503);
	error_is("No answer.");
}

/* ---- requests from elsewhere ---- */

TEST(view_server__requests_from_elsewhere)
{
	char text[512];

	started();
	ck_assert_uint_eq(strlen(token), 32);
	snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: elsewhere:%u\r\n\r\n", port);
	ck_assert_int_eq(said(text), 421);
	error_is("The Host is not an address of this server.");
	ck_assert_int_eq(asked("GET", "/", "Origin: http://elsewhere\r\n"), 403);
	error_is("The Origin is another one than this server.");
	ck_assert_int_eq(asked("GET", "/recordings", "Sec-Fetch-Site: cross-site\r\n"), 403);
	error_is("The request is from a page of another site.");
	/* a link to the page may be anywhere */
	ck_assert_int_eq(asked("HEAD", "/", "Sec-Fetch-Site: cross-site\r\n"), 200);
	ck_assert_int_eq(asked("GET", "/recordings", "Sec-Fetch-Site: same-origin\r\n"), 200);
	token[31] = token[31] == '0' ? '1' : '0';
	ck_assert_int_eq(asked("GET", "/recordings", ""), 401);
	error_is("The token is missing or wrong: open the address that heddle has printed.");
	ck_assert_int_eq(asked("HEAD", "/", ""), 200);
}

TEST(view_server__not_http)
{
	char text[VIEW_REQUEST_MAX + 64] = "GET / HTTP/1.1\r\nX: ";

	started();
	ck_assert_int_eq(said("nonsense\r\n\r\n"), 400);
	error_is("The request is not valid HTTP.");
	memset(text + strlen(text), 'x', VIEW_REQUEST_MAX);
	/* as the version of civetweb has it */
	if (said(text) == 413)
		error_is("The request is too long.");
	else
		error_is("The request is not valid HTTP.");
}

/* how many threads beside the first one block SIGTERM and have the lowest priority */
static unsigned quiet_threads(void)
{
	unsigned count = 0;
	struct dirent *entry;
	DIR *tasks = opendir("/proc/self/task");

	while ((entry = readdir(tasks))) {
		pid_t thread = (pid_t)atoi(entry->d_name);
		char path[64], line[256];
		FILE *file;

		if (thread < 1 || thread == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)thread);
		file = fopen(path, "re");
		while (file && fgets(line, sizeof(line), file))
			if (!strncmp(line, "SigBlk:", 7) &&
			    strtoull(line + 7, NULL, 16) >> (SIGTERM - 1) & 1)
				count += getpriority(PRIO_PROCESS, (id_t)thread) == 19;
		if (file)
			fclose(file);
	}
	closedir(tasks);
	return count;
}

/* Its threads come after all others, and take no signal; the process's own signals stay. */
TEST(view_server_start__threads)
{
	struct sigaction child;
	sigset_t blocked;

	signal(SIGCHLD, SIG_DFL);
	started();
	ck_assert_int_eq(asked("HEAD", "/", ""), 200);
	ck_assert_int_eq(sigaction(SIGCHLD, NULL, &child), 0);
	ck_assert(child.sa_handler == SIG_DFL);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	ck_assert_int_eq(sigismember(&blocked, SIGTERM), 0);
	/* a thread gets its priority once it runs */
	while (quiet_threads() < VIEW_CONNECTIONS)
		usleep(1000);
}

/* what was printed is there, and threads end at once */
TEST(view_server_leave__with_a_status)
{
	int fd = memfd_create("out", MFD_CLOEXEC), status;
	char text[16] = "";
	pid_t pid = fork();

	if (!pid) {
		FILE *out = fdopen(fd, "w");

		fputs("printed", out);
		started();
		view_server_leave(3);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	ck_assert_int_eq(pread(fd, text, sizeof(text), 0), 7);
	ck_assert_str_eq(text, "printed");
	close(fd);
}

/* ---- its start ---- */

TEST(view_server_start__refused)
{
	char sentence[128];

	options.listen = "localhost";
	ck_assert_ptr_null(view_server_start(&options, &shelf, &refusal));
	ck_assert_str_eq(refusal.text, "'localhost' is no IP address");
	options.listen = VIEW_LISTEN_OWN;
	started();
	options.port = port;
	ck_assert_ptr_null(view_server_start(&options, &shelf, &refusal));
	snprintf(sentence, sizeof(sentence),
		 "cannot listen on 127.0.0.1 port %u: Address already in use", port);
	ck_assert_str_eq(refusal.text, sentence);
	options.listen = "192.0.2.1"; /* of no machine [RFC 5737] */
	options.port = 0;
	ck_assert_ptr_null(view_server_start(&options, &shelf, &refusal));
	ck_assert_str_eq(refusal.text,
			 "cannot listen on 192.0.2.1 port 0: Cannot assign requested address");
}

TEST(view_server_url__of_ipv6)
{
	unsigned number;
	char digits[40];

	options.listen = "::1";
	server = view_server_start(&options, &shelf, &refusal);
	if (!server) /* a machine without IPv6 */
		return;
	view_server_url(server, url);
	ck_assert_int_eq(sscanf(url, "http://[::1]:%u/#token=%39s", &number, digits), 2);
	ck_assert_uint_eq(strlen(digits), 32);
	ck_assert_uint_eq(strspn(digits, "0123456789abcdef"), 32);
}
