/*  orchestrator/hosts/outside: the process that starts a connection for each host, with programs in
 *  the place of slirp4netns (DU-3). system/test_outside.sh has the real one. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/hosts/outside.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/hosts/outside_program.h"

static struct why why;
static struct outside_connector connector;
static int net_fd;
static pid_t pid;

static void setup(void)
{
	program_folder_make();
	net_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(outside_open(&connector), 0);
}

static void teardown(void)
{
	outside_close(&connector);
	close(net_fd);
	program_folder_remove();
}

TEST_GROUP(outside, .setup = setup, .teardown = teardown);

static int connect_host(uint32_t host)
{
	return outside_connect(&connector, host, net_fd, -1, &pid, &why);
}

/* waits for the death of a program */
static struct outside_death death_await(void)
{
	struct pollfd polled = { connector.deaths_fd, POLLIN, 0 };
	struct outside_death death = { 0 };

	ck_assert_int_eq(poll(&polled, 1, 60000), 1);
	ck_assert(outside_death_next(&connector, &death));
	return death;
}

TEST(outside_connect__program_is_missing)
{
	ck_assert_int_eq(connect_host(1), -ENOENT);
	ck_assert_str_eq(why.text,
			 "slirp4netns is not installed; as root: apt-get install slirp4netns");
}

TEST(outside_connect__program_fails)
{
	program("echo first >&2; echo 'no tap device' >&2; exit 3");
	ck_assert_int_eq(connect_host(1), -EIO);
	ck_assert_str_eq(why.text, "slirp4netns does not run: exit status 3: no tap device");
	program("echo x >&2; exit 3");
	ck_assert_int_eq(connect_host(1), -EIO);
	ck_assert_str_eq(why.text, "slirp4netns does not run: exit status 3: x");
	program(READY UNTIL_THE_END); /* and the place is free again */
	ck_assert_int_eq(connect_host(1), 0);
}

/* one that does not look at its descriptor is ended, too */
TEST(outside_disconnect__program_that_does_not_end)
{
	program(READY "while :; do :; done");
	ck_assert_int_eq(connect_host(1), 0);
	ck_assert_int_eq(outside_disconnect(&connector, 1), 0);
	ck_assert(kill(pid, 0) && errno == ESRCH);
}

/* ---- the connector ---- */

/* its descriptors: standard ones, which lead nowhere, requests and deaths */
static void descriptors_check(pid_t process)
{
	char path[64], target[32];

	for (int fd = 0; fd < 256; fd++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)process, fd);
		length = readlink(path, target, sizeof(target) - 1);
		ck_assert_msg((length >= 0) == (fd < 5), "descriptor %d", fd);
		target[length > 0 ? length : 0] = 0;
		if (fd < 3)
			ck_assert_str_eq(target, "/dev/null");
	}
}

/* what line @name of /proc/PID/status says */
static void status_read(pid_t process, const char *name, char *value, size_t value_max)
{
	size_t length = strlen(name);
	char path[64], line[256];
	FILE *file;

	*value = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)process);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, name, length))
			snprintf(value, value_max, "%s", line + length);
	}
	fclose(file);
}

/* the set of signals in line @name, without those that the C library has for itself: 32 and 33 */
static uint64_t signals_of(pid_t process, const char *name)
{
	char value[32];

	status_read(process, name, value, sizeof(value));
	ck_assert_uint_eq(strlen(value), 16);
	return strtoull(value, NULL, 16) & ~(3ull << 31);
}

