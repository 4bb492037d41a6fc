#include "orchestrator/hosts/image_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/hosts/image_engine.h"

#define NEW_SUFFIX ".new."
#define ENTRY_MAX (IMAGE_ID_DIGITS + sizeof(NEW_SUFFIX "XXXXXX"))
#define TREE "root"
#define ABOUT "image.json"

struct cache {
	char path[PATH_MAX];
	int fd, lock_fd; /* -1: none */
};

/* ---- the folder ---- */

int image_cache_path(char *path, size_t path_max)
{
	const char *base = getenv("XDG_CACHE_HOME"), *below = "", *home = getenv("HOME");
	const struct passwd *user;

	/* a relative one is to be ignored [XDG Base Directory] */
	if (!base || *base != '/') {
		user = home && *home == '/' ? NULL : getpwuid(geteuid());
		base = user ? user->pw_dir : home;
		below = "/.cache";
	}
	if (!base || *base != '/')
		return -ENOTDIR; /* -ENOENT would mean that there is no cache */
	return snprintf(path, path_max, "%s%s/heddle/images", base, below) < (int)path_max
		       ? 0
		       : -ENAMETOOLONG;
}

static int failed(int error, const char *what, const char *path, struct why *why)
{
	return why_say(why, error, "%s %s: %s", what, path, strerror(-error));
}

/* Programs of images may have the set-user-ID bit of root: no other user may come near them. */
static int folder_check(int fd)
{
	struct stat found;

	if (fstat(fd, &found))
		return -errno;
	if (found.st_uid != geteuid())
		return -EPERM;
	return found.st_mode & 077 && fchmod(fd, 0700) ? -errno : 0;
}

