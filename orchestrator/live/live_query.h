/*  live_query - helpers for answering requests; private to live_request.c and the files that answer
 *  for it.
 *
 *  An answer is a json_t, owned by the caller. A refusal is made by live_refuse(). */
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
	/* for descriptors of the answer; its body is what the live_query_fn returns */
	struct live_answer *answer;
	json_t *refusal; /* why a function below has failed; NULL: none has */
};

typedef json_t *live_query_fn(struct live_query *query);

/** live_refuse() - {"error": SENTENCE}.  Return: never NULL unless memory is short. */
json_t *live_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** live_query_refused() - @query is refused as @refusal says, which it owns.  Return: -1. */
static inline int live_query_refused(struct live_query *query, json_t *refusal)
{
	query->refusal = refusal;
	return -1;
}

/** live_query_outward() - is @what, which would connect the fabric to a network of the machine,
 *  requested from inside of a host?  Return: the refusal, or NULL. */
json_t *live_query_outward(const struct live_query *query, const char *what);

/** live_reason() - why a call failed with @error: fabric.failure, if that is set. */
const char *live_reason(const struct live *live, int error);

/** live_query_text() - the text of @key in the request, NULL if there is none. Borrowed. */
const char *live_query_text(const struct live_query *query, const char *key);

/** live_query_node() - index of the node called @name; -1, refused, if there is none, or @name is
 *  NULL. */
int64_t live_query_node(struct live_query *query, const char *name);

/** live_query_node_runs() - does node @node run? If not, it is refused. */
bool live_query_node_runs(struct live_query *query, uint32_t node);

/** live_query_port() - the port of @node called @name, a number or a peer that is linked once; -1,
 *  refused. */
int64_t live_query_port(struct live_query *query, const struct node_config *node, const char *name);

#endif
