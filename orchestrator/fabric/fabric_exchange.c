#include "orchestrator/fabric/fabric_exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/futex.h"
#include "nodes/process/process_look.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/fabric/fabric_ranks.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "orchestrator/fabric/manager_pair.h"

#define WAIT_MS 20
#define ANSWER_NS (FABRIC_ANSWER_MS * 1000000ull)
#define STARVED_NS (3 * ANSWER_NS) /* a node in an endless loop waits for a core as well */
/* status of a question that is not answered yet; those of answers are 0 or below */
#define OPEN 1

struct exchange {
	struct fabric *fabric;
	struct manager_question *questions;
	uint32_t count, open;
	uint32_t first;  /* number of the first question in control messages */
	uint32_t *queue; /* [count]: questions by node, those of a node in their order */
	uint32_t *at;    /* [node_count + 1]: first question of a node in `queue` */
	/* [node_count]: position in `queue` of the first question that was not sent */
	uint32_t *asked;
	uint64_t began_ns;
	uint64_t answered_ns;     /* of the last answer */
	uint64_t silent_ns;       /* the exchange ends after so long without an answer */
	struct watchdog watchdog; /* virtual clock */
};

/* ---- in the order of nodes ---- */

static int queue_make(struct exchange *exchange)
{
	uint32_t node_count = exchange->fabric->plan->node_count;

	exchange->queue = calloc(exchange->count, sizeof(*exchange->queue));
	exchange->at = calloc((size_t)node_count + 2, sizeof(*exchange->at));
	exchange->asked = calloc(node_count, sizeof(*exchange->asked));
	if (!exchange->queue || !exchange->at || !exchange->asked)
		return -ENOMEM;
	for (uint32_t i = 0; i < exchange->count; i++)
		exchange->at[exchange->questions[i].node + 1]++;
	for (uint32_t n = 0; n < node_count; n++) {
		exchange->at[n + 1] += exchange->at[n];
		exchange->asked[n] = exchange->at[n];
	}
	for (uint32_t i = 0; i < exchange->count; i++)
		exchange->queue[exchange->asked[exchange->questions[i].node]++] = i;
	memcpy(exchange->asked, exchange->at, node_count * sizeof(*exchange->asked));
	return 0;
}

static void close_question(struct exchange *exchange, uint32_t index, int status)
{
	if (exchange->questions[index].status != OPEN)
		return;
	exchange->questions[index].status = status;
	exchange->open--;
}

/* ends all requests to @node, which will not answer */
static void give_up(struct exchange *exchange, uint32_t node)
{
	struct fabric_node *state = &exchange->fabric->nodes[node];

	for (uint32_t i = exchange->at[node]; i < exchange->at[node + 1]; i++)
		close_question(exchange, exchange->queue[i], -ESRCH);
	exchange->asked[node] = exchange->at[node + 1];
	if (!exchange->fabric->options.real)
		fabric_watch_lost(exchange->fabric, node);
	else if (fabric_pid(exchange->fabric, node) && exchange->at[node] < exchange->at[node + 1])
		state->tables_due = exchange->fabric->plan->nodes[node].kind == NODE_SWITCH;
}

static bool answers(const struct fabric *fabric, uint32_t node)
{
	const struct fabric_node *state = &fabric->nodes[node];

	return fabric_pid(fabric, node) && state->ready &&
	       !(fabric->options.real && fabric_process(fabric, node)->stopped_ns);
}

/* ---- questions ---- */

static struct control_message message_of(struct exchange *exchange, uint32_t index)
{
	static const enum control_kind kinds[ASK_KINDS] = {
		[ASK_DISCOVER] = CONTROL_DISCOVER,         [ASK_READ] = CONTROL_TABLE_READ,
		[ASK_BEGIN] = CONTROL_TABLE_BEGIN,         [ASK_WRITE] = CONTROL_TABLE_WRITE,
		[ASK_READ_BACK] = CONTROL_TABLE_READ_BACK, [ASK_COMMIT] = CONTROL_TABLE_COMMIT
	};
	struct manager_question *question = &exchange->questions[index];

	return (struct control_message){
		.kind = kinds[question->ask],
		.question = exchange->first + index,
		.block = manager_ask_reads(question->ask) || question->ask == ASK_WRITE
				 ? &question->block
				 : NULL,
	};
}

/* Answers for a node of another machine: from the plan, and from the state that the machine reports
 * of its links. The manager there writes its tables. */
