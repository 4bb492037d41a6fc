/*  switch_play - the harness of the fuzzers of switches (TB-23): it plays an input on the switch of
 *  tests/unit/switchd/flow_channel/one_switch.h. A kind of fabric supplies a struct play_kind.
 *
 *  Input: [setting][steps ...]. A step is [kind 1][wait 2][port 1][arguments]. Its record arrives
 *  `wait` nanoseconds after the record of the step before it: times in a ring never go back, though
 *  they may lie in the switch's past. Numbers are big endian, and 0 after the end of the input.
 *
 *  After each run, for every kind: the next event of the switch lies after the run, and each packet
 *  that arrived was sent, is inside, or is counted under the reason of its drop. */
#ifndef HEDDLE_TESTS_FUZZ_SWITCH_PLAY_H
#define HEDDLE_TESTS_FUZZ_SWITCH_PLAY_H

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

struct play {
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

typedef void play_step(struct play *play);

/* a kind of fabric */
struct play_kind {
	const struct node_ops *ops;
	uint32_t setting_bytes;
	/* changes what one_switch_configure() has set, as @setting says */
	void (*configure)(struct play *play, uint32_t setting);
	/* true: a step has no byte for its port, which configure() sets; and it is for all
	 * neighbours */
	bool one_port;
	/* the kind of a step, modulo step_kinds, is its index. NULL: the step only waits */
	play_step *const *steps;
	uint32_t step_kinds;
	void (*check)(const struct play *play); /* what else must hold after each run */
	void (*finish)(struct play *play);      /* after the last step; leaves every link plugged */
};

/* ---- what neighbours send ---- */

/** play_send() - the neighbour at the step's port sends @record, at least @gap after its last one.
 *  Time and sequence are filled in. What a full ring does not take is not sent. */
static inline void play_send(struct play *play, struct record record, const uint8_t *bytes,
			     node_time_t gap)
{
	struct neighbour *n = &play->s.neighbours[play->port];

	record.at_ps = node_time_max(play->ring_ps, play->sent_ps[play->port] + gap);
	record.sequence = n->sequence;
	if (play->down >> play->port & 1 || !neighbour_send(&play->s, play->port, &record, bytes))
		return;
	n->sequence += record.kind != RECORD_WORD;
	play->sent_ps[play->port] = record.at_ps;
}

/** play_send_frame() - the same with a frame of @length bytes without FCS, whole. */
static inline void play_send_frame(struct play *play, enum record_kind kind, const uint8_t *bytes,
				   uint32_t length)
{
	play_send(play,
		  (struct record){ .kind = (uint16_t)kind,
				   .wire_bytes = length + FRAME_FCS_BYTES,
				   .captured_bytes = length },
		  bytes, 0);
}

/** play_send_bytes() - the same, the frame being any bytes: [captured 1][bytes ...]. */
static inline void play_send_bytes(struct play *play, enum record_kind kind)
{
	uint8_t bytes[256];

	play_send_frame(play, kind, bytes,
			take_bytes(&play->script, take(&play->script, 1), bytes));
}

static inline void play_send_word(struct play *play, uint32_t word, uint32_t traffic_class,
				  uint32_t value)
{
	play_send(play,
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
static inline void step_record(struct play *play)
{
	uint8_t bytes[256];
	uint32_t kind = take(&play->script, 1);
	struct record record = { .kind = kind & 8 ? RECORD_PACKET : kind & 7 };

	record.traffic_class = (uint16_t)take(&play->script, 1);
	record.wire_bytes = take(&play->script, 2) % RING_CAPTURED_MAX;
	record.captured_bytes = take_bytes(&play->script, take(&play->script, 1), bytes);
	play_send(play, record, bytes, 0);
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
static inline void step_link(struct play *play)
{
	struct one_switch *s = &play->s;
	uint32_t port = play->port;
	struct on_ring lost;

	play->down ^= 1u << port;
	if (play->down >> port & 1) {
		lost = on_ring(&s->links[port], s->links[port].rx.ring);
		play->never_arrived += lost.packets;
		play->in_bytes += lost.bytes;
		s->ops->link_down(s->dataplane, port, play->now_ps);
		one_switch_unplug(s, port);
		return;
	}
	one_switch_plug(s, port);
	play->sent_ps[port] = 0;
	s->ops->link_up(s->dataplane, port, play->now_ps);
}

/** play_links() - the links of all ports come up, or go @down. */
static inline void play_links(struct play *play, bool down)
{
	for (play->port = 0; play->port < PORTS; play->port++)
		if ((play->down >> play->port & 1) != down)
			step_link(play);
}

/** play_set() - changes a parameter; the switch may refuse the value. */
static inline void play_set(struct play *play, const char *name, const char *value)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert(out);
	play->s.ops->set(play->s.dataplane, name, value, out);
	fclose(out);
	free(text);
}

/* ---- running ---- */

/* Drops of these reasons: each is a packet that arrived, or a copy of a flooded frame. Two more
 * reasons also count frames without data. */
static inline uint64_t play_drops(const struct stats_page *stats, bool more)
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
static inline void packets_check(const struct play *play)
{
	struct stats_page *stats = play->s.stats;
	const struct switch_shell *sw = play->s.dataplane;
	uint64_t arrived = stats->flooded_packets + stats->injected_packets + play->never_arrived;
	uint64_t known = stats->data_hops + stats->inside_packets + stats->delivered_packets;

	for (uint32_t p = 0; p < PORTS; p++)
		arrived += stats_port(stats, p)->rx_packets;
	assert(arrived >= known + play_drops(stats, false));
	assert(arrived <= known + play_drops(stats, true) || stats->flood_originals_bytes);
	assert(sw->pool.used == stats->inside_packets);
}

/* The same in bytes, without a bound: but a guarded link discards packets out of sequence, which no
 * counter shows. */
static inline void bytes_check(const struct play *play)
{
	struct stats_page *stats = play->s.stats;
	uint64_t arrived = play->in_bytes + stats->flooded_bytes + stats->injected_bytes;
	uint64_t known = play->out_bytes + stats->flood_originals_bytes + stats->inside_bytes +
			 stats->delivered_bytes;
	bool guarded = false;

	for (uint32_t p = 0; p < PORTS; p++) {
		const struct port_stats *port = stats_port(stats, p);

		known += port->dropped_bytes + port->lost_bytes;
		guarded |= play->s.ports[p].guarded;
	}
	assert(guarded ? arrived >= known : arrived == known);
}

/* Called @before a run and after it: counts what left the rings to the switch, and what came onto
 * those from it. */
static inline void rings_add(struct play *play, bool before)
{
	for (uint32_t p = 0; p < PORTS; p++) {
		const struct link *link = &play->s.links[p];

		if (play->down >> p & 1)
			continue;
		ring_publish(&play->s.neighbours[p].tx);
		play->in_bytes += (before ? 1 : -1) * on_ring(link, link->rx.ring).bytes;
		play->out_bytes +=
			(before ? -1 : 1) * on_ring(link, play->s.neighbours[p].rx).bytes;
	}
}

/* the kind that is played */
extern const struct play_kind play_kind;

/** play_run() - runs the switch for @wait; neighbours of @ports, a set, receive what it sends. */
static inline void play_run(struct play *play, uint32_t ports, node_time_t wait)
{
	struct received got;

	play->now_ps += wait;
	rings_add(play, true);
	assert(one_switch_run(&play->s, play->now_ps) >= play->now_ps);
	rings_add(play, false);
	for (uint32_t p = 0; p < PORTS; p++)
		while (ports & ~play->down & 1u << p && neighbour_receive_any(&play->s, p, &got))
			;
	play_kind.check(play);
	packets_check(play);
	bytes_check(play);
}

/** step_run() - runs the switch for the wait of the step. */
static inline void step_run(struct play *play)
{
	play_run(play, play->ports, play->wait_ps);
}

/* ---- an input ---- */

static inline void play_one_step(struct play *play)
{
	play_step *step = play_kind.steps[take(&play->script, 1) % play_kind.step_kinds];
	uint32_t port;

	play->wait_ps = take(&play->script, 2) * NODE_NS;
	if (!play_kind.one_port) {
		port = take(&play->script, 1);
		play->port = port % PORTS;
		play->ports = port == 255 ? ALL_PORTS : 1u << play->port;
	}
	if (step != step_run)
		play->ring_ps += play->wait_ps;
	if (step)
		step(play);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct play play;
	struct one_switch *s = &play.s;

	play = (struct play){ .script = { data, data + size }, .ports = ALL_PORTS };
	one_switch_configure(s);
	s->ops = play_kind.ops;
	play_kind.configure(&play, take(&play.script, play_kind.setting_bytes));
	one_switch_open(s);
	managed_init(&play.managed, &s->config, s->links, s->ops, s->dataplane);
	for (uint32_t i = 0; i < STEPS_MAX && play.script.at < play.script.end; i++)
		play_one_step(&play);
	play_kind.finish(&play);
	managed_fini(&play.managed);
	one_switch_close(s);
	return 0;
}

#endif
