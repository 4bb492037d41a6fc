#include "orchestrator/operate/up_health.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/command/client.h"
#include "orchestrator/live/runtime_dir.h"
#include "orchestrator/operate/host_run.h"

#define TICK_NS 10000000ull /* how often ends are looked for */
#define LIVES_TICKS 20u     /* and that of the fabric */
#define LINE_MAX_BYTES 200u
#define READS_MAX 256u /* of what a check prints, at each look: a full pipe, and more */

struct check {
	const char *host;
	const struct scenario_host_settings *settings;
	uint64_t due_ns;           /* the next try */
	uint64_t until_ns;         /* deadline of the check: it has failed by then */
	pid_t pid;                 /* of the one that runs; 0: none */
	int out_fd;                /* pipe of what it prints, read at each tick; -1: none */
	char tail[LINE_MAX_BYTES]; /* the end of what it has printed */
	size_t tail_length;
	bool ended; /* one has ended: how, as of waitpid(), and the last line it printed */
	int status;
	char line[LINE_MAX_BYTES];
	bool healthy;
};

/* ---- one try ---- */

/* @out_fd  -1: it prints nothing */
static _Noreturn void check_become(const char *fabric, const struct check *check, int out_fd,
				   pid_t parent)
{
	const struct scenario_host_settings *settings = check->settings;
	int null_fd = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	if (check->out_fd >= 0)
		close(check->out_fd);
	dup2(null_fd, STDIN_FILENO);
	dup2(out_fd >= 0 ? out_fd : null_fd, STDOUT_FILENO);
	dup2(out_fd >= 0 ? out_fd : null_fd, STDERR_FILENO);
	for (uint32_t i = 0; i < settings->variable_count; i++)
		putenv(settings->variables[i]);
	_exit(host_run("up", fabric, check->host, NULL, settings->health.run.argv, parent));
}

