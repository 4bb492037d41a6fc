#include "orchestrator/fabric/manager_pair.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/process/process_look.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/own_process.h"
#include "orchestrator/fabric/fabric_exchange.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "orchestrator/manager/manager_message.h"
#include "orchestrator/manager/manager_process.h"

#define PATIENCE_NS 5000000000ull
#define LOOK_MS 100
#define REST_S 30              /* for the rest of a message */
#define AGAIN_NS 1000000000ull /* a manager that dies at once is not restarted more often */

void manager_pair_init(struct manager_pair *pair, struct fabric *fabric)
{
	*pair = (struct manager_pair){ .fabric = fabric, .patience_ns = PATIENCE_NS };
	for (uint32_t i = 0; i < MANAGER_PAIR; i++)
		pair->list[i] = (struct manager_end){ .fd = -1, .pid_fd = -1 };
}

/* ---- start and end ---- */

/* ends @manager, alive or dead */
static void manager_drop(struct manager_end *manager)
{
	if (manager->pid_fd >= 0)
		pidfd_send_signal(manager->pid_fd, SIGKILL, NULL, 0);
	descriptor_close(&manager->pid_fd);
	descriptor_close(&manager->fd);
	manager->pid = 0;
}

void manager_pair_end(struct manager_pair *pair)
{
	for (uint32_t i = 0; i < MANAGER_PAIR; i++)
		manager_drop(&pair->list[i]);
}

static int manager_spawn(struct manager_end *manager, int socket, bool keep_user)
{
	pid_t pid = own_process_start(MANAGER_COMMAND, socket, keep_user);

	if (pid < 0)
		return pid;
	manager->pid = pid;
	manager->pid_fd = pidfd_open(pid, 0);
	return manager->pid_fd < 0 ? -errno : 0;
}

