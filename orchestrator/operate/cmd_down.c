/*  cmd_down - `heddle down`: ends fabrics completely; no fabric to end is no error (TB-22).
 *
 *  The last `ps` of a fabric is its verdict, since its start (TB-8). */
#include "orchestrator/operate/cmd_down.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"
#include "orchestrator/live/live_request.h"
#include "orchestrator/live/runtime_dir.h"
#include "orchestrator/operate/observe.h"

#define REFUSED_TRIES 5u
#define REFUSED_US 500000u
#define LOOK_US 5000
#define ANSWER_MS (LIVE_REQUEST_MS + 2000u) /* it may be busy with another request */
/* nodes that have to be killed take twice FABRIC_END_MS; as much again for the rest */
#define END_MS (4 * FABRIC_END_MS)

struct request {
	const char *name; /* NULL: not given */
	bool all, json;
};

#define AT(member) offsetof(struct request, member)

static const struct option_row options[] = {
	OPTION_FLAG("--all", AT(all), "every fabric"),
	OPTION_FLAG(
		"--json", AT(json),
		"for programs: a list of the last 'heddle ps --json'; of a fabric that was killed\n"
		"{\"fabric\": NAME, \"killed\": true}"),
};

static const struct command_words words = {
	"down",
	"usage: heddle down [NAME] [--all] [--json]\n"
	"Ends a running fabric: NAME, the only one, or --all of them. Nothing of it remains. A "
	"fabric\n"
	"that does not answer is killed. It is no error if none runs. Prints the verdict on the "
	"fabric\n"
	"since its start; 'heddle ps --help' explains it.\n",
	"exit status: 0 it does not run, 2 wrong usage, 4 it could not be ended\n",
	OPTIONS(options),
	OPERANDS("name", 0, 1),
};

/* waits until fabric @name has ended; false if it still runs after @timeout_ms */
static bool gone(int base_fd, const char *name, uint32_t timeout_ms)
{
	uint64_t deadline_ns = monotonic_ns() + timeout_ms * 1000000ull;

	while (runtime_lives(base_fd, name)) {
		if (monotonic_ns() > deadline_ns)
			return false;
		usleep(LOOK_US);
	}
	return true;
}

static int one_kill(int base_fd, const char *name, json_t *ended)
{
	int error = runtime_kill(base_fd, name);
	bool dead = error == -ESRCH; /* another command may have ended it */

	/* a child that it was starting may have the lock for another moment */
	if (dead)
		error = 0;
	if (!error && !gone(base_fd, name, END_MS))
		error = -ETIMEDOUT;
	if (error) {
		options_wrong("down", "fabric %s does not answer and cannot be killed: %s", name,
			      strerror(-error));
		return CLIENT_FAILED;
	}
	json_array_append_new(ended, dead ? json_pack("{s:s}", "fabric", name)
					  : json_pack("{s:s, s:b}", "fabric", name, "killed", 1));
	return CLIENT_FINE;
}

/* requests a last `ps` of the fabric, and its end. @ending: another command has ended it */
static int one_ask(const char *name, json_t **last_look, bool *ending)
{
	struct client client;
	json_t *answer = NULL;
	int status = client_open(&client, "down", name);

	*last_look = NULL;
	if (!status) {
		client_patience(&client, ANSWER_MS);
		status =
			client_ask(&client, json_pack("{s:s}", "ask", "ps"), last_look, NULL, NULL);
	}
	if (!status)
		status =
			client_ask(&client, json_pack("{s:s}", "ask", "down"), &answer, NULL, NULL);
	json_decref(answer);
	*ending = status == CLIENT_USAGE || client.ended;
	client_close(&client);
	return status;
}

/* ends fabric @name; its last `ps` is appended to @ended */
static int one_end(int base_fd, const char *name, json_t *ended)
{
	json_t *last_look;
	bool ending, is_gone = false;
	int status = one_ask(name, &last_look, &ending), pidfd = -1;

	/* it has as many clients as it takes: that is no reason to kill it */
	for (unsigned again = 0; status == CLIENT_REFUSED && again < REFUSED_TRIES; again++) {
		usleep(REFUSED_US);
		json_decref(last_look);
		status = one_ask(name, &last_look, &ending);
	}
	if (last_look)
		pidfd = pidfd_open((pid_t)member_number(last_look, "pid"), 0);
	if (!status || ending)
		is_gone = gone(base_fd, name, END_MS);
	if (pidfd >= 0) {
		struct pollfd exited = { pidfd, POLLIN, 0 };

		if (is_gone) /* also its process: until then it has files open */
			poll(&exited, 1, (int)END_MS);
		close(pidfd);
	}
	if (is_gone && last_look)
		observe_fidelity(last_look, NULL);
	if (is_gone)
		json_array_append_new(ended,
				      last_look ? last_look : json_pack("{s:s}", "fabric", name));
	else
		json_decref(last_look);
	return is_gone ? CLIENT_FINE : one_kill(base_fd, name, ended);
}

static void one_print(const json_t *fabric)
{
	const char *name = member_text(fabric, "fabric");

	if (json_is_true(json_object_get(fabric, "killed")))
		printf("fabric %s did not answer and was killed\n", name);
	else
		printf("fabric %s has ended\n", name);
	if (json_object_get(fabric, "fidelity"))
		observe_fidelity_print(fabric, stdout);
}

/* ends the requested ones of the running fabrics */
static int some_end(const struct running *running, const struct request *request)
{
	json_t *ended = json_array(), *fabric;
	int status = CLIENT_FINE;
	bool found = false;
	size_t i;

	for (int n = 0; n < running->count; n++) {
		if (request->name && strcmp(running->names[n], request->name) != 0)
			continue;
		found = true;
		if (one_end(running->base_fd, running->names[n], ended))
			status = CLIENT_FAILED;
	}
	if (request->json)
		client_json_print(ended);
	else
		json_array_foreach (ended, i, fabric)
			one_print(fabric);
	if (!found && !request->json && request->name)
		printf("no fabric '%s' runs\n", request->name);
	else if (!found && !request->json)
		printf("no fabric runs\n");
	json_decref(ended);
	return status;
}

int cmd_down(int argc, char **argv)
{
	struct request request = { 0 };
	struct running running;
	int count, status = options_read(&words, argc, argv, &request, &count);

	if (status >= 0)
		return status;
	request.name = argv[1];
	if (request.name && request.all)
		return options_wrong("down", "expected a name or --all, not both");
	status = running_open(&running, "down");
	if (status)
		return status;
	if (!request.name && !request.all && running.count > 1)
		status = options_wrong("down", "%d fabrics run (%s, %s%s): name one, or --all",
				       running.count, running.names[0], running.names[1],
				       running.count > 2 ? ", ..." : "");
	else
		status = some_end(&running, &request);
	running_close(&running);
	return status;
}
