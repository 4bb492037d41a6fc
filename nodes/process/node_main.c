/*  node_main - a node as a process: receives its configuration over the control socket, joins the
 *  clock, runs its windows.
 *
 *  A node knows nothing of the machine. Descriptor 3 is its control socket. The first message
 *  configures it and brings the clock page, the statistics page and the rings (control.h). Then
 *  node_run() repeats: wait for a window, run it, wake the nodes that the next one needs. Control
 *  messages are handled when the node sleeps.
 *  Nothing survives the orchestrator: the kernel kills a node whose parent dies, and a closed
 *  control socket ends it. Usage: NAME --parent=PID [--loop=auto|io_uring|fallback] [--core=N] */
#include "nodes/process/node_main.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "nodes/clock/turn.h"
#include "nodes/process/node_capture.h"
#include "nodes/process/node_join.h"
#include "nodes/process/node_process.h"
#include "nodes/process/node_report.h"
#include "nodes/process/privilege.h"
#include "nodes/process/syscall_filter.h"
#include "nodes/stats/trace.h"

#define EXIT_FINE 0
#define EXIT_LOST 1  /* the orchestrator is gone */
#define EXIT_WRONG 2 /* wrong arguments or configuration */

#define LAST_ENTRIES 16u /* of the trace ring, after a failed invariant */

static int node_start(struct node *node, enum node_kind kind, pid_t parent);
static int confine(struct node *node, pid_t parent);
static int node_run(struct node *node);
static int node_run_real(struct node *node);
static void node_end(struct node *node);

/* ---- what the orchestrator is told ---- */

static int ready(const struct node *node, const char *loop_text)
{
	struct control_message message = { .kind = CONTROL_READY, .number = node->unfiltered };

	snprintf(message.text, sizeof(message.text), "%s", loop_text);
	return control_send(CONTROL_FD, &message);
}

/* ---- arguments ---- */

static bool loop_parse(const char *text, enum event_loop_kind *kind)
{
	for (int k = 0; k < EVENT_LOOP_KINDS; k++) {
		if (strcmp(text, event_loop_name[k]) != 0)
			continue;
		*kind = (enum event_loop_kind)k;
		return true;
	}
	return false;
}

/*  Return: true if @argv is complete and without mistakes */
static bool arguments_parse(int argc, char **argv, struct node *node, pid_t *parent)
{
	for (int i = 1; i < argc; i++) {
		char *end = argv[i];

		if (!strncmp(argv[i], "--parent=", 9))
			*parent = (pid_t)strtol(argv[i] + 9, &end, 10);
		else if (!strncmp(argv[i], "--core=", 7))
			node->core = (int)strtol(argv[i] + 7, &end, 10);
		else if (!strncmp(argv[i], "--loop=", 7) &&
			 loop_parse(argv[i] + 7, &node->loop_kind))
			continue;
		else if ((node->keep_user = !strcmp(argv[i], "--keep-user")))
			continue;
		if (end == argv[i] || *end)
			return false;
	}
	return *parent > 0;
}

