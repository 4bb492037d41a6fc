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

static void file_write(const char *root, const char *name, const char *text)
{
	char path[80];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

static void file_remove(const char *root, const char *name)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	ck_assert_int_eq(remove(path), 0);
}

TEST(host_user_of_image__names_and_numbers)
{
	char root[] = "/tmp/test_host_user_XXXXXX", path[64], text[400];
	struct host_user user;

	ck_assert_ptr_nonnull(mkdtemp(root));
	/* without any file */
	ck_assert(!host_user_of_image(root, "web", &user));
	ck_assert(host_user_of_image(root, "1000", &user));
	ck_assert_uint_eq(user.user, 1000);
	ck_assert_uint_eq(user.group, 0);
	ck_assert_str_eq(user.name, "1000");
	ck_assert_str_eq(user.home, "/");
	ck_assert(host_user_of_image(root, "1000:1001", &user));
	ck_assert_uint_eq(user.group, 1001);
	ck_assert_str_eq(user.name, "1000");
	ck_assert(!host_user_of_image(root, "1000:crew", &user));
	snprintf(path, sizeof(path), "%s/etc", root);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	file_write(root, "etc/passwd", "web:x:80:81:Web:/home/web:/bin/sh\n");
	file_write(root, "etc/group", "web:x:81:\ncrew:x:90:web\n7:x:70:\n");
	ck_assert(host_user_of_image(root, "web", &user));
	ck_assert_uint_eq(user.user, 80);
	ck_assert_uint_eq(user.group, 81);
	ck_assert_str_eq(user.home, "/home/web");
	ck_assert(host_user_of_image(root, "80:crew", &user));
	ck_assert_str_eq(user.name, "web");
	ck_assert_uint_eq(user.group, 90);
	ck_assert(host_user_of_image(root, "web:7", &user)); /* a name wins */
	ck_assert_uint_eq(user.group, 70);
	ck_assert(!host_user_of_image(root, "", &user));
	ck_assert(!host_user_of_image(root, "web:", &user));
	ck_assert(!host_user_of_image(root, ":81", &user));
	ck_assert(!host_user_of_image(root, "-1", &user));
	ck_assert(!host_user_of_image(root, "4294967295", &user));
	memset(text, '1', sizeof(text));
	text[sizeof(text) - 1] = 0;
	ck_assert(!host_user_of_image(root, text, &user));
	/* the longest text leaves a byte for its end */
	memset(text, '0', sizeof(text));
	memcpy(text + 251, "1000", 5);
	ck_assert(host_user_of_image(root, text, &user));
	ck_assert_uint_eq(user.user, 1000);
	memcpy(text + 251, "01000", 6);
	ck_assert(!host_user_of_image(root, text, &user));
	file_remove(root, "etc/passwd");
	file_remove(root, "etc/group");
	file_remove(root, "etc");
	rmdir(root);
}
