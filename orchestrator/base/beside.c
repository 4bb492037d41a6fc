#include "orchestrator/base/beside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"

int beside_find(const char *name, int mode, char *path, size_t path_max)
{
	static const char *const places[] = { "", "../lib/heddle/", "../libexec/heddle/" };
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0)
		return -ENOENT;
	self[length] = 0;
	*(strrchr(self, '/') + 1) = 0;
	for (size_t i = 0; i < COUNT_OF(places); i++)
		if (snprintf(path, path_max, "%s%s%s", self, places[i], name) < (int)path_max &&
		    !access(path, mode))
			return 0;
	return -ENOENT;
}
