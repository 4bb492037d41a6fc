#include "orchestrator/fabric/fabric_watch.h"

#include <errno.h>
#include <stdarg.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/process/process_look.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/fabric/control_fate.h"
#include "orchestrator/fabric/fabric_ranks.h"

#define MESSAGES_AT_ONCE 256u /* of one node, before those of others */

#define LOST_LOOK_US 1000
/* the kernel closes a node's descriptors just before its parent can reap it */
#define LOST_TRIES 1000

uint64_t fabric_rusage_ns(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000ull +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000ull;
}

void fabric_fail(struct fabric *fabric, const char *format, ...)
{
	va_list arguments;

	if (fabric->failure[0])
		return;
	va_start(arguments, format);
	vsnprintf(fabric->failure, sizeof(fabric->failure), format, arguments);
	va_end(arguments);
	utf8_plain(fabric->failure); /* it may contain text of a node */
}

const char *fabric_kind_name(const struct fabric *fabric, uint32_t node)
{
	return fabric->plan->nodes[node].kind == NODE_SWITCH ? "switch" : "NIC";
}

/* "switch s2 (pid 123) was killed ..." */
void fabric_fail_node(struct fabric *fabric, uint32_t node, const char *format, ...)
{
	char cause[FABRIC_FAILURE_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(cause, sizeof(cause), format, arguments);
	va_end(arguments);
	fabric_fail(fabric, "%s %s (pid %d) %s", fabric_kind_name(fabric, node),
		    fabric->plan->nodes[node].name,
		    (int)fabric->nodes[fabric->nodes[node].lead].pid_shown, cause);
}

const char *fabric_process_name(const struct fabric *fabric, uint32_t node,
				char text[FABRIC_PROCESS_MAX])
{
	int pid = (int)fabric_process(fabric, node)->pid_shown;
	uint32_t worker = fabric->nodes[node].slot, running = fabric->plan->node_count;

	if (fabric->nodes[node].packed)
		running = fabric_pack_running(fabric, worker);
	if (fabric_ranks_elsewhere(fabric, node))
		snprintf(text, FABRIC_PROCESS_MAX,
			 "rankd (pid %d), the process for the other ranks,", pid);
	else if (!fabric->nodes[node].packed)
		snprintf(text, FABRIC_PROCESS_MAX, "%s %s (pid %d)", fabric_kind_name(fabric, node),
			 fabric->plan->nodes[node].name, pid);
	else if (running == fabric->plan->node_count)
		snprintf(text, FABRIC_PROCESS_MAX, "worker %u (pid %d)", worker, pid);
	else
		snprintf(text, FABRIC_PROCESS_MAX, "worker %u (pid %d), which was running %s %s,",
			 worker, pid, fabric_kind_name(fabric, running),
			 fabric->plan->nodes[running].name);
	return text;
}

void fabric_fail_process(struct fabric *fabric, uint32_t node, const char *format, ...)
{
	char cause[FABRIC_FAILURE_MAX], process[FABRIC_PROCESS_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(cause, sizeof(cause), format, arguments);
	va_end(arguments);
	fabric_fail(fabric, "%s %s", fabric_process_name(fabric, node, process), cause);
}

static bool messages_take(struct fabric *fabric, uint32_t node);

static uint32_t node_of_pid(const struct fabric *fabric, pid_t pid)
{
	uint32_t i = 0;

	while (i < fabric->plan->node_count && fabric->nodes[i].pid != pid)
		i++;
	return i;
}

/* under the real clock the fabric continues without a dead node, unless options.whole */
static bool survives_deaths(const struct fabric *fabric)
{
	return fabric->options.real && !fabric->options.whole;
}

static const char *signal_text(int signal)
{
	return signal == SIGSYS ? "it made a system call that nodes may not make"
				: strsignal(signal);
}

/* Did the user's congestion control end @node? Fills @text with a sentence if so. SIGKILL comes
 * from outside, so a control is never its cause. */
static bool control_ended(const struct fabric *fabric, uint32_t node, int status, char *text,
			  size_t text_max)
{
	char how[128];

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return false;
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "signal %d (%s)", WTERMSIG(status),
			 signal_text(WTERMSIG(status)));
	else
		snprintf(how, sizeof(how), "it left with status %d", WEXITSTATUS(status));
	return control_fate(fabric, node, how, text, text_max);
}

/* without the pid: it is the control that failed, not the NIC */
static void control_fail(struct fabric *fabric, uint32_t node, const char *what)
{
	fabric_fail(fabric, "NIC %s %s", fabric->plan->nodes[node].name, what);
}

static void fate_note(struct fabric *fabric, uint32_t node, int status)
{
	struct fabric_node *dead = &fabric->nodes[node];

	fabric->ready -= dead->ready;
	dead->ready = false;
	if (control_ended(fabric, node, status, dead->fate, sizeof(dead->fate)))
		; /* the control is the cause */
	else if (WIFSIGNALED(status))
		snprintf(dead->fate, sizeof(dead->fate), "killed by signal %d (%s)",
			 WTERMSIG(status), signal_text(WTERMSIG(status)));
	else if (!dead->fate[0])
		snprintf(dead->fate, sizeof(dead->fate), "left with status %d",
			 WEXITSTATUS(status));
	utf8_mend(dead->fate);
	utf8_plain(dead->fate);
}

/* what the worker of the lead @lead has reported of itself */
static void worker_messages_take(struct fabric *fabric, uint32_t lead)
{
	uint32_t worker = fabric->nodes[lead].slot;
	struct control_message message;
	struct why why;

	for (uint32_t i = 0; i < MESSAGES_AT_ONCE; i++) {
		if (control_receive(fabric->pack.sockets[worker], &message, 0, &why))
			return;
		if (message.kind == CONTROL_EVENT && message.number)
			fabric_fail_process(fabric, lead, "reports: %s", message.text);
		control_message_free(&message);
	}
}

/* Real clock: the process of @lead has ended, and with it all nodes that were packed with it. From
 * now on each of them is its own lead: it may return as a process of its own. */
static void fates_note(struct fabric *fabric, uint32_t lead, int status)
{
	char process[FABRIC_PROCESS_MAX], fate[FABRIC_FATE_MAX];

	fate_note(fabric, lead, status);
	if (!fabric->nodes[lead].packed)
		return;
	fabric_process_name(fabric, lead, process);
	snprintf(fate, sizeof(fate), "with %s %.*s", process,
		 (int)(FABRIC_FATE_MAX - FABRIC_PROCESS_MAX - sizeof("with  ")),
		 fabric->nodes[lead].fate);
	for (uint32_t i = lead; i < fabric->plan->node_count; i++) {
		struct fabric_node *node = &fabric->nodes[i];

		if (node->lead != lead || !node->packed)
			continue;
		fabric->ready -= node->ready;
		node->ready = node->packed = false;
		node->pid_shown = fabric->nodes[lead].pid_shown;
		node->started_ns = fabric->nodes[lead].started_ns;
		node->lead = node->slot = i;
		memcpy(node->fate, fate, sizeof(fate));
	}
}

/* the messages of @lead, and of the nodes that are packed with it */
static void process_messages_take(struct fabric *fabric, uint32_t lead)
{
	if (fabric->nodes[lead].packed)
		worker_messages_take(fabric, lead);
	for (uint32_t i = lead; i < fabric->plan->node_count; i++)
		if (fabric->nodes[i].lead == lead && fabric->nodes[i].control >= 0)
			messages_take(fabric, i);
}

/* child @node has ended; returns false if that is a failure */
static bool node_reaped(struct fabric *fabric, uint32_t node, int status,
			const struct rusage *usage)
{
	bool ended = atomic_load(&fabric->page->state) == CLOCK_ENDED;
	char control[FABRIC_FAILURE_MAX];

	if (WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT : WEXITSTATUS(status))
		/* its last messages have the cause: a failed invariant, or an error */
		process_messages_take(fabric, node);
	fabric->stopped -= fabric->nodes[node].stopped_ns != 0;
	fabric->nodes[node].stopped_ns = 0;
	fabric->nodes[node].pid = 0;
	fabric->alive--;
	fabric->cpu_ns += fabric_rusage_ns(usage);
	if (survives_deaths(fabric) && !ended) {
		fates_note(fabric, node, status);
		return true;
	}
	if (fabric->nodes[node].late)
		return true;
	if (control_ended(fabric, node, status, control, sizeof(control)))
		control_fail(fabric, node, control);
	else if (WIFSIGNALED(status))
		fabric_fail_process(fabric, node, "was killed by signal %d (%s)%s",
				    WTERMSIG(status), signal_text(WTERMSIG(status)),
				    ended ? " while it was leaving" : "");
	else if (!ended || WEXITSTATUS(status))
		fabric_fail_process(fabric, node, "left %s with status %d",
				    ended ? "at the end" : "in the middle of the run",
				    WEXITSTATUS(status));
	else
		return true;
	return false;
}

static void node_stopped(struct fabric *fabric, uint32_t node, bool stopped)
{
	if (stopped == (fabric->nodes[node].stopped_ns != 0))
		return;
	fabric->nodes[node].stopped_ns = stopped ? monotonic_ns() : 0;
	fabric->stopped += stopped ? 1 : -1u;
}

bool fabric_watch_deaths(struct fabric *fabric)
{
	struct rusage usage;
	bool failed = false;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | WUNTRACED | WCONTINUED, &usage)) > 0) {
		uint32_t node = node_of_pid(fabric, pid);

		if (node == fabric->plan->node_count) {
			if (fabric->options.child_ended && !WIFSTOPPED(status) &&
			    !WIFCONTINUED(status))
				fabric->options.child_ended(fabric->options.owner, pid, status);
			continue;
		}
		if (WIFSTOPPED(status) || WIFCONTINUED(status))
			node_stopped(fabric, node, WIFSTOPPED(status));
		else
			failed |= !node_reaped(fabric, node, status, &usage);
	}
	return failed;
}

