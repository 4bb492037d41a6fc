#include "orchestrator/base/ip_address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/config/prefix.h"

bool ip_address_parse(const char *text, struct ip_address *address)
{
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	char plain[INET6_ADDRSTRLEN];
	char *end;

	if (length >= sizeof(plain))
		return false;
	memcpy(plain, text, length);
	plain[length] = 0;
	*address = (struct ip_address){ .version = strchr(plain, ':') ? 6 : 4 };
	if (inet_pton(ip_address_family(address), plain, address->bytes) != 1)
		return false;
	address->bits = (uint8_t)prefix_bits_max(address->version);
	if (slash) {
		unsigned long bits = strtoul(slash + 1, &end, 10);

		if (slash[1] < '0' || slash[1] > '9' || *end || bits > address->bits)
			return false;
		address->bits = (uint8_t)bits;
	}
	return true;
}

const char *ip_address_text(const struct ip_address *address, char text[IP_ADDRESS_TEXT_MAX])
{
	inet_ntop(ip_address_family(address), address->bytes, text, IP_ADDRESS_TEXT_MAX);
	return text;
}

const char *ip_address_subnet_text(const struct ip_address *address, char text[IP_ADDRESS_TEXT_MAX])
{
	size_t length = strlen(ip_address_text(address, text));

	snprintf(text + length, IP_ADDRESS_TEXT_MAX - length, "/%u", address->bits);
	return text;
}

int ip_address_family(const struct ip_address *address)
{
	return address->version == 4 ? AF_INET : AF_INET6;
}

bool ip_address_same(const struct ip_address *a, const struct ip_address *b)
{
	return a->version == b->version && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

bool ip_address_covers(const struct ip_address *address, const struct ip_address *other)
{
	if (address->version != other->version)
		return false;
	for (uint32_t i = 0; i < sizeof(address->bytes); i++)
		if ((address->bytes[i] ^ other->bytes[i]) & prefix_mask(address->bits, i))
			return false;
	return true;
}

struct ip_address ip_address_subnet(const struct ip_address *address)
{
	struct ip_address subnet = *address;

	for (uint32_t i = 0; i < sizeof(subnet.bytes); i++)
		subnet.bytes[i] &= prefix_mask(address->bits, i);
	return subnet;
}

bool ip_address_is_end(const struct ip_address *address)
{
	struct ip_address subnet = ip_address_subnet(address), last = subnet;

	for (uint32_t i = 0; i < prefix_bits_max(address->version) / 8; i++)
		last.bytes[i] |= (uint8_t)~prefix_mask(address->bits, i);
	return address->version == 4 && address->bits <= 30 &&
	       (ip_address_same(address, &subnet) || ip_address_same(address, &last));
}
