#include "orchestrator/base/output_names.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* the identity of a file that exists or will be written */
struct place {
	bool exists, regular;
	dev_t device, folder_device;
	ino_t inode, folder_inode;
	/* from the last folder that exists: folders that do not, then the file */
	char base[PATH_MAX];
	char folder[PATH_MAX]; /* that exists */
	int error;             /* why that is no place for a file; 0: it is one */
};

bool output_is_stdout(const char *path)
{
	return path && !strcmp(path, OUTPUT_STDOUT);
}

/* puts @part before what @base has; both are of one path, so there is space */
static void base_prepend(char base[PATH_MAX], const char *part)
{
	size_t length = strlen(part), had = strlen(base);

	if (length + had + 2 > PATH_MAX)
		return;
	memmove(base + length + !!had, base, had + 1);
	memcpy(base, part, length);
	if (had)
		base[length] = '/';
}

/* The last folder of @path that exists, and what follows it. */
static void folder_find(const char *path, struct place *place)
{
	char part[PATH_MAX], copy[PATH_MAX];
	struct stat folder;
	unsigned above = 0; /* ".." that have no part so far */

	if (snprintf(place->folder, sizeof(place->folder), "%s", path) >=
	    (int)sizeof(place->folder)) {
		place->error = ENAMETOOLONG;
		return;
	}
	do {
		const char *last;

		strcpy(part, place->folder);
		strcpy(copy, place->folder);
		last = basename(part);
		if (!strcmp(last, ".."))
			above++;
		else if (strcmp(last, ".") != 0 && above)
			above--;
		else if (strcmp(last, ".") != 0)
			base_prepend(place->base, last);
		strcpy(place->folder, dirname(copy));
		place->error = stat(place->folder, &folder) ? errno : 0;
	} while (place->error == ENOENT && strcmp(place->folder, part) != 0);
	if (place->error)
		return;
	place->folder_device = folder.st_dev;
	place->folder_inode = folder.st_ino;
	if (!S_ISDIR(folder.st_mode))
		place->error = ENOTDIR;
	else if (access(place->folder, W_OK | X_OK))
		place->error = errno;
}

static void place_find(const char *path, struct place *place)
{
	char target[PATH_MAX];
	struct stat file;

	*place = (struct place){ 0 };
	if (!stat(path, &file)) {
		place->exists = true;
		place->regular = S_ISREG(file.st_mode) && file.st_nlink;
		place->device = file.st_dev;
		place->inode = file.st_ino;
	}
	/* the file that a link means is replaced, in its own folder */
	folder_find(place->regular && realpath(path, target) ? target : path, place);
	if (place->exists && !place->regular)
		place->error = S_ISDIR(file.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
}

static bool same(const struct place *a, const struct place *b)
{
	if (a->exists != b->exists)
		return false;
	if (a->exists)
		return a->regular && a->device == b->device && a->inode == b->inode;
	return a->base[0] && a->folder_device == b->folder_device &&
	       a->folder_inode == b->folder_inode && !strcmp(a->base, b->base);
}

/* will the folder of @place be made, since file @other is to be in it or below it? */
static bool made_with(const struct place *place, const struct place *other)
{
	size_t length = (size_t)(strrchr(place->base, '/') - place->base) + 1;

	return place->folder_device == other->folder_device &&
	       place->folder_inode == other->folder_inode &&
	       !strncmp(place->base, other->base, length);
}

/* Name @index of @count can be written: its folder is there, or will be. */
static int folder_check(const struct output_name *names, const struct place *places, unsigned index,
			unsigned count, struct why *why)
{
	const struct place *place = &places[index];
	const char *slash = strrchr(place->base, '/');

	if (place->error)
		return why_say(why, -EINVAL, "%s cannot write %s: %s", names[index].option,
			       names[index].path, strerror(place->error));
	if (place->exists || !slash)
		return 0;
	for (unsigned k = 0; k < count; k++)
		if (names[k].makes_folder && made_with(place, &places[k]))
			return 0;
	return why_say(why, -EINVAL, "%s cannot write %s: there is no folder %s%s%.*s",
		       names[index].option, names[index].path, place->folder,
		       strcmp(place->folder, "/") ? "/" : "", (int)(slash - place->base),
		       place->base);
}

int output_names_check(const struct output_name *names, unsigned count, const struct origin *origin,
		       const char *script, struct why *why)
{
	struct place *places = calloc(count + 1, sizeof(*places)), *read = places + count;
	int error = places ? 0 : why_say(why, -EINVAL, "%s", strerror(ENOMEM));

	if (places && script)
		place_find(script, read);
	for (unsigned i = 0; i < count && !error; i++) {
		place_find(names[i].path, &places[i]);
		if ((places[i].exists && origin_reads(origin, places[i].device, places[i].inode)) ||
		    (script && same(&places[i], read)))
			error = why_say(why, -EINVAL,
					"%s is read by this command: name another file for %s",
					names[i].path, names[i].option);
		for (unsigned k = 0; k < i && !error; k++)
			if (same(&places[i], &places[k]))
				error = why_say(
					why, -EINVAL,
					"%s is to be written by %s and by %s: name two files",
					names[i].path, names[k].option, names[i].option);
	}
	for (unsigned i = 0; i < count && !error; i++)
		error = folder_check(names, places, i, count, why);
	free(places);
	return error;
}
