/*  stop_nodes - runs heddle, and stops or starves its nodes at a stage of the run that is known
 *  exactly.
 *  usage: stop_nodes LINE NODES HOW MILLISECONDS -- HEDDLE run SCENARIO --verbose [OPTION ...]
 *    LINE  the nodes are disturbed once this line of `--verbose`, from 1, is there
 *    NODES all, or a number: the child of that number, modulo their count
 *    HOW   stop (SIGSTOP, then SIGCONT after so long), flap (the same again and again: 3 ms
 *          stopped, 1 ms not), starve (SCHED_IDLE on one core beside a program that computes)
 *
 *  How the stage is known: standard error of heddle is a pipe with space for one line. A line is
 *  taken out only after the nodes have been disturbed, so heddle cannot get past its next line
 *  before. Stages begin with a line just after the one that ended the last, so nodes disturbed at
 *  the last one's end are so from the very beginning of the next.
 *  All lines go to standard error. Exit status: that of heddle; 125: something is wrong here; 126:
 *  there is no such line. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILDREN_MAX 4096u
#define LINE_MAX_BYTES 4096
#define FLAP_STOPPED_MS 3u
#define FLAP_RUNS_MS 1u

enum how { STOP, FLAP, STARVE };

struct disturbance {
	unsigned long line, milliseconds;
	long who; /* -1: all */
	enum how how;
	pid_t heddle, hog;
	pid_t nodes[CHILDREN_MAX];
	unsigned count;
	bool on, over;
	bool stopped;
	double end_ms, flap_ms;
};

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void fail(const char *what)
{
	fprintf(stderr, "stop_nodes: %s: %s\n", what, strerror(errno));
	exit(125);
}

/* the children of heddle, those that are to be disturbed */
static void nodes_find(struct disturbance *d)
{
	char path[64];
	FILE *file;
	int pid;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)d->heddle, (int)d->heddle);
	file = fopen(path, "re");
	while (file && d->count < CHILDREN_MAX && fscanf(file, "%d", &pid) == 1)
		d->nodes[d->count++] = pid;
	if (file)
		fclose(file);
	if (d->who < 0 || !d->count)
		return;
	d->nodes[0] = d->nodes[(unsigned long)d->who % d->count];
	d->count = 1;
}

static void signal_all(struct disturbance *d, int number)
{
	for (unsigned i = 0; i < d->count; i++)
		kill(d->nodes[i], number);
	d->stopped = number == SIGSTOP;
}

/* a program that computes, on the core where the nodes are to starve */
static void hog_start(struct disturbance *d, const cpu_set_t *core)
{
	d->hog = fork();
	if (d->hog < 0)
		fail("fork");
	if (d->hog)
		return;
	sched_setaffinity(0, sizeof(*core), core);
	alarm(60);
	for (;;)
		;
}

static void starve(struct disturbance *d)
{
	struct sched_param parameter = { 0 };
	cpu_set_t allowed, core;
	int first = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		fail("sched_getaffinity");
	while (!CPU_ISSET(first, &allowed))
		first++;
	CPU_ZERO(&core);
	CPU_SET(first, &core);
	for (unsigned i = 0; i < d->count; i++) {
		sched_setaffinity(d->nodes[i], sizeof(core), &core);
		sched_setscheduler(d->nodes[i], SCHED_IDLE, &parameter);
	}
	hog_start(d, &core);
}

static void begin(struct disturbance *d)
{
	d->on = true;
	d->end_ms = now_ms() + (double)d->milliseconds;
	d->flap_ms = now_ms() + FLAP_STOPPED_MS;
	nodes_find(d);
	if (d->how == STARVE)
		starve(d);
	else
		signal_all(d, SIGSTOP);
}

static void end(struct disturbance *d)
{
	if (!d->on || d->over)
		return;
	d->over = true;
	if (d->stopped)
		signal_all(d, SIGCONT);
	if (d->hog)
		kill(d->hog, SIGKILL);
	if (d->hog)
		waitpid(d->hog, NULL, 0);
}

/* what is due by now.  Return: for how long nothing will be, in ms; -1: for ever */
static int step(struct disturbance *d)
{
	double now = now_ms();

	if (!d->on || d->over)
		return -1;
	if (now >= d->end_ms) {
		end(d);
		return -1;
	}
	if (d->how == FLAP && now >= d->flap_ms) {
		signal_all(d, d->stopped ? SIGCONT : SIGSTOP);
		d->flap_ms = now + (d->stopped ? FLAP_STOPPED_MS : FLAP_RUNS_MS);
	}
	return (int)((d->how == FLAP ? d->flap_ms : d->end_ms) - now) + 1;
}

static pid_t heddle_start(char **command, int fds[2])
{
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC | O_DIRECT) ||
	    fcntl(fds[0], F_SETPIPE_SZ, LINE_MAX_BYTES) != LINE_MAX_BYTES)
		fail("pipe2");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid) {
		close(fds[1]);
		return pid;
	}
	dup2(fds[1], STDERR_FILENO);
	execv(command[0], command);
	_exit(125);
}

/* lines of heddle on @fd until it has ended.  Return: how many there were */
static unsigned long follow(struct disturbance *d, int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	char text[LINE_MAX_BYTES + 1];
	unsigned long lines = 0;

	for (;;) {
		int ready = poll(&polled, 1, step(d));
		ssize_t length;

		if (ready < 0 && errno != EINTR)
			fail("poll");
		if (ready <= 0)
			continue;
		if (lines + 1 == d->line && !d->on && polled.revents & POLLIN)
			/* its line is still in the pipe, without space for the next one */
			begin(d);
		length = read(fd, text, LINE_MAX_BYTES);
		if (length <= 0)
			return lines;
		fprintf(stderr, "%.*s", (int)length, text);
		lines++;
	}
}

static void arguments_parse(struct disturbance *d, int argc, char **argv)
{
	static const char *const words[] = {
		[STOP] = "stop", [FLAP] = "flap", [STARVE] = "starve"
	};
	int how = 0;

	if (argc < 7 || strcmp(argv[5], "--") != 0) {
		fprintf(stderr, "usage: stop_nodes LINE all|NUMBER stop|flap|starve MILLISECONDS "
				"-- HEDDLE ...\n");
		exit(125);
	}
	while (how < 3 && strcmp(argv[3], words[how]) != 0)
		how++;
	d->line = strtoul(argv[1], NULL, 10);
	d->who = strcmp(argv[2], "all") ? strtol(argv[2], NULL, 10) : -1;
	d->how = (enum how)how;
	d->milliseconds = strtoul(argv[4], NULL, 10);
	if (how == 3 || !d->line) {
		errno = EINVAL;
		fail("arguments");
	}
}

int main(int argc, char **argv)
{
	static struct disturbance d;
	int fds[2], status;

	arguments_parse(&d, argc, argv);
	d.heddle = heddle_start(argv + 6, fds);
	follow(&d, fds[0]);
	end(&d);
	if (waitpid(d.heddle, &status, 0) < 0)
		fail("waitpid");
	if (!d.on)
		return 126;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
