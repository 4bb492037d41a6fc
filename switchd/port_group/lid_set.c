#include "switchd/port_group/lid_set.h"

#include "switchd/port_group/lid_switch.h"

static int settings_check(const void *dataplane, const void *changed, struct why *why)
{
	(void)dataplane;
	return port_group_config_check(changed, why);
}

const struct switch_settings lid_settings = {
	.table = &port_group_parameters,
	.offset = offsetof(struct lid_switch, settings),
	.check = settings_check,
};
