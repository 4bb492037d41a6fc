/*  results_origin - the part of a JSON result that names its inputs: version, digest, settings
 *  (TB-13).
 *
 *  With it the result can be repeated, and checked by anyone with the scenario: `digest` is what
 *  `cat SCENARIO FILES... | sha256sum` prints. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_ORIGIN_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_ORIGIN_H

#include <jansson.h>

#include "orchestrator/base/origin.h"

/** results_origin_put() - puts `version`, `digest`, `settings` and `effective` into @object: the
 *  scenario as it was run, every value as it was written; with a congestion control of the user's
 *  also `control` and `control_digest`. Without an @origin (NULL) they are null,
 *  except the version.
 *  Return: 0 or -ENOMEM.  O(values in the scenario). */
int results_origin_put(const struct origin *origin, json_t *object);

#endif
