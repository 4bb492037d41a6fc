/*  orchestrator/base/atomic_file: a file is complete or absent, and is never written where another
 *  user wants it (TB-13, TB-24). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "orchestrator/base/atomic_file.h"
#include "tests/testing.h"

static char folder[] = "/tmp/test_atomic_file.XXXXXX";
static struct atomic_file file;

static const char *in_folder(const char *name)
{
	static char paths[4][128];
	static int next;

	next = (next + 1) % 4;
	snprintf(paths[next], sizeof(paths[next]), "%s/%s", folder, name);
	return paths[next];
}

static void setup(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	umask(022);
}

static void teardown(void)
{
	char command[160];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void put(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");

	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	fclose(out);
}

static const char *got(const char *path)
{
	static char text[64];
	FILE *in = fopen(path, "re");

	memset(text, 0, sizeof(text));
	if (!in)
		return "none";
	ck_assert_uint_lt(fread(text, 1, sizeof(text) - 1, in), sizeof(text));
	fclose(in);
	return text;
}

static int written(const char *path, const char *text)
{
	int error = atomic_file_open(&file, path);

	if (error)
		return error;
	fputs(text, file.stream);
	return atomic_file_commit(&file);
}

TEST_GROUP(atomic_file, .setup = setup, .teardown = teardown);

TEST(atomic_file_commit__appears_whole)
{
	const char *path = in_folder("r.json");
	struct stat status;

	ck_assert_int_eq(atomic_file_open(&file, path), 0);
	fputs("new", file.stream);
	fflush(file.stream);
	ck_assert_str_eq(got(path), "none");
	ck_assert_int_eq(atomic_file_commit(&file), 0);
	ck_assert_str_eq(got(path), "new");
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777, 0644);
	ck_assert_int_eq(atomic_file_open(&file, path), 0);
	atomic_file_abort(&file);
	ck_assert_str_eq(got(path), "new");
	ck_assert_int_ne(access(file.written, F_OK), 0);
}

TEST(atomic_file_commit__keeps_the_access_of_what_it_replaces)
{
	const char *path = in_folder("secret");
	struct stat status;

	put(path, "old");
	chmod(path, 0600);
	ck_assert_int_eq(written(path, "new"), 0);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777, 0600);
	ck_assert_str_eq(got(path), "new");
}

/* a program may be started without a standard input: the file's descriptor is 0 then */
TEST(atomic_file_open__without_standard_input)
{
	const char *path = in_folder("r.json");

	close(STDIN_FILENO);
	errno = 0;
	ck_assert_int_eq(written(path, "new"), 0);
	ck_assert_str_eq(got(path), "new");
}

TEST(atomic_file_open__through_a_symlink_of_our_own)
{
	struct stat status;

	put(in_folder("target"), "old");
	ck_assert_int_eq(symlink(in_folder("target"), in_folder("link")), 0);
	ck_assert_int_eq(written(in_folder("link"), "new"), 0);
	ck_assert_int_eq(lstat(in_folder("link"), &status), 0);
	ck_assert(S_ISLNK(status.st_mode));
	ck_assert_str_eq(got(in_folder("target")), "new");
}

TEST(atomic_file_open__not_through_a_symlink_of_another_user)
{
	put(in_folder("target"), "old");
	ck_assert_int_eq(symlink(in_folder("target"), in_folder("link")), 0);
	if (lchown(in_folder("link"), 4243, 4243))
		return; /* only root can change an owner */
	ck_assert_int_eq(atomic_file_open(&file, in_folder("link")), -ELOOP);
	ck_assert_str_eq(atomic_file_why(-ELOOP), "it is a symbolic link of another user");
	ck_assert_str_eq(got(in_folder("target")), "old");
}

/* root replaces a file of another user, whose it stays */
TEST(atomic_file_commit__keeps_owner_and_mode)
{
	struct stat status;

	put(in_folder("r.json"), "old");
	ck_assert_int_eq(chmod(in_folder("r.json"), 0640), 0);
	if (chown(in_folder("r.json"), 4243, 4244))
		return; /* only root can change an owner */
	ck_assert_int_eq(written(in_folder("r.json"), "new"), 0);
	ck_assert_int_eq(stat(in_folder("r.json"), &status), 0);
	ck_assert_uint_eq(status.st_uid, 4243);
	ck_assert_uint_eq(status.st_gid, 4244);
	ck_assert_uint_eq(status.st_mode & 07777, 0640);
}

/* TB-24: another user knows the temporary name and puts a symlink there */
TEST(atomic_file_open__not_through_a_link_under_the_temporary_name)
{
	char trap[128];

	put(in_folder("victim"), "old");
	snprintf(trap, sizeof(trap), "%s/r.json.part.%ld", folder, (long)getpid());
	ck_assert_int_eq(symlink(in_folder("victim"), trap), 0);
	ck_assert_int_eq(written(in_folder("r.json"), "new"), 0);
	ck_assert_str_eq(got(in_folder("victim")), "old");
	ck_assert_str_eq(got(in_folder("r.json")), "new");
}

