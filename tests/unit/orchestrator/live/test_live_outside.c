/*  orchestrator/live/live_outside: what is made, said and logged of connections outside (DU-3). A
 *  program is in the place of slirp4netns; network namespaces of the test stand for hosts. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orchestrator/live/live_outside.h"
#include "orchestrator/live/live_request.h"
#include "tests/said.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/hosts/outside_program.h"
#include "tests/unit/orchestrator/live/live_plan.h"

#define TWO                                                                                 \
	"name: t\nrun: {duration: 100us}\ntopology:\n  switches: [s1]\n  hosts:\n"          \
	"    A: {switch: s1}\n    B: {switch: s1, outside: yes, interfaces: [{switch: s1, " \
	"addresses: [192.0.2.1/24]}]}\n"

enum { A = 0, B = 1, HOSTS = 3 };

static struct plan plan;
static struct live live;
static char text[512];
static struct why why;

static int own_network(void)
{
	return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

/* The interface that slirp4netns makes is there in host B. False: the kernel forbids namespaces */
static bool begin(void)
{
	const struct netlink_end near_end = { OUTSIDE_INTERFACE, NULL, -1 };
	const struct netlink_end far_end = { "far", NULL, -1 };
	struct netlink netlink;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET)) {
		printf("skipped, needs namespaces: %s\n", strerror(errno));
		return false;
	}
	live_plan_make(TWO, &plan);
	live = (struct live){ .plan = &plan, .fabric = { .plan = &plan } };
	live.namespaces = FABRIC_NAMESPACES_NONE;
	live.namespaces.net_fd = own_network();
	live.fabric.nodes = live_nodes_make(&plan);
	live.hosts = calloc(plan.host_count, sizeof(*live.hosts));
	live.outside = calloc(plan.host_count, sizeof(*live.outside));
	strcpy(live.place.name, "t");
	for (int i = 0; i < HOSTS; i++) {
		ck_assert_int_eq(unshare(CLONE_NEWNET), 0);
		live.hosts[i].net_fd = own_network();
		if (i != B)
			continue;
		ck_assert_int_eq(netlink_open(&netlink, -1, -1), 0);
		ck_assert_int_eq(netlink_veth_add(&netlink, &near_end, &far_end, 1500), 0);
		ck_assert_int_eq(netlink_link_up(&netlink, netlink_index(&netlink, "far"), false),
				 0);
		netlink_close(&netlink);
	}
	ck_assert_int_eq(setns(live.namespaces.net_fd, CLONE_NEWNET), 0);
	ck_assert_int_eq(outside_open(&live.connector), 0);
	return true;
}

static void end(void)
{
	outside_close(&live.connector);
	for (int i = 0; i < HOSTS; i++)
		close(live.hosts[i].net_fd);
	close(live.namespaces.net_fd);
	free(live.outside);
	free(live.hosts);
	free(live.fabric.nodes);
	plan_free(&plan);
}

/* the program is there before the namespaces, in which this user may have no name */
static void setup(void)
{
	program_folder_make();
	program(READY UNTIL_THE_END);
}

TEST_GROUP(live_outside, .setup = setup, .teardown = program_folder_remove);

static json_t *ask(const char *request)
{
	struct live_answer answer;

	live_request(&live, request, strlen(request), &answer);
	ck_assert_ptr_nonnull(answer.body);
	return answer.body;
}

/* the answer to @request is @wanted */
static void answered(const char *request, const char *wanted)
{
	json_t *answer = ask(request);
	char *found = json_dumps(answer, JSON_COMPACT | JSON_SORT_KEYS);

	ck_assert_str_eq(found, wanted);
	free(found);
	json_decref(answer);
}

/* host B has the address and the route of slirp4netns */
static bool is_configured(void)
{
	char line[256], wanted[] = OUTSIDE_INTERFACE "\t00000000\t02FF13C6\t";
	bool found = false;
	FILE *file;

	ck_assert_int_eq(setns(live.hosts[B].net_fd, CLONE_NEWNET), 0);
	file = fopen("/proc/thread-self/net/route", "re");
	while (fgets(line, sizeof(line), file))
		found |= !strncmp(line, wanted, strlen(wanted));
	fclose(file);
	ck_assert_int_eq(setns(live.namespaces.net_fd, CLONE_NEWNET), 0);
	return found;
}

#define ON "{\"ask\":\"outside\",\"host\":\"B\",\"state\":\"on\"}"
#define OFF "{\"ask\":\"outside\",\"host\":\"B\",\"state\":\"off\"}"
#define REACHES "host B reaches the machine's network by outside0 (slirp4netns, pid %d); resolver "

