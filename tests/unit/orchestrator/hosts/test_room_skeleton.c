/*  orchestrator/hosts/room_skeleton: which folders of servers a host gets, how deep, and with which
 *  modes and owners (DU-3). A folder of the test stands for the file system. */
#include "orchestrator/hosts/room_skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "tests/testing.h"

static char root[64];
static struct room_skeleton skeleton;

static const char *place(const char *path)
{
	static char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	return whole;
}

/* folder @path, with those above it */
static void folder(const char *path, mode_t mode)
{
	char above[128];

	for (const char *slash = path; (slash = strchr(slash + 1, '/'));) {
		snprintf(above, sizeof(above), "%.*s", (int)(slash - path), path);
		mkdir(place(above), 0755);
	}
	mkdir(place(path), 0700);
	ck_assert_int_eq(chmod(place(path), mode), 0);
}

static void file(const char *path)
{
	FILE *made = fopen(place(path), "we");

	ck_assert_ptr_nonnull(made);
	fclose(made);
}

static void setup(void)
{
	testing_input();
	strcpy(root, "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
}

static void teardown(void)
{
	char command[128];

	room_skeleton_free(&skeleton);
	ck_assert_ptr_null(skeleton.folders);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	ck_assert_int_eq(system(command), 0);
}

TEST_GROUP(room_skeleton, .setup = setup, .teardown = teardown);

/* index of folder @path; -1: there is none */
static int index_of(const char *path)
{
	for (size_t i = 0; i < skeleton.count; i++)
		if (!strcmp(skeleton.folders[i].path, place(path)))
			return (int)i;
	return -1;
}

/* of a chain of folders below @path, @depth are read */
static void is_read(const char *path, bool top, unsigned depth)
{
	char chain[128];
	int at = index_of(path);

	ck_assert_msg(at >= 0, "%s is missing", path);
	ck_assert_int_eq(skeleton.folders[at].top, top);
	snprintf(chain, sizeof(chain), "%s", path);
	for (unsigned i = 1; i <= 4; i++) {
		strcat(chain, "/x");
		at = index_of(chain);
		ck_assert_msg((at >= 0) == (i <= depth), "%s: %d", chain, at);
		if (at >= 0)
			ck_assert(!skeleton.folders[at].top);
	}
}

TEST(room_skeleton_read__how_deep)
{
	static const struct {
		const char *path;
		unsigned depth;
	} tops[] = { { "/run", 1 },       { "/var/log", 2 },  { "/var/cache", 2 },
		     { "/var/spool", 3 }, { "/var/mail", 0 }, { "/var/lib/server", 3 } };
	char chain[128];
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(tops); i++) {
		snprintf(chain, sizeof(chain), "%s/x/x/x/x", tops[i].path);
		folder(chain, 0755);
		count += 1 + tops[i].depth;
	}
	/* files and links are no folders */
	file("/run/file");
	file("/var/lib/file");
	ck_assert_int_eq(symlink("/tmp", place("/var/log/link")), 0);
	ck_assert_int_eq(symlink("/tmp", place("/var/lib/link")), 0);
	room_skeleton_read(&skeleton, root);
	for (size_t i = 0; i < COUNT_OF(tops); i++)
		is_read(tops[i].path, true, tops[i].depth);
	ck_assert_uint_eq(skeleton.count, count);
	/* each is followed by what is in it */
	ck_assert_int_eq(index_of("/var/spool/x/x/x"), index_of("/var/spool") + 3);
}

/* root's folders are servers' if no file is in them, as deep as they are copied */
TEST(room_skeleton_read__servers_and_data)
{
	folder("/var/lib/empty", 0711);
	folder("/var/lib/below/x/x/x", 0755);
	file("/var/lib/below/x/x/x/file");
	folder("/var/lib/third/x/x", 0755);
	file("/var/lib/third/x/x/file");
	folder("/var/lib/link", 0755);
	ck_assert_int_eq(symlink("/tmp", place("/var/lib/link/link")), 0);
	folder("/var/lib/first", 0755);
	file("/var/lib/first/file");
	folder("/var/lib/owned", 0755);
	file("/var/lib/owned/file");
	if (geteuid()) {
		printf("skipped: needs root\n");
		return;
	}
	room_skeleton_read(&skeleton, root);
	ck_assert_int_ge(index_of("/var/lib/empty"), 0);
	ck_assert_uint_eq(skeleton.folders[index_of("/var/lib/empty")].mode, 0711);
	ck_assert_int_ge(index_of("/var/lib/below"), 0);
	ck_assert_int_eq(index_of("/var/lib/third"), -1);
	ck_assert_int_eq(index_of("/var/lib/link"), -1);
	ck_assert_int_eq(index_of("/var/lib/first"), -1);
	ck_assert_int_eq(index_of("/var/lib/owned"), -1);
	if (chown(place("/var/lib/owned"), 4243, 4244))
		return; /* this user namespace has no such user */
	room_skeleton_free(&skeleton);
	room_skeleton_read(&skeleton, root);
	ck_assert_int_ge(index_of("/var/lib/owned"), 0);
	ck_assert_uint_eq(skeleton.folders[index_of("/var/lib/owned")].user, 4243);
	ck_assert_uint_eq(skeleton.folders[index_of("/var/lib/owned")].group, 4244);
}

TEST(room_skeleton_read__the_most)
{
	char path[64];

	for (unsigned i = 0; i < ROOM_SKELETON_MAX + 2; i++) {
		snprintf(path, sizeof(path), "/run/%u", i);
		folder(path, 0755);
	}
	room_skeleton_read(&skeleton, root);
	ck_assert_uint_eq(skeleton.count, ROOM_SKELETON_MAX);
}

/* mode and owner of @path, which is in @made */
static void is_made(const char *made, const char *path, mode_t mode, uid_t user)
{
	char whole[256];
	struct stat found;

	snprintf(whole, sizeof(whole), "%s%s", made, path);
	ck_assert_msg(!stat(whole, &found), "%s is missing", path);
	ck_assert_uint_eq(found.st_mode & 07777, mode);
	ck_assert_uint_eq(found.st_uid, user);
}

/* a top folder in another place; then the next one is due */
TEST(room_skeleton_make__modes_and_owners)
{
	char made[80];
	bool chowned;
	int log;

	folder("/var/log/server", 02750);
	folder("/var/log/server/in", 01777);
	folder("/var/cache", 0711);
	chowned = !chown(place("/var/log/server"), 4243, 4243) &&
		  !chmod(place("/var/log/server"), 02750);
	room_skeleton_read(&skeleton, root);
	snprintf(made, sizeof(made), "%s/made", root);
	ck_assert_int_eq(mkdir(made, 0700), 0);
	log = index_of("/var/log");
	ck_assert_uint_eq(room_skeleton_make(&skeleton, (size_t)log, made),
			  (size_t)index_of("/var/cache"));
	is_made(made, "", 0755, geteuid());
	is_made(made, "/server", 02750, chowned ? 4243 : geteuid());
	is_made(made, "/server/in", 01777, geteuid());
	ck_assert_uint_eq(room_skeleton_make(&skeleton, (size_t)index_of("/var/cache"), made),
			  skeleton.count);
	is_made(made, "", 0711, geteuid());
}
