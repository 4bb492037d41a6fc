/*  live_tunnel - a fabric on several machines, as the daemon of one of them sees it (SC-5).
 *
 *  Every machine has the whole plan and runs its own part of it. Nodes of other machines have no
 *  process here; what they are follows from the plan. A cut link ends at the tunnel process.
 *
 *  A link is up if both of its nodes are there and no machine says that it is down. Each machine
 *  tells the others which links are down at its side: taken down by a command or a fault, or with a
 *  dead node. When that changes, the fabric manager of every machine sweeps. So all of them compute
 *  the same tables, each for its own switches.
 *
 *  A machine that falls silent, ends, or whose tunnel process dies takes all of its links with it.
 *  It is named in the log and in `ps`. When it returns, cut links return as new links. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_TUNNEL_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_TUNNEL_H

#include <jansson.h>

#include "nodes/base/why.h"
#include "orchestrator/live/live.h"

extern const struct fabric_tunnel live_tunnel_calls; /* their owner begins with a struct live */

/** live_tunnel_open() - sockets to the other machines, in the network of the caller. Waits until
 *  their addresses are known: a line to live->report_fd for each second.
 *  Return: 0; -EINTR; else -errno, with @why. */
int live_tunnel_open(struct live *live, const struct tunnel_options *options, struct why *why);

/** live_tunnel_child_ended() - is it the tunnel process that has ended? */
void live_tunnel_child_ended(struct live *live, pid_t pid, int status);

/** live_tunnel_watch() - follows what other machines say.   Return: true if the fabric manager must
 *  sweep. */
bool live_tunnel_watch(struct live *live);

/** live_tunnel_put() - adds "machine" and "machines" to @object, and a node of kind "tunnel" for
 *  each other machine to @nodes: it is judged as the nodes are. */
void live_tunnel_put(const struct live *live, json_t *object, json_t *nodes);

void live_tunnel_close(struct live *live);

#endif
