/*  orchestrator/live/runtime_dir: the folder of running fabrics. Nothing is left, and `down` may be
 *  repeated (TB-22); only its owner has access (TB-24). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/live/runtime_dir.h"
#include "tests/testing.h"

static char root[64], path[128];
static struct why why;

static void set_up(void)
{
	snprintf(root, sizeof(root), "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/run", root);
	setenv("HEDDLE_RUNTIME_DIR", path, 1);
}

static void tear_down(void)
{
	rmdir(path);
	ck_assert_int_eq(rmdir(root), 0); /* every test leaves an empty directory */
}

static bool exists(const char *name)
{
	char full[256];

	snprintf(full, sizeof(full), "%s/%s", path, name);
	return !access(full, F_OK);
}

/* starts a process that holds fabric @name until it is killed */
static pid_t holder_start(int base_fd, const char *name)
{
	struct runtime_place place;
	int pipes[2];
	char told;
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		if (!runtime_claim(base_fd, name, &place, &why) && runtime_listen(&place) >= 0)
			(void)!write(pipes[1], "x", 1);
		close(pipes[1]);
		for (;;)
			pause();
	}
	close(pipes[1]);
	ck_assert_int_eq(read(pipes[0], &told, 1), 1);
	close(pipes[0]);
	return pid;
}

TEST_GROUP(runtime_dir, .setup = set_up, .teardown = tear_down);

TEST(runtime_path__order_of_the_environment)
{
	char expected[64];

	ck_assert_int_eq(runtime_path(why.text, sizeof(why.text)), 0);
	ck_assert_str_eq(why.text, path);
	unsetenv("HEDDLE_RUNTIME_DIR");
	setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
	ck_assert_int_eq(runtime_path(why.text, sizeof(why.text)), 0);
	ck_assert_str_eq(why.text, "/run/user/7/heddle");
	unsetenv("XDG_RUNTIME_DIR");
	ck_assert_int_eq(runtime_path(why.text, sizeof(why.text)), 0);
	snprintf(expected, sizeof(expected), "/tmp/heddle-%u", (unsigned)getuid());
	ck_assert_str_eq(why.text, getuid() ? expected : "/run/heddle");
	ck_assert_int_eq(runtime_path(why.text, 3), -ENAMETOOLONG);
}

/* also when the process goes to another folder */
TEST(runtime_path__relative)
{
	char expected[256];

	ck_assert_int_eq(chdir(root), 0);
	setenv("HEDDLE_RUNTIME_DIR", "run/own", 1);
	snprintf(expected, sizeof(expected), "%s/run/own", root);
	ck_assert_int_eq(runtime_path(why.text, sizeof(why.text)), 0);
	ck_assert_str_eq(why.text, expected);
	ck_assert_int_eq(runtime_path(why.text, strlen(expected)), -ENAMETOOLONG);
	ck_assert_int_eq(runtime_path(why.text, strlen(expected) + 1), 0);
	ck_assert_int_eq(runtime_path(why.text, 3), -ENAMETOOLONG);
	ck_assert_int_eq(runtime_path_keep(), 0);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(runtime_path(why.text, sizeof(why.text)), 0);
	ck_assert_str_eq(why.text, expected);
}

TEST(runtime_open__missing_is_no_error)
{
	ck_assert_int_eq(runtime_open(false, &why), -ENOENT);
}

TEST(runtime_open__makes_it_for_its_owner_only)
{
	struct stat state;
	int fd = runtime_open(true, &why);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &state), 0);
	ck_assert_uint_eq(state.st_mode & 0777, 0700);
	close(fd);
}

TEST(runtime_open__rejects_what_is_open_to_others)
{
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(chmod(path, 0755), 0);
	ck_assert_int_eq(runtime_open(true, &why), -EPERM);
	ck_assert_ptr_nonnull(strstr(why.text, "chmod 700"));
}

TEST(runtime_open__follows_no_symlink)
{
	ck_assert_int_eq(symlink("/tmp", path), 0);
	ck_assert_int_lt(runtime_open(true, &why), 0);
	unlink(path);
}

