/*  pfc - both halves of PFC and PAUSE at a port, the same for switches and NICs (RC-5, RC-11).
 *
 *  The gate is the receiver of pauses: a class is paused until its time is over or XON arrives. The
 *  teller is their sender: its owner stops and resumes classes of the peer. A frame is due at once
 *  after a change, and again after half a pause time while a class stays stopped. Quanta are
 *  converted at the rate of the link. Uses neither link nor buffer. Each function is O(classes). */
#ifndef HEDDLE_NODES_LINK_PFC_H
#define HEDDLE_NODES_LINK_PFC_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/wire/pause_frame.h"

struct pfc_gate {
	node_time_t until_ps[NODE_CLASSES_MAX]; /* PFC: paused before; 0: not */
	node_time_t port_until_ps;              /* PAUSE: all of them, whatever PFC says */
	/* classes that a PFC frame without a priority means */
	uint8_t unnamed;
	/* a pause of the full time lasts this much longer, since its renewal may be late */
	node_time_t late_ps;
};

/* Real clock (ours): how long a process may be late on a busy machine. A peer that is too late to
 * renew a pause has no buffer for data that is sent then. XON still ends a pause at once. */
#define PFC_LATE_PS NODE_S

/** pfc_late_ps() - the allowance for the gate at @port of a node with @config: none under the
 *  virtual clock, and none on a link that loses frames, where XON may be lost. */
static inline node_time_t pfc_late_ps(const struct node_config *config, uint32_t port)
{
	const struct port_config *link = &config->ports[port];

	return config->clock == CLOCK_REAL && !link->loss_ppb && !link->bit_error_e15 ? PFC_LATE_PS
										      : 0;
}

/** pfc_is_obeyed() - does a node with @roce obey PFC and PAUSE? Path-level PFC comes from the first
 *  switch, also if links have no PFC (RC-10). */
static inline bool pfc_is_obeyed(const struct roce_config *roce)
{
	return roce->pfc || roce->path_pause;
}

struct pfc_teller {
	uint8_t wanted, told;      /* sets of classes: to be stopped; stopped by the last frame */
	bool port;                 /* PAUSE instead of PFC: any class stopped stops the port */
	node_time_t refresh_at_ps; /* NODE_TIME_NEVER: nothing is stopped */
};

/** pfc_quantum_ps() - 512 bit times of a link of @rate_bps, rounded to the picosecond. */
node_time_t pfc_quantum_ps(uint64_t rate_bps);

/** pfc_headroom_bytes() - bytes that may still arrive after XOFF was decided, in the worst case:
 *  during the frame that precedes the PFC frame here, the PFC frame, the link's delay twice, the
 *  peer's reaction, and the frame that the peer has begun. Wire lengths: FCS and gap are counted.
 *  @mtu_bytes largest frame without FCS; @response_ps from the PFC frame's last bit until the
 *  sender stops deciding, our latency of sending included. Source: IEEE 802.1Qbb annex O,
 *  simplified to store-and-forward MACs. */
uint64_t pfc_headroom_bytes(uint64_t rate_bps, node_time_t delay_ps, node_time_t response_ps,
			    uint32_t mtu_bytes, uint32_t gap_bytes);

/** pfc_gate_init() - no class is paused.
 *  @unnamed  the set of classes that a PFC frame without a priority means: pfc_unnamed(). */
void pfc_gate_init(struct pfc_gate *gate, uint32_t unnamed);

/** pfc_unnamed() - what a PFC frame without a priority means to a node with @roce: nothing, as in
 *  802.1Q, for a time counts only if its bit in the vector is set [802.1Qbb; 802.3 annex 31D]. Only
 *  where path-level PFC has that form, which leaves the choice of queues to the device [S4], it
 *  means all lossless classes (RC-10, RC-11). */
uint32_t pfc_unnamed(const struct roce_config *roce, uint32_t class_count);

/** pfc_frame_read() - pause_frame_read() of bytes in shared memory: copies them before. */
int pfc_frame_read(const uint8_t *bytes, uint32_t captured_bytes, struct pause_frame *frame);

/** pfc_gate_take() - the peer has sent @frame, which arrived at @now over a link of @rate_bps. It
 *  replaces earlier frames for the same classes.
 *  Return: the set of classes whose state (paused or not) or end has changed. */
uint32_t pfc_gate_take(struct pfc_gate *gate, const struct pause_frame *frame, uint64_t rate_bps,
		       node_time_t now);

/** pfc_gate_paused() - the set of classes that are paused at @now. */
static inline uint32_t pfc_gate_paused(const struct pfc_gate *gate, node_time_t now)
{
	uint32_t held = 0;

	if (gate->port_until_ps > now)
		return (1u << NODE_CLASSES_MAX) - 1;
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		held |= (uint32_t)(gate->until_ps[c] > now) << c;
	return held;
}

/** pfc_gate_next_at() - when the first pause of the classes in @classes that are paused at @now is
 *  over; NODE_TIME_NEVER: none is paused. */
node_time_t pfc_gate_next_at(const struct pfc_gate *gate, uint32_t classes, node_time_t now);

void pfc_teller_init(struct pfc_teller *teller, bool port);

/** pfc_teller_want() - from now on the peer must stop @traffic_class (@stop), or may resume it. */
void pfc_teller_want(struct pfc_teller *teller, uint32_t traffic_class, bool stop);

/** pfc_teller_due_at() - when pfc_teller_frame() is to be sent; 0: at once; NODE_TIME_NEVER: no
 *  frame is due. */
node_time_t pfc_teller_due_at(const struct pfc_teller *teller);

/** pfc_teller_frame() - the frame that is due: a pause or XON for classes that have changed, the
 *  full time again for those that stay stopped. The caller sends it at @now to a peer that sends at
 *  @rate_bps: its quanta are of that rate (ours, where the directions of a link differ). */
struct pause_frame pfc_teller_frame(struct pfc_teller *teller, uint64_t rate_bps, node_time_t now);

#endif
