#include "orchestrator/fabric/fabric.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/futex.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/fabric/fabric_cores.h"
#include "orchestrator/fabric/fabric_exchange.h"
#include "orchestrator/fabric/fabric_ready.h"
#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/fabric/fabric_start.h"
#include "orchestrator/fabric/fabric_watch.h"

#define WAITS_FIRST_NS 2000000000ull
#define WAITS_AGAIN_NS 1000000000ull

void fabric_stops_wait(struct fabric *fabric, uint32_t timeout_ms)
{
	struct timespec timeout = { .tv_sec = timeout_ms / 1000,
				    .tv_nsec = (long)(timeout_ms % 1000) * 1000000 };

	futex_wait(&fabric->page->stops, fabric->stops_seen, &timeout);
}

static int fabric_alloc(struct fabric *fabric)
{
	const struct plan *plan = fabric->plan;
	int error;

	fabric->nodes = calloc(plan->node_count, sizeof(*fabric->nodes));
	fabric->wake = calloc(plan->node_count, sizeof(*fabric->wake));
	fabric->ring_fds = malloc((2 * (size_t)plan->link_count + 1) * sizeof(*fabric->ring_fds));
	if (!fabric->nodes || !fabric->wake || !fabric->ring_fds) {
		fabric_fail(fabric, "not enough memory to start %u nodes", plan->node_count);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < plan->node_count; i++) {
		fabric->nodes[i].control = fabric->nodes[i].doorbell = -1;
		fabric->nodes[i].lead = fabric->nodes[i].slot = i;
	}
	for (uint32_t i = 0; i < 2 * plan->link_count; i++)
		fabric->ring_fds[i] = -1;
	fabric->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (fabric->epoll_fd < 0)
		return -errno;
	if (fabric->options.pack && (error = fabric_pack_make(fabric)))
		return error;
	return fabric->options.real ? fabric_drain_init(fabric) : 0;
}

static int shared_clock_make(struct fabric *fabric)
{
	int error = fabric_clock_make(fabric);

	if (error)
		fabric_fail(fabric, "cannot make shared memory for the clock: %s",
			    strerror(-error));
	return error;
}

/* starts all nodes, until they are ready */
static int nodes_start(struct fabric *fabric)
{
	int error;

	if (fabric->options.pack)
		fabric_stage(fabric, "starts %u worker%s for %u nodes", fabric->pack.worker_count,
			     fabric->pack.worker_count == 1 ? "" : "s", fabric->plan->node_count);
	else
		fabric_stage(fabric, "starts %u nodes", fabric->plan->node_count);
	error = fabric_nodes_start(fabric);
	if (error)
		return error;
	fabric_stage(fabric, "waits until all nodes are ready");
	error = fabric_nodes_await(fabric);
	if (!error)
		fabric_stage(fabric, "all nodes are ready");
	return error;
}

static int tunnel_begin(struct fabric *fabric)
{
	const struct fabric_options *options = &fabric->options;

	return options->tunnel ? options->tunnel->start(options->owner, fabric->clock_fd) : 0;
}

/* waits for the other machines; @ready: until their nodes are ready, too */
static int tunnel_await(struct fabric *fabric, bool ready)
{
	const struct fabric_options *options = &fabric->options;

	return options->tunnel ? options->tunnel->await(options->owner, ready) : 0;
}

int fabric_start(struct fabric *fabric, const struct plan *plan,
		 const struct fabric_options *options)
{
	uint64_t began_ns = monotonic_ns();
	int error;

	*fabric = (struct fabric){
		.plan = plan, .options = *options, .clock_fd = -1, .epoll_fd = -1
	};
	fabric->pack.page_fd = fabric->pack.rings_fd = -1;
	error = fabric_alloc(fabric)
			?: shared_clock_make(fabric)
			?: tunnel_begin(fabric)
			?: nodes_start(fabric)
			?: tunnel_await(fabric, false)
			?: fabric_manage(fabric)
			?: tunnel_await(fabric, true);
	if (!error && options->real) {
		fabric->limit_ps = NODE_TIME_NEVER;
		fabric_clock_begin(fabric);
	}
	if (error && error != -EINTR)
		fabric_fail(fabric, "cannot start the fabric: %s", strerror(-error));
	fabric->start_ns = monotonic_ns() - began_ns;
	return error;
}

void fabric_note(const struct fabric *fabric, const char *format, ...)
{
	va_list arguments;
	char text[1024];

	if (!fabric->options.note)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fabric->options.note(fabric->options.observer, text);
}

void fabric_stage(const struct fabric *fabric, const char *format, ...)
{
	va_list arguments;
	char text[256];

	if (!fabric->options.stage)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fabric->options.stage(fabric->options.observer, text);
}

void fabric_waits(struct fabric *fabric, uint64_t since_ns, const char *format, ...)
{
	uint64_t now_ns = monotonic_ns();
	size_t length;
	va_list arguments;
	char what[256];

	if (!fabric->options.waits || now_ns - since_ns < WAITS_FIRST_NS ||
	    now_ns - fabric->waits_shown_ns < WAITS_AGAIN_NS)
		return;
	fabric->waits_shown_ns = now_ns;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	length = strlen(what);
	snprintf(what + length, sizeof(what) - length, "; %llu s so far",
		 (unsigned long long)((now_ns - since_ns) / 1000000000));
	fabric->options.waits(fabric->options.observer, what);
}

/* ---- run ---- */

