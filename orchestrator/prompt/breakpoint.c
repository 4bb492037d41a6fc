#include "orchestrator/prompt/breakpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/fabric/fabric_ask.h"
#include "orchestrator/live/parameter.h"
#include "orchestrator/prompt/command_input.h"
#include "orchestrator/prompt/prompt_log.h"
#include "orchestrator/prompt/prompt_words.h"
#include "orchestrator/prompt/show_line.h"
#include "orchestrator/results/counter.h"
#include "orchestrator/scenario/scenario_keys.h"

enum step {
	STEP_NEXT,  /* read the next command */
	STEP_BAD,   /* the command is wrong: b->why */
	STEP_ENDED, /* Ctrl-C has ended the command; read the next one */
	STEP_LEAVE, /* b->outcome */
};

struct breakpoint {
	struct run *run;
	FILE *out;
	struct command_input input;
	enum breakpoint_outcome outcome;
	struct prompt_log log;
	node_time_t target; /* of a run that is repeated */
	bool repeats;
	char *repeated; /* the last step, which an empty line repeats; NULL: none */
	struct why why;
};

/* @rest the words after the command's name; modified */
typedef enum step command_fn(struct breakpoint *b, char *rest);

static command_fn command_step, command_show, command_set, command_continue, command_back,
	command_goto, command_status, command_help, command_quit;

static const struct command {
	const char *name;
	command_fn *obey;
	const char *usage, *help;
} commands[] = {
	{ "step", command_step, "step [TIME | until CONDITION]",
	  "run for one time step, for TIME (10ns), or until e.g. s2.p1.queue_bytes > 10kB" },
	{ "show", command_show, "show NODE TABLE [PORT] [--json]",
	  "print a table of a node (efct, ifct, ofct, ..., trace); show flow HOST HOST: a flow, "
	  "hop by hop" },
	{ "set", command_set, "set NODE NAME VALUE", "change a parameter of a node" },
	{ "continue", command_continue, "continue [TIME]",
	  "run to the end, or until the fabric's time is TIME" },
	{ "back", command_back, "back [TIME]", "return to the last stop, or by TIME (10ns)" },
	{ "goto", command_goto, "goto TIME", "go on to the fabric's time TIME, or return to it" },
	{ "status", command_status, "status [exact]",
	  "time, next event, waiting data; exact: in ps and bytes" },
	{ "help", command_help, "help", "this list" },
	{ "quit", command_quit, "quit", "end the run here; Ctrl-D does so too" },
};

static enum step obey(struct breakpoint *b, char *line), repeat(struct breakpoint *b);
static line_words_fn words_add;

/* At a terminal, Ctrl-D is 'quit': a person is there. A script that ends lets the run go on. */
static enum step line_take(struct breakpoint *b)
{
	char *line;

	switch (command_input_read(&b->input, &line)) {
	case COMMAND_INPUT_LINE:
		return obey(b, line);
	case COMMAND_INPUT_END:
		b->outcome = b->input.name ? BREAKPOINT_CONTINUE : BREAKPOINT_QUIT;
		break;
	case COMMAND_INPUT_INTERRUPTED:
		b->outcome = BREAKPOINT_INTERRUPTED;
		break;
	}
	return STEP_LEAVE;
}

struct breakpoint *breakpoint_open(FILE *in, const char *name, FILE *out)
{
	struct breakpoint *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->out = out;
	command_input_open(&b->input, in, name, out, words_add, b);
	return b;
}

void breakpoint_close(struct breakpoint *b)
{
	if (!b)
		return;
	command_input_close(&b->input);
	prompt_log_free(&b->log);
	free(b->repeated);
	free(b);
}

bool breakpoint_repeats(const struct breakpoint *b)
{
	return b->repeats;
}

enum breakpoint_outcome breakpoint_prompt(struct breakpoint *b, struct run *run)
{
	enum step step = STEP_NEXT;

