/*  orchestrator/operate/cmd_down: which fabric is meant, and how it ends: as asked, without an
 *  answer, or not at all (TB-22). */
#include "orchestrator/operate/cmd_down.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "orchestrator/command/client.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

#define THREE 3

TEST_GROUP(cmd_down, .setup = daemon_setup, .teardown = daemon_teardown);

static void run_path(char path[256], const char *name)
{
	snprintf(path, 256, "%s/%s", run_folder, name);
}

static void exists(const char *name, bool wanted)
{
	char path[256];

	run_path(path, name);
	ck_assert_int_eq(!access(path, F_OK), wanted);
}

/* ---- which one ---- */

/* nothing ends unless it is named */
TEST(cmd_down__several)
{
	static const char *const names[THREE] = { "c", "a", "b" };
	struct runtime_place places[THREE];
	struct why why;

	for (size_t i = 0; i < THREE; i++) {
		ck_assert_int_eq(runtime_claim(base_fd, names[i], &places[i], &why), 0);
		if (i != 1)
			continue;
		ck_assert_int_eq(command_run(cmd_down, "down"), CLIENT_USAGE);
		ck_assert_str_eq(said, "heddle down: 2 fabrics run (a, c): name one, or --all\n");
	}
	ck_assert_int_eq(command_run(cmd_down, "down|--json"), CLIENT_USAGE);
	ck_assert_str_eq(said, "heddle down: 3 fabrics run (a, b, ...): name one, or --all\n");
	ck_assert_str_eq(printed, "");
	ck_assert_int_eq(command_run(cmd_down, "down|d"), 0);
	ck_assert_str_eq(printed, "no fabric 'd' runs\n");
	for (size_t i = 0; i < THREE; i++) {
		ck_assert(runtime_lives(base_fd, names[i]));
		runtime_release(&places[i]);
	}
}

TEST(cmd_down__folder_of_others)
{
	char wanted[512];

	ck_assert_int_eq(chmod(run_folder, 0750), 0);
	ck_assert_int_eq(command_run(cmd_down, "down|--all"), CLIENT_USAGE);
	snprintf(wanted, sizeof(wanted),
		 "heddle down: %s is open to others (mode 750); expected 700: chmod 700 %s\n",
		 run_folder, run_folder);
	ck_assert_str_eq(said, wanted);
	ck_assert_str_eq(printed, "");
}

/* ---- a fabric that does not answer ---- */

/* starts a process that has fabric @name, and does not listen. It has to be killed. */
static pid_t silent_start(const char *name)
{
	struct runtime_place own;
	char told;
	struct why why;
	int pipes[2];
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		if (!runtime_claim(base_fd, name, &own, &why))
			(void)!write(pipes[1], "x", 1);
		for (;;)
			pause();
	}
	close(pipes[1]);
	ck_assert_int_eq(read(pipes[0], &told, 1), 1);
	close(pipes[0]);
	return pid;
}

TEST(cmd_down__kills_what_does_not_answer)
{
	static const char *const lines[] = { "down", "down|quiet|--json" };
	static const char *const wanted[] = {
		"fabric quiet did not answer and was killed\n",
		"[\n  {\n    \"fabric\": \"quiet\",\n    \"killed\": true\n  }\n]\n"
	};

	for (size_t i = 0; i < 2; i++) {
		pid_t pid = silent_start("quiet");
		int status;

		ck_assert_int_eq(command_run(cmd_down, lines[i]), 0);
		ck_assert_str_eq(printed, wanted[i]);
		ck_assert_str_eq(said, "heddle down: cannot reach fabric quiet: No such file or "
				       "directory; it is starting or ending\n");
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		exists("quiet", false);
	}
}

/* its lock does not say which process it is: none is killed, the others end nevertheless */
TEST(cmd_down__cannot_be_killed)
{
	struct runtime_place own;
	struct why why;
	pid_t pid;

	ck_assert_int_eq(runtime_claim(base_fd, "first", &own, &why), 0);
	ck_assert_int_eq(ftruncate(own.lock_fd, 0), 0);
	pid = silent_start("quiet");
	ck_assert_int_eq(command_run(cmd_down, "down|--all"), CLIENT_FAILED);
	ck_assert_str_eq(printed, "fabric quiet did not answer and was killed\n");
	ck_assert_ptr_nonnull(strstr(said, "heddle down: fabric first does not answer and cannot "
					   "be killed: Input/output error\n"));
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	exists("quiet", false);
	exists("first", true);
	runtime_release(&own);
}

/* ---- a fabric that is asked ---- */

/* answers each connection in turn; then the fabric has ended */
static void *answer_each(void *unused)
{
	char request[256];

	for (const char **answer = answers; *answer; answer++) {
		int connection = accept(listener, NULL, NULL);
		const char *rest = *answer;

		while (*rest && recv(connection, request, sizeof(request), 0) > 0) {
			size_t length = strcspn(rest, "\n") + 1;

			strcat(asked, *answer);
			/* it is gone before the command receives this */
			if (!answer[1] && !rest[length])
				runtime_release(&place);
			send(connection, rest, length, MSG_NOSIGNAL);
			rest += length;
		}
		close(connection);
	}
	return unused;
}

/* the fabric `lab`; @lines have the answers to one connection each */
static void lab_starts(const char *const *lines, size_t count)
{
	struct why why;

	ck_assert_int_eq(runtime_claim(base_fd, "lab", &place, &why), 0);
	listener = runtime_listen(&place);
	ck_assert_int_eq(fcntl(listener, F_SETFL, 0), 0);
	memset(asked, 0, sizeof(asked));
	memset(answers, 0, sizeof(answers));
	for (size_t i = 0; i < count; i++)
		answers[i] = lines[i];
	ck_assert_int_eq(pthread_create(&daemon_thread, NULL, answer_each, NULL), 0);
}

static void lab_has_ended(void)
{
	ck_assert_int_eq(pthread_join(daemon_thread, NULL), 0);
	close(listener);
	listener = -1;
	exists("lab", false);
}

/* one that has too many clients is asked again */
TEST(cmd_down__refused_once)
{
	static const char *const lines[] = { "{\"error\": \"too many clients\"}\n",
					     "{\"fabric\": \"lab\", \"pid\": 0}\n{}\n" };

	lab_starts(lines, 2);
	ck_assert_int_eq(command_run(cmd_down, "down"), 0);
	ck_assert_ptr_eq(strstr(printed, "fabric lab has ended\n"), printed);
	ck_assert_str_eq(said, "heddle down: too many clients\n");
	lab_has_ended();
}

/* it cannot be understood, but has ended meanwhile: nothing was killed */
TEST(cmd_down__has_ended_meanwhile)
{
	static const char *const lines[] = { "nonsense\n" };

	lab_starts(lines, 1);
	ck_assert_int_eq(command_run(cmd_down, "down|lab|--json"), 0);
	ck_assert_str_eq(printed, "[\n  {\n    \"fabric\": \"lab\"\n  }\n]\n");
	ck_assert_str_eq(said, "heddle down: fabric lab does not answer: its answer is not JSON\n");
	lab_has_ended();
}