/* Return: 0; -ENOENT: there is no cache and @make is false; or -errno with @why */
static int cache_open(struct cache *cache, bool make, struct why *why)
{
	int error = image_cache_path(cache->path, sizeof(cache->path));

	cache->fd = cache->lock_fd = -1;
	if (error)
		return failed(error, "the folder of images", "below $XDG_CACHE_HOME or $HOME", why);
	if (make)
		error = atomic_file_folder(cache->path);
	if (!error) {
		cache->fd = open(cache->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		error = cache->fd < 0 ? -errno : folder_check(cache->fd);
	}
	if (error)
		descriptor_close(&cache->fd);
	return error ? failed(error, "the folder of images", cache->path, why) : 0;
}

static int cache_lock(struct cache *cache, struct why *why)
{
	int locked;

	cache->lock_fd = openat(cache->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	locked = cache->lock_fd < 0 ? -1 : flock(cache->lock_fd, LOCK_EX | LOCK_NB);
	if (locked && errno == EWOULDBLOCK) {
		fprintf(stderr, "heddle: waits for another one that unpacks or removes images\n");
		do
			locked = flock(cache->lock_fd, LOCK_EX);
		while (locked && errno == EINTR);
	}
	return locked ? failed(-errno, "a lock in", cache->path, why) : 0;
}

static void cache_close(struct cache *cache)
{
	descriptor_close(&cache->lock_fd);
	descriptor_close(&cache->fd);
}

/* ---- one image ---- */

static int about_write(int fd, const char *name, const struct image_config *config)
{
	json_t *about = json_pack("{s:s, s:I}", "name", name, "bytes", (json_int_t)config->bytes);
	int file = openat(fd, ABOUT, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error = 0;

	if (!about || file < 0 || json_dumpfd(about, file, 0))
		error = -EIO;
	json_decref(about);
	descriptor_close(&file);
	return error;
}

/* unpacks it to folder @made of the cache; -errno: @made is there, and not whole */
static int tree_fill(const struct cache *cache, const char *made, const char *name,
		     const struct image_config *config, struct why *why)
{
	char path[2 * PATH_MAX];
	int fd = openat(cache->fd, made, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;

	snprintf(path, sizeof(path), "%s/%s/" TREE, cache->path, made);
	if (fd < 0 || mkdirat(fd, TREE, 0755) || fchmodat(fd, TREE, 0755, 0))
		error = failed(-errno, "making", path, why);
	error = error ?: image_engine_unpack(config->id, path, why);
	if (!error) {
		error = about_write(fd, name, config);
		/* after a power failure, too, it has its name only if its files are there */
		if (!error && syncfs(fd))
			error = -errno;
		if (error)
			failed(error, "writing", path, why);
	}
	if (!error && renameat(cache->fd, made, cache->fd, config->id))
		error = failed(-errno, "naming", path, why);
	descriptor_close(&fd);
	return error;
}

static int tree_make(const struct cache *cache, const char *name, const struct image_config *config,
		     struct why *why)
{
	char path[PATH_MAX + ENTRY_MAX + 1];
	struct why reason;
	int error;

	fprintf(stderr, "heddle up: unpacking image %s, once, into %s\n", name, cache->path);
	snprintf(path, sizeof(path), "%s/%s" NEW_SUFFIX "XXXXXX", cache->path, config->id);
	if (!mkdtemp(path))
		return failed(-errno, "making", path, why);
	error = tree_fill(cache, path + strlen(cache->path) + 1, name, config, why);
	if (error)
		(void)image_engine_remove(path, &reason);
	return error;
}

/* Return: a descriptor that holds entry @name, or -errno */
static int entry_hold(int cache_fd, const char *name)
{
	int fd = openat(cache_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 && flock(fd, LOCK_SH)) {
		int error = -errno;

		close(fd);
		return error;
	}
	return fd < 0 ? -errno : fd;
}

int image_cache_get(const char *name, const struct image_config *config, char *rootfs, bool *made,
		    struct why *why)
{
	struct cache cache;
	int error = cache_open(&cache, true, why) ?: cache_lock(&cache, why), fd = -1;

	*made = false;
	if (!error && faccessat(cache.fd, config->id, F_OK, AT_SYMLINK_NOFOLLOW)) {
		error = tree_make(&cache, name, config, why);
		*made = !error;
	}
	if (!error && snprintf(rootfs, PATH_MAX, "%s/%s/" TREE, cache.path, config->id) >= PATH_MAX)
		error = failed(-ENAMETOOLONG, "the folder", cache.path, why);
	if (!error) {
		fd = entry_hold(cache.fd, config->id);
		error = fd < 0 ? failed(fd, "opening", rootfs, why) : 0;
	}
	cache_close(&cache);
	return error ? error : fd;
}

int image_cache_hold(const char *rootfs)
{
	char path[PATH_MAX];
	const char *end = strrchr(rootfs, '/');

	snprintf(path, sizeof(path), "%.*s", end ? (int)(end - rootfs) : 0, rootfs);
	return entry_hold(AT_FDCWD, path);
}

/* ---- all images ---- */

static bool is_id(const char *name)
{
	return strlen(name) == IMAGE_ID_DIGITS &&
	       strspn(name, "0123456789abcdef") == IMAGE_ID_DIGITS;
}

static bool is_unfinished(const char *name)
{
	return strspn(name, "0123456789abcdef") == IMAGE_ID_DIGITS &&
	       !strncmp(name + IMAGE_ID_DIGITS, NEW_SUFFIX, strlen(NEW_SUFFIX));
}

/* false: it is held */
static bool entry_free(int cache_fd, const char *name)
{
	int fd = openat(cache_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	bool is_free = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);

	descriptor_close(&fd);
	return is_free;
}

static json_t *entry_describe(const struct cache *cache, const char *id)
{
	char path[IMAGE_ID_DIGITS + sizeof("/" ABOUT)], folder[PATH_MAX + sizeof(path)];
	json_t *about, *entry;
	const char *name;
	int fd;

	snprintf(path, sizeof(path), "%s/" ABOUT, id);
	snprintf(folder, sizeof(folder), "%s/%s/" TREE, cache->path, id);
	fd = openat(cache->fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	about = fd < 0 ? NULL : json_loadfd(fd, 0, NULL);
	name = json_string_value(json_object_get(about, "name"));
	entry = json_pack("{s:s, s:s, s:I, s:s, s:b}", "id", id, "name", name ? name : "", "bytes",
			  member_number(about, "bytes"), "folder", folder, "used",
			  !entry_free(cache->fd, id));
	json_decref(about);
	descriptor_close(&fd);
	return entry;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *entry)
{
	return is_id(entry->d_name) || is_unfinished(entry->d_name);
}

json_t *image_cache_list(struct why *why)
{
	json_t *list = json_array();
	struct dirent **entries = NULL;
	struct cache cache;
	int error = cache_open(&cache, false, why), count;

	if (error == -ENOENT)
		return list;
	count = error ? 0 : scandirat(cache.fd, ".", &entries, is_entry, by_name);
	for (int i = 0; i < count; i++) {
		if (is_id(entries[i]->d_name))
			json_array_append_new(list, entry_describe(&cache, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	cache_close(&cache);
	if (!error)
		return list;
	json_decref(list);
	return NULL;
}

/* What is removed first loses its name: a removal that is interrupted leaves nothing that looks
 * whole. */
static int entry_remove(const struct cache *cache, const char *name, struct why *why)
{
	char path[PATH_MAX + ENTRY_MAX + 1];

	snprintf(path, sizeof(path), "%s/%s", cache->path, name);
	if (is_id(name)) {
		snprintf(path, sizeof(path), "%s/%s" NEW_SUFFIX "pruned", cache->path, name);
		if (renameat(cache->fd, name, cache->fd, path + strlen(cache->path) + 1))
			return failed(-errno, "renaming", name, why);
	}
	return image_engine_remove(path, why);
}

static int one_prune(const struct cache *cache, const char *name, json_t *removed, struct why *why)
{
	json_t *entry = is_id(name) ? entry_describe(cache, name) : NULL;
	int error = 0;

	if (!json_is_true(json_object_get(entry, "used"))) {
		error = entry_remove(cache, name, why);
		if (entry && !error)
			json_array_append(removed, entry);
	}
	json_decref(entry);
	return error;
}

/* what was left goes first: an image may get the name of that */
json_t *image_cache_prune(struct why *why)
{
	json_t *removed = json_array();
	struct dirent **entries = NULL;
	struct cache cache;
	int error = cache_open(&cache, false, why), count = 0;

	if (error == -ENOENT)
		return removed;
	if (!error)
		error = cache_lock(&cache, why);
	if (!error)
		count = scandirat(cache.fd, ".", &entries, is_entry, by_name);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < count && !error; i++)
			if (is_id(entries[i]->d_name) == pass)
				error = one_prune(&cache, entries[i]->d_name, removed, why);
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	cache_close(&cache);
	if (!error)
		return removed;
	json_decref(removed);
	return NULL;
}
