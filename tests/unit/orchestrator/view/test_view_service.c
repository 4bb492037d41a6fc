/*  orchestrator/view/view_service: the server as a process beside a run: what it keeps of the run's
 *  process, what it is told, how it ends (SE-4). */
#include "orchestrator/view/view_service.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/testing.h"

#define SERVER_FDS 6 /* the standard ones; recording, state, answer */

static struct view_service service;
static struct view_service_options options;
static char url[VIEW_URL_MAX], answer[8192], token[64];
static struct why why;
static unsigned port;

static void setup(void)
{
	int fd = memfd_create("recorded", MFD_CLOEXEC);

	ck_assert_int_eq(write(fd, "0123", 4), 4);
	options = (struct view_service_options){ .server = { .listen = VIEW_LISTEN_OWN,
							     .mode = "run" },
						 .recording = fd,
						 .name = "r.heddle" };
}

static void teardown(void)
{
	view_service_end(&service);
	view_service_end(&service); /* nothing more */
	close(options.recording);
}

TEST_GROUP(view_service, .setup = setup, .teardown = teardown);

static void started(void)
{
	ck_assert_msg(!view_service_start(&service, &options, url, &why), "%s", why.text);
	ck_assert_int_eq(sscanf(url, "http://127.0.0.1:%u/#token=%63s", &port, token), 2);
}

/* the body of the answer to GET @path */
static const char *asked(const char *path)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	size_t used = 0;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		ck_abort_msg("nothing listens");
	dprintf(fd, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer %s\r\n\r\n",
		path, port, token);
	for (ssize_t got = 1; got > 0; used += got > 0 ? (size_t)got : 0)
		got = recv(fd, answer + used, sizeof(answer) - 1 - used, 0);
	answer[used] = 0;
	close(fd);
	ck_assert_ptr_nonnull(strstr(answer, "\r\n\r\n"));
	return strstr(answer, "\r\n\r\n") + 4;
}

static bool listed(const char *part)
{
	return strstr(asked("/recordings"), part) != NULL;
}

/* waits until the list of recordings has @part */
static void until(const char *part)
{
	while (!listed(part))
		usleep(1000);
}

/* the signals of @key in /proc/PID/status, as a mask */
static unsigned long long signals(const char *key)
{
	char path[64], line[256];
	unsigned long long mask = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)service.pid);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			mask = strtoull(line + strlen(key) + 1, NULL, 16);
	fclose(file);
	return mask;
}

#define SIGNAL(number) (1ull << ((number)-1))

/* ---- what it keeps ---- */

/* Nothing whose end others wait for: a pipe of the run's process, for instance. */
TEST(view_service_start__descriptors)
{
	int mine = memfd_create("mine", MFD_CLOEXEC), out = dup(STDOUT_FILENO), last = 0;

	while (last < 90)
		last = dup(mine);
	dup2(mine, STDOUT_FILENO);
	started();
	until("\"bytes\":4,");
	dup2(out, STDOUT_FILENO);
	close(out);
	for (int fd = 0; fd <= last; fd++) {
		char path[64], what[128] = "";

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)service.pid, fd);
		(void)!readlink(path, what, sizeof(what) - 1);
		ck_assert_msg(!strstr(what, "memfd:mine"), "%d: %s", fd, what);
		ck_assert_msg((fd > 1) || !strcmp(what, "/dev/null"), "%d: %s", fd, what);
		if (fd >= SERVER_FDS)
			ck_assert_msg(!strstr(what, "/dev/null"), "%d: %s", fd, what);
	}
	for (int fd = mine; fd <= last; fd++) {
		char path[64], what[128] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		(void)!readlink(path, what, sizeof(what) - 1);
		if (strstr(what, "memfd:mine"))
			close(fd);
	}
}