static void check_start(const char *fabric, struct check *check, uint64_t now_ns)
{
	const pid_t self = getpid();
	int pipes[2] = { -1, -1 };

	descriptor_close(&check->out_fd);
	check->tail_length = 0;
	if (!pipe2(pipes, O_CLOEXEC))
		(void)fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	check->out_fd = pipes[0];
	check->due_ns = now_ns + check->settings->health.every_ps / 1000;
	check->pid = fork();
	if (!check->pid)
		check_become(fabric, check, pipes[1], self);
	descriptor_close(&pipes[1]);
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

static void tail_add(struct check *check, const char *bytes, size_t length)
{
	const size_t max = sizeof(check->tail);
	const size_t fresh = length < max ? length : max;
	const size_t kept = check->tail_length < max - fresh ? check->tail_length : max - fresh;

	memmove(check->tail, check->tail + check->tail_length - kept, kept);
	memcpy(check->tail + kept, bytes + length - fresh, fresh);
	check->tail_length = kept + fresh;
}

/* reads what it has printed; of one that prints without end some, so that it waits */
static void output_read(struct check *check)
{
	char bytes[4096];
	ssize_t length;

	for (unsigned i = 0; i < READS_MAX && check->out_fd >= 0; i++) {
		length = read(check->out_fd, bytes, sizeof(bytes));
		if (length <= 0)
			break;
		tail_add(check, bytes, (size_t)length);
	}
}

/* the last line that it has printed; "" if there is none */
static const char *last_line(const struct check *check, char text[LINE_MAX_BYTES])
{
	const size_t max = LINE_MAX_BYTES - 1;
	size_t length = check->tail_length < max ? check->tail_length : max;
	char *line;

	memcpy(text, check->tail + check->tail_length - length, length);
	text[length] = 0;
	while (length > 0 && text[length - 1] == '\n')
		text[--length] = 0;
	line = strrchr(text, '\n');
	if (line)
		memmove(text, line + 1, strlen(line));
	utf8_mend(text);
	return text;
}

/* Tells the start commands of @host that do not run, often the cause; NULL: of all hosts, those
 * that have failed by now. */
static void commands_tell(const char *fabric, const char *host)
{
	json_t *answer = NULL;
	const json_t *program;
	size_t i;

	if (client_fetch("up", fabric, json_pack("{s:s}", "ask", "ps"), &answer))
		return;
	json_array_foreach (json_object_get(answer, "programs"), i, program) {
		if (host ? strcmp(member_text(program, "host"), host) ||
				    json_is_true(json_object_get(program, "running"))
			 : !json_is_true(json_object_get(program, "failed")))
			continue;
		fprintf(stderr, "heddle up: host %s: '%s': %s\n", member_text(program, "host"),
			member_text(program, "command"), member_text(program, "fate"));
	}
	json_decref(answer);
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
		last_line(check, check->line);
	options_wrong("up", "host %s is not healthy after %s: '%s' %s%s%s", check->host,
		      human_time(health->within_ps, time), health->run.text, how,
		      check->line[0] ? ": " : "", check->line);
	commands_tell(fabric, check->host);
	fprintf(stderr, "the fabric runs: 'heddle log -f %s %s', 'heddle down %s'\n", fabric,
		check->host, fabric);
}

/* advances @check once; false: the host is not healthy in time, reported */
static bool check_step(const char *fabric, struct check *check, uint64_t began_ns)
{
	uint64_t now_ns = monotonic_ns();
	char time[HUMAN_TEXT_MAX];

	output_read(check);
	if (check->pid && waitpid(check->pid, &check->status, WNOHANG) == check->pid) {
		check->pid = 0;
		check->ended = true;
		output_read(check);
		last_line(check, check->line);
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
	struct check *checks = calloc(plan->host_count, sizeof(*checks));
	uint64_t now_ns = monotonic_ns();

	*count = 0;
	for (uint32_t i = 0; checks && i < plan->host_count; i++) {
		const struct node_config *nic = &plan->nodes[plan_host_node(plan, i)];
		const struct scenario_host_settings *settings = plan->hosts[i].settings;

		if (!settings || !settings->health.run.argv || plan_elsewhere(plan, nic->index))
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

static bool has_commands(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->host_count; i++)
		if (plan->hosts[i].settings && plan->hosts[i].settings->command_count)
			return true;
	return false;
}

static bool fabric_lives(const char *fabric)
{
	struct why why;
	int base_fd = runtime_open(false, &why);
	bool lives = base_fd >= 0 && runtime_lives(base_fd, fabric);

	descriptor_close(&base_fd);
	return lives;
}

int up_health_await(const char *fabric, const struct plan *plan)
{
	const struct timespec tick = { 0, TICK_NS };
	uint64_t began_ns = monotonic_ns();
	int status = 0;
	uint32_t count, ticks = 0;
	struct check *checks = checks_make(plan, &count);

	if (count)
		fprintf(stderr,
			"heddle up: waits until %u host%s healthy; the fabric runs, also after "
			"Ctrl-C\n",
			count, count == 1 ? " is" : "s are");
	fflush(stdout); /* the processes of the checks have a copy of what waits there */
	while (!status && !all_healthy(checks, count)) {
		/* a check whose fabric has ended fails for ever */
		if (!(ticks++ % LIVES_TICKS) && !fabric_lives(fabric)) {
			options_wrong("up", "fabric %s has ended", fabric);
			status = EXIT_NODE;
		}
		for (uint32_t i = 0; i < count && !status; i++)
			if (!check_step(fabric, &checks[i], began_ns))
				status = EXIT_UNHEALTHY;
		nanosleep(&tick, NULL);
	}
	for (uint32_t i = 0; i < count; i++) {
		check_end(&checks[i]);
		descriptor_close(&checks[i].out_fd);
	}
	free(checks);
	if (!status && has_commands(plan))
		commands_tell(fabric, NULL);
	return status;
}
