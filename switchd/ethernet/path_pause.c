#include "switchd/ethernet/path_pause.h"

#define ALL_CLASSES ((1u << ROCE_CLASSES_MAX) - 1)
/* episodes of a hold: its number + 1, and that plus multiples of this */
#define EPISODE_STEP (NODE_PORTS_MAX * ROCE_CLASSES_MAX)

static uint8_t classes_of(const struct roce_config *roce)
{
	uint8_t classes = 0;

	if (roce->path_form == PATH_PAUSE_ALL || roce->path_form == PATH_PAUSE_PORT)
		return ALL_CLASSES;
	for (uint32_t c = 0; c < ROCE_CLASSES_MAX; c++)
		if (roce->path_form == PATH_PAUSE_NONE ? roce->classes[c].lossless
						       : roce->classes[c].watched)
			classes |= (uint8_t)(1u << c);
	return classes;
}

void path_pause_init(struct path_pause *pause, const struct roce_config *roce, uint32_t port,
		     uint64_t rate_bps, node_time_t late_ps)
{
	uint8_t classes = classes_of(roce);

	*pause = (struct path_pause){ .form = roce->path_form,
				      .rate_bps = rate_bps,
				      .late_ps = late_ps };
	for (uint32_t c = 0; c < ROCE_CLASSES_MAX; c++)
		pause->holds[c] = (struct path_hold){
			.classes = classes & (uint8_t)(1u << c),
			.episode = port * ROCE_CLASSES_MAX + c + 1,
		};
	if (pause->form == PATH_PAUSE_TARGET)
		return;
	for (uint32_t c = 0; c < ROCE_CLASSES_MAX; c++)
		pause->holds[c].classes = c ? 0 : classes;
}

static void next_episode(struct path_hold *hold)
{
	hold->episode += EPISODE_STEP;
	if (!hold->episode)
		hold->episode = EPISODE_STEP;
	hold->flows = 0;
}

void path_pause_clear(struct path_pause *pause, uint64_t rate_bps)
{
	pause->rate_bps = rate_bps;
	for (uint32_t i = 0; i < ROCE_CLASSES_MAX; i++) {
		struct path_hold *hold = &pause->holds[i];

		next_episode(hold);
		hold->wanted = hold->renew = false;
		hold->until_ps = 0;
	}
}

static node_time_t time_of(const struct path_pause *pause)
{
	return PAUSE_QUANTA_MAX * pfc_quantum_ps(pause->rate_bps);
}

static void stop(const struct path_pause *pause, struct path_hold *hold, struct flow_line *line,
		 node_time_t now)
{
	if (hold->until_ps <= now && !hold->renew) /* the former pause has run out */
		next_episode(hold);
	if (line && line->hold != hold->episode) {
		line->hold = hold->episode;
		hold->flows++;
	}
	hold->wanted = true;
	if (hold->until_ps < now + time_of(pause) / 4 * 3)
		hold->renew = true;
}

static void release(struct path_hold *hold, struct flow_line *line)
{
	if (line && line->hold == hold->episode) {
		line->hold = 0;
		hold->flows--;
	}
	if (!hold->flows)
		hold->wanted = hold->renew = false;
}

void path_pause_on_signal(struct path_pause *pause, struct flow_line *line, uint8_t signal,
			  node_time_t now)
{
	uint8_t meant = pause->form == PATH_PAUSE_TARGET && line
				? (uint8_t)(1u << line->traffic_class)
				: ALL_CLASSES;

	for (uint32_t i = 0; i < ROCE_CLASSES_MAX; i++) {
		struct path_hold *hold = &pause->holds[i];

		if (pause->form == PATH_PAUSE_TARGET ? !(hold->classes & meant) : i > 0)
			continue;
		if (signal == ROCE_SIGNAL_PAUSE)
			stop(pause, hold, line, now);
		else if (signal == ROCE_SIGNAL_RESUME)
			release(hold, line);
	}
}

uint32_t path_pause_flows(const struct path_pause *pause)
{
	uint32_t flows = 0;

	for (uint32_t i = 0; i < ROCE_CLASSES_MAX; i++)
		flows += pause->holds[i].flows;
	return flows;
}

/* A device that may resume gets XON, unless its pause is over without it. */
static bool is_due(const struct path_pause *pause, const struct path_hold *hold, node_time_t now)
{
	node_time_t end_ps = hold->until_ps ? hold->until_ps + pause->late_ps : 0;

	return hold->renew || (!hold->wanted && end_ps > now);
}

bool path_pause_due(const struct path_pause *pause, node_time_t now)
{
	bool due = false;

	for (uint32_t i = 0; i < ROCE_CLASSES_MAX; i++)
		due |= is_due(pause, &pause->holds[i], now);
	return due;
}

/* The frame pauses the classes in @stopped and resumes those in @freed, without those in @kept. */
static void fill(struct pause_frame *frame, uint8_t stopped, uint8_t freed, uint8_t kept)
{
	frame->enabled = stopped | (freed & (uint8_t)~kept);
	for (uint32_t c = 0; c < PAUSE_PRIORITIES; c++)
		frame->quanta[c] = stopped >> c & 1 ? PAUSE_QUANTA_MAX : 0;
}

bool path_pause_frame(struct path_pause *pause, const struct pfc_teller *teller, node_time_t now,
		      struct pause_frame *frame)
{
	uint8_t stopped = 0, freed = 0, kept;
	bool port = pause->form == PATH_PAUSE_PORT, stops = false;

	for (uint32_t i = 0; i < ROCE_CLASSES_MAX; i++) {
		struct path_hold *hold = &pause->holds[i];

		if (!is_due(pause, hold, now))
			continue;
		stops |= hold->renew;
		stopped |= hold->renew ? hold->classes : 0;
		freed |= hold->renew ? 0 : hold->classes;
		hold->until_ps = hold->renew ? now + time_of(pause) : 0;
		hold->renew = false;
	}
	kept = port == teller->port ? teller->told & freed : 0;
	*frame = (struct pause_frame){ .port = port };
	if (port || (pause->form == PATH_PAUSE_NONE && !kept))
		frame->quanta[0] = stops ? PAUSE_QUANTA_MAX : 0;
	else
		fill(frame, stopped, freed, kept);
	return stops || !kept || (!port && kept != freed);
}

static const struct path_hold *hold_of(const struct path_pause *pause, uint32_t traffic_class)
{
	return &pause->holds[pause->form == PATH_PAUSE_TARGET ? traffic_class : 0];
}

void path_pause_amend(const struct path_pause *pause, struct pause_frame *frame, node_time_t now)
{
	node_time_t quantum_ps = pfc_quantum_ps(pause->rate_bps);

	if (frame->port != (pause->form == PATH_PAUSE_PORT))
		return;
	for (uint32_t c = 0; c < PAUSE_PRIORITIES; c++) {
		const struct path_hold *hold = hold_of(pause, c);
		bool both = frame->port ? !c : (frame->enabled & hold->classes) >> c & 1;

		if (both && hold->until_ps > now && !frame->quanta[c])
			frame->quanta[c] = (uint16_t)node_time_min(
				(hold->until_ps - now + quantum_ps - 1) / quantum_ps,
				PAUSE_QUANTA_MAX);
	}
}
