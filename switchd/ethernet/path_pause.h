/*  path_pause - the first switch: what a port tells its device because signals say so (RC-10,
 *  RC-11).
 *
 *  A signal is for the switch that has the traffic's source as a device of its own: a server or a
 *  switch, both obey. The device gets a PFC or PAUSE frame, 65535 quanta or 0. A device has many
 *  flows, a frame stops them all: so signals are merged (ours). While more than three quarters of
 *  the time are left no further frame is sent, for a congested switch repeats itself after half of
 *  it; and the device may go on when the last of the flows is resumed for which it was paused. In
 *  the form "target" each class is held for its own flows alone: only that of the congested queue
 *  stops, and it goes on when its last flow may. The class of a flow is that of its packets; a
 *  signal for a flow that is not known here means all watched classes, for it names none (ours). If
 *  a resume signal is lost, or a flow's line forgotten, the time runs out. The switch's own buffer
 *  speaks to the same device (pfc_teller), over the same priorities. Both must let go: a resume
 *  frame leaves out what the teller has stopped, and path_pause_amend() puts the rest of the path's
 *  time in the place of the teller's 0. Place: one for each port; flows' lines are flow_watch's.
 *  'now' is given. O(1). */
#ifndef HEDDLE_SWITCHD_ETHERNET_PATH_PAUSE_H
#define HEDDLE_SWITCHD_ETHERNET_PATH_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/roce_config.h"
#include "nodes/link/pfc.h"
#include "nodes/wire/pause_frame.h"
#include "switchd/ethernet/flow_watch.h"

/* what is held together: a class, or all that the form names */
struct path_hold {
	uint8_t classes; /* that it stops; 0: not used */
	bool wanted;     /* at least one flow is to pause */
	bool renew;      /* the device is to be told so, first or again */
	uint32_t flows;  /* to pause, as far as they have lines */
	/* the hold of those lines: another for every pause, class and port; not 0 */
	uint32_t episode;
	node_time_t until_ps; /* what the device was told lasts; 0: it goes on */
};

struct path_pause {
	enum path_pause_form form;
	uint64_t rate_bps;
	struct path_hold holds
		[ROCE_CLASSES_MAX]; /* form "target": of each watched class; else the first alone */
};

/** path_pause_init() - of port @port with a link of @rate_bps. */
void path_pause_init(struct path_pause *pause, const struct roce_config *roce, uint32_t port,
		     uint64_t rate_bps);

/** path_pause_clear() - another device is behind the port, or none: it was told nothing. Its link
 *  has @rate_bps. */
void path_pause_clear(struct path_pause *pause, uint64_t rate_bps);

/** path_pause_on_signal() - the device's flow @line (NULL: not watched) is to pause or to resume:
 *  @signal is ROCE_SIGNAL_*. Others are ignored. A flow without a line pauses the device, but only
 *  one with a line, or none being left, lets it go. */
void path_pause_on_signal(struct path_pause *pause, struct flow_line *line, uint8_t signal,
			  node_time_t now);

/** path_pause_flows() - that are to pause, as far as they have lines. */
uint32_t path_pause_flows(const struct path_pause *pause);

/** path_pause_due() - has the device to be told something now? */
bool path_pause_due(const struct path_pause *pause, node_time_t now);

/** path_pause_frame() - (when due) what, at @now; it counts as told. @teller the port's.
 *  Return: false if there is nothing to be said after all, for the teller still holds all of it. */
bool path_pause_frame(struct path_pause *pause, const struct pfc_teller *teller, node_time_t now,
		      struct pause_frame *frame);

/** path_pause_amend() - before the teller's @frame is sent: what the path holds goes on only when
 *  its time is over. */
void path_pause_amend(const struct path_pause *pause, struct pause_frame *frame, node_time_t now);

#endif
