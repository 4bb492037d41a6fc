/*  config_check - is a configuration complete, and within the limits that config.h states? (TB-6,
 *  TB-23) */
#ifndef HEDDLE_NODES_CONTROL_CONFIG_CHECK_H
#define HEDDLE_NODES_CONTROL_CONFIG_CHECK_H

#include "nodes/config/config.h"

/** node_config_check() - is @config complete and within every limit stated in config.h?
 *  Return: 0, or -EINVAL with a sentence in @why. */
int node_config_check(const struct node_config *config, struct why *why);

#endif
