/*  orchestrator/base/beside: the files beside this program. */
#include "orchestrator/base/beside.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "tests/testing.h"

TEST(beside_find__in_the_folder_of_the_program)
{
	char self[PATH_MAX], path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *name;

	ck_assert_int_gt(length, 0);
	self[length] = 0;
	name = strrchr(self, '/') + 1;
	ck_assert_int_eq(beside_find(name, X_OK, path, sizeof(path)), 0);
	ck_assert_str_eq(path, self);
	ck_assert_int_eq(beside_find(name, R_OK, path, strlen(self) + 1), 0);
	ck_assert_int_eq(beside_find(name, R_OK, path, strlen(self)), -ENOENT);
	ck_assert_int_eq(beside_find("no-such-program", F_OK, path, sizeof(path)), -ENOENT);
}
