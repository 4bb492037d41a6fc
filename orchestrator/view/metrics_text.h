/*  metrics_text - a running fabric in the text format of Prometheus, version 0.0.4 (SE-14).
 *
 *  A name is heddle_fabric_, heddle_node_, heddle_port_ or heddle_class_, and the key of
 *  `heddle ps --json`. Times are in seconds: _ns and _ps of a key become _seconds. What only grows
 *  ends in _total. Labels: fabric; node, kind; port, peer; class; of drops their reason.
 *
 *  Counters of congestion and paths, which JSON has where they are not 0, are here for every port,
 *  so that a query has an answer from the first moment on. Values are those since the start of the
 *  fabric, also the verdict. Pure. */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_METRICS_TEXT_H
#define HEDDLE_ORCHESTRATOR_VIEW_METRICS_TEXT_H

#include <jansson.h>

/** metrics_text() - of @fabric, the answer of the daemon to "ps" after observe_fidelity().
 *  Return: text for free(), NULL if memory is short. O(nodes x ports x counters). */
char *metrics_text(const json_t *fabric);

#endif
