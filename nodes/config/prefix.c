#include "nodes/config/prefix.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

uint8_t prefix_mask(uint32_t bits, uint32_t byte)
{
	uint32_t before = 8 * byte;

	if (bits >= before + 8)
		return 0xff;
	return bits <= before ? 0 : (uint8_t)(0xff00u >> (bits - before));
}

bool prefix_covers(const struct prefix_config *prefix, const uint8_t *address)
{
	uint32_t whole = prefix->bits / 8;

	if (memcmp(prefix->address, address, whole))
		return false;
	return !(prefix->bits % 8) ||
	       (address[whole] & prefix_mask(prefix->bits, whole)) == prefix->address[whole];
}

void prefix_last(const struct prefix_config *prefix, uint8_t last[16])
{
	memset(last, 0, 16);
	for (uint32_t i = 0; i < prefix_bits_max(prefix->version) / 8; i++)
		last[i] = prefix->address[i] | (uint8_t)~prefix_mask(prefix->bits, i);
}

bool prefix_is_clean(const struct prefix_config *prefix)
{
	if ((prefix->version != 4 && prefix->version != 6) ||
	    prefix->bits > prefix_bits_max(prefix->version))
		return false;
	for (uint32_t i = 0; i < sizeof(prefix->address); i++)
		if (prefix->address[i] & (uint8_t)~prefix_mask(prefix->bits, i))
			return false;
	return true;
}

int prefix_order(const struct prefix_config *a, const struct prefix_config *b)
{
	int order = a->version - b->version;

	if (!order)
		order = memcmp(a->address, b->address, sizeof(a->address));
	return order ? order : a->bits - b->bits;
}

int prefix_list_check(const struct prefix_config *prefixes, uint32_t count, uint32_t host_end,
		      struct why *why)
{
	const char *wrong = NULL;
	uint32_t i = 0;

	for (; i < count && !wrong; i++) {
		if (prefixes[i].host_index >= host_end)
			wrong = "is of a host that cannot be";
		else if (!prefix_is_clean(&prefixes[i]))
			wrong = "is no IP prefix";
		else if (prefixes[i].own && prefixes[i].bits < prefix_bits_max(prefixes[i].version))
			wrong = "is a host's own address, but not of full length";
		else if (i && prefix_order(&prefixes[i - 1], &prefixes[i]) >= 0)
			wrong = "is not after the one before it";
	}
	why->text[0] = 0;
	if (!wrong)
		return 0;
	return why_say(why, -EINVAL, "prefixes[%" PRIu32 "] %s", i - 1, wrong);
}
