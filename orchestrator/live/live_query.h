/*  live_query - what the answers to requests have in common; private to live_request.c and the
 *  files it hands requests to.
 *
 *  An answer is a json_t for the asker to own. One that says no comes from live_refuse(). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_QUERY_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_QUERY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "orchestrator/live/live_request.h"

/* one request, while it is answered */
struct live_query {
	struct live *live;
	json_t *request;
	/* for descriptors that go along; its body is what the live_query_fn returns */
	struct live_answer *answer;
};

typedef json_t *live_query_fn(struct live_query *asking);

/** live_refuse() - {"error": SENTENCE}.  Return: never NULL unless memory is short. */
json_t *live_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** live_reason() - why something failed with @error: the fabric's own words, if it has any. */
const char *live_reason(const struct live *live, int error);

/** live_query_text() - the text of @key in the request, NULL if there is none. Borrowed. */
const char *live_query_text(const struct live_query *asking, const char *key);

/** live_query_node() - index of the node called @name; -1 with *@refusal if there is none, or @name
 *  is NULL. */
int64_t live_query_node(const struct live_query *asking, const char *name, json_t **refusal);

/** live_query_node_runs() - does node @node run? If not *@refusal says why. */
bool live_query_node_runs(const struct live_query *asking, uint32_t node, json_t **refusal);

/** live_query_port() - the one port of @node called @name, a number or a neighbour; -1 with
 *  *@refusal. */
int64_t live_query_port(const struct node_config *node, const char *name, json_t **refusal);

#endif