int node_main(int argc, char **argv, enum node_kind kind,
	      const struct node_ops *const ops[FABRIC_KINDS])
{
	struct node node = { .ops_of_fabric = ops, .doorbell = -1, .core = -1 };
	pid_t parent = 0;
	int status;

	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		node.peer_doorbells[port] = node.sockets[port] = -1;
	for (uint32_t i = 0; i < NIC_HOST_QUEUES_MAX; i++)
		node.host_sockets[i] = -1;

	if (!arguments_parse(argc, argv, &node, &parent)) {
		fprintf(stderr,
			"%s is started by heddle: --parent=PID [--loop=auto|io_uring|fallback] "
			"[--core=N] [--keep-user]\n",
			argv[0]);
		return EXIT_WRONG;
	}
	/* the parent may have died before the kernel was told to watch it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return EXIT_LOST;
	status = node_start(&node, kind, parent);
	if (!status)
		status = node.config->clock == CLOCK_REAL ? node_run_real(&node) : node_run(&node);
	node_end(&node);
	return status;
}

/* ---- start ---- */

static int dataplane_make(struct node *node, char *loop_text, unsigned loop_text_max)
{
	node->ops = node->ops_of_fabric[node->config->fabric];
	node->dataplane = node->ops->create(node->config, node->links, node->stats);
	if (!node->dataplane)
		return -ENOMEM;
	managed_init(&node->managed, node->config, node->links, node->ops, node->dataplane);
	node->loop = event_loop_open(node->loop_kind, CONTROL_FD, loop_text, loop_text_max);
	if (!node->loop)
		return node_fail("%s", loop_text);
	if (node->config->clock == CLOCK_REAL)
		return node_join_pace(node);
	node_window_init(&node->window, &node->clock, node->config, node->links, node->ops,
			 node->dataplane);
	return 0;
}

/* the orchestrator names the invariant, and the trace ring shows what led there (TB-22) */
static void invariant_report(const void *owner, const char *text)
{
	const struct node *node = owner;

	trace_print_last(node->stats, LAST_ENTRIES, stderr);
	node_fail("%s", text);
}

/* from now on a failed invariant has a name, a time and a trace ring */
static void invariants_attach(struct node *node)
{
	node->ensure_context = (struct ensure_context){ .node = node->config->name,
							.now_ps = &node->stats->now_ps,
							.owner = node,
							.report = invariant_report };
	ensure_context_set(&node->ensure_context);
}

/* @message is the first one.  Return: 0, or -errno after the orchestrator was told */
static int configure(struct node *node, enum node_kind kind, struct control_message *message,
		     char *loop_text, unsigned loop_text_max)
{
	int error;

	if (message->kind != CONTROL_CONFIGURE)
		return node_fail("the first message must be the configuration");
	node->config = message->config;
	message->config = NULL;
	if (node->config->kind != kind)
		return node_fail("a %s was given the configuration of a %s",
				 kind == NODE_SWITCH ? "switch" : "NIC",
				 kind == NODE_SWITCH ? "NIC" : "switch");
	error = node_join(node, message);
	if (!error)
		invariants_attach(node);
	if (!error)
		error = dataplane_make(node, loop_text, loop_text_max);
	if (error == -ENOMEM)
		return node_fail("there is not enough memory for this node");
	return error;
}

/*  Return: 0, or an exit status */
static int node_start(struct node *node, enum node_kind kind, pid_t parent)
{
	struct control_message message = { 0 };
	char text[256] = "";
	int error = control_receive(CONTROL_FD, &message, 1, text, sizeof(text)), status;

	if (error == -EINVAL) {
		node_fail("the configuration is wrong: %s", text);
		return EXIT_WRONG;
	}
	if (error)
		return EXIT_LOST;
	error = configure(node, kind, &message, text, sizeof(text));
	control_message_free(&message);
	if (error)
		return EXIT_WRONG;
	status = confine(node, parent);
	if (status)
		return status;
	return ready(node, text) ? EXIT_LOST : 0;
}

static bool has_captures(const struct node *node)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		if (node->captures[port])
			return true;
	return false;
}

/* the node holds all that it needs.  Return: 0, or an exit status */
static int confine(struct node *node, pid_t parent)
{
	int error;

	if (node->config->clock == CLOCK_REAL)
		prctl(PR_SET_TIMERSLACK,
		      1ul); /* ns; the kernel's own choice is 50 us, several links long */
	if (!has_captures(node) && !node->config->events)
		privilege_files();
	error = privilege_drop(parent, node->keep_user);
	if (error == -ESRCH)
		return EXIT_LOST;
	if (error) {
		node_fail("its privileges cannot be given up: %s", strerror(-error));
		return EXIT_WRONG;
	}
	/* where there is none, the rest must do; the orchestrator says so */
	node->unfiltered = syscall_filter_wanted() && syscall_filter_apply();
	return 0;
}

/* ---- questions ---- */

