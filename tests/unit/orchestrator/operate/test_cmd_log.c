/*  orchestrator/operate/cmd_log, cmd_metrics: what the programs of a host have printed, which comes
 *  as a descriptor; counters in the text format of Prometheus (DU-3, SE-14). */
#include "orchestrator/operate/cmd_log.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/mman.h>

#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/command/client.h"
#include "orchestrator/operate/cmd_metrics.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

TEST_GROUP(cmd_log, .setup = daemon_setup, .teardown = daemon_teardown);

static int log_fds[2];
static unsigned log_count;

/* answers one request with an object and the descriptors */
static void *log_serve(void *unused)
{
	int connection = accept(listener, NULL, NULL);

	(void)unused;
	if (recv(connection, asked, sizeof(asked) - 1, 0) > 0)
		descriptor_send(connection, "{\"host\": \"h1\"}\n", 15, log_fds, log_count);
	close(connection);
	return NULL;
}

static void log_runs(const char *printed_by_host, size_t length)
{
	daemon_runs(NULL, NULL);
	ck_assert_int_eq(pthread_join(daemon_thread, NULL), 0);
	log_count = printed_by_host ? 1 : 0;
	if (printed_by_host) {
		log_fds[0] = memfd_create("log", MFD_CLOEXEC);
		ck_assert_int_eq(write(log_fds[0], printed_by_host, length), (ssize_t)length);
		lseek(log_fds[0], 0, SEEK_SET);
	}
	ck_assert_int_eq(pthread_create(&daemon_thread, NULL, log_serve, NULL), 0);
}

static void log_was_asked(const char *line)
{
	ck_assert_int_eq(pthread_join(daemon_thread, NULL), 0);
	ck_assert_str_eq(asked, line);
	if (log_count)
		close(log_fds[0]);
}

TEST(cmd_log__prints_it_as_it_is)
{
	log_runs("one\ntwo \xff", 9);
	ck_assert_int_eq(command_run(cmd_log, "log|h1"), 0);
	ck_assert_str_eq(printed, "one\ntwo \xff");
	ck_assert_str_eq(said, "");
	log_was_asked("{\"ask\":\"log\",\"host\":\"h1\"}\n");
}

TEST(cmd_log__longer_than_a_read)
{
	char *text = malloc(200000);

	memset(text, 'x', 200000);
	log_runs(text, 200000);
	ck_assert_int_eq(command_run(cmd_log, "log|h1"), 0);
	ck_assert_uint_eq(strlen(printed), 200000);
	log_was_asked("{\"ask\":\"log\",\"host\":\"h1\"}\n");
	free(text);
}

/* what is no UTF-8 is replaced */
TEST(cmd_log__for_programs)
{
	log_runs("one\ntwo \xff\0.", 11);
	ck_assert_int_eq(command_run(cmd_log, "log|--json|h1"), 0);
	ck_assert_str_eq(printed, "{\n  \"host\": \"h1\",\n  \"text\": \"one\\ntwo ??.\"\n}\n");
	log_was_asked("{\"ask\":\"log\",\"host\":\"h1\"}\n");
}

TEST(cmd_log__without_a_descriptor)
{
	log_runs(NULL, 0);
	ck_assert_int_eq(command_run(cmd_log, "log|h1"), CLIENT_FAILED);
	ck_assert_str_eq(printed, "");
	ck_assert_str_eq(said, "heddle log: the fabric has sent no log\n");
	log_was_asked("{\"ask\":\"log\",\"host\":\"h1\"}\n");
}

/* what cannot be read is no log */
TEST_RANGE(cmd_log__cannot_be_read, 0, 2)
{
	log_runs("", 0);
	close(log_fds[0]);
	log_fds[0] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(command_run(cmd_log, _i ? "log|--json|h1" : "log|h1"), CLIENT_FAILED);
	ck_assert_str_eq(said, "heddle log: cannot read the log of the host: Is a directory\n");
	ck_assert_str_eq(printed, "");
	log_was_asked("{\"ask\":\"log\",\"host\":\"h1\"}\n");
}

TEST(cmd_log__refused)
{
	daemon_runs("{\"error\": \"h1 has no start commands\"}\n", NULL);
	ck_assert_int_eq(command_run(cmd_log, "log|h1"), CLIENT_REFUSED);
	ck_assert_str_eq(said, "heddle log: h1 has no start commands\n");
	ck_assert_int_eq(command_run(cmd_log, "log|\xff"), CLIENT_USAGE);
	ck_assert_int_eq(command_run(cmd_log, "log"), CLIENT_USAGE);
}

/* ---- metrics ---- */

TEST(cmd_metrics__once)
{
	daemon_runs("{\"fabric\": \"lab\", \"uptime_ns\": 2000000000, \"nodes\": []}\n", NULL);
	ck_assert_int_eq(command_run(cmd_metrics, "metrics|lab"), 0);
	ck_assert_ptr_nonnull(strstr(printed, "fabric=\"lab\""));
	ck_assert_str_eq(said, "");
	daemon_was_asked("{\"ask\":\"ps\"}\n");
}

TEST(cmd_metrics__wrong_words)
{
	ck_assert_int_eq(command_run(cmd_metrics, "metrics|lab|-f|other"), CLIENT_USAGE);
	ck_assert_str_eq(said, "heddle metrics: two fabrics, 'other' and 'lab'; give one\n");
	ck_assert_int_eq(command_run(cmd_metrics, "metrics|lab"), CLIENT_USAGE);
	ck_assert_str_eq(printed, "");
}

/* a port that another program has: nothing is served */
TEST(cmd_metrics__port_is_taken)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char line[64], wanted[128];

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, bytes), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
	daemon_runs("{\"fabric\": \"lab\", \"nodes\": []}\n", NULL);
	snprintf(line, sizeof(line), "metrics|--listen|:%u", ntohs(address.sin_port));
	ck_assert_int_eq(command_run(cmd_metrics, line), CLIENT_USAGE);
	snprintf(wanted, sizeof(wanted), "%u", ntohs(address.sin_port));
	ck_assert_msg(!strncmp(said, "heddle metrics: ", 16) && strstr(said, wanted), "%s", said);
	ck_assert_ptr_nonnull(strstr(said, "Address already in use"));
	ck_assert_str_eq(printed, "");
	daemon_was_asked("{\"ask\":\"ps\"}\n");
	close(fd);
}

/* a full disk */
TEST(cmd_metrics__cannot_be_written)
{
	char *argv[] = { (char[]){ "metrics" }, NULL };
	FILE *own_stdout = stdout;

	daemon_runs("{\"fabric\": \"lab\", \"nodes\": []}\n", NULL);
	stdout = fopen("/dev/full", "we");
	said_begin();
	ck_assert_int_eq(cmd_metrics(1, argv), CLIENT_USAGE);
	said_end();
	fclose(stdout);
	stdout = own_stdout;
	ck_assert_str_eq(said, "heddle metrics: cannot write to standard output\n");
	daemon_was_asked("{\"ask\":\"ps\"}\n");
}
