/*  live_history - counters of about a minute ago, so that the verdict of the last minute can be
 *  told at once (DU-5).
 *
 *  Every LIVE_HISTORY_STEP_NS the daemon notes of each node what the verdict follows from. It keeps
 *  LIVE_HISTORY_NOTES notes, the oldest of which is one to one and a half minutes old. A node costs
 *  some 4 kB, a port 24 bytes, and reading its page a microsecond. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_HISTORY_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_HISTORY_H

#include <jansson.h>
#include <stdint.h>

#include "orchestrator/fabric/fabric.h"
#include "orchestrator/tunnel/tunnel.h"

#define LIVE_HISTORY_NOTES 3u
#define LIVE_HISTORY_STEP_NS 30000000000ull
#define LIVE_HISTORY_MINUTE_NS 60000000000ull

/* a node that ran at one moment, and whose page was valid */
struct live_history_node {
	uint32_t index; /* in the plan */
	pid_t pid;
	uint64_t active_ns, host_overrun_frames;
	struct lateness_stats lateness;
	uint64_t *peers_waited_ns; /* [port_count], of the note */
};

/* the tunnel to another machine */
struct live_history_tunnel {
	uint64_t lost_frames;
	struct lateness_stats lateness;
};

struct live_history_note {
	uint64_t at_ns; /* of the machine, since the start of the fabric; 0: none */
	uint32_t node_count;
	struct live_history_node *nodes; /* [node_count] */
	uint64_t *waited_ns;             /* memory of all peers_waited_ns */
	pid_t tunnel_pid;
	struct live_history_tunnel *tunnels; /* [machine_count]; NULL: one machine */
};

struct live_history {
	struct live_history_note notes[LIVE_HISTORY_NOTES];
	const struct tunnel *tunnel; /* borrowed; NULL: one machine */
	uint64_t due_ns;             /* when the next note is due, since the start of the fabric */
};

/** live_history_free() - frees all notes; then it is as new. */
void live_history_free(struct live_history *history);

/** live_history_step() - makes a note if one is due.
 *  @now_ns  since the start of the fabric, of the machine's time.
 *  Return: in how many nanoseconds the next one is due. Without memory there is no note. */
uint64_t live_history_step(struct live_history *history, const struct plan *plan,
			   const struct fabric *fabric, uint64_t now_ns);

/** live_history_describe() - the note of a minute ago, as a part of an answer to "ps": uptime_ns,
 *  and of each node what observe_fidelity() reads.   Return: NULL if there is none yet. */
json_t *live_history_describe(const struct live_history *history, const struct plan *plan,
			      uint64_t now_ns);

#endif
