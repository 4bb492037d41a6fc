/*  switch_harness - the harness of the fuzzers of switches (TB-23): it feeds an input to the switch
 *  of tests/unit/switchd/flow_channel/one_switch.h. A kind of fabric supplies a struct
 *  harness_kind.
 *
 *  Input: [setting][steps ...]. A step is [kind 1][wait 2][port 1][arguments]. Its record arrives
 *  `wait` nanoseconds after the record of the step before it: times in a ring never go back, though
 *  they may lie in the switch's past. Numbers are big endian, and 0 after the end of the input.
 *
 *  After each run, for every kind: the next event of the switch lies after the run, and each packet
 *  that arrived was sent, is inside, or is counted under the reason of its drop. */
#ifndef HEDDLE_TESTS_FUZZ_SWITCH_HARNESS_H
#define HEDDLE_TESTS_FUZZ_SWITCH_HARNESS_H

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "nodes/base/array.h"
#include "nodes/node/managed.h"
#include "switchd/common/switch.h"
#include "tests/fuzz/script.h"
#include "tests/unit/switchd/flow_channel/one_switch.h"

#define STEPS_MAX 300u
#define ALL_PORTS ((1u << PORTS) - 1)

struct harness {
	struct one_switch s;
	struct managed managed;
	struct script script;
	/* the present step: its wait; its port; the neighbours that it is for, a set */
	node_time_t wait_ps;
	uint32_t port, ports;
	node_time_t ring_ps;        /* when a record of the step arrives */
	node_time_t sent_ps[PORTS]; /* of the port's last record */
	node_time_t now_ps;         /* the end of the last run */
	uint32_t down;              /* set of ports */
	/* packets without FCS: those that the switch has received, those that it has sent */
	uint64_t in_bytes, out_bytes;
	uint64_t never_arrived; /* packets that were on a link when it went down */
};

typedef void harness_step(struct harness *harness);

/* a kind of fabric */
struct harness_kind {
	const struct node_ops *ops;
	uint32_t setting_bytes;
	/* changes what one_switch_configure() has set, as @setting says */
	void (*configure)(struct harness *harness, uint32_t setting);
	/* true: a step has no byte for its port, which configure() sets; and it is for all
	 * neighbours */
	bool one_port;
	/* the kind of a step, modulo step_kinds, is its index. NULL: the step only waits */
	harness_step *const *steps;
	uint32_t step_kinds;
	void (*check)(const struct harness *harness); /* what else must hold after each run */
	void (*finish)(
		struct harness *harness); /* after the last step; leaves every link plugged */
};

/* ---- what neighbours send ---- */

/** harness_send() - the neighbour at the step's port sends @record, at least @gap after its last
 *  one. Time and sequence are filled in. What a full ring does not take is not sent. */
static inline void harness_send(struct harness *harness, struct record record, const uint8_t *bytes,
				node_time_t gap)
{
	struct neighbour *n = &harness->s.neighbours[harness->port];

	record.at_ps = node_time_max(harness->ring_ps, harness->sent_ps[harness->port] + gap);
	record.sequence = n->sequence;
	if (harness->down >> harness->port & 1 ||
	    !neighbour_send(&harness->s, harness->port, &record, bytes))
		return;
	n->sequence += record.kind != RECORD_WORD;
	harness->sent_ps[harness->port] = record.at_ps;
}

/** harness_send_frame() - the same with a frame of @length bytes without FCS, whole. */
static inline void harness_send_frame(struct harness *harness, enum record_kind kind,
				      const uint8_t *bytes, uint32_t length)
{
	harness_send(harness,
		     (struct record){ .kind = (uint16_t)kind,
				      .wire_bytes = length + FRAME_FCS_BYTES,
				      .captured_bytes = length },
		     bytes, 0);
}

/** harness_send_bytes() - the same, the frame being any bytes: [captured 1][bytes ...]. */
static inline void harness_send_bytes(struct harness *harness, enum record_kind kind)
{
	uint8_t bytes[256];

	harness_send_frame(harness, kind, bytes,
			   take_bytes(&harness->script, take(&harness->script, 1), bytes));
}

