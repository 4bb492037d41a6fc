#include "nodes/process/control_library.h"

#include <dlfcn.h>
#include <heddle/congestion_control.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define LOOKS 4u /* of the timer, in CONTROL_CPU_S */

/* why dlopen() failed, without the path, which is of this process */
static const char *reason(const char *path)
{
	const char *text = dlerror();
	size_t length = strlen(path);

	if (!text)
		return "unknown";
	return !strncmp(text, path, length) && !strncmp(text + length, ": ", 2) ? text + length + 2
										: text;
}

static const struct heddle_control *refuse(struct why *why, const char *text)
{
	why_say(why, 0, "%s", text);
	return NULL;
}

static const struct heddle_control *checked(const struct heddle_control *control, struct why *why)
{
	if (!control)
		return refuse(why, "it does not define the object heddle_control");
	if (control->version != HEDDLE_CONTROL_VERSION) {
		why_say(why, 0, "it is for version %u of the interface, this is version %u",
			control->version, HEDDLE_CONTROL_VERSION);
		return NULL;
	}
	if (control->state_bytes > HEDDLE_STATE_BYTES_MAX) {
		why_say(why, 0, "state_bytes is %u, more than %u", control->state_bytes,
			HEDDLE_STATE_BYTES_MAX);
		return NULL;
	}
	if (!control->open && !control->on_ack && !control->on_cnp && !control->on_loss &&
	    !control->on_timer && !control->on_sent)
		return refuse(why, "its heddle_control has no function");
	return control;
}

const struct heddle_control *control_library_load(int fd, struct control_call *call,
						  struct why *why)
{
	char path[64];
	void *library;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*call = (struct control_call){ .function = CONTROL_LOAD, .count = 1 };
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	call->function = CONTROL_NONE;
	if (!library)
		return refuse(why, reason(path));
	return checked(dlsym(library, "heddle_control"), why);
}

/* ---- endless loops ---- */

static struct control_call *watched;
static uint64_t seen_count;
static unsigned seen_times;

static void look(int signal)
{
	const volatile struct control_call *call = watched;

	(void)signal;
	if (call->function == CONTROL_NONE || call->count != seen_count) {
		seen_count = call->count;
		seen_times = 0;
		return;
	}
	if (++seen_times < LOOKS)
		return;
	watched->fault = CONTROL_LOOP;
	abort();
}

void control_library_watch(struct control_call *call)
{
	const struct itimerval often = { .it_interval.tv_usec = CONTROL_CPU_S * 1000000u / LOOKS,
					 .it_value.tv_usec = CONTROL_CPU_S * 1000000u / LOOKS };
	struct sigaction action = { .sa_handler = look, .sa_flags = SA_RESTART };

	watched = call;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
}
