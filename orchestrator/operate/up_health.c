#include "orchestrator/operate/up_health.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/human.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/base/wall_time.h"
#include "orchestrator/command/client.h"
#include "orchestrator/operate/host_run.h"

#define TICK_NS 10000000ull /* how often ends are looked for */
#define LINE_MAX_BYTES 200u

struct check {
	const char *host;
	const struct scenario_host_settings *settings;
	uint64_t due_ns;   /* the next try */
	uint64_t until_ns; /* the end of patience */
	pid_t pid;         /* of the one that runs; 0: none */
	int out_fd;        /* what it prints; -1: none */
	bool ended;        /* one has ended: how, as of waitpid(), and the last line it printed */
	int status;
	char line[LINE_MAX_BYTES];
	bool healthy;
};

/* ---- one try ---- */

static _Noreturn void check_become(const char *fabric, const struct check *check, pid_t parent)
{
	const struct scenario_host_settings *settings = check->settings;
	int null_fd = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	dup2(null_fd, STDIN_FILENO);
	dup2(check->out_fd, STDOUT_FILENO);
	dup2(check->out_fd, STDERR_FILENO);
	for (uint32_t i = 0; i < settings->variable_count; i++)
		putenv(settings->variables[i]);
	_exit(host_run("up", fabric, check->host, NULL, settings->health.run.argv, parent));
}

static void check_start(const char *fabric, struct check *check, uint64_t now_ns)
{
	const pid_t self = getpid();

	if (check->out_fd >= 0)
		close(check->out_fd);
	check->out_fd = memfd_create("health", MFD_CLOEXEC);
	check->due_ns = now_ns + check->settings->health.every_ps / 1000;
	check->pid = fork();
	if (!check->pid)
		check_become(fabric, check, self);
	if (check->pid < 0)
		check->pid = 0; /* tried again when the next one is due */
	if (check->pid)
		setpgid(check->pid, check->pid); /* whichever of the two comes first */
}

static void check_end(struct check *check)
{
	if (!check->pid)
		return;
	kill(-check->pid, SIGKILL); /* with its program, and what that has started */
	while (waitpid(check->pid, NULL, 0) < 0 && errno == EINTR)
		;
	check->pid = 0;
}

/* ---- all ---- */

/* the last line that @fd has; "" if there is none */
static const char *last_line(int fd, char text[LINE_MAX_BYTES])
{
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	off_t from = size > (off_t)LINE_MAX_BYTES - 1 ? size - (off_t)(LINE_MAX_BYTES - 1) : 0;
	ssize_t length = size > 0 ? pread(fd, text, LINE_MAX_BYTES - 1, from) : 0;
	char *line;

	text[length > 0 ? length : 0] = 0;
	while (length > 0 && text[length - 1] == '\n')
		text[--length] = 0;
	line = strrchr(text, '\n');
	if (line)
		memmove(text, line + 1, strlen(line));
	utf8_mend(text);
	return text;
}

/* of the last one that has ended; of one that still runs if none has */
static void unhealthy_tell(const char *fabric, struct check *check)
{
	const struct host_health *health = &check->settings->health;
	char time[HUMAN_TEXT_MAX], how[64];

	if (!check->ended)
		snprintf(how, sizeof(how), "did not end");
	else if (WIFSIGNALED(check->status))
		snprintf(how, sizeof(how), "was killed by signal %d", WTERMSIG(check->status));
	else
		snprintf(how, sizeof(how), "ended with status %d", WEXITSTATUS(check->status));
	if (!check->ended)
		last_line(check->out_fd, check->line);
	options_wrong("up", "host %s is not healthy after %s: '%s' %s%s%s", check->host,
		      human_time(health->within_ps, time), health->run.text, how,
		      check->line[0] ? ": " : "", check->line);
	fprintf(stderr, "the fabric runs: 'heddle log -f %s %s', 'heddle down %s'\n", fabric,
		check->host, fabric);
}

/* one look at @check; false: the host is not healthy in time, told */
static bool check_step(const char *fabric, struct check *check, uint64_t began_ns)
{
	uint64_t now_ns = wall_ns();
	char time[HUMAN_TEXT_MAX];

	if (check->pid && waitpid(check->pid, &check->status, WNOHANG) == check->pid) {
		check->pid = 0;
		check->ended = true;
		last_line(check->out_fd, check->line);
		check->healthy = WIFEXITED(check->status) && !WEXITSTATUS(check->status);
		if (check->healthy)
			fprintf(stderr, "heddle up: host %s is healthy after %s\n", check->host,
				human_time((now_ns - began_ns) * 1000, time));
	}
	if (check->healthy)
		return true;
	if (now_ns >= check->until_ns) {
		check_end(check);
		unhealthy_tell(fabric, check);
		return false;
	}
	if (!check->pid && now_ns >= check->due_ns)
		check_start(fabric, check, now_ns);
	return true;
}

/* the hosts with a check; malloc'd, NULL if memory is short */
static struct check *checks_make(const struct plan *plan, uint32_t *count)
{
	struct check *checks = calloc((size_t)plan->host_count + 1, sizeof(*checks));
	uint64_t now_ns = wall_ns();

	*count = 0;
	for (uint32_t i = 0; checks && i < plan->host_count; i++) {
		const struct node_config *nic = &plan->nodes[plan_host_node(plan, i)];
		const struct scenario_host_settings *settings = plan->hosts[i].settings;

		if (!settings || !settings->health.run.argv)
			continue;
		checks[(*count)++] = (struct check){
			.host = nic->name,
			.settings = settings,
			.due_ns = now_ns,
			.until_ns = now_ns + settings->health.within_ps / 1000,
			.out_fd = -1,
		};
	}
	return checks;
}

static bool all_healthy(const struct check *checks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!checks[i].healthy)
			return false;
	return true;
}

int up_health_await(const char *fabric, const struct plan *plan)
{
	const struct timespec tick = { 0, TICK_NS };
	uint64_t began_ns = wall_ns();
	int status = 0;
	uint32_t count;
	struct check *checks = checks_make(plan, &count);

	if (count)
		fprintf(stderr, "heddle up: waits until %u host%s healthy\n", count,
			count == 1 ? " is" : "s are");
	fflush(stdout); /* the processes of the checks have a copy of what waits there */
	while (!status && !all_healthy(checks, count)) {
		for (uint32_t i = 0; i < count && !status; i++)
			if (!check_step(fabric, &checks[i], began_ns))
				status = EXIT_UNHEALTHY;
		nanosleep(&tick, NULL);
	}
	for (uint32_t i = 0; i < count; i++) {
		check_end(&checks[i]);
		if (checks[i].out_fd >= 0)
			close(checks[i].out_fd);
	}
	free(checks);
	return status;
}