void fabric_resume(struct fabric *fabric, node_time_t limit_ps)
{
	uint32_t count;

	fabric->limit_ps = limit_ps;
	fabric->stops_seen = atomic_load(&fabric->page->stops);
	watchdog_start(&fabric->watchdog, fabric->options.watchdog_ns, monotonic_ns());
	count = clock_resume(&fabric->clock, limit_ps, fabric->wake);
	for (uint32_t i = 0; i < count; i++)
		clock_ring(&fabric->clock, fabric->wake[i]);
}

enum fabric_state fabric_wait(struct fabric *fabric, uint32_t timeout_ms)
{
	uint64_t began_ns = monotonic_ns(), passed_ms = 0;
	enum fabric_state state = FABRIC_RUNNING;

	for (;;) {
		if (clock_stopped(&fabric->clock))
			state = FABRIC_STOPPED;
		else if (interrupt_seen())
			state = FABRIC_INTERRUPTED;
		else if (fabric_watch_children(fabric) || fabric_watch_messages(fabric, 0) ||
			 fabric_watch_clock(fabric))
			state = FABRIC_FAILED;
		if (state != FABRIC_RUNNING || passed_ms >= timeout_ms)
			break;
		fabric_cores_look(fabric);
		fabric_stops_wait(fabric, timeout_ms - passed_ms < FABRIC_SLICE_MS
						  ? (uint32_t)(timeout_ms - passed_ms)
						  : FABRIC_SLICE_MS);
		passed_ms = (monotonic_ns() - began_ns) / 1000000;
	}
	/* while the clock is stopped, a node that a signal has stopped is no failure, since it has
	 * no work */
	if (state == FABRIC_STOPPED &&
	    (fabric_watch_deaths(fabric) || fabric_watch_messages(fabric, 0) || fabric->failure[0]))
		state = FABRIC_FAILED;
	fabric->run_ns += monotonic_ns() - began_ns;
	return state;
}

node_time_t fabric_now(const struct fabric *fabric)
{
	if (fabric->options.real)
		return fabric_real_now(fabric);
	if (!clock_stopped(&fabric->clock))
		return atomic_load(&fabric->page->start_ps);
	/* the page's limit is 0 at the end */
	return node_time_min(fabric->limit_ps, clock_earliest(&fabric->clock));
}

bool fabric_over(const struct fabric *fabric)
{
	return fabric->options.real ? fabric->idle
				    : clock_earliest(&fabric->clock) == NODE_TIME_NEVER;
}

uint64_t fabric_holds(const struct fabric *fabric, uint32_t node)
{
	struct stats_page *page = fabric->nodes[node].stats;

	if (stats_view_check(&fabric->nodes[node].view))
		return 0;
	return fabric->plan->nodes[node].kind == NODE_SWITCH ? page->inside_bytes
							     : stats_port(page, 0)->queue_bytes;
}

/* ---- results ---- */

struct stats_page **fabric_pages(struct fabric *fabric)
{
	struct stats_page **pages = calloc(fabric->plan->node_count, sizeof(struct stats_page *));

	for (uint32_t i = 0; pages && i < fabric->plan->node_count; i++) {
		pages[i] = fabric->nodes[i].stats;
		if (stats_view_check(&fabric->nodes[i].view)) {
			fabric_fail_node(fabric, i, "has destroyed its statistics page");
			free(pages);
			return NULL;
		}
	}
	return pages;
}

struct result_host fabric_cost(const struct fabric *fabric)
{
	struct result_host cost = { .start_s = (double)fabric->start_ns / 1e9,
				    .wall_s = (double)fabric->run_ns / 1e9,
				    .end_s = (double)fabric->end_ns / 1e9,
				    .windows = atomic_load(&fabric->page->windows),
				    .node_windows = atomic_load(&fabric->page->node_windows),
				    .wakes = atomic_load(&fabric->page->wakes),
				    .moves = fabric->core_choice.changes,
				    .workers = fabric->pack.worker_count,
				    .unfiltered_nodes = fabric_unfiltered(fabric) };
	struct rusage own;

	getrusage(RUSAGE_SELF, &own);
	cost.cpu_s = (double)(fabric->cpu_ns + fabric_rusage_ns(&own)) / 1e9;
	for (uint32_t i = 0; i < CLOCK_CORES; i++)
		cost.stolen_s += (double)atomic_load(&fabric->clock.cores[i].stolen_ns) / 1e9;
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		cost.packet_hops += fabric->nodes[i].stats->data_hops;
	return cost;
}

void fabric_free(struct fabric *fabric)
{
	for (uint32_t i = 0; fabric->nodes && i < fabric->plan->node_count; i++) {
		descriptor_close(&fabric->nodes[i].control);
		descriptor_close(&fabric->nodes[i].doorbell);
		stats_view_unmap(&fabric->nodes[i].view);
	}
	for (uint32_t i = 0; fabric->ring_fds && i < 2 * fabric->plan->link_count; i++)
		descriptor_close(&fabric->ring_fds[i]);
	if (fabric->page)
		munmap(fabric->page, fabric->page_size);
	if (fabric->nodes) {
		descriptor_close(&fabric->clock_fd);
		descriptor_close(&fabric->epoll_fd);
	}
	free(fabric->nodes);
	free(fabric->wake);
	free(fabric->ring_fds);
	link_drain_fini(&fabric->link_drain);
	fabric_pack_free(&fabric->pack);
	*fabric = (struct fabric){ 0 };
}
