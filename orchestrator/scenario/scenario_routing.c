/*  scenario_routing - the section `routing` of a scenario (FC-15, FC-16, FC-23 ... FC-26).
 *
 *  It is read with any kind of fabric, so that one file can be compared under several. */
#include "orchestrator/scenario/scenario_routing.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/scenario_keys.h"

#define BYTES_MAX ((uint64_t)ROUTING_UNITS_MAX * 256)

#define FIELD(field) KEY_FIELD(struct scenario_routing, field)

const char *const scenario_choice_name[ROUTING_CHOICES] = {
	[ROUTING_STATIC] = "static", [ROUTING_HASH] = "hash", [ROUTING_ADAPTIVE] = "adaptive"
};
const char *const scenario_order_name[ROUTING_ORDERS] = {
	[ORDER_AUTO] = "auto", [ORDER_MINIMAL] = "minimal", [ORDER_UP_DOWN] = "up-down"
};
const char *const scenario_detour_name[ROUTING_DETOURS] = {
	[DETOUR_NEVER] = "never", [DETOUR_ADAPTIVE] = "adaptive", [DETOUR_ALWAYS] = "always"
};

const char *const scenario_redirect_rule_name[REDIRECT_RULES] = {
	[REDIRECT_BY_LOADS] = "loads", [REDIRECT_BY_DEPTH] = "depth"
};

static const char *const preset_words[ROUTING_PRESETS] = {
	[PRESET_NONE] = "none", [PRESET_S2] = "s2"
};
static const char *const load_words[] = { "path", "queue" }; /* by load_queue */
static const char *const cycles_words[] = { "refuse", "allow" };

void scenario_routing_init(struct scenario_routing *routing)
{
	*routing = (struct scenario_routing){
		.preset = PRESET_NONE,
		.choice = SCENARIO_DERIVED,
		.load_queue = SCENARIO_DERIVED,
		.order = ORDER_AUTO,
		.cycles_allowed = SCENARIO_DERIVED,
		.detour = DETOUR_NEVER,
		.detour_weight_permille = SCENARIO_DERIVED,
		.detour_bias_bytes = SCENARIO_DERIVED,
		.detour_draws = SCENARIO_DERIVED,
		.hold_sources = SCENARIO_DERIVED,
		.hold_ps = SCENARIO_DERIVED,
		.redirect = SCENARIO_DERIVED,
		.redirect_rule = SCENARIO_DERIVED,
		.redirect_anywhere = SCENARIO_DERIVED,
		.redirect_depth_bytes = SCENARIO_DERIVED,
		.redirect_full_bytes = SCENARIO_DERIVED,
		.redirect_growth_permille = SCENARIO_DERIVED,
		.redirect_interval_ps = SCENARIO_DERIVED,
		.redirect_pause_ps = SCENARIO_DERIVED,
		.redirect_group = SCENARIO_DERIVED,
		.reaction_ps = 10 * NODE_US,
		.takeover_ps = NODE_MS, /* ours: three missing heartbeats */
	};
}

enum routing_choice scenario_routing_choice(const struct scenario_routing *routing,
					    enum fabric_kind fabric)
{
	if (routing->choice != SCENARIO_DERIVED)
		return (enum routing_choice)routing->choice;
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

static const struct key detour_keys[] = {
	{ "when", key_word, FIELD(detour), .words = scenario_detour_name,
	  .word_count = ROUTING_DETOURS },
	{ "weight", key_share, FIELD(detour_weight_permille), .max = ROUTING_WEIGHT_PERMILLE_MAX,
	  .one = 1000 },
	{ "bias", key_size, FIELD(detour_bias_bytes), .max = BYTES_MAX },
	{ "draws", key_count, FIELD(detour_draws), .min = 1, .max = ROUTING_DRAWS_MAX },
};

static void detour_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	(void)key;
	if (node->kind == YAML_MAPPING)
		((struct scenario_routing *)target)->detour = DETOUR_ADAPTIVE;
	keys_read_mechanism(reader, node, "'detour'", detour_keys, COUNT_OF(detour_keys), target);
}

static const struct key hold_keys[] = {
	{ "enabled", key_flag, FIELD(hold_sources) },
	{ "for", key_time, FIELD(hold_ps), .min = NODE_NS, .max = ROUTING_TIME_MAX_PS },
};

