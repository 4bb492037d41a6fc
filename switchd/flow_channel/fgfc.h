/*  fgfc - which flows of an ingress edge port are paused at their source, and the next FGFC frame
 *  that reports it (EC-15, EC-16).
 *
 *  A flow whose input queue reaches its target level is reported to its host's NIC, with a pause;
 *  below the drop level it resumes [S3 fig. 9A]. In between it is in credit mode: what is forwarded
 *  of it gives credit for more, by the rule of EC-13, so that its queue settles at the target level
 *  and never runs dry:
 *
 *      from  to   when                    what
 *      OFF   ON   queue >= target (908)   a frame with the first credit (910)
 *      ON    ON   a packet is forwarded   credit (912): none above high, 7/8 of the packet above
 *                                         target, else 9/8
 *      ON    OFF  queue < drop, or empty  an end frame (914)
 *                 (906)
 *
 *  Few frames. Credit is collected until it is worth a frame: half of the drop level, before which
 *  the queue cannot run dry, or the configured amount if that is more. A frame grants all
 *  collected credit and renews the pause. Without a frame the pause is renewed when half of it is
 *  over, so a single lost frame changes nothing. Pauses become longer: twice the configured time,
 *  then four times, up to FGFC_PAUSE_TIMES_MAX times. No pause is longer than the time for which
 *  the flow has been paused already, so a lost end at most doubles that time. Lost credit is
 *  compensated as the queue's level falls, a lost end by the NIC's timer. Frames of a port keep a
 *  distance, so that they take no more than a few percent of its link and of its ring, which is
 *  sized for packets. A flow that waits for a frame collects credit meanwhile.
 *
 *  Memory: a line per channel of the port, only if FGFC is configured; real where it is used. A
 *  line belongs to its EFCT line, and outlives it until the end frame is sent. Place: called by
 *  fgfc_path.c and transmit.c. 'now' is given. Ours, where silent: the shares 7/8 and 9/8, when a
 *  frame is worth it, the distance. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_FGFC_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_FGFC_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/table.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/wire/fgfc_frame.h"

#define FGFC_LEVELS 5u
#define FGFC_PAUSE_TIMES_MAX (1u << (FGFC_LEVELS - 1))

struct fgfc_line {
	struct flow_name name;
	node_time_t told_at_ps; /* ON and told: when the last frame was sent */
	node_time_t since_ps;   /* ON: when the first frame was sent; NODE_TIME_NEVER: not yet */
	uint32_t owed_eighths;  /* credit that no frame has given yet, in eighths of units */
	/* ON and told: neighbours in its list: flow_id + 1, 0 is the end */
	uint16_t older, younger;
	uint8_t level; /* the last pause was the configured one times 2^level */
	bool on;       /* state ON */
	bool told;     /* a pause was sent to the NIC, and no end of it since */
	bool waiting;  /* it needs a frame, and is in the ring fgfc.waiting */
};

/* Lines ON and told with pauses of one length, in the order of their last frames. Renewals are due
 * in the same order. */
struct fgfc_told {
	uint16_t oldest, youngest; /* flow_id + 1; 0: none */
};

struct fgfc {
	TABLE(struct fgfc_line) lines; /* by flow_id; no memory: FGFC is off */
	/* of the names of the lines; 0 only: whole fields, and not touched as long as no name has
	 * another */
	struct flow_name *masks;
	TABLE(uint16_t) waiting; /* ring of flow_ids that need a frame, as many as channels */
	uint32_t channels, first, count;
	uint32_t on; /* lines that are ON */
	struct fgfc_told told[FGFC_LEVELS];
	node_time_t pause_ps;
	uint32_t credit_units;
	node_time_t free_at_ps; /* no frame before: their distance */
};

/** fgfc_init() - for an edge port with @channels channels; no flow is paused. Allocates nothing if
 *  @config has no FGFC. Near entries are in @arena (table.h).
 *  Return: 0 or -ENOMEM. */
int fgfc_init(struct fgfc *fgfc, uint32_t channels, const struct congestion_config *config,
	      struct table_arena *arena);
void fgfc_fini(struct fgfc *fgfc);

static inline bool fgfc_enabled(const struct fgfc *fgfc)
{
	return fgfc->lines.far;
}

/** fgfc_wanted() - true if flow @flow_id is OFF and is to be paused, since its queue of
 *  @queue_units has reached the target level of @setting. Then call fgfc_start(). */
static inline bool fgfc_wanted(const struct fgfc *fgfc, uint32_t flow_id, uint32_t queue_units,
			       const struct congestion_setting *setting)
{
	return !TABLE_AT(fgfc->lines, flow_id)->on && queue_units &&
	       queue_units >= setting->target_units;
}

/** fgfc_start() - pauses flow @flow_id, which is OFF. Not if its line still has to send the end for
 *  the flow that had the line before; the caller tries again with the next packet.
 *  @name, @mask  as flow_name_mask() fills them; copied.   Return: true if it is ON now. O(1). */
bool fgfc_start(struct fgfc *fgfc, uint32_t flow_id, const struct flow_name *name,
		const struct flow_name *mask);

/** fgfc_forwarded() - @units of flow @flow_id have left its queue, which has @queue_units now:
 *  collects credit for it, or ends its pause. Nothing if it is OFF.
 *  Return: true if this call has ended the pause. O(1). */
bool fgfc_forwarded(struct fgfc *fgfc, uint32_t flow_id, uint32_t units, uint32_t queue_units,
		    const struct congestion_setting *setting);

/** fgfc_clear() - the link is down: no flow is paused, and no frame is due. O(flows ON). */
void fgfc_clear(struct fgfc *fgfc);

/** fgfc_ready_at() - when a frame may be due; NODE_TIME_NEVER: never, as things are. O(1). */
node_time_t fgfc_ready_at(const struct fgfc *fgfc);

/** fgfc_take() - fills @frame with the frame that is due. A pause that ended before its first frame
 *  needs none, so none may be due at fgfc_ready_at(). The next frame is due no earlier than @now +
 *  @distance_ps.   Return: true if @frame is filled. Amortised O(1). */
bool fgfc_take(struct fgfc *fgfc, node_time_t now, node_time_t distance_ps,
	       struct fgfc_frame *frame);

/** fgfc_credit_eighths() - credit for a packet of @units whose queue holds @queue_units after it
 *  (EC-13). Pure. */
uint32_t fgfc_credit_eighths(uint32_t units, uint32_t queue_units,
			     const struct congestion_setting *setting);

#endif