	b->run = run;
	b->outcome = BREAKPOINT_CONTINUE;
	if (b->repeats)
		step = repeat(b);
	if (step != STEP_LEAVE)
		command_status(b, NULL);
	while (step != STEP_LEAVE) {
		step = line_take(b);
		if (step != STEP_BAD)
			continue;
		if (!b->input.name) {
			fprintf(b->out, "%s\n", b->why.text);
			continue;
		}
		fprintf(stderr, "%s:%u: %s\n", b->input.name, b->input.number, b->why.text);
		b->outcome = BREAKPOINT_BAD_SCRIPT;
		break;
	}
	fflush(b->out);
	return b->outcome;
}

/* ---- helpers ---- */

static enum step __attribute__((format(printf, 2, 3)))
bad(struct breakpoint *b, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(b->why.text, sizeof(b->why.text), format, arguments);
	va_end(arguments);
	return STEP_BAD;
}

static enum step leave(struct breakpoint *b, enum breakpoint_outcome outcome)
{
	b->outcome = outcome;
	return STEP_LEAVE;
}

/* the next word of *@rest, "" at the end; *@rest then starts after it */
static char *word_take(char **rest)
{
	char *word = *rest + strspn(*rest, " \t");
	size_t length = strcspn(word, " \t");

	*rest = word + length;
	if (**rest)
		*(*rest)++ = 0;
	return word;
}

/* nothing more is expected in @rest of command @name */
static enum step end_check(struct breakpoint *b, const char *name, char *rest)
{
	const char *word = word_take(&rest), *usage = "";

	if (!word[0])
		return STEP_NEXT;
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		if (!strcmp(commands[i].name, name))
			usage = commands[i].usage;
	return bad(b, "'%s' is not expected here: %s", word, usage);
}

/* an empty line: at a terminal the last step again */
static enum step step_repeat(struct breakpoint *b)
{
	char *line = b->repeated && !b->input.name ? strdup(b->repeated) : NULL;
	enum step step = line ? obey(b, line) : STEP_NEXT;

	free(line);
	return step;
}

/* obeys @command, and keeps a step for an empty line */
static enum step command_obey(struct breakpoint *b, const struct command *command, char *rest)
{
	char *line = NULL;
	enum step step;

	if (command->obey == command_step && asprintf(&line, "step %s", rest) < 0)
		line = NULL;
	step = command->obey(b, rest);
	if (line && step != STEP_BAD) {
		free(b->repeated);
		b->repeated = line;
	} else {
		free(line);
	}
	return step;
}

static enum step obey(struct breakpoint *b, char *line)
{
	char *word = word_take(&line), hint[128];

	if (!word[0])
		return step_repeat(b);
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		if (!strcmp(commands[i].name, word))
			return command_obey(b, &commands[i], line);
	}
	suggest_sentence(word, &commands[0].name, COUNT_OF(commands), sizeof(commands[0]), hint,
			 sizeof(hint));
	return bad(b, "there is no command '%s'%s; 'help' lists them", word, hint);
}

/* Ctrl-C at a terminal ends the command, not the run, if the clock can be stopped */
static enum step interrupted(struct breakpoint *b)
{
	int error;

	if (b->input.name || !interrupt_forgive())
		return leave(b, BREAKPOINT_INTERRUPTED);
	error = run_pause(b->run);
	if (error)
		return leave(b, error == -EINTR ? BREAKPOINT_INTERRUPTED : BREAKPOINT_FAILED);
	fprintf(b->out, "\nstopped by Ctrl-C\n");
	return STEP_ENDED;
}

/* runs until @until; STEP_LEAVE after a failure, STEP_ENDED after Ctrl-C */
static enum step advance(struct breakpoint *b, node_time_t until)
{
	switch (run_to(b->run, until)) {
	case RUN_FAILED:
		return leave(b, BREAKPOINT_FAILED);
	case RUN_INTERRUPTED:
		return interrupted(b);
	default:
		return STEP_NEXT;
	}
}

static node_time_t now_of(const struct breakpoint *b)
{
	return fabric_now(&b->run->fabric);
}

