#include "orchestrator/view/view_service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/view/fork_request.h"
#include "orchestrator/view/view_fork.h"

#define DESCRIPTORS_FIRST 3 /* after the standard ones: recording, state, answer */

/* ---- the process of the server ---- */

/* what the server has: its end of the pipe of states, that of its answer to the start */
struct server_process {
	const struct view_service_options *options;
	int recording, state, answer;
	struct view_shelf shelf;
	struct view_forks forks;
};

/* keeps the descriptors that it needs, and nothing that others wait for the end of */
static void descriptors_keep(struct server_process *process)
{
	int *kept[] = { &process->recording, &process->state, &process->answer };
	int null = open("/dev/null", O_RDWR);

	for (int i = 0; i < 3; i++)
		*kept[i] = fcntl(*kept[i], F_DUPFD_CLOEXEC, 64);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	for (int i = 0; i < 3; i++) {
		dup3(*kept[i], DESCRIPTORS_FIRST + i, O_CLOEXEC);
		*kept[i] = DESCRIPTORS_FIRST + i;
	}
	close_range(DESCRIPTORS_FIRST + 3, ~0u, 0);
}

static void answer_send(const struct server_process *process, char kind, const char *text)
{
	dprintf(process->answer, "%c%s", kind, text);
	close(process->answer);
}

/* takes a state of the run. Return: false once the run's process is gone */
static bool state_take(struct server_process *process)
{
	unsigned char state;
	bool got = read(process->state, &state, 1) == 1;

	if (got && state <= VIEW_INTERRUPTED)
		view_shelf_state(&process->shelf, 1, (enum view_state)state,
				 state == VIEW_FAILED ? "The run has failed: its terminal has the "
							"reason."
						      : NULL);
	return got;
}

/* until the run's process is gone, or SIGTERM */
static void server_attend(struct server_process *process)
{
	struct pollfd polled[1 + VIEW_FORKS_POLLED];
	sigset_t none;

	sigemptyset(&none);
	while (!interrupt_seen()) {
		polled[0] = (struct pollfd){ .fd = process->state, .events = POLLIN };
		view_forks_poll(&process->forks, polled + 1);
		if (ppoll(polled, 1 + VIEW_FORKS_POLLED, NULL, &none) <= 0)
			continue;
		if (polled[0].revents && !state_take(process))
			return;
		view_forks_step(&process->forks);
	}
}

static void server_run(struct server_process *process)
{
	const struct view_service_options *options = process->options;
	struct view_server_options server = options->server;
	struct view_server *running;
	char url[VIEW_URL_MAX];
	struct why why;

	view_shelf_init(&process->shelf);
	view_shelf_add(&process->shelf, process->recording, options->name,
		       options->scenario ? fork_command(options->shown, options->variant,
							options->settings, NULL)
					 : NULL,
		       options->settings ? json_deep_copy(options->settings) : NULL);
	if (view_forks_init(&process->forks, &process->shelf, options->scenario, options->shown,
			    options->variant)) {
		answer_send(process, '!', strerror(errno));
		return;
	}
	if (options->control) {
		server.owner = &process->forks;
		server.fork = view_forks_add;
		server.forget = view_forks_forget;
	}
	running = view_server_start(&server, &process->shelf, &why);
	if (!running) {
		answer_send(process, '!', why.text);
		return;
	}
	view_server_url(running, url);
	answer_send(process, '=', url);
	server_attend(process);
	view_forks_fini(&process->forks);
}

static void __attribute__((noreturn))
server_main(const struct view_service_options *options, int state, int answer, pid_t parent)
{
	static struct server_process process;
	sigset_t ends;

	process = (struct server_process){ .options = options,
					   .recording = options->recording,
					   .state = state,
					   .answer = answer };
	interrupt_catch();
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL); /* it arrives while ppoll() waits */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(0);
	descriptors_keep(&process);
	server_run(&process);
	_exit(0); /* connections and threads end here; nothing is written that could be cut */
}

/* ---- the process of the run ---- */

/* the answer of the server to its start. Return: 0, or -1 with a sentence in @why */
static int answer_take(int fd, char *url, struct why *why)
{
	char answer[VIEW_TEXT_MAX + 1];
	size_t length = 0;
	ssize_t got;

	while ((got = read(fd, answer + length, sizeof(answer) - 1 - length)) != 0)
		if (got > 0)
			length += (size_t)got;
		else if (errno != EINTR)
			break;
	answer[length] = 0;
	if (answer[0] == '=') {
		snprintf(url, VIEW_URL_MAX, "%.*s", (int)VIEW_URL_MAX - 1, answer + 1);
		return 0;
	}
	why_say(why, 0, "%s", answer[0] ? answer + 1 : "the server ended before it listened");
	return -1;
}

int view_service_start(struct view_service *service, const struct view_service_options *options,
		       char *url, struct why *why)
{
	int state[2] = { -1, -1 }, answer[2] = { -1, -1 }, error;
	pid_t parent = getpid();

	*service = (struct view_service){ .state = -1, .ending = -1 };
	if (!pipe2(state, O_CLOEXEC) && !pipe2(answer, O_CLOEXEC)) {
		service->pid = fork();
		if (!service->pid)
			server_main(options, state[0], answer[1], parent);
	} else {
		service->pid = -1;
	}
	if (service->pid < 0) {
		why_say(why, 0, "the server cannot be started: %s", strerror(errno));
		service->pid = 0;
	}
	descriptor_close(&state[0]);
	descriptor_close(&answer[1]);
	service->state = state[1];
	service->ending = service->pid ? pidfd_open(service->pid, 0) : -1;
	error = service->pid ? answer_take(answer[0], url, why) : -1;
	descriptor_close(&answer[0]);
	if (error)
		view_service_end(service);
	return error;
}

void view_service_state(const struct view_service *service, enum view_state state)
{
	unsigned char byte = (unsigned char)state;

	if (service->pid) {
		struct sigaction ignore = { .sa_handler = SIG_IGN }, before;

		sigaction(SIGPIPE, &ignore,
			  &before); /* a server that has ended is none of the run */
		(void)!write(service->state, &byte, 1);
		sigaction(SIGPIPE, &before, NULL);
	}
}

bool view_service_wait(const struct view_service *service, uint64_t time_ns)
{
	struct pollfd ending = { .fd = service->ending, .events = POLLIN };

	return !interrupt_wait(service->ending, time_ns) && poll(&ending, 1, 0) == 0;
}

void view_service_end(struct view_service *service)
{
	descriptor_close(&service->state); /* which ends it */
	descriptor_close(&service->ending);
	while (service->pid && waitpid(service->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	service->pid = 0;
}
