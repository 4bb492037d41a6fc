/*  Questions to one node: fabric_ask.h.
 *
 *  The two clocks differ when an answer is missing. Under the real clock the fabric continues
 *  without it. Under the virtual clock it is stopped until the answer arrives: the node would
 *  handle an abandoned question later, at a time that depends on the machine, and that would change
 *  the result (TB-7). */
#include "orchestrator/fabric/fabric_ask.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/futex.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/fabric/fabric_watch.h"

#define LOOK_US 200

uint64_t fabric_deadline_ns(const struct fabric *fabric, uint32_t timeout_ms)
{
	uint64_t deadline_ns = monotonic_ns() + timeout_ms * 1000000ull;

	return fabric->patience_until_ns && fabric->patience_until_ns < deadline_ns
		       ? fabric->patience_until_ns
		       : deadline_ns;
}

/* @context: the node that owes us an answer */
static bool owes_answer(const void *context, uint32_t node)
{
	return *(const uint32_t *)context == node;
}

/* virtual clock: can the answer still arrive? Return: 0 or -errno */
static int debtor_watch(struct fabric *fabric, struct watchdog *watchdog, uint32_t debtor)
{
	struct fabric_part part = { .what = "answered", .owes = owes_answer, .context = &debtor };

	if (interrupt_seen())
		return -EINTR;
	return fabric_watch_children(fabric) || fabric_watch_part(fabric, watchdog, &part) ? -EIO
											   : 0;
}

/* receives one message of @node. Return: 0: the answer to @question; -EAGAIN: not yet; else
 * -errno */
static int answer_take(struct fabric *fabric, uint32_t node, uint32_t question,
		       struct control_message *message)
{
	struct why why = { "" };
	int error = control_receive(fabric->nodes[node].control, message, 0, &why);

	if (!error && message->kind == CONTROL_ANSWER && message->question == question)
		return 0;
	if (!error) {
		error = fabric_watch_message(fabric, node, message) ? -EAGAIN : -EIO;
		control_message_free(message);
	}
	memset(message, 0, sizeof(*message));
	return error;
}

/* waits until @node has answered question @question; handles its other messages meanwhile */
static int answer_await_real(struct fabric *fabric, uint32_t node, uint32_t question,
			     struct control_message *message)
{
	uint64_t deadline_ns = fabric_deadline_ns(fabric, FABRIC_ANSWER_MS);

	while (monotonic_ns() < deadline_ns && !fabric_process(fabric, node)->stopped_ns) {
		int error = answer_take(fabric, node, question, message);

		if (!error)
			return 0;
		if (error != -EAGAIN || fabric_watch_children(fabric))
			return -EIO;
		usleep(LOOK_US);
	}
	return -ETIMEDOUT;
}

static int ask_real(struct fabric *fabric, uint32_t node, uint32_t question,
		    struct control_message *message)
{
	int error = control_send_now(fabric->nodes[node].control, message);

	memset(message, 0, sizeof(*message));
	if (error)
		return error == -EAGAIN ? -ETIMEDOUT : error;
	return answer_await_real(fabric, node, question, message);
}

static void answer_waits(struct fabric *fabric, uint32_t node, uint64_t began_ns)
{
	fabric_waits(fabric, began_ns, "waiting for an answer of %s %s%s",
		     fabric_kind_name(fabric, node), fabric->plan->nodes[node].name,
		     fabric_process(fabric, node)->stopped_ns ? ", which is stopped" : "");
}

/* sends the question unless *@sent, and receives the answer. Return: as answer_take() */
static int ask_once(struct fabric *fabric, uint32_t node, uint32_t question,
		    struct control_message *message, bool *sent)
{
	int error = *sent ? 0 : control_send_now(fabric->nodes[node].control, message);

	if (error)
		return error;
	if (!*sent) {
		*sent = true;
		memset(message, 0, sizeof(*message));
		clock_ring(&fabric->clock, fabric->nodes[node].slot);
	}
	return answer_take(fabric, node, question, message);
}

/* A question in flight while the clock runs would change the result: it is waited for, or the run
 * ends. */
static int ask_virtual(struct fabric *fabric, uint32_t node, uint32_t question,
		       struct control_message *message)
{
	struct watchdog watchdog;
	uint64_t began_ns = monotonic_ns();
	bool sent = false;
	int error;

	watchdog_start(&watchdog, fabric->options.watchdog_ns, began_ns);
	while ((error = ask_once(fabric, node, question, message, &sent)) == -EAGAIN) {
		error = debtor_watch(fabric, &watchdog, node);
		if (error)
			break;
		answer_waits(fabric, node, began_ns);
		usleep(LOOK_US);
	}
	if (!error || error == -EINTR)
		return error;
	if (error == -EINVAL)
		fabric_fail_node(fabric, node, "sent an invalid control message");
	else if (error != -EIO)
		fabric_watch_lost(fabric, node);
	return -EIO;
}

int fabric_ask(struct fabric *fabric, uint32_t node, struct control_message *message)
{
	uint32_t question = ++fabric->questions;
	int error;

	message->question = question;
	if (fabric->options.real)
		return ask_real(fabric, node, question, message);
	fabric_stage(fabric, "asks %s %s", fabric_kind_name(fabric, node),
		     fabric->plan->nodes[node].name);
	error = ask_virtual(fabric, node, question, message);
	if (error)
		memset(message, 0, sizeof(*message));
	else
		fabric_stage(fabric, "%s has answered", fabric->plan->nodes[node].name);
	return error;
}