TEST(runtime_name_fine__only_file_names)
{
	ck_assert(runtime_name_fine("two-racks_1.5"));
	ck_assert(!runtime_name_fine(""));
	ck_assert(!runtime_name_fine(".."));
	ck_assert(!runtime_name_fine("a/b"));
	ck_assert(!runtime_name_fine("a b"));
	ck_assert(!runtime_name_fine("a-name-that-is-much-too-long-for-it"));
}

TEST(runtime_claim__only_once)
{
	int base_fd = runtime_open(true, &why);
	struct runtime_place place, second;

	ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
	ck_assert_int_eq(runtime_claim(base_fd, "a", &second, &why), -EEXIST);
	ck_assert(runtime_lives(base_fd, "a"));
	runtime_release(&place);
	ck_assert(!exists("a"));
	ck_assert(!runtime_lives(base_fd, "a"));
	close(base_fd);
}

static void soft_limit(int resource, rlim_t value)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(resource, &limit), 0);
	limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
	ck_assert_int_eq(setrlimit(resource, &limit), 0);
}

/* neither the folder, nor its lock, nor what the lock says can be made */
TEST(runtime_claim__failure_leaves_nothing)
{
	static const int errors[] = { -EMFILE, -EMFILE, -EFBIG };
	int base_fd = runtime_open(true, &why), free_fd = dup(base_fd);
	struct runtime_place place;

	close(free_fd);
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < COUNT_OF(errors); i++) {
		if (errors[i] == -EMFILE)
			soft_limit(RLIMIT_NOFILE, (rlim_t)free_fd + i);
		else
			soft_limit(RLIMIT_FSIZE, 0);
		ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), errors[i]);
		soft_limit(RLIMIT_NOFILE, 64);
		soft_limit(RLIMIT_FSIZE, RLIM_INFINITY);
		ck_assert_msg(!exists("a"), "%zu", i);
	}
	ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
	runtime_release(&place);
	close(base_fd);
}

TEST(runtime_names__those_that_live_in_order)
{
	int base_fd = runtime_open(true, &why);
	struct runtime_place b, a;
	char(*names)[NODE_NAME_MAX];

	ck_assert_int_eq(runtime_names(base_fd, &names), 0);
	ck_assert_int_eq(runtime_claim(base_fd, "b", &b, &why), 0);
	ck_assert_int_eq(runtime_claim(base_fd, "a", &a, &why), 0);
	ck_assert_int_eq(runtime_names(base_fd, &names), 2);
	ck_assert_str_eq(names[0], "a");
	ck_assert_str_eq(names[1], "b");
	free(names);
	runtime_release(&a);
	runtime_release(&b);
	close(base_fd);
}