/* @answer with @body, shortened to what the socket takes */
static int answer_send(struct control_message *answer, size_t length)
{
	static const char cut[] = "\n=too_long:flag\t1\n";
	int error = control_send(CONTROL_FD, answer);

	while (error == -EMSGSIZE && length > 2 * sizeof(cut)) {
		length /= 2;
		while (length && answer->body[length] != '\n')
			length--;
		memcpy(answer->body + length, cut, sizeof(cut));
		error = control_send(CONTROL_FD, answer);
	}
	return error;
}

/*  A parameter or a table may be changed only while the clock stands: at a known fabric time, the
 *  same in every run (TB-7, TB-9). */
static bool may_change(const struct node *node, FILE *out)
{
	if (node->config->clock == CLOCK_REAL || clock_stopped(&node->clock))
		return true;
	fprintf(out, "the clock is running: stop it first\n");
	return false;
}

/* What was changed may be due at once; the clock learns that as it learns of a neighbour's
 * message. */
static void changed(struct node *node)
{
	node_time_t end, next;

	if (node->config->clock == CLOCK_REAL)
		return;
	end = atomic_load(&node->clock.page->end_ps);
	next = node->ops->run(node->dataplane, 0);
	clock_notify(&node->clock, node->config->index, node_time_max(next, end));
}

static node_time_t now_of(const struct node *node)
{
	return node->config->clock == CLOCK_VIRTUAL ? clock_now(&node->clock)
						    : pace_now(&node->pace);
}

static int set(struct node *node, const struct control_message *message, FILE *out)
{
	int error;

	if (!may_change(node, out))
		return -EBUSY;
	stats_time(node->stats, now_of(node));
	error = node->ops->set(node->dataplane, message->text, message->text2, out);
	changed(node);
	return error;
}

static int show(struct node *node, const struct control_message *message, FILE *out)
{
	node_time_t now = now_of(node);

	if (message->number < -1 || message->number >= (int64_t)node->config->port_count) {
		fprintf(out, "there is no port %lld, %s has %u\n", (long long)message->number,
			node->config->name, node->config->port_count);
		return -EINVAL;
	}
	return node->ops->show(node->dataplane, message->text, (int)message->number, now, out);
}

static int table_ask(struct node *node, const struct control_message *message, FILE *out)
{
	int error = 0;

	node->why[0] = 0;
	if (message->kind == CONTROL_TABLE_READ)
		error = managed_read(&node->managed, message->block, node->why, sizeof(node->why));
	else if (message->kind == CONTROL_TABLE_READ_BACK)
		error = managed_read_back(&node->managed, message->block, node->why,
					  sizeof(node->why));
	else if (!may_change(node, out))
		return -EBUSY;
	else if (message->kind == CONTROL_TABLE_BEGIN)
		error = managed_begin(&node->managed);
	else if (message->kind == CONTROL_TABLE_WRITE)
		error = managed_write(&node->managed, message->block, node->why, sizeof(node->why));
	else
		error = managed_commit(&node->managed);
	if (!node->managed.staging && node->config->clock == CLOCK_VIRTUAL)
		node_window_changed(&node->window);
	if (node->why[0])
		fprintf(out, "%s\n", node->why);
	return error;
}

static int command(struct node *node, struct control_message *message, FILE *out)
{
	switch (message->kind) {
	case CONTROL_SHOW:
		return show(node, message, out);
	case CONTROL_SET:
		return set(node, message, out);
	case CONTROL_DISCOVER:
		return 0;
	case CONTROL_TABLE_READ:
	case CONTROL_TABLE_READ_BACK:
	case CONTROL_TABLE_BEGIN:
	case CONTROL_TABLE_WRITE:
	case CONTROL_TABLE_COMMIT:
		return table_ask(node, message, out);
	case CONTROL_CAPTURE:
		return node_capture(node, message, out);
	default:
		return node_join_link(node, message, out);
	}
}

