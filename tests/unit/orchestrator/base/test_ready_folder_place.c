/*  orchestrator/base/ready_folder: the folder of scenarios beside an installed program and one that
 *  was built (SE-10). This program is linked into such places, where it says what it finds. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/base/ready_folder.h"
#include "tests/testing.h"

#define AT "READY_FOLDER_AT" /* where the linked program asks */

static const char *const asked[] = { "a", "b", "a.yaml", "b.yaml", "none", "score/b", "" };

#define ASKED (int)(sizeof(asked) / sizeof(asked[0]))

static void folder_print(const char *below, size_t path_max)
{
	char path[PATH_MAX] = "";
	int error = ready_folder(below, path, path_max);

	printf("%d %s\n", error, error ? "" : path);
}

/* what is found, by this program under another name; the parent compares */
__attribute__((constructor)) static void look(void)
{
	const char *at = getenv(AT);
	char hint[2 * PATH_MAX], whole[PATH_MAX];

	if (!at)
		return;
	if (chdir(at) || ready_folder("", whole, sizeof(whole)))
		_exit(1);
	folder_print("", PATH_MAX);
	folder_print("score", PATH_MAX);
	folder_print("a.yaml", PATH_MAX); /* a file */
	folder_print("none", PATH_MAX);
	folder_print("", strlen(whole) + 1);
	folder_print("", strlen(whole));
	for (int i = 0; i < ASKED; i++) {
		ready_hint(asked[i], hint, sizeof(hint));
		printf("%s\n", hint);
	}
	fflush(stdout);
	_exit(0);
}

static char root[1024];

static void in_root(const char *format, const char *name)
{
	char command[2 * PATH_MAX], text[2048];

	snprintf(text, sizeof(text), format, name, name);
	snprintf(command, sizeof(command), "cd '%s' && %s", root, text);
	ck_assert_int_eq(system(command), 0);
}

static void setup(void)
{
	ssize_t length = readlink("/proc/self/exe", root, sizeof(root) - 8);

	ck_assert_int_gt(length, 0);
	strcpy(root + length, ".XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
}

static void teardown(void)
{
	in_root("rm -r '%s'", root);
}

TEST_GROUP(ready_folder_place, .setup = setup, .teardown = teardown);

static const struct {
	const char *programs, *scenarios; /* folders */
} places[] = {
	{ "bin", "share/heddle/topologies" },
	{ "build/release", "topologies" },
};

TEST_RANGE(ready_folder__beside_the_program, 0, 4)
{
	const char *scenarios = places[_i / 2].scenarios;
	char self[PATH_MAX], program[2 * PATH_MAX], found[4096] = "", expected[16384], top[1100];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	FILE *out;

	self[length] = 0;
	in_root("mkdir -p '%s'", places[_i / 2].programs);
	in_root("mkdir -p '%s/score' && touch '%s'/a.yaml", scenarios);
	in_root("touch '%s'/score/b.yaml", scenarios);
	/* it has the name of the test, under which reach.py looks for notes */
	snprintf(program, sizeof(program), "%s/%s%s", root, places[_i / 2].programs,
		 strrchr(self, '/'));
	ck_assert_int_eq(link(self, program), 0);
	/* a path below the working folder is given without that */
	setenv(AT, _i % 2 ? root : "/", 1);
	out = popen(program, "r");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_gt(fread(found, 1, sizeof(found) - 1, out), 0);
	ck_assert_int_eq(pclose(out), 0);
	unsetenv(AT);
	snprintf(top, sizeof(top), "%s%s", _i % 2 ? "" : root, _i % 2 ? "" : "/");
	snprintf(expected, sizeof(expected),
		 "0 %s/%s\n0 %s/%s/score\n%d \n%d \n0 %s/%s\n%d \n"
		 " - did you mean %s%s/a.yaml?\n - did you mean %s%s/score/b.yaml?\n"
		 " - did you mean %s%s/a.yaml?\n - did you mean %s%s/score/b.yaml?\n\n\n\n",
		 root, scenarios, root, scenarios, -ENOENT, -ENOENT, root, scenarios, -ENOENT, top,
		 scenarios, top, scenarios, top, scenarios, top, scenarios);
	ck_assert_str_eq(found, expected);
}
