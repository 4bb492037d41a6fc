#include "switchd/flow_channel/fgfc.h"

#include <errno.h>

#include "nodes/base/table.h"

#define LESS_EIGHTHS 7u
#define MORE_EIGHTHS 9u
#define OWED_EIGHTHS_MAX (1u << 30) /* no frame could be sent for so long: more has no use */

int fgfc_init(struct fgfc *fgfc, uint32_t channels, const struct congestion_config *config,
	      struct table_arena *arena)
{
	*fgfc = (struct fgfc){
		.channels = channels,
		.pause_ps = config->fgfc_pause_ps,
		.credit_units = config->fgfc_credit_units,
	};
	if (!config->fgfc)
		return 0;
	fgfc->masks = table_alloc(channels, sizeof(*fgfc->masks));
	if (!TABLE_INIT(fgfc->lines, channels, arena) ||
	    !TABLE_INIT(fgfc->waiting, channels, arena) || !fgfc->masks) {
		fgfc_fini(fgfc);
		return -ENOMEM;
	}
	return 0;
}

void fgfc_fini(struct fgfc *fgfc)
{
	TABLE_FINI(fgfc->lines, fgfc->channels);
	TABLE_FINI(fgfc->waiting, fgfc->channels);
	table_free(fgfc->masks, fgfc->channels, sizeof(*fgfc->masks));
	*fgfc = (struct fgfc){ 0 };
}

/* ---- flows that need a frame ---- */

static void wait_for_frame(struct fgfc *fgfc, uint32_t flow_id)
{
	struct fgfc_line *line = TABLE_AT(fgfc->lines, flow_id);
	uint32_t at;

	if (line->waiting)
		return;
	if (!fgfc->count)
		fgfc->first = 0; /* a short ring stays near */
	at = fgfc->first + fgfc->count;
	line->waiting = true;
	*TABLE_AT(fgfc->waiting, at >= fgfc->channels ? at - fgfc->channels : at) =
		(uint16_t)flow_id;
	fgfc->count++;
}

static uint32_t waiting_pop(struct fgfc *fgfc)
{
	uint32_t flow_id = *TABLE_AT(fgfc->waiting, fgfc->first);

	if (++fgfc->first == fgfc->channels)
		fgfc->first = 0;
	fgfc->count--;
	TABLE_AT(fgfc->lines, flow_id)->waiting = false;
	return flow_id;
}

/* ---- flows that have a pause, by the time of their last frame ---- */

static void told_unlink(struct fgfc *fgfc, uint32_t flow_id)
{
	struct fgfc_line *line = TABLE_AT(fgfc->lines, flow_id);
	struct fgfc_told *told = &fgfc->told[line->level];

	if (line->older)
		TABLE_AT(fgfc->lines, line->older - 1)->younger = line->younger;
	else
		told->oldest = line->younger;
	if (line->younger)
		TABLE_AT(fgfc->lines, line->younger - 1)->older = line->older;
	else
		told->youngest = line->older;
}

static void told_append(struct fgfc *fgfc, uint32_t flow_id, node_time_t now)
{
	struct fgfc_line *line = TABLE_AT(fgfc->lines, flow_id);
	struct fgfc_told *told = &fgfc->told[line->level];

	line->told_at_ps = now;
	line->older = told->youngest;
	line->younger = 0;
	if (told->youngest)
		TABLE_AT(fgfc->lines, told->youngest - 1)->younger = (uint16_t)(flow_id + 1);
	else
		told->oldest = (uint16_t)(flow_id + 1);
	told->youngest = (uint16_t)(flow_id + 1);
}

/* when half of the first pause of a level is over */
static node_time_t level_renew_at(const struct fgfc *fgfc, uint32_t level)
{
	uint32_t oldest = fgfc->told[level].oldest;

	return oldest ? TABLE_AT(fgfc->lines, oldest - 1)->told_at_ps +
				(fgfc->pause_ps << level) / 2
		      : NODE_TIME_NEVER;
}

/* the level whose first pause is to be renewed first */
static uint32_t level_first(const struct fgfc *fgfc)
{
	uint32_t first = 0;

	for (uint32_t level = 1; level < FGFC_LEVELS; level++)
		if (level_renew_at(fgfc, level) < level_renew_at(fgfc, first))
			first = level;
	return first;
}

static node_time_t renew_at(const struct fgfc *fgfc)
{
	return level_renew_at(fgfc, level_first(fgfc));
}

/* ---- state ---- */

bool fgfc_start(struct fgfc *fgfc, uint32_t flow_id, const struct flow_name *name,
		const struct flow_name *mask)
{
	struct fgfc_line *line = TABLE_AT(fgfc->lines, flow_id);

	if (line->told &&
	    (!flow_name_equal(&line->name, name) || !flow_name_equal(&fgfc->masks[flow_id], mask)))
		return false;
	if (line->told) /* the end was not sent yet: the NIC still holds it */
		told_append(fgfc, flow_id, line->told_at_ps);
	line->name = *name;
	/* a page that is only read takes no memory */
	if (!flow_name_equal(&fgfc->masks[flow_id], mask))
		fgfc->masks[flow_id] = *mask;
	line->on = true;
	line->since_ps = NODE_TIME_NEVER;
	line->owed_eighths = 8 * fgfc->credit_units;
	fgfc->on++;
	wait_for_frame(fgfc, flow_id);
	return true;
}

