/*  live_asking - what the answers to requests have in common; private to live_request.c and the files it hands requests to.
 *
 *  An answer is a json_t for the asker to own. One that says no comes from refuse().          */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_ASKING_H
#define HEDDLE_ORCHESTRATOR_LIVE_ASKING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "orchestrator/live_request.h"

/* one request, while it is answered */
struct asking {
	struct live *live;
	json_t *request;
	struct live_answer *answer; /* for descriptors that go along; its body is what the ask_fn returns */
};

typedef json_t *ask_fn(struct asking *asking);

/** refuse() - {"error": SENTENCE}.  Return: never NULL unless memory is short. */
json_t *refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** reason_of() - why something failed with @error: the fabric's own words, if it has any. */
const char *reason_of(const struct live *live, int error);

/** text_of() - the text of @key in the request, NULL if there is none. Borrowed. */
const char *text_of(const struct asking *asking, const char *key);

/** node_find() - index of the node called @name; -1 with *@refusal if there is none, or @name is NULL. */
int64_t node_find(const struct asking *asking, const char *name, json_t **refusal);

/** node_lives() - does node @node run? If not *@refusal says why. */
bool node_lives(const struct asking *asking, uint32_t node, json_t **refusal);

/** port_find() - the one port of @node called @name, a number or a neighbour; -1 with *@refusal. */
int64_t port_find(const struct node_config *node, const char *name, json_t **refusal);

#endif
