/*  scenario_routing - the section `routing` of a scenario (FC-15, FC-16, FC-23 ... FC-26).
 *
 *  Most keys are rows of nodes/config/routing.def. It is read with any kind of fabric, so that
 *  one file can be compared under several. */
#include "orchestrator/scenario/scenario_routing.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/scenario_parameters.h"

#define FIELD(field) KEY_FIELD(struct scenario_routing, field)

const char *const scenario_order_name[ROUTING_ORDERS] = {
	[ORDER_AUTO] = "auto", [ORDER_MINIMAL] = "minimal", [ORDER_UP_DOWN] = "up-down"
};
static const char *const preset_words[ROUTING_PRESETS] = {
	[PRESET_NONE] = "none", [PRESET_S2] = "s2"
};
static const char *const cycles_words[] = { "refuse", "allow" };

void scenario_routing_init(struct scenario_routing *routing)
{
	*routing = (struct scenario_routing){
		.preset = PRESET_NONE,
		.order = ORDER_AUTO,
		.cycles_allowed = SCENARIO_DERIVED,
		.reaction_ps = 10 * NODE_US,
		.takeover_ps = NODE_MS, /* ours: three missing heartbeats */
	};
	parameters_default(&routing_parameters, &routing->config);
}

enum routing_choice scenario_routing_choice(const struct scenario_routing *routing,
					    enum fabric_kind fabric)
{
	if (routing->given.choice)
		return routing->config.choice;
	if (fabric == FABRIC_ROCE)
		return ROUTING_HASH;
	return routing->preset == PRESET_S2 ? ROUTING_ADAPTIVE : ROUTING_STATIC;
}

/* a number, or `auto`, which means 0 */
static void lanes_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	struct scenario_routing *routing = target;
	uint32_t classes = reader->scenario->class_count;

	if (node->kind == YAML_SCALAR && !strcmp(node->text, "auto")) {
		routing->lanes = 0;
		return;
	}
	key_count(reader, key, node, target);
	if (routing->lanes && classes * routing->lanes > NODE_LANES_MAX)
		key_refuse(reader, node,
			   "lanes: %u for each of %u classes are %u, and a link has %u at most; "
			   "expected auto or 1 to %u",
			   routing->lanes, classes, classes * routing->lanes, NODE_LANES_MAX,
			   NODE_LANES_MAX / classes);
}

static const struct key route_keys[] = {
	{ "at", key_name, KEY_FIELD(struct scenario_route, at), .required = true },
	{ "to", key_name, KEY_FIELD(struct scenario_route, to), .required = true },
	{ "by", key_name, KEY_FIELD(struct scenario_route, by), .required = true },
};

static void routes_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	struct scenario_routing *routing = target;

	if (!key_is_list(reader, key, node, 0, SCENARIO_ROUTES_MAX,
			 "routes, such as [{at: s1, to: h3, by: s2}]"))
		return;
	routing->routes = calloc(node->count, sizeof(*routing->routes));
	reader->out_of_memory |= !routing->routes;
	for (const struct yaml_node *child = node->first; child && routing->routes;
	     child = child->next) {
		struct scenario_route *route = &routing->routes[routing->route_count++];

		route->place = child->place;
		keys_read(reader, child, "a route", route_keys, COUNT_OF(route_keys), route);
	}
}

/* those that are no fields of a routing_config */
static const struct key routing_keys[] = {
	{ "preset", key_word, FIELD(preset), .words = preset_words, .word_count = ROUTING_PRESETS },
	{ "order", key_word, FIELD(order), .words = scenario_order_name,
	  .word_count = ROUTING_ORDERS },
	{ "lanes", lanes_read, FIELD(lanes), .min = 1, .max = NODE_LANES_MAX },
	{ "cycles", key_word, FIELD(cycles_allowed), .words = cycles_words,
	  .word_count = COUNT_OF(cycles_words) },
	{ "routes", .read = routes_read },
	{ "reaction", key_time, FIELD(reaction_ps), .max = NODE_S },
	{ "takeover", key_time, FIELD(takeover_ps), .max = NODE_S },
};

void scenario_routing_read(struct reader *reader, const struct key *key,
			   const struct yaml_node *node, void *target)
{
	struct scenario_routing *routing = &((struct scenario *)target)->routing;
	const struct parameters_reading reading = {
		.table = &routing_parameters,
		.structure = &routing->config,
		.given = &routing->given,
		.keys = routing_keys,
		.key_count = COUNT_OF(routing_keys),
		.target = routing,
	};
	const struct yaml_node *detour = yaml_find(node, "detour");

	(void)key;
	routing->place = node->place;
	/* numbers for detours turn them on, unless `when` does not */
	if (detour && detour->kind == YAML_MAPPING)
		routing->config.detour = DETOUR_ADAPTIVE;
	scenario_parameters_read(reader, node, "'routing'", &reading);
	if (routing->given.redirect_depth_units && routing->given.redirect_full_units &&
	    routing->config.redirect_full_units <= routing->config.redirect_depth_units)
		key_refuse(reader, yaml_find(yaml_find(node, "redirect"), "full"),
			   "full must be greater than depth");
}
