/*  nic_pfc - PFC and PAUSE at the NIC's link, in both directions (nic.h, RC-5, RC-11).
 *
 *  A paused class sends nothing: no generated traffic and none of the host, no data and no answers.
 *  The NIC pauses its switch for `pauses` of a scenario, and while its host does not take what
 *  arrives. */
#include "nicd/dataplane/nic_pfc.h"

#include "nodes/base/ensure.h"
#include "nodes/link/link_send.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/pause_frame.h"

static void class_trace(struct nic *nic, enum trace_kind kind, uint32_t traffic_class,
			uint64_t value)
{
	trace(nic->stats, (struct trace_entry){ .at_ps = nic->now_ps,
						.kind = (uint16_t)kind,
						.traffic_class = (uint8_t)traffic_class,
						.value = value });
}

void nic_pfc_frame(struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes)
{
	struct pause_frame frame;

	nic->pfc.gate.late_ps = pfc_late_ps(nic->config, 0);
	if (pfc_frame_read(bytes, captured_bytes, &frame)) {
		trace_drop(nic->stats, DROP_MALFORMED, 0, 0, NULL, nic->now_ps);
		return;
	}
	nic->link->stats->pauses_received++;
	if (nic->roce && pfc_is_obeyed(&nic->config->roce))
		pfc_gate_take(&nic->pfc.gate, &frame, nic->link->rate_bps, nic->now_ps);
}

/* counts the time up to now for classes that waited and were paused; a pause that is too long
 * counts once as stuck */
static void note_held(struct nic *nic)
{
	nic->pfc.stuck &= nic->pfc.waiting;
	for (uint32_t left = nic->pfc.waiting; left; left &= left - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(left);
		struct class_stats *stats = stats_class(nic->stats, 0, c);

		ENSURE(stats->paused_counted_ps, <=, nic->now_ps);
		stats->paused_ps += nic->now_ps - stats->paused_counted_ps;
		stats->paused_counted_ps = nic->now_ps;
		if (nic->pfc.stuck >> c & 1 ||
		    nic->now_ps - stats->paused_since_ps < nic->config->roce.watchdog_ps)
			continue;
		nic->pfc.stuck |= 1u << c;
		stats->stuck++;
		class_trace(nic, TRACE_STUCK, c, (nic->now_ps - stats->paused_since_ps) / NODE_US);
	}
}

void nic_pfc_plan(struct nic *nic, uint32_t waiting)
{
	uint32_t before = nic->pfc.waiting;

	note_held(nic);
	nic->pfc.held = pfc_gate_paused(&nic->pfc.gate, nic->now_ps);
	nic->pfc.waiting = nic->pfc.held & waiting;
	nic->pfc.until_ps =
		nic->pfc.waiting ? pfc_gate_next_at(&nic->pfc.gate, nic->pfc.waiting, nic->now_ps)
				 : NODE_TIME_NEVER;
	for (uint32_t left = before ^ nic->pfc.waiting; left; left &= left - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(left);
		struct class_stats *stats = stats_class(nic->stats, 0, c);
		bool held = nic->pfc.waiting >> c & 1;

		if (held)
			class_trace(nic, TRACE_PAUSE, c, 0);
		else
			class_trace(nic, TRACE_RESUME, c, nic->now_ps - stats->paused_since_ps);
		stats->paused_since_ps = held ? nic->now_ps : 0;
		stats->paused_counted_ps = nic->now_ps;
	}
}

void nic_pfc_init(struct nic *nic)
{
	nic_pfc_plan(nic, 0); /* pauses end */
	pfc_gate_init(&nic->pfc.gate, pfc_unnamed(&nic->config->roce, nic->config->class_count));
	pfc_teller_init(&nic->pfc.teller, nic->config->roce.pause);
	nic->pfc.held = 0;
	for (uint32_t c = 0; nic->roce && c < NODE_CLASSES_MAX; c++)
		stats_class(nic->stats, 0, c)->xoff_since_ps = 0;
}

void nic_pfc_stop(struct nic *nic, uint32_t traffic_class, bool stop)
{
	struct class_stats *stats;

	if (!nic->config->roce.pfc || (nic->pfc.teller.wanted >> traffic_class & 1) == stop)
		return;
	pfc_teller_want(&nic->pfc.teller, traffic_class, stop);
	class_trace(nic, stop ? TRACE_XOFF : TRACE_XON, traffic_class, 0);
	stats = stats_class(nic->stats, 0, traffic_class);
	stats->xoff_since_ps = stop ? node_time_max(nic->now_ps, 1) : 0; /* 0 means none */
	if (!stats->xoff_first_ps)
		stats->xoff_first_ps = stats->xoff_since_ps;
}

void nic_pfc_send(struct nic *nic)
{
	struct pause_frame frame =
		pfc_teller_frame(&nic->pfc.teller, nic->link->rx.rate_bps, nic->now_ps);
	uint8_t bytes[PAUSE_FRAME_BYTES];

	pause_frame_write(&frame, nic->receive.mac, bytes);
	link_send_pause(nic->link, nic->now_ps, bytes, sizeof(bytes));
	nic->link->stats->pauses_sent++;
}
