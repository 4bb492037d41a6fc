/*  lab_folder - where labs are: folders with a lab.yaml. */
#ifndef HEDDLE_ORCHESTRATOR_LAB_LAB_FOLDER_H
#define HEDDLE_ORCHESTRATOR_LAB_LAB_FOLDER_H

#include <stddef.h>

#define LAB_FOLDERS_MAX 256u

struct lab_folders {
	size_t count;
	char *names[LAB_FOLDERS_MAX]; /* in their order; owned */
};

/** lab_folders_list() - the names of the folders in @folder that have a lab.yaml.
 *  Return: 0, then lab_folders_free(); -errno. */
int lab_folders_list(const char *folder, struct lab_folders *labs);
void lab_folders_free(struct lab_folders *labs);

/** lab_folders_find() - the one of @labs called @word: its whole name, what follows its number, or
 *  its number, with or without zeros before it.
 *  Return: the name, borrowed; NULL: there is none. */
const char *lab_folders_find(const struct lab_folders *labs, const char *word);

#endif