/* Ctrl-C is for the run's process, which ends the server; SIGTERM ends it in good order */
TEST(view_service_start__signals)
{
	int status;

	signal(SIGCHLD, SIG_IGN);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	started();
	until("\"state\":\"growing\"");
	ck_assert_uint_eq(signals("SigIgn") & (SIGNAL(SIGINT) | SIGNAL(SIGHUP) | SIGNAL(SIGCHLD)),
			  SIGNAL(SIGINT) | SIGNAL(SIGHUP));
	ck_assert_uint_eq(signals("SigCgt") & SIGNAL(SIGTERM), SIGNAL(SIGTERM));
	kill(service.pid, SIGINT);
	kill(service.pid, SIGHUP);
	ck_assert(listed("\"state\":\"growing\""));
	signal(SIGCHLD, SIG_DFL);
	kill(service.pid, SIGTERM);
	ck_assert_int_eq(waitpid(service.pid, &status, 0), service.pid);
	ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	ck_assert(!view_service_wait(&service, UINT64_MAX));
	service.pid = 0;
}

/* ---- what it is told ---- */

TEST(view_service_state__of_the_first_recording)
{
	static const struct {
		enum view_state state;
		const char *listed;
	} rows[] = {
		{ VIEW_INTERRUPTED, "\"state\":\"interrupted\",\"bytes\":4,\"error\":null" },
		{ VIEW_FAILED, "\"state\":\"failed\",\"bytes\":4,\"error\":\"The run has failed: "
			       "its terminal has the reason.\"" },
		{ VIEW_COMPLETE, "\"state\":\"complete\",\"bytes\":4,\"error\":null" },
	};

	started();
	ck_assert_str_eq(asked("/recordings/1"), "0123");
	ck_assert(listed("\"control\":false"));
	ck_assert(listed("\"name\":\"r.heddle\",\"state\":\"growing\""));
	ck_assert(listed("\"command\":null,\"settings\":[]"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		view_service_state(&service, rows[i].state);
		until(rows[i].listed);
	}
	/* what is no state changes nothing */
	ck_assert_int_eq(write(service.state, "\4", 1), 1);
	ck_assert(view_service_wait(&service, 50000000));
	ck_assert(listed(rows[2].listed));
}

TEST(view_service_start__with_a_scenario)
{
	json_t *settings = json_pack("[s, s]", "seed=2", "a=b c");

	options.scenario = "/dev/null";
	options.shown = "dir/t.yaml";
	options.variant = "fast";
	options.settings = settings;
	options.control = true;
	started();
	json_decref(settings);
	ck_assert(listed("\"control\":true"));
	ck_assert(listed("\"command\":\"heddle run dir/t.yaml --variant fast --set seed=2 --set "
			 "'a=b c' --record FILE\",\"settings\":[\"seed=2\",\"a=b c\"]"));
}

/* ---- its end ---- */

/* a state for a server that has ended raises no signal, and signals stay as they were */
TEST(view_service_state__after_its_end)
{
	struct sigaction now;

	started();
	kill(service.pid, SIGKILL);
	ck_assert(!view_service_wait(&service, UINT64_MAX));
	view_service_state(&service, VIEW_COMPLETE);
	ck_assert_int_eq(sigaction(SIGPIPE, NULL, &now), 0);
	ck_assert(now.sa_handler == SIG_DFL);
}

/* with the run's process, however that ends: its end of the pipe is closed */
TEST(view_service_end__closes_the_pipe)
{
	int status;

	started();
	close(service.state);
	service.state = -1;
	ck_assert(!view_service_wait(&service, UINT64_MAX));
	ck_assert_int_eq(waitpid(service.pid, &status, 0), service.pid);
	ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	service.pid = 0;
}

/* ---- no server ---- */

static void refused(const char *sentence)
{
	ck_assert_int_eq(view_service_start(&service, &options, url, &why), -1);
	ck_assert_str_eq(why.text, sentence);
	ck_assert_int_eq(service.pid, 0);
	ck_assert_int_eq(service.state, -1);
	ck_assert_int_eq(service.ending, -1);
	view_service_state(&service, VIEW_COMPLETE);
}

TEST(view_service_start__no_address)
{
	options.server.listen = "localhost";
	refused("'localhost' is no IP address");
}

/* none, two or three descriptors are free, where two pipes need four */
TEST_RANGE(view_service_start__no_descriptors, 0, 3)
{
	struct rlimit limit, few;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = (struct rlimit){ .rlim_cur =
				       (rlim_t)options.recording + 1 + (rlim_t)(_i ? _i + 1 : 0),
			       .rlim_max = limit.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	refused("the server cannot be started: Too many open files");
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}
