/*  metric_balance - how evenly a switch uses the links among which it chooses: those to the same
 *  destinations over paths of equal length. Per-packet choice over equal links aims at 0, and at 1
 *  for the largest (S2 on uniform traffic of small messages). */
#include "orchestrator/results/metric_balance.h"

#include <math.h>

struct balance {
	double squares, largest; /* of the load of a link relative to the mean of its set */
	uint32_t links;
};

static void set_add(struct balance *balance, const struct plan *plan, const struct results *results,
		    uint32_t node, uint64_t ports)
{
	uint32_t count = (uint32_t)__builtin_popcountll(ports);
	double mean = 0;

	for (uint64_t left = ports; left; left &= left - 1)
		mean += results_port(plan, results, node, (uint32_t)__builtin_ctzll(left))
				->utilisation /
			count;
	if (mean <= 0)
		return;
	for (uint64_t left = ports; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);
		double part = results_port(plan, results, node, port)->utilisation / mean;

		balance->squares += (part - 1) * (part - 1);
		balance->largest = part > balance->largest ? part : balance->largest;
	}
	balance->links += count;
}

/* adds each set of ports of @node that is the first step to the same switch, once */
static void node_add(struct balance *balance, const struct plan *plan,
		     const struct results *results, uint32_t node)
{
	const struct switch_config *config = &plan->nodes[node].switch_;

	for (uint32_t i = 0; i < config->route_count; i++) {
		uint64_t ports = config->routes[i].ports;
		bool seen = !(ports & (ports - 1)) || /* no choice */
			    config->routes[i].fabric_address == ROUTE_UPWARD;

		for (uint32_t j = 0; j < i && !seen; j++)
			seen = config->routes[j].ports == ports;
		if (!seen)
			set_add(balance, plan, results, node, ports);
	}
}

static struct balance balance_of(const struct metric_subject *e)
{
	struct balance balance = { 0 };

	for (uint32_t i = 0; i < e->plan->switch_count && e->results->measured_ps; i++)
		if (!e->ports || e->node == i)
			node_add(&balance, e->plan, e->results, i);
	return balance;
}

bool metric_imbalance(const struct metric_subject *e, double *value)
{
	struct balance balance = balance_of(e);

	*value = balance.links ? sqrt(balance.squares / balance.links) : 0;
	return balance.links;
}

bool metric_imbalance_max(const struct metric_subject *e, double *value)
{
	struct balance balance = balance_of(e);

	*value = balance.largest;
	return balance.links;
}
