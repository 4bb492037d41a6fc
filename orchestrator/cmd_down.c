/*  cmd_down - `heddle down`: ends fabrics, until nothing of them is left; nothing to end is fine (TB-22).             */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "orchestrator/client.h"
#include "orchestrator/commands.h"
#include "orchestrator/fabric.h"
#include "orchestrator/runtime_dir.h"
#include "orchestrator/wall_time.h"

#define LOOK_US 5000
#define ANSWER_MS 5000u /* it may be waiting for a node: FABRIC_ANSWER_MS, at both ends of a link */
#define END_MS \
	(4 * FABRIC_END_MS) /* nodes that have to be killed take twice FABRIC_END_MS; as much again for the rest */

static const char usage[] =
	"usage: heddle down [NAME] [--all]\n"
	"Ends a running fabric: NAME, the only one, or --all of them. Nothing of it is left. A fabric that\n"
	"does not answer is killed. If nothing runs there is nothing to do, which is fine.\n"
	"\n"
	"exit status: 0 it does not run any more, 2 wrong usage, 4 it could not be ended\n";

/* until fabric @name is gone; false if it still runs after @timeout_ms */
static bool gone(int base_fd, const char *name, uint32_t timeout_ms)
{
	uint64_t deadline_ns = wall_ns() + timeout_ms * 1000000ull;

	while (runtime_lives(base_fd, name)) {
		if (wall_ns() > deadline_ns)
			return false;
		usleep(LOOK_US);
	}
	return true;
}

static int one_kill(int base_fd, const char *name)
{
	int error = runtime_kill(base_fd, name);

	if (!error && !gone(base_fd, name, END_MS))
		error = -ETIMEDOUT;
	if (error && error != -ESRCH) {
		client_wrong("down", "fabric %s does not answer and cannot be killed: %s", name, strerror(-error));
		return CLIENT_FAILED;
	}
	printf("fabric %s did not answer and was killed\n", name);
	return CLIENT_FINE;
}

static int one_end(int base_fd, const char *name)
{
	struct client client;
	json_t *answer = NULL;
	int status = client_open(&client, "down", name), pidfd = -1;
	bool ended = status == CLIENT_USAGE; /* it was ending anyway */

	if (!status) {
		client_patience(&client, ANSWER_MS);
		status = client_ask(&client, json_pack("{s:s}", "ask", "down"), &answer, NULL, NULL);
	}
	if (!status)
		pidfd = pidfd_open((pid_t)client_number(answer, "pid"), 0);
	json_decref(answer);
	client_close(&client);
	if (!status)
		ended = gone(base_fd, name, END_MS);
	if (pidfd >= 0) {
		struct pollfd exited = { pidfd, POLLIN, 0 };

		if (ended) /* its process, too: what it held open goes with it */
			poll(&exited, 1, (int)END_MS);
		close(pidfd);
	}
	if (ended) {
		printf("fabric %s has ended\n", name);
		return CLIENT_FINE;
	}
	return one_kill(base_fd, name);
}

/* ends what is meant among the @count fabrics that run */
static int some_end(int base_fd, char (*names)[NODE_NAME_MAX], int count, const char *name, bool all)
{
	int status = CLIENT_FINE;
	bool found = false;

	if (!name && !all && count > 1)
		return client_wrong("down", "%d fabrics run (%s, %s%s): name one, or --all", count, names[0], names[1],
				    count > 2 ? ", ..." : "");
	for (int i = 0; i < count; i++) {
		if (name && strcmp(names[i], name) != 0)
			continue;
		found = true;
		if (one_end(base_fd, names[i]))
			status = CLIENT_FAILED;
	}
	if (!found && name)
		printf("no fabric '%s' runs\n", name);
	else if (!found)
		printf("no fabric runs\n");
	return status;
}

int cmd_down(int argc, char **argv)
{
	char(*names)[NODE_NAME_MAX] = NULL, why[512];
	const char *name = NULL;
	bool all = false;
	int base_fd, count = 0, status;

	for (int at = 1; at < argc; at++) {
		if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h")) {
			fputs(usage, stdout);
			return CLIENT_FINE;
		}
		if (!strcmp(argv[at], "--all"))
			all = true;
		else if (argv[at][0] == '-')
			return client_wrong("down", "there is no option %s; 'heddle down --help' explains", argv[at]);
		else if (name)
			return client_wrong("down", "two names, '%s' and '%s'; give one, or --all", name, argv[at]);
		else
			name = argv[at];
	}
	if (name && all)
		return client_wrong("down", "either a name or --all");
	base_fd = runtime_open(false, why, sizeof(why));
	if (base_fd < 0 && base_fd != -ENOENT)
		return client_wrong("down", "%s", why);
	if (base_fd >= 0)
		count = runtime_names(base_fd, &names);
	status = count < 0 ? client_wrong("down", "cannot read the runtime directory: %s", strerror(-count))
			   : some_end(base_fd, names, count, name, all);
	free(names);
	if (base_fd >= 0)
		close(base_fd);
	return status;
}
