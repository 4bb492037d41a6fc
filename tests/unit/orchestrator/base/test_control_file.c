/*  orchestrator/base/control_file: libraries are copied with their digest, and what is none is
 *  refused (SE-10). */
#include "orchestrator/base/control_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/testing.h"

static char path[] = "/tmp/test_control_file.XXXXXX";
static struct control_file file = { .fd = -1 };

static void setup(void)
{
	close(mkstemp(path));
}

static void teardown(void)
{
	control_file_release(&file);
	unlink(path);
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
}

TEST_GROUP(control_file, .setup = setup, .teardown = teardown);

/* the C library is one */
TEST(control_file_read__copy_and_digest)
{
	char text[SHA256_TEXT_MAX], command[256], wanted[SHA256_TEXT_MAX] = "";
	struct stat here, copy;
	Dl_info library;
	FILE *sum;

	ck_assert(dladdr(dlsym(RTLD_NEXT, "gnu_get_libc_version"), &library));
	ck_assert_int_eq(stat(library.dli_fname, &here), 0);
	snprintf(command, sizeof(command), "cp %s %s && sha256sum < %s", library.dli_fname, path,
		 path);
	sum = popen(command, "r");
	ck_assert_ptr_nonnull(fgets(wanted, sizeof(wanted), sum));
	pclose(sum);
	ck_assert_int_eq(control_file_read(&file, path), 0);
	ck_assert_str_eq(sha256_text(&file.digest, text), wanted);
	ck_assert_str_eq(file.name, strrchr(path, '/') + 1);
	ck_assert_int_eq(fstat(file.fd, &copy), 0);
	ck_assert_int_eq(copy.st_size, here.st_size);
	/* nodes share it, and none may change it */
	ck_assert_int_eq(pwrite(file.fd, "x", 1, 0), -1);
}

/* no file of this process may be as long as the copy */
TEST(control_file_read__cannot_be_copied)
{
	const struct rlimit limit = { 100, 100 };
	Dl_info library;

	ck_assert(dladdr(dlsym(RTLD_NEXT, "gnu_get_libc_version"), &library));
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(control_file_read(&file, library.dli_fname), -EFBIG);
	ck_assert_int_eq(file.fd, -1);
}

/* the name is for terminals, too */
TEST(control_file_read__name)
{
	char command[256], odd[128];
	Dl_info library;

	ck_assert(dladdr(dlsym(RTLD_NEXT, "gnu_get_libc_version"), &library));
	snprintf(odd, sizeof(odd), "%s.a\x1f\x7f\xff ~", path);
	snprintf(command, sizeof(command), "cp %s '%s'", library.dli_fname, odd);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(control_file_read(&file, odd), 0);
	ck_assert_int_eq(unlink(odd), 0);
	ck_assert_str_eq(strchr(file.name, '.') + 1 + strlen("XXXXXX"), ".a??? ~");
}

TEST(control_file_read__what_is_no_library)
{
	FILE *out = fopen(path, "w");

	ck_assert_int_eq(control_file_read(&file, path), -ENOEXEC);
	for (int i = 0; i < 100; i++)
		fputs("no library\n", out);
	fclose(out);
	ck_assert_int_eq(control_file_read(&file, path), -ENOEXEC);
	ck_assert_int_eq(control_file_read(&file, "/tmp"), -EBADF);
	ck_assert_int_eq(control_file_read(&file, "/dev/zero"), -EBADF);
	ck_assert_int_eq(control_file_read(&file, "/tmp/there/is/none"), -ENOENT);
	ck_assert_int_eq(truncate(path, CONTROL_FILE_BYTES_MAX + 1), 0);
	ck_assert_int_eq(control_file_read(&file, path), -EFBIG);
	ck_assert_int_eq(file.fd, -1);
}