static void hold_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	(void)key;
	if (node->kind == YAML_MAPPING)
		((struct scenario_routing *)target)->hold_sources = true;
	keys_read_mechanism(reader, node, "'hold-sources'", hold_keys, COUNT_OF(hold_keys), target);
}

/* never: a full depth of 0 */
static const struct key redirect_keys[] = {
	{ "enabled", key_flag, FIELD(redirect) },
	{ "depth", key_size, FIELD(redirect_depth_bytes), .max = BYTES_MAX },
	{ "full", key_size, FIELD(redirect_full_bytes), .min = 1, .max = BYTES_MAX },
	{ "growth", key_share, FIELD(redirect_growth_permille), .max = ROUTING_WEIGHT_PERMILLE_MAX,
	  .one = 1000 },
	{ "interval", key_time, FIELD(redirect_interval_ps), .min = NODE_NS,
	  .max = ROUTING_TIME_MAX_PS },
	{ "pause", key_time, FIELD(redirect_pause_ps), .max = ROUTING_TIME_MAX_PS },
	{ "anywhere", key_flag, FIELD(redirect_anywhere) },
	{ "group", key_count, FIELD(redirect_group), .min = 1, .max = ROUTING_GROUP_MAX },
	{ "rule", key_word, FIELD(redirect_rule), .words = scenario_redirect_rule_name,
	  .word_count = REDIRECT_RULES },
};

static void redirect_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	struct scenario_routing *routing = target;

	(void)key;
	if (node->kind == YAML_MAPPING)
		routing->redirect = true;
	keys_read_mechanism(reader, node, "'redirect'", redirect_keys, COUNT_OF(redirect_keys),
			    target);
	if (routing->redirect_depth_bytes != SCENARIO_DERIVED &&
	    routing->redirect_full_bytes != SCENARIO_DERIVED &&
	    routing->redirect_full_bytes <= routing->redirect_depth_bytes)
		key_refuse(reader, yaml_find(node, "full"), "full must be greater than depth");
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

	(void)key;
	if (node->kind != YAML_SEQUENCE || node->count > SCENARIO_ROUTES_MAX) {
		key_refuse(reader, node,
			   "'routes' must be a list of at most %u routes, such as [{at: s1, to: "
			   "h3, by: s2}]",
			   SCENARIO_ROUTES_MAX);
		return;
	}
	routing->routes = calloc(node->count + 1, sizeof(*routing->routes));
	reader->out_of_memory |= !routing->routes;
	for (const struct yaml_node *child = node->first; child && routing->routes;
	     child = child->next) {
		struct scenario_route *route = &routing->routes[routing->route_count++];

		route->place = child->place;
		keys_read(reader, child, "a route", route_keys, COUNT_OF(route_keys), route);
	}
}

static const struct key routing_keys[] = {
	{ "choice", key_word, FIELD(choice), .words = scenario_choice_name,
	  .word_count = ROUTING_CHOICES },
	{ "preset", key_word, FIELD(preset), .words = preset_words, .word_count = ROUTING_PRESETS },
	{ "load", key_word, FIELD(load_queue), .words = load_words,
	  .word_count = COUNT_OF(load_words) },
	{ "order", key_word, FIELD(order), .words = scenario_order_name,
	  .word_count = ROUTING_ORDERS },
	{ "lanes", lanes_read, FIELD(lanes), .min = 1, .max = NODE_LANES_MAX },
	{ "cycles", key_word, FIELD(cycles_allowed), .words = cycles_words,
	  .word_count = COUNT_OF(cycles_words) },
	{ "detour", .read = detour_read },
	{ "hold-sources", .read = hold_read },
	{ "redirect", .read = redirect_read },
	{ "routes", .read = routes_read },
	{ "reaction", key_time, FIELD(reaction_ps), .max = NODE_S },
	{ "takeover", key_time, FIELD(takeover_ps), .max = NODE_S },
};

void scenario_routing_read(struct reader *reader, const struct key *key,
			   const struct yaml_node *node, void *target)
{
	struct scenario_routing *routing = &((struct scenario *)target)->routing;

	(void)key;
	routing->place = node->place;
	keys_read(reader, node, "'routing'", routing_keys, COUNT_OF(routing_keys), routing);
}
