#include "orchestrator/hosts/room_skeleton.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/array.h"

#define SERVER_DEPTH 3 /* of folders in a folder of /var/lib */

static const struct {
	const char *path;
	int depth; /* of folders in it that are copied */
} tops[] = { { "/run", 1 },
	     { "/var/log", 2 },
	     { "/var/cache", 2 },
	     { "/var/spool", 3 },
	     { "/var/mail", 0 } };

static void folder_add(struct room_skeleton *skeleton, const char *path, const struct stat *found,
		       bool top)
{
	struct room_folder *folder = &skeleton->folders[skeleton->count];

	if (skeleton->count == ROOM_SKELETON_MAX)
		return;
	*folder = (struct room_folder){ strdup(path), found->st_mode & 07777, found->st_uid,
					found->st_gid, top };
	skeleton->count += folder->path != NULL;
}

static bool is_child(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* the folders in @path, which was added, down to @depth */
static void children_add(struct room_skeleton *skeleton, const char *path, int depth)
{
	DIR *stream = depth > 0 ? opendir(path) : NULL;
	const struct dirent *entry;
	char inner[PATH_MAX];
	struct stat found;

	while (stream && (entry = readdir(stream))) {
		if (!is_child(entry) ||
		    snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name) >=
			    (int)sizeof(inner) ||
		    lstat(inner, &found) || !S_ISDIR(found.st_mode))
			continue;
		folder_add(skeleton, inner, &found, false);
		children_add(skeleton, inner, depth - 1);
	}
	if (stream)
		closedir(stream);
}

/* is there anything in @path but folders, as far as we may look? */
static bool has_files(const char *path, int depth)
{
	DIR *stream = depth > 0 ? opendir(path) : NULL;
	const struct dirent *entry;
	bool found = false;

	while (stream && !found && (entry = readdir(stream))) {
		char inner[PATH_MAX];

		if (!is_child(entry) || snprintf(inner, sizeof(inner), "%s/%s", path,
						 entry->d_name) >= (int)sizeof(inner))
			continue;
		found = entry->d_type != DT_DIR || has_files(inner, depth - 1);
	}
	if (stream)
		closedir(stream);
	return found;
}

static void servers_add(struct room_skeleton *skeleton, const char *root)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	struct stat found;
	DIR *stream;

	snprintf(path, sizeof(path), "%s/var/lib", root);
	stream = opendir(path);
	while (stream && (entry = readdir(stream))) {
		if (!is_child(entry) ||
		    snprintf(path, sizeof(path), "%s/var/lib/%s", root, entry->d_name) >=
			    (int)sizeof(path) ||
		    lstat(path, &found) || !S_ISDIR(found.st_mode) ||
		    (!found.st_uid && has_files(path, SERVER_DEPTH)))
			continue;
		folder_add(skeleton, path, &found, true);
		children_add(skeleton, path, SERVER_DEPTH);
	}
	if (stream)
		closedir(stream);
}

void room_skeleton_read(struct room_skeleton *skeleton, const char *root)
{
	char path[PATH_MAX];
	struct stat found;

	*skeleton =
		(struct room_skeleton){ calloc(ROOM_SKELETON_MAX, sizeof(struct room_folder)), 0 };
	for (size_t i = 0; skeleton->folders && i < COUNT_OF(tops); i++) {
		snprintf(path, sizeof(path), "%s%s", root, tops[i].path);
		if (lstat(path, &found) || !S_ISDIR(found.st_mode))
			continue;
		folder_add(skeleton, path, &found, true);
		children_add(skeleton, path, tops[i].depth);
	}
	if (skeleton->folders)
		servers_add(skeleton, root);
}

void room_skeleton_free(struct room_skeleton *skeleton)
{
	for (size_t i = 0; i < skeleton->count; i++)
		free(skeleton->folders[i].path);
	free(skeleton->folders);
	*skeleton = (struct room_skeleton){ 0 };
}

/* the mode after the owner, whose change clears bits of it */
static void owner_set(const char *path, const struct room_folder *folder)
{
	(void)!lchown(path, folder->user, folder->group);
	(void)!chmod(path, folder->mode);
}

size_t room_skeleton_make(const struct room_skeleton *skeleton, size_t top, const char *place)
{
	const struct room_folder *folders = skeleton->folders;
	const size_t skipped = strlen(folders[top].path);
	char path[PATH_MAX];
	size_t i;

	owner_set(place, &folders[top]);
	for (i = top + 1; i < skeleton->count && !folders[i].top; i++) {
		snprintf(path, sizeof(path), "%s%s", place, folders[i].path + skipped);
		mkdir(path, 0700);
		owner_set(path, &folders[i]);
	}
	return i;
}
