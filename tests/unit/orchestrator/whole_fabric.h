/*  whole_fabric - a running fabric in a test with the whole program (whole_heddle.h). */
#ifndef TESTS_UNIT_WHOLE_FABRIC_H
#define TESTS_UNIT_WHOLE_FABRIC_H

#include "tests/unit/orchestrator/whole_heddle.h"

/** fabric_setup() - for commands that enter hosts: the leak sanitizer cannot stop the threads of a
 *  process that has entered one. */
static inline void fabric_setup(void)
{
	whole_setup();
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
}

/** up() - starts the fabric as @line says; false: the kernel forbids namespaces. */
static inline bool up(const char *line)
{
	int status = heddle(line);

	if (status && strstr(said, "namespace")) {
		printf("skipped, needs namespaces: %s\n", said);
		return false;
	}
	ck_assert_msg(!status, "%s\n%s%s", line, printed, said);
	return true;
}

/** down() - ends all fabrics; nothing of one called u is left. */
static inline void down(void)
{
	ASSERT_STATUS("down|--all", 0);
	ck_assert(!file_there("run/u"));
}

/** until() - until the command prints @part. */
static inline void until(const char *line, const char *part)
{
	while (heddle(line) || !strstr(printed, part))
		usleep(20000);
}

#endif
