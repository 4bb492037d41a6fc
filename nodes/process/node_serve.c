#include "nodes/process/node_serve.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/process/node_capture.h"
#include "nodes/process/node_join.h"
#include "nodes/process/node_report.h"

/* @answer with @body, shortened to what the socket takes */
static int answer_send(const struct node *node, struct control_message *answer, size_t length)
{
	static const char cut[] = "\n=too_long:flag\t1\n";
	int error = control_send(node->control, answer);

	while (error == -EMSGSIZE && length > 2 * sizeof(cut)) {
		length /= 2;
		while (length && answer->body[length] != '\n')
			length--;
		memcpy(answer->body + length, cut, sizeof(cut));
		error = control_send(node->control, answer);
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
	node_window_due(&node->window, node_time_max(next, end));
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
	struct why why;
	int error = 0;

	why.text[0] = 0;
	if (message->kind == CONTROL_TABLE_READ)
		error = managed_read(&node->managed, message->block, &why);
	else if (message->kind == CONTROL_TABLE_READ_BACK)
		error = managed_read_back(&node->managed, message->block, &why);
	else if (!may_change(node, out))
		return -EBUSY;
	else if (message->kind == CONTROL_TABLE_BEGIN)
		error = managed_begin(&node->managed);
	else if (message->kind == CONTROL_TABLE_WRITE)
		error = managed_write(&node->managed, message->block, &why);
	else
		error = managed_commit(&node->managed);
	if (!node->managed.staging && node->config->clock == CLOCK_VIRTUAL)
		node_window_changed(&node->window);
	if (why.text[0])
		fprintf(out, "%s\n", why.text);
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
	error = answer_send(node, &answer, length);
	control_message_free(&answer);
	return error;
}

/* is @kind one that a running node answers? */
static bool is_question(enum control_kind kind)
{
	return kind == CONTROL_SHOW || kind == CONTROL_SET ||
	       (kind >= CONTROL_LINK_DOWN && kind <= CONTROL_CAPTURE);
}

int node_serve(struct node *node)
{
	for (;;) {
		struct control_message message = { 0 };
		struct why why;
		int error = control_receive(node->control, &message, 0, &why);

		if (error == -EAGAIN)
			return 0;
		if (!error && is_question(message.kind))
			error = question_answer(node, &message);
		else if (!error)
			error = node_note("a running node does not understand message %d",
					  message.kind);
		else if (error == -EINVAL)
			error = node_note("a control message was ignored: %s", why.text);
		control_message_free(&message);
		if (error)
			return error;
	}
}
