/*  live_save - the request that writes a running fabric as a scenario (DU-6). Form:
 *  live_query.h. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_SAVE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_SAVE_H

#include "orchestrator/live/live_query.h"

live_query_fn live_save;

#endif
