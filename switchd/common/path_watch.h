/*  path_watch - which output each flow takes, for events (SE-1).
 *
 *  A switch that records events stores, for every generated packet that it sends, the flow (by
 *  source and slot) and the output. It records an event when a flow takes another output than
 *  before; in an unordered class, where each packet selects an output, when a flow takes one for
 *  the first time. So the events of all switches are the path of every flow at any time, however
 *  it was selected.
 *
 *  Memory: PATH_LINES flows, allocated in _init, never later. A flow whose line another flow has
 *  taken is recorded again with its next packet. O(1); without events a branch. */
#ifndef HEDDLE_SWITCHD_COMMON_PATH_WATCH_H
#define HEDDLE_SWITCHD_COMMON_PATH_WATCH_H

#include <stdint.h>

#include "switchd/common/packet.h"

#define PATH_LINES 16384u

struct path_line {
	uint64_t flow;  /* (source + 1) << 24 | slot; 0: free */
	uint64_t ports; /* set of outputs: the last one; of an unordered class all */
};

/* @packet leaves, of the flow in @slot of its NIC */
typedef void path_note_fn(void *owner, const struct packet *packet, uint32_t slot);

struct path_watch {
	struct path_line *lines; /* NULL: no events are recorded */
	uint32_t unordered;      /* set of classes */
	path_note_fn *note;      /* called for every generated packet; NULL: not */
	void *owner;             /* of note */
};

/** path_watch_init() - of the switch that @config describes.   Return: 0 or -ENOMEM;
 *  path_watch_fini() is due in any case. */
int path_watch_init(struct path_watch *watch, const struct node_config *config);
void path_watch_fini(struct path_watch *watch);

/** path_watch_packet() - for path_watch_sent(), of a switch that records events. */
void path_watch_packet(struct path_watch *watch, struct stats_page *stats, uint32_t port,
		       const struct packet *packet, node_time_t now)
	__attribute__((cold, noinline));

/** path_watch_sent() - @packet leaves by @port. */
static inline void path_watch_sent(struct path_watch *watch, struct stats_page *stats,
				   uint32_t port, const struct packet *packet, node_time_t now)
{
	if (__builtin_expect(watch->lines != NULL, 0))
		path_watch_packet(watch, stats, port, packet, now);
}

#endif
