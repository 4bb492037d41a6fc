#include "orchestrator/view/view_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/exit_status.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/view/fork_request.h"
#include "orchestrator/base/nameless_file.h"

#define END_MS 2000
#define BESIDE_PRIORITY 10 /* of a fork beside the run, as nice(1) */
#define ARGUMENTS_FIXED 15u

int view_forks_init(struct view_forks *forks, struct view_shelf *shelf, const char *scenario,
		    const char *shown, const char *variant)
{
	*forks = (struct view_forks){
		.shelf = shelf, .scenario = scenario, .shown = shown, .variant = variant
	};
	for (unsigned i = 0; i < VIEW_FORKS_RUNNING; i++)
		forks->runs[i].pid_fd = forks->runs[i].errors_fd = -1;
	forks->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return forks->wake_fd < 0 ? -errno : 0;
}

static void wake(const struct view_forks *forks)
{
	(void)!write(forks->wake_fd, &(uint64_t){ 1 }, sizeof(uint64_t));
}

/* ---- requests ---- */

/* the recording of @request, whose parent is @of, in @place; both locked. Return: 0 or a status */
static int recording_fill(struct view_forks *forks, const struct view_recording *of,
			  struct view_recording *place, const json_t *request, struct why *why)
{
	json_t *set = json_object_get(request, "set"), *at = json_object_get(request, "at_ps");
	json_t *changes = fork_changes(of->changes, request, why);

	if (!changes)
		return 400;
	*place = (struct view_recording){ .fd = nameless_file(),
					  .waits = true,
					  .changes = changes,
					  .settings = fork_settings(of->settings, request) };
	place->fork = json_pack("{s:i, s:o, s:o}", "of", (int)of->id, "at_ps",
				at ? json_incref(at) : json_null(), "set",
				set ? json_incref(set) : json_array());
	place->command = fork_command(forks->shown, forks->variant, place->settings, changes);
	memcpy(place->name, of->name, sizeof(place->name));
	if (place->fd >= 0 && place->fork && place->command) {
		place->id = forks->shelf->next_id++;
		return 0;
	}
	why_say(why, 0, "No file can be made for the recording: %s.", strerror(errno));
	view_shelf_remove(place);
	return 503;
}

int view_forks_add(void *owner, const json_t *request, unsigned *id, struct why *why)
{
	struct view_forks *forks = owner;
	struct view_recording *of, *place;
	int status = fork_request_check(request, why);
	json_int_t wanted = member_number(request, "of");

	if (status)
		return status;
	pthread_mutex_lock(&forks->shelf->lock);
	of = wanted > 0 && wanted <= UINT32_MAX ? view_shelf_find(forks->shelf, (unsigned)wanted)
						: NULL;
	place = view_shelf_place(forks->shelf);
	if (!of) {
		status = why_say(why, 404, "There is no recording %" JSON_INTEGER_FORMAT ".",
				 wanted);
	} else if (!place) {
		status = why_say(why, 409, "There are %u forks already: delete one.",
				 VIEW_FORKS_MAX);
	} else {
		status = recording_fill(forks, of, place, request, why);
		*id = place->id;
	}
	pthread_mutex_unlock(&forks->shelf->lock);
	if (!status)
		wake(forks);
	return status ? status : 201;
}

int view_forks_forget(void *owner, unsigned id, struct why *why)
{
	struct view_forks *forks = owner;
	struct view_recording *recording;
	int status = 204;

	pthread_mutex_lock(&forks->shelf->lock);
	recording = view_shelf_find(forks->shelf, id);
	if (!recording)
		status = why_say(why, 404, "There is no recording %u.", id);
	else if (!recording->fork)
		status = why_say(why, 409, "Recording %u is no fork: it stays.", id);
	else
		view_shelf_remove(recording);
	pthread_mutex_unlock(&forks->shelf->lock);
	wake(forks);
	return status;
}

/* ---- processes ---- */

/* file @fd, at its beginning, with @text */
static int text_file(const char *text)
{
	int fd = memfd_create("script", MFD_CLOEXEC);

	if (fd >= 0 &&
	    (write(fd, text, strlen(text)) != (ssize_t)strlen(text) || lseek(fd, 0, SEEK_SET)))
		descriptor_close(&fd);
	return fd;
}

