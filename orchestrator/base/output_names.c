#include "orchestrator/base/output_names.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* the identity of a file that exists or will be written */
struct place {
	bool exists, regular;
	dev_t device, folder_device;
	ino_t inode, folder_inode;
	char base[NAME_MAX + 1];
};

static bool folder_find(const char *path, struct place *place)
{
	char copy[PATH_MAX], again[PATH_MAX];
	struct stat folder;

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return false;
	memcpy(again, copy, sizeof(again));
	snprintf(place->base, sizeof(place->base), "%s", basename(again));
	if (stat(dirname(copy), &folder))
		return false;
	place->folder_device = folder.st_dev;
	place->folder_inode = folder.st_ino;
	return true;
}

/* Return: false if its folder does not exist: opening the file will fail anyway. */
static bool place_find(const char *path, struct place *place)
{
	struct stat file;

	*place = (struct place){ 0 };
	if (!stat(path, &file)) {
		place->exists = true;
		place->regular = S_ISREG(file.st_mode);
		place->device = file.st_dev;
		place->inode = file.st_ino;
	}
	return folder_find(path, place);
}

static bool same(const struct place *a, const struct place *b)
{
	if (a->exists != b->exists)
		return false;
	if (a->exists)
		return a->regular && a->device == b->device && a->inode == b->inode;
	return a->folder_device == b->folder_device && a->folder_inode == b->folder_inode &&
	       !strcmp(a->base, b->base);
}

int output_names_check(const struct output_name *names, unsigned count, const struct origin *origin,
		       const char *script, char *why, size_t why_max)
{
	struct place *places = calloc(count + 1, sizeof(*places)), read;
	bool scripted = script && place_find(script, &read);
	int error = 0;

	for (unsigned i = 0; places && i < count && !error; i++) {
		if (!place_find(names[i].path, &places[i]))
			continue;
		if ((places[i].exists && origin_reads(origin, places[i].device, places[i].inode)) ||
		    (scripted && same(&places[i], &read))) {
			snprintf(why, why_max, "%s is read by this command: "
				 "name another file for %s",
				 names[i].path, names[i].option);
			error = -EINVAL;
		}
		for (unsigned k = 0; k < i && !error; k++) {
			if (!places[k].base[0] || !same(&places[i], &places[k]))
				continue;
			snprintf(why, why_max,
				 "%s is to be written by %s and by %s: name two files",
				 names[i].path, names[k].option, names[i].option);
			error = -EINVAL;
		}
	}
	free(places);
	return error;
}
