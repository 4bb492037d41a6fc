#include "orchestrator/base/port_name.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
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

const char *port_names_list(const struct node_config *node, uint64_t ports, char *text,
			    size_t text_max)
{
	uint32_t listed = 0, left = 0;
	size_t length = 0;

	text[0] = 0;
	for (uint32_t port = 0; port < node->port_count; port++) {
		if (node->ports[port].vacant || !(ports >> port & 1))
			continue;
		if (listed == PORT_NAMES_LISTED_MAX || length >= text_max) {
			left++;
			continue;
		}
		length += (size_t)snprintf(text + length, text_max - length, "%sp%" PRIu32 " %s",
					   listed++ ? ", " : "", port, node->ports[port].peer_name);
	}
	if (left && length < text_max)
		snprintf(text + length, text_max - length, " and %" PRIu32 " more", left);
	return text;
}