/* what goes along with the answer to @message beside words */
static void answer_load(struct node *node, const struct control_message *message,
			struct control_message *answer)
{
	if (message->kind == CONTROL_DISCOVER) {
		answer->identity = malloc(sizeof(*answer->identity));
		if (answer->identity)
			managed_identify(&node->managed, answer->identity);
		else
			answer->number = -ENOMEM;
	}
	if (message->kind == CONTROL_TABLE_READ || message->kind == CONTROL_TABLE_READ_BACK) {
		answer->block = malloc(sizeof(*answer->block));
		if (answer->block)
			*answer->block = *message->block;
		else
			answer->number = -ENOMEM;
	}
}

/*  Return: 0, or -errno if the orchestrator is gone */
static int question_answer(struct node *node, struct control_message *message)
{
	struct control_message answer = { .kind = CONTROL_ANSWER,
					  .question = message->question,
					  .number = -ENOMEM };
	size_t length = 0;
	FILE *out = open_memstream(&answer.body, &length);
	int error;

	if (out) {
		answer.number = command(node, message, out);
		if (fclose(out))
			answer.number = -ENOMEM;
	}
	answer_load(node, message, &answer);
	error = answer_send(&answer, length);
	control_message_free(&answer);
	return error;
}

/* everything that waits in the control socket.  Return: 0, or an exit status */
static int control_serve(struct node *node)
{
	for (;;) {
		struct control_message message = { 0 };
		char why[256] = "";
		int error = control_receive(CONTROL_FD, &message, 0, why, sizeof(why));

		if (error == -EAGAIN)
			return 0;
		if (!error && (message.kind == CONTROL_SHOW || message.kind == CONTROL_SET ||
			       message.kind >= CONTROL_LINK_DOWN))
			error = question_answer(node, &message);
		else if (!error)
			error = node_note("a running node does not understand message %d",
					  message.kind);
		else if (error == -EINVAL)
			error = node_note("a control message was ignored: %s", why);
		control_message_free(&message);
		if (error)
			return EXIT_LOST;
	}
}

/* ---- the life of a node ---- */

/* the peer at a broken ring is named once; that link is dead, the others go on (TB-23) */
static void broken_tell(struct node *node, uint64_t broken)
{
	uint64_t fresh = broken & ~node->broken_told;

	node->broken_told |= fresh;
	for (; fresh; fresh &= fresh - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(fresh);

		node_fail("p%u from %s: ring record breaks the rules", port,
			  node->config->ports[port].peer_name);
	}
}

/*  Return: the exit status */
static int node_run(struct node *node)
{
	struct turn turn;

	turn_init(&turn, &node->clock, node->loop, node->config->index, turn_cores());
	for (;;) {
		enum turn_kind kind = turn_wait(&turn);

		if (kind == TURN_ENDED)
			return EXIT_FINE;
		if (kind == TURN_RUN) {
			uint32_t count = node_window_run(&node->window, node->wake);

			event_loop_wake(node->loop, node->clock.asleep, node->wake, count);
			if (node->window.broken != node->broken_told)
				broken_tell(node, node->window.broken);
		} else {
			int status = control_serve(node);

			if (status)
				return status;
		}
	}
}

/* fabric time has begun, so it is known when that was */
static void captures_begin(struct node *node)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		if (node->captures[port])
			capture_epoch(node->captures[port], node->clock.page->epoch_utc_ns);
}

/*  Return: the exit status */
static int node_run_real(struct node *node)
{
	bool control = true;

	while (!pace_begun(&node->pace, &control)) {
		int status = control ? control_serve(node) : 0;

		if (status)
			return status;
	}
	captures_begin(node);
	control = true;
	do {
		int status = control ? control_serve(node) : 0;

		if (status)
			return status;
		pace_turn(&node->pace);
		if (node->pace.broken & ~node->broken_told)
			broken_tell(node, node->pace.broken);
	} while (pace_wait(&node->pace, &control));
	return EXIT_FINE;
}

static void node_end(struct node *node)
{
	event_loop_close(node->loop);
	managed_fini(&node->managed);
	if (node->dataplane)
		node->ops->destroy(node->dataplane);
	ensure_context_set(NULL);
	node_capture_end(node);
	node_join_end(node);
	if (node->config)
		node_config_free(node->config);
	free(node->config);
}