static void elsewhere_answer(struct exchange *exchange, uint32_t node)
{
	const struct fabric_options *options = &exchange->fabric->options;
	const struct node_config *config = &exchange->fabric->plan->nodes[node];

	for (uint32_t i = exchange->at[node]; i < exchange->at[node + 1]; i++) {
		struct manager_question *question = &exchange->questions[exchange->queue[i]];
		bool answers = question->ask == ASK_DISCOVER &&
			       options->tunnel->there(options->owner, node);

		if (answers) {
			managed_identify_planned(config, question->identity);
			for (uint32_t p = 0; p < config->port_count; p++)
				question->identity->ports[p].up =
					!config->ports[p].vacant &&
					options->tunnel->up(options->owner,
							    config->ports[p].link_index);
		}
		close_question(exchange, exchange->queue[i], answers ? 0 : -ESRCH);
	}
	exchange->asked[node] = exchange->at[node + 1];
}

/* the socket is full, or the kernel is short of memory */
static bool is_for_now(int error)
{
	return error == -EAGAIN || error == -ENOBUFS || error == -ENOMEM;
}

/* sends as many of @node's questions as its socket takes */
static void questions_send(struct exchange *exchange, uint32_t node)
{
	bool sent = false;

	if (exchange->asked[node] == exchange->at[node + 1])
		return;
	if (plan_elsewhere(exchange->fabric->plan, node)) {
		elsewhere_answer(exchange, node);
		return;
	}
	if (!answers(exchange->fabric, node)) {
		give_up(exchange, node);
		return;
	}
	while (exchange->asked[node] < exchange->at[node + 1]) {
		struct control_message message =
			message_of(exchange, exchange->queue[exchange->asked[node]]);
		int error = control_send_now(exchange->fabric->nodes[node].control, &message);

		if (error && !is_for_now(error))
			give_up(exchange, node);
		if (error)
			break;
		sent = true;
		exchange->asked[node]++;
	}
	if (sent && !exchange->fabric->options.real)
		clock_ring(&exchange->fabric->clock, exchange->fabric->nodes[node].slot);
}

/* ---- answers ---- */

static void answer_take(struct exchange *exchange, uint32_t node,
			const struct control_message *message)
{
	uint32_t index = message->question - exchange->first;
	struct manager_question *question = &exchange->questions[index];
	int status = (int)message->number;

	if (index >= exchange->count || question->node != node || question->status != OPEN)
		return; /* no such request is outstanding */
	if (status > 0 || (!status && question->ask == ASK_DISCOVER && !message->identity) ||
	    (!status && manager_ask_reads(question->ask) &&
	     (!message->block || message->block->table != question->block.table ||
	      message->block->number != question->block.number)))
		status = -EPROTO;
	if (!status && question->ask == ASK_DISCOVER) {
		*question->identity = *message->identity;
		exchange->fabric->nodes[node].tables_due = false;
	}
	if (!status && manager_ask_reads(question->ask))
		question->block = *message->block;
	close_question(exchange, index, status);
	exchange->answered_ns = monotonic_ns();
}

/* receives all messages of @node */
static void receive_all(struct exchange *exchange, uint32_t node)
{
	struct fabric *fabric = exchange->fabric;
	struct control_message message;
	struct why why = { "" };
	int error;

	while (!(error = control_receive(fabric->nodes[node].control, &message, 0, &why))) {
		if (message.kind == CONTROL_ANSWER)
			answer_take(exchange, node, &message);
		else if (!fabric_watch_message(fabric, node, &message))
			give_up(exchange, node);
		control_message_free(&message);
	}
	if (error == -EAGAIN)
		return;
	epoll_ctl(fabric->epoll_fd, EPOLL_CTL_DEL, fabric->nodes[node].control, NULL);
	if (error == -EINVAL)
		fabric_fail_node(fabric, node, "sent an invalid control message: %s", why.text);
	give_up(exchange, node);
}

static void receive_some(struct exchange *exchange)
{
	struct epoll_event events[64];
	int count = epoll_wait(exchange->fabric->epoll_fd, events, 64, WAIT_MS);

	for (int i = 0; i < count; i++) {
		if (events[i].data.u32 == exchange->fabric->plan->node_count) {
			fabric_ranks_message(exchange->fabric);
			continue;
		}
		receive_all(exchange, events[i].data.u32);
		questions_send(exchange, events[i].data.u32);
	}
	if (count > 0)
		return;
	/* poll timed out: check for dead or stopped nodes */
	fabric_watch_children(exchange->fabric);
	for (uint32_t node = 0; node < exchange->fabric->plan->node_count; node++)
		if (!answers(exchange->fabric, node))
			give_up(exchange, node);
		else
			questions_send(exchange, node);
}

static bool owes_answer(const void *context, uint32_t node)
{
	const struct exchange *exchange = context;

	for (uint32_t i = exchange->at[node]; i < exchange->at[node + 1]; i++)
		if (exchange->questions[exchange->queue[i]].status == OPEN)
			return true;
	return false;
}

