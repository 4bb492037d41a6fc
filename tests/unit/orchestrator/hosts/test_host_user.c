/*  orchestrator/hosts: host_user - users of the machine, or of a host's root file system (DU-3). */
#include "orchestrator/hosts/host_user.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/testing.h"

TEST_GROUP(host_user);

TEST(host_user_find__reads_the_users_of_a_root_file_system)
{
	char root[] = "/tmp/test_host_user_XXXXXX", path[64];
	struct host_user user;
	FILE *file;

	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/etc", root);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	ck_assert(!host_user_find(root, "root", &user)); /* no file */
	strcat(path, "/passwd");
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs("other:x:1234:55:Other:/home/other:/bin/sh\n77:x:5:5::/five:/bin/sh\n"
	      "broken\nlast:x:77:6::/six:/bin/sh\n",
	      file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert(host_user_find(root, "other", &user));
	ck_assert_str_eq(user.name, "other");
	ck_assert_str_eq(user.home, "/home/other");
	ck_assert_uint_eq(user.user, 1234);
	ck_assert_uint_eq(user.group, 55);
	ck_assert(host_user_find(root, "1234", &user));
	ck_assert_str_eq(user.name, "other");
	/* a name wins over a number */
	ck_assert(host_user_find(root, "77", &user));
	ck_assert_uint_eq(user.user, 5);
	ck_assert(host_user_find(root, "last", &user));
	ck_assert(!host_user_find(root, "root", &user));
	ck_assert(!host_user_find(root, "0", &user));
	ck_assert(!host_user_find(root, "", &user));
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
	rmdir(root);
}

TEST(host_user_find__else_those_of_the_machine)
{
	struct host_user user;

	ck_assert(host_user_find("", "root", &user));
	ck_assert_uint_eq(user.user, 0);
	ck_assert(host_user_find(NULL, "0", &user));
	ck_assert_str_eq(user.name, "root");
	ck_assert(!host_user_find(NULL, "no-such-user", &user));
}
