#include "switchd/path_pause.h"

#define ALL_CLASSES ((1u << ROCE_CLASSES_MAX) - 1)
#define EPISODE_STEP NODE_PORTS_MAX /* episodes of a port: its number + 1, and multiples of this more */

static uint8_t classes_of(const struct roce_config *roce)
{
	uint8_t classes = 0;

	if (roce->path_form == PATH_PAUSE_ALL || roce->path_form == PATH_PAUSE_PORT)
		return ALL_CLASSES;
	for (uint32_t c = 0; c < ROCE_CLASSES_MAX; c++)
		if (roce->path_form == PATH_PAUSE_NONE ? roce->classes[c].lossless : roce->classes[c].watched)
			classes |= (uint8_t)(1u << c);
	return classes;
}

void path_pause_init(struct path_pause *pause, const struct roce_config *roce, uint32_t port, uint64_t rate_bps)
{
	*pause = (struct path_pause){
		.form = roce->path_form,
		.classes = classes_of(roce),
		.episode = port + 1,
		.rate_bps = rate_bps,
	};
}

void path_pause_clear(struct path_pause *pause, uint64_t rate_bps)
{
	pause->wanted = pause->renew = false;
	pause->flows = 0;
	pause->episode += EPISODE_STEP;
	pause->until_ps = 0;
	pause->rate_bps = rate_bps;
}

static node_time_t time_of(const struct path_pause *pause)
{
	return PAUSE_QUANTA_MAX * pfc_quantum_ps(pause->rate_bps);
}

static void hold(struct path_pause *pause, struct flow_line *line, node_time_t now)
{
	if (pause->until_ps <= now && !pause->renew) { /* what there was has run out */
		pause->episode += EPISODE_STEP;
		pause->flows = 0;
	}
	if (line && line->hold != pause->episode) {
		line->hold = pause->episode;
		pause->flows++;
	}
	pause->wanted = true;
	if (pause->until_ps < now + time_of(pause) / 4 * 3)
		pause->renew = true;
}

static void release(struct path_pause *pause, struct flow_line *line)
{
	if (line && line->hold == pause->episode) {
		line->hold = 0;
		pause->flows--;
	}
	if (!pause->flows)
		pause->wanted = pause->renew = false;
}

void path_pause_on_signal(struct path_pause *pause, struct flow_line *line, uint8_t signal, node_time_t now)
{
	if (signal == ROCE_SIGNAL_PAUSE)
		hold(pause, line, now);
	else if (signal == ROCE_SIGNAL_RESUME)
		release(pause, line);
}

bool path_pause_due(const struct path_pause *pause, node_time_t now)
{
	return pause->renew || (!pause->wanted && pause->until_ps > now);
}

static void fill(struct pause_frame *frame, uint8_t classes, uint16_t quanta)
{
	frame->enabled = classes;
	for (uint32_t c = 0; c < PAUSE_PRIORITIES; c++)
		frame->quanta[c] = classes >> c & 1 ? quanta : 0;
}

bool path_pause_frame(struct path_pause *pause, const struct pfc_teller *teller, node_time_t now,
		      struct pause_frame *frame)
{
	bool stop = pause->renew, port = pause->form == PATH_PAUSE_PORT;
	uint8_t kept = !stop && port == teller->port ? teller->told & pause->classes : 0;

	*frame = (struct pause_frame){ .port = port };
	pause->until_ps = stop ? now + time_of(pause) : 0;
	pause->renew = false;
	if (port || (pause->form == PATH_PAUSE_NONE && !kept))
		frame->quanta[0] = stop ? PAUSE_QUANTA_MAX : 0;
	else
		fill(frame, pause->classes & (uint8_t)~kept, stop ? PAUSE_QUANTA_MAX : 0);
	return !kept || (!port && kept != pause->classes);
}

void path_pause_amend(const struct path_pause *pause, struct pause_frame *frame, node_time_t now)
{
	node_time_t quantum_ps = pfc_quantum_ps(pause->rate_bps), left;
	uint8_t both = frame->port ? 1 : frame->enabled & pause->classes;

	if (pause->until_ps <= now || frame->port != (pause->form == PATH_PAUSE_PORT))
		return;
	left = node_time_min((pause->until_ps - now + quantum_ps - 1) / quantum_ps, PAUSE_QUANTA_MAX);
	for (uint32_t c = 0; c < PAUSE_PRIORITIES; c++)
		if (both >> c & 1 && !frame->quanta[c])
			frame->quanta[c] = (uint16_t)left;
}
