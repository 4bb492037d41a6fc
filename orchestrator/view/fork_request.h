/*  fork_request - POST /fork: is it well formed, and what does it mean for a new run (SE-6)? Pure.
 *
 *    { "of": ID, "at_ps": TIME, "set": [ {"node", "key", "value"} ], "settings": ["path=value"] }
 *
 *  A fork is a run from the start with the scenario and all settings of recording `of`. It is a
 *  command line and a script for the prompt (cli/breakpoint.h): at each time of its changes the
 *  clock stops, and parameters of nodes are set. The virtual clock repeats all that was before.
 *  Words of a request become words of the script and of the command line, so they are checked here;
 *  what they mean, heddle run checks. */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_FORK_REQUEST_H
#define HEDDLE_ORCHESTRATOR_VIEW_FORK_REQUEST_H

#include <jansson.h>
#include <stddef.h>

#include "nodes/base/why.h"

#define FORK_WORD_MAX 128u    /* bytes of a node, key, value or setting */
#define FORK_CHANGES_MAX 256u /* in one request */

/** fork_request_check() - 0; or the status of HTTP for a mistake, with a sentence in @why. */
int fork_request_check(const json_t *request, struct why *why);

/** fork_changes() - the changes of a run that has those of @before (array, or NULL) and then those
 *  of @request, which is well formed.
 *  Return: a new array of {at_ps, set}; NULL with a sentence in @why: @request is before one of
 *  @before, or memory is short. */
json_t *fork_changes(const json_t *before, const json_t *request, struct why *why);

/** fork_settings() - a new array: those of @before (or NULL), then those of @request. */
json_t *fork_settings(const json_t *before, const json_t *request);

/** fork_script() - the commands for @changes from the first time on, for free(). */
char *fork_script(const json_t *changes);

/** fork_command() - the command line of a run of @scenario, of its variant @variant (NULL: none),
 *  with @settings and @changes, as a person would type it. @changes NULL or empty: none.
 *  Return: a JSON string; NULL if memory is short. */
json_t *fork_command(const char *scenario, const char *variant, const json_t *settings,
		     const json_t *changes);

#endif
