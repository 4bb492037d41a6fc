/*  scenario_link - what links are like: the section `links` of a scenario, and the same keys of a
 *  host or of a single link. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_LINK_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_LINK_H

#include "orchestrator/scenario/scenario_keys.h"

/* rows of the section, beside those of link.def */
extern const struct parameter_table links_parameters;

/* reader of the section */
key_read_fn scenario_links_read;

/** scenario_links_default() - the defaults of links in a fabric of the scenario's kind. */
void scenario_links_default(struct reader *reader);

/** scenario_links_of() - what links are like by default in the scenario with tree @root, which was
 *  read without an error, and a fabric of kind @fabric. */
void scenario_links_of(const struct yaml_node *root, enum fabric_kind fabric,
		       struct links_settings *links);

/** scenario_link_read() - reads the keys of a link from @mapping, which @what names in errors, into
 *  @link; beside them @key_count @keys into @target. */
void scenario_link_read(struct reader *reader, const struct yaml_node *mapping, const char *what,
			const struct key *keys, size_t key_count, void *target,
			struct link_config *link);

/** scenario_link_towards_read() - the key `towards` of a link between @end_a and @end_b: settings
 *  of single directions. @towards its mapping, NULL: none. @link what both directions are like.
 *  @to_b, @to_a receive what the directions are like. */
void scenario_link_towards_read(struct reader *reader, const struct yaml_node *towards,
				const char *end_a, const char *end_b,
				const struct link_config *link, struct link_config *to_b,
				struct link_config *to_a);

#endif
