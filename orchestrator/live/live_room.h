/*  live_room - the sandboxes of the hosts of a running fabric: host_room.h (DU-3). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_ROOM_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_ROOM_H

#include "nodes/base/why.h"
#include "orchestrator/live/live_query.h"

/** live_rooms_alloc() - a place for each host of the plan. Return: 0 or -ENOMEM. */
int live_rooms_alloc(struct live *live);

/** live_rooms_free() - after the namespaces are closed, by which all of them have ended. */
void live_rooms_free(struct live *live);

/** live_room_make() - makes the sandbox of host @index, whose network exists.
 *  Return: 0, or -errno with the reason in @why. */
int live_room_make(struct live *live, uint32_t index, struct why *why);

/** live_room_rootfs() - the folder that is the root file system of host @index; "": it has the
 *  machine's files. */
const char *live_room_rootfs(const struct live *live, uint32_t index);

/** live_room_has_resolver() - does the scenario give host @index name servers (`dns`)? */
bool live_room_has_resolver(const struct live *live, uint32_t index);

/** live_rooms_limits_missing() - how limits of hosts hold if control groups cannot be made; "": as
 *  they should, or there are none. */
const char *live_rooms_limits_missing(const struct live *live);

/** live_room_end() - ends all programs of host @index. */
void live_room_end(struct live *live, uint32_t index);

/** live_room_find() - the sandbox of host @index, which lives; if its init process has died, a
 *  new one is made.
 *  Return: NULL: it has none, since it is attached; or @why says why none can be made, else "". */
const struct host_room *live_room_find(struct live *live, uint32_t index, struct why *why);

/** live_room_exec(), live_room_run() - the requests "exec" and "run". */
live_query_fn live_room_exec, live_room_run;

#endif
