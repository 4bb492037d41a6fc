#include "orchestrator/base/ready_folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/array.h"

int ready_folder(const char *below, char *path, size_t path_max)
{
	/* beside the program: installed in bin/, built in build/release/ */
	static const char *const places[] = { "../share/heddle/topologies", "../../topologies" };
	char self[PATH_MAX], found[2 * PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct stat status;

	if (length <= 0)
		return -ENOENT;
	self[length] = 0;
	*strrchr(self, '/') = 0;
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		char whole[PATH_MAX];

		snprintf(found, sizeof(found), "%s/%s/%s", self, places[i], below);
		if (!realpath(found, whole) || stat(whole, &status) || !S_ISDIR(status.st_mode))
			continue;
		if (snprintf(path, path_max, "%s", whole) < (int)path_max)
			return 0;
	}
	return -ENOENT;
}

static bool is_scenario(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && name[0] != '.' && !strcmp(name + length - 5, ".yaml");
}

/* A FIFO has no end, and a device may have none. What a dangling link names cannot be read: that is
 * for its reader to say. */
static bool is_file(int folder_fd, const char *name)
{
	struct stat found;

	return fstatat(folder_fd, name, &found, 0) || S_ISREG(found.st_mode);
}

static int by_name(const void *a, const void *b)
{
	char names[2][NAME_MAX + 1];

	ready_name(*(char *const *)a, names[0], sizeof(names[0]));
	ready_name(*(char *const *)b, names[1], sizeof(names[1]));
	return strcmp(names[0], names[1]);
}

int ready_files_list(const char *folder, struct ready_files *files)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	int error = 0;

	*files = (struct ready_files){ 0 };
	if (!directory)
		return -errno;
	files->paths = calloc(READY_FILES_MAX, sizeof(*files->paths));
	if (!files->paths)
		error = -ENOMEM;
	while (!error && files->count < READY_FILES_MAX && (entry = readdir(directory))) {
		char *path;

		if (!is_scenario(entry->d_name) || !is_file(dirfd(directory), entry->d_name))
			continue;
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			error = -ENOMEM;
		else
			files->paths[files->count++] = path;
	}
	closedir(directory);
	if (error)
		ready_files_free(files);
	else
		qsort(files->paths, files->count, sizeof(*files->paths), by_name);
	return error;
}

void ready_files_free(struct ready_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct ready_files){ 0 };
}

void ready_name(const char *path, char *name, size_t name_max)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = strlen(base);

	if (is_scenario(base))
		length -= 5;
	snprintf(name, name_max, "%.*s", (int)length, base);
}

void ready_hint(const char *path, char *out, size_t out_max)
{
	static const char *const folders[] = { "", "score" };
	char folder[PATH_MAX], name[NAME_MAX + 1], found[PATH_MAX + NAME_MAX + 8], here[PATH_MAX];

	*out = 0;
	ready_name(path, name, sizeof(name));
	for (size_t i = 0; i < COUNT_OF(folders) && !*out && !strchr(path, '/'); i++) {
		size_t length;

		if (ready_folder(folders[i], folder, sizeof(folder)))
			continue;
		snprintf(found, sizeof(found), "%s/%s.yaml", folder, name);
		if (access(found, R_OK) != 0)
			continue;
		length = getcwd(here, sizeof(here)) ? strlen(here) : 0;
		if (length && strncmp(found, here, length) == 0 && found[length] == '/')
			length++;
		else
			length = 0;
		snprintf(out, out_max, " - did you mean %s?", found + length);
	}
}
