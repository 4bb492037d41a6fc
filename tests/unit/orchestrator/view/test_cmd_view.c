/*  orchestrator/cli/cmd_view, view: view_service, fabric_recording; run: run_view - pages of a
 *  recording, of a run and of a running fabric: what they serve, and how they end (SE-4, SE-6). */
#include "tests/unit/orchestrator/whole_heddle.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static unsigned port;
static char token[256];
static char *body; /* of the last answer */
static pid_t server;

static void setup(void)
{
	whole_setup();
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* as in hosts: see test_whole_fabric.c */
	file_write("t.yaml",
		   "name: t\nabout: one pair\nrun: {duration: 20us, warmup: 5us, sample: 1us}\n"
		   "topology:\n  switches: [s1, s2]\n  hosts: {A: s1, B: s2}\n  links: [[s1, s2]]\n"
		   "links: {rate: 100Gb/s, delay: 100ns}\nworkloads:\n  - {name: w, pattern: "
		   "pairs, pairs: [[A, B]], size: 4KiB, window: 2}\n");
}

static void teardown(void)
{
	free(body);
	whole_teardown();
}

TEST_GROUP(cmd_view, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = teardown);

/* starts a command with a page, and reads its address from the file .out or .err */
static void page_start(const char *line, const char *from)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char *text, *at;

	server = heddle_start(line, in);
	close(in);
	while (!file_has(from, "view: http://") || !file_has(from, "#token="))
		usleep(5000);
	usleep(1000);
	text = file_read(from);
	at = strstr(text, "view: http://127.0.0.1:");
	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(sscanf(at, "view: http://127.0.0.1:%u/#token=%255[^\n]", &port, token), 2);
	free(text);
}

/* asks the page.   Return: the status of the answer, whose body is in `body` */
static int asked_with(const char *method, const char *path, const char *given, const char *key)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), status = 0;
	char *answer = calloc(1, WHOLE_FILE_MAX), request[2048], *end;
	size_t length = 0;
	ssize_t got;

	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		free(answer);
		return 0;
	}
	snprintf(request, sizeof(request),
		 "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer %s\r\n"
		 "Content-Length: %zu\r\nContent-Type: application/json\r\n\r\n%s",
		 method, path, port, key, strlen(given), given);
	ck_assert_int_eq(send(fd, request, strlen(request), MSG_NOSIGNAL),
			 (ssize_t)strlen(request));
	while ((got = recv(fd, answer + length, WHOLE_FILE_MAX - 1 - length, 0)) > 0)
		length += (size_t)got;
	close(fd);
	sscanf(answer, "HTTP/1.1 %d", &status);
	end = strstr(answer, "\r\n\r\n");
	free(body);
	body = strdup(end ? end + 4 : "");
	free(answer);
	return status;
}

static int asked(const char *path)
{
	return asked_with("GET", path, "", token);
}

/* until what the page says of its recordings has this */
static void until(const char *part)
{
	while (asked("/recordings") != 200 || !strstr(body, part))
		usleep(20000);
}

/* Ctrl-C ends it with this status, and nothing listens any more */
static void page_end(int status)
{
	int found;

	ck_assert_int_eq(kill(server, SIGINT), 0);
	found = heddle_await(server);
	ck_assert_msg(found == status, "%d %s", found, said);
	ck_assert_int_eq(asked("/recordings"), 0);
}

/* ---- recordings ---- */

TEST(view__recording)
{
	char part[64];
	struct stat found;

	ASSERT_STATUS("run|t.yaml|--quiet|--record|r.heddle", 0);
	ck_assert_int_eq(stat("r.heddle", &found), 0);
	page_start("view|r.heddle", ".out");
	ck_assert_int_eq(asked_with("GET", "/recordings", "", "wrong"), 401);
	ck_assert_int_eq(asked("/nothing"), 404);
	ck_assert_int_eq(asked("/recordings"), 200);
	snprintf(part, sizeof(part), "\"bytes\":%lld", (long long)found.st_size);
	ASSERT_HAS(body, part);
	ASSERT_HAS(body, "\"state\":\"complete\"");
	ASSERT_HAS(body, "r.heddle");
	ck_assert_int_eq(asked("/"), 200);
	ASSERT_HAS(body, "<html");
	page_end(0);
}

