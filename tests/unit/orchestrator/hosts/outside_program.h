/*  outside_program - a shell script in the place of slirp4netns, for tests of connections to the
 *  outside. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_HOSTS_OUTSIDE_PROGRAM_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_HOSTS_OUTSIDE_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/testing.h"

static char folder[64], *path_before;

/* the program is the shell script @text from now on; NULL: there is none */
static void program(const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/slirp4netns", folder);
	unlink(path);
	if (text) {
		file = fopen(path, "w");
		ck_assert_ptr_nonnull(file);
		fprintf(file, "#!/bin/sh\n%s\n", text);
		fclose(file);
		ck_assert_int_eq(chmod(path, 0755), 0);
	}
}

/* the folder of the program, and nothing else, is $PATH */
static void program_folder_make(void)
{
	strcpy(folder, "/tmp/heddle-outside-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	path_before = strdup(getenv("PATH"));
	setenv("PATH", folder, 1);
}

static void program_folder_remove(void)
{
	program(NULL);
	ck_assert_int_eq(rmdir(folder), 0);
	setenv("PATH", path_before, 1);
	free(path_before);
}

/* says that it is ready, on the descriptor after -r, then waits for the end of the one after -e */
#define READY                                \
	"while [ $# -gt 1 ]; do case $1 in " \
	"-r) r=$2;; -e) e=$2;; esac; shift; done; eval \"echo 1 >&$r\"; "
#define UNTIL_THE_END "eval \"read x <&$e\""

#endif
