#include "orchestrator/cli/check_up.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/run/neighbour_advice.h"
#include "orchestrator/run/real_advice.h"

/* is there a program @name in PATH? */
static bool program_is_here(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char full[PATH_MAX];

	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		snprintf(full, sizeof(full), "%.*s/%s", (int)(end - path), path, name);
		if (!access(full, X_OK))
			return true;
	}
	return false;
}

/* the name of the first host with an image, or of the first one with a connection to the outside;
 * NULL: there is none */
static const char *first_host(const struct plan *plan, bool image)
{
	for (uint32_t i = 0; i < plan->host_count; i++) {
		const struct scenario_host_settings *settings = plan_host_settings(plan, i);

		if (settings && (image ? settings->image != NULL : settings->outside))
			return plan_host_name(plan, i);
	}
	return NULL;
}

static void hosts_check(const struct plan *plan, json_t *list)
{
	const char *outside = first_host(plan, false), *image = first_host(plan, true);

	if (outside && !program_is_here("slirp4netns"))
		json_array_append_new(
			list, json_sprintf("host %s has 'outside: yes', and the program "
					   "slirp4netns is not here: install the package of that "
					   "name",
					   outside));
	if (outside && access("/dev/net/tun", R_OK | W_OK))
		json_array_append_new(
			list, json_sprintf("host %s has 'outside: yes', and this user cannot open "
					   "/dev/net/tun, which slirp4netns needs",
					   outside));
	if (image && !program_is_here("podman"))
		json_array_append_new(
			list, json_sprintf("host %s has an image, and the program podman is not "
					   "here: install the package of that name",
					   image));
}

/* may a child of this process make namespaces of hosts, in a user namespace if need be? */
static bool namespaces_allowed(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET));
	return pid < 0 || waitpid(pid, &status, 0) < 0 || !status;
}

json_t *check_up(const struct plan *plan)
{
	char text[REAL_ADVICE_MAX];
	json_t *list = json_array();

	if (!list)
		return NULL;
	if (real_advice_here(plan, true, text, sizeof(text)))
		json_array_append_new(list, json_string(text));
	if (neighbour_advice_here(neighbour_count(plan), text, sizeof(text)))
		json_array_append_new(list, json_string(text));
	hosts_check(plan, list);
	if (!namespaces_allowed())
		json_array_append_new(
			list, json_string("this user may not make user namespaces, which hosts "
					  "need: 'heddle up' says which setting of the kernel "
					  "forbids it"));
	return list;
}
