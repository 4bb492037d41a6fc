#include "orchestrator/view/view_shelf.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/utf8.h"

static const char *const state_names[] = {
	[VIEW_GROWING] = "growing",
	[VIEW_COMPLETE] = "complete",
	[VIEW_FAILED] = "failed",
	[VIEW_INTERRUPTED] = "interrupted",
};

void view_shelf_init(struct view_shelf *shelf)
{
	memset(shelf, 0, sizeof(*shelf));
	pthread_mutex_init(&shelf->lock, NULL);
	shelf->next_id = 1;
}

void view_shelf_fini(struct view_shelf *shelf)
{
	for (unsigned i = 0; i < VIEW_RECORDINGS_MAX; i++)
		if (shelf->list[i].id)
			view_shelf_remove(&shelf->list[i]);
	pthread_mutex_destroy(&shelf->lock);
}

struct view_recording *view_shelf_find(struct view_shelf *shelf, unsigned id)
{
	for (unsigned i = 0; id && i < VIEW_RECORDINGS_MAX; i++)
		if (shelf->list[i].id == id)
			return &shelf->list[i];
	return NULL;
}

void view_shelf_remove(struct view_recording *recording)
{
	descriptor_close(&recording->fd);
	json_decref(recording->command);
	json_decref(recording->settings);
	json_decref(recording->fork);
	json_decref(recording->changes);
	memset(recording, 0, sizeof(*recording));
}

struct view_recording *view_shelf_place(struct view_shelf *shelf)
{
	for (unsigned i = 0; i < VIEW_RECORDINGS_MAX; i++)
		if (!shelf->list[i].id)
			return &shelf->list[i];
	return NULL;
}

unsigned view_shelf_add(struct view_shelf *shelf, int fd, const char *name, json_t *command,
			json_t *settings)
{
	struct view_recording recording = { .fd = fd, .command = command, .settings = settings };
	struct view_recording *place;
	unsigned id;

	snprintf(recording.name, sizeof(recording.name), "%s", name);
	pthread_mutex_lock(&shelf->lock);
	place = view_shelf_place(shelf);
	id = place ? shelf->next_id++ : 0;
	recording.id = id;
	if (place)
		*place = recording;
	pthread_mutex_unlock(&shelf->lock);
	if (!id)
		view_shelf_remove(&recording);
	return id;
}

void view_shelf_state(struct view_shelf *shelf, unsigned id, enum view_state state,
		      const char *error)
{
	struct view_recording *recording;

	pthread_mutex_lock(&shelf->lock);
	recording = view_shelf_find(shelf, id);
	if (recording) {
		recording->state = state;
		snprintf(recording->error, sizeof(recording->error), "%s", error ? error : "");
	}
	pthread_mutex_unlock(&shelf->lock);
}

int view_shelf_open(struct view_shelf *shelf, unsigned id, enum view_state *state, char *name)
{
	struct view_recording *recording;
	int fd = -1;

	pthread_mutex_lock(&shelf->lock);
	recording = view_shelf_find(shelf, id);
	if (recording) {
		fd = fcntl(recording->fd, F_DUPFD_CLOEXEC, 0);
		*state = recording->state;
		memcpy(name, recording->name, VIEW_TEXT_MAX);
	}
	pthread_mutex_unlock(&shelf->lock);
	return fd;
}

static json_t *or_null(json_t *value)
{
	return value ? json_incref(value) : json_null();
}

static json_t *describe(const struct view_recording *recording)
{
	struct stat file = { 0 };

	fstat(recording->fd, &file);
	return json_pack("{s:i, s:o, s:s, s:I, s:s?, s:o, s:o, s:o}", "id", (int)recording->id,
			 "name", utf8_json(recording->name), "state",
			 view_state_name(recording->state), "bytes", (json_int_t)file.st_size,
			 "error", recording->error[0] ? recording->error : NULL, "command",
			 or_null(recording->command), "settings",
			 recording->settings ? json_incref(recording->settings) : json_array(),
			 "fork", or_null(recording->fork));
}

json_t *view_shelf_list(struct view_shelf *shelf)
{
	json_t *list = json_array();
	unsigned last = 0;

	pthread_mutex_lock(&shelf->lock);
	for (;;) {
		const struct view_recording *next = NULL;

		for (unsigned i = 0; i < VIEW_RECORDINGS_MAX; i++)
			if (shelf->list[i].id > last && (!next || shelf->list[i].id < next->id))
				next = &shelf->list[i];
		if (!next)
			break;
		json_array_append_new(list, describe(next));
		last = next->id;
	}
	pthread_mutex_unlock(&shelf->lock);
	return list;
}

const char *view_state_name(enum view_state state)
{
	return state_names[state];
}
