/*  orchestrator/hosts/host_dilation: LD_PRELOAD and sysctls of programs whose time is dilated
 *  (SC-8). */
#include "orchestrator/hosts/host_dilation.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "tests/testing.h"

TEST_GROUP(host_dilation, .setup = testing_input);

static void preload(const char *before, const char *expected)
{
	char *text = host_dilation_preload("/l.so", before);

	ck_assert_str_eq(text, expected);
	free(text);
}

TEST(host_dilation_preload__first_and_once)
{
	preload(NULL, "/l.so");
	preload("", "/l.so");
	preload("/other.so", "/l.so:/other.so");
	preload("/a.so /b.so", "/l.so:/a.so /b.so");
	preload("/l.so", "/l.so");
	preload("/a.so:/l.so", "/a.so:/l.so");
	preload("/a.so /l.so /b.so", "/a.so /l.so /b.so");
	preload("/l.so:/b.so", "/l.so:/b.so");
}

/* a name that ends or begins like it is another library */
TEST(host_dilation_preload__whole_names)
{
	preload("/usr/l.so", "/l.so:/usr/l.so");
	preload("/l.so.1", "/l.so:/l.so.1");
	preload("/l.so.1:/l.so", "/l.so.1:/l.so");
}

/* ---- sysctls: a folder of the test stands for /proc/sys ---- */

static int root_fd;

/* what was written to @name, which is empty again */
static const char *taken(const char *name)
{
	static char text[64];
	int fd = openat(root_fd, name, O_RDWR | O_CLOEXEC);
	ssize_t length = read(fd, text, sizeof(text) - 1);

	ck_assert_int_ge(length, 0);
	text[length] = 0;
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	close(fd);
	return text;
}

/* at most 120 s, which is also the kernel's */
TEST(host_dilation_sysctls__longer_timeouts_and_larger_buffers)
{
	static const struct {
		uint32_t dilation;
		const char *rto_us;
	} cases[] = { { 2, "400000" },
		      { 599, "119800000" },
		      { 600, "120000000" },
		      { 601, "120000000" },
		      { 30000, "120000000" } };
	static const char *const files[] = { "net/ipv4/tcp_rto_min_us", "net/ipv4/tcp_rmem",
					     "net/ipv4/tcp_wmem" };
	struct fabric_namespaces namespaces = FABRIC_NAMESPACES_NONE;
	char folder[] = "/tmp/heddle-test-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(folder));
	root_fd = namespaces.sysctl_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ck_assert(!mkdirat(root_fd, "net", 0700) && !mkdirat(root_fd, "net/ipv4", 0700));
	for (size_t i = 0; i < COUNT_OF(files); i++)
		close(openat(root_fd, files[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		host_dilation_sysctls(&namespaces, cases[i].dilation);
		ck_assert_str_eq(taken(files[0]), cases[i].rto_us);
		ck_assert_str_eq(taken(files[1]), "4096 131072 134217728");
		ck_assert_str_eq(taken(files[2]), "4096 131072 134217728");
	}
	for (size_t i = 0; i < COUNT_OF(files); i++)
		unlinkat(root_fd, files[i], 0);
	unlinkat(root_fd, "net/ipv4", AT_REMOVEDIR);
	unlinkat(root_fd, "net", AT_REMOVEDIR);
	close(root_fd);
	ck_assert_int_eq(rmdir(folder), 0);
}
