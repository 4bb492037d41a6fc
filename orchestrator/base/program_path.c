#include "orchestrator/base/program_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"

void program_path_complete(void)
{
	static const char *const folders[] = { "/usr/local/sbin", "/usr/sbin", "/sbin" };
	const char *path = getenv("PATH");

	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		char *longer = NULL;

		if (path && !strstr(path, folders[i]) &&
		    asprintf(&longer, "%s:%s", path, folders[i]) > 0)
			setenv("PATH", longer, 1);
		free(longer);
		path = getenv("PATH");
	}
}
