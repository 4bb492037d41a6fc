#include "nodes/link/pfc.h"

#include <string.h>

#include "nodes/wire/frame.h"

#define ALL_CLASSES ((1u << NODE_CLASSES_MAX) - 1)
#define BYTE_TIME_SCALE (8 * NODE_S) /* bit times to byte times, seconds to picoseconds */

node_time_t pfc_quantum_ps(uint64_t rate_bps)
{
	return (PAUSE_QUANTUM_BITS * NODE_S + rate_bps / 2) / rate_bps;
}

uint64_t pfc_headroom_bytes(uint64_t rate_bps, node_time_t delay_ps, node_time_t response_ps,
			    uint32_t mtu_bytes, uint32_t gap_bytes)
{
	uint64_t frame_bytes = mtu_bytes + FRAME_FCS_BYTES + gap_bytes;
	uint64_t pfc_bytes = PAUSE_FRAME_BYTES + FRAME_FCS_BYTES + gap_bytes;
	unsigned __int128 bit_ps = (unsigned __int128)rate_bps * (2 * delay_ps + response_ps);

	return 2 * frame_bytes + pfc_bytes +
	       (uint64_t)((bit_ps + BYTE_TIME_SCALE - 1) / BYTE_TIME_SCALE);
}

void pfc_gate_init(struct pfc_gate *gate, uint32_t unnamed)
{
	*gate = (struct pfc_gate){ .unnamed = (uint8_t)unnamed };
}

uint32_t pfc_unnamed(const struct roce_config *roce, uint32_t class_count)
{
	uint32_t classes = 0;

	if (!roce->path_pause || roce->path_form != PATH_PAUSE_NONE)
		return 0;
	for (uint32_t c = 0; c < class_count; c++)
		classes |= (uint32_t)roce->classes[c].lossless << c;
	return classes;
}

int pfc_frame_read(const uint8_t *bytes, uint32_t captured_bytes, struct pause_frame *frame)
{
	uint8_t copy[PAUSE_FRAME_BYTES];
	uint32_t length = captured_bytes < sizeof(copy) ? captured_bytes : sizeof(copy);

	memcpy(copy, bytes, length);
	return pause_frame_read(copy, length, frame);
}

/* Return: was *@until_ps another time? One that is over already is as good as none. */
static bool hold_until(node_time_t *until_ps, node_time_t wanted_ps, node_time_t now)
{
	node_time_t before_ps = *until_ps > now ? *until_ps : 0;

	*until_ps = wanted_ps > now ? wanted_ps : 0;
	return *until_ps != before_ps;
}

/* @quanta of a pause, and what it may last beyond them */
static node_time_t lasts_ps(const struct pfc_gate *gate, uint16_t quanta, node_time_t quantum_ps)
{
	return quanta * quantum_ps + (quanta == PAUSE_QUANTA_MAX ? gate->late_ps : 0);
}

uint32_t pfc_gate_take(struct pfc_gate *gate, const struct pause_frame *frame, uint64_t rate_bps,
		       node_time_t now)
{
	node_time_t quantum_ps = pfc_quantum_ps(rate_bps);
	uint32_t named = frame->enabled ? frame->enabled : gate->unnamed, changed = 0;

	if (frame->port)
		return hold_until(&gate->port_until_ps,
				  now + lasts_ps(gate, frame->quanta[0], quantum_ps), now)
			       ? ALL_CLASSES
			       : 0;
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++) {
		uint16_t quanta = frame->quanta[frame->enabled ? c : 0];

		if (named >> c & 1)
			changed |=
				(uint32_t)hold_until(&gate->until_ps[c],
						     now + lasts_ps(gate, quanta, quantum_ps), now)
				<< c;
	}
	return changed;
}

node_time_t pfc_gate_next_at(const struct pfc_gate *gate, uint32_t classes, node_time_t now)
{
	node_time_t next = NODE_TIME_NEVER;

	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++) {
		node_time_t until = node_time_max(gate->until_ps[c], gate->port_until_ps);

		if (classes >> c & 1 && until > now)
			next = node_time_min(next, until);
	}
	return next;
}

void pfc_teller_init(struct pfc_teller *teller, bool port)
{
	*teller = (struct pfc_teller){ .port = port, .refresh_at_ps = NODE_TIME_NEVER };
}

void pfc_teller_want(struct pfc_teller *teller, uint32_t traffic_class, bool stop)
{
	uint8_t bit = (uint8_t)(1u << traffic_class);

	teller->wanted = stop ? teller->wanted | bit : teller->wanted & (uint8_t)~bit;
}

node_time_t pfc_teller_due_at(const struct pfc_teller *teller)
{
	bool news =
		teller->port ? !teller->wanted != !teller->told : teller->wanted != teller->told;

	return news ? 0 : teller->refresh_at_ps;
}

struct pause_frame pfc_teller_frame(struct pfc_teller *teller, uint64_t rate_bps, node_time_t now)
{
	struct pause_frame frame = { .port = teller->port };

	if (teller->port) {
		frame.quanta[0] = teller->wanted ? PAUSE_QUANTA_MAX : 0;
	} else {
		frame.enabled = teller->wanted | teller->told;
		for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
			frame.quanta[c] = teller->wanted >> c & 1 ? PAUSE_QUANTA_MAX : 0;
	}
	teller->told = teller->wanted;
	teller->refresh_at_ps = teller->told ? now + PAUSE_QUANTA_MAX * pfc_quantum_ps(rate_bps) / 2
					     : NODE_TIME_NEVER;
	return frame;
}
