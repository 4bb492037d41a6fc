/*  dataplane_set - the parameters of the flow-channel switch (TB-10). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_DATAPLANE_SET_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_DATAPLANE_SET_H

#include "switchd/flow_channel/dataplane.h"

/* switch_ops.settings */
extern const struct switch_settings dataplane_settings;

/** dataplane_settings_init() - the settings of a new switch: those of its configuration. */
void dataplane_settings_init(struct dataplane *dp);

#endif
