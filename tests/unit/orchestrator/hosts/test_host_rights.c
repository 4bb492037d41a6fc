/*  orchestrator/hosts/host_rights: which rights a program in a host has lost, and which limits it
 *  has (DU-3). A child of the test loses them. */
#include "orchestrator/hosts/host_rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "tests/testing.h"

static const unsigned kept[] = {
	CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER,  CAP_FSETID,           CAP_SETGID,
	CAP_SETUID, CAP_SETPCAP,      CAP_SETFCAP, CAP_SYS_CHROOT,       CAP_AUDIT_WRITE,
	CAP_KILL,   CAP_NET_ADMIN,    CAP_NET_RAW, CAP_NET_BIND_SERVICE, CAP_NET_BROADCAST
};

/* the capabilities of a process, a bit each */
struct caps {
	uint64_t effective, permitted, inheritable, bounding, ambient;
};

static uint64_t kept_bits(void)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < COUNT_OF(kept); i++)
		bits |= 1ull << kept[i];
	return bits;
}

static struct caps caps_read(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { 0 };
	struct caps caps = { 0 };

	syscall(SYS_capget, &header, sets);
	caps.effective = sets[0].effective | (uint64_t)sets[1].effective << 32;
	caps.permitted = sets[0].permitted | (uint64_t)sets[1].permitted << 32;
	caps.inheritable = sets[0].inheritable | (uint64_t)sets[1].inheritable << 32;
	for (int i = 0; i < 64; i++) {
		if (prctl(PR_CAPBSET_READ, i, 0, 0, 0) == 1)
			caps.bounding |= 1ull << i;
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, i, 0, 0) == 1)
			caps.ambient |= 1ull << i;
	}
	return caps;
}

/* all that it has would pass to programs, too */
static void caps_pass_on(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { 0 };

	syscall(SYS_capget, &header, sets);
	for (int i = 0; i < 2; i++)
		sets[i].inheritable = sets[i].permitted;
	syscall(SYS_capset, &header, sets);
	for (int i = 0; i < 64; i++)
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0);
}

/* The exit status of a child that does @action: 0, or the number of the first check that failed. */
static int child_of(int (*action)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(action());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(host_rights_kept__these_and_no_others)
{
	for (int i = -1; i < 70; i++)
		ck_assert_int_eq(host_rights_kept(i),
				 i >= 0 && i < 64 && (kept_bits() >> i & 1) != 0);
}

static int drops(void)
{
	const struct host_rights rights = { 0 };
	struct caps before, after;

	caps_pass_on();
	before = caps_read();
	if (host_rights_drop(&rights, NULL))
		return 1;
	after = caps_read();
	if (after.effective != (before.effective & kept_bits()))
		return 2;
	if (after.permitted != (before.permitted & kept_bits()))
		return 3;
	if (after.bounding != (before.bounding & kept_bits()))
		return 4;
	if (after.inheritable || after.ambient)
		return 5;
	return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) ? 6 : 0;
}

TEST(host_rights_drop__all_but_those)
{
	if (geteuid() == 0)
		ck_assert_int_eq(child_of(drops), 0);
}

static int keeps_all(void)
{
	const struct host_rights rights = { .full = true };
	struct caps before, after;

	caps_pass_on();
	before = caps_read();
	if (host_rights_drop(&rights, NULL))
		return 1;
	after = caps_read();
	if (memcmp(&before, &after, sizeof(before)) != 0)
		return 2;
	return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) ? 3 : 0;
}

TEST(host_rights_drop__none_with_full_rights)
{
	ck_assert_int_eq(child_of(keeps_all), 0);
}

static bool limit_is(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit limit;

	return !getrlimit(resource, &limit) && limit.rlim_cur == soft && limit.rlim_max == hard;
}

#define ADDRESS_BYTES (1ull << 60) /* the sanitizers need a lot */

static int limits(void)
{
	struct host_rights rights = {
		.limits = { .files = 40, .processes = 1000, .address_bytes = ADDRESS_BYTES }
	};

	if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 30, 50 }))
		return 1;
	if (host_rights_drop(&rights, NULL))
		return 2;
	if (!limit_is(RLIMIT_NOFILE, 40, 40) || !limit_is(RLIMIT_NPROC, 1000, 1000) ||
	    !limit_is(RLIMIT_AS, ADDRESS_BYTES, ADDRESS_BYTES))
		return 3;
	/* none, and one that is lower already: the soft limit becomes the hard one */
	rights.limits.files = 41;
	rights.limits.processes = 0;
	if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 20, 40 }) ||
	    setrlimit(RLIMIT_NPROC, &(struct rlimit){ 500, 1000 }))
		return 4;
	if (host_rights_drop(&rights, NULL))
		return 5;
	if (!limit_is(RLIMIT_NOFILE, 40, 40) || !limit_is(RLIMIT_NPROC, 500, 1000))
		return 6;
	return 0;
}

TEST(host_rights_drop__limits_become_lower)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NPROC, &limit) || limit.rlim_max < 1000 ||
	    getrlimit(RLIMIT_AS, &limit) || limit.rlim_max < ADDRESS_BYTES)
		return; /* this machine's are lower */
	ck_assert_int_eq(child_of(limits), 0);
}

#define USER 4243
#define GROUP 4244

static int becomes(void)
{
	const struct host_rights rights = { 0 };
	const struct host_user user = { "user1", "/home/user1", USER, GROUP };
	gid_t groups[4];

	setenv("HOME", "/root", 1);
	setenv("USER", "root", 1);
	setenv("LOGNAME", "root", 1);
	if (host_rights_drop(&rights, &user))
		return 1;
	if (getuid() != USER || geteuid() != USER || getgid() != GROUP || getegid() != GROUP)
		return 2;
	if (getgroups(4, groups) != 1 || groups[0] != GROUP)
		return 3;
	if (strcmp(getenv("HOME"), "/home/user1") != 0 || strcmp(getenv("USER"), "user1") != 0 ||
	    strcmp(getenv("LOGNAME"), "user1") != 0)
		return 4;
	if (!setuid(0)) /* it stays that user */
		return 5;
	return host_rights_drop(&rights, &(struct host_user){ "root", "/root", 0, 0 }) == -EPERM
		       ? 0
		       : 6;
}

TEST(host_rights_drop__becomes_a_user)
{
	if (geteuid() == 0)
		ck_assert_int_eq(child_of(becomes), 0);
}
