/*  orchestrator/operate/enter: programs that begin in a host. */
#include "orchestrator/operate/enter.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/testing.h"

/* a caller whose parent has ended meanwhile starts nothing */
TEST(enter_run__the_parent_has_ended)
{
	const struct enter_fds fds = { .user_fd = -1,
				       .pid_fd = -1,
				       .mount_fd = -1,
				       .net_fd = -1,
				       .uts_fd = -1,
				       .parent = getpid(),
				       .tmp_fd = -1 };
	const struct host_user user = { 0 };
	char *const argv[] = { "sh", "-c", "touch began", NULL };
	char folder[] = "/tmp/heddle-test-XXXXXX", why[256] = "";

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(enter_run(&fds, &user, argv, NULL, why, sizeof(why)), -ECANCELED);
	ck_assert_str_eq(why, "");
	ck_assert_int_ne(access("began", F_OK), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}