static inline void harness_send_word(struct harness *harness, uint32_t word, uint32_t traffic_class,
				     uint32_t value)
{
	harness_send(harness,
		     (struct record){ .kind = RECORD_WORD,
				      .traffic_class = (uint16_t)traffic_class,
				      .wire_bytes = LINK_WORD_BYTES,
				      .word = (uint64_t)word << 32 | value },
		     (const uint8_t *)"", 0);
}

/** take_length() - the length of a frame: @min, with which it can be written, to 10 bytes more than
 *  the MTU. */
static inline uint32_t take_length(struct script *script, uint32_t min)
{
	return min + take(script, 2) % (MTU + 10 - min);
}

/* ---- steps of several kinds ---- */

/** step_record() - any bytes as a record of any kind: [record kind 1][class 1][wire length
 *  2][captured 1][bytes ...]. */
static inline void step_record(struct harness *harness)
{
	uint8_t bytes[256];
	uint32_t kind = take(&harness->script, 1);
	struct record record = { .kind = kind & 8 ? RECORD_PACKET : kind & 7 };

	record.traffic_class = (uint16_t)take(&harness->script, 1);
	record.wire_bytes = take(&harness->script, 2) % RING_CAPTURED_MAX;
	record.captured_bytes = take_bytes(&harness->script, take(&harness->script, 1), bytes);
	harness_send(harness, record, bytes, 0);
}

/* packets on a ring of @link, and the bytes of their frames */
struct on_ring {
	uint64_t packets, bytes;
};

static inline struct on_ring on_ring(const struct link *link, struct ring_rx rx)
{
	struct on_ring on = { 0 };
	struct record record;

	for (ring_refresh(&rx); ring_peek(&rx, &record); ring_pop(&rx, &record)) {
		if (record.kind != RECORD_PACKET)
			continue;
		on.packets++;
		on.bytes += link_frame_bytes(link, record.wire_bytes);
	}
	return on;
}

/** step_link() - the link goes down, or comes up again. */
static inline void step_link(struct harness *harness)
{
	struct one_switch *s = &harness->s;
	uint32_t port = harness->port;
	struct on_ring lost;

	harness->down ^= 1u << port;
	if (harness->down >> port & 1) {
		lost = on_ring(&s->links[port], s->links[port].rx.ring);
		harness->never_arrived += lost.packets;
		harness->in_bytes += lost.bytes;
		s->ops->link_down(s->dataplane, port, harness->now_ps);
		one_switch_unplug(s, port);
		return;
	}
	one_switch_plug(s, port);
	harness->sent_ps[port] = 0;
	s->ops->link_up(s->dataplane, port, harness->now_ps);
}

/** harness_links() - the links of all ports come up, or go @down. */
static inline void harness_links(struct harness *harness, bool down)
{
	for (harness->port = 0; harness->port < PORTS; harness->port++)
		if ((harness->down >> harness->port & 1) != down)
			step_link(harness);
}

/** harness_set() - changes a parameter; the switch may refuse the value. */
static inline void harness_set(struct harness *harness, const char *name, const char *value)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert(out);
	harness->s.ops->set(harness->s.dataplane, name, value, out);
	fclose(out);
	free(text);
}

/* ---- running ---- */

/* Drops of these reasons: each is a packet that arrived, or a copy of a flooded frame. Two more
 * reasons also count frames without data. */
static inline uint64_t harness_drops(const struct stats_page *stats, bool more)
{
	static const enum drop_reason reasons[] = { DROP_NO_DESTINATION,
						    DROP_NO_ROUTE,
						    DROP_OVERSIZE,
						    DROP_BUFFER_OVERFLOW,
						    DROP_BAD_CHANNEL,
						    DROP_NO_LISTENER,
						    DROP_FLOOD_LIMIT,
						    DROP_HEADROOM,
						    DROP_QUEUE_FULL,
						    DROP_LINK_DOWN,
						    DROP_NO_LANE,
						    DROP_BAD_LID,
						    DROP_TTL };
	uint64_t sum = more ? stats->drops[DROP_MALFORMED] + stats->drops[DROP_BAD_RECORD] : 0;

	for (uint32_t i = 0; i < COUNT_OF(reasons); i++)
		sum += stats->drops[reasons[i]];
	return sum;
}

/* What arrived was sent, is inside, or is counted under the reason of its drop. A copy of a flooded
 * frame counts as one that arrived; the frame itself is replaced. */
