/*  orchestrator/hosts/id_map: which programs write the maps, with which ids, and what is said if
 *  one is missing (DU-1). Scripts stand for getsubids, newuidmap and newgidmap, and note their
 *  calls. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/hosts/id_map.h"
#include "tests/testing.h"

#define NOTE "#!/bin/sh\necho \"${0##*/} $*\" >> calls\n"
#define MISSING NULL

static const char *const programs[] = { "getsubids", "newuidmap", "newgidmap" };
static char folder[] = "/tmp/id-map-XXXXXX";
static char calls[1024]; /* a line each: program and arguments */

static void setup(void)
{
	strcpy(folder, "/tmp/id-map-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	setenv("PATH", folder, 1);
}

static void teardown(void)
{
	for (size_t i = 0; i < COUNT_OF(programs); i++)
		unlink(programs[i]);
	unlink("calls");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

TEST_GROUP(id_map, .setup = setup, .teardown = teardown);

static void script_write(const char *name, const char *rest)
{
	FILE *file = fopen(name, "we");

	ck_assert_ptr_nonnull(file);
	fprintf(file, NOTE "%s\n", rest);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(name, 0755), 0);
}

static void calls_read(void)
{
	int fd = open("calls", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, calls, sizeof(calls) - 1);

	calls[length] = 0;
	close(fd);
}

#define USERS "0: me 100000 65536"
#define GROUPS "0: me 200000 1000"
#define NOT_THERE "newuidmap is not installed; as root: apt-get install uidmap"
#define NONE "has no subordinate ids; as root: usermod --add-subuids 100000-165535 --add-subgids "

/* what the programs answer or how they end; MISSING: they are not installed */
static const struct {
	const char *users, *groups; /* of getsubids */
	const char *newuidmap, *newgidmap;
	bool users_done, groups_done;
	const char *why;
} cases[] = {
	{ USERS, GROUPS, "exit 0", "exit 0", true, true, "" },
	{ MISSING, MISSING, "exit 0", "exit 0", false, false, NOT_THERE },
	{ USERS, GROUPS, MISSING, MISSING, false, false, NOT_THERE },
	{ USERS, GROUPS, MISSING, "exit 0", false, true, NOT_THERE },
	{ USERS, GROUPS, "exit 0", MISSING, true, false, NOT_THERE },
	{ USERS, GROUPS, "exit 0", "exit 127", true, false, NOT_THERE },
	{ "", "", "exit 0", "exit 0", false, false, NONE },
	{ "", GROUPS, "exit 0", "exit 0", false, true, NONE },
	{ USERS, "", "exit 0", "exit 0", true, false, NONE },
	{ USERS, "0: me", "exit 0", "exit 0", true, false, NONE },
	{ USERS, "0: me 200000", "exit 0", "exit 0", true, false, NONE },
	{ USERS, "0: me 200000 0", "exit 0", "exit 0", true, false, NONE },
	{ USERS, "0: me 0 1", "exit 0", "exit 0", true, true, "" },
	{ USERS, GROUPS, "exit 1", "exit 0", false, true, "has failed, status 1 and 0" },
	{ USERS, GROUPS, "exit 0", "exit 3", true, false, "has failed, status 0 and 3" },
	{ USERS, GROUPS, "kill -9 $$", "exit 0", false, true, NOT_THERE },
};

static void programs_write(size_t index)
{
	char rest[256];

	if (cases[index].users) {
		snprintf(rest, sizeof(rest), "[ \"$1\" = -g ] && echo '%s' || echo '%s'",
			 cases[index].groups, cases[index].users);
		script_write("getsubids", rest);
	}
	if (cases[index].newuidmap)
		script_write("newuidmap", cases[index].newuidmap);
	if (cases[index].newgidmap)
		script_write("newgidmap", cases[index].newgidmap);
}

TEST_RANGE(id_map_write__done_or_why_not, 0, COUNT_OF(cases))
{
	struct id_map_helper helper;
	struct id_map_done done;

	programs_write((size_t)_i);
	id_map_prepare(&helper);
	ck_assert_str_eq(helper.why, "");
	ck_assert_int_gt(helper.pid, 0);
	done = id_map_write(&helper);
	ck_assert_int_eq(done.users, cases[_i].users_done);
	ck_assert_int_eq(done.groups, cases[_i].groups_done);
	ck_assert_msg(*cases[_i].why ? strstr(helper.why, cases[_i].why) != NULL : !*helper.why,
		      "%s", helper.why);
	ck_assert_int_eq(helper.fd, -1);
	ck_assert_int_eq(helper.pid, 0);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1); /* no process is left */
}

/* 0 is the user itself, 1 and above are the subordinate ids */
TEST(id_map_write__maps_of_the_caller)
{
	struct id_map_helper helper;
	char expected[1024];

	programs_write(0);
	id_map_prepare(&helper);
	id_map_write(&helper);
	calls_read();
	snprintf(expected, sizeof(expected),
		 "getsubids %s\nnewuidmap %d 0 %u 1 1 100000 65536\n"
		 "getsubids -g %s\nnewgidmap %d 0 %u 1 1 200000 1000\n",
		 helper.owner, (int)getpid(), geteuid(), helper.owner, (int)getpid(), getegid());
	ck_assert_str_eq(calls, expected);
}

/* of a caller that does not wait for its children */
TEST(id_map_write__caller_that_ignores_its_children)
{
	struct id_map_helper helper;
	struct id_map_done done;

	programs_write(0);
	signal(SIGCHLD, SIG_IGN);
	id_map_prepare(&helper);
	done = id_map_write(&helper);
	signal(SIGCHLD, SIG_DFL);
	ck_assert(done.users && done.groups);
	ck_assert_str_eq(helper.why, "");
}

/* the process has no new namespace: no map is written */
TEST(id_map_prepare__waits_for_the_namespace)
{
	struct id_map_helper helper;
	struct id_map_done done;

	programs_write(0);
	id_map_prepare(&helper);
	close(helper.fd);
	helper.fd = -1;
	done = id_map_write(&helper);
	ck_assert(!done.users && !done.groups);
	calls_read();
	ck_assert_str_eq(calls, "");
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}

TEST(id_map_prepare__user_without_a_name)
{
	struct id_map_helper helper;
	struct id_map_done done;

	if (geteuid() || seteuid(54321))
		return; /* only root can be such a user */
	id_map_prepare(&helper);
	ck_assert_str_eq(helper.why, "user 54321 has no name");
	done = id_map_write(&helper);
	ck_assert(!done.users && !done.groups);
	ck_assert_str_eq(helper.why, "user 54321 has no name");
	ck_assert_int_eq(seteuid(0), 0);
}
