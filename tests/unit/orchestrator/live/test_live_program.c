/*  orchestrator/live/live_program: the start commands of hosts, how each has ended, and what they
 *  print (DU-3). No host runs: the test holds the pipes by which a host tells of the end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/hosts/room_program.h"
#include "orchestrator/live/live_program.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/live/live_plan.h"

#define FOUR                                                                            \
	"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\ntopology:\n"           \
	"  switches: [s1]\n  hosts:\n    A: {switch: s1, run: ['one', [two, words]]}\n" \
	"    B: {switch: s1, run: 'three'}\n    C: {switch: s1}\n"                      \
	"    D: {switch: s1, run: 'four', user: no-such-user}\n"

#define PROGRAMS 4u

static struct plan plan;
static struct live live;
static char folder[] = "/tmp/heddle-test-XXXXXX";
static int ends[PROGRAMS]; /* the hosts' ends of the pipes; -1 */

static void setup(void)
{
	live_plan_make(FOUR, &plan);
	live = (struct live){ .plan = &plan };
	strcpy(live.place.name, "t");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	strcpy(live.place.path, folder);
	live.place.dir_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	memset(ends, 0xff, sizeof(ends));
}

static void teardown(void)
{
	for (uint32_t i = 0; i < PROGRAMS; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	live_programs_free(&live);
	unlinkat(live.place.dir_fd, "programs/A.log", 0);
	unlinkat(live.place.dir_fd, "programs/B.log", 0);
	unlinkat(live.place.dir_fd, "programs", AT_REMOVEDIR);
	close(live.place.dir_fd);
	ck_assert_int_eq(rmdir(folder), 0);
	plan_free(&plan);
}

TEST_GROUP(live_program, .setup = setup, .teardown = teardown);

/* the programs as if their hosts had started them */
static void started(void)
{
	int pipes[2];

	ck_assert_int_eq(live_programs_start(&live), 0);
	ck_assert_uint_eq(live.program_count, PROGRAMS);
	for (uint32_t i = 0; i < PROGRAMS; i++) {
		ck_assert_int_eq(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
		live.programs[i] = (struct live_program){ .host = live.programs[i].host,
							  .number = live.programs[i].number,
							  .pid = 10 + (int)i,
							  .status_fd = pipes[0] };
		ends[i] = pipes[1];
	}
}

/* does the daemon still hold the other end? */
static bool held(uint32_t program)
{
	struct room_status status = { 0 };

	return write(ends[program], &status, sizeof(status)) > 0;
}

/* checks what is told of the program at place @place */
static void told(uint32_t place, const char *host, const char *command, int pid, bool running,
		 const char *fate)
{
	json_t *list = live_programs_describe(&live), *entry = json_array_get(list, place);

	ck_assert_uint_eq(json_array_size(list), live.program_count);
	ck_assert_str_eq(json_string_value(json_object_get(entry, "host")), host);
	ck_assert_str_eq(json_string_value(json_object_get(entry, "command")), command);
	ck_assert_int_eq(json_integer_value(json_object_get(entry, "pid")), pid);
	ck_assert_int_eq(json_is_true(json_object_get(entry, "running")), running);
	ck_assert_int_eq(json_is_true(json_object_get(entry, "failed")),
			 !running && strcmp(fate, "ended with status 0") != 0);
	ck_assert_str_eq(json_string_value(json_object_get(entry, "fate")), fate);
	json_decref(list);
}

TEST(live_programs_start__hosts_are_down)
{
	struct stat found;

	ck_assert_int_eq(live_programs_start(&live), 0);
	told(0, "A", "one", 0, false, "not started: Host is down");
	told(1, "A", "two words", 0, false, "not started: Host is down");
	told(2, "B", "three", 0, false, "not started: Host is down");
	told(3, "D", "four", 0, false, "not started: the host has no such user");
	/* where they would print to */
	ck_assert_int_eq(fstatat(live.place.dir_fd, "programs/A.log", &found, 0), 0);
	ck_assert_uint_eq(found.st_mode, S_IFREG | 0600);
	ck_assert_int_eq(fstatat(live.place.dir_fd, "programs/C.log", &found, 0), -1);
}

TEST(live_programs_watch__how_each_has_ended)
{
	static const struct room_status said[] = {
		{ .kind = ROOM_ENDED, .value = 7 << 8 },
		{ .kind = ROOM_NOT_STARTED, .value = -ENOENT },
		{ .kind = ROOM_NOT_STARTED, .value = -EINVAL, .no_user = true }
	};

	started();
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_int_eq(write(ends[i], &said[i], sizeof(said[i])), sizeof(said[i]));
	told(0, "A", "one", 10, false, "ended with status 7");
	told(1, "A", "two words", 11, false, "not started: No such file or directory");
	told(2, "B", "three", 12, false, "not started: the host has no such user");
	told(3, "D", "four", 13, true, "running");
	/* with its host, which tells nothing */
	close(ends[3]);
	ends[3] = -1;
	told(3, "D", "four", 13, false, "killed by signal 9");
	signal(SIGPIPE, SIG_IGN);
	ck_assert(!held(0) && !held(1) && !held(2));
}

TEST(live_programs_watch__one_that_was_fine)
{
	static const struct room_status said = { .kind = ROOM_ENDED, .value = 0 };

	started();
	ck_assert_int_eq(write(ends[0], &said, sizeof(said)), sizeof(said));
	told(0, "A", "one", 10, false, "ended with status 0");
}

/* Those of other hosts stay, in their order. */
TEST_RANGE(live_programs_drop__of_one_host, 0, 4)
{
	static const char hosts[PROGRAMS] = { 'A', 'A', 'B', 'D' };
	static const char *const commands[] = { "one", "two words", "three", "four" };
	uint32_t place = 0;

	started();
	signal(SIGPIPE, SIG_IGN);
	live_programs_drop(&live, (uint32_t)_i);
	for (uint32_t i = 0; i < PROGRAMS; i++) {
		const char host[] = { hosts[i], 0 };

		if (hosts[i] == 'A' + _i) {
			ck_assert(!held(i));
			continue;
		}
		told(place++, host, commands[i], 10 + (int)i, true, "running");
		ck_assert(held(i));
	}
	ck_assert_uint_eq(live.program_count, place);
}

/* The daemon closes what it holds of programs, and nothing else. */
TEST(live_programs_free__their_pipes)
{
	struct stat found;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), apart;

	ck_assert_int_eq(dup2(null, STDIN_FILENO), STDIN_FILENO);
	close(null);
	started();
	signal(SIGPIPE, SIG_IGN);
	apart = live.programs[3].status_fd;
	live.programs[3].status_fd = -1;
	live_programs_free(&live);
	close(apart);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert(!held(i));
	ck_assert_int_eq(fstat(STDIN_FILENO, &found), 0);
	ck_assert_ptr_null(live.programs);
	ck_assert_uint_eq(live.program_count, 0);
	live_programs_free(&live); /* nothing more */
	ck_assert_int_eq(fstat(STDIN_FILENO, &found), 0);
}

/* ---- what they have printed ---- */

/* what is asked for host @name: a descriptor, or this sentence */
static void log_says(const char *name, const char *sentence)
{
	struct live_answer answer = { 0 };
	struct live_query query = { .live = &live, .answer = &answer };
	json_t *body;

	query.request = json_pack("{s:s}", "host", name);
	body = live_programs_log(&query);
	json_decref(query.request);
	ck_assert_pstr_eq(json_string_value(json_object_get(body, "error")), sentence);
	ck_assert_uint_eq(answer.fd_count, !sentence);
	if (!sentence) {
		ck_assert(answer.fds_owned);
		ck_assert_str_eq(json_string_value(json_object_get(body, "host")), name);
		close(answer.fds[0]);
	}
	json_decref(body);
}

TEST(live_programs_log__of_which_host)
{
	log_says("A", NULL);
	log_says("B", NULL);
	log_says("C", "C has no start commands: the key 'run' of a host");
	log_says("s1", "s1 has no start commands: the key 'run' of a host");
	log_says("E", "fabric t has no node 'E'; 'heddle ps t' lists them");
}

/* a program may have put something else in its place */
TEST(live_programs_log__no_file)
{
	ck_assert_int_eq(mkdirat(live.place.dir_fd, "programs", 0700), 0);
	ck_assert_int_eq(mkdirat(live.place.dir_fd, "programs/A.log", 0700), 0);
	log_says("A", "what the programs of A print cannot be read: Is a directory");
	ck_assert_int_eq(unlinkat(live.place.dir_fd, "programs/A.log", AT_REMOVEDIR), 0);
	ck_assert_int_eq(mkfifoat(live.place.dir_fd, "programs/A.log", 0600), 0);
	log_says("A", "what the programs of A print cannot be read: Invalid argument");
	ck_assert_int_eq(unlinkat(live.place.dir_fd, "programs/A.log", 0), 0);
	ck_assert_int_eq(symlinkat("/etc/passwd", live.place.dir_fd, "programs/A.log"), 0);
	log_says("A", "what the programs of A print cannot be read: Too many levels of symbolic "
		      "links");
	ck_assert_int_eq(unlinkat(live.place.dir_fd, "programs/A.log", 0), 0);
	ck_assert_int_eq(unlinkat(live.place.dir_fd, "programs", AT_REMOVEDIR), 0);
	ck_assert_int_eq(symlinkat("/etc", live.place.dir_fd, "programs"), 0);
	log_says("A", "what the programs of A print cannot be read: Not a directory");
	ck_assert_int_eq(unlinkat(live.place.dir_fd, "programs", 0), 0);
}

/* the folder of the fabric is removed */
TEST(live_programs_log__no_folder)
{
	ck_assert_int_eq(rmdir(folder), 0);
	log_says("A", "what the programs of A print cannot be read: No such file or directory");
	ck_assert_int_eq(mkdir(folder, 0700), 0);
}
