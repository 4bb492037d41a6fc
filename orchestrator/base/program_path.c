#include "orchestrator/base/program_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"

/* is @folder one of those that @path has between colons? */
static bool has(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	for (const char *at = path; (at = strstr(at, folder)); at += length)
		if ((at == path || at[-1] == ':') && (!at[length] || at[length] == ':'))
			return true;
	return false;
}

void program_path_complete(void)
{
	static const char *const folders[] = { "/usr/local/sbin", "/usr/sbin", "/sbin" };
	const char *path = getenv("PATH");

	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		char *longer = NULL;

		if (path && !has(path, folders[i]) &&
		    asprintf(&longer, "%s:%s", path, folders[i]) > 0)
			setenv("PATH", longer, 1);
		free(longer);
		path = getenv("PATH");
	}
}
