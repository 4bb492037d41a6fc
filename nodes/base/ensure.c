#include "nodes/base/ensure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX 512

static _Thread_local const struct ensure_context *context_now;

void ensure_context_set(const struct ensure_context *context)
{
	context_now = context;
}

/* " at 12.345678 us" */
static void time_text(const struct ensure_context *context, char *text, size_t text_max)
{
	node_time_t now;

	text[0] = 0;
	if (!context || !context->now_ps)
		return;
	now = *context->now_ps;
	snprintf(text, text_max, " at %llu.%06u us", (unsigned long long)(now / NODE_US),
		 (unsigned)(now % NODE_US));
}

void ensure_failed(const struct ensure_place *place, int64_t left, int64_t right)
{
	const struct ensure_context *context = context_now;
	char text[TEXT_MAX], at[64];

	context_now = NULL; /* an invariant that fails while we report has nothing to add */
	time_text(context, at, sizeof(at));
	snprintf(text, sizeof(text) - 1, "%s%s: invariant failed: %s, with %lld and %lld (%s:%d)",
		 context && context->node ? context->node : "no node", at, place->text,
		 (long long)left, (long long)right, place->file, place->line);
	/* one write: nodes share the standard error of the orchestrator */
	strcat(text, "\n");
	(void)!write(STDERR_FILENO, text, strlen(text));
	text[strlen(text) - 1] = 0;
	if (context && context->report)
		context->report(context->owner, text);
	abort();
}
