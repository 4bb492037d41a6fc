/*  draw - what the swarms share: a scenario is drawn from a seed and written line by line; many
 *  seeds are run. */
#ifndef HEDDLE_TESTS_SIM_DRAW_H
#define HEDDLE_TESTS_SIM_DRAW_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "nodes/base/random.h"

/* a scenario while it is drawn, and what of it later sections and the verdict need to know */
struct draw {
	struct random random;
	uint64_t seed; /* of it, where later parts need to know */
	FILE *out;
	unsigned hosts, classes;
	bool jumbo;   /* the MTU is 9 kB */
	bool loses;   /* links lose frames: PFC frames too */
	bool starves; /* the share of a lossy class may be too small for any packet */
	bool derived_headroom;
};

static inline unsigned below(struct draw *draw, unsigned limit)
{
	return (unsigned)random_below(&draw->random, limit);
}

/* one of some strings, or numbers */
#define PICK(draw, ...)                              \
	((const char *const[]){ __VA_ARGS__ }[below( \
		draw, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))])
#define PICK_UNITS(draw, ...)                                                                      \
	((const uint32_t[]){ __VA_ARGS__ }[below(draw, sizeof((const uint32_t[]){ __VA_ARGS__ }) / \
							       sizeof(uint32_t))])

/* Writes @format, as printf() does. Of each <A|B|C> it draws one, from left to right. No call may
 * draw two arguments: C leaves their order to the compiler, and a seed is one scenario. */
static inline void __attribute__((format(printf, 2, 3)))
draw_text(struct draw *draw, const char *format, ...)
{
	char text[2048];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ck_assert_int_lt(length, (int)sizeof(text));
	for (const char *at = text; *at; at++) {
		const char *end = *at == '<' ? strchr(at, '>') : NULL, *choice = at + 1;
		unsigned choices = 1;

		if (!end) {
			fputc(*at, draw->out);
			continue;
		}
		for (; at < end; at++)
			choices += *at == '|';
		for (unsigned left = below(draw, choices); left; left--)
			choice = strchr(choice, '|') + 1;
		fwrite(choice, 1, strcspn(choice, "|>"), draw->out);
	}
}

/* of a workload with frames of @kind: the length of a packet */
static inline const char *draw_packet(struct draw *draw, const char *kind)
{
	/* RC-4: a path MTU of 256, over IPv6 */
	const char *shortest = strncmp(kind, "roce", 4) ? "128" : "334";

	return draw->jumbo ? PICK(draw, shortest, "1500", "4096", "9000")
			   : PICK(draw, shortest, "1000", "1500");
}

/* of a workload: its destinations */
static inline void draw_pattern(struct draw *draw)
{
	if (!below(draw, 3))
		fprintf(draw->out, "pattern: incast, to: h%u, ", below(draw, draw->hosts));
	else
		draw_text(draw, "pattern: <uniform|permutation|all-to-all|uniform>, ");
}

/* of a workload: when; ends it */
static inline void draw_arrival(struct draw *draw)
{
	switch (below(draw, 3)) {
	case 0:
		draw_text(draw, "arrival: closed, window: <1|4|32>}\n");
		return;
	case 1:
		draw_text(draw, "arrival: poisson, load: <10%%|50%%|100%%>}\n");
		return;
	default:
		draw_text(draw, "arrival: burst, burst: {messages: <1|4>, period: <2us|5us>}}\n");
	}
}

/* Section pauses: fewer than @limit receivers that pause for up to @longest, some of them
 * periodically. */
static inline void draw_pauses(struct draw *draw, unsigned limit, const char *longest,
			       const char *period, const char *long_period)
{
	unsigned pauses = below(draw, limit);

	if (pauses)
		fprintf(draw->out, "pauses:\n");
	for (unsigned i = 0; i < pauses; i++) {
		draw_text(draw, "  - {host: h%u, start: <0ns|2us>, for: <100ns|900ns|%s>",
			  below(draw, draw->hosts), longest);
		if (below(draw, 2))
			draw_text(draw, ", every: <%s|%s>", period, long_period);
		if (below(draw, 2))
			fprintf(draw->out, ", class: c%u", below(draw, draw->classes));
		fprintf(draw->out, "}\n");
	}
}

static inline void draw_workloads(struct draw *draw,
				  void (*write_workload)(struct draw *draw, unsigned index))
{
	unsigned workloads = 1 + below(draw, 4);

	fprintf(draw->out, "workloads:\n");
	for (unsigned i = 0; i < workloads; i++)
		write_workload(draw, i);
}

static inline uint64_t number_from(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

/* SWARM_SEEDS of them, otherwise @count, from SWARM_SEED on */
static inline void run_seeds(void (*run_seed)(uint64_t seed), uint64_t count)
{
	uint64_t first = number_from("SWARM_SEED", 1);

	count = number_from("SWARM_SEEDS", count);
	for (uint64_t seed = first; seed < first + count; seed++)
		run_seed(seed);
}

#endif