static void wait_show(const struct exchange *exchange)
{
	const struct fabric *fabric = exchange->fabric;
	uint32_t node = 0;

	while (node < fabric->plan->node_count && !owes_answer(exchange, node))
		node++;
	if (node == fabric->plan->node_count)
		return;
	fabric_waits(exchange->fabric, exchange->began_ns,
		     "waiting for %s %s%s, %" PRIu32 " of %" PRIu32 " answers received",
		     fabric_kind_name(fabric, node), fabric->plan->nodes[node].name,
		     fabric_process(fabric, node)->stopped_ns ? ", which is stopped" : "",
		     exchange->count - exchange->open, exchange->count);
}

/* ---- virtual clock: every node answers, or there is no result ---- */

static int nodes_watch(struct exchange *exchange)
{
	struct fabric *fabric = exchange->fabric;
	struct fabric_part part = { .what = "answered the fabric manager",
				    .progress = exchange->open,
				    .owes = owes_answer,
				    .context = exchange };

	if (interrupt_seen())
		return -EINTR;
	if (fabric_watch_children(fabric) ||
	    fabric_watch_part(fabric, &exchange->watchdog, &part) || fabric->failure[0])
		return -EIO;
	return 0;
}

static int answers_await_all(struct exchange *exchange)
{
	int error = 0;

	watchdog_start(&exchange->watchdog, exchange->fabric->options.watchdog_ns,
		       exchange->began_ns);
	while (exchange->open && !error) {
		receive_some(exchange);
		wait_show(exchange);
		error = nodes_watch(exchange);
	}
	return exchange->fabric->failure[0] ? -EIO : error;
}

/* ---- real clock: nodes that answer ---- */

/* does a node without an answer wait for a core? */
static bool nodes_starve(const struct exchange *exchange)
{
	for (uint32_t node = 0; node < exchange->fabric->plan->node_count; node++)
		if (owes_answer(exchange, node) &&
		    process_wants_core(fabric_pid(exchange->fabric, node)))
			return true;
	return false;
}

/* true while the exchange should keep waiting. With more runnable nodes than cores a missing answer
 * is no sign of a hang. */
static bool is_patient(struct exchange *exchange)
{
	uint64_t now_ns = monotonic_ns(), silent_ns = now_ns - exchange->answered_ns;
	const struct fabric *fabric = exchange->fabric;

	if (fabric->patience_until_ns && now_ns >= fabric->patience_until_ns)
		return false;
	if (silent_ns < ANSWER_NS)
		exchange->silent_ns = ANSWER_NS;
	else if (silent_ns >= exchange->silent_ns && silent_ns < STARVED_NS &&
		 nodes_starve(exchange))
		exchange->silent_ns = silent_ns + ANSWER_NS;
	return silent_ns < exchange->silent_ns;
}

static void answers_await_some(struct exchange *exchange)
{
	while (exchange->open && is_patient(exchange)) {
		receive_some(exchange);
		wait_show(exchange);
	}
	for (uint32_t node = 0; node < exchange->fabric->plan->node_count && exchange->open; node++)
		give_up(exchange, node);
}

int fabric_exchange(struct fabric *fabric, struct manager_question *questions, uint32_t count)
{
	struct exchange exchange = { .fabric = fabric,
				     .questions = questions,
				     .count = count,
				     .open = count,
				     .first = fabric->questions + 1,
				     .began_ns = monotonic_ns() };
	int error;

	exchange.answered_ns = exchange.began_ns;
	for (uint32_t i = 0; i < count; i++)
		questions[i].status = OPEN;
	error = queue_make(&exchange);
	fabric->questions += count;
	for (uint32_t node = 0; node < fabric->plan->node_count && !error; node++)
		questions_send(&exchange, node);
	if (!error && fabric->options.real)
		answers_await_some(&exchange);
	else if (!error)
		error = answers_await_all(&exchange);
	free(exchange.queue);
	free(exchange.at);
	free(exchange.asked);
	return error;
}

static int wire_exchange(void *owner, struct manager_question *questions, uint32_t count)
{
	return fabric_exchange(owner, questions, count);
}

int fabric_manage(struct fabric *fabric)
{
	struct fabric_manager manager = { .wire = { .exchange = wire_exchange, .owner = fabric },
					  .node_count = fabric->plan->node_count,
					  .complete = !fabric->options.real,
					  .request = fabric->plan->routing };
	int error;

	if (fabric->options.managers)
		return manager_pair_sweep(fabric->options.managers);
	fabric_stage(fabric, "the fabric manager asks all nodes");
	error = fabric_manager_sweep(&manager);
	if (!error)
		fabric_stage(fabric,
			     "the fabric manager has written the tables of %" PRIu32 " switches",
			     manager.last.switches_written);
	if (error && error != -EINTR)
		fabric_fail(fabric, "the fabric manager: %s", manager.last.why);
	else if (!error && manager.last.why[0])
		fabric_note(fabric, "the fabric manager: %s", manager.last.why);
	return error;
}
