#include "rankd/link/crossing.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct crossing_out {
	uint32_t ring, neighbour;
	struct ring_rx rx;
};

struct crossing_in {
	uint32_t ring, from_rank;
	bool touched;
	node_time_t last_ps;
	struct ring_tx tx;
};

static int __attribute__((format(printf, 2, 3)))
wrong(struct crossing *crossing, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(crossing->why, sizeof(crossing->why), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* ---- which rings cross ---- */

static uint32_t rank_of(const struct crossing *crossing, uint32_t worker)
{
	return rank_plan_workers(crossing->plan)[worker].rank;
}

static bool leads_away(const struct crossing *crossing, const struct rank_ring *ring)
{
	return rank_of(crossing, ring->from_worker) == crossing->rank &&
	       rank_of(crossing, ring->to_worker) != crossing->rank;
}

static bool leads_here(const struct crossing *crossing, const struct rank_ring *ring)
{
	return rank_of(crossing, ring->from_worker) != crossing->rank &&
	       rank_of(crossing, ring->to_worker) == crossing->rank;
}

static uint32_t neighbour_of(struct crossing *crossing, uint32_t rank)
{
	uint32_t i = 0;

	while (i < crossing->neighbour_count && crossing->neighbours[i] != rank)
		i++;
	if (i == crossing->neighbour_count)
		crossing->neighbours[crossing->neighbour_count++] = rank;
	return i;
}

/* Counts rings. Both ends of a link name each other, since a link has a ring in each direction. */
static void rings_count(struct crossing *crossing)
{
	for (uint32_t i = 0; i < crossing->plan->ring_count; i++) {
		const struct rank_ring *ring = &rank_plan_rings(crossing->plan)[i];

		if (leads_away(crossing, ring)) {
			crossing->out_count++;
			crossing->out_at[ring->to_place + 1]++;
			neighbour_of(crossing, rank_of(crossing, ring->to_worker));
		} else if (leads_here(crossing, ring)) {
			crossing->in_count++;
			neighbour_of(crossing, rank_of(crossing, ring->from_worker));
		}
	}
	for (uint32_t place = 0; place < crossing->plan->place_count; place++)
		crossing->out_at[place + 1] += crossing->out_at[place];
}

static int ring_attach(struct crossing *crossing, uint32_t number, uint8_t *rings,
		       uint32_t *out_next, uint32_t *in_next)
{
	const struct rank_ring *ring = &rank_plan_rings(crossing->plan)[number];
	struct ring_page *page = (struct ring_page *)(rings + ring->at);
	size_t bytes = ring_bytes(ring->data_bytes);
	int error = 0;

	crossing->in_of[number] = crossing->in_count;
	if (leads_away(crossing, ring)) {
		struct crossing_out *out = &crossing->out[crossing->out_at[ring->to_place] +
							  out_next[ring->to_place]++];

		out->ring = number;
		out->neighbour = neighbour_of(crossing, rank_of(crossing, ring->to_worker));
		error = ring_rx_attach(&out->rx, page, bytes);
	} else if (leads_here(crossing, ring)) {
		struct crossing_in *in = &crossing->in[*in_next];

		crossing->in_of[number] = (*in_next)++;
		in->ring = number;
		in->from_rank = rank_of(crossing, ring->from_worker);
		error = ring_tx_attach(&in->tx, page, bytes);
	}
	return error ? wrong(crossing, "ring %u is none", number) : 0;
}

int crossing_init(struct crossing *crossing, const struct rank_plan *plan, uint32_t rank,
		  const struct clock *workers, const struct places *places, uint8_t *rings)
{
	uint32_t *out_next, in_next = 0;
	int error = 0;

	*crossing = (struct crossing){
		.plan = plan, .rank = rank, .workers = workers, .places = *places
	};
	crossing->out_at = calloc(plan->place_count + 1ul, sizeof(*crossing->out_at));
	crossing->neighbours = calloc(plan->rank_count, sizeof(*crossing->neighbours));
	crossing->in_of = calloc(plan->ring_count, sizeof(*crossing->in_of));
	crossing->due = calloc(plan->place_count, sizeof(*crossing->due));
	out_next = calloc(plan->place_count, sizeof(*out_next));
	if (!crossing->out_at || !crossing->neighbours || !crossing->in_of || !crossing->due ||
	    !out_next) {
		free(out_next);
		return -ENOMEM;
	}
	rings_count(crossing);
	crossing->out = calloc(crossing->out_count, sizeof(*crossing->out));
	crossing->in = calloc(crossing->in_count, sizeof(*crossing->in));
	crossing->touched = calloc(crossing->in_count, sizeof(*crossing->touched));
	crossing->messages = calloc(crossing->neighbour_count, sizeof(*crossing->messages));
	if (!crossing->out || !crossing->in || !crossing->touched || !crossing->messages)
		error = -ENOMEM;
	for (uint32_t i = 0; i < plan->ring_count && !error; i++)
		error = ring_attach(crossing, i, rings, out_next, &in_next);
	free(out_next);
	return error;
}

void crossing_fini(struct crossing *crossing)
{
	for (uint32_t i = 0; crossing->messages && i < crossing->neighbour_count; i++)
		rank_records_free(&crossing->messages[i]);
	free(crossing->messages);
	free(crossing->out);
	free(crossing->out_at);
	free(crossing->in);
	free(crossing->in_of);
	free(crossing->touched);
	free(crossing->neighbours);
	free(crossing->due);
	*crossing = (struct crossing){ 0 };
}

/* ---- out ---- */

static int ring_collect(struct crossing *crossing, struct crossing_out *out)
{
	struct rank_records *message = &crossing->messages[out->neighbour];
	struct record header;
	const uint8_t *captured;

	ring_refresh(&out->rx);
	while ((captured = ring_peek(&out->rx, &header))) {
		int error = rank_records_add(message, out->ring, &header, captured);

		if (error)
			return wrong(crossing, error == -ENOMEM ? "there is not enough memory for "
								  "what is sent to other ranks"
								: "what is sent to another rank in "
								  "one window is too long");
		ring_pop(&out->rx, &header);
	}
	ring_release(&out->rx);
	return out->rx.broken ? wrong(crossing, "a record in ring %u breaks the rules", out->ring)
			      : 0;
}

/* what was sent to the nodes of @worker, which is another rank's */
static int worker_collect(struct crossing *crossing, const struct rank_worker *worker)
{
	_Atomic node_time_t *own_next = &crossing->places.own_next[worker->first_place];
	uint32_t count;

	clock_scan_merge(own_next, &crossing->places.inbox_next[worker->first_place],
			 worker->node_count);
	count = clock_scan_list(own_next, worker->node_count, NODE_TIME_NEVER, crossing->due);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = worker->first_place + crossing->due[i];

		atomic_store_explicit(&crossing->places.own_next[place], NODE_TIME_NEVER,
				      memory_order_relaxed);
		for (uint32_t o = crossing->out_at[place]; o < crossing->out_at[place + 1]; o++) {
			int error = ring_collect(crossing, &crossing->out[o]);

			if (error)
				return error;
		}
	}
	return 0;
}

int crossing_collect(struct crossing *crossing, uint32_t window)
{
	const struct rank_worker *workers = rank_plan_workers(crossing->plan);
	int error = 0;

	for (uint32_t i = 0; i < crossing->neighbour_count; i++)
		if (rank_records_begin(&crossing->messages[i], window))
			return wrong(crossing, "there is not enough memory");
	for (uint32_t w = 0; w < crossing->plan->worker_count && !error; w++) {
		_Atomic node_time_t *next = &crossing->workers->own_next[w];

		if (workers[w].rank == crossing->rank ||
		    atomic_load_explicit(next, memory_order_relaxed) == NODE_TIME_NEVER)
			continue;
		atomic_store_explicit(next, NODE_TIME_NEVER, memory_order_relaxed);
		error = worker_collect(crossing, &workers[w]);
	}
	return error;
}

/* ---- in ---- */

static int record_check(struct crossing *crossing, uint32_t from_rank,
			const struct rank_record *entry, node_time_t end)
{
	const struct record *record = &entry->record;
	const struct crossing_in *in;

	if (entry->ring >= crossing->plan->ring_count ||
	    crossing->in_of[entry->ring] == crossing->in_count)
		return wrong(crossing, "rank %u sent a record of ring %u, which does not lead here",
			     from_rank, entry->ring);
	in = &crossing->in[crossing->in_of[entry->ring]];
	if (in->from_rank != from_rank)
		return wrong(crossing, "rank %u sent a record of ring %u, which is not its own",
			     from_rank, entry->ring);
	if (record->kind == RECORD_PAD || record->kind >= RECORD_KINDS ||
	    record->captured_bytes > in->tx.shape.captured_max ||
	    record->wire_bytes > RING_CAPTURED_MAX || record->at_ps > NODE_TIME_LATEST)
		return wrong(crossing, "rank %u sent a record that is none, of ring %u", from_rank,
			     entry->ring);
	if (record->at_ps < end || record->at_ps < in->last_ps)
		return wrong(crossing,
			     "rank %u sent what arrives at %llu ps on ring %u: that has passed",
			     from_rank, (unsigned long long)record->at_ps, entry->ring);
	return 0;
}

static int record_deliver(struct crossing *crossing, const struct rank_record *entry,
			  const uint8_t *captured)
{
	const struct rank_ring *ring = &rank_plan_rings(crossing->plan)[entry->ring];
	struct crossing_in *in = &crossing->in[crossing->in_of[entry->ring]];
	struct record *to = ring_reserve(&in->tx, entry->record.captured_bytes);

	if (!to)
		return wrong(crossing, "ring %u is full", entry->ring);
	*to = entry->record;
	__builtin_memcpy(record_captured(to), captured, entry->record.captured_bytes);
	ring_commit(&in->tx, entry->record.captured_bytes);
	in->last_ps = entry->record.at_ps;
	if (!in->touched)
		crossing->touched[crossing->touched_count++] = crossing->in_of[entry->ring];
	in->touched = true;
	atomic_store_explicit(
		&crossing->places.inbox_next[ring->to_place],
		node_time_min(atomic_load_explicit(&crossing->places.inbox_next[ring->to_place],
						   memory_order_relaxed),
			      entry->record.at_ps),
		memory_order_relaxed);
	clock_notify(crossing->workers, ring->to_worker, entry->record.at_ps);
	return 0;
}

int crossing_deliver(struct crossing *crossing, uint32_t i, const uint8_t *bytes, size_t length,
		     uint32_t window, node_time_t end)
{
	struct rank_records_read read;
	struct rank_record entry;
	const uint8_t *captured;
	int more;

	if (!rank_records_open(&read, bytes, length, window))
		return wrong(crossing, "rank %u sent no message of window %u",
			     crossing->neighbours[i], window);
	while ((more = rank_records_next(&read, &entry, &captured)) > 0) {
		int error = record_check(crossing, crossing->neighbours[i], &entry, end);

		if (!error)
			error = record_deliver(crossing, &entry, captured);
		if (error)
			return error;
	}
	return more ? wrong(crossing, "rank %u sent a message that is none",
			    crossing->neighbours[i])
		    : 0;
}

void crossing_publish(struct crossing *crossing)
{
	while (crossing->touched_count) {
		struct crossing_in *in =
			&crossing->in[crossing->touched[--crossing->touched_count]];

		in->touched = false;
		ring_publish(&in->tx);
	}
}
