#include "nodes/process/process_look.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

uint64_t process_cpu_ns(pid_t pid)
{
	struct timespec used;
	clockid_t id;

	if (!pid || clock_getcpuclockid(pid, &id) || clock_gettime(id, &used))
		return 0;
	return (uint64_t)used.tv_sec * 1000000000ull + (uint64_t)used.tv_nsec;
}

bool process_wants_core(pid_t pid)
{
	char path[64], text[256], *after_name;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	after_name = strrchr(text, ')'); /* the name may contain anything */
	return after_name && (!strncmp(after_name, ") R", 3) || !strncmp(after_name, ") D", 3));
}
