/*  orchestrator/run/cmd_compare: where the table of a comparison cannot be written (TB-10). */
#include "orchestrator/run/cmd_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/said.h"
#include "tests/testing.h"

static struct scenario_compare compare;
static struct compare_table table;
static char folder[32];

static void setup(void)
{
	strcpy(folder, "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	table = (struct compare_table){ .compare = &compare };
	strcpy(table.scenario, "s");
}

static void teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

static int written(const char *json, const char *csv)
{
	struct run_options options = { .quiet = true, .json = json, .csv = csv };
	int status;

	said_begin();
	status = run_table_write(&options, &table);
	said_end();
	return status;
}

TEST_GROUP(run_table_write, .setup = setup, .teardown = teardown);

TEST(run_table_write__both_files)
{
	ck_assert_int_eq(written("c.json", "c"), 0);
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(unlink("c.json"), 0);
	ck_assert_int_eq(unlink("c/compare.csv"), 0);
	ck_assert_int_eq(rmdir("c"), 0);
}

/* what is first named cannot be written: the other is not begun */
TEST(run_table_write__no_folder)
{
	ck_assert_int_eq(written("no/c.json", "c"), EXIT_USAGE);
	ck_assert_str_eq(said, "heddle run: cannot write the table to no/c.json: No such file or "
			       "directory\n");
	ck_assert_int_ne(access("c", F_OK), 0);
}

TEST(run_table_write__no_table)
{
	/* a folder has the name of the file */
	ck_assert_int_eq(mkdir("c", 0700), 0);
	ck_assert_int_eq(mkdir("c/compare.csv", 0700), 0);
	ck_assert_int_eq(written(NULL, "c"), EXIT_USAGE);
	ck_assert_str_eq(said, "heddle run: cannot write c/compare.csv: Is a directory\n");
	ck_assert_int_eq(rmdir("c/compare.csv"), 0);
	ck_assert_int_eq(rmdir("c"), 0);
}