/* one that grows is served as it is, then complete */
TEST(view__recording_that_grows)
{
	char command[128];
	struct stat found;

	ASSERT_STATUS("run|t.yaml|--quiet|--record|r.heddle", 0);
	ck_assert_int_eq(stat("r.heddle", &found), 0);
	ck_assert_int_eq(system("head -c 1000 r.heddle >g.heddle"), 0);
	page_start("view|./g.heddle|--listen|127.0.0.1:0", ".out");
	ck_assert_int_eq(asked("/recordings"), 200);
	ASSERT_HAS(body, "\"state\":\"growing\"");
	ASSERT_HAS(body, "\"bytes\":1000");
	ck_assert_int_eq(system("tail -c +1001 r.heddle >>g.heddle"), 0);
	until("\"state\":\"complete\"");
	snprintf(command, sizeof(command), "\"bytes\":%lld", (long long)found.st_size);
	ASSERT_HAS(body, command);
	page_end(0);
}

TEST(view__refused)
{
	char line[128];

	ASSERT_STATUS("view|./none", 2);
	ASSERT_HAS(said, "cannot read");
	ASSERT_STATUS("view|t.yaml", 2);
	ASSERT_HAS(said, "is no recording");
	ASSERT_STATUS("view|none", 2);
	ck_assert_str_eq(said,
			 "heddle view: no fabric runs; start one with 'heddle up SCENARIO'\n");
	ASSERT_STATUS("view|./none|--listen|127.0.0.1:x", 2);
	ASSERT_STATUS("run|t.yaml|--quiet|--record|r.heddle", 0);
	ASSERT_STATUS("view|r.heddle|--listen|192.0.2.1:0", 2);
	ASSERT_HAS(said, "cannot listen on 192.0.2.1");
	/* only what can be repeated is controlled: not without a head, nor of the real clock */
	ck_assert_int_eq(system("head -c 100 r.heddle > cut"), 0);
	ASSERT_STATUS("view|./cut|--control", 2);
	ck_assert_int_eq(strncmp(said, "heddle view: ./cut: byte ", 25), 0);
	heddle("run|t.yaml|--quiet|--clock|real|--record|real.heddle");
	ASSERT_STATUS("view|real.heddle|--control", 2);
	ck_assert_str_eq(said, "heddle view: no run of real.heddle can be repeated: it has no "
			       "scenario, or was under the real clock\n");
	page_start("view|r.heddle", ".out");
	snprintf(line, sizeof(line), "run|t.yaml|--view|--listen|127.0.0.1:%u|--quiet", port);
	rename(".out", "page.out");
	rename(".err", "page.err");
	ASSERT_STATUS(line, 2);
	ASSERT_HAS(said, "Address already in use");
	page_end(0);
}

/* ---- a run ---- */

TEST(view__run_that_ends)
{
	page_start("run|t.yaml|--view|--set|seed=3", ".err");
	until("\"state\":\"complete\"");
	ASSERT_HAS(body, "t.yaml");
	ck_assert_int_eq(asked("/recordings/1"), 200);
	ASSERT_HAS(body, "heddle recording 1");
	/* no changes without control */
	ck_assert_int_ne(asked_with("POST", "/fork", "{\"of\": 1, \"set\": [\"seed=4\"]}", token),
			 200);
	/* the summary is there before the page ends */
	ck_assert(file_has(".out", "t: 2 switches, 2 NICs, 3 links; virtual clock, seed 3"));
	page_end(0);
	ASSERT_HAS(said, "heddle run: the page stays until Ctrl-C\n");
	ASSERT_HAS(printed, "t: 2 switches, 2 NICs, 3 links; virtual clock, seed 3");
	/* with a recording of its own, which remains */
	page_start("run|t.yaml|--view|--record|r.heddle|--quiet", ".err");
	until("\"state\":\"complete\"");
	page_end(0);
	ASSERT_LACKS(said, "the page stays");
	ck_assert(file_has("r.heddle", "heddle recording 1"));
	ASSERT_STATUS("export|r.heddle", 0);
}

