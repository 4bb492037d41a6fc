#include "switchd/flow_channel/ack.h"

#include <errno.h>

#include "nodes/base/ensure.h"
#include "nodes/base/table.h"

#define CREDIT_AGAIN (1u << ACK_HEADROOM_END | 1u << ACK_HEADROOM)
#define ADDITIVE_TYPES (1u << ACK_DELTA | 1u << ACK_DELTA_ECA | 1u << ACK_LOSS | 1u << ACK_HEADROOM)

static const uint8_t order[] = { ACK_HEADROOM_END, ACK_HEADROOM,  ACK_ECA, ACK_REROUTE,
				 ACK_DELTA,        ACK_DELTA_ECA, ACK_LOSS };

int ack_collector_init(struct ack_collector *collector, uint32_t channels,
		       const struct switch_config *config, struct table_arena *arena)
{
	*collector = (struct ack_collector){
		.channels = channels,
		.t1_ps = config->ack_t1_ps,
		.t2_ps = config->ack_t2_ps,
		.t3_ps = config->ack_t3_ps,
		.collect = config->ack_collect,
	};
	if (!TABLE_INIT(collector->lines, channels, arena) ||
	    !TABLE_INIT(collector->waiting, channels, arena)) {
		ack_collector_fini(collector);
		return -ENOMEM;
	}
	return 0;
}

void ack_collector_fini(struct ack_collector *collector)
{
	TABLE_FINI(collector->lines, collector->channels);
	TABLE_FINI(collector->waiting, collector->channels);
	*collector = (struct ack_collector){ 0 };
}

/* the flow whose ACK waits longest; at least one waits */
static uint32_t first_flow_id(const struct ack_collector *collector)
{
	return *TABLE_AT(collector->waiting, collector->first);
}

/* An ACK_ECA is newer than the deliveries that wait. As ACK_DELTA they would clear the congestion,
 * so they become ACK_DELTA_ECA. */
static void keep_congestion(struct ack_line *line)
{
	if (!(line->types & 1u << ACK_DELTA))
		return;
	if (!(line->types & 1u << ACK_DELTA_ECA))
		line->value[ACK_DELTA_ECA] = 0;
	line->value[ACK_DELTA_ECA] += line->value[ACK_DELTA];
	line->types = (uint8_t)((line->types & ~(1u << ACK_DELTA)) | 1u << ACK_DELTA_ECA);
}

void ack_collect(struct ack_collector *collector, uint32_t flow_id, uint32_t type, uint32_t value,
		 node_time_t now)
{
	struct ack_line *line = TABLE_AT(collector->lines, flow_id);
	uint8_t bit = (uint8_t)(1u << type);
	uint32_t at;

	ENSURE(flow_id, <, collector->channels);
	ENSURE(type, <=, ACK_TYPES);
	if (!line->types) {
		ENSURE(collector->count, <, collector->channels);
		line->since_ps = now;
		if (!collector->count) {
			collector->first_at_ps = now;
			collector->first = 0; /* a short ring stays near */
		}
		at = collector->first + collector->count++;
		if (at >= collector->channels)
			at -= collector->channels;
		*TABLE_AT(collector->waiting, at) = (uint16_t)flow_id;
	}
	if (type == ACK_ECA)
		keep_congestion(line);
	if (type == ACK_HEADROOM_END)
		line->types &= (uint8_t) ~(1u << ACK_HEADROOM);
	if (!(line->types & bit))
		line->value[type] = 0;
	line->types |= bit;
	line->value[type] = ADDITIVE_TYPES & bit ? line->value[type] + value : value;
}

void ack_collector_clear(struct ack_collector *collector)
{
	for (; collector->count; collector->count--) {
		TABLE_AT(collector->lines, first_flow_id(collector))->types = 0;
		if (++collector->first == collector->channels)
			collector->first = 0;
	}
}

node_time_t ack_ready_at(const struct ack_collector *collector, bool link_idle)
{
	if (!collector->count)
		return NODE_TIME_NEVER;
	if (collector->count >= ACK_FRAME_ACKS_MAX)
		return collector->first_at_ps;
	if (link_idle)
		return collector->first_at_ps + collector->t1_ps;
	if (collector->count >= collector->collect)
		return collector->first_at_ps + collector->t2_ps;
	return collector->first_at_ps + collector->t3_ps;
}

static uint32_t next_type(const struct ack_line *line)
{
	uint32_t i = 0;

	ENSURE(line->types, !=, 0); /* it waits */
	while (!(line->types & 1u << order[i]))
		i++;
	return order[i];
}

/* the flow's next ACK; a sum that one ACK cannot express is split */
static struct ack take_one(struct ack_line *line, uint32_t flow_id)
{
	uint32_t type = next_type(line);
	uint32_t most = type == ACK_HEADROOM ? ACK_HEADROOM_MAX : ACK_VALUE_MAX;
	uint32_t value = line->value[type] > most ? most : line->value[type];

	line->value[type] -= value;
	if (!line->value[type])
		line->types &= (uint8_t) ~(1u << type);
	if (type == ACK_HEADROOM_END)
		return (struct ack){ .flow_id = (uint16_t)flow_id,
				     .value = ACK_VALUE_MAX,
				     .type = ACK_HEADROOM };
	return (struct ack){ .flow_id = (uint16_t)flow_id,
			     .value = (uint16_t)value,
			     .type = (uint8_t)type };
}

uint32_t ack_take(struct ack_collector *collector, struct ack *acks)
{
	uint32_t count = 0;

	while (collector->count && count < ACK_FRAME_ACKS_MAX) {
		uint32_t flow_id = first_flow_id(collector);
		struct ack_line *line = TABLE_AT(collector->lines, flow_id);

		/* A credit that is reported again goes with the end of the former one, in one
		 * frame: frames can be lost one by one. */
		if (count == ACK_FRAME_ACKS_MAX - 1 && (line->types & CREDIT_AGAIN) == CREDIT_AGAIN)
			break;
		acks[count++] = take_one(line, flow_id);
		if (line->types)
			continue;
		collector->count--;
		if (++collector->first == collector->channels)
			collector->first = 0;
	}
	if (collector->count)
		collector->first_at_ps =
			TABLE_AT(collector->lines, first_flow_id(collector))->since_ps;
	return count;
}