static node_time_t window_end(const struct breakpoint *b)
{
	node_time_t earliest = clock_earliest(&b->run->fabric.clock);
	node_time_t lookahead = b->run->fabric.page->lookahead_ps;

	return earliest > NODE_TIME_NEVER - lookahead ? NODE_TIME_NEVER : earliest + lookahead;
}

/* the node called @name; NULL after an error message */
static const struct node_config *node_find(struct breakpoint *b, const char *name)
{
	const struct plan *plan = b->run->fabric.plan;
	const struct node_config *node = plan_node_find(plan, name);
	char hint[128];

	if (!node)
		bad(b, "there is no node '%s'%s", name,
		    key_name_hint(name, plan->nodes[0].name, plan->node_count, sizeof(*plan->nodes),
				  hint, sizeof(hint)));
	return node;
}

/* ---- commands ---- */

static enum step step_until(struct breakpoint *b, const char *text)
{
	struct condition condition;
	enum step step = STEP_NEXT;
	node_time_t until;

	if (condition_parse(b->run->fabric.plan, text, &condition, &b->why))
		return STEP_BAD;
	prompt_log_stop(&b->log, now_of(b));
	until = condition_time(&condition);
	if (until != NODE_TIME_NEVER && until > now_of(b))
		step = advance(b, until);
	b->run->steps = true;
	while (step == STEP_NEXT) {
		struct stats_page *page = b->run->fabric.nodes[condition.counter.node].stats;

		if (condition_holds(&condition, page, now_of(b)))
			break;
		if (run_over(b->run)) {
			fprintf(b->out, "the run is over, and '%s' was never true\n",
				text + strspn(text, " \t"));
			break;
		}
		step = advance(b, window_end(b));
	}
	if (step == STEP_LEAVE)
		return step;
	run_steps_end(b->run);
	return command_status(b, NULL);
}

/* the end of command @name with nothing more in @rest: runs until @until */
static enum step advance_and_tell(struct breakpoint *b, const char *name, char *rest,
				  node_time_t until)
{
	enum step step = end_check(b, name, rest);

	if (step != STEP_NEXT)
		return step;
	prompt_log_stop(&b->log, now_of(b));
	step = advance(b, until);
	return step == STEP_LEAVE ? step : command_status(b, NULL);
}

static enum step command_step(struct breakpoint *b, char *rest)
{
	char *word = word_take(&rest);
	struct why why;
	node_time_t until = window_end(b);

	if (!strcmp(word, "until"))
		return step_until(b, rest);
	if (word[0]) {
		uint64_t time_ps;

		if (quantity_parse(QUANTITY_TIME, word, &time_ps, &why))
			return bad(b, "step: %s", why.text);
		until = now_of(b) > NODE_TIME_NEVER - time_ps ? NODE_TIME_NEVER
							      : now_of(b) + time_ps;
	}
	return advance_and_tell(b, "step", rest, until);
}

/* sends @message to @node and prints the answer. @what names the object in errors: "table foo" */
static enum step ask(struct breakpoint *b, const struct node_config *node, const char *what,
		     struct control_message *message)
{
	int error = fabric_ask(&b->run->fabric, node->index, message);
	enum step step = STEP_NEXT;
	size_t length;

	if (error)
		return leave(b, error == -EINTR ? BREAKPOINT_INTERRUPTED : BREAKPOINT_FAILED);
	length = message->body ? strlen(message->body) : 0;
	while (length && message->body[length - 1] == '\n')
		message->body[--length] = 0;
	if (message->body)
		utf8_plain_lines(message->body); /* text of a node, to a terminal */
	if (message->number == -ENOENT)
		step = bad(b, "%s has no %s; it has: %s", node->name, what,
			   length ? message->body : "nothing");
	else if (message->number)
		step = bad(b, "%s refuses %s: %s%s%s", node->name, what,
			   strerror(-(int)message->number), length ? ": " : "",
			   length ? message->body : "");
	else if (length)
		fprintf(b->out, "%s\n", message->body);
	control_message_free(message);
	return step;
}