bool fabric_watch_children(struct fabric *fabric)
{
	if (fabric_watch_deaths(fabric))
		return true;
	for (uint32_t i = 0;
	     fabric->stopped && fabric->options.watchdog_ns && i < fabric->plan->node_count; i++) {
		if (fabric->nodes[i].stopped_ns &&
		    monotonic_ns() - fabric->nodes[i].stopped_ns > fabric->options.watchdog_ns) {
			fabric_fail_process(
				fabric, i,
				"was stopped by a signal and has not continued for %.1f s",
				(double)fabric->options.watchdog_ns / 1e9);
			return true;
		}
	}
	return false;
}

void fabric_watch_lost(struct fabric *fabric, uint32_t node)
{
	for (int tries = 0; tries < LOST_TRIES && fabric_pid(fabric, node) && !fabric->failure[0];
	     tries++) {
		if (!fabric_watch_deaths(fabric))
			usleep(LOST_LOOK_US);
	}
	fabric_fail_node(fabric, node, "has closed its control socket");
}

static void __attribute__((format(printf, 1, 2))) line_write(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	utf8_say(stderr, "heddle: ", format, arguments);
	va_end(arguments);
}

/* prints a line of @node, which is not trusted: at a limited rate, as plain text */
static void node_report(struct fabric *fabric, uint32_t node, const char *verb, const char *text)
{
	uint64_t left_out;

	if (!say_limit_allows(&fabric->nodes[node].said, monotonic_ns(), &left_out))
		return;
	if (left_out)
		line_write("%s %s: %llu further lines were left out",
			   fabric_kind_name(fabric, node), fabric->plan->nodes[node].name,
			   (unsigned long long)left_out);
	line_write("%s %s%s: %s", fabric_kind_name(fabric, node), fabric->plan->nodes[node].name,
		   verb, text);
}

