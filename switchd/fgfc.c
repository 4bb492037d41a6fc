#include "switchd/fgfc.h"

#include <errno.h>

#include "nodes/table.h"

#define LESS_EIGHTHS 7u
#define MORE_EIGHTHS 9u
#define OWED_EIGHTHS_MAX (1u << 30) /* no frame could be sent for so long: more would help nobody */

int fgfc_init(struct fgfc *fgfc, uint32_t channels, const struct congestion_config *config)
{
	*fgfc = (struct fgfc){
		.channels = channels,
		.pause_ps = config->fgfc_pause_ps,
		.credit_units = config->fgfc_credit_units,
	};
	if (!config->fgfc)
		return 0;
	fgfc->lines = table_alloc(channels, sizeof(*fgfc->lines));
	fgfc->waiting = table_alloc(channels, sizeof(*fgfc->waiting));
	if (!fgfc->lines || !fgfc->waiting) {
		fgfc_fini(fgfc);
		return -ENOMEM;
	}
	return 0;
}

void fgfc_fini(struct fgfc *fgfc)
{
	table_free(fgfc->lines, fgfc->channels, sizeof(*fgfc->lines));
	table_free(fgfc->waiting, fgfc->channels, sizeof(*fgfc->waiting));
	*fgfc = (struct fgfc){ 0 };
}

/* ---- who needs a frame ---- */

static void wait_for_frame(struct fgfc *fgfc, uint32_t flow_id)
{
	struct fgfc_line *line = &fgfc->lines[flow_id];
	uint32_t at = fgfc->first + fgfc->count;

	if (line->waiting)
		return;
	line->waiting = true;
	fgfc->waiting[at >= fgfc->channels ? at - fgfc->channels : at] = (uint16_t)flow_id;
	fgfc->count++;
}

static uint32_t waiting_pop(struct fgfc *fgfc)
{
	uint32_t flow_id = fgfc->waiting[fgfc->first];

	if (++fgfc->first == fgfc->channels)
		fgfc->first = 0;
	fgfc->count--;
	fgfc->lines[flow_id].waiting = false;
	return flow_id;
}

/* ---- who was told when: the pause of the oldest is renewed first ---- */

static void told_unlink(struct fgfc *fgfc, uint32_t flow_id)
{
	struct fgfc_line *line = &fgfc->lines[flow_id];

	if (line->older)
		fgfc->lines[line->older - 1].younger = line->younger;
	else
		fgfc->oldest = line->younger;
	if (line->younger)
		fgfc->lines[line->younger - 1].older = line->older;
	else
		fgfc->youngest = line->older;
}

static void told_append(struct fgfc *fgfc, uint32_t flow_id, node_time_t now)
{
	struct fgfc_line *line = &fgfc->lines[flow_id];

	line->told_at_ps = now;
	line->older = fgfc->youngest;
	line->younger = 0;
	if (fgfc->youngest)
		fgfc->lines[fgfc->youngest - 1].younger = (uint16_t)(flow_id + 1);
	else
		fgfc->oldest = (uint16_t)(flow_id + 1);
	fgfc->youngest = (uint16_t)(flow_id + 1);
}

/* when the pause that was told longest ago is half over */
static node_time_t renew_at(const struct fgfc *fgfc)
{
	return fgfc->oldest ? fgfc->lines[fgfc->oldest - 1].told_at_ps + fgfc->pause_ps / 2 : NODE_TIME_NEVER;
}

/* ---- state ---- */

bool fgfc_start(struct fgfc *fgfc, uint32_t flow_id, const struct flow_name *name)
{
	struct fgfc_line *line = &fgfc->lines[flow_id];

	if (line->told && !flow_name_equal(&line->name, name))
		return false;
	if (line->told) /* the end was not sent yet: the NIC still holds it */
		told_append(fgfc, flow_id, line->told_at_ps);
	line->name = *name;
	line->on = true;
	line->owed_eighths = 8 * fgfc->credit_units;
	fgfc->on++;
	wait_for_frame(fgfc, flow_id);
	return true;
}

bool fgfc_stop(struct fgfc *fgfc, uint32_t flow_id)
{
	struct fgfc_line *line = &fgfc->lines[flow_id];

	if (!line->on)
		return false;
	line->on = false;
	fgfc->on--;
	if (line->told) {
		told_unlink(fgfc, flow_id);
		wait_for_frame(fgfc, flow_id);
	}
	return true;
}

uint32_t fgfc_credit_eighths(uint32_t units, uint32_t queue_units, const struct congestion_setting *setting)
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
	struct fgfc_line *line = &fgfc->lines[flow_id];

	if (!line->on)
		return false;
	if (!queue_units || queue_units < setting->drop_units)
		return fgfc_stop(fgfc, flow_id);
	line->owed_eighths += fgfc_credit_eighths(units, queue_units, setting);
	if (line->owed_eighths > OWED_EIGHTHS_MAX)
		line->owed_eighths = OWED_EIGHTHS_MAX;
	if (line->owed_eighths / 8 >= worth_units(fgfc, setting))
		wait_for_frame(fgfc, flow_id);
	return false;
}

void fgfc_clear(struct fgfc *fgfc)
{
	while (fgfc->oldest) {
		struct fgfc_line *line = &fgfc->lines[fgfc->oldest - 1];

		told_unlink(fgfc, fgfc->oldest - 1u);
		line->on = line->told = false;
	}
	while (fgfc->count) {
		struct fgfc_line *line = &fgfc->lines[waiting_pop(fgfc)];

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

/* Return: is there anything to say about it? */
static bool frame_make(struct fgfc *fgfc, uint32_t flow_id, node_time_t now, struct fgfc_frame *frame)
{
	struct fgfc_line *line = &fgfc->lines[flow_id];

	*frame = (struct fgfc_frame){ .name = line->name };
	if (!line->on) {
		bool told = line->told;

		line->told = false;
		return told; /* else it was over before it was told */
	}
	frame->pause_ps = fgfc->pause_ps;
	frame->credit_units = line->owed_eighths / 8;
	line->owed_eighths %= 8;
	if (line->told)
		told_unlink(fgfc, flow_id);
	told_append(fgfc, flow_id, now);
	line->told = true;
	return true;
}

bool fgfc_take(struct fgfc *fgfc, node_time_t now, node_time_t distance_ps, struct fgfc_frame *frame)
{
	bool made = false;

	if (fgfc_ready_at(fgfc) > now)
		return false;
	while (!made && fgfc->count)
		made = frame_make(fgfc, waiting_pop(fgfc), now, frame);
	if (!made && renew_at(fgfc) <= now)
		made = frame_make(fgfc, fgfc->oldest - 1u, now, frame);
	if (made)
		fgfc->free_at_ps = now + distance_ps;
	return made;
}
