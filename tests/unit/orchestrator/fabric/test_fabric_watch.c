/*  orchestrator/fabric/fabric_watch: what a node says reaches the log as plain lines, and not too
 *  many of them (TB-24). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/control/control.h"
#include "orchestrator/base/say_limit.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "tests/said.h"
#include "tests/testing.h"

static struct plan plan;
static struct fabric fabric;
static struct fabric_node node;
static struct node_config config = { .name = "s1", .kind = NODE_SWITCH };

static void setup(void)
{
	plan = (struct plan){ .nodes = &config, .node_count = 1, .switch_count = 1 };
	node = (struct fabric_node){ .control = -1, .ready = true };
	fabric = (struct fabric){ .plan = &plan, .nodes = &node, .options.real = true, .alive = 1 };
}

/* node s1 sends @text @times. Return: what is in the log then. */
static const char *log_after(const char *text, uint32_t times)
{
	struct control_message message = { .kind = CONTROL_EVENT };

	snprintf(message.text, sizeof(message.text), "%s", text);
	said_begin();
	for (uint32_t i = 0; i < times; i++)
		fabric_watch_message(&fabric, 0, &message);
	return said_end();
}

TEST_GROUP(fabric_watch, .setup = setup);

TEST(fabric_watch_message__no_line_of_another)
{
	const char *log = log_after("a\nheddle: forged\033[31m\033]0;title\007", 1);

	ck_assert_str_eq(log, "heddle: switch s1: a?heddle: forged?[31m?]0;title?\n");
}

TEST(fabric_watch_message__a_flood_is_told_once)
{
	const char *log = log_after("again", 5000);
	uint32_t lines = 0;

	for (const char *at = log; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, SAY_LINES);
}
