/*  orchestrator/command/client: which fabric a command means, and what it makes of an answer, or of
 *  none (TB-10, TB-24). The test is the daemon as well: it answers before it is asked. */
#include "orchestrator/command/client.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/json_member.h"
#include "orchestrator/live/runtime_dir.h"
#include "tests/said.h"
#include "tests/testing.h"

#define FABRICS_MAX 4

static char root[64], path[128];
static struct runtime_place places[FABRICS_MAX];
static int listeners[FABRICS_MAX], fabrics, base_fd, daemon_fd;
static struct client client;

static void setup(void)
{
	struct why why;

	snprintf(root, sizeof(root), "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/run", root);
	setenv("HEDDLE_RUNTIME_DIR", path, 1);
	unsetenv("HEDDLE_FABRIC");
	base_fd = runtime_open(true, &why);
	ck_assert_int_ge(base_fd, 0);
	fabrics = 0;
	daemon_fd = -1;
	said_begin();
}

static void teardown(void)
{
	said_end();
	client_close(&client);
	if (daemon_fd >= 0)
		close(daemon_fd);
	for (int i = 0; i < fabrics; i++) {
		close(listeners[i]);
		runtime_release(&places[i]);
	}
	close(base_fd);
	rmdir(path);
	ck_assert_int_eq(rmdir(root), 0);
}

/* a fabric @name runs from now on */
static void runs(const char *name)
{
	struct why why;

	ck_assert_int_eq(runtime_claim(base_fd, name, &places[fabrics], &why), 0);
	listeners[fabrics] = runtime_listen(&places[fabrics]);
	ck_assert_int_ge(listeners[fabrics], 0);
	fabrics++;
}

/* the command has said @text, and nothing else, since the last call */
static void says(const char *text)
{
	fflush(stderr);
	ck_assert_str_eq(said, text);
	rewind(stderr);
	memset(said, 0, said_bytes);
}

/* opens the first fabric, whose daemon has already sent @answer */
static void opened(const char *answer)
{
	runs("lab");
	ck_assert_int_eq(client_open(&client, "show", NULL), CLIENT_FINE);
	daemon_fd = accept(listeners[0], NULL, NULL);
	ck_assert_int_ge(daemon_fd, 0);
	ck_assert_int_eq(send(daemon_fd, answer, strlen(answer), 0), (int)strlen(answer));
}