/* handles one message of @node; false if the run must end */
bool fabric_watch_message(struct fabric *fabric, uint32_t node,
			  const struct control_message *message)
{
	if (message->kind == CONTROL_READY && !fabric->nodes[node].ready) {
		fabric->nodes[node].ready = true;
		fabric->nodes[node].unfiltered = message->number == 1;
		fabric->ready++;
		snprintf(fabric->nodes[node].loop, FABRIC_LOOP_MAX, "%.*s", FABRIC_LOOP_MAX - 1,
			 message->text);
	} else if (message->kind == CONTROL_EVENT && message->number && survives_deaths(fabric)) {
		snprintf(fabric->nodes[node].fate, FABRIC_FATE_MAX, "%.*s", FABRIC_FATE_MAX - 1,
			 message->text);
		node_report(fabric, node, " reports", message->text);
		return fabric->nodes[node].ready;
	} else if (message->kind == CONTROL_EVENT && message->number) {
		fabric_fail_node(fabric, node, "reports: %s", message->text);
		return false;
	} else if (message->kind == CONTROL_EVENT) {
		node_report(fabric, node, "", message->text);
	}
	return true;
}

/* handles all messages of @node; false if the run must end */
static bool messages_take(struct fabric *fabric, uint32_t node)
{
	struct control_message message;
	struct why why = { "" };
	bool fine = true;
	int error = 0;

	for (uint32_t i = 0; i < MESSAGES_AT_ONCE && fine && !error; i++) {
		error = control_receive(fabric->nodes[node].control, &message, 0, &why);
		if (error)
			break;
		fine = fabric_watch_message(fabric, node, &message);
		control_message_free(&message);
	}
	if (!fine || !error || error == -EAGAIN)
		return fine;
	/* it is dead, which fabric_watch_children() reports with the cause, or its message is
	 * invalid */
	epoll_ctl(fabric->epoll_fd, EPOLL_CTL_DEL, fabric->nodes[node].control, NULL);
	if (error == -EINVAL)
		fabric_fail_node(fabric, node, "sent an invalid control message: %s", why.text);
	return error != -EINVAL;
}