TEST(runtime_kill__then_nothing_is_left)
{
	int base_fd = runtime_open(true, &why), socket_fd;
	pid_t pid = holder_start(base_fd, "a");
	char(*names)[NODE_NAME_MAX];

	socket_fd = runtime_connect(base_fd, "a");
	ck_assert_int_ge(socket_fd, 0);
	close(socket_fd);
	ck_assert_int_eq(runtime_kill(base_fd, "a"), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert(exists("a"));
	ck_assert_int_eq(runtime_names(base_fd, &names), 0);
	ck_assert(!exists("a"));
	ck_assert_int_eq(runtime_kill(base_fd, "a"), -ESRCH);
	close(base_fd);
}

/* what start commands have printed, after a daemon that was killed and after one that ends */
/* 0: the folder is removed, 1: renamed, 2: another fabric has taken its place */
TEST_RANGE(runtime_lost__no_command_finds_it, 0, 3)
{
	int base_fd = runtime_open(true, &why);
	struct runtime_place place, other;
	struct pollfd polled = { .events = POLLIN };

	ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
	polled.fd = place.watch_fd;
	ck_assert_int_eq(close(openat(place.dir_fd, "log", O_CREAT, 0600)), 0);
	ck_assert_int_eq(poll(&polled, 1, 0), 0);
	ck_assert_int_eq(unlinkat(place.dir_fd, "log", 0), 0);
	ck_assert_int_eq(poll(&polled, 1, 60000), 1);
	ck_assert(!runtime_lost(&place));
	ck_assert_int_eq(poll(&polled, 1, 0), 0);
	if (_i == 1) {
		ck_assert_int_eq(renameat(base_fd, "a", base_fd, "b"), 0);
	} else {
		ck_assert_int_eq(unlinkat(place.dir_fd, "lock", 0), 0);
		ck_assert_int_eq(unlinkat(base_fd, "a", AT_REMOVEDIR), 0);
	}
	if (_i == 2)
		ck_assert_int_eq(runtime_claim(base_fd, "a", &other, &why), 0);
	ck_assert_int_eq(poll(&polled, 1, 60000), 1);
	ck_assert(runtime_lost(&place));
	runtime_release(&place);
	if (_i == 1)
		ck_assert_int_eq(unlinkat(base_fd, "b", AT_REMOVEDIR), 0);
	if (_i == 2) {
		ck_assert(exists("a/lock"));
		runtime_release(&other);
	}
	close(base_fd);
}

TEST(runtime_release__removes_the_files_of_programs)
{
	struct runtime_place place;
	int base_fd = runtime_open(true, &why), status;
	pid_t pid = holder_start(base_fd, "a");

	for (int round = 0; round < 2; round++) {
		char folder[200], file[220];

		if (round)
			ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
		snprintf(folder, sizeof(folder), "%s/a/" RUNTIME_PROGRAMS, path);
		snprintf(file, sizeof(file), "%s/h1.log", folder);
		ck_assert_int_eq(mkdir(folder, 0700), 0);
		fclose(fopen(file, "w"));
		if (round) {
			runtime_release(&place);
		} else {
			ck_assert_int_eq(runtime_kill(base_fd, "a"), 0);
			waitpid(pid, &status, 0);
			ck_assert(!runtime_lives(base_fd, "a"));
		}
		ck_assert(!exists("a"));
	}
	close(base_fd);
}

TEST(runtime_kill__spares_a_process_that_reuses_the_pid)
{
	int base_fd = runtime_open(true, &why);
	struct runtime_place place;

	ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
	ck_assert_int_eq(ftruncate(place.lock_fd, 0), 0);
	lseek(place.lock_fd, 0, SEEK_SET);
	dprintf(place.lock_fd, "%d 1\n", (int)getpid());
	ck_assert_int_eq(runtime_kill(base_fd, "a"), -EIO);
	runtime_release(&place);
	close(base_fd);
}

TEST(runtime_claim__takes_over_what_a_killed_daemon_left)
{
	int base_fd = runtime_open(true, &why), listener;
	pid_t pid = holder_start(base_fd, "a");
	struct runtime_place place;

	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
	listener = runtime_listen(&place);
	ck_assert_int_ge(listener, 0);
	close(listener);
	runtime_release(&place);
	ck_assert(!exists("a"));
	close(base_fd);
}

/* as a program of a host may have made: folders, deeper than there are descriptors, and links */
TEST(runtime_release__removes_what_programs_have_made)
{
	char folder[200], outside[200], at[200], kept[220];
	struct runtime_place place;
	int base_fd = runtime_open(true, &why), fd;

	ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
	snprintf(outside, sizeof(outside), "%s/outside", root);
	snprintf(kept, sizeof(kept), "%s/kept", outside);
	ck_assert_int_eq(mkdir(outside, 0700), 0);
	fclose(fopen(kept, "w"));
	snprintf(folder, sizeof(folder), "%s/a/" RUNTIME_PROGRAMS, path);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	snprintf(at, sizeof(at), "%s/a/" RUNTIME_PROGRAMS "/link", path);
	ck_assert_int_eq(symlink(outside, at), 0);
	fd = open(folder, O_RDONLY | O_DIRECTORY);
	for (int level = 0; level < 3000; level++) {
		int inner;

		ck_assert_int_eq(mkdirat(fd, "inner", 0700), 0);
		/* also what the names could be that folders get meanwhile */
		ck_assert_int_eq(mkdirat(fd, "moved 2", 0700), 0);
		ck_assert_int_eq(mkdirat(fd, "moved 2/inner", 0700), 0);
		ck_assert_int_eq(symlinkat(outside, fd, "moved 3"), 0);
		ck_assert_int_eq(symlinkat(outside, fd, "outside"), 0);
		inner = openat(fd, "inner", O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = inner;
	}
	close(fd);
	runtime_release(&place);
	ck_assert(!exists("a"));
	ck_assert_int_eq(unlink(kept), 0);
	ck_assert_int_eq(rmdir(outside), 0);
	close(base_fd);
}

/* the folder of programs became a link: nothing that it leads to is removed */
TEST(runtime_release__follows_no_link)
{
	char link[200], kept[200];
	struct runtime_place place;
	int base_fd = runtime_open(true, &why);

	ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
	snprintf(kept, sizeof(kept), "%s/kept", root);
	fclose(fopen(kept, "w"));
	snprintf(link, sizeof(link), "%s/a/" RUNTIME_PROGRAMS, path);
	ck_assert_int_eq(symlink(root, link), 0);
	runtime_release(&place);
	ck_assert(!exists("a"));
	ck_assert_int_eq(unlink(kept), 0);
	close(base_fd);
}

/* ---- what fails is named ---- */

/* of the real user; a namespace may have no other one than root */
TEST(runtime_path__of_a_user)
{
	char wanted[64];

	unsetenv("HEDDLE_RUNTIME_DIR");
	unsetenv("XDG_RUNTIME_DIR");
	if (!getuid() && setreuid(65534, (uid_t)-1)) {
		printf("skipped: there is no other user\n");
		return;
	}
	snprintf(wanted, sizeof(wanted), "/tmp/heddle-%u", (unsigned)getuid());
	ck_assert_int_eq(runtime_path(why.text, sizeof(why.text)), 0);
	if (!geteuid())
		ck_assert_int_eq(setreuid(0, (uid_t)-1), 0);
	ck_assert_str_eq(why.text, wanted);
}

TEST(runtime_open__of_another_user)
{
	char wanted[256], place[128] = "/";
	struct stat found;

	if (!geteuid()) {
		ck_assert_int_eq(mkdir(path, 0700), 0);
		strcpy(place, path);
	}
	if ((!geteuid() && chown(path, 65534, (gid_t)-1)) || stat(place, &found) ||
	    found.st_uid == geteuid()) {
		printf("skipped: there is no other user\n");
		return;
	}
	setenv("HEDDLE_RUNTIME_DIR", place, 1);
	snprintf(wanted, sizeof(wanted),
		 "%s belongs to user %u, not to you (%u); set HEDDLE_RUNTIME_DIR", place,
		 (unsigned)found.st_uid, (unsigned)geteuid());
	ck_assert_int_eq(runtime_open(false, &why), -EPERM);
	ck_assert_str_eq(why.text, wanted);
}

TEST(runtime_open__sentences)
{
	char wanted[256], longer[PATH_MAX + 2] = "/";

	snprintf(wanted, sizeof(wanted),
		 "cannot open the runtime directory %s: No such file or directory", path);
	ck_assert_int_eq(runtime_open(false, &why), -ENOENT);
	ck_assert_str_eq(why.text, wanted);
	snprintf(path, sizeof(path), "%s/no/run", root);
	setenv("HEDDLE_RUNTIME_DIR", path, 1);
	snprintf(wanted, sizeof(wanted),
		 "cannot make the runtime directory %s: No such file or directory; set "
		 "HEDDLE_RUNTIME_DIR",
		 path);
	ck_assert_int_eq(runtime_open(true, &why), -ENOENT);
	ck_assert_str_eq(why.text, wanted);
	memset(longer + 1, 'x', PATH_MAX);
	setenv("HEDDLE_RUNTIME_DIR", longer, 1);
	ck_assert_int_eq(runtime_open(true, &why), -ENAMETOOLONG);
	ck_assert_str_eq(why.text, "the runtime directory's name is too long");
	ck_assert_int_eq(runtime_path_keep(), -ENAMETOOLONG);
}

TEST(runtime_claim__sentences)
{
	int base_fd = runtime_open(true, &why);
	struct runtime_place place, second;
	char longer[PATH_MAX] = "/";

	ck_assert_int_eq(runtime_claim(base_fd, "-a", &place, &why), -EINVAL);
	ck_assert_str_eq(why.text,
			 "'-a' is not a valid name for a fabric: expected 1 to 31 letters, "
			 "digits, '_', '-', '.', no '.' or '-' first");
	ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
	ck_assert_int_eq(runtime_claim(base_fd, "a", &second, &why), -EEXIST);
	ck_assert_str_eq(why.text, "a fabric 'a' is running; end it with 'heddle down a', or give "
				   "another --name");
	memset(longer + 1, 'x', sizeof(longer) - 3);
	setenv("HEDDLE_RUNTIME_DIR", longer, 1);
	ck_assert_int_eq(runtime_claim(base_fd, "b", &second, &why), -ENAMETOOLONG);
	ck_assert(!exists("b"));
	runtime_release(&place);
	close(base_fd);
}

/* a name that has place once has it again: the limit is that of the whole path */
TEST(runtime_claim__longest_path)
{
	int base_fd = runtime_open(true, &why);
	struct runtime_place place;
	char longest[PATH_MAX] = "/";

	memset(longest + 1, 'x',
	       sizeof(place.path) - sizeof("/"
					   "/b"));
	setenv("HEDDLE_RUNTIME_DIR", longest, 1);
	ck_assert_int_eq(runtime_claim(base_fd, "b", &place, &why), 0);
	ck_assert_uint_eq(strlen(place.path), sizeof(place.path) - 1);
	runtime_release(&place);
	ck_assert_int_eq(runtime_claim(base_fd, "bb", &place, &why), -ENAMETOOLONG);
	close(base_fd);
}

TEST(runtime_names__no_folder)
{
	char(*names)[NODE_NAME_MAX] = (void *)why.text;
	int file_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(runtime_names(file_fd, &names), -ENOTDIR);
	ck_assert_ptr_null(names);
	close(file_fd);
}

/* a lock that names no process, and one that names none that is there */
TEST(runtime_kill__no_such_process)
{
	static const char *const locks[] = { "", "soon", "0 5", "1 5", "7 0", "4194305 5" };
	int base_fd = runtime_open(true, &why);
	struct runtime_place place;

	ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
	for (size_t i = 0; i < COUNT_OF(locks); i++) {
		ck_assert_int_eq(ftruncate(place.lock_fd, 0), 0);
		ck_assert_int_eq(pwrite(place.lock_fd, locks[i], strlen(locks[i]), 0),
				 (ssize_t)strlen(locks[i]));
		ck_assert_int_eq(runtime_kill(base_fd, "a"),
				 i + 1 < COUNT_OF(locks) ? -EIO : -ESRCH);
	}
	runtime_release(&place);
	close(base_fd);
}

/* the socket exists already, or the fabric does not */
TEST(runtime_listen__and_connect)
{
	int base_fd = runtime_open(true, &why), listener, free_fd;
	struct runtime_place place;

	ck_assert_int_eq(runtime_connect(base_fd, "a"), -ENOENT);
	ck_assert_int_eq(runtime_claim(base_fd, "a", &place, &why), 0);
	ck_assert_int_eq(runtime_connect(base_fd, "a"), -ENOENT);
	listener = runtime_listen(&place);
	ck_assert_int_ge(listener, 0);
	free_fd = dup(base_fd);
	close(free_fd);
	ck_assert_int_eq(runtime_listen(&place), -EADDRINUSE);
	ck_assert_int_eq(dup(base_fd), free_fd); /* no descriptor is left open */
	close(free_fd);
	close(listener);
	ck_assert_int_eq(runtime_connect(base_fd, "a"), -ECONNREFUSED);
	soft_limit(RLIMIT_NOFILE, (rlim_t)listener);
	ck_assert_int_eq(runtime_listen(&place), -EMFILE);
	soft_limit(RLIMIT_NOFILE, 64);
	runtime_release(&place);
	close(base_fd);
}
