#include "orchestrator/base/port_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

uint64_t port_name_find(const struct node_config *node, const char *name)
{
	unsigned long number;
	uint64_t ports = 0;
	char *end;

	for (uint32_t port = 0; port < node->port_count; port++) {
		if (!node->ports[port].vacant && !strcmp(node->ports[port].peer_name, name))
			ports |= 1ull << port;
	}
	if (ports)
		return ports;
	name += *name == 'p';
	if (!isdigit((unsigned char)*name))
		return 0;
	number = strtoul(name, &end, 10);
	return !*end && number < node->port_count ? 1ull << number : 0;
}