bool fabric_watch_messages(struct fabric *fabric, int timeout_ms)
{
	struct epoll_event events[64];
	int count = epoll_wait(fabric->epoll_fd, events, 64, timeout_ms);

	for (int i = 0; i < count; i++) {
		if (events[i].data.u32 == fabric->plan->node_count)
			fabric_ranks_message(fabric);
		else if (!messages_take(fabric, events[i].data.u32))
			return true;
	}
	return fabric->options.ranks > 1 && fabric->failure[0];
}

void fabric_watch_last_words(struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		if (fabric->nodes[i].control >= 0)
			messages_take(fabric, i);
}

/* does one of the nodes that @part waits for, or @any node, wait for a core? */
static bool late_nodes_starve(const struct fabric *fabric, const struct fabric_part *part, bool any)
{
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		if ((any || part->owes(part->context, i)) &&
		    process_wants_core(fabric_pid(fabric, i)))
			return true;
	return false;
}

/* adds the nodes that @part waits for to @sight; @first is the first of them */
static void late_nodes(const struct fabric *fabric, const struct fabric_part *part, uint32_t *first,
		       struct watchdog_sight *sight)
{
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		const struct stats_page *stats = fabric->nodes[i].stats;

		/* of nodes elsewhere their rank judges */
		if (!part->owes(part->context, i) || fabric_ranks_elsewhere(fabric, i))
			continue;
		if (!sight->late++)
			*first = i;
		sight->cpu_ns += process_cpu_ns(fabric->nodes[i].pid);
		if (stats) {
			sight->events += __atomic_load_n(&stats->events, __ATOMIC_RELAXED);
			sight->virtual_ps += __atomic_load_n(&stats->now_ps, __ATOMIC_RELAXED);
		}
	}
}

/* one of the late nodes is in a function of the user's congestion control: reports that */
static bool late_control(struct fabric *fabric, const struct fabric_part *part)
{
	char text[FABRIC_FAILURE_MAX];

	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		if (!part->owes(part->context, i) ||
		    !control_fate(fabric, i, NULL, text, sizeof(text)))
			continue;
		control_fail(fabric, i, text);
		return true;
	}
	return false;
}

bool fabric_watch_part(struct fabric *fabric, struct watchdog *watchdog,
		       const struct fabric_part *part)
{
	struct watchdog_sight sight = { .progress = part->progress };
	enum watchdog_verdict verdict;
	uint32_t first = 0;
	char others[32] = "";

	if (watchdog_wants_detail(watchdog, sight.progress))
		late_nodes(fabric, part, &first, &sight);
	verdict = watchdog_look(watchdog, monotonic_ns(), &sight);
	if (verdict == WATCHDOG_FINE ||
	    (part->progress_now && atomic_load(part->progress_now) != part->progress))
		return false;
	/* the node that must open the next window has finished this one, so it may be any */
	if (verdict == WATCHDOG_HANGS && late_nodes_starve(fabric, part, !sight.late))
		return false;
	if (!sight.late && fabric->options.ranks > 1)
		return false;
	if (!sight.late) {
		fabric_fail(fabric, "all nodes have %s, but nothing followed for %.1f s",
			    part->what, (double)watchdog->stalled_ns / 1e9);
		return true;
	}
	if (late_control(fabric, part))
		return true;
	if (sight.late > 1 && !fabric->options.pack)
		snprintf(others, sizeof(others),
			 sight.late > 2 ? ", nor have %u others" : ", nor has %u other",
			 sight.late - 1);
	fabric_fail_process(fabric, first, "%s: it has not %s for %.1f s%s",
			    verdict == WATCHDOG_HANGS ? "hangs" : "is in an endless loop",
			    part->what, (double)watchdog->stalled_ns / 1e9, others);
	return true;
}

/* the open window */
struct open_window {
	const struct fabric *fabric;
	uint32_t window;
};

static bool owes_window(const void *context, uint32_t node)
{
	const struct open_window *open = context;
	const struct clock *clock = &open->fabric->clock;
	uint32_t slot = open->fabric->nodes[node].slot;

	return clock_takes_part(clock, slot) && atomic_load(&clock->done[slot]) != open->window;
}

bool fabric_watch_clock(struct fabric *fabric)
{
	struct open_window open = { .fabric = fabric,
				    .window = atomic_load(&fabric->page->window) };
	char what[96];
	struct fabric_part part = { .what = what,
				    .progress = open.window,
				    .progress_now = &fabric->page->window,
				    .owes = owes_window,
				    .context = &open };

	snprintf(what, sizeof(what), "finished window %u at %llu ps", open.window,
		 (unsigned long long)atomic_load(&fabric->page->start_ps));
	return fabric_watch_part(fabric, &fabric->watchdog, &part);
}