/* nothing of the daemon is kept, and nothing of a host that is not connected any more */
TEST(outside_open__process)
{
	struct outside_connector first = connector;
	sigset_t all, before;
	char name[32];

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	signal(SIGINT, SIG_IGN);
	ck_assert_int_eq(dup2(STDERR_FILENO, 200), 200);
	ck_assert_int_eq(outside_open(&connector), 0);
	close(200);
	signal(SIGINT, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	program(READY UNTIL_THE_END);
	ck_assert_int_eq(connect_host(1), 0);
	ck_assert_int_eq(outside_disconnect(&connector, 1), 0);
	descriptors_check(connector.pid);
	status_read(connector.pid, "Name:\t", name, sizeof(name));
	ck_assert_str_eq(name, "heddle-outside");
	ck_assert_uint_eq(signals_of(connector.pid, "SigBlk:\t"), 0);
	ck_assert_uint_eq(signals_of(connector.pid, "SigIgn:\t"), 0);
	outside_close(&connector);
	connector = first;
}

/* ---- what it says ---- */

TEST(outside_connect__one_for_each_host)
{
	pid_t first;

	program(READY UNTIL_THE_END);
	ck_assert_int_eq(connect_host(1), 0);
	first = pid;
	ck_assert_int_gt(first, 0);
	ck_assert_int_eq(connect_host(1), -EEXIST);
	ck_assert_str_eq(why.text, "it is connected already");
	ck_assert_int_eq(connect_host(2), 0);
	ck_assert_int_ne(pid, first);
	ck_assert_int_eq(outside_disconnect(&connector, 1), 0);
	ck_assert_int_eq(outside_disconnect(&connector, 1), -ENOENT);
	ck_assert(kill(first, 0) && errno == ESRCH);
	ck_assert_int_eq(kill(pid, 0), 0);
}

/* of a long text the last line is kept, and of that its begin */
TEST(outside_connect__program_that_says_much)
{
	char wanted[256];

	program("i=0; while [ $i -lt 300 ]; do echo 'line of thirteen' >&2; i=$((i+1)); done; "
		"echo 'the last' >&2; exit 4");
	ck_assert_int_eq(connect_host(1), -EIO);
	ck_assert_str_eq(why.text, "slirp4netns does not run: exit status 4: the last");
	program("i=0; while [ $i -lt 20 ]; do printf '%s' '12345678' >&2; i=$((i+1)); done; exit "
		"5");
	ck_assert_int_eq(connect_host(1), -EIO);
	strcpy(wanted, "slirp4netns does not run: exit status 5: ");
	for (int i = 0; i < 18; i++)
		strcat(wanted, "12345678");
	ck_assert_int_eq(strncmp(why.text, wanted, strlen(wanted)), 0);
}

TEST(outside_connect__as_many_as_there_can_be)
{
	program(READY UNTIL_THE_END);
	for (uint32_t i = 0; i < OUTSIDE_HOSTS_MAX; i++)
		ck_assert_msg(!connect_host(i), "%s", why.text);
	ck_assert_int_eq(connect_host(OUTSIDE_HOSTS_MAX), -ENOSPC);
	ck_assert_str_eq(why.text, "64 hosts are connected, the most");
	ck_assert_int_eq(outside_disconnect(&connector, 5), 0);
	ck_assert_int_eq(connect_host(OUTSIDE_HOSTS_MAX), 0);
}

/* what the program is asked for: the machine's loopback stays closed */
TEST(outside_connect__arguments)
{
	char script[256], path[128], said[512] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/said", folder);
	snprintf(script, sizeof(script),
		 "echo \"$@\" >%s; for f in 3 4 5 6 7 8 9 100 101 102; do [ -e /proc/$$/fd/$f ] && "
		 "echo $f "
		 ">>%s; "
		 "done; [ /proc/$$/fd/3 -ef /proc/$PPID/ns/net ] && echo net >>%s; exit 1",
		 path, path, path);
	program(script);
	ck_assert_int_eq(connect_host(1), -EIO);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fread(said, 1, sizeof(said) - 1, file), 0);
	fclose(file);
	unlink(path);
	ck_assert_str_eq(said, "--netns-type=path --disable-host-loopback --enable-sandbox "
			       "--enable-seccomp --mtu=1500 --cidr=198.19.255.0/24 -e 4 -r 5 "
			       "/proc/self/fd/3 outside0\n3\n4\n5\nnet\n");
}

TEST(outside_death_next__names_the_cause)
{
	struct outside_death death;

	program(READY "echo 'the last words' >&2; kill -9 $$");
	ck_assert_int_eq(connect_host(7), 0);
	death = death_await();
	ck_assert_uint_eq(death.host, 7);
	ck_assert_int_eq(death.pid, pid);
	ck_assert_str_eq(death.fate, "killed by signal 9: the last words");
	ck_assert(!outside_death_next(&connector, &death));
	program(READY UNTIL_THE_END);
	ck_assert_int_eq(connect_host(7), 0);
}

/* a disconnection is no death */
TEST(outside_death_next__not_of_what_was_disconnected)
{
	struct outside_death death;

	program(READY UNTIL_THE_END);
	ck_assert_int_eq(connect_host(1), 0);
	ck_assert_int_eq(outside_disconnect(&connector, 1), 0);
	ck_assert_int_eq(connect_host(2), 0); /* the connector has been round its loop */
	ck_assert(!outside_death_next(&connector, &death));
}

TEST(outside_close__ends_the_programs)
{
	program(READY UNTIL_THE_END);
	ck_assert_int_eq(connect_host(1), 0);
	outside_close(&connector);
	ck_assert(kill(pid, 0) && errno == ESRCH);
}

/* the connector is killed: the next request says so */
TEST(outside_connect__connector_is_dead)
{
	struct pollfd polled = { .events = POLLIN };

	program(READY UNTIL_THE_END);
	ck_assert_int_eq(connect_host(1), 0);
	kill(connector.pid, SIGKILL);
	polled.fd = connector.deaths_fd;
	ck_assert_int_eq(poll(&polled, 1, 60000), 1);
	errno = EAGAIN; /* of an earlier call */
	ck_assert(!outside_death_next(&connector, &(struct outside_death){ 0 }));
	ck_assert_int_eq(connector.deaths_fd, -1);
	ck_assert_int_eq(connect_host(2), -EPIPE);
	ck_assert_int_eq(connector.fd, -1);
	ck_assert_str_eq(why.text,
			 "the process that starts connections to the outside has ended: end "
			 "the fabric and start it again");
}
