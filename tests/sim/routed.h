/*  routed - plans whose switches choose among many paths, for tests that set this by hand:
 *  sim_open_prepared(). */
#ifndef HEDDLE_TESTS_SIM_ROUTED_H
#define HEDDLE_TESTS_SIM_ROUTED_H

#include "tests/sim/sim.h"

struct routed {
	struct routing_config routing; /* of every switch; its seed is that of the first */
	uint32_t unordered;            /* set of classes */
};

/* adaptive choice with everything that the scenario's defaults say of it */
static inline struct routing_config routed_adaptive(void)
{
	return (struct routing_config){ .choice = ROUTING_ADAPTIVE,
					.detour_weight_permille = 2000,
					.detour_draws = 2,
					.hold_sources = true,
					.hold_ps = 20 * NODE_US,
					.redirect = true,
					.redirect_depth_units = 256,
					.redirect_full_units = 4096,
					.redirect_growth_weight_permille = 1000,
					.redirect_interval_ps = 2 * NODE_US,
					.redirect_pause_ps = 20 * NODE_US,
					.seed = 1 };
}

/* sim_open_prepared(): @data is a struct routed */
static inline void routed_prepare(struct plan *plan, const void *data)
{
	const struct routed *routed = data;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		struct node_config *config = &plan->nodes[i];

		for (uint32_t c = 0; c < config->class_count; c++)
			config->classes[c].unordered = routed->unordered >> c & 1;
		if (config->kind != NODE_SWITCH)
			continue;
		config->switch_.routing = routed->routing;
		config->switch_.routing.seed = routed->routing.seed * 8192 + i;
	}
}

/* the sum of @field over all ports of all switches */
#define routed_sum(sim, field)                                                               \
	({                                                                                   \
		uint64_t sum_ = 0;                                                           \
		for (uint32_t i_ = 0; i_ < (sim)->plan.switch_count; i_++)                   \
			for (uint32_t p_ = 0; p_ < (sim)->nodes[i_].stats->port_count; p_++) \
				sum_ += stats_port((sim)->nodes[i_].stats, p_)->field;       \
		sum_;                                                                        \
	})

#endif
