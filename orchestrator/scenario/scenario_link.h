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

/** scenario_link_read() - reads the keys of a link from @mapping, which @what names in errors, into
 *  @link; beside them @key_count @keys into @target. */
void scenario_link_read(struct reader *reader, const struct yaml_node *mapping, const char *what,
			const struct key *keys, size_t key_count, void *target,
			struct link_config *link);

#endif
