#include "switchd/port_group/lid_set.h"

#include "switchd/port_group/lid_switch.h"

#define TIME_NS_MAX (PORT_GROUP_TIME_MAX_PS / NODE_NS)

const char *const lid_policy_names[] = { [POLICY_RANDOM] = "random",
					 [POLICY_GREEDY] = "greedy",
					 [POLICY_GREEDY_RANDOM] = "greedy-random",
					 [PORT_GROUP_POLICIES] = NULL };

static int settings_check(const void *dataplane, const void *changed, char *why, size_t why_max)
{
	(void)dataplane;
	return port_group_config_check(changed, why, (unsigned)why_max);
}

#define AT(member) offsetof(struct port_group_config, member)
#define YES_NO(name, member)                                             \
	{                                                                \
		name, PARAMETER_FLAG, AT(member), .words = switch_yes_no \
	}
#define UNITS(name, member)                                                                \
	{                                                                                  \
		name, PARAMETER_NUMBER, AT(member), .min = 1, .max = PORT_GROUP_UNITS_MAX, \
						    .unit = "units"                        \
	}

static const struct switch_parameter parameters[] = {
	YES_NO("adaptive", adaptive),
	YES_NO("update", update_lft),
	YES_NO("fecn", fecn),
	{ "policy", PARAMETER_CHOICE, AT(policy), .words = lid_policy_names },
	UNITS("pending", pending_units),
	UNITS("queue", queue_units),
	UNITS("fecn-at", fecn_units),
	{ "marks", PARAMETER_NUMBER, AT(log_marks), .min = 1, .max = PORT_GROUP_MARKS_MAX },
	{ "window", PARAMETER_NS, AT(log_window_ps), .min = 1, .max = TIME_NS_MAX },
	{ "hold", PARAMETER_NS, AT(hold_ps), .max = TIME_NS_MAX },
	{ .name = NULL },
};

const struct switch_settings lid_settings = {
	.parameters = parameters,
	.offset = offsetof(struct lid_switch, settings),
	.bytes = sizeof(struct port_group_config),
	.check = settings_check,
};
