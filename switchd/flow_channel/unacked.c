#include "switchd/flow_channel/unacked.h"

#include <errno.h>

#include "nodes/base/table.h"
#include "nodes/base/units.h"

int unacked_init(struct unacked *unacked, uint32_t channels)
{
	unacked->lines = table_alloc(channels, sizeof(*unacked->lines));
	return unacked->lines ? 0 : -ENOMEM;
}

void unacked_fini(struct unacked *unacked, uint32_t channels)
{
	table_free(unacked->lines, channels, sizeof(*unacked->lines));
	*unacked = (struct unacked){ 0 };
}

void unacked_note(struct unacked *unacked, const struct efct *efct, uint32_t flow_id, uint32_t slot)
{
	struct unacked_line *note = &unacked->lines[flow_id];

	note->hash = TABLE_AT(efct->lines, flow_id)->hash;
	note->slot = slot + 1;
}

/* the flow that has line @id now, + 1; 0: none, or it has sent nothing */
static uint32_t slot_now(const struct unacked_line *note, const struct efct_line *line)
{
	return line->active && line->hash == note->hash ? note->slot : 0;
}

static void told(struct series *series, uint32_t port, uint32_t slot, uint64_t units)
{
	series_add(series->page, (struct series_entry){ .value = units * UNIT_BYTES,
							.index = slot - 1,
							.port = (uint8_t)port,
							.id = SERIES_FLOW_UNACKED_BYTES });
}

void unacked_sample(struct unacked *unacked, const struct efct *efct, struct series *series,
		    uint32_t port)
{
	/* lines that a flow has left, before those that it has now */
	for (uint32_t id = 0; id < efct->fresh; id++) {
		struct unacked_line *note = &unacked->lines[id];

		if (!note->told || note->told == slot_now(note, TABLE_AT(efct->lines, id)))
			continue;
		if (note->units)
			told(series, port, note->told, 0);
		note->told = 0;
		note->units = 0;
	}
	for (uint32_t id = 0; id < efct->fresh; id++) {
		struct unacked_line *note = &unacked->lines[id];
		uint32_t slot = slot_now(note, TABLE_AT(efct->lines, id));
		uint64_t units = slot ? efct_flow_extent(TABLE_AT(efct->lines, id)) : 0;

		if (units == note->units)
			continue;
		told(series, port, slot, units);
		note->told = slot;
		note->units = units;
	}
}