static enum step command_show(struct breakpoint *b, char *rest)
{
	switch (show_line(&b->run->fabric, rest, b->out, &b->why)) {
	case 0:
		return STEP_NEXT;
	case FABRIC_SHOW_REFUSED:
		return STEP_BAD;
	case -EINTR:
		return leave(b, BREAKPOINT_INTERRUPTED);
	default:
		return leave(b, BREAKPOINT_FAILED);
	}
}

static enum step command_set(struct breakpoint *b, char *rest)
{
	char *name = word_take(&rest), *parameter = word_take(&rest), *value = word_take(&rest);
	struct control_message message = { .kind = CONTROL_SET };
	const struct node_config *node;
	char what[128], line[512];
	struct why why;
	enum step step;

	if (!value[0])
		return bad(b, "set needs a node, a name and a value: 'set s1 NAME VALUE'");
	if (end_check(b, "set", rest))
		return STEP_BAD;
	node = node_find(b, name);
	if (!node)
		return STEP_BAD;
	snprintf(message.text, sizeof(message.text), "%s", parameter);
	if (parameter_convert(node, parameter, value, message.text2, sizeof(message.text2), &why))
		return bad(b, "%s", why.text);
	snprintf(what, sizeof(what), "parameter '%s'", parameter);
	step = ask(b, node, what, &message);
	snprintf(line, sizeof(line), "set %s %s %s", name, parameter, value);
	if (step == STEP_NEXT && !b->repeats && prompt_log_change(&b->log, now_of(b), line))
		return bad(b, "set: no memory to keep it for 'back' and 'goto'");
	return step;
}

static enum step command_continue(struct breakpoint *b, char *rest)
{
	char *word = word_take(&rest);
	struct why why;
	uint64_t until;

	if (!word[0])
		return leave(b, BREAKPOINT_CONTINUE);
	if (quantity_parse(QUANTITY_TIME, word, &until, &why))
		return bad(b, "continue: %s", why.text);
	return advance_and_tell(b, "continue", rest, until);
}

/* ---- back and goto ---- */

/* Makes the changes again at their times, then stops at b->target; at full speed, also with
 * --slow. */
static enum step repeat(struct breakpoint *b)
{
	node_time_t slow_ps_per_s = b->run->slow_ps_per_s;
	enum step step = STEP_NEXT;

	b->run->slow_ps_per_s = 0;
	for (size_t i = 0; i < b->log.change_count && step == STEP_NEXT; i++) {
		char *line = strdup(b->log.changes[i].line);

		step = advance(b, b->log.changes[i].at);
		if (line && step == STEP_NEXT)
			step = obey(b, line);
		free(line);
	}
	if (step == STEP_NEXT)
		step = advance(b, b->target);
	if (step == STEP_ENDED) /* by Ctrl-C, before all was repeated */
		prompt_log_cut(&b->log, now_of(b));
	b->run->slow_ps_per_s = slow_ps_per_s;
	b->repeats = false;
	if (step != STEP_BAD)
		return step;
	fprintf(stderr, "heddle run: a change cannot be repeated: %s\n", b->why.text);
	return leave(b, BREAKPOINT_BAD_SCRIPT);
}

/* The virtual clock gives the same run again, so an earlier moment is a new run up to it. */
static enum step return_to(struct breakpoint *b, const char *name, node_time_t at)
{
	size_t dropped;

	if (b->run->once)
		return bad(b, "%s: this run cannot be repeated, because %s", name, b->run->once);
	dropped = prompt_log_cut(&b->log, at);
	if (dropped)
		fprintf(b->out, "%zu change%s made after that time %s undone\n", dropped,
			dropped == 1 ? "" : "s", dropped == 1 ? "is" : "are");
	b->target = at;
	b->repeats = true;
	return leave(b, BREAKPOINT_AGAIN);
}

static enum step command_goto(struct breakpoint *b, char *rest)
{
	char *word = word_take(&rest);
	struct why why;
	uint64_t at;

