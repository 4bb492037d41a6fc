/*  scenario_host_keys - reads the settings of hosts: keys of an entry of `topology.hosts`, of its
 *  interfaces, and of the section `hosts`. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_HOST_KEYS_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_HOST_KEYS_H

#include "orchestrator/scenario/scenario_host.h"
#include "orchestrator/scenario/scenario_keys.h"

#define HOST_KEYS_MAX 24u /* of a host, without those of a NIC and its link */

/* the target of the keys, first in that of the mapping that has them */
struct host_keys_target {
	struct scenario_host_settings *settings;
	bool weak; /* a key that the settings have from an entry of the topology stays as it is */
};

/* what the keys mean: rows of host.def */
extern const struct parameter_table host_parameters;

/** scenario_host_keys() - fills @keys with the keys of the settings of a host.
 *  Return: their number. */
size_t scenario_host_keys(struct key keys[HOST_KEYS_MAX]);

/** scenario_host_key_name() - the name of the key with bit @bit of `given`; NULL: there is none. */
const char *scenario_host_key_name(unsigned bit);

/* the keys `addresses` and `vlans` of a further interface: @target + offset is a host_interface */
key_read_fn scenario_host_addresses_read, scenario_host_vlans_read;

#endif