/* the words of the command: for free(); the words themselves are borrowed. @at  of --break-at. The
 * settings of requests are after those of the first recording, and a request chooses no files */
static const char **arguments_make(const struct view_forks *forks,
				   const struct view_recording *recording, const char *at)
{
	size_t settings = json_array_size(recording->settings), n = 0;
	size_t own = json_array_size(forks->shelf->list[0].settings);
	const char **words = calloc(ARGUMENTS_FIXED + 2 * settings, sizeof(*words));

	if (!words)
		return NULL;
	words[n++] = "heddle";
	words[n++] = "run";
	words[n++] = forks->scenario;
	if (forks->variant) {
		words[n++] = "--variant";
		words[n++] = forks->variant;
	}
	for (size_t i = 0; i < settings; i++) {
		if (i == own)
			words[n++] = "--no-new-files";
		words[n++] = "--set";
		words[n++] = json_string_value(json_array_get(recording->settings, i));
	}
	words[n++] = "--quiet";
	words[n++] = "--record";
	words[n++] = "/proc/self/fd/3";
	if (at[0]) {
		words[n++] = "--break-at";
		words[n++] = at;
	}
	return words;
}

/* in the new process: only calls that are safe after fork() in a process with threads. @priority as
 * setpriority() */
static void __attribute__((noreturn))
run_exec(const char *const *words, const int fds[4], int priority, pid_t parent)
{
	sigset_t none;
	int from[4];

	/* first out of the range of the numbers that they are to have */
	for (int i = 0; i < 4; i++)
		from[i] = fcntl(fds[i], F_DUPFD, 4);
	for (int i = 0; i < 4; i++)
		dup2(from[i], i);
	close_range(4, ~0u, 0);
	setpgid(0, 0); /* Ctrl-C in the terminal is for the server, which ends this */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	setpriority(PRIO_PROCESS, 0, priority);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv("/proc/self/exe", (char *const *)words);
	_exit(127);
}

/* does the run that the server is there for go on? It has priority then. Locked */
static bool first_goes_on(const struct view_shelf *shelf)
{
	return shelf->list[0].id && shelf->list[0].state == VIEW_GROWING;
}

/* starts the run of @recording; locked. Return: false if it cannot be started */
static bool run_start(struct view_forks *forks, struct view_fork_run *run,
		      const struct view_recording *recording)
{
	const json_t *first = json_array_get(recording->changes, 0);
	char at[40] = "", *script = fork_script(recording->changes);
	int fds[] = { script ? text_file(script) : -1, open("/dev/null", O_RDWR | O_CLOEXEC),
		      memfd_create("errors", MFD_CLOEXEC), recording->fd };
	pid_t parent = getpid();
	const char **words;

	if (first)
		snprintf(at, sizeof(at), "%" JSON_INTEGER_FORMAT "ps",
			 member_number(first, "at_ps"));
	words = arguments_make(forks, recording, at);
	run->id = recording->id;
	run->errors_fd = fds[2];
	run->pid = -1;
	if (words && fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0)
		run->pid = fork();
	if (!run->pid)
		run_exec(words, fds, first_goes_on(forks->shelf) ? BESIDE_PRIORITY : 0, parent);
	free(words);
	free(script);
	descriptor_close(&fds[0]);
	descriptor_close(&fds[1]);
	if (run->pid < 0) {
		descriptor_close(&run->errors_fd);
		run->pid = 0;
		return false;
	}
	run->pid_fd = pidfd_open(run->pid, 0);
	return true;
}

