#include "nodes/stats/trace.h"

#include "nodes/wire/address.h"

static const struct trace_row rows[TRACE_KINDS] = {
	[TRACE_NONE] = { .name = "none", .detail = "detail", .value = "value", .what = "" },
#define ROW(kind, name_, class_, detail_, value_, what_, often_) \
	[TRACE_##kind] = { .name = name_,                        \
			   .detail = detail_,                    \
			   .value = value_,                      \
			   .what = what_,                        \
			   .has_class = class_,                  \
			   .often = often_ },
#define TRACE(kind, name, class, detail, value, what) ROW(kind, name, class, detail, value, what, 0)
#define TRACE_OFTEN(kind, name, class, detail, value, what) \
	ROW(kind, name, class, detail, value, what, 1)
#include "nodes/stats/trace.def"
#undef TRACE
#undef TRACE_OFTEN
#undef ROW
};

const struct trace_row *trace_row(uint32_t kind)
{
	return &rows[kind < TRACE_KINDS ? kind : TRACE_NONE];
}

const char *trace_detail_word(uint32_t kind, uint32_t detail)
{
	return kind == TRACE_DROP && detail < DROP_REASONS ? stats_drop_name[detail] : NULL;
}

/* ---- the file ---- */

void trace_file(struct stats_page *page, int fd)
{
	page_log_file(&page->trace, STATS_TRACE_MAX, fd);
}

void trace_ring_full(struct stats_page *page)
{
	page_log_full(&page->trace, stats_trace(page, 0), STATS_TRACE_MAX,
		      sizeof(struct trace_entry));
}

void trace_hosts(struct trace_entry *entry, const uint8_t *frame)
{
	/* ADDRESS_NO_HOST + 1 is 0 */
	entry->destination = address_host_of_mac(frame) + 1;
	entry->source = address_host_of_mac(frame + 6) + 1;
}

void trace_drop(struct stats_page *page, enum drop_reason reason, uint32_t port, uint32_t bytes,
		const uint8_t *frame, node_time_t now)
{
	struct trace_entry entry = { .at_ps = now,
				     .kind = TRACE_DROP,
				     .port = (uint8_t)port,
				     .detail = reason,
				     .value = bytes };

	page->drops[reason]++;
	stats_port(page, port)->dropped_frames++;
	if (frame)
		trace_hosts(&entry, frame);
	trace(page, entry);
}

/* ---- text ---- */

static void print_hosts(const struct trace_entry *entry, FILE *out)
{
	if (entry->source)
		fprintf(out, ", from host %u", entry->source - 1);
	if (entry->destination)
		fprintf(out, ", to host %u", entry->destination - 1);
}

static void print_entry(const struct trace_entry *entry, FILE *out)
{
	const struct trace_row *row = trace_row(entry->kind);

	fprintf(out, "%llu.%03u ns  %-14s port %u", (unsigned long long)(entry->at_ps / NODE_NS),
		(unsigned)(entry->at_ps % NODE_NS), row->name, entry->port);
	if (row->has_class)
		fprintf(out, ", class %u", entry->traffic_class);
	if (trace_detail_word(entry->kind, entry->detail))
		fprintf(out, ", %s %s", row->detail, trace_detail_word(entry->kind, entry->detail));
	else if (row->detail[0])
		fprintf(out, ", %s %u", row->detail, entry->detail);
	if (row->value[0])
		fprintf(out, ", %s %llu", row->value, (unsigned long long)entry->value);
	print_hosts(entry, out);
	fputc('\n', out);
}

void trace_print_last(const struct stats_page *page, uint32_t entries, FILE *out)
{
	const struct trace_entry *ring =
		(const struct trace_entry *)((const char *)page + page->trace_offset);
	/* once: the node may write it */
	uint64_t end = __atomic_load_n(&page->trace.count, __ATOMIC_RELAXED);
	uint64_t at = end > entries ? end - entries : 0;

	for (; at < end; at++) {
		struct trace_entry entry = ring[at % STATS_TRACE_MAX];

		/* the copy is what is checked, and what is used */
		__atomic_signal_fence(__ATOMIC_ACQ_REL);
		print_entry(&entry, out);
	}
}
