#include "nodes/link/credit.h"

#include <string.h>

static uint8_t bit_of(uint32_t lane)
{
	return (uint8_t)(1u << lane);
}

void credit_init(struct credit *credit, uint32_t lane_count, uint32_t buffer_units,
		 uint32_t mtu_units, uint32_t peer_units)
{
	uint32_t units = buffer_units ? buffer_units : CREDIT_ALL;

	*credit = (struct credit){
		.buffer_units = units,
		.part_units = units > CREDIT_PARTS ? units / CREDIT_PARTS : 1,
		.mtu_units = mtu_units,
		.lane_count = (uint8_t)lane_count,
	};
	credit_open(credit);
	if (!peer_units)
		return;
	credit->grant_due = 0;
	for (uint32_t lane = 0; lane < lane_count; lane++) {
		credit->lanes[lane].limit_units = peer_units;
		credit->lanes[lane].told_units = units;
	}
}

void credit_close(struct credit *credit)
{
	memset(credit->lanes, 0, sizeof(credit->lanes));
	credit->grant_due = credit->total_due = credit->untold = credit->lacking = 0;
	credit->withheld = 0;
	credit->closed = true;
}

void credit_open(struct credit *credit)
{
	credit_close(credit);
	credit->closed = false;
	credit_say_limits(credit);
}

/* ---- sending ---- */

bool credit_on_limit(struct credit *credit, uint32_t lane, uint32_t limit_units)
{
	int32_t before = credit_available(credit, lane);
	bool more;

	credit->lanes[lane].limit_units = limit_units;
	more = credit->lacking & bit_of(lane) && credit_available(credit, lane) > before;
	if (more)
		credit->lacking &= (uint8_t)~bit_of(lane);
	return more;
}

uint32_t credit_total(struct credit *credit, uint32_t lane)
{
	credit->total_due &= (uint8_t)~bit_of(lane);
	credit->untold &= (uint8_t)~bit_of(lane);
	return credit->lanes[lane].sent_units;
}

void credit_say_totals(struct credit *credit)
{
	credit->total_due |= credit->untold;
}

/* ---- receiving ---- */

/* a new limit: what came up to now, and what is free */
static uint32_t limit_of(const struct credit *credit, uint32_t lane, uint32_t held_units)
{
	ENSURE(held_units, <=, credit->buffer_units);
	return credit->lanes[lane].came_units + credit->buffer_units - held_units;
}

void credit_look(struct credit *credit, uint32_t lane, uint32_t held_units)
{
	const struct credit_lane *l = &credit->lanes[lane];
	int32_t gain = (int32_t)(limit_of(credit, lane, held_units) - l->told_units);
	int32_t left = (int32_t)(l->told_units - l->came_units);

	if (credit->closed || credit->withheld & bit_of(lane) || !gain)
		return;
	if (gain < 0 || gain >= (int32_t)credit->part_units || left < (int32_t)credit->mtu_units)
		credit->grant_due |= bit_of(lane);
}

void credit_on_frame(struct credit *credit, uint32_t lane, uint32_t units, uint32_t held_units)
{
	credit->lanes[lane].came_units += units;
	credit_look(credit, lane, held_units);
}

bool credit_on_total(struct credit *credit, uint32_t lane, uint32_t total_units,
		     uint32_t held_units)
{
	uint32_t lost_units = total_units - credit->lanes[lane].came_units;

	credit->lanes[lane].came_units = total_units;
	credit_look(credit, lane, held_units);
	return lost_units <= credit->buffer_units;
}

void credit_withhold(struct credit *credit, uint32_t lane, bool withhold, uint32_t held_units)
{
	if (withhold) {
		credit->withheld |= bit_of(lane);
		credit->grant_due &= (uint8_t)~bit_of(lane);
		return;
	}
	credit->withheld &= (uint8_t)~bit_of(lane);
	credit_look(credit, lane, held_units);
}

void credit_say_limits(struct credit *credit)
{
	credit->grant_due = (uint8_t)((1u << credit->lane_count) - 1);
}

uint32_t credit_grant(struct credit *credit, uint32_t lane, uint32_t held_units)
{
	credit->grant_due &= (uint8_t)~bit_of(lane);
	if (!(credit->withheld & bit_of(lane)))
		credit->lanes[lane].told_units = limit_of(credit, lane, held_units);
	return credit->lanes[lane].told_units;
}
