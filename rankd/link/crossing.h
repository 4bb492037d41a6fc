/*  crossing - carries the records of links whose ends are on two ranks (SC-4): out of the rings
 *  that nodes here write, into those that nodes here read.
 *
 *  Used between windows only, when no node runs. A node that sends notifies the inbox of its
 *  peer's place and worker, as on one machine. The inboxes of other ranks' places show which rings
 *  to read. What arrives is outside input: a record of a ring that does not lead from that rank to
 *  this one, of a wrong kind or length, or of a time that has passed, ends the run. */
#ifndef HEDDLE_RANKD_LINK_CROSSING_H
#define HEDDLE_RANKD_LINK_CROSSING_H

#include "nodes/clock/places.h"
#include "nodes/wire/rank_plan.h"
#include "nodes/wire/rank_records.h"

#define CROSSING_WHY_MAX 160u

struct crossing_out;
struct crossing_in;

struct crossing {
	const struct rank_plan *plan;
	uint32_t rank;
	const struct clock *workers;
	struct places places;
	/* rings that lead away, by place of the receiver; those of a place follow each other */
	struct crossing_out *out;
	uint32_t out_count;
	uint32_t *out_at; /* [place_count + 1] */
	struct crossing_in *in;
	uint32_t in_count;
	uint32_t *in_of;                  /* [ring_count]: index into `in`; in_count: none */
	uint32_t *touched, touched_count; /* of `in`, in this window */
	/* ranks with which this one shares links */
	uint32_t *neighbours, neighbour_count;
	struct rank_records *messages; /* [neighbour_count] */
	uint32_t *due;                 /* [place_count] */
	char why[CROSSING_WHY_MAX];    /* of an error */
};

/** crossing_init() - @plan checked, @rings the mapped memory of all rings, of which the headers
 *  of this rank's rings are set; @workers, @places the clock of this rank. All borrowed.
 *  Return: 0, -ENOMEM, or -EINVAL with a sentence in why. crossing_fini() in any case. */
int crossing_init(struct crossing *crossing, const struct rank_plan *plan, uint32_t rank,
		  const struct clock *workers, const struct places *places, uint8_t *rings);
void crossing_fini(struct crossing *crossing);

/** crossing_collect() - after clock_gate_earliest(): what was sent to other ranks becomes the
 *  messages of @window, and leaves this rank's times. Return: 0, or -errno with a sentence in
 *  why. */
int crossing_collect(struct crossing *crossing, uint32_t window);

/** crossing_deliver() - @bytes came from neighbour @i in @window, which ended at @end. Their
 *  records go to the rings, and the inboxes of their receivers know. crossing_publish() after
 *  the last neighbour.
 *  Return: 0, or -EINVAL with a sentence in why. */
int crossing_deliver(struct crossing *crossing, uint32_t i, const uint8_t *bytes, size_t length,
		     uint32_t window, node_time_t end);
void crossing_publish(struct crossing *crossing);

#endif
