#include "orchestrator/base/own_process.h"

#include <stdio.h>
#include <unistd.h>

#include "nodes/process/child.h"

pid_t own_process_start(const char *command, int socket, bool keep_user)
{
	char name[] = "heddle", parent[32], keep[] = "--keep-user";
	char *arguments[] = { name, (char *)command, parent, keep_user ? keep : NULL, NULL };

	snprintf(parent, sizeof(parent), "%d", (int)getpid());
	return child_start("/proc/self/exe", arguments, socket, CHILD_GROUP_OWN, false);
}