/* once no run goes on, so many recordings of the list are complete */
static void completed(unsigned count)
{
	do
		ck_assert_int_eq(asked("/recordings"), 200);
	while (strstr(body, "\"state\":\"growing\""));
	ck_assert_msg(times(body, "\"state\":\"complete\"") == count, "%s", body);
}

/* Each fork is a run with what it changes: of a run, and of the scenario in a recording. */
static void forks_run(const char *command, const char *from, const char *name)
{
	char wanted[256];

	page_start(command, from);
	until("\"state\":\"complete\"");
	ASSERT_HAS(body, "\"control\":true");
	ck_assert_int_eq(
		asked_with("POST", "/fork", "{\"of\": 1, \"settings\": [\"seed=4\"]}", token), 201);
	ck_assert_str_eq(body, "{\"id\":2}");
	ck_assert_int_eq(asked_with("POST", "/fork",
				    "{\"of\": 2, \"at_ps\": 9000000, \"set\": [{\"node\": \"s1\","
				    " \"key\": \"output-queue\", \"value\": \"9\"}]}",
				    token),
			 201);
	completed(3);
	snprintf(wanted, sizeof(wanted),
		 "\"command\":\"heddle run %s --set seed=3 --set seed=4 --record FILE\","
		 "\"settings\":[\"seed=3\",\"seed=4\"],\"fork\":{\"of\":1,\"at_ps\":null,",
		 name);
	ASSERT_HAS(body, wanted);
	snprintf(wanted, sizeof(wanted),
		 "\"command\":\"printf '%%s\\\\n' 'set s1 output-queue 9' | heddle run %s "
		 "--set seed=3 --set seed=4 --break-at 9000000ps --record FILE\"",
		 name);
	ASSERT_HAS(body, wanted);
	ck_assert_int_eq(asked("/recordings/3"), 200);
	ASSERT_HAS(body, "heddle recording 1");
	ck_assert_int_eq(asked_with("DELETE", "/recordings/1", "", token), 409);
	ck_assert_int_eq(asked_with("DELETE", "/recordings/2", "", token), 204);
	ck_assert_int_eq(asked("/recordings/2"), 404);
	completed(2);
	page_end(0);
}

TEST(view__forks)
{
	forks_run("run|t.yaml|--view=control|--set|seed=3|--record|r.heddle|--quiet", ".err",
		  "t.yaml");
	forks_run("view|r.heddle|--control", ".out", "t.yaml");
}

/* a result that cannot be written is a failure; the page says so until Ctrl-C */
TEST(view__run_that_fails)
{
	page_start("run|t.yaml|--view|--json|/dev/full|--quiet", ".err");
	until("\"state\":\"failed\"");
	ASSERT_HAS(body, "\"error\":\"The run has failed: its terminal has the reason.\"");
	page_end(2);
	ASSERT_HAS(said, "heddle run: cannot write the JSON result to /dev/full: No space left on "
			 "device\n");
}

/* a run that is interrupted ends its page at once */
TEST(view__run_that_is_interrupted)
{
	int words = memfd_create("quit", MFD_CLOEXEC);

	ck_assert_int_eq(write(words, "quit\n", 5), 5);
	lseek(words, 0, SEEK_SET);
	ck_assert_int_eq(heddle_await(heddle_start("run|t.yaml|--view|--break-at|5us", words)),
			 130);
	close(words);
	ASSERT_HAS(said, "view: http://127.0.0.1:");
	ASSERT_LACKS(said, "the page stays");
}

/* ---- a running fabric ---- */

TEST(view__running_fabric)
{
	file_write("u.yaml", "name: u\ntopology:\n  switches: [s1, s2]\n  hosts: {A: s1, B: s2}\n"
			     "  links: [[s1, s2]]\nlinks: {rate: 100Mb/s, delay: 1ms}\n");
	if (heddle("up|u.yaml")) {
		ck_assert_msg(strstr(said, "namespace") != NULL, "%s", said);
		return;
	}
	page_start("view|u", ".out");
	until("\"state\":\"growing\"");
	/* a second passes, with what it saw */
	do
		ck_assert_int_eq(asked("/recordings/1"), 200);
	while (!strstr(body, "heddle recording 1"));
	rename(".out", "page.out");
	rename(".err", "page.err");
	ASSERT_STATUS("down", 0);
	while (waitpid(server, NULL, WNOHANG) == 0) {
		asked("/recordings");
		if (strstr(body, "complete")) {
			kill(server, SIGINT);
			waitpid(server, NULL, 0);
			break;
		}
		usleep(20000);
	}
	ASSERT_STATUS("view|u", 2);
}

