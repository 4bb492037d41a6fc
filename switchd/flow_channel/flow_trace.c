#include "switchd/flow_channel/flow_trace.h"

void flow_trace(struct dataplane *dp, enum trace_kind kind, uint32_t ref, uint64_t value,
		node_time_t now)
{
	const struct packet *first = flow_of(dp->ifcts, ref)->queue.head;
	struct trace_entry entry = { .at_ps = now,
				     .kind = (uint16_t)kind,
				     .port = (uint8_t)flow_ref_port(ref),
				     .detail = flow_ref_id(ref),
				     .value = value };

	if (first)
		trace_hosts(&entry, first->bytes);
	trace(dp->sw.stats, entry);
}
