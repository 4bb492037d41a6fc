/*  nodes/process/privilege: what a node may no longer do (TB-24). system/test_privileges.sh checks
 *  the rest from outside. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/process/privilege.h"
#include "tests/testing.h"

/* No two fabrics of a machine share a user. The user is in a range that nothing else uses. */
TEST(privilege_user__one_for_each_fabric)
{
	ck_assert_uint_ne(privilege_user(77), privilege_user(78));
	ck_assert_uint_ge(privilege_user(1), 1879048192u);
	ck_assert_uint_le(privilege_user(1 << 22), 2147483647u);
}

/* A node that writes to its log without end reaches the limit of the file, and survives. */
TEST(privilege_files__the_log_is_bounded)
{
	const off_t before = 1000;
	char path[] = "/tmp/test_privilege.XXXXXX";
	int fd = mkostemp(path, O_APPEND), status;
	struct stat file;
	pid_t child;

	ck_assert_int_eq(ftruncate(fd, before), 0);
	child = fork();
	if (!child) {
		static char block[1 << 20];
		uint32_t refused = 0;

		dup2(fd, STDERR_FILENO);
		privilege_files();
		for (uint32_t i = 0; i < 40; i++)
			refused += write(STDERR_FILENO, block, sizeof(block)) < 0;
		_exit(refused ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	ck_assert_int_eq(fstat(fd, &file), 0);
	ck_assert_int_eq(file.st_size, before + (off_t)NODE_FILE_BYTES_MAX);
	close(fd);
	unlink(path);
}