/* ---- a lab ---- */

/* the lab beside the fabric: its text, predictions that the page keeps where the terminal reads
 * them, and the explanation once the check has passed */
TEST(view__lab)
{
	ck_assert(!mkdir("own", 0755) && !mkdir("own/21-mine", 0755));
	file_write("own/21-mine/lab.yaml",
		   "title: My own\nabout: a share\nminutes: 15\nstudent: {n: 2..2, m: 3..3}\nruns: "
		   "[{name: first, run: ../../t.yaml}]\npredict:\n  - {name: speed, ask: \"With "
		   "{n}?\", unit: Gb/s, measured: goodput(w)}\n  - {name: why, ask: \"Why?\", "
		   "choices: [delay, rate]}\nanswers:\n  - {name: fast, ask: \"Fast?\", choices: "
		   "[yes, no]}\nchecks:\n  - {run: ../../t.yaml, set: {seed: \"{n}\"}, expect: "
		   "[lost == 0], says: no}\n");
	file_write("own/21-mine/README.md",
		   "# Mine\n\n## Steps\n\nDo it.\n\n## Explanation\n\nSo.\n");
	page_start("lab|start|21|--labs|own|--view", ".err");
	until("\"state\":\"complete\"");
	ck_assert_int_eq(asked_with("GET", "/lab", "", "wrong"), 401);
	ck_assert_int_eq(asked("/lab"), 200);
	ASSERT_HAS(body, "\"name\":\"21-mine\",\"title\":\"My own\",\"minutes\":15,\"student\":1,");
	ASSERT_HAS(body, "\"text\":\"**Your values:** `n = 2`, `m = 3`\\n\\n\\n## Steps\\n\\nDo "
			 "it.\\n\\n\",\"explanation\":null,");
	ASSERT_HAS(body, "\"predict\":[{\"name\":\"speed\",\"ask\":\"With 2?\",\"unit\":\"Gb/s\","
			 "\"answer\":null},{\"name\":\"why\",\"ask\":\"Why?\",\"unit\":\"\","
			 "\"answer\":null}]");
	ck_assert_int_eq(asked_with("PUT", "/lab/predictions", "{\"speed\": \"fast\"}", token),
			 400);
	ASSERT_HAS(body, "speed: 'fast' is not a number");
	ck_assert_int_eq(asked_with("PUT", "/lab/predictions", "{\"speed\": \"24\"}", token), 204);
	ck_assert(file_has("lab-21-mine-student-1.yaml", "predictions: {speed: \"24\"}\n"));
	ck_assert_int_eq(asked_with("PUT", "/lab/predictions", "{\"why\": \"rate\"}", token), 204);
	ck_assert(file_has("lab-21-mine-student-1.yaml",
			   "predictions: {speed: \"24\", why: \"rate\"}\n"));
	ck_assert_int_eq(asked("/lab"), 200);
	ASSERT_HAS(body, "\"unit\":\"Gb/s\",\"answer\":\"24\"}");
	/* of a file that another process has changed meanwhile */
	rename(".err", "page.err");
	rename(".out", "page.out");
	ASSERT_STATUS("lab|check|21|--labs|own|fast=yes|--quiet", 0);
	ck_assert_int_eq(asked("/lab"), 200);
	ASSERT_HAS(body, "\"explanation\":\"## Explanation\\n\\nSo.\\n\"");
	file_write("lab-21-mine-student-1.yaml", "lab: other\n");
	ck_assert_int_eq(asked("/lab"), 500);
	ASSERT_HAS(body, "lab-21-mine-student-1.yaml:1:6: ");
	ck_assert_int_eq(asked_with("PUT", "/lab/predictions", "{\"speed\": \"25\"}", token), 500);
	unlink("lab-21-mine-student-1.yaml");
	unlink("own/21-mine/README.md");
	ck_assert_int_eq(asked("/lab"), 500);
	ASSERT_HAS(body, "The README.md of the lab cannot be read.");
	page_end(0);
}
