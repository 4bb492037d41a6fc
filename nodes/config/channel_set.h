/*  channel_set - which flow channels of a link: those that a port still has of a link that is gone
 *  (FC-15, FC-26).
 *
 *  The end that received over the link keeps the set in its statistics page (port_stats.left); the
 *  end that sent is told it as text (CONTROL_SETTLED), for each of these channels has packets that
 *  its flow must not overtake. */
#ifndef HEDDLE_NODES_CONFIG_CHANNEL_SET_H
#define HEDDLE_NODES_CONFIG_CHANNEL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/config/config.h"

#define CHANNEL_SET_TEXT_MAX (5u * NODE_CHANNELS_MAX + 1)

struct channel_set {
	uint64_t bits[NODE_CHANNELS_MAX / 64];
};

/* @id < NODE_CHANNELS_MAX */
static inline void channel_set_add(struct channel_set *set, uint32_t id)
{
	set->bits[id / 64] |= 1ull << id % 64;
}

static inline void channel_set_remove(struct channel_set *set, uint32_t id)
{
	set->bits[id / 64] &= ~(1ull << id % 64);
}

static inline bool channel_set_has(const struct channel_set *set, uint32_t id)
{
	return set->bits[id / 64] >> id % 64 & 1;
}

/** channel_set_count() - how many channels are in @set. */
uint32_t channel_set_count(const struct channel_set *set);

/** channel_set_write() - @set as numbers with spaces between them, into @text of
 *  CHANNEL_SET_TEXT_MAX bytes; "" if it is empty. */
void channel_set_write(const struct channel_set *set, char *text);

/** channel_set_read() - the opposite. @text not trusted; NULL is empty. Return: 0 or -EINVAL (@set
 *  is then not defined). */
int channel_set_read(const char *text, struct channel_set *set);

#endif