/* asks; the daemon has received @request */
static int asked(json_t **answer, const char *request)
{
	int status = client_ask(&client, json_pack("{s:s}", "ask", "ps"), answer, NULL, NULL);
	char text[256];
	ssize_t length = recv(daemon_fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[length > 0 ? length : 0] = 0;
	ck_assert_str_eq(text, request);
	return status;
}

#define REQUEST "{\"ask\":\"ps\"}\n"

TEST_GROUP(client, .setup = setup, .teardown = teardown);

/* ---- which fabric ---- */

TEST(client_open__no_fabric)
{
	ck_assert_int_eq(client_open(&client, "show", NULL), CLIENT_USAGE);
	says("heddle show: no fabric runs; start one with 'heddle up SCENARIO'\n");
}

TEST(client_open__the_only_one)
{
	runs("lab");
	ck_assert_int_eq(client_open(&client, "show", NULL), CLIENT_FINE);
	ck_assert_str_eq(client.fabric, "lab");
	says("");
}

TEST(client_open__one_of_several)
{
	runs("lab");
	runs("other");
	ck_assert_int_eq(client_open(&client, "show", NULL), CLIENT_USAGE);
	says("heddle show: 2 fabrics run (lab, other): choose one with -f\n");
	runs("third");
	ck_assert_int_eq(client_open(&client, "show", NULL), CLIENT_USAGE);
	says("heddle show: 3 fabrics run (lab, other, ...): choose one with -f\n");
	ck_assert_int_eq(client_open(&client, "show", "third"), CLIENT_FINE);
	ck_assert_str_eq(client.fabric, "third");
	client_close(&client);
	ck_assert_int_eq(client_open(&client, "show", "lab"), CLIENT_FINE);
	ck_assert_str_eq(client.fabric, "lab");
}

TEST(client_open__unknown)
{
	runs("lab");
	ck_assert_int_eq(client_open(&client, "show", "lap"), CLIENT_USAGE);
	says("heddle show: no fabric 'lap' runs - did you mean 'lab'?; 'heddle ps' lists those "
	     "that "
	     "do\n");
	ck_assert_int_eq(client_open(&client, "show", "entirely"), CLIENT_USAGE);
	says("heddle show: no fabric 'entirely' runs; 'heddle ps' lists those that do\n");
}

/* in a host it is the host's own, unless another one is named */
TEST(client_open__of_the_host)
{
	runs("lab");
	runs("other");
	setenv("HEDDLE_FABRIC", "other", 1);
	ck_assert_int_eq(client_open(&client, "show", NULL), CLIENT_FINE);
	ck_assert_str_eq(client.fabric, "other");
	client_close(&client);
	ck_assert_int_eq(client_open(&client, "show", "lab"), CLIENT_FINE);
	ck_assert_str_eq(client.fabric, "lab");
	client_close(&client);
	setenv("HEDDLE_FABRIC", "", 1);
	ck_assert_int_eq(client_open(&client, "show", NULL), CLIENT_USAGE);
}

TEST(client_open__it_is_starting)
{
	char control[256];

	runs("lab");
	snprintf(control, sizeof(control), "%s/lab/control", path);
	ck_assert_int_eq(unlink(control), 0);
	ck_assert_int_eq(client_open(&client, "show", NULL), CLIENT_FAILED);
	says("heddle show: cannot reach fabric lab: No such file or directory; it is starting or "
	     "ending\n");
}

/* ---- answers ---- */

TEST(client_ask__an_answer)
{
	json_t *answer;

	opened("{\"text\": \"hello\", \"number\": 7, \"late_ns\": 1500}\n");
	ck_assert_int_eq(asked(&answer, REQUEST), CLIENT_FINE);
	ck_assert_str_eq(member_text(answer, "text"), "hello");
	ck_assert_str_eq(member_text(answer, "none"), "");
	ck_assert_int_eq(member_number(answer, "number"), 7);
	ck_assert_int_eq(member_number(answer, "none"), 0);
	ck_assert_str_eq(client_time(answer, "late_ns", (char[64]){ 0 }), "1.500 us");
	json_decref(answer);
	says("");
}

/* larger than any buffer that it begins with */
TEST(client_ask__a_long_answer)
{
	enum { BYTES = 150000 };
	char *text = malloc(BYTES + 64);
	json_t *answer;
	int room = 1 << 20;

	runs("lab");
	ck_assert_int_eq(client_open(&client, "show", NULL), CLIENT_FINE);
	daemon_fd = accept(listeners[0], NULL, NULL);
	setsockopt(daemon_fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	setsockopt(daemon_fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	memset(text, 'x', BYTES);
	memcpy(text, "{\"text\": \"", 10);
	strcpy(text + BYTES, "\"}\n");
	ck_assert_int_eq(send(daemon_fd, text, strlen(text), MSG_DONTWAIT), BYTES + 3);
	ck_assert_int_eq(asked(&answer, REQUEST), CLIENT_FINE);
	ck_assert_uint_eq(strlen(member_text(answer, "text")), BYTES - 10);
	json_decref(answer);
	free(text);
}

/* a daemon that sends without an end, and never a line */
TEST(client_ask__an_endless_answer)
{
	static char text[1 << 20];
	json_t *answer;
	pid_t daemon;

	opened("");
	memset(text, ' ', sizeof(text));
	daemon = fork();
	if (!daemon) {
		client_close(&client);
		while (send(daemon_fd, text, sizeof(text), MSG_NOSIGNAL) > 0)
			;
		_exit(0);
	}
	ck_assert_int_eq(client_ask(&client, json_object(), &answer, NULL, NULL), CLIENT_FAILED);
	ck_assert_ptr_null(answer);
	says("heddle show: fabric lab does not answer: Cannot allocate memory\n");
	client_close(&client);
	ck_assert_int_eq(waitpid(daemon, NULL, 0), daemon);
}

TEST(client_ask__what_it_waits_for_is_told)
{
	json_t *answer;

	opened("{\"waits\": \"for s1\"}\n{\"waits\": \"for s2\"}\n{\"text\": \"done\"}\n");
	ck_assert_int_eq(asked(&answer, REQUEST), CLIENT_FINE);
	ck_assert_str_eq(member_text(answer, "text"), "done");
	json_decref(answer);
	says("heddle show: for s1\nheddle show: for s2\n");
}

TEST(client_ask__refused)
{
	json_t *answer;

	opened("{\"error\": \"there is no node 's9'\"}\n");
	ck_assert_int_eq(asked(&answer, REQUEST), CLIENT_REFUSED);
	ck_assert_ptr_null(answer);
	says("heddle show: there is no node 's9'\n");
}

/* jansson makes no text of other bytes */
TEST(client_ask__request_is_no_text)
{
	json_t *answer;

	opened("");
	ck_assert_int_eq(
		client_ask(&client, json_pack("{s:s}", "ask", "\xff"), &answer, NULL, NULL),
		CLIENT_FAILED);
	ck_assert_ptr_null(answer);
	says("heddle show: the request is not valid UTF-8\n");
}

TEST(client_ask__no_json)
{
	json_t *answer;

	opened("hello\n");
	ck_assert_int_eq(asked(&answer, REQUEST), CLIENT_FAILED);
	ck_assert_ptr_null(answer);
	says("heddle show: fabric lab does not answer: its answer is not JSON\n");
}

TEST(client_ask__the_fabric_ends)
{
	json_t *answer;

	opened("{\"text\": \"he");
	shutdown(daemon_fd, SHUT_WR);
	ck_assert_int_eq(asked(&answer, REQUEST), CLIENT_FAILED);
	says("heddle show: fabric lab has ended\n");
}

TEST(client_ask__no_answer)
{
	json_t *answer;

	opened("");
	client_patience(&client, 20);
	ck_assert_int_eq(asked(&answer, REQUEST), CLIENT_FAILED);
	says("heddle show: fabric lab does not answer; 'heddle down lab' ends it if it hangs\n");
}

/* descriptors come beside the answer; those that have no place are closed */
TEST(client_ask__descriptors)
{
	static char text[] = "{\"text\": \"two\"}\n";
	char control[CMSG_SPACE(2 * sizeof(int))] = { 0 };
	struct iovec piece = { text, strlen(text) };
	struct msghdr message = { .msg_iov = &piece,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);
	int pipes[2], fds[2] = { -1, -1 }, lowest;
	unsigned count = 1;
	json_t *answer;

	opened("");
	ck_assert_int_eq(pipe(pipes), 0);
	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(part), pipes, sizeof(pipes));
	ck_assert_int_gt(sendmsg(daemon_fd, &message, 0), 0);
	lowest = dup(0);
	close(lowest);
	ck_assert_int_eq(client_ask(&client, json_object(), &answer, fds, &count), CLIENT_FINE);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(fds[0], lowest);
	ck_assert_int_eq(fds[1], -1);
	ck_assert_int_eq(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
	close(fds[0]);
	ck_assert_int_eq(dup(0), lowest); /* the second one was closed */
	close(lowest);
	close(pipes[0]);
	close(pipes[1]);
	json_decref(answer);
}

/* ---- requests ---- */

TEST(client_key_put__known_keys)
{
	static const char *const keys[] = { "rate", "delay", NULL };
	json_t *request = json_object();

	ck_assert_int_eq(client_key_put("set", request, keys, "delay=5us"), CLIENT_FINE);
	ck_assert_str_eq(member_text(request, "delay"), "5us");
	ck_assert_int_eq(client_key_put("set", request, keys, "rate="), CLIENT_FINE);
	ck_assert_int_eq(client_key_put("set", request, keys, "rat=1"), CLIENT_USAGE);
	says("heddle set: 'rat=1' cannot be set; expected one of rate=, delay=\n");
	ck_assert_int_eq(client_key_put("set", request, keys, "rate"), CLIENT_USAGE);
	says("heddle set: 'rate' cannot be set; expected one of rate=, delay=\n");
	ck_assert_int_eq(client_key_put("set", request, keys, "rate=\xff"), CLIENT_USAGE);
	says("heddle set: '\xff' is not valid UTF-8\n");
	json_decref(request);
}

TEST(client_ask__too_long)
{
	json_t *answer, *request = json_object();
	char *text = malloc(1 << 20);

	memset(text, 'x', (1 << 20) - 1);
	text[(1 << 20) - 1] = 0;
	json_object_set_new(request, "text", json_string(text));
	opened("");
	ck_assert_int_eq(client_ask(&client, request, &answer, NULL, NULL), CLIENT_FAILED);
	says("heddle show: fabric lab does not answer: Message too long\n");
	free(text);
}
