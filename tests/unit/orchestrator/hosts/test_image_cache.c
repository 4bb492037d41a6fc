/*  orchestrator/hosts/image_cache: where images are kept, and which process waits (DU-3).
 *  operate/test_whole_images.c has them in hosts. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/hosts/image_cache.h"
#include "tests/testing.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define WAITS "heddle: waits for another one that unpacks or removes images\n"

static char root[64], images[128], lock_path[192], why[512];

static void setup(void)
{
	snprintf(root, sizeof(root), "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(images, sizeof(images), "%s/heddle", root);
	ck_assert_int_eq(mkdir(images, 0700), 0);
	strcat(images, "/images");
	snprintf(lock_path, sizeof(lock_path), "%s/lock", images);
	setenv("XDG_CACHE_HOME", root, 1);
}

static void teardown(void)
{
	unlink(lock_path);
	rmdir(images);
	*strrchr(images, '/') = 0;
	rmdir(images);
	ck_assert_int_eq(rmdir(root), 0);
}

TEST_GROUP(image_cache, .setup = setup, .teardown = teardown);

TEST(image_cache_path__from_the_environment)
{
	char path[256], wanted[256];

	ck_assert_int_eq(image_cache_path(path, sizeof(path)), 0);
	ck_assert_str_eq(path, images);
	ck_assert_int_eq(image_cache_path(path, strlen(images)), -ENAMETOOLONG);
	ck_assert_int_eq(image_cache_path(path, strlen(images) + 1), 0);
	/* one that is relative is ignored */
	setenv("XDG_CACHE_HOME", "cache", 1);
	setenv("HOME", root, 1);
	snprintf(wanted, sizeof(wanted), "%s/.cache/heddle/images", root);
	ck_assert_int_eq(image_cache_path(path, sizeof(path)), 0);
	ck_assert_str_eq(path, wanted);
	unsetenv("XDG_CACHE_HOME");
	ck_assert_int_eq(image_cache_path(path, sizeof(path)), 0);
	ck_assert_str_eq(path, wanted);
}

TEST(image_cache_list__none)
{
	json_t *list = image_cache_list(why, sizeof(why));

	ck_assert_uint_eq(json_array_size(list), 0);
	json_decref(list);
	ck_assert_int_eq(access(images, F_OK), -1);
	list = image_cache_prune(why, sizeof(why));
	ck_assert_uint_eq(json_array_size(list), 0);
	json_decref(list);
	ck_assert_int_eq(access(images, F_OK), -1);
}

/* a file in the place of the folder, or of the lock a folder */
TEST(image_cache__wrong_kinds_of_files)
{
	char wanted[256];

	close(open(images, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	snprintf(wanted, sizeof(wanted), "the folder of images %s: Not a directory", images);
	ck_assert_ptr_null(image_cache_list(why, sizeof(why)));
	ck_assert_str_eq(why, wanted);
	why[0] = 0;
	ck_assert_ptr_null(image_cache_prune(why, sizeof(why)));
	ck_assert_str_eq(why, wanted);
	unlink(images);
	ck_assert(!mkdir(images, 0700) && !mkdir(lock_path, 0700));
	snprintf(wanted, sizeof(wanted), "a lock in %s: Is a directory", images);
	ck_assert_ptr_null(image_cache_prune(why, sizeof(why)));
	ck_assert_str_eq(why, wanted);
	rmdir(lock_path);
}

static int lock_fd, pipes[2];

/* releases the lock once the other one says that it waits */
static void *lock_release(void *unused)
{
	char text[256];
	size_t length = 0;
	ssize_t got = 1;

	while (got > 0 && (!length || text[length - 1] != '\n')) {
		got = read(pipes[0], text + length, sizeof(text) - 1 - length);
		length += got > 0 ? (size_t)got : 0;
	}
	text[length] = 0;
	flock(lock_fd, LOCK_UN);
	ck_assert_str_eq(text, WAITS);
	return unused;
}

/* and says so */
TEST(image_cache_prune__waits_for_another_one)
{
	FILE *own_stderr = stderr;
	pthread_t thread;
	json_t *removed;

	ck_assert_int_eq(mkdir(images, 0700), 0);
	lock_fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(flock(lock_fd, LOCK_SH), 0);
	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, lock_release, NULL), 0);
	stderr = fdopen(pipes[1], "w");
	setvbuf(stderr, NULL, _IONBF, 0);
	removed = image_cache_prune(why, sizeof(why));
	fclose(stderr);
	stderr = own_stderr;
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_eq(json_array_size(removed), 0);
	json_decref(removed);
	close(lock_fd);
	close(pipes[0]);
}

/* an image that is there is held, and not removed */
TEST(image_cache_get__is_there)
{
	struct image_config config = { .id = ID };
	char rootfs[PATH_MAX], wanted[256], folder[256];
	json_t *list;
	bool made = true;
	int fd, again;

	snprintf(folder, sizeof(folder), "%s/" ID, images);
	ck_assert(!mkdir(images, 0700) && !mkdir(folder, 0700));
	fd = image_cache_get("tiny", &config, rootfs, &made, why, sizeof(why));
	ck_assert_msg(fd >= 0, "%s", why);
	ck_assert(!made);
	snprintf(wanted, sizeof(wanted), "%s/root", folder);
	ck_assert_str_eq(rootfs, wanted);
	again = image_cache_hold(rootfs);
	ck_assert_int_ge(again, 0);
	close(fd);
	list = image_cache_list(why, sizeof(why));
	ck_assert_uint_eq(json_array_size(list), 1);
	ck_assert(json_is_true(json_object_get(json_array_get(list, 0), "used")));
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 0), "name")), "");
	json_decref(list);
	list = image_cache_prune(why, sizeof(why));
	ck_assert_uint_eq(json_array_size(list), 0);
	json_decref(list);
	close(again);
	list = image_cache_list(why, sizeof(why));
	ck_assert(json_is_false(json_object_get(json_array_get(list, 0), "used")));
	json_decref(list);
	rmdir(folder);
	ck_assert_int_eq(image_cache_hold(rootfs), -ENOENT);
}
