#include "switchd/ethernet/path_signal.h"

#include <stddef.h>

#include "nodes/link/pfc.h"

void path_signal_init(struct path_signal *signal, const struct roce_config *roce, uint64_t rate_bps)
{
	*signal = (struct path_signal){ .roce = roce };
	path_signal_levels(signal, roce->path_high_bytes, roce->path_low_bytes);
	path_signal_rate(signal, rate_bps);
}

void path_signal_rate(struct path_signal *signal, uint64_t rate_bps)
{
	signal->renew_ps = PAUSE_QUANTA_MAX * pfc_quantum_ps(rate_bps) / 2;
}

void path_signal_levels(struct path_signal *signal, uint64_t high_bytes, uint64_t low_bytes)
{
	signal->high_bytes = high_bytes;
	signal->low_bytes = low_bytes;
}

static void append(struct path_signal *signal, struct flow_watch *watch, struct flow_line *line,
		   node_time_t now)
{
	uint32_t name = (uint32_t)(line - watch->lines) + 1;

	line->pinned = true;
	line->signalled_ps = now;
	line->younger = 0;
	if (signal->youngest)
		watch->lines[signal->youngest - 1].younger = name;
	else
		signal->oldest = name;
	signal->youngest = name;
	signal->paused++;
}

static struct flow_line *remove_oldest(struct path_signal *signal, struct flow_watch *watch)
{
	struct flow_line *line = &watch->lines[signal->oldest - 1];

	signal->oldest = line->younger;
	if (!signal->oldest)
		signal->youngest = 0;
	signal->paused--;
	line->pinned = false;
	return line;
}

static bool must_pause(const struct path_signal *signal, enum roce_state state, uint64_t bytes)
{
	return signal->roce->path_pause && state >= signal->roce->path_target &&
	       bytes > signal->high_bytes;
}

bool path_signal_on_packet(struct path_signal *signal, struct flow_watch *watch,
			   struct flow_line *line, enum roce_state state, uint64_t bytes,
			   node_time_t now)
{
	if (line->pinned || !must_pause(signal, state, bytes))
		return false;
	append(signal, watch, line, now);
	return true;
}

node_time_t path_signal_due_at(const struct path_signal *signal, const struct flow_watch *watch,
			       enum roce_state state, uint64_t bytes)
{
	if (!signal->paused)
		return NODE_TIME_NEVER;
	if (bytes < signal->low_bytes)
		return 0;
	if (!must_pause(signal, state, bytes))
		return NODE_TIME_NEVER;
	return watch->lines[signal->oldest - 1].signalled_ps + signal->renew_ps;
}

struct flow_line *path_signal_next(struct path_signal *signal, struct flow_watch *watch,
				   enum roce_state state, uint64_t bytes, node_time_t now,
				   uint8_t *what)
{
	struct flow_line *line;

	if (path_signal_due_at(signal, watch, state, bytes) > now)
		return NULL;
	line = remove_oldest(signal, watch);
	*what = ROCE_SIGNAL_RESUME;
	if (bytes >= signal->low_bytes) {
		*what = ROCE_SIGNAL_PAUSE;
		append(signal, watch, line, now);
	}
	return line;
}