static int manager_start(const struct manager_pair *pair, struct manager_end *manager)
{
	struct manager_message hello = { .kind = MANAGER_HELLO,
					 .node_count = pair->fabric->plan->node_count,
					 .request = pair->fabric->plan->routing };
	const struct timeval patience = { .tv_sec = REST_S };
	int sockets[2], error;

	manager->started_ns = monotonic_ns();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	manager->fd = sockets[0];
	setsockopt(manager->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(manager->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	error = manager_spawn(manager, sockets[1], pair->fabric->options.keep_user);
	close(sockets[1]);
	error = error ?: manager_send(manager->fd, &hello);
	if (error)
		manager_drop(manager);
	return error;
}

/* starts managers that do not run, except those that died less than AGAIN_NS after their start.
 * Return: true if one is missing */
static bool managers_complete(struct manager_pair *pair)
{
	bool missing = false;

	for (uint32_t i = 0; i < MANAGER_PAIR; i++) {
		struct manager_end *manager = &pair->list[i];
		int error = 0;

		if (manager->fd < 0 && monotonic_ns() - manager->started_ns >= AGAIN_NS)
			error = manager_start(pair, manager);
		if (error)
			fabric_note(pair->fabric, "a fabric manager cannot be started: %s",
				    strerror(-error));
		missing |= manager->fd < 0;
	}
	return missing;
}

/* ---- a sweep ---- */

/* memory for the identities of @questions; NULL: memory is short */
static struct node_identity *identities_make(struct manager_question *questions, uint32_t count)
{
	struct node_identity *identities;
	uint32_t wanted = 0;

	for (uint32_t i = 0; i < count; i++)
		wanted += questions[i].ask == ASK_DISCOVER;
	identities = calloc(wanted, sizeof(*identities));
	wanted = 0;
	for (uint32_t i = 0; i < count && identities; i++)
		questions[i].identity =
			questions[i].ask == ASK_DISCOVER ? &identities[wanted++] : NULL;
	return identities;
}

/* relays the questions of the active manager, of which @message is the first, and their answers */
static int relay(struct manager_pair *pair, int fd, struct manager_message *message,
		 struct why *why)
{
	uint32_t count = message->count, node_count = pair->fabric->plan->node_count;
	struct manager_question *questions = calloc(count, sizeof(*questions));
	struct node_identity *identities = NULL;
	int error = questions ? manager_question_take(message, questions, count, 0, node_count, why)
			      : -ENOMEM;

	manager_message_free(message);
	if (error)
		goto out;
	for (uint32_t i = 1; i < count; i++) {
		error = manager_receive(fd, message, why);
		if (error)
			goto out;
		error = manager_question_take(message, questions, count, i, node_count, why);
		manager_message_free(message);
		if (error)
			goto out;
	}
	identities = identities_make(questions, count);
	error = identities ? fabric_exchange(pair->fabric, questions, count) : -ENOMEM;
	if (!error)
		error = manager_questions_send(fd, MANAGER_ANSWER, questions, count);
out:
	free(identities);
	free(questions);
	return error;
}

static void outcome_keep(struct manager_pair *pair, const struct manager_message *outcome)
{
	bool is_news = strcmp(pair->last.why, outcome->report.why) != 0;

	pair->sweeps++;
	pair->last = outcome->report;
	if (!outcome->error && pair->last.why[0] && is_news)
		fabric_note(pair->fabric, "the fabric manager: %s", pair->last.why);
	pair->last_ns = monotonic_ns();
	if (!outcome->report.blocks_written)
		return;
	pair->changed_blocks = outcome->report.blocks_written;
	pair->changed_switches = outcome->report.switches_written;
	pair->changed_ns = pair->last_ns;
}

/* does it hang, or loop? It does not hang while it only waits for a core */
static bool is_lost(struct watchdog *watchdog, pid_t pid)
{
	struct watchdog_sight sight = { .late = 1, .cpu_ns = process_cpu_ns(pid) };
	enum watchdog_verdict verdict = watchdog_look(watchdog, monotonic_ns(), &sight);

	return verdict == WATCHDOG_LOOPS || (verdict == WATCHDOG_HANGS && !process_wants_core(pid));
}

/* waits for a message of the active manager. Return: 0; -ETIMEDOUT */
static int message_await(struct manager_pair *pair, const struct manager_end *manager)
{
	struct pollfd polled = { manager->fd, POLLIN, 0 };
	uint64_t began_ns = monotonic_ns();
	struct watchdog watchdog;

	watchdog_start(&watchdog, pair->patience_ns, began_ns);
	while (poll(&polled, 1, LOOK_MS) <= 0) {
		if (is_lost(&watchdog, manager->pid))
			return -ETIMEDOUT;
		fabric_waits(pair->fabric, began_ns, "waiting for the fabric manager, pid %d",
			     (int)manager->pid);
	}
	return 0;
}

/* Return: 0 with @message the report; -errno: the manager has failed, -EPROTO: for @why */
static int manager_sweep(struct manager_pair *pair, struct manager_end *manager,
			 struct manager_message *message, struct why *why)
{
	int error = manager_send(manager->fd, &(struct manager_message){ .kind = MANAGER_SWEEP });

	while (!error) {
		error = message_await(pair, manager) ?: manager_receive(manager->fd, message, why);
		if (error || message->kind == MANAGER_REPORT)
			break;
		error = relay(pair, manager->fd, message, why);
	}
	return error;
}

/* ends the active manager, which has failed, and makes the other one active */
static void take_over(struct manager_pair *pair, int error, const char *why)
{
	struct manager_end *lost = &pair->list[pair->active];
	pid_t pid = lost->pid;
	struct why what;

	if (why[0])
		why_say(&what, 0, "has sent an invalid message (%s)", why);
	else
		why_say(&what, 0, "%s",
			error == -EPIPE       ? "is dead"
			: error == -ETIMEDOUT ? "hangs"
					      : strerror(-error));

	manager_drop(lost);
	pair->active = (pair->active + 1) % MANAGER_PAIR;
	pair->takeovers++;
	if (pair->list[pair->active].pid)
		fabric_note(pair->fabric,
			    "the active fabric manager (pid %d) %s; pid %d takes over", (int)pid,
			    what.text, (int)pair->list[pair->active].pid);
	else
		fabric_note(
			pair->fabric,
			"the active fabric manager (pid %d) %s; there is no standby, so another "
			"one is started",
			(int)pid, what.text);
}

/* a sweep, by another manager if the active one fails */
static int sweep(struct manager_pair *pair)
{
	struct manager_message outcome;
	int error = -EIO;

	for (uint32_t tries = 0; tries <= MANAGER_PAIR; tries++) {
		struct manager_end *active = &pair->list[pair->active];
		struct why why = { "" };

		error = (active->fd < 0 ? manager_start(pair, active) : 0)
				?: manager_sweep(pair, active, &outcome, &why);
		if (!error) {
			outcome_keep(pair, &outcome);
			if (outcome.error)
				fabric_fail(pair->fabric, "the fabric manager: %s", pair->last.why);
			return outcome.error;
		}
		take_over(pair, error, why.text);
	}
	fabric_fail(pair->fabric, "there is no fabric manager: %s", strerror(-error));
	return error;
}

int manager_pair_sweep(struct manager_pair *pair)
{
	uint64_t patience_until_ns = pair->fabric->patience_until_ns, began_ns = monotonic_ns();
	int error;

	pair->fabric->patience_until_ns = 0; /* as long as nodes answer: fabric_exchange() */
	error = sweep(pair);
	if (patience_until_ns)
		pair->fabric->patience_until_ns = patience_until_ns + monotonic_ns() - began_ns;
	managers_complete(pair);
	return error;
}

void manager_pair_kill(struct manager_pair *pair)
{
	const struct manager_end *active = &pair->list[pair->active];

	if (active->pid_fd >= 0)
		pidfd_send_signal(active->pid_fd, SIGKILL, NULL, 0);
}

/* ---- watching ---- */

void manager_pair_poll(const struct manager_pair *pair, struct pollfd polled[MANAGER_PAIR])
{
	for (uint32_t i = 0; i < MANAGER_PAIR; i++)
		polled[i] = (struct pollfd){ pair->list[i].fd, POLLIN, 0 };
}

/* has it ended? Between sweeps it sends nothing, so its socket is readable only after its end. */
static bool is_gone(const struct manager_end *manager)
{
	struct pollfd polled = { manager->fd, POLLIN, 0 };

	return manager->fd >= 0 && poll(&polled, 1, 0) == 1;
}

bool manager_pair_watch(struct manager_pair *pair)
{
	struct manager_end *standby = &pair->list[(pair->active + 1) % MANAGER_PAIR];

	if (is_gone(standby)) {
		fabric_note(pair->fabric, "the standby fabric manager (pid %d) is dead",
			    (int)standby->pid);
		manager_drop(standby);
	}
	if (is_gone(&pair->list[pair->active])) {
		take_over(pair, -EPIPE, "");
		if (manager_pair_sweep(pair))
			fabric_note(pair->fabric, "the tables are unchanged");
	}
	return managers_complete(pair);
}

/* ---- for `heddle ps` ---- */

json_t *manager_pair_describe(const struct manager_pair *pair)
{
	const struct manager_report *last = &pair->last;
	uint64_t now_ns = monotonic_ns();

	return json_pack(
		"{s:i, s:i, s:i, s:i, s:I, s:I, s:i, s:i, s:i, s:i, s:i, s:s, s:I, s:i, s:i}",
		"active", (int)pair->list[pair->active].pid, "standby",
		(int)pair->list[(pair->active + 1) % MANAGER_PAIR].pid, "takeovers",
		(int)pair->takeovers, "sweeps", (int)pair->sweeps, "swept_ago_ns",
		(json_int_t)(now_ns - pair->last_ns), "took_ns", (json_int_t)last->took_ns,
		"switches", (int)last->switches, "hosts", (int)last->hosts, "links",
		(int)last->links, "blocks_written", (int)last->blocks_written, "switches_written",
		(int)last->switches_written, "trouble", last->why, "changed_ago_ns",
		(json_int_t)(pair->changed_ns ? now_ns - pair->changed_ns : 0), "changed_blocks",
		(int)pair->changed_blocks, "changed_switches", (int)pair->changed_switches);
}