TEST(live_outside__on_and_off)
{
	char wanted[1024];
	json_t *answer;
	pid_t pid;

	if (!begin())
		return;
	answered("{\"ask\":\"outside\"}", "{\"fabric\":\"t\",\"outside\":[]}");
	answer = ask(ON);
	pid = live.outside[B].pid;
	ck_assert_int_gt(pid, 0);
	snprintf(text, sizeof(text), REACHES "198.19.255.3", (int)pid);
	ck_assert_pstr_eq(json_string_value(json_object_get(answer, "text")), text);
	ck_assert_int_eq(json_integer_value(json_object_get(answer, "pid")), pid);
	ck_assert_pstr_eq(json_string_value(json_object_get(answer, "state")), "on");
	ck_assert(json_is_false(json_object_get(answer, "own_resolver")));
	json_decref(answer);
	ck_assert(is_configured());
	answered(ON, "{\"error\":\"host B: it is connected already\"}");
	snprintf(wanted, sizeof(wanted),
		 "{\"fabric\":\"t\",\"outside\":[{\"fate\":\"\",\"host\":\"B\",\"interface\":"
		 "\"outside0\","
		 "\"pid\":%d}]}",
		 (int)pid);
	answered("{\"ask\":\"outside\"}", wanted);
	answered(OFF, "{\"host\":\"B\",\"own_resolver\":false,\"pid\":0,\"state\":\"off\",\"text\":"
		      "\"host B no longer reaches the machine's network\"}");
	ck_assert(kill(pid, 0) && errno == ESRCH);
	answered(OFF, "{\"host\":\"B\",\"own_resolver\":false,\"pid\":0,\"state\":\"off\",\"text\":"
		      "\"host B did not reach the machine's network\"}");
	answered("{\"ask\":\"outside\"}", "{\"fabric\":\"t\",\"outside\":[]}");
	/* the address and the route are there already: the route is not said to be this one's */
	answer = ask(ON);
	snprintf(text, sizeof(text),
		 REACHES "198.19.255.3; the default route is its own, by another interface",
		 (int)live.outside[B].pid);
	ck_assert_pstr_eq(json_string_value(json_object_get(answer, "text")), text);
	json_decref(answer);
	end();
}

/* a program whose interface cannot be found is ended, and the host may try again */
TEST(live_outside__what_fails)
{
	if (!begin())
		return;
	for (int i = 0; i < 2; i++) {
		answered("{\"ask\":\"outside\",\"host\":\"A\",\"state\":\"on\"}",
			 "{\"error\":\"host A: interface outside0: No such device\"}");
		ck_assert_int_eq(live.outside[A].pid, 0);
	}
	answered("{\"ask\":\"outside\"}", "{\"fabric\":\"t\",\"outside\":[]}");
	program(NULL);
	answered(ON, "{\"error\":\"host B: slirp4netns is not installed; as root: apt-get install "
		     "slirp4netns\"}");
	ck_assert_int_eq(live_outside_start_all(&live, &why), -ENOENT);
	ck_assert(!strncmp(why.text, "host B: slirp4netns is not installed", 36));
	end();
}

/* those of the scenario; a further interface of a host has none of its own */
TEST(live_outside_start_all__as_the_scenario_says)
{
	if (!begin())
		return;
	ck_assert_int_eq(live_outside_start_all(&live, &why), 0);
	ck_assert(!live.outside[A].pid && live.outside[B].pid > 0 && !live.outside[2].pid);
	end();
}

TEST(live_outside_watch__one_has_died)
{
	struct pollfd polled;
	char wanted[256];
	pid_t pid;

	if (!begin())
		return;
	for (int other = 0; other < 2; other++) {
		ck_assert_int_eq(live_outside_start_all(&live, &why), 0);
		pid = live.outside[B].pid;
		/* at last one that was disconnected and connected again meanwhile */
		live.outside[B].pid += other;
		ck_assert_int_eq(kill(pid, SIGKILL), 0);
		polled = (struct pollfd){ live.connector.deaths_fd, POLLIN, 0 };
		ck_assert_int_eq(poll(&polled, 1, 60000), 1);
		said_begin();
		live_outside_watch(&live);
		snprintf(wanted, sizeof(wanted),
			 "slirp4netns (pid %d) of host B is dead, killed by signal 9: the host no "
			 "longer reaches the machine's network\n",
			 (int)pid);
		ck_assert_int_eq(strstr(said_end(), wanted) != NULL, !other);
		ck_assert_int_eq(live.outside[B].pid, other ? pid + 1 : 0);
		ck_assert_str_eq(live.outside[B].fate, other ? "" : "killed by signal 9");
		if (!other)
			answered("{\"ask\":\"outside\"}",
				 "{\"fabric\":\"t\",\"outside\":[{\"fate\":\"killed by signal 9\","
				 "\"host\":\"B\",\"interface\":\"outside0\",\"pid\":0}]}");
	}
	end();
}
