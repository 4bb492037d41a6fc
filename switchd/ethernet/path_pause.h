/*  path_pause - the first switch: signals pause and resume the device of a port (RC-10, RC-11).
 *
 *  A signal is for the switch whose own device is the source of the traffic: a server or a switch;
 *  both obey. The device gets a PFC or PAUSE frame, with 65535 quanta or 0. A frame stops all flows
 *  of a device, so signals are merged (ours):
 *    - While more than three quarters of the pause are left, no further frame is sent. A congested
 *      switch repeats its signal after half of it.
 *    - The device may resume when the last flow for which it was paused is resumed. If a resume
 *      signal is lost, or a line forgotten, the pause runs out.
 *
 *  In the form "target" each class is paused for its own flows alone: only the class of the
 *  congested queue stops, until its last flow may resume. The class of a flow is that of its
 *  packets. A signal for an unknown flow means all watched classes, for it names none (ours).
 *
 *  The buffer of the switch pauses the same device (pfc_teller), in the same priorities. A class
 *  resumes when both allow it: path_pause_frame() leaves out classes that the teller has stopped,
 *  and path_pause_amend() replaces the teller's 0 by the rest of the path's pause.
 *
 *  One per port; lines of flows belong to flow_watch. The caller passes the time. O(1). */
#ifndef HEDDLE_SWITCHD_ETHERNET_PATH_PAUSE_H
#define HEDDLE_SWITCHD_ETHERNET_PATH_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/roce_config.h"
#include "nodes/link/pfc.h"
#include "nodes/wire/pause_frame.h"
#include "switchd/ethernet/flow_watch.h"

/* classes that are paused together: one, or all that the form names */
struct path_hold {
	uint8_t classes; /* that are paused; 0: not used */
	bool wanted;     /* at least one flow is to pause */
	bool renew;      /* a pause frame is due, the first one or a renewal */
	uint32_t flows;  /* signalled to pause, of those with lines */
	/* `hold` of those lines: differs for every pause, class and port; not 0 */
	uint32_t episode;
	node_time_t until_ps; /* end of the pause that was sent; 0: not paused */
};

struct path_pause {
	enum path_pause_form form;
	uint64_t rate_bps;
	node_time_t late_ps; /* by which the device may hold a pause longer (pfc_late_ps()) */
	struct path_hold holds
		[ROCE_CLASSES_MAX]; /* form "target": of each watched class; else the first alone */
};

/** path_pause_init() - of port @port with a link of @rate_bps; @late_ps: its pfc_late_ps(). */
void path_pause_init(struct path_pause *pause, const struct roce_config *roce, uint32_t port,
		     uint64_t rate_bps, node_time_t late_ps);

/** path_pause_clear() - another device is behind the port, or none: it has received no frame. Its
 *  link has @rate_bps. */
void path_pause_clear(struct path_pause *pause, uint64_t rate_bps);

/** path_pause_on_signal() - the device's flow @line (NULL: not watched) is to pause or to resume:
 *  @signal is ROCE_SIGNAL_*; others are ignored. A flow without a line pauses the device. It is
 *  resumed by a flow with a line, or when no flow with one is left. */
void path_pause_on_signal(struct path_pause *pause, struct flow_line *line, uint8_t signal,
			  node_time_t now);

/** path_pause_flows() - number of flows with lines that are signalled to pause. */
uint32_t path_pause_flows(const struct path_pause *pause);

/** path_pause_due() - is a frame for the device due? */
bool path_pause_due(const struct path_pause *pause, node_time_t now);

/** path_pause_frame() - (when due) the frame at @now, which counts as sent. @teller the port's.
 *  Return: false if no frame is needed, because the teller pauses all of its classes. */
bool path_pause_frame(struct path_pause *pause, const struct pfc_teller *teller, node_time_t now,
		      struct pause_frame *frame);

/** path_pause_amend() - before the teller's @frame is sent: classes that the path pauses resume
 *  only when their pause is over. */
void path_pause_amend(const struct path_pause *pause, struct pause_frame *frame, node_time_t now);

#endif