static inline void packets_check(const struct harness *harness)
{
	struct stats_page *stats = harness->s.stats;
	const struct switch_shell *sw = harness->s.dataplane;
	uint64_t arrived =
		stats->flooded_packets + stats->injected_packets + harness->never_arrived;
	uint64_t known = stats->data_hops + stats->inside_packets + stats->delivered_packets;

	for (uint32_t p = 0; p < PORTS; p++)
		arrived += stats_port(stats, p)->rx_packets;
	assert(arrived >= known + harness_drops(stats, false));
	assert(arrived <= known + harness_drops(stats, true) || stats->flood_originals_bytes);
	assert(sw->pool.used == stats->inside_packets);
}

/* The same in bytes, without a bound: but a guarded link discards packets out of sequence, which no
 * counter shows. */
static inline void bytes_check(const struct harness *harness)
{
	struct stats_page *stats = harness->s.stats;
	uint64_t arrived = harness->in_bytes + stats->flooded_bytes + stats->injected_bytes;
	uint64_t known = harness->out_bytes + stats->flood_originals_bytes + stats->inside_bytes +
			 stats->delivered_bytes;
	bool guarded = false;

	for (uint32_t p = 0; p < PORTS; p++) {
		const struct port_stats *port = stats_port(stats, p);

		known += port->dropped_bytes + port->lost_bytes;
		guarded |= harness->s.ports[p].guarded;
	}
	assert(guarded ? arrived >= known : arrived == known);
}

/* Called @before a run and after it: counts what left the rings to the switch, and what came onto
 * those from it. */
static inline void rings_add(struct harness *harness, bool before)
{
	for (uint32_t p = 0; p < PORTS; p++) {
		const struct link *link = &harness->s.links[p];

		if (harness->down >> p & 1)
			continue;
		ring_publish(&harness->s.neighbours[p].tx);
		harness->in_bytes += (before ? 1 : -1) * on_ring(link, link->rx.ring).bytes;
		harness->out_bytes +=
			(before ? -1 : 1) * on_ring(link, harness->s.neighbours[p].rx).bytes;
	}
}

/* the kind that is fuzzed */
extern const struct harness_kind harness_kind;

/** harness_run() - runs the switch for @wait; neighbours of @ports, a set, receive what it
 *  sends. */
static inline void harness_run(struct harness *harness, uint32_t ports, node_time_t wait)
{
	struct received got;

	harness->now_ps += wait;
	rings_add(harness, true);
	assert(one_switch_run(&harness->s, harness->now_ps) >= harness->now_ps);
	rings_add(harness, false);
	for (uint32_t p = 0; p < PORTS; p++)
		while (ports & ~harness->down & 1u << p &&
		       neighbour_receive_any(&harness->s, p, &got))
			;
	harness_kind.check(harness);
	packets_check(harness);
	bytes_check(harness);
}

/** step_run() - runs the switch for the wait of the step. */
static inline void step_run(struct harness *harness)
{
	harness_run(harness, harness->ports, harness->wait_ps);
}

/* ---- an input ---- */

static inline void harness_one_step(struct harness *harness)
{
	harness_step *step =
		harness_kind.steps[take(&harness->script, 1) % harness_kind.step_kinds];
	uint32_t port;

	harness->wait_ps = take(&harness->script, 2) * NODE_NS;
	if (!harness_kind.one_port) {
		port = take(&harness->script, 1);
		harness->port = port % PORTS;
		harness->ports = port == 255 ? ALL_PORTS : 1u << harness->port;
	}
	if (step != step_run)
		harness->ring_ps += harness->wait_ps;
	if (step)
		step(harness);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct harness harness;
	struct one_switch *s = &harness.s;

	harness = (struct harness){ .script = { data, data + size }, .ports = ALL_PORTS };
	one_switch_configure(s);
	s->ops = harness_kind.ops;
	harness_kind.configure(&harness, take(&harness.script, harness_kind.setting_bytes));
	one_switch_open(s);
	managed_init(&harness.managed, &s->config, s->links, s->ops, s->dataplane);
	for (uint32_t i = 0; i < STEPS_MAX && harness.script.at < harness.script.end; i++)
		harness_one_step(&harness);
	harness_kind.finish(&harness);
	managed_fini(&harness.managed);
	one_switch_close(s);
	return 0;
}

#endif
