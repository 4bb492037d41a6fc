/*  orchestrator/live/live_room, live_outside: what is said of limits that control groups do not
 *  keep, and of programs and connections that a host cannot have (DU-3). No node runs. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/hosts/room_init.h"
#include "orchestrator/live/live_outside.h"
#include "orchestrator/live/live_request.h"
#include "orchestrator/live/live_room.h"
#include "tests/said.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/live/live_plan.h"

static struct plan plan;
static struct live live;

/* host A has the limits @limits, B has none */
static void begin(const char *limits)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "name: t\nrun: {duration: 100us}\ntopology:\n  switches: [s1]\n  hosts:\n"
		 "    A: {switch: s1%s%s}\n    B: s1\n",
		 limits ? ", limits: " : "", limits ? limits : "");
	live_plan_make(text, &plan);
	live = (struct live){ .plan = &plan, .fabric = { .plan = &plan, .options.real = true } };
	live.fabric.nodes = live_nodes_make(&plan);
	live.hosts = calloc(plan.host_count, sizeof(*live.hosts));
	live.outside = calloc(plan.host_count, sizeof(*live.outside));
	strcpy(live.place.name, "t");
	ck_assert_int_eq(live_rooms_alloc(&live), 0);
}

static void end(void)
{
	free(live.rooms);
	free(live.outside);
	free(live.hosts);
	free(live.fabric.nodes);
	plan_free(&plan);
}

/* ---- limits ---- */

static const struct {
	const char *limits;
	bool rootless, processes_kept, memory_kept;
	const char *missing;
} limits[] = {
	{ NULL, false, false, false, "" },
	{ "{files: 100}", false, false, false, "" },
	{ "{processes: 100, memory: 1GiB}", false, true, true, "" },
	{ "{processes: 100, memory: 1GiB}", true, true, true, "" },
	{ "{processes: 100}", false, false, true,
	  "the number of processes is not limited: no control group can be made" },
	{ "{processes: 100, memory: 1GiB}", false, false, false,
	  "the number of processes is not limited: no control group can be made" },
	{ "{processes: 100}", true, false, true,
	  "limits hold, without control groups, for all processes of a user in the fabric, and for "
	  "the memory of each process" },
	{ "{memory: 1GiB}", false, true, false,
	  "limits of memory hold, without control groups, for each process" },
	{ "{memory: 1GiB}", true, false, false,
	  "limits of memory hold, without control groups, for each process" },
	{ "{processes: 100}", true, true, false, "" },
};

TEST_RANGE(live_rooms_limits_missing__what_holds, 0, COUNT_OF(limits))
{
	begin(limits[_i].limits);
	live.namespaces.rootless = limits[_i].rootless;
	live.limit_groups.opened = true;
	if (limits[_i].processes_kept)
		strcpy(live.limit_groups.bases[LIMIT_PROCESSES], "/sys/fs/cgroup");
	if (limits[_i].memory_kept)
		strcpy(live.limit_groups.bases[LIMIT_MEMORY], "/sys/fs/cgroup");
	ck_assert_str_eq(live_rooms_limits_missing(&live), limits[_i].missing);
	end();
}

/* ---- requests ---- */

static void is_refused(const char *request, const char *sentence)
{
	struct live_answer answer;
	char text[256];

	snprintf(text, sizeof(text), "%s", request);
	for (char *quote = text; (quote = strchr(quote, '\''));)
		*quote = '"';
	live_request(&live, text, strlen(text), &answer);
	ck_assert_ptr_nonnull(answer.body);
	ck_assert_pstr_eq(json_string_value(json_object_get(answer.body, "error")), sentence);
	json_decref(answer.body);
}

TEST(live_room_run__where_nothing_can_be_started)
{
	begin(NULL);
	is_refused("{'ask': 'run', 'host': 's1'}",
		   "run needs a host of the fabric's own, and 5 descriptors");
	live.asker.fd_count = ROOM_START_FDS;
	is_refused("{'ask': 'run', 'host': 's1'}",
		   "run needs a host of the fabric's own, and 5 descriptors");
	live.asker.fd_count = 0;
	is_refused("{'ask': 'run'}", "the request names no node");
	is_refused("{'ask': 'run', 'host': 'C'}",
		   "fabric t has no node 'C'; 'heddle ps t' lists them");
	live.asker.inside = true;
	is_refused("{'ask': 'exec', 'host': 's1'}",
		   "s1 is no host of the fabric's own: from inside of a host, programs cannot be "
		   "started there");
	end();
}

TEST(live_outside__who_cannot_be_connected)
{
	begin(NULL);
	is_refused("{'ask': 'outside', 'host': 's1', 'state': 'on'}",
		   "s1 is a switch: only hosts have a connection to the outside");
	live.hosts[0].attached = true;
	is_refused("{'ask': 'outside', 'host': 'A', 'state': 'off'}",
		   "A is an attached container: its own engine connects it to the outside");
	live.asker.inside = true;
	is_refused("{'ask': 'outside', 'host': 'B', 'state': 'off'}",
		   "a connection to the outside is refused to programs inside of a host: use "
		   "'heddle' of the machine");
	end();
}

/* a host that is not connected is disconnected without an error */
TEST(live_outside__off)
{
	const char *text = "{\"ask\": \"outside\", \"host\": \"B\", \"state\": \"off\"}";
	struct live_answer answer;

	begin(NULL);
	live_request(&live, text, strlen(text), &answer);
	ck_assert_str_eq(json_string_value(json_object_get(answer.body, "text")),
			 "host B did not reach the machine's network");
	ck_assert_int_eq(json_integer_value(json_object_get(answer.body, "pid")), 0);
	json_decref(answer.body);
	end();
}

/* the process that has all connections is dead: each host that had one is told of */
TEST(live_outside_watch__all_are_lost)
{
	const char *log;

	begin(NULL);
	live.connector = (struct outside_connector){ .pid = 4711, .deaths_fd = -1 };
	live.outside[1].pid = 77;
	said_begin();
	live_outside_watch(&live);
	log = said_end();
	ck_assert_ptr_nonnull(strstr(log, "heddle-outside (pid 4711), which held the connection of "
					  "host B to the machine's network, is dead\n"));
	ck_assert_ptr_null(strstr(log, "host A"));
	ck_assert_int_eq(live.outside[1].pid, 0);
	ck_assert_str_eq(live.outside[1].fate, "heddle-outside is dead");
	ck_assert_str_eq(live.outside[0].fate, "");
	end();
}
