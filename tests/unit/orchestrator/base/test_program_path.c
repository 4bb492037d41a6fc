/*  orchestrator/base/program_path: the folders of root's programs are in PATH, each once, after
 *  those of the user. */
#include <stdlib.h>

#include "nodes/base/array.h"
#include "orchestrator/base/program_path.h"
#include "tests/testing.h"

static const struct {
	const char *before, *after;
} paths[] = {
	{ "/bin", "/bin:/usr/local/sbin:/usr/sbin:/sbin" },
	{ "", ":/usr/local/sbin:/usr/sbin:/sbin" },
	{ "/usr/sbin:/bin", "/usr/sbin:/bin:/usr/local/sbin:/sbin" },
	{ "/bin:/sbin:/x", "/bin:/sbin:/x:/usr/local/sbin:/usr/sbin" },
	{ "/usr/local/sbin:/usr/sbin:/sbin", "/usr/local/sbin:/usr/sbin:/sbin" },
	/* folders whose names only begin or end like them */
	{ "/opt/usr/sbin:/sbin2", "/opt/usr/sbin:/sbin2:/usr/local/sbin:/usr/sbin:/sbin" },
};

TEST_RANGE(program_path_complete__lacking_folders_only, 0, COUNT_OF(paths))
{
	ck_assert_int_eq(setenv("PATH", paths[_i].before, 1), 0);
	program_path_complete();
	ck_assert_str_eq(getenv("PATH"), paths[_i].after);
	program_path_complete();
	ck_assert_str_eq(getenv("PATH"), paths[_i].after);
}

TEST(program_path_complete__no_path)
{
	unsetenv("PATH");
	program_path_complete();
	ck_assert_ptr_null(getenv("PATH"));
}
