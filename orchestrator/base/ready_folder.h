/*  ready_folder - where the scenarios are that come with Heddle: topologies/ of the tree in which
 *  it was built, or share/heddle/topologies beside an installed one. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_READY_FOLDER_H
#define HEDDLE_ORCHESTRATOR_BASE_READY_FOLDER_H

#include <stddef.h>

#define READY_FILES_MAX 1024u

/* the scenarios of a folder, in the order of their names */
struct ready_files {
	char **paths; /* FOLDER/NAME.yaml */
	size_t count;
};

/** ready_folder() - the folder @below topologies/ ("": itself).
 *  @path  @path_max bytes.   Return: 0; -ENOENT: there is none beside this program. */
int ready_folder(const char *below, char *path, size_t path_max);

/** ready_files_list() - the files *.yaml in @folder, no folders in it, no FIFOs or devices.
 *  Return: 0, then ready_files_free(); -errno. */
int ready_files_list(const char *folder, struct ready_files *files);
void ready_files_free(struct ready_files *files);

/** ready_hint() - writes " - did you mean topologies/NAME.yaml?" to @out if there is such a
 *  scenario for the @path that cannot be read, with or without .yaml; else "". */
void ready_hint(const char *path, char *out, size_t out_max);

/** ready_name() - writes the name of the scenario at @path, without folders and .yaml, to @name. */
void ready_name(const char *path, char *name, size_t name_max);

#endif
