/*  view_shelf - the recordings that a server has, and what is known of each (SE-4, SE-6).
 *
 *  A recording is an open file, which may grow. Its size is that of the file, its state is told.
 *  Threads of the server read while another thread adds and changes: every function locks. Ids
 *  start at 1 and are never used again. At most VIEW_RECORDINGS_MAX recordings. */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_VIEW_SHELF_H
#define HEDDLE_ORCHESTRATOR_VIEW_VIEW_SHELF_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define VIEW_FORKS_MAX 8u
#define VIEW_RECORDINGS_MAX (1u + VIEW_FORKS_MAX)
#define VIEW_TEXT_MAX 512u /* bytes of a name or an error */

enum view_state {
	VIEW_GROWING,
	VIEW_COMPLETE,
	VIEW_FAILED,
	VIEW_INTERRUPTED,
};

struct view_recording {
	unsigned id; /* 0: an empty place */
	int fd;      /* owned by the shelf */
	enum view_state state;
	char name[VIEW_TEXT_MAX];
	char error[VIEW_TEXT_MAX]; /* "": none */
	json_t *command;           /* equivalent command line, a string or null */
	json_t *settings;          /* array of "path=value" */
	json_t *fork;              /* {of, at_ps, set}; NULL: none */
	json_t *changes;           /* array of {at_ps, set}: all that the run changes, in order */
	bool waits;                /* a fork whose run has not started */
};

struct view_shelf {
	pthread_mutex_t lock;
	struct view_recording list[VIEW_RECORDINGS_MAX];
	unsigned next_id;
};

void view_shelf_init(struct view_shelf *shelf);

/** view_shelf_fini() - closes all files. */
void view_shelf_fini(struct view_shelf *shelf);

/** view_shelf_add() - adds a growing recording in @fd (taken, also on failure).
 *  @name  copied.  @command @settings  taken, also on failure; NULL: none.
 *  Return: its id; 0 if the shelf is full. */
unsigned view_shelf_add(struct view_shelf *shelf, int fd, const char *name, json_t *command,
			json_t *settings);

/** view_shelf_state() - sets the state of recording @id; @error, NULL: none, is copied. No effect
 *  if it is gone. */
void view_shelf_state(struct view_shelf *shelf, unsigned id, enum view_state state,
		      const char *error);

/** view_shelf_open() - a descriptor of recording @id, for the caller to close; *@state, and @name,
 *  VIEW_TEXT_MAX bytes.
 *  Return: -1 if there is none. */
int view_shelf_open(struct view_shelf *shelf, unsigned id, enum view_state *state, char *name);

/** view_shelf_list() - the array "recordings" of GET /recordings.  Return: NULL if memory is
 *  short. */
json_t *view_shelf_list(struct view_shelf *shelf);

/** view_state_name() - the word of @state in answers. */
const char *view_state_name(enum view_state state);

/** view_shelf_find() - recording @id, or NULL; view_shelf_place() - an empty place, or NULL,
 *  which a new id makes a recording. The caller holds the lock. */
struct view_recording *view_shelf_find(struct view_shelf *shelf, unsigned id);
struct view_recording *view_shelf_place(struct view_shelf *shelf);

/** view_shelf_remove() - empties the place of @recording; the caller holds the lock. */
void view_shelf_remove(struct view_recording *recording);

#endif
