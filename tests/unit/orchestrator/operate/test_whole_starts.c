/*  orchestrator/fabric/fabric_start, fabric_pack: programs of nodes that are missing or end at
 *  once, at the start of a run, of a fabric and of a node (TB-10, TB-22, SC-3). */
#include "tests/unit/orchestrator/whole_fabric.h"

static void setup(void)
{
	fabric_setup();
	file_write("u.yaml", "name: u\nrun: {duration: 20us}\ntopology:\n  switches: [s1, s2]\n  "
			     "hosts: {A: s1, B: s2}\n  links: [[s1, s2]]\nworkloads: [{name: w, "
			     "pattern: pairs, pairs: [[A, B]], size: 1KiB}]\n");
}

/* the program is gone, or this script */
static void program_is(const char *name, const char *script)
{
	char path[PATH_MAX];

	whole_path(path, name);
	unlink(path);
	if (!script)
		return;
	file_write(path, script);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

/* the program is as it was */
static void program_returns(const char *name)
{
	char path[PATH_MAX], self[PATH_MAX] = "";

	whole_path(path, name);
	unlink(path);
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	ck_assert_int_eq(link(self, path), 0);
}

static void teardown(void)
{
	program_returns("switchd");
	program_returns("nicd");
	program_returns("workerd");
	whole_teardown();
}

TEST_GROUP(whole_starts, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = teardown);

TEST(run__program_is_missing)
{
	program_is("nicd", NULL);
	ASSERT_STATUS("run|u.yaml", 4);
	ck_assert_str_eq(said, "heddle run: cannot find the program nicd beside heddle\n");
	ck_assert_str_eq(printed, "");
	program_returns("nicd");
	program_is("switchd", NULL);
	ASSERT_STATUS("run|u.yaml", 4);
	ck_assert_str_eq(said, "heddle run: cannot find the program switchd beside heddle\n");
	ASSERT_STATUS("run|--pack=1|u.yaml", 0);
	program_is("workerd", NULL);
	ASSERT_STATUS("run|--pack=1|u.yaml", 4);
	ck_assert_str_eq(said, "heddle run: cannot find the program workerd beside heddle\n");
}

/* the node, or the worker, is named */
TEST(run__program_ends_at_once)
{
	program_is("nicd", "#!/bin/sh\nexit 3\n");
	ASSERT_STATUS("run|u.yaml", 4);
	ck_assert_ptr_eq(strstr(said, "heddle run: NIC "), said);
	ASSERT_HAS(said, ") left in the middle of the run with status 3\n");
	ck_assert_uint_eq(times(said, "\n"), 1);
	program_is("workerd", "#!/bin/sh\nexit 3\n");
	ASSERT_STATUS("run|--pack=1|u.yaml", 4);
	ck_assert_msg(strstr(said, "heddle run: worker 0 (pid ") == said, "%s", said);
	ASSERT_HAS(said, ") left in the middle of the run with status 3\n");
	ck_assert_uint_eq(times(said, "\n"), 1);
	program_is("switchd", "no program\n");
	ASSERT_STATUS("run|u.yaml", 4);
	ASSERT_HAS(said, "heddle run: cannot start switch s1, number 1: Exec format error\n");
}

TEST(up__program_is_missing)
{
	program_is("switchd", NULL);
	ck_assert_int_eq(heddle("up|u.yaml"), 4);
	if (strstr(said, "namespace")) {
		printf("skipped, needs namespaces: %s\n", said);
		return;
	}
	ASSERT_HAS(said, "heddle up: cannot find the program switchd beside heddle\n");
	ck_assert(!file_there("run/u"));
	program_returns("switchd");
	program_is("nicd", "#!/bin/sh\nexit 3\n");
	ASSERT_STATUS("up|u.yaml", 4);
	ASSERT_HAS(said, "left with status 3");
	program_is("workerd", "#!/bin/sh\nexit 5\n");
	ASSERT_STATUS("up|--pack=1|u.yaml", 4);
	ASSERT_HAS(said, "left with status 5");
	ck_assert(!file_there("run/u"));
}

/* it stays dead, and can be started once the program is there */
TEST(start__program_is_missing)
{
	const char *at;

	if (!up("up|u.yaml"))
		return;
	ASSERT_STATUS("ps|u", 0);
	at = strstr(printed, "\nswitch  s2 ");
	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(kill(atoi(at + strlen("\nswitch  s2 ")), SIGKILL), 0);
	until("ps|u", " dead ");
	program_is("switchd", NULL);
	ASSERT_STATUS("start|s2", 1);
	ASSERT_HAS(said, "cannot find the program switchd beside heddle");
	ASSERT_STATUS("ps|u", 0);
	ASSERT_HAS(printed, " dead ");
	program_returns("switchd");
	program_is("switchd", "#!/bin/sh\nexit 3\n");
	ASSERT_STATUS("start|s2", 1);
	ASSERT_HAS(said, "status 3");
	program_returns("switchd");
	ASSERT_STATUS("start|s2", 0);
	until("ps|u", "\nswitch  s2 ");
	ck_assert_uint_eq(times(printed, " running "), 4);
	down();
}
