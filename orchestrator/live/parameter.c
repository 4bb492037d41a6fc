#include "orchestrator/live/parameter.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/base/units.h"
#include "orchestrator/base/quantity.h"

#define SHARE_OF(parts) (QUANTITY_SHARE_ONE / (parts))
#define ANY_FABRIC (1u << FABRIC_FLOW_CHANNEL | 1u << FABRIC_ROCE | 1u << FABRIC_PORT_GROUP)

/* parameters that have a unit; of switches: dataplane_set, ethernet_set, lid_set; of NICs:
 * nic_set() */
static const struct settable {
	unsigned fabrics;    /* set of 1 << enum fabric_kind */
	const char *pattern; /* of the name: fnmatch(3) */
	enum quantity_kind kind;
	uint64_t one; /* the node's unit */
} parameters[] = {
	{ 1u << FABRIC_FLOW_CHANNEL, "ack.t[123]", QUANTITY_TIME, NODE_NS },
	{ 1u << FABRIC_FLOW_CHANNEL, "output-queue", QUANTITY_BYTES, UNIT_BYTES },
	{ 1u << FABRIC_ROCE, "watchdog", QUANTITY_TIME, NODE_US },
	{ 1u << FABRIC_ROCE, "supplement-period", QUANTITY_TIME, NODE_US },
	{ 1u << FABRIC_ROCE, "reference", QUANTITY_SHARE, SHARE_OF(1000) },
	{ 1u << FABRIC_ROCE, "path-high", QUANTITY_BYTES, 1 },
	{ 1u << FABRIC_ROCE, "path-low", QUANTITY_BYTES, 1 },
	{ 1u << FABRIC_ROCE, "kmin", QUANTITY_BYTES, 1 },
	{ 1u << FABRIC_ROCE, "kmax", QUANTITY_BYTES, 1 },
	{ 1u << FABRIC_ROCE, "queue", QUANTITY_BYTES, 1 },
	{ 1u << FABRIC_ROCE, "xoff", QUANTITY_BYTES, 1 },
	{ 1u << FABRIC_ROCE, "xon-offset", QUANTITY_BYTES, 1 },
	{ 1u << FABRIC_ROCE, "pmax", QUANTITY_SHARE, SHARE_OF(1000000) },
	{ 1u << FABRIC_ROCE, "alpha", QUANTITY_SHARE, SHARE_OF(1000) },
	{ 1u << FABRIC_PORT_GROUP, "pending", QUANTITY_BYTES, UNIT_BYTES },
	{ 1u << FABRIC_PORT_GROUP, "queue", QUANTITY_BYTES, UNIT_BYTES },
	{ 1u << FABRIC_PORT_GROUP, "fecn-at", QUANTITY_BYTES, UNIT_BYTES },
	{ 1u << FABRIC_PORT_GROUP, "window", QUANTITY_TIME, NODE_NS },
	{ 1u << FABRIC_PORT_GROUP, "hold", QUANTITY_TIME, NODE_NS },
	{ ANY_FABRIC, "workload.*.load", QUANTITY_SHARE, SHARE_OF(1000) },
};

/* In a fabric of kind roce "CLASS." may stand before a parameter of classes. */
static const struct settable *parameter_find(enum fabric_kind fabric, const char *name)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; i < COUNT_OF(parameters); i++) {
		const struct settable *parameter = &parameters[i];

		if (!(parameter->fabrics >> fabric & 1))
			continue;
		if (!fnmatch(parameter->pattern, name, 0) ||
		    (fabric == FABRIC_ROCE && dot && !strcmp(parameter->pattern, dot + 1)))
			return parameter;
	}
	return NULL;
}

int parameter_convert(enum fabric_kind fabric, const char *name, const char *value, char *text,
		      unsigned text_max, char *why, unsigned why_max)
{
	const struct settable *parameter = parameter_find(fabric, name);
	char step[QUANTITY_TEXT_MAX];
	uint64_t number;

	snprintf(text, text_max, "%s", value);
	if (!parameter || strspn(value, "0123456789") == strlen(value))
		return 0;
	if (quantity_parse(parameter->kind, value, &number, why, why_max))
		return -EINVAL;
	if (number % parameter->one) {
		snprintf(why, why_max, "'%.40s' is finer than the step of %s", value,
			 quantity_format(parameter->kind, parameter->one, step));
		return -EINVAL;
	}
	snprintf(text, text_max, "%" PRIu64, number / parameter->one);
	return 0;
}
