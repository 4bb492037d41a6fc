/*  routing_lids - the tables of port-group fabrics, LFT, PGFT and PGT, from the routes (PG-2, PG-5,
 *  PG-6, PG-11).
 *
 *  Host i has LID i + 1. A port group is a set of candidates of some route; equal sets of several
 *  destinations are one group. So adaptive routing stays among candidates that the check for cycles
 *  has covered. A destination with one candidate has group 0, or a group of it and the switch's
 *  non-minimal ports if there are any (routing_non_minimal.h). Such groups are only for packets
 *  from hosts. They are numbered from PORT_GROUP_EDGE_FROM on, all others below. If there are more
 *  sets than numbers, the last destinations in the order of LIDs have only their static port, and
 *  are counted (`ungrouped`).
 *
 *  The static port depends on the destination, never on the source. So on a fat tree all paths to a
 *  host share one path down, and paths to different hosts use different ones (D-mod-k) [Zahavi
 *  2010]: switches at the edge select the candidate (host number mod their count), those of the
 *  next tier the same of the quotient, and so on. The candidates are those of the whole fabric,
 *  everything that is plugged in, so a failure moves the destinations of the lost port and no
 *  others. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_LIDS_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_LIDS_H

#include "orchestrator/routing/routing_minimal.h"

/** routing_lids_make() - fills `lids` of all switches from their routes.
 *  Return: 0 or -ENOMEM.  O(switches * (links + hosts)). */
int routing_lids_make(const struct topology *topology, struct routing *routing);

#endif
