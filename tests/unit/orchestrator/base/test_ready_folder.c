/*  orchestrator/base/ready_folder: the scenarios that come with Heddle, by name (SE-10, SE-12). */
#include "orchestrator/base/ready_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/testing.h"

static char folder[] = "/tmp/test_ready_folder.XXXXXX";

static void put(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fclose(fopen(path, "w"));
}

static void drop(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	remove(path);
}

TEST_GROUP(ready_folder);

TEST(ready_files_list__scenarios_by_name)
{
	static const char *const names[] = { "b.yaml", "a.yaml", ".c.yaml", "d.csv", ".yaml" };
	struct ready_files files;
	char name[64];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (size_t i = 0; i < 5; i++)
		put(names[i]);
	ck_assert_int_eq(ready_files_list(folder, &files), 0);
	for (size_t i = 0; i < 5; i++)
		drop(names[i]);
	rmdir(folder);
	ck_assert_uint_eq(files.count, 2);
	ready_name(files.paths[0], name, sizeof(name));
	ck_assert_str_eq(name, "a");
	ready_name(files.paths[1], name, sizeof(name));
	ck_assert_str_eq(name, "b");
	ready_files_free(&files);
	ck_assert_int_eq(ready_files_list(folder, &files), -ENOENT);
}

/* reading a FIFO would wait for its writer */
TEST(ready_files_list__regular_files_only)
{
	char inner[] = "/tmp/test_ready_folder.XXXXXX", path[PATH_MAX];
	struct ready_files files;

	ck_assert_ptr_nonnull(mkdtemp(inner));
	snprintf(path, sizeof(path), "%s/fifo.yaml", inner);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/folder.yaml", inner);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/link.yaml", inner);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	ck_assert_int_eq(ready_files_list(inner, &files), 0);
	snprintf(path, sizeof(path), "rm -r %s", inner);
	ck_assert_int_eq(system(path), 0);
	ck_assert_uint_eq(files.count, 1);
	ck_assert_ptr_nonnull(strstr(files.paths[0], "/link.yaml"));
	ready_files_free(&files);
}

TEST(ready_name__without_folders_and_ending)
{
	char name[64];

	ready_name("plain", name, sizeof(name));
	ck_assert_str_eq(name, "plain");
	ready_name("/x.yaml/y.yaml", name, sizeof(name));
	ck_assert_str_eq(name, "y");
}

/* this test is in build/KIND/unit, one folder too deep; heddle is in build/KIND */
TEST(ready_folder__is_not_found_elsewhere)
{
	char path[PATH_MAX];

	ck_assert_int_eq(ready_folder("no-such-folder", path, sizeof(path)), -ENOENT);
}
