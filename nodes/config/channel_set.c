#include "nodes/config/channel_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t channel_set_count(const struct channel_set *set)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < NODE_CHANNELS_MAX / 64; i++)
		count += (uint32_t)__builtin_popcountll(set->bits[i]);
	return count;
}

void channel_set_write(const struct channel_set *set, char *text)
{
	char *end = text + CHANNEL_SET_TEXT_MAX;
	char *at = text;

	*at = 0;
	for (uint32_t id = 0; id < NODE_CHANNELS_MAX; id++)
		if (channel_set_has(set, id))
			at += snprintf(at, (size_t)(end - at), at == text ? "%u" : " %u", id);
}

int channel_set_read(const char *text, struct channel_set *set)
{
	*set = (struct channel_set){ 0 };
	while (text && *text) {
		char *end;
		unsigned long id = strtoul(text, &end, 10);

		if (*text < '0' || *text > '9' || id >= NODE_CHANNELS_MAX || (*end && *end != ' '))
			return -EINVAL;
		channel_set_add(set, (uint32_t)id);
		text = *end ? end + 1 : end;
	}
	return 0;
}
