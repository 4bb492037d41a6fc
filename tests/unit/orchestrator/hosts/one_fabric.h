/*  one_fabric - what tests of hosts' networks share: the namespaces of one fabric. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_HOSTS_ONE_FABRIC_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_HOSTS_ONE_FABRIC_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/hosts/namespace.h"
#include "tests/testing.h"

static struct fabric_namespaces namespaces;
static char hosts_file[] = "/tmp/heddle-test-hosts-XXXXXX";
static struct why why;

/* before and after all tests of a group */
static void hosts_file_create(void)
{
	close(mkstemp(hosts_file));
}

static void hosts_file_remove(void)
{
	unlink(hosts_file);
}

/* Opens the fabric.  Return: false, after a line that says why, if the kernel does not permit
 * it. */
static bool fabric_open(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		int error = namespaces_open(&namespaces, hosts_file, &why);

		if (error)
			printf("skipped namespaces: %s\n", why.text);
		fflush(stdout);
		_exit(error != 0);
	}
	waitpid(child, &status, 0);
	if (status)
		return false;
	ck_assert_msg(namespaces_open(&namespaces, hosts_file, &why) == 0, "%s", why.text);
	return true;
}

#endif