/* What is no file is written directly. A full disk is reported with its reason. */
TEST(atomic_file_commit__failed_write_has_its_reason)
{
	struct stat status;

	ck_assert_int_eq(written("/dev/null", "text"), 0);
	ck_assert_int_eq(written("/dev/full", "text"), -ENOSPC);
	ck_assert_int_eq(stat("/dev/full", &status), 0);
	ck_assert(S_ISCHR(status.st_mode));
	ck_assert_int_eq(atomic_file_open(&file, in_folder("nowhere/r.json")), -ENOENT);
}

/* also if it was an earlier one, and nothing is left to be written */
TEST(atomic_file_commit__earlier_failed_write_has_its_reason)
{
	const struct rlimit limit = { 4096, 4096 };
	static char text[3 * 4096];

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(atomic_file_open(&file, in_folder("f")), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	fwrite(text, sizeof(text), 1, file.stream);
	fflush(file.stream);
	ck_assert_int_eq(atomic_file_commit(&file), -EFBIG);
	ck_assert_str_eq(got(in_folder("f")), "none");
}

TEST(atomic_file_open__a_file_without_a_name)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char path[64], text[8] = "";

	ck_assert_int_ge(fd, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ck_assert_int_eq(atomic_file_open(&file, path), 0);
	fputs("text", file.stream);
	ck_assert_int_eq(atomic_file_commit(&file), 0);
	ck_assert_int_eq(pread(fd, text, sizeof(text) - 1, 0), 4);
	ck_assert_str_eq(text, "text");
	close(fd);
}

/* with PATH_MAX characters a path has no place for its 0; a shorter one none for the temporary
 * name */
TEST(atomic_file_open__too_long_a_path)
{
	char path[PATH_MAX + 1];

	memset(path, '/', PATH_MAX);
	path[PATH_MAX] = 0;
	ck_assert_int_eq(atomic_file_open(&file, path), -ENAMETOOLONG);
	memset(path, 'x', PATH_MAX);
	ck_assert_int_eq(atomic_file_open(&file, path), -ENAMETOOLONG);
	atomic_file_abort(&file); /* there is nothing to abort */
}

/* the new name is that of a folder */
TEST(atomic_file_commit__failed_rename_leaves_nothing)
{
	ck_assert_int_eq(atomic_file_open(&file, in_folder("r.json")), 0);
	ck_assert_int_eq(mkdir(in_folder("r.json"), 0700), 0);
	ck_assert_int_eq(atomic_file_commit(&file), -EISDIR);
	ck_assert_int_eq(rmdir(in_folder("r.json")), 0);
	ck_assert_int_eq(rmdir(folder), 0); /* so it is empty */
	ck_assert_int_eq(mkdir(folder, 0700), 0);
}

TEST(atomic_file_abort__leaves_nothing)
{
	put(in_folder("r.json"), "old");
	ck_assert_int_eq(atomic_file_open(&file, in_folder("r.json")), 0);
	fputs("new", file.stream);
	atomic_file_abort(&file);
	atomic_file_abort(&file);
	ck_assert_str_eq(got(in_folder("r.json")), "old");
	ck_assert_int_eq(unlink(in_folder("r.json")), 0);
	ck_assert_int_eq(rmdir(folder), 0);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
}

TEST(atomic_file_folder__with_those_above)
{
	char path[PATH_MAX + 1];
	struct stat status;

	ck_assert_int_eq(atomic_file_folder(in_folder("a/b/c")), 0);
	ck_assert_int_eq(stat(in_folder("a/b/c"), &status), 0);
	ck_assert(S_ISDIR(status.st_mode));
	ck_assert_int_eq(atomic_file_folder(in_folder("a/b/c")), 0);
	put(in_folder("a/file"), "text");
	ck_assert_int_eq(atomic_file_folder(in_folder("a/file/d")), -ENOTDIR);
	memset(path, 'x', PATH_MAX);
	path[PATH_MAX] = 0;
	ck_assert_int_eq(atomic_file_folder(path), -ENAMETOOLONG);
}

/* it leads to nothing that could be written */
TEST(atomic_file_open__through_a_symlink_without_an_end)
{
	ck_assert_int_eq(symlink("loop", in_folder("loop")), 0);
	ck_assert_int_eq(atomic_file_open(&file, in_folder("loop")), -ELOOP);
	put(in_folder("file"), "text");
	ck_assert_int_eq(symlink("file/below", in_folder("below")), 0);
	ck_assert_int_eq(atomic_file_open(&file, in_folder("below")), -ENOTDIR);
	ck_assert_int_eq(symlink("later", in_folder("link")), 0);
	ck_assert_int_eq(atomic_file_open(&file, in_folder("link")), -ENOENT);
	ck_assert_str_eq(got(in_folder("later")), "none");
}

TEST(atomic_file_open__what_cannot_be_opened)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(atomic_file_open(&file, folder), -EISDIR);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", in_folder("socket"));
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(atomic_file_open(&file, in_folder("socket")), -ENXIO);
	ck_assert_ptr_null(file.stream);
	close(fd);
}