/* ends the pause of flow @flow_id, which is ON */
static void stop(struct fgfc *fgfc, uint32_t flow_id)
{
	struct fgfc_line *line = TABLE_AT(fgfc->lines, flow_id);

	line->on = false;
	fgfc->on--;
	if (!line->told)
		return;
	told_unlink(fgfc, flow_id);
	wait_for_frame(fgfc, flow_id);
}

uint32_t fgfc_credit_eighths(uint32_t units, uint32_t queue_units,
			     const struct congestion_setting *setting)
{
	if (queue_units > setting->high_units)
		return 0;
	return units * (queue_units > setting->target_units ? LESS_EIGHTHS : MORE_EIGHTHS);
}

/* credit that is worth a frame */
static uint32_t worth_units(const struct fgfc *fgfc, const struct congestion_setting *setting)
{
	uint32_t units = setting->drop_units / 2 ? setting->drop_units / 2 : 1;

	return units > fgfc->credit_units ? units : fgfc->credit_units;
}

bool fgfc_forwarded(struct fgfc *fgfc, uint32_t flow_id, uint32_t units, uint32_t queue_units,
		    const struct congestion_setting *setting)
{
	struct fgfc_line *line = TABLE_AT(fgfc->lines, flow_id);

	if (!line->on)
		return false;
	if (!queue_units || queue_units < setting->drop_units) {
		stop(fgfc, flow_id);
		return true;
	}
	line->owed_eighths += fgfc_credit_eighths(units, queue_units, setting);
	if (line->owed_eighths > OWED_EIGHTHS_MAX)
		line->owed_eighths = OWED_EIGHTHS_MAX;
	if (line->owed_eighths / 8 >= worth_units(fgfc, setting))
		wait_for_frame(fgfc, flow_id);
	return false;
}

void fgfc_clear(struct fgfc *fgfc)
{
	for (uint32_t level = 0; level < FGFC_LEVELS; level++) {
		for (uint32_t next = fgfc->told[level].oldest; next;
		     next = TABLE_AT(fgfc->lines, next - 1)->younger)
			TABLE_AT(fgfc->lines, next - 1)->on =
				TABLE_AT(fgfc->lines, next - 1)->told = false;
		fgfc->told[level] = (struct fgfc_told){ 0 };
	}
	while (fgfc->count) {
		struct fgfc_line *line = TABLE_AT(fgfc->lines, waiting_pop(fgfc));

		line->on = line->told = false;
	}
	fgfc->on = 0;
}

/* ---- frames ---- */

node_time_t fgfc_ready_at(const struct fgfc *fgfc)
{
	node_time_t at = fgfc->count ? 0 : renew_at(fgfc);

	return at == NODE_TIME_NEVER ? at : node_time_max(at, fgfc->free_at_ps);
}

/* of a pause that is no longer than the flow was held so far, but for the shortest, and that fits
 * into a frame: one that the NIC cut would be over before its renewal */
static uint8_t level_of(const struct fgfc *fgfc, node_time_t held_ps)
{
	node_time_t longest_ps = node_time_min(held_ps, FGFC_PAUSE_PS_MAX);
	uint8_t level = 0;

	while (level + 1u < FGFC_LEVELS && fgfc->pause_ps << (level + 1) <= longest_ps)
		level++;
	return level;
}

/* Return: is there anything to say about it? */
static bool frame_make(struct fgfc *fgfc, uint32_t flow_id, node_time_t now,
		       struct fgfc_frame *frame)
{
	struct fgfc_line *line = TABLE_AT(fgfc->lines, flow_id);

	*frame = (struct fgfc_frame){ .name = line->name, .mask = fgfc->masks[flow_id] };
	if (!line->on) {
		bool told = line->told;

		line->told = false;
		return told; /* else it was over before it was told */
	}
	if (line->told)
		told_unlink(fgfc, flow_id);
	if (line->since_ps == NODE_TIME_NEVER)
		line->since_ps = now;
	line->level = level_of(fgfc, now - line->since_ps);
	frame->pause_ps = fgfc->pause_ps << line->level;
	frame->credit_units = line->owed_eighths / 8;
	line->owed_eighths %= 8;
	told_append(fgfc, flow_id, now);
	line->told = true;
	return true;
}

bool fgfc_take(struct fgfc *fgfc, node_time_t now, node_time_t distance_ps,
	       struct fgfc_frame *frame)
{
	bool made = false;

	if (fgfc_ready_at(fgfc) > now)
		return false;
	while (!made && fgfc->count)
		made = frame_make(fgfc, waiting_pop(fgfc), now, frame);
	if (!made && renew_at(fgfc) <= now)
		made = frame_make(fgfc, fgfc->told[level_first(fgfc)].oldest - 1u, now, frame);
	if (made)
		fgfc->free_at_ps = now + distance_ps;
	return made;
}
