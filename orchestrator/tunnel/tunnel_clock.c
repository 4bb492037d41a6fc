#include "orchestrator/tunnel/tunnel_clock.h"

#define TIME_NS_MAX ((uint64_t)INT64_MAX / 2) /* of any machine: 146 years after its start */

bool tunnel_clock_add(struct tunnel_clock *clock, uint64_t sent_ns, uint64_t arrived_ns,
		      uint64_t answer_ns, uint64_t now_ns)
{
	uint32_t slot = clock->count % TUNNEL_CLOCK_SAMPLES, kept;
	int64_t there, back;

	if (now_ns < sent_ns || answer_ns < arrived_ns ||
	    answer_ns - arrived_ns > now_ns - sent_ns || answer_ns > TIME_NS_MAX ||
	    now_ns > TIME_NS_MAX)
		return false;
	there = (int64_t)sent_ns - (int64_t)arrived_ns;
	back = (int64_t)now_ns - (int64_t)answer_ns;
	clock->samples[slot].offset_ns = there + (back - there) / 2;
	clock->samples[slot].round_trip_ns = (now_ns - sent_ns) - (answer_ns - arrived_ns);
	clock->count++;
	kept = clock->count < TUNNEL_CLOCK_SAMPLES ? clock->count : TUNNEL_CLOCK_SAMPLES;
	clock->round_trip_ns = UINT64_MAX;
	for (uint32_t i = 0; i < kept; i++) {
		if (clock->samples[i].round_trip_ns >= clock->round_trip_ns)
			continue;
		clock->round_trip_ns = clock->samples[i].round_trip_ns;
		clock->offset_ns = clock->samples[i].offset_ns;
	}
	return true;
}

uint64_t tunnel_clock_here(const struct tunnel_clock *clock, uint64_t time_ns)
{
	int64_t here;

	if (time_ns > TIME_NS_MAX ||
	    __builtin_add_overflow((int64_t)time_ns, clock->offset_ns, &here) || here < 0)
		return 0;
	return (uint64_t)here;
}
