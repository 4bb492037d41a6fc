/*  routing_lids - the tables of fabrics of kind port-group: LFT, PGFT and PGT from the routes (PG-2, PG-5, PG-6, PG-11).
 *
 *  Host i has LID i + 1. A port group is a set of candidates that some route has; the same set for several destinations is one group.
 *  So all that adaptive routing may do is among the candidates that the check for circles has seen. A destination with one candidate
 *  has group 0, or that one with the switch's non-minimal ports, if it has any (routing_non_minimal.h). Such groups
 *  are for packets from hosts alone and are numbered from PORT_GROUP_EDGE_FROM on, all others below. If there were
 *  more sets than numbers, those that come last (in the order of LIDs) are left with their static port
 *  alone, and counted (`ungrouped`).
 *  The static port is drawn by the destination, never by the source, so that on a fat tree all ways to a host share one way down and ways
 *  to different hosts different ones (D-mod-k) [Zahavi 2010]: switches at the edge take the candidate (host number mod their
 *  count), those behind them the same of what the division leaves, and so on inwards. It is counted among the candidates of the whole fabric,
 *  everything that is plugged in, so that a failure moves the destinations whose port is gone and no other ones.         */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_LIDS_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_LIDS_H

#include "orchestrator/routing/routing_minimal.h"

/** routing_lids_make() - fills `lids` of all switches from their routes.
 *  Return: 0 or -ENOMEM.  O(switches * (links + hosts)).                                                             */
int routing_lids_make(const struct topology *topology, struct routing *routing);

#endif
