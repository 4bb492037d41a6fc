#include "orchestrator/hosts/host_rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nodes/base/array.h"

static const unsigned kept[] = {
	/* files and users */
	CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_SETGID, CAP_SETUID, CAP_SETPCAP,
	CAP_SETFCAP, CAP_SYS_CHROOT, CAP_AUDIT_WRITE, CAP_KILL,
	/* the network */
	CAP_NET_ADMIN, CAP_NET_RAW, CAP_NET_BIND_SERVICE, CAP_NET_BROADCAST
};

bool host_rights_kept(int capability)
{
	for (size_t i = 0; i < COUNT_OF(kept); i++)
		if ((int)kept[i] == capability)
			return true;
	return false;
}

/* Best effort: a process without a capability cannot lose it. CAP_SETPCAP goes last, if at all. */
static void capabilities_drop(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { 0 };

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (int i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		if (!host_rights_kept(i))
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	if (syscall(SYS_capget, &header, sets))
		return;
	for (int i = 0; i < 64; i++) {
		struct __user_cap_data_struct *set = &sets[CAP_TO_INDEX(i)];

		set->inheritable = 0;
		if (host_rights_kept(i))
			continue;
		set->effective &= ~CAP_TO_MASK(i);
		set->permitted &= ~CAP_TO_MASK(i);
	}
	syscall(SYS_capset, &header, sets);
}

/* lowers a limit; one that is lower already stays */
static void limit_lower(int resource, uint64_t value)
{
	struct rlimit limit;

	if (!value || getrlimit(resource, &limit))
		return;
	limit.rlim_max = limit.rlim_max < value ? limit.rlim_max : value;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(resource, &limit);
}

int host_rights_drop(const struct host_rights *rights, const struct host_user *user)
{
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	limit_lower(RLIMIT_NOFILE, rights->limits.files);
	limit_lower(RLIMIT_NPROC, rights->limits.processes);
	limit_lower(RLIMIT_AS, rights->limits.address_bytes);
	if (!rights->full)
		capabilities_drop();
	if (!user)
		return 0;
	if (initgroups(user->name, user->group) || setgid(user->group) || setuid(user->user))
		return -errno;
	setenv("HOME", user->home, 1);
	setenv("USER", user->name, 1);
	setenv("LOGNAME", user->name, 1);
	return 0;
}
