#include "nodes/process/privilege.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nodes/base/sanitizer.h"

#define NOBODY 65534

/* libcap would be a dependency for one call */
static int capabilities_drop(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capset, &header, none) ? -errno : 0;
}

void privilege_files(void)
{
	struct stat log;
	off_t present = fstat(STDERR_FILENO, &log) || !S_ISREG(log.st_mode) ? 0 : log.st_size;
	struct rlimit limit = { .rlim_cur = (rlim_t)present + NODE_FILE_BYTES_MAX };

	signal(SIGXFSZ, SIG_IGN);
	limit.rlim_max = limit.rlim_cur;
	setrlimit(RLIMIT_FSIZE, &limit); /* refused if a lower one holds already */
}

uid_t privilege_user(pid_t parent)
{
	return PRIVILEGE_USER_FIRST + (uid_t)parent;
}

static bool become(uid_t user)
{
	return !setresgid(user, user, user) && !setresuid(user, user, user);
}

int privilege_drop(pid_t parent, bool keep_user)
{
	int error;

	/* a user namespace may have a single user: then only the capabilities are dropped */
	if (!keep_user && !geteuid() && !setgroups(0, NULL) && !become(privilege_user(parent)))
		(void)become(NOBODY);
#if SANITIZER_ADDRESS
	prctl(PR_SET_DUMPABLE, 1); /* the search for leaks looks at its own threads */
#endif
	error = capabilities_drop();
	if (error)
		return error;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	return getppid() == parent ? 0 : -ESRCH;
}
