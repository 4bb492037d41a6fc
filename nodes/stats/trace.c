#include "nodes/stats/trace.h"

static const struct {
	const char *name, *a, *b, *c;
} kinds[TRACE_KINDS] = {
	[TRACE_NONE] = { "none", "a", "b", "c" },
	[TRACE_CHANNEL_WAIT] = { "channel_wait", "port", "flow_id", "to_port" },
	[TRACE_STOP_WAIT] = { "stop_wait", "port", "class", "-" },
	[TRACE_HOLE] = { "hole", "port", "flow_id", "units" },
	[TRACE_MISSING] = { "missing", "port", "flow_id", "units" },
	[TRACE_LOSS_REPORT] = { "loss_report", "port", "flow_id", "units" },
	[TRACE_DROP] = { "drop", "port", "reason", "bytes" },
	[TRACE_MESSAGE_START] = { "message_start", "flow", "message", "bytes" },
	[TRACE_MESSAGE_END] = { "message_end", "flow", "message", "bytes" },
	[TRACE_PARAMETER_SET] = { "parameter_set", "port", "-", "value" },
	[TRACE_FGFC_HOLD] = { "fgfc_hold", "port", "flow", "units" },
	[TRACE_FGFC_END] = { "fgfc_end", "port", "flow", "units" },
	[TRACE_FGFC_REFUSED] = { "fgfc_refused", "port", "entries", "units" },
	[TRACE_XOFF] = { "xoff", "port", "class", "bytes" },
	[TRACE_XON] = { "xon", "port", "class", "bytes" },
	[TRACE_STUCK] = { "stuck", "port", "class", "us" },
	[TRACE_TIMEOUT] = { "timeout", "flow", "packet", "before" },
	[TRACE_PAIR_ERROR] = { "pair_error", "flow", "packet", "timeouts" },
	[TRACE_ROCE_STATE] = { "roce_state", "port", "class", "state" },
	[TRACE_PATH_SIGNAL] = { "path_signal", "port", "signal", "flows" },
};

static void print_entry(const struct trace_entry *entry, FILE *out)
{
	uint32_t kind = entry->kind < TRACE_KINDS ? entry->kind : TRACE_NONE;

	fprintf(out, "%llu.%03u ns  %-14s %s %u", (unsigned long long)(entry->at_ps / NODE_NS),
		(unsigned)(entry->at_ps % NODE_NS), kinds[kind].name, kinds[kind].a, entry->a);
	if (kind == TRACE_DROP && entry->b < DROP_REASONS)
		fprintf(out, ", %s %s", kinds[kind].b, stats_drop_name[entry->b]);
	else
		fprintf(out, ", %s %u", kinds[kind].b, entry->b);
	fprintf(out, ", %s %u\n", kinds[kind].c, entry->c);
}

void trace_print(const struct stats_page *page, FILE *out)
{
	trace_print_last(page, STATS_TRACE_MAX, out);
}

void trace_print_last(const struct stats_page *page, uint32_t entries, FILE *out)
{
	const struct trace_entry *ring =
		(const struct trace_entry *)((const char *)page + page->trace_offset);
	/* once: the node may write it */
	uint64_t end = __atomic_load_n(&page->trace_count, __ATOMIC_RELAXED);
	uint64_t at = end > entries ? end - entries : 0;

	for (; at < end; at++) {
		struct trace_entry entry = ring[at % STATS_TRACE_MAX];

		/* the copy is what is checked, and what is used */
		__atomic_signal_fence(__ATOMIC_ACQ_REL);
		print_entry(&entry, out);
	}
}