/* what a run has said, in one line without a newline at the end */
static void errors_read(int fd, char text[VIEW_TEXT_MAX])
{
	ssize_t length = pread(fd, text, VIEW_TEXT_MAX - 1, 0);

	if (length < 0)
		length = 0;
	while (length && text[length - 1] == '\n')
		length--;
	text[length] = 0;
	for (ssize_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = ' ';
}

static enum view_state state_of(int status)
{
	if (!WIFEXITED(status))
		return VIEW_FAILED;
	switch (WEXITSTATUS(status)) {
	case EXIT_INTERRUPTED:
		return VIEW_INTERRUPTED;
	case EXIT_STALL:
	case EXIT_NOT_VALID:
		return VIEW_COMPLETE;
	default:
		return WEXITSTATUS(status) <= EXIT_EXPECTATION ? VIEW_COMPLETE : VIEW_FAILED;
	}
}

static void run_ended(struct view_forks *forks, struct view_fork_run *run, int status)
{
	enum view_state state = state_of(status);
	char text[VIEW_TEXT_MAX];

	errors_read(run->errors_fd, text);
	if (state == VIEW_FAILED && !text[0])
		snprintf(text, sizeof(text), "The run ended with status %d.", status);
	view_shelf_state(forks->shelf, run->id, state, text);
	descriptor_close(&run->errors_fd);
	descriptor_close(&run->pid_fd);
	*run = (struct view_fork_run){ .pid_fd = -1, .errors_fd = -1 };
}

/* ---- the thread of processes ---- */

void view_forks_poll(const struct view_forks *forks, struct pollfd *polled)
{
	polled[0] = (struct pollfd){ .fd = forks->wake_fd, .events = POLLIN };
	for (unsigned i = 0; i < VIEW_FORKS_RUNNING; i++)
		polled[1 + i] = (struct pollfd){ .fd = forks->runs[i].pid_fd, .events = POLLIN };
}

/* the fork that has waited longest; NULL if none waits. Locked */
static struct view_recording *waiting(const struct view_forks *forks)
{
	struct view_recording *first = NULL;

	for (unsigned i = 0; i < VIEW_RECORDINGS_MAX; i++) {
		struct view_recording *recording = &forks->shelf->list[i];

		if (recording->id && recording->waits && (!first || recording->id < first->id))
			first = recording;
	}
	return first;
}

/* starts the next fork that waits in @run */
static void next_start(struct view_forks *forks, struct view_fork_run *run)
{
	struct view_recording *next;

	pthread_mutex_lock(&forks->shelf->lock);
	next = waiting(forks);
	if (next) {
		next->waits = false;
		if (!run_start(forks, run, next)) {
			next->state = VIEW_FAILED;
			snprintf(next->error, sizeof(next->error), "The run cannot be started: %s.",
				 strerror(errno));
		}
	}
	pthread_mutex_unlock(&forks->shelf->lock);
}

/* ends the run of a recording that is forgotten */
static void forgotten_end(struct view_forks *forks, const struct view_fork_run *run)
{
	bool there;

	pthread_mutex_lock(&forks->shelf->lock);
	there = view_shelf_find(forks->shelf, run->id) != NULL;
	pthread_mutex_unlock(&forks->shelf->lock);
	if (!there)
		kill(run->pid, SIGTERM);
}

void view_forks_step(struct view_forks *forks)
{
	uint64_t count;

	(void)!read(forks->wake_fd, &count, sizeof(count));
	for (unsigned i = 0; i < VIEW_FORKS_RUNNING; i++) {
		struct view_fork_run *run = &forks->runs[i];
		int status;

		if (run->pid && waitpid(run->pid, &status, WNOHANG) == run->pid)
			run_ended(forks, run, status);
		if (run->pid)
			forgotten_end(forks, run);
		else
			next_start(forks, run);
	}
}

void view_forks_fini(struct view_forks *forks)
{
	for (unsigned i = 0; i < VIEW_FORKS_RUNNING; i++)
		if (forks->runs[i].pid)
			kill(forks->runs[i].pid, SIGTERM);
	for (unsigned i = 0; i < VIEW_FORKS_RUNNING; i++) {
		struct view_fork_run *run = &forks->runs[i];
		struct pollfd ends = { .fd = run->pid_fd, .events = POLLIN };

		if (run->pid && poll(&ends, 1, END_MS) <= 0)
			kill(run->pid, SIGKILL);
		if (run->pid)
			waitpid(run->pid, NULL, 0);
		descriptor_close(&run->pid_fd);
		descriptor_close(&run->errors_fd);
	}
	descriptor_close(&forks->wake_fd);
}