	if (!word[0])
		return bad(b, "goto needs a time of the fabric, e.g. 'goto 50us'");
	if (quantity_parse(QUANTITY_TIME, word, &at, &why))
		return bad(b, "goto: %s", why.text);
	if (at >= now_of(b))
		return advance_and_tell(b, "goto", rest, at);
	return end_check(b, "goto", rest) ? STEP_BAD : return_to(b, "goto", at);
}

static enum step command_back(struct breakpoint *b, char *rest)
{
	char *word = word_take(&rest), text[HUMAN_TEXT_MAX];
	struct why why;
	node_time_t at, now = now_of(b);
	uint64_t by;

	if (end_check(b, "back", rest))
		return STEP_BAD;
	if (!word[0])
		return prompt_log_last(&b->log, now, &at)
			       ? return_to(b, "back", at)
			       : bad(b,
				     "back: there is no earlier stop; 'goto TIME' returns to any "
				     "time");
	if (quantity_parse(QUANTITY_TIME, word, &by, &why))
		return bad(b, "back: %s", why.text);
	if (by > now)
		return bad(b, "back: %s is before the start: the fabric is at %s", word,
			   human_us(now, text));
	return by ? return_to(b, "back", now - by) : command_status(b, NULL);
}

/* @exact: picoseconds */
static const char *time_write(node_time_t time, bool exact, char text[HUMAN_TEXT_MAX])
{
	if (!exact)
		return human_us(time, text);
	snprintf(text, HUMAN_TEXT_MAX, "%" PRIu64 " ps", time);
	return text;
}

static const char *bytes_write(uint64_t bytes, bool exact, char text[HUMAN_TEXT_MAX])
{
	if (!exact)
		return human_bytes(bytes, text);
	snprintf(text, HUMAN_TEXT_MAX, "%" PRIu64 " bytes", bytes);
	return text;
}

static enum step command_status(struct breakpoint *b, char *rest)
{
	const struct fabric *fabric = &b->run->fabric;
	const char *word = rest ? word_take(&rest) : "";
	node_time_t earliest = clock_earliest(&fabric->clock);
	uint64_t inside = 0, waiting = 0;
	bool exact = !strcmp(word, "exact");
	char text[HUMAN_TEXT_MAX], other[HUMAN_TEXT_MAX];

	if (word[0] && !exact)
		return bad(b, "status takes nothing or 'exact', not '%s'", word);
	if (rest && end_check(b, "status", rest))
		return STEP_BAD;
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		*(i < fabric->plan->switch_count ? &inside : &waiting) += fabric_holds(fabric, i);
	fprintf(b->out, "at %s; ", time_write(now_of(b), exact, text));
	if (earliest == NODE_TIME_NEVER)
		fprintf(b->out, "no event is left; ");
	else
		fprintf(b->out, "next event at %s; ", time_write(earliest, exact, text));
	fprintf(b->out, "waiting: %s in switches, %s at hosts (not sent yet)\n",
		bytes_write(inside, exact, text), bytes_write(waiting, exact, other));
	return STEP_NEXT;
}

static enum step command_help(struct breakpoint *b, char *rest)
{
	if (end_check(b, "help", rest))
		return STEP_BAD;
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		fprintf(b->out, "%-31s %s\n", commands[i].usage, commands[i].help);
	if (!b->input.name)
		fprintf(b->out, "An empty line repeats the last step, TAB completes a word, Ctrl-C "
				"stops a step.\n");
	return STEP_NEXT;
}

static enum step command_quit(struct breakpoint *b, char *rest)
{
	return end_check(b, "quit", rest) ? STEP_BAD : leave(b, BREAKPOINT_QUIT);
}

/* ---- completion ---- */

/* line_words_fn */
static void words_add(void *owner, const char *line, struct word_list *words)
{
	struct breakpoint *b = owner;

	line += strspn(line, " \t");
	if (strpbrk(line, " \t"))
		prompt_words(&b->run->fabric, line, words);
	else
		for (size_t i = 0; i < COUNT_OF(commands); i++)
			word_list_add(words, "%s", commands[i].name);
}
