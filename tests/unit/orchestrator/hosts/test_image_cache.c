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

#include "nodes/base/array.h"
#include "orchestrator/hosts/image_cache.h"
#include "tests/testing.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define WAITS "heddle: waits for another one that unpacks or removes images\n"

static char root[64], images[128], lock_path[192];
static struct why why;

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
	json_t *list = image_cache_list(&why);

	ck_assert_uint_eq(json_array_size(list), 0);
	json_decref(list);
	ck_assert_int_eq(access(images, F_OK), -1);
	list = image_cache_prune(&why);
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
	ck_assert_ptr_null(image_cache_list(&why));
	ck_assert_str_eq(why.text, wanted);
	why.text[0] = 0;
	ck_assert_ptr_null(image_cache_prune(&why));
	ck_assert_str_eq(why.text, wanted);
	unlink(images);
	ck_assert(!mkdir(images, 0700) && !mkdir(lock_path, 0700));
	snprintf(wanted, sizeof(wanted), "a lock in %s: Is a directory", images);
	ck_assert_ptr_null(image_cache_prune(&why));
	ck_assert_str_eq(why.text, wanted);
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
	removed = image_cache_prune(&why);
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
	fd = image_cache_get("tiny", &config, rootfs, &made, &why);
	ck_assert_msg(fd >= 0, "%s", why.text);
	ck_assert(!made);
	snprintf(wanted, sizeof(wanted), "%s/root", folder);
	ck_assert_str_eq(rootfs, wanted);
	again = image_cache_hold(rootfs);
	ck_assert_int_ge(again, 0);
	close(fd);
	list = image_cache_list(&why);
	ck_assert_uint_eq(json_array_size(list), 1);
	ck_assert(json_is_true(json_object_get(json_array_get(list, 0), "used")));
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 0), "name")), "");
	json_decref(list);
	list = image_cache_prune(&why);
	ck_assert_uint_eq(json_array_size(list), 0);
	json_decref(list);
	close(again);
	list = image_cache_list(&why);
	ck_assert(json_is_false(json_object_get(json_array_get(list, 0), "used")));
	json_decref(list);
	rmdir(folder);
	ck_assert_int_eq(image_cache_hold(rootfs), -ENOENT);
}

/* ---- which folders are images ---- */

#define OTHER_ID "1" ID_REST
#define ID_REST "123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void folder_make(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", images, name);
	ck_assert_msg(!mkdir(path, 0700), "%s", path);
}

static void text_write(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", images, name);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static bool is_there(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", images, name);
	return !access(path, F_OK);
}

static const char *word(const json_t *list, size_t at, const char *key)
{
	return json_string_value(json_object_get(json_array_get(list, at), key));
}

/* with a name of 64 digits; a name that goes on after them is what was left of one */
static const char *const no_images[] = { ID_REST,     ID "0",
					 "g" ID_REST, "g" ID_REST ".new.a",
					 ID ".newa",  ID_REST ".new.a" };

TEST(image_cache_list__images_by_their_names)
{
	char wanted[256];
	struct stat found;
	json_t *list;

	ck_assert(!mkdir(images, 0700) && !chmod(images, 0755));
	folder_make(OTHER_ID);
	folder_make(ID);
	folder_make(ID ".new.a");
	for (size_t i = 0; i < COUNT_OF(no_images); i++)
		folder_make(no_images[i]);
	text_write(ID "/image.json", "{\"name\": \"tiny\", \"bytes\": 42}");
	list = image_cache_list(&why);
	ck_assert_uint_eq(json_array_size(list), 2);
	ck_assert_str_eq(word(list, 0, "id"), ID);
	ck_assert_str_eq(word(list, 0, "name"), "tiny");
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(list, 0), "bytes")), 42);
	snprintf(wanted, sizeof(wanted), "%s/" ID "/root", images);
	ck_assert_str_eq(word(list, 0, "folder"), wanted);
	ck_assert_str_eq(word(list, 1, "id"), OTHER_ID);
	json_decref(list);
	/* no other user may come near them */
	ck_assert_int_eq(stat(images, &found), 0);
	ck_assert_uint_eq(found.st_mode & 0777, 0700);
	snprintf(wanted, sizeof(wanted), "rm -r %s/*", images);
	ck_assert_int_eq(system(wanted), 0);
}

/* what was left of a removal goes first, since the next one needs its name */
TEST(image_cache_prune__images_and_what_was_left)
{
	char command[256];
	json_t *removed;

	if (geteuid()) {
		printf("skipped: needs root\n");
		return;
	}
	ck_assert_int_eq(mkdir(images, 0700), 0);
	folder_make(ID);
	folder_make(ID ".new.pruned");
	text_write(ID ".new.pruned/file", "");
	folder_make(OTHER_ID ".new.abcdef");
	for (size_t i = 0; i < COUNT_OF(no_images); i++)
		folder_make(no_images[i]);
	removed = image_cache_prune(&why);
	ck_assert_msg(removed != NULL, "%s", why.text);
	ck_assert_uint_eq(json_array_size(removed), 1);
	ck_assert_str_eq(word(removed, 0, "id"), ID);
	json_decref(removed);
	ck_assert(!is_there(ID) && !is_there(ID ".new.pruned"));
	ck_assert(!is_there(OTHER_ID ".new.abcdef"));
	for (size_t i = 0; i < COUNT_OF(no_images); i++)
		ck_assert_msg(is_there(no_images[i]), "%s", no_images[i]);
	snprintf(command, sizeof(command), "rm -r %s/[0-9g]*", images);
	ck_assert_int_eq(system(command), 0);
}

/* an image whose removal fails does not look whole */
TEST(image_cache_prune__loses_its_name_first)
{
	char command[256], *path = strdup(getenv("PATH"));

	if (!geteuid()) {
		ck_assert_int_eq(mkdir(images, 0700), 0);
		folder_make(ID);
		setenv("PATH", "/nowhere", 1);
		ck_assert_ptr_null(image_cache_prune(&why));
		setenv("PATH", path, 1);
		ck_assert_str_eq(why.text, "rm is not installed; as root: apt-get install rm");
		ck_assert(!is_there(ID) && is_there(ID ".new.pruned"));
		snprintf(command, sizeof(command), "rm -r %s/0*", images);
		ck_assert_int_eq(system(command), 0);
	}
	free(path);
}

/* of a user without a name and without a folder: no place for a cache, which is not an empty one */
TEST(image_cache_path__nowhere)
{
	char path[256];

	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	if (geteuid() || seteuid(54321))
		return; /* only root can be such a user */
	ck_assert_int_eq(image_cache_path(path, sizeof(path)), -ENOTDIR);
	setenv("HOME", "relative", 1);
	ck_assert_int_eq(image_cache_path(path, sizeof(path)), -ENOTDIR);
	ck_assert_ptr_null(image_cache_list(&why));
	ck_assert_str_eq(why.text, "the folder of images below $XDG_CACHE_HOME or $HOME: Not a "
				   "directory");
	ck_assert_int_eq(seteuid(0), 0);
}
