/*  nodes/process/node_report: a note is a line, a failure ends the run; both are one message to the
 *  orchestrator (TB-6, TB-22). */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/control/control.h"
#include "nodes/process/node_report.h"
#include "tests/testing.h"

static int ends[2];

static void setup(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	node_report_to(ends[1]);
}

static void teardown(void)
{
	close(ends[0]);
	close(ends[1]);
}

static void received(int64_t number, const char *text)
{
	struct control_message message = { 0 };
	struct why why;

	ck_assert_int_eq(control_receive(ends[0], &message, 0, &why), 0);
	ck_assert_int_eq(message.kind, CONTROL_EVENT);
	ck_assert_int_eq(message.number, number);
	ck_assert_str_eq(message.text, text);
	control_message_free(&message);
}

TEST_GROUP(node_report, .setup = setup, .teardown = teardown);

TEST(node_note__goes_on)
{
	ck_assert_int_eq(node_note("%d of %s", 3, "five"), 0);
	received(0, "3 of five");
}

TEST(node_fail__ends_the_run)
{
	ck_assert_int_eq(node_fail("%s %u", "port", 7), -EINVAL);
	received(1, "port 7");
}

TEST(node_note__orchestrator_is_gone)
{
	close(ends[0]);
	ck_assert_int_eq(node_note("anything"), -EPIPE);
	ck_assert_int_eq(node_fail("anything"), -EINVAL);
}
