#include "orchestrator/live_manager.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "orchestrator/descriptor.h"
#include "orchestrator/fabric_exchange.h"
#include "orchestrator/fabric_watch.h"
#include "orchestrator/manager_process.h"
#include "orchestrator/wall_time.h"

#define PATIENCE_S 5           /* with a manager that neither asks nor reports */
#define AGAIN_NS 1000000000ull /* one that dies at once is not started over and over */

void live_managers_init(struct live *live)
{
	for (uint32_t i = 0; i < LIVE_MANAGERS; i++)
		live->managers.list[i] = (struct live_manager){ .fd = -1, .pid_fd = -1 };
}

/* ---- start and end ---- */

/* its end, whether it lives or not */
static void manager_drop(struct live_manager *manager)
{
	if (manager->pid_fd >= 0)
		pidfd_send_signal(manager->pid_fd, SIGKILL, NULL, 0);
	descriptor_close(&manager->pid_fd);
	descriptor_close(&manager->fd);
	manager->pid = 0;
}

void live_managers_end(struct live *live)
{
	for (uint32_t i = 0; i < LIVE_MANAGERS; i++)
		manager_drop(&live->managers.list[i]);
}

static int manager_spawn(struct live_manager *manager, int socket)
{
	char name[] = "heddle", command[] = MANAGER_COMMAND, parent[32];
	char *arguments[] = { name, command, parent, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error;

	snprintf(parent, sizeof(parent), "%d", (int)getpid());
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, socket, CONTROL_FD);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	error = posix_spawn(&manager->pid, "/proc/self/exe", &actions, &attributes, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (error)
		return -error;
	manager->pid_fd = pidfd_open(manager->pid, 0);
	return manager->pid_fd < 0 ? -errno : 0;
}

static int manager_start(struct live *live, struct live_manager *manager)
{
	struct manager_hello hello = { .node_count = live->plan->node_count, .request = live->plan->routing };
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int sockets[2], error;

	manager->started_ns = wall_ns();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	manager->fd = sockets[0];
	setsockopt(manager->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(manager->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	error = manager_spawn(manager, sockets[1]);
	close(sockets[1]);
	if (!error)
		error = manager_word_send(manager->fd, MANAGER_HELLO, 1, &hello, sizeof(hello));
	if (error)
		manager_drop(manager);
	return error;
}

/* both run, if that is possible; whoever died a moment ago is left for later.  Return: is one missing? */
static bool managers_complete(struct live *live)
{
	bool missing = false;

	for (uint32_t i = 0; i < LIVE_MANAGERS; i++) {
		struct live_manager *manager = &live->managers.list[i];
		int error = 0;

		if (manager->fd < 0 && wall_ns() - manager->started_ns >= AGAIN_NS)
			error = manager_start(live, manager);
		if (error)
			live_note("a fabric manager cannot be started: %s", strerror(-error));
		missing |= manager->fd < 0;
	}
	return missing;
}

/* ---- a sweep ---- */

/* room for what is asked about @questions; NULL: no memory */
static struct node_identity *identities_make(struct manager_question *questions, uint32_t count)
{
	struct node_identity *identities;
	uint32_t wanted = 0;

	for (uint32_t i = 0; i < count; i++)
		wanted += questions[i].ask == ASK_DISCOVER;
	identities = calloc((size_t)wanted + 1, sizeof(*identities));
	wanted = 0;
	for (uint32_t i = 0; i < count && identities; i++)
		questions[i].identity = questions[i].ask == ASK_DISCOVER ? &identities[wanted++] : NULL;
	return identities;
}

static bool questions_valid(const struct live *live, const struct manager_question *questions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (questions[i].node >= live->plan->node_count || (uint32_t)questions[i].ask >= ASK_KINDS ||
		    (uint32_t)questions[i].block.table >= TABLE_KINDS)
			return false;
	return true;
}

/* ... with the manager's own pointers, which are nothing to us but its numbers */
static int answers_send(int fd, struct manager_question *questions, struct node_identity **theirs, uint32_t count)
{
	struct manager_header header = { .word = MANAGER_ANSWERS, .count = count };
	int error = manager_send(fd, &header, sizeof(header));

	for (uint32_t i = 0; i < count; i++) {
		struct node_identity *ours = questions[i].identity;

		questions[i].identity = theirs[i];
		theirs[i] = ours;
	}
	if (!error)
		error = manager_send(fd, questions, count * sizeof(*questions));
	for (uint32_t i = 0; i < count && !error; i++)
		if (questions[i].ask == ASK_DISCOVER)
			error = manager_send(fd, theirs[i], sizeof(*theirs[i]));
	return error;
}

/* the next @count questions of the manager behind @fd, to the nodes and back */
static int relay(struct live *live, int fd, uint32_t count)
{
	struct manager_question *questions = calloc((size_t)count + 1, sizeof(*questions));
	struct node_identity **theirs = calloc((size_t)count + 1, sizeof(struct node_identity *)), *identities = NULL;
	int error = questions && theirs ? manager_receive(fd, questions, count * sizeof(*questions)) : -ENOMEM;

	if (!error && !questions_valid(live, questions, count))
		error = -EPROTO;
	for (uint32_t i = 0; i < count && !error; i++)
		theirs[i] = questions[i].identity;
	if (!error)
		identities = identities_make(questions, count);
	if (!error)
		error = identities ? fabric_exchange(&live->fabric, questions, count) : -ENOMEM;
	if (!error)
		error = answers_send(fd, questions, theirs, count);
	free(identities);
	free(theirs);
	free(questions);
	return error;
}

static void outcome_keep(struct live_managers *managers, const struct manager_outcome *outcome)
{
	managers->sweeps++;
	managers->last = outcome->report;
	managers->last.why[MANAGER_WHY_MAX - 1] = 0;
	managers->last_ns = wall_ns();
	if (!outcome->report.blocks_written)
		return;
	managers->changed_blocks = outcome->report.blocks_written;
	managers->changed_switches = outcome->report.switches_written;
	managers->changed_ns = managers->last_ns;
}

/* Return: 0 with @outcome filled; -errno: the manager is of no use any more */
static int manager_sweep(struct live *live, struct live_manager *manager, struct manager_outcome *outcome)
{
	int error = manager_word_send(manager->fd, MANAGER_SWEEP, 0, NULL, 0);
	struct manager_header header;

	while (!error) {
		error = manager_receive(manager->fd, &header, sizeof(header));
		if (!error && header.word == MANAGER_REPORT && header.count == 1)
			return manager_receive(manager->fd, outcome, sizeof(*outcome));
		if (!error)
			error = header.word == MANAGER_ASK && header.count <= MANAGER_QUESTIONS_MAX
					? relay(live, manager->fd, header.count)
					: -EPROTO;
	}
	return error;
}

/* the active one is not to be counted on any more: the other one is it now, if it is there */
static void take_over(struct live *live, int error)
{
	struct live_managers *managers = &live->managers;
	struct live_manager *lost = &managers->list[managers->active];
	pid_t pid = lost->pid;

	manager_drop(lost);
	managers->active = (managers->active + 1) % LIVE_MANAGERS;
	managers->takeovers++;
	live_note("the active fabric manager (pid %d) is %s; pid %d takes over", (int)pid,
		  error == -EPIPE ? "dead" : strerror(-error), (int)managers->list[managers->active].pid);
}

int live_manage(struct live *live)
{
	struct live_managers *managers = &live->managers;
	struct manager_outcome outcome;
	int error = -EIO;

	for (uint32_t tries = 0; tries <= LIVE_MANAGERS; tries++) {
		struct live_manager *active = &managers->list[managers->active];

		if (active->fd < 0)
			error = manager_start(live, active);
		else
			error = 0;
		if (!error)
			error = manager_sweep(live, active, &outcome);
		if (!error) {
			outcome_keep(managers, &outcome);
			if (outcome.error)
				fabric_fail(&live->fabric, "the fabric manager: %s", managers->last.why);
			return outcome.error;
		}
		take_over(live, error);
	}
	fabric_fail(&live->fabric, "there is no fabric manager: %s", strerror(-error));
	return error;
}

/* ---- watching ---- */

void live_managers_poll(const struct live *live, struct pollfd polled[LIVE_MANAGERS])
{
	for (uint32_t i = 0; i < LIVE_MANAGERS; i++)
		polled[i] = (struct pollfd){ live->managers.list[i].fd, POLLIN, 0 };
}

/* is it gone? It has nothing to say unless it was told to sweep. */
static bool is_gone(const struct live_manager *manager)
{
	struct pollfd polled = { manager->fd, POLLIN, 0 };

	return manager->fd >= 0 && poll(&polled, 1, 0) == 1;
}

bool live_managers_watch(struct live *live)
{
	struct live_managers *managers = &live->managers;
	struct live_manager *standby = &managers->list[(managers->active + 1) % LIVE_MANAGERS];

	if (is_gone(standby)) {
		live_note("the fabric manager that stood by (pid %d) is dead", (int)standby->pid);
		manager_drop(standby);
	}
	if (is_gone(&managers->list[managers->active])) {
		take_over(live, -EPIPE);
		if (live_manage(live))
			live_note("tables stay as they are");
	}
	return managers_complete(live);
}

/* ---- what people are told ---- */

json_t *live_managers_describe(const struct live *live)
{
	const struct live_managers *managers = &live->managers;
	const struct manager_report *last = &managers->last;
	uint64_t now_ns = wall_ns();

	return json_pack("{s:i, s:i, s:i, s:i, s:I, s:I, s:i, s:i, s:i, s:i, s:i, s:s, s:I, s:i, s:i}", "active",
			 (int)managers->list[managers->active].pid, "standby",
			 (int)managers->list[(managers->active + 1) % LIVE_MANAGERS].pid, "takeovers",
			 (int)managers->takeovers, "sweeps", (int)managers->sweeps, "swept_ago_ns",
			 (json_int_t)(now_ns - managers->last_ns), "took_ns", (json_int_t)last->took_ns, "switches",
			 (int)last->switches, "hosts", (int)last->hosts, "links", (int)last->links, "blocks_written",
			 (int)last->blocks_written, "switches_written", (int)last->switches_written, "trouble",
			 last->why, "changed_ago_ns",
			 (json_int_t)(managers->changed_ns ? now_ns - managers->changed_ns : 0), "changed_blocks",
			 (int)managers->changed_blocks, "changed_switches", (int)managers->changed_switches);
}
