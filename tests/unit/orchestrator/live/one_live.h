/*  one_live - what the tests of requests share: a running fabric, whose nodes look alive. No node
 *  runs. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_LIVE_ONE_LIVE_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_LIVE_ONE_LIVE_H

#include "orchestrator/live/live_request.h"
#include "tests/unit/orchestrator/live/live_plan.h"

static struct plan plan;
static struct live live;
static struct clock_page clock_page = { .dilation = 1 };

/* the fabric of the scenario @text */
static void one_live_begin(const char *text)
{
	live_plan_make(text, &plan);
	live = (struct live){ .plan = &plan,
			      .fabric = {
				      .plan = &plan, .options.real = true, .page = &clock_page } };
	live.fabric.nodes = live_nodes_make(&plan);
	for (uint32_t i = 0; i < plan.node_count; i++)
		live.fabric.nodes[i].pid = plan_vacant(&plan, i) ? 0 : 1;
	strcpy(live.place.name, "t");
}

static void one_live_end(void)
{
	free(live.fabric.nodes);
	plan_free(&plan);
}

/* @request, with ' for ", is refused, and nothing joins or leaves.
 * Return: the sentence, as part of @answer, which has a reference */
static const char *one_live_refusal(const char *request, json_t **answer)
{
	struct plan_counts before = plan_spare_counts(&plan), after;
	struct live_answer given;
	char text[256];

	snprintf(text, sizeof(text), "%s", request);
	for (char *quote = text; (quote = strchr(quote, '\''));)
		*quote = '"';
	live_request(&live, text, strlen(text), &given);
	*answer = given.body;
	ck_assert_ptr_nonnull(given.body);
	ck_assert_msg(json_object_get(given.body, "error") != NULL, "%s is not refused", text);
	after = plan_spare_counts(&plan);
	ck_assert(before.links == after.links && before.hosts == after.hosts &&
		  before.switches == after.switches);
	return json_string_value(json_object_get(given.body, "error"));
}

#endif
