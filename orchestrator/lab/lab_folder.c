#include "orchestrator/lab/lab_folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_lab(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return name[0] != '.' &&
	       snprintf(path, sizeof(path), "%s/%s/lab.yaml", folder, name) < PATH_MAX &&
	       !access(path, F_OK);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int lab_folders_list(const char *folder, struct lab_folders *labs)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	int error = 0;

	*labs = (struct lab_folders){ 0 };
	if (!directory)
		return -errno;
	while (!error && labs->count < LAB_FOLDERS_MAX && (entry = readdir(directory))) {
		if (!is_lab(folder, entry->d_name))
			continue;
		labs->names[labs->count] = strdup(entry->d_name);
		if (!labs->names[labs->count])
			error = -ENOMEM;
		else
			labs->count++;
	}
	closedir(directory);
	if (error)
		lab_folders_free(labs);
	else
		qsort(labs->names, labs->count, sizeof(labs->names[0]), by_name);
	return error;
}

void lab_folders_free(struct lab_folders *labs)
{
	for (size_t i = 0; i < labs->count; i++)
		free(labs->names[i]);
	*labs = (struct lab_folders){ 0 };
}

/* is @word the number of @name, or all but its number? */
static bool matches(const char *name, const char *word)
{
	size_t digits = strspn(name, "0123456789");

	if (!strcmp(name, word))
		return true;
	if (!digits || name[digits] != '-')
		return false;
	if (strspn(word, "0123456789") == strlen(word) && *word)
		return strtoul(word, NULL, 10) == strtoul(name, NULL, 10);
	return !strcmp(name + digits + 1, word);
}

const char *lab_folders_find(const struct lab_folders *labs, const char *word)
{
	for (size_t i = 0; i < labs->count; i++)
		if (matches(labs->names[i], word))
			return labs->names[i];
	return NULL;
}
