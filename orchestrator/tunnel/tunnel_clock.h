/*  tunnel_clock - how far the clock of another machine is from ours (SC-5). Pure.
 *
 *  A ping and its answer have four times, of which the offset and the round trip follow as in NTP
 *  [RFC 5905]: half of the round trip counts for each direction. The sample with the shortest round
 *  trip of the last seconds is taken: what makes others longer is waiting, mostly in one direction.
 *  The error is at most half of that round trip, and the drift of the clocks meanwhile. */
#ifndef HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_CLOCK_H
#define HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define TUNNEL_CLOCK_SAMPLES 64u /* at 10 pings a second those of the last 6 s */

struct tunnel_clock {
	uint32_t count; /* ever taken */
	struct {
		int64_t offset_ns;
		uint64_t round_trip_ns;
	} samples[TUNNEL_CLOCK_SAMPLES];
	/* our clock minus the other one; the round trip of that sample */
	int64_t offset_ns;
	uint64_t round_trip_ns;
};

/** tunnel_clock_add() - a ping left us at @sent_ns and its answer came at @now_ns; on the other
 *  clock it arrived at @arrived_ns and was answered at @answer_ns.
 *  Return: false if no round trip can have such times; then nothing changes. */
bool tunnel_clock_add(struct tunnel_clock *clock, uint64_t sent_ns, uint64_t arrived_ns,
		      uint64_t answer_ns, uint64_t now_ns);

/** tunnel_clock_here() - @time_ns of the other clock on ours; 0 if that is before ours began. */
uint64_t tunnel_clock_here(const struct tunnel_clock *clock, uint64_t time_ns);

#endif
